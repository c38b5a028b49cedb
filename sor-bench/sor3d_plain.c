/* The loops of sor3d as the C compiler makes them, without directives: what the programs' results are compared with. */
#include "sor-bench/sor_program.h"

/* Directives are for dvmhcc. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

#define REAL       double
#define NAME(name) name##_double
#include "sor-bench/sor3d_plain.h"
#undef REAL
#undef NAME

#define REAL       float
#define NAME(name) name##_float
#include "sor-bench/sor3d_plain.h"

const sor_plain_t sor3d_plain[2] = {
    {.start = plain_start_double,
     .sweep = {{plain_star_double, plain_box_double},
               {plain_star_reversed_double, plain_box_reversed_double}}},
    {.start = plain_start_float,
     .sweep = {{plain_star_float, plain_box_float}, {plain_star_reversed_float, plain_box_reversed_float}}},
};
