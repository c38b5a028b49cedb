/* Combining partial results on a GPU: which items go together, in which order, and the kernels' calls. The arithmetic is shared with the
 * host, so that the order can be tested there. */
#ifndef RTS_CUDA_CUDA_HANDLER_ITEMS_H
#define RTS_CUDA_CUDA_HANDLER_ITEMS_H

#include "rts/items.h"

#ifdef __CUDACC__
#define RTS_ITEMS_INLINE static inline __host__ __device__
#else
#define RTS_ITEMS_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of the block that combines one part of the items. A power of two. */
#define RTS_ITEM_THREADS 256

/**
 * The order. Items are cut into RTS_ITEM_PARTS parts of neighbours. Thread t of a part combines, in this order, items t, t +
 * RTS_ITEM_THREADS, .. of it. Then, with half = RTS_ITEM_THREADS / 2, / 4, .. 1, thread t < half combines its value with that of
 * t + half, where that has one. Locations belong to items, and of equal values that of the lowest item wins, whatever the order.
 */
RTS_ITEMS_INLINE int64_t rts_item_part_begin(int64_t item_count, int part) {
    const int64_t each = item_count / RTS_ITEM_PARTS, rest = item_count % RTS_ITEM_PARTS;
    return each * part + (part < rest ? part : rest);
}

/**
 * Queue the combination of the items of a job, more than RTS_ITEM_PARTS of them.
 *
 * @param stream           a cudaStream_t
 * @param parts, location  device memory: RTS_ITEM_PARTS values for each element; as many locations, or NULL
 * @return a cudaError_t of the launch
 */
int rts_cuda_items_combine(const rts_items_job_t *job, void *parts, void *locations, void *stream);

/** Queue storing each of count values repeat times; all device memory. @return a cudaError_t of the launch */
int rts_cuda_items_fill(void *target, const void *values, size_t value_bytes, int64_t value_count,
                        int64_t repeat, void *stream);

#ifdef __cplusplus
}
#endif

#endif
