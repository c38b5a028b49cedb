/* What the benchmark programs share: clock, measures of the machine, comparison and the line of figures. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stddef.h>

#include <dvmhx.h>

#include "sor-bench/bench_options.h"

/** The figures of a run. Times in seconds; a negative one was not measured. */
typedef struct bench_result {
    const char *program;
    int rank;
    double time_s;         /* all iterations */
    double best_sweep_s;   /* the fastest one */
    double steady_sweep_s; /* median of the last half of them, changes of layout included */
    double loop_s, reorganise_s;
    long reorganise_bytes, reorganisations, explorations;
    double sequential_s; /* the same iterations of the plain loop */
    double memcpy_s;
    double checksum;
    bool verified;
    double max_difference;
    dvmhx_report_t report; /* of the runtime, after the run */
} bench_result_t;

/** Seconds of a clock that only goes forward. */
double bench_now(void);

/** Median; the numbers are sorted. @param count >= 1 */
double bench_median(double number[], size_t count);

/** Best time of several copies of `bytes` by `threads` threads, each copying its slice; -1 without memory. */
double bench_memcpy_s(size_t bytes, int threads);

/** malloc that ends the program (exit 1, with a message) when there is no memory. After dvmh_init_C. */
void *bench_allocate(const char *program, size_t bytes);

/** Put a planner mode into the environment, before dvmh_init_C. NULL: leave it. */
void bench_set_planner(const char *program, const char *planner);

/** What the runtime did up to now. */
void bench_get_report(dvmhx_report_t *report_p);

/**
 * Compare a distributed array that the host holds with a plain one, bit for bit, and add up its elements. The
 * first difference is named on stderr.
 * @param header    of the array, of rank result->rank
 * @param expected  the same array in C order; NULL: only the sum
 * @param result    checksum, verified and max_difference are set
 */
void bench_compare(const DvmType header[], const bench_options_t *options, const void *expected,
                   bench_result_t *result);

/** Print the line of a run on stdout. */
bool bench_print(const bench_options_t *options, const bench_result_t *result);

/** Describe to a loop what it does with an array: writes its own element, reads the neighbours at distance 1
 * along the axes or, with is_box, all 3^rank around it; tell the dependences of a sweep with corners. The handler can follow the array by rows.
 * @param is_reversed  dims of the loop walk the axes in reverse order */
void bench_describe_sweep(DvmType loop, const DvmType header[], int rank, bool is_reversed, bool is_box);

/** Describe to a loop that each iteration writes one element of an array; its dims walk the axes in order. By rows as well. */
void bench_describe_start(DvmType loop, const DvmType header[], int rank);

#endif
