/* The loops of jacobi3d for one element type as functions of any C array, with a second one beside it: for jacobi3d_plain.c, which defines
 * REAL and NAME. */
#include "sor-bench/jacobi3d_loops.h"

static void NAME(plain_start)(void *a, const long n[]) {
    void *const second = plain_second(n, sizeof(REAL));

    NAME(start)(n[0], n[1], n[2], a, second);
}

#define PLAIN_SWEEP(name)                                                                                    \
    static void NAME(plain_##name)(void *a, const long n[], double weight) {                                 \
        void *const second = plain_second(n, sizeof(REAL));                                                  \
                                                                                                             \
        NAME(name)(n[0], n[1], n[2], a, second, (REAL)weight);                                               \
        NAME(name)(n[0], n[1], n[2], second, a, (REAL)weight);                                               \
    }
PLAIN_SWEEP(star)
PLAIN_SWEEP(star_reversed)
PLAIN_SWEEP(box)
PLAIN_SWEEP(box_reversed)
#undef PLAIN_SWEEP
