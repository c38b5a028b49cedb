/* How the iterations of an across loop are cut into tiles that processes run one after the other, and the order of the tiles of all
 * processes together. Pure arithmetic on facts that every process knows, so that each computes the tiles of the others.
 *
 * Processes cut the iterations along the distributed dims. Two cases:
 *  - No dependence goes back along a distributed dim. Then one more dim, along which none goes back either, may be cut into stages, and
 *    comes first in the order: neighbours start after the first stage. One dim is enough: cutting a second one makes no process start
 *    earlier than the best choice of the first. Or stages are ranges of the fronts lag * row + column of the two innermost dims, in all
 *    planes: arrays that are stored by fronts are walked in long rows then. Where these dims are distributed, a process has no
 *    iterations in the first or the last of them, so one sweep waits longer, but sweeps that follow each other overlap.
 *  - Some dependence does, as (1, -1) of a nine-point stencil: neighbours wait for each other. Then the dims in which such dependences
 *    start are cut into pieces that are not longer than these, and tiles come in the order of the dims. */
#ifndef RTS_PIPELINE_CUT_H
#define RTS_PIPELINE_CUT_H

#include "rts/box.h"
#include "rts/dependence.h"

/** What is known of a loop. */
typedef struct rts_cut_facts {
    int rank;
    rts_index_t count[RTS_MAX_RANK]; /* of the whole loop */
    rts_index_t parts[RTS_MAX_RANK]; /* processes along which each dim is cut; 1: not distributed */
    unsigned
        divisible; /* bit dim: what a range of its iterations writes is known, so that it may be cut further */
    bool has_fronts;                      /* bodies can run ranges of fronts of the two innermost dims */
    const rts_dependences_t *dependences; /* of the whole loop */
} rts_cut_facts_t;

typedef struct rts_cut {
    int rank;
    unsigned distributed;            /* bit dim */
    bool is_mixed;                   /* the second case */
    int stage_dim;                   /* -1: none */
    rts_index_t lag;                 /* > 0: stages may be ranges of fronts of this lag */
    bool by_fronts;                  /* and they are, not ranges of stage_dim */
    rts_index_t front_count;         /* of the whole loop, with lag > 0 */
    rts_index_t stages;              /* of each process's iterations, at most */
    rts_index_t limit[RTS_MAX_RANK]; /* the second case: extents of a tile, at most; 0: no limit */
    int order[RTS_MAX_RANK];         /* dims as they count in the order of tiles */
    rts_index_t path; /* processes that wait one for the other with all but their first stage */
} rts_cut_t;

/** What a process runs between its messages: of a box of iterations all, or where front_lo < front_hi those with lag * row + column in
 * that range. */
typedef struct rts_cut_tile {
    rts_box_t box;
    rts_index_t front_lo, front_hi;
} rts_cut_tile_t;

/**
 * Decide which dims are cut, and whether stages may be ranges of fronts. There is one stage then, along stage_dim.
 * @return RTS_ERR_UNSUPPORTED  a dim has to be cut that is not divisible
 */
rts_status_t rts_cut_make(const rts_cut_facts_t *facts, rts_cut_t *cut_p);

/** Number of tiles of the iterations of a process. */
rts_index_t rts_cut_tile_count(const rts_cut_t *cut, const rts_box_t *local);

/** A tile, by its number in order. */
rts_cut_tile_t rts_cut_tile(const rts_cut_t *cut, const rts_box_t *local, rts_index_t number);

/** Whether a tile, or a part of one, has no iterations. A range of fronts may lie outside of the iterations of a process. */
bool rts_cut_tile_is_empty(const rts_cut_t *cut, const rts_cut_tile_t *tile);

/** Whether tile `a` comes before `b` in the order of all, as a tile of another process on which `b` may depend does. */
bool rts_cut_tile_before(const rts_cut_t *cut, const rts_cut_tile_t *a, const rts_cut_tile_t *b);

/** The same for all iterations of two processes: whether the first tile of `a` comes before that of `b`. */
bool rts_cut_before(const rts_cut_t *cut, const rts_box_t *a, const rts_box_t *b);

/** Whether iterations of process `to` may need what `from` writes; neither is empty. */
bool rts_cut_may_need(const rts_cut_t *cut, const rts_box_t *from, const rts_box_t *to);

#endif
