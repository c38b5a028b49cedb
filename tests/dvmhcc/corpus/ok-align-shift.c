/* An array whose element i lies with element i + 2 of another. */
#include <stdio.h>

#define N 20

#pragma dvm array distribute[block]
double A[N + 4];
#pragma dvm array align([i] with A[i + 2])
double B[N];

int main(void) {
    double sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N + 4; i++)
            A[i] = i * 1.5;
#pragma dvm parallel([i] on B[i])
        for (int i = 0; i < N; i++)
            B[i] = A[i + 2] - 1;
#pragma dvm parallel([i] on A[i + 2]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += B[i] * (i + 1) + A[i + 2];
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    return 0;
}
