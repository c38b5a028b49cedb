/* Geometry of a plan's planes and the shape of its tiles. Used by host_reorganise_tiles.c only. */
#ifndef RTS_HOST_REORGANISE_TILES_H
#define RTS_HOST_REORGANISE_TILES_H

#include "rts/host/host_reorganise.h"

#define REORG_BUFFER_BYTES 98304
#define REORG_MAX_ROWS     512
/** Windows have at most this many elements; with REORG_MAX_ROWS and the steepest slope, 4, they fit a table. */
#define REORG_MAX_WINDOW  512
#define REORG_MAX_TABLE   2560
#define REORG_STATE_BYTES 32768

typedef struct reorg_shape {
    rts_index_t rows, window; /* elements */
    rts_index_t group;        /* SHEAR: rows at a time */
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

#endif
