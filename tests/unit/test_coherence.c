/* "Coherence against a model that tracks every element": random fetches, writes, discards and releases over
 * several devices and arrays. The model keeps for every element the set of devices with its newest value,
 * and what that value is. Values are really stored and copied, so that a copy that was left out is seen as a
 * wrong number; and every element of every copy is held against the model, so that a copy that was not
 * needed is seen as well.
 *
 * The devices are this file's own: memory of their own, copies element by element, failures on demand. */
#include <config.h>

#include "rts/coherence.h"
#include "rts/handler_ops.h"

#include "rts/backend.h"
#include "rts/memory.h"
#include "rts/stats.h"
#include "tests/check.h"
#include "tests/next_index.h"

#include <dvmhlib_const.h>

enum { DEVICES = 4, ARRAYS = 4, LARGEST_SIZE = 8 * 8 * 8, POISON = 0x7e };

/** One array with its model. Elements are numbered in C order of the held part. */
typedef struct subject {
    rts_array_t *array;
    rts_index_t size;
    unsigned newest[LARGEST_SIZE]; /* devices that have the newest value, by bit; 0: undefined */
    uint32_t value[LARGEST_SIZE];
} subject_t;

static subject_t subjects[ARRAYS];
static uint32_t last_value;
static char variable_memory[ARRAYS][LARGEST_SIZE * 16];
static int failure_count; /* of steps that were made to fail */

/* What the devices below saw. */
static int64_t copied_bytes;
static const subject_t *copying; /* whose copies are expected now */
static int failing_operation;    /* countdown of backend calls; the one that reaches 0 fails */
static int64_t device_blocks;

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

static rts_index_t number_of(const subject_t *subject, const rts_index_t index[]) {
    const rts_box_t *held = &subject->array->held;
    rts_index_t number = 0;
    for (int axis = 0; axis < held->rank; axis++)
        number = number * (held->hi[axis] - held->lo[axis]) + index[axis] - held->lo[axis];
    return number;
}

/* Devices */

/* In front of a block: whose memory it is. */
typedef struct block {
    _Alignas(RTS_MEMORY_ALIGNMENT) int device;
    size_t bytes;
} block_t;

static bool fails_now(void) {
    return failing_operation > 0 && --failing_operation == 0;
}

static rts_status_t fake_open(const rts_backend_options_t *options, int *device_count_p) {
    (void)options;
    *device_count_p = DEVICES - 1;
    return RTS_OK;
}

static void fake_close(void) {}

static rts_status_t fake_allocate(int device, size_t bytes, void **memory_p) {
    block_t *block = fails_now() ? NULL : rts_alloc(sizeof(block_t) + bytes);
    if (block == NULL)
        return rts_fail_memory("a fake device", bytes);
    *block = (block_t){.device = device, .bytes = bytes};
    memset(block + 1, POISON, bytes);
    *memory_p = block + 1;
    device_blocks++;
    return RTS_OK;
}

static void fake_release(int device, void *memory) {
    block_t *block = (block_t *)memory - 1;
    CHECK_EQ_INT(block->device, device);
    device_blocks--;
    rts_free(block);
}

static void check_end(int device, const void *memory, const rts_layout_t *layout, size_t element_bytes,
                      bool is_home) {
    CHECK_EQ_INT(is_home, device == 0);
    if (device != 0) {
        CHECK_EQ_INT(((const block_t *)memory - 1)->device, device);
        CHECK_EQ_INT(((const block_t *)memory - 1)->bytes, (size_t)layout->size * element_bytes);
    }
}

/* Every element copied is wanted there and newest here, and home is the source when it can be. */
static rts_status_t fake_copy(const rts_copy_job_t *job) {
    const void *home = copying->array->home.buffer;
    check_end(job->source_device, job->source, job->source_layout, job->element_bytes, job->source == home);
    check_end(job->target_device, job->target, job->target_layout, job->element_bytes, job->target == home);
    CHECK(job->source_device != job->target_device);
    CHECK(!rts_box_is_empty(&job->box));
    CHECK(rts_box_contains(&job->source_layout->box, &job->box));
    CHECK(rts_box_contains(&job->target_layout->box, &job->box));
    if (fails_now())
        return rts_fail(RTS_ERR_DEVICE, "a fake device fails");
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, job->box.lo, sizeof index);
    do {
        const unsigned newest = copying->newest[number_of(copying, index)];
        CHECK((newest >> job->source_device & 1) != 0);
        CHECK((newest >> job->target_device & 1) == 0);
        CHECK((newest & 1) == 0 || job->source_device == 0);
        const rts_index_t from =
            rts_layout_offset(job->source_layout, index) * (rts_index_t)job->element_bytes;
        const rts_index_t to = rts_layout_offset(job->target_layout, index) * (rts_index_t)job->element_bytes;
        memcpy((char *)job->target + to, (const char *)job->source + from, job->element_bytes);
    } while (next_index(&job->box, index));
    copied_bytes += rts_box_size(&job->box) * (int64_t)job->element_bytes;
    return RTS_OK;
}

static rts_status_t fake_run(int device, const rts_loop_job_t *job) {
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
                                           .run = fake_run};

const rts_backend_ops_t *rts_backend_of_device(int device) {
    CHECK(device > 0 && device < DEVICES); /* copies concern the device's backend, not the host's */
    return &fake_ops;
}

const rts_handler_ops_t *rts_handler_ops_of_device(int device) {
    (void)device;
    return NULL; /* nothing is queued */
}

int rts_device_count(void) {
    return DEVICES;
}

/* Elements */

static const rts_replica_t *replica_on(const rts_array_t *array, int device) {
    if (device == 0)
        return &array->home;
    for (const rts_replica_t *replica = array->replicas; replica != NULL; replica = replica->next)
        if (replica->device == device)
            return replica;
    return NULL;
}

static char *place_of(const subject_t *subject, const rts_replica_t *replica, const rts_index_t index[]) {
    const rts_index_t bytes = (rts_index_t)subject->array->element.bytes;
    return (char *)replica->buffer + rts_layout_offset(&replica->layout, index) * bytes;
}

/* A value fills its element with the same four bytes over and over. */
static void store_value(char *place, size_t bytes, uint32_t value) {
    for (size_t i = 0; i < bytes; i++)
        place[i] = (char)(value >> 8 * (i % 4));
}

static bool has_value(const char *place, size_t bytes, uint32_t value) {
    char expected[64]; /* more than any element, so that the compiler sees no overflow */
    store_value(expected, bytes, value);
    return memcmp(place, expected, bytes) == 0;
}

/* Does everything that is said to be current agree with the model, and is it really there? */
static void check_subject(const subject_t *subject) {
    const rts_array_t *array = subject->array;
    rts_index_t index[RTS_MAX_RANK];
    if (subject->size == 0)
        return;
    memcpy(index, array->held.lo, sizeof index);
    do {
        const rts_index_t number = number_of(subject, index);
        for (int device = 0; device < DEVICES; device++) {
            const rts_replica_t *replica = replica_on(array, device);
            const bool newest = (subject->newest[number] >> device & 1) != 0;
            CHECK_EQ_INT(replica != NULL && rts_boxset_has_point(&replica->current, index), newest);
            if (newest && replica != NULL)
                CHECK(has_value(place_of(subject, replica, index), array->element.bytes,
                                subject->value[number]));
        }
    } while (next_index(&array->held, index));
    for (const rts_replica_t *replica = array->replicas; replica != NULL; replica = replica->next)
        CHECK(rts_layout_equal(&replica->layout, &array->home.layout) && !replica->is_home);
}

/* After a failed fetch: what the device has now may be anything between before and after. */
static void accept_partial_fetch(subject_t *subject, int device) {
    const rts_replica_t *replica = replica_on(subject->array, device);
    rts_index_t index[RTS_MAX_RANK];
    if (replica == NULL || subject->size == 0)
        return;
    memcpy(index, subject->array->held.lo, sizeof index);
    do {
        unsigned *newest = &subject->newest[number_of(subject, index)];
        if (*newest != 0 && rts_boxset_has_point(&replica->current, index))
            *newest |= 1u << device; /* check_subject then wants the right value there */
    } while (next_index(&subject->array->held, index));
}

/* Steps */

static rts_box_t random_box(const subject_t *subject) {
    rts_box_t box = {.rank = subject->array->held.rank};
    for (int axis = 0; axis < box.rank; axis++) {
        const rts_index_t lo = subject->array->held.lo[axis], hi = subject->array->held.hi[axis];
        box.lo[axis] = pick(lo - 2, hi);
        box.hi[axis] = box.lo[axis] + pick(-1, hi - lo + 2);
    }
    return box;
}

typedef enum step { STEP_FETCH, STEP_WRITE, STEP_DISCARD } step_t;

/* Change the model for the elements of a box. @return how many a fetch to `device` has to copy */
static rts_index_t change_model(subject_t *subject, step_t step, int device, const rts_box_t *box,
                                bool store) {
    rts_index_t index[RTS_MAX_RANK], wanted = 0;
    const rts_box_t *held = &subject->array->held;
    memcpy(index, held->lo, sizeof index);
    do {
        const rts_index_t number = number_of(subject, index);
        unsigned *newest = &subject->newest[number];
        if (box != NULL && !rts_box_has_point(box, index))
            continue;
        if (step == STEP_FETCH && *newest != 0 && (*newest >> device & 1) == 0) {
            wanted++;
            *newest |= 1u << device;
        } else if (step == STEP_WRITE) {
            *newest = 1u << device;
            subject->value[number] = last_value;
            if (store)
                store_value(place_of(subject, replica_on(subject->array, device), index),
                            subject->array->element.bytes, last_value);
        } else if (step == STEP_DISCARD) {
            *newest = 0;
        }
    } while (next_index(held, index));
    return wanted;
}

static void do_fetch(subject_t *subject, int device, const rts_box_t *box) {
    static subject_t before;
    before = *subject;
    copying = &before;
    const int64_t bytes_before = copied_bytes;
    const rts_status_t status = rts_coherence_fetch(subject->array, device, box);
    if (status != RTS_OK) {
        failure_count++;
        accept_partial_fetch(subject, device);
        return;
    }
    const rts_index_t wanted = subject->size > 0 ? change_model(subject, STEP_FETCH, device, box, false) : 0;
    CHECK_EQ_INT(copied_bytes - bytes_before, wanted * (rts_index_t)subject->array->element.bytes);
}

/* Where the bookkeeping fails the model does not change either, and nothing is stored. */
static void do_write(subject_t *subject, int device, const rts_box_t *box) {
    rts_replica_t *replica = NULL;
    const rts_status_t found = rts_coherence_replica(subject->array, device, &replica);
    if (found != RTS_OK) {
        CHECK_EQ_INT(found, RTS_ERR_NO_MEMORY);
        CHECK(replica == NULL);
        failure_count++;
        return;
    }
    CHECK(replica == replica_on(subject->array, device));
    if (rts_coherence_written(subject->array, device, box) != RTS_OK) {
        failure_count++;
        return;
    }
    if (subject->size == 0)
        return;
    last_value++;
    (void)change_model(subject, STEP_WRITE, device, box, true);
}

static void do_discard(subject_t *subject, const rts_box_t *box) {
    if (rts_coherence_discard(subject->array, box) != RTS_OK)
        failure_count++;
    else if (subject->size > 0)
        (void)change_model(subject, STEP_DISCARD, 0, box, false);
}

static void do_release(subject_t *subject) {
    rts_coherence_release(subject->array);
    CHECK(subject->array->replicas == NULL);
    for (rts_index_t i = 0; i < subject->size; i++)
        subject->newest[i] &= 1;
}

static void random_step(subject_t *subject) {
    const rts_box_t box = random_box(subject);
    const rts_box_t *part = check_random_once_in(6) ? NULL : &box;
    const int device = (int)pick(0, DEVICES - 1);
    const rts_index_t what = pick(0, 99);
    if (what < 50)
        do_fetch(subject, device, part);
    else if (what < 90)
        do_write(subject, device, part);
    else if (what < 98)
        do_discard(subject, part);
    else
        do_release(subject);
}

/* Rank 0 and some others are ordinary variables; the rest are parts of arrays with edges on one process of
 * several. */
static void open_subject(subject_t *subject, int rank, char *memory) {
    const rts_element_t element = {.code = RTS_ELEMENT_UNTYPED, .bytes = (size_t)pick(4, 16)};
    if (memory != NULL) {
        rts_index_t extent[RTS_MAX_RANK];
        for (int axis = 0; axis < rank; axis++)
            extent[axis] = pick(1, 8);
        CHECK_EQ_INT(rts_array_create_variable(rank, extent, element, memory, &subject->array), RTS_OK);
    } else {
        rts_box_t space = {.rank = rank};
        rts_index_t edges[RTS_MAX_RANK];
        rts_axis_rule_t rule[RTS_MAX_RANK];
        for (int axis = 0; axis < rank; axis++) {
            space.lo[axis] = pick(-5, 5);
            space.hi[axis] = space.lo[axis] + pick(1, 8);
            edges[axis] = pick(0, 2);
            rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = axis};
        }
        const rts_grid_t grid = {.rank = 1, .size = {3}, .coordinate = {pick(0, 2)}};
        CHECK_EQ_INT(rts_array_create(&space, element, edges, edges, true, &subject->array), RTS_OK);
        rts_replica_t *replica;
        CHECK_EQ_INT(rts_coherence_replica(subject->array, 1, &replica), RTS_ERR_INVALID);
        CHECK_EQ_INT(rts_coherence_fetch(subject->array, 1, NULL), RTS_ERR_INVALID);
        CHECK_EQ_INT(rts_array_distribute(subject->array, rule, &grid), RTS_OK);
    }
    subject->size = rts_box_size(&subject->array->held);
    for (rts_index_t i = 0; i < subject->size; i++) {
        subject->newest[i] = 1;
        subject->value[i] = last_value;
        store_value((char *)subject->array->home.buffer + (size_t)i * element.bytes, element.bytes,
                    last_value);
    }
}

static void close_subject(subject_t *subject) {
    rts_coherence_release(subject->array);
    rts_array_destroy(subject->array);
}

static int64_t replica_bytes_now(void) {
    int64_t bytes = 0;
    for (int i = 0; i < ARRAYS; i++)
        for (const rts_replica_t *replica = subjects[i].array->replicas; replica != NULL;
             replica = replica->next)
            bytes += subjects[i].size * (int64_t)subjects[i].array->element.bytes;
    return bytes;
}

static void test_sequences(bool with_failures) {
    failure_count = 0;
    for (int round = 0; round < 200; round++) {
        last_value++;
        for (int i = 0; i < ARRAYS; i++)
            open_subject(&subjects[i], i,
                         i == 0 || (i == round % 4 && round % 8 < 4) ? variable_memory[i] : NULL);
        for (int step = 0; step < 150; step++) {
            subject_t *subject = &subjects[pick(0, ARRAYS - 1)];
            if (with_failures && check_random_once_in(2)) {
                rts_memory_fail_at(pick(1, 8));
                failing_operation = check_random_once_in(2) ? (int)pick(1, 3) : 0;
            }
            random_step(subject);
            rts_memory_fail_at(0);
            failing_operation = 0;
            check_subject(subject);
            CHECK_EQ_INT(rts_stats_get(RTS_STAT_REPLICA_BYTES), replica_bytes_now());
        }
        for (int i = 0; i < ARRAYS; i++)
            check_subject(&subjects[i]);
        for (int i = 0; i < ARRAYS; i++)
            close_subject(&subjects[i]);
        CHECK_EQ_INT(rts_stats_get(RTS_STAT_REPLICA_BYTES), 0);
        CHECK_EQ_INT(device_blocks, 0);
    }
    CHECK(with_failures ? failure_count > 500 : failure_count == 0);
}

/* What happens in every loop of a program that stays on one device must not allocate. */
static void test_steady(void) {
    last_value++;
    for (int i = 0; i < ARRAYS; i++)
        open_subject(&subjects[i], i, variable_memory[i]);
    for (int i = 0; i < ARRAYS; i++) {
        const rts_box_t box = subjects[i].array->held;
        for (int device = 0; device < 2; device++) {
            do_fetch(&subjects[i], device, &box);
            do_write(&subjects[i], device, &box);
            const int64_t calls = rts_memory_calls();
            for (int again = 0; again < 3; again++) {
                do_fetch(&subjects[i], device, &box);
                do_write(&subjects[i], device, NULL);
            }
            CHECK_EQ_INT(rts_memory_calls(), calls);
            check_subject(&subjects[i]);
        }
    }
    CHECK_EQ_INT(rts_coherence_written(subjects[1].array, 3, NULL), RTS_ERR_INTERNAL);
    CHECK_CONTAINS(rts_error_text(), "device 3");
    for (int i = 0; i < ARRAYS; i++)
        close_subject(&subjects[i]);
}

/* The n-th allocation of a whole story fails, for every n: nothing is lost, nothing leaks. */
static void test_no_memory(void) {
    const int64_t live = rts_memory_live();
    for (int n = 1;; n++) {
        const rts_box_t half = {.rank = 2, .lo = {1, 1}, .hi = {3, 3}},
                        row = {.rank = 2, .lo = {2, 0}, .hi = {3, 4}};
        subject_t *subject = &subjects[0];
        last_value++;
        const rts_element_t element = {.code = rt_INT, .bytes = sizeof(int)};
        CHECK_EQ_INT(rts_array_create_variable(2, (const rts_index_t[]){4, 4}, element, variable_memory[0],
                                               &subject->array),
                     RTS_OK);
        subject->size = 16;
        for (int i = 0; i < 16; i++) {
            subject->newest[i] = 1;
            subject->value[i] = last_value;
            store_value(variable_memory[0] + 4 * i, 4, last_value);
        }
        const int64_t calls = rts_memory_calls();
        rts_memory_fail_at(n);
        do_fetch(subject, 1, &half);
        do_write(subject, 1, &half);
        do_write(subject, 2, &row);
        do_fetch(subject, 3, NULL);
        do_discard(subject, &half);
        do_fetch(subject, 0, NULL);
        rts_memory_fail_at(0);
        const bool finished = rts_memory_calls() - calls < n;
        check_subject(subject);
        close_subject(subject);
        CHECK_EQ_INT(rts_memory_live(), live);
        CHECK_EQ_INT(device_blocks, 0);
        if (finished) {
            CHECK(n > 15);
            return;
        }
    }
}

int main(void) {
    check_random_start();
    rts_handle_t handle; /* the table of handles stays alive: not a leak */
    CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_ARRAY, &handle, &handle), RTS_OK);
    test_sequences(false);
    test_sequences(true);
    test_steady();
    test_no_memory();
    rts_handle_reset();
    return check_finish();
}
