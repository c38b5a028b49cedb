/* examples/bfs/device_search.cu for a C++ compiler. */
#include "examples/bfs/device_search.cu"
