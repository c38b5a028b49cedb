/* The one way in which failures of CUDA become ours: every call goes through RTS_CUDA_TRY. A message says what failed, on which device, in
 * CUDA's words. Does not decide what happens then: callers pass the status on. */
#ifndef RTS_CUDA_ERROR_H
#define RTS_CUDA_ERROR_H

#include <cuda_runtime_api.h>

#include "rts/status.h"

/**
 * Record the message of a CUDA call that failed.
 *
 * CUDA's own record of the error is cleared, so that the next call starts clean where the device still works. It does not after a fault
 * in a kernel: rts_cuda_is_broken then, and every later failure of the process is a consequence of the first one.
 * @param gpu   CUDA's number of the device; -1: none in particular
 * @param what  what was done, as in "a copy to the device"
 * @return RTS_ERR_NO_MEMORY  the device or CUDA had no memory; the device still works
 * @return RTS_ERR_DEVICE     everything else
 */
rts_status_t rts_cuda_fail(cudaError_t error, int gpu, const char *what);

/** The loop that is launched now: faults of its kernels are heard later, with the line of something else. Until the next one. */
void rts_cuda_note_loop(rts_position_t position);

/** Whether some device of this process has stopped working: all that is left is to end. */
bool rts_cuda_is_broken(void);

/** Pass on the failure of a CUDA call. */
#define RTS_CUDA_TRY(call, gpu, what)                                                                        \
    do {                                                                                                     \
        const cudaError_t rts_cuda_error = (call);                                                           \
        if (rts_cuda_error != cudaSuccess)                                                                   \
            return rts_cuda_fail(rts_cuda_error, gpu, what);                                                 \
    } while (0)

#endif
