/* Aligned anew, with values and without. */
#include <stdio.h>

#define N 16

#pragma dvm array distribute[block]
int A[N];
#pragma dvm array distribute[block]
int W[2 * N];
#pragma dvm array align([i] with A[i])
int B[N];

static long weighted(void) {
    long sum = 0;
#pragma dvm parallel([i] on B[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += B[i] * (i + 1);
    return sum;
}

int main(void) {
    long sum;
#pragma dvm parallel([i] on B[i])
    for (int i = 0; i < N; i++)
        B[i] = i * i;
#pragma dvm realign(B[i] with W[2 * i + 1])
    sum = weighted();
    printf("%ld\n", sum);
#pragma dvm realign(B[i] with A[N - 1 - i], new_value)
#pragma dvm parallel([i] on B[i])
    for (int i = 0; i < N; i++)
        B[i] = 5 - i;
    sum = weighted();
    printf("%ld\n", sum);
#pragma dvm realign(B[i] with A[i]) new_value
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        B[i] = 7 * i;
    sum = weighted();
    printf("%ld\n", sum);
    return 0;
}
