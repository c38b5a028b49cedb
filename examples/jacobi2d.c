/* jacobi2d - two dimensions: arrays cut along both axes, nests of loops, alignment by a template, macros in loops.
 *
 * A plate with hot edges: every inner point becomes the mean of its four neighbours, until nothing changes any more.
 *
 * use: jacobi2d [steps]; compile with -DN=.. and -DM=.. for other sizes */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 40
#endif
#ifndef M
#define M 30
#endif

#define Max(a, b) ((a) > (b) ? (a) : (b))
#define Abs(a)    ((a) < 0 ? -(a) : (a))

/* A template is an index space without elements. Arrays are aligned with it, so none of them needs to be the one that the others
 * follow; here they share all of it. One pair of brackets for each axis: with four processes, for example, each gets a quarter. */
#pragma dvm template[N][M] distribute[block][block]
void *grid;

#pragma dvm array align([i][j] with grid[i][j])
double A[N][M];

/* `shadow` says how wide the edges are for each axis, toward lower and higher indices: nothing reads neighbours of B. */
#pragma dvm array align([i][j] with grid[i][j]) shadow[0:0][0:0]
double B[N][M];

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    int i, j, step;
    double change = 0;

#pragma dvm region
    {
        /* Two indices, so two loops, one directly inside of the other: their iterations may run in any order. */
#pragma dvm parallel([i][j] on grid[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++) {
                const int at_edge = i == 0 || j == 0 || i == N - 1 || j == M - 1;
                A[i][j] = at_edge ? 1 + i + j : 0;
                B[i][j] = A[i][j];
            }
    }

    for (step = 1; step <= steps; step++) {
        change = 0;
#pragma dvm actual(change)
        /* What the region reads and writes is found out, but it can also be said: values of A and change go in and come out, those
         * that B had before are not needed. */
#pragma dvm region inout(A, change), out(B)
        {
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < M - 1; j++)
                    B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;

#pragma dvm parallel([i][j] on A[i][j]) reduction(max(change))
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < M - 1; j++) {
                    change = Max(change, Abs(B[i][j] - A[i][j]));
                    A[i][j] = B[i][j];
                }
        }
#pragma dvm get_actual(change)
        if (step % 25 == 0)
            printf("step %d: change %.17g\n", step, change);
        if (change < 1e-7)
            break;
    }

#pragma dvm get_actual(A)
    /* A whole row at a time: `[]` is all of an axis. */
    for (i = 1; i < N; i += 1 + N / 4) {
#pragma dvm remote_access(A[i][])
        {
            printf("row %d:", i);
            for (j = 1; j < M; j += 1 + M / 4)
                printf(" %.17g", A[i][j]);
            printf("\n");
        }
    }
    return 0;
}
