/* Dependences along two dims of four, with five values at each point. */
#include <stdio.h>

#define N 7

#pragma dvm array distribute[block][block][block][*]
double A[N][N][N][5];

int main(void) {
    int i, j, k, m;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j][k][m] on A[i][j][k][m])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N; k++)
                    for (m = 0; m < 5; m++)
                        A[i][j][k][m] = (i + 2 * j + 3 * k + m) % 13;
#pragma dvm parallel([i][j][k][m] on A[i][j][k][m]) across(A[1:0][0:0][0:1][0:0])
        for (i = 1; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N - 1; k++)
                    for (m = 0; m < 5; m++)
                        A[i][j][k][m] = 0.5 * A[i - 1][j][k][m] + 0.25 * A[i][j][k + 1][m];
#pragma dvm parallel([i][j][k] on A[i][j][k][]) across(A[1:0][1:0][1:0][0])
        for (i = 1; i < N; i++)
            for (j = 1; j < N; j++)
                for (k = 1; k < N; k++)
                    for (int c = 0; c < 5; c++)
                        A[i][j][k][c] += (A[i - 1][j][k][c] + A[i][j - 1][k][c] + A[i][j][k - 1][c]) / 4;
#pragma dvm parallel([i][j][k][m] on A[i][j][k][m]) reduction(max(largest))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N; k++)
                    for (m = 0; m < 5; m++)
                        if (A[i][j][k][m] * (m + 1) > largest)
                            largest = A[i][j][k][m] * (m + 1);
    }
#pragma dvm get_actual(largest)
    printf("%.17g\n", largest);
    return 0;
}
