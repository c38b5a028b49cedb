/* One array for two parameters: what across says holds for both names. */
#include <stdio.h>
#define N 64

#pragma dvm array distribute[block][block]
double A[N][N];

#pragma dvm inherit(a, b)
void sweep(double (*a)[N], double (*b)[N]) {
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:1][1:1])
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            a[i][j] = .25 * (b[i - 1][j] + a[i][j - 1] + b[i + 1][j] + b[i][j + 1]);
}

int main(void) {
    double sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = i * 7 % 13 + j % 5;
    for (int t = 0; t < 6; t++)
        sweep(A, A);
#pragma dvm get_actual(A)
#pragma dvm remote_access(A[][])
    {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                sum += A[i][j] * (i + 3 * j);
    }
    printf("%.17g\n", sum);
    return 0;
}
