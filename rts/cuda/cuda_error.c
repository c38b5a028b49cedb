/* Messages of failed CUDA calls; see the header. */
#include <config.h>

#include "rts/cuda/cuda_error.h"

static bool broken;

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
    if (gpu < 0)
        return rts_fail(status, "CUDA: %s failed: %s", what, cudaGetErrorString(error));
    return rts_fail(status, "CUDA device %d: %s failed: %s", gpu, what, cudaGetErrorString(error));
}
