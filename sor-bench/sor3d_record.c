/* sor3d-record: what sor3d does, through the interface itself with record handlers written by hand. */
#include "sor-bench/sor_record.h"

#define REAL double
#include "sor-bench/sor3d_record_kernels.h"

#define REAL float
#include "sor-bench/sor3d_record_kernels.h"

static void run_double(sor_course_t *course, const bench_options_t *options) {
    sor_record_run(course, options, 3, false, &kernels_double);
}

static void run_float(sor_course_t *course, const bench_options_t *options) {
    sor_record_run(course, options, 3, true, &kernels_float);
}

const sor_program_t sor_program =
    {.kind = {.name = "sor3d-record", .what = SOR_WHAT, .rank = 3, .default_n = 256, .has_box = true},
     .run = {run_double, run_float},
     .plain = sor3d_plain};
