/* GPUs: which there are, which this process uses, and what belongs to each: a stream, a memory pool, staging. A GPU is opened when it is
 * used for the first time, because that takes a good part of a second that programs without GPU loops need not pay. Main thread only. */
#ifndef RTS_CUDA_DEVICE_H
#define RTS_CUDA_DEVICE_H

#include <cuda_runtime_api.h>

#include "rts/backend.h"
#include "rts/handler_ops.h"
#include "rts/handler_ops.h"

/** Pieces of a copy under way between host and device, at most. */
#define RTS_CUDA_SLOTS 4

/** Graphs that are kept. */
#define RTS_CUDA_GRAPHS 8

/** A measurement: from one event of the stream to another. */
typedef struct rts_cuda_timer {
    cudaEvent_t begin, end; /* NULL: not made yet */
} rts_cuda_timer_t;

/** Kernels of a handler as one graph, which takes other arguments when it is used again. */
typedef struct rts_cuda_graph {
    const void *kernel_of; /* NULL: none */
    int64_t kernel_count;
    cudaGraphExec_t graph;
    int64_t used_at;
} rts_cuda_graph_t;

/** Sweeps of a loop that are held back; see rts/cuda/cuda_sweeps.h. */
typedef struct rts_cuda_held {
    int64_t count;     /* sweeps; 0: none, and what follows says nothing */
    dvmhx_kept_t kept; /* with memory of its own */
    rts_launch_sweeps_t sweeps;
    rts_position_t position;
    const void *keeper; /* kernel_of of the handler that has kept a launch last */
    bool is_lost;       /* a launch failed when nobody could be told */
} rts_cuda_held_t;

/** Allocated memory of a device. */
typedef struct rts_cuda_block {
    void *memory;
    size_t bytes;
} rts_cuda_block_t;

/** Pinned memory for one piece of a copy. */
typedef struct rts_cuda_slot {
    char *memory;      /* reachable from every device */
    cudaEvent_t done;  /* recorded when the device no longer needs the slot */
    bool is_in_flight; /* done has been recorded and not been waited for */
} rts_cuda_slot_t;

typedef struct rts_cuda_device {
    int gpu;        /* CUDA's number */
    bool is_shared; /* with another process */
    bool is_open;   /* what follows is there */
    cudaStream_t stream;
    cudaEvent_t order; /* for work that another device's stream must wait for */
    cudaStream_t side; /* for copies beside a loop; NULL: not made yet */
    cudaEvent_t fork;  /* from where on the side stream may run beside the other */
    bool is_aside;     /* `stream` and `side` have changed places */
    cudaMemPool_t pool;
    rts_cuda_slot_t slot[RTS_CUDA_SLOTS];
    int next_slot;
    rts_cuda_timer_t timer[RTS_MOST_TIMERS]; /* number n at n % RTS_MOST_TIMERS */
    int64_t last_timer;
    rts_cuda_graph_t graph[RTS_CUDA_GRAPHS];
    int64_t graph_clock;
    rts_cuda_held_t held;
    uint64_t peers; /* bit of each GPU, by CUDA's number, whose memory of this process this one reaches */
    rts_cuda_block_t *block;
    int block_count, block_capacity;
    size_t live_bytes;
} rts_cuda_device_t;

/** Find the GPUs of this process. @return RTS_ERR_UNSUPPORTED  fewer than asked for, or none where one is required */
rts_status_t rts_cuda_devices_find(const rts_backend_options_t *options, int *count_p);

/** Close what is open; complains once, on the log, about work that has failed unnoticed. */
void rts_cuda_devices_close(void);

/** The device behind a number of the backend table, opened, and current for CUDA's calls; what was held back there is queued.
 * @return RTS_ERR_INVALID  no device of this backend
 * @return other statuses   CUDA failed; nothing changed */
rts_status_t rts_cuda_device_use(int device, rts_cuda_device_t **device_p);

/** The same, and what is held back stays so: for who queues nothing. */
rts_status_t rts_cuda_device_select(int device, rts_cuda_device_t **device_p);

/** The same without opening: NULL when the number is not one of this backend. */
rts_cuda_device_t *rts_cuda_device_of(int device);

/** Whether code on a device reaches the memory of another one. */
bool rts_cuda_reaches(const rts_cuda_device_t *device, const rts_cuda_device_t *other);

/** Bytes that arrays may take on a device; SIZE_MAX: what there is. */
size_t rts_cuda_memory_limit(void);

/** Threads that may help to copy in host memory. */
int rts_cuda_thread_count(void);

#endif
