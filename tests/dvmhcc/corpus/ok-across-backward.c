/* Loops that run backwards: the widths still belong to the array's axes, low indices first. */
#include <stdio.h>

#define N 21

#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array distribute[block]
double B[N];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = (3 * i + j) % 8;
#pragma dvm parallel([i] on B[i])
        for (i = N - 1; i >= 0; i--)
            B[i] = i % 4;
#pragma dvm parallel([i] on B[i]) across(B[0:1])
        for (i = N - 2; i >= 0; i--)
            B[i] = B[i] + 0.5 * B[i + 1];
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])
        for (i = N - 2; i > 0; i--)
            for (j = N - 2; j > 0; j--)
                A[i][j] = (A[i + 1][j] + A[i][j + 1] + A[i - 1][j] + A[i][j - 1]) / 4;
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][0:1])
        for (i = 1; i < N; i++)
            for (j = N - 2; j >= 0; j--)
                A[i][j] = (A[i - 1][j] + A[i][j + 1]) / 2;
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest))
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                largest = largest < A[i][j] ? A[i][j] : largest;
    }
#pragma dvm get_actual(largest, A, B)
    printf("%.17g\n", largest);
#pragma dvm remote_access(A[N - 1][0], B[0])
    {
        printf("%.17g %.17g\n", A[N - 1][0], B[0]);
    }
    return 0;
}
