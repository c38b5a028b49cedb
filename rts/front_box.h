/* Elements of a box that lie on fronts of two of its axes: row and column, which count from 0 at one end of the box each; front number
 * lag * row + column. Pure arithmetic; their order is that of messages: for each index along the other axes, in C order, front after front,
 * and on a front row after row. */
#ifndef RTS_FRONT_BOX_H
#define RTS_FRONT_BOX_H

#include "rts/box.h"

typedef struct rts_front_box {
    rts_box_t box;
    int row_axis, column_axis;      /* different */
    int row_sign, column_sign;      /* 1: counted from the low end, -1: from the high end */
    rts_index_t lag;                /* >= 1 */
    rts_index_t front_lo, front_hi; /* may reach beyond the fronts that there are */
} rts_front_box_t;

/** Keep only fronts that there are. */
void rts_front_box_clip(rts_front_box_t *fronts);

/** Rows [*lo_p, *hi_p) that a front meets, for a front number that there is; maybe none where lag > 1. */
static inline void rts_front_rows(rts_index_t rows, rts_index_t columns, rts_index_t lag, rts_index_t front,
                                  rts_index_t *lo_p, rts_index_t *hi_p) {
    *lo_p = front < columns ? 0 : (front - columns) / lag + 1;
    *hi_p = rts_min(rows, front / lag + 1);
}

/** Number of elements. */
rts_index_t rts_front_box_size(const rts_front_box_t *fronts);

#endif
