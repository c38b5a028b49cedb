/* product, with a value that was there before. */
#include <stdio.h>

#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    double product = 0.5;
    long whole = 3;
    int modest = 1;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i % 2 == 0 ? 2.0 : 0.25;
#pragma dvm parallel([i] on A[i]) reduction(product(product), product(whole), product(modest))
    for (int i = 0; i < N; i++) {
        product *= A[i];
        whole = whole * (i + 1);
        if (i < 5)
            modest *= 3;
    }
    printf("%.17g %ld %d\n", product, whole, modest);
    return 0;
}
