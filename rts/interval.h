/* Intervals: parts of a program that its statistics tell apart. Keeps the open ones and checks that they nest; what they are counted for is
 * said by RTS_STAT_INTERVALS. Main thread only. */
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

/** Forget those that are open, at the end of the run: a program may end inside of them. */
void rts_interval_reset(void);

#endif
