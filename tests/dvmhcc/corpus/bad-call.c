/* Input and output in a loop's body. */
#include <stdio.h>

#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        printf("%g\n", A[i]);
    return 0;
}

/* expect: 12:9: error: input and output in a parallel loop: 'printf' is called */
