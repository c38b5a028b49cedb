/* examples/gsai/gsai_gpu.cu for a C++ compiler. */
#include "examples/gsai/gsai_gpu.cu"
