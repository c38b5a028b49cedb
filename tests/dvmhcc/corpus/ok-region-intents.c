/* What a region does with data, said for each: in, out, inout, local, inlocal. */
#include <stdio.h>

#define N 20

#pragma dvm array distribute[block] shadow[1]
double A[N];
#pragma dvm array align([i] with A[i])
double B[N];
#pragma dvm array align([i] with A[i])
double C[N];
#pragma dvm array align([i] with A[i])
double D[N];
double factor = 2;

int main(void) {
    double largest = 0;
    for (int i = 0; i < N; i++) {
        A[i] = i % 6;
        C[i] = 1;
        D[i] = i;
    }
    factor = 3;
#pragma dvm actual(A, C, D, factor)
#pragma dvm region in(A, factor), local(B), inout(C) inlocal(D)
    {
#pragma dvm parallel([i] on B[i]) shadow_renew(A)
        for (int i = 1; i < N - 1; i++)
            B[i] = factor * (A[i - 1] + A[i + 1]);
#pragma dvm parallel([i] on D[i])
        for (int i = 1; i < N - 1; i++)
            D[i] += B[i];
#pragma dvm parallel([i] on C[i])
        for (int i = 1; i < N - 1; i++)
            C[i] += D[i] * B[i];
    }
#pragma dvm region out(B), in(C), use(A)
    {
#pragma dvm parallel([i] on B[i])
        for (int i = 0; i < N; i++)
            B[i] = C[i] * 2;
    }
#pragma dvm region in(B) targets(HOST)
    {
#pragma dvm parallel([i] on B[i]) reduction(max(largest))
        for (int i = 0; i < N; i++)
            largest = B[i] > largest ? B[i] : largest;
    }
#pragma dvm get_actual(largest, C)
    printf("%.17g\n", largest);
#pragma dvm remote_access(C[N / 2])
    {
        printf("%.17g\n", C[N / 2]);
    }
    return 0;
}
