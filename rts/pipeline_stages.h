/* How many stages an across loop is cut into between processes: more let neighbours start earlier, and each costs a message. Remembers
 * loops; part of exec. */
#ifndef RTS_PIPELINE_STAGES_H
#define RTS_PIPELINE_STAGES_H

#include "rts/loop.h"
#include "rts/pipeline_cut.h"

/**
 * The number of stages of a loop's execution, the same in all processes. Collective at the third execution.
 * @param parts      processes along each dim
 * @param stages_p   at least 1
 * @return RTS_ERR_NO_MEMORY  no room to remember the loop
 */
rts_status_t rts_stages_choose(const rts_loop_t *loop, const rts_cut_t *cut, const rts_index_t parts[],
                               rts_index_t *stages_p);

/** Seconds that the iterations of this process took in the execution chosen for last. */
void rts_stages_post(double seconds);

void rts_stages_reset(void);

#endif
