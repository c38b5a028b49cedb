/* The handlers of tests/device/query_handlers.h with kernels that the host plays: see tests/unit/fake_cuda.h, which comes first. */
#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H

#include "tests/check.h"

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef void *cudaStream_t;

static dim3 blockIdx, blockDim, threadIdx;

/** Every thread of every block, one after the other. */
#define LAUNCH(kernel, block_count, threads, stream, ...)                                                    \
    do {                                                                                                     \
        CHECK((stream) == (void *)&fake);                                                                    \
        blockDim = (threads);                                                                                \
        for (blockIdx.x = 0; blockIdx.x < (block_count); blockIdx.x++)                                       \
            for (threadIdx.z = 0; threadIdx.z < blockDim.z; threadIdx.z++)                                   \
                for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++)                               \
                    for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)                           \
                        kernel(__VA_ARGS__);                                                                 \
    } while (0)

#define KERNEL static void
#define BOTH   static

/* Handlers have any parameters; by way of a type that compilers do not warn about. */
#define QUERY_HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

#include <dvmhlib_types.h>

/* Elements before the diagonal `length` of a triangle. */
static DvmType triangle(DvmType length) {
    return length * (length + 1) / 2;
}

/* The table of the interface, line by line: nothing of it is shared with the library. */
static DvmType convert(DvmType x, DvmType y, DvmType rx, DvmType ry, DvmType slash) {
    if (slash)
        y = ry - 1 - y;
    const DvmType d = x + y;
    if (rx == ry)
        return d < rx ? triangle(d) + y : rx * (rx - 1) + x - triangle(2 * rx - d - 2);
    if (rx < ry)
        return d < rx   ? triangle(d) + y
               : d < ry ? triangle(rx) + rx * (d - rx) + (rx - 1 - x)
                        : rx * ry - ry + y - triangle(rx + ry - d - 2);
    return d < ry   ? triangle(d) + x
           : d < rx ? triangle(ry) + ry * (d - ry) + (ry - 1 - y)
                    : rx * ry - rx + x - triangle(rx + ry - d - 2);
}

#include "tests/device/query_handlers.h"

#endif
