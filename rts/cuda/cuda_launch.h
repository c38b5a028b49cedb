/* Record handlers on a GPU: calling them, many kernels as one graph, and measurements by events. Operations of rts/handler_ops.h. */
#ifndef RTS_CUDA_CUDA_LAUNCH_H
#define RTS_CUDA_CUDA_LAUNCH_H

#include "rts/cuda/cuda_device.h"
#include "rts/handler_ops.h"

/** As rts_handler_ops_t has them. */
rts_status_t rts_cuda_launch(int number, const rts_launch_job_t *job);
void rts_cuda_timer_start(int number);
int64_t rts_cuda_timer_stop(int number);
bool rts_cuda_timer_elapsed(int number, int64_t timer, double *seconds_p);

/** Destroy events and graphs. Harmless where there are none. */
void rts_cuda_launch_close(rts_cuda_device_t *device);

#endif
