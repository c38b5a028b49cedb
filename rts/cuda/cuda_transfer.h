/* Copies of boxes between host memory and a GPU, and between two GPUs, whatever the layouts. Main thread only. */
#ifndef RTS_CUDA_TRANSFER_H
#define RTS_CUDA_TRANSFER_H

#include "rts/cuda/cuda_device.h"

/**
 * Copy a box from host memory, pageable or not, to a GPU.
 *
 * Returns when the host's memory has been read. The copy itself is queued on the device's stream.
 * @param job  not empty; the source is host memory, the target the device's
 * @return RTS_ERR_NO_MEMORY  where the host's layout is no plain one: no pinned memory for the host's buffer; nothing changed
 */
rts_status_t rts_cuda_to_device(rts_cuda_device_t *device, const rts_copy_job_t *job);

/** Copy a box from a GPU to host memory; waits until it is there, and with it for all that is queued before. */
rts_status_t rts_cuda_to_host(rts_cuda_device_t *device, const rts_copy_job_t *job);

/** Copy a box between two GPUs: queued on both; nothing is waited for but the staging between GPUs that do not reach each other. */
rts_status_t rts_cuda_between(rts_cuda_device_t *source, rts_cuda_device_t *target,
                              const rts_copy_job_t *job);

#endif
