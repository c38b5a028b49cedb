/* Words of the machine for dvmhx_run_cuda.h: loads and stores that order others, requests to fetch ahead, barriers, and the start of a
 * kernel. Everything that is more than C++ for GPUs stands here, so that an emulation of a GPU replaces this file's second half alone.
 *
 * Why these: data of loops goes by ordinary loads and stores, whatever loop it is; order comes from counters. Who has written says so
 * by a barrier of its threads and then one store that releases at the scope of the GPU; who reads loads that counter with acquire and
 * has a barrier of its own threads before they read. By the memory model of PTX release, acquire and barriers add up to
 * an order of all stores of the one block before all loads of the other. An acquire also empties the multiprocessor's L1 cache (CCTL.IVALL
 * behind the load), which all of its blocks feel: so waiting polls without it, and one acquire follows. */
#ifndef DVMHX_RUN_CUDA_WORDS_H
#define DVMHX_RUN_CUDA_WORDS_H

#include <dvmhx.h>

#ifdef __CUDACC__

#include <string.h>

#define DVMHX_DEVICE __device__ __forceinline__

#define DVMHX_WARP      32
#define DVMHX_ALL_LANES 0xFFFFFFFFu

/* Where dvmhx_fetch brings data: 1: to L1, 2: to L2. L2 hides memory only; L1 is what hides L2, too, and two-dimensional sweeps,
 * whose fronts take a tenth of a microsecond, live from it. */
#ifndef DVMHX_FETCH_LEVEL
#define DVMHX_FETCH_LEVEL 1
#endif

/** Called while something polls, `tries` times before: be gentle to the memory that others work on. Short at first, since who
 * waits in a pipeline waits for less than a microsecond. */
DVMHX_DEVICE void dvmhx_pause(int tries);

/** A counter of another block, for polling: says nothing about other data. */
DVMHX_DEVICE int dvmhx_load_relaxed(const int *counter);

/** The same, and what was written before it was raised is seen by loads that come after. */
DVMHX_DEVICE int dvmhx_load_acquire(const int *counter);

/** Raise a counter for other blocks: what this thread wrote, or saw through a barrier, is seen by who acquires it. */
DVMHX_DEVICE void dvmhx_store_release(int *counter, int value);

/** Both among the threads of a block, through its shared memory. */
DVMHX_DEVICE long long dvmhx_load_acquire_shared(const volatile long long *place);
DVMHX_DEVICE void dvmhx_store_release_shared(volatile long long *place, long long value);

/** Ask for an element that will be used soon; for the member prefetch of function objects. Changes nothing and never faults. */
DVMHX_DEVICE void dvmhx_fetch(const void *element);

/** A barrier of the first `count` threads of a block, whole warps; the others take no part. After dvmhx_sync_part_begin by one thread
 * and a barrier of all. */
DVMHX_DEVICE void dvmhx_sync_part_begin();
DVMHX_DEVICE void dvmhx_sync_part(int count);

#ifndef EMULATED_CUDA

DVMHX_DEVICE void dvmhx_pause(int tries) {
    if (tries > 16)
        __nanosleep(tries > 64 ? 200 : 40);
}

DVMHX_DEVICE int dvmhx_load_relaxed(const int *counter) {
    int value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}

DVMHX_DEVICE int dvmhx_load_acquire(const int *counter) {
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}

DVMHX_DEVICE void dvmhx_store_release(int *counter, int value) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"(counter), "r"(value) : "memory");
}

DVMHX_DEVICE long long dvmhx_load_acquire_shared(const volatile long long *place) {
    long long value;
    asm volatile("ld.acquire.cta.s64 %0, [%1];" : "=l"(value) : "l"(place) : "memory");
    return value;
}

DVMHX_DEVICE void dvmhx_store_release_shared(volatile long long *place, long long value) {
    asm volatile("st.release.cta.s64 [%0], %1;" : : "l"(place), "l"(value) : "memory");
}

DVMHX_DEVICE void dvmhx_fetch(const void *element) {
#if DVMHX_FETCH_LEVEL == 1
    asm volatile("prefetch.global.L1 [%0];" : : "l"(element));
#else
    asm volatile("prefetch.global.L2 [%0];" : : "l"(element));
#endif
}

DVMHX_DEVICE void dvmhx_sync_part_begin() {}

DVMHX_DEVICE void dvmhx_sync_part(int count) {
    asm volatile("bar.sync 1, %0;" : : "r"(count) : "memory");
}

#else

/* On a GPU that the host plays one thread runs at a time, and goes on until it says that it waits. */
DVMHX_DEVICE void dvmhx_pause(int) {
    emulated_step(false);
}

DVMHX_DEVICE int dvmhx_load_relaxed(const int *counter) {
    return emulated_load(counter);
}

DVMHX_DEVICE int dvmhx_load_acquire(const int *counter) {
    return emulated_load(counter);
}

DVMHX_DEVICE void dvmhx_store_release(int *counter, int value) {
    emulated_store(counter, value);
}

DVMHX_DEVICE long long dvmhx_load_acquire_shared(const volatile long long *place) {
    return emulated_load(const_cast<const long long *>(place));
}

DVMHX_DEVICE void dvmhx_store_release_shared(volatile long long *place, long long value) {
    emulated_store(const_cast<long long *>(place), value);
}

DVMHX_DEVICE void dvmhx_fetch(const void *) {}

/* One for each block, as all that is shared. */
struct dvmhx_part_barrier {
    int arrived, round;
};
inline dvmhx_part_barrier *dvmhx_the_part_barrier() {
    __shared__ dvmhx_part_barrier barrier;
    return &barrier;
}

DVMHX_DEVICE void dvmhx_sync_part_begin() {
    dvmhx_the_part_barrier()->arrived = 0;
    dvmhx_the_part_barrier()->round = 0;
}

DVMHX_DEVICE void dvmhx_sync_part(int count) {
    dvmhx_part_barrier *const barrier = dvmhx_the_part_barrier();
    const int round = barrier->round;
    if (++barrier->arrived == count) {
        barrier->arrived = 0;
        emulated_store(&barrier->round, round + 1);
    }
    while (emulated_load(&barrier->round) == round)
        emulated_step(false);
}

#endif

/** A type as it is: keeps parameters from being deduced twice. */
template <typename T> struct dvmhx_same { typedef T type; };

/**
 * Start a kernel.
 * @param parameters  exactly the kernel's
 * A launch that fails is told by dvmhx_launch.h. Asynchronous; may be called while the stream is captured.
 */
template <typename... Parameters>
void dvmhx_start_kernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, void *stream,
                        const typename dvmhx_same<Parameters>::type &...parameters) {
    void *arguments[] = {const_cast<void *>(static_cast<const void *>(&parameters))...};
    (void)cudaLaunchKernel(kernel, blocks, threads, arguments, 0, static_cast<cudaStream_t>(stream));
}

#endif

#endif
