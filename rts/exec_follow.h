/* Sweeps of a loop that follow each other on a GPU (dvmhx_launch_t): whether those of a loop may, and how far the sweep before must have come.
 * Pure arithmetic; whether it is done is exec_launch's to decide. Part of exec. */
#ifndef RTS_EXEC_FOLLOW_H
#define RTS_EXEC_FOLLOW_H

#include "rts/loop.h"
#include "rts/planner.h"

/** What the plan's predecessors and these are together, at most: a lane of a warp waits for each. */
#define RTS_FOLLOW_MOST 32

/** What a column waits for in the sweep before. */
typedef struct rts_follow {
    int count;
    int8_t offset[RTS_FOLLOW_MOST][RTS_MAX_RANK]; /* of columns, subtracted as those of predecessors are */
    rts_index_t fronts;                           /* that they must be ahead */
} rts_follow_t;

/**
 * Find what a column waits for.
 * @param loop   prepared; its whole local part is one box
 * @param plan   of columns, for that box
 * @return false  the loop does what is not known, or more than its arrays: sweeps come one after the other
 */
bool rts_follow_find(const rts_loop_t *loop, const rts_plan_t *plan, rts_follow_t *follow_p);

#endif
