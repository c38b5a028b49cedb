/* An element of an edge lies outside of the local part along at least one axis along which the edge was asked for. So iterations that stay
 * inside along all these axes read none of them, and what they read else is as it was. */
#include <config.h>

#include "rts/overlap.h"

#include "rts/across_array.h"
#include "rts/exchange.h"
#include "rts/halo.h"
#include "rts/region.h"
#include "rts/runtime.h"
#include "rts/stats.h"

/* Local iterations below which a message takes longer than they do, and a few launches more would cost what is gained. */
#define MIN_ITERATIONS 16384

/* ---- is it right? ---- */

static bool is_suitable(const rts_loop_t *loop) {
    return loop->has_map && !loop->is_empty && loop->rank > 0 && !loop->shadow.is_given &&
           loop->remote_count == 0 && loop->across_count == 0 && loop->dependences.count == 0 &&
           (!loop->has_vectors || loop->vectors.count == 0);
}

/* Query handlers can ask for any array that their region has; record handlers know what they were told. */
static bool may_use_untold(const rts_loop_t *loop, const rts_array_t *array) {
    if (loop->region != NULL && !rts_region_has(loop->region, array))
        return false;
    return rts_loop_has_query_handler(loop);
}

static bool is_told(const rts_loop_t *loop, const rts_array_t *array) {
    for (int i = 0; i < loop->array_count; i++)
        if (loop->array[i].array == array && !loop->array[i].is_remote)
            return true;
    return false;
}

/* Widths of the edges that others own, along one axis. */
static rts_index_t edge_width(const rts_halo_waiting_t *waiting, int axis) {
    const rts_array_t *array = waiting->array;
    const rts_index_t low = rts_min(waiting->low[axis], array->local.lo[axis] - array->space.lo[axis]),
                      high = rts_min(waiting->high[axis], array->space.hi[axis] - array->local.hi[axis]);
    return rts_box_is_empty(&array->local) ? 0 : rts_max(low, high);
}

/* Keep the iterations with mult * (variable of the dim) + add inside the local part. */
static void keep_inside(const rts_loop_t *loop, int dim, rts_index_t mult, rts_index_t add,
                        const rts_box_t *local, int axis, rts_box_t *interior) {
    rts_index_t first, end;
    rts_iterations_within(loop->start[dim], loop->step[dim], loop->count[dim], mult, add, local->lo[axis],
                          local->hi[axis], &first, &end);
    interior->lo[dim] = rts_max(interior->lo[dim], first);
    interior->hi[dim] = rts_min(interior->hi[dim], end);
}

/* @return false  unknown, or all iterations read the edge */
static bool keep_by_references(const rts_loop_t *loop, const rts_loop_array_t *use, int axis,
                               rts_box_t *interior) {
    const rts_loop_reach_t *reach = &use->reach[axis];
    const rts_box_t *local = &use->array->local;
    if (!reach->is_known)
        return false;
    if (reach->mult == 0)
        return reach->low >= local->lo[axis] && reach->high < local->hi[axis];
    keep_inside(loop, use->dim[axis], reach->mult, reach->low, local, axis, interior);
    keep_inside(loop, use->dim[axis], reach->mult, reach->high, local, axis, interior);
    return true;
}

/* What a body reads wherever processes meet is not farther than the widths from what the mapping gives the iteration. At both ends of
 * the dim, and counted in iterations: this holds back also those of a single reference that runs along the axis in another way, since
 * each of its iterations reads another element, and the first or the last of them those of the edge. */
static bool keep_by_mapping(const rts_loop_t *loop, const rts_array_t *array, int axis, rts_index_t width,
                            rts_box_t *interior) {
    const rts_walk_t walk = rts_walk_find(loop, array, axis);
    if (walk.dim < 0 || !walk.is_known || (walk.array_mult != 1 && walk.array_mult != -1) ||
        (walk.mult != loop->step[walk.dim] && walk.mult != -loop->step[walk.dim]))
        return false;
    interior->lo[walk.dim] = rts_max(interior->lo[walk.dim], loop->local.lo[walk.dim] + width);
    interior->hi[walk.dim] = rts_min(interior->hi[walk.dim], loop->local.hi[walk.dim] - width);
    return true;
}

/* Keep the iterations that read none of the edges of one request. @return false when that cannot be told, or when none is left */
static bool keep_off(const rts_loop_t *loop, const rts_halo_waiting_t *waiting, rts_box_t *interior) {
    const rts_array_t *array = waiting->array;
    const bool by_mapping = !is_told(loop, array) && may_use_untold(loop, array);
    bool good = true;
    for (int axis = 0; axis < array->space.rank && good; axis++) {
        const rts_index_t width = edge_width(waiting, axis);
        if (width == 0)
            continue;
        for (int i = 0; i < loop->array_count && good; i++) {
            const rts_loop_array_t *use = &loop->array[i];
            if (use->array == array && use->has_references)
                good = keep_by_references(loop, use, axis, interior);
            else if (use->array == array)
                good = keep_by_mapping(loop, array, axis, width, interior);
        }
        if (good && by_mapping)
            good = keep_by_mapping(loop, array, axis, width, interior);
    }
    return good && !rts_box_is_empty(interior);
}

/* ---- does it pay? ---- */

static bool is_worth_it(const rts_loop_t *loop, const rts_box_t *interior) {
    const rts_index_t all = rts_box_size(&loop->local);
    return rts_runtime()->environment.overlap == 1 ||
           (all >= MIN_ITERATIONS && rts_box_size(interior) >= all / 2);
}

bool rts_overlap_find(const rts_loop_t *loop, rts_box_t *interior_p) {
    rts_box_t interior = loop->local;
    if (rts_halo_pending == 0 || rts_runtime()->environment.overlap == 0 || !is_suitable(loop))
        return false;
    for (int number = 0; number < rts_halo_pending; number++) {
        const rts_halo_waiting_t waiting = rts_halo_waiting(number);
        if (!keep_off(loop, &waiting, &interior))
            return false;
    }
    *interior_p = interior;
    return is_worth_it(loop, &interior);
}

/* ---- the loop ---- */

typedef struct arrival {
    const rts_loop_t *loop;
    const rts_exec_data_t *data;
} arrival_t;

/* Arrays that the loop cannot use stay as they are. */
static rts_status_t bring(void *context, rts_array_t *array, const rts_box_t *box) {
    const arrival_t *arrival = context;
    if (!is_told(arrival->loop, array) && !may_use_untold(arrival->loop, array))
        return RTS_OK;
    return rts_exec_data_bring(arrival->data, array, box);
}

static rts_status_t launch_part(const rts_box_t *box, rts_launch_fn_t launch) {
    const rts_cut_tile_t tile = {.box = *box};
    return rts_box_is_empty(box) ? RTS_OK : launch(&tile);
}

rts_status_t rts_overlap_run(const rts_loop_t *loop, const rts_box_t *interior, const rts_exec_data_t *data,
                             rts_launch_fn_t launch) {
    arrival_t arrival = {loop, data};
    rts_box_t rest = loop->local;
    rts_stats_add(RTS_STAT_OVERLAPS, 1);
    RTS_TRY(rts_exchange_fork());
    RTS_TRY(launch_part(interior, launch));
    RTS_TRY(rts_halo_finish(bring, &arrival));
    rts_exchange_join();
    for (int dim = 0; dim < loop->rank; dim++) { /* outer dims first, so that rows stay long */
        rts_box_t before = rest, behind = rest;
        before.hi[dim] = rest.lo[dim] = interior->lo[dim];
        behind.lo[dim] = rest.hi[dim] = interior->hi[dim];
        RTS_TRY(launch_part(&before, launch));
        RTS_TRY(launch_part(&behind, launch));
    }
    return RTS_OK;
}
