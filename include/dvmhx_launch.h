/* Modules of a program that launch kernels. Each may be linked with a copy of its own of CUDA's run-time library, which alone knows of
 * launches that failed, so each tells the runtime how to ask. A file compiled by nvcc does it by including this header, as
 * dvmhlib2.h does; nobody else needs it. Provisional. */
#ifndef DVMHX_LAUNCH_H
#define DVMHX_LAUNCH_H

#include <dvmhlib_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to ask a module. */
typedef struct dvmhx_launcher {
    DvmType size;                    /* of this struct in bytes */
    const char *(*take_error)(void); /* what failed since the last call, in CUDA's words; NULL: nothing */
    void (*use_device)(int device);  /* launches of the calling thread go to this one, CUDA's number */
} dvmhx_launcher_t;

/** Tell of a module. At any time, also before dvmh_init_C; again is harmless. Local. */
void dvmhx_launcher_C(const dvmhx_launcher_t *launcher);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

inline const char *dvmhx_take_error() {
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? 0 : cudaGetErrorString(error);
}

inline void dvmhx_use_device(int device) {
    (void)cudaSetDevice(device);
}

namespace {
struct dvmhx_module_launcher {
    dvmhx_module_launcher() {
        const dvmhx_launcher_t launcher = {(DvmType)sizeof(dvmhx_launcher_t), dvmhx_take_error,
                                           dvmhx_use_device};
        dvmhx_launcher_C(&launcher);
    }
} dvmhx_this_module;
} // namespace

#endif

#endif
