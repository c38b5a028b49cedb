/* The host backend: worker threads, loop strategies and copies in host memory. */
#ifndef RTS_HOST_HOST_H
#define RTS_HOST_HOST_H

#include "rts/backend.h"

/** Its operations, for the backend table and for white-box tests. */
extern const rts_backend_ops_t rts_host_ops;

/** Threads that this process should use by default: what OMP_NUM_THREADS says; else the hardware threads that it may run on (cgroup
 * and cpuset respected), divided among those processes of the node that may run on the same ones. >= 1. */
int rts_host_default_threads(int local_count, int sharer_count);

/** As rts_processors_key. */
uint64_t rts_host_processors_key(void);

/** Bytes of the last-level cache; 32 MiB where the system does not say. */
size_t rts_host_cache_bytes(void);

#endif
