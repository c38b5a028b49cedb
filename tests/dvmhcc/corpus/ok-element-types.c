/* Elements of every arithmetic type. */
#include <stdio.h>

#define N 12

#pragma dvm array distribute[block]
char C[N];
#pragma dvm array align([i] with C[i])
unsigned char U[N];
#pragma dvm array align([i] with C[i])
short H[N];
#pragma dvm array align([i] with C[i])
int I[N];
#pragma dvm array align([i] with C[i])
unsigned int V[N];
#pragma dvm array align([i] with C[i])
long L[N];
#pragma dvm array align([i] with C[i])
long long G[N];
#pragma dvm array align([i] with C[i])
float F[N];
#pragma dvm array align([i] with C[i])
double D[N];

int main(void) {
    long long sum = 0;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on C[i])
        for (int i = 0; i < N; i++) {
            C[i] = (char)('a' + i);
            U[i] = (unsigned char)(250 + i);
            H[i] = (short)(-3000 * i);
            I[i] = i * 100000;
            V[i] = 4000000000u + (unsigned int)i;
            L[i] = -1L * i;
            G[i] = 5000000000LL * i;
            F[i] = 0.1f * (float)i;
            D[i] = 0.1 * i;
        }
#pragma dvm parallel([i] on C[i]) reduction(sum(sum), max(largest))
        for (int i = 0; i < N; i++) {
            sum += (C[i] + U[i] + H[i] + I[i] + (long long)V[i] + L[i] + G[i]) * (i + 1);
            if (D[i] - F[i] > largest)
                largest = D[i] - F[i];
        }
    }
#pragma dvm get_actual(sum, largest, C, F, D)
    printf("%lld %.17g\n", sum, largest);
    for (int i = 0; i < N; i++) {
#pragma dvm remote_access(C[i], F[i], D[i])
        {
            printf("%c %.9g %.17g\n", C[i], F[i], D[i]);
        }
    }
    return 0;
}
