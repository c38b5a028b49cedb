/* The loops of jacobi3d as the C compiler makes them, without directives: what the program's results are compared with. */
#include <stdlib.h>

#include "sor-bench/bench_common.h"
#include "sor-bench/sor_program.h"

/* Directives are for dvmhcc. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

/* The second array, the same in every call; there is one run in a program. */
static void *plain_second(const long n[], size_t element_bytes) {
    static void *second;

    if (second == NULL)
        second = bench_allocate("jacobi3d", (size_t)n[0] * (size_t)n[1] * (size_t)n[2] * element_bytes);
    return second;
}

#define REAL       double
#define NAME(name) name##_double
#include "sor-bench/jacobi3d_plain.h"
#undef REAL
#undef NAME

#define REAL       float
#define NAME(name) name##_float
#include "sor-bench/jacobi3d_plain.h"

const sor_plain_t jacobi3d_plain[2] = {
    {.start = plain_start_double,
     .sweep = {{plain_star_double, plain_box_double},
               {plain_star_reversed_double, plain_box_reversed_double}}},
    {.start = plain_start_float,
     .sweep = {{plain_star_float, plain_box_float}, {plain_star_reversed_float, plain_box_reversed_float}}},
};
