/* Widths left out: those of the shadow edges, declared ones or [1:1]. */
#include <stdio.h>

#define N 20

#pragma dvm array distribute[block][block] shadow[1:0][2:1]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
double B[N][N];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            A[i][j] = (i * j) % 5;
            B[i][j] = (i + j) % 3;
        }
#pragma dvm parallel([i][j] on A[i][j]) across(A, B)
    for (i = 1; i < N - 1; i++)
        for (j = 2; j < N - 1; j++) {
            A[i][j] = A[i - 1][j] / 2 + A[i][j - 2] / 4 + A[i][j + 1] / 8 + B[i][j] / 16;
            B[i][j] = B[i - 1][j] / 2 + B[i][j + 1] + A[i][j - 1] / 4;
        }
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest))
    for (i = 1; i < N - 1; i++)
        for (j = 2; j < N - 1; j++) {
            if (A[i][j] > largest)
                largest = A[i][j];
            if (B[i][j] > largest)
                largest = B[i][j];
        }
    printf("%.17g\n", largest);
    return 0;
}
