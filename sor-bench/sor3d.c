/* sor3d: successive over-relaxation in space, in ordinary C with directives; dvmhcc compiles it. The C compiler alone makes the
 * sequential loops of the same text, in sor3d_plain.c. */
#include <stdlib.h>

#include "sor-bench/sor_program.h"

#define REAL       double
#define NAME(name) name##_double
#include "sor-bench/sor3d_loops.h"
#include "sor-bench/sor3d_run.h"
#undef REAL
#undef NAME

#define REAL       float
#define NAME(name) name##_float
#include "sor-bench/sor3d_loops.h"
#include "sor-bench/sor3d_run.h"

const sor_program_t sor_program =
    {.kind = {.name = "sor3d", .what = SOR_WHAT, .rank = 3, .default_n = 256, .has_box = true},
     .run = {run_double, run_float},
     .plain = sor3d_plain};
