/* Kernels for SSE2, which every x86-64 has, and for AVX2. What does not fill a block goes to the portable kernels. */
#include <config.h>

#include "rts/host/host_reorganise.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline))

static void stream_lines(char *to, const char *from, size_t bytes) {
    if (bytes == 0)
        _mm_sfence();
    for (size_t at = 0; at < bytes; at += REORG_LINE) {
        const __m128i *const line = (const __m128i *)(const void *)(from + at);
        __m128i *const target = (__m128i *)(void *)(to + at);
        const __m128i a = _mm_loadu_si128(line), b = _mm_loadu_si128(line + 1);
        const __m128i c = _mm_loadu_si128(line + 2), d = _mm_loadu_si128(line + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
}

reorg_stream_fn_t rts_reorg_stream_sse2(void) {
    return stream_lines;
}

/* A kernel of square blocks: SIDE rows are loaded, transposed and stored. */
#define DEFINE_TRANSPOSE(name, attributes, bytes, SIDE, vector_t, load, store, block)                        \
    attributes static void name(const reorg_fill_t *fill) {                                                  \
        const rts_index_t nx = fill->nx - fill->nx % (SIDE), ny = fill->ny - fill->ny % (SIDE);              \
        for (rts_index_t x = 0; x < nx; x += (SIDE)) {                                                       \
            const rts_index_t *const rows = fill->rows + x;                                                  \
            char *to = fill->to + x * (bytes);                                                               \
            for (rts_index_t y = 0; y < ny; y += (SIDE)) {                                                   \
                const char *const from = fill->from + y * (bytes);                                           \
                vector_t r[SIDE];                                                                            \
                for (int i = 0; i < (SIDE); i++)                                                             \
                    r[i] = load((const vector_t *)(const void *)(from + rows[i]));                           \
                block(r);                                                                                    \
                for (int i = 0; i < (SIDE); i++, to += fill->to_step)                                        \
                    store((vector_t *)(void *)to, r[i]);                                                     \
            }                                                                                                \
        }                                                                                                    \
        rts_reorg_transpose_rest(fill, 0, fill->nx, ny, fill->ny);                                           \
        rts_reorg_transpose_rest(fill, nx, fill->nx, 0, ny);                                                 \
    }

INLINE void block_16(__m128i r[1]) {
    (void)r;
}

INLINE void block_8(__m128i r[2]) {
    const __m128i low = _mm_unpacklo_epi64(r[0], r[1]);
    r[1] = _mm_unpackhi_epi64(r[0], r[1]);
    r[0] = low;
}

INLINE void block_4(__m128i r[4]) {
    const __m128i a = _mm_unpacklo_epi32(r[0], r[1]), b = _mm_unpackhi_epi32(r[0], r[1]);
    const __m128i c = _mm_unpacklo_epi32(r[2], r[3]), d = _mm_unpackhi_epi32(r[2], r[3]);
    r[0] = _mm_unpacklo_epi64(a, c);
    r[1] = _mm_unpackhi_epi64(a, c);
    r[2] = _mm_unpacklo_epi64(b, d);
    r[3] = _mm_unpackhi_epi64(b, d);
}

/* Interleaving the first half with the second, log2(SIDE) times, transposes. */
INLINE void block_2(__m128i r[8]) {
    for (int stage = 0; stage < 3; stage++) {
        __m128i t[8];
        for (int i = 0; i < 4; i++) {
            t[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
            t[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
        }
        for (int i = 0; i < 8; i++)
            r[i] = t[i];
    }
}

INLINE void block_1(__m128i r[16]) {
    for (int stage = 0; stage < 4; stage++) {
        __m128i t[16];
        for (int i = 0; i < 8; i++) {
            t[2 * i] = _mm_unpacklo_epi8(r[i], r[i + 8]);
            t[2 * i + 1] = _mm_unpackhi_epi8(r[i], r[i + 8]);
        }
        for (int i = 0; i < 16; i++)
            r[i] = t[i];
    }
}

DEFINE_TRANSPOSE(transpose_16, , 16, 1, __m128i, _mm_loadu_si128, _mm_storeu_si128, block_16)
DEFINE_TRANSPOSE(transpose_8, , 8, 2, __m128i, _mm_loadu_si128, _mm_storeu_si128, block_8)
DEFINE_TRANSPOSE(transpose_4, , 4, 4, __m128i, _mm_loadu_si128, _mm_storeu_si128, block_4)
DEFINE_TRANSPOSE(transpose_2, , 2, 8, __m128i, _mm_loadu_si128, _mm_storeu_si128, block_2)
DEFINE_TRANSPOSE(transpose_1, , 1, 16, __m128i, _mm_loadu_si128, _mm_storeu_si128, block_1)

reorg_fill_fn_t rts_reorg_transpose_sse2(size_t element_bytes) {
    switch (element_bytes) {
    case 1:
        return transpose_1;
    case 2:
        return transpose_2;
    case 4:
        return transpose_4;
    case 8:
        return transpose_8;
    case 16:
        return transpose_16;
    default:
        return NULL;
    }
}

/* ---- AVX2 ---- */

INLINE AVX2 void block_8_avx2(__m256i r[4]) {
    const __m256i a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
    const __m256i c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
    r[0] = _mm256_permute2x128_si256(a, c, 0x20);
    r[1] = _mm256_permute2x128_si256(b, d, 0x20);
    r[2] = _mm256_permute2x128_si256(a, c, 0x31);
    r[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

INLINE AVX2 void block_4_avx2(__m256i r[8]) {
    __m256i t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        u[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        u[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        u[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        u[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        r[i] = _mm256_permute2x128_si256(u[i], u[i + 4], 0x20);
        r[i + 4] = _mm256_permute2x128_si256(u[i], u[i + 4], 0x31);
    }
}

DEFINE_TRANSPOSE(transpose_8_avx2, AVX2, 8, 4, __m256i, _mm256_loadu_si256, _mm256_storeu_si256, block_8_avx2)
DEFINE_TRANSPOSE(transpose_4_avx2, AVX2, 4, 8, __m256i, _mm256_loadu_si256, _mm256_storeu_si256, block_4_avx2)

reorg_fill_fn_t rts_reorg_transpose_avx2(size_t element_bytes) {
    return element_bytes == 8 ? transpose_8_avx2 : element_bytes == 4 ? transpose_4_avx2 : NULL;
}

/* A shear is a barrel shifter: lanes whose number has bit k set are taken 2^k rows further on. LANES rows at a time. */
#define DEFINE_SHEAR(name, bytes, LANES, STAGES)                                                             \
    AVX2 static void name(const reorg_fill_t *fill) {                                                        \
        const rts_index_t size = fill->slope < 0 ? -fill->slope : fill->slope;                               \
        const rts_index_t group = (LANES)*rts_max(size, 1);                                                  \
        const rts_index_t nx = fill->nx - fill->nx % (LANES),                                                \
                          ny = size > 0 ? fill->ny - fill->ny % group : 0;                                   \
        for (rts_index_t x = 0; x < nx; x += (LANES)) {                                                      \
            const char *const from = fill->from + (fill->mirror ? -(x + (LANES)-1) : x) * (bytes);           \
            for (rts_index_t turn = 0; turn < ny / (LANES); turn++) {                                        \
                /* Rows y, y + size, .. in the order in which lanes ascend. */                               \
                const rts_index_t y = turn / size * group + turn % size;                                     \
                const rts_index_t first = fill->slope < 0 ? y + ((LANES)-1) * size : y;                      \
                const rts_index_t *const rows = fill->rows + first + fill->slope * x;                        \
                char *const to = fill->to + first * fill->to_step + x * (bytes);                             \
                const rts_index_t step = fill->slope < 0 ? -size : size;                                     \
                __m256i r[2 * (LANES)-1];                                                                    \
                for (int i = 0; i < 2 * (LANES)-1; i++) {                                                    \
                    r[i] = _mm256_loadu_si256((const __m256i *)(const void *)(from + rows[i * step]));       \
                    if (fill->mirror)                                                                        \
                        r[i] = name##_reverse(r[i]);                                                         \
                }                                                                                            \
                for (int k = 0; k < (STAGES); k++)                                                           \
                    for (int i = 0; i < 2 * (LANES) - (2 << k); i++)                                         \
                        r[i] = _mm256_blendv_epi8(r[i], r[i + (1 << k)], name##_bit(k));                     \
                for (int i = 0; i < (LANES); i++)                                                            \
                    _mm256_storeu_si256((__m256i *)(void *)(to + i * step * fill->to_step), r[i]);           \
            }                                                                                                \
        }                                                                                                    \
        rts_reorg_shear_rest(fill, 0, fill->nx, ny, fill->ny);                                               \
        rts_reorg_shear_rest(fill, nx, fill->nx, 0, ny);                                                     \
    }

INLINE AVX2 __m256i shear_8_bit(int k) {
    return k == 0 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1);
}
INLINE AVX2 __m256i shear_8_reverse(__m256i v) {
    return _mm256_permute4x64_epi64(v, 0x1B);
}
INLINE AVX2 __m256i shear_4_bit(int k) {
    return k == 0   ? _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1)
           : k == 1 ? _mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1)
                    : _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1);
}
INLINE AVX2 __m256i shear_4_reverse(__m256i v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

DEFINE_SHEAR(shear_8, 8, 4, 2)
DEFINE_SHEAR(shear_4, 4, 8, 3)

reorg_fill_fn_t rts_reorg_shear_avx2(size_t element_bytes) {
    return element_bytes == 8 ? shear_8 : element_bytes == 4 ? shear_4 : NULL;
}

#endif
