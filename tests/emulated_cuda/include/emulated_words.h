/* What kernels call: places of threads, barriers, shuffles, atomics, loads and stores with hints, arithmetic. Read by cuda_runtime.h.
 *
 * Words of the emulation's own, for what CUDA says with extern arrays and assembler; sources choose by EMULATED_CUDA:
 *   emulated_shared_memory()               shared memory of run-time size
 *   emulated_load(p), emulated_store(p, v) accesses that other threads wait for or that wait for them
 *   emulated_copy_async(to, from, bytes)   a copy to shared memory that nobody sees before emulated_wait_copies() */
#ifndef EMULATED_WORDS_H
#define EMULATED_WORDS_H

#include <climits>
#include <cstdint>
#include <ctime>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
void emulated_barrier(bool predicate, int *true_count, const char *file, int line);
const uint64_t *emulated_exchange(unsigned mask, uint64_t value, unsigned *present, const char *file,
                                  int line);
void emulated_no_lane(int lane, const char *file, int line);
void emulated_step(bool is_progress);
void *emulated_shared_memory(void);
void emulated_copy_async(void *target, const void *source, size_t bytes);
void emulated_wait_copies(void);
void emulated_trap(void);
}

static constexpr int warpSize = 32;

static inline unsigned emulated_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

/* ---- barriers; the caller's place comes by default arguments ---- */

static inline void __syncthreads(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    int count;
    emulated_barrier(false, &count, file, line);
}
static inline int __syncthreads_count(int predicate, const char *file = __builtin_FILE(),
                                      int line = __builtin_LINE()) {
    int count;
    emulated_barrier(predicate != 0, &count, file, line);
    return count;
}
static inline int __syncthreads_or(int predicate, const char *file = __builtin_FILE(),
                                   int line = __builtin_LINE()) {
    return __syncthreads_count(predicate, file, line) > 0;
}
static inline int __syncthreads_and(int predicate, const char *file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return __syncthreads_count(predicate == 0, file, line) == 0;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, const char *file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
    unsigned present;
    emulated_exchange(mask, 0, &present, file, line);
}

/* ---- shuffles and votes ---- */

template <typename T>
static inline T emulated_shuffle(unsigned mask, T value, int from, const char *file, int line) {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "a number of at most 8 bytes");
    uint64_t word = 0;
    unsigned present;
    memcpy(&word, &value, sizeof(T));
    const uint64_t *const words = emulated_exchange(mask, word, &present, file, line);
    if ((unsigned)from != emulated_lane()) {
        if (from < 0 || from > 31 || (present >> from & 1) == 0)
            emulated_no_lane(from, file, line);
        memcpy(&value, &words[from], sizeof(T));
    }
    return value;
}
template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
                            const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    const int own = (int)emulated_lane(), first = own & ~(width - 1);
    return emulated_shuffle(mask, value, first + (lane & (width - 1)), file, line);
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                               const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    const int own = (int)emulated_lane(), first = own & ~(width - 1), from = own - (int)delta;
    return emulated_shuffle(mask, value, from < first ? own : from, file, line);
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                 const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    const int own = (int)emulated_lane(), first = own & ~(width - 1), from = own + (int)delta;
    return emulated_shuffle(mask, value, from >= first + width ? own : from, file, line);
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32,
                                const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    const int own = (int)emulated_lane(), first = own & ~(width - 1), from = own ^ bits;
    return emulated_shuffle(mask, value, from >= first + width ? own : from, file, line);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate, const char *file = __builtin_FILE(),
                                     int line = __builtin_LINE()) {
    unsigned present, bits = 0;
    const uint64_t *const words = emulated_exchange(mask, predicate != 0, &present, file, line);
    for (int lane = 0; lane < 32; lane++)
        bits |= (present >> lane & 1) != 0 && words[lane] != 0 ? 1u << lane : 0;
    return bits;
}
static inline int __any_sync(unsigned mask, int predicate, const char *file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
    return __ballot_sync(mask, predicate, file, line) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, const char *file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
    return __ballot_sync(mask, predicate == 0, file, line) == 0;
}
template <typename T>
static inline unsigned __match_any_sync(unsigned mask, T value, const char *file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
    uint64_t word = 0;
    unsigned present, bits = 0;
    memcpy(&word, &value, sizeof(T));
    const uint64_t *const words = emulated_exchange(mask, word, &present, file, line);
    for (int lane = 0; lane < 32; lane++)
        bits |= (present >> lane & 1) != 0 && words[lane] == word ? 1u << lane : 0;
    return bits;
}
/** Only the caller is sure to be there: that is all that CUDA promises. */
static inline unsigned __activemask() {
    return 1u << emulated_lane();
}

#define EMULATED_REDUCE(name, type, expression)                                                              \
    static inline type name(unsigned mask, type value, const char *file = __builtin_FILE(),                  \
                            int line = __builtin_LINE()) {                                                   \
        unsigned present;                                                                                    \
        const uint64_t *const words =                                                                        \
            emulated_exchange(mask, (uint64_t)(unsigned)value, &present, file, line);                        \
        for (unsigned lane = 0; lane < 32; lane++)                                                           \
            if (lane != emulated_lane() && (present >> lane & 1) != 0) {                                     \
                const type a = value, b = (type)(unsigned)words[lane];                                       \
                value = expression;                                                                          \
            }                                                                                                \
        return value;                                                                                        \
    }
EMULATED_REDUCE(__reduce_add_sync, unsigned, a + b)
EMULATED_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
EMULATED_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
EMULATED_REDUCE(__reduce_and_sync, unsigned, a &b)
EMULATED_REDUCE(__reduce_or_sync, unsigned, a | b)
EMULATED_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
EMULATED_REDUCE(__reduce_add_sync, int, (int)((unsigned)a + (unsigned)b))
EMULATED_REDUCE(__reduce_min_sync, int, a < b ? a : b)
EMULATED_REDUCE(__reduce_max_sync, int, a > b ? a : b)
#undef EMULATED_REDUCE

/* ---- order, waiting ---- */

static inline void __threadfence() {
    emulated_step(false);
}
static inline void __threadfence_block() {
    emulated_step(false);
}
static inline void __threadfence_system() {
    emulated_step(false);
}
static inline void __nanosleep(unsigned) {
    emulated_step(false);
}
static inline void __trap() {
    emulated_trap();
}
static inline long long clock64() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* ---- loads and stores ---- */

template <typename T> static inline T emulated_load(const T *from) {
    emulated_step(false);
    return *const_cast<const volatile T *>(from);
}
template <typename T, typename U> static inline void emulated_store(T *to, U value) {
    *const_cast<volatile T *>(to) = (T)value;
    emulated_step(true);
}

#define EMULATED_LOAD(name)                                                                                  \
    template <typename T> static inline T name(const T *from) {                                              \
        return *from;                                                                                        \
    }
#define EMULATED_STORE(name)                                                                                 \
    template <typename T, typename U> static inline void name(T *to, U value) {                              \
        *to = value;                                                                                         \
    }
EMULATED_LOAD(__ldg)
EMULATED_LOAD(__ldca)
EMULATED_LOAD(__ldcs)
EMULATED_LOAD(__ldlu)
EMULATED_STORE(__stwb)
EMULATED_STORE(__stcs)
EMULATED_STORE(__stwt)
EMULATED_STORE(__stcg)
#undef EMULATED_LOAD
#undef EMULATED_STORE
/** What loops wait by. */
template <typename T> static inline T __ldcg(const T *from) {
    emulated_step(false);
    return *from;
}
template <typename T> static inline T __ldcv(const T *from) {
    emulated_step(false);
    return *from;
}

/* ---- atomics: one thread runs at a time, so these are plain; others may run after each ---- */

template <typename T> static inline T emulated_replace(T *at, T value) {
    const T old = *at;
    *at = value;
    emulated_step(memcmp(&old, &value, sizeof(T)) != 0);
    return old;
}

#define EMULATED_ATOMIC(name, type, expression)                                                              \
    static inline type name(type *at, type value) {                                                          \
        const type old = *at;                                                                                \
        return emulated_replace(at, (type)(expression));                                                     \
    }
#define EMULATED_ATOMICS(name, expression)                                                                   \
    EMULATED_ATOMIC(name, int, expression)                                                                   \
    EMULATED_ATOMIC(name, unsigned, expression)                                                              \
    EMULATED_ATOMIC(name, unsigned long long, expression)

EMULATED_ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)value)
EMULATED_ATOMIC(atomicAdd, unsigned, old + value)
EMULATED_ATOMIC(atomicAdd, unsigned long long, old + value)
EMULATED_ATOMIC(atomicAdd, float, old + value)
EMULATED_ATOMIC(atomicAdd, double, old + value)
EMULATED_ATOMIC(atomicSub, int, (unsigned)old - (unsigned)value)
EMULATED_ATOMIC(atomicSub, unsigned, old - value)
EMULATED_ATOMICS(atomicMin, old < value ? old : value)
EMULATED_ATOMIC(atomicMin, long long, old < value ? old : value)
EMULATED_ATOMICS(atomicMax, old > value ? old : value)
EMULATED_ATOMIC(atomicMax, long long, old > value ? old : value)
EMULATED_ATOMICS(atomicAnd, old &value)
EMULATED_ATOMICS(atomicOr, old | value)
EMULATED_ATOMICS(atomicXor, old ^ value)
EMULATED_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
EMULATED_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef EMULATED_ATOMICS
#undef EMULATED_ATOMIC

#define EMULATED_EXCHANGE(type)                                                                              \
    static inline type atomicExch(type *at, type value) {                                                    \
        return emulated_replace(at, value);                                                                  \
    }
#define EMULATED_CAS(type)                                                                                   \
    static inline type atomicCAS(type *at, type expected, type value) {                                      \
        return emulated_replace(at, *at == expected ? value : *at);                                          \
    }
EMULATED_EXCHANGE(int)
EMULATED_EXCHANGE(unsigned)
EMULATED_EXCHANGE(unsigned long long)
EMULATED_EXCHANGE(float)
EMULATED_CAS(int)
EMULATED_CAS(unsigned)
EMULATED_CAS(unsigned short)
EMULATED_CAS(unsigned long long)
#undef EMULATED_EXCHANGE
#undef EMULATED_CAS

/* ---- bits and arithmetic ---- */

static inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
static inline int __popcll(unsigned long long bits) {
    return __builtin_popcountll(bits);
}
static inline int __clz(int bits) {
    return bits == 0 ? 32 : __builtin_clz((unsigned)bits);
}
static inline int __clzll(long long bits) {
    return bits == 0 ? 64 : __builtin_clzll((unsigned long long)bits);
}
static inline int __ffs(int bits) {
    return __builtin_ffs(bits);
}
static inline int __ffsll(long long bits) {
    return __builtin_ffsll(bits);
}
static inline unsigned __brev(unsigned bits) {
    unsigned turned = 0;
    for (int i = 0; i < 32; i++)
        turned |= (bits >> i & 1) << (31 - i);
    return turned;
}
static inline int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

template <typename To, typename From> static inline To emulated_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof(to));
    return to;
}
static inline int __float_as_int(float value) {
    return emulated_bits<int>(value);
}
static inline unsigned __float_as_uint(float value) {
    return emulated_bits<unsigned>(value);
}
static inline float __int_as_float(int value) {
    return emulated_bits<float>(value);
}
static inline float __uint_as_float(unsigned value) {
    return emulated_bits<float>(value);
}
static inline long long __double_as_longlong(double value) {
    return emulated_bits<long long>(value);
}
static inline double __longlong_as_double(long long value) {
    return emulated_bits<double>(value);
}
static inline double __dadd_rn(double a, double b) {
    return a + b;
}
static inline double __dmul_rn(double a, double b) {
    return a * b;
}
static inline double __fma_rn(double a, double b, double c) {
    return fma(a, b, c);
}
static inline float __fadd_rn(float a, float b) {
    return a + b;
}
static inline float __fmul_rn(float a, float b) {
    return a * b;
}
static inline double rsqrt(double value) {
    return 1 / sqrt(value);
}
static inline float rsqrtf(float value) {
    return 1 / sqrtf(value);
}

#define EMULATED_EXTREMES(type)                                                                              \
    static inline type min(type a, type b) {                                                                 \
        return b < a ? b : a;                                                                                \
    }                                                                                                        \
    static inline type max(type a, type b) {                                                                 \
        return a < b ? b : a;                                                                                \
    }
EMULATED_EXTREMES(int)
EMULATED_EXTREMES(unsigned)
EMULATED_EXTREMES(long)
EMULATED_EXTREMES(unsigned long)
EMULATED_EXTREMES(long long)
EMULATED_EXTREMES(unsigned long long)
#undef EMULATED_EXTREMES
static inline float min(float a, float b) {
    return fminf(a, b);
}
static inline float max(float a, float b) {
    return fmaxf(a, b);
}
static inline double min(double a, double b) {
    return fmin(a, b);
}
static inline double max(double a, double b) {
    return fmax(a, b);
}

#endif
