/* The loops of adi3d for one element type as functions of any C array: for adi3d_plain.c, which defines REAL and NAME. */
#include "sor-bench/adi3d_loops.h"

static void NAME(plain_start)(void *a, const long n[]) {
    NAME(start)(n[0], n[1], n[2], a);
}

static void NAME(plain_lines)(void *a, const long n[], double weight) {
    (void)weight;
    NAME(lines)(n[0], n[1], n[2], a);
}

static void NAME(plain_lines_reversed)(void *a, const long n[], double weight) {
    (void)weight;
    NAME(lines_reversed)(n[0], n[1], n[2], a);
}
