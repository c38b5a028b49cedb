/* The plans that are legal for a loop, with estimates. Which of them is run is planner.c's decision. The constants are orders
 * of magnitude from measurements on one machine; they decide what is tried first, measured times decide what stays. */
#include <config.h>

#include "rts/planner.h"

#include <stdio.h>
#include <string.h>

/* Nanoseconds an iteration of a small stencil on one thread. */
#define NS_VECTOR      0.8 /* innermost dim without dependence */
#define NS_CHAIN       3.3 /* innermost dim carries one: latency of the chain */
#define NS_JAM         1.2 /* chains interleaved */
#define NS_FRONT       4.0 /* along fronts of a plain layout: strided */
#define STRIDED_FACTOR 5   /* innermost dim not the contiguous one: a cache line an element */
/* Nanoseconds of overhead. */
#define NS_TEAM    3000.
#define NS_BARRIER 1500.
#define NS_TILE    250.

#define JAM_ROWS    8
#define CACHE_BYTES (512 * 1024) /* part of a core's second-level cache that a tile may fill */
#define LINE_BYTES  64
/* Extents of a tile along the last dims, measured: flat optima of 16 to 128 rows by 256 to 1024 columns in rank 2, of 8 to 32
 * planes by 32 to 64 rows, columns whole, beyond. */
#define TILE_ROWS_2D    64
#define TILE_COLUMNS_2D 512
#define TILE_PLANES     16
#define TILE_ROWS       32
#define STRIP_PLANES    4 /* of a stencil, with what is written */
#define MAX_TILES       ((rts_index_t)1 << 20)

static double iterations(const rts_loop_facts_t *facts) {
    double n = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        n *= (double)facts->count[dim];
    return n;
}

static bool is_strided(const rts_loop_facts_t *facts) {
    return facts->contiguous_dim >= 0 && facts->contiguous_dim != facts->rank - 1;
}

static double way_ns(const rts_loop_facts_t *facts, rts_way_t way) {
    const bool carried = (rts_dependences_carried(&facts->dependences) & 1) != 0;
    const double ns = way == RTS_WAY_JAM     ? NS_JAM
                      : way == RTS_WAY_FRONT ? NS_FRONT
                      : carried              ? NS_CHAIN
                                             : NS_VECTOR;
    return is_strided(facts) ? ns * STRIDED_FACTOR : ns;
}

static rts_plan_t *start_plan(rts_plan_t *plan, rts_strategy_choice_t strategy, rts_schedule_t schedule,
                              rts_way_t way) {
    memset(plan, 0, sizeof *plan);
    plan->strategy = strategy;
    plan->schedule = schedule;
    plan->way = way;
    plan->thread_count = 1;
    plan->chunk = 1;
    plan->measured_s = -1;
    return plan;
}

/* Outermost dim that may be cut without any order and is long enough for the threads, or the longest such; -1 when none. */
static int free_dim(const rts_loop_facts_t *facts) {
    int best = -1;
    for (int dim = 0; dim < facts->rank; dim++) {
        if (facts->count[dim] < 2 || !rts_dependences_is_free(&facts->dependences, dim))
            continue;
        if (facts->count[dim] >= 4 * facts->thread_count)
            return dim;
        if (best < 0 || facts->count[dim] > facts->count[best])
            best = dim;
    }
    return best;
}

/* The ways that a portion of this loop may be run in by its body: plain always, jam where the innermost dim carries a
 * dependence that interleaving rows would hide. */
static bool may_jam(const rts_loop_facts_t *facts, rts_index_t *lag_p) {
    return facts->body == RTS_BODY_RECORD && facts->rank >= 2 && facts->count[facts->rank - 2] > 1 &&
           (rts_dependences_carried(&facts->dependences) & 1) != 0 &&
           rts_dependences_lag(&facts->dependences, lag_p);
}

static rts_strategy_choice_t strategy_of_way(rts_way_t way) {
    return way == RTS_WAY_JAM ? RTS_CHOICE_JAM : RTS_CHOICE_LEXICOGRAPHIC;
}

static void make_serial(const rts_loop_facts_t *facts, rts_way_t way, rts_index_t lag, rts_plan_t *plan) {
    start_plan(plan, strategy_of_way(way), RTS_SCHEDULE_SERIAL, way);
    plan->lag = lag;
    plan->work_s = iterations(facts) * way_ns(facts, way) * 1e-9;
}

static void make_split(const rts_loop_facts_t *facts, int dim, rts_way_t way, rts_index_t lag, bool dynamic,
                       rts_plan_t *plan) {
    start_plan(plan, strategy_of_way(way), dynamic ? RTS_SCHEDULE_DYNAMIC : RTS_SCHEDULE_STATIC, way);
    plan->lag = lag;
    plan->split_dim = dim;
    plan->thread_count = (int)rts_min(facts->thread_count, facts->count[dim]);
    plan->chunk = rts_max(1, facts->count[dim] / (16 * plan->thread_count));
    plan->work_s = iterations(facts) * way_ns(facts, way) * 1e-9 / plan->thread_count;
    plan->overhead_s = NS_TEAM * 1e-9;
}

/* Tile extents. With rows along the contiguous dim: whole rows beyond rank 2, long pieces of rows in rank 2, and as many
 * rows as the cache holds. Against storage order: two cache lines along the contiguous dim, so that what one outer iteration
 * brought is still there for the next ones, and the other dims filled up from the innermost. */
static void choose_tile(const rts_loop_facts_t *facts, rts_index_t tile[]) {
    const int rank = facts->rank;
    const rts_index_t row_bytes = (rts_index_t)facts->element_bytes * facts->array_count;
    for (int dim = 0; dim < rank; dim++)
        tile[dim] = 1;
    if (is_strided(facts)) {
        const rts_index_t lines = 2 * LINE_BYTES / (rts_index_t)facts->element_bytes;
        rts_index_t room = CACHE_BYTES / (2 * LINE_BYTES * facts->array_count);
        tile[facts->contiguous_dim] = rts_min(rts_max(lines, 1), facts->count[facts->contiguous_dim]);
        for (int dim = rank - 1; dim >= 0 && room > 1; dim--) {
            if (dim == facts->contiguous_dim)
                continue;
            tile[dim] = rts_min(facts->count[dim], room);
            room /= tile[dim];
        }
    } else {
        rts_index_t room = CACHE_BYTES / row_bytes;
        tile[rank - 1] = rts_min(facts->count[rank - 1], rank == 2 ? TILE_COLUMNS_2D : rts_max(room / 16, 1));
        room /= tile[rank - 1];
        if (rank >= 2)
            tile[rank - 2] = rts_min(facts->count[rank - 2],
                                     rts_max(JAM_ROWS, rank == 2 ? rts_min(room, TILE_ROWS_2D) : TILE_ROWS));
        if (rank >= 3)
            tile[rank - 3] = rts_min(facts->count[rank - 3], TILE_PLANES);
    }
}

static double tile_count(const rts_loop_facts_t *facts, const rts_index_t tile[]) {
    double tiles = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        tiles *= (double)rts_div_up(facts->count[dim], tile[dim]);
    return tiles;
}

/* Enough tiles along the first cut dim to keep all threads busy; few enough in all. */
static void fit_tile(const rts_loop_facts_t *facts, rts_index_t tile[]) {
    const int rank = facts->rank;
    int owner = 0;
    while (owner < rank - 1 && tile[owner] >= facts->count[owner] &&
           facts->count[owner] < 2 * facts->thread_count)
        owner++;
    const rts_index_t wanted = rts_max(1, facts->count[owner] / (4 * facts->thread_count));
    if (tile[owner] > wanted)
        tile[owner] = owner == rank - 2 && wanted > JAM_ROWS ? wanted / JAM_ROWS * JAM_ROWS : wanted;
    while (tile_count(facts, tile) > (double)MAX_TILES)
        for (int dim = 0; dim < rank; dim++)
            tile[dim] = rts_min(facts->count[dim], 2 * tile[dim]);
}

/* The loop seen in the coordinates in which jam interleaves rows: column + lag * row instead of column. */
static void skew_facts(const rts_loop_facts_t *facts, rts_index_t lag, rts_loop_facts_t *skewed) {
    const int last = facts->rank - 1;
    *skewed = *facts;
    skewed->count[last] += lag * (facts->count[last - 1] - 1);
    for (int i = 0; i < facts->dependences.count; i++)
        skewed->dependences.vector[i][last] += lag * facts->dependences.vector[i][last - 1];
}

/* Time of a pipeline of tiles: a thread's share of the tile rows, and the start of the last thread. */
static void estimate_tiles(const rts_loop_facts_t *facts, rts_plan_t *plan) {
    const double tiles = tile_count(facts, plan->tile), threads = plan->thread_count;
    int owner = 0;
    while (owner < facts->rank - 1 && plan->tile[owner] >= facts->count[owner])
        owner++;
    const rts_index_t rows = rts_div_up(facts->count[owner], plan->tile[owner]);
    const double steps = (double)rts_div_up(rows, plan->thread_count) * (tiles / (double)rows) + threads - 1;
    plan->work_s = iterations(facts) * way_ns(facts, plan->way) * 1e-9 * steps / tiles;
    if (is_strided(facts))
        plan->work_s /= STRIDED_FACTOR; /* what the tile is for */
    plan->overhead_s = (NS_TEAM + NS_TILE * steps) * 1e-9;
}

/* @return false when tiles would wait in a circle, or when there are too many */
static bool make_tiles(const rts_loop_facts_t *facts, const rts_index_t wanted[], rts_way_t way,
                       rts_index_t lag, int thread_count, rts_plan_t *plan) {
    rts_loop_facts_t seen = *facts;
    start_plan(plan, RTS_CHOICE_TILE, RTS_SCHEDULE_TILES, way);
    plan->lag = lag;
    plan->thread_count = thread_count;
    if (way == RTS_WAY_JAM && lag > 0 && wanted[facts->rank - 1] < facts->count[facts->rank - 1]) {
        plan->skew = lag;
        skew_facts(facts, lag, &seen);
    }
    for (int dim = 0; dim < facts->rank; dim++)
        plan->tile[dim] = wanted[dim];
    rts_dependences_limit_tile(&seen.dependences, seen.count, plan->tile);
    plan->predecessor_count = rts_dependences_predecessors(&seen.dependences, seen.count, plan->tile,
                                                           RTS_MAX_PREDECESSORS, plan->predecessor);
    if (plan->predecessor_count < 0 || tile_count(&seen, plan->tile) > (double)MAX_TILES)
        return false;
    estimate_tiles(facts, plan);
    return true;
}

/* An independent loop of rank 3 and more, walked in strips of rows: a stencil that looks at neighbouring planes finds them in the
 * core's own cache. Each thread has one piece of the outermost dim that is long enough. */
static bool make_strips(const rts_loop_facts_t *facts, int dim, rts_plan_t *plan) {
    const int rank = facts->rank, rows = rank - 2;
    rts_index_t tile[RTS_MAX_RANK];
    if (rank < 3 || dim >= rows)
        return false;
    for (int i = 0; i < rank; i++)
        tile[i] = facts->count[i];
    tile[rows] = CACHE_BYTES / STRIP_PLANES / (rts_index_t)facts->element_bytes / facts->count[rank - 1];
    tile[rows] = rts_max(1, tile[rows]);
    if (tile[rows] >= facts->count[rows])
        return false;
    const int threads = (int)rts_min(facts->thread_count, facts->count[dim]);
    tile[dim] = rts_div_up(facts->count[dim], threads);
    return make_tiles(facts, tile, RTS_WAY_PLAIN, 0, threads, plan);
}

/* Fronts over all dims, one barrier each. Cuts the longest dim but the one that a front number determines. */
static bool make_fronts(const rts_loop_facts_t *facts, int thread_count, rts_plan_t *plan) {
    start_plan(plan, RTS_CHOICE_FRONT, RTS_SCHEDULE_FRONTS, RTS_WAY_FRONT);
    if (!rts_dependences_time_vector(&facts->dependences, plan->time))
        return false;
    double fronts = 1;
    int solved = -1;
    for (int dim = 0; dim < facts->rank; dim++) {
        fronts += (double)plan->time[dim] * (double)(facts->count[dim] - 1);
        solved = plan->time[dim] != 0 ? dim : solved;
    }
    if (solved < 0 || fronts > 1e12)
        return false;
    plan->split_dim = -1;
    for (int dim = 0; dim < facts->rank; dim++)
        if (dim != solved && (plan->split_dim < 0 || facts->count[dim] > facts->count[plan->split_dim]))
            plan->split_dim = dim;
    if (plan->split_dim < 0) { /* one dim: every front is one iteration */
        plan->split_dim = 0;
        thread_count = 1;
    }
    plan->thread_count = thread_count;
    plan->work_s = iterations(facts) * way_ns(facts, RTS_WAY_FRONT) * 1e-9 / thread_count;
    plan->overhead_s = (NS_TEAM + fronts * (thread_count > 1 ? NS_BARRIER : 50.)) * 1e-9;
    return true;
}

/* One thread, the whole loop as one portion, fronts in order inside. */
static bool make_serial_fronts(const rts_loop_facts_t *facts, rts_plan_t *plan) {
    if (!make_fronts(facts, 1, plan))
        return false;
    plan->schedule = RTS_SCHEDULE_SERIAL;
    plan->overhead_s = 0;
    return true;
}

static void sort_by_estimate(rts_plan_t candidate[], int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && candidate[j].work_s + candidate[j].overhead_s <
                                     candidate[j - 1].work_s + candidate[j - 1].overhead_s;
             j--) {
            const rts_plan_t swapped = candidate[j];
            candidate[j] = candidate[j - 1];
            candidate[j - 1] = swapped;
        }
}

int rts_candidates_make(const rts_loop_facts_t *facts, bool dynamic,
                        rts_plan_t candidate[RTS_MAX_CANDIDATES]) {
    int count = 0;
    rts_index_t lag = 0;
    make_serial(facts, RTS_WAY_PLAIN, 0, &candidate[count++]);
    if (facts->body == RTS_BODY_OWN_TEAM || facts->rank == 0)
        return count;
    const bool team = facts->thread_count > 1, ordered = facts->dependences.count > 0,
               jam = may_jam(facts, &lag);
    const int split = team ? free_dim(facts) : -1;
    if (split >= 0)
        make_split(facts, split, RTS_WAY_PLAIN, 0, dynamic && !ordered, &candidate[count++]);
    if (!ordered && split >= 0)
        count += make_strips(facts, split, &candidate[count]);
    if (jam)
        make_serial(facts, RTS_WAY_JAM, lag, &candidate[count++]);
    if (jam && split >= 0)
        make_split(facts, split, RTS_WAY_JAM, lag, false, &candidate[count++]);
    if (ordered && !facts->no_tiles && facts->rank >= 2 && (split < 0 || is_strided(facts))) {
        rts_index_t tile[RTS_MAX_RANK];
        choose_tile(facts, tile);
        fit_tile(facts, tile);
        count += make_tiles(facts, tile, RTS_WAY_PLAIN, 0, facts->thread_count, &candidate[count]);
        if (jam)
            count += make_tiles(facts, tile, RTS_WAY_JAM, lag, facts->thread_count, &candidate[count]);
    }
    if (ordered && facts->body == RTS_BODY_RECORD) {
        count += make_serial_fronts(facts, &candidate[count]);
        if (team)
            count += make_fronts(facts, facts->thread_count, &candidate[count]);
    }
    for (int i = 0; i < count; i++)
        candidate[i].bypass_cache = facts->may_stream && candidate[i].way == RTS_WAY_PLAIN;
    sort_by_estimate(candidate, count);
    return count;
}

uint64_t rts_candidates_draw(uint64_t *state) { /* splitmix64, after Steele, Lea and Flood 2014 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static rts_index_t draw_below(uint64_t *state, rts_index_t bound) {
    return (rts_index_t)(rts_candidates_draw(state) % (uint64_t)bound);
}

void rts_candidates_random(const rts_loop_facts_t *facts, uint64_t *state, rts_plan_t *plan_p) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    const int count = rts_candidates_make(facts, draw_below(state, 2) != 0, candidate);
    const rts_plan_t *chosen = &candidate[draw_below(state, count)];
    *plan_p = *chosen;
    plan_p->bypass_cache = chosen->way == RTS_WAY_PLAIN && draw_below(state, 2) != 0;
    if (chosen->thread_count > 1)
        plan_p->thread_count = 1 + (int)draw_below(state, chosen->thread_count);
    if (chosen->schedule == RTS_SCHEDULE_DYNAMIC)
        plan_p->chunk = 1 + draw_below(state, facts->count[chosen->split_dim]);
    if (chosen->schedule == RTS_SCHEDULE_TILES) {
        rts_index_t tile[RTS_MAX_RANK];
        for (int dim = 0; dim < facts->rank; dim++)
            tile[dim] = draw_below(state, 3) == 0 ? facts->count[dim]
                                                  : 1 + draw_below(state, rts_min(facts->count[dim], 64));
        fit_tile(facts, tile);
        if (!make_tiles(facts, tile, chosen->way, chosen->lag, plan_p->thread_count, plan_p))
            *plan_p = *chosen;
    }
}

static const char *strategy_name(rts_strategy_choice_t strategy) {
    static const char *const name[] = {"auto", "lexicographic", "jam", "front", "tile"};
    return name[strategy];
}

const char *rts_plan_name(const rts_plan_t *plan, int rank, char *text, size_t text_size) {
    static const char *const way[] = {"plain", "jam", "front"};
    size_t used = 0;
    const int head = plan->schedule == RTS_SCHEDULE_TILES
                         ? snprintf(text, text_size, "tile(%s)", way[plan->way])
                         : snprintf(text, text_size, "%s", strategy_name(plan->strategy));
    used = head > 0 ? (size_t)head : 0;
    for (int dim = 0; plan->schedule == RTS_SCHEDULE_TILES && dim < rank && used < text_size; dim++) {
        const int more = snprintf(text + used, text_size - used, "%c%lld", dim == 0 ? ' ' : 'x',
                                  (long long)plan->tile[dim]);
        used += more > 0 ? (size_t)more : 0;
    }
    if (plan->schedule == RTS_SCHEDULE_DYNAMIC && used < text_size)
        snprintf(text + used, text_size - used, "(dynamic)");
    return text;
}
