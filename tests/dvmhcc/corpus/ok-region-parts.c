/* Parts of arrays in regions and in (get_)actual. */
#include <stdio.h>

#define N 16

#pragma dvm array distribute[block][*]
int A[N][N];
#pragma dvm array align([i] with A[i][])
int B[N];
int table[N], unit[3] = {1, 2, 3};

int main(void) {
    int i, j, low = 4;
    long sum = 0;
    for (i = 0; i < N; i++) {
        table[i] = i;
        B[i] = 0;
        for (j = 0; j < N; j++)
            A[i][j] = i * N + j;
    }
#pragma dvm actual(A[][], B[], table[0:N - 1], unit[1])
#pragma dvm region in(A[low:N - 1][0:]), out(B[low:]), in(table[:N - 1], unit[1])
    {
#pragma dvm parallel([i] on B[i])
        for (i = low; i < N; i++) {
            B[i] = 0;
            for (int k = 0; k < N; k++)
                B[i] += A[i][k] * table[k] * unit[1];
        }
    }
#pragma dvm get_actual(B[low:N - 1])
    for (i = low; i < N; i++)
        B[i] += 1;
#pragma dvm actual(B[low:N - 1])
#pragma dvm region
    {
#pragma dvm parallel([i] on B[i]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            sum += B[i] * (long)(i + 1);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
