/* Estimates of plans: see the header. An iteration costs what its way needs where memory is near, more where it is far, in
 * proportion to the bytes that are; and no plan is faster than memory. */
#include <config.h>

#include "rts/estimates.h"

/* Nanoseconds an iteration of a small stencil on one thread, where the innermost dim moves by an element or within a cache line. */
#define NS_VECTOR      0.8  /* innermost dim without dependence */
#define NS_CHAIN       3.3  /* innermost dim carries one: latency of the chain */
#define NS_JAM         1.2  /* chains interleaved */
#define NS_FRONT       4.0  /* along fronts of a plain layout */
#define NS_ROWS_2D     0.45 /* fronts that are rows in memory: vectors */
#define NS_ROWS        0.9  /* the same with planes around */
#define NS_ALONG_FRONT 1.3  /* the same by strides: no vectors, but no chain either */
/* The same where it moves to another cache line. */
#define NS_VECTOR_FAR 4.0
#define NS_CHAIN_FAR  23.
#define NS_JAM_FAR    15.
#define NS_FRONT_FAR  20.
#define TILE_GAIN     1.65 /* of tiles that keep a cache line until it is used up */
/* Nanoseconds of overhead. */
#define NS_TEAM        3000.
#define NS_BARRIER     1500.
#define NS_TILE        250.
#define NS_FRONT_START 8.
#define NS_FRONT_SOLVE 50. /* of a front of one thread by RTS_WAY_FRONT */
/* Memory. */
#define BYTES_PER_NS                                                                                         \
    22. /* of each thread: too much where many share a memory, so that nothing is thought bound by it too early */
#define HIDDEN .9 /* share of the computing that waiting for memory hides */

double rts_estimate_iterations(const rts_loop_facts_t *facts) {
    double n = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        n *= (double)facts->count[dim];
    return n;
}

static double between(double near_ns, double far_ns, double share) {
    return near_ns + share * (far_ns - near_ns);
}

static double iteration_ns(const rts_loop_facts_t *facts, const rts_walk_t *walk, const rts_plan_t *plan) {
    const bool carried = (rts_dependences_carried(&facts->dependences) & 1) != 0;
    const double rows = facts->rank == 2 ? NS_ROWS_2D : NS_ROWS;
    switch (plan->way) {
    case RTS_WAY_JAM:
        return between(NS_JAM, NS_JAM_FAR, walk->far);
    case RTS_WAY_FRONT:
        return between(NS_FRONT, NS_FRONT_FAR, walk->far);
    case RTS_WAY_DIAGONAL:
        if (!plan->by_rows)
            return between(NS_ALONG_FRONT, NS_JAM_FAR, walk->far_on_fronts);
        /* Rows along fronts are no better than rows along the loop where these can be vectors, too. */
        return between(carried || rows > NS_VECTOR ? rows : NS_VECTOR, NS_JAM_FAR, walk->far_on_fronts);
    case RTS_WAY_PLAIN:
        break;
    }
    return carried ? between(NS_CHAIN, NS_CHAIN_FAR, walk->far)
                   : between(NS_VECTOR, NS_VECTOR_FAR, walk->far);
}

/* Starts of fronts in the planes of the two innermost dims, each of which may be cut into groups of rows. */
static double front_starts(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    const int row = facts->rank - 2;
    double planes = 1;
    rts_index_t rows = facts->count[row];
    for (int dim = 0; dim < row; dim++)
        planes *= (double)facts->count[dim];
    if (plan->schedule == RTS_SCHEDULE_TILES)
        rows = plan->tile[row];
    else if (plan->schedule != RTS_SCHEDULE_SERIAL && plan->split_dim == row)
        rows = rts_div_up(rows, plan->thread_count);
    const double fronts = (double)facts->count[row + 1] + (double)plan->lag * (double)(rows - 1);
    return planes * (double)rts_div_up(facts->count[row], rows) * fronts;
}

/* Time of a pipeline of tiles, as a part of one thread's time: a thread's share of the tile rows, and the start of the last thread,
 * which follows the one before it as far behind as tiles cut along skew * row + column demand. */
static double tile_share(const rts_loop_facts_t *facts, const rts_plan_t *plan, double *steps_p) {
    const int row = facts->rank - 2, last = facts->rank - 1;
    const rts_index_t skewed = plan->skew > 0 ? plan->skew * (plan->tile[row] - 1) : 0;
    double tiles = 1; /* in a tile row */
    int owner = 0;
    while (owner < last && plan->tile[owner] >= facts->count[owner])
        owner++;
    for (int dim = 0; dim < facts->rank; dim++)
        if (dim != owner)
            tiles *= (double)rts_div_up(facts->count[dim] + (dim == last ? skewed : 0), plan->tile[dim]);
    const rts_index_t rows = rts_div_up(facts->count[owner], plan->tile[owner]);
    const double behind = owner == row && plan->skew > 0 ? (double)skewed / (double)plan->tile[last] + 1 : 1;
    const double others = (double)rts_min(plan->thread_count, rows) - 1;
    *steps_p = (double)rts_div_up(rows, plan->thread_count) * tiles + others * behind;
    return *steps_p / ((double)rows * tiles);
}

static double front_count(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    double fronts = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        fronts += (double)plan->time[dim] * (double)(facts->count[dim] - 1);
    return fronts;
}

void rts_estimate_plan(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t *plan) {
    const int near_dim = walk->contiguous_dim;
    double ns = rts_estimate_iterations(facts) * iteration_ns(facts, walk, plan), overhead_ns = 0, steps;
    if (plan->way == RTS_WAY_DIAGONAL)
        ns += front_starts(facts, plan) * NS_FRONT_START;
    switch (plan->schedule) {
    case RTS_SCHEDULE_SERIAL:
        break;
    case RTS_SCHEDULE_STATIC:
    case RTS_SCHEDULE_DYNAMIC:
        ns /= plan->thread_count;
        overhead_ns = NS_TEAM;
        break;
    case RTS_SCHEDULE_FRONTS:
        ns /= plan->thread_count;
        overhead_ns =
            NS_TEAM + front_count(facts, plan) * (plan->thread_count > 1 ? NS_BARRIER : NS_FRONT_SOLVE);
        break;
    case RTS_SCHEDULE_TILES:
        ns *= tile_share(facts, plan, &steps);
        if (walk->far > 0 && plan->way != RTS_WAY_DIAGONAL && near_dim >= 0 &&
            plan->tile[near_dim] < facts->count[near_dim])
            ns /= between(1, TILE_GAIN, walk->far);
        overhead_ns = NS_TEAM + NS_TILE * steps;
        break;
    }
    const double memory_ns = walk->moved_bytes / (BYTES_PER_NS * plan->thread_count) + (1 - HIDDEN) * ns;
    plan->work_s = (walk->moved_bytes > 0 && memory_ns > ns ? memory_ns : ns) * 1e-9;
    plan->overhead_s = overhead_ns * 1e-9;
}
