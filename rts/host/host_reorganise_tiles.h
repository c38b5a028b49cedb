/* Geometry of a plan's planes, the shape of its tiles, and the walk over them. Shared by host_reorganise_tiles.c, which copies through a
 * buffer, host_reorganise_cached.c, which does without, and host_reorganise_shape.c. */
#ifndef RTS_HOST_REORGANISE_TILES_H
#define RTS_HOST_REORGANISE_TILES_H

#include "rts/host/host_reorganise.h"

#include <stdatomic.h>

#define REORG_BUFFER_BYTES 98304
#define REORG_MAX_ROWS     512
/** Windows have at most this many elements; with REORG_MAX_ROWS and the steepest slope, 4, they fit a table. */
#define REORG_MAX_WINDOW  512
#define REORG_MAX_TABLE   2560
#define REORG_STATE_BYTES 32768

typedef struct reorg_shape {
    rts_index_t rows, window; /* elements */
    rts_index_t group;        /* SHEAR, or cached: rows at a time */
    bool cached;              /* see host_reorganise_cached.c */
    bool dense;               /* TRANSPOSE: rows of the target follow each other without gaps and are short */
    bool direct;              /* SHEAR of slope 0 */
    rts_index_t plane_count, y_blocks, segments, segment; /* segments of x of this many elements */
    rts_index_t batch;                                    /* items that a thread takes at once */
} reorg_shape_t;

/** A plane with its outer indices applied. */
typedef struct reorg_plane {
    const char *source;
    char *target;
    int64_t source_below, source_above; /* bytes of the source's buffer before and from `source` */
    rts_index_t y_lo, y_hi;
    int limit_count;
    reorg_limit_t limit[2];
} reorg_plane_t;

void rts_reorg_shape(const reorg_plan_t *plan, reorg_shape_t *shape_p);

/** Plane `number` of a plan. */
void rts_reorg_plane(const reorg_plan_t *plan, rts_index_t number, reorg_plane_t *plane_p);

/** Narrow [*lo_p, *hi_p) to what the limits leave of row y. */
void rts_reorg_limit_row(const reorg_plane_t *plane, rts_index_t y, rts_index_t *lo_p, rts_index_t *hi_p);

/* ---- walking ---- */

typedef struct reorg_tile_job {
    const reorg_plan_t *plan;
    reorg_shape_t shape;
    reorg_kernels_t kernels;
    _Atomic rts_index_t next_batch;
} reorg_tile_job_t;

/** Some rows of a plane, all of their x or a segment. */
typedef struct reorg_item {
    rts_index_t number; /* of the plane; -1: none yet */
    reorg_plane_t plane;
    rts_index_t y, ny, x_lo, x_hi;
    rts_index_t row_lo[REORG_MAX_ROWS], row_hi[REORG_MAX_ROWS]; /* x to copy */
    rts_index_t row_target[REORG_MAX_ROWS];                     /* byte offset of x = 0 */
} reorg_item_t;

/** Table of the source rows of a window. */
typedef struct reorg_window {
    const reorg_item_t *item;
    rts_index_t x, nx;
    rts_index_t count, first; /* SHEAR: entry of row 0, element 0 */
    bool safe; /* the whole window can be read: what is not to be copied lies in the buffer too */
    const char *from;
    rts_index_t rows[REORG_MAX_TABLE];
} reorg_window_t;

/** What a thread works with. */
typedef struct reorg_tile {
    const reorg_tile_job_t *job;
    rts_index_t at, end; /* items of the batch */
    rts_index_t pitch;   /* bytes of a row in the buffer, carried line included */
    reorg_item_t item[2];
    reorg_window_t window[2];
    _Alignas(REORG_LINE) char buffer[REORG_BUFFER_BYTES + REORG_LINE];
    _Alignas(REORG_LINE) char carried[REORG_MAX_ROWS * REORG_LINE]; /* SHEAR: per row */
    _Alignas(REORG_LINE) char state[REORG_STATE_BYTES];
} reorg_tile_t;

/** The window after `current`, in its item or the next one. @param current  NULL: the first @return NULL  there is none */
const reorg_window_t *rts_reorg_next_window(reorg_tile_t *tile, const reorg_window_t *current);

/** Whether all that rows [y, y + ny) of a window, whole, are made of can be read. */
bool rts_reorg_is_safe(const reorg_plan_t *plan, const reorg_window_t *window, rts_index_t y, rts_index_t ny);

/** Rows [y, y + ny) of a window, element by element, only what is to be copied. @param to  place of the window's first column */
void rts_reorg_fill_slow(const reorg_plan_t *plan, const reorg_window_t *window, rts_index_t y,
                         rts_index_t ny, char *to, rts_index_t to_step);

/** Copy the items of the tile's batch without a buffer: `shape.cached`. */
void rts_reorg_run_cached(reorg_tile_t *tile);

#endif
