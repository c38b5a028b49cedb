/* Partial results of a loop's reductions: one slot a thread, each on cache lines of its own, combined in the order of the
 * threads. Part of exec. */
#ifndef RTS_EXEC_REDUCTION_H
#define RTS_EXEC_REDUCTION_H

#include "rts/loop.h"

/**
 * Before the launch: store start values in every slot. The variables are current at home since the clause was given.
 * @return RTS_ERR_NO_MEMORY  no room for the slots
 */
rts_status_t rts_partials_start(const rts_loop_t *loop, int slot_count);

/** Values and locations of reduction `number` (from 0) in a slot; locations NULL for reductions without. */
void *rts_partials_values(int number, int slot);
void *rts_partials_locations(int number, int slot);

/** Store start values of a reduction. Threads: any. */
void rts_partials_fill(const rts_loop_t *loop, int number, void *values, void *locations);

/** Combine a partial result into a slot. Threads: any, also several on one slot. */
void rts_partials_post(const rts_loop_t *loop, int number, int slot, const void *values,
                       const void *locations);

/**
 * After the loop: combine all slots, those of all processes that the loop is mapped on in the order of processes, and the variable's
 * value before the loop; write the result and mark it written at home. Of processes that run the same iterations one counts. With
 * equal values the location of the first process stays, as that of the first thread does; so where iterations are cut along the
 * outermost dim only, the winner is the same for any number of processes.
 *
 * Collective for a loop with a mapping: called too where the loop is empty and nothing was started.
 * @return RTS_ERR_NO_MEMORY  here alone: the others would wait, so the caller ends the job
 */
rts_status_t rts_partials_finish(const rts_loop_t *loop);

/** Free the slots at the end of the run. */
void rts_partials_reset(void);

#endif
