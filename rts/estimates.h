/* What a plan is expected to cost, before anything was measured. The constants are orders of magnitude from measurements on one
 * machine; they decide what is tried first, measured times decide what stays. */
#ifndef RTS_ESTIMATES_H
#define RTS_ESTIMATES_H

#include "rts/form.h"

/** Iterations of the loop. */
double rts_estimate_iterations(const rts_loop_facts_t *facts);

/** Fill work_s and overhead_s of a plan that is complete otherwise. */
void rts_estimate_plan(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_plan_t *plan);

#endif
