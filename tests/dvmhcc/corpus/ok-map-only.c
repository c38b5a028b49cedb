/* A region whose loop is mapped on an array that it does not use otherwise. */
#include <stdio.h>
#define N 12
#pragma dvm array distribute[block]
int A[N];
#pragma dvm array align([i] with A[i])
int B[N];
int main(void) {
    int s = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        B[i] = i;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i]) across(B[1:0])
        for (int i = 1; i < N; i++)
            B[i] += B[i - 1];
    }
#pragma dvm get_actual()
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
    for (int i = 0; i < N; i++)
        s += B[i] * i;
    printf("%d\n", s);
    return 0;
}
