/* How templates are cut over the process grid, how arrays and loops map onto templates, and which part is local. Pure
 * arithmetic on plain structs: any process's part can be computed anywhere, so it is tested without MPI. */
#ifndef RTS_DISTRIBUTION_H
#define RTS_DISTRIBUTION_H

#include "rts/box.h"

/** The process grid and a place in it. Axes beyond rank count as size 1, coordinate 0. */
typedef struct rts_grid {
    int rank;
    rts_index_t size[RTS_MAX_RANK];
    rts_index_t coordinate[RTS_MAX_RANK];
} rts_grid_t;

/** Number of processes along an axis of the grid, from 0; any axis beyond its rank has one. */
static inline rts_index_t rts_grid_parts(const rts_grid_t *grid, int axis) {
    return axis < grid->rank ? grid->size[axis] : 1;
}

typedef enum rts_axis_kind {
    RTS_AXIS_REPLICATED = 0,
    RTS_AXIS_BLOCK,
    RTS_AXIS_MULTBLOCK, /* equal blocks of whole quanta */
    RTS_AXIS_BOUNDS     /* blocks with the bounds given, from rts/uneven.h */
} rts_axis_kind_t;

/** Rule of one template axis. */
typedef struct rts_axis_rule {
    rts_axis_kind_t kind;
    int grid_axis; /* from 0; unused when replicated; any value beyond the grid's rank is an axis of size 1 */
    rts_index_t quantum; /* MULTBLOCK: divides the axis's extent */
    const rts_index_t *
        bounds; /* BOUNDS: ascending, from 0 to the extent, one more than the grid axis has processes: process k has
                                  [bounds[k], bounds[k + 1]) of the axis, counted from its beginning. Not owned. */
} rts_axis_rule_t;

typedef struct rts_distribution {
    rts_box_t space; /* index space of the template, user indices */
    rts_axis_rule_t rule[RTS_MAX_RANK];
} rts_distribution_t;

/**
 * Bounds of a part of an axis cut in equal blocks: part `part` of `parts` gets [*lo_p, *hi_p) of [0, extent).
 *
 * The remainder is spread evenly: an accumulator walks the parts, cur = (cur + remainder) mod parts, and a part gets one
 * element more when cur falls below the remainder (10 over 4: 2, 3, 2, 3). Fewer elements than parts: the first ones get one
 * each. Closed form, no loop.
 */
void rts_block_bounds(rts_index_t extent, rts_index_t parts, rts_index_t part, rts_index_t *lo_p,
                      rts_index_t *hi_p);

/** @return RTS_ERR_INVALID  a grid axis negative or used twice, a quantum that does not divide its axis; the message counts axes
 *                          from 1 */
rts_status_t rts_distribution_check(const rts_distribution_t *distribution);

/** The part of a process; may be empty. */
rts_box_t rts_distribution_local(const rts_distribution_t *distribution, const rts_grid_t *grid);

enum { RTS_ALIGN_CONSTANT = -1, RTS_ALIGN_ANY = -2 };

/** What one template axis says about the aligned object: template index = mult * (index along axis) + add. */
typedef struct rts_align_rule {
    int axis; /* from 0: axis of the array or dim of the loop; or RTS_ALIGN_CONSTANT (template index add), RTS_ALIGN_ANY */
    rts_index_t mult, add;
} rts_align_rule_t;

typedef struct rts_alignment {
    int rank; /* template axes */
    rts_align_rule_t rule[RTS_MAX_RANK];
} rts_alignment_t;

/** Axis i of the array on axis i of the template. */
rts_alignment_t rts_alignment_identity(int rank);

/**
 * Check an alignment of `space` with `target` (index spaces, user indices).
 * @return RTS_ERR_INVALID  an axis that does not exist or is used twice, mult 0, a constant or the image of an axis end
 *                          outside the target; the message counts axes from 1 and names the values
 */
rts_status_t rts_alignment_check(const rts_alignment_t *alignment, const rts_box_t *space,
                                 const rts_box_t *target);

/** Alignment of an object with the root, given its alignment with a target and the target's with the root. */
rts_alignment_t rts_alignment_compose(const rts_alignment_t *with_target,
                                      const rts_alignment_t *target_with_root);

/** Indices of `space` whose image lies in `template_local` (rounded inward when |mult| > 1); all empty when a constant lies
 * outside. Axes not mentioned keep their whole extent. */
rts_box_t rts_alignment_local(const rts_alignment_t *alignment, const rts_box_t *space,
                              const rts_box_t *template_local);

/**
 * Iterations start + n*step, 0 <= n < count, whose image mult*i + add lies in [lo, hi): a range [*first_p, *end_p) of n,
 * empty as first = end = 0. step != 0, mult != 0, any signs.
 */
void rts_iterations_within(rts_index_t start, rts_index_t step, rts_index_t count, rts_index_t mult,
                           rts_index_t add, rts_index_t lo, rts_index_t hi, rts_index_t *first_p,
                           rts_index_t *end_p);

#endif
