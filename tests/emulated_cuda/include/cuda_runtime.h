/* The words of CUDA C++ for a C++ compiler: see cuda_runtime_api.h for what is emulated. A file of kernels is compiled as C++17 with
 * __CUDACC__ defined and this header included first, as nvcc does. Kernels are launched by cudaLaunchKernel(kernel, ..) with the kernel itself,
 * not by <<< >>>. Shared memory is `__shared__` as usual; that of run-time size is emulated_shared_memory(). */
#ifndef EMULATED_CUDA_RUNTIME_H
#define EMULATED_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static thread_local
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))
#define __align__(n)    alignas(n)

#include "emulated_vectors.h"
#include "emulated_words.h"

/* ---- launches ---- */

template <typename... Parameters> struct emulated_kernel_of {
    static constexpr size_t bytes[sizeof...(Parameters) + 1] = {sizeof(Parameters)..., 0};
    static_assert((std::is_trivially_copyable<std::remove_cv_t<Parameters>>::value && ...),
                  "parameters of kernels are copied byte by byte");

    template <size_t... number>
    static void call_with(const void *function, void **parameters, std::index_sequence<number...>) {
        (void)parameters;
        reinterpret_cast<void (*)(Parameters...)>(const_cast<void *>(function))(
            *static_cast<std::remove_cv_t<Parameters> *>(parameters[number])...);
    }
    static void call(const void *function, void **parameters) {
        call_with(function, parameters, std::index_sequence_for<Parameters...>());
    }
    static emulated_kernel_t describe(void (*kernel)(Parameters...)) {
        return {reinterpret_cast<const void *>(kernel), call, (int)sizeof...(Parameters), bytes};
    }
};

template <typename... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                    void **parameters, size_t shared_bytes = 0, cudaStream_t stream = 0) {
    const emulated_kernel_t described = emulated_kernel_of<Parameters...>::describe(kernel);
    return emulated_launch(&described, blocks, threads, parameters, shared_bytes, stream, 0);
}
template <typename... Parameters>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                               void **parameters, size_t shared_bytes = 0,
                                               cudaStream_t stream = 0) {
    const emulated_kernel_t described = emulated_kernel_of<Parameters...>::describe(kernel);
    return emulated_launch(&described, blocks, threads, parameters, shared_bytes, stream, 1);
}

/* ---- the interface with types, as CUDA has it for C++ ---- */

template <typename... Parameters>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), enum cudaFuncAttribute attribute,
                                        int value) {
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
template <typename... Parameters>
inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                         void (*kernel)(Parameters...)) {
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}
template <typename... Parameters>
inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(Parameters...), enum cudaFuncCache config) {
    return cudaFuncSetCacheConfig(reinterpret_cast<const void *>(kernel), config);
}
template <typename... Parameters>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(Parameters...),
                                                                 int threads, size_t shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(kernel),
                                                         threads, shared_bytes);
}
template <typename T> inline cudaError_t cudaMalloc(T **memory, size_t bytes) {
    return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <typename T> inline cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <typename T>
inline cudaError_t cudaMallocFromPoolAsync(T **memory, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(memory), bytes, pool, stream);
}
template <typename T> inline cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned flags) {
    return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
template <typename T> inline cudaError_t cudaMallocHost(T **memory, size_t bytes) {
    return cudaMallocHost(reinterpret_cast<void **>(memory), bytes);
}

#endif

#endif
