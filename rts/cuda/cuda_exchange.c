/* CUDA's memory and events for several processes. The memory is cudaMalloc's, since that of pools cannot be shared in this way, and a multiple
 * of 2 MiB, since a handle opens the whole piece of the driver's that an allocation lies in. One event serves both directions: who has
 * filled the memory marks it, and so does who has read it.
 *
 * What cannot be had here is a status of its own, told on the log by whoever asked: containers may forbid sharing. */
#include <config.h>

#include "rts/cuda/cuda_exchange.h"

#include <string.h>

#include "rts/cuda/cuda_device.h"
#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_stream.h"

#define PIECE_BYTES ((size_t)2 << 20)

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof((rts_exchange_handle_t *)NULL)->memory,
               "the size of a handle");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof((rts_exchange_handle_t *)NULL)->event,
               "the size of a handle");

/* A failure that leaves the device as it was. Others stay what they are. */
static rts_status_t refuse(cudaError_t error, const rts_cuda_device_t *device, const char *what) {
    const rts_status_t status = rts_cuda_fail(error, device->gpu, what);
    return status == RTS_ERR_DEVICE && !rts_cuda_is_broken() ? RTS_ERR_UNSUPPORTED : status;
}

#define TRY_TO(call, device, what)                                                                           \
    do {                                                                                                     \
        const cudaError_t error = (call);                                                                    \
        if (error != cudaSuccess)                                                                            \
            return refuse(error, device, what);                                                              \
    } while (0)

static void exchange_drop(rts_exchange_place_t *place, bool is_made) {
    rts_cuda_device_t *device = NULL;
    if (place->memory != NULL && !rts_cuda_is_broken() &&
        rts_cuda_device_use(place->device, &device) == RTS_OK) {
        if (place->event != NULL)
            (void)cudaEventDestroy(place->event);
        (void)(is_made ? cudaFree(place->memory) : cudaIpcCloseMemHandle(place->memory));
        (void)cudaGetLastError();
    }
    *place = (rts_exchange_place_t){.device = place->device};
}

static rts_status_t make_event(const rts_cuda_device_t *device, bool is_shared, rts_exchange_place_t *place) {
    cudaEvent_t event = NULL;
    TRY_TO(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | (is_shared ? cudaEventInterprocess : 0)),
           device, "making an event for several processes");
    place->event = event;
    return RTS_OK;
}

static rts_status_t export_place(const rts_cuda_device_t *device, const rts_exchange_place_t *place,
                                 rts_exchange_handle_t *handle) {
    cudaIpcMemHandle_t of_memory;
    cudaIpcEventHandle_t of_event;
    TRY_TO(cudaIpcGetMemHandle(&of_memory, place->memory), device, "sharing memory between processes");
    TRY_TO(cudaIpcGetEventHandle(&of_event, place->event), device, "sharing an event between processes");
    memcpy(handle->memory, &of_memory, sizeof of_memory);
    memcpy(handle->event, &of_event, sizeof of_event);
    return RTS_OK;
}

static rts_status_t exchange_make(int number, size_t bytes, rts_exchange_place_t *place_p,
                                  rts_exchange_handle_t *handle_p) {
    rts_cuda_device_t *device = NULL;
    rts_exchange_place_t place = {.device = number};
    rts_exchange_handle_t handle = {.bytes = (bytes + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES};
    RTS_TRY(rts_cuda_device_use(number, &device));
    TRY_TO(cudaMalloc(&place.memory, handle.bytes), device, "allocating memory for messages");
    rts_status_t status = make_event(device, handle_p != NULL, &place);
    if (status == RTS_OK && handle_p != NULL)
        status = export_place(device, &place, &handle);
    if (status != RTS_OK) {
        exchange_drop(&place, true);
        return status;
    }
    *place_p = place;
    if (handle_p != NULL)
        *handle_p = handle;
    return RTS_OK;
}

static rts_status_t exchange_open(int number, const rts_exchange_handle_t *handle,
                                  rts_exchange_place_t *place_p) {
    rts_cuda_device_t *device = NULL;
    rts_exchange_place_t place = {.device = number};
    cudaIpcMemHandle_t of_memory;
    cudaIpcEventHandle_t of_event;
    cudaEvent_t event = NULL;
    RTS_TRY(rts_cuda_device_use(number, &device));
    memcpy(&of_memory, handle->memory, sizeof of_memory);
    memcpy(&of_event, handle->event, sizeof of_event);
    TRY_TO(cudaIpcOpenMemHandle(&place.memory, of_memory, cudaIpcMemLazyEnablePeerAccess), device,
           "opening another process's memory");
    const cudaError_t error = cudaIpcOpenEventHandle(&event, of_event);
    if (error != cudaSuccess) {
        const rts_status_t status = refuse(error, device, "opening another process's event");
        exchange_drop(&place, false);
        return status;
    }
    place.event = event;
    *place_p = place;
    return RTS_OK;
}

static rts_status_t exchange_after(const rts_exchange_place_t *place) {
    rts_cuda_device_t *device = NULL;
    RTS_TRY(rts_cuda_device_use(place->device, &device));
    RTS_CUDA_TRY(cudaStreamWaitEvent(device->stream, place->event, 0), device->gpu, "waiting for an event");
    return RTS_OK;
}

static rts_status_t exchange_mark(const rts_exchange_place_t *place) {
    rts_cuda_device_t *device = NULL;
    RTS_TRY(rts_cuda_device_use(place->device, &device));
    RTS_CUDA_TRY(cudaEventRecord(place->event, device->stream), device->gpu, "recording an event");
    return RTS_OK;
}

static rts_status_t exchange_fork(int number, bool *forks_p) {
    rts_cuda_device_t *device = NULL;
    RTS_TRY(rts_cuda_device_use(number, &device));
    *forks_p = !device->is_shared;
    return *forks_p ? rts_cuda_stream_fork(device) : RTS_OK;
}

static rts_status_t exchange_aside(int number, bool goes) {
    rts_cuda_device_t *device = NULL;
    RTS_TRY(rts_cuda_device_use(number, &device));
    return rts_cuda_stream_aside(device, goes);
}

static rts_status_t exchange_settle(int number) {
    rts_cuda_device_t *device = NULL;
    RTS_TRY(rts_cuda_device_use(number, &device));
    return rts_cuda_stream_wait(device);
}

const rts_exchange_ops_t rts_cuda_exchange_ops = {
    .make = exchange_make,
    .open = exchange_open,
    .drop = exchange_drop,
    .after = exchange_after,
    .mark = exchange_mark,
    .fork = exchange_fork,
    .aside = exchange_aside,
    .settle = exchange_settle,
};
