/* Times of what was queued on devices: loops and reorganisations, measured there, heard later, and handed to the planner and to the
 * statistics. Measuring keeps kernels apart and takes the host's time, so of loops that the planner knows well, and of reorganisations,
 * only some are measured; each of these stands for the others like it, in the statistics too. Nothing waits for times but rts_times_wait,
 * while the planner still tries plans, and nothing but speed depends on them. Part of exec; main thread only. */
#ifndef RTS_EXEC_TIMES_H
#define RTS_EXEC_TIMES_H

#include "rts/handler_ops.h"
#include "rts/planner.h"

/** A loop is about to be queued on a device by a plan: whether it is measured is decided now. */
void rts_times_open_loop(const rts_plan_t *plan, int device);

/** Whether the loop that runs now is measured. If not, no event comes between what it queues and what is queued before and after. */
bool rts_times_measures(void);

/** The loop is not measured after all: it will run together with others. Before its first launch. */
void rts_times_forgo(void);

/** Begin to measure what the loop queues on a device from now on; nothing when it is not measured. */
void rts_times_start(int device);

/** End: a part of the loop that runs now. */
void rts_times_stop_launch(int device);

/** All parts of the loop are queued: its execution begins, as far as the planner is concerned. */
void rts_times_close_loop(const rts_plan_t *plan);

/** A reorganisation is about to be queued. Not between the parts of a loop. */
void rts_times_start_reorganising(int device);

/** End of it.
 * @param bytes    of arrays that it moved
 * @param is_pure  nothing else was queued since the start, so that the time is that of the reorganisation */
void rts_times_stop_reorganised(int device, size_t bytes, bool is_pure);

/** Hear what is known by now. */
void rts_times_hear(void);

/** Wait until the time of a ticket of the planner has been heard. @return RTS_ERR_DEVICE  what was queued has failed */
rts_status_t rts_times_wait(int64_t ticket);

/** Wait for all devices that loops were queued on, measured or not, hear all, and estimate what was not measured: before times are told.
 * @return RTS_ERR_DEVICE  what was queued has failed */
rts_status_t rts_times_settle(void);

/** Forget all, at the end of the run. */
void rts_times_reset(void);

#endif
