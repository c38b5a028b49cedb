/* Loops of sor3d for the element type REAL, included once for each; NAME makes the names of functions. Ordinary C with directives. */
#include "sor-bench/stencils3d.h"

#pragma dvm inherit(A)
static void NAME(start)(long n1, long n2, long n3, REAL (*A)[n2][n3]) {
#pragma dvm region out(A)
    {
#pragma dvm parallel([i][j][k] on A[i][j][k])
        for (long i = 0; i < n1; i++)
            for (long j = 0; j < n2; j++)
                for (long k = 0; k < n3; k++)
                    A[i][j][k] = (REAL)sor_start_value(i, j, k);
    }
}

#pragma dvm inherit(A)
static void NAME(star)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on A[i][j][k]) across(A[1][1][1])
        for (long i = 1; i < n1 - 1; i++)
            for (long j = 1; j < n2 - 1; j++)
                for (long k = 1; k < n3 - 1; k++)
                    A[i][j][k] = STAR;
    }
}

#pragma dvm inherit(A)
static void NAME(star_reversed)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on A[i][j][k]) across(A[1][1][1])
        for (long k = 1; k < n3 - 1; k++)
            for (long j = 1; j < n2 - 1; j++)
                for (long i = 1; i < n1 - 1; i++)
                    A[i][j][k] = STAR;
    }
}

/* With all corners. dvmhcc sees them in the subscripts: `across` need not mention them. */
#pragma dvm inherit(A)
static void NAME(box)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on A[i][j][k]) across(A[1][1][1])
        for (long i = 1; i < n1 - 1; i++)
            for (long j = 1; j < n2 - 1; j++)
                for (long k = 1; k < n3 - 1; k++)
                    A[i][j][k] = BOX;
    }
}

#pragma dvm inherit(A)
static void NAME(box_reversed)(long n1, long n2, long n3, REAL (*A)[n2][n3], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on A[i][j][k]) across(A[1][1][1])
        for (long k = 1; k < n3 - 1; k++)
            for (long j = 1; j < n2 - 1; j++)
                for (long i = 1; i < n1 - 1; i++)
                    A[i][j][k] = BOX;
    }
}
