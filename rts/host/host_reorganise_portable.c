/* Kernels without vector instructions, and the choice among all kernels. */
#include <config.h>

#include "rts/host/host_reorganise.h"

#include <string.h>

/* memcpy with a constant size is a few moves that need no alignment. */
#define DEFINE_REST(name, size)                                                                              \
    static void transpose_##name(const reorg_fill_t *fill, rts_index_t x_lo, rts_index_t x_hi,               \
                                 rts_index_t y_lo, rts_index_t y_hi) {                                       \
        const rts_index_t step = fill->to_step, bytes = (rts_index_t)(size);                                 \
        for (rts_index_t x = x_lo; x < x_hi; x++) {                                                          \
            const char *from = fill->from + fill->rows[x] + y_lo * bytes;                                    \
            char *to = fill->to + x * bytes + y_lo * step;                                                   \
            for (rts_index_t y = y_lo; y < y_hi; y++, to += step, from += bytes)                             \
                memcpy(to, from, size);                                                                      \
        }                                                                                                    \
    }                                                                                                        \
    static void shear_##name(const reorg_fill_t *fill, rts_index_t x_lo, rts_index_t x_hi, rts_index_t y_lo, \
                             rts_index_t y_hi) {                                                             \
        const rts_index_t bytes = (rts_index_t)(size), step = fill->mirror ? -bytes : bytes;                 \
        for (rts_index_t y = y_lo; y < y_hi; y++) {                                                          \
            const rts_index_t *rows = fill->rows + y + fill->slope * x_lo;                                   \
            const char *from = fill->from + x_lo * step;                                                     \
            char *to = fill->to + y * fill->to_step + x_lo * bytes;                                          \
            for (rts_index_t x = x_lo; x < x_hi; x++, rows += fill->slope, from += step, to += bytes)        \
                memcpy(to, from + *rows, size);                                                              \
        }                                                                                                    \
    }

DEFINE_REST(1, 1)
DEFINE_REST(2, 2)
DEFINE_REST(4, 4)
DEFINE_REST(8, 8)
DEFINE_REST(12, 12)
DEFINE_REST(16, 16)
DEFINE_REST(24, 24)
DEFINE_REST(32, 32)
DEFINE_REST(40, 40)
DEFINE_REST(any, fill->element_bytes)

#define CHOOSE_REST(kind)                                                                                    \
    switch (fill->element_bytes) {                                                                           \
    case 1:                                                                                                  \
        kind##_1(fill, x_lo, x_hi, y_lo, y_hi);                                                              \
        break;                                                                                               \
    case 2:                                                                                                  \
        kind##_2(fill, x_lo, x_hi, y_lo, y_hi);                                                              \
        break;                                                                                               \
    case 4:                                                                                                  \
        kind##_4(fill, x_lo, x_hi, y_lo, y_hi);                                                              \
        break;                                                                                               \
    case 8:                                                                                                  \
        kind##_8(fill, x_lo, x_hi, y_lo, y_hi);                                                              \
        break;                                                                                               \
    case 12:                                                                                                 \
        kind##_12(fill, x_lo, x_hi, y_lo, y_hi);                                                             \
        break;                                                                                               \
    case 16:                                                                                                 \
        kind##_16(fill, x_lo, x_hi, y_lo, y_hi);                                                             \
        break;                                                                                               \
    case 24:                                                                                                 \
        kind##_24(fill, x_lo, x_hi, y_lo, y_hi);                                                             \
        break;                                                                                               \
    case 32:                                                                                                 \
        kind##_32(fill, x_lo, x_hi, y_lo, y_hi);                                                             \
        break;                                                                                               \
    case 40:                                                                                                 \
        kind##_40(fill, x_lo, x_hi, y_lo, y_hi);                                                             \
        break;                                                                                               \
    default:                                                                                                 \
        kind##_any(fill, x_lo, x_hi, y_lo, y_hi);                                                            \
    }

void rts_reorg_transpose_rest(const reorg_fill_t *fill, rts_index_t x_lo, rts_index_t x_hi, rts_index_t y_lo,
                              rts_index_t y_hi) {
    if (x_lo < x_hi && y_lo < y_hi)
        CHOOSE_REST(transpose)
}

void rts_reorg_shear_rest(const reorg_fill_t *fill, rts_index_t x_lo, rts_index_t x_hi, rts_index_t y_lo,
                          rts_index_t y_hi) {
    if (x_lo < x_hi && y_lo < y_hi)
        CHOOSE_REST(shear)
}

/** In squares, so that lines of either side stay in the first level cache until they are used up. */
static void transpose_portable(const reorg_fill_t *fill) {
    const rts_index_t side = 16;
    for (rts_index_t y = 0; y < fill->ny; y += side)
        for (rts_index_t x = 0; x < fill->nx; x += side)
            rts_reorg_transpose_rest(fill, x, rts_min(x + side, fill->nx), y, rts_min(y + side, fill->ny));
}

static void shear_portable(const reorg_fill_t *fill) {
    const rts_index_t side = 16;
    for (rts_index_t x = 0; x < fill->nx; x += side)
        rts_reorg_shear_rest(fill, x, rts_min(x + side, fill->nx), 0, fill->ny);
}

/* ---- choice ---- */

static int forced_level = -1;

rts_reorg_level_t rts_reorg_level_supported(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return RTS_REORG_AVX512;
    return __builtin_cpu_supports("avx2") ? RTS_REORG_AVX2 : RTS_REORG_SSE2;
#else
    return RTS_REORG_PORTABLE;
#endif
}

void rts_reorg_level_force(rts_reorg_level_t level) {
    forced_level = (int)(level < rts_reorg_level_supported() ? level : rts_reorg_level_supported());
}

reorg_kernels_t rts_reorg_kernels(size_t element_bytes) {
    reorg_kernels_t kernels = {.transpose = transpose_portable, .shear = shear_portable};
#if defined(__x86_64__)
    const rts_reorg_level_t level =
        forced_level >= 0 ? (rts_reorg_level_t)forced_level : rts_reorg_level_supported();
    reorg_fill_fn_t better;
    if (level >= RTS_REORG_SSE2) {
        kernels.stream = rts_reorg_stream_sse2();
        if ((better = rts_reorg_transpose_sse2(element_bytes)) != NULL)
            kernels.transpose = better;
    }
    if (level >= RTS_REORG_AVX2) {
        if ((better = rts_reorg_transpose_avx2(element_bytes)) != NULL)
            kernels.transpose = better;
        if ((better = rts_reorg_shear_avx2(element_bytes)) != NULL)
            kernels.shear = better;
    }
    if (level >= RTS_REORG_AVX512) {
        kernels.stream = rts_reorg_stream_avx512();
        kernels.band_transpose = rts_reorg_band_transpose_avx512(element_bytes);
        if ((better = rts_reorg_transpose_avx512(element_bytes)) != NULL)
            kernels.transpose = better;
        if ((better = rts_reorg_shear_avx512(element_bytes)) != NULL)
            kernels.shear = better;
    }
#else
    (void)element_bytes;
#endif
    return kernels;
}
