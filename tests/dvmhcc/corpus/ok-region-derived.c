/* Intents that nobody wrote: what is only read, only written, both; partly written arrays keep the rest. */
#include <stdio.h>

#define N 24

#pragma dvm array distribute[block]
int A[N];
#pragma dvm array align([i] with A[i])
int B[N];

int main(void) {
    long sum = 0;
    int plus = 7;
    for (int i = 0; i < N; i++) {
        A[i] = i;
        B[i] = 100 * i;
    }
#pragma dvm actual
#pragma dvm region
    {
#pragma dvm parallel([i] on B[i])
        for (int i = 5; i < 15; i++)
            B[i] = A[i] + plus;
    }
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            if (i % 3 == 0)
                A[i] = -1;
    }
#pragma dvm get_actual()
    for (int i = 0; i < N; i++) {
#pragma dvm remote_access(A[i], B[i])
        {
            sum += A[i] * (i + 1L) + B[i];
        }
    }
    printf("%ld\n", sum);
    return 0;
}
