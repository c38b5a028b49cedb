/* An element of an array that has no memory is written. */
#include <stdlib.h>

#pragma dvm array distribute[block]
double *B;

int main(void) {
    B[2] = 1;
    B = malloc(80);
    free(B);
    return 0;
}

/* fails: element B[2]: the array has no storage yet [fail-no-memory-yet.c:8] */
