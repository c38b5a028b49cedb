/* Searches in running sums, which hosts and GPUs make alike. */
#ifndef BFS_FIND_H
#define BFS_FIND_H

#include <stdint.h>

#ifdef __CUDACC__
#define BFS_BOTH DVMHX_DEVICE
#else
#define BFS_BOTH static inline
#endif

/** The last number, of `count` that are `step` apart, that is not above `slot`; the first one never is. */
BFS_BOTH int64_t find_last(const int64_t *numbers, int64_t step, int64_t count, int64_t slot) {
    int64_t low = 0, high = count; /* numbers[step * low] <= slot < numbers[step * high] */

    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (numbers[step * middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/** The last entry of the queue whose edges begin at or before `slot`. */
BFS_BOTH int64_t find_slot(const int64_t *prefix, int64_t count, int64_t slot) {
    return find_last(prefix, 1, count, slot);
}

/** The same among tiles, whose first numbers are edges. */
BFS_BOTH int64_t find_tile(const int64_t *tiles, int64_t count, int64_t edge) {
    return find_last(tiles, 3, count, edge);
}

#endif
