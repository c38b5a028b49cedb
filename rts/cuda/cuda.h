/* The CUDA backend: devices, their memory, and copies. */
#ifndef RTS_CUDA_CUDA_H
#define RTS_CUDA_CUDA_H

#include "rts/backend.h"

/** Its operations, for the backend table and for white-box tests. Copies into a device's memory, and inside it, are queued on the device
 * in order; a copy returns when host memory that it touches may be read and written again. */
extern const rts_backend_ops_t rts_cuda_ops;

/** As rts_device_wish: the key of the GPUs that this process sees, and which of them are near. Both 0 where there are none. */
void rts_cuda_wish(uint64_t *key_p, uint64_t *near_p);

#endif
