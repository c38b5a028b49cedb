/* Intervals: parts of a program that its statistics tell apart. Keeps the open ones, checks that they nest, and sums up by number what the
 * loops and reorganisations begun inside of the program's own took, whenever that is known: on a GPU long after the interval's end. What
 * intervals are counted for is said by RTS_STAT_INTERVALS. Main thread only. */
#ifndef RTS_INTERVAL_H
#define RTS_INTERVAL_H

#include "rts/status.h"

typedef enum rts_interval_kind {
    RTS_INTERVAL_PARALLEL,   /* around a parallel loop */
    RTS_INTERVAL_SEQUENTIAL, /* around a sequential one */
    RTS_INTERVAL_USER        /* of the program, with a number of its own */
} rts_interval_kind_t;

/**
 * Open an interval inside of those that are open, and count it.
 * @param number    of a user interval: tells several passes apart
 * @param position  where it starts, for messages
 * @return RTS_ERR_NO_MEMORY  nothing changed
 */
rts_status_t rts_interval_start(rts_interval_kind_t kind, int64_t number, rts_position_t position);

/**
 * Close the innermost interval.
 * @param is_user  whether it must be a user interval; else it must be one around a loop
 * @return RTS_ERR_INVALID  none is open, or the innermost one is of the other sort
 */
rts_status_t rts_interval_end(bool is_user);

/** Number of open intervals. */
int rts_interval_depth(void);

/** User intervals of different numbers that are summed up; others are checked only. */
#define RTS_INTERVAL_MAX_SUMS 64

/** All user intervals of one number. What is begun in an inner interval is not counted for the outer ones. */
typedef struct rts_interval_sum {
    int64_t number;
    rts_position_t position; /* of the first */
    int64_t count;
    double loop_s;
    int64_t reorganised_bytes; /* of arrays */
} rts_interval_sum_t;

/** Place of the innermost open user interval among the sums, for the next two; -1: none, or it is not summed up. */
int rts_interval_current(void);

/** Loops begun there took so long. @param sum  -1: nothing to do */
void rts_interval_add_loops(int sum, double seconds);

/** Arrays of so many bytes were reorganised for what was begun there. */
void rts_interval_add_reorganised(int sum, int64_t bytes);

/** In the order of first start. @return as many as *count_p says; valid until the next start */
const rts_interval_sum_t *rts_interval_sums(int *count_p);

/** Forget all, at the end of the run: a program may end inside of intervals. */
void rts_interval_reset(void);

#endif
