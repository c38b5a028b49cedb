/* Messages of failed CUDA calls; see the header. */
#include <config.h>

#include "rts/cuda/cuda_error.h"

static bool broken;
static rts_position_t last_loop;

void rts_cuda_note_loop(rts_position_t position) {
    last_loop = position;
}

bool rts_cuda_is_broken(void) {
    return broken;
}

/* After these the context is lost: no call of this process on any of its devices succeeds any more. */
static bool breaks(cudaError_t error) {
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
        return true;
    default:
        return false;
    }
}

rts_status_t rts_cuda_fail(cudaError_t error, int gpu, const char *what) {
    const rts_status_t status = error == cudaErrorMemoryAllocation ? RTS_ERR_NO_MEMORY : RTS_ERR_DEVICE;
    broken = broken || breaks(error);
    (void)cudaGetLastError();
    if (gpu >= 0 && breaks(error) && last_loop.line > 0)
        return rts_fail(status, "CUDA device %d: %s failed: %s; in the loop of %s:%d or one before it", gpu,
                        what, cudaGetErrorString(error), last_loop.file != NULL ? last_loop.file : "?",
                        last_loop.line);
    if (gpu < 0)
        return rts_fail(status, "CUDA: %s failed: %s", what, cudaGetErrorString(error));
    return rts_fail(status, "CUDA device %d: %s failed: %s", gpu, what, cudaGetErrorString(error));
}
