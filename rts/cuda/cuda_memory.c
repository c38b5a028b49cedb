/* Pools and blocks; see the header. The list of blocks is for the limit, for finding blocks that are not ours, and for the end. */
#include <config.h>

#include "rts/cuda/cuda_memory.h"

#include "rts/cuda/cuda_error.h"
#include "rts/memory.h"

#include <string.h>

/* Reads as -1 and as NaN, whatever the type: in builds with assertions, so that what nobody has copied shows. */
#define POISON 0xFF

rts_status_t rts_cuda_pool_open(rts_cuda_device_t *device, bool keeps) {
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .handleTypes = cudaMemHandleTypeNone,
                                                .location = {.type = cudaMemLocationTypeDevice,
                                                             .id = device->gpu}};
    uint64_t kept_bytes = keeps ? UINT64_MAX : 0;
    RTS_CUDA_TRY(cudaMemPoolCreate(&device->pool, &properties), device->gpu, "making a memory pool");
    RTS_CUDA_TRY(cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes),
                 device->gpu, "setting up a memory pool");
    return RTS_OK;
}

void rts_cuda_pool_close(rts_cuda_device_t *device) {
    while (device->block_count > 0)
        rts_cuda_release(device, device->block[0].memory);
    rts_free(device->block);
    device->block = NULL;
    device->block_capacity = 0;
    if (device->pool != NULL && !rts_cuda_is_broken())
        (void)cudaMemPoolDestroy(device->pool);
    device->pool = NULL;
}

bool rts_cuda_pool_share(rts_cuda_device_t *device, int gpu) {
    const struct cudaMemAccessDesc access = {.location = {.type = cudaMemLocationTypeDevice, .id = gpu},
                                             .flags = cudaMemAccessFlagsProtReadWrite};
    return cudaMemPoolSetAccess(device->pool, &access, 1) == cudaSuccess;
}

static rts_status_t reserve_entry(rts_cuda_device_t *device) {
    if (device->block_count < device->block_capacity)
        return RTS_OK;
    const int capacity = device->block_capacity > 0 ? 2 * device->block_capacity : 32;
    const size_t one = sizeof *device->block;
    rts_cuda_block_t *const block =
        rts_realloc(device->block, (size_t)device->block_count * one, (size_t)capacity * one);
    if (block == NULL)
        return rts_fail_memory("the list of a device's memory", (size_t)capacity * one);
    device->block = block;
    device->block_capacity = capacity;
    return RTS_OK;
}

/* What the pool keeps for later may be in pieces too small: then everything free goes back to the GPU, and once more. */
static cudaError_t allocate_twice(rts_cuda_device_t *device, size_t bytes, void **memory_p) {
    cudaError_t error = cudaMallocFromPoolAsync(memory_p, bytes, device->pool, device->stream);
    if (error != cudaErrorMemoryAllocation)
        return error;
    (void)cudaGetLastError();
    error = cudaStreamSynchronize(device->stream);
    if (error == cudaSuccess)
        error = cudaMemPoolTrimTo(device->pool, 0);
    return error == cudaSuccess ? cudaMallocFromPoolAsync(memory_p, bytes, device->pool, device->stream)
                                : error;
}

rts_status_t rts_cuda_allocate(rts_cuda_device_t *device, size_t bytes, void **memory_p) {
    void *memory = NULL;
    if (bytes == 0)
        bytes = 1;
    RTS_TRY(reserve_entry(device));
    if (bytes > rts_cuda_memory_limit() || device->live_bytes > rts_cuda_memory_limit() - bytes)
        return rts_fail_memory("a device's arrays within DVMH_DEVICE_MEMORY", bytes);
    const cudaError_t error =
        bytes <= PTRDIFF_MAX ? allocate_twice(device, bytes, &memory) : cudaErrorMemoryAllocation;
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return rts_fail_memory("arrays on a CUDA device", bytes);
    }
    RTS_CUDA_TRY(error, device->gpu, "allocating memory");
    if (RTS_ASSERT_LEVEL >= 2)
        (void)cudaMemsetAsync(memory, POISON, bytes, device->stream);
    device->block[device->block_count++] = (rts_cuda_block_t){memory, bytes};
    device->live_bytes += bytes;
    *memory_p = memory;
    return RTS_OK;
}

void rts_cuda_release(rts_cuda_device_t *device, void *memory) {
    int number = 0;
    while (number < device->block_count && device->block[number].memory != memory)
        number++;
    RTS_ASSERT(number < device->block_count);
    if (number == device->block_count)
        return;
    device->live_bytes -= device->block[number].bytes;
    device->block[number] = device->block[--device->block_count];
    if (rts_cuda_is_broken())
        return;
    (void)cudaSetDevice(device->gpu);
    /* A failure here is one of what was queued before: the next call that can tell does. */
    (void)cudaFreeAsync(memory, device->stream);
}
