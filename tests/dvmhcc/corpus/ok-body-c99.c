/* C99 in bodies and around them: declarations anywhere, compound literals, designated initialisers, long long, _Bool, complex
 * arithmetic, inline functions, variable names with universal meaning elsewhere. */
#include <complex.h>
#include <stdint.h>
#include <stdio.h>

#define N 15

typedef struct {
    int first, second;
} pair_t;

#pragma dvm array distribute[block]
int64_t A[N];
#pragma dvm array align([i] with A[i])
double B[N];

static inline int total(pair_t p) { return p.first + p.second; }

int main(void) {
    printf("begin\n");
    int64_t sum = 0;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            const _Bool even = i % 2 == 0;
            A[i] = total((pair_t){.second = i, .first = 2 * i}) + (even ? 1LL << 33 : 0);
            const double weights[3] = {[1] = 0.5, [2] = (double)even}; // the first is 0
            double complex z = i + 2.0 * I;
            z *= z;
            B[i] = creal(z) * weights[1] + cimag(z) * weights[2] + weights[0];
        }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum), max(largest))
        for (int i = 0; i < N; i++) {
            sum += A[i];
            if (B[i] > largest)
                largest = B[i];
        }
    }
#pragma dvm get_actual(sum, largest)
    printf("%lld %.17g\n", (long long)sum, largest);
    return 0;
}
