/* Values as they were before the loop. Who runs later sends them when it begins the loop, which is when it has ended the loop before; who
 * runs earlier needs them for its last iterations along some dim only. So it begins without, and a tile that reaches these
 * iterations runs in two parts. Along distributed dims no dependence goes back, so that any iterations may be put off that are the
 * last ones along such a dim. */
#include <config.h>

#include "rts/pipeline_inside.h"

/* Whether the tiles of `from` bring all of a part to every tile of `to` that reads it. */
static bool comes_later(const rts_neighbourhood_t *around, const rts_across_array_t *across,
                        const rts_box_t *from, const rts_box_t *to, const rts_box_t *part) {
    const rts_cut_t *cut = &around->cut;
    if (cut->is_mixed || rts_box_is_empty(from) || !rts_across_is_dense(across) ||
        !rts_cut_may_need(cut, from, to) || !rts_cut_before(cut, from, to))
        return false;
    const rts_box_t image = rts_across_image(across, from);
    return rts_box_contains(&image, part);
}

/* ---- when values are read ---- */

static rts_index_t magnitude(rts_index_t number) {
    return number < 0 ? -number : number;
}

/* A loop reads at most `width` elements beyond the own ones, and its references move by one element an iteration; so iterations farther
 * than that from the last one read none. Where strides differ, elements between those of two iterations count, too. */
static rts_index_t reach_along(const rts_walk_t *walk, rts_index_t width) {
    const rts_index_t mult = magnitude(walk->mult), array_mult = magnitude(walk->array_mult);
    return mult == array_mult ? width : 1 + rts_div_up(array_mult * (width + 1), mult);
}

static void find_reach(rts_neighbourhood_t *around) {
    bool is_known = !around->cut.is_mixed && !around->loop->is_uncertain;
    for (int dim = 0; dim < RTS_MAX_RANK; dim++)
        around->reach[dim] = 0;
    for (int i = 0; i < around->across_count; i++) {
        const rts_across_array_t *across = &around->across[i];
        is_known = is_known && !across->is_out;
        for (int axis = 0; axis < across->array->space.rank && is_known; axis++) {
            const rts_walk_t *walk = &across->walk[axis];
            const rts_index_t width = rts_max(across->low[axis], across->high[axis]);
            if (width == 0)
                continue;
            is_known = walk->dim >= 0 && walk->is_known && walk->mult != 0 && walk->array_mult != 0;
            if (is_known)
                around->reach[walk->dim] = rts_max(around->reach[walk->dim], reach_along(walk, width));
        }
    }
    for (int dim = 0; dim < RTS_MAX_RANK && !is_known; dim++)
        around->reach[dim] = 0;
}

/* Whether the program has told all references to an array, or what follows from them. */
static bool knows_references(const rts_loop_t *loop, const rts_array_t *array) {
    bool any = loop->has_vectors;
    for (int i = 0; i < loop->array_count && !loop->has_vectors; i++) {
        if (loop->array[i].array != array || loop->array[i].is_remote)
            continue;
        if (!loop->array[i].has_references)
            return false;
        any = true;
    }
    return any;
}

/* Whether nothing can be read of a neighbour that lies beyond the iterations here along all of these dims, several of them. The references
 * must be known, and each must be a dependence: it is not where strides leave out elements that are read all the same. */
static bool is_unread(const rts_neighbourhood_t *around, unsigned dims) {
    const rts_loop_t *loop = around->loop;
    const rts_dependences_t *dependences = loop->has_vectors ? &loop->vectors : &loop->found;
    if (rts_loop_has_query_handler(loop))
        return false;
    for (int i = 0; i < around->across_count; i++)
        if (!rts_across_is_dense(&around->across[i]) || !knows_references(loop, around->across[i].array))
            return false;
    for (int i = 0; i < dependences->count; i++) {
        unsigned along = 0;
        for (int dim = 0; dim < dependences->rank; dim++)
            along |= dependences->vector[i][dim] != 0 ? 1u << dim : 0;
        if ((along & dims) == dims)
            return false;
    }
    return (dims & (dims - 1)) != 0;
}

/* A dim along which all iterations of a neighbour come after all those here, so that only the last ones here read its values; the
 * stage dim if it is one, since these iterations are in the last tile only. A neighbour across a corner comes still later, and without
 * dependences that lead across none is read. */
static int find_above(const rts_neighbourhood_t *around, const rts_neighbour_t *neighbour) {
    int above = -1;
    unsigned dims = 0;
    for (int i = around->cut.rank - 1; i >= 0; i--) {
        const int dim = around->cut.order[i];
        if (around->reach[dim] == 0 || rts_box_is_empty(&neighbour->local) ||
            neighbour->local.lo[dim] < around->loop->local.hi[dim])
            continue;
        above = dim;
        dims |= 1u << dim;
    }
    return above >= 0 && is_unread(around, dims) ? RTS_NOT_READ : above;
}

/* ---- messages ---- */

static rts_status_t add_old(rts_neighbourhood_t *around, int number) {
    const rts_box_t *here = &around->loop->local;
    rts_neighbour_t *neighbour = &around->neighbour[number];
    rts_transfer_clear(&neighbour->old);
    for (int i = 0; i < around->across_count; i++) {
        const rts_across_array_t *across = &around->across[i];
        const rts_box_t *theirs = rts_neighbour_part(around, number, i, false),
                        *ours = rts_neighbour_part(around, number, i, true);
        if (!rts_box_is_empty(here) && !comes_later(around, across, &neighbour->local, here, theirs))
            RTS_TRY(rts_transfer_receive(&neighbour->old, across->array, theirs, neighbour->process));
        if (!rts_box_is_empty(&neighbour->local) &&
            !comes_later(around, across, here, &neighbour->local, ours))
            RTS_TRY(rts_transfer_send(&around->old_sent, across->array, ours, neighbour->process));
    }
    neighbour->is_old_under_way = neighbour->old.count > 0;
    return RTS_OK;
}

/* Wait for what comes from a neighbour, and put it where the loop finds it. */
static rts_status_t take_old(rts_neighbourhood_t *around, int number, const rts_exec_data_t *data) {
    rts_neighbour_t *neighbour = &around->neighbour[number];
    if (!neighbour->is_old_under_way)
        return RTS_OK;
    neighbour->is_old_under_way = false;
    RTS_TRY(rts_transfer_finish(&neighbour->old));
    for (int i = 0; i < neighbour->old.count; i++)
        RTS_TRY(rts_exec_data_bring(data, neighbour->old.part[i].array, &neighbour->old.part[i].box));
    return RTS_OK;
}

rts_status_t rts_old_start(rts_neighbourhood_t *around, const rts_exec_data_t *data) {
    find_reach(around);
    around->old_sent.tag = RTS_TAG_TRANSFER;
    rts_transfer_clear(&around->old_sent);
    for (int n = 0; n < around->count; n++) {
        around->neighbour[n].old.tag = RTS_TAG_TRANSFER;
        RTS_TRY(add_old(around, n));
    }
    for (int n = 0; n < around->count; n++)
        RTS_TRY(rts_transfer_start(&around->neighbour[n].old));
    RTS_TRY(rts_transfer_start(&around->old_sent));
    for (int n = 0; n < around->count; n++) {
        around->neighbour[n].above = find_above(around, &around->neighbour[n]);
        if (around->neighbour[n].above < 0)
            RTS_TRY(take_old(around, n, data));
    }
    return RTS_OK;
}

rts_status_t rts_old_finish(rts_neighbourhood_t *around, const rts_exec_data_t *data) {
    for (int n = 0; n < around->count; n++)
        RTS_TRY(take_old(around, n, data));
    return rts_transfer_finish(&around->old_sent);
}

/* ---- tiles ---- */

static rts_status_t launch_part(const rts_neighbourhood_t *around, const rts_cut_tile_t *tile,
                                rts_launch_fn_t launch) {
    return rts_cut_tile_is_empty(&around->cut, tile) ? RTS_OK : launch(tile);
}

/* Where the iterations of a tile begin that must wait for a neighbour. */
static rts_index_t waiting_from(const rts_neighbourhood_t *around, const rts_cut_tile_t *tile, int above) {
    return rts_max(tile->box.lo[above],
                   rts_min(tile->box.hi[above], around->loop->local.hi[above] - around->reach[above]));
}

static bool must_wait(const rts_neighbourhood_t *around, const rts_cut_tile_t *tile, int above) {
    rts_cut_tile_t waiting = *tile;
    waiting.box.lo[above] = waiting_from(around, tile, above);
    return !rts_cut_tile_is_empty(&around->cut, &waiting);
}

/* Take what has come, and of the rest find the dims along which the tile reaches iterations that must wait. */
static rts_status_t look_at_old(rts_neighbourhood_t *around, const rts_exec_data_t *data,
                                const rts_cut_tile_t *tile, unsigned *dims_p) {
    *dims_p = 0;
    for (int n = 0; n < around->count; n++) {
        rts_neighbour_t *neighbour = &around->neighbour[n];
        bool has_come = false;
        if (!neighbour->is_old_under_way || neighbour->above == RTS_NOT_READ)
            continue;
        RTS_TRY(rts_comm_test(&neighbour->old.flight, &has_come));
        if (has_come)
            RTS_TRY(take_old(around, n, data));
        else if (must_wait(around, tile, neighbour->above))
            *dims_p |= 1u << neighbour->above;
    }
    return RTS_OK;
}

rts_status_t rts_old_run(rts_neighbourhood_t *around, const rts_exec_data_t *data, const rts_cut_tile_t *tile,
                         rts_launch_fn_t launch) {
    rts_cut_tile_t first = *tile;
    unsigned dims;
    RTS_TRY(look_at_old(around, data, tile, &dims));
    for (int dim = 0; dim < around->cut.rank; dim++)
        if ((dims >> dim & 1) != 0)
            first.box.hi[dim] = waiting_from(around, tile, dim);
    RTS_TRY(launch_part(around, &first, launch));
    for (int n = 0; n < around->count && dims != 0; n++)
        if (around->neighbour[n].is_old_under_way && around->neighbour[n].above != RTS_NOT_READ &&
            (dims >> around->neighbour[n].above & 1) != 0)
            RTS_TRY(take_old(around, n, data));
    for (int dim = around->cut.rank - 1; dim >= 0; dim--) { /* the last along an outer dim are last of all */
        rts_cut_tile_t rest = first;
        if ((dims >> dim & 1) == 0)
            continue;
        rest.box.lo[dim] = first.box.hi[dim];
        rest.box.hi[dim] = first.box.hi[dim] = tile->box.hi[dim];
        RTS_TRY(launch_part(around, &rest, launch));
    }
    return RTS_OK;
}
