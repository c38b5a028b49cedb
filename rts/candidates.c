/* The plans that are legal for a loop on given forms of its arrays. Which of them is run is planner.c's decision; what they may cost
 * stands in estimates.c, extents of tiles in tile.c, what forms mean to a loop in form.c; plans for a GPU in launches.c. */
#include <config.h>

#include "rts/planner.h"

#include <stdio.h>
#include <string.h>

#include "rts/estimates.h"
#include "rts/launches.h"
#include "rts/tile.h"

/* A plan of one thread that is not estimated yet. */
static void start_plan(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_schedule_t schedule,
                       rts_way_t way, rts_index_t lag, rts_plan_t *plan) {
    static const rts_strategy_choice_t of_way[] = {[RTS_WAY_PLAIN] = RTS_CHOICE_LEXICOGRAPHIC,
                                                   [RTS_WAY_JAM] = RTS_CHOICE_JAM,
                                                   [RTS_WAY_FRONT] = RTS_CHOICE_FRONT,
                                                   [RTS_WAY_DIAGONAL] = RTS_CHOICE_FRONT};
    memset(plan, 0, sizeof *plan);
    plan->strategy = schedule == RTS_SCHEDULE_TILES ? RTS_CHOICE_TILE : of_way[way];
    plan->schedule = schedule;
    plan->way = way;
    plan->thread_count = 1;
    plan->chunk = 1;
    plan->lag = lag;
    plan->form = walk->form;
    plan->by_rows = way == RTS_WAY_DIAGONAL && walk->is_by_rows && walk->lag == lag;
    plan->bypass_cache = way == RTS_WAY_PLAIN && facts->may_stream && walk->can_stream;
    plan->measured_s = -1;
}

/* Outermost dim before `end` that may be cut without any order and is long enough for the threads, or the longest such; -1 when
 * none. */
static int free_dim(const rts_loop_facts_t *facts, int end) {
    int best = -1;
    for (int dim = 0; dim < end; dim++) {
        if (facts->count[dim] < 2 || !rts_dependences_is_free(&facts->dependences, dim))
            continue;
        if (facts->count[dim] >= 4 * facts->thread_count)
            return dim;
        if (best < 0 || facts->count[dim] > facts->count[best])
            best = dim;
    }
    return best;
}

/* Whether interleaving rows hides a dependence that the innermost dim carries. */
static bool may_jam(const rts_loop_facts_t *facts, rts_index_t *lag_p) {
    return facts->body == RTS_BODY_RECORD && facts->rank >= 2 && facts->count[facts->rank - 2] > 1 &&
           (rts_dependences_carried(&facts->dependences) & 1) != 0 &&
           rts_dependences_lag(&facts->dependences, lag_p);
}

static bool make_serial(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_way_t way, rts_index_t lag,
                        rts_plan_t *plan) {
    start_plan(facts, walk, RTS_SCHEDULE_SERIAL, way, lag, plan);
    rts_estimate_plan(facts, walk, plan);
    return true;
}

static bool make_split(const rts_loop_facts_t *facts, const rts_walk_t *walk, int dim, rts_way_t way,
                       rts_index_t lag, bool dynamic, rts_plan_t *plan) {
    if (dim < 0)
        return false;
    start_plan(facts, walk, dynamic ? RTS_SCHEDULE_DYNAMIC : RTS_SCHEDULE_STATIC, way, lag, plan);
    plan->split_dim = dim;
    plan->thread_count = (int)rts_min(facts->thread_count, facts->count[dim]);
    plan->chunk = rts_max(1, facts->count[dim] / (16 * plan->thread_count));
    rts_estimate_plan(facts, walk, plan);
    return true;
}

/* The loop seen in the coordinates in which fronts lie along one dim: column + lag * row instead of column.
 * @return false when these cannot be counted */
static bool skew_facts(const rts_loop_facts_t *facts, rts_index_t lag, rts_loop_facts_t *skewed) {
    const int last = facts->rank - 1;
    rts_index_t more;
    *skewed = *facts;
    if (__builtin_mul_overflow(lag, facts->count[last - 1] - 1, &more) ||
        __builtin_add_overflow(more, facts->count[last], &skewed->count[last]))
        return false;
    for (int i = 0; i < facts->dependences.count; i++)
        skewed->dependences.vector[i][last] += lag * facts->dependences.vector[i][last - 1];
    return true;
}

/* @return false when tiles would wait in a circle, or when there are too many */
static bool make_tiles(const rts_loop_facts_t *facts, const rts_walk_t *walk, const rts_index_t wanted[],
                       rts_way_t way, rts_index_t lag, int thread_count, rts_plan_t *plan) {
    const int last = facts->rank - 1;
    rts_loop_facts_t seen = *facts;
    start_plan(facts, walk, RTS_SCHEDULE_TILES, way, lag, plan);
    plan->thread_count = thread_count;
    if (way != RTS_WAY_PLAIN && lag > 0) {
        if (!skew_facts(facts, lag, &seen))
            return false;
        /* Jam takes whole rows as they are; fronts are cut as long as there are more of them. */
        if (facts->front_lag > 0 ||
            wanted[last] < (way == RTS_WAY_JAM ? facts->count[last] : seen.count[last]))
            plan->skew = lag;
        else
            seen = *facts;
    }
    for (int dim = 0; dim < facts->rank; dim++)
        plan->tile[dim] = rts_min(wanted[dim], seen.count[dim]);
    if (way == RTS_WAY_DIAGONAL)
        rts_tile_limit(facts, seen.count, plan->tile);
    rts_dependences_limit_tile(&seen.dependences, seen.count, plan->tile);
    plan->predecessor_count = rts_dependences_predecessors(&seen.dependences, seen.count, plan->tile,
                                                           RTS_MAX_PREDECESSORS, plan->predecessor);
    if (plan->predecessor_count < 0 ||
        rts_tile_count(facts->rank, seen.count, plan->tile) > (double)RTS_MAX_TILES)
        return false;
    rts_estimate_plan(facts, walk, plan);
    return true;
}

static bool make_strips(const rts_loop_facts_t *facts, const rts_walk_t *walk, int dim, rts_plan_t *plan) {
    rts_index_t tile[RTS_MAX_RANK];
    int threads;
    return dim >= 0 && rts_tile_choose_strips(facts, dim, &threads, tile) &&
           make_tiles(facts, walk, tile, RTS_WAY_PLAIN, 0, threads, plan);
}

/* Fronts over all dims, one barrier each. Cuts the longest dim but the one that a front number determines. */
static bool make_fronts(const rts_loop_facts_t *facts, const rts_walk_t *walk, int thread_count,
                        rts_plan_t *plan) {
    start_plan(facts, walk, RTS_SCHEDULE_FRONTS, RTS_WAY_FRONT, 0, plan);
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
    rts_estimate_plan(facts, walk, plan);
    return true;
}

/* One thread, the whole loop as one portion, fronts in order inside. */
static bool make_serial_fronts(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t *plan) {
    if (!make_fronts(facts, walk, 1, plan))
        return false;
    plan->schedule = RTS_SCHEDULE_SERIAL;
    rts_estimate_plan(facts, walk, plan);
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

/* Ways that need strides: all but DIAGONAL. @return how many */
static int add_strided(const rts_loop_facts_t *facts, const rts_walk_t *walk, bool dynamic,
                       rts_plan_t candidate[]) {
    const bool team = facts->thread_count > 1, ordered = facts->dependences.count > 0;
    int count = 0;
    rts_index_t lag = 0;
    count += make_serial(facts, walk, RTS_WAY_PLAIN, 0, &candidate[count]);
    if (facts->body == RTS_BODY_OWN_TEAM || facts->rank == 0)
        return count;
    const bool jam = may_jam(facts, &lag);
    const int split = team ? free_dim(facts, facts->rank) : -1;
    count += make_split(facts, walk, split, RTS_WAY_PLAIN, 0, dynamic && !ordered, &candidate[count]);
    if (!ordered)
        count += make_strips(facts, walk, split, &candidate[count]);
    if (jam) {
        count += make_serial(facts, walk, RTS_WAY_JAM, lag, &candidate[count]);
        count += make_split(facts, walk, split, RTS_WAY_JAM, lag, false, &candidate[count]);
    }
    if (ordered && !facts->no_tiles && facts->rank >= 2 && (split < 0 || walk->far > 0)) {
        rts_index_t tile[RTS_MAX_RANK];
        rts_tile_choose(facts, walk, tile);
        rts_tile_fit(facts, tile);
        count += make_tiles(facts, walk, tile, RTS_WAY_PLAIN, 0, facts->thread_count, &candidate[count]);
        if (jam)
            count += make_tiles(facts, walk, tile, RTS_WAY_JAM, lag, facts->thread_count, &candidate[count]);
    }
    if (ordered && facts->body == RTS_BODY_RECORD) {
        count += make_serial_fronts(facts, walk, &candidate[count]);
        if (team)
            count += make_fronts(facts, walk, facts->thread_count, &candidate[count]);
    }
    return count;
}

/* Way DIAGONAL: by rows whenever they match, else where jam would be legal and fronts are contiguous. What is free is cut outside the
 * fronts or, if it is the rows, into long pieces of them; never along the columns, which would make all fronts short.
 * @return how many */
static int add_diagonal(const rts_loop_facts_t *facts, const rts_walk_t *walk, bool dynamic,
                        rts_plan_t candidate[]) {
    rts_index_t least, tile[RTS_MAX_RANK];
    int count = 0;
    if (!walk->is_by_rows && !(walk->is_along_fronts && may_jam(facts, &least)))
        return count;
    const int split = facts->thread_count > 1 ? free_dim(facts, facts->rank - 1) : -1;
    count += make_serial(facts, walk, RTS_WAY_DIAGONAL, walk->lag, &candidate[count]);
    count += make_split(facts, walk, split, RTS_WAY_DIAGONAL, walk->lag,
                        dynamic && facts->dependences.count == 0, &candidate[count]);
    rts_tile_choose_fronts(facts, tile);
    count +=
        make_tiles(facts, walk, tile, RTS_WAY_DIAGONAL, walk->lag, facts->thread_count, &candidate[count]);
    return count;
}

/* Loops that are launched in ranges of fronts: tiles cut along these. The last one, a single tile, is always legal: planes one after
 * the other, and inside of each the fronts of a lag that keeps the order. @return how many */
static int add_of_fronts(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t candidate[]) {
    const rts_index_t lag = facts->front_lag;
    rts_index_t tile[RTS_MAX_RANK];
    int count = 0;
    if ((walk->is_by_rows || walk->is_along_fronts) && walk->lag == lag) {
        rts_tile_choose_fronts(facts, tile);
        count += make_tiles(facts, walk, tile, RTS_WAY_DIAGONAL, lag, facts->thread_count, candidate);
    }
    if (!walk->needs_rows) {
        rts_tile_choose(facts, walk, tile);
        rts_tile_fit(facts, tile);
        count += make_tiles(facts, walk, tile, RTS_WAY_JAM, lag, facts->thread_count, &candidate[count]);
    }
    if (count == 0) {
        memcpy(tile, facts->count, sizeof tile);
        tile[facts->rank - 1] = RTS_MAX_TILES; /* more than there are fronts */
        count += make_tiles(facts, walk, tile, walk->needs_rows ? RTS_WAY_DIAGONAL : RTS_WAY_JAM, lag, 1,
                            candidate);
    }
    return count;
}

int rts_candidates_make_on(const rts_loop_facts_t *facts, const rts_option_t *option, bool dynamic,
                           rts_plan_t candidate[RTS_MAX_CANDIDATES]) {
    rts_walk_t walk;
    int count = 0;
    rts_walk_make(facts, option != NULL && facts->arrays != NULL ? option->form : NULL, &walk);
    RTS_ASSERT(rts_forms_are_legal(facts, walk.form));
    if (facts->is_gpu)
        return rts_launches_make(facts, &walk, candidate);
    if (facts->front_lag > 0) {
        count = add_of_fronts(facts, &walk, candidate);
    } else {
        if (!walk.needs_rows)
            count += add_strided(facts, &walk, dynamic, candidate);
        count += add_diagonal(facts, &walk, dynamic, &candidate[count]);
    }
    sort_by_estimate(candidate, count);
    return count;
}

int rts_candidates_make(const rts_loop_facts_t *facts, bool dynamic,
                        rts_plan_t candidate[RTS_MAX_CANDIDATES]) {
    return rts_candidates_make_on(facts, NULL, dynamic, candidate);
}

/* ---- random ---- */

uint64_t rts_candidates_draw(uint64_t *state) { /* splitmix64, after Steele, Lea and Flood 2014 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

rts_index_t rts_candidates_draw_below(uint64_t *state, rts_index_t bound) {
    return (rts_index_t)(rts_candidates_draw(state) % (uint64_t)bound);
}

/* Tiles of any extents for a plan. @return false when they cannot be */
static bool draw_tiles(const rts_loop_facts_t *facts, const rts_walk_t *walk, const rts_plan_t *chosen,
                       uint64_t *state, rts_plan_t *plan_p) {
    rts_index_t tile[RTS_MAX_RANK];
    for (int dim = 0; dim < facts->rank; dim++)
        tile[dim] = rts_candidates_draw_below(state, 3) == 0
                        ? facts->count[dim]
                        : 1 + rts_candidates_draw_below(state, rts_min(facts->count[dim], 64));
    rts_tile_fit(facts, tile);
    return make_tiles(facts, walk, tile, chosen->way, chosen->lag, plan_p->thread_count, plan_p);
}

void rts_candidates_random_on(const rts_loop_facts_t *facts, const rts_option_t *option, uint64_t *state,
                              rts_plan_t *plan_p) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    rts_walk_t walk;
    if (facts->is_gpu) {
        rts_walk_make(facts, option != NULL && facts->arrays != NULL ? option->form : NULL, &walk);
        rts_launches_random(facts, &walk, state, plan_p);
        return;
    }
    const int count =
        rts_candidates_make_on(facts, option, rts_candidates_draw_below(state, 2) != 0, candidate);
    rts_plan_t *chosen = &candidate[rts_candidates_draw_below(state, count)];
    rts_walk_make(facts, chosen->form, &walk);
    if (chosen->way == RTS_WAY_JAM && !facts->no_tiles && rts_candidates_draw_below(state, 3) == 0) {
        /* Where jam is legal the ordinary body may run along fronts, too, however far apart they lie. */
        chosen->way = RTS_WAY_DIAGONAL;
        chosen->strategy = chosen->strategy == RTS_CHOICE_JAM ? RTS_CHOICE_FRONT : chosen->strategy;
        chosen->by_rows = walk.is_by_rows && walk.lag == chosen->lag;
    }
    *plan_p = *chosen;
    if (chosen->thread_count > 1)
        plan_p->thread_count = 1 + (int)rts_candidates_draw_below(state, chosen->thread_count);
    if (chosen->schedule == RTS_SCHEDULE_DYNAMIC)
        plan_p->chunk = 1 + rts_candidates_draw_below(state, facts->count[chosen->split_dim]);
    if (chosen->schedule == RTS_SCHEDULE_TILES && !draw_tiles(facts, &walk, chosen, state, plan_p))
        *plan_p = *chosen;
    plan_p->bypass_cache =
        chosen->way == RTS_WAY_PLAIN && walk.can_stream && rts_candidates_draw_below(state, 2) != 0;
}

void rts_candidates_random(const rts_loop_facts_t *facts, uint64_t *state, rts_plan_t *plan_p) {
    rts_candidates_random_on(facts, NULL, state, plan_p);
}

/* ---- names ---- */

/* Different plans of a loop on the same forms have different names, since costs are saved under them; the number of threads is the
 * same for all of a schedule. */
const char *rts_plan_name(const rts_plan_t *plan, int rank, char *text, size_t text_size) {
    static const char *const strategy[] = {"auto", "lexicographic", "jam", "front", "tile"};
    static const char *const way[] = {"plain", "jam", "front", "diagonal"};
    static const char *const schedule[] = {"", "static", "dynamic", "static", ""};
    if (plan->is_launch)
        return rts_launch_name(plan, text, text_size);
    const bool is_tile = plan->schedule == RTS_SCHEDULE_TILES;
    const char *kind = is_tile || plan->way == RTS_WAY_DIAGONAL ? way[plan->way] : "";
    const char *spread = schedule[plan->schedule];
    const bool has_kind = *kind != '\0', has_spread = *spread != '\0';
    const int head =
        snprintf(text, text_size, "%s%s%s%s%s%s", strategy[plan->strategy], has_kind || has_spread ? "(" : "",
                 kind, has_kind && has_spread ? "," : "", spread, has_kind || has_spread ? ")" : "");
    size_t used = head > 0 ? (size_t)head : 0;
    for (int dim = 0; is_tile && dim < rank && used < text_size; dim++) {
        const int more = snprintf(text + used, text_size - used, "%c%lld", dim == 0 ? ' ' : 'x',
                                  (long long)plan->tile[dim]);
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}
