/* Memory of a GPU: a pool of its own, from which blocks are taken and to which they are given back in the order of the device's stream.
 * Does not decide what happens when there is none: coherence does. Main thread only. */
#ifndef RTS_CUDA_MEMORY_H
#define RTS_CUDA_MEMORY_H

#include "rts/cuda/cuda_device.h"

/** @param keeps  whether what is free stays with this process, for its next allocations, or goes back to the GPU */
rts_status_t rts_cuda_pool_open(rts_cuda_device_t *device, bool keeps);

/** Give all back. Harmless where nothing was opened. */
void rts_cuda_pool_close(rts_cuda_device_t *device);

/** Let another GPU reach this one's blocks. @return false when it cannot */
bool rts_cuda_pool_share(rts_cuda_device_t *device, int gpu);

/** A block, aligned to 256 bytes; usable by what is queued on the device's stream from now on.
 * @return RTS_ERR_NO_MEMORY  the GPU is full, or the limit reached; nothing changed */
rts_status_t rts_cuda_allocate(rts_cuda_device_t *device, size_t bytes, void **memory_p);

/** Give a block back once all is done that is queued now. */
void rts_cuda_release(rts_cuda_device_t *device, void *memory);

#endif
