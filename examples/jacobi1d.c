/* jacobi1d - the first steps: a distributed array, a parallel loop, a region.
 *
 * A rod of n points has fixed temperatures at both ends; in each step every inner point becomes the mean of its two neighbours. The rod
 * is an array that is cut into blocks, one for each process, and every process computes its own block.
 *
 * use: jacobi1d [points [steps]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* `array` stands before the declaration of an array and says where its elements lie: here in equal blocks. An array whose size is known
 * only at run time is a pointer that gets its memory from malloc. */
#pragma dvm array distribute[block]
double *A;

/* Element i of B lies where element i of A lies, so that a loop can use both of them without communication. */
#pragma dvm array align([i] with A[i])
double *B;

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 50;
    const int steps = argc > 2 ? atoi(argv[2]) : 200;
    double change = 0;

    if (n < 2 || steps < 0) {
        fprintf(stderr, "use: jacobi1d [points [steps]], at least 2 points\n");
        return 1;
    }
    A = malloc(n * sizeof(double));
    B = malloc(n * sizeof(double));

    /* A `region` is a block that may run on an accelerator; the system moves the data that its loops need. */
#pragma dvm region
    {
        /* `parallel` stands before a loop whose iterations may run in any order. `on A[i]`: iteration i runs where A[i] lies. */
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < n; i++) {
            A[i] = i == 0 ? 1 : 0;
            B[i] = A[i];
        }
    }

    for (int step = 0; step < steps; step++) {
        /* `change` got a new value outside of the region, so copies of it elsewhere are out of date. */
        change = 0;
#pragma dvm actual(change)
#pragma dvm region
        {
            /* The neighbours of a block's first and last element belong to other processes. Each process keeps copies of them beside
             * its block, the shadow edges (one element wide unless `shadow` says otherwise), and `shadow_renew` fills them. */
#pragma dvm parallel([i] on B[i]) shadow_renew(A)
            for (int i = 1; i < n - 1; i++)
                B[i] = (A[i - 1] + A[i + 1]) / 2;

            /* Each iteration contributes to `change`; `reduction` gathers the largest of all processes. */
#pragma dvm parallel([i] on A[i]) reduction(max(change))
            for (int i = 1; i < n - 1; i++) {
                const double difference = fabs(B[i] - A[i]);
                if (difference > change)
                    change = difference;
                A[i] = B[i];
            }
        }
        /* The region computed it; now the program wants to read it. */
#pragma dvm get_actual(change)
        if (change < 1e-9)
            break;
    }
    printf("last change: %.17g\n", change);

    /* Outside of parallel loops every process runs all statements. The one that owns an element has its value; `remote_access` makes
     * it known to all of them in the block that follows. */
#pragma dvm get_actual(A)
    for (int i = 0; i < n; i += 1 + n / 8) {
#pragma dvm remote_access(A[i])
        {
            printf("A[%d] = %.17g\n", i, A[i]);
        }
    }
    free(B);
    free(A);
    return 0;
}
