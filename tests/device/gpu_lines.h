/* Tests of what launches of dvmhx_run_cuda.h decide on the host from a record alone: where rows of blocks begin, and whether arrays lie apart. */
#ifndef GPU_LINES_H
#define GPU_LINES_H

#include "tests/check.h"
#include "tests/device/gpu_loops.h"

/** Warps along x begin where lines of memory begin, where rows keep to lines: the smallest number of points before the first for which it is so. */
static inline void test_shift(void) {
    const DvmType bytes = check_random_once_in(2) ? 8 : 4, width = check_random_range(480, 520);
    const DvmType stride[] = {width * 7, width, 1}, way = check_random_once_in(2) ? 1 : -1;
    const DvmType start[] = {0, 0, check_random_range(-40, 40)}, step[] = {1, 1, way};
    const DvmType count[] = {5, 5, check_random_range(1, 400)};
    char *const base = (char *)(uintptr_t)(0x100000 + bytes * check_random_range(0, 100));
    const dvmhx_array_t array = {base, stride, 3, bytes, 0, NULL, 0, 0, 0, 0, 0, 0, 0};
    const dvmhx_launch_t launch = {.size = sizeof launch, .dim = {2, 1, 0}};
    const dvmhx_record_t record = {.size = sizeof record,
                                   .rank = 3,
                                   .start = start,
                                   .step = step,
                                   .count = count,
                                   .array_count = 1,
                                   .arrays = &array,
                                   .launch = &launch};
    const int side = (int)check_random_range(1, 64);
    DvmType line = 128, wanted = 0;
    while (line >= 32 && width * bytes % line != 0)
        line /= 2;
    for (bool found = line < 32; !found; wanted += found ? 0 : 1) {
        const uintptr_t first = (uintptr_t)base + (uintptr_t)(bytes * (start[2] - wanted * step[2]));
        found = (step[2] > 0 ? first : first + (uintptr_t)bytes) % (uintptr_t)line == 0;
    }
    const DvmType blocks = (count[2] + side - 1) / side, shifted = (count[2] + wanted + side - 1) / side;
    if (shifted > blocks && blocks < 8)
        wanted = 0;
    if (!CHECK_EQ_INT(gpu_shift(&record, side), wanted))
        fprintf(stderr, "%d bytes, rows of %d, start %d, step %d, count %d, side %d\n", (int)bytes,
                (int)width, (int)start[2], (int)step[2], (int)count[2], side);
}

static inline void test_apart(void) {
    static double memory[3];
    const dvmhx_array_t arrays[] = {{.base = &memory[0]}, {.base = &memory[1]}, {.base = &memory[0]}};
    dvmhx_record_t record = {.size = sizeof record, .array_count = 3, .arrays = arrays};
    CHECK(!gpu_are_apart(&record, 1) && !gpu_are_apart(&record, 4) && !gpu_are_apart(&record, 6));
    CHECK(gpu_are_apart(&record, 2) && gpu_are_apart(&record, 0));
    record.array_count = 2;
    CHECK(gpu_are_apart(&record, 3));
}

#endif
