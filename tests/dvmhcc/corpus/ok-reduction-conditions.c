/* and, or as answers to a question: does it hold everywhere, does it hold anywhere. */
#include <stdio.h>

#define N 22

#pragma dvm array distribute[block]
float A[N];

int main(void) {
    int everywhere = 1, anywhere = 0, nowhere = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = (float)i;
#pragma dvm parallel([i] on A[i]) reduction(and(everywhere), or(anywhere), or(nowhere))
    for (int i = 0; i < N; i++) {
        everywhere = everywhere && A[i] >= 0;
        anywhere = anywhere || A[i] == 7;
        nowhere = nowhere || A[i] > 1000;
    }
    printf("%d %d %d\n", everywhere, anywhere, nowhere);
    return 0;
}
