/* Alignment with coefficients, in several spellings. */
#include <stdio.h>

#define N 10
#define LAST (3 * N - 1)

#pragma dvm array distribute[block]
int A[3 * N];
#pragma dvm array align([i] with A[3 * i + 1])
int B[N];
#pragma dvm array align([i] with A[1 + i * 3])
int C[N];
#pragma dvm array align([i] with A[LAST - 3 * (i + 0)])
int D[N];

int main(void) {
    long sum = 0;
#pragma dvm region out(A, B, C, D)
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < 3 * N; i++)
            A[i] = i * i;
#pragma dvm parallel([i] on B[i])
        for (int i = 0; i < N; i++) {
            B[i] = A[3 * i + 1] + 1;
            C[i] = 2 * A[1 + 3 * i];
        }
#pragma dvm parallel([i] on D[i])
        for (int i = 0; i < N; i++)
            D[i] = A[LAST - 3 * i];
#pragma dvm parallel([i] on A[3 * i + 1]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += B[i] * (i + 1) - C[i];
#pragma dvm parallel([i] on D[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += D[i] * (i + 3);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
