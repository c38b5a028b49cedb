/* What stands right of `on`: coefficients, summands, constants, whole axes, indices in another order. */
#include <stdio.h>

#define N 10

#pragma dvm array distribute[block][*]
int A[2 * N + 1][N];
#pragma dvm array distribute[block][block]
int B[N][3 * N];

int main(void) {
    int i, j, fixed = 4;
    long sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < 2 * N + 1; i++)
        for (j = 0; j < N; j++)
            A[i][j] = i + 10 * j;
#pragma dvm parallel([i][j] on B[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < 3 * N; j++)
            B[i][j] = -1;
#pragma dvm parallel([i][j] on A[2 * i + 1][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[2 * i + 1][j] = i - j;
#pragma dvm parallel([i] on A[i][fixed + 1])
    for (i = 0; i < 2 * N; i++)
        A[i][fixed + 1] *= 2;
#pragma dvm parallel([i][j] on B[j][3 * (N - 1 - i)])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            B[j][3 * (N - 1 - i)] = i * j + 1;
#pragma dvm parallel([i] on A[-i + 2 * N][])
    for (i = 0; i <= 2 * N; i++)
        for (int k = 0; k < N; k++)
            A[2 * N - i][k] += k;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
    for (i = 0; i < 2 * N + 1; i++)
        for (j = 0; j < N; j++)
            sum += (long)A[i][j] * (2 * i + j);
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
    for (i = 0; i < N; i++)
        for (j = 0; j < 3 * N; j++)
            sum += (long)B[i][j] * (i + j);
    printf("%ld\n", sum);
    return 0;
}
