/* sor - loops whose iterations depend on each other.
 *
 * Successive over-relaxation in the natural order: a point uses the new values of its upper and left neighbours and the old values of
 * the lower and right ones. The result is that of the sequential loops, bit by bit, on any number of threads; what runs in parallel are
 * the points of a diagonal, or blocks of them. Compiled with -autoTfm the array may be stored by diagonals while such loops run.
 *
 * use: sor [sweeps]; compile with -DN=.. and -DM=.. for other sizes */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 48
#endif
#ifndef M
#define M 36
#endif

#pragma dvm array distribute[block][block]
double A[N][M];

int main(int argc, char **argv) {
    const int sweeps = argc > 1 ? atoi(argv[1]) : 30;
    const double omega = 1.5;
    double change = 0;
    int where[2] = {0, 0};
    int i, j;

#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = i == 0 ? j : j == 0 ? i : 0.5;
    }

    for (int sweep = 1; sweep <= sweeps; sweep++) {
#pragma dvm region
        {
            /* `across` says how iterations depend on each other through A, for each axis: they read elements up to 1 before their own
             * that earlier iterations have written already, and up to 1 after it that later ones have still to write. */
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < M - 1; j++)
                    A[i][j] += omega * ((A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4 - A[i][j]);
        }
    }

    /* One more sweep, backwards, with the largest change and its place. `maxloc` gathers a value and the numbers beside it: here the
     * two elements of `where`. The widths of `across` belong to the axes of the array, low indices first, also for loops that run
     * backwards. `stage(4)`: between processes the work is cut into four parts, so that the next one can start early. */
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1]), stage(4), reduction(maxloc(change, where, 2))
        for (i = N - 2; i > 0; i--)
            for (j = M - 2; j > 0; j--) {
                const double old = A[i][j];
                double difference;
                A[i][j] = old + omega * ((A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4 - old);
                difference = A[i][j] > old ? A[i][j] - old : old - A[i][j];
                if (difference > change) {
                    change = difference;
                    where[0] = i;
                    where[1] = j;
                }
            }
    }
#pragma dvm get_actual(change, where, A)
    printf("largest change of the last sweep: %.17g at %d %d\n", change, where[0], where[1]);

    for (i = 1; i < N; i += 1 + N / 5) {
#pragma dvm remote_access(A[i][])
        {
            for (j = 1; j < M; j += 1 + M / 4)
                printf("%.17g ", A[i][j]);
            printf("\n");
        }
    }
    return 0;
}
