/* Loops without iterations, in one dim or in all. */
#include <stdio.h>

#define N 10

#pragma dvm array distribute[block][block]
int A[N][N];

int main(void) {
    int i, j, n = 0, low = 5, high = 2;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = 1;
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < n; i++)
            for (j = 0; j < N; j++)
                A[i][j] = 100;
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = low; j <= high; j++)
                A[i][j] = 200;
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][1:0])
        for (i = 9; i < 5; i++)
            for (j = 1; j < 1; j++)
                A[i][j] = A[i - 1][j] + A[i][j - 1];
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                sum += A[i][j];
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
