/* Buffers, forms and copies of replicas; see the header. A buffer that a change of form leaves over is kept, one a device, because
 * programs whose loops want different forms change back and forth: the next change then neither asks the system for memory nor
 * touches pages for the first time. All statistics of copies are made here, once, whatever the backend. */
#include <config.h>

#include "rts/replica.h"

#include "rts/backend.h"
#include "rts/handler_ops.h"
#include "rts/interval.h"
#include "rts/memory.h"
#include "rts/stats.h"

/* Devices with a spare buffer, at most; others give their buffers back at once. */
#define MAX_SPARES 16

typedef struct buffer {
    int device;
    void *memory; /* NULL: none */
    size_t bytes;
} buffer_t;

static buffer_t spares[MAX_SPARES];

/* ---- buffers; REPLICA_BYTES counts them all, spare ones too ---- */

static rts_status_t allocate(int device, size_t bytes, buffer_t *buffer_p) {
    void *memory;
    RTS_TRY(rts_backend_of_device(device)->allocate(device, bytes, &memory));
    rts_stats_add(RTS_STAT_REPLICA_BYTES, (int64_t)bytes);
    *buffer_p = (buffer_t){device, memory, bytes};
    return RTS_OK;
}

static void release(buffer_t *buffer) {
    if (buffer->memory == NULL)
        return;
    rts_backend_of_device(buffer->device)->release(buffer->device, buffer->memory);
    rts_stats_add(RTS_STAT_REPLICA_BYTES, -(int64_t)buffer->bytes);
    buffer->memory = NULL;
}

static buffer_t *find_spare(int device) {
    for (int i = 0; i < MAX_SPARES; i++)
        if (spares[i].memory != NULL && spares[i].device == device)
            return &spares[i];
    return NULL;
}

/* Large enough, and not so large that most of it would lie idle. */
static bool is_right_size(size_t bytes, size_t needed) {
    return bytes >= needed && bytes / 2 <= needed;
}

static rts_status_t take(int device, size_t bytes, buffer_t *buffer_p) {
    buffer_t *spare = find_spare(device);
    if (spare != NULL && is_right_size(spare->bytes, bytes)) {
        *buffer_p = *spare;
        spare->memory = NULL;
        return RTS_OK;
    }
    const rts_status_t status = allocate(device, bytes, buffer_p);
    if (status != RTS_ERR_NO_MEMORY || spare == NULL)
        return status;
    release(spare);
    return allocate(device, bytes, buffer_p);
}

/* Keep the largest buffer of a device that is left over. */
static void give(buffer_t *buffer) {
    buffer_t *spare = find_spare(buffer->device);
    for (int i = 0; i < MAX_SPARES && spare == NULL; i++)
        if (spares[i].memory == NULL)
            spare = &spares[i];
    if (spare != NULL && (spare->memory == NULL || spare->bytes < buffer->bytes)) {
        const buffer_t left_over = *spare;
        *spare = *buffer;
        *buffer = left_over;
    }
    release(buffer);
}

static buffer_t buffer_of(const rts_replica_t *replica) {
    return (buffer_t){replica->device, replica->buffer, replica->buffer_bytes};
}

static void set_buffer(rts_replica_t *replica, const buffer_t *buffer) {
    replica->buffer = buffer->memory;
    replica->buffer_bytes = buffer->memory != NULL ? buffer->bytes : 0;
}

void rts_replica_reset(void) {
    for (int i = 0; i < MAX_SPARES; i++)
        release(&spares[i]);
}

/* ---- replicas ---- */

/* So many that no memory holds them where the number does not fit. */
static size_t bytes_of(const rts_array_t *array, const rts_layout_t *layout) {
    size_t bytes;
    return __builtin_mul_overflow((size_t)layout->size, array->element.bytes, &bytes) ? SIZE_MAX : bytes;
}

rts_replica_t *rts_replica_find(const rts_array_t *array, int device) {
    rts_replica_t *replica = array->replicas;
    while (replica != NULL && replica->device != device)
        replica = replica->next;
    return replica;
}

/* The layout of the held part, and a buffer for it; no memory when nothing is held. */
static rts_status_t open_form(const rts_array_t *array, int device, const rts_layout_form_t *form,
                              rts_layout_t *layout_p, buffer_t *buffer_p) {
    RTS_TRY(rts_layout_make(&array->held, form, layout_p));
    *buffer_p = (buffer_t){.device = device};
    return layout_p->size > 0 ? take(device, bytes_of(array, layout_p), buffer_p) : RTS_OK;
}

rts_status_t rts_replica_create(rts_array_t *array, int device, const rts_layout_form_t *form,
                                rts_replica_t **replica_p) {
    buffer_t buffer;
    rts_replica_t *replica = rts_alloc_zeroed(1, sizeof *replica);
    if (replica == NULL)
        return rts_fail_memory("a replica", sizeof *replica);
    const rts_status_t status = open_form(array, device, form, &replica->layout, &buffer);
    if (status != RTS_OK) {
        rts_free(replica);
        return status;
    }
    replica->device = device;
    replica->form = *form;
    set_buffer(replica, &buffer);
    rts_boxset_init(&replica->current, array->held.rank);
    replica->next = array->replicas;
    array->replicas = replica;
    *replica_p = replica;
    return RTS_OK;
}

void rts_replica_destroy(rts_array_t *array, rts_replica_t *replica) {
    buffer_t buffer = buffer_of(replica);
    rts_replica_t **link = &array->replicas;
    while (*link != replica)
        link = &(*link)->next;
    *link = replica->next;
    release(&buffer);
    rts_boxset_free(&replica->current);
    rts_free(replica);
}

void rts_replica_destroy_all(rts_array_t *array) {
    while (array->replicas != NULL)
        rts_replica_destroy(array, array->replicas);
}

/* ---- copies ---- */

/* Began at a time and moved so many bytes. What is queued inside a GPU takes its time there, which is heard later (rts/exec_times.h); the
 * host's clock would count the queueing. */
static void count(bool reorganises, bool is_queued, int64_t begin, int64_t bytes) {
    rts_stats_add(reorganises ? RTS_STAT_REORGANISATIONS : RTS_STAT_COPIES, 1);
    rts_stats_add(reorganises ? RTS_STAT_REORGANISE_BYTES : RTS_STAT_COPY_BYTES, bytes);
    if (reorganises)
        rts_interval_add_reorganised(rts_interval_current(), bytes);
    if (!reorganises || !is_queued)
        rts_stats_add(reorganises ? RTS_STAT_REORGANISE_TIME : RTS_STAT_COPY_TIME, rts_clock_ns() - begin);
}

static bool is_queued_on(int device) {
    return device > 0 && rts_handler_ops_of_device(device) != NULL;
}

rts_status_t rts_replica_copy(const rts_array_t *array, const rts_replica_t *source, rts_replica_t *target,
                              const rts_box_t *box) {
    const rts_copy_job_t job = {.element_bytes = array->element.bytes,
                                .box = *box,
                                .source_device = source->device,
                                .target_device = target->device,
                                .source = source->buffer,
                                .target = target->buffer,
                                .source_layout = &source->layout,
                                .target_layout = &target->layout};
    /* Every backend reaches the host's memory, that of devices which the host plays too, but the host's reaches no other. The host's
     * devices have the lowest numbers. */
    const int device = target->device > source->device ? target->device : source->device;
    const bool reorganises =
        source->device == target->device || !rts_layout_equal(&source->layout, &target->layout);
    const int64_t begin = rts_clock_ns();
    RTS_TRY(rts_backend_of_device(device)->copy(&job));
    count(reorganises, source->device == target->device && is_queued_on(target->device), begin,
          rts_box_size(box) * (int64_t)array->element.bytes);
    return RTS_OK;
}

/* ---- forms ---- */

static void set_form(rts_replica_t *replica, const rts_layout_form_t *form, const rts_layout_t *layout) {
    replica->form = *form;
    replica->layout = *layout;
}

bool rts_replica_has_room(const rts_array_t *array, const rts_replica_t *replica,
                          const rts_layout_form_t *form) {
    rts_layout_t layout;
    return rts_layout_make(&array->held, form, &layout) == RTS_OK &&
           bytes_of(array, &layout) <= replica->buffer_bytes;
}

rts_status_t rts_replica_refit(const rts_array_t *array, rts_replica_t *replica,
                               const rts_layout_form_t *form) {
    rts_layout_t layout;
    buffer_t buffer, old = buffer_of(replica);
    RTS_TRY(rts_layout_make(&array->held, form, &layout));
    if (is_right_size(replica->buffer_bytes, bytes_of(array, &layout))) {
        set_form(replica, form, &layout);
        return RTS_OK;
    }
    const rts_status_t status = open_form(array, replica->device, form, &layout, &buffer);
    if (status == RTS_ERR_NO_MEMORY && bytes_of(array, &layout) <= replica->buffer_bytes) {
        set_form(replica, form, &layout);
        return RTS_OK;
    }
    RTS_TRY(status);
    set_form(replica, form, &layout);
    set_buffer(replica, &buffer);
    give(&old);
    return RTS_OK;
}

/* All current boxes into another buffer. The new replica is a stand-in, so that the old one stays as it is until all is well. */
static rts_status_t reorganise_apart(const rts_array_t *array, rts_replica_t *replica,
                                     const rts_layout_form_t *form) {
    rts_replica_t new = {.device = replica->device, .form = *form};
    buffer_t buffer, old = buffer_of(replica);
    RTS_TRY(open_form(array, replica->device, form, &new.layout, &buffer));
    set_buffer(&new, &buffer);
    for (int i = 0; i < replica->current.count; i++) {
        const rts_status_t status = rts_replica_copy(array, replica, &new, &replica->current.boxes[i]);
        if (status != RTS_OK) {
            give(&buffer);
            return status;
        }
    }
    set_form(replica, form, &new.layout);
    set_buffer(replica, &buffer);
    give(&old);
    return RTS_OK;
}

/* RTS_ERR_NO_MEMORY for whatever reason it cannot be. */
static rts_status_t reorganise_here(const rts_array_t *array, rts_replica_t *replica,
                                    const rts_layout_form_t *form) {
    rts_layout_t layout;
    RTS_TRY(rts_layout_make(&array->held, form, &layout));
    const size_t bytes = bytes_of(array, &layout);
    if (bytes > replica->buffer_bytes)
        return rts_fail_memory("a layout of an array", bytes);
    const int64_t begin = rts_clock_ns();
    const rts_status_t status = rts_backend_of_device(replica->device)
                                    ->reorganise_in_place(replica->device, array->element.bytes,
                                                          replica->buffer, &replica->layout, &layout);
    if (status == RTS_ERR_UNSUPPORTED)
        return rts_fail_memory("a layout of an array", bytes);
    RTS_TRY(status);
    count(true, is_queued_on(replica->device), begin,
          rts_boxset_size(&replica->current) * (int64_t)array->element.bytes);
    set_form(replica, form, &layout);
    return RTS_OK;
}

rts_status_t rts_replica_reorganise(const rts_array_t *array, rts_replica_t *replica,
                                    const rts_layout_form_t *form) {
    rts_layout_t layout;
    RTS_TRY(rts_layout_make(&array->held, form, &layout));
    if (rts_layout_equal(&layout, &replica->layout)) { /* as where an axis has one index */
        set_form(replica, form, &layout);
        return RTS_OK;
    }
    const rts_status_t status = reorganise_apart(array, replica, form);
    return status == RTS_ERR_NO_MEMORY ? reorganise_here(array, replica, form) : status;
}
