/* The emulated devices themselves: settings from the environment, the lock and the errors of calls, properties, peers. */
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool is_ready;
    pid_t process;
    emulated_settings_t settings;
    cudaError_t broken;
    uint64_t reaches[EMULATED_MAX_DEVICES]; /* a bit for each other one, by cudaDeviceEnablePeerAccess */
} machine;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int lock_depth; /* of this thread: functions of streams may make calls */
static _Thread_local int current_device;
static _Thread_local cudaError_t last_error;

/* ---- settings ---- */

static long long number_of(const char *name, long long low, long long high, long long otherwise) {
    const char *const text = getenv(name);
    char *end = NULL;
    if (text == NULL || *text == '\0')
        return otherwise;
    const long long value = strtoll(text, &end, 0);
    if (*end == '\0' && value >= low && value <= high)
        return value;
    fprintf(stderr, "emulated GPU: %s=%s: a number of %lld to %lld\n", name, text, low, high);
    exit(2);
}

static void read_order(emulated_settings_t *settings) {
    const char *const text = getenv("EMULATED_CUDA_ORDER");
    settings->order = EMULATED_LATE;
    settings->order_seed = 1;
    if (text == NULL || *text == '\0' || strcmp(text, "late") == 0)
        return;
    if (strcmp(text, "early") == 0) {
        settings->order = EMULATED_EARLY;
    } else if (strncmp(text, "random", 6) == 0 && (text[6] == '\0' || text[6] == ':')) {
        settings->order = EMULATED_RANDOM;
        if (text[6] == ':')
            settings->order_seed = strtoull(text + 7, NULL, 0);
    } else {
        fprintf(stderr, "emulated GPU: EMULATED_CUDA_ORDER=%s: early, late, random or random:SEED\n", text);
        exit(2);
    }
}

static void read_settings(emulated_settings_t *settings) {
    read_order(settings);
    settings->seed = (uint64_t)number_of("EMULATED_CUDA_SEED", 0, INT64_MAX, 1);
    settings->resident = (int)number_of("EMULATED_CUDA_RESIDENT", 1, 1024, 8);
    settings->devices = (int)number_of("EMULATED_CUDA_DEVICES", 0, EMULATED_MAX_DEVICES, 1);
    settings->peers = number_of("EMULATED_CUDA_PEERS", 0, 1, 1) != 0;
    settings->processors = (int)number_of("EMULATED_CUDA_PROCESSORS", 1, 1024, 132);
    settings->memory = (size_t)number_of("EMULATED_CUDA_MEMORY", 1, INT64_C(1) << 40, INT64_C(8) << 30);
    settings->guard = number_of("EMULATED_CUDA_GUARD", 0, 1, 1) != 0;
    settings->patience = (double)number_of("EMULATED_CUDA_PATIENCE", 1, 3600, 5);
    settings->ipc = number_of("EMULATED_CUDA_IPC", 0, 1, 1) != 0;
    settings->quiet = number_of("EMULATED_CUDA_QUIET", 0, 1, 0) != 0;
}

const emulated_settings_t *emulated_settings(void) {
    return &machine.settings;
}

/* ---- calls and errors ---- */

static void prepare(void) {
    if (machine.is_ready)
        return;
    read_settings(&machine.settings);
    machine.process = getpid();
    machine.is_ready = true;
}

cudaError_t emulated_enter(void) {
    if (lock_depth++ == 0)
        (void)pthread_mutex_lock(&lock);
    prepare();
    if (machine.process != getpid()) /* as on a GPU: what the parent has opened does not work in a child */
        return cudaErrorInitializationError;
    if (lock_depth == 1)
        emulated_advance();
    return machine.broken;
}

cudaError_t emulated_leave(cudaError_t error) {
    if (lock_depth == 1)
        emulated_memory_close(); /* which may find something */
    if (error == cudaSuccess)
        error = machine.broken;
    if (error != cudaSuccess)
        last_error = error;
    if (--lock_depth == 0)
        (void)pthread_mutex_unlock(&lock);
    return error;
}

void emulated_lock(void) {
    if (lock_depth++ == 0)
        (void)pthread_mutex_lock(&lock);
}

void emulated_unlock(void) {
    if (lock_depth == 1)
        emulated_memory_close();
    if (--lock_depth == 0)
        (void)pthread_mutex_unlock(&lock);
}

static void tell(const char *format, va_list arguments) {
    char text[512];
    if (machine.settings.quiet)
        return;
    (void)vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "emulated GPU: %s\n", text);
}

void emulated_tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
}

void emulated_break(cudaError_t error, const char *format, ...) {
    va_list arguments;
    if (machine.broken != cudaSuccess)
        return;
    machine.broken = error;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
}

cudaError_t emulated_broken(void) {
    return machine.broken;
}

cudaError_t cudaGetLastError(void) {
    (void)emulated_enter();
    const cudaError_t error = machine.broken != cudaSuccess ? machine.broken : last_error;
    (void)emulated_leave(cudaSuccess);
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    (void)emulated_enter();
    const cudaError_t error = machine.broken != cudaSuccess ? machine.broken : last_error;
    (void)emulated_leave(cudaSuccess);
    return error;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "the capture was not initiated in this stream"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints specific to "
     "instantiated graph update"},
};

const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error)
            return errors[i].text;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error)
            return errors[i].name;
    return "unrecognized error code";
}

/* ---- small helpers ---- */

uint64_t emulated_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

double emulated_seconds(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void *emulated_alloc(size_t bytes) {
    void *const memory = calloc(1, bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "emulated GPU: the host has no memory for %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

/* ---- devices ---- */

static bool is_device(int device) {
    return device >= 0 && device < machine.settings.devices;
}

int emulated_current_device(void) {
    return current_device;
}

bool emulated_peer_enabled(int device, int other) {
    return (machine.reaches[device] >> other & 1) != 0;
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess) {
        *count = machine.settings.devices;
        if (machine.settings.devices == 0)
            error = cudaErrorNoDevice;
    }
    return emulated_leave(error);
}

cudaError_t cudaGetDevice(int *device) {
    cudaError_t error = emulated_enter();
    *device = current_device;
    return emulated_leave(error);
}

cudaError_t cudaSetDevice(int device) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && !is_device(device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        current_device = device;
    return emulated_leave(error);
}

/* What is equal on all devices. The values are those of an H100 or H200. */
static const struct {
    enum cudaDeviceAttr attribute;
    int value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, EMULATED_MAX_THREADS},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, INT32_MAX},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, EMULATED_SHARED_DEFAULT},
    {cudaDevAttrWarpSize, EMULATED_WARP},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrL2CacheSize, 50 << 20},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 * 1024},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 0},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, EMULATED_SHARED_MOST},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && !is_device(device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess) {
        error = cudaErrorInvalidValue;
        if (attribute == cudaDevAttrMultiProcessorCount) {
            *value = machine.settings.processors;
            error = cudaSuccess;
        }
        for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
            if (attributes[i].attribute == attribute) {
                *value = attributes[i].value;
                error = cudaSuccess;
            }
    }
    return emulated_leave(error);
}

static int attribute_of(enum cudaDeviceAttr attribute, int device) {
    int value = 0;
    (void)cudaDeviceGetAttribute(&value, attribute, device);
    return value;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && !is_device(device))
        error = cudaErrorInvalidDevice;
    if (error != cudaSuccess)
        return emulated_leave(error);
    memset(p, 0, sizeof *p);
    (void)snprintf(p->name, sizeof p->name, "emulated GPU");
    p->totalGlobalMem = machine.settings.memory;
    p->sharedMemPerBlock = EMULATED_SHARED_DEFAULT;
    p->sharedMemPerBlockOptin = EMULATED_SHARED_MOST;
    p->sharedMemPerMultiprocessor = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    p->reservedSharedMemPerBlock = (size_t)attribute_of(cudaDevAttrReservedSharedMemoryPerBlock, device);
    p->regsPerBlock = attribute_of(cudaDevAttrMaxRegistersPerBlock, device);
    p->regsPerMultiprocessor = attribute_of(cudaDevAttrMaxRegistersPerMultiprocessor, device);
    p->warpSize = EMULATED_WARP;
    p->maxThreadsPerBlock = EMULATED_MAX_THREADS;
    for (int axis = 0; axis < 3; axis++) {
        p->maxThreadsDim[axis] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + axis), device);
        p->maxGridSize[axis] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxGridDimX + axis), device);
    }
    p->major = attribute_of(cudaDevAttrComputeCapabilityMajor, device);
    p->minor = attribute_of(cudaDevAttrComputeCapabilityMinor, device);
    p->multiProcessorCount = machine.settings.processors;
    p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = 1;
    p->cooperativeLaunch = p->memoryPoolsSupported = 1;
    p->pciBusID = device + 1;
    p->asyncEngineCount = attribute_of(cudaDevAttrAsyncEngineCount, device);
    p->l2CacheSize = attribute_of(cudaDevAttrL2CacheSize, device);
    p->maxThreadsPerMultiProcessor = attribute_of(cudaDevAttrMaxThreadsPerMultiProcessor, device);
    p->maxBlocksPerMultiProcessor = attribute_of(cudaDevAttrMaxBlocksPerMultiprocessor, device);
    return emulated_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *bus_id, int length, int device) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && !is_device(device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && length < 13)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        (void)snprintf(bus_id, (size_t)length, "0000:%02X:00.0", (unsigned)device + 1);
    return emulated_leave(error);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (!is_device(device) || !is_device(peer)))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        *can = device != peer && machine.settings.peers;
    return emulated_leave(error);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    cudaError_t error = emulated_enter();
    const uint64_t bit = UINT64_C(1) << (peer & 63);
    if (error == cudaSuccess && (!is_device(peer) || peer == current_device))
        error = cudaErrorInvalidDevice;
    else if (error == cudaSuccess && flags != 0)
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && !machine.settings.peers)
        error = cudaErrorPeerAccessUnsupported;
    else if (error == cudaSuccess && (machine.reaches[current_device] & bit) != 0)
        error = cudaErrorPeerAccessAlreadyEnabled;
    else if (error == cudaSuccess)
        machine.reaches[current_device] |= bit;
    return emulated_leave(error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && !is_device(peer))
        error = cudaErrorInvalidDevice;
    else if (error == cudaSuccess && !emulated_peer_enabled(current_device, peer))
        error = cudaErrorPeerAccessNotEnabled;
    else if (error == cudaSuccess)
        machine.reaches[current_device] &= ~(UINT64_C(1) << peer);
    return emulated_leave(error);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
