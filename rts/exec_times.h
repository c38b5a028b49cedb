/* Times of what was queued on devices: loops and reorganisations, measured there, heard later, and handed to the planner and to the
 * statistics. Nothing waits for them, and nothing but speed depends on them. Part of exec; main thread only. */
#ifndef RTS_EXEC_TIMES_H
#define RTS_EXEC_TIMES_H

#include "rts/handler_ops.h"

/** Begin to measure what is queued on a device from now on. */
void rts_times_start(int device);

/** End: a part of the loop that runs now. */
void rts_times_stop_launch(int device);

/** End: a reorganisation. @param bytes  of arrays that it moved; 0: forget the measurement */
void rts_times_stop_reorganised(int device, size_t bytes);

/** All parts of the loop are queued. @param ticket  of the planner for their sum; 0: for the statistics alone */
void rts_times_close_loop(int64_t ticket);

/** Hear what is known by now. */
void rts_times_hear(void);

/** Wait for the devices concerned, and hear all: before times are told. @return RTS_ERR_DEVICE  what was queued has failed */
rts_status_t rts_times_settle(void);

/** Forget all, at the end of the run. */
void rts_times_reset(void);

#endif
