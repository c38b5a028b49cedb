/* examples/gsai/gsai_gpu_matrix.cu for a C++ compiler. */
#include "examples/gsai/gsai_gpu_matrix.cu"
