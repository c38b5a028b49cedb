/* Element i lies with element N - 1 - i: the axis runs backwards. */
#include <stdio.h>

#define N 15

#pragma dvm array distribute[block][block]
int A[N][N];
#pragma dvm array align([i][j] with A[N - 1 - i][-j + N - 1])
int B[N][N];

int main(void) {
    int i, j;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = 20 * i + j;
#pragma dvm parallel([i][j] on B[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                B[i][j] = A[N - 1 - i][N - 1 - j];
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                sum += (long)B[i][j] * (i * 3 + j * j);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
