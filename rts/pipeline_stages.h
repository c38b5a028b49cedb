/* How many stages an across loop is cut into between processes, and whether stages are ranges of a dim or of fronts: more let neighbours
 * start earlier, and each costs a message. Remembers loops; part of exec. */
#ifndef RTS_PIPELINE_STAGES_H
#define RTS_PIPELINE_STAGES_H

#include "rts/loop.h"
#include "rts/pipeline_cut.h"

/**
 * Choose cut->stages and cut->by_fronts for an execution of a loop, the same in all processes. The number is what the program says, else
 * follows from the time of the iterations; where both kinds of stages are possible, both are run for some executions, and the faster one
 * stays. Collective at a few executions. In the planner's random mode both are drawn each time.
 * @param parts  processes along each dim
 * @return RTS_ERR_NO_MEMORY  no room to remember the loop
 */
rts_status_t rts_stages_choose(const rts_loop_t *loop, const rts_index_t parts[], rts_cut_t *cut);

/** Whether the time of the execution chosen for last will say how many stages there should be: then work that is only queued is to be waited
 * for. */
bool rts_stages_are_timed(void);

/** What the execution chosen for last took here: seconds of the iterations, and of all with waiting. */
void rts_stages_post(double iterations_s, double all_s);

void rts_stages_reset(void);

#endif
