/* Distributed arrays where only the plain array of C would do. */
#include <string.h>

#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array distribute[block]
double B[N];
#pragma dvm array distribute[block]
double *C;

static double first(double *a) { return a[0]; }

#pragma dvm inherit(a)
static double second(double *a, int n) { return n > 0 ? a[0] : 0; }

int main(void) {
    double *p, x;
    p = B;
    x = first(B);
    x += second(B, 3);
    x += second((double *)A, 3);
    x += *B;
    p = &B[3];
    memset(B, 0, 8);
    p = A[2];
    C = p;
    return x > p[0];
}

/* expect: 20:9: error: the distributed array 'B' is used without subscripts */
/* expect: 21:15: error: the distributed array 'B' is passed to 'first', which does not inherit it */
/* expect: 23:27: error: 'A' has 2 axes, but parameter 'a' of 'second' has 1 */
/* expect: 24:11: error: the distributed array 'B' is used without subscripts */
/* expect: 25:9: error: the address of an element of the distributed array 'B' is taken */
/* expect: 26:12: error: the distributed array 'B' is passed to 'memset', which does not inherit it */
/* expect: 27:9: error: the distributed array 'A' has 2 axes, but 1 subscript stands here */
/* expect: 28:5: error: the distributed array 'C' can be assigned memory of malloc or calloc only */
