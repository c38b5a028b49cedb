/* The stream of a GPU, on which everything happens in order, and pinned memory through which pieces of copies pass. Main thread only. */
#ifndef RTS_CUDA_STREAM_H
#define RTS_CUDA_STREAM_H

#include "rts/cuda/cuda_device.h"

/** Bytes of a slot: long enough to hide what starting a copy takes, short enough for several to be under way soon. */
#define RTS_CUDA_SLOT_BYTES ((size_t)8 << 20)

/** The stream and all slots, so that copies need no memory later: values can always be brought home.
 * @return RTS_ERR_NO_MEMORY  what is there is freed by rts_cuda_stream_close */
rts_status_t rts_cuda_stream_open(rts_cuda_device_t *device);

/** Wait, and free. What has failed unnoticed is told on the log. Harmless where nothing was opened. */
void rts_cuda_stream_close(rts_cuda_device_t *device);

/** Until all is done that is queued. @return RTS_ERR_DEVICE  something of it failed */
rts_status_t rts_cuda_stream_wait(rts_cuda_device_t *device);

/** What is queued on `later` from now on begins after what is queued on `earlier` now. */
rts_status_t rts_cuda_stream_order(rts_cuda_device_t *earlier, rts_cuda_device_t *later);

/** From here on the side stream may run beside what is queued. */
rts_status_t rts_cuda_stream_fork(rts_cuda_device_t *device);

/** Go to the side stream, behind the last fork; or come back, and behind what was queued there. */
rts_status_t rts_cuda_stream_aside(rts_cuda_device_t *device, bool goes);

/** The next slot, no longer needed by the device. */
rts_status_t rts_cuda_slot_take(rts_cuda_device_t *device, rts_cuda_slot_t **slot_p);

/** All that needs the slot is queued. */
rts_status_t rts_cuda_slot_queued(rts_cuda_device_t *device, rts_cuda_slot_t *slot);

/** Until the device no longer needs it. */
rts_status_t rts_cuda_slot_wait(const rts_cuda_device_t *device, rts_cuda_slot_t *slot);

#endif
