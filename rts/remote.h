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
 * Fill the buffers of a prepared loop, for handlers that ask for them; record handlers do not, they are told the source array itself. An axis
 * that follows a dim is indexed by the loop's variable, over its whole range.
 */
rts_status_t rts_remote_fill(rts_loop_t *loop);

/** Destroy the buffers of a loop, if there are any. */
void rts_remote_drop(rts_loop_t *loop);

#endif
