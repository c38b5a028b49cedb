/* tests/device/query_handlers.cu for a C++ compiler. */
#include "tests/device/query_handlers.cu"
