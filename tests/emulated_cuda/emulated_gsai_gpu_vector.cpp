/* examples/gsai/gsai_gpu_vector.cu for a C++ compiler. */
#include "examples/gsai/gsai_gpu_vector.cu"
