/* Steps: several at a time, backwards, known at run time. */
#include <stdio.h>

#define N 37

#pragma dvm array distribute[block][block]
int A[N][N];

int main(void) {
    int i, j, step = 5, back = -4;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = 1;
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 1; i < N; i += 3)
            for (j = N - 1; j >= 0; j -= 2)
                A[i][j] += 10;
#pragma dvm parallel([i][j] on A[i][j])
        for (i = N - 2; i > 3; i--)
            for (j = 2; j <= N - 3; j = j + 4)
                A[i][j] += 100;
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i += step)
            for (j = N - 1; j >= 0; j += back)
                A[i][j] += 1000;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (i = N - 1; i >= 0; --i)
            for (j = 0; j < N; ++j)
                sum += (long)A[i][j] * (3 * i + j);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
