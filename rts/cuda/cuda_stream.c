/* Streams, their order, and slots; see the header. */
#include <config.h>

#include "rts/cuda/cuda_stream.h"

#include "rts/cuda/cuda_error.h"
#include "rts/log.h"

/* Portable: copies between two GPUs use a slot with both. */
static rts_status_t open_slot(const rts_cuda_device_t *device, rts_cuda_slot_t *slot) {
    void *memory = NULL;
    RTS_CUDA_TRY(cudaEventCreateWithFlags(&slot->done, cudaEventDisableTiming), device->gpu,
                 "making an event");
    RTS_CUDA_TRY(cudaHostAlloc(&memory, RTS_CUDA_SLOT_BYTES, cudaHostAllocPortable), device->gpu,
                 "allocating pinned host memory");
    slot->memory = memory;
    return RTS_OK;
}

rts_status_t rts_cuda_stream_open(rts_cuda_device_t *device) {
    /* One that does not wait for the default stream, nor that for it: programs may use that one for themselves. */
    RTS_CUDA_TRY(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking), device->gpu,
                 "making a stream");
    RTS_CUDA_TRY(cudaEventCreateWithFlags(&device->order, cudaEventDisableTiming), device->gpu,
                 "making an event");
    for (int i = 0; i < RTS_CUDA_SLOTS; i++)
        RTS_TRY(open_slot(device, &device->slot[i]));
    return RTS_OK;
}

static void free_slot(rts_cuda_slot_t *slot) {
    if (slot->memory != NULL)
        (void)cudaFreeHost(slot->memory);
    if (slot->done != NULL)
        (void)cudaEventDestroy(slot->done);
    *slot = (rts_cuda_slot_t){.memory = NULL};
}

void rts_cuda_stream_close(rts_cuda_device_t *device) {
    /* After a fault, which has been told, nothing works: the driver frees all when the process ends. */
    if (!rts_cuda_is_broken()) {
        if (device->stream != NULL && rts_cuda_stream_wait(device) != RTS_OK)
            rts_log(RTS_LOG_ERROR, "%s", rts_error_text());
        for (int i = 0; i < RTS_CUDA_SLOTS; i++)
            free_slot(&device->slot[i]);
        if (device->order != NULL)
            (void)cudaEventDestroy(device->order);
        if (device->fork != NULL)
            (void)cudaEventDestroy(device->fork);
        if (device->side != NULL)
            (void)cudaStreamDestroy(device->side);
        if (device->stream != NULL)
            (void)cudaStreamDestroy(device->stream);
        (void)cudaGetLastError();
    }
    device->order = device->fork = NULL;
    device->stream = device->side = NULL;
}

rts_status_t rts_cuda_stream_wait(rts_cuda_device_t *device) {
    RTS_CUDA_TRY(cudaStreamSynchronize(device->stream), device->gpu, "what was queued on the device");
    for (int i = 0; i < RTS_CUDA_SLOTS && !device->is_aside; i++) /* aside, the other stream may use some */
        device->slot[i].is_in_flight = false;
    return RTS_OK;
}

rts_status_t rts_cuda_stream_order(rts_cuda_device_t *earlier, rts_cuda_device_t *later) {
    RTS_CUDA_TRY(cudaSetDevice(earlier->gpu), earlier->gpu, "choosing the device");
    RTS_CUDA_TRY(cudaEventRecord(earlier->order, earlier->stream), earlier->gpu, "recording an event");
    RTS_CUDA_TRY(cudaSetDevice(later->gpu), later->gpu, "choosing the device");
    RTS_CUDA_TRY(cudaStreamWaitEvent(later->stream, earlier->order, 0), later->gpu, "waiting for an event");
    return RTS_OK;
}

rts_status_t rts_cuda_stream_fork(rts_cuda_device_t *device) {
    RTS_ASSERT(!device->is_aside);
    if (device->side == NULL)
        RTS_CUDA_TRY(cudaStreamCreateWithFlags(&device->side, cudaStreamNonBlocking), device->gpu,
                     "making a stream");
    if (device->fork == NULL)
        RTS_CUDA_TRY(cudaEventCreateWithFlags(&device->fork, cudaEventDisableTiming), device->gpu,
                     "making an event");
    RTS_CUDA_TRY(cudaEventRecord(device->fork, device->stream), device->gpu, "recording an event");
    return RTS_OK;
}

rts_status_t rts_cuda_stream_aside(rts_cuda_device_t *device, bool goes) {
    RTS_ASSERT(device->is_aside != goes);
    const cudaEvent_t event = goes ? device->fork : device->order;
    if (!goes)
        RTS_CUDA_TRY(cudaEventRecord(event, device->stream), device->gpu, "recording an event");
    cudaStream_t const other = device->side;
    device->side = device->stream;
    device->stream = other;
    device->is_aside = goes;
    RTS_CUDA_TRY(cudaStreamWaitEvent(device->stream, event, 0), device->gpu, "waiting for an event");
    return RTS_OK;
}

rts_status_t rts_cuda_slot_take(rts_cuda_device_t *device, rts_cuda_slot_t **slot_p) {
    rts_cuda_slot_t *const slot = &device->slot[device->next_slot];
    RTS_TRY(rts_cuda_slot_wait(device, slot));
    device->next_slot = (device->next_slot + 1) % RTS_CUDA_SLOTS;
    *slot_p = slot;
    return RTS_OK;
}

rts_status_t rts_cuda_slot_queued(rts_cuda_device_t *device, rts_cuda_slot_t *slot) {
    RTS_CUDA_TRY(cudaEventRecord(slot->done, device->stream), device->gpu, "recording an event");
    slot->is_in_flight = true;
    return RTS_OK;
}

rts_status_t rts_cuda_slot_wait(const rts_cuda_device_t *device, rts_cuda_slot_t *slot) {
    if (!slot->is_in_flight)
        return RTS_OK;
    RTS_CUDA_TRY(cudaEventSynchronize(slot->done), device->gpu, "a copy of the device");
    slot->is_in_flight = false;
    return RTS_OK;
}
