/* redblack - loops with steps: the points of a board in two colours.
 *
 * Over-relaxation uses new values as soon as they are there, which orders the points. Coloured like a chessboard, points of one colour
 * have neighbours of the other colour only, so that all red ones can be computed in parallel, then all black ones.
 *
 * use: redblack [steps]; compile with -DN=.. for another size */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 42
#endif

#define OMEGA 1.6

#pragma dvm array distribute[block][block]
double A[N][N];

/* The right side of the equation; each process has the part that belongs to its part of A. */
#pragma dvm array align([i][j] with A[i][j])
double F[N][N];

/* The new value of a point. A function of this file that loops call; it sees values, not arrays. */
static double relaxed(double old, double neighbours, double f) {
    return old + OMEGA * ((neighbours - f) / 4 - old);
}

/* The points of one colour with odd or with even row numbers: those of row `first_i`, `first_i` + 2, .. and of column `first_j`,
 * `first_j` + 2, .. Steps of loops may be any number but 0, bounds any expression that the loops do not change. No point of the board
 * reads one that the same loop writes, so the iterations are independent and need no `across`. */
static void half_colour(int first_i, int first_j) {
    int i, j;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(A)
        for (i = first_i; i < N - 1; i += 2)
            for (j = first_j; j < N - 1; j += 2)
                A[i][j] = relaxed(A[i][j], A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1], F[i][j]);
    }
}

/* How far the board is from the solution. */
static double residual(void) {
    double largest = 0;
    int i, j;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(A), reduction(max(largest))
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++) {
                const double r = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1] - 4 * A[i][j] - F[i][j];
                largest = fmax(largest, fabs(r));
            }
    }
#pragma dvm get_actual(largest)
    return largest;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 40;
    int i, j;

#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) {
                A[i][j] = i == 0 ? 1 : 0;
                F[i][j] = i == N / 2 && j == N / 3 ? -1 : 0;
            }
    }
    for (int step = 1; step <= steps; step++) {
        /* red */
        half_colour(1, 1);
        half_colour(2, 2);
        /* black */
        half_colour(1, 2);
        half_colour(2, 1);
        if (step % 10 == 0) {
            const double r = residual();
            printf("step %d: residual %.17g\n", step, r);
        }
    }

#pragma dvm get_actual(A)
#pragma dvm remote_access(A[1][1], A[N / 2][N / 3], A[N - 2][N - 2])
    {
        printf("%.17g %.17g %.17g\n", A[1][1], A[N / 2][N / 3], A[N - 2][N - 2]);
    }
    return 0;
}
