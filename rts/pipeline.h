/* Loops with across clauses over several processes: which values of other processes an iteration needs, and when. Every process runs
 * its iterations tile by tile (rts/pipeline_cut.h): before a tile it receives what earlier tiles of others have written of its edges, after
 * it sends what others have in theirs. What is read as it was before the loop is exchanged while the first tiles run, and iterations that
 * read it wait for it: a process need not wait until its successors have ended the sweep before. So results are those of the sequential
 * loop. Part of exec; does not decide how a tile runs. */
#ifndef RTS_PIPELINE_H
#define RTS_PIPELINE_H

#include "rts/exec_data.h"
#include "rts/pipeline_cut.h"

/** Run some of the local iterations. */
typedef rts_status_t (*rts_launch_fn_t)(const rts_cut_tile_t *tile);

/**
 * Cut a prepared loop, before a plan is made for its pieces (loop->piece). Collective when the loop needs it.
 *
 * The number of stages is what the program says; else from the time that the loop took: guessed for the first two executions, then agreed
 * on by all processes once, for all loops with the same handler, position and powers of two of the counts.
 * @param needed_p  whether rts_pipeline_run has to run the loop: it has across arrays that are spread over several processes
 * @return RTS_ERR_INVALID      across widths beyond the shadow edges; dependences along a distributed axis without an across clause
 * @return RTS_ERR_UNSUPPORTED  more dependences than can be remembered, or rts_cut_make refuses
 */
rts_status_t rts_pipeline_prepare(rts_loop_t *loop, bool *needed_p);

/**
 * Exchange old values, and run all tiles with their messages. Called by all processes; `launch` for those with iterations.
 * Returns when all that was sent has left and all that a tile here needed has come. Edges that no tile needs are not renewed.
 * @param launched_ns  nanoseconds of launches, which `launch` counts up
 */
rts_status_t rts_pipeline_run(const rts_loop_t *loop, const rts_exec_data_t *data, rts_launch_fn_t launch,
                              const int64_t *launched_ns);

/** Free all at the end of the run. */
void rts_pipeline_reset(void);

#endif
