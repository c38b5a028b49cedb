/* Across arrays that a loop also writes beyond its own elements (the form "out" of the clause). Such a loop is not cut into stages: every
 * process runs its iterations at once. Those that see common elements, owned or in edges, do so one after the other in the order of
 * tiles, and each gives all that it sees of such an array to all of them: to those that run later before they begin, to those that ran
 * before at the end. So whoever runs has all that was written before, and gives the newest values on. Part of the pipeline. */
#ifndef RTS_PIPELINE_OUT_H
#define RTS_PIPELINE_OUT_H

#include "rts/pipeline_inside.h"

/** Whether the loop has such arrays. */
bool rts_out_is_needed(const rts_neighbourhood_t *around);

/** Before the iterations: take the values of those that run before. */
rts_status_t rts_out_begin(const rts_neighbourhood_t *around, const rts_exec_data_t *data);

/** After them: give the values here, take those of processes that run later. Also where there are no iterations. */
rts_status_t rts_out_end(const rts_neighbourhood_t *around, const rts_exec_data_t *data);

#endif
