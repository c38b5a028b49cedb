/* What processes share of the emulated GPUs: memory and events, by descriptors that another process finds under /proc. An event is a count
 * of records in shared memory; every record has a number, whoever makes it, and its stream, in the process that has made it, is done up to
 * it when somebody waits: a thread of each process looks what is wanted of it, because its own threads may be waiting for messages. */
#define _GNU_SOURCE
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds between two looks at what others want, and seconds that a process waits for one that may have ended. */
enum { LOOK_NS = 100000, FOREIGN_PATIENCE = 60 };

struct emulated_shared_event {
    _Atomic uint64_t recorded, done, wanted;
};

/* What a handle says. */
typedef struct address {
    uint32_t magic;
    int32_t device;
    int64_t process;
    int32_t descriptor;
    uint64_t bytes;
} address_t;

enum { MEMORY_MAGIC = 0x4d495043, EVENT_MAGIC = 0x45495043 };

_Static_assert(sizeof(address_t) <= sizeof(cudaIpcMemHandle_t), "a handle is large enough");

static void rest(void) {
    const struct timespec time = {.tv_nsec = LOOK_NS};
    (void)nanosleep(&time, NULL);
}

/* ---- the thread ---- */

static pthread_t server;
static bool has_server;

static void *serve(void *nothing) {
    (void)nothing;
    for (;;) {
        rest();
        emulated_lock();
        emulated_serve();
        emulated_unlock();
    }
    return NULL;
}

static void start_server(void) {
    if (has_server)
        return;
    has_server = pthread_create(&server, NULL, serve, NULL) == 0;
    if (has_server)
        (void)pthread_detach(server);
}

/* ---- events ---- */

static emulated_shared_event_t *map_event(int descriptor) {
    void *const page =
        mmap(NULL, sizeof(emulated_shared_event_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return page != MAP_FAILED ? page : NULL;
}

cudaError_t emulated_event_make(emulated_shared_event_t **shared_p, int *descriptor_p) {
    if (!emulated_settings()->ipc)
        return cudaErrorNotSupported;
    const int descriptor = memfd_create("emulated-event", MFD_CLOEXEC);
    if (descriptor < 0)
        return cudaErrorMemoryAllocation;
    emulated_shared_event_t *const shared =
        ftruncate(descriptor, sizeof(emulated_shared_event_t)) == 0 ? map_event(descriptor) : NULL;
    if (shared == NULL) {
        (void)close(descriptor);
        return cudaErrorMemoryAllocation;
    }
    start_server();
    *shared_p = shared;
    *descriptor_p = descriptor;
    return cudaSuccess;
}

void emulated_event_unmap(emulated_shared_event_t *shared, int descriptor) {
    (void)munmap(shared, sizeof *shared);
    (void)close(descriptor);
}

uint64_t emulated_event_count(emulated_shared_event_t *shared) {
    return atomic_fetch_add(&shared->recorded, 1) + 1;
}

uint64_t emulated_event_newest(const emulated_shared_event_t *shared) {
    return atomic_load(&shared->recorded);
}

uint64_t emulated_event_finished(const emulated_shared_event_t *shared) {
    return atomic_load(&shared->done);
}

uint64_t emulated_event_wanted(const emulated_shared_event_t *shared) {
    return atomic_load(&shared->wanted);
}

static void raise_to(_Atomic uint64_t *number, uint64_t value) {
    uint64_t present = atomic_load(number);
    while (present < value && !atomic_compare_exchange_weak(number, &present, value))
        continue;
}

void emulated_event_done(emulated_shared_event_t *shared, uint64_t number) {
    raise_to(&shared->done, number);
}

bool emulated_event_is_done(emulated_shared_event_t *shared, uint64_t number) {
    raise_to(&shared->wanted, number);
    return atomic_load(&shared->done) >= number;
}

void emulated_event_wait(emulated_shared_event_t *shared, uint64_t number) {
    const double begin = emulated_seconds();
    while (!emulated_event_is_done(shared, number) && emulated_broken() == cudaSuccess) {
        emulated_serve();
        rest();
        if (emulated_seconds() - begin > FOREIGN_PATIENCE)
            emulated_break(cudaErrorLaunchTimeout, "a record of another process is not done after %d seconds",
                           FOREIGN_PATIENCE);
    }
}

/* ---- handles ---- */

static cudaError_t write_address(char *handle, uint32_t magic, int descriptor, size_t bytes) {
    const address_t address = {.magic = magic,
                               .device = emulated_current_device(),
                               .process = getpid(),
                               .descriptor = descriptor,
                               .bytes = bytes};
    memset(handle, 0, sizeof(cudaIpcMemHandle_t));
    memcpy(handle, &address, sizeof address);
    return cudaSuccess;
}

/* A descriptor of this process for what a handle means; -1: there is none that may be had. */
static int read_address(const char *handle, uint32_t magic, address_t *address_p) {
    char name[64];
    memcpy(address_p, handle, sizeof *address_p);
    if (address_p->magic != magic || address_p->process == getpid() || !emulated_settings()->ipc)
        return -1;
    (void)snprintf(name, sizeof name, "/proc/%lld/fd/%d", (long long)address_p->process,
                   address_p->descriptor);
    return open(name, O_RDWR | O_CLOEXEC);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory) {
    cudaError_t error = emulated_enter();
    size_t bytes = 0;
    if (error == cudaSuccess && !emulated_settings()->ipc)
        error = cudaErrorNotSupported;
    const int descriptor = error == cudaSuccess ? emulated_memory_share(memory, &bytes) : -1;
    if (error == cudaSuccess)
        error = descriptor < 0 ? cudaErrorInvalidValue
                               : write_address(handle->reserved, MEMORY_MAGIC, descriptor, bytes);
    return emulated_leave(error);
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags) {
    cudaError_t error = emulated_enter();
    address_t address;
    if (error == cudaSuccess && flags != cudaIpcMemLazyEnablePeerAccess)
        error = cudaErrorInvalidValue;
    const int descriptor = error == cudaSuccess ? read_address(handle.reserved, MEMORY_MAGIC, &address) : -1;
    if (error == cudaSuccess && descriptor < 0)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && address.device != emulated_current_device() && !emulated_settings()->peers)
        error = cudaErrorPeerAccessUnsupported;
    void *const mapped = error == cudaSuccess
                             ? emulated_memory_map(emulated_current_device(), descriptor, address.bytes)
                             : NULL;
    if (error == cudaSuccess && mapped == NULL)
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess)
        *memory = mapped;
    if (descriptor >= 0)
        (void)close(descriptor);
    return emulated_leave(error);
}

/* Waits, as cudaFree does. */
cudaError_t cudaIpcCloseMemHandle(void *memory) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess)
        error = emulated_finish_device(emulated_current_device());
    if (error == cudaSuccess && !emulated_memory_unmap(memory))
        error = cudaErrorInvalidValue;
    return emulated_leave(error);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (event == NULL || emulated_event_descriptor(event) < 0))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = write_address(handle->reserved, EVENT_MAGIC, emulated_event_descriptor(event), 0);
    return emulated_leave(error);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    cudaError_t error = emulated_enter();
    address_t address;
    const int descriptor = error == cudaSuccess ? read_address(handle.reserved, EVENT_MAGIC, &address) : -1;
    emulated_shared_event_t *const shared = descriptor >= 0 ? map_event(descriptor) : NULL;
    if (error == cudaSuccess && shared == NULL)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess) {
        start_server();
        error = emulated_event_open(shared, descriptor, event);
    } else if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return emulated_leave(error);
}
