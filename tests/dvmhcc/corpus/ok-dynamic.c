/* `dynamic` is accepted; clauses stand in any order, with and without commas. */
#include <stdio.h>

#define N 16

#pragma dvm array dynamic, shadow[1][0:1], distribute[block][*]
int A[N][N];
#pragma dvm template[N] distribute[block] dynamic
void *T;
#pragma dvm array align([i] with T[i]) dynamic
int B[N];

int main(void) {
    int i, j;
    long sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = i ^ j;
#pragma dvm parallel([i] on B[i])
    for (i = 0; i < N; i++)
        B[i] = 100 - i;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            sum += A[i][j] * (i + 2 * j);
#pragma dvm parallel([i] on T[i]) reduction(sum(sum))
    for (i = 0; i < N; i++)
        sum += B[i] * i;
    printf("%ld\n", sum);
    return 0;
}
