/* _DVMH is defined when dvmhcc compiles; both branches must print the same here. Conditional code around directives. */
#include <stdio.h>

#define N 10

#ifdef _DVMH
#define SPREAD 1
#else
#define SPREAD 0
#endif

#if SPREAD
#pragma dvm array distribute[block]
#endif
int A[N];

#if 0
#pragma dvm nonsense in code that is left out
#endif

#if defined _DVMH && _DVMH + 0 < 1
#error "the version of the language must be a number"
#endif

int main(void) {
    int sum = 0;
#if SPREAD
#pragma dvm parallel([i] on A[i])
#endif
    for (int i = 0; i < N; i++)
        A[i] = i * i;
#ifdef _DVMH
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += A[i];
#else
    for (int i = N - 1; i >= 0; i--)
        sum += A[i];
#endif
    printf("%d at line %d of %s\n", sum, __LINE__, __func__);
    return 0;
}
