/* Copies between layouts in memory that a CUDA device reaches: what rts/cuda/cuda_reorganise* provide to the backend. Plain C. Which kernel
 * copies is decided in cuda_reorganise_plan.c; when a copy is waited for, by the backend. */
#ifndef RTS_CUDA_COPY_H
#define RTS_CUDA_COPY_H

#include "rts/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy a box between two layouts, in one pass.
 *
 * Any layouts, any box inside both, any element size. Nothing outside the box is written.
 *
 * @param cuda_device  number as CUDA counts (cudaSetDevice); is the calling thread's current device afterwards
 * @param stream       a cudaStream_t of that device, or NULL: the default stream
 * @param job          source_device and target_device are not looked at: both buffers are in memory that the device reaches (its
 *                     own, a peer's with access enabled, or mapped host memory), hold whole layouts and do not overlap
 * Memory: none on the device; plans are remembered on the host, a bounded number, where there is memory for them. Asynchronous: queued on the stream; the first few large
 * copies of a shape are also timed by events on it. Threads: one caller at a time. MPI: local.
 * @return RTS_OK
 * @return RTS_ERR_DEVICE, RTS_ERR_NO_MEMORY  CUDA failed; the target's box is undefined
 */
rts_status_t rts_cuda_copy_box(int cuda_device, void *stream, const rts_copy_job_t *job);

/**
 * Reorganise a buffer in itself: square planes by exchanging tiles, PLAIN from and to WRAP by rotating columns.
 *
 * Why: where there is no memory for a second buffer. Otherwise a copy is as fast or faster.
 *
 * @param cuda_device, stream  as rts_cuda_copy_box
 * @param from, to             layouts of one box
 * Asynchronous, threads, MPI: as rts_cuda_copy_box.
 * @return RTS_OK
 * @return RTS_ERR_UNSUPPORTED  not for this pair of layouts; nothing changed
 * @return RTS_ERR_DEVICE, RTS_ERR_NO_MEMORY  CUDA failed; the buffer is undefined
 */
rts_status_t rts_cuda_reorganise_in_place(int cuda_device, void *stream, size_t element_bytes, void *buffer,
                                          const rts_layout_t *from, const rts_layout_t *to);

/** Forget all plans and what was measured, and destroy the events. Called when the backend closes, before the devices are reset. */
void rts_cuda_copy_release(void);

#ifdef __cplusplus
}
#endif

#endif
