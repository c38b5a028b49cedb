/* jacobi3d - three dimensions, and functions that get distributed arrays.
 *
 * A cube whose points become weighted means of themselves and their six neighbours. The work is done by functions; each takes any
 * array of the right row lengths, wherever its elements lie.
 *
 * use: jacobi3d [steps]; compile with -DN=.. for another size */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 16
#endif

typedef double real;

/* The last axis is not cut: `*` in its brackets. Long rows that stay whole are good for caches, and two axes give enough parts. */
#pragma dvm array distribute[block][block][*]
real A[N][N][N];
#pragma dvm array align([i][j][k] with A[i][j][k])
real B[N][N][N];

/* A function that a parallel loop calls. It is defined in this file, so no directive is needed; for one of another file, `routine`
 * would stand before its declaration. */
static real start_value(int i, int j, int k) { return (real)((i * 7 + j * 5 + k * 3) % 10); }

/* `inherit` names the parameters that are distributed arrays. They keep the distribution that they have. */
#pragma dvm inherit(a)
static void fill(real (*a)[N][N]) {
    int i, j, k;
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on a[i][j][k])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N; k++)
                    a[i][j][k] = start_value(i, j, k);
    }
}

/* The region's data come from outside and stay where they are: calling this again and again does not copy the arrays each time. */
#pragma dvm inherit(to, from)
static void step(real (*to)[N][N], real (*from)[N][N], real own) {
    const real share = (1 - own) / 6;
    int i, j, k;
#pragma dvm region
    {
        /* `cuda_block` chooses the threads of a block on a GPU, for those who know better; it means nothing elsewhere. */
#pragma dvm parallel([i][j][k] on to[i][j][k]) shadow_renew(from), cuda_block(32, 4, 2)
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                for (k = 1; k < N - 1; k++)
                    to[i][j][k] = own * from[i][j][k] +
                                  share * (from[i - 1][j][k] + from[i + 1][j][k] + from[i][j - 1][k] +
                                           from[i][j + 1][k] + from[i][j][k - 1] + from[i][j][k + 1]);
    }
}

#pragma dvm inherit(a, b)
static real largest_difference(real (*a)[N][N], real (*b)[N][N]) {
    int i, j, k;
    real largest = 0;
    real d;
#pragma dvm region
    {
        /* `private`: each iteration has a d of its own. A variable that is declared inside of the loop needs no such clause. */
#pragma dvm parallel([i][j][k] on a[i][j][k]) private(d), reduction(max(largest))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (k = 0; k < N; k++) {
                    d = a[i][j][k] - b[i][j][k];
                    if (d < 0)
                        d = -d;
                    if (d > largest)
                        largest = d;
                }
    }
#pragma dvm get_actual(largest)
    return largest;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 12;
    real change = 0;

    fill(A);
    fill(B);
    /* Two steps at a time, so that the arrays can change their roles without being copied. */
    for (int s = 0; s < steps; s += 2) {
        step(B, A, 0.25);
        step(A, B, 0.25);
        if (s % 4 == 0) {
            change = largest_difference(A, B);
            printf("after %d steps: change %.17g\n", s + 2, change);
        }
    }

#pragma dvm get_actual(A)
#pragma dvm remote_access(A[1][1][1], A[N / 2][N / 2][N / 2], A[N - 2][1][N - 2])
    {
        printf("%.17g %.17g %.17g\n", A[1][1][1], A[N / 2][N / 2][N / 2], A[N - 2][1][N - 2]);
    }
    return 0;
}
