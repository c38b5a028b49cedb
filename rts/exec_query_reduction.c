/* Partial results of a query handler's kernels; see rts/exec_query.h. Kernels leave one for each thread, warp or block; the device combines
 * neighbours until few are left, and these are combined here, in their order, into the slot that handlers on the host post to. So the
 * same loop gives the same bits every time. */
#include <config.h>

#include "rts/exec_query_inside.h"

#include <string.h>

#include "rts/exec_reduction.h"
#include "rts/memory.h"

/* Items behind those that were asked for, at most. */
#define SLACK_MOST ((int64_t)1 << 24)

static const rts_reduction_t *reduction_of(DvmType number) {
    return &rts_query.portion->loop->reduction[number].reduction;
}

static bool has_locations(DvmType number) {
    return rts_query.portion->loop->reduction[number].locations != NULL;
}

/* Of a reduction of this loop. */
static rts_status_t items_of(DvmType number, rts_query_items_t **items_p) {
    const int count = rts_query.portion->loop->reduction_count;
    if (number < 0 || number >= count)
        return rts_fail(RTS_ERR_INVALID, "reduction number %ld; the loop has %d, counted from 1",
                        (long)number + 1, count);
    *items_p = &rts_query.reduction[number];
    return RTS_OK;
}

rts_status_t rts_exec_query_register(DvmType number, void **items_p, void **locations_p) {
    rts_query_items_t *items = NULL;
    RTS_TRY(items_of(number, &items));
    if (items_p == NULL)
        return rts_fail(RTS_ERR_INVALID, "reduction number %ld: the address of the variable is 0",
                        (long)number + 1);
    if (items->items != NULL)
        return rts_fail(RTS_ERR_INVALID,
                        "reduction number %ld is registered again before it has been finished",
                        (long)number + 1);
    if (has_locations(number)) {
        if (reduction_of(number)->count != 1)
            return rts_fail(RTS_ERR_UNSUPPORTED,
                            "reduction number %ld has locations and %lld elements; on a GPU one is supported",
                            (long)number + 1, (long long)reduction_of(number)->count);
        if (locations_p == NULL)
            return rts_fail(RTS_ERR_INVALID, "reduction number %ld: the address of the locations is 0",
                            (long)number + 1);
    }
    *items =
        (rts_query_items_t){.items_p = items_p, .locations_p = has_locations(number) ? locations_p : NULL};
    return RTS_OK;
}

/* Kernels of loops with dependences along several dims index as many items as the longest of these dims has iterations where their
 * handlers ask for as many as the shortest has, and round up otherwise than they count. */
static int64_t with_slack(int64_t count) {
    const rts_exec_portion_t *portion = rts_query.portion;
    const int rank = portion->loop->rank;
    int64_t shortest = INT64_MAX, longest = 1;
    for (int dim = 0; dim < rank; dim++) {
        const int64_t length = portion->hi[dim] - portion->lo[dim];
        if ((portion->loop->mask >> (rank - 1 - dim) & 1) == 0)
            continue;
        shortest = rts_min(shortest, length);
        longest = rts_max(longest, length);
    }
    const int64_t ratio = rts_min(longest / rts_max(rts_min(shortest, longest), 1) + 1, SLACK_MOST);
    return count + rts_min(count > SLACK_MOST / ratio ? SLACK_MOST : count * ratio, SLACK_MOST);
}

static rts_status_t fill(const rts_query_items_t *items, DvmType number) {
    const rts_reduction_t *reduction = reduction_of(number);
    const size_t bytes = (size_t)reduction->count * reduction->element_bytes;
    const int device = rts_query.portion->device;
    char *start = rts_alloc(bytes + reduction->location_bytes);
    if (start == NULL)
        return rts_fail_memory("start values of a reduction", bytes);
    rts_partials_fill(rts_query.portion->loop, (int)number, start, start + bytes);
    rts_status_t status = rts_query.ops->fill(device, items->items, start, reduction->element_bytes,
                                              reduction->count, items->count);
    if (status == RTS_OK && items->locations != NULL)
        status = rts_query.ops->fill(device, items->locations, start + bytes, reduction->location_bytes, 1,
                                     items->count);
    rts_free(start);
    return status;
}

rts_status_t rts_exec_query_prepare(DvmType number, int64_t count, bool is_filled) {
    rts_query_items_t *items = NULL;
    RTS_TRY(items_of(number, &items));
    const rts_reduction_t *reduction = reduction_of(number);
    if (items->items_p == NULL)
        return rts_fail(RTS_ERR_INVALID, "reduction number %ld is prepared before it is registered",
                        (long)number + 1);
    if (items->items != NULL)
        return rts_fail(RTS_ERR_INVALID, "reduction number %ld is prepared a second time", (long)number + 1);
    if (count < 1)
        return rts_fail(RTS_ERR_INVALID, "%lld partial results of reduction number %ld; allowed: 1 and more",
                        (long long)count, (long)number + 1);
    items->count = is_filled && reduction->count == 1 ? with_slack(count) : count;
    size_t bytes, location_bytes;
    if (__builtin_mul_overflow((size_t)items->count, (size_t)reduction->count * reduction->element_bytes,
                               &bytes) ||
        __builtin_mul_overflow((size_t)items->count, reduction->location_bytes, &location_bytes))
        return rts_fail(RTS_ERR_NO_MEMORY, "%lld partial results of a reduction do not fit the address space",
                        (long long)count);
    void *memory = NULL, *locations = NULL;
    RTS_TRY(rts_query_allocate(bytes, &memory));
    if (items->locations_p != NULL)
        RTS_TRY(rts_query_allocate(location_bytes, &locations));
    items->items = memory;
    items->locations = locations;
    if (is_filled)
        RTS_TRY(fill(items, number));
    *items->items_p = memory;
    if (items->locations_p != NULL)
        *items->locations_p = locations;
    return RTS_OK;
}

/* Part i of all elements, next to each other, is a partial result. */
static rts_status_t post_parts(DvmType number, const char *parts, const char *locations, int64_t count,
                               char *values) {
    const rts_reduction_t *reduction = reduction_of(number);
    const size_t bytes = reduction->element_bytes;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t element = 0; element < reduction->count; element++)
            memcpy(values + (size_t)element * bytes, parts + (size_t)(element * count + i) * bytes, bytes);
        RTS_TRY(rts_exec_reduction_post(rts_query.portion, number, values,
                                        locations != NULL ? locations + (size_t)i * reduction->location_bytes
                                                          : NULL));
    }
    return RTS_OK;
}

static rts_status_t collect(const rts_query_items_t *items, DvmType number) {
    const rts_reduction_t *reduction = reduction_of(number);
    const rts_items_job_t job = {.operation = reduction->operation,
                                 .type = reduction->type,
                                 .element_bytes = reduction->element_bytes,
                                 .location_bytes = items->locations != NULL ? reduction->location_bytes : 0,
                                 .element_count = reduction->count,
                                 .item_count = items->count,
                                 .items = items->items,
                                 .locations = items->locations};
    const size_t value_bytes = (size_t)reduction->count * reduction->element_bytes;
    size_t bytes;
    if (__builtin_mul_overflow(value_bytes + job.location_bytes, RTS_ITEM_PARTS, &bytes))
        return rts_fail(RTS_ERR_NO_MEMORY, "the parts of a reduction do not fit the address space");
    char *parts = rts_alloc(bytes), *values = rts_alloc(value_bytes);
    int64_t count = 0;
    rts_status_t status = RTS_OK;
    if (parts == NULL || values == NULL)
        status = rts_fail_memory("the parts of a reduction", bytes);
    char *locations = job.locations != NULL && parts != NULL ? parts + value_bytes * RTS_ITEM_PARTS : NULL;
    if (status == RTS_OK)
        status = rts_query.ops->collect(rts_query.portion->device, &job, parts, locations, &count);
    if (status == RTS_OK)
        status = post_parts(number, parts, locations, count, values);
    rts_free(parts);
    rts_free(values);
    return status;
}

rts_status_t rts_exec_query_finish(DvmType number) {
    rts_query_items_t *items = NULL;
    RTS_TRY(items_of(number, &items));
    if (items->items == NULL)
        return rts_fail(RTS_ERR_INVALID, "reduction number %ld is finished before it is prepared",
                        (long)number + 1);
    RTS_TRY(collect(items, number));
    rts_query_release(items->items);
    if (items->locations != NULL)
        rts_query_release(items->locations);
    *items = (rts_query_items_t){.items_p = NULL};
    return RTS_OK;
}

rts_status_t rts_exec_query_finish_all(void) {
    for (int i = 0; i < rts_query.portion->loop->reduction_count; i++)
        if (rts_query.reduction[i].items != NULL)
            RTS_TRY(rts_exec_query_finish(i));
    return RTS_OK;
}

rts_status_t rts_exec_query_start_values(DvmType number, void **values_p, void **locations_p) {
    rts_query_items_t *items = NULL;
    RTS_TRY(items_of(number, &items));
    const rts_reduction_t *reduction = reduction_of(number);
    const size_t bytes = (size_t)reduction->count * reduction->element_bytes,
                 location_bytes =
                     has_locations(number) ? (size_t)reduction->count * reduction->location_bytes : 0;
    const int device = rts_query.portion->device;
    void *values = NULL, *locations = NULL;
    char *start = rts_alloc(bytes + location_bytes);
    if (start == NULL)
        return rts_fail_memory("start values of a reduction", bytes + location_bytes);
    rts_partials_fill(rts_query.portion->loop, (int)number, start, start + bytes);
    rts_status_t status = rts_query_allocate(bytes, &values);
    if (status == RTS_OK)
        status = rts_query.ops->write(device, values, start, bytes);
    if (status == RTS_OK && location_bytes > 0 && locations_p != NULL)
        status = rts_query_allocate(location_bytes, &locations);
    if (status == RTS_OK && locations != NULL)
        status = rts_query.ops->write(device, locations, start + bytes, location_bytes);
    rts_free(start);
    RTS_TRY(status);
    if (values_p != NULL)
        *values_p = values;
    if (locations_p != NULL)
        *locations_p = locations;
    return RTS_OK;
}
