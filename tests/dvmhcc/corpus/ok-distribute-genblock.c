/* Parts of given sizes; with one process there is one part. */
#include <stdio.h>

#define N 17

int parts[1] = {N};

#pragma dvm array distribute[genblock(parts)]
float A[N];

int main(void) {
    float largest = -1.0f;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = (float)((i * 5) % N) / 4;
#pragma dvm parallel([i] on A[i]) reduction(max(largest))
    for (int i = 0; i < N; i++)
        largest = A[i] > largest ? A[i] : largest;
    printf("%g\n", largest);
    return 0;
}
