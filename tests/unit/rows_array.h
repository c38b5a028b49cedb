/* An array as a record describes it, from its layout and by the formulas of dvmhx.h alone. */
#ifndef TESTS_UNIT_ROWS_ARRAY_H
#define TESTS_UNIT_ROWS_ARRAY_H

#include <dvmhx.h>

#include "rts/layout.h"
#include "tests/check.h"
#include "tests/next_index.h"

/* @param layout  of rank 2 or more
 * @param stride  becomes the array's strides and must live as long as it */
static inline void rows_array_of(const rts_layout_t *layout, double *buffer, DvmType stride[],
                                 dvmhx_array_t *array) {
    const int axes = layout->box.rank, p = layout->perm[axes - 2], q = layout->perm[axes - 1];
    rts_index_t rows_at = -layout->box.lo[q];
    for (int axis = 0; axis < axes; axis++) {
        stride[axis] = layout->stride[axis];
        if (axis != p && axis != q)
            rows_at -= layout->stride[axis] * layout->box.lo[axis];
    }
    *array = (dvmhx_array_t){.base = rts_layout_is_affine(layout) ? buffer + layout->origin : NULL,
                             .stride = stride,
                             .rank = axes,
                             .element_bytes = sizeof(double),
                             .layout = (DvmType)layout->kind,
                             .row_base = buffer + rows_at,
                             .p = p,
                             .q = q,
                             .a = layout->a,
                             .b = layout->b,
                             .c = layout->c - layout->a * layout->box.lo[p] - layout->b * layout->box.lo[q],
                             .row_count = layout->rows,
                             .pitch = layout->pitch};
}

#endif
