/* Bounds of uneven parts of an axis, from what a program gives: the size of every part, or weights of pieces of the axis that are to
 * be balanced. Pure arithmetic, the same in every process. */
#ifndef RTS_UNEVEN_H
#define RTS_UNEVEN_H

#include "rts/status.h"

/**
 * Parts of the sizes given.
 * @param size      one of each part
 * @param bounds_p  parts + 1 entries, ascending from 0 to extent; unchanged on failure
 * @return RTS_ERR_INVALID  a negative size, or a sum other than extent; the message counts from 1
 */
rts_status_t rts_bounds_by_size(rts_index_t extent, const rts_index_t size[], rts_index_t parts,
                                rts_index_t bounds_p[]);

/**
 * Parts of about equal weight.
 *
 * The axis is cut into `count` pieces of equal length (in thought: they may end inside of elements), over each of which its weight is
 * spread evenly. The bound between parts k - 1 and k is put where the weight before it is nearest to k / parts of the total; of two
 * equally near places it is the lower one; among elements that weigh nothing, the place next to where the target is passed. All weights
 * 0: the bounds of equal blocks, and a warning.
 *
 * @param count     1 and more
 * @param bounds_p  parts + 1 entries, ascending from 0 to extent; unchanged on failure
 * @return RTS_ERR_INVALID    count < 1, a weight that is negative or no number; the message counts from 1
 * @return RTS_ERR_NO_MEMORY  no room for the sums of the weights
 */
rts_status_t rts_bounds_by_weight(rts_index_t extent, const double weight[], rts_index_t count,
                                  rts_index_t parts, rts_index_t bounds_p[]);

#endif
