/* Iterations that write beyond their own element. */
#include <stdio.h>

#define N 24

#pragma dvm array distribute[block] shadow[0:1]
int A[N];

int main(void) {
    long sum = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i % 4;
#pragma dvm parallel([i] on A[i]) across(out: A[0:1])
    for (int i = 0; i < N - 1; i++) {
        A[i] = 2 * A[i] + 1;
        A[i + 1] = A[i + 1] + A[i] % 5;
    }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += (long)A[i] * (i + 1);
    printf("%ld\n", sum);
    return 0;
}
