/* Memory of the emulated GPUs. One range of addresses is reserved for all devices; allocations take it from the
 * low end on and never again, so that what was freed stays unreachable. Each lies so that its last bytes, rounded up to the alignment of
 * CUDA, end a page, with nothing behind; what rounding adds holds marks that are looked at when it is closed.
 *
 * Stream-ordered memory has its address at once, but can be used from its turn in the stream on, and until that of its end. */
#define _GNU_SOURCE
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 256, MARK = 0xC5 };
/* More than this is poisoned at both ends only, so that large arrays of tests, mostly unused, need no memory. */
#define POISON_BYTES ((size_t)16 << 20)

typedef enum block_state { ANNOUNCED, LIVE, ENDING } block_state_t;

typedef struct block {
    char *map; /* whole pages; before and behind them nothing */
    size_t map_bytes;
    char *memory;
    size_t bytes;
    int device;
    cudaMemPool_t pool; /* NULL: of cudaMalloc */
    block_state_t state;
    bool is_open;
    bool is_shared, is_foreign; /* with other processes; another one's */
    int descriptor;             /* of shared memory that is ours */
} block_t;

static struct {
    char *base, *next;
    size_t bytes, page;
    block_t *block; /* by address */
    size_t count, capacity;
    bool is_open;
    int open_for;
    struct sigaction old[NSIG];
} memory;

/* ---- faults ---- */

const char *emulated_memory_explain(const void *address) {
    static char text[160];
    const char *const at = address;
    if (memory.base == NULL || at < memory.base || at >= memory.base + memory.bytes)
        return NULL;
    for (size_t i = 0; i < memory.count; i++) {
        const block_t *const block = &memory.block[i];
        if (at < block->map - memory.page || at >= block->map + block->map_bytes + memory.page)
            continue;
        (void)snprintf(text, sizeof text, "%td bytes from the begin of %zu bytes at %p of device %d%s",
                       at - block->memory, block->bytes, (void *)block->memory, block->device,
                       block->state == LIVE ? "" : ", before or after its time in its stream");
        return text;
    }
    return "device memory that was freed or never allocated";
}

/* A thread of a kernel never comes back from here. Everything else goes the way it would have gone without us. */
static void on_fault(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    emulated_kernel_fault(signal_number, info->si_addr);
    const char *const what = emulated_memory_explain(info->si_addr);
    if (what != NULL && signal_number == SIGSEGV)
        emulated_tell("the host touches device memory at %p: %s", info->si_addr, what);
    (void)sigaction(signal_number, &memory.old[signal_number], NULL); /* the access is tried again */
}

static void prepare(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    if (memory.base != NULL)
        return;
    memory.page = (size_t)sysconf(_SC_PAGESIZE);
    for (memory.bytes = (size_t)1 << 44; memory.bytes >= (size_t)1 << 34; memory.bytes /= 2) {
        void *const base =
            mmap(NULL, memory.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            memory.base = base;
            break;
        }
    }
    if (memory.base == NULL) {
        fprintf(stderr, "emulated GPU: no range of addresses for device memory\n");
        abort();
    }
    memory.next = memory.base + memory.page;
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        (void)sigaction(signals[i], &action, &memory.old[signals[i]]);
}

/* ---- blocks ---- */

/* The number of blocks that begin at or below an address. */
static size_t count_below(const char *at) {
    size_t low = 0, high = memory.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (memory.block[middle].memory <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static block_t *block_at(const void *at) {
    const size_t below = count_below(at);
    if (below == 0)
        return NULL;
    block_t *const block = &memory.block[below - 1];
    return (const char *)at < block->memory + block->bytes ? block : NULL;
}

static void protect(char *begin, size_t bytes, int protection) {
    if (mprotect(begin, bytes, protection) != 0) {
        perror("emulated GPU: mprotect");
        abort();
    }
}

static void open_block(block_t *block) {
    if (!block->is_open)
        protect(block->map, block->map_bytes, PROT_READ | PROT_WRITE);
    block->is_open = true;
}

static bool are_marks(const char *begin, const char *end) {
    for (; begin < end; begin++)
        if ((unsigned char)*begin != MARK)
            return false;
    return true;
}

static void check_marks(const block_t *block, bool all) {
    const char *const end = block->memory + block->bytes, *const map_end = block->map + block->map_bytes;
    if (!are_marks(end, map_end))
        emulated_break(cudaErrorIllegalAddress, "something wrote behind the end of %zu bytes at %p",
                       block->bytes, (void *)block->memory);
    if (all && !are_marks(block->map, block->memory))
        emulated_break(cudaErrorIllegalAddress, "something wrote before the begin of %zu bytes at %p",
                       block->bytes, (void *)block->memory);
}

static void start_block(block_t *block) {
    const size_t all = block->bytes, ends = all > 4 * POISON_BYTES ? POISON_BYTES : all;
    open_block(block);
    memset(block->map, MARK, (size_t)(block->memory - block->map));
    memset(block->memory, EMULATED_POISON, ends);
    if (ends < all)
        memset(block->memory + all - ends, EMULATED_POISON, ends);
    memset(block->memory + all, MARK, (size_t)(block->map + block->map_bytes - block->memory) - all);
    block->state = LIVE;
    memory.is_open = true;
    memory.open_for = -2; /* some of it: opening asks again */
}

/* Other memory at the addresses of a block; -1: nothing. */
static void map_over(const block_t *block, int descriptor) {
    const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    if (mmap(block->map, block->map_bytes, PROT_NONE, flags | MAP_FIXED, descriptor, 0) == MAP_FAILED) {
        perror("emulated GPU: mmap");
        abort();
    }
}

static void end_block(block_t *block) {
    open_block(block);
    check_marks(block, true);
    if (block->is_shared) {
        map_over(block, -1);
        if (!block->is_foreign)
            (void)close(block->descriptor);
    } else {
        (void)madvise(block->map, block->map_bytes, MADV_DONTNEED);
        protect(block->map, block->map_bytes, PROT_NONE);
    }
    memmove(block, block + 1, (size_t)(memory.block + --memory.count - block) * sizeof *block);
}

static block_t *announce_block(int device, size_t bytes) {
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t pages = (rounded + memory.page - 1) / memory.page * memory.page;
    if (pages + 2 * memory.page > (size_t)(memory.base + memory.bytes - memory.next)) {
        emulated_tell("all addresses of device memory were used once");
        return NULL;
    }
    if (memory.count == memory.capacity) {
        memory.capacity = memory.capacity > 0 ? 2 * memory.capacity : 64;
        memory.block = realloc(memory.block, memory.capacity * sizeof *memory.block);
        if (memory.block == NULL)
            abort();
    }
    block_t *const block = &memory.block[memory.count++];
    *block = (block_t){.map = memory.next, .map_bytes = pages, .bytes = bytes, .device = device};
    block->memory = block->map + pages - rounded;
    memory.next += pages + memory.page;
    return block;
}

/* ---- opening and closing ---- */

static bool reaches(int device, const block_t *block) {
    return device < 0 || block->device == device ||
           (block->pool != NULL ? emulated_pool_reaches(block->pool, device)
                                : emulated_peer_enabled(device, block->device));
}

static void close_all(void) {
    char *low = memory.next, *high = memory.base;
    for (size_t i = 0; i < memory.count; i++) {
        block_t *const block = &memory.block[i];
        if (!block->is_open)
            continue;
        check_marks(block, false);
        block->is_open = false;
        low = low < block->map ? low : block->map;
        high = block->map + block->map_bytes;
    }
    if (low < high)
        protect(low, (size_t)(high - low), PROT_NONE);
    memory.is_open = false;
}

void emulated_memory_open(int device) {
    prepare();
    if (memory.is_open && memory.open_for == device)
        return;
    if (memory.is_open && device >= 0 && emulated_settings()->devices > 1)
        close_all(); /* what it does not reach */
    for (size_t i = 0; i < memory.count; i++)
        if (memory.block[i].state != ANNOUNCED && reaches(device, &memory.block[i]))
            open_block(&memory.block[i]);
    memory.is_open = true;
    memory.open_for = device;
}

void emulated_memory_close(void) {
    if (memory.is_open && emulated_settings()->guard)
        close_all();
}

/* ---- what lies where ---- */

emulated_place_t emulated_find(const void *at, size_t bytes) {
    emulated_place_t place = {.is_device = false};
    if (memory.base != NULL && (const char *)at >= memory.base &&
        (const char *)at < memory.base + memory.bytes) {
        const block_t *const block = block_at(at);
        place.is_device = true;
        if (block != NULL) {
            place.device = block->device;
            place.is_inside =
                block->state != ENDING && bytes <= (size_t)(block->memory + block->bytes - (const char *)at);
            place.is_live = block->state != ANNOUNCED;
        }
        return place;
    }
    place.is_inside = place.is_live = true;
    place.is_pinned = emulated_is_pinned(at, bytes);
    return place;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess) {
        const emulated_place_t place = emulated_find(pointer, 1);
        memset(attributes, 0, sizeof *attributes);
        attributes->device = place.device;
        if (place.is_device && place.is_inside) {
            attributes->type = cudaMemoryTypeDevice;
            attributes->devicePointer = (void *)(uintptr_t)pointer;
        } else if (place.is_pinned) {
            attributes->type = cudaMemoryTypeHost;
            attributes->devicePointer = attributes->hostPointer = (void *)(uintptr_t)pointer;
        }
    }
    return emulated_leave(error);
}

/* ---- allocation ---- */

cudaError_t cudaMalloc(void **memory_p, size_t bytes) {
    cudaError_t error = emulated_enter();
    const int device = emulated_current_device();
    if (error == cudaSuccess && emulated_settings()->devices == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess && bytes == 0) {
        *memory_p = NULL;
        return emulated_leave(error);
    }
    if (error == cudaSuccess && !emulated_pool_take(NULL, device, bytes))
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        prepare();
        block_t *const block = announce_block(device, bytes);
        if (block != NULL) {
            *memory_p = block->memory;
            start_block(block);
        } else {
            error = cudaErrorMemoryAllocation;
        }
    }
    return emulated_leave(error);
}

/* Waits for the device, as CUDA does. */
cudaError_t cudaFree(void *at) {
    cudaError_t error = emulated_enter();
    if (error != cudaSuccess || at == NULL)
        return emulated_leave(error);
    block_t *block = memory.base != NULL ? block_at(at) : NULL;
    if (block == NULL || block->memory != at || block->state == ENDING || block->is_foreign)
        return emulated_leave(cudaErrorInvalidValue);
    error = emulated_finish_device(block->device);
    block = block_at(at); /* others may have gone */
    if (error == cudaSuccess && block != NULL) {
        emulated_pool_give(block->pool, block->device, block->bytes);
        end_block(block);
    }
    return emulated_leave(error);
}

typedef struct memory_task {
    emulated_task_t task;
    void *memory;
} memory_task_t;

static void run_start(emulated_task_t *task) {
    start_block(block_at(((const memory_task_t *)task)->memory));
}

static void run_end(emulated_task_t *task) {
    end_block(block_at(((const memory_task_t *)task)->memory));
}

static cudaError_t queue_memory(cudaStream_t stream, void *at, void (*run)(emulated_task_t *)) {
    memory_task_t *const task = emulated_task_make(sizeof *task, run, NULL, 'a');
    task->memory = at;
    return emulated_queue(stream, &task->task);
}

cudaError_t cudaMallocFromPoolAsync(void **memory_p, size_t bytes, cudaMemPool_t pool, cudaStream_t handle) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess ? emulated_stream_of(handle) : NULL;
    if (error == cudaSuccess && (stream == NULL || pool == NULL || emulated_pool_device(pool) < 0))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && emulated_is_capturing(stream))
        error = cudaErrorStreamCaptureUnsupported;
    if (error == cudaSuccess && bytes == 0) {
        *memory_p = NULL;
        return emulated_leave(error);
    }
    if (error == cudaSuccess && !emulated_pool_take(pool, emulated_pool_device(pool), bytes))
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        prepare();
        block_t *const block = announce_block(emulated_pool_device(pool), bytes);
        if (block == NULL)
            return emulated_leave(cudaErrorMemoryAllocation);
        block->pool = pool;
        *memory_p = block->memory;
        error = queue_memory(handle, block->memory, run_start);
    }
    return emulated_leave(error);
}

cudaError_t cudaMallocAsync(void **memory_p, size_t bytes, cudaStream_t handle) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess ? emulated_stream_of(handle) : NULL;
    if (error == cudaSuccess && stream == NULL)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cudaMallocFromPoolAsync(memory_p, bytes, emulated_pool_default(stream->device), handle);
    return emulated_leave(error);
}

/* The pool may give it to others at once: by the rules of streams these come after. */
cudaError_t cudaFreeAsync(void *at, cudaStream_t stream) {
    cudaError_t error = emulated_enter();
    if (error != cudaSuccess || at == NULL)
        return emulated_leave(error);
    block_t *const block = memory.base != NULL ? block_at(at) : NULL;
    if (block == NULL || block->memory != at || block->state == ENDING)
        return emulated_leave(cudaErrorInvalidValue);
    if (emulated_stream_of(stream) == NULL)
        return emulated_leave(cudaErrorInvalidResourceHandle);
    emulated_pool_give(block->pool, block->device, block->bytes);
    error = queue_memory(stream, at, run_end);
    return emulated_leave(error);
}

/* ---- with other processes ---- */

int emulated_memory_share(void *at, size_t *bytes_p) {
    block_t *const block = memory.base != NULL ? block_at(at) : NULL;
    if (block == NULL || block->memory != at || block->pool != NULL || block->is_foreign)
        return -1;
    if (!block->is_shared) {
        const int descriptor = memfd_create("emulated-gpu", MFD_CLOEXEC);
        open_block(block);
        if (descriptor < 0 || ftruncate(descriptor, (off_t)block->map_bytes) != 0 ||
            pwrite(descriptor, block->map, block->map_bytes, 0) != (ssize_t)block->map_bytes) {
            if (descriptor >= 0)
                (void)close(descriptor);
            return -1;
        }
        map_over(block, descriptor);
        block->is_open = false;
        block->is_shared = true;
        block->descriptor = descriptor;
        memory.open_for = -2;
    }
    *bytes_p = block->bytes;
    return block->descriptor;
}

void *emulated_memory_map(int device, int descriptor, size_t bytes) {
    prepare();
    block_t *const block = announce_block(device, bytes);
    if (block == NULL)
        return NULL;
    map_over(block, descriptor);
    block->is_shared = block->is_foreign = true;
    block->state = LIVE;
    memory.open_for = -2;
    return block->memory;
}

bool emulated_memory_unmap(void *at) {
    block_t *const block = memory.base != NULL ? block_at(at) : NULL;
    if (block == NULL || block->memory != at || !block->is_foreign)
        return false;
    end_block(block);
    return true;
}
