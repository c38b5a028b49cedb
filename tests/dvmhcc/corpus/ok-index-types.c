/* Loop variables of other integer types. */
#include <stddef.h>
#include <stdio.h>

#define N 33

#pragma dvm array distribute[block][block]
int A[N][N];

int main(void) {
    short s;
    long l;
    long sum = 0;
    size_t n = N;
#pragma dvm parallel([s][l] on A[s][l])
    for (s = 0; s < N; s++)
        for (l = N - 1; l >= 0; l--)
            A[s][l] = (int)(s * l);
#pragma dvm parallel([u][j] on A[u][j])
    for (unsigned int u = 1; u < N; u += 2)
        for (long long j = 0; j < N; j++)
            A[u][j] += (int)(u - j / 2);
#pragma dvm parallel([k][c] on A[k][c]) reduction(sum(sum))
    for (size_t k = 0; k < n; k++)
        for (signed char c = 0; c < N; c++)
            sum += (long)A[k][c] * ((long)k + c);
    printf("%ld\n", sum);
    return 0;
}
