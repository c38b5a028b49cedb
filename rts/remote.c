/* Buffers of remote access; see the header. Every buffer exists in every process, even where nothing is needed: handles are the same
 * everywhere then. */
#include <config.h>

#include "rts/remote.h"

#include <dvmhlib_const.h>

#include "rts/clause.h"
#include "rts/coherence.h"
#include "rts/comm.h"
#include "rts/gather.h"
#include "rts/memory.h"
#include "rts/runtime.h"
#include "rts/section.h"

/* What a buffer has of the source, and where. */
typedef struct shape {
    rts_box_t space;
    rts_section_t from, to;
} shape_t;

static void add_axis(shape_t *shape, rts_index_t start, rts_index_t count, rts_index_t step) {
    const int axis = shape->space.rank++;
    const rts_index_t last = start + (count - 1) * step;
    shape->to.rank = shape->space.rank;
    shape->space.lo[axis] = rts_min(start, last);
    shape->space.hi[axis] = rts_max(start, last) + 1;
    shape->to.start[axis] = start;
    shape->to.count[axis] = count;
    shape->to.step[axis] = step;
}

/* A constant index takes no axis of the buffer; one that follows a dim is indexed by the loop's variable. `loop` is NULL for buffers outside
 * of loops. */
static shape_t find_shape(const rts_array_t *source, const rts_align_rule_t rule[], const rts_loop_t *loop) {
    shape_t shape = {.from = rts_clause_section(loop, source, rule)};
    for (int axis = 0; axis < source->space.rank; axis++) {
        const int dim = rule[axis].axis;
        if (dim >= 0)
            add_axis(&shape, loop->start[dim], loop->count[dim], loop->step[dim]);
        else if (dim == RTS_ALIGN_ANY)
            add_axis(&shape, shape.from.start[axis], shape.from.count[axis], 1);
    }
    if (shape.space.rank == 0)
        add_axis(&shape, 0, 1, 1);
    return shape;
}

static void destroy(rts_array_t *buffer) {
    if (buffer != NULL)
        rts_coherence_release(buffer);
    rts_array_destroy(buffer);
}

/* A buffer with undefined values. */
static rts_status_t make(const rts_array_t *source, const rts_box_t *space, rts_array_t **buffer_p) {
    const rts_index_t no_edge[RTS_MAX_RANK] = {0};
    const rts_axis_rule_t everywhere[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    rts_array_t *buffer;
    RTS_TRY(rts_array_create(space, source->element, no_edge, no_edge, true, &buffer));
    const rts_status_t status = rts_array_distribute(buffer, everywhere, &rts_runtime()->grid);
    if (status != RTS_OK) {
        destroy(buffer);
        return status;
    }
    *buffer_p = buffer;
    return RTS_OK;
}

rts_status_t rts_remote_create(rts_array_t *source, const rts_align_rule_t rule[], rts_array_t **buffer_p) {
    if (!source->is_distributed)
        return rts_fail(RTS_ERR_INVALID,
                        "the array has no storage yet; allowed: a distributed or aligned array");
    for (int axis = 0; axis < source->space.rank; axis++) {
        const rts_index_t lo = source->space.lo[axis], hi = source->space.hi[axis];
        if (rule[axis].axis >= 0)
            return rts_fail(
                RTS_ERR_INVALID,
                "axis %d follows loop axis %d, but there is no loop; allowed: a constant index, or "
                "all",
                axis + 1, rule[axis].axis + 1);
        if (rule[axis].axis == RTS_ALIGN_CONSTANT && (rule[axis].add < lo || rule[axis].add >= hi))
            return rts_fail(RTS_ERR_INVALID, "axis %d: index %lld; allowed: %lld..%lld", axis + 1,
                            (long long)rule[axis].add, (long long)lo, (long long)hi - 1);
    }
    const shape_t shape = find_shape(source, rule, NULL);
    rts_array_t *buffer;
    RTS_TRY(make(source, &shape.space, &buffer));
    const rts_status_t status = rts_section_copy(source, &shape.from, buffer, &shape.to);
    if (status != RTS_OK) {
        destroy(buffer);
        return status;
    }
    *buffer_p = buffer;
    return RTS_OK;
}

/* ---- in loops ---- */

/* What the iterations of a process need of the source. */
typedef struct need {
    const rts_loop_t *loop;
    const rts_loop_remote_t *remote;
} need_t;

/* Ordinals of the clause's section: all of them where a process runs more iterations than those of its part (shadow_compute). */
static rts_box_t wanted(const void *context, int process) {
    const need_t *need = context;
    const rts_array_t *array = need->remote->array;
    if (!need->loop->shadow.is_given)
        return rts_clause_part(need->loop, array, need->remote->rule, process);
    const rts_section_t section = rts_clause_section(need->loop, array, need->remote->rule);
    rts_box_t all = {.rank = section.rank};
    for (int axis = 0; axis < all.rank; axis++)
        all.hi[axis] = section.count[axis];
    return all;
}

/* The box around those elements, counted from the beginning of the array: ordinals of the whole array. */
static rts_box_t wanted_box(const void *context, int process) {
    const need_t *need = context;
    const rts_array_t *array = need->remote->array;
    const rts_box_t ordinals = wanted(need, process);
    if (rts_box_is_empty(&ordinals))
        return ordinals;
    const rts_section_t section = rts_clause_section(need->loop, array, need->remote->rule),
                        part = rts_section_part(&section, &ordinals);
    rts_box_t box = rts_section_box(&part);
    for (int axis = 0; axis < box.rank; axis++) {
        box.lo[axis] -= array->space.lo[axis];
        box.hi[axis] -= array->space.lo[axis];
    }
    return box;
}

/* Ordinals of the buffer's section, where constant indices of the source have no axis. */
static rts_box_t without_constants(const need_t *need, const rts_box_t *wanted) {
    rts_box_t box = {.rank = 0, .hi = {1}};
    for (int axis = 0; axis < wanted->rank; axis++) {
        if (need->remote->rule[axis].axis == RTS_ALIGN_CONSTANT)
            continue;
        box.lo[box.rank] = wanted->lo[axis];
        box.hi[box.rank++] = wanted->hi[axis];
    }
    box.rank = box.rank == 0 ? 1 : box.rank;
    return box;
}

/* Of what the iterations here need, to the part of the buffer that they read. */
static rts_status_t bring_part(const need_t *need, const shape_t *shape, const rts_box_t *mine) {
    const rts_loop_remote_t *remote = need->remote;
    const size_t bytes = (size_t)rts_box_size(mine) * remote->array->element.bytes;
    char *const values = bytes > 0 ? rts_alloc(bytes) : NULL;
    if (bytes > 0 && values == NULL)
        return rts_fail_memory("the values of a remote access", bytes);
    rts_status_t status = rts_gather_owned(remote->array, &shape->from, wanted, need, values);
    if (status == RTS_OK && bytes > 0) {
        const rts_box_t ordinals = without_constants(need, mine);
        const rts_section_t part = rts_section_part(&shape->to, &ordinals);
        status = rts_section_write(remote->buffer, &part, values);
    }
    rts_free(values);
    return status;
}

static rts_status_t fill_for_query(const rts_loop_t *loop, rts_loop_remote_t *remote) {
    const need_t need = {loop, remote};
    const shape_t shape = find_shape(remote->array, remote->rule, loop);
    const rts_box_t mine = wanted(&need, rts_comm_rank());
    RTS_TRY(make(remote->array, &shape.space, &remote->buffer));
    if (rts_comm_size() == 1)
        return rts_section_copy(remote->array, &shape.from, remote->buffer, &shape.to);
    return bring_part(&need, &shape, &mine);
}

/* The box of the source that is needed here becomes an array with the source's indices. */
static rts_status_t fill_for_record(const rts_loop_t *loop, rts_loop_remote_t *remote) {
    rts_array_t *const source = remote->array;
    const need_t need = {loop, remote};
    const rts_section_t whole = rts_section_whole(source);
    rts_box_t space = wanted_box(&need, rts_comm_rank());
    for (int axis = 0; axis < space.rank; axis++) {
        space.lo[axis] += source->space.lo[axis];
        space.hi[axis] += source->space.lo[axis];
        if (space.lo[axis] >= space.hi[axis]) /* nothing: there is a buffer all the same */
            space.hi[axis] = space.lo[axis] + 1;
    }
    RTS_TRY(make(source, &space, &remote->buffer));
    if (rts_comm_size() > 1)
        return rts_gather_owned(source, &whole, wanted_box, &need, remote->buffer->home.buffer);
    const rts_section_t all = rts_section_whole(remote->buffer);
    return rts_section_copy(source, &all, remote->buffer, &all);
}

static bool is_written(const rts_loop_t *loop, const rts_array_t *array) {
    bool written = false;
    for (int i = 0; i < loop->array_count; i++)
        written = written || (loop->array[i].array == array && (loop->array[i].intent & INTENT_OUT) != 0);
    for (int i = 0; i < loop->across_count; i++)
        written = written || loop->across[i].array == array;
    return written;
}

static rts_status_t check_use(const rts_loop_t *loop, const rts_loop_array_t *use) {
    if (use->remote >= loop->remote_count)
        return rts_fail(RTS_ERR_INVALID, "%d uses show sections of remote accesses, of which the loop has %d",
                        use->remote + 1, loop->remote_count);
    if (use->array != loop->remote[use->remote].array)
        return rts_fail(RTS_ERR_INVALID,
                        "use number %d of a section names another array than remote access number %d",
                        use->remote + 1, use->remote + 1);
    return RTS_OK;
}

static rts_status_t fill_for_records(rts_loop_t *loop) {
    for (int i = 0; i < loop->array_count; i++) {
        const rts_loop_array_t *use = &loop->array[i];
        if (!use->is_remote)
            continue;
        RTS_TRY(check_use(loop, use));
        if (!rts_gather_is_everywhere(use->array) || is_written(loop, use->array))
            RTS_TRY(fill_for_record(loop, &loop->remote[use->remote]));
    }
    return RTS_OK;
}

static bool has_iterations(const rts_loop_t *loop) {
    for (int dim = 0; dim < loop->rank; dim++)
        if (loop->count[dim] == 0)
            return false;
    return true;
}

/* The host's handler decides, or where there is none the first one: processes run on what they have, but all have the same handlers. */
rts_status_t rts_remote_fill(rts_loop_t *loop) {
    const rts_handler_t *handler = rts_loop_handler(loop, DEVICE_TYPE_HOST);
    if (handler == NULL && loop->handler_count > 0)
        handler = &loop->handler[0];
    if (!has_iterations(loop))
        return RTS_OK;
    if (handler == NULL || (handler->type & RTS_HANDLER_RECORD) != 0)
        return fill_for_records(loop);
    for (int i = 0; i < loop->array_count; i++)
        if (loop->array[i].is_remote)
            return rts_fail(RTS_ERR_INVALID,
                            "use number %d shows a section of a remote access; allowed: with "
                            "handlers that take records",
                            i + 1);
    for (int i = 0; i < loop->remote_count; i++)
        RTS_TRY(fill_for_query(loop, &loop->remote[i]));
    return RTS_OK;
}

void rts_remote_drop(rts_loop_t *loop) {
    for (int i = 0; i < loop->remote_count; i++) {
        destroy(loop->remote[i].buffer);
        loop->remote[i].buffer = NULL;
    }
}
