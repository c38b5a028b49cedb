/* Dependences in a loop that takes every second element. */
#include <stdio.h>

#define N 41

#pragma dvm array distribute[block] shadow[2:2]
double A[N];

int main(void) {
    double sum = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i;
#pragma dvm parallel([i] on A[i]) across(A[2:2])
    for (int i = 2; i < N - 2; i += 2)
        A[i] = (A[i - 2] + A[i + 2]) / 2 + A[i - 1];
#pragma dvm parallel([i] on A[i]) across(A[2:0])
    for (int i = N - 3; i > 2; i -= 3)
        A[i] = A[i - 2] + 1;
#pragma dvm remote_access(A[])
    {
        for (int i = 0; i < N; i++)
            sum += A[i] * (i % 3);
    }
    printf("%.17g\n", sum);
    return 0;
}
