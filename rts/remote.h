/* Copies of sections that other processes may own (remote access): made by a call of its own, or for the time of a loop. A copy is an
 * array that every process has whole. Collective; main thread only. */
#ifndef RTS_REMOTE_H
#define RTS_REMOTE_H

#include "rts/loop.h"

/**
 * Copy a section of an array into a new array: of the axes that are not constant, with the array's indices; of one index 0 when all are.
 * @param rule  of each axis of the source: RTS_ALIGN_CONSTANT or RTS_ALIGN_ANY
 * @return RTS_ERR_INVALID  the source is not distributed, a rule of a loop, a constant outside of the array
 */
rts_status_t rts_remote_create(rts_array_t *source, const rts_align_rule_t rule[], rts_array_t **buffer_p);

/**
 * Bring to a prepared loop what its remote accesses name and its iterations need. Collective: also for processes without iterations.
 *
 * For handlers that ask, loop->remote[].buffer is a copy of the section: an axis that follows a dim is indexed by the loop's variable, over its
 * whole range; values that only other processes' iterations need are undefined. For record handlers it is a copy in the array's own indices,
 * of the smallest box with all that the iterations here need, where a use shows the section; NULL where the array itself may be shown:
 * every process has all of it and the loop does not write it.
 * @return RTS_ERR_INVALID  a use that shows a section without a remote access of its array
 */
rts_status_t rts_remote_fill(rts_loop_t *loop);

/** Destroy the buffers of a loop, if there are any. */
void rts_remote_drop(rts_loop_t *loop);

#endif
