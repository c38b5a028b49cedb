/* Every element of an ordinary array is reduced. */
#include <stdio.h>

#define N 30

#pragma dvm array distribute[block]
int A[N];

int main(void) {
    int counts[5] = {0, 0, 0, 0, 100};
    double most[2] = {0, 0};
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i * i % 5;
#pragma dvm parallel([i] on A[i]) reduction(sum(counts), max(most))
    for (int i = 0; i < N; i++) {
        counts[A[i]]++;
        if (A[i] * 0.5 > most[i % 2])
            most[i % 2] = A[i] * 0.5;
    }
    for (int k = 0; k < 5; k++)
        printf("%d ", counts[k]);
    printf("%g %g\n", most[0], most[1]);
    return 0;
}
