/* A template with arrays on parts of it, and loops that run where its elements are. */
#include <stdio.h>

#define N 12

#pragma dvm template[2 * N + 3][N] distribute[block][block]
void *T;
#pragma dvm array align([i][j] with T[i][j])
double A[N][N];
#pragma dvm array align([i][j] with T[i + N][j])
double B[N][N];
#pragma dvm array align([i] with T[2 * i][])
double C[N];

int main(void) {
    int i, j;
    double sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on T[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = i - 2 * j;
#pragma dvm parallel([i][j] on T[N + i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                B[i][j] = 3 * i + j;
#pragma dvm parallel([i] on T[2 * i][])
        for (i = 0; i < N; i++)
            C[i] = i;
#pragma dvm parallel([i][j] on T[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                sum += A[i][j] * (j + 1);
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                sum += B[i][j] * (i + 1);
#pragma dvm parallel([i] on C[i]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            sum += C[i] * C[i];
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    return 0;
}
