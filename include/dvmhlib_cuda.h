/* What handlers of Fortran for CUDA include. */
#ifndef DVMHLIB_CUDA_H
#define DVMHLIB_CUDA_H

#include <dvmhlib.h>

#ifdef __CUDACC__
#include <dvmhlib_device.h>
#endif

#endif
