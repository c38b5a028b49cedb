/* sor2d: successive over-relaxation on a plane, in ordinary C with directives; dvmhcc compiles it. The C compiler alone makes the
 * sequential loops of the same text, in sor2d_plain.c. */
#include <stdlib.h>

#include "sor-bench/sor_program.h"

#define REAL       double
#define NAME(name) name##_double
#include "sor-bench/sor2d_loops.h"
#include "sor-bench/sor2d_run.h"
#undef REAL
#undef NAME

#define REAL       float
#define NAME(name) name##_float
#include "sor-bench/sor2d_loops.h"
#include "sor-bench/sor2d_run.h"

const sor_program_t sor_program =
    {.kind = {.name = "sor2d", .what = SOR_WHAT, .rank = 2, .default_n = 4096, .has_box = true},
     .run = {run_double, run_float},
     .plain = sor2d_plain};
