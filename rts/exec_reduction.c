/* Slots of partial results; see the header. The variable itself keeps its value until the end, so that it is the copy of what
 * was there before the loop. */
#include <config.h>

#include "rts/exec_reduction.h"

#include <pthread.h>
#include <string.h>

#include "rts/comm.h"
#include "rts/memory.h"
#include "rts/runtime.h"
#include "rts/variable.h"

static struct {
    char *memory; /* slot after slot */
    size_t capacity, slot_bytes;
    int slot_count;
    size_t values_at[RTS_MAX_LOOP_ITEMS],
        locations_at[RTS_MAX_LOOP_ITEMS]; /* offsets in a slot; 0 for no locations */
    pthread_mutex_t lock;
} partials = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Room for an array of `count` elements behind `*at_p`. @return false when it does not fit the address space */
static bool advance(size_t *at_p, rts_index_t count, size_t element_bytes) {
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, element_bytes, &bytes) || bytes > SIZE_MAX / 4 ||
        *at_p > SIZE_MAX / 4)
        return false;
    *at_p += (bytes + 15) / 16 * 16;
    return true;
}

/* Place each value and location, 16-byte aligned; offset 0 stays free so that it can mean none.
 * @return bytes of a slot; 0 when it does not fit the address space */
static size_t place_all(const rts_loop_t *loop) {
    size_t at = 16;
    bool fits = true;
    for (int i = 0; i < loop->reduction_count; i++) {
        const rts_reduction_t *reduction = &loop->reduction[i].reduction;
        partials.values_at[i] = at;
        fits = fits && advance(&at, reduction->count, reduction->element_bytes);
        partials.locations_at[i] = loop->reduction[i].locations != NULL ? at : 0;
        if (loop->reduction[i].locations != NULL)
            fits = fits && advance(&at, reduction->count, reduction->location_bytes);
    }
    return !fits ? 0 : (at + RTS_MEMORY_ALIGNMENT - 1) / RTS_MEMORY_ALIGNMENT * RTS_MEMORY_ALIGNMENT;
}

void *rts_partials_values(int number, int slot) {
    return partials.memory + (size_t)slot * partials.slot_bytes + partials.values_at[number];
}

void *rts_partials_locations(int number, int slot) {
    const size_t at = partials.locations_at[number];
    return at != 0 ? partials.memory + (size_t)slot * partials.slot_bytes + at : NULL;
}

void rts_partials_fill(const rts_loop_t *loop, int number, void *values, void *locations) {
    const rts_loop_reduction_t *entry = &loop->reduction[number];
    rts_reduction_start(&entry->reduction, values, entry->locations != NULL ? locations : NULL, entry->values,
                        entry->locations);
}

rts_status_t rts_partials_start(const rts_loop_t *loop, int slot_count) {
    partials.slot_count = slot_count;
    partials.slot_bytes = place_all(loop);
    size_t bytes;
    if (partials.slot_bytes == 0 || __builtin_mul_overflow(partials.slot_bytes, (size_t)slot_count, &bytes))
        return rts_fail(RTS_ERR_NO_MEMORY,
                        "the partial results of the loop's reductions do not fit the address space");
    if (bytes > partials.capacity) {
        char *memory = rts_alloc(bytes);
        if (memory == NULL)
            return rts_fail_memory("partial results of reductions", bytes);
        rts_free(partials.memory);
        partials.memory = memory;
        partials.capacity = bytes;
    }
    for (int i = 0; i < loop->reduction_count; i++) {
        for (int slot = 0; slot < slot_count; slot++)
            rts_partials_fill(loop, i, rts_partials_values(i, slot), rts_partials_locations(i, slot));
    }
    return RTS_OK;
}

void rts_partials_post(const rts_loop_t *loop, int number, int slot, const void *values,
                       const void *locations) {
    const rts_loop_reduction_t *entry = &loop->reduction[number];
    pthread_mutex_lock(&partials.lock);
    rts_reduction_combine(&entry->reduction, rts_partials_values(number, slot),
                          rts_partials_locations(number, slot), values,
                          entry->locations != NULL ? locations : NULL);
    pthread_mutex_unlock(&partials.lock);
}

/* All slots into slot 0. */
static void combine_slots(const rts_loop_t *loop) {
    for (int i = 0; i < loop->reduction_count; i++)
        for (int slot = 1; slot < partials.slot_count; slot++)
            rts_reduction_combine(&loop->reduction[i].reduction, rts_partials_values(i, 0),
                                  rts_partials_locations(i, 0), rts_partials_values(i, slot),
                                  rts_partials_locations(i, slot));
}

/* Slots of two processes, each starting at `into` and `from`. */
static void combine_processes(void *context, void *into, const void *from) {
    const rts_loop_t *loop = context;
    for (int i = 0; i < loop->reduction_count; i++) {
        const size_t values = partials.values_at[i], locations = partials.locations_at[i];
        rts_reduction_combine(&loop->reduction[i].reduction, (char *)into + values,
                              locations != 0 ? (char *)into + locations : NULL, (const char *)from + values,
                              locations != 0 ? (const char *)from + locations : NULL);
    }
}

/* Whether a process before this one runs the same iterations. The first of the copies need not have any: its part of what the mapping
 * leaves open may be empty. */
static bool is_copy(const rts_loop_t *loop) {
    const rts_grid_t *grid = &rts_runtime()->grid;
    if (rts_loop_serves(loop, grid, rts_comm_rank(), 0))
        return false;
    for (int process = 0; process < rts_comm_rank(); process++) {
        rts_box_t iterations;
        if (rts_loop_iterations(loop, grid, process, &iterations) && rts_box_equal(&iterations, &loop->local))
            return true;
    }
    return false;
}

/* What one process found is what all did. A loop without a mapping is run whole by every process. */
static rts_status_t exchange(const rts_loop_t *loop) {
    if (rts_comm_size() == 1 || !loop->has_map)
        return RTS_OK;
    if (is_copy(loop))
        for (int i = 0; i < loop->reduction_count; i++)
            rts_partials_fill(loop, i, rts_partials_values(i, 0), rts_partials_locations(i, 0));
    return rts_comm_reduce(partials.memory, partials.slot_bytes, combine_processes, (void *)(uintptr_t)loop);
}

/* The result, with the variable's value before the loop. */
static rts_status_t write_result(const rts_loop_t *loop, int number) {
    const rts_loop_reduction_t *entry = &loop->reduction[number];
    const rts_reduction_t *reduction = &entry->reduction;
    const void *values = rts_partials_values(number, 0), *locations = rts_partials_locations(number, 0);
    if (rts_reduction_starts_neutral(reduction)) {
        rts_reduction_combine(reduction, entry->values, entry->locations, values, locations);
    } else {
        memcpy(entry->values, values, (size_t)reduction->count * reduction->element_bytes);
        if (locations != NULL)
            memcpy(entry->locations, locations, (size_t)reduction->count * reduction->location_bytes);
    }
    RTS_TRY(rts_variable_written_home(entry->values));
    return locations != NULL ? rts_variable_written_home(entry->locations) : RTS_OK;
}

rts_status_t rts_partials_finish(const rts_loop_t *loop) {
    if (loop->is_empty) {
        if (rts_comm_size() == 1 || !loop->has_map)
            return RTS_OK; /* variables keep their values */
        RTS_TRY(rts_partials_start(loop, 1));
    }
    combine_slots(loop);
    RTS_TRY(exchange(loop));
    for (int i = 0; i < loop->reduction_count; i++)
        RTS_TRY(write_result(loop, i));
    return RTS_OK;
}

void rts_partials_reset(void) {
    rts_free(partials.memory);
    partials.memory = NULL;
    partials.capacity = 0;
}
