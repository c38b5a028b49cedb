/* A GPU that the host plays, so that what concerns CUDA handlers is tested everywhere: device 1 is one of the host backend's own devices,
 * with memory of its own, called a CUDA device; kernels are C functions. To be included once, instead of linking
 * rts/backend_table.c, which it contains under other names. Start with DVMH_FAKE_DEVICES=1. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <config.h>

#include "rts/backend.h"
#include "rts/cuda/cuda_handler_items.h"
#include "rts/handler_ops.h"
#include "rts/reduction.h"
#include "rts/stats.h"

#define rts_backend_of_device     rts_table_backend_of_device
#define rts_handler_ops_of_device rts_table_handler_ops_of_device
const rts_backend_ops_t *rts_table_backend_of_device(int device);
const rts_handler_ops_t *rts_table_handler_ops_of_device(int device);
#include "rts/backend_table.c"
#undef rts_backend_of_device
#undef rts_handler_ops_of_device

#include <stdlib.h>
#include <string.h>

enum { FAKE_TIMERS = RTS_MOST_TIMERS };

static struct {
    rts_backend_ops_t ops;
    const char *fault; /* what the end of the next handler says */
    int begins, ends, launches;
    int late; /* questions for a time before it is known */
    int asked;
    int64_t started_ns, last_timer;
    double seconds[FAKE_TIMERS];
    bool is_endless;       /* times are known after an end alone */
    int64_t ended_timer;   /* the last one then */
    double takes_s;        /* what every measurement says; 0: what it took */
    int64_t largest_count; /* of items collected */
} fake;

const rts_backend_ops_t *rts_backend_of_device(int device) {
    if (device == 0)
        return rts_table_backend_of_device(0);
    fake.ops = *rts_table_backend_of_device(device);
    fake.ops.name = "fake-cuda";
    fake.ops.device_type = 2;
    fake.ops.runs_records = true;
    return &fake.ops;
}

static rts_status_t fake_limits(int device, rts_device_limits_t *limits_p) {
    (void)device;
    *limits_p = (rts_device_limits_t){.threads = 1024,
                                      .extent = {1024, 1024, 64},
                                      .grid = {2147483647, 65535, 65535},
                                      .registers = 65536,
                                      .registers_per_thread = 255,
                                      .shared_bytes = 49152};
    return RTS_OK;
}

static rts_status_t fake_begin(int device, void **stream_p) {
    (void)device;
    fake.begins++;
    *stream_p = &fake;
    return RTS_OK;
}

static rts_status_t fake_end(int device) {
    const char *const fault = fake.fault;
    fake.ends++;
    fake.ended_timer = fake.last_timer;
    fake.fault = NULL;
    return fault != NULL ? rts_fail(RTS_ERR_DEVICE, "device %d: %s", device, fault) : RTS_OK;
}

static rts_status_t fake_launch_job(int device, const rts_launch_job_t *job) {
    (void)device;
    fake.launches++;
    if (job->sweeps != NULL) /* each sweep is a launch of its own */
        memset(job->sweeps->counters, 0, job->sweeps->counter_bytes + job->sweeps->bytes_of_sweep);
    job->call(job->context, &fake);
    return RTS_OK;
}

static void fake_start_timer(int device) {
    (void)device;
    fake.started_ns = rts_clock_ns();
}

static int64_t fake_stop_timer(int device) {
    (void)device;
    const double took_s = (double)(rts_clock_ns() - fake.started_ns + 1) * 1e-9;
    fake.seconds[++fake.last_timer % FAKE_TIMERS] = fake.takes_s > 0 ? fake.takes_s : took_s;
    return fake.last_timer;
}

/* Each is asked for a few times in vain; after an end all are known. */
static bool fake_elapsed(int device, int64_t timer, double *seconds_p) {
    (void)device;
    if (fake.is_endless ? timer > fake.ended_timer : fake.asked++ % (fake.late + 1) != fake.late)
        return false;
    *seconds_p = timer + FAKE_TIMERS > fake.last_timer ? fake.seconds[timer % FAKE_TIMERS] : -1;
    return true;
}

static rts_status_t fake_zero(int device, void *memory, size_t bytes) {
    (void)device;
    memset(memory, 0, bytes);
    return RTS_OK;
}

static rts_status_t fake_write(int device, void *target, const void *source, size_t bytes) {
    (void)device;
    memcpy(target, source, bytes);
    return RTS_OK;
}

static rts_status_t fake_fill(int device, void *target, const void *values, size_t value_bytes,
                              int64_t value_count, int64_t repeat) {
    (void)device;
    for (int64_t i = 0; i < value_count * repeat; i++)
        memcpy((char *)target + (size_t)i * value_bytes,
               (const char *)values + (size_t)(i / repeat) * value_bytes, value_bytes);
    return RTS_OK;
}

/* Item by item: the kernels' order differs for sums that are not exact, and nowhere else. */
static void fake_part(const rts_items_job_t *job, const char *items, int64_t begin, int64_t end, char *part,
                      char *location) {
    rts_reduction_t one;
    if (rts_reduction_init(job->operation, job->type, 1, (DvmType)job->location_bytes, &one) != RTS_OK)
        abort();
    for (int64_t item = begin; item < end; item++) {
        const char *const from = items + (size_t)item * job->element_bytes;
        const char *const from_location =
            location != NULL ? (const char *)job->locations + (size_t)item * job->location_bytes : NULL;
        if (item > begin) {
            rts_reduction_combine(&one, part, location, from, from_location);
            continue;
        }
        memcpy(part, from, job->element_bytes);
        if (location != NULL)
            memcpy(location, from_location, job->location_bytes);
    }
}

static rts_status_t fake_collect(int device, const rts_items_job_t *job, void *parts, void *locations,
                                 int64_t *count_p) {
    const int64_t count = rts_min(job->item_count, RTS_ITEM_PARTS);
    (void)device;
    fake.largest_count = rts_max(fake.largest_count, job->item_count);
    for (int64_t element = 0; element < job->element_count; element++)
        for (int part = 0; part < count; part++) {
            const bool has_one_each = job->item_count <= RTS_ITEM_PARTS;
            const int64_t begin = has_one_each ? part : rts_item_part_begin(job->item_count, part),
                          end = has_one_each ? part + 1 : rts_item_part_begin(job->item_count, part + 1);
            fake_part(job,
                      (const char *)job->items + (size_t)(element * job->item_count) * job->element_bytes,
                      begin, end, (char *)parts + (size_t)(element * count + part) * job->element_bytes,
                      locations != NULL ? (char *)locations + (size_t)part * job->location_bytes : NULL);
        }
    *count_p = count;
    return RTS_OK;
}

const rts_handler_ops_t *rts_handler_ops_of_device(int device) {
    static const rts_handler_ops_t ops = {.limits = fake_limits,
                                          .begin = fake_begin,
                                          .end = fake_end,
                                          .launch = fake_launch_job,
                                          .start_timer = fake_start_timer,
                                          .stop_timer = fake_stop_timer,
                                          .elapsed = fake_elapsed,
                                          .zero = fake_zero,
                                          .write = fake_write,
                                          .fill = fake_fill,
                                          .collect = fake_collect};
    return device > 0 ? &ops : NULL;
}

#endif
