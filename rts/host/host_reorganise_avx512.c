/* Kernels for AVX-512. A transposition moves blocks of one line by one line through registers; a shear is a barrel shifter:
 * lanes whose number has bit k set are taken 2^k rows further on. */
#include <config.h>

#include "rts/host/host_reorganise.h"

#if defined(__x86_64__)

#include "rts/host/host_reorganise_vector.h"

AVX512 static void stream_lines(char *to, const char *from, size_t bytes) {
    if (bytes == 0)
        _mm_sfence();
    for (size_t at = 0; at < bytes; at += REORG_LINE)
        _mm512_stream_si512((__m512i *)(void *)(to + at), _mm512_loadu_si512(from + at));
}

reorg_stream_fn_t rts_reorg_stream_avx512(void) {
    return stream_lines;
}

/* ---- transposition ---- */

AVX512 static void transpose_8(const reorg_fill_t *fill) {
    for (rts_index_t x = 0; x < fill->nx; x += 8) {
        const rts_index_t *const rows = fill->rows + x;
        const int nx = (int)rts_min(fill->nx - x, 8);
        const __mmask8 to_mask = (__mmask8)((1u << nx) - 1);
        char *to = fill->to + x * 8;
        for (rts_index_t y = 0; y < fill->ny; y += 8, to += 8 * fill->to_step) {
            const int ny = (int)rts_min(fill->ny - y, 8);
            const char *const from = fill->from + y * 8;
            __m512i r[8];
            if (nx == 8 && ny == 8) {
                for (int i = 0; i < 8; i++)
                    r[i] = _mm512_loadu_si512(from + rows[i]);
                transpose_8x8(r);
                for (int i = 0; i < 8; i++)
                    _mm512_storeu_si512(to + i * fill->to_step, r[i]);
            } else {
                const __mmask8 from_mask = (__mmask8)((1u << ny) - 1);
                for (int i = 0; i < 8; i++)
                    r[i] =
                        i < nx ? _mm512_maskz_loadu_epi64(from_mask, from + rows[i]) : _mm512_setzero_si512();
                transpose_8x8(r);
                /* Short rows that follow each other: what is too much, the next ones overwrite. */
                const bool overwritten = fill->nx <= 8 && fill->to_step == fill->nx * 8 && y + 16 <= fill->ny;
                for (int i = 0; i < 8; i++)
                    if (overwritten)
                        _mm512_storeu_si512(to + i * fill->to_step, r[i]);
                    else if (i < ny)
                        _mm512_mask_storeu_epi64(to + i * fill->to_step, to_mask, r[i]);
            }
        }
    }
}

AVX512 static void transpose_4(const reorg_fill_t *fill) {
    for (rts_index_t x = 0; x < fill->nx; x += 16) {
        const rts_index_t *const rows = fill->rows + x;
        const int nx = (int)rts_min(fill->nx - x, 16);
        const __mmask16 to_mask = (__mmask16)((1u << nx) - 1);
        char *to = fill->to + x * 4;
        for (rts_index_t y = 0; y < fill->ny; y += 16, to += 16 * fill->to_step) {
            const int ny = (int)rts_min(fill->ny - y, 16);
            const char *const from = fill->from + y * 4;
            __m512i r[16];
            if (nx == 16 && ny == 16) {
                for (int i = 0; i < 16; i++)
                    r[i] = _mm512_loadu_si512(from + rows[i]);
                transpose_16x16(r);
                for (int i = 0; i < 16; i++)
                    _mm512_storeu_si512(to + i * fill->to_step, r[i]);
            } else {
                const __mmask16 from_mask = (__mmask16)((1u << ny) - 1);
                for (int i = 0; i < 16; i++)
                    r[i] =
                        i < nx ? _mm512_maskz_loadu_epi32(from_mask, from + rows[i]) : _mm512_setzero_si512();
                transpose_16x16(r);
                /* Short rows that follow each other: what is too much, the next ones overwrite. */
                const bool overwritten =
                    fill->nx <= 16 && fill->to_step == fill->nx * 4 && y + 32 <= fill->ny;
                for (int i = 0; i < 16; i++)
                    if (overwritten)
                        _mm512_storeu_si512(to + i * fill->to_step, r[i]);
                    else if (i < ny)
                        _mm512_mask_storeu_epi32(to + i * fill->to_step, to_mask, r[i]);
            }
        }
    }
}

/* ---- elements of at most a line, as masked vectors ---- */

AVX512 static void transpose_line(const reorg_fill_t *fill) {
    const rts_index_t bytes = (rts_index_t)fill->element_bytes;
    const __mmask64 mask = ~UINT64_C(0) >> (64 - bytes);
    for (rts_index_t y = 0; y < fill->ny; y += 8) {
        const rts_index_t ny = rts_min(fill->ny - y, 8);
        for (rts_index_t x = 0; x < fill->nx; x++) {
            const char *const from = fill->from + fill->rows[x] + y * bytes;
            char *const to = fill->to + y * fill->to_step + x * bytes;
            for (rts_index_t i = 0; i < ny; i++)
                _mm512_mask_storeu_epi8(to + i * fill->to_step, mask,
                                        _mm512_maskz_loadu_epi8(mask, from + i * bytes));
        }
    }
}

reorg_fill_fn_t rts_reorg_transpose_avx512(size_t element_bytes) {
    switch (element_bytes) {
    case 4:
        return transpose_4;
    case 8:
        return transpose_8;
    default:
        return element_bytes >= 16 && element_bytes <= REORG_LINE ? transpose_line : NULL;
    }
}

/* ---- shear ---- */

/* Of feed rows f(0), f(1), .. output row i takes lane j from f(i + j), or from f(i + STEPS - 1 - j) for slope < 0, where STEPS
 * is the number of elements in a line. Stage k takes lanes whose number (or its complement) has bit k set 2^k rows further on.
 * A row passes all stages when it is loaded; each keeps its last 2^k inputs. Turns of 8 rows make their places constant. */

typedef struct shifter {
    __m512i f, g[2], h[4], k[8];
    __mmask16 bit[4]; /* lanes of 4 bytes; the order of stages is k, h, g, f where there are fewer than 4 */
} shifter_t;

/** Pass a row on. @return output of the last stage */
INLINE __m512i shifter_step(shifter_t *shifter, int stages, int turn, __m512i row) {
    __m512i next = _mm512_mask_blend_epi32(shifter->bit[0], shifter->f, row);
    shifter->f = row;
    row = next;
    next = _mm512_mask_blend_epi32(shifter->bit[1], shifter->g[turn & 1], row);
    shifter->g[turn & 1] = row;
    row = next;
    if (stages == 2)
        return row;
    next = _mm512_mask_blend_epi32(shifter->bit[2], shifter->h[turn & 3], row);
    shifter->h[turn & 3] = row;
    row = next;
    if (stages == 3)
        return row;
    next = _mm512_mask_blend_epi32(shifter->bit[3], shifter->k[turn & 7], row);
    shifter->k[turn & 7] = row;
    return next;
}

/** Choose lanes. */
INLINE void shifter_set(shifter_t *shifter, int stages, bool down) {
    for (int k = 0; k < 4; k++) {
        const unsigned groups[4] = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};
        const unsigned bit = groups[rts_min(k + 4 - stages, 3)];
        shifter->bit[k] = (__mmask16)(down ? ~bit : bit);
    }
}

/** The parameters that a column's loops need as constants or in registers. */
typedef struct column {
    const char *from;
    const rts_index_t *rows;
    rts_index_t size, lo,
        hi; /* feed rows outside lo..hi are not in the table, and only for lanes that are not stored */
    char *to;
    ptrdiff_t to_step;
    __mmask16 mask, from_mask;
} column_t;

INLINE __m512i load_mirrored(const char *from, __mmask16 mask, int stages) {
    const __m512i line = _mm512_maskz_loadu_epi32(mask, from);
    if (stages == 4)
        return _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
                                                          0),
                                        line);
    if (stages == 3)
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), line);
    return _mm512_shuffle_i64x2(line, line, 0x1B);
}

/** Feed row m. */
INLINE __m512i load_feed(const column_t *column, rts_index_t m, int stages, bool mirror) {
    const rts_index_t *const row = column->rows + rts_max(rts_min(m, column->hi), column->lo) * column->size;
    return mirror ? load_mirrored(column->from + *row, column->from_mask, stages)
                  : _mm512_maskz_loadu_epi32(column->from_mask, column->from + *row);
}

#define EIGHT(macro) macro(0) macro(1) macro(2) macro(3) macro(4) macro(5) macro(6) macro(7)

/** Output rows [0, count) of a column, whose first feed row is number `feed` of the next turn. */
INLINE void shear_column(const column_t *column, shifter_t *shifter, rts_index_t count, int stages,
                         bool mirror) {
    const rts_index_t feed = (1 << stages) - 1;
    char *to = column->to;
    rts_index_t m = 0;
    if (column->mask == 0xFFFF && column->size == 1) {
        for (; m + 8 <= count; m += 8, to += 8 * column->to_step) {
            const rts_index_t *const rows = column->rows + m + feed;
#define FULL_STEP(i)                                                                                         \
    {                                                                                                        \
        const char *const from = column->from + rows[i];                                                     \
        const __m512i row = mirror ? load_mirrored(from, 0xFFFF, stages) : _mm512_loadu_si512(from);         \
        _mm512_storeu_si512(to + (i)*column->to_step, shifter_step(shifter, stages, i, row));                \
    }
            EIGHT(FULL_STEP)
        }
    }
    for (; m < count; m += 8, to += 8 * column->to_step) {
        const rts_index_t left = count - m;
#define PARTIAL_STEP(i)                                                                                      \
    {                                                                                                        \
        const __m512i row = load_feed(column, m + feed + (i), stages, mirror);                               \
        const __m512i out = shifter_step(shifter, stages, i, row);                                           \
        if ((i) < left)                                                                                      \
            _mm512_mask_storeu_epi32(to + (i)*column->to_step, column->mask, out);                           \
    }
        EIGHT(PARTIAL_STEP)
    }
}

/** Feed rows 0 .. STEPS - 2, the turn before the first. */
INLINE void shear_begin(const column_t *column, shifter_t *shifter, int stages, bool mirror) {
    const rts_index_t steps = 1 << stages;
    shifter->f = _mm512_setzero_si512();
    for (int i = 0; i < 8; i++)
        shifter->g[i & 1] = shifter->h[i & 3] = shifter->k[i] = shifter->f;
    for (rts_index_t m = steps == 16 ? -9 : -1; m < (steps == 16 ? 15 : steps == 8 ? 7 : 3); m += 8) {
        const rts_index_t base = steps == 4 ? m - 4 : m;
        (void)base;
#define BEGIN_STEP(i) (void)shifter_step(shifter, stages, i, load_feed(column, base + (i), stages, mirror));
        EIGHT(BEGIN_STEP)
    }
}

INLINE void shear_line(const reorg_fill_t *fill, rts_index_t x, rts_index_t residue, int stages, bool down,
                       bool mirror) {
    const rts_index_t steps = 1 << stages, bytes = REORG_LINE / steps;
    const rts_index_t size = down ? -fill->slope : fill->slope;
    const rts_index_t count = (fill->ny - residue + size - 1) / size; /* rows of this residue */
    const rts_index_t last_lane = rts_min(steps, fill->nx - x) - 1;
    const int lanes = (int)((last_lane + 1) * bytes / 4);
    column_t column = {.size = size,
                       .lo = down ? steps - 1 - last_lane : 0,
                       .hi = count - 1 + (down ? steps - 1 : last_lane + fill->after),
                       .to = fill->to + residue * fill->to_step + x * bytes,
                       .to_step = size * fill->to_step,
                       .mask = (__mmask16)((1u << lanes) - 1)};
    const int from_mask = mirror ? (0xFFFF << (16 - lanes)) & 0xFFFF : column.mask;
    column.from_mask = (__mmask16)from_mask;
    column.from = fill->from + (mirror ? -(x + steps - 1) : x) * bytes;
    column.rows = fill->rows + residue + fill->slope * x - (down ? (steps - 1) * size : 0);
    char *const state = fill->state == NULL ? NULL : fill->state + x * bytes * 16;
    shifter_t shifter;
    shifter_set(&shifter, stages, down);
#define STATE(macro)                                                                                         \
    macro(0, f) macro(1, g[0]) macro(2, g[1]) macro(3, h[0]) macro(4, h[1]) macro(5, h[2]) macro(6, h[3])    \
        macro(7, k[0]) macro(8, k[1]) macro(9, k[2]) macro(10, k[3]) macro(11, k[4]) macro(12, k[5])         \
            macro(13, k[6]) macro(14, k[7])
#define STATE_LOAD(i, member) shifter.member = _mm512_load_si512(state + ((i) < steps - 1 ? (i) : 0) * 64);
#define STATE_STORE(i, member)                                                                               \
    if ((i) < steps - 1)                                                                                     \
        _mm512_store_si512(state + (i)*64, shifter.member);
    if (fill->resume) {
        STATE(STATE_LOAD)
    } else {
        shear_begin(&column, &shifter, stages, mirror);
    }
    shear_column(&column, &shifter, count, stages, mirror);
    if (state != NULL) {
        STATE(STATE_STORE)
    }
}

/** A column of whole lines, slope 1 or -1, from beginning to end: all of its feed rows are in the table. */
INLINE void shear_whole_line(const reorg_fill_t *fill, rts_index_t x, int stages, bool down, bool mirror) {
    const rts_index_t steps = 1 << stages, bytes = REORG_LINE / steps;
    const char *const from = fill->from + (mirror ? -(x + steps - 1) : x) * bytes;
    const rts_index_t *rows = fill->rows + (down ? 1 - x - steps : x);
    char *to = fill->to + x * bytes;
    shifter_t shifter;
    shifter_set(&shifter, stages, down);
#define NEXT_ROW (mirror ? load_mirrored(from + *rows++, 0xFFFF, stages) : _mm512_loadu_si512(from + *rows++))
#define FIRST_STEP(i)                                                                                        \
    if ((i) >= first)                                                                                        \
        (void)shifter_step(&shifter, stages, i, NEXT_ROW);
    int first = 1; /* of a turn: steps - 1 rows come before the first output */
    if (steps == 16) {
        EIGHT(FIRST_STEP)
    }
    first = steps == 16 ? 0 : 9 - (int)steps;
    EIGHT(FIRST_STEP)
    rts_index_t y = 0;
    for (; y + 8 <= fill->ny; y += 8, to += 8 * fill->to_step) {
#define WHOLE_STEP(i)                                                                                        \
    _mm512_storeu_si512(to + (i)*fill->to_step, shifter_step(&shifter, stages, i, NEXT_ROW));
        EIGHT(WHOLE_STEP)
    }
#define LAST_STEP(i)                                                                                         \
    if ((i) < fill->ny - y)                                                                                  \
        _mm512_storeu_si512(to + (i)*fill->to_step, shifter_step(&shifter, stages, i, NEXT_ROW));
    EIGHT(LAST_STEP)
}

INLINE void shear_any_line(const reorg_fill_t *fill, rts_index_t x, int stages, bool down, bool mirror) {
    const rts_index_t size = down ? -fill->slope : fill->slope;
    if (size == 1 && fill->state == NULL && x + (1 << stages) <= fill->nx) {
        shear_whole_line(fill, x, stages, down, mirror);
        return;
    }
    for (rts_index_t residue = 0; residue < rts_min(size, fill->ny); residue++)
        shear_line(fill, x, residue, stages, down, mirror);
}

#define DEFINE_SHEAR(name, stages)                                                                           \
    AVX512 static void name(const reorg_fill_t *fill) {                                                      \
        for (rts_index_t x = 0; x < fill->nx; x += 1 << (stages)) {                                          \
            if (fill->mirror)                                                                                \
                shear_any_line(fill, x, stages, fill->slope < 0, true);                                      \
            else if (fill->slope < 0)                                                                        \
                shear_any_line(fill, x, stages, true, false);                                                \
            else                                                                                             \
                shear_any_line(fill, x, stages, false, false);                                               \
        }                                                                                                    \
        if (fill->slope == 0)                                                                                \
            rts_reorg_shear_rest(fill, 0, fill->nx, 0, fill->ny);                                            \
    }

DEFINE_SHEAR(shear_4, 4)
DEFINE_SHEAR(shear_8, 3)
DEFINE_SHEAR(shear_16, 2)

reorg_fill_fn_t rts_reorg_shear_avx512(size_t element_bytes) {
    switch (element_bytes) {
    case 4:
        return shear_4;
    case 8:
        return shear_8;
    case 16:
        return shear_16;
    default:
        return NULL;
    }
}

#endif
