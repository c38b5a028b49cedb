/* Loops on worker threads: teams, and the schedules without order between portions. The ordered ones stand in
 * host_fronts.c and host_tiles.c. Read rts_host_run first. Decides nothing that the job leaves open, except
 * that what one thread would do alone anyway runs on the calling thread without a team. */
#include <config.h>

#include "rts/host/host_internal.h"

#include "rts/host/host_topology.h"
#include "rts/memory.h"
#include "rts/stats.h"

#include <omp.h>
#include <stdatomic.h>

int rts_host_spin_limit = 0;

int64_t rts_host_parallel(int thread_count, rts_host_work_fn_t work, void *state) {
    if (thread_count <= 1)
        return work(state, 0, 1);
    int64_t sum = 0;
#pragma omp parallel num_threads(thread_count) reduction(+ : sum)
    {
        const int thread = omp_get_thread_num();
        rts_host_bind_thread(thread);
        sum += work(state, thread, omp_get_num_threads());
    }
    return sum;
}

rts_status_t rts_host_run_reserve(int thread_count) {
    return rts_host_tiles_reserve(thread_count);
}

void rts_host_run_release(void) {
    rts_host_tiles_release();
}

void rts_host_set_fronts(const rts_loop_job_t *job, rts_portion_t *portion) {
    portion->front_lo = 0;
    portion->front_hi = 0;
    if (job->way != RTS_WAY_FRONT)
        return;
    for (int dim = 0; dim < job->rank; dim++) {
        portion->front_lo += job->time[dim] * portion->lo[dim];
        portion->front_hi += job->time[dim] * (portion->hi[dim] - 1);
    }
    portion->front_hi++;
}

/** The whole loop as one portion of thread 0. */
static void whole_portion(const rts_loop_job_t *job, rts_portion_t *portion_p) {
    portion_p->thread = 0;
    portion_p->way = job->way;
    for (int dim = 0; dim < job->rank; dim++) {
        portion_p->lo[dim] = 0;
        portion_p->hi[dim] = job->count[dim];
    }
    rts_host_set_fronts(job, portion_p);
}

static void run_serial(const rts_loop_job_t *job) {
    rts_portion_t portion;
    whole_portion(job, &portion);
    job->run(job->context, &portion);
    rts_stats_add(RTS_STAT_PORTIONS, 1);
}

static int64_t static_work(void *state, int thread, int team) {
    const rts_loop_job_t *const job = state;
    rts_index_t lo, hi;
    rts_host_part(job->count[job->split_dim], thread, team, &lo, &hi);
    if (lo == hi)
        return 0;
    rts_portion_t portion;
    whole_portion(job, &portion);
    portion.thread = thread;
    portion.lo[job->split_dim] = lo;
    portion.hi[job->split_dim] = hi;
    rts_host_set_fronts(job, &portion);
    job->run(job->context, &portion);
    return 1;
}

typedef struct dynamic_state {
    const rts_loop_job_t *job;
    rts_index_t piece_count;
    /* On lines of its own: every thread writes it, and reads the rest all the time. */
    _Alignas(RTS_MEMORY_ALIGNMENT) _Atomic rts_index_t next_piece;
    char padding[RTS_MEMORY_ALIGNMENT - sizeof(rts_index_t)];
} dynamic_state_t;

static int64_t dynamic_work(void *state, int thread, int team) {
    dynamic_state_t *const dynamic = state;
    const rts_loop_job_t *const job = dynamic->job;
    const int split = job->split_dim;
    int64_t portions = 0;
    rts_portion_t portion;
    whole_portion(job, &portion);
    portion.thread = thread;
    for (;; portions++) {
        /* Relaxed: pieces are independent, and the end of the parallel region publishes what they wrote. */
        const rts_index_t piece = atomic_fetch_add_explicit(&dynamic->next_piece, 1, memory_order_relaxed);
        if (piece >= dynamic->piece_count)
            break;
        portion.lo[split] = piece * job->chunk;
        /* Compared by difference: lo + chunk may not fit. */
        portion.hi[split] = job->count[split] - portion.lo[split] > job->chunk
                                ? portion.lo[split] + job->chunk
                                : job->count[split];
        rts_host_set_fronts(job, &portion);
        job->run(job->context, &portion);
    }
    (void)team;
    return portions;
}

static void run_dynamic(const rts_loop_job_t *job) {
    RTS_ASSERT(job->chunk >= 1);
    dynamic_state_t state;
    state.job = job;
    state.piece_count = rts_div_up(job->count[job->split_dim], job->chunk);
    atomic_init(&state.next_piece, 0);
    rts_stats_add(RTS_STAT_PORTIONS, rts_host_parallel(job->thread_count, dynamic_work, &state));
}

/** Number of fronts, 1 for loops not run by fronts. */
static rts_status_t count_fronts(const rts_loop_job_t *job, rts_index_t *front_count_p) {
    rts_index_t front_count = 1;
    if (job->way == RTS_WAY_FRONT) {
        for (int dim = 0; dim < job->rank; dim++) {
            rts_index_t distance;
            RTS_ASSERT(job->time[dim] >= 0);
            if (__builtin_mul_overflow(job->time[dim], job->count[dim] - 1, &distance) ||
                __builtin_add_overflow(front_count, distance, &front_count))
                return rts_fail(RTS_ERR_UNSUPPORTED, "the fronts of a loop cannot be numbered in 63 bits");
        }
    }
    *front_count_p = front_count;
    return RTS_OK;
}

/** One thread gets everything: then a team costs time and gives nothing. Tiles keep their shape even so. */
static bool is_serial(const rts_loop_job_t *job) {
    if (job->schedule == RTS_SCHEDULE_SERIAL || job->rank == 0)
        return true;
    if (job->schedule == RTS_SCHEDULE_TILES)
        return false;
    RTS_ASSERT(job->split_dim >= 0 && job->split_dim < job->rank);
    const rts_index_t piece = job->schedule == RTS_SCHEDULE_DYNAMIC ? job->chunk : 1;
    return job->thread_count == 1 || job->count[job->split_dim] <= piece;
}

rts_status_t rts_host_run(const rts_loop_job_t *job) {
    RTS_ASSERT(job->rank >= 0 && job->rank <= RTS_MAX_RANK && job->thread_count >= 1);
    rts_index_t front_count = 1;
    RTS_TRY(count_fronts(job, &front_count));
    if (is_serial(job)) {
        run_serial(job);
        return RTS_OK;
    }
    switch (job->schedule) {
    case RTS_SCHEDULE_STATIC:
        rts_stats_add(RTS_STAT_PORTIONS, rts_host_parallel(job->thread_count, static_work, (void *)job));
        return RTS_OK;
    case RTS_SCHEDULE_DYNAMIC:
        run_dynamic(job);
        return RTS_OK;
    case RTS_SCHEDULE_FRONTS:
        RTS_ASSERT(job->way == RTS_WAY_FRONT);
        return rts_host_run_fronts(job, front_count);
    case RTS_SCHEDULE_TILES:
        return rts_host_run_tiles(job);
    case RTS_SCHEDULE_SERIAL:
        break;
    }
    return rts_fail(RTS_ERR_INTERNAL, "unknown schedule %d of a loop", (int)job->schedule);
}
