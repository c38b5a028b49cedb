/* An anti dependence: each iteration reads what a later one overwrites. */
#include <stdio.h>

#define N 50

#pragma dvm array distribute[block]
int A[N];

int main(void) {
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i * i % 31;
#pragma dvm parallel([i] on A[i]) across(A[0:1])
        for (int i = 0; i < N - 1; i++)
            A[i] = 2 * A[i + 1] - A[i];
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += (long)A[i] * (i + 1);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
