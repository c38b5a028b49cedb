/* Variables of `register`: indices, what loops read, and what they reduce. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block]
double A[N][N];

static double weigh(register int n, register double factor) {
    register int i, j = 0;
    register double sum = 0, start = factor * n;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            A[i][j] = start * i - j + factor;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
    for (i = 1; i < n; i++)
        for (j = n - 1; j >= 0; j--) {
            register double x = A[i][j];
            sum += x * (i + j);
        }
    return sum + i * 1000 + j;
}

int main(void) {
    for (register int k = 10; k <= N; k++)
        printf("%.17g\n", weigh(k, .5));
    return 0;
}
