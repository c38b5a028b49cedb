/* gauss - rows that other processes have: elimination with remote access.
 *
 * A system of n linear equations is solved by Gauss's elimination. In step k every row below subtracts a multiple of row k, which one
 * process owns and all of them need.
 *
 * use: gauss [equations]; at most MOST of them, compile with -DMOST=.. for more */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MOST
#define MOST 60
#endif

/* The equations: n rows, allocated at run time, of constant length. The last used element of a row is its right side. Rows are
 * distributed, their elements stay together. */
#pragma dvm array distribute[block][*]
double (*A)[MOST + 1];

/* One number for each row, where the row is: `[]` in the target, since whoever has a row has all of it. */
#pragma dvm array align([i] with A[i][])
double *factor;
#pragma dvm array align([i] with A[i][])
double *x;

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 40;
    double wrong = 0;
    int i, j, k;

    if (n < 1 || n > MOST) {
        fprintf(stderr, "use: gauss [equations], 1 to %d\n", MOST);
        return 1;
    }
    A = malloc(n * (MOST + 1) * sizeof(double));
    factor = malloc(n * sizeof(double));
    x = malloc(n * sizeof(double));

    /* Large numbers on the diagonal, so that rows need not be exchanged. The solution is 1, 2, 1, 2, .. */
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i][]) private(j)
        for (i = 0; i < n; i++) {
            A[i][n] = 0;
            for (j = 0; j < n; j++) {
                A[i][j] = i == j ? 2 * n : (i * 3 + j) % 5;
                A[i][n] += A[i][j] * (1 + j % 2);
            }
        }
    }

    /* Elimination, from the first row down. */
    for (k = 0; k < n - 1; k++) {
#pragma dvm region
        {
            /* In this loop A[k][k] is read from a copy that every process gets before: `remote_access` names it. */
#pragma dvm parallel([i] on A[i][]) remote_access(A[k][k])
            for (i = k + 1; i < n; i++)
                factor[i] = A[i][k] / A[k][k];

            /* The same with all of row k. The other reference to A is the element where the iteration runs. */
#pragma dvm parallel([i][j] on A[i][j]) remote_access(A[k][])
            for (i = k + 1; i < n; i++)
                for (j = k; j <= n; j++)
                    A[i][j] = A[i][j] - factor[i] * A[k][j];
        }
    }

    /* Back substitution, from the last row up: the loop of one iteration runs where row k is. */
    for (k = n - 1; k >= 0; k--) {
#pragma dvm region
        {
#pragma dvm parallel([i] on x[i])
            for (i = k; i <= k; i++)
                x[i] = A[i][n] / A[i][k];
#pragma dvm parallel([i] on A[i][]) remote_access(x[k])
            for (i = 0; i < k; i++)
                A[i][n] = A[i][n] - A[i][k] * x[k];
        }
    }

    /* How wrong is it? */
#pragma dvm region
    {
#pragma dvm parallel([i] on x[i]) reduction(max(wrong))
        for (i = 0; i < n; i++)
            wrong = fmax(wrong, fabs(x[i] - (1 + i % 2)));
    }
#pragma dvm get_actual(wrong, x)
    printf("%d equations, %s\n", n, wrong < 1e-10 ? "solved" : "not solved");
    printf("largest error: %.17g\n", wrong);
    for (i = 0; i < n; i += 1 + n / 6) {
#pragma dvm remote_access(x[i])
        {
            printf("x[%d] = %.17g\n", i, x[i]);
        }
    }
    free(x);
    free(factor);
    free(A);
    return wrong < 1e-10 ? 0 : 1;
}
