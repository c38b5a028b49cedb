/* A loop's clauses and its execution. */
#include <config.h>

#include <dvmhx.h>
#include <stdarg.h>
#include <string.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/consistent.h"
#include "rts/comm.h"
#include "rts/log.h"
#include "rts/variable.h"

/* The region that a loop belongs to: the open one, or none. */
static rts_region_t *region_of_loop(const char *entry_point, DvmType region) {
    rts_region_t *open = rts_region_current();
    if (region != 0)
        return hooks_region(entry_point, region);
    if (open != NULL)
        hooks_error(entry_point, "a loop outside regions while the region of line %d is open",
                    open->position.line);
    return NULL;
}

HOOKS_API DvmType dvmh_loop_create_C(DvmType region, DvmType rank, ...) {
    rts_index_t start[RTS_MAX_RANK], end[RTS_MAX_RANK], step[RTS_MAX_RANK];
    rts_loop_t *loop = NULL;
    va_list list;
    hooks_need_serial(__func__);
    rts_region_t *object = region_of_loop(__func__, region);
    const int checked_rank = hooks_new_rank(__func__, rank, 0);
    va_start(list, rank);
    for (int dim = 0; dim < checked_rank; dim++) {
        start[dim] = va_arg(list, DvmType);
        end[dim] = va_arg(list, DvmType);
        step[dim] = va_arg(list, DvmType);
    }
    va_end(list);
    HOOKS_TRY(rts_loop_open(checked_rank, start, end, step, &loop));
    loop->region = object;
    loop->position = rts_position_get();
    hooks_drop_helpers();
    return (DvmType)loop->handle;
}

HOOKS_API void dvmh_loop_map_C(DvmType loop, const DvmType target[], DvmType target_rank, ...) {
    rts_template_t *template;
    rts_array_t *array;
    va_list list;
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    hooks_target_described(__func__, target, &template, &array);
    rts_alignment_t map = {.rank = template != NULL ? template->distribution.space.rank : array->space.rank};
    hooks_check_rank(__func__, target_rank, map.rank);
    va_start(list, target_rank);
    for (int axis = 0; axis < map.rank; axis++)
        map.rule[axis] = hooks_alignment(__func__, va_arg(list, DvmType));
    va_end(list);
    HOOKS_TRY(rts_loop_set_map(object, template, array, &map));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_loop_across_C(DvmType loop, DvmType is_out, const DvmType header[], DvmType rank, ...) {
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    va_list list;
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    rts_array_t *array = hooks_array_described(__func__, header);
    hooks_check_rank(__func__, rank, array->space.rank);
    va_start(list, rank);
    for (int axis = 0; axis < array->space.rank; axis++) {
        low[axis] = va_arg(list, DvmType);
        high[axis] = va_arg(list, DvmType);
    }
    va_end(list);
    HOOKS_TRY(rts_loop_add_across(object, is_out != 0, array, low, high));
    hooks_drop_helpers();
}

/* So large that no memory holds it, and so small that partial results of all reductions and threads can be counted. */
#define REDUCTION_BYTES_MAX ((size_t)1 << 44)

HOOKS_API void dvmh_loop_reduction_C(DvmType loop, DvmType reduction, void *address, DvmType type,
                                     DvmType count, void *location, DvmType location_bytes) {
    rts_reduction_t checked;
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    HOOKS_TRY(rts_reduction_init(reduction, type, count, location_bytes, &checked));
    if ((size_t)checked.count > REDUCTION_BYTES_MAX / (checked.element_bytes + checked.location_bytes))
        hooks_error(__func__,
                    "a reduction variable of %ld elements of %zu bytes, %zu with location; allowed: 2^44 "
                    "bytes in all",
                    (long)count, checked.element_bytes, checked.element_bytes + checked.location_bytes);
    HOOKS_TRY(rts_loop_add_reduction(object, &checked, address, location));
    HOOKS_TRY(rts_variable_bring_home(address)); /* before the region may mark it as written elsewhere */
    if (rts_reduction_has_location(&checked))
        HOOKS_TRY(rts_variable_bring_home(location));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_loop_array_correspondence_C(DvmType loop, const DvmType header[], DvmType rank, ...) {
    rts_index_t dim[RTS_MAX_RANK];
    va_list list;
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    rts_array_t *array = hooks_array_described(__func__, header);
    hooks_check_rank(__func__, rank, array->space.rank);
    va_start(list, rank);
    for (int axis = 0; axis < array->space.rank; axis++) {
        dim[axis] = va_arg(list, DvmType);
        if (dim[axis] < -object->rank || dim[axis] > object->rank)
            hooks_error(
                __func__,
                "array axis %d is tied to loop axis %ld; allowed: %d..%d, negative for backwards, 0 for none",
                axis + 1, (long)dim[axis], -object->rank, object->rank);
    }
    va_end(list);
    HOOKS_TRY(rts_loop_add_tie(object, array, dim));
    hooks_drop_helpers();
}

/* The array of a clause and its rule for each axis. */
static rts_array_t *read_section(const char *entry_point, const DvmType header[], DvmType rank, va_list list,
                                 rts_align_rule_t rule[RTS_MAX_RANK]) {
    rts_array_t *array = hooks_array_described(entry_point, header);
    hooks_check_rank(entry_point, rank, array->space.rank);
    for (int axis = 0; axis < array->space.rank; axis++)
        rule[axis] = hooks_alignment(entry_point, va_arg(list, DvmType));
    return array;
}

HOOKS_API void dvmh_loop_remote_access_C(DvmType loop, const DvmType header[], DvmType rank, ...) {
    rts_align_rule_t rule[RTS_MAX_RANK];
    va_list list;
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    va_start(list, rank);
    rts_array_t *array = read_section(__func__, header, rank, list, rule);
    va_end(list);
    HOOKS_TRY(rts_loop_add_remote(object, array, rule));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_loop_consistent_C(DvmType loop, const DvmType header[], DvmType rank, ...) {
    rts_align_rule_t rule[RTS_MAX_RANK];
    va_list list;
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    va_start(list, rank);
    rts_array_t *array = read_section(__func__, header, rank, list, rule);
    va_end(list);
    if (!rts_consistent_is_possible(array))
        hooks_error(__func__, "the array is distributed; allowed: one that every process has whole");
    HOOKS_TRY(rts_loop_add_consistent(object, array, rule));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_loop_set_stage_C(DvmType loop, DvmType stage) {
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_loop_set_stage(hooks_loop(__func__, loop), stage));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_loop_set_cuda_block_C(DvmType loop, DvmType x, DvmType y, DvmType z) {
    const rts_index_t size[3] = {x, y, z};
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_loop_set_cuda_block(hooks_loop(__func__, loop), size));
    hooks_drop_helpers();
}

HOOKS_API DvmType dvmh_handler_func_C(DvmHandlerFunc function, DvmType count, ...) {
    DvmType word;
    va_list list;
    if (function == NULL)
        hooks_error(__func__, "the handler's address is 0");
    if (count < 0 || count > RTS_MAX_HANDLER_PARAMETERS)
        hooks_error(__func__, "%ld parameters; allowed: 0..%d", (long)count, RTS_MAX_HANDLER_PARAMETERS);
    rts_handler_t *handler = hooks_keep_handler(&word);
    handler->function = function;
    handler->parameter_count = (int)count;
    va_start(list, count);
    for (int i = 0; i < handler->parameter_count; i++)
        handler->parameter[i] = va_arg(list, void *);
    va_end(list);
    return word;
}

HOOKS_API void dvmh_loop_register_handler_C(DvmType loop, DvmType device_type, DvmType handler_type,
                                            DvmType handler) {
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    const bool record = handler_type == DVMHX_HANDLER_RECORD;
    if (device_type != DEVICE_TYPE_HOST && device_type != DEVICE_TYPE_CUDA)
        hooks_error(__func__, "device type %ld; allowed: %d (host) or %d (CUDA)", (long)device_type,
                    DEVICE_TYPE_HOST, DEVICE_TYPE_CUDA);
    if (!record && (handler_type < 0 || handler_type > (HANDLER_TYPE_PARALLEL | HANDLER_TYPE_MASTER)))
        hooks_error(
            __func__,
            "handler type %ld; allowed: 0, %d (parallel), %d (master), their sum, or %d alone (record)",
            (long)handler_type, HANDLER_TYPE_PARALLEL, HANDLER_TYPE_MASTER, DVMHX_HANDLER_RECORD);
    rts_handler_t complete = *hooks_handler(__func__, handler);
    complete.device_type = (int)device_type;
    complete.type = (int)handler_type;
    HOOKS_TRY(rts_loop_add_handler(object, &complete));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_loop_perform_C(DvmType loop) {
    hooks_need_collective(__func__);
    rts_loop_t *const object = hooks_loop(__func__, loop);
    const bool needs_buffers = object->remote_count > 0 && rts_comm_size() > 1;
    hooks_watch_buffers();
    HOOKS_TRY(rts_exec_loop(object));
    if (needs_buffers)
        hooks_tell_unread_buffers(__func__);
    hooks_drop_helpers();
}

/* ---- additions ---- */

/* Dims of the axes from the references: the first one that mentions a loop variable decides. */
static void tie_references(const char *entry_point, const rts_loop_t *loop, const dvmhx_array_use_t *use,
                           rts_loop_array_t *entry) {
    for (int axis = 0; axis < (int)use->rank; axis++) {
        entry->dim[axis] = -1;
        entry->sign[axis] = 1;
    }
    for (DvmType i = 0; i < use->reference_count; i++) {
        const dvmhx_reference_t *reference = &use->references[i];
        if (reference->dim == NULL || reference->mult == NULL)
            hooks_error(entry_point, "reference %ld has no %s: their address is 0", (long)i + 1,
                        reference->dim == NULL ? "dims" : "multipliers");
        for (int axis = 0; axis < (int)use->rank; axis++) {
            const DvmType dim = reference->dim[axis];
            if (dim < 0 || dim > loop->rank)
                hooks_error(entry_point, "reference %ld names loop axis %ld; allowed: 0..%d", (long)i + 1,
                            (long)dim, loop->rank);
            if (entry->by_rows && dim >= loop->rank - 1 && dim > 0 && reference->mult[axis] != 1 &&
                reference->mult[axis] != -1)
                hooks_error(
                    entry_point,
                    "reference %ld multiplies loop axis %ld by %ld; allowed in an array by rows for the "
                    "two innermost axes: 1 or -1",
                    (long)i + 1, (long)dim, (long)reference->mult[axis]);
            if (dim == 0 || reference->mult[axis] == 0 || entry->dim[axis] >= 0)
                continue;
            entry->dim[axis] = (int)dim - 1;
            entry->sign[axis] = reference->mult[axis] < 0 ? -1 : 1;
        }
    }
}

/* Where all references go, axis by axis. */
static void set_reach(const dvmhx_array_use_t *use, rts_loop_array_t *entry) {
    entry->has_references = use->reference_count > 0;
    for (int axis = 0; axis < (int)use->rank; axis++) {
        rts_loop_reach_t *reach = &entry->reach[axis];
        reach->is_known = entry->has_references;
        for (DvmType i = 0; i < use->reference_count && reach->is_known; i++) {
            const dvmhx_reference_t *reference = &use->references[i];
            const DvmType mult = reference->dim[axis] > 0 ? reference->mult[axis] : 0;
            const int dim = mult != 0 ? (int)reference->dim[axis] - 1 : -1;
            reach->is_known =
                reference->add != NULL && dim == entry->dim[axis] && (i == 0 || mult == reach->mult);
            if (!reach->is_known)
                break;
            reach->mult = mult;
            reach->low = i == 0 ? reference->add[axis] : rts_min(reach->low, reference->add[axis]);
            reach->high = i == 0 ? reference->add[axis] : rts_max(reach->high, reference->add[axis]);
        }
    }
}

/* Iterations between two references to one element. @return false when they meet nowhere, or when the references do not say: other
 * dims or multipliers, or loop dims that no axis mentions */
static bool find_distance(const rts_loop_t *loop, DvmType rank, const dvmhx_reference_t *a,
                          const dvmhx_reference_t *b, rts_index_t distance[]) {
    bool is_set[RTS_MAX_RANK] = {false};
    for (int axis = 0; axis < (int)rank; axis++) {
        const int dim = (int)a->dim[axis] - 1;
        const rts_index_t apart = a->add[axis] - b->add[axis], mult = a->mult[axis];
        if (a->dim[axis] != b->dim[axis] || mult != b->mult[axis])
            return false;
        if (dim < 0 || mult == 0) {
            if (apart != 0)
                return false;
            continue;
        }
        if (apart % mult != 0 || apart / mult % loop->step[dim] != 0)
            return false;
        const rts_index_t iterations = apart / mult / loop->step[dim];
        if (is_set[dim] && distance[dim] != iterations)
            return false;
        is_set[dim] = true;
        distance[dim] = iterations;
    }
    for (int dim = 0; dim < loop->rank; dim++)
        if (!is_set[dim])
            return false;
    return true;
}

/* What the references to a written array say of the order of iterations, corners included. */
static rts_status_t add_distances(rts_loop_t *loop, const dvmhx_array_use_t *use) {
    for (DvmType w = 0; w < use->reference_count; w++) {
        const dvmhx_reference_t *written = &use->references[w];
        for (DvmType r = 0; r < use->reference_count && written->is_write != 0 && written->add != NULL; r++) {
            const dvmhx_reference_t *other = &use->references[r];
            rts_index_t distance[RTS_MAX_RANK] = {0};
            if (other->add != NULL && find_distance(loop, use->rank, written, other, distance))
                RTS_TRY(rts_loop_add_distance(loop, distance));
        }
    }
    return RTS_OK;
}

/* Whether the use says where every reference goes. */
static bool tells_references(const dvmhx_array_use_t *use) {
    for (DvmType i = 0; i < use->reference_count; i++)
        if (use->references[i].add == NULL)
            return false;
    return use->reference_count > 0;
}

/* The caller's struct in full length: members that it does not have are 0. */
static dvmhx_array_use_t whole_use(const char *entry_point, const dvmhx_array_use_t *use) {
    dvmhx_array_use_t whole = {0};
    if (use == NULL)
        hooks_error(entry_point, "the address of the dvmhx_array_use_t is 0");
    if (use->size < offsetof(dvmhx_array_use_t, flags))
        hooks_error(entry_point, "the size of the use is %zu; it must be set to sizeof(dvmhx_array_use_t)",
                    use->size);
    memcpy(&whole, use, use->size < sizeof whole ? use->size : sizeof whole);
    return whole;
}

HOOKS_API void dvmhx_loop_array_C(DvmType loop, const dvmhx_array_use_t *use) {
    rts_loop_array_t entry = {0};
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    const dvmhx_array_use_t whole = whole_use(__func__, use);
    entry.array = hooks_array_described(__func__, whole.header);
    hooks_check_rank(__func__, whole.rank, entry.array->space.rank);
    if (!entry.array->is_distributed)
        hooks_error(__func__, "the array is not distributed");
    if (whole.intent != INTENT_IN && whole.intent != INTENT_OUT && whole.intent != INTENT_INOUT)
        hooks_error(__func__, "intent %ld; allowed: %d (in), %d (out), %d (both)", (long)whole.intent,
                    INTENT_IN, INTENT_OUT, INTENT_INOUT);
    if (whole.reference_count < 0 || (whole.reference_count > 0 && whole.references == NULL))
        hooks_error(__func__, "%ld references at address %p; allowed: 0 (unknown) and more, at their address",
                    (long)whole.reference_count, (const void *)whole.references);
    if (whole.flags != 0 && whole.flags != DVMHX_BY_ROWS && whole.flags != DVMHX_REMOTE)
        hooks_error(__func__, "flags %ld; allowed: 0, %d (by rows) or %d (remote)", (long)whole.flags,
                    DVMHX_BY_ROWS, DVMHX_REMOTE);
    if (whole.flags == DVMHX_REMOTE && whole.intent != INTENT_IN)
        hooks_error(__func__, "intent %ld of a remote use; allowed: %d (in)", (long)whole.intent, INTENT_IN);
    entry.intent = (int)whole.intent;
    entry.by_rows = (whole.flags & DVMHX_BY_ROWS) != 0;
    entry.is_remote = (whole.flags & DVMHX_REMOTE) != 0;
    entry.is_unknown = (entry.intent & INTENT_OUT) != 0 && !tells_references(&whole);
    tie_references(__func__, object, &whole, &entry);
    set_reach(&whole, &entry);
    HOOKS_TRY(rts_loop_add_array(object, &entry));
    HOOKS_TRY(add_distances(object, &whole));
    hooks_drop_helpers();
}

HOOKS_API void dvmhx_loop_variable_C(DvmType loop, void *address, DvmType bytes, DvmType intent) {
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    if (bytes <= 0)
        hooks_error(__func__, "an ordinary array of %ld bytes; allowed: 1 and more", (long)bytes);
    if (intent != INTENT_IN && intent != INTENT_OUT && intent != INTENT_INOUT)
        hooks_error(__func__, "intent %ld; allowed: %d (in), %d (out), %d (both)", (long)intent, INTENT_IN,
                    INTENT_OUT, INTENT_INOUT);
    const rts_loop_variable_t variable = {address, (size_t)bytes, (int)intent};
    HOOKS_TRY(rts_loop_add_variable(object, &variable));
    hooks_drop_helpers();
}

HOOKS_API void dvmhx_loop_dependences_C(DvmType loop, DvmType count, const DvmType vectors[]) {
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    if (count < 0 || count > RTS_MAX_DEPENDENCES || (count > 0 && vectors == NULL))
        hooks_error(__func__, "%ld vectors at address %p; allowed: 0..%d, at their address", (long)count,
                    (const void *)vectors, RTS_MAX_DEPENDENCES);
    rts_dependences_init(&object->vectors, object->rank);
    for (DvmType i = 0; i < count; i++) {
        rts_index_t vector[RTS_MAX_RANK];
        for (int dim = 0; dim < object->rank; dim++)
            vector[dim] = vectors[i * object->rank + dim];
        HOOKS_TRY(rts_dependences_add(&object->vectors, vector));
    }
    object->has_vectors = true;
    hooks_drop_helpers();
}
