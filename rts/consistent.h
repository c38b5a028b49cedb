/* Consistent arrays: every process has them whole and writes, in a loop, the elements of its iterations; after the loop all have all values. */
#ifndef RTS_CONSISTENT_H
#define RTS_CONSISTENT_H

#include "rts/loop.h"

/** Whether an array may be consistent: every process has all of it. */
bool rts_consistent_is_possible(const rts_array_t *array);

/**
 * After a loop has run, bring what each process wrote of the loop's consistent arrays to all others. Where several processes have iterations
 * that write one element, the value of one of them is everywhere. Collective, also for processes without iterations; sync.
 */
rts_status_t rts_consistent_share(rts_loop_t *loop);

#endif
