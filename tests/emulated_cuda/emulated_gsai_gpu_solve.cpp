/* examples/gsai/gsai_gpu_solve.cu for a C++ compiler. */
#include "examples/gsai/gsai_gpu_solve.cu"
