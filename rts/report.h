/* The report at the end of a run (DVMH_REPORT): which loops took the time, in which layouts they ran, and what reorganisation cost and
 * gained. Words and figures only; what they say comes from the counters and from the planner. With several processes times are means and
 * largest ones, counts are sums where processes may differ, and loops are those of process 0. */
#ifndef RTS_REPORT_H
#define RTS_REPORT_H

#include <stdio.h>

#include "rts/interval.h"

/**
 * Print it, in process 0; the others tell it their totals. Before rts_planner_close. Collective; main thread. Errors of the file are not noticed; without memory for a list the
 * loops are left out and the report says so.
 */
void rts_report_print(FILE *file);

/** Seconds of what was begun in the intervals of a number: loops, and of all time of reorganisations the part that is due to its bytes. */
double rts_report_interval_seconds(const rts_interval_sum_t *sum);

#endif
