/* What the benchmark programs share: clock, measures of the machine, agreement of processes and the line of figures. What is collective
 * is so with many processes. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stddef.h>

#include <dvmhx.h>

#include "sor-bench/bench_options.h"

/** The figures of a run. Times in seconds; a negative one was not measured. Of many processes the slowest one's; counts are those of the first. */
typedef struct bench_result {
    const char *program;
    int rank;
    double time_s;       /* all iterations */
    double best_sweep_s; /* the fastest one; negative on devices */
    double
        steady_sweep_s; /* median of the last half of them, on devices the mean; changes of layout included */
    double loop_s, reorganise_s;
    long reorganise_bytes, reorganisations, explorations;
    double sequential_s; /* the same iterations of the plain loop */
    double memcpy_s;     /* all processes at once, each its share of the array */
    double checksum;
    bool verified;
    double max_difference;
    dvmhx_report_t report; /* of the runtime, after the run */
} bench_result_t;

/** Seconds of a clock that only goes forward. */
double bench_now(void);

/** Median; the numbers are sorted. @param count >= 1 */
double bench_median(double number[], size_t count);

/** Best time of several copies of `bytes` by `threads` threads, each copying its slice; -1 without memory. Local. */
double bench_memcpy_s(size_t bytes, int threads);

/** malloc that ends the program (exit 1, with a message) when there is no memory. After dvmh_init_C. */
void *bench_allocate(const char *program, size_t bytes);

/** Put a planner mode into the environment, before dvmh_init_C. NULL: leave it. */
void bench_set_planner(const char *program, const char *planner);

/** What the runtime did up to now. */
void bench_get_report(dvmhx_report_t *report_p);

/** Replace numbers by the greatest of all processes. Collective; after dvmh_init_C. */
void bench_greatest(double number[], int count);

/** Whether this is the process with coordinates 0 in the grid. Collective; after dvmh_init_C. */
bool bench_is_first(void);

/** Print the line of a run on stdout, once. Collective. @return whether it was written; the same in all processes */
bool bench_print(const bench_options_t *options, const bench_result_t *result);

#endif
