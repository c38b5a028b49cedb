/* Bounds and steps that call functions: each is called once, before the loop. */
#include <math.h>
#include <stdio.h>
#define N 20

#pragma dvm array distribute[block][block] shadow[2:2][1:1]
double A[N][N];

static int shift = 1;

static int low(int n) { return n > 10 ? shift : 0; }

static int high(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 2;
    return n - 1 - sum / n;
}

static int stride(void) { return 2; }

int main(void) {
    double sum = 0;
    int i, j;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = i * 3 % 7 + j;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[2:2][0:0])
        for (i = low(N) + 1; i <= high(N) - 2; i++)
            for (j = high(N - 2); j >= (int)sqrt(low(N) + 3.0); j -= stride())
                A[i][j] = (A[i - 2][j] + A[i + 2][j]) / 2 + i;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                sum += A[i][j] * (i + 2 * j);
    }
    printf("%.17g\n", sum);
    return 0;
}
