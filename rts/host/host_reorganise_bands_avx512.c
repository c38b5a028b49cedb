/* Kernels that write bands, for AVX-512 and elements of 4 and 8 bytes. */
#include <config.h>

#include "rts/host/host_reorganise_bands.h"

#if defined(__x86_64__)

#include "rts/host/host_reorganise_vector.h"

/* ---- writing ---- */

/** Lanes of one line at a step that row `row` is to get. */
INLINE unsigned written_lanes(const reorg_band_t *band, int row, int32_t x, int lanes) {
    const int32_t start = x - (lanes - (int32_t)band->shift[row]); /* element in lane 0 */
    const int32_t lo = band->lo[row] - start, hi = band->hi[row] - start;
    if (hi <= 0 || lo >= lanes || lo >= hi)
        return 0;
    const unsigned below = hi >= lanes ? (1u << lanes) - 1 : (1u << hi) - 1;
    return lo > 0 ? below & ~((1u << lo) - 1) : below;
}

/** Elements of a step, joined with those of the step before. */
INLINE __m512i join_lanes(const char *carried, int64_t shift, __m512i elements, int bytes) {
    const __m512i before = _mm512_load_si512(carried);
    if (bytes == 8) {
        const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        return _mm512_permutex2var_epi64(before, _mm512_add_epi64(lane, _mm512_set1_epi64(shift)), elements);
    }
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutex2var_epi32(before, _mm512_add_epi32(lane, _mm512_set1_epi32((int)shift)), elements);
}

/** @param whole  the whole line is to be written */
INLINE void write_step(reorg_band_t *band, int row, int32_t x, __m512i elements, int bytes, bool whole,
                       bool aligned) {
    char *const to = band->line[row] + (rts_index_t)x * bytes;
    char *const carried = band->carried + row * REORG_LINE;
    __m512i line = elements;
    if (!aligned) {
        line = join_lanes(carried, band->shift[row], elements, bytes);
        _mm512_store_si512(carried, elements);
    }
    if (whole) {
        _mm512_stream_si512((__m512i *)(void *)to, line);
        return;
    }
    const unsigned mask = written_lanes(band, row, x, REORG_LINE / bytes);
    if (mask == (1u << REORG_LINE / bytes) - 1)
        _mm512_stream_si512((__m512i *)(void *)to, line);
    else if (mask != 0 && bytes == 8)
        _mm512_mask_storeu_epi64(to, (__mmask8)mask, line);
    else if (mask != 0)
        _mm512_mask_storeu_epi32(to, (__mmask16)mask, line);
}

/* ---- transposition ---- */

INLINE __m512i load_lanes(const char *from, unsigned mask, int bytes) {
    return bytes == 8 ? _mm512_maskz_loadu_epi64((__mmask8)mask, from)
                      : _mm512_maskz_loadu_epi32((__mmask16)mask, from);
}

/** Rows of a block that have element x. */
INLINE unsigned rows_with(const reorg_band_t *band, const reorg_block_t *block, int32_t x, int bytes) {
    const int32_t *const lo = band->lo + block->first, *const hi = band->hi + block->first;
    const unsigned rows = (1u << block->count) - 1;
    if (bytes == 8) {
        const __m256i at = _mm256_set1_epi32(x);
        return rows & _mm256_cmple_epi32_mask(_mm256_loadu_si256((const __m256i *)(const void *)lo), at) &
               _mm256_cmpgt_epi32_mask(_mm256_loadu_si256((const __m256i *)(const void *)hi), at);
    }
    const __m512i at = _mm512_set1_epi32(x);
    return rows & _mm512_cmple_epi32_mask(_mm512_loadu_si512(lo), at) &
           _mm512_cmpgt_epi32_mask(_mm512_loadu_si512(hi), at);
}

INLINE void transpose_lanes(__m512i r[], int bytes) {
    if (bytes == 8)
        transpose_8x8(r);
    else
        transpose_16x16(r);
}

/** One step of a block that has all elements and writes whole lines. */
INLINE void transpose_whole(reorg_band_t *band, const reorg_block_t *block, int32_t x, int bytes,
                            bool aligned) {
    const int lanes = REORG_LINE / bytes;
    const rts_index_t *const rows = band->rows + (x - band->x);
    const char *const from = band->from + block->offset;
    __m512i r[REORG_MAX_LANES];
    if (block->count == lanes) {
        for (int i = 0; i < lanes; i++)
            r[i] = _mm512_loadu_si512(from + rows[i]);
        transpose_lanes(r, bytes);
        for (int i = 0; i < lanes; i++)
            write_step(band, block->first + i, x, r[i], bytes, true, aligned);
        return;
    }
    const unsigned mask = (1u << block->count) - 1;
    for (int i = 0; i < lanes; i++)
        r[i] = load_lanes(from + rows[i], mask, bytes);
    transpose_lanes(r, bytes);
    for (int i = 0; i < lanes; i++)
        if (i < block->count)
            write_step(band, block->first + i, x, r[i], bytes, true, aligned);
}

/** One step of a block at the ends of its rows: reads and writes only what is to be copied. */
INLINE void transpose_part(reorg_band_t *band, const reorg_block_t *block, int32_t x, int bytes,
                           bool aligned) {
    const int lanes = REORG_LINE / bytes;
    const rts_index_t *const rows = band->rows + (x - band->x);
    __m512i r[REORG_MAX_LANES];
    for (int i = 0; i < lanes; i++) {
        const unsigned mask = rows_with(band, block, x + i, bytes);
        r[i] = mask == 0 ? _mm512_setzero_si512()
                         : load_lanes(band->from + block->offset + rows[i], mask, bytes);
    }
    transpose_lanes(r, bytes);
    for (int i = 0; i < lanes; i++)
        if (i < block->count)
            write_step(band, block->first + i, x, r[i], bytes, false, aligned);
}

INLINE void transpose_band(reorg_band_t *band, int bytes, bool aligned) {
    const int lanes = REORG_LINE / bytes;
    for (int32_t x = band->x; x < band->x_end; x += lanes) {
        const rts_index_t *const ahead = band->rows + (x - band->x) + band->ahead;
        for (int b = 0; b < band->block_count; b++) {
            const reorg_block_t *const block = &band->block[b];
            for (int row = block->fetch_row; row < block->fetch_row + block->fetch_rows; row++)
                for (int i = 0; i < block->fetch_lines; i++)
                    __builtin_prefetch(band->from + ahead[row] + block->fetch_at + i * REORG_LINE);
            if (x >= block->full_lo && x <= block->full_hi)
                transpose_whole(band, block, x, bytes, aligned);
            else if (x >= block->any_lo && x < block->any_hi)
                transpose_part(band, block, x, bytes, aligned);
        }
    }
}

#define DEFINE_TRANSPOSE(name, bytes)                                                                        \
    AVX512 static void name(reorg_band_t *band) {                                                            \
        if (band->aligned)                                                                                   \
            transpose_band(band, bytes, true);                                                               \
        else                                                                                                 \
            transpose_band(band, bytes, false);                                                              \
    }

DEFINE_TRANSPOSE(transpose_4, 4)
DEFINE_TRANSPOSE(transpose_8, 8)

reorg_band_fn_t rts_reorg_band_transpose_avx512(size_t element_bytes) {
    return element_bytes == 4 ? transpose_4 : element_bytes == 8 ? transpose_8 : NULL;
}

#endif
