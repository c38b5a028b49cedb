/* rts/cuda/cuda_reorganise_in_place.cu for a C++ compiler. */
#include "rts/cuda/cuda_reorganise_in_place.cu"
