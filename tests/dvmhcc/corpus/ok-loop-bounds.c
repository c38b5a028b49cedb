/* Bounds that are expressions, of variables, macros, fields and elements of ordinary arrays. */
#include <stdio.h>

#define N 40
#define LAST (N - 1)

#pragma dvm array distribute[block]
int A[N];

struct range {
    int low, high;
};

int main(void) {
    struct range r = {3, 30};
    const struct range *p = &r;
    int bounds[2] = {5, 25};
    long n = N;
    long sum = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i <= LAST; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = r.low + 1; i < p->high - 2; i++)
        A[i] += 1;
#pragma dvm parallel([i] on A[i])
    for (int i = bounds[0]; i <= bounds[1] * 2 - bounds[0] * 3; i++)
        A[i] += 10;
#pragma dvm parallel([i] on A[i])
    for (int i = N / 2 - 5; i < N - 3 + (r.low > 2 ? 1 : 0); i++)
        A[i] += 100;
#pragma dvm parallel([i] on A[i])
    for (long i = n - 1; n / 3 <= i; i--)
        A[i] += 1000;
#pragma dvm parallel([i] on A[i])
    for (int i = (int)sizeof(int); N / 2 > i; i++)
        A[i] += 10000;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += (long)A[i] * (i + 1);
    printf("%ld\n", sum);
    return 0;
}
