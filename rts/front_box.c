/* Counting; see the header. */
#include <config.h>

#include "rts/front_box.h"

static rts_index_t length(const rts_front_box_t *fronts, int axis) {
    return fronts->box.hi[axis] - fronts->box.lo[axis];
}

void rts_front_box_clip(rts_front_box_t *fronts) {
    const rts_index_t count =
        rts_box_is_empty(&fronts->box)
            ? 0
            : fronts->lag * (length(fronts, fronts->row_axis) - 1) + length(fronts, fronts->column_axis);
    fronts->front_lo = rts_max(0, fronts->front_lo);
    fronts->front_hi = rts_max(fronts->front_lo, rts_min(count, fronts->front_hi));
}

rts_index_t rts_front_box_size(const rts_front_box_t *fronts) {
    rts_index_t planes = 1, size = 0;
    rts_front_box_t clipped = *fronts;
    rts_front_box_clip(&clipped);
    for (int axis = 0; axis < fronts->box.rank; axis++)
        if (axis != fronts->row_axis && axis != fronts->column_axis)
            planes *= length(fronts, axis);
    for (rts_index_t front = clipped.front_lo; front < clipped.front_hi; front++) {
        rts_index_t lo, hi;
        rts_front_rows(length(fronts, fronts->row_axis), length(fronts, fronts->column_axis), fronts->lag,
                       front, &lo, &hi);
        size += hi - lo;
    }
    return planes * size;
}
