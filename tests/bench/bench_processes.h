/* Shared by the benchmarks of many processes: failures that end the job, and figures of the slowest process. */
#ifndef TESTS_BENCH_BENCH_PROCESSES_H
#define TESTS_BENCH_BENCH_PROCESSES_H

#include <stdbool.h>
#include <stdio.h>

#include "rts/comm.h"
#include "rts/status.h"

/** Others would wait for a process that goes on without what it wanted: end the job. @param program  for the message */
static inline void bench_try(const char *program, rts_status_t status) {
    if (status == RTS_OK)
        return;
    fprintf(stderr, "%s: process %d: %s\n", program, rts_comm_rank(), rts_error_text());
    rts_comm_abort(1);
}

static inline void bench_take_larger(void *context, void *into, const void *from) {
    (void)context;
    if (*(const double *)from > *(double *)into)
        *(double *)into = *(const double *)from;
}

/** The largest number of any process. Collective. */
static inline double bench_largest(const char *program, double number) {
    bench_try(program, rts_comm_reduce(&number, sizeof number, bench_take_larger, NULL));
    return number;
}

static inline bool bench_is_first(void) {
    return rts_comm_rank() == 0;
}

#endif
