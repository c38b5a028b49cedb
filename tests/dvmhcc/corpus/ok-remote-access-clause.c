/* Elements from elsewhere, read in a loop: single ones, rows, columns, and those that the iteration names. */
#include <stdio.h>

#define N 14
#define M 10

#pragma dvm array distribute[block][block]
double A[N][M];
#pragma dvm array distribute[block]
double B[N];
#pragma dvm array align([i] with B[i])
double C[N];

int main(void) {
    int i, j, last = N - 1;
    double sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = i * i - j;
#pragma dvm parallel([i] on B[i]) remote_access(A[i][0], A[0][0])
        for (i = 0; i < N; i++)
            B[i] = A[i][0] + A[0][0];
#pragma dvm parallel([i] on C[i]) remote_access(B[last - i], A[2][])
        for (i = 0; i < N; i++) {
            C[i] = B[last - i];
            for (int k = 0; k < M; k++)
                C[i] += A[2][k];
        }
#pragma dvm parallel([i][j] on A[i][j]) remote_access(C[i], B[j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = A[i][j] * C[i] + B[j];
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                sum += A[i][j] * (i + j);
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    return 0;
}
