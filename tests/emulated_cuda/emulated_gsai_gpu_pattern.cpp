/* examples/gsai/gsai_gpu_pattern.cu for a C++ compiler. */
#include "examples/gsai/gsai_gpu_pattern.cu"
