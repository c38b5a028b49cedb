/* examples/bfs/device_sweep.cu for a C++ compiler. */
#include "examples/bfs/device_sweep.cu"
