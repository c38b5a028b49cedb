/* Blocks of a GPU, played by threads of the host, for tests of code that is written for CUDA: the words of the language, barriers, and
 * shuffles within a warp, which is what one block is here. Kernels run with run_block(). To be included before the code. */
#ifndef BLOCK_THREADS_H
#define BLOCK_THREADS_H

#include <math.h>
#include <pthread.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#define __CUDACC__
#define __global__
#define __device__
#define __host__
#define __shared__      static
#define __forceinline__ inline
#define __launch_bounds__(threads)

struct place_t {
    unsigned x, y, z;
};
static thread_local place_t threadIdx;
/* one block runs at a time */
__attribute__((unused)) static place_t blockIdx, blockDim, gridDim;

static pthread_barrier_t block_barrier;
static unsigned lane_word[32];

static inline void __syncthreads() {
    pthread_barrier_wait(&block_barrier);
}

/* All threads of the warp are here together. */
static inline unsigned exchange_words(unsigned word, unsigned lane) {
    lane_word[threadIdx.x] = word;
    __syncthreads();
    const unsigned other = lane < 32 ? lane_word[lane] : word;
    __syncthreads();
    return other;
}
static inline unsigned __shfl_down_sync(unsigned, unsigned word, unsigned delta) {
    return exchange_words(word, threadIdx.x + delta);
}
static inline unsigned __shfl_sync(unsigned, unsigned word, int lane) {
    return exchange_words(word, (unsigned)lane);
}

/* What CUDA has for all types. */
template <typename T> static T atomicCAS(T *place, T expected, T replaced) {
    return __sync_val_compare_and_swap(place, expected, replaced);
}
template <typename A, typename B> static auto max(A a, B b) -> decltype(a + b) {
    return a > b ? a : b;
}
template <typename A, typename B> static auto min(A a, B b) -> decltype(a + b) {
    return a < b ? a : b;
}

static inline void run_block(unsigned count, const std::function<void()> &kernel) {
    std::vector<std::thread> threads;
    blockDim = {count, 1, 1};
    pthread_barrier_init(&block_barrier, nullptr, count);
    for (unsigned i = 0; i < count; i++)
        threads.emplace_back([i, &kernel] {
            threadIdx = {i, 0, 0};
            kernel();
        });
    for (std::thread &thread : threads)
        thread.join();
    pthread_barrier_destroy(&block_barrier);
}

#endif
