/* Kernels that try the emulated GPU itself, and their launches. */
#ifndef EMULATOR_KERNELS_H
#define EMULATOR_KERNELS_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** reversed[i] = the value of the thread opposite in the block, through shared memory with a barrier between. */
cudaError_t launch_reverse(int blocks, int threads, const int *values, int *reversed, cudaStream_t stream);
/** Per warp: sums by shuffles, ballots, and the lanes' neighbours. */
cudaError_t launch_warps(int threads, int *sums, unsigned *ballots, int *neighbours);
/** Blocks in a chain: each waits for the one before, adds its number, and lets the next one go. */
cudaError_t launch_chain(int blocks, int threads, int *turn, int *order, int spin);
/** Every block waits for the one after it: runs only where all are resident. */
cudaError_t launch_backwards(int blocks, int *turn);
/** The same as a cooperative launch. */
cudaError_t launch_cooperative(int blocks, int *turn);
/** counters[0] += 1 by atomics, counters[1] by a load, a step aside, and a store. */
cudaError_t launch_count(int blocks, int threads, int *counters);
/** values[i] += add, in any order. */
cudaError_t launch_add(int *values, int count, int add, cudaStream_t stream);
/** sums[block] = of its threads' values, through shared memory of run-time size. */
cudaError_t launch_sum(int blocks, int threads, size_t shared_bytes, const int *values, int *sums);
/** What is wrong: a barrier that some threads do not reach, or another one; shuffles; a store outside; and others. */
cudaError_t launch_wrong(int what, int threads, int *values);

#ifdef __cplusplus
}
#endif

enum {
    WRONG_BARRIER_ENDED,
    WRONG_BARRIER_OTHER,
    WRONG_SHUFFLE_MISSING,
    WRONG_SHUFFLE_SOURCE,
    WRONG_SHUFFLE_MASK,
    WRONG_STORE_BEHIND,
    WRONG_STORE_NEAR,
    WRONG_SHARED,
    WRONG_STACK,
    WRONG_TRAP,
    WRONG_COPY
};

#endif
