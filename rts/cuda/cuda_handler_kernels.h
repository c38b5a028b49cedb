/* Kernels that combine partial results; the order is that of rts/cuda/cuda_handler_items.h. Nothing here calls CUDA's library, so that a
 * test can play blocks with threads of the host. */
#ifndef RTS_CUDA_CUDA_HANDLER_KERNELS_H
#define RTS_CUDA_CUDA_HANDLER_KERNELS_H

#include "rts/cuda/cuda_handler_items.h"

#include <dvmhlib_const.h>

namespace {

/** Complex numbers of the ABI: two reals. */
template <typename T> struct complex_pair { T re, im; };

template <typename T> __device__ complex_pair<T> operator+(complex_pair<T> a, complex_pair<T> b) {
    return {a.re + b.re, a.im + b.im};
}
template <typename T> __device__ complex_pair<T> operator*(complex_pair<T> a, complex_pair<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/** What is not a number gives way to what is one, as if items were combined one by one beginning with a number. */
template <typename T> __device__ bool is_better(T a, T b, bool wants_more) {
    return wants_more ? a > b || (b != b && a == a) : a < b || (b != b && a == a);
}

/** Integers wrap as unsigned numbers do. */
template <typename T> struct arithmetic {
    static __device__ T combine(int operation, T a, T b) {
        switch (operation) {
        case rf_SUM:
            return (T)((unsigned long long)a + (unsigned long long)b);
        case rf_PROD:
            return (T)((unsigned long long)a * (unsigned long long)b);
        case rf_AND:
            return (T)(a & b);
        case rf_OR:
            return (T)(a | b);
        case rf_XOR:
            return (T)(a ^ b);
        case rf_NE:
            return (T)(a != b);
        case rf_EQU:
        case rf_EQ:
            return (T)(a == b);
        default: /* MAX, MIN, and these of what has no locations */
            return is_better(b, a, operation == rf_MAX || operation == rf_MAXLOC) ? b : a;
        }
    }
};

template <typename T> __device__ T combine_reals(int operation, T a, T b) {
    switch (operation) {
    case rf_SUM:
        return a + b;
    case rf_PROD:
        return a * b;
    case rf_NE:
        return (T)(a != b);
    case rf_EQU:
    case rf_EQ:
        return (T)(a == b);
    default:
        return is_better(b, a, operation == rf_MAX || operation == rf_MAXLOC) ? b : a;
    }
}
template <> struct arithmetic<float> {
    static __device__ float combine(int operation, float a, float b) {
        return combine_reals(operation, a, b);
    }
};
template <> struct arithmetic<double> {
    static __device__ double combine(int operation, double a, double b) {
        return combine_reals(operation, a, b);
    }
};
template <typename T> struct arithmetic<complex_pair<T>> {
    static __device__ complex_pair<T> combine(int operation, complex_pair<T> a, complex_pair<T> b) {
        return operation == rf_PROD ? a * b : a + b;
    }
};

/** Block (part, element). */
template <typename T>
__global__ void __launch_bounds__(RTS_ITEM_THREADS)
    combine_items(int operation, int64_t item_count, const T *items, T *parts) {
    __shared__ T found[RTS_ITEM_THREADS];
    const int part = blockIdx.x, thread = threadIdx.x;
    const int64_t begin = rts_item_part_begin(item_count, part),
                  end = rts_item_part_begin(item_count, part + 1);
    const T *const mine = items + blockIdx.y * item_count;
    int64_t item = begin + thread;
    T value = {};
    if (item < end) {
        value = mine[item];
        for (item += RTS_ITEM_THREADS; item < end; item += RTS_ITEM_THREADS)
            value = arithmetic<T>::combine(operation, value, mine[item]);
        found[thread] = value;
    }
    for (int half = RTS_ITEM_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half && begin + thread + half < end)
            found[thread] = value = arithmetic<T>::combine(operation, value, found[thread + half]);
    }
    if (thread == 0)
        parts[blockIdx.y * RTS_ITEM_PARTS + part] = value;
}

/** The better value, and of equal ones the lower item. */
template <typename T>
__device__ void take_better(bool wants_more, T other, int64_t of_other, T *value, int64_t *item) {
    if (is_better(other, *value, wants_more) || (!is_better(*value, other, wants_more) && of_other < *item)) {
        *value = other;
        *item = of_other;
    }
}

template <typename T>
__global__ void __launch_bounds__(RTS_ITEM_THREADS)
    find_items(bool wants_more, int64_t item_count, const T *items, const char *locations,
               int64_t location_bytes, T *parts, char *of_parts) {
    __shared__ T found[RTS_ITEM_THREADS];
    __shared__ int64_t found_at[RTS_ITEM_THREADS];
    const int part = blockIdx.x, thread = threadIdx.x;
    const int64_t begin = rts_item_part_begin(item_count, part),
                  end = rts_item_part_begin(item_count, part + 1);
    int64_t best = begin + thread;
    T value = {};
    if (best < end) {
        value = items[best];
        for (int64_t item = best + RTS_ITEM_THREADS; item < end; item += RTS_ITEM_THREADS)
            take_better(wants_more, items[item], item, &value, &best);
        found[thread] = value;
        found_at[thread] = best;
    }
    for (int half = RTS_ITEM_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half && begin + thread + half < end) {
            take_better(wants_more, found[thread + half], found_at[thread + half], &value, &best);
            found[thread] = value;
            found_at[thread] = best;
        }
    }
    if (thread == 0)
        parts[part] = value;
    __syncthreads();
    for (int64_t i = thread; i < location_bytes; i += RTS_ITEM_THREADS)
        of_parts[part * location_bytes + i] = locations[found_at[0] * location_bytes + i];
}

__global__ void fill_values(char *target, const char *values, int64_t value_bytes, int64_t run_bytes,
                            int64_t total_bytes) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < total_bytes; i += step)
        target[i] = values[i / run_bytes * value_bytes + i % value_bytes];
}

} // namespace

#endif
