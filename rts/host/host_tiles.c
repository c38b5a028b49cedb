/* The tile schedule: dataflow without a barrier. Read tile_work first.
 *
 * The tiles of a loop form a grid, numbered lexicographically. A map gives every tile an owner, a thread of
 * the team. A thread runs its tiles in ascending order of their numbers; before each it waits until the
 * predecessors that others own have run. As each thread goes upwards only, one number a thread says all about
 * its past: "every tile of mine below this has run". So there is one mark a thread, on a cache line of its
 * own, whatever the number of tiles.
 *
 * No deadlock, whatever the map and the size of the team: consider the lowest tile of the grid that has not
 * run. Its predecessors have lower numbers, because predecessor offsets are lexicographically positive: they
 * have run. Its owner exists, because the map divides by the size of the team that OpenMP delivered, not the
 * size asked for, and has nothing left below this tile: it runs it now or is about to. So some thread can
 * always go on, and waiting threads give their processor away after a bounded number of polls, so that this
 * thread gets one.
 *
 * Order: a mark is stored with release after a tile and read with acquire before a successor. A thread's own
 * earlier tiles, and all that was visible to it when it ran them, come along with the mark. */
#include <config.h>

#include "rts/host/host_internal.h"

#include "rts/memory.h"
#include "rts/stats.h"

#include <stdatomic.h>

/** Largest number of tiles in a loop. */
#define MAX_TILE_COUNT (INT64_MAX / 64)

/** How far a thread has come: all its tiles with mark_base + number < done have run. */
typedef struct tile_mark {
    _Alignas(RTS_MEMORY_ALIGNMENT) _Atomic int64_t done;
} tile_mark_t;

static tile_mark_t *marks;
static int mark_count;
/* Marks count on from loop to loop, so that nothing needs resetting: every mark is <= mark_base before a
 * loop. */
static int64_t mark_base;

typedef struct tile_state {
    const rts_loop_job_t *job;
    rts_index_t length[RTS_MAX_RANK]; /* of what the tiles cut along each dim */
    rts_index_t front_lo;             /* with skew: number of the first front of the first tile */
    rts_index_t grid[RTS_MAX_RANK];   /* tiles along each dim */
    rts_index_t weight[RTS_MAX_RANK]; /* number of a tile = sum weight[dim] * tile[dim] */
    rts_index_t tile_count;
    rts_index_t distance[RTS_MAX_PREDECESSORS]; /* number of a tile minus number of its predecessor */
    int owner_dim;                              /* the coordinate that decides the owner */
    bool cyclic;                                /* dealt out one by one; else in contiguous parts */
} tile_state_t;

rts_status_t rts_host_tiles_reserve(int thread_count) {
    if (thread_count <= mark_count)
        return RTS_OK;
    tile_mark_t *grown = rts_alloc_zeroed((size_t)thread_count, sizeof(tile_mark_t));
    if (grown == NULL)
        return rts_fail_memory("progress marks of threads", (size_t)thread_count * sizeof(tile_mark_t));
    rts_free(marks);
    marks = grown;
    mark_count = thread_count;
    mark_base = 0;
    return RTS_OK;
}

void rts_host_tiles_release(void) {
    rts_free(marks);
    marks = NULL;
    mark_count = 0;
    mark_base = 0;
}

/** Keep the fronts that the job asks for, which may reach beyond those that there are. */
static void set_fronts(const rts_loop_job_t *job, tile_state_t *state) {
    rts_index_t *length = &state->length[job->rank - 1];
    const rts_index_t hi = rts_min(*length, job->front_hi);
    state->front_lo = rts_max(0, job->front_lo);
    *length = rts_max(0, hi - state->front_lo);
}

/** Fill lengths, grid, weights and distances. */
static rts_status_t make_grid(const rts_loop_job_t *job, tile_state_t *state_p) {
    state_p->job = job;
    state_p->tile_count = 1;
    state_p->front_lo = 0;
    for (int dim = job->rank - 1; dim >= 0; dim--) {
        RTS_ASSERT(job->count[dim] >= 1 && job->tile[dim] >= 1);
        rts_index_t shift = 0;
        bool fits = true;
        if (job->skew > 0 && dim == job->rank - 1)
            fits = !__builtin_mul_overflow(job->skew, job->count[dim - 1] - 1, &shift);
        fits = fits && !__builtin_add_overflow(job->count[dim], shift, &state_p->length[dim]);
        if (fits && job->skew > 0 && dim == job->rank - 1 && job->front_lo < job->front_hi)
            set_fronts(job, state_p);
        if (fits) {
            state_p->grid[dim] = rts_div_up(state_p->length[dim], job->tile[dim]);
            state_p->weight[dim] = state_p->tile_count;
            fits = !__builtin_mul_overflow(state_p->tile_count, state_p->grid[dim], &state_p->tile_count);
        }
        /* The limit is far below the range, so that distances and the marks of many loops fit. */
        if (!fits || state_p->tile_count > MAX_TILE_COUNT)
            return rts_fail(RTS_ERR_UNSUPPORTED, "the tiles of a loop are too many to be numbered");
    }
    for (int p = 0; p < job->predecessor_count; p++) {
        const int8_t *const offset = job->predecessor[p];
        int lead = 0;
        while (lead < job->rank && offset[lead] == 0)
            lead++;
        if (lead == job->rank || offset[lead] < 0) /* checked always: the loop would hang */
            return rts_fail(RTS_ERR_INTERNAL, "predecessor %d of a tile is not lexicographically positive",
                            p);
        state_p->distance[p] = 0;
        /* Cut off at the size of the grid: no tile has such a predecessor, and the sum cannot overflow. */
        for (int dim = 0; dim < job->rank; dim++)
            state_p->distance[p] +=
                state_p->weight[dim] * rts_max(-state_p->grid[dim], rts_min(offset[dim], state_p->grid[dim]));
    }
    return RTS_OK;
}

/** Smallest distance along a dim between a tile and a predecessor elsewhere on it; 0: no tile waits along
 * this dim. */
static int nearest_along(const rts_loop_job_t *job, int dim) {
    int nearest = 0;
    for (int p = 0; p < job->predecessor_count; p++) {
        const int distance =
            job->predecessor[p][dim] < 0 ? -job->predecessor[p][dim] : job->predecessor[p][dim];
        if (distance != 0 && (nearest == 0 || distance < nearest))
            nearest = distance;
    }
    return nearest;
}

/** Tiles likely to run at the same time when `dim` decides the owner. */
static double estimate_width(const tile_state_t *state, int dim, double limit) {
    const rts_index_t team = state->job->thread_count;
    const double balanced = (double)state->grid[dim] / (double)rts_div_up(state->grid[dim], team);
    return balanced < limit ? balanced : limit;
}

/**
 * Choose the owner map. Any is correct; this one looks for threads that seldom wait.
 *
 * A dim without dependences needs no waiting at all, when each thread gets one contiguous part of it.
 * Otherwise, dealt out one by one, a thread can follow its neighbour one tile behind as long as there are
 * enough tiles after this dim in the order (those it has for one index); in contiguous parts, as long as
 * there are enough before it. The first dim, dealt out, is the usual answer, and others must be clearly
 * better.
 * @return tiles likely to run at the same time
 */
static double choose_owner(tile_state_t *state) {
    const rts_loop_job_t *const job = state->job;
    double best = 0.0;
    state->owner_dim = 0;
    state->cyclic = true;
    for (int kind = 0; kind < 3; kind++) { /* independent, dealt out, contiguous */
        double before = 1.0;
        for (int dim = 0; dim < job->rank; dim++) {
            const int nearest = nearest_along(job, dim);
            const double after = (double)state->weight[dim];
            const double limit = kind == 0 ? (double)state->grid[dim] : kind == 1 ? after * nearest : before;
            const double width = (nearest == 0) == (kind == 0) ? estimate_width(state, dim, limit) : 0.0;
            if (width > 1.05 * best) {
                best = width;
                state->owner_dim = dim;
                state->cyclic = kind == 1;
            }
            before *= (double)state->grid[dim];
        }
    }
    return best;
}

/** The thread that runs the tiles with this coordinate along owner_dim. */
static inline int owner_of(const tile_state_t *state, rts_index_t coordinate, int team) {
    return state->cyclic ? (int)(coordinate % team)
                         : rts_host_part_of(coordinate, state->grid[state->owner_dim], team);
}

/** Wait until the predecessors of a tile that other threads own have run. */
static void wait_for_predecessors(const tile_state_t *state, const rts_index_t tile[], rts_index_t number,
                                  int thread, int team) {
    const rts_loop_job_t *const job = state->job;
    for (int p = 0; p < job->predecessor_count; p++) {
        const int8_t *const offset = job->predecessor[p];
        int dim = 0;
        while (dim < job->rank && tile[dim] - offset[dim] >= 0 && tile[dim] - offset[dim] < state->grid[dim])
            dim++;
        if (dim < job->rank)
            continue; /* outside the grid */
        const int owner = owner_of(state, tile[state->owner_dim] - offset[state->owner_dim], team);
        if (owner == thread)
            continue; /* lower number, same thread: has run */
        const int64_t needed = mark_base + number - state->distance[p];
        int polls = 0;
        while (atomic_load_explicit(&marks[owner].done, memory_order_acquire) <= needed)
            rts_host_relax(&polls);
    }
}

/** Turn the range of the last dim into a window of skewed coordinates.
 * @return false when no iteration is in it */
static bool skew_portion(const tile_state_t *state, rts_index_t tile, rts_portion_t *portion) {
    const rts_loop_job_t *const job = state->job;
    const int last = job->rank - 1;
    portion->lo[last] = 0;
    portion->hi[last] = job->count[last];
    const rts_index_t lo = tile * job->tile[last];
    portion->front_lo = state->front_lo + lo;
    portion->front_hi = portion->front_lo + rts_min(job->tile[last], state->length[last] - lo);
    return portion->front_lo < job->skew * (portion->hi[last - 1] - 1) + job->count[last] &&
           portion->front_hi > job->skew * portion->lo[last - 1];
}

/** @return number of portions, 0 for a tile without iterations */
static int run_tile(const tile_state_t *state, const rts_index_t tile[], rts_portion_t *portion) {
    const rts_loop_job_t *const job = state->job;
    for (int dim = 0; dim < job->rank; dim++) {
        portion->lo[dim] = tile[dim] * job->tile[dim];
        /* Compared by difference: lo + tile may not fit. */
        portion->hi[dim] = job->count[dim] - portion->lo[dim] > job->tile[dim]
                               ? portion->lo[dim] + job->tile[dim]
                               : job->count[dim];
    }
    rts_host_set_fronts(job, portion);
    if (job->skew > 0 && !skew_portion(state, tile[job->rank - 1], portion))
        return 0;
    job->run(job->context, portion);
    return 1;
}

static int64_t tile_work(void *argument, int thread, int team) {
    const tile_state_t *const state = argument;
    const rts_loop_job_t *const job = state->job;
    /* My coordinates along owner_dim: first, first + stride, .. < end. */
    rts_index_t first = thread, end = state->grid[state->owner_dim];
    const rts_index_t stride = state->cyclic ? team : 1;
    if (!state->cyclic)
        rts_host_part(end, thread, team, &first, &end);
    if (first >= end)
        return 0;
    rts_index_t tile[RTS_MAX_RANK] = {0};
    tile[state->owner_dim] = first;
    rts_portion_t portion = {.thread = thread, .way = job->way};
    int64_t portions = 0;
    for (int dim = 0; dim >= 0;) {
        rts_index_t number = 0;
        for (int d = 0; d < job->rank; d++)
            number += state->weight[d] * tile[d];
        if (team > 1)
            wait_for_predecessors(state, tile, number, thread, team);
        portions += run_tile(state, tile, &portion);
        if (team > 1)
            atomic_store_explicit(&marks[thread].done, mark_base + number + 1, memory_order_release);
        /* The next tile of mine in lexicographic order; dim < 0 after the last. */
        for (dim = job->rank - 1; dim >= 0; dim--) {
            const bool owned = dim == state->owner_dim;
            tile[dim] += owned ? stride : 1;
            if (tile[dim] < (owned ? end : state->grid[dim]))
                break;
            tile[dim] = owned ? first : 0;
        }
    }
    return portions;
}

rts_status_t rts_host_run_tiles(const rts_loop_job_t *job) {
    RTS_ASSERT(job->predecessor_count >= 0 && job->predecessor_count <= RTS_MAX_PREDECESSORS);
    RTS_ASSERT(job->skew == 0 || (job->skew > 0 && job->rank >= 2 &&
                                  (job->way == RTS_WAY_JAM || job->way == RTS_WAY_DIAGONAL)));
    tile_state_t state;
    RTS_TRY(make_grid(job, &state));
    if (state.tile_count == 0)
        return RTS_OK;
    /* A chain of tiles is fastest on one thread. */
    const int thread_count = choose_owner(&state) > 1.0 ? job->thread_count : 1;
    RTS_TRY(rts_host_tiles_reserve(thread_count));
    if (mark_base > INT64_MAX / 2) {
        for (int thread = 0; thread < mark_count; thread++)
            atomic_store_explicit(&marks[thread].done, 0, memory_order_relaxed);
        mark_base = 0;
    }
    rts_stats_add(RTS_STAT_PORTIONS, rts_host_parallel(thread_count, tile_work, &state));
    mark_base += state.tile_count;
    return RTS_OK;
}
