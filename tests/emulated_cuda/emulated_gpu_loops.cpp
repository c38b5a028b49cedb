/* tests/device/gpu_loops.cu for a C++ compiler. */
#include "tests/device/gpu_loops.cu"
