/* Kernels for test_emulator: see the header. */
#include "tests/emulated_cuda/emulator_kernels.h"

#include "rts/cuda/cuda_kernel.h"

namespace {

__global__ void reverse(const int *values, int *reversed) {
    __shared__ int stage[1024];
    const int first = blockIdx.x * blockDim.x;
    stage[threadIdx.x] = values[first + threadIdx.x];
    __syncthreads();
    reversed[first + threadIdx.x] = stage[blockDim.x - 1 - threadIdx.x];
}

__global__ void warps(int *sums, unsigned *ballots, int *neighbours) {
    const unsigned thread = threadIdx.x, all = 0xffffffffu;
    int sum = (int)thread;
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_xor_sync(all, sum, half);
    if (thread % 32 == 0)
        sums[thread / 32] = sum;
    const unsigned ballot = __ballot_sync(all, thread % 3 == 0);
    if (thread % 32 == 5)
        ballots[thread / 32] = ballot;
    if (thread % 2 == 0) /* half of a warp among itself */
        sum = __shfl_sync(0x55555555u, sum, 0, 8);
    neighbours[thread] = __shfl_up_sync(all, (int)thread, 1);
}

__global__ void chain(int *turn, int *order, int spin) {
    __shared__ int count;
    if (threadIdx.x == 0) {
        if (spin == 0)
            while (emulated_load(turn) != (int)blockIdx.x)
                continue;
        else if (spin == 1)
            while (atomicAdd(turn, 0) != (int)blockIdx.x)
                __nanosleep(10);
        else
            while (__ldcg(turn) != (int)blockIdx.x)
                __threadfence();
        count = 0;
    }
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        order[blockIdx.x] = count;
        emulated_store(turn, (int)blockIdx.x + 1);
    }
}

__global__ void backwards(int *turn) {
    while (emulated_load(turn) != (int)(gridDim.x - 1 - blockIdx.x))
        continue;
    atomicAdd(turn, 1);
}

__global__ void count(int *counters) {
    atomicAdd(&counters[0], 1);
    const int seen = counters[1];
    __nanosleep(1);
    counters[1] = seen + 1;
}

__global__ void add(int *values, int count, int term) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        values[i] += term;
}

__global__ void sum(const int *values, int *sums) {
    RTS_SHARED_MEMORY(memory);
    int *const stage = reinterpret_cast<int *>(memory);
    const int first = blockIdx.x * blockDim.x;
    rts_load_async(stage + threadIdx.x, values + first + threadIdx.x);
    rts_wait_for_loads();
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (unsigned i = 0; i < blockDim.x; i++)
            all += stage[i];
        sums[blockIdx.x] = all;
    }
}

__device__ int deep(int level, int *values) {
    volatile int place[256];
    place[level % 256] = level;
    return level == 0 ? values[0] : deep(level - 1, values) + place[level % 256];
}

__global__ void wrong(int what, int *values) {
    RTS_SHARED_MEMORY(memory);
    const unsigned thread = threadIdx.x;
    switch (what) {
    case WRONG_BARRIER_ENDED:
        if (thread == 3)
            return;
        __syncthreads();
        break;
    case WRONG_BARRIER_OTHER:
        if (thread < 32)
            __syncthreads();
        else
            __syncthreads();
        break;
    case WRONG_SHUFFLE_MISSING:
        if (thread != 7)
            values[thread] = __shfl_sync(0xffffffffu, (int)thread, 0);
        else
            __syncthreads();
        break;
    case WRONG_SHUFFLE_SOURCE:
        if (thread < 16)
            values[thread] = __shfl_sync(0xffffu, (int)thread, (int)thread + 16);
        break;
    case WRONG_SHUFFLE_MASK:
        if (thread < 16)
            values[thread] = __shfl_sync(0xff00u, (int)thread, 8);
        break;
    case WRONG_STORE_BEHIND:
        values[thread == 9 ? 1 << 20 : 0] = 1;
        break;
    case WRONG_STORE_NEAR:
        values[thread == 9 ? 100 : 0] = 1; /* one behind the end */
        break;
    case WRONG_SHARED:
        memory[thread == 1 ? 64 : 0] = 1;
        break;
    case WRONG_STACK:
        values[1] = deep(100000, values);
        break;
    case WRONG_TRAP:
        __trap();
        break;
    default: /* nobody waits for what is copied */
        rts_load_async(reinterpret_cast<int *>(memory) + thread, values + thread);
        __syncthreads();
        values[thread] = reinterpret_cast<int *>(memory)[thread];
        break;
    }
}

} // namespace

extern "C" {

cudaError_t launch_reverse(int blocks, int threads, const int *values, int *reversed, cudaStream_t stream) {
    return rts_launch(reverse, blocks, threads, 0, stream, values, reversed);
}
cudaError_t launch_warps(int threads, int *sums, unsigned *ballots, int *neighbours) {
    return rts_launch(warps, 1, threads, 0, 0, sums, ballots, neighbours);
}
cudaError_t launch_chain(int blocks, int threads, int *turn, int *order, int spin) {
    return rts_launch(chain, blocks, threads, 0, 0, turn, order, spin);
}
cudaError_t launch_backwards(int blocks, int *turn) {
    return rts_launch(backwards, blocks, 1, 0, 0, turn);
}
cudaError_t launch_cooperative(int blocks, int *turn) {
    void *parameters[] = {&turn};
    return cudaLaunchCooperativeKernel(backwards, blocks, 1, parameters);
}
cudaError_t launch_count(int blocks, int threads, int *counters) {
    return rts_launch(count, blocks, threads, 0, 0, counters);
}
cudaError_t launch_add(int *values, int count, int term, cudaStream_t stream) {
    return rts_launch(add, 2, 64, 0, stream, values, count, term);
}
cudaError_t launch_sum(int blocks, int threads, size_t shared_bytes, const int *values, int *sums) {
    if (shared_bytes > 48 * 1024)
        (void)cudaFuncSetAttribute(sum, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
    return rts_launch(sum, blocks, threads, shared_bytes, 0, values, sums);
}
cudaError_t launch_wrong(int what, int threads, int *values) {
    return rts_launch(wrong, 1, threads, what == WRONG_SHARED ? 64 : 64 * sizeof(int), 0, what, values);
}
}
