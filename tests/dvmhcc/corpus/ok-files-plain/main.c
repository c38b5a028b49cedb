/* Files with and without directives; a routine of another file called from a loop. */
#include <stdio.h>

#include "plain.h"

#define N 16

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    double largest = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = plain(i);
#pragma dvm parallel([i] on A[i]) reduction(max(largest))
    for (int i = 0; i < N; i++)
        largest = A[i] > largest ? A[i] : largest;
    print_result(largest);
    return 0;
}
