/* More arrays in one loop than anybody needs. */
#include <stdio.h>

#define N 11

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
double B[N];
#pragma dvm array align([i] with A[i])
double C[N];
#pragma dvm array align([i] with B[i])
double D[N];
#pragma dvm array align([i] with C[i])
float E[N];
#pragma dvm array align([i] with D[i])
int F[N];
#pragma dvm array distribute[block]
double G[N];
#pragma dvm array distribute[block]
char H[N];
#pragma dvm array align([i] with H[i])
long J[N];
#pragma dvm array align([i] with J[i])
double K[N];

int main(void) {
    double sum = 0, most = 0;
    long count = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            A[i] = i;
            B[i] = A[i] * 2;
            C[i] = B[i] - 1;
            D[i] = C[i] / 4;
            E[i] = (float)D[i];
            F[i] = (int)E[i];
        }
#pragma dvm parallel([i] on G[i])
        for (int i = 0; i < N; i++) {
            G[i] = A[i] + F[i];
            H[i] = (char)(i + 60);
            J[i] = H[i] * 1000L;
            K[i] = G[i] * J[i];
        }
#pragma dvm parallel([i] on K[i]) reduction(sum(sum), max(most), sum(count))
        for (int i = 0; i < N; i++) {
            sum += A[i] + B[i] + C[i] + D[i] + E[i] + F[i] + G[i] + H[i] + J[i] + K[i];
            most = K[i] > most ? K[i] : most;
            count += H[i] == 65;
        }
    }
#pragma dvm get_actual(sum, most, count)
    printf("%.17g %.17g %ld\n", sum, most, count);
    return 0;
}
