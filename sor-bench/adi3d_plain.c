/* The loops of adi3d as the C compiler makes them, without directives: what the program's results are compared with. */
#include "sor-bench/sor_program.h"

/* Directives are for dvmhcc. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

#define REAL       double
#define NAME(name) name##_double
#include "sor-bench/adi3d_plain.h"
#undef REAL
#undef NAME

#define REAL       float
#define NAME(name) name##_float
#include "sor-bench/adi3d_plain.h"

/* There is no box. */
const sor_plain_t adi3d_plain[2] = {
    {.start = plain_start_double, .sweep = {{plain_lines_double}, {plain_lines_reversed_double}}},
    {.start = plain_start_float, .sweep = {{plain_lines_float}, {plain_lines_reversed_float}}},
};
