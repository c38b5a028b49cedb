/* Held launches; see the header. There is one at a time and device, with a count of how often it was asked for: the next one either is the same,
 * byte for byte, or starts it. So the order of what runs on the device is that in which it was asked for, and nobody waits for a sweep
 * longer than the GPU is busy, provided that the runtime is called at all. */
#include <config.h>

#include "rts/cuda/cuda_sweeps.h"

#include "rts/cuda/cuda_error.h"
#include "rts/launcher.h"
#include "rts/log.h"
#include "rts/memory.h"

#include <string.h>

static rts_status_t zero(const rts_cuda_device_t *device, const rts_launch_sweeps_t *sweeps, int64_t count) {
    const size_t bytes = sweeps->counter_bytes + (size_t)count * sweeps->bytes_of_sweep;
    RTS_CUDA_TRY(cudaMemsetAsync(sweeps->counters, 0, bytes, device->stream), device->gpu,
                 "clearing counters");
    return RTS_OK;
}

rts_status_t rts_cuda_launched(const rts_cuda_device_t *device) {
    const char *const error = rts_launchers_error();
    RTS_CUDA_TRY(cudaGetLastError(), device->gpu, "a launch of the loop's handler");
    if (error != NULL)
        return rts_fail(RTS_ERR_DEVICE, "CUDA device %d: a launch of the loop's handler failed: %s",
                        device->gpu, error);
    return RTS_OK;
}

static rts_status_t start(rts_cuda_device_t *device) {
    rts_cuda_held_t *const held = &device->held;
    const int64_t count = held->count;
    held->count = 0;
    RTS_CUDA_TRY(cudaSetDevice(device->gpu), device->gpu, "choosing the device");
    RTS_TRY(zero(device, &held->sweeps, count));
    if (count > 1)
        rts_log(RTS_LOG_DEBUG, "loop of %s:%d: %lld sweeps follow each other",
                held->position.file != NULL ? held->position.file : "?", held->position.line,
                (long long)count);
    rts_cuda_note_loop(held->position);
    rts_launchers_begin(device->gpu);
    held->kept.start(held->kept.bytes, (DvmType)count, device->stream);
    return rts_cuda_launched(device);
}

rts_status_t rts_cuda_sweeps_start(rts_cuda_device_t *device) {
    rts_cuda_held_t *const held = &device->held;
    if (held->is_lost)
        return rts_fail(RTS_ERR_DEVICE, "CUDA device %d: an earlier launch failed", device->gpu);
    if (held->count == 0)
        return RTS_OK;
    const rts_status_t status = start(device);
    held->is_lost = status != RTS_OK;
    return status;
}

/* Whether the launch that a handler has kept is the one that is held. */
static bool is_same(const rts_cuda_held_t *held, const dvmhx_kept_t *kept) {
    return held->count > 0 && held->kept.start == kept->start && held->kept.used == kept->used &&
           memcmp(held->kept.bytes, kept->bytes, (size_t)kept->used) == 0;
}

static rts_status_t hold(rts_cuda_device_t *device, const rts_launch_job_t *job) {
    rts_cuda_held_t *const held = &device->held;
    const dvmhx_kept_t *const kept = job->sweeps->kept;
    if (held->kept.room < kept->used) {
        rts_free(held->kept.bytes);
        held->kept.room = 0;
        held->kept.bytes = rts_alloc((size_t)kept->room);
        if (held->kept.bytes == NULL)
            return rts_fail_memory("a launch that is held back", (size_t)kept->room);
        held->kept.room = kept->room;
    }
    memcpy(held->kept.bytes, kept->bytes, (size_t)kept->used);
    held->kept.used = kept->used;
    held->kept.start = kept->start;
    held->sweeps = *job->sweeps;
    held->position = job->position;
    held->count = 1;
    return RTS_OK;
}

/* A handler that has never kept a launch may start it, so it is called with all in order for that. */
static rts_status_t call(rts_cuda_device_t *device, const rts_launch_job_t *job) {
    const bool keeps = device->held.keeper == job->kernel_of;
    if (!keeps) {
        RTS_TRY(rts_cuda_sweeps_start(device));
        RTS_TRY(zero(device, job->sweeps, 1));
    }
    rts_cuda_note_loop(job->position);
    rts_launchers_begin(device->gpu);
    job->sweeps->kept->used = 0;
    job->call(job->context, device->stream);
    RTS_TRY(rts_cuda_launched(device));
    if (keeps && job->sweeps->kept->used == 0)
        return rts_fail(RTS_ERR_DEVICE,
                        "CUDA device %d: the handler has started a launch that it should have kept",
                        device->gpu);
    return RTS_OK;
}

rts_status_t rts_cuda_sweeps_launch(int number, const rts_launch_job_t *job) {
    const dvmhx_kept_t *const kept = job->sweeps->kept;
    rts_cuda_device_t *device;
    RTS_TRY(rts_cuda_device_select(number, &device));
    rts_cuda_held_t *const held = &device->held;
    RTS_TRY(call(device, job));
    if (kept->used == 0)
        return RTS_OK; /* started */
    held->keeper = job->kernel_of;
    if (is_same(held, kept)) {
        held->count++;
    } else {
        RTS_TRY(rts_cuda_sweeps_start(device));
        RTS_TRY(hold(device, job));
    }
    const cudaError_t state = cudaStreamQuery(device->stream);
    if (state == cudaErrorNotReady)
        (void)cudaGetLastError();
    else
        RTS_CUDA_TRY(state, device->gpu, "what was asked of it before");
    return state == cudaSuccess || held->count == job->sweeps->most ? rts_cuda_sweeps_start(device) : RTS_OK;
}

void rts_cuda_sweeps_close(rts_cuda_device_t *device) {
    rts_free(device->held.kept.bytes);
    device->held = (rts_cuda_held_t){.count = 0};
}
