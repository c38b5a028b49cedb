/* The clause shadow_compute: a loop that runs also for iterations of neighbours, so that the shadow edges of what it writes are computed and
 * not sent. Decides how far the iterations of this process are extended, and which edges are right afterwards. Pure arithmetic. */
#ifndef RTS_SHADOW_COMPUTE_H
#define RTS_SHADOW_COMPUTE_H

#include "rts/loop.h"

/**
 * Extend the loop: along the axes of a template, or of an array, by widths, or as far as the shadow edges of all arrays of
 * rts_loop_add_shadow_array reach.
 * @param template, array  one of the two, distributed; of the root that the loop's mapping leads to
 * @param low, high        widths in its own indices; NULL: those of the arrays
 * @return RTS_ERR_INVALID  a second one, an object that is not distributed, a width below 0
 */
rts_status_t rts_loop_set_shadow_compute(rts_loop_t *loop, rts_template_t *template, rts_array_t *array,
                                         const rts_index_t low[], const rts_index_t high[]);

/** Name an array that the loop writes. Not distributed: RTS_ERR_INVALID. */
rts_status_t rts_loop_add_shadow_array(rts_loop_t *loop, rts_array_t *array);

/**
 * The part of the mapping's target for which this process runs the loop: that which it owns, extended where the clause says so. Called by
 * rts_loop_prepare.
 * @return RTS_ERR_INVALID  with the clause: no mapping, across widths or reductions, which would count iterations twice, an array or
 *                          object of another root than the mapping's, widths beyond the shadow edges of an array
 */
rts_status_t rts_loop_find_part(rts_loop_t *loop, rts_box_t *part_p);

/** What this process computes of an array of the clause: its own part and edges around it. Of a prepared loop that is not empty. */
rts_box_t rts_loop_computed_part(const rts_loop_t *loop, const rts_array_t *array);

#endif
