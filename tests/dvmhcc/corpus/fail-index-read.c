/* An element that is not there is read. */
#include <stdio.h>

#pragma dvm array distribute[block][block]
double A[10][20];

int main(void) {
    int i = 12;
    printf("%g\n", A[i][3]);
    return 0;
}

/* fails: element A[12][3] is outside of the array; allowed: [0..9][0..19] [fail-index-read.c:9] */
