/* Loops of jacobi3d for the element type REAL, included once for each; NAME makes the names of functions. Ordinary C with directives. */
#include "sor-bench/stencils3d.h"

#pragma dvm inherit(A, B)
static void NAME(start)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL (*B)[n2][n3]) {
#pragma dvm region out(A, B)
    {
#pragma dvm parallel([i][j][k] on A[i][j][k])
        for (long i = 0; i < n1; i++)
            for (long j = 0; j < n2; j++)
                for (long k = 0; k < n3; k++) {
                    A[i][j][k] = (REAL)sor_start_value(i, j, k);
                    B[i][j][k] = A[i][j][k];
                }
    }
}

#pragma dvm inherit(A, B)
static void NAME(star)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL (*B)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on B[i][j][k]) shadow_renew(A)
        for (long i = 1; i < n1 - 1; i++)
            for (long j = 1; j < n2 - 1; j++)
                for (long k = 1; k < n3 - 1; k++)
                    B[i][j][k] = STAR;
    }
}

#pragma dvm inherit(A, B)
static void NAME(star_reversed)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL (*B)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on B[i][j][k]) shadow_renew(A)
        for (long k = 1; k < n3 - 1; k++)
            for (long j = 1; j < n2 - 1; j++)
                for (long i = 1; i < n1 - 1; i++)
                    B[i][j][k] = STAR;
    }
}

#pragma dvm inherit(A, B)
static void NAME(box)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL (*B)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on B[i][j][k]) shadow_renew(A(corner))
        for (long i = 1; i < n1 - 1; i++)
            for (long j = 1; j < n2 - 1; j++)
                for (long k = 1; k < n3 - 1; k++)
                    B[i][j][k] = BOX;
    }
}

#pragma dvm inherit(A, B)
static void NAME(box_reversed)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL (*B)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on B[i][j][k]) shadow_renew(A(corner))
        for (long k = 1; k < n3 - 1; k++)
            for (long j = 1; j < n2 - 1; j++)
                for (long i = 1; i < n1 - 1; i++)
                    B[i][j][k] = BOX;
    }
}
