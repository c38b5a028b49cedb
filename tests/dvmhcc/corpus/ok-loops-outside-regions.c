/* Parallel loops outside of regions, mixed with regions. */
#include <stdio.h>

#define N 20

#pragma dvm array distribute[block] shadow[1]
double A[N];
#pragma dvm array align([i] with A[i])
double B[N];

int main(void) {
    double largest = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i * i % 15;
#pragma dvm actual(A)
    for (int round = 0; round < 4; round++) {
#pragma dvm region
        {
#pragma dvm parallel([i] on B[i]) shadow_renew(A)
            for (int i = 1; i < N - 1; i++)
                B[i] = A[i - 1] / 2 + A[i + 1] / 4;
        }
#pragma dvm get_actual(B)
#pragma dvm parallel([i] on A[i])
        for (int i = 1; i < N - 1; i++)
            A[i] = B[i];
#pragma dvm actual(A)
    }
#pragma dvm parallel([i] on A[i]) reduction(max(largest))
    for (int i = 1; i < N - 1; i++)
        largest = A[i] > largest ? A[i] : largest;
    printf("%.17g\n", largest);
    return 0;
}
