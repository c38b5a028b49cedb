/* Launches on a GPU: see the header.
 *
 * x walks the dim along which neighbouring threads find most of what they touch in the same sectors; y and z the other dims from the
 * innermost one outwards. On a front two neighbours along x are (x + 1, march - time[x]), so on a layout that stores fronts x is the dim
 * that walks its fastest axis.
 *
 * Why columns of tiles cannot wait for each other in a circle: their predecessors are all lexicographically positive (the march dim is not
 * cut, so that it plays no part), as those of a host's tiles; see rts/dependence.h. */
#include <config.h>

#include "rts/launches.h"

#include <stdio.h>
#include <string.h>

#include "rts/launch_estimates.h"
#include "rts/tile.h"

#define MOST_PLANS 96 /* looked at, before the best of each kind stay */

/* Columns that a column may wait for: the threads of a warp look at one each. */
#define MOST_PREDECESSORS 32

enum { MOST_GRIDS = 3, MOST_LINES = 2, MOST_FRONTS = 2, MOST_TILES = 4 };
_Static_assert(MOST_GRIDS + MOST_LINES + MOST_FRONTS + MOST_TILES + 1 <= RTS_MAX_CANDIDATES,
               "candidates of all kinds fit");

typedef struct plans {
    const rts_loop_facts_t *facts;
    const rts_walk_t *walk;
    int count;
    rts_plan_t plan[MOST_PLANS];
} plans_t;

/* ---- what is legal ---- */

static unsigned bit_of(const rts_loop_facts_t *facts, int dim) {
    return 1u << (facts->rank - 1 - dim);
}

/* Dims along which some dependence reaches. */
static unsigned dependent_dims(const rts_loop_facts_t *facts) {
    unsigned mask = 0;
    for (int dim = 0; dim < facts->rank; dim++)
        if (!rts_dependences_is_free(&facts->dependences, dim))
            mask |= bit_of(facts, dim);
    return mask;
}

/* A plan of a kind without its dims. */
static void start_plan(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_launch_kind_t kind,
                       rts_plan_t *plan) {
    static const rts_strategy_choice_t strategy[] = {[RTS_LAUNCH_GRID] = RTS_CHOICE_LEXICOGRAPHIC,
                                                     [RTS_LAUNCH_LINES] = RTS_CHOICE_LEXICOGRAPHIC,
                                                     [RTS_LAUNCH_FRONTS] = RTS_CHOICE_FRONT,
                                                     [RTS_LAUNCH_TILES] = RTS_CHOICE_TILE};
    memset(plan, 0, sizeof *plan);
    plan->strategy = strategy[kind];
    plan->is_launch = true;
    plan->launch.kind = kind;
    plan->launch.inside = dependent_dims(facts);
    plan->launch.march_dim = -1;
    for (int i = 0; i < 3; i++) {
        plan->launch.dim[i] = -1;
        plan->launch.block[i] = 1;
    }
    plan->thread_count = 1;
    plan->chunk = 1;
    plan->form = walk->form;
    plan->measured_s = -1;
}

/* Fronts with the march dim `march`. @return false when they are not legal or cannot be counted */
static bool set_fronts(const rts_loop_facts_t *facts, int march, rts_plan_t *plan) {
    const double most =
        plan->launch.kind == RTS_LAUNCH_FRONTS ? (double)RTS_LAUNCH_FRONTS_MAX : (double)INT32_MAX - 1;
    if (facts->no_tiles || !rts_dependences_time_vector_at(&facts->dependences, march, plan->time))
        return false;
    plan->launch.march_dim = march;
    return rts_launch_fronts(facts, plan) <= most;
}

/* Columns of extents `wanted`, smaller where the order of columns demands it. @return false when they would wait in a circle, or when
 * there are too many */
static bool set_columns(const rts_loop_facts_t *facts, const rts_index_t wanted[], rts_plan_t *plan) {
    const int march = plan->launch.march_dim;
    if (facts->reduces_arrays)
        return false; /* which threads run a column depends on when blocks are free */
    for (int dim = 0; dim < facts->rank; dim++)
        plan->tile[dim] = dim == march ? facts->count[dim] : rts_min(wanted[dim], facts->count[dim]);
    rts_dependences_limit_tile(&facts->dependences, facts->count, plan->tile);
    if (plan->tile[march] < facts->count[march])
        return false;
    plan->predecessor_count = rts_dependences_predecessors(&facts->dependences, facts->count, plan->tile,
                                                           RTS_MAX_PREDECESSORS, plan->predecessor);
    for (int i = 0; i < 3; i++)
        plan->launch.block[i] = plan->launch.dim[i] >= 0 ? plan->tile[plan->launch.dim[i]] : 1;
    return plan->predecessor_count >= 0 && plan->predecessor_count <= MOST_PREDECESSORS &&
           rts_tile_count(facts->rank, facts->count, plan->tile) <= (double)RTS_MAX_TILES;
}

/* ---- dims and blocks ---- */

/* Bytes moved with x along a dim, and what a warp of idle threads would waste. */
static double cost_of_x(const rts_loop_facts_t *facts, const rts_walk_t *walk, const rts_plan_t *plan,
                        int dim) {
    const rts_index_t threads = rts_min(facts->count[dim], 32);
    return rts_estimate_moved(facts, walk, plan, dim) * (32. / (double)threads);
}

/* The dims of `allowed` become threads: the best for x first, the others from the innermost outwards. */
static void set_dims(const rts_loop_facts_t *facts, const rts_walk_t *walk, unsigned allowed,
                     rts_plan_t *plan) {
    int best = -1, count = 0;
    double best_cost = 0;
    for (int dim = facts->rank - 1; dim >= 0; dim--) {
        if ((allowed & bit_of(facts, dim)) == 0)
            continue;
        const double cost = cost_of_x(facts, walk, plan, dim);
        if (best < 0 || cost < best_cost) {
            best = dim;
            best_cost = cost;
        }
    }
    if (best < 0)
        return;
    plan->launch.dim[count++] = best;
    for (int dim = facts->rank - 1; dim >= 0 && count < 3; dim--)
        if (dim != best && (allowed & bit_of(facts, dim)) != 0)
            plan->launch.dim[count++] = dim;
}

static rts_index_t power_from(rts_index_t count) {
    rts_index_t power = 1;
    while (power < count)
        power *= 2;
    return power;
}

/* Whether the program says what blocks are to be, and a GPU can have them. */
static bool wants_block(const rts_loop_facts_t *facts) {
    const rts_index_t *block = facts->cuda_block, most = RTS_LAUNCH_THREADS;
    return block[0] > 0 && block[0] <= most && block[1] <= most && block[2] <= RTS_LAUNCH_Z_THREADS &&
           block[0] * rts_max(1, block[1]) * rts_max(1, block[2]) <= most;
}

/* `threads` of a block, `width` of them along x, the others along y and z as far as there are iterations; or what the program wants. */
static void set_block(const rts_loop_facts_t *facts, rts_index_t width, rts_index_t threads,
                      rts_plan_t *plan) {
    rts_launch_t *launch = &plan->launch;
    rts_index_t left = threads;
    for (int i = 0; i < 3; i++) {
        launch->block[i] = 1;
        if (launch->dim[i] < 0)
            continue;
        const rts_index_t most = i == 0   ? rts_min(width, left)
                                 : i == 1 ? left
                                          : rts_min(left, RTS_LAUNCH_Z_THREADS);
        launch->block[i] = wants_block(facts) ? rts_max(1, facts->cuda_block[i])
                                              : rts_min(most, power_from(facts->count[launch->dim[i]]));
        left = rts_max(1, left / launch->block[i]);
    }
}

/* ---- candidates ---- */

/* A plan that is complete, unless there is one like it. */
static void add_plan(plans_t *plans, rts_plan_t *plan) {
    for (int i = 0; i < plans->count; i++) {
        const rts_plan_t *other = &plans->plan[i];
        if (memcmp(&other->launch, &plan->launch, sizeof plan->launch) == 0 && other->chunk == plan->chunk)
            return;
    }
    if (plans->count == MOST_PLANS)
        return;
    rts_estimate_launch(plans->facts, plans->walk, plan);
    plans->plan[plans->count++] = *plan;
}

/* Threads along x and in all. Long rows use lines of memory up; where an iteration reads much around it, blocks that are narrow and small keep
 * more of that near. In the order of what was fastest on an H200. */
typedef struct shape {
    rts_index_t width, threads;
} shape_t;
static const shape_t grid_shape[] = {{512, 1024}, {128, 256}, {32, 128}, {64, 256}, {256, 256}};
static const shape_t line_shape[] = {{64, 128}, {32, 128}, {128, 128}, {32, 64}};
static const shape_t front_shape[] = {{256, 256}, {32, 256}};
enum {
    GRID_SHAPES = sizeof grid_shape / sizeof grid_shape[0],
    LINE_SHAPES = sizeof line_shape / sizeof line_shape[0],
    FRONT_SHAPES = sizeof front_shape / sizeof front_shape[0]
};

/* What neighbours along x must gain from being neighbours on a front before a grid that follows fronts is worth a try: about half of its
 * threads have no iteration. */
#define FRONT_GAIN 0.7

/* Let y of a grid walk the fronts of x and another dim, where arrays store such fronts.
 * @return false  no two dims whose fronts are so much better than x alone */
static bool set_grid_fronts(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t *plan) {
    double best = FRONT_GAIN * rts_estimate_moved(facts, walk, plan, plan->launch.dim[0]);
    int best_x = -1, best_march = -1, lag = 0;
    for (int x = facts->rank - 1; x >= 0 && facts->arrays != NULL; x--)
        for (int march = facts->rank - 1; march >= 0; march--)
            for (int n = 1; n <= RTS_FORM_MAX_LAG && march != x; n++) {
                rts_index_t step[RTS_MAX_RANK] = {0};
                step[x] = 1;
                step[march] = -n;
                const double moved = rts_form_sector_bytes(facts, walk->form, step);
                if (moved >= best)
                    continue;
                best = moved;
                best_x = x;
                best_march = march;
                lag = n;
            }
    if (best_x < 0)
        return false;
    plan->launch.march_dim = best_march;
    plan->time[best_march] = 1;
    plan->time[best_x] = lag;
    plan->launch.dim[0] = best_x;
    plan->launch.dim[1] = best_march;
    plan->launch.dim[2] = -1;
    for (int dim = 0; dim < facts->rank; dim++)
        if (dim != best_x && dim != best_march)
            plan->launch.dim[2] = dim;
    return rts_launch_fronts(facts, plan) <= (double)INT32_MAX - 1;
}

static void add_independent(plans_t *plans) {
    const unsigned all = (1u << plans->facts->rank) - 1;
    rts_plan_t plan;
    for (int i = 0; i < GRID_SHAPES && plans->facts->dependences.count == 0 && plans->facts->rank > 0; i++) {
        start_plan(plans->facts, plans->walk, RTS_LAUNCH_GRID, &plan);
        set_dims(plans->facts, plans->walk, all, &plan);
        set_block(plans->facts, grid_shape[i].width, grid_shape[i].threads, &plan);
        add_plan(plans, &plan);
        if (set_grid_fronts(plans->facts, plans->walk, &plan)) {
            set_block(plans->facts, grid_shape[i].width, grid_shape[i].threads, &plan);
            add_plan(plans, &plan);
        }
    }
}

static void add_lines(plans_t *plans) {
    const unsigned all = (1u << plans->facts->rank) - 1, inside = dependent_dims(plans->facts);
    rts_plan_t plan;
    for (int i = 0; i < LINE_SHAPES && inside != 0 && inside != all; i++) {
        start_plan(plans->facts, plans->walk, RTS_LAUNCH_LINES, &plan);
        set_dims(plans->facts, plans->walk, all & ~inside, &plan);
        set_block(plans->facts, line_shape[i].width, line_shape[i].threads, &plan);
        add_plan(plans, &plan);
    }
}

static void add_fronts(plans_t *plans, int march) {
    const unsigned all = (1u << plans->facts->rank) - 1;
    rts_plan_t plan;
    start_plan(plans->facts, plans->walk, RTS_LAUNCH_FRONTS, &plan);
    if (!set_fronts(plans->facts, march, &plan))
        return;
    set_dims(plans->facts, plans->walk, all & ~bit_of(plans->facts, march), &plan);
    for (int i = 0; i < FRONT_SHAPES; i++) {
        set_block(plans->facts, front_shape[i].width, front_shape[i].threads, &plan);
        add_plan(plans, &plan);
    }
}

/* Extents of columns along x and y, and chunks, for one dim of threads and for more, by what was fast on an H200. */
typedef struct column_shape {
    rts_index_t x, y, chunk;
} column_shape_t;
static const column_shape_t row_column[] = {{128, 1, 16},
                                            {256, 1, 16},
                                            {128, 1, 8},
                                            {32, 1, 16},
                                            {128, 1, 4}};
static const column_shape_t plane_column[] = {{32, 8, 4}, {16, 16, 4}, {16, 16, 8}, {16, 8, 4},
                                              {32, 8, 8}, {64, 4, 4},  {32, 4, 4}};

static void add_tiles(plans_t *plans, int march) {
    const unsigned all = (1u << plans->facts->rank) - 1;
    const bool is_plane = plans->facts->rank > 2;
    const size_t count =
        is_plane ? sizeof plane_column / sizeof plane_column[0] : sizeof row_column / sizeof row_column[0];
    for (size_t i = 0; i < count; i++) {
        const column_shape_t *shape = is_plane ? &plane_column[i] : &row_column[i];
        const rts_index_t extent[3] = {shape->x, shape->y, 1};
        rts_index_t wanted[RTS_MAX_RANK];
        rts_plan_t plan;
        start_plan(plans->facts, plans->walk, RTS_LAUNCH_TILES, &plan);
        if (!set_fronts(plans->facts, march, &plan))
            return;
        set_dims(plans->facts, plans->walk, all & ~bit_of(plans->facts, march), &plan);
        for (int dim = 0; dim < plans->facts->rank; dim++)
            wanted[dim] = 1;
        for (int k = 0; k < 3 && plan.launch.dim[k] >= 0; k++)
            wanted[plan.launch.dim[k]] =
                wants_block(plans->facts) ? rts_max(1, plans->facts->cuda_block[k]) : extent[k];
        plan.chunk = shape->chunk;
        if (set_columns(plans->facts, wanted, &plan))
            add_plan(plans, &plan);
    }
}

/* Dims without dependences are no better for marching than those with. */
static void add_ordered(plans_t *plans) {
    for (int march = plans->facts->rank - 1; march >= 0 && plans->facts->rank >= 2; march--)
        if (!rts_dependences_is_free(&plans->facts->dependences, march)) {
            add_fronts(plans, march);
            add_tiles(plans, march);
        }
}

/* The whole loop in one thread: always legal. */
static void make_single(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t *plan) {
    start_plan(facts, walk, RTS_LAUNCH_LINES, plan);
    plan->launch.inside = (1u << facts->rank) - 1;
    rts_estimate_launch(facts, walk, plan);
}

static double seconds(const rts_plan_t *plan) {
    return plan->work_s + plan->overhead_s;
}

static void sort_by_estimate(rts_plan_t plan[], int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && seconds(&plan[j]) < seconds(&plan[j - 1]); j--) {
            const rts_plan_t swapped = plan[j];
            plan[j] = plan[j - 1];
            plan[j - 1] = swapped;
        }
}

int rts_launches_make(const rts_loop_facts_t *facts, const rts_walk_t *walk,
                      rts_plan_t candidate[RTS_MAX_CANDIDATES]) {
    static const int most[] = {MOST_GRIDS, MOST_LINES, MOST_FRONTS, MOST_TILES};
    plans_t plans = {.facts = facts, .walk = walk};
    int count = 0, kept[4] = {0};
    add_independent(&plans);
    add_lines(&plans);
    if (facts->dependences.count > 0)
        add_ordered(&plans);
    sort_by_estimate(plans.plan, plans.count);
    for (int i = 0; i < plans.count; i++)
        if (kept[plans.plan[i].launch.kind]++ < most[plans.plan[i].launch.kind])
            candidate[count++] = plans.plan[i];
    make_single(facts, walk, &candidate[count++]);
    sort_by_estimate(candidate, count);
    return count;
}

/* ---- random ---- */

/* The dims of `allowed` in any order. */
static void draw_dims(const rts_loop_facts_t *facts, unsigned allowed, uint64_t *state, rts_plan_t *plan) {
    int dims[RTS_MAX_RANK], count = 0;
    for (int dim = 0; dim < facts->rank; dim++)
        if ((allowed & bit_of(facts, dim)) != 0)
            dims[count++] = dim;
    for (int i = 0; i < 3 && count > 0; i++) {
        const int drawn = (int)rts_candidates_draw_below(state, count);
        plan->launch.dim[i] = dims[drawn];
        dims[drawn] = dims[--count];
    }
}

static void draw_block(uint64_t *state, rts_plan_t *plan) {
    rts_index_t left = RTS_LAUNCH_THREADS;
    for (int i = 0; i < 3; i++) {
        const rts_index_t most = rts_min(left, i == 2 ? RTS_LAUNCH_Z_THREADS : 64);
        plan->launch.block[i] = plan->launch.dim[i] >= 0 ? 1 + rts_candidates_draw_below(state, most) : 1;
        left /= plan->launch.block[i];
    }
}

static bool draw_grid_fronts(const rts_loop_facts_t *facts, uint64_t *state, rts_plan_t *plan) {
    plan->launch.march_dim = plan->launch.dim[1];
    plan->time[plan->launch.dim[1]] = 1;
    plan->time[plan->launch.dim[0]] = 1 + (int)rts_candidates_draw_below(state, RTS_FORM_MAX_LAG);
    draw_block(state, plan);
    return rts_launch_fronts(facts, plan) <= (double)INT32_MAX - 1;
}

static bool draw_columns(const rts_loop_facts_t *facts, uint64_t *state, rts_plan_t *plan) {
    rts_index_t wanted[RTS_MAX_RANK];
    draw_block(state, plan);
    for (int dim = 0; dim < facts->rank; dim++)
        wanted[dim] = 1;
    for (int i = 0; i < 3; i++)
        if (plan->launch.dim[i] >= 0)
            wanted[plan->launch.dim[i]] = plan->launch.block[i];
    plan->chunk = 1 + rts_candidates_draw_below(state, 20);
    plan->launch.resident =
        rts_candidates_draw_below(state, 2) == 0 ? 0 : 1 + (int)rts_candidates_draw_below(state, 4);
    plan->launch.is_served = rts_candidates_draw_below(state, 3) == 0;
    return set_columns(facts, wanted, plan);
}

/* @return false  this kind is not legal, or not with what was drawn */
static bool draw_kind(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_launch_kind_t kind,
                      uint64_t *state, rts_plan_t *plan) {
    const unsigned all = (1u << facts->rank) - 1, inside = dependent_dims(facts);
    start_plan(facts, walk, kind, plan);
    if (kind == RTS_LAUNCH_FRONTS || kind == RTS_LAUNCH_TILES) {
        const int march =
            facts->rank < 2 || inside == 0 ? -1 : (int)rts_candidates_draw_below(state, facts->rank);
        if (march < 0 || !set_fronts(facts, march, plan))
            return false;
        draw_dims(facts, all & ~bit_of(facts, march), state, plan);
    } else {
        if (kind == RTS_LAUNCH_GRID && (inside != 0 || facts->rank == 0))
            return false;
        draw_dims(facts, all & ~inside, state, plan);
        if (kind == RTS_LAUNCH_GRID && plan->launch.dim[1] >= 0 && rts_candidates_draw_below(state, 3) == 0)
            return draw_grid_fronts(facts, state, plan);
    }
    if (kind == RTS_LAUNCH_TILES)
        return draw_columns(facts, state, plan);
    draw_block(state, plan);
    return true;
}

void rts_launches_random(const rts_loop_facts_t *facts, const rts_walk_t *walk, uint64_t *state,
                         rts_plan_t *plan_p) {
    for (int tries = 0; tries < 8; tries++) {
        const rts_launch_kind_t kind = (rts_launch_kind_t)rts_candidates_draw_below(state, 4);
        if (!draw_kind(facts, walk, kind, state, plan_p))
            continue;
        rts_estimate_launch(facts, walk, plan_p);
        return;
    }
    make_single(facts, walk, plan_p);
}

/* ---- names ---- */

const char *rts_launch_name(const rts_plan_t *plan, char *text, size_t text_size) {
    static const char *const kind[] = {"grid", "lines", "front", "tile"};
    const rts_launch_t *launch = &plan->launch;
    const bool is_single = launch->kind == RTS_LAUNCH_LINES && launch->dim[0] < 0;
    int used = snprintf(text, text_size, "gpu %s", is_single ? "thread" : kind[launch->kind]);
    for (int i = 0; i < 3 && launch->dim[i] >= 0 && used >= 0 && (size_t)used < text_size; i++)
        used += snprintf(text + used, text_size - (size_t)used, "%c%d:%lld", i == 0 ? ' ' : ',',
                         launch->dim[i] + 1, (long long)launch->block[i]);
    if (launch->march_dim >= 0 && used >= 0 && (size_t)used < text_size)
        used += snprintf(text + used, text_size - (size_t)used, " march %d", launch->march_dim + 1);
    if (launch->kind == RTS_LAUNCH_TILES && used >= 0 && (size_t)used < text_size)
        snprintf(text + used, text_size - (size_t)used, " chunk %lld%s", (long long)plan->chunk,
                 launch->is_served ? " served" : "");
    return text;
}
