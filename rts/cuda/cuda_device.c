/* Discovery and opening of GPUs; see the header. Does not decide who gets which (cuda_choice.c) nor what memory is used for. */
#include <config.h>

#include "rts/cuda/cuda_device.h"

#include "rts/cuda/cuda.h"
#include "rts/cuda/cuda_choice.h"
#include "rts/cuda/cuda_launch.h"
#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_memory.h"
#include "rts/cuda/cuda_stream.h"
#include "rts/cuda/cuda_sweeps.h"
#include "rts/cuda/cuda_topology.h"
#include "rts/log.h"
#include "rts/memory.h"

#include <stdio.h>
#include <string.h>

static struct {
    int first_device, count;
    rts_cuda_device_t device[RTS_CUDA_MAX_GPUS];
    size_t memory_limit;
    bool keeps_memory;
    int thread_count;
} open_devices;

/* What the machine has, asked once: GPUs that this build can use, in CUDA's order. */
static struct {
    bool is_known;
    int count;
    int gpu[RTS_CUDA_MAX_GPUS];
    char
        reason[160]; /* why there are none, or fewer than the machine has; "" when there is nothing to tell */
} machine;

/* ---- discovery ---- */

static void list_gpus(int found, int driver, int runtime) {
    for (int gpu = 0; gpu < found && gpu < RTS_CUDA_MAX_GPUS; gpu++) {
        int major = 0, minor = 0;
        char reason[sizeof machine.reason];
        if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu) != cudaSuccess ||
            cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu) != cudaSuccess) {
            snprintf(machine.reason, sizeof machine.reason, "CUDA says nothing about device %d: %s", gpu,
                     cudaGetErrorString(cudaGetLastError()));
            continue;
        }
        if (rts_cuda_refusal(driver, runtime, 10 * major + minor, RTS_CUDA_OLDEST_ARCH, reason,
                             sizeof reason)[0] == '\0')
            machine.gpu[machine.count++] = gpu;
        else
            memcpy(machine.reason, reason, sizeof reason);
    }
}

static void explore(void) {
    int driver = 0, runtime = 0, found = 0;
    if (machine.is_known)
        return;
    machine.is_known = true;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return;
    (void)cudaRuntimeGetVersion(&runtime);
    const cudaError_t error = cudaGetDeviceCount(&found);
    (void)cudaGetLastError();
    if (error == cudaErrorNoDevice || error == cudaErrorStubLibrary)
        return;
    if (error == cudaSuccess)
        list_gpus(found, driver, runtime);
    else if (rts_cuda_refusal(driver, runtime, RTS_CUDA_OLDEST_ARCH, RTS_CUDA_OLDEST_ARCH, machine.reason,
                              sizeof machine.reason)[0] == '\0')
        snprintf(machine.reason, sizeof machine.reason, "CUDA finds no GPU: %s", cudaGetErrorString(error));
}

void rts_cuda_wish(uint64_t *key_p, uint64_t *near_p) {
    explore();
    *key_p = *near_p = 0;
    if (machine.count > 0)
        rts_cuda_topology(machine.gpu, machine.count, key_p, near_p);
}

static rts_status_t check_wishes(const rts_backend_options_t *options, int wanted) {
    const char *const because = machine.reason[0] != '\0' ? ": " : "";
    if (wanted > machine.count)
        return rts_fail(RTS_ERR_UNSUPPORTED,
                        "DVMH_NUM_CUDAS asks for %d GPUs; %d can be used by this process%s%s", wanted,
                        machine.count, because, machine.reason);
    if (options->require_cuda && machine.count == 0)
        return rts_fail(RTS_ERR_UNSUPPORTED,
                        "DVMH_REQUIRE_CUDA is set, but no GPU can be used by this process%s%s", because,
                        machine.reason);
    if (machine.reason[0] != '\0' && options->local_rank == 0)
        rts_log(RTS_LOG_WARNING, "%s: %s", machine.reason,
                machine.count == 0 ? "the program runs on the host" : "that GPU is not used");
    return RTS_OK;
}

rts_status_t rts_cuda_devices_find(const rts_backend_options_t *options, int *count_p) {
    const rts_device_wish_t alone = {.count = -1};
    const rts_device_wish_t *const wish = options->wish != NULL ? options->wish : &alone;
    const int local_count = options->wish != NULL ? options->local_count : 1;
    const int local_rank = options->wish != NULL ? options->local_rank : 0;
    rts_cuda_choice_t choice = {.count = 0};
    memset(&open_devices, 0, sizeof open_devices);
    open_devices.first_device = options->first_device;
    open_devices.thread_count = options->thread_count;
    open_devices.keeps_memory = !options->returns_memory;
    open_devices.memory_limit = options->memory_limit > 0 ? (size_t)options->memory_limit : SIZE_MAX;
    if (wish[local_rank].count != 0) { /* who wants none does not even hear of a driver that is too old */
        explore();
        RTS_TRY(check_wishes(options, wish[local_rank].count));
        if (machine.count > 0)
            rts_cuda_choose(machine.count, wish, local_count, local_rank, &choice);
    }
    for (int i = 0; i < choice.count; i++) {
        open_devices.device[i].gpu = machine.gpu[choice.gpu[i]];
        open_devices.device[i].is_shared = choice.is_shared[i];
        rts_log(RTS_LOG_DEBUG, "device %d is CUDA device %d%s", options->first_device + i,
                open_devices.device[i].gpu, choice.is_shared[i] ? ", shared with other processes" : "");
    }
    open_devices.count = *count_p = choice.count;
    return RTS_OK;
}

/* ---- opening and closing ---- */

/* Each reaches the other's memory where the machine can do that. A way that cannot be opened is none. */
static void open_peers(rts_cuda_device_t *device) {
    for (int i = 0; i < open_devices.count; i++) {
        rts_cuda_device_t *const other = &open_devices.device[i];
        int there = 0, back = 0;
        if (other == device || !other->is_open ||
            cudaDeviceCanAccessPeer(&there, device->gpu, other->gpu) != cudaSuccess ||
            cudaDeviceCanAccessPeer(&back, other->gpu, device->gpu) != cudaSuccess || !there || !back)
            continue;
        if (rts_cuda_pool_share(other, device->gpu) && rts_cuda_pool_share(device, other->gpu)) {
            device->peers |= UINT64_C(1) << other->gpu;
            other->peers |= UINT64_C(1) << device->gpu;
        }
    }
    (void)cudaGetLastError();
}

static void close_device(rts_cuda_device_t *device) {
    (void)cudaSetDevice(device->gpu);
    if (!rts_cuda_is_broken() && rts_cuda_sweeps_start(device) != RTS_OK)
        rts_log(RTS_LOG_ERROR, "%s", rts_error_text());
    rts_cuda_sweeps_close(device);
    rts_cuda_launch_close(device);
    rts_cuda_pool_close(device);
    rts_cuda_stream_close(device);
    device->is_open = false;
}

static rts_status_t open_device(rts_cuda_device_t *device) {
    RTS_CUDA_TRY(cudaSetDevice(device->gpu), device->gpu, "opening the device");
    rts_status_t status = rts_cuda_stream_open(device);
    if (status == RTS_OK)
        status = rts_cuda_pool_open(device, open_devices.keeps_memory && !device->is_shared);
    if (status != RTS_OK) {
        close_device(device);
        return status;
    }
    device->is_open = true;
    open_peers(device);
    return RTS_OK;
}

void rts_cuda_devices_close(void) {
    for (int i = 0; i < open_devices.count; i++)
        if (open_devices.device[i].is_open)
            close_device(&open_devices.device[i]);
    memset(&open_devices, 0, sizeof open_devices);
}

rts_cuda_device_t *rts_cuda_device_of(int device) {
    const int number = device - open_devices.first_device;
    return number >= 0 && number < open_devices.count ? &open_devices.device[number] : NULL;
}

rts_status_t rts_cuda_device_select(int number, rts_cuda_device_t **device_p) {
    rts_cuda_device_t *const device = rts_cuda_device_of(number);
    if (device == NULL)
        return rts_fail(RTS_ERR_INVALID, "device %d is no GPU of this process", number);
    if (!device->is_open)
        RTS_TRY(open_device(device));
    else
        RTS_CUDA_TRY(cudaSetDevice(device->gpu), device->gpu, "choosing the device");
    *device_p = device;
    return RTS_OK;
}

rts_status_t rts_cuda_device_use(int number, rts_cuda_device_t **device_p) {
    RTS_TRY(rts_cuda_device_select(number, device_p));
    return rts_cuda_sweeps_start(*device_p);
}

bool rts_cuda_reaches(const rts_cuda_device_t *device, const rts_cuda_device_t *other) {
    return (device->peers >> other->gpu & 1) != 0;
}

size_t rts_cuda_memory_limit(void) {
    return open_devices.memory_limit;
}

int rts_cuda_thread_count(void) {
    return open_devices.thread_count;
}
