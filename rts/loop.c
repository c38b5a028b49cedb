/* The one loop object and its clauses; see the header. */
#include <config.h>

#include "rts/loop.h"

#include <string.h>

static rts_loop_t the_loop;

/* Iterations of an inclusive range. @return false when the count does not fit 62 bits */
static bool range_count(rts_index_t start, rts_index_t end, rts_index_t step, rts_index_t *count_p) {
    rts_index_t span;
    *count_p = 0;
    if (step > 0 ? end < start : end > start)
        return true;
    if (__builtin_sub_overflow(end, start, &span) || span > INT64_MAX / 2 || span < -(INT64_MAX / 2))
        return false;
    *count_p = span / step + 1;
    return true;
}

static rts_status_t open_dims(rts_loop_t *loop, const rts_index_t start[], const rts_index_t end[],
                              const rts_index_t step[]) {
    rts_index_t total = 1;
    for (int dim = 0; dim < loop->rank; dim++) {
        if (step[dim] == 0)
            return rts_fail(RTS_ERR_INVALID, "loop axis %d has step 0; allowed: any other step", dim + 1);
        if (!range_count(start[dim], end[dim], step[dim], &loop->count[dim]))
            return rts_fail(
                RTS_ERR_INVALID,
                "loop axis %d: range %lld..%lld is too long; allowed: bounds less than 2^62 apart", dim + 1,
                (long long)start[dim], (long long)end[dim]);
        if (__builtin_mul_overflow(total, rts_max(loop->count[dim], 1), &total))
            return rts_fail(RTS_ERR_INVALID, "the loop has 2^63 iterations or more; allowed: fewer");
        loop->start[dim] = start[dim];
        loop->step[dim] = step[dim];
    }
    return RTS_OK;
}

rts_status_t rts_loop_open(int rank, const rts_index_t start[], const rts_index_t end[],
                           const rts_index_t step[], rts_loop_t **loop_p) {
    rts_loop_t *loop = &the_loop;
    if (loop->handle != 0)
        return rts_fail(RTS_ERR_INVALID,
                        "the loop of line %d is still open: only one may be, until it is performed",
                        loop->position.line);
    if (rank < 0 || rank > RTS_MAX_RANK)
        return rts_fail(RTS_ERR_INVALID, "a loop of rank %d; allowed: 0..%d", rank, RTS_MAX_RANK);
    loop->rank = rank;
    RTS_TRY(open_dims(loop, start, end, step));
    loop->region = NULL;
    loop->has_map = loop->has_vectors = false;
    loop->map_template = NULL;
    loop->map_array = NULL;
    loop->handler_count = loop->across_count = loop->tie_count = 0;
    loop->reduction_count = loop->array_count = loop->remote_count = loop->consistent_count = 0;
    loop->variable_count = 0;
    loop->shadow.is_given = false;
    loop->shadow.count = 0;
    loop->stage = 0;
    memset(loop->cuda_block, 0, sizeof loop->cuda_block);
    loop->layout_rule = (rts_layout_rule_t){.forbidden = 0};
    rts_dependences_init(&loop->found, rank);
    RTS_TRY(rts_handle_create(RTS_HANDLE_LOOP, loop, &loop->handle));
    *loop_p = loop;
    return RTS_OK;
}

void rts_loop_close(rts_loop_t *loop) {
    rts_handle_destroy(loop->handle);
    loop->handle = 0;
}

rts_loop_t *rts_loop_current(void) {
    return the_loop.handle != 0 ? &the_loop : NULL;
}

rts_status_t rts_loop_set_map(rts_loop_t *loop, rts_template_t *template, rts_array_t *array,
                              const rts_alignment_t *map) {
    const rts_box_t *target = template != NULL ? &template->distribution.space : &array->space;
    bool used[RTS_MAX_RANK] = {false};
    if (loop->has_map)
        return rts_fail(RTS_ERR_INVALID, "the loop has a mapping already; allowed: one");
    if (map->rank != target->rank)
        return rts_fail(RTS_ERR_INVALID, "%d mapping rules given; the target has rank %d", map->rank,
                        target->rank);
    if (template != NULL ? !template->is_distributed : !array->is_distributed)
        return rts_fail(RTS_ERR_INVALID, "the loop is mapped on %s that is not distributed",
                        template ? "a template" : "an array");
    for (int i = 0; i < map->rank; i++) {
        const rts_align_rule_t *rule = &map->rule[i];
        if (rule->axis >= loop->rank)
            return rts_fail(RTS_ERR_INVALID, "mapping rule %d names loop axis %d; the loop has rank %d",
                            i + 1, rule->axis + 1, loop->rank);
        if (rule->axis >= 0 && rule->mult == 0)
            return rts_fail(RTS_ERR_INVALID,
                            "mapping rule %d multiplies loop axis %d by 0; allowed: any other number", i + 1,
                            rule->axis + 1);
        if (rule->axis >= 0 && used[rule->axis])
            return rts_fail(RTS_ERR_INVALID, "mapping rule %d uses loop axis %d a second time", i + 1,
                            rule->axis + 1);
        if (rule->axis >= 0)
            used[rule->axis] = true;
    }
    loop->has_map = true;
    loop->map_template = template;
    loop->map_array = array;
    loop->map = *map;
    return RTS_OK;
}

static rts_status_t check_room(int count, const char *what) {
    if (count < RTS_MAX_LOOP_ITEMS)
        return RTS_OK;
    return rts_fail(RTS_ERR_INVALID, "more than %d %s in one loop", RTS_MAX_LOOP_ITEMS, what);
}

rts_status_t rts_loop_add_across(rts_loop_t *loop, bool is_out, rts_array_t *array, const rts_index_t low[],
                                 const rts_index_t high[]) {
    RTS_TRY(check_room(loop->across_count, "across arrays"));
    for (int axis = 0; axis < array->space.rank; axis++)
        if (low[axis] < 0 || high[axis] < 0)
            return rts_fail(RTS_ERR_INVALID, "across widths %lld:%lld of axis %d; allowed: 0 and more",
                            (long long)low[axis], (long long)high[axis], axis + 1);
    rts_loop_across_t *across = &loop->across[loop->across_count++];
    across->array = array;
    across->is_out = is_out;
    memcpy(across->low, low, (size_t)array->space.rank * sizeof low[0]);
    memcpy(across->high, high, (size_t)array->space.rank * sizeof high[0]);
    return RTS_OK;
}

rts_status_t rts_loop_add_tie(rts_loop_t *loop, rts_array_t *array, const rts_index_t axis_dim[]) {
    bool used[RTS_MAX_RANK] = {false};
    RTS_TRY(check_room(loop->tie_count, "tied arrays"));
    rts_loop_tie_t *tie = &loop->tie[loop->tie_count];
    tie->array = array;
    for (int axis = 0; axis < array->space.rank; axis++) {
        if (axis_dim[axis] < -loop->rank || axis_dim[axis] > loop->rank)
            return rts_fail(RTS_ERR_INVALID, "array axis %d is tied to loop axis %lld; the loop has rank %d",
                            axis + 1, (long long)axis_dim[axis], loop->rank);
        const rts_index_t dim = axis_dim[axis] < 0 ? -axis_dim[axis] : axis_dim[axis];
        if (dim > 0 && used[dim - 1])
            return rts_fail(RTS_ERR_INVALID, "loop axis %lld is tied to two axes of one array",
                            (long long)dim);
        if (dim > 0)
            used[dim - 1] = true;
        tie->dim[axis] = (int)dim - 1;
        tie->sign[axis] = axis_dim[axis] < 0 ? -1 : 1;
    }
    loop->tie_count++;
    return RTS_OK;
}

rts_status_t rts_loop_add_reduction(rts_loop_t *loop, const rts_reduction_t *reduction, void *values,
                                    void *locations) {
    RTS_TRY(check_room(loop->reduction_count, "reductions"));
    if (values == NULL)
        return rts_fail(RTS_ERR_INVALID, "reduction %d has no variable: its address is 0",
                        loop->reduction_count + 1);
    rts_loop_reduction_t *entry = &loop->reduction[loop->reduction_count++];
    entry->reduction = *reduction;
    entry->values = values;
    entry->locations =
        rts_reduction_has_location(reduction) && reduction->location_bytes > 0 ? locations : NULL;
    return RTS_OK;
}

rts_status_t rts_loop_add_handler(rts_loop_t *loop, const rts_handler_t *handler) {
    RTS_TRY(check_room(loop->handler_count, "handlers"));
    loop->handler[loop->handler_count++] = *handler;
    return RTS_OK;
}

rts_status_t rts_loop_add_array(rts_loop_t *loop, const rts_loop_array_t *array) {
    RTS_TRY(check_room(loop->array_count, "arrays"));
    rts_loop_array_t *entry = &loop->array[loop->array_count];
    *entry = *array;
    entry->remote = 0;
    for (int i = 0; i < loop->array_count; i++)
        entry->remote += loop->array[i].is_remote;
    loop->array_count++;
    return RTS_OK;
}

/* Do all indices that a rule names lie in the array? */
static rts_status_t check_remote_rule(const rts_loop_t *loop, const rts_array_t *array, int axis,
                                      const rts_align_rule_t *rule) {
    __extension__ typedef __int128 wide_t; /* what the program wrote cannot overflow */
    wide_t first = rule->add, last = rule->add;
    if (rule->axis == RTS_ALIGN_ANY)
        return RTS_OK;
    if (rule->axis >= loop->rank)
        return rts_fail(RTS_ERR_INVALID, "axis %d names loop axis %d; the loop has rank %d", axis + 1,
                        rule->axis + 1, loop->rank);
    if (rule->axis >= 0) {
        const int dim = rule->axis;
        if (rule->mult == 0)
            return rts_fail(RTS_ERR_INVALID,
                            "axis %d multiplies loop axis %d by 0; allowed: any other number", axis + 1,
                            dim + 1);
        if (loop->count[dim] == 0)
            return RTS_OK;
        first += (wide_t)rule->mult * loop->start[dim];
        last += (wide_t)rule->mult * (loop->start[dim] + (loop->count[dim] - 1) * loop->step[dim]);
    }
    const wide_t low = first < last ? first : last, high = first < last ? last : first;
    if (low >= array->space.lo[axis] && high < array->space.hi[axis])
        return RTS_OK;
    const wide_t bad = low < array->space.lo[axis] ? low : high;
    const rts_index_t shown = bad > INT64_MAX ? INT64_MAX : bad < INT64_MIN ? INT64_MIN : (rts_index_t)bad;
    return rts_fail(RTS_ERR_INVALID, "axis %d: index %lld; allowed: %lld..%lld", axis + 1, (long long)shown,
                    (long long)array->space.lo[axis], (long long)array->space.hi[axis] - 1);
}

static rts_status_t check_remote_rules(const rts_loop_t *loop, const rts_array_t *array,
                                       const rts_align_rule_t rule[]) {
    if (!array->is_distributed)
        return rts_fail(RTS_ERR_INVALID,
                        "the array has no storage yet; allowed: a distributed or aligned array");
    for (int axis = 0; axis < array->space.rank; axis++)
        RTS_TRY(check_remote_rule(loop, array, axis, &rule[axis]));
    return RTS_OK;
}

rts_status_t rts_loop_add_remote(rts_loop_t *loop, rts_array_t *array, const rts_align_rule_t rule[]) {
    RTS_TRY(check_room(loop->remote_count, "remote accesses"));
    RTS_TRY(check_remote_rules(loop, array, rule));
    rts_loop_remote_t *remote = &loop->remote[loop->remote_count++];
    remote->array = array;
    remote->buffer = NULL;
    memcpy(remote->rule, rule, (size_t)array->space.rank * sizeof rule[0]);
    return RTS_OK;
}

rts_status_t rts_loop_add_consistent(rts_loop_t *loop, rts_array_t *array, const rts_align_rule_t rule[]) {
    RTS_TRY(check_room(loop->consistent_count, "consistent arrays"));
    RTS_TRY(check_remote_rules(loop, array, rule));
    rts_loop_consistent_t *consistent = &loop->consistent[loop->consistent_count++];
    consistent->array = array;
    memcpy(consistent->rule, rule, (size_t)array->space.rank * sizeof rule[0]);
    return RTS_OK;
}

rts_status_t rts_loop_add_variable(rts_loop_t *loop, const rts_loop_variable_t *variable) {
    RTS_TRY(check_room(loop->variable_count, "ordinary arrays"));
    if (variable->address == NULL)
        return rts_fail(RTS_ERR_INVALID, "an ordinary array at address 0; allowed: any other");
    if (variable->bytes == 0 || variable->bytes > PTRDIFF_MAX)
        return rts_fail(RTS_ERR_INVALID, "an ordinary array of %lld bytes; allowed: 1 and more",
                        (long long)variable->bytes);
    if (variable->intent < 1 || variable->intent > 3)
        return rts_fail(RTS_ERR_INVALID, "intent %d; allowed: 1 (in), 2 (out), 3 (both)", variable->intent);
    if (loop->region == NULL)
        return rts_fail(RTS_ERR_INVALID,
                        "an ordinary array is told for a loop outside regions; allowed: in a region");
    loop->variable[loop->variable_count++] = *variable;
    return RTS_OK;
}

rts_status_t rts_loop_set_stage(rts_loop_t *loop, rts_index_t stage) {
    if (stage < 0)
        return rts_fail(RTS_ERR_INVALID, "%lld stages; allowed: 1 and more, or 0 (chosen by the runtime)",
                        (long long)stage);
    loop->stage = stage;
    return RTS_OK;
}

rts_status_t rts_loop_set_cuda_block(rts_loop_t *loop, const rts_index_t size[3]) {
    int used = 0;
    for (int i = 0; i < 3; i++) {
        if (size[i] < 1 || size[i] > INT32_MAX)
            return rts_fail(RTS_ERR_INVALID, "a block of %lld x %lld x %lld threads; allowed: 1..%d each",
                            (long long)size[0], (long long)size[1], (long long)size[2], INT32_MAX);
        if (size[i] > 1)
            used = i + 1;
    }
    if (used > loop->rank)
        return rts_fail(
            RTS_ERR_INVALID,
            "a block of %lld x %lld x %lld threads for a loop of rank %d; allowed: at most %d sizes",
            (long long)size[0], (long long)size[1], (long long)size[2], loop->rank, loop->rank);
    memcpy(loop->cuda_block, size, sizeof loop->cuda_block);
    return RTS_OK;
}

rts_status_t rts_loop_add_distance(rts_loop_t *loop, const rts_index_t distance[]) {
    rts_index_t vector[RTS_MAX_RANK];
    int lead = 0;
    while (lead < loop->rank && distance[lead] == 0)
        lead++;
    if (lead == loop->rank)
        return RTS_OK;
    for (int dim = 0; dim < loop->rank; dim++) /* whichever of the two iterations runs first */
        vector[dim] = distance[lead] > 0 ? distance[dim] : -distance[dim];
    return rts_dependences_add(&loop->found, vector);
}

const rts_handler_t *rts_loop_handler(const rts_loop_t *loop, int device_type) {
    for (int i = 0; i < loop->handler_count; i++)
        if (loop->handler[i].device_type == device_type)
            return &loop->handler[i];
    return NULL;
}
