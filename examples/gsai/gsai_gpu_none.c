/* The table of handlers where there is no compiler for GPUs. */
#include "examples/gsai/gsai_gpu.h"

#include <stddef.h>

const gsai_gpu_t *gsai_gpu(void) {
    return NULL;
}
