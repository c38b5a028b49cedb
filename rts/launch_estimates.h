/* What a launch on a GPU is expected to cost, before anything was measured. As in rts/estimates.h, orders of magnitude: they decide what
 * is tried first. */
#ifndef RTS_LAUNCH_ESTIMATES_H
#define RTS_LAUNCH_ESTIMATES_H

#include "rts/form.h"

/** Fill work_s and overhead_s of a plan for a GPU that is complete otherwise. */
void rts_estimate_launch(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t *plan);

/** Bytes that memory moves for the loop when x walks a dim: neighbours along it, on the same front of the plan where it has fronts. */
double rts_estimate_moved(const rts_loop_facts_t *facts, const rts_walk_t *walk, const rts_plan_t *plan,
                          int x);

/** Fronts of a plan's time vector over the loop. */
double rts_launch_fronts(const rts_loop_facts_t *facts, const rts_plan_t *plan);

#endif
