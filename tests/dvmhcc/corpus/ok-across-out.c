/* Iterations that write beyond their own element; with values of earlier iterations, too. */
#include <stdio.h>

#define N 24

#pragma dvm array distribute[block] shadow[0:1]
int A[N];
#pragma dvm array align([i] with A[i]) shadow[2:1]
int B[N];

int main(void) {
    long sum = 0;
    int C[N] = {0};
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i % 4, B[i] = i % 7;
#pragma dvm parallel([i] on A[i]) across(out: A[0:1])
    for (int i = 0; i < N - 1; i++) {
        A[i] = 2 * A[i] + 1;
        A[i + 1] = A[i + 1] + A[i] % 5;
    }
#pragma dvm parallel([i] on B[i]) across(B[2:0], out: B[0:1])
    for (int i = 2; i < N - 1; i++) {
        B[i] = B[i] + B[i - 2] % 3;
        B[i + 1] = B[i + 1] + B[i] % 5;
    }
    /* An ordinary array, of a loop that every process runs whole. */
#pragma dvm parallel([i]) tie(C[i]) across(out: C[0:1], C[1:0])
    for (int i = 1; i < N - 1; i++) {
        C[i] += C[i - 1] + i;
        C[i + 1] = C[i] % 3;
    }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += (long)A[i] * (i + 1) + B[i] * (N - i);
    for (int i = 0; i < N; i++)
        sum += C[i] * i;
    printf("%ld\n", sum);
    return 0;
}
