/* rts/cuda/cuda_handler_items.cu for a C++ compiler. */
#include "rts/cuda/cuda_handler_items.cu"
