/* examples/gsai/gsai_gpu_keep.cu for a C++ compiler. */
#include "examples/gsai/gsai_gpu_keep.cu"
