/* Element types and array types with names of their own. */
#include <stdio.h>
#include <stdint.h>

typedef float real;
typedef real vector[3];
typedef int32_t whole;

#define N 11

#pragma dvm array distribute[block]
real A[N];
#pragma dvm array align([i] with A[i])
whole B[N];
#pragma dvm array distribute[block][*]
vector V[N];

int main(void) {
    real largest = 0;
    whole sum = 0;
#pragma dvm parallel([i] on A[i])
    for (whole i = 0; i < N; i++) {
        A[i] = (real)i / 3;
        B[i] = 2 * i;
    }
#pragma dvm parallel([i][k] on V[i][k])
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            V[i][k] = (real)(i * k);
#pragma dvm parallel([i] on A[i]) reduction(max(largest), sum(sum))
    for (int i = 0; i < N; i++) {
        largest = A[i] > largest ? A[i] : largest;
        sum += B[i] * i;
    }
#pragma dvm parallel([i][k] on V[i][k]) reduction(max(largest))
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            largest = V[i][k] > largest ? V[i][k] : largest;
    printf("%.9g %d\n", largest, (int)sum);
    return 0;
}
