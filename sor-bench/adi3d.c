/* adi3d: sweeps along the lines of each axis in turn. One dim of three carries a dependence, another one each time, so that each sweep likes
 * another axis contiguous.
 * dvmhcc compiles it. The C compiler alone makes the sequential loops of the same text, in adi3d_plain.c. */
#include <stdlib.h>

#include "sor-bench/sor_program.h"

#define REAL       double
#define NAME(name) name##_double
#include "sor-bench/adi3d_loops.h"
#include "sor-bench/adi3d_run.h"
#undef REAL
#undef NAME

#define REAL       float
#define NAME(name) name##_float
#include "sor-bench/adi3d_loops.h"
#include "sor-bench/adi3d_run.h"

const sor_program_t sor_program =
    {.kind = {.name = "adi3d",
              .what = "Sweeps along all lines of each axis in turn (alternating directions), in place,",
              .rank = 3,
              .default_n = 256,
              .has_box = false},
     .run = {run_double, run_float},
     .plain = adi3d_plain};
