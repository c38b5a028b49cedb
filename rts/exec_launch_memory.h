/* Memory on a device that launches of a loop need beside the loop's arrays: slots of partial results, counters and order of columns, and
 * copies of ordinary arrays. Slots live as long as the loop; columns are kept, for loops of the same shape. Part of exec; main
 * thread only. */
#ifndef RTS_EXEC_LAUNCH_MEMORY_H
#define RTS_EXEC_LAUNCH_MEMORY_H

#include <dvmhx.h>

#include "rts/loop.h"
#include "rts/planner.h"

/** What a loop has got. */
typedef struct rts_launch_memory {
    rts_index_t block[3],
        block_limit; /* of its launches: the plan's block, smaller where every thread has slots of its own */
    dvmhx_slots_t slots[RTS_MAX_LOOP_ITEMS];
    int64_t slot_count[RTS_MAX_LOOP_ITEMS];
    void *turned[RTS_MAX_LOOP_ITEMS]; /* room for slots of an array, element by element; NULL: not needed */
    void *variable[RTS_MAX_LOOP_ITEMS];
} rts_launch_memory_t;

/** The columns that a launch is cut into: what their order depends on. */
typedef struct rts_columns {
    int rank;
    rts_index_t count[RTS_MAX_RANK]; /* along each dim */
    rts_index_t slope[RTS_MAX_RANK]; /* fronts from a column to the next one along a dim */
    int predecessor_count;
    int8_t predecessor[RTS_MAX_PREDECESSORS][RTS_MAX_RANK];
} rts_columns_t;

/** Whether launches can serve all reductions of a loop: no arrays with locations. */
bool rts_launch_serves(const rts_loop_t *loop);

/** Number of columns, and fill in what a plan's columns of a box of iterations are. */
int64_t rts_columns_of(const rts_plan_t *plan, int rank, const rts_index_t count[], rts_columns_t *columns_p);

/** Numbers of columns so that predecessors come first: by their first fronts where that is enough, else as wavefronts. @param order  room for all */
void rts_columns_order(const rts_columns_t *columns, int order[]);

/**
 * Room for a prepared loop with a plan for its device; values of ordinary arrays there. Gives back what was reserved before.
 * @return RTS_ERR_NO_MEMORY  nothing is reserved
 */
rts_status_t rts_launch_memory_reserve(const rts_loop_t *loop, int device, const rts_plan_t *plan);

/** What was reserved last. */
const rts_launch_memory_t *rts_launch_memory(void);

/** The loop will run: start values go into the slots, and ordinary arrays that it writes are marked. */
rts_status_t rts_launch_memory_open(const rts_loop_t *loop);

/** Columns in a device's memory. */
typedef struct rts_launch_columns {
    int *counters;    /* as in dvmhx_launch_t; whoever launches zeroes them */
    const int *order; /* of the columns of a sweep */
    int64_t count;    /* columns */
    int64_t sweeps;   /* that there are counters for */
} rts_launch_columns_t;

/** Those of a shape. */
rts_status_t rts_launch_columns(int device, const rts_columns_t *columns, rts_launch_columns_t *columns_p);

/** The loop has run: combine the slots into slot 0 of the partial results, which waits for it, and give them back. */
rts_status_t rts_launch_memory_close(const rts_loop_t *loop);

/** Give all back, for others: where a device is full, and at the end of the run, before backends are closed. */
void rts_launch_memory_reset(void);

#endif
