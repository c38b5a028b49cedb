/* Buffers of remote access; see the header. One process has everything itself, so that filling one is a copy. */
#include <config.h>

#include "rts/remote.h"

#include <dvmhlib_const.h>

#include "rts/coherence.h"
#include "rts/runtime.h"
#include "rts/section.h"

/* What a buffer has of the source, and where. */
typedef struct shape {
    rts_box_t space;
    rts_section_t from, to;
} shape_t;

static void add_axis(shape_t *shape, rts_index_t lo, rts_index_t hi, rts_index_t start, rts_index_t count,
                     rts_index_t step) {
    const int axis = shape->space.rank++;
    shape->to.rank = shape->space.rank;
    shape->space.lo[axis] = lo;
    shape->space.hi[axis] = hi;
    shape->to.start[axis] = start;
    shape->to.count[axis] = count;
    shape->to.step[axis] = step;
}

/* A constant index takes no axis of the buffer. */
static void add_constant(shape_t *shape, int axis, rts_index_t index) {
    shape->from.start[axis] = index;
    shape->from.count[axis] = 1;
    shape->from.step[axis] = 1;
}

static void add_dim(shape_t *shape, const rts_loop_t *loop, int axis, const rts_align_rule_t *rule) {
    const int dim = rule->axis;
    const rts_index_t first = loop->start[dim], last = first + (loop->count[dim] - 1) * loop->step[dim];
    add_axis(shape, rts_min(first, last), rts_max(first, last) + 1, first, loop->count[dim], loop->step[dim]);
    /* The sum is an index of the array, its terms may be larger than that. */
    shape->from.start[axis] = (rts_index_t)((uint64_t)rule->mult * (uint64_t)first + (uint64_t)rule->add);
    shape->from.count[axis] = loop->count[dim];
    shape->from.step[axis] = loop->count[dim] > 1 ? rule->mult * loop->step[dim] : 1;
}

/* `loop` is NULL for buffers outside of loops. */
static shape_t find_shape(const rts_array_t *source, const rts_align_rule_t rule[], const rts_loop_t *loop) {
    shape_t shape = {.from = rts_section_whole(source)};
    for (int axis = 0; axis < source->space.rank; axis++) {
        if (rule[axis].axis >= 0)
            add_dim(&shape, loop, axis, &rule[axis]);
        else if (rule[axis].axis == RTS_ALIGN_CONSTANT)
            add_constant(&shape, axis, rule[axis].add);
        else
            add_axis(&shape, source->space.lo[axis], source->space.hi[axis], source->space.lo[axis],
                     shape.from.count[axis], 1);
    }
    if (shape.space.rank == 0)
        add_axis(&shape, 0, 1, 0, 1, 1);
    return shape;
}

static rts_status_t fill(rts_array_t *source, const shape_t *shape, rts_array_t *buffer) {
    const rts_axis_rule_t everywhere[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    RTS_TRY(rts_array_distribute(buffer, everywhere, &rts_runtime()->grid));
    return rts_section_copy(source, &shape->from, buffer, &shape->to);
}

static void destroy(rts_array_t *buffer) {
    if (buffer != NULL)
        rts_coherence_release(buffer);
    rts_array_destroy(buffer);
}

static rts_status_t make(rts_array_t *source, const shape_t *shape, rts_array_t **buffer_p) {
    const rts_index_t no_edge[RTS_MAX_RANK] = {0};
    rts_array_t *buffer;
    RTS_TRY(rts_array_create(&shape->space, source->element, no_edge, no_edge, true, &buffer));
    const rts_status_t status = fill(source, shape, buffer);
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
    return make(source, &shape, buffer_p);
}

/* Only the host runs handlers of another kind than records, which are told the source itself. */
static bool asks_for_buffers(const rts_loop_t *loop) {
    const rts_handler_t *handler = rts_loop_handler(loop, DEVICE_TYPE_HOST);
    return !loop->is_empty && handler != NULL && (handler->type & RTS_HANDLER_RECORD) == 0;
}

rts_status_t rts_remote_fill(rts_loop_t *loop) {
    for (int i = 0; i < loop->remote_count && asks_for_buffers(loop); i++) {
        rts_loop_remote_t *remote = &loop->remote[i];
        const shape_t shape = find_shape(remote->array, remote->rule, loop);
        RTS_TRY(make(remote->array, &shape, &remote->buffer));
    }
    return RTS_OK;
}

void rts_remote_drop(rts_loop_t *loop) {
    for (int i = 0; i < loop->remote_count; i++) {
        destroy(loop->remote[i].buffer);
        loop->remote[i].buffer = NULL;
    }
}
