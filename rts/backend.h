/* What the executor asks of a backend: memory, copies and loops, as plain structs. A backend never sees an array, a loop or
 * another backend, and takes no decisions about layout or strategy. */
#ifndef RTS_BACKEND_H
#define RTS_BACKEND_H

#include "rts/front_box.h"
#include "rts/layout.h"

/** Tiles that a tile may wait for, at most. */
#define RTS_MAX_PREDECESSORS 64

/** How portions are spread over threads and ordered. */
typedef enum rts_schedule {
    RTS_SCHEDULE_SERIAL = 0, /* one portion, on the calling thread */
    RTS_SCHEDULE_STATIC,     /* split_dim cut evenly, one portion a thread, no order between portions */
    RTS_SCHEDULE_DYNAMIC,    /* split_dim cut into pieces of `chunk`, taken by whichever thread is free */
    RTS_SCHEDULE_FRONTS, /* front after front, all threads on one front, split_dim divides it; needs RTS_WAY_FRONT */
    RTS_SCHEDULE_TILES /* a tile runs as soon as its predecessors have; no barrier */
} rts_schedule_t;

/** Order inside a portion; values of DVMHX_WAY_. */
typedef enum rts_way {
    RTS_WAY_PLAIN = 0,
    RTS_WAY_JAM = 1,
    RTS_WAY_FRONT = 2,
    RTS_WAY_DIAGONAL = 3 /* as JAM, but all iterations of the plane with equal lag * row + column at once */
} rts_way_t;

/** Part of a loop: a box of iteration ordinals, each lo < hi, and for RTS_WAY_FRONT a range of front numbers counted as
 * sum time[k] * ordinal[k] over the whole job's ordinals; for RTS_WAY_JAM and RTS_WAY_DIAGONAL, where front_lo < front_hi, a range of
 * skew * ordinal[rank-2] + ordinal[rank-1] in the same way. */
typedef struct rts_portion {
    int thread;
    rts_way_t way;
    rts_index_t lo[RTS_MAX_RANK], hi[RTS_MAX_RANK];
    rts_index_t front_lo, front_hi;
} rts_portion_t;

/** Runs a portion; called from worker threads, at most one call at a time with the same portion->thread. */
typedef void (*rts_portion_fn_t)(void *context, const rts_portion_t *portion);

/** A loop to run: facts and a ready decision. Every count >= 1; rank 0 means one iteration. */
typedef struct rts_loop_job {
    int rank;
    rts_index_t count[RTS_MAX_RANK];
    rts_schedule_t schedule;
    rts_way_t way;
    int thread_count; /* >= 1 */
    int split_dim;
    rts_index_t chunk;
    rts_index_t tile[RTS_MAX_RANK]; /* TILES: extents of a tile */
    rts_index_t
        skew; /* TILES with JAM or DIAGONAL: > 0: tiles cut skew * ordinal[rank-2] + ordinal[rank-1], not ordinal[rank-1] */
    rts_index_t front_lo, front_hi; /* where lo < hi, with skew > 0: only what has such a number runs */
    int predecessor_count; /* TILES: offsets in tile numbers, lexicographically positive: tile I waits for I - p */
    int8_t predecessor[RTS_MAX_PREDECESSORS][RTS_MAX_RANK];
    rts_index_t time[RTS_MAX_RANK]; /* FRONT: legal time vector, entries >= 0 */
    rts_portion_fn_t run;
    void *context;
} rts_loop_job_t;

/** Copy a box between two buffers, each with its layout; box is inside both layouts' boxes. Devices may be equal. */
typedef struct rts_copy_job {
    size_t element_bytes;
    rts_box_t box;
    int source_device, target_device;
    const void *source;
    void *target;
    const rts_layout_t *source_layout, *target_layout;
} rts_copy_job_t;

/** Copy elements along fronts between a buffer with a layout, which contains the box, and contiguous host memory, in the order of
 * rts/front_box.h. */
typedef struct rts_front_copy_job {
    size_t element_bytes;
    rts_front_box_t fronts;
    int device; /* of the buffer */
    void *buffer;
    const rts_layout_t *layout;
    void *values;
    bool to_values;
} rts_front_copy_job_t;

/** What a process of the node needs to know of another one to share the node's accelerators with it. */
typedef struct rts_device_wish {
    uint64_t key;  /* of the accelerators that it sees: equal where they are the same */
    uint64_t near; /* bit of each that is near the processors that it may run on; 0: not known */
    int count;     /* how many it is to use; -1: not said */
} rts_device_wish_t;

typedef struct rts_backend_options {
    int thread_count;     /* worker threads of this process; >= 1 */
    int set_affinity;     /* 1 bind, 0 leave, -1 bind unless the launcher or the user bound already */
    int fake_devices;     /* host devices with separate memory, numbered from 1 */
    int first_device;     /* number of the backend's first device beside device 0; set by the table */
    int64_t memory_limit; /* bytes that arrays may take on each of these devices; 0: what there is */
    bool returns_memory;  /* free memory of accelerators goes back at once, for other programs */
    bool require_cuda;    /* no GPU is an error */
    const rts_device_wish_t *wish; /* of each process of the node, by local rank; NULL: nothing is said */
    int local_rank, local_count;   /* this process among those of its node */
    int sharer, sharer_count;      /* and among those that may run on the same processors; count 0 is 1 */
} rts_backend_options_t;

/** Operations of a backend. No entry is NULL: what a backend lacks is a function that returns RTS_ERR_UNSUPPORTED. */
typedef struct rts_backend_ops {
    const char *name;
    int device_type; /* DEVICE_TYPE_HOST, DEVICE_TYPE_CUDA of the ABI */
    bool
        runs_records; /* whether its devices run record handlers: those with a table of rts/handler_ops.h by its `launch`, others by `run` */

    /** Start. Sync; main thread; once before everything else. @param device_count_p devices beside device 0 */
    rts_status_t (*open)(const rts_backend_options_t *options, int *device_count_p);
    /** Stop and free all. Sync; main thread. */
    void (*close)(void);
    /* Order: what is asked of one device happens as if in the order of the calls. Work that stays on a device may be queued; then a
     * call returns before it is done, and RTS_ERR_DEVICE may come from a later call. Host memory is never waited for by callers: when a
     * call returns, what it was to read from there has been read, and what it was to write is there. */

    /** Memory of a device, aligned for any vector. Main thread. RTS_ERR_NO_MEMORY leaves *memory_p alone. */
    rts_status_t (*allocate)(int device, size_t bytes, void **memory_p);
    void (*release)(int device, void *memory);
    /** Copy a box. The host's memory may be one of the two, or memory that the host plays a device with. Main thread. */
    rts_status_t (*copy)(const rts_copy_job_t *job);
    /** Copy along fronts. Main thread. */
    rts_status_t (*copy_fronts)(const rts_front_copy_job_t *job);
    /** Reorganise a buffer in itself; for layouts of one box. Main thread.
     * RTS_ERR_UNSUPPORTED: these layouts cannot; RTS_ERR_NO_MEMORY; nothing changed in either case. */
    rts_status_t (*reorganise_in_place)(int device, size_t element_bytes, void *buffer,
                                        const rts_layout_t *from, const rts_layout_t *to);
    /** Run a loop in portions; returns when every portion has run. Main thread. */
    rts_status_t (*run)(int device, const rts_loop_job_t *job);
} rts_backend_ops_t;

/** The backend behind a device number; the table is the one place that knows which backends this build has. */
const rts_backend_ops_t *rts_backend_of_device(int device);

/** Worker threads that a process should use by default, as the host backend sees the machine; >= 1. Before opening too.
 * @param local_count   processes of this program on the node, which share a limit on processor time
 * @param sharer_count  those of them that may run on the same processors as this one, which divide these evenly; itself included */
int rts_default_thread_count(int local_count, int sharer_count);

/** A number for the set of processors that this process may run on: processes of a node with equal sets have equal numbers. */
uint64_t rts_processors_key(void);

/** What this process has to say about sharing accelerators, before opening. @param count  as in the wish; 0: nothing is looked for */
rts_device_wish_t rts_device_wish(int count);

/** Bytes of the host's last-level cache; a guess where the system does not say. */
size_t rts_host_cache_size(void);

/** Open all backends of this build and number their devices; 0 is the host. */
rts_status_t rts_backends_open(const rts_backend_options_t *options);
void rts_backends_close(void);
/** Devices in all, the host included; >= 1 once open. */
int rts_device_count(void);

#endif
