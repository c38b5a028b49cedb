/* Boxes of indices and sets of them. Half-open [lo, hi) in every axis. Pure arithmetic: no array, no device. */
#ifndef RTS_BOX_H
#define RTS_BOX_H

#include "rts/status.h"

/** rank 0: one point. lo[i] >= hi[i] anywhere: empty. Entries beyond rank are unspecified. */
typedef struct rts_box {
    int rank;
    rts_index_t lo[RTS_MAX_RANK];
    rts_index_t hi[RTS_MAX_RANK];
} rts_box_t;

bool rts_box_is_empty(const rts_box_t *box);
/** Number of points; 0 when empty, 1 for rank 0. */
rts_index_t rts_box_size(const rts_box_t *box);
bool rts_box_equal(const rts_box_t *a, const rts_box_t *b); /* all empty boxes of one rank are equal */
bool rts_box_contains(const rts_box_t *outer,
                      const rts_box_t *inner); /* an empty box is contained everywhere */
bool rts_box_has_point(const rts_box_t *box, const rts_index_t index[]);
/** Intersection; ranks must be equal. The result may be empty and may alias an operand. */
rts_box_t rts_box_intersect(const rts_box_t *a, const rts_box_t *b);
/** An empty box of a rank. */
rts_box_t rts_box_empty(int rank);
/**
 * The largest box whose points, in C order of their indices, are a range of those of `box` in the same order: it begins with point `first`
 * and has nothing from `end` on. So a range is walked over in at most 2 * rank - 1 such boxes.
 * @param first, end  places, counted from 0; 0 <= first < end <= size of the box
 */
rts_box_t rts_box_run(const rts_box_t *box, rts_index_t first, rts_index_t end);

/** A set of points as disjoint boxes of one rank. Start with rts_boxset_init; not copyable by assignment. */
typedef struct rts_boxset {
    int rank;
    int count, capacity;
    rts_box_t *boxes;
} rts_boxset_t;

void rts_boxset_init(rts_boxset_t *set, int rank); /* empty, allocates nothing */
void rts_boxset_free(rts_boxset_t *set);
void rts_boxset_clear(rts_boxset_t *set);

/* On RTS_ERR_NO_MEMORY the set is unchanged. Adding merges neighbours where two boxes form one, so that adding the parts of
 * a box in any order ends as few boxes; a single covering box absorbs what it contains. */
rts_status_t rts_boxset_add(rts_boxset_t *set, const rts_box_t *box);
rts_status_t rts_boxset_subtract(rts_boxset_t *set, const rts_box_t *box);
rts_status_t rts_boxset_copy(rts_boxset_t *to, const rts_boxset_t *from); /* `to` is initialised; replaced */

bool rts_boxset_contains(const rts_boxset_t *set,
                         const rts_box_t *box); /* every point of box; allocates nothing */
bool rts_boxset_has_point(const rts_boxset_t *set, const rts_index_t index[]);
rts_index_t rts_boxset_size(const rts_boxset_t *set);
/** out := box minus set. `out` is initialised; replaced. */
rts_status_t rts_boxset_missing(const rts_boxset_t *set, const rts_box_t *box, rts_boxset_t *out);

#endif
