/* Corner dependences: all eight neighbours, so that fronts are steeper than diagonals. */
#include <stdio.h>

#define N 18
#define M 15

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double A[N][M];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = (i * 7 + j * 4) % 10;
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < M - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j + 1] +
                           A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) *
                          0.12;
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest))
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < M - 1; j++)
                if (A[i][j] * (i + j) > largest)
                    largest = A[i][j] * (i + j);
    }
#pragma dvm get_actual(largest, A)
    printf("%.17g\n", largest);
#pragma dvm remote_access(A[N - 2][M - 2])
    {
        printf("%.17g\n", A[N - 2][M - 2]);
    }
    return 0;
}
