/* Shared by the benchmark programs: clock, order statistics, option parsing, and the copy that everything is compared with. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <errno.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dvmhlib2.h>
#include <dvmhx_run.h>

/** By way of a type that compilers do not warn about. */
#define BENCH_HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

static inline int bench_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** Sort; then [0] is the least and this the median. */
static inline double bench_median(double values[], int count) {
    qsort(values, (size_t)count, sizeof values[0], bench_compare);
    return values[count / 2];
}

static inline double bench_least(double values[], int count) {
    (void)bench_median(values, count);
    return values[0];
}

/** A whole number lo..hi from an option's argument; anything else ends the program with exit code 2. */
static inline long bench_number(const char *option, const char *text, long lo, long hi) {
    char *end = NULL;
    errno = 0;
    const long value = text != NULL ? strtol(text, &end, 10) : 0;
    if (text == NULL || *text == '\0' || *end != '\0' || errno != 0 || value < lo || value > hi) {
        fprintf(stderr, "%s: '%s' is not allowed; allowed: a whole number %ld..%ld\n", option,
                text != NULL ? text : "", lo, hi);
        exit(2);
    }
    return value;
}

/** Memory, or the end of the program with exit code 1. */
static inline void *bench_allocate(size_t bytes) {
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (memory == NULL) {
        fprintf(stderr, "no memory: %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

/** Seconds of one copy, every thread a slice, with memcpy or with streaming stores. */
static inline double bench_copy(char *to, const char *from, size_t bytes, int threads, bool stream) {
    const double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    {
        const size_t number = (size_t)omp_get_thread_num(), team = (size_t)omp_get_num_threads();
        const size_t lo = bytes / team * number,
                     hi = number + 1 == team ? bytes : bytes / team * (number + 1);
        if (stream) { /* slices of whole lines: arrays begin on one */
            const size_t first = (lo + 63) / 64 * 64, end = hi / 64 * 64;
            dvmhx_stream_lines(to + first, from + first, end > first ? end - first : 0);
            dvmhx_stream_end();
        } else {
            memcpy(to + lo, from + lo, hi - lo);
        }
    }
    return omp_get_wtime() - start;
}

#endif
