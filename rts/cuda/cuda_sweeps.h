/* Sweeps of a loop that are held back while a GPU has other work, so that they run as one kernel: rts_launch_job_t with `sweeps`. Decides
 * when they are started: at once where the GPU is idle, when there is no room for more, and before anything else is asked of the
 * device; not which sweeps may follow each other. Main thread only. */
#ifndef RTS_CUDA_CUDA_SWEEPS_H
#define RTS_CUDA_CUDA_SWEEPS_H

#include "rts/cuda/cuda_device.h"
#include "rts/handler_ops.h"

/** Launch a job with `sweeps`, now or later. @return RTS_ERR_DEVICE  a launch failed, or something queued before */
rts_status_t rts_cuda_sweeps_launch(int number, const rts_launch_job_t *job);

/** Start what is held back on an open device. Changes the current device.
 * @return RTS_ERR_DEVICE  the launch failed, now or some time before: results of the device are wrong */
rts_status_t rts_cuda_sweeps_start(rts_cuda_device_t *device);

/** What CUDA and the modules of the program say of the launch that a handler has just been called for.
 * @return RTS_ERR_DEVICE  it failed */
rts_status_t rts_cuda_launched(const rts_cuda_device_t *device);

/** Free memory. Nothing is held back. */
void rts_cuda_sweeps_close(rts_cuda_device_t *device);

#endif
