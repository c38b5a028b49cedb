/* examples/bfs/device_levels.cu for a C++ compiler. */
#include "examples/bfs/device_levels.cu"
