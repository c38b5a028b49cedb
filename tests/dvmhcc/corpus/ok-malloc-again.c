/* The same array allocated, given back and allocated again with another size. */
#include <stdio.h>
#include <stdlib.h>

#pragma dvm array distribute[block][*]
static int (*A)[4];

static long use(int n) {
    long sum = 0;
    A = malloc(n * 4 * sizeof(int));
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            A[i][j] = n * i + j;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            sum += A[i][j] * (j + 1);
    free(A);
    return sum;
}

int main(void) {
    for (int n = 1; n < 40; n = 2 * n + 1) {
        const long sum = use(n);
        printf("%ld\n", sum);
    }
    return 0;
}
