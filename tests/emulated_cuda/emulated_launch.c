/* Launches of kernels: what a GPU refuses, occupancy, and the task that runs a kernel. */
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <stdlib.h>
#include <string.h>

typedef struct kernel_task {
    emulated_task_t task;
    emulated_grid_t grid;
    char *values; /* of the parameters, one after the other */
} kernel_task_t;

/* Kernels for which the program asked for more shared memory. */
static struct {
    struct {
        const void *function;
        int shared_bytes;
    } * kernel;
    size_t count;
} asked;

static size_t shared_limit(const void *function) {
    for (size_t i = 0; i < asked.count; i++)
        if (asked.kernel[i].function == function)
            return (size_t)asked.kernel[i].shared_bytes;
    return EMULATED_SHARED_DEFAULT;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        size_t i = 0;
        while (i < asked.count && asked.kernel[i].function != function)
            i++;
        if (value < 0 || value > EMULATED_SHARED_MOST)
            return emulated_leave(cudaErrorInvalidValue);
        if (i == asked.count) {
            asked.kernel = realloc(asked.kernel, (asked.count + 1) * sizeof *asked.kernel);
            if (asked.kernel == NULL)
                abort();
            asked.kernel[asked.count++].function = function;
        }
        asked.kernel[i].shared_bytes = value;
    } else if (error == cudaSuccess && attribute != cudaFuncAttributePreferredSharedMemoryCarveout) {
        error = cudaErrorInvalidValue;
    }
    return emulated_leave(error);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    cudaError_t error = emulated_enter();
    (void)config;
    if (error == cudaSuccess && function == NULL)
        error = cudaErrorInvalidDeviceFunction;
    return emulated_leave(error);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && function == NULL)
        error = cudaErrorInvalidDeviceFunction;
    if (error == cudaSuccess) {
        memset(attributes, 0, sizeof *attributes);
        attributes->maxThreadsPerBlock = EMULATED_MAX_THREADS;
        attributes->numRegs = 32;
        attributes->ptxVersion = attributes->binaryVersion = 90;
        attributes->maxDynamicSharedSizeBytes = (int)shared_limit(function);
    }
    return emulated_leave(error);
}

/* By threads and shared memory of run-time size; registers are not known. */
static int occupancy(int threads, size_t shared_bytes) {
    const int warps = (threads + EMULATED_WARP - 1) / EMULATED_WARP;
    const size_t each = shared_bytes + 1024, of_memory = (size_t)228 * 1024 / each;
    int blocks = 64 / warps;
    blocks = blocks < 32 ? blocks : 32;
    return of_memory < (size_t)blocks ? (int)of_memory : blocks;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared_bytes) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && function == NULL)
        error = cudaErrorInvalidDeviceFunction;
    if (error == cudaSuccess && (threads < 1 || threads > EMULATED_MAX_THREADS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *blocks = shared_bytes <= shared_limit(function) ? occupancy(threads, shared_bytes) : 0;
    return emulated_leave(error);
}

static cudaError_t check(const emulated_grid_t *grid) {
    const dim3 b = grid->blocks, t = grid->threads;
    const uint64_t threads = (uint64_t)t.x * t.y * t.z;
    if (grid->kernel.function == NULL)
        return cudaErrorInvalidDeviceFunction;
    if (b.x == 0 || b.y == 0 || b.z == 0 || b.x > INT32_MAX || b.y > 65535 || b.z > 65535 || t.x > 1024 ||
        t.y > 1024 || t.z > 64 || threads == 0 || threads > EMULATED_MAX_THREADS)
        return cudaErrorInvalidConfiguration;
    if (grid->shared_bytes > shared_limit(grid->kernel.function))
        return cudaErrorInvalidValue;
    if (grid->is_cooperative &&
        (uint64_t)b.x * b.y * b.z >
            (uint64_t)occupancy((int)threads, grid->shared_bytes) * (unsigned)emulated_settings()->processors)
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static void run_kernel(emulated_task_t *task) {
    kernel_task_t *const kernel = (kernel_task_t *)task;
    emulated_memory_open(task->device);
    emulated_run_grid(&kernel->grid);
}

static void release_kernel(emulated_task_t *task) {
    kernel_task_t *const kernel = (kernel_task_t *)task;
    free(kernel->grid.parameters);
    free(kernel->values);
}

/* Values of parameters are taken at the call; each lies as aligned as any may be. */
static void take_parameters(kernel_task_t *kernel, void **parameters) {
    const emulated_kernel_t *const known = &kernel->grid.kernel;
    const size_t alignment = 64;
    size_t bytes = alignment;
    for (int i = 0; i < known->parameter_count; i++)
        bytes += (known->parameter_bytes[i] + alignment - 1) / alignment * alignment;
    kernel->values = emulated_alloc(bytes);
    kernel->grid.parameters = emulated_alloc((size_t)known->parameter_count * sizeof(void *));
    char *next = kernel->values + (alignment - (uintptr_t)kernel->values % alignment);
    for (int i = 0; i < known->parameter_count; i++) {
        memcpy(next, parameters[i], known->parameter_bytes[i]);
        kernel->grid.parameters[i] = next;
        next += (known->parameter_bytes[i] + alignment - 1) / alignment * alignment;
    }
}

/* CUDA's limit is 4 KB on most architectures. */
static bool has_small_parameters(const emulated_kernel_t *kernel) {
    size_t bytes = 0;
    for (int i = 0; i < kernel->parameter_count; i++)
        bytes += kernel->parameter_bytes[i];
    return bytes <= 4096;
}

cudaError_t emulated_launch(const emulated_kernel_t *known, dim3 blocks, dim3 threads, void **parameters,
                            size_t shared_bytes, cudaStream_t stream, int is_cooperative) {
    cudaError_t error = emulated_enter();
    const emulated_grid_t grid = {.kernel = *known,
                                  .blocks = blocks,
                                  .threads = threads,
                                  .shared_bytes = shared_bytes,
                                  .is_cooperative = is_cooperative != 0};
    if (error == cudaSuccess && emulated_settings()->devices == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = check(&grid);
    if (error == cudaSuccess && !has_small_parameters(known))
        error = cudaErrorInvalidValue;
    const cudaStream_t queue = error == cudaSuccess ? emulated_stream_of(stream) : NULL;
    if (error == cudaSuccess && (queue == NULL || queue->device != emulated_current_device()))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess) {
        kernel_task_t *const kernel = emulated_task_make(sizeof *kernel, run_kernel, release_kernel, 'k');
        kernel->grid = grid;
        take_parameters(kernel, parameters);
        error = emulated_queue(stream, &kernel->task);
    }
    return emulated_leave(error);
}

/* ---- functions of the host ---- */

typedef struct host_task {
    emulated_task_t task;
    cudaHostFn_t function;
    void *data;
} host_task_t;

static void run_host(emulated_task_t *task) {
    const host_task_t *const host = (const host_task_t *)task;
    emulated_memory_close();
    host->function(host->data);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess) {
        host_task_t *const host = emulated_task_make(sizeof *host, run_host, NULL, 'h');
        host->function = function;
        host->data = data;
        error = emulated_queue(stream, &host->task);
    }
    return emulated_leave(error);
}
