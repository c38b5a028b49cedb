/* Loops in a loop that ends when a reduction says so; arrays change their roles by copying. */
#include <stdio.h>

#define N 18

#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
double B[N][N];

int main(void) {
    int i, j, step = 0;
    double eps, limit = 0.01;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = B[i][j] = i == 0 || j == 0 || i == N - 1 || j == N - 1 ? 0 : i + j;
    }
    do {
        eps = 0;
#pragma dvm actual(eps)
#pragma dvm region
        {
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(eps))
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < N - 1; j++) {
                    double d = B[i][j] - A[i][j];
                    d = d < 0 ? -d : d;
                    if (d > eps)
                        eps = d;
                    A[i][j] = B[i][j];
                }
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < N - 1; j++)
                    B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
        }
#pragma dvm get_actual(eps)
        step++;
        if (step == 100)
            break;
    } while (step < 3 || eps > limit);
    printf("%d %.17g\n", step, eps);
    return 0;
}
