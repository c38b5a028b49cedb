/* Inside of the emulated GPU (include/cuda_runtime_api.h says what it is). How to read: emulated_device.c settings, errors and properties;
 * emulated_memory.c, emulated_pool.c, emulated_pinned.c memory and its guards; emulated_stream.c queues, events and when what is queued is done;
 * emulated_copy.c copies; emulated_graph.c capture and graphs; emulated_launch.c checks launches and queues them; emulated_blocks.c, emulated_threads.c
 * and emulated_shared.c run the threads of a kernel as fibers (emulated_fiber.c).
 *
 * One lock is around all: a call of the interface begins with emulated_enter and ends with emulated_leave. */
#ifndef EMULATED_H
#define EMULATED_H

#include "include/cuda_runtime_api.h"

#include <stdbool.h>

#if defined __SANITIZE_ADDRESS__
#define EMULATED_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define EMULATED_ASAN 1
#endif
#endif
#ifndef EMULATED_ASAN
#define EMULATED_ASAN 0
#endif

enum { EMULATED_MAX_DEVICES = 8, EMULATED_WARP = 32, EMULATED_MAX_THREADS = 1024 };
/** Bytes of shared memory of a block: at most, and without asking. */
#define EMULATED_SHARED_MOST    (227 * 1024)
#define EMULATED_SHARED_DEFAULT (48 * 1024)
/** What new memory holds: -1 and NaN, whatever the type. */
#define EMULATED_POISON 0xFF

typedef enum emulated_order { EMULATED_LATE, EMULATED_EARLY, EMULATED_RANDOM } emulated_order_t;

typedef struct emulated_settings {
    emulated_order_t order;
    uint64_t order_seed, seed;
    int resident, devices, processors;
    bool peers, guard, quiet, ipc;
    size_t memory;
    double patience;
} emulated_settings_t;

/* ---- emulated_device.c ---- */

const emulated_settings_t *emulated_settings(void);
/** Begin a call. @return cudaSuccess, or the error that no call gets past */
cudaError_t emulated_enter(void);
/** End a call with what it returns, which cudaGetLastError tells again. */
cudaError_t emulated_leave(cudaError_t error);
/** An error that stays, with a line on standard error (a format of printf) that says more than the code does. The first one counts. */
void emulated_break(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));
cudaError_t emulated_broken(void);
/** For a thread of the emulation: as a call, but that nothing happens by chance. */
void emulated_lock(void);
void emulated_unlock(void);
/** A line on standard error. */
void emulated_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
int emulated_current_device(void);
/** Whether kernels of a device reach memory of another, by cudaDeviceEnablePeerAccess. */
bool emulated_peer_enabled(int device, int other);
/** xorshift64*; the state must not be 0. */
uint64_t emulated_random(uint64_t *state);
double emulated_seconds(void);
void *emulated_alloc(size_t bytes);

/* ---- emulated_memory.c ---- */

typedef struct emulated_place {
    bool is_device, is_pinned;
    int device;
    bool is_inside; /* all bytes lie in one allocation that has not been given back */
    bool is_live;   /* and whose turn in its stream has come */
} emulated_place_t;

emulated_place_t emulated_find(const void *memory, size_t bytes);
/** Let kernels of a device, or with -1 the emulation itself, reach device memory, until emulated_memory_close. */
void emulated_memory_open(int device);
void emulated_memory_close(void);
/** What lies at an address of device memory, as a text in static memory; NULL: it is not device memory. */
const char *emulated_memory_explain(const void *address);

/** Move what cudaMalloc has given into memory with a descriptor, as it is. @return -1: it is no such memory */
int emulated_memory_share(void *memory, size_t *bytes_p);
/** Another process's, for a device of this one. @return NULL: it cannot be had */
void *emulated_memory_map(int device, int descriptor, size_t bytes);
/** @return whether it was such memory */
bool emulated_memory_unmap(void *memory);

/* ---- emulated_pool.c, emulated_pinned.c ---- */

/** Take memory of a device, out of what a pool keeps first; pool NULL: of cudaMalloc. @return whether there is enough */
bool emulated_pool_take(cudaMemPool_t pool, int device, size_t bytes);
void emulated_pool_give(cudaMemPool_t pool, int device, size_t bytes);
/** Whether kernels of a device reach memory of the pool. */
bool emulated_pool_reaches(cudaMemPool_t pool, int device);
/** -1: the pool was destroyed. */
int emulated_pool_device(cudaMemPool_t pool);
cudaMemPool_t emulated_pool_default(int device);
bool emulated_is_pinned(const void *memory, size_t bytes);

/* ---- emulated_stream.c ---- */

/** Something that a stream does. Shared by the queues and graphs that hold it. */
typedef struct emulated_task {
    int references;
    void (*run)(struct emulated_task *task);
    void (*release)(struct emulated_task *task); /* what it owns beside itself; may be NULL */
    int device;                                  /* set when queued */
    int kind;                                    /* equal for tasks that a graph may replace by each other */
} emulated_task_t;

/** A task of `bytes`, at least sizeof(emulated_task_t), zeroed, with one reference. */
void *emulated_task_make(size_t bytes, void (*run)(emulated_task_t *), void (*release)(emulated_task_t *),
                         int kind);
void emulated_task_drop(emulated_task_t *task);
/** Put a task at the end of a stream, or of the graph that the stream captures; takes the reference. */
cudaError_t emulated_queue(cudaStream_t stream, emulated_task_t *task);
/** Do what is queued: of a stream, of all of a device's. */
cudaError_t emulated_finish(cudaStream_t stream);
cudaError_t emulated_finish_device(int device);
/** The stream that a handle means; NULL: none. */
cudaStream_t emulated_stream_of(cudaStream_t stream);
/** Whether calls that wait are forbidden because something captures the stream, or any with NULL. */
bool emulated_is_capturing(cudaStream_t stream);
/** In the order of settings, do what may be done now. */
void emulated_advance(void);

/** Do what other processes wait for. */
void emulated_serve(void);
/** An event on a count of records that another process has made; takes both. */
typedef struct emulated_shared_event emulated_shared_event_t;
cudaError_t emulated_event_open(emulated_shared_event_t *shared, int descriptor, cudaEvent_t *event_p);
/** -1: it is no shared one. */
int emulated_event_descriptor(cudaEvent_t event);

/* ---- emulated_ipc.c ---- */

cudaError_t emulated_event_make(emulated_shared_event_t **shared_p, int *descriptor_p);
void emulated_event_unmap(emulated_shared_event_t *shared, int descriptor);
/** The number of a new record, of the newest one, of the newest that is done, and of the newest that somebody waits for. */
uint64_t emulated_event_count(emulated_shared_event_t *shared);
uint64_t emulated_event_newest(const emulated_shared_event_t *shared);
uint64_t emulated_event_finished(const emulated_shared_event_t *shared);
uint64_t emulated_event_wanted(const emulated_shared_event_t *shared);
void emulated_event_done(emulated_shared_event_t *shared, uint64_t number);
/** Whether a record of another process is done; from then on it is wanted. */
bool emulated_event_is_done(emulated_shared_event_t *shared, uint64_t number);
/** Until it is. */
void emulated_event_wait(emulated_shared_event_t *shared, uint64_t number);

/* ---- queues ---- */

struct CUstream_st {
    struct CUstream_st *next;
    int device;
    bool is_default, is_blocking, is_destroyed;
    bool is_busy;          /* its first operation is being done */
    uint64_t queued, done; /* numbers of the last one queued and done */
    struct emulated_operation *first, *last;
    struct CUgraph_st *captured; /* NULL: not capturing */
    bool is_origin, is_unjoined;
};

/* ---- emulated_graph.c ---- */

struct CUgraph_st {
    emulated_task_t **task;
    size_t count, capacity;
    bool is_invalid;
};

cudaError_t emulated_graph_add(cudaGraph_t graph, emulated_task_t *task);

/* ---- emulated_blocks.c, emulated_fiber.c ---- */

typedef struct emulated_grid {
    emulated_kernel_t kernel;
    void **parameters;
    dim3 blocks, threads;
    size_t shared_bytes;
    bool is_cooperative;
} emulated_grid_t;

/** Run all blocks of a kernel; what fails is told by emulated_break. */
void emulated_run_grid(const emulated_grid_t *grid);
/** Called by the handler of signals. Does not return where the fault is that of a thread of a kernel. */
void emulated_kernel_fault(int signal_number, const void *address);

typedef struct emulated_fiber {
    void *place; /* of its registers, while it does not run */
    char *stack; /* NULL: that of an operating system's thread */
    size_t stack_bytes;
    void *fake_stack;  /* AddressSanitizer's */
    const void *outer; /* and the stack that it came from */
    size_t outer_bytes;
    void (*run)(void *);
    void *data;
} emulated_fiber_t;

/** A fiber that will call run(data), which must not return, on a stack of its own. */
void emulated_fiber_make(emulated_fiber_t *fiber, char *stack, size_t stack_bytes, void (*run)(void *),
                         void *data);
/** Go on with `to`; comes back when somebody switches to `from`, unless from_ends. */
void emulated_fiber_switch(emulated_fiber_t *from, emulated_fiber_t *to, bool from_ends);

#endif
