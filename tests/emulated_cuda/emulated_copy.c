/* Copies and fills. What CUDA promises about the host's side, and no more: pageable memory is read at the call, and written before the call
 * returns; pinned memory is touched when the stream gets there; cudaMemcpy waits, but not between two places on the device. */
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <stdlib.h>
#include <string.h>

typedef struct copy_task {
    emulated_task_t task;
    char *target;
    const char *source;
    size_t target_pitch, source_pitch, width, height;
    char *staged; /* the source, taken at the call; owned */
} copy_task_t;

typedef struct fill_task {
    emulated_task_t task;
    void *memory;
    int value;
    size_t bytes;
} fill_task_t;

static size_t span(size_t pitch, size_t width, size_t height) {
    return (height - 1) * pitch + width;
}

/* Memory whose turn in its stream has not come, or has passed, since the call. */
static bool check_live(const void *at, size_t bytes, const char *what) {
    const emulated_place_t place = emulated_find(at, bytes);
    if (!place.is_device || (place.is_inside && place.is_live))
        return true;
    emulated_break(cudaErrorIllegalAddress, "a copy's %s at %p: %s", what, at, emulated_memory_explain(at));
    return false;
}

static void run_copy(emulated_task_t *task) {
    const copy_task_t *const copy = (const copy_task_t *)task;
    if (!check_live(copy->target, span(copy->target_pitch, copy->width, copy->height), "target") ||
        !check_live(copy->source, span(copy->source_pitch, copy->width, copy->height), "source"))
        return;
    emulated_memory_open(-1);
    for (size_t row = 0; row < copy->height; row++)
        memmove(copy->target + row * copy->target_pitch,
                copy->staged != NULL ? copy->staged + row * copy->width
                                     : copy->source + row * copy->source_pitch,
                copy->width);
}

static void release_copy(emulated_task_t *task) {
    free(((copy_task_t *)task)->staged);
}

static bool suits(enum cudaMemcpyKind kind, bool from_device, bool to_device) {
    switch (kind) {
    case cudaMemcpyHostToHost:
        return !from_device && !to_device;
    case cudaMemcpyHostToDevice:
        return !from_device && to_device;
    case cudaMemcpyDeviceToHost:
        return from_device && !to_device;
    case cudaMemcpyDeviceToDevice:
        return from_device && to_device;
    default:
        return kind == cudaMemcpyDefault;
    }
}

/* Take the source as it is now; it is memory of the host. */
static void stage(copy_task_t *copy) {
    copy->staged = emulated_alloc(copy->width * copy->height);
    for (size_t row = 0; row < copy->height; row++)
        memcpy(copy->staged + row * copy->width, copy->source + row * copy->source_pitch, copy->width);
}

/* waits: cudaMemcpy and the like. A graph's copies touch everything when the graph runs. */
static cudaError_t queue_copy(copy_task_t shape, enum cudaMemcpyKind kind, cudaStream_t handle, bool waits) {
    const cudaStream_t stream = emulated_stream_of(handle);
    if (stream == NULL)
        return cudaErrorInvalidResourceHandle;
    if (shape.width == 0 || shape.height == 0)
        return cudaSuccess;
    const emulated_place_t from = emulated_find(shape.source,
                                                span(shape.source_pitch, shape.width, shape.height)),
                           to = emulated_find(shape.target,
                                              span(shape.target_pitch, shape.width, shape.height));
    if (shape.target == NULL || shape.source == NULL || shape.width > shape.target_pitch ||
        shape.width > shape.source_pitch || !from.is_inside || !to.is_inside)
        return cudaErrorInvalidValue;
    if (!suits(kind, from.is_device, to.is_device))
        return cudaErrorInvalidMemcpyDirection;
    const bool is_captured = emulated_is_capturing(stream),
               reads_pageable = !from.is_device && !from.is_pinned,
               writes_pageable = !to.is_device && !to.is_pinned;
    if (waits && emulated_is_capturing(NULL))
        return cudaErrorStreamCaptureUnsupported;
    cudaError_t error = waits ? emulated_finish(stream) : cudaSuccess;
    if (error != cudaSuccess)
        return error;
    copy_task_t *const copy = emulated_task_make(sizeof *copy, run_copy, release_copy, 'c');
    const emulated_task_t head = copy->task;
    *copy = shape;
    copy->task = head;
    if (reads_pageable && to.is_device && !is_captured)
        stage(copy);
    error = emulated_queue(handle, &copy->task);
    const bool is_among_devices = from.is_device && to.is_device, is_staged = reads_pageable && to.is_device;
    if (error == cudaSuccess && !is_captured &&
        ((waits && !is_among_devices && !is_staged) || writes_pageable))
        error = emulated_finish(stream);
    return error;
}

static copy_task_t line(void *target, const void *source, size_t bytes) {
    return (copy_task_t){.target = target,
                         .source = source,
                         .target_pitch = bytes,
                         .source_pitch = bytes,
                         .width = bytes,
                         .height = 1};
}

static cudaError_t copy(copy_task_t shape, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess)
        error = queue_copy(shape, kind, stream, waits);
    return emulated_leave(error);
}

cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind) {
    return copy(line(target, source, bytes), kind, NULL, true);
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return copy(line(target, source, bytes), kind, stream, false);
}

cudaError_t cudaMemcpy2D(void *target, size_t target_pitch, const void *source, size_t source_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    const copy_task_t shape = {.target = target,
                               .source = source,
                               .target_pitch = target_pitch,
                               .source_pitch = source_pitch,
                               .width = width,
                               .height = height};
    return copy(shape, kind, NULL, true);
}

cudaError_t cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source, size_t source_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    const copy_task_t shape = {.target = target,
                               .source = source,
                               .target_pitch = target_pitch,
                               .source_pitch = source_pitch,
                               .width = width,
                               .height = height};
    return copy(shape, kind, stream, false);
}

cudaError_t cudaMemcpyPeer(void *target, int target_device, const void *source, int source_device,
                           size_t bytes) {
    (void)target_device;
    (void)source_device;
    return copy(line(target, source, bytes), cudaMemcpyDeviceToDevice, NULL, true);
}

cudaError_t cudaMemcpyPeerAsync(void *target, int target_device, const void *source, int source_device,
                                size_t bytes, cudaStream_t stream) {
    (void)target_device;
    (void)source_device;
    return copy(line(target, source, bytes), cudaMemcpyDeviceToDevice, stream, false);
}

static void run_fill(emulated_task_t *task) {
    const fill_task_t *const fill = (const fill_task_t *)task;
    if (!check_live(fill->memory, fill->bytes, "target"))
        return;
    emulated_memory_open(-1);
    memset(fill->memory, fill->value, fill->bytes);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    cudaError_t error = emulated_enter();
    const emulated_place_t place = emulated_find(memory, bytes);
    if (error == cudaSuccess && bytes > 0 && (!place.is_inside || !(place.is_device || place.is_pinned)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && bytes > 0) {
        fill_task_t *const fill = emulated_task_make(sizeof *fill, run_fill, NULL, 'f');
        fill->memory = memory;
        fill->value = value;
        fill->bytes = bytes;
        error = emulated_queue(stream, &fill->task);
    }
    return emulated_leave(error);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
    return cudaMemsetAsync(memory, value, bytes, NULL);
}
