/* The arrays of a loop's across clauses: how far a process reads beyond its part, and which elements a box of iterations may write. Pure
 * arithmetic, the same in every process; moves no values. */
#ifndef RTS_ACROSS_ARRAY_H
#define RTS_ACROSS_ARRAY_H

#include "rts/front_box.h"
#include "rts/loop.h"
#include "rts/placement.h"

/** How loop ordinals walk an axis: place mult * ordinal + add of the loop meets place array_mult * index + array_add of the array. */
typedef struct rts_walk {
    int dim; /* -1: none walks it */
    bool
        is_known; /* the numbers below are; otherwise the loop and the array are not placed by one template */
    rts_index_t mult, add, array_mult, array_add;
} rts_walk_t;

/** How a loop with a mapping walks an axis of an array. */
rts_walk_t rts_walk_find(const rts_loop_t *loop, const rts_array_t *array, int axis);

typedef struct rts_across_array {
    rts_array_t *array;
    rts_placement_t placement;
    bool is_out;                                       /* the loop writes beyond its own elements */
    bool is_spread;                                    /* it has widths along an axis that is cut */
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK]; /* widths along axes that are cut; 0 along others */
    rts_walk_t walk[RTS_MAX_RANK];
} rts_across_array_t;

/**
 * The across arrays of a prepared loop with a mapping that have widths along axes that several processes share; each once.
 * @param across  RTS_MAX_LOOP_ITEMS entries
 * @return RTS_ERR_INVALID  widths beyond the shadow edges of such an axis
 */
rts_status_t rts_across_find(const rts_loop_t *loop, const rts_grid_t *grid, rts_across_array_t across[],
                             int *count_p);

/** How many processes share the iterations of each dim. */
void rts_across_parts(const rts_loop_t *loop, const rts_grid_t *grid, rts_index_t parts[]);

/** Dims, bit dim, of which a range of iterations writes a known range of every array, disjoint from those of other ranges. */
unsigned rts_across_divisible(const rts_loop_t *loop, const rts_across_array_t across[], int count);

/** A part with what is read around it; `mirrored`: with what those who own it are read by. */
rts_box_t rts_across_wide(const rts_across_array_t *across, const rts_box_t *part, bool mirrored);

/** Elements that iterations (ordinals, not empty) may write; maybe more, but never those of iterations apart along a known axis. */
rts_box_t rts_across_image(const rts_across_array_t *across, const rts_box_t *iterations);

/** Whether every element of the image is written by an iteration of its own, if by any. */
bool rts_across_is_dense(const rts_across_array_t *across);

/** Whether fronts of the two innermost dims are fronts of two of its axes: each dim walks one axis, element by element. */
bool rts_across_has_fronts(const rts_across_array_t *across, int loop_rank);

/** Fronts lag * row + column in [lo, hi), in ordinals of the two innermost dims, as fronts of fronts->box, which is not empty; the array has
 * such fronts. */
void rts_across_fronts(const rts_across_array_t *across, int loop_rank, rts_index_t lag, rts_index_t lo,
                       rts_index_t hi, rts_front_box_t *fronts);

#endif
