/* The host backend's operations. Device 0 is host memory. Devices 1..N are fake: host memory too, but in
 * blocks that only they may use and that start out poisoned, so that logic for several devices is tested
 * without any. A buffer of a fake device that does not lie inside one of its blocks is refused. */
#include <config.h>

#include "rts/host/host_internal.h"

#include "rts/host/host_reorganise.h"
#include "rts/host/host_topology.h"
#include "rts/memory.h"

#include <string.h>

/** Reads as -1 and as NaN, whatever the type. */
#define POISON 0xFF

/** In front of the memory of a fake device. */
typedef struct fake_block {
    _Alignas(RTS_MEMORY_ALIGNMENT) struct fake_block *next;
    int device;
    size_t bytes;
} fake_block_t;

static int thread_count = 1;
static int fake_device_count;
static size_t fake_memory_limit; /* bytes of one device */
static fake_block_t *fake_blocks;

static rts_status_t check_device(int device) {
    if (device < 0 || device > fake_device_count)
        return rts_fail(RTS_ERR_INVALID, "device %d: the host backend has 0 to %d", device,
                        fake_device_count);
    return RTS_OK;
}

static rts_status_t host_open(const rts_backend_options_t *options, int *device_count_p) {
    RTS_ASSERT(options->thread_count >= 1 && options->fake_devices >= 0);
    RTS_TRY(rts_host_run_reserve(options->thread_count));
    thread_count = options->thread_count;
    fake_device_count = options->fake_devices;
    fake_memory_limit = options->memory_limit > 0 ? (size_t)options->memory_limit : SIZE_MAX;
    rts_host_bind_open(options);
    *device_count_p = fake_device_count;
    return RTS_OK;
}

static void host_release(int device, void *memory) {
    if (device == 0 || memory == NULL) {
        rts_free(memory);
        return;
    }
    for (fake_block_t **link = &fake_blocks; *link != NULL; link = &(*link)->next) {
        fake_block_t *const block = *link;
        if ((void *)(block + 1) == memory && block->device == device) {
            *link = block->next;
            memset(block, POISON, sizeof(*block) + block->bytes); /* what is read after release shows too */
            rts_free(block);
            return;
        }
    }
    RTS_ASSERT(false && "released memory belongs to the device");
}

static void host_close(void) {
    while (fake_blocks != NULL)
        host_release(fake_blocks->device, fake_blocks + 1);
    rts_host_bind_close();
    rts_host_run_release();
    thread_count = 1;
    fake_device_count = 0;
}

static bool is_within_limit(int device, size_t bytes) {
    size_t left = fake_memory_limit;
    for (const fake_block_t *block = fake_blocks; block != NULL; block = block->next)
        left -= block->device == device ? block->bytes : 0;
    return bytes <= left;
}

static rts_status_t host_allocate(int device, size_t bytes, void **memory_p) {
    RTS_TRY(check_device(device));
    const size_t head = device == 0 ? 0 : sizeof(fake_block_t);
    const bool fits = bytes <= SIZE_MAX - head && (device == 0 || is_within_limit(device, bytes));
    void *const memory = fits ? rts_alloc(head + bytes) : NULL;
    if (memory == NULL)
        return rts_fail_memory(device == 0 ? "host memory" : "the memory of a fake device", bytes);
    if (device == 0) {
        *memory_p = memory;
        return RTS_OK;
    }
    fake_block_t *const block = memory;
    block->next = fake_blocks;
    block->device = device;
    block->bytes = bytes;
    memset(block + 1, POISON, bytes);
    fake_blocks = block;
    *memory_p = block + 1;
    return RTS_OK;
}

/** The memory from start to end must be the device's; the host's may be the program's own. */
static rts_status_t check_memory(int device, const char *start, const char *end) {
    if (device == 0)
        return RTS_OK;
    for (const fake_block_t *block = fake_blocks; block != NULL; block = block->next) {
        const char *const memory = (const char *)(block + 1);
        if (block->device == device && start >= memory && end <= memory + block->bytes)
            return RTS_OK;
    }
    return rts_fail(RTS_ERR_INTERNAL, "a copy touches memory that is not device %d's", device);
}

/** The part of a buffer that a copy touches must lie in the memory of its device. */
static rts_status_t check_buffer(int device, const void *buffer, const rts_layout_t *layout,
                                 const rts_copy_job_t *job) {
    RTS_TRY(check_device(device));
    rts_index_t low = 0, high = layout->size;
    if (layout->kind == RTS_LAYOUT_PLAIN) {
        low = rts_layout_offset(layout, job->box.lo);
        high = low + 1;
        for (int axis = 0; axis < job->box.rank; axis++)
            high += layout->stride[axis] * (job->box.hi[axis] - job->box.lo[axis] - 1);
    }
    return check_memory(device, (const char *)buffer + low * (rts_index_t)job->element_bytes,
                        (const char *)buffer + high * (rts_index_t)job->element_bytes);
}

static rts_status_t host_copy(const rts_copy_job_t *job) {
    if (!rts_box_is_empty(&job->box)) {
        RTS_TRY(check_buffer(job->source_device, job->source, job->source_layout, job));
        RTS_TRY(check_buffer(job->target_device, job->target, job->target_layout, job));
    }
    return rts_host_copy(job, thread_count);
}

static rts_status_t host_copy_fronts(const rts_front_copy_job_t *job) {
    RTS_TRY(check_device(job->device));
    RTS_TRY(check_memory(job->device, job->buffer,
                         (const char *)job->buffer + (size_t)job->layout->size * job->element_bytes));
    rts_host_copy_fronts(job);
    return RTS_OK;
}

static rts_status_t host_reorganise_in_place(int device, size_t element_bytes, void *buffer,
                                             const rts_layout_t *from, const rts_layout_t *to) {
    const size_t bytes = (size_t)rts_max(from->size, to->size) * element_bytes;
    RTS_TRY(check_device(device));
    RTS_TRY(check_memory(device, buffer, (const char *)buffer + bytes));
    return rts_host_reorganise_in_place(element_bytes, buffer, from, to, thread_count);
}

static rts_status_t host_run(int device, const rts_loop_job_t *job) {
    RTS_TRY(check_device(device));
    return rts_host_run(job);
}

const rts_backend_ops_t rts_host_ops = {
    .name = "host",
    .device_type = 1, /* DEVICE_TYPE_HOST */
    .runs_records = true,
    .open = host_open,
    .close = host_close,
    .allocate = host_allocate,
    .release = host_release,
    .copy = host_copy,
    .copy_fronts = host_copy_fronts,
    .reorganise_in_place = host_reorganise_in_place,
    .run = host_run,
};
