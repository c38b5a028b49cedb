/* Reductions over the threads of a warp, all 32 of which take part: the building blocks of dvmhlib_block_red.h. Results are those of lane
 * 0. Neighbours are combined first, so that with equal values the location of the lowest lane stays. */
#ifndef DVMHLIB_WARP_RED_H
#define DVMHLIB_WARP_RED_H

#ifdef __CUDACC__

#define DVMHLIB_WARP_MASK 0xFFFFFFFFu

/* ---- combining: a op= b ---- */

template <typename T> __device__ __forceinline__ void sum_(T &a, const T &b) {
    a = a + b;
}
template <typename T> __device__ __forceinline__ void prod_(T &a, const T &b) {
    a = a * b;
}
template <typename T> __device__ __forceinline__ void max_(T &a, const T &b) {
    if (b > a)
        a = b;
}
template <typename T> __device__ __forceinline__ void min_(T &a, const T &b) {
    if (b < a)
        a = b;
}
template <typename T> __device__ __forceinline__ void and_(T &a, const T &b) {
    a = a & b;
}
template <typename T> __device__ __forceinline__ void or_(T &a, const T &b) {
    a = a | b;
}
template <typename T> __device__ __forceinline__ void xor_(T &a, const T &b) {
    a = a ^ b;
}
#ifdef INTEL_LOGICAL_TYPE
template <typename T> __device__ __forceinline__ void eq_(T &a, const T &b) {
    a = ~(a ^ b);
}
template <typename T> __device__ __forceinline__ void neq_(T &a, const T &b) {
    a = a ^ b;
}
#else
template <typename T> __device__ __forceinline__ void eq_(T &a, const T &b) {
    a = a == b;
}
template <typename T> __device__ __forceinline__ void neq_(T &a, const T &b) {
    a = a != b;
}
#endif

template <typename T, typename I, int numI>
__device__ __forceinline__ void maxloc_(T &a, I *ia, const T &b, const I *ib) {
    if (b > a) {
        a = b;
        for (int i = 0; i < numI; i++)
            ia[i] = ib[i];
    }
}
template <typename T, typename I, int numI>
__device__ __forceinline__ void minloc_(T &a, I *ia, const T &b, const I *ib) {
    if (b < a) {
        a = b;
        for (int i = 0; i < numI; i++)
            ia[i] = ib[i];
    }
}
template <typename T, typename I, int numI>
__device__ __forceinline__ void dummyloc_(T &, I *, const T &, const I *) {}

/* ---- moving values between lanes, whatever their type: in words of 32 bits ---- */

template <typename T> struct dvmh_lane_words {
    enum { count = (sizeof(T) + 3) / 4 };
    unsigned word[count];
};

template <typename T> __device__ __forceinline__ T __dvmh_warpShuffleDown(const T &val, unsigned delta) {
    dvmh_lane_words<T> words;
    words.word[dvmh_lane_words<T>::count - 1] = 0;
    memcpy(words.word, (const void *)&val, sizeof(T));
#pragma unroll
    for (int i = 0; i < dvmh_lane_words<T>::count; i++)
        words.word[i] = __shfl_down_sync(DVMHLIB_WARP_MASK, words.word[i], delta);
    T other;
    memcpy((void *)&other, words.word, sizeof(T));
    return other;
}

/** The value of one lane, in all. */
template <typename T, typename I> __device__ __forceinline__ T __dvmh_warpBroadcast(T val, I lane) {
    dvmh_lane_words<T> words;
    words.word[dvmh_lane_words<T>::count - 1] = 0;
    memcpy(words.word, (const void *)&val, sizeof(T));
#pragma unroll
    for (int i = 0; i < dvmh_lane_words<T>::count; i++)
        words.word[i] = __shfl_sync(DVMHLIB_WARP_MASK, words.word[i], (int)lane);
    memcpy((void *)&val, words.word, sizeof(T));
    return val;
}

/* ---- reductions ---- */

template <typename T, void combine(T &, const T &)>
__device__ __forceinline__ T __dvmh_warpReduceScalar(T val) {
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const T other = __dvmh_warpShuffleDown(val, delta);
        combine(val, other);
    }
    return val;
}

template <typename T, int num, void combine(T &, const T &)>
__device__ __forceinline__ void __dvmh_warpReduceScalarN(T *val) {
    for (int i = 0; i < num; i++)
        val[i] = __dvmh_warpReduceScalar<T, combine>(val[i]);
}

/** Element i at val[i * coef]. */
template <typename T, typename CE, typename N, void combine(T &, const T &)>
__device__ __forceinline__ void __dvmh_warpReduceScalarN(T *val, CE coef, N num) {
    for (N i = 0; i < num; i++)
        val[i * coef] = __dvmh_warpReduceScalar<T, combine>(val[i * coef]);
}

template <typename T, typename I, int numI, void combine(T &, I *, const T &, const I *)>
__device__ __forceinline__ void __dvmh_warpReduceScalarLoc(T &val, I *index) {
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        I of_other[numI];
        const T other = __dvmh_warpShuffleDown(val, delta);
        for (int i = 0; i < numI; i++)
            of_other[i] = __dvmh_warpShuffleDown(index[i], delta);
        combine(val, index, other, of_other);
    }
}

#endif

#endif
