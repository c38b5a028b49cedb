/* Values stay when an array, and all that is aligned with it, is distributed anew. */
#include <stdio.h>

#define N 16

double weights[5] = {3, 1, 1, 2, 2};

#pragma dvm array distribute[block][*]
int A[N][N];
#pragma dvm array align([i] with A[i][])
int B[N];
#pragma dvm template[N][N] distribute[block][block]
void *T;
#pragma dvm array align([i][j] with T[j][i])
int C[N][N];

static long all(void) {
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                sum += A[i][j] * (i + 2 * j);
#pragma dvm parallel([i] on B[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += B[i] * i;
#pragma dvm parallel([i][j] on C[i][j]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                sum += C[i][j] * (i + 2 * j);
    }
#pragma dvm get_actual(sum)
    return sum;
}

int main(void) {
    long sum;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                A[i][j] = i * N + j;
#pragma dvm parallel([i] on B[i])
        for (int i = 0; i < N; i++)
            B[i] = -i;
#pragma dvm parallel([i][j] on C[i][j])
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                C[i][j] = i - j;
    }
    sum = all();
    printf("%ld\n", sum);
#pragma dvm redistribute(A[*][block])
    sum = all();
    printf("%ld\n", sum);
#pragma dvm redistribute(A[wgtblock(weights, 5)][block])
#pragma dvm redistribute(T[block][*])
    sum = all();
    printf("%ld\n", sum);
    return 0;
}
