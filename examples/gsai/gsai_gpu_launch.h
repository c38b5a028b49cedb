/* Launching kernels, and the steps that many of the handlers take: pointers from counts. For .cu files alone. */
#ifndef EXAMPLES_GSAI_GSAI_GPU_LAUNCH_H
#define EXAMPLES_GSAI_GSAI_GPU_LAUNCH_H

#include <tuple>

#include "examples/gsai/gsai_gpu.h"
#include "examples/gsai/gsai_gpu_group.h"

/** What kernel<<<blocks, threads, shared_bytes, stream>>>(arguments) does; a failure is heard by the run-time system, which asks after each
 * handler. Nothing is launched without blocks. */
template <typename... Parameters, typename... Arguments>
inline void gsai_launch(void (*kernel)(Parameters...), int64_t blocks, int threads, size_t shared_bytes,
                        void *stream, Arguments... arguments) {
    std::tuple<Parameters...> values{static_cast<Parameters>(arguments)...};
    if (blocks <= 0)
        return;
    std::apply(
        [&](Parameters &...value) {
            void *pointers[] = {const_cast<void *>(static_cast<const void *>(&value))..., nullptr};
            (void)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), pointers,
                                   shared_bytes, static_cast<cudaStream_t>(stream));
        },
        values);
}

/** First element of an array of a loop. */
template <typename T> inline T *gsai_base(const dvmhx_record_t *record, int number) {
    return static_cast<T *>(record->arrays[number].base);
}

/** Blocks for `count` things when a block has so many of them. */
inline int64_t gsai_blocks(int64_t count, int64_t of_a_block) {
    return (count + of_a_block - 1) / of_a_block;
}

/** Multiprocessors of the current GPU. */
int gsai_gpu_processors(void);

/** Zero the array of facts. */
void gsai_gpu_clear_facts(int64_t *facts, void *stream);

/** start[first] = 0, start[k + 1] = start[k] + count[k] for first <= k < end; facts[GSAI_FACT_TOTAL] is the last one where facts are wanted.
 * sums: scratch of an element for each GSAI_SCAN_TILE counts, and one more. */
void gsai_gpu_scan(const int32_t *count, int32_t first, int32_t end, int64_t *start, int64_t *sums,
                   int64_t *facts, void *stream);

/** Handlers of the other files. */
#define GSAI_DECLARE(name) void gsai_gpu_##name(const dvmhx_record_t *record, void *context)
extern "C" {
GSAI_DECLARE(check);
GSAI_DECLARE(sort);
GSAI_DECLARE(transpose);
GSAI_DECLARE(compare);
GSAI_DECLARE(scale);
GSAI_DECLARE(threshold);
GSAI_DECLARE(bound);
GSAI_DECLARE(unite_count);
GSAI_DECLARE(unite);
GSAI_DECLARE(classify);
GSAI_DECLARE(solve);
GSAI_DECLARE(keep_count);
GSAI_DECLARE(keep);
GSAI_DECLARE(product);
GSAI_DECLARE(combine);
GSAI_DECLARE(dot);
}

#endif
