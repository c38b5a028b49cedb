/* A SOR program with record handlers written by hand, but for the handlers. */
#ifndef SOR_RECORD_H
#define SOR_RECORD_H

#include <dvmhlib2.h>

#include "sor-bench/sor_program.h"

/** Handlers for one element type. They get one parameter: const double *, the weight. */
typedef struct sor_record_kernels {
    DvmHandlerFunc start;       /* start values, borders included */
    DvmHandlerFunc sweep[2][2]; /* [loops reversed][box stencil] */
} sor_record_kernels_t;

/** For sor_program_t's member run. @param rank  2 or 3 */
void sor_record_run(sor_course_t *course, const bench_options_t *options, int rank, bool is_float,
                    const sor_record_kernels_t *kernels);

#endif
