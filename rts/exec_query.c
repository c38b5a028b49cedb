/* Arrays, layouts and blocks for a query handler on an accelerator; see the header. Reductions: rts/exec_query_reduction.c. */
#include <config.h>

#include "rts/exec_query_inside.h"

#include <dvmhlib_const.h>
#include <string.h>

#include "rts/backend.h"
#include "rts/block.h"
#include "rts/coherence.h"
#include "rts/log.h"
#include "rts/region.h"
#include "rts/replica.h"
#include "rts/runtime.h"
#include "rts/transform.h"

rts_query_t rts_query;

bool rts_exec_query_is_running(void) {
    return rts_query.ops != NULL;
}

/* ---- memory that lives as long as the handler runs ---- */

rts_status_t rts_query_allocate(size_t bytes, void **memory_p) {
    const int device = rts_query.portion->device;
    if (rts_query.block_count == RTS_QUERY_BLOCKS)
        return rts_fail(RTS_ERR_UNSUPPORTED, "more than %d blocks of memory for one handler",
                        RTS_QUERY_BLOCKS);
    RTS_TRY(rts_coherence_allocate(device, bytes, memory_p));
    rts_query.block[rts_query.block_count++] = *memory_p;
    return RTS_OK;
}

void rts_query_release(void *memory) {
    const int device = rts_query.portion->device;
    int number = 0;
    while (number < rts_query.block_count && rts_query.block[number] != memory)
        number++;
    RTS_ASSERT(number < rts_query.block_count);
    rts_query.block[number] = rts_query.block[--rts_query.block_count];
    rts_backend_of_device(device)->release(device, memory);
}

/* ---- begin and end ---- */

rts_status_t rts_exec_query_begin(const rts_exec_portion_t *portion) {
    const rts_handler_ops_t *ops = rts_handler_ops_of_device(portion->device);
    void *stream = NULL;
    RTS_ASSERT(ops != NULL && rts_query.ops == NULL);
    RTS_TRY(ops->begin(portion->device, &stream));
    if (portion->loop->rank ==
        0) /* their launches may be in a stream of their own: nothing may be under way */
        RTS_TRY(ops->end(portion->device));
    memset(&rts_query, 0, sizeof rts_query);
    rts_query.ops = ops;
    rts_query.portion = portion;
    rts_query.stream = stream;
    return RTS_OK;
}

rts_status_t rts_exec_query_end(void) {
    const rts_status_t status = rts_query.ops->end(rts_query.portion->device);
    while (rts_query.block_count > 0)
        rts_query_release(rts_query.block[0]);
    rts_query.ops = NULL;
    return status;
}

/* ---- arrays ---- */

static int find_transformed(const rts_array_t *array) {
    int number = 0;
    while (number < rts_query.transformed_count && rts_query.transformed[number] != array)
        number++;
    return number;
}

static void set_facts(const rts_array_t *array, bool is_fortran, rts_transform_facts_t *facts) {
    const rts_loop_t *loop = rts_query.portion->loop;
    const unsigned forbidden = array->layout_rule.forbidden | loop->layout_rule.forbidden,
                   diagonals = 1u << RTS_LAYOUT_SKEW | 1u << RTS_LAYOUT_WRAP;
    *facts = (rts_transform_facts_t){.rank = array->space.rank,
                                     .element_bytes = array->element.bytes,
                                     .loop_rank = loop->rank,
                                     .mask = loop->mask,
                                     .is_fortran = is_fortran,
                                     .keeps_order = (forbidden >> RTS_LAYOUT_PLAIN & 1) != 0,
                                     .keeps_straight = (forbidden >> RTS_LAYOUT_PACKED & 1) != 0 ||
                                                       (forbidden & diagonals) == diagonals};
    for (int axis = 0; axis < facts->rank; axis++) {
        int sign = 1;
        const int dim = rts_loop_dim_of_axis(loop, array, axis, &sign);
        facts->extent[axis] = rts_max(1, array->held.hi[axis] - array->held.lo[axis]);
        facts->dim[axis] = dim;
        facts->sign[axis] = dim >= 0 && loop->step[dim] < 0 ? -sign : sign;
    }
}

/* The form that is there may have been made for another loop. */
static bool can_follow(const rts_array_t *array, const rts_layout_form_t *form) {
    const int number = find_transformed(array);
    rts_transform_facts_t facts;
    if (number == rts_query.transformed_count)
        return rts_transform_fits(NULL, form);
    set_facts(array, rts_query.is_fortran[number], &facts);
    return rts_transform_fits(&facts, form);
}

/* Home's form, whatever it takes: without memory for a second buffer all values go home, and come again. */
static rts_status_t turn_back(rts_array_t *array, int device, rts_replica_t **replica_p) {
    const rts_status_t status = rts_coherence_place(array, device, &array->home.form, replica_p);
    if (status != RTS_ERR_NO_MEMORY)
        return status;
    RTS_TRY(rts_coherence_settle(array));
    return rts_coherence_replica(array, device, replica_p);
}

static bool is_remote_buffer(const rts_loop_t *loop, const rts_array_t *array) {
    for (int i = 0; i < loop->remote_count; i++)
        if (loop->remote[i].buffer == array)
            return true;
    return false;
}

rts_status_t rts_exec_query_array(rts_array_t *array, int device) {
    rts_replica_t *replica = NULL;
    if (rts_query.ops == NULL || device != rts_query.portion->device || !array->is_distributed)
        return RTS_OK;
    const rts_loop_t *loop = rts_query.portion->loop;
    const bool is_buffer = is_remote_buffer(loop, array);
    if (!is_buffer && !rts_region_has(loop->region, array))
        return RTS_OK;
    RTS_TRY(rts_coherence_replica(array, device, &replica));
    if (!can_follow(array, &replica->form))
        RTS_TRY(turn_back(array, device, &replica));
    return is_buffer ? rts_coherence_fetch(array, device, NULL)
                     : rts_region_prepare_array(loop->region, array, RTS_INTENT_IN | RTS_INTENT_OUT, replica);
}

static void warn_once(rts_array_t *array, const rts_layout_form_t *form) {
    char name[64];
    if (!array->lacks_memory)
        rts_log(RTS_LOG_WARNING, "%s; an array of rank %d does without the layout %s", rts_error_text(),
                array->space.rank, rts_layout_form_name(form, name, sizeof name));
    array->lacks_memory = true;
}

rts_status_t rts_exec_query_transform(rts_array_t *array, bool is_fortran) {
    const int device = rts_query.portion->device;
    rts_transform_facts_t facts;
    rts_replica_t *replica = NULL;
    const int number = find_transformed(array);
    if (!array->is_distributed || !rts_region_has(rts_query.portion->loop->region, array) ||
        number == RTS_MAX_LOOP_ITEMS || rts_runtime()->environment.planner_mode == RTS_PLANNER_OFF)
        return RTS_OK;
    rts_query.transformed[number] = array;
    rts_query.is_fortran[number] = is_fortran;
    if (number == rts_query.transformed_count)
        rts_query.transformed_count++;
    RTS_TRY(rts_coherence_replica(array, device, &replica));
    set_facts(array, is_fortran, &facts);
    const rts_layout_form_t form = rts_transform_choose(&facts, &replica->form);
    if (!rts_layout_form_equal(&form, &replica->form))
        RTS_TRY(
            rts_region_forget_array(rts_query.portion->loop->region, array, RTS_INTENT_IN | RTS_INTENT_OUT));
    const rts_status_t status = rts_coherence_place(array, device, &form, &replica);
    if (status != RTS_ERR_NO_MEMORY)
        return status;
    warn_once(array, &form);
    return RTS_OK;
}

/* ---- launches ---- */

rts_status_t rts_exec_query_limits(rts_device_limits_t *limits_p) {
    return rts_query.ops->limits(rts_query.portion->device, limits_p);
}

rts_status_t rts_exec_query_config(const int64_t proposal[3], int64_t shared_per_thread, int64_t registers,
                                   int64_t block_p[3], void **stream_p) {
    const rts_loop_t *loop = rts_query.portion->loop;
    rts_device_limits_t limits;
    rts_block_request_t request = {.rank = loop->rank,
                                   .has_dependences = loop->mask != 0,
                                   .has_reductions = loop->reduction_count > 0,
                                   .shared_per_thread = shared_per_thread,
                                   .registers = registers};
    for (int i = 0; i < 3; i++) {
        request.wish[i] = loop->cuda_block[i];
        request.proposal[i] = proposal[i];
    }
    RTS_TRY(rts_exec_query_limits(&limits));
    RTS_TRY(rts_block_choose(&request, &limits, block_p));
    *stream_p = rts_query.stream;
    rts_query.has_launched = false;
    return RTS_OK;
}

bool rts_exec_query_launches_again(void) {
    const bool launches = !rts_query.has_launched;
    rts_query.has_launched = true;
    return launches;
}

/* ---- the local part ---- */

/* Values of an integer type that may be narrower than ours. */
static bool store_numbers(DvmType type, const int64_t numbers[], int count, void *target) {
    for (int i = 0; i < count; i++) {
        if (type == rt_INT)
            ((int *)target)[i] = (int)numbers[i];
        else if (type == rt_LONG)
            ((long *)target)[i] = (long)numbers[i];
        else if (type == rt_LLONG)
            ((long long *)target)[i] = numbers[i];
        else
            return false;
    }
    return true;
}

rts_status_t rts_exec_query_local_part(const rts_array_t *array, DvmType type, const void **part_p) {
    const bool is_empty = rts_box_is_empty(&array->local);
    const int count = 2 * array->space.rank;
    int64_t numbers[2 * RTS_MAX_RANK];
    long long stored[2 * RTS_MAX_RANK];
    void *memory = NULL;
    for (int axis = 0; axis < array->space.rank; axis++) {
        numbers[2 * axis] = is_empty ? 1 : array->local.lo[axis];
        numbers[2 * axis + 1] = is_empty ? 0 : array->local.hi[axis] - 1;
    }
    if (!store_numbers(type, numbers, count, stored))
        return rts_fail(RTS_ERR_INVALID, "an index of type %ld; allowed: rt_INT, rt_LONG, rt_LLONG",
                        (long)type);
    RTS_TRY(rts_query_allocate(sizeof stored, &memory));
    RTS_TRY(rts_query.ops->write(rts_query.portion->device, memory, stored, sizeof stored));
    *part_p = memory;
    return RTS_OK;
}
