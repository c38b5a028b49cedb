/* The plans of a loop for a GPU: which are legal on given forms, and extents that are worth a try. Which of them is run is planner.c's
 * decision; what they may cost stands in launch_estimates.c. Pure functions of their arguments. */
#ifndef RTS_LAUNCHES_H
#define RTS_LAUNCHES_H

#include "rts/form.h"

/** Threads of a block, at most; and of those along z. */
#define RTS_LAUNCH_THREADS   ((rts_index_t)1024)
#define RTS_LAUNCH_Z_THREADS ((rts_index_t)64)

/** Launches for the fronts of one execution, at most. */
#define RTS_LAUNCH_FRONTS_MAX ((rts_index_t)1 << 20)

/** Legal plans for facts->is_gpu, best estimate first; at least the one of a single thread. @return how many */
int rts_launches_make(const rts_loop_facts_t *facts, const rts_walk_t *walk,
                      rts_plan_t candidate[RTS_MAX_CANDIDATES]);

/** Any legal plan: kind, dims of threads, blocks, march dim, extents of columns and chunks drawn from *state. */
void rts_launches_random(const rts_loop_facts_t *facts, const rts_walk_t *walk, uint64_t *state,
                         rts_plan_t *plan_p);

/** See rts_plan_name. */
const char *rts_launch_name(const rts_plan_t *plan, char *text, size_t text_size);

#endif
