/* With T the time of a process's iterations, o what a stage costs beside them and n processes that wait for the first stage of the one
 * before, S stages take (T/S + o) * (S + n): least for S = sqrt(n * T / o). */
#include <config.h>

#include "rts/pipeline_stages.h"

#include "rts/comm.h"
#include "rts/memory.h"

/* A message between nodes and the launch of a loop, with the start and end of its threads. */
#define STAGE_COST_S 25e-6

/* Of an iteration, before anything was measured. */
#define ITERATION_COST_S 2e-9

/* Executions after which processes agree. The first may be slow: pages are touched, plans tried. */
#define TRIAL_EXECUTIONS 2

typedef struct stage_site {
    DvmHandlerFunc function;
    int line, rank;
    int magnitude[RTS_MAX_RANK]; /* of the counts */
    int executions;
    double seconds; /* fastest of the first executions */
    rts_index_t agreed;
    struct stage_site *next;
} stage_site_t;

static stage_site_t *sites, *current;

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
    site->next = sites;
    sites = site;
    return site;
}

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

static void take_larger(void *context, void *into, const void *from) {
    (void)context;
    if (*(const double *)from > *(double *)into)
        *(double *)into = *(const double *)from;
}

rts_status_t rts_stages_choose(const rts_loop_t *loop, const rts_cut_t *cut, const rts_index_t parts[],
                               rts_index_t *stages_p) {
    current = NULL;
    *stages_p = 1;
    if (cut->stage_dim < 0 || cut->path == 0)
        return RTS_OK;
    const rts_index_t most = rts_div_up(loop->count[cut->stage_dim], parts[cut->stage_dim]);
    if (loop->stage > 0) {
        *stages_p = rts_min(loop->stage, most);
        return RTS_OK;
    }
    current = find_site(loop);
    if (current == NULL)
        return rts_fail_memory("an across loop", sizeof *current);
    if (current->executions < TRIAL_EXECUTIONS) {
        *stages_p = best_stages(guess_seconds(loop, parts), cut->path, most);
        return RTS_OK;
    }
    if (current->agreed == 0) {
        double seconds = current->seconds;
        RTS_TRY(rts_comm_reduce(&seconds, sizeof seconds, take_larger, NULL));
        current->agreed = best_stages(seconds, cut->path, most);
    }
    *stages_p = rts_min(current->agreed, most);
    return RTS_OK;
}

void rts_stages_post(double seconds) {
    if (current == NULL || current->executions >= TRIAL_EXECUTIONS)
        return;
    if (current->executions == 0 || seconds < current->seconds)
        current->seconds = seconds;
    current->executions++;
}

void rts_stages_reset(void) {
    while (sites != NULL) {
        stage_site_t *next = sites->next;
        rts_free(sites);
        sites = next;
    }
    current = NULL;
}
