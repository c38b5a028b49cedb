/* An across loop cut into stages. */
#include <stdio.h>

#define N 20

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j;
    double corner = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = i == 0 || j == 0 ? 1 : 0;
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][1:0]), stage(4)
    for (i = 1; i < N; i++)
        for (j = 1; j < N; j++)
            A[i][j] = 0.5 * (A[i - 1][j] + A[i][j - 1]);
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][1:0]) stage(0)
    for (i = 1; i < N; i++)
        for (j = 1; j < N; j++)
            A[i][j] = 0.25 * (A[i - 1][j] + A[i][j - 1]) + 1;
#pragma dvm remote_access(A[N - 1][N - 1])
    {
        corner = A[N - 1][N - 1];
    }
    printf("%.17g\n", corner);
    return 0;
}
