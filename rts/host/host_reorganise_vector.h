/* Transpositions in registers, for AVX-512. Included by the files of these kernels only, inside their test for x86-64. */
#ifndef RTS_HOST_REORGANISE_VECTOR_H
#define RTS_HOST_REORGANISE_VECTOR_H

#include "rts/host/host_reorganise.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE static inline __attribute__((always_inline)) AVX512

/** 8 x 8 elements of 8 bytes. */
INLINE void transpose_8x8(__m512i r[8]) {
    __m512i t[8], u[8];
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    /* t[2k + h]: in each 128-bit lane l element 2l + h of rows 2k, 2k + 1 */
    for (int h = 0; h < 2; h++) {
        for (int k = 0; k < 4; k += 2) {
            u[2 * k + h] = _mm512_permutex2var_epi64(t[2 * k + h], low, t[2 * k + 2 + h]);
            u[2 * k + 2 + h] = _mm512_permutex2var_epi64(t[2 * k + h], high, t[2 * k + 2 + h]);
        }
        /* u[h], u[4 + h]: lanes 0 and 2 of the rows; u[2 + h], u[6 + h]: lanes 1 and 3 */
        r[0 + h] = _mm512_shuffle_i64x2(u[h], u[4 + h], 0x44);
        r[4 + h] = _mm512_shuffle_i64x2(u[h], u[4 + h], 0xEE);
        r[2 + h] = _mm512_shuffle_i64x2(u[2 + h], u[6 + h], 0x44);
        r[6 + h] = _mm512_shuffle_i64x2(u[2 + h], u[6 + h], 0xEE);
    }
}

/** 16 x 16 elements of 4 bytes. */
INLINE void transpose_16x16(__m512i r[16]) {
    __m512i t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    /* r[4g + c]: in lane l elements 4l + c of rows 4g .. 4g + 3 */
    for (int c = 0; c < 4; c++) {
        const __m512i a = _mm512_shuffle_i32x4(r[c], r[4 + c], 0x88),
                      b = _mm512_shuffle_i32x4(r[c], r[4 + c], 0xDD);
        const __m512i d = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0x88);
        const __m512i e = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0xDD);
        t[c] = _mm512_shuffle_i32x4(a, d, 0x88);
        t[8 + c] = _mm512_shuffle_i32x4(a, d, 0xDD);
        t[4 + c] = _mm512_shuffle_i32x4(b, e, 0x88);
        t[12 + c] = _mm512_shuffle_i32x4(b, e, 0xDD);
    }
    for (int i = 0; i < 16; i++)
        r[i] = t[i];
}

#endif
