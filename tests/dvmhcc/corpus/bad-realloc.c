/* Memory of distributed arrays that cannot be had. */
#include <stdlib.h>

#pragma dvm array distribute[block]
double *A;
#pragma dvm array distribute[block]
double *B;
#pragma dvm array
int *C;

int main(void) {
    double *p = NULL;
    A = malloc(8 * sizeof(double));
    A = realloc(A, 16 * sizeof(double));
    B = (double *)realloc(p, 80);
    p = realloc(A, 8);
    A = p;
    return p == NULL;
}

/* expect: 14:17: error: realloc of the distributed array 'A', whose parts may lie on several processes; allocate another array */
/* expect: 15:5: error: realloc of the distributed array 'B' */
/* expect: 16:17: error: realloc of the distributed array 'A' */
/* expect: 17:5: error: the distributed array 'A' can be assigned memory of malloc or calloc only */
