/* The front schedule: all threads on one front, then a barrier, then the next front. */
#include <config.h>

#include "rts/host/host_internal.h"

#include "rts/memory.h"
#include "rts/stats.h"

#include <stdatomic.h>

/* A barrier of our own: libgomp's sleeps in the kernel soon, and always when threads outnumber processors,
 * while a front often takes less time than one system call. The last thread to arrive starts the next phase.
 * Reading `phase` before arriving is safe: it cannot change until this thread has arrived too. */
typedef struct front_barrier {
    _Alignas(RTS_MEMORY_ALIGNMENT) _Atomic int arrived;
    _Alignas(RTS_MEMORY_ALIGNMENT) _Atomic unsigned phase;
} front_barrier_t;

typedef struct front_state {
    const rts_loop_job_t *job;
    rts_index_t last; /* fronts are 0, step, .., last; those between have no points */
    rts_index_t step;
    rts_index_t rest; /* largest contribution of the dims other than split_dim to a front number */
    front_barrier_t barrier;
} front_state_t;

static void barrier_wait(front_barrier_t *barrier, int team) {
    const unsigned phase = atomic_load_explicit(&barrier->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) == team - 1) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->phase, phase + 1, memory_order_release);
        return;
    }
    int polls = 0;
    while (atomic_load_explicit(&barrier->phase, memory_order_acquire) == phase)
        rts_host_relax(&polls);
}

static rts_index_t greatest_common_divisor(rts_index_t a, rts_index_t b) {
    while (b != 0) {
        const rts_index_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

/** The indices of split_dim that a front can reach: cutting only those gives every thread its share of short
 * fronts too. */
static void split_range(const front_state_t *state, rts_index_t front, rts_index_t *lo_p, rts_index_t *hi_p) {
    const rts_loop_job_t *const job = state->job;
    const rts_index_t time = job->time[job->split_dim];
    *lo_p = 0;
    *hi_p = job->count[job->split_dim];
    if (time == 0)
        return;
    /* time * index = front - (contribution of the others), which lies in 0 .. rest. */
    if (front > state->rest)
        *lo_p = rts_div_up(front - state->rest, time);
    *hi_p = rts_min(*hi_p, front / time + 1);
}

static int64_t front_work(void *argument, int thread, int team) {
    front_state_t *const state = argument;
    const rts_loop_job_t *const job = state->job;
    const int split = job->split_dim;
    int64_t portions = 0;
    rts_portion_t portion = {.thread = thread, .way = RTS_WAY_FRONT};
    for (int dim = 0; dim < job->rank; dim++)
        portion.hi[dim] = job->count[dim];
    for (rts_index_t front = 0;; front += state->step) {
        rts_index_t first, end, lo, hi;
        split_range(state, front, &first, &end);
        rts_host_part(rts_max(end - first, 0), thread, team, &lo, &hi);
        if (lo < hi) {
            portion.lo[split] = first + lo;
            portion.hi[split] = first + hi;
            portion.front_lo = front;
            portion.front_hi = front + 1;
            job->run(job->context, &portion);
            portions++;
        }
        if (front == state->last)
            return portions;
        barrier_wait(&state->barrier, team);
    }
}

rts_status_t rts_host_run_fronts(const rts_loop_job_t *job, rts_index_t front_count) {
    front_state_t state = {.job = job, .last = front_count - 1};
    for (int dim = 0; dim < job->rank; dim++) {
        if (dim != job->split_dim)
            state.rest += job->time[dim] * (job->count[dim] - 1);
        if (job->count[dim] > 1)
            state.step = greatest_common_divisor(state.step, job->time[dim]);
    }
    RTS_ASSERT(state.step == 0 ? state.last == 0 : state.last % state.step == 0);
    atomic_init(&state.barrier.arrived, 0);
    atomic_init(&state.barrier.phase, 0);
    rts_stats_add(RTS_STAT_PORTIONS, rts_host_parallel(job->thread_count, front_work, &state));
    return RTS_OK;
}
