/* Reorganisation: copies of boxes whose two sides lie differently. Shared by the files of this family only.
 *
 * How to read: a job becomes one or two plans (host_reorganise.c). A plan is a family of planes with coordinates x and y such
 * that x ascends along the target's rows. Either y ascends along the source's rows (TRANSPOSE), or x does there too, but
 * neighbouring x come from different rows (SHEAR: what a diagonal layout needs). host_reorganise_tiles.c walks a plane in
 * tiles: a kernel fills a buffer that fits the first or second level cache, whole cache lines of it are streamed to the
 * target. Kernels know nothing of layouts and nothing of alignment. */
#ifndef RTS_HOST_REORGANISE_H
#define RTS_HOST_REORGANISE_H

#include "rts/host/host_internal.h"

#define REORG_LINE 64

/** What a kernel needs to fill rows of a buffer; nx and ny are positive. */
typedef struct reorg_fill {
    char *to; /* element (x, y) goes to to + y * to_step + x * element_bytes */
    ptrdiff_t to_step;
    const char *from;
    const rts_index_t *rows; /* byte offsets of source rows from `from` */
    rts_index_t nx, ny;
    size_t element_bytes;
    int slope;   /* SHEAR: element (x, y) is number x of row y + slope * x; TRANSPOSE: number y of row x */
    bool mirror; /* SHEAR: number x lies at -x instead */
    /* SHEAR with slope +-1, called for the same x and one group of rows after another: room for what a kernel keeps from
     * call to call, 1024 bytes for each line of x, aligned to lines; NULL: keep nothing. All groups but the last have a
     * multiple of 8 rows. */
    char *state;
    bool resume;       /* not the first group */
    rts_index_t after; /* rows of later groups */
} reorg_fill_t;

typedef void (*reorg_fill_fn_t)(const reorg_fill_t *fill);

/** Instruction sets, each includes those before it. */
typedef enum rts_reorg_level {
    RTS_REORG_PORTABLE = 0,
    RTS_REORG_SSE2,
    RTS_REORG_AVX2,
    RTS_REORG_AVX512,
    RTS_REORG_LEVELS
} rts_reorg_level_t;

/** Stream whole lines to aligned memory, bypassing the caches where the machine can. */
typedef void (*reorg_stream_fn_t)(char *to, const char *from, size_t bytes);

struct reorg_band; /* host_reorganise_bands.h */
typedef void (*reorg_band_fn_t)(struct reorg_band *band);

typedef struct reorg_kernels {
    reorg_fill_fn_t transpose, shear;
    reorg_stream_fn_t stream;
    reorg_band_fn_t band_transpose; /* NULL: none */
} reorg_kernels_t;

/** Kernels for elements of a size, at the level in force. */
reorg_kernels_t rts_reorg_kernels(size_t element_bytes);

/** Greatest level that this machine has. */
rts_reorg_level_t rts_reorg_level_supported(void);

/** Tests: use this level, at most what is supported, until the next call. */
void rts_reorg_level_force(rts_reorg_level_t level);

/** Tests: treat copies from this many bytes on as larger than the caches; 0: by the machine. */
void rts_reorg_stream_from(int64_t bytes);

/** Write bytes to a place of any alignment, whole lines with `stream` unless that is NULL. */
void rts_reorg_write_run(reorg_stream_fn_t stream, char *to, const char *from, rts_index_t bytes);

/* Kernels by level; NULL where the level has none for a size. Kernels below are complete by themselves. */
reorg_fill_fn_t rts_reorg_transpose_sse2(size_t element_bytes);
reorg_fill_fn_t rts_reorg_transpose_avx2(size_t element_bytes);
reorg_fill_fn_t rts_reorg_transpose_avx512(size_t element_bytes);
reorg_fill_fn_t rts_reorg_shear_avx2(size_t element_bytes);
reorg_fill_fn_t rts_reorg_shear_avx512(size_t element_bytes);
reorg_stream_fn_t rts_reorg_stream_sse2(void);
reorg_stream_fn_t rts_reorg_stream_avx512(void);
reorg_band_fn_t rts_reorg_band_transpose_avx512(size_t element_bytes);

/** Portable kernels on part of a tile: [x_lo, nx) x [0, ny) and the like, for what blocks leave over. */
void rts_reorg_transpose_rest(const reorg_fill_t *fill, rts_index_t x_lo, rts_index_t x_hi, rts_index_t y_lo,
                              rts_index_t y_hi);
void rts_reorg_shear_rest(const reorg_fill_t *fill, rts_index_t x_lo, rts_index_t x_hi, rts_index_t y_lo,
                          rts_index_t y_hi);

/* ---- plans ---- */

/** Rows of one side, numbered: at start + number * step bytes, or along the diagonals of a layout. */
typedef struct reorg_rows {
    const rts_layout_t *layout; /* NULL: affine */
    bool cyclic; /* affine: numbers are taken modulo hi - lo into [lo, hi), instead of being clamped */
    int sign;    /* diagonal: number along the row is sign * i_q */
    rts_index_t start, step; /* bytes */
    rts_index_t lo, hi;      /* row numbers are clamped to this range */
} reorg_rows_t;

/** lo <= cx * x + cy * y < hi */
typedef struct reorg_limit {
    int cx, cy;
    rts_index_t lo, hi;
} reorg_limit_t;

typedef struct reorg_axis {
    rts_index_t extent, source_step, target_step; /* bytes */
} reorg_axis_t;

#define REORG_MAX_AXES (RTS_MAX_RANK + 1)

typedef enum reorg_family { REORG_TRANSPOSE, REORG_SHEAR } reorg_family_t;

typedef struct reorg_plan {
    reorg_family_t family;
    size_t element_bytes;
    const char *source; /* start of the buffer */
    char *target;
    int64_t source_bytes;
    reorg_rows_t source_rows,
        target_rows; /* SHEAR: row y + slope * x + shift; TRANSPOSE: row x; target: row y */
    int slope;
    rts_index_t shift;
    bool mirror;
    rts_index_t x_lo, x_hi, y_lo, y_hi;
    int limit_count;
    reorg_limit_t limit[2];
    int axis_count; /* around the plane */
    reorg_axis_t axis[REORG_MAX_AXES];
    /* One of these axes may count diagonals: number outer_lo + index of a side whose rows are diagonals. */
    int outer_axis; /* -1: none */
    const reorg_rows_t *outer_rows;
    bool outer_is_source;
    rts_index_t outer_lo;
    int outer_limit_cd; /* limit[0] of the plane holds for cx * x + cy * y + cd * number */
    bool stream;
    int thread_count;
} reorg_plan_t;

/** Run a plan on a team. */
void rts_reorg_run(const reorg_plan_t *plan);

/** The same in bands, which is faster. @return false  the plan has none; nothing was done */
bool rts_reorg_run_bands(const reorg_plan_t *plan);

/** From a diagonal layout to a plain one whose fastest axis is short. d = i_p + b * i_q + k in user indices. */
typedef struct reorg_interleave {
    const rts_copy_job_t *job;
    reorg_rows_t
        rows; /* diagonals, of the first of the other axes' indices; those in [rows.lo, rows.hi) are copied */
    int p, q, b, fastest;
    rts_index_t k, group;     /* group: extent of the axis `fastest` */
    rts_index_t target_start; /* byte offset of i_p = i_q = 0 */
} reorg_interleave_t;

/** @return false  not of these shapes; nothing was done */
bool rts_reorg_interleave(const reorg_interleave_t *plan, int thread_count, bool stream);

/** Offsets in bytes of number 0 of `count` rows from `number` on. */
void rts_reorg_rows(const reorg_rows_t *rows, size_t element_bytes, rts_index_t number, rts_index_t count,
                    rts_index_t offsets_p[]);

/** Copy between two layouts, any kinds; line by line where no plan fits. Allocates nothing.
 * @return false  plain layouts that the ordinary copy is as good for; nothing was done */
bool rts_host_reorganise(const rts_copy_job_t *job, int thread_count);

/**
 * Reorganise a buffer in itself: between two plain layouts that differ in the places of the fastest axis and of one of the
 * same extent, or between a plain layout and a wrap (a = 1) of the same rows.
 *
 * Memory: scratch of some hundred KiB a thread. Padding stays as it is.
 * @return RTS_OK
 * @return RTS_ERR_UNSUPPORTED  other layouts; nothing changed
 * @return RTS_ERR_NO_MEMORY    nothing changed
 */
rts_status_t rts_host_reorganise_in_place(size_t element_bytes, void *buffer, const rts_layout_t *from,
                                          const rts_layout_t *to, int thread_count);

#endif
