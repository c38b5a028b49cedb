/* What the files of the host backend share among themselves. Nobody outside rts/host includes this. */
#ifndef RTS_HOST_INTERNAL_H
#define RTS_HOST_INTERNAL_H

#include "rts/host/host.h"

#include <sched.h>

/** Work of one thread of a team. @return a number that rts_host_parallel adds up, such as portions run */
typedef int64_t (*rts_host_work_fn_t)(void *state, int thread, int team);

/**
 * Run `work` once on every thread of a team.
 *
 * The team may be smaller than asked for (OMP_THREAD_LIMIT, OMP_DYNAMIC, a call from inside a parallel
 * region), so work must be divided by `team`, never by the number that was asked for. Always ask for the same
 * number where the choice is free: libgomp ends and recreates threads when the size changes.
 * @return sum of what the threads returned
 */
int64_t rts_host_parallel(int thread_count, rts_host_work_fn_t work, void *state);

/** Polls before a waiting thread offers its processor to others; small when there are more threads than
 * processors. */
extern int rts_host_spin_limit;

/** One step of waiting for another thread. @param polls_p  zero at the start of the wait */
static inline void rts_host_relax(int *polls_p) {
    if (*polls_p < rts_host_spin_limit) {
        ++*polls_p;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb" ::: "memory");
#endif
    } else {
        sched_yield(); /* the thread that is waited for may have no processor */
    }
}

/** Part `part` of `parts` of 0 .. count-1, cut evenly; empty (lo == hi) when there are more parts than
 * numbers. */
static inline void rts_host_part(rts_index_t count, int part, int parts, rts_index_t *lo_p,
                                 rts_index_t *hi_p) {
    const rts_index_t quotient = count / parts;
    const rts_index_t rest = count % parts;
    *lo_p = part * quotient + rts_min(part, rest);
    *hi_p = *lo_p + quotient + (part < rest);
}

/** The part that number `index` of 0 .. count-1 falls in: the inverse of rts_host_part. */
static inline int rts_host_part_of(rts_index_t index, rts_index_t count, int parts) {
    const rts_index_t quotient = count / parts;
    const rts_index_t rest = count % parts;
    const rts_index_t long_end = rest * (quotient + 1);
    return (int)(index < long_end ? index / (quotient + 1) : rest + (index - long_end) / quotient);
}

/** Memory for teams of up to thread_count threads, so that loops allocate nothing. Kept until
 * rts_host_run_release.
 * @return RTS_ERR_NO_MEMORY  what there was stays */
rts_status_t rts_host_run_reserve(int thread_count);
void rts_host_run_release(void);

/** Run a loop: rts_backend_ops_t.run without the device. */
rts_status_t rts_host_run(const rts_loop_job_t *job);

/* The two ordered schedules; called by rts_host_run only. */

/** Front after front; thread_count and count[split_dim] > 1. @param front_count  fronts 0 .. front_count-1 */
rts_status_t rts_host_run_fronts(const rts_loop_job_t *job, rts_index_t front_count);

/** Tiles as soon as their predecessors have run. @return RTS_ERR_UNSUPPORTED  the tiles cannot be numbered in
 * 63 bits */
rts_status_t rts_host_run_tiles(const rts_loop_job_t *job);

/** Memory for the progress marks of the tile schedule, see rts_host_run_reserve. */
rts_status_t rts_host_tiles_reserve(int thread_count);
void rts_host_tiles_release(void);

/** Set the front range of a portion from its box: everything for RTS_WAY_FRONT, nothing otherwise. */
void rts_host_set_fronts(const rts_loop_job_t *job, rts_portion_t *portion);

/**
 * Copy a box between layouts of any kinds in one pass; devices are not looked at.
 *
 * Threads share the work when it is large. Source and target must not overlap. Allocates nothing. Reads of the source's
 * buffer, up to the size of its layout, may go beyond the box; writes never do.
 * @return RTS_OK
 */
rts_status_t rts_host_copy(const rts_copy_job_t *job, int thread_count);

/** Copy along fronts; on the calling thread. */
void rts_host_copy_fronts(const rts_front_copy_job_t *job);

/**
 * The same line by line: fast where the box is thin or small, whatever the layouts.
 *
 * Called by the copies of this folder only, and by tests. Nothing outside the box is read or written.
 * @param job  rank 1 or more; the box is not empty
 */
void rts_host_copy_lines(const rts_copy_job_t *job, int thread_count);

#endif
