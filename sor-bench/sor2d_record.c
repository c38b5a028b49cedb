/* sor2d-record: what sor2d does, through the interface itself with record handlers written by hand. */
#include "sor-bench/sor_record.h"

#define REAL double
#include "sor-bench/sor2d_record_kernels.h"

#define REAL float
#include "sor-bench/sor2d_record_kernels.h"

static void run_double(sor_course_t *course, const bench_options_t *options) {
    sor_record_run(course, options, 2, false, &kernels_double);
}

static void run_float(sor_course_t *course, const bench_options_t *options) {
    sor_record_run(course, options, 2, true, &kernels_float);
}

const sor_program_t sor_program =
    {.kind = {.name = "sor2d-record", .what = SOR_WHAT, .rank = 2, .default_n = 4096, .has_box = true},
     .run = {run_double, run_float},
     .plain = sor2d_plain};
