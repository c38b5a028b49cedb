/* Launching a kernel, and what kernels say in assembler or by extern arrays, in forms that nvcc takes and a C++ compiler that emulates a GPU
 * (tests/emulated_cuda). For .cu files alone. */
#ifndef RTS_CUDA_CUDA_KERNEL_H
#define RTS_CUDA_CUDA_KERNEL_H

#include <cuda_runtime.h>
#include <tuple>

/**
 * What kernel<<<blocks, threads, shared_bytes, stream>>>(arguments) does. Arguments become the kernel's parameters as in a call of a function.
 *
 * @return as cudaGetLastError, which tells it again
 */
template <typename... Parameters, typename... Arguments>
inline cudaError_t rts_launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, size_t shared_bytes,
                              cudaStream_t stream, Arguments &&...arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "an argument for each parameter");
    std::tuple<Parameters...> values{static_cast<Parameters>(arguments)...};
    return std::apply(
        [&](Parameters &...value) {
            void *pointers[] = {const_cast<void *>(static_cast<const void *>(&value))..., nullptr};
            return cudaLaunchKernel(kernel, blocks, threads, pointers, shared_bytes, stream);
        },
        values);
}

/** In a kernel: a pointer to the shared memory whose size the launch says, aligned to 16 bytes. */
#ifdef EMULATED_CUDA
#define RTS_SHARED_MEMORY(name)                                                                              \
    unsigned char *const name = static_cast<unsigned char *>(emulated_shared_memory())
#else
#define RTS_SHARED_MEMORY(name) extern __shared__ __align__(16) unsigned char name[]
#endif

/** Bring a word of at least 4 bytes to shared memory without waiting for it: see rts_wait_for_loads. */
template <typename Word> __device__ __forceinline__ void rts_load_async(Word *stage, const Word *from) {
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8 || sizeof(Word) == 16, "what the hardware copies");
#ifdef EMULATED_CUDA
    emulated_copy_async(stage, from, sizeof(Word));
#else
    const unsigned place = (unsigned)__cvta_generic_to_shared(stage);
    if constexpr (sizeof(Word) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(sizeof(Word))
                     : "memory");
#endif
}

/** Until the words that this thread has brought are there, for itself; for others after a barrier. */
__device__ __forceinline__ void rts_wait_for_loads() {
#ifdef EMULATED_CUDA
    emulated_wait_copies();
#else
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif
