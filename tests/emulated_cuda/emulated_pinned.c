/* Pinned memory of the host: ordinary memory that copies touch when their stream gets there. */
#define _GNU_SOURCE
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <stdlib.h>
#include <sys/mman.h>

typedef struct pinned {
    char *memory;
    size_t bytes;
    bool is_registered;
} pinned_t;

static struct {
    pinned_t *pinned;
    size_t count, capacity;
} list;

static pinned_t *pinned_at(const void *at) {
    for (size_t i = 0; i < list.count; i++)
        if ((const char *)at >= list.pinned[i].memory &&
            (const char *)at < list.pinned[i].memory + list.pinned[i].bytes)
            return &list.pinned[i];
    return NULL;
}

bool emulated_is_pinned(const void *at, size_t bytes) {
    const pinned_t *const pinned = pinned_at(at);
    return pinned != NULL && bytes <= (size_t)(pinned->memory + pinned->bytes - (const char *)at);
}

static void add_pinned(void *at, size_t bytes, bool is_registered) {
    if (list.count == list.capacity) {
        list.capacity = list.capacity > 0 ? 2 * list.capacity : 16;
        list.pinned = realloc(list.pinned, list.capacity * sizeof *list.pinned);
        if (list.pinned == NULL)
            abort();
    }
    list.pinned[list.count++] = (pinned_t){at, bytes, is_registered};
}

cudaError_t cudaHostAlloc(void **memory_p, size_t bytes, unsigned flags) {
    cudaError_t error = emulated_enter();
    (void)flags;
    if (error == cudaSuccess && emulated_settings()->devices == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess) {
        void *const at = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) {
            add_pinned(at, bytes, false);
            *memory_p = at;
        } else {
            error = cudaErrorMemoryAllocation;
        }
    }
    return emulated_leave(error);
}

cudaError_t cudaMallocHost(void **memory_p, size_t bytes) {
    return cudaHostAlloc(memory_p, bytes, cudaHostAllocDefault);
}

static cudaError_t remove_pinned(void *at, bool is_registered, cudaError_t otherwise) {
    cudaError_t error = emulated_enter();
    pinned_t *const pinned = pinned_at(at);
    if (error == cudaSuccess &&
        (pinned == NULL || pinned->memory != at || pinned->is_registered != is_registered))
        error = otherwise;
    for (int device = 0; device < emulated_settings()->devices && error == cudaSuccess; device++)
        error = emulated_finish_device(device);
    if (error == cudaSuccess) {
        if (!is_registered)
            (void)munmap(at, pinned->bytes > 0 ? pinned->bytes : 1);
        *pinned = list.pinned[--list.count];
    }
    return emulated_leave(error);
}

cudaError_t cudaFreeHost(void *at) {
    return at == NULL ? cudaSuccess : remove_pinned(at, false, cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags) {
    cudaError_t error = emulated_enter();
    (void)flags;
    if (error == cudaSuccess && pinned_at(at) != NULL)
        error = cudaErrorHostMemoryAlreadyRegistered;
    if (error == cudaSuccess)
        add_pinned(at, bytes, true);
    return emulated_leave(error);
}

cudaError_t cudaHostUnregister(void *at) {
    return remove_pinned(at, true, cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **there, void *here, unsigned flags) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (flags != 0 || pinned_at(here) == NULL))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *there = here;
    return emulated_leave(error);
}
