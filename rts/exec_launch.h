/* Runs a loop with a record handler on a GPU: the record with its launch, from the plan, once for each box that exec launches. Nothing
 * here waits but for the results of reductions. Part of exec; main thread only. */
#ifndef RTS_EXEC_LAUNCH_H
#define RTS_EXEC_LAUNCH_H

#include "rts/exec_data.h"

/** Before the first launch of a loop that is ready, with partial results started in one slot. */
rts_status_t rts_exec_launch_open(const rts_loop_t *loop, const rts_exec_data_t *data);

/** Run part of the local iterations, in ordinals; not empty. Queued. @return RTS_ERR_DEVICE  a launch failed, or what was queued before */
rts_status_t rts_exec_launch_run(const rts_box_t *box);

/** After the last one: the planner hears of it, and partial results are in slot 0. */
rts_status_t rts_exec_launch_close(void);

#endif
