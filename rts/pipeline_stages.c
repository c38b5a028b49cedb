/* With T the time of a process's iterations, o what a stage costs beside them and n processes that wait for the first stage of the one
 * before, S stages take (T/S + o) * (S + n): least for S = sqrt(n * T / o). Which kind of stage is faster follows from the layouts and
 * plans that the planner finds for each, so both are measured once these have settled. */
#include <config.h>

#include "rts/pipeline_stages.h"

#include "rts/comm.h"
#include "rts/median.h"
#include "rts/memory.h"
#include "rts/planner.h"
#include "rts/runtime.h"

/* A message between nodes and the launch of a loop, with the start and end of its threads. */
#define STAGE_COST_S 25e-6

/* Of an iteration, before anything was measured. */
#define ITERATION_COST_S 2e-9

/* Fronts of a stage, at least: fewer gain little, since fronts at the corners are short. */
#define FEWEST_FRONTS 32

/* Executions of a kind of stage: after the first few processes agree on the number of stages (the very first may be slow: pages are touched,
 * plans tried); the last few are measured, when the planner is likely to have settled. */
enum { TRIAL_EXECUTIONS = 2, WARM_EXECUTIONS = 10, MEASURED_EXECUTIONS = 5 };

enum { BY_RANGE, BY_FRONTS, KINDS };

/* What is known of a kind of stage. */
typedef struct stage_kind {
    int executions;
    int trials;          /* those of the first ones in which the number of stages was not said */
    double iterations_s; /* fastest of these */
    rts_index_t agreed;  /* number of stages; 0: not yet */
    double all_s[MEASURED_EXECUTIONS];
} stage_kind_t;

typedef struct stage_site {
    DvmHandlerFunc function;
    int line, rank;
    int magnitude[RTS_MAX_RANK]; /* of the counts */
    stage_kind_t kind[KINDS];
    int current;
    bool is_settled; /* current is for good */
    struct stage_site *next;
} stage_site_t;

static stage_site_t *sites;
static stage_kind_t *running; /* of the execution chosen for last */
static bool is_trial;         /* its time says how many stages there should be */
static uint64_t drawn;        /* of the random mode; the same in all processes */
static bool has_drawn;

static int magnitude(rts_index_t count) {
    int bits = 0;
    for (; count > 0; count /= 2)
        bits++;
    return bits;
}

static stage_site_t *find_site(const rts_loop_t *loop) {
    const DvmHandlerFunc function = loop->handler_count > 0 ? loop->handler[0].function : NULL;
    stage_site_t *site = sites;
    for (; site != NULL; site = site->next) {
        bool same =
            site->function == function && site->line == loop->position.line && site->rank == loop->rank;
        for (int dim = 0; dim < loop->rank && same; dim++)
            same = site->magnitude[dim] == magnitude(loop->count[dim]);
        if (same)
            return site;
    }
    site = rts_alloc_zeroed(1, sizeof *site);
    if (site == NULL)
        return NULL;
    site->function = function;
    site->line = loop->position.line;
    site->rank = loop->rank;
    for (int dim = 0; dim < loop->rank; dim++)
        site->magnitude[dim] = magnitude(loop->count[dim]);
    site->current = BY_FRONTS;
    site->next = sites;
    sites = site;
    return site;
}

/* ---- how many ---- */

static double guess_seconds(const rts_loop_t *loop, const rts_index_t parts[]) {
    double iterations = 1;
    for (int dim = 0; dim < loop->rank; dim++)
        iterations *= (double)loop->count[dim] / (double)parts[dim];
    return iterations * ITERATION_COST_S;
}

static rts_index_t best_stages(double seconds, rts_index_t path, rts_index_t most) {
    const double square = (double)path * seconds / STAGE_COST_S;
    rts_index_t stages = 1;
    while (stages < most && (double)(stages + 1) * (double)(stages + 1) <= square)
        stages++;
    return stages;
}

/* Of doubles; context: how many. */
static void take_larger(void *context, void *into, const void *from) {
    const int count = *(const int *)context;
    for (int i = 0; i < count; i++)
        if (((const double *)from)[i] > ((double *)into)[i])
            ((double *)into)[i] = ((const double *)from)[i];
}

/* Stages of a kind, at most. */
static rts_index_t most_stages(const rts_loop_t *loop, const rts_index_t parts[], const rts_cut_t *cut,
                               int kind) {
    if (kind == BY_FRONTS)
        return rts_max(1, cut->front_count / FEWEST_FRONTS);
    return rts_div_up(loop->count[cut->stage_dim], parts[cut->stage_dim]);
}

static rts_status_t set_stages(const rts_loop_t *loop, const rts_index_t parts[], stage_kind_t *kind,
                               int number, rts_cut_t *cut) {
    const rts_index_t most = most_stages(loop, parts, cut, number);
    int one = 1;
    cut->by_fronts = number == BY_FRONTS;
    if (loop->stage > 0) {
        cut->stages = rts_min(loop->stage, cut->by_fronts ? cut->front_count : most);
        return RTS_OK;
    }
    is_trial = kind->trials < TRIAL_EXECUTIONS;
    if (is_trial) {
        cut->stages = best_stages(guess_seconds(loop, parts), cut->path, most);
        return RTS_OK;
    }
    if (kind->agreed == 0) {
        double seconds = kind->iterations_s;
        RTS_TRY(rts_comm_reduce(&seconds, sizeof seconds, take_larger, &one));
        kind->agreed = best_stages(seconds, cut->path, most);
    }
    cut->stages = rts_min(kind->agreed, most);
    return RTS_OK;
}

/* ---- which kind ---- */

/* Fronts first; then ranges; then the faster one, as the slowest process sees it. */
static rts_status_t choose_kind(stage_site_t *site) {
    double seconds[KINDS];
    int count = KINDS;
    if (site->is_settled || site->kind[site->current].executions < WARM_EXECUTIONS + MEASURED_EXECUTIONS)
        return RTS_OK;
    if (site->current == BY_FRONTS) {
        site->current = BY_RANGE;
        return RTS_OK;
    }
    for (int i = 0; i < KINDS; i++)
        seconds[i] = rts_median(site->kind[i].all_s, MEASURED_EXECUTIONS);
    RTS_TRY(rts_comm_reduce(seconds, sizeof seconds, take_larger, &count));
    site->current = seconds[BY_FRONTS] < seconds[BY_RANGE] ? BY_FRONTS : BY_RANGE;
    site->is_settled = true;
    return RTS_OK;
}

/* Any kind and a small number, so that small loops have stages, too. */
static void draw(const rts_loop_t *loop, const rts_index_t parts[], rts_cut_t *cut) {
    if (!has_drawn)
        drawn = rts_runtime()->common_seed;
    has_drawn = true;
    const uint64_t word = rts_candidates_draw(&drawn);
    cut->by_fronts = cut->lag > 0 && (cut->stage_dim < 0 || (word & 1) != 0);
    const rts_index_t most = cut->by_fronts ? cut->front_count : most_stages(loop, parts, cut, BY_RANGE);
    cut->stages = rts_min(loop->stage > 0 ? loop->stage : 1 + (rts_index_t)(word >> 1 & 7), most);
}

rts_status_t rts_stages_choose(const rts_loop_t *loop, const rts_index_t parts[], rts_cut_t *cut) {
    const bool may[KINDS] = {[BY_RANGE] = cut->stage_dim >= 0, [BY_FRONTS] = cut->lag > 0};
    running = NULL;
    is_trial = false;
    if ((!may[BY_RANGE] && !may[BY_FRONTS]) || cut->path == 0)
        return RTS_OK;
    if (rts_runtime()->common_mode == RTS_PLANNER_RANDOM) {
        draw(loop, parts, cut);
        return RTS_OK;
    }
    stage_site_t *site = find_site(loop);
    if (site == NULL)
        return rts_fail_memory("an across loop", sizeof *site);
    int kind = may[BY_FRONTS] ? BY_FRONTS : BY_RANGE;
    if (may[BY_RANGE] && may[BY_FRONTS]) {
        RTS_TRY(choose_kind(site));
        kind = site->current;
    }
    running = &site->kind[kind];
    return set_stages(loop, parts, running, kind, cut);
}

bool rts_stages_are_timed(void) {
    return running != NULL && is_trial;
}

void rts_stages_post(double iterations_s, double all_s) {
    if (running == NULL)
        return;
    if (is_trial && (running->trials == 0 || iterations_s < running->iterations_s))
        running->iterations_s = iterations_s;
    running->trials += is_trial;
    if (running->executions >= WARM_EXECUTIONS + MEASURED_EXECUTIONS)
        return;
    if (running->executions >= WARM_EXECUTIONS)
        running->all_s[running->executions - WARM_EXECUTIONS] = all_s;
    running->executions++;
}

void rts_stages_reset(void) {
    while (sites != NULL) {
        stage_site_t *next = sites->next;
        rts_free(sites);
        sites = next;
    }
    running = NULL;
    has_drawn = false;
}
