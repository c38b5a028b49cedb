/* An array with a model of who has which value of which element, and devices that check every copy: for the tests of replicas in
 * forms. The devices are this file's own: memory of their own, copies element by element, failures and a limit on memory. */
#ifndef COHERENCE_EXAMPLE_H
#define COHERENCE_EXAMPLE_H

#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/handler_ops.h"
#include "rts/memory.h"
#include "rts/stats.h"
#include "tests/check.h"
#include "tests/next_index.h"

#include <dvmhlib_const.h>

enum { DEVICES = 3, LARGEST_SIZE = 512, PLACES = DEVICES + 1, POISON = 0x5a };

/* ---- devices ---- */

typedef struct block {
    _Alignas(RTS_MEMORY_ALIGNMENT) int device;
    size_t bytes;
} block_t;

static int64_t live_blocks, live_bytes, most_bytes = INT64_MAX; /* allocations beyond fail */
static int64_t allocations;
static bool in_place_works;
static int in_place_calls;
static int failing_copy; /* countdown of copies; the one that reaches 0 fails */
static int64_t copies, copy_bytes, reorganisations, reorganise_bytes; /* what the statistics should say */

static inline rts_status_t fake_open(const rts_backend_options_t *options, int *device_count_p) {
    (void)options;
    *device_count_p = DEVICES - 1;
    return RTS_OK;
}

static inline void fake_close(void) {}

static inline rts_status_t fake_allocate(int device, size_t bytes, void **memory_p) {
    block_t *block = live_bytes + (int64_t)bytes <= most_bytes ? rts_alloc(sizeof(block_t) + bytes) : NULL;
    allocations++;
    if (block == NULL)
        return rts_fail_memory("a fake device", bytes);
    *block = (block_t){.device = device, .bytes = bytes};
    memset(block + 1, POISON, bytes);
    *memory_p = block + 1;
    live_blocks++;
    live_bytes += (int64_t)bytes;
    return RTS_OK;
}

static inline void fake_release(int device, void *memory) {
    block_t *block = (block_t *)memory - 1;
    CHECK_EQ_INT(block->device, device);
    live_blocks--;
    live_bytes -= (int64_t)block->bytes;
    memset(memory, POISON, block->bytes);
    rts_free(block);
}

static const rts_array_t *the_array; /* whose copies are expected */

static inline void check_end(int device, const void *memory, const rts_layout_t *layout,
                             size_t element_bytes) {
    if (memory == the_array->home.buffer) {
        CHECK_EQ_INT(device, 0);
        return;
    }
    CHECK_EQ_INT(((const block_t *)memory - 1)->device, device);
    CHECK(((const block_t *)memory - 1)->bytes >= (size_t)layout->size * element_bytes);
}

static inline rts_status_t fake_copy(const rts_copy_job_t *job) {
    bool same = true;
    rts_index_t index[RTS_MAX_RANK];
    const rts_box_t *whole = &job->source_layout->box;
    CHECK(job->source != job->target && !rts_box_is_empty(&job->box));
    CHECK(rts_box_contains(whole, &job->box) && rts_box_contains(&job->target_layout->box, &job->box));
    check_end(job->source_device, job->source, job->source_layout, job->element_bytes);
    check_end(job->target_device, job->target, job->target_layout, job->element_bytes);
    if (failing_copy > 0 && --failing_copy == 0)
        return rts_fail(RTS_ERR_DEVICE, "a fake device fails");
    memcpy(index, whole->lo, sizeof index);
    do {
        const rts_index_t from = rts_layout_offset(job->source_layout, index),
                          to = rts_layout_offset(job->target_layout, index);
        same = same && from == to;
        if (rts_box_has_point(&job->box, index))
            memcpy((char *)job->target + (size_t)to * job->element_bytes,
                   (const char *)job->source + (size_t)from * job->element_bytes, job->element_bytes);
    } while (next_index(whole, index));
    const bool reorganises = !same || job->source_layout->size != job->target_layout->size ||
                             job->source_device == job->target_device;
    const int64_t bytes = rts_box_size(&job->box) * (int64_t)job->element_bytes;
    *(reorganises ? &reorganisations : &copies) += 1;
    *(reorganises ? &reorganise_bytes : &copy_bytes) += bytes;
    return RTS_OK;
}

static inline rts_status_t fake_in_place(int device, size_t element_bytes, void *buffer,
                                         const rts_layout_t *from, const rts_layout_t *to) {
    static char before[4 * LARGEST_SIZE * 16];
    const rts_replica_t *replica = the_array->replicas;
    rts_index_t index[RTS_MAX_RANK];
    in_place_calls++;
    check_end(device, buffer, to, element_bytes);
    check_end(device, buffer, from, element_bytes);
    if (!in_place_works)
        return rts_fail(RTS_ERR_UNSUPPORTED, "these layouts are not reorganised in place");
    if (!CHECK((size_t)from->size * element_bytes <= sizeof before))
        return RTS_ERR_INTERNAL;
    memcpy(before, buffer, (size_t)from->size * element_bytes);
    memset(buffer, POISON, (size_t)to->size * element_bytes);
    memcpy(index, from->box.lo, sizeof index);
    do {
        memcpy((char *)buffer + (size_t)rts_layout_offset(to, index) * element_bytes,
               before + (size_t)rts_layout_offset(from, index) * element_bytes, element_bytes);
    } while (next_index(&from->box, index));
    while (replica->buffer != buffer)
        replica = replica->next;
    reorganisations++;
    reorganise_bytes += rts_boxset_size(&replica->current) * (int64_t)element_bytes;
    return RTS_OK;
}

static inline rts_status_t fake_run(int device, const rts_loop_job_t *job) {
    (void)device;
    (void)job;
    return rts_fail(RTS_ERR_UNSUPPORTED, "a fake device runs no loops");
}

static const rts_backend_ops_t fake_ops = {.name = "fake",
                                           .device_type = DEVICE_TYPE_HOST,
                                           .open = fake_open,
                                           .close = fake_close,
                                           .allocate = fake_allocate,
                                           .release = fake_release,
                                           .copy = fake_copy,
                                           .reorganise_in_place = fake_in_place,
                                           .run = fake_run};

const rts_backend_ops_t *rts_backend_of_device(int device) {
    CHECK(device >= 0 && device < DEVICES);
    return &fake_ops;
}

const rts_handler_ops_t *rts_handler_ops_of_device(int device) {
    (void)device;
    return NULL; /* nothing is queued */
}

int rts_device_count(void) {
    return DEVICES;
}

/* ---- the model ---- */

static struct {
    rts_array_t *array;
    rts_index_t size;
    unsigned newest[LARGEST_SIZE]; /* bit 0: home, bit 1 + device: its replica; 0: undefined */
    uint32_t value[LARGEST_SIZE];
} subject;
static uint32_t last_value;

static inline rts_replica_t *replica_at(int place) {
    rts_replica_t *replica = subject.array->replicas;
    if (place == 0)
        return &subject.array->home;
    while (replica != NULL && replica->device != place - 1)
        replica = replica->next;
    return replica;
}

static inline int place_of(const rts_replica_t *replica) {
    return replica == &subject.array->home ? 0 : replica->device + 1;
}

static inline rts_index_t number_of(const rts_index_t index[]) {
    const rts_box_t *held = &subject.array->held;
    rts_index_t number = 0;
    for (int axis = 0; axis < held->rank; axis++)
        number = number * (held->hi[axis] - held->lo[axis]) + index[axis] - held->lo[axis];
    return number;
}

static inline uint32_t *element_at(const rts_replica_t *replica, const rts_index_t index[]) {
    return (uint32_t *)replica->buffer + rts_layout_offset(&replica->layout, index);
}

/* What is said to be current agrees with the model and is there. */
static inline bool check_subject(void) {
    rts_index_t index[RTS_MAX_RANK];
    bool good = true;
    memcpy(index, subject.array->held.lo, sizeof index);
    do {
        const rts_index_t number = number_of(index);
        for (int place = 0; place < PLACES; place++) {
            const rts_replica_t *replica = replica_at(place);
            const bool newest = (subject.newest[number] >> place & 1) != 0;
            good = CHECK_EQ_INT(replica != NULL && rts_boxset_has_point(&replica->current, index), newest) &&
                   (!newest || replica == NULL ||
                    CHECK_EQ_INT(*element_at(replica, index), subject.value[number])) &&
                   good;
        }
    } while (next_index(&subject.array->held, index));
    for (int place = 1; place < PLACES; place++) {
        const rts_replica_t *replica = replica_at(place);
        rts_layout_t layout;
        if (replica == NULL)
            continue;
        CHECK_EQ_INT(rts_layout_make(&subject.array->held, &replica->form, &layout), RTS_OK);
        good = CHECK(rts_layout_equal(&layout, &replica->layout)) && !replica->is_home && good;
        CHECK(replica->buffer_bytes >= (size_t)layout.size * sizeof(uint32_t));
        CHECK_EQ_INT(replica->buffer_bytes, ((const block_t *)replica->buffer - 1)->bytes);
    }
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REPLICA_BYTES), live_bytes);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_COPIES), copies);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_COPY_BYTES), copy_bytes);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REORGANISATIONS), reorganisations);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REORGANISE_BYTES), reorganise_bytes);
    return good;
}

/* Take over who is current where the rules leave it open: places of `gaining` may have got values, those of `losing` may have lost
 * values that others have. */
static inline void accept(unsigned gaining, unsigned losing) {
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, subject.array->held.lo, sizeof index);
    do {
        unsigned *newest = &subject.newest[number_of(index)], now = *newest;
        for (int place = 0; place < PLACES; place++) {
            const rts_replica_t *replica = replica_at(place);
            const bool has = replica != NULL && rts_boxset_has_point(&replica->current, index);
            if (has && *newest != 0 && (gaining >> place & 1) != 0)
                now |= 1u << place;
            else if (!has && (losing >> place & 1) != 0)
                now &= ~(1u << place);
        }
        if (now != 0 || !CHECK(*newest == 0)) /* somebody keeps it */
            *newest = now;
    } while (next_index(&subject.array->held, index));
}

static inline rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

/* ---- steps ---- */

static int failure_count;

/* @return the replica, or NULL after a failure, which must have changed nothing */
static inline rts_replica_t *do_place(int device, const rts_layout_form_t *form) {
    const rts_replica_t *before = replica_at(device + 1);
    const rts_layout_form_t old = before != NULL ? before->form : *form;
    rts_replica_t *replica = NULL;
    const bool home = device == 0 && rts_layout_form_equal(form, &subject.array->home.form);
    const rts_status_t status = rts_coherence_place(subject.array, device, form, &replica);
    if (status != RTS_OK) {
        CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        CHECK(replica == NULL && replica_at(device + 1) == before);
        CHECK(before == NULL || rts_layout_form_equal(&before->form, &old));
        accept(device == 0 ? 1 : 0, 0);
        failure_count++;
        return NULL;
    }
    CHECK(replica == replica_at(home ? 0 : device + 1));
    CHECK(rts_layout_form_equal(&replica->form, form));
    if (!home)
        accept(device == 0 ? 1 : 0, rts_layout_form_equal(&old, form) ? 0 : 1u << (device + 1));
    return replica;
}

static inline void do_fetch(rts_replica_t *replica, const rts_box_t *box, bool by_device) {
    const int place = place_of(replica);
    const int64_t moved = copy_bytes + reorganise_bytes;
    rts_index_t index[RTS_MAX_RANK], wanted = 0;
    const rts_status_t status = by_device ? rts_coherence_fetch(subject.array, place > 0 ? place - 1 : 0, box)
                                          : rts_coherence_fetch_to(subject.array, replica, box);
    if (status != RTS_OK) {
        CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        accept(1u << place, 0);
        failure_count++;
        return;
    }
    memcpy(index, subject.array->held.lo, sizeof index);
    do {
        unsigned *newest = &subject.newest[number_of(index)];
        if ((box == NULL || rts_box_has_point(box, index)) && *newest != 0 && (*newest >> place & 1) == 0) {
            wanted++;
            *newest |= 1u << place;
        }
    } while (next_index(&subject.array->held, index));
    CHECK_EQ_INT(copy_bytes + reorganise_bytes - moved, wanted * (int64_t)sizeof(uint32_t));
}

/* Elements of a box: written by one place, or by none: undefined. */
static inline void change(const rts_box_t *box, rts_replica_t *replica) {
    rts_index_t index[RTS_MAX_RANK];
    last_value++;
    memcpy(index, subject.array->held.lo, sizeof index);
    do {
        if (box != NULL && !rts_box_has_point(box, index))
            continue;
        subject.newest[number_of(index)] = replica != NULL ? 1u << place_of(replica) : 0;
        subject.value[number_of(index)] = last_value;
        if (replica != NULL)
            *element_at(replica, index) = last_value;
    } while (next_index(&subject.array->held, index));
}

static inline void do_write(rts_replica_t *replica, const rts_box_t *box) {
    if (rts_coherence_written_at(subject.array, replica, box) == RTS_OK)
        change(box, replica);
    else
        failure_count++;
}

static inline void do_discard(const rts_box_t *box) {
    if (rts_coherence_discard(subject.array, box) == RTS_OK)
        change(box, NULL);
    else
        failure_count++;
}

static inline void close_subject(void) {
    rts_coherence_release(subject.array);
    rts_array_destroy(subject.array);
}

static inline void reset_all(void) {
    rts_coherence_reset();
    CHECK_EQ_INT(live_blocks, 0);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REPLICA_BYTES), 0);
}

#endif
