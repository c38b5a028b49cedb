/* Ties that say how loops walk arrays which nothing places, also backwards. */
#include <stdio.h>

#define N 16

double A[N][N];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j]) tie(A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = (i * 5 + j * 2) % 7;
#pragma dvm parallel([i][j]) tie(A[i][j])
        for (i = 1; i < N - 1; i++)
            for (j = N - 1; j >= 0; j -= 2)
                A[i][j] = A[i][j] * 0.75 + i;
#pragma dvm parallel([i][j]) tie(A[-j][i])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[N - 1 - j][i] *= 1.5;
#pragma dvm parallel([i]) tie(A[i][]), reduction(max(largest)), private(j)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                if (A[i][j] > largest)
                    largest = A[i][j];
    }
#pragma dvm get_actual(largest, A)
    printf("%.17g %.17g\n", largest, A[N - 2][N - 2]);
    return 0;
}

/* info: ok-tie.c:13: parallel loop[i][j], in a region */
/* info:   dependences: none */
/* info: ok-tie.c:17: parallel loop[i][j], in a region */
/* info:   dependences: none */
/* info: ok-tie.c:21: parallel loop[i][j], in a region */
/* info:   dependences: none */
/* info: ok-tie.c:25: parallel loop[i], in a region */
/* info:   dependences: none */
