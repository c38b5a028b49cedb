/* Sizes of blocks on a GPU have no effect elsewhere. */
#include <stdio.h>

#define N 12

#pragma dvm array distribute[block][block][*]
int A[N][N][N];

int threads = 16;

int main(void) {
    int i, j, k;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on A[i][j][k]) cuda_block(32, 2, 2)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N; k++)
                    A[i][j][k] = i * j - k;
#pragma dvm parallel([i][j] on A[i][j][]) cuda_block(2 * threads), private(k)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N; k++)
                    A[i][j][k]++;
#pragma dvm parallel([i][j][k] on A[i][j][k]) reduction(sum(sum)), cuda_block(threads, 4)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N; k++)
                    sum += (long)A[i][j][k] * (i + 2 * j + 3 * k);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
