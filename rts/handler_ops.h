/* What an accelerator does for handlers that launch kernels, beside memory and copies: a stream for them, an end that hears of faults, times
 * that are heard later, and reductions over what the kernels' blocks or threads have found. Plain structs; a second table next to
 * rts/backend.h, since the host needs none of it. */
#ifndef RTS_HANDLER_OPS_H
#define RTS_HANDLER_OPS_H

#include <dvmhx.h>

#include "rts/items.h"
#include "rts/status.h"

/** Measurements of a device that have not been heard, at most. */
#define RTS_MOST_TIMERS 256

/** What a block of threads may have. */
typedef struct rts_device_limits {
    int64_t threads;              /* of a block */
    int64_t extent[3], grid[3];   /* of a block in threads, of a grid in blocks; x first */
    int64_t registers;            /* of a block */
    int64_t registers_per_thread; /* that a kernel may use at most */
    int64_t shared_bytes;         /* of a block */
} rts_device_limits_t;

/** Sweeps of a loop that may follow each other: the launch may be held back, and started as one with later ones that are the same. */
typedef struct rts_launch_sweeps {
    dvmhx_kept_t *kept;                   /* where the handler keeps its launch, if it does */
    void *counters;                       /* of the launch; zeroed by who launches */
    size_t counter_bytes, bytes_of_sweep; /* of what all share, and of each sweep behind it */
    int64_t most;                         /* sweeps that there is room for; 1 and more */
} rts_launch_sweeps_t;

/** A record handler to call. */
typedef struct rts_launch_job {
    void (*call)(void *context,
                 void *stream); /* queues kernels on the stream, waits for nothing, does nothing else */
    void *context;
    const void *kernel_of;   /* same for calls that queue the same kernels, if with other arguments */
    int64_t kernel_count;    /* that it queues, about */
    rts_position_t position; /* of the loop, for the message of a fault that is heard later */
    const rts_launch_sweeps_t *sweeps; /* NULL: it is launched at once */
} rts_launch_job_t;

/** Main thread, all of them. Device numbers are those of rts/backend.h. */
typedef struct rts_handler_ops {
    /** What blocks may have. Sync. */
    rts_status_t (*limits)(int device, rts_device_limits_t *limits_p);
    /** A handler is about to run: the device becomes the one that its launches go to. @param stream_p  for all of them: what is queued
     * there begins after everything that was asked of the device before */
    rts_status_t (*begin)(int device, void **stream_p);
    /** The handler has returned: wait for its kernels. @return RTS_ERR_DEVICE  a launch or a kernel failed */
    rts_status_t (*end)(int device);
    /**
     * Call a record handler with the device current; its kernels begin after everything that was asked of the device before. Does not
     * wait. Many kernels become one graph; where that cannot be, the handler is called as it is, so it may be called twice. Sweeps may be
     * held back while the device has other work; they are started before anything else that is asked of the device.
     * @return RTS_ERR_DEVICE  a launch failed, or something queued before
     */
    rts_status_t (*launch)(int device, const rts_launch_job_t *job);
    /** Note the time when all is done that is queued now, and measure from there to the same at the stop. One at a time.
     * @return number of the measurement, for `elapsed`; 0: it cannot be measured */
    void (*start_timer)(int device);
    int64_t (*stop_timer)(int device);
    /** Seconds of a measurement. Does not wait. Once for each.
     * @return false  not known yet; *seconds_p < 0: never, because too many were begun since */
    bool (*elapsed)(int device, int64_t timer, double *seconds_p);
    /** Queue zeroing memory. */
    rts_status_t (*zero)(int device, void *memory, size_t bytes);
    /** Copy a few bytes from the host. The host's may change when it returns; the copy is queued. */
    rts_status_t (*write)(int device, void *target, const void *source, size_t bytes);
    /** Store each of value_count values of the host repeat times: value v at target + (v * repeat + 0..repeat-1) * value_bytes. */
    rts_status_t (*fill)(int device, void *target, const void *values, size_t value_bytes,
                         int64_t value_count, int64_t repeat);
    /**
     * Combine neighbouring items until at most RTS_ITEM_PARTS an element are left, and copy these to the host. Waits.
     *
     * The same items give the same bits every time. With equal values the location of the earlier item stays, and a NaN gives way to
     * any number, as if items were combined one by one.
     * @param parts      room for element_count * RTS_ITEM_PARTS values: element e has part i at [e * *count_p + i]
     * @param locations  room for RTS_ITEM_PARTS locations, or NULL
     * @return RTS_ERR_NO_MEMORY  none on the device for the parts
     */
    rts_status_t (*collect)(int device, const rts_items_job_t *job, void *parts, void *locations,
                            int64_t *count_p);
} rts_handler_ops_t;

/** The table of a device; NULL: it runs no query handlers. The host needs none for its own. */
const rts_handler_ops_t *rts_handler_ops_of_device(int device);

#endif
