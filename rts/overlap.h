/* Loops that run while the messages of shadow edges are under way: which iterations can read none of the edges that were asked for, and
 * the order that follows: those first, then the edges, then the rest. Decides when that is right and when it is likely to pay; not
 * what is sent. Part of exec; main thread only. */
#ifndef RTS_OVERLAP_H
#define RTS_OVERLAP_H

#include "rts/pipeline.h"

/**
 * Whether a prepared loop should run so: rts_halo_start in place of rts_halo_settle, and rts_overlap_run. Local: processes may decide
 * differently. The answer never depends on times, so that sums are added in the same order every time.
 *
 * Right is: a mapping, no dependences, shadow_compute or remote accesses; and of every array with a pending request that the loop may use
 * it is known where it is read: by references, or, where these were not told, within the widths of the request around the element that
 * the mapping gives each iteration, with coefficients of 1 or -1.
 * @param interior_p  set when true: iterations, in ordinals, that read none of the edges; not empty
 */
bool rts_overlap_find(const rts_loop_t *loop, rts_box_t *interior_p);

/**
 * Run the interior, finish what rts_halo_start started, bring edges to where the loop finds its arrays, and run the other iterations, as at
 * most 2 * rank boxes. Statistics: OVERLAPS.
 */
rts_status_t rts_overlap_run(const rts_loop_t *loop, const rts_box_t *interior, const rts_exec_data_t *data,
                             rts_launch_fn_t launch);

#endif
