/* Every box is one copy of a backend between a replica's layout and the plain one of the buffer; parts of a box that are current in different
 * places are as many copies into parts of the same buffer. */
#include <config.h>

#include "rts/coherence_values.h"

#include "rts/backend.h"
#include "rts/coherence.h"

/* The buffer as if it were a replica. */
typedef struct values {
    int device; /* that it is on, or is reached from; 0: the host */
    void *buffer;
    rts_layout_t layout;
} values_t;

static rts_status_t copy(const rts_array_t *array, const rts_replica_t *replica, const values_t *values,
                         const rts_box_t *box, bool is_read) {
    const rts_copy_job_t job = {.element_bytes = array->element.bytes,
                                .box = *box,
                                .source_device = is_read ? replica->device : values->device,
                                .target_device = is_read ? values->device : replica->device,
                                .source = is_read ? replica->buffer : values->buffer,
                                .target = is_read ? values->buffer : replica->buffer,
                                .source_layout = is_read ? &replica->layout : &values->layout,
                                .target_layout = is_read ? &values->layout : &replica->layout};
    return rts_backend_of_device((int)rts_max(replica->device, values->device))->copy(&job);
}

/* What a replica has of the wanted boxes, which it is taken off. */
static rts_status_t read_from(const rts_array_t *array, const rts_replica_t *replica, const values_t *values,
                              rts_boxset_t *wanted) {
    for (int i = 0; i < replica->current.count; i++)
        for (int j = 0; j < wanted->count; j++) {
            const rts_box_t box = rts_box_intersect(&replica->current.boxes[i], &wanted->boxes[j]);
            if (!rts_box_is_empty(&box))
                RTS_TRY(copy(array, replica, values, &box, true));
        }
    for (int i = 0; i < replica->current.count && wanted->count > 0; i++)
        RTS_TRY(rts_boxset_subtract(wanted, &replica->current.boxes[i]));
    return RTS_OK;
}

static rts_status_t read_parts(rts_array_t *array, const values_t *values, rts_boxset_t *wanted) {
    RTS_TRY(read_from(array, &array->home, values, wanted));
    for (const rts_replica_t *replica = array->replicas; replica != NULL && wanted->count > 0;
         replica = replica->next)
        RTS_TRY(read_from(array, replica, values, wanted));
    for (int i = 0; i < wanted->count; i++)
        RTS_TRY(copy(array, &array->home, values, &wanted->boxes[i], true));
    return RTS_OK;
}

rts_status_t rts_coherence_read_to(rts_array_t *array, const rts_box_t *box, int device, void *buffer) {
    values_t values = {.device = device, .buffer = buffer};
    rts_boxset_t wanted;
    if (rts_box_is_empty(box))
        return RTS_OK;
    RTS_ASSERT(array->is_distributed && rts_box_contains(&array->held, box));
    RTS_TRY(rts_layout_plain(box, NULL, 1, &values.layout));
    if (rts_boxset_contains(&array->home.current, box)) /* the common case, without allocation */
        return copy(array, &array->home, &values, box, true);
    for (const rts_replica_t *replica = array->replicas; replica != NULL; replica = replica->next)
        if (rts_boxset_contains(&replica->current, box))
            return copy(array, replica, &values, box, true);
    rts_boxset_init(&wanted, box->rank);
    rts_status_t status = rts_boxset_add(&wanted, box);
    if (status == RTS_OK)
        status = read_parts(array, &values, &wanted);
    rts_boxset_free(&wanted);
    return status;
}

rts_status_t rts_coherence_read(rts_array_t *array, const rts_box_t *box, void *buffer) {
    return rts_coherence_read_to(array, box, 0, buffer);
}

int rts_coherence_reads(const rts_array_t *array, const rts_box_t *box) {
    if (rts_boxset_contains(&array->home.current, box))
        return 0;
    for (const rts_replica_t *replica = array->replicas; replica != NULL; replica = replica->next)
        for (int i = 0; i < replica->current.count; i++) {
            const rts_box_t common = rts_box_intersect(&replica->current.boxes[i], box);
            if (!rts_box_is_empty(&common))
                return replica->device;
        }
    return 0;
}

/* The replica with the newest values of the part owned here. */
static rts_replica_t *main_replica(rts_array_t *array) {
    if (rts_boxset_contains(&array->home.current, &array->local))
        return &array->home;
    for (rts_replica_t *replica = array->replicas; replica != NULL; replica = replica->next)
        if (rts_boxset_contains(&replica->current, &array->local))
            return replica;
    return &array->home;
}

int rts_coherence_writes(rts_array_t *array) {
    return main_replica(array)->device;
}

rts_status_t rts_coherence_write_from(rts_array_t *array, const rts_box_t *box, int device,
                                      const void *buffer) {
    values_t values = {.device = device, .buffer = (void *)(uintptr_t)buffer};
    if (rts_box_is_empty(box))
        return RTS_OK;
    RTS_ASSERT(array->is_distributed && rts_box_contains(&array->held, box));
    rts_replica_t *replica = main_replica(array);
    RTS_TRY(rts_layout_plain(box, NULL, 1, &values.layout));
    RTS_TRY(copy(array, replica, &values, box, false));
    return rts_coherence_written_at(array, replica, box);
}

rts_status_t rts_coherence_write(rts_array_t *array, const rts_box_t *box, const void *buffer) {
    return rts_coherence_write_from(array, box, 0, buffer);
}

/* ---- fronts ---- */

static rts_status_t copy_fronts(const rts_array_t *array, const rts_replica_t *replica,
                                const rts_front_box_t *fronts, void *values, bool to_values) {
    const rts_front_copy_job_t job = {.element_bytes = array->element.bytes,
                                      .fronts = *fronts,
                                      .device = replica->device,
                                      .buffer = replica->buffer,
                                      .layout = &replica->layout,
                                      .values = values,
                                      .to_values = to_values};
    return rts_backend_of_device(replica->device)->copy_fronts(&job);
}

rts_status_t rts_coherence_read_fronts(rts_array_t *array, const rts_front_box_t *fronts, void *values) {
    if (rts_box_is_empty(&fronts->box))
        return RTS_OK;
    RTS_ASSERT(array->is_distributed && rts_box_contains(&array->held, &fronts->box));
    rts_replica_t *replica = main_replica(array);
    RTS_TRY(rts_coherence_fetch_to(array, replica, &fronts->box));
    return copy_fronts(array, replica, fronts, values, true);
}

rts_status_t rts_coherence_write_fronts(rts_array_t *array, const rts_front_box_t *fronts,
                                        const void *values) {
    if (rts_box_is_empty(&fronts->box))
        return RTS_OK;
    RTS_ASSERT(array->is_distributed && rts_box_contains(&array->held, &fronts->box));
    rts_replica_t *replica = main_replica(array);
    RTS_TRY(rts_coherence_fetch_to(array, replica, &fronts->box));
    RTS_TRY(copy_fronts(array, replica, fronts, (void *)(uintptr_t)values, false));
    return rts_coherence_written_at(array, replica, &fronts->box);
}
