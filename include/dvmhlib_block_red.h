/* Reductions in kernels of generated code. In spite of their names they are over a warp; the result is that of its lane 0, and every
 * thread of the warp takes part. */
#ifndef DVMHLIB_BLOCK_RED_H
#define DVMHLIB_BLOCK_RED_H

#include <dvmhlib_warp_red.h>

#ifdef __CUDACC__

/* Three of each: one value; num of them, in place; num that are known at run time only, element i at val[i * coef]. */
#define DVMHLIB_BLOCK_REDUCE(name, names, combine)                                                           \
    template <typename T> __device__ __forceinline__ T name(T val) {                                         \
        return __dvmh_warpReduceScalar<T, combine<T>>(val);                                                  \
    }                                                                                                        \
    template <typename T, int num> __device__ __forceinline__ void names(T *val) {                           \
        __dvmh_warpReduceScalarN<T, num, combine<T>>(val);                                                   \
    }                                                                                                        \
    template <typename T, typename CE, typename N>                                                           \
    __device__ __forceinline__ void names(T *val, CE coef, N num) {                                          \
        __dvmh_warpReduceScalarN<T, CE, N, combine<T>>(val, coef, num);                                      \
    }

DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceSum, __dvmh_blockReduceSumN, sum_)
DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceProd, __dvmh_blockReduceProdN, prod_)
DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceMax, __dvmh_blockReduceMaxN, max_)
DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceMin, __dvmh_blockReduceMinN, min_)
DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceAND, __dvmh_blockReduceANDN, and_)
DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceOR, __dvmh_blockReduceORN, or_)
DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceEQ, __dvmh_blockReduceEQN, eq_)
DVMHLIB_BLOCK_REDUCE(__dvmh_blockReduceNEQ, __dvmh_blockReduceNEQN, neq_)
/* Spelled as the compilers spell it. */
DVMHLIB_BLOCK_REDUCE(__dvmh_blcokReduceXOR, __dvmh_blcokReduceXORN, xor_)

#undef DVMHLIB_BLOCK_REDUCE

/* A value with numI words of location. */
#define DVMHLIB_BLOCK_REDUCE_LOC(name, combine)                                                              \
    template <typename T, typename I, int numI> __device__ __forceinline__ void name(T &val, I *index) {     \
        __dvmh_warpReduceScalarLoc<T, I, numI, combine<T, I, numI>>(val, index);                             \
    }

DVMHLIB_BLOCK_REDUCE_LOC(__dvmh_blockReduceMaxLoc, maxloc_)
DVMHLIB_BLOCK_REDUCE_LOC(__dvmh_blockReduceMinLoc, minloc_)
DVMHLIB_BLOCK_REDUCE_LOC(__dvmh_blockReduceDummyLoc, dummyloc_)

#undef DVMHLIB_BLOCK_REDUCE_LOC

#endif

#endif
