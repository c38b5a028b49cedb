/* Dependences along one dim of two: the other one is independent, first the outer, then the inner. */
#include <stdio.h>

#define N 14
#define M 19

#pragma dvm array distribute[block][block]
double A[N][M];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = (i + 2 * j) % 9 + 1;
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][0:0])
        for (i = 1; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] += A[i - 1][j] * 0.3;
#pragma dvm parallel([i][j] on A[i][j]) across(A[0][1:0])
        for (i = 0; i < N; i++)
            for (j = 1; j < M; j++)
                A[i][j] += A[i][j - 1] * 0.7;
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                if (A[i][j] > largest)
                    largest = A[i][j];
    }
#pragma dvm get_actual(largest, A)
    printf("%.17g\n", largest);
#pragma dvm remote_access(A[N - 1][M - 1], A[3][4])
    {
        printf("%.17g %.17g\n", A[N - 1][M - 1], A[3][4]);
    }
    return 0;
}
