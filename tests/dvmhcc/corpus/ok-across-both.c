/* Flow and anti together in two dims: the Gauss-Seidel star. */
#include <stdio.h>

#define N 17
#define M 26

#pragma dvm array distribute[block][block]
double A[N][M];

int main(void) {
    int i, j;
    double change = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = (i * 3 + j * 5) % 11;
        for (int sweep = 0; sweep < 4; sweep++) {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1]), reduction(max(change))
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < M - 1; j++) {
                    double next = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
                    double step = next > A[i][j] ? next - A[i][j] : A[i][j] - next;
                    if (step > change)
                        change = step;
                    A[i][j] = next;
                }
        }
    }
#pragma dvm get_actual(change, A)
    printf("%.17g\n", change);
    for (i = 0; i < N; i++) {
#pragma dvm remote_access(A[i][])
        {
            for (j = 0; j < M; j++)
                printf("%.17g%c", A[i][j], j == M - 1 ? '\n' : ' ');
        }
    }
    return 0;
}
