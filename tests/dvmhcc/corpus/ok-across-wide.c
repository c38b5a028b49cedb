/* Dependences over two and three elements. */
#include <stdio.h>

#define N 33

#pragma dvm array distribute[block][block] shadow[2:1][0:3]
double A[N][N];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = (i + j * j) % 6;
#pragma dvm parallel([i][j] on A[i][j]) across(A[2:1][0:3])
        for (i = 2; i < N - 1; i++)
            for (j = 0; j < N - 3; j++)
                A[i][j] = A[i - 2][j] / 2 + A[i - 1][j] / 4 + A[i + 1][j] / 8 + A[i][j + 3] / 16;
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest))
        for (i = 2; i < N - 1; i++)
            for (j = 0; j < N - 3; j++)
                largest = A[i][j] > largest ? A[i][j] : largest;
    }
#pragma dvm get_actual(largest, A)
    printf("%.17g\n", largest);
#pragma dvm remote_access(A[N - 2][0])
    {
        printf("%.17g\n", A[N - 2][0]);
    }
    return 0;
}
