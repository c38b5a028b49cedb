/* Loops that no array places, over ordinary arrays: named by indices, and by their number. */
#include <stdio.h>

#define N 10
#define M 14

double V[N][M], W[M];
static int U[N];

int main(void) {
    int i, j;
    double sum = 0;
    double x;
#pragma dvm region
    {
#pragma dvm parallel([i][j]) tie(V[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                V[i][j] = i * 2 + j;
#pragma dvm parallel([j]) tie(V[][j], W[j])
        for (j = 0; j < M; j++)
            W[j] = V[3][j] - V[2][j];
#pragma dvm parallel(2) private(x)
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++) {
                x = V[i][j] * 2;
                V[i][j] = x + W[j];
            }
#pragma dvm parallel(1)
        for (i = 0; i < N; i++)
            U[i] = N - i;
#pragma dvm parallel([i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                sum += V[i][j] * U[i];
    }
#pragma dvm get_actual(sum, V, W)
    printf("%.17g %.17g %.17g\n", sum, V[N - 1][M - 1], W[5]);
    return 0;
}
