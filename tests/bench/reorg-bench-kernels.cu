/* Kernels of reorg-bench: the copy that everything is compared with, and what checks results. */
#include "tests/bench/reorg-bench-cuda.h"

#include "rts/cuda/cuda_kernel.h"

#include <stdint.h>

#define THREADS 256

template <int words>
__global__ void copy_words(const uint4 *__restrict__ from, uint4 *__restrict__ to, size_t count) {
    const size_t first = (size_t)blockIdx.x * THREADS * words + threadIdx.x;
    uint4 word[words];
#pragma unroll
    for (int i = 0; i < words; i++)
        if (first + i * THREADS < count)
            word[i] = from[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < words; i++)
        if (first + i * THREADS < count)
            to[first + i * THREADS] = word[i];
}

__global__ void fill(uint32_t *to, size_t count) {
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS)
        to[i] = (uint32_t)i * 2654435761u ^ (uint32_t)(i >> 32);
}

__global__ void compare(const uint32_t *a, const uint32_t *b, size_t count, unsigned long long *different) {
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS)
        if (a[i] != b[i])
            atomicAdd(different, 1ull);
}

template <int words> static cudaError_t launch_copy(const void *from, void *to, size_t count) {
    const size_t blocks = (count + (size_t)THREADS * words - 1) / ((size_t)THREADS * words);
    return rts_launch(copy_words<words>, (unsigned)blocks, THREADS, 0, 0, (const uint4 *)from, (uint4 *)to,
                      count);
}

int bench_copy_kernel(int variant, const void *from, void *to, size_t bytes) {
    return variant == 0 ? launch_copy<1>(from, to, bytes / 16) : launch_copy<4>(from, to, bytes / 16);
}

int bench_fill_kernel(void *to, size_t bytes) {
    return rts_launch(fill, 1024, THREADS, 0, 0, (uint32_t *)to, bytes / 4);
}

int bench_compare_kernel(const void *a, const void *b, size_t bytes, unsigned long long *count_p) {
    unsigned long long *different;
    cudaError_t error = cudaMalloc(&different, sizeof(*different));
    if (error != cudaSuccess)
        return error;
    error = cudaMemset(different, 0, sizeof(*different));
    if (error == cudaSuccess)
        error = rts_launch(compare, 1024, THREADS, 0, 0, (const uint32_t *)a, (const uint32_t *)b, bytes / 4,
                           different);
    if (error == cudaSuccess)
        error = cudaMemcpy(count_p, different, sizeof(*different), cudaMemcpyDeviceToHost);
    const cudaError_t freed = cudaFree(different);
    return error != cudaSuccess ? error : freed;
}
