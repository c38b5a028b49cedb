/* rts/cuda/cuda_reorganise_kernels.cu for a C++ compiler. */
#include "rts/cuda/cuda_reorganise_kernels.cu"
