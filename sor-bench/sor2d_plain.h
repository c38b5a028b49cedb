/* The loops of sor2d for one element type as functions of any C array: for sor2d_plain.c, which defines REAL and NAME. */
#include "sor-bench/sor2d_loops.h"

static void NAME(plain_start)(void *a, const long n[]) {
    NAME(start)(n[0], n[1], a);
}

static void NAME(plain_star)(void *a, const long n[], double weight) {
    NAME(star)(n[0], n[1], a, (REAL)weight);
}

static void NAME(plain_star_reversed)(void *a, const long n[], double weight) {
    NAME(star_reversed)(n[0], n[1], a, (REAL)weight);
}

static void NAME(plain_box)(void *a, const long n[], double weight) {
    NAME(box)(n[0], n[1], a, (REAL)weight);
}

static void NAME(plain_box_reversed)(void *a, const long n[], double weight) {
    NAME(box_reversed)(n[0], n[1], a, (REAL)weight);
}
