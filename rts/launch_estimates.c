/* Estimates of launches: see the header. A launch takes as long as memory needs for what its warps ask for, or as long as its longest
 * chain of iterations that wait for each other, whichever is more. */
#include <config.h>

#include "rts/launch_estimates.h"

/* All of an H200, measured there with small stencils of doubles. */
#define BYTES_PER_S      3.8e12
#define ROW_STEP_S       0.35e-6 /* from a front of a column to the next, with a barrier, where columns are rows */
#define PLANE_STEP_S     0.65e-6 /* where they are planes */
#define PIECE_S          0.2e-6  /* to wait for a piece of a column before, and to tell of one */
#define TILE_ITERATION_S 12e-12  /* of all blocks together, when none waits */
#define CHAIN_S          0.4e-6  /* from an iteration of one thread to the next: the latency of memory */
#define LAUNCH_S         3e-6
#define FRONT_LAUNCH_S   2e-6 /* of many launches in a row, by way of a graph */
#define START_S          5e-6 /* of tiles: counters are cleared before */
#define PROCESSORS       132.
#define THREADS          2048. /* at once on a processor */
#define ITERATION_S      2e-12 /* of all threads together, when memory is no matter */

double rts_launch_fronts(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    double fronts = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        fronts += (double)plan->time[dim] * (double)(facts->count[dim] - 1);
    return fronts;
}

double rts_estimate_moved(const rts_loop_facts_t *facts, const rts_walk_t *walk, const rts_plan_t *plan,
                          int x) {
    rts_index_t step[RTS_MAX_RANK] = {0};
    if (x >= 0) {
        step[x] = 1;
        if (plan->launch.march_dim >= 0)
            step[plan->launch.march_dim] = -plan->time[x];
    }
    return rts_form_sector_bytes(facts, walk->form, step);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* A warp of which only some threads have work moves as much as a full one. Warps without any, along y and z, end at once. */
static double idle_share(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    const int x = plan->launch.dim[0];
    if (x < 0)
        return 1;
    return (double)(rts_div_up(facts->count[x], plan->launch.block[0]) * plan->launch.block[0]) /
           (double)facts->count[x];
}

/* Each thread runs its line one iteration after the other; lines that do not fit at once come in turns. */
static double lines_s(const rts_loop_facts_t *facts, const rts_plan_t *plan, double iterations) {
    double line = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        if ((plan->launch.inside >> (facts->rank - 1 - dim) & 1) != 0)
            line *= (double)facts->count[dim];
    const double turns = iterations / line / (PROCESSORS * THREADS);
    return line * CHAIN_S * larger(turns, 1);
}

/* The longest chain of columns, each a piece behind the one before; or all iterations, when there are more columns than run at once. */
static double tiles_s(const rts_loop_facts_t *facts, const rts_plan_t *plan, double iterations) {
    double behind = 0;
    for (int dim = 0; dim < facts->rank; dim++)
        if (dim != plan->launch.march_dim && plan->time[dim] > 0)
            behind += (double)(rts_div_up(facts->count[dim], plan->tile[dim]) - 1);
    const double fronts = rts_launch_fronts(facts, plan), chunk = (double)plan->chunk;
    const double step_s = facts->rank > 2 ? PLANE_STEP_S : ROW_STEP_S;
    const double chain_s = (fronts + behind * chunk) * step_s + fronts / chunk * PIECE_S;
    return larger(chain_s, iterations * TILE_ITERATION_S);
}

void rts_estimate_launch(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t *plan) {
    double iterations = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        iterations *= (double)facts->count[dim];
    double work_s = rts_estimate_moved(facts, walk, plan, plan->launch.dim[0]) / BYTES_PER_S;
    work_s = larger(work_s, iterations * ITERATION_S) * idle_share(facts, plan);
    plan->overhead_s = LAUNCH_S;
    switch (plan->launch.kind) {
    case RTS_LAUNCH_GRID:
        break;
    case RTS_LAUNCH_LINES:
        work_s = larger(work_s, lines_s(facts, plan, iterations));
        break;
    case RTS_LAUNCH_FRONTS:
        plan->overhead_s = rts_launch_fronts(facts, plan) * FRONT_LAUNCH_S;
        break;
    case RTS_LAUNCH_TILES:
        work_s = larger(work_s, tiles_s(facts, plan, iterations));
        plan->overhead_s = START_S;
        break;
    }
    plan->work_s = work_s;
}
