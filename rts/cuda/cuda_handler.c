/* Handlers on a GPU: the device's stream for their launches, an end that waits and hears of faults, and their partial results. Everything
 * of a handler is queued on the one stream of its device, so that its kernels come after the copies that were asked for before. */
#include <config.h>

#include "rts/cuda/cuda_handler.h"

#include "rts/cuda/cuda_device.h"
#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_handler_items.h"
#include "rts/cuda/cuda_launch.h"
#include "rts/cuda/cuda_memory.h"
#include "rts/cuda/cuda_stream.h"
#include "rts/launcher.h"

static rts_status_t attribute(const rts_cuda_device_t *device, enum cudaDeviceAttr name, int64_t *value_p) {
    int value = 0;
    RTS_CUDA_TRY(cudaDeviceGetAttribute(&value, name, device->gpu), device->gpu, "asking for a limit");
    *value_p = value;
    return RTS_OK;
}

/* Attributes are known to the driver without asking the GPU. */
static rts_status_t handler_limits(int number, rts_device_limits_t *limits_p) {
    rts_cuda_device_t *device;
    rts_device_limits_t limits = {.registers_per_thread = 255}; /* of all architectures that we compile for */
    RTS_TRY(rts_cuda_device_use(number, &device));
    const struct {
        enum cudaDeviceAttr name;
        int64_t *value;
    } wanted[] = {{cudaDevAttrMaxThreadsPerBlock, &limits.threads},
                  {cudaDevAttrMaxBlockDimX, &limits.extent[0]},
                  {cudaDevAttrMaxBlockDimY, &limits.extent[1]},
                  {cudaDevAttrMaxBlockDimZ, &limits.extent[2]},
                  {cudaDevAttrMaxGridDimX, &limits.grid[0]},
                  {cudaDevAttrMaxGridDimY, &limits.grid[1]},
                  {cudaDevAttrMaxGridDimZ, &limits.grid[2]},
                  {cudaDevAttrMaxRegistersPerBlock, &limits.registers},
                  {cudaDevAttrMaxSharedMemoryPerBlock, &limits.shared_bytes}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        RTS_TRY(attribute(device, wanted[i].name, wanted[i].value));
    *limits_p = limits;
    return RTS_OK;
}

static rts_status_t handler_begin(int number, void **stream_p) {
    rts_cuda_device_t *device;
    RTS_TRY(rts_cuda_device_use(number, &device));
    rts_cuda_note_loop((rts_position_t){.line = 0}); /* its faults are heard at its end */
    rts_launchers_begin(device->gpu);
    *stream_p = device->stream;
    return RTS_OK;
}

/* Of the whole device, since handlers may have streams of their own. */
static rts_status_t handler_end(int number) {
    rts_cuda_device_t *device;
    RTS_TRY(rts_cuda_device_use(number, &device));
    const char *const error = rts_launchers_error();
    RTS_CUDA_TRY(cudaGetLastError(), device->gpu, "a launch of the loop's handler");
    RTS_CUDA_TRY(cudaDeviceSynchronize(), device->gpu, "a kernel of the loop's handler");
    if (error != NULL)
        return rts_fail(RTS_ERR_DEVICE, "CUDA device %d: a launch of the loop's handler failed: %s",
                        device->gpu, error);
    return rts_cuda_stream_wait(device); /* costs nothing now, and its slots are free */
}

static rts_status_t handler_zero(int number, void *memory, size_t bytes) {
    rts_cuda_device_t *device;
    RTS_TRY(rts_cuda_device_use(number, &device));
    RTS_CUDA_TRY(cudaMemsetAsync(memory, 0, bytes, device->stream), device->gpu, "clearing memory");
    return RTS_OK;
}

static rts_status_t handler_write(int number, void *target, const void *source, size_t bytes) {
    rts_cuda_device_t *device;
    RTS_TRY(rts_cuda_device_use(number, &device));
    RTS_CUDA_TRY(cudaMemcpyAsync(target, source, bytes, cudaMemcpyHostToDevice, device->stream), device->gpu,
                 "a copy to the device");
    return RTS_OK;
}

static rts_status_t handler_fill(int number, void *target, const void *values, size_t value_bytes,
                                 int64_t value_count, int64_t repeat) {
    rts_cuda_device_t *device;
    void *copy = NULL;
    RTS_TRY(rts_cuda_device_use(number, &device));
    RTS_TRY(rts_cuda_allocate(device, (size_t)value_count * value_bytes, &copy));
    rts_status_t status = handler_write(number, copy, values, (size_t)value_count * value_bytes);
    if (status == RTS_OK) {
        const cudaError_t error =
            (cudaError_t)rts_cuda_items_fill(target, copy, value_bytes, value_count, repeat, device->stream);
        if (error != cudaSuccess)
            status = rts_cuda_fail(error, device->gpu, "storing start values");
    }
    rts_cuda_release(device, copy);
    return status;
}

static rts_status_t copy_to_host(const rts_cuda_device_t *device, void *target, const void *source,
                                 size_t bytes) {
    RTS_CUDA_TRY(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToHost, device->stream), device->gpu,
                 "a copy of partial results");
    return RTS_OK;
}

/* Values and locations, of few items or of parts. */
static rts_status_t bring(rts_cuda_device_t *device, const rts_items_job_t *job, const void *items,
                          const void *item_locations, int64_t count, void *parts, void *locations) {
    RTS_TRY(copy_to_host(device, parts, items, (size_t)(job->element_count * count) * job->element_bytes));
    if (locations != NULL)
        RTS_TRY(copy_to_host(device, locations, item_locations, (size_t)count * job->location_bytes));
    return rts_cuda_stream_wait(device);
}

static rts_status_t combine(rts_cuda_device_t *device, const rts_items_job_t *job, void *parts,
                            void *locations) {
    const size_t bytes = (size_t)job->element_count * RTS_ITEM_PARTS * job->element_bytes;
    void *memory = NULL;
    RTS_TRY(rts_cuda_allocate(device, bytes + RTS_ITEM_PARTS * job->location_bytes, &memory));
    void *const of_parts = job->locations != NULL ? (char *)memory + bytes : NULL;
    const cudaError_t error = (cudaError_t)rts_cuda_items_combine(job, memory, of_parts, device->stream);
    rts_status_t status = RTS_OK;
    if (error != cudaSuccess)
        status = rts_cuda_fail(error, device->gpu, "combining partial results");
    if (status == RTS_OK)
        status = bring(device, job, memory, of_parts, RTS_ITEM_PARTS, parts, locations);
    rts_cuda_release(device, memory);
    return status;
}

static rts_status_t handler_collect(int number, const rts_items_job_t *job, void *parts, void *locations,
                                    int64_t *count_p) {
    rts_cuda_device_t *device;
    RTS_TRY(rts_cuda_device_use(number, &device));
    if (job->item_count <= RTS_ITEM_PARTS)
        RTS_TRY(bring(device, job, job->items, job->locations, job->item_count, parts, locations));
    else
        RTS_TRY(combine(device, job, parts, locations));
    *count_p = rts_min(job->item_count, RTS_ITEM_PARTS);
    return RTS_OK;
}

const rts_handler_ops_t rts_cuda_handler_ops = {
    .limits = handler_limits,
    .begin = handler_begin,
    .end = handler_end,
    .launch = rts_cuda_launch,
    .start_timer = rts_cuda_timer_start,
    .stop_timer = rts_cuda_timer_stop,
    .elapsed = rts_cuda_timer_elapsed,
    .zero = handler_zero,
    .write = handler_write,
    .fill = handler_fill,
    .collect = handler_collect,
};
