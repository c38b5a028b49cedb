/* Dependences along three dims. */
#include <stdio.h>

#define N 8

#pragma dvm array distribute[block][block][block]
double A[N][N + 1][N + 3];

int main(void) {
    int i, j, k;
    double largest = 0, smallest = 1e9;
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on A[i][j][k])
        for (i = 0; i < N; i++)
            for (j = 0; j < N + 1; j++)
                for (k = 0; k < N + 3; k++)
                    A[i][j][k] = (i * j + k) % 7;
#pragma dvm parallel([i][j][k] on A[i][j][k]) across(A[1:1][1:1][1:1])
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N; j++)
                for (k = 1; k < N + 2; k++)
                    A[i][j][k] = (A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] +
                                  A[i][j][k - 1] + A[i][j][k + 1]) /
                                 6;
#pragma dvm parallel([i][j][k] on A[i][j][k]) reduction(max(largest), min(smallest))
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N; j++)
                for (k = 1; k < N + 2; k++) {
                    largest = A[i][j][k] > largest ? A[i][j][k] : largest;
                    smallest = A[i][j][k] * (i + j + k) < smallest ? A[i][j][k] * (i + j + k) : smallest;
                }
    }
#pragma dvm get_actual(largest, smallest)
    printf("%.17g %.17g\n", largest, smallest);
    return 0;
}
