/* What a query handler may ask, from whatever thread it runs on; and addresses and headers of copies on devices. */
#include <config.h>

#include <dvmhx.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "compiler-hooks/hooks_cuda.h"
#include "rts/log.h"
#include "rts/transform.h"
#include "rts/variable.h"

/* What handlers of the loop that runs have asked for. */
static atomic_bool has_asked_bounds, has_asked_buffers;

static void note(atomic_bool *asked) {
    if (!atomic_load_explicit(asked, memory_order_relaxed)) /* threads do not fight for the line */
        atomic_store_explicit(asked, true, memory_order_relaxed);
}

void hooks_watch_buffers(void) {
    has_asked_bounds = has_asked_buffers = false;
}

void hooks_tell_unread_buffers(const char *entry_point) {
    static bool is_told;
    if (is_told || !has_asked_bounds || has_asked_buffers)
        return;
    is_told = true;
    rts_log(
        RTS_LOG_WARNING,
        "%s: the loop has remote accesses, and its handler has not asked for their buffers: what it reads of "
        "the "
        "arrays themselves is what this process holds, no more. C-DVMH compilers use buffers with -use-blank",
        entry_point);
}

HOOKS_API DvmType dvmh_loop_get_device_num_C(DvmType loop) {
    return hooks_portion(__func__, loop)->device;
}

HOOKS_API void dvmh_loop_fill_bounds_C(DvmType loop, DvmType low[], DvmType high[], DvmType step[]) {
    const rts_exec_portion_t *portion = hooks_portion(__func__, loop);
    note(&has_asked_bounds);
    for (int dim = 0; dim < portion->loop->rank; dim++) {
        const rts_index_t start = portion->loop->start[dim], stride = portion->loop->step[dim];
        if (low != NULL)
            low[dim] = start + portion->lo[dim] * stride;
        if (high != NULL)
            high[dim] = start + (portion->hi[dim] - 1) * stride;
        if (step != NULL)
            step[dim] = stride;
    }
}

HOOKS_API DvmType dvmh_loop_get_slot_count_C(DvmType loop) {
    return hooks_portion(__func__, loop)->slot_count;
}

HOOKS_API DvmType dvmh_loop_get_dependency_mask_C(DvmType loop) {
    return hooks_portion(__func__, loop)->loop->mask;
}

/* Counted from 0; the upper limit is exec's. */
static DvmType reduction_number(const char *entry_point, DvmType number, const void *address) {
    hooks_need_place(entry_point, address, "variable");
    return number > 0 ? number - 1 : -1;
}

HOOKS_API void dvmh_loop_red_init_C(DvmType loop, DvmType number, void *address, void *location) {
    const rts_exec_portion_t *portion = hooks_portion(__func__, loop);
    HOOKS_TRY(
        rts_exec_reduction_start(portion, reduction_number(__func__, number, address), address, location));
}

HOOKS_API void dvmh_loop_red_post_C(DvmType loop, DvmType number, const void *address, const void *location) {
    const rts_exec_portion_t *portion = hooks_portion(__func__, loop);
    HOOKS_TRY(
        rts_exec_reduction_post(portion, reduction_number(__func__, number, address), address, location));
}

HOOKS_API void dvmh_loop_fill_local_part_C(DvmType loop, const DvmType header[], DvmType part[]) {
    hooks_portion(__func__, loop);
    const rts_array_t *array = hooks_array(__func__, header);
    const bool is_empty = rts_box_is_empty(&array->local);
    hooks_need_place(__func__, part, "part");
    for (int axis = 0; axis < array->space.rank; axis++) {
        part[2 * axis] = is_empty ? 1 : array->local.lo[axis];
        part[2 * axis + 1] = is_empty ? 0 : array->local.hi[axis] - 1;
    }
}

HOOKS_API DvmType dvmh_loop_has_element_C(DvmType loop, const DvmType header[], DvmType rank, ...) {
    rts_index_t index[RTS_MAX_RANK];
    va_list list;
    hooks_portion(__func__, loop);
    const rts_array_t *array = hooks_array(__func__, header);
    hooks_check_rank(__func__, rank, array->space.rank);
    va_start(list, rank);
    for (int axis = 0; axis < array->space.rank; axis++)
        index[axis] = va_arg(list, DvmType);
    va_end(list);
    return rts_box_has_point(&array->local, index) ? 1 : 0;
}

HOOKS_API void dvmh_loop_get_remote_buf_C(DvmType loop, DvmType number, DvmType buffer[]) {
    const rts_exec_portion_t *portion = hooks_portion(__func__, loop);
    hooks_need_place(__func__, buffer, "buffer's header");
    note(&has_asked_buffers);
    if (number < 1 || number > portion->loop->remote_count)
        hooks_error(__func__, "remote buffer number %ld; the loop has %d, counted from 1", (long)number,
                    portion->loop->remote_count);
    const rts_array_t *array = portion->loop->remote[number - 1].buffer;
    if (array == NULL)
        hooks_error(__func__,
                    "the loop's handler for the host takes records, so that there are no buffers for "
                    "others; allowed: handlers of one kind");
    /* Not attached: the words are the handler's own, and gone when the buffer is. */
    rts_array_fill_header(array, &array->home, array->home.buffer, buffer);
}

/* Arrays that a handler may address. Outside of regions these are all. */
static bool is_used(const rts_loop_t *loop, const rts_array_t *array) {
    if (loop->region == NULL || rts_region_has(loop->region, array))
        return true;
    for (int i = 0; i < loop->remote_count; i++)
        if (loop->remote[i].buffer == array)
            return true;
    return false;
}

HOOKS_API DvmType dvmh_loop_guess_index_type_C(DvmType loop) {
    const rts_exec_portion_t *portion = hooks_portion(__func__, loop);
    for (const rts_array_t *array = rts_array_first(); array != NULL; array = array->next) {
        const rts_replica_t *replica = hooks_replica(__func__, portion->device, array);
        if (is_used(portion->loop, array) && array->is_distributed && replica != NULL &&
            !rts_transform_fits_int(&replica->layout))
            return sizeof(long) == 8 ? rt_LONG : rt_LLONG;
    }
    return rt_INT;
}

/* Where a handler will look for an array: what it may find there comes first. */
static const rts_replica_t *asked_replica(const char *entry_point, DvmType device, rts_array_t *array) {
    hooks_replica(entry_point, device, array); /* is there such a device? */
    if (rts_exec_query_array(array, (int)device) != RTS_OK)
        hooks_end(entry_point);
    return hooks_replica(entry_point, device, array);
}

HOOKS_API void *dvmh_get_natural_base_C(DvmType device, const DvmType header[]) {
    hooks_need_runtime(__func__);
    rts_array_t *array = hooks_array(__func__, header);
    const rts_replica_t *replica = asked_replica(__func__, device, array);
    return replica != NULL ? rts_replica_natural_base(array, replica) : NULL;
}

HOOKS_API void *dvmh_get_device_addr_C(DvmType device, const void *address) {
    hooks_need_runtime(__func__);
    rts_array_t *array = rts_variable_array(address);
    if (array == NULL && device == 0 && rts_variable_is_known(address))
        return (void *)(uintptr_t)address; /* no header was made of it yet; on the host it is itself */
    if (array == NULL)
        hooks_error(__func__, "the variable at %p is not known; allowed: one in a data region", address);
    const rts_replica_t *replica = asked_replica(__func__, device, array);
    return replica != NULL ? replica->buffer : NULL;
}

DvmType hooks_transformation(const rts_replica_t *replica) {
    if (replica != NULL && replica->layout.kind == RTS_LAYOUT_PACKED)
        return 2;
    for (int axis = 0; replica != NULL && axis < replica->layout.box.rank; axis++)
        if (replica->layout.perm[axis] != axis)
            return 1;
    return 0;
}

/* Of packed diagonals: number, first index and extent of either axis, and the sign. */
static void fill_extended(const rts_layout_t *layout, DvmType extended[]) {
    for (int i = 0; i < 2; i++) {
        const int axis = layout->perm[layout->box.rank - 2 + i];
        extended[3 * i] = axis + 1;
        extended[3 * i + 1] = layout->box.lo[axis];
        extended[3 * i + 2] = layout->box.hi[axis] - layout->box.lo[axis];
    }
    extended[6] = layout->b < 0;
}

DvmType hooks_fill_header(const char *entry_point, DvmType device, const void *base, const DvmType header[],
                          DvmType device_header[], DvmType extended[]) {
    hooks_need_runtime(entry_point);
    rts_array_t *array = hooks_array(entry_point, header);
    const rts_replica_t *replica = asked_replica(entry_point, device, array);
    hooks_need_place(entry_point, device_header, "device's header");
    if (replica == NULL) { /* nothing there: strides must still be positive */
        const rts_replica_t none = {.buffer = NULL};
        rts_array_fill_header(array, &none, base, device_header);
        return 0;
    }
    const intptr_t distance = (intptr_t)replica->buffer - (intptr_t)base;
    if (distance % (intptr_t)array->element.bytes != 0)
        hooks_error(entry_point,
                    "base %p; allowed: addresses a whole number of elements of %zu bytes away from %p", base,
                    array->element.bytes, replica->buffer);
    rts_array_fill_header(array, replica, base, device_header);
    const DvmType transformation = hooks_transformation(replica);
    if (transformation == 2 && extended != NULL)
        fill_extended(&replica->layout, extended);
    return transformation;
}

HOOKS_API DvmType dvmh_fill_header_C(DvmType device, const void *base, const DvmType header[],
                                     DvmType device_header[], DvmType extended[]) {
    return hooks_fill_header(__func__, device, base, header, device_header, extended);
}
