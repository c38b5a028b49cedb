/* How much memory the emulated GPUs have left, and their pools. A pool may keep what was freed, for itself alone, as a real one does. */
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

struct CUmemPoolHandle_st {
    int device;
    bool is_destroyed;
    uint64_t kept_limit;
    size_t used, kept;
    uint64_t readers; /* devices that reach it */
};

static struct {
    size_t used[EMULATED_MAX_DEVICES]; /* with what pools keep */
    cudaMemPool_t pool[EMULATED_MAX_DEVICES];
} state;

static cudaMemPool_t open_pool(int device) {
    cudaMemPool_t const pool = emulated_alloc(sizeof *pool);
    pool->device = device;
    pool->readers = UINT64_C(1) << device;
    return pool;
}

cudaMemPool_t emulated_pool_default(int device) {
    if (state.pool[device] == NULL)
        state.pool[device] = open_pool(device);
    return state.pool[device];
}

static void trim(cudaMemPool_t pool, uint64_t limit) {
    const size_t least = limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
    if (pool->kept > least || pool->used + pool->kept > least) {
        const size_t kept = pool->used >= least ? 0 : least - pool->used;
        if (pool->kept > kept) {
            state.used[pool->device] -= pool->kept - kept;
            pool->kept = kept;
        }
    }
}

bool emulated_pool_take(cudaMemPool_t pool, int device, size_t bytes) {
    const size_t kept = pool != NULL ? (pool->kept < bytes ? pool->kept : bytes) : 0;
    if (bytes > emulated_settings()->memory ||
        state.used[device] > emulated_settings()->memory - (bytes - kept))
        return false;
    state.used[device] += bytes - kept;
    if (pool != NULL) {
        pool->kept -= kept;
        pool->used += bytes;
    }
    return true;
}

void emulated_pool_give(cudaMemPool_t pool, int device, size_t bytes) {
    if (pool == NULL) {
        state.used[device] -= bytes;
        return;
    }
    pool->used -= bytes;
    pool->kept += bytes;
    trim(pool, pool->kept_limit);
}

bool emulated_pool_reaches(cudaMemPool_t pool, int device) {
    return (pool->readers >> device & 1) != 0;
}

int emulated_pool_device(cudaMemPool_t pool) {
    return pool->is_destroyed ? -1 : pool->device;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess &&
        (properties->allocType != cudaMemAllocationTypePinned ||
         properties->location.type != cudaMemLocationTypeDevice || properties->location.id < 0 ||
         properties->location.id >= emulated_settings()->devices))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *pool = open_pool(properties->location.id);
    return emulated_leave(error);
}

/* What has not been freed stays, and the pool until then: its few bytes stay for ever. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (pool == NULL || pool->is_destroyed))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        pool->is_destroyed = true;
        pool->kept_limit = 0;
        trim(pool, 0);
    }
    return emulated_leave(error);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && attribute != cudaMemPoolAttrReleaseThreshold)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        pool->kept_limit = *(const uint64_t *)value;
    return emulated_leave(error);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && attribute == cudaMemPoolAttrReleaseThreshold)
        *(uint64_t *)value = pool->kept_limit;
    else if (error == cudaSuccess && attribute == cudaMemPoolAttrReservedMemCurrent)
        *(uint64_t *)value = pool->used + pool->kept;
    else if (error == cudaSuccess && attribute == cudaMemPoolAttrUsedMemCurrent)
        *(uint64_t *)value = pool->used;
    else if (error == cudaSuccess)
        error = cudaErrorInvalidValue;
    return emulated_leave(error);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count) {
    cudaError_t error = emulated_enter();
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        const int device = access[i].location.id;
        if (access[i].location.type != cudaMemLocationTypeDevice || device < 0 ||
            device >= emulated_settings()->devices)
            error = cudaErrorInvalidDevice;
        else if (device != pool->device && !emulated_settings()->peers)
            error = cudaErrorPeerAccessUnsupported;
        else if (access[i].flags != cudaMemAccessFlagsProtNone)
            pool->readers |= UINT64_C(1) << device;
        else
            pool->readers &= ~(UINT64_C(1) << device);
    }
    return emulated_leave(error);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess)
        trim(pool, bytes);
    return emulated_leave(error);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (device < 0 || device >= emulated_settings()->devices))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        *pool = emulated_pool_default(device);
    return emulated_leave(error);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    cudaError_t error = emulated_enter();
    *total_bytes = emulated_settings()->memory;
    *free_bytes = emulated_settings()->memory - state.used[emulated_current_device()];
    return emulated_leave(error);
}
