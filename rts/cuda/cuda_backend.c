/* The CUDA backend's operations. Everything of a device is queued on its one stream, in order: allocation, copies, reorganisation, release.
 * So nothing that stays on a device is ever waited for; only a copy to host memory waits. A failure of something queued is told by
 * the next call that hears of it. */
#include <config.h>

#include "rts/cuda/cuda.h"

#include "rts/cuda/cuda_copy.h"
#include "rts/cuda/cuda_device.h"
#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_memory.h"
#include "rts/cuda/cuda_sweeps.h"
#include "rts/cuda/cuda_transfer.h"

static rts_status_t cuda_open(const rts_backend_options_t *options, int *device_count_p) {
    return rts_cuda_devices_find(options, device_count_p);
}

static void cuda_close(void) {
    rts_cuda_copy_release();
    rts_cuda_devices_close();
}

static rts_status_t cuda_allocate(int device, size_t bytes, void **memory_p) {
    rts_cuda_device_t *gpu = NULL;
    RTS_TRY(rts_cuda_device_use(device, &gpu));
    return rts_cuda_allocate(gpu, bytes, memory_p);
}

static void cuda_release(int device, void *memory) {
    rts_cuda_device_t *const gpu = rts_cuda_device_of(device);
    RTS_ASSERT(gpu != NULL);
    if (memory == NULL)
        return;
    (void)rts_cuda_sweeps_start(gpu); /* may use it; a failure is told by the next call that can tell */
    rts_cuda_release(gpu, memory);
}

/* A device that is not ours is the host or one that the host plays: its memory can be read and written here. */
static rts_status_t cuda_copy(const rts_copy_job_t *job) {
    rts_cuda_device_t *source = NULL, *target = NULL;
    if (rts_box_is_empty(&job->box))
        return RTS_OK;
    if (rts_cuda_device_of(job->source_device) != NULL)
        RTS_TRY(rts_cuda_device_use(job->source_device, &source));
    if (rts_cuda_device_of(job->target_device) != NULL)
        RTS_TRY(rts_cuda_device_use(job->target_device, &target));
    if (source == NULL && target == NULL)
        return rts_fail(RTS_ERR_INVALID, "a copy from device %d to %d: neither is a GPU", job->source_device,
                        job->target_device);
    if (source == NULL)
        return rts_cuda_to_device(target, job);
    if (target == NULL)
        return rts_cuda_to_host(source, job);
    return source == target ? rts_cuda_copy_box(target->gpu, target->stream, job)
                            : rts_cuda_between(source, target, job);
}

static rts_status_t cuda_copy_fronts(const rts_front_copy_job_t *job) {
    return rts_fail(RTS_ERR_UNSUPPORTED, "device %d is a GPU, which copies no fronts in this version",
                    job->device);
}

static rts_status_t cuda_reorganise_in_place(int device, size_t element_bytes, void *buffer,
                                             const rts_layout_t *from, const rts_layout_t *to) {
    rts_cuda_device_t *gpu = NULL;
    RTS_TRY(rts_cuda_device_use(device, &gpu));
    return rts_cuda_reorganise_in_place(gpu->gpu, gpu->stream, element_bytes, buffer, from, to);
}

static rts_status_t cuda_run(int device, const rts_loop_job_t *job) {
    (void)job;
    return rts_fail(RTS_ERR_UNSUPPORTED, "device %d is a GPU, which runs no portions of loops", device);
}

const rts_backend_ops_t rts_cuda_ops = {
    .name = "cuda",
    .device_type = 2,     /* DEVICE_TYPE_CUDA */
    .runs_records = true, /* by rts/cuda/cuda_launch.h: not in portions */
    .open = cuda_open,
    .close = cuda_close,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .copy = cuda_copy,
    .copy_fronts = cuda_copy_fronts,
    .reorganise_in_place = cuda_reorganise_in_place,
    .run = cuda_run,
};
