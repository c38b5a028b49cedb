/* jacobi3d: independent loops, a stencil from one array to another and back: what a loop without dependences costs beside a copy.
 * dvmhcc compiles it. The C compiler alone makes the sequential loops of the same text, in jacobi3d_plain.c. */
#include <stdlib.h>

#include "sor-bench/sor_program.h"

#define REAL       double
#define NAME(name) name##_double
#include "sor-bench/jacobi3d_loops.h"
#include "sor-bench/jacobi3d_run.h"
#undef REAL
#undef NAME

#define REAL       float
#define NAME(name) name##_float
#include "sor-bench/jacobi3d_loops.h"
#include "sor-bench/jacobi3d_run.h"

const sor_program_t sor_program = {.kind = {.name = "jacobi3d",
                                            .what = "Jacobi sweeps, from one array to another and back,",
                                            .rank = 3,
                                            .default_n = 256,
                                            .has_box = true},
                                   .run = {run_double, run_float},
                                   .plain = jacobi3d_plain};
