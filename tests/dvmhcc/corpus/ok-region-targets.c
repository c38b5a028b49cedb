/* Where regions may run, and that the program may go on before they are done. */
#include <stdio.h>

#define N 20

#pragma dvm array distribute[block]
float A[N];

int main(void) {
    float largest = 0;
#pragma dvm region targets(HOST)
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = (float)i;
    }
#pragma dvm region targets(HOST, CUDA)
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] *= 2;
    }
#pragma dvm region async, inout(A)
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += 0.5f;
    }
#pragma dvm region targets(CUDA, HOST) async in(A)
    {
#pragma dvm parallel([i] on A[i]) reduction(max(largest))
        for (int i = 0; i < N; i++)
            largest = A[i] > largest ? A[i] : largest;
    }
#pragma dvm get_actual(largest)
    printf("%.9g\n", largest);
    return 0;
}
