/* Runs a loop: data to the device, plan, launch, reductions. Carries out what the planner decided and decides nothing itself
 * but where the loop cannot run as wished: then on the host. Main thread only, except what says otherwise. */
#ifndef RTS_EXEC_H
#define RTS_EXEC_H

#include "rts/loop.h"

/** A portion as a query handler sees it. */
typedef struct rts_exec_portion {
    DvmType reference;      /* the handle; handlers get its address */
    const rts_loop_t *loop; /* NULL while no handler runs on it */
    int device;
    int thread; /* slot of partial results; -1: the handler has its own team, slots follow OpenMP thread numbers */
    int slot_count;                                 /* threads that a handler with its own team may use */
    rts_index_t lo[RTS_MAX_RANK], hi[RTS_MAX_RANK]; /* iteration ordinals of the loop */
} rts_exec_portion_t;

/**
 * Run the open loop and close it, whatever the outcome.
 * Writes reduction variables at home. Sync. MPI: all processes perform the loop; those with across arrays, reductions or
 * remote accesses exchange values.
 * @return RTS_ERR_INVALID  no handler for the host, an across that cannot be tied, an array that the region does not know
 * @return other statuses   from coherence or the backend
 */
rts_status_t rts_exec_loop(rts_loop_t *loop);

/** The portion behind a handle, while its handler runs; else NULL. Threads: any. */
const rts_exec_portion_t *rts_exec_portion(rts_handle_t handle);

/** Start values of reduction `number` (from 0) of the running loop, and a partial result to combine. Threads: any.
 * @return RTS_ERR_INVALID  no such reduction */
rts_status_t rts_exec_reduction_start(const rts_exec_portion_t *portion, DvmType number, void *values,
                                      void *locations);
rts_status_t rts_exec_reduction_post(const rts_exec_portion_t *portion, DvmType number, const void *values,
                                     const void *locations);

/** True while a handler may be running. Threads: any. */
bool rts_exec_is_running(void);

/** Backend of the loop run last, such as "host". Never NULL. */
const char *rts_exec_last_backend(void);

/** Name of the plan, and of the arrays' layouts separated by commas, of the loop run last; "" before the first.
 * @return text, always terminated */
const char *rts_exec_last_plan(char *text, size_t text_size);
const char *rts_exec_last_layouts(char *text, size_t text_size);

/** Free all at the end of the run. */
void rts_exec_reset(void);

#endif
