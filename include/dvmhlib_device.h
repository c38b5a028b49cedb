/* Functions for kernels of generated code: where elements of packed diagonals lie; and, for CUDA, intrinsic functions of Fortran and
 * reductions over a warp. */
#ifndef DVMHLIB_DEVICE_H
#define DVMHLIB_DEVICE_H

#ifdef __CUDACC__
#include <dvmhlib_f2c.h>

#include <dvmhlib_block_red.h>
#endif

#ifdef __cplusplus

#ifdef __CUDACC__
#define DVMHLIB_BOTH __host__ __device__ __forceinline__
#else
#define DVMHLIB_BOTH inline
#endif

/** 0 + 1 + .. + count. */
template <typename IndexT> DVMHLIB_BOTH IndexT dvmh_triangle(IndexT count) {
    return count * (count + 1) / 2;
}

/**
 * Place of element (x, y) of a plane that is stored diagonal after diagonal: what dvmh_fill_header_C returns 2 for.
 *
 * @tparam slash  0: elements of equal x + y are on one diagonal; 1: of equal x - y
 * @tparam cmp    0: Rx = Ry, 1: Rx < Ry, 2: Rx > Ry
 * @param x, y    in [0, Rx), [0, Ry)
 * @param idx     receives the offset in elements
 */
template <typename IndexT, int slash, int cmp>
DVMHLIB_BOTH void dvmh_convert_XY(IndexT x, IndexT y, IndexT Rx, IndexT Ry, IndexT &idx) {
    const IndexT up = slash ? Ry - 1 - y : y;
    const IndexT diagonal = x + up;
    const IndexT least = cmp == 1 ? Rx : Ry, most = cmp == 1 ? Ry : Rx;
    if (diagonal < least) /* diagonals become longer */
        idx = dvmh_triangle(diagonal) + (cmp == 2 ? x : up);
    else if (cmp != 0 && diagonal < most) /* all of one length */
        idx = dvmh_triangle(least) + least * (diagonal - least) + (least - 1 - (cmp == 1 ? x : up));
    else /* shorter again, counted from the end */
        idx = Rx * Ry - most + (cmp == 1 ? up : x) - dvmh_triangle(Rx + Ry - diagonal - 2);
}

/** The same, with extents and slash known at run time only. */
template <typename IndexT>
DVMHLIB_BOTH void dvmh_convert_XY(const IndexT x, const IndexT y, const IndexT Rx, const IndexT Ry,
                                  const int slash, IndexT &idx) {
    const IndexT up = slash ? Ry - 1 - y : y;
    if (Rx == Ry)
        dvmh_convert_XY<IndexT, 0, 0>(x, up, Rx, Ry, idx);
    else if (Rx < Ry)
        dvmh_convert_XY<IndexT, 0, 1>(x, up, Rx, Ry, idx);
    else
        dvmh_convert_XY<IndexT, 0, 2>(x, up, Rx, Ry, idx);
}

#endif

#endif
