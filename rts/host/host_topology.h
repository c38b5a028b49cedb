/* Processors: how many threads this process should use, and which processor each of them runs on. */
#ifndef RTS_HOST_TOPOLOGY_H
#define RTS_HOST_TOPOLOGY_H

#include "rts/backend.h"

#ifdef HAVE_HWLOC
#include <hwloc.h>

/**
 * Choose a processor for every thread. Pure: reads nothing but its arguments, so that tests give it synthetic
 * machines.
 *
 * Threads get cores of their own, spread evenly over the machine, and share cores only when there are more
 * threads than cores; neighbouring thread numbers are neighbours in the machine. Processes that may run on the
 * same processors share them in contiguous parts, which differ by one processor at most.
 *
 * @param allowed       processors this process may run on
 * @param sharer        0 .. sharer_count-1, among the processes of the node with the same `allowed`
 * @param pu_p        thread_count entries: the system's number of the processor of each thread
 * @return thread_count, or 0, pu_p undefined, when threads are better left alone: more threads than
 * processors of the part, or no memory
 */
int rts_host_place_threads(hwloc_topology_t topology, hwloc_const_cpuset_t allowed, int sharer,
                           int sharer_count, int thread_count, unsigned pu_p[]);
#endif

/**
 * Threads for one process. Pure.
 *
 * @param allowed       processors that this process may run on
 * @param sharer_count  processes that may run on the same; as many processors go to each, the remainder to none, since loops are
 *                      divided evenly among processes
 * @param quota         processors' worth of time that the node's processes get together; 0: no limit
 * @return >= 1
 */
int rts_host_share_threads(int allowed, int sharer_count, int local_count, double quota);

/** Parse the text of a cgroup's cpu.max, "150000 100000" or "max 100000". @return processors' worth of time,
 * 0: no limit */
double rts_host_parse_quota(const char *text);

/** The user chose a binding of threads: OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY or KMP_AFFINITY is set,
 * to anything but false, none or disabled. */
bool rts_host_user_binds(void);

/** Bind the calling thread and those of its OpenMP team, as far as the options and the machine let it; what
 * does not work is logged and left. Main thread. */
void rts_host_bind_open(const rts_backend_options_t *options);

/** Undo rts_host_bind_open. Main thread; harmless when nothing is bound. */
void rts_host_bind_close(void);

/** Counts bindings; 0 while threads are not bound. Changes only between parallel regions. */
extern int rts_host_binding;

/** Slow part of rts_host_bind_thread. */
void rts_host_bind_this_thread(int thread);

/** Bind the calling thread if it is not yet. At the start of every parallel region, because OpenMP may end
 * threads and create new ones, which inherit the binding of their creator. Costs nothing else. */
static inline void rts_host_bind_thread(int thread) {
    if (rts_host_binding != 0)
        rts_host_bind_this_thread(thread);
}

#endif
