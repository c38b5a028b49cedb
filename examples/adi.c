/* adi - loops that want different layouts: sweeps along each axis in turn.
 *
 * Alternating directions: a cube of values is smoothed along lines of the first axis, then of the second, then of the third. Along its
 * line a value needs the new one before it, so one of three dims has dependences and two are independent. Each sweep likes to have
 * another axis contiguous in memory; compiled with -autoTfm the array is turned when, and only when, that pays. DVMH_REPORT=1 in the
 * environment tells what was done.
 *
 * use: adi [steps]; compile with -DN=.., -DM=.., -DL=.. for other sizes */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 18
#endif
#ifndef M
#define M 14
#endif
#ifndef L
#define L 20
#endif

#define Max(a, b) ((a) > (b) ? (a) : (b))

#pragma dvm array distribute[block][block][block]
double A[N][M][L];

/* Statistics of a run are kept for the parts that `interval` and `endinterval` mark; the number tells them apart. */
enum { FILLING = 1, SWEEPING = 2 };

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    double change = 0;
    int i, j, k;

#pragma dvm interval FILLING
#pragma dvm region out(A)
    {
#pragma dvm parallel([i][j][k] on A[i][j][k])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                for (k = 0; k < L; k++)
                    if (i == 0 || i == N - 1 || j == 0 || j == M - 1 || k == 0 || k == L - 1)
                        A[i][j][k] = 10.0 * i / (N - 1) + 10.0 * j / (M - 1) + 10.0 * k / (L - 1);
                    else
                        A[i][j][k] = 0;
    }
#pragma dvm endinterval

#pragma dvm interval SWEEPING
    for (int step = 1; step <= steps; step++) {
        change = 0;
#pragma dvm actual(change)
        /* Three loops in one region. [0:0] or [0]: no dependence along this axis. */
#pragma dvm region
        {
#pragma dvm parallel([i][j][k] on A[i][j][k]) across(A[1:1][0:0][0:0])
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < M - 1; j++)
                    for (k = 1; k < L - 1; k++)
                        A[i][j][k] = (A[i - 1][j][k] + A[i + 1][j][k]) / 2;

#pragma dvm parallel([i][j][k] on A[i][j][k]) across(A[0:0][1:1][0:0])
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < M - 1; j++)
                    for (k = 1; k < L - 1; k++)
                        A[i][j][k] = (A[i][j - 1][k] + A[i][j + 1][k]) / 2;

#pragma dvm parallel([i][j][k] on A[i][j][k]) across(A[0][0][1:1]), reduction(max(change))
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < M - 1; j++)
                    for (k = 1; k < L - 1; k++) {
                        const double value = (A[i][j][k - 1] + A[i][j][k + 1]) / 2;
                        const double difference = value > A[i][j][k] ? value - A[i][j][k] : A[i][j][k] - value;
                        change = Max(change, difference);
                        A[i][j][k] = value;
                    }
        }
#pragma dvm get_actual(change)
        printf("step %d: change %.17g\n", step, change);
    }
#pragma dvm endinterval

#pragma dvm get_actual(A)
#pragma dvm remote_access(A[1][1][1], A[N / 2][M / 2][L / 2], A[N - 2][M - 2][L - 2])
    {
        printf("%.17g %.17g %.17g\n", A[1][1][1], A[N / 2][M / 2][L / 2], A[N - 2][M - 2][L - 2]);
    }
    return 0;
}
