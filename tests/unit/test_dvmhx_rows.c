/* Where rows lie (dvmhx_rows_at, dvmhx_row): every neighbour of every element of small arrays, in every kind of layout, against
 * rts/layout.h. What a loop makes of it is tested in test_dvmhx_run_rows.c. */
#include <config.h>

#include <dvmhx_run.h>

#include "tests/unit/rows_array.h"

static bool is_inside(const rts_box_t *box, const rts_index_t index[]) {
    bool inside = true;
    for (int axis = 0; axis < box->rank; axis++)
        inside = inside && index[axis] >= box->lo[axis] && index[axis] < box->hi[axis];
    return inside;
}

/* Every neighbour of every element; and rows of neighbours that there are not are rows all the same. */
static void test_rows(rts_layout_kind_t kind, int a, int b) {
    const rts_index_t lo[3] = {check_random_range(-5, 5), check_random_range(-5, 5),
                               check_random_range(-5, 5)};
    const rts_box_t box = {.rank = 3,
                           .lo = {lo[0], lo[1], lo[2]},
                           .hi = {lo[0] + check_random_range(1, 3), lo[1] + check_random_range(1, 11),
                                  lo[2] + check_random_range(1, 11)}};
    const int perm[] = {1, 0, 2}, other_perm[] = {0, 2, 1};
    rts_layout_t layout;
    DvmType stride[3];
    dvmhx_array_t array;
    rts_index_t index[RTS_MAX_RANK] = {0}, wrong = 0, outside = 0;
    const int *const chosen = check_random_once_in(2) ? perm : other_perm;
    if (!CHECK_EQ_INT(kind == RTS_LAYOUT_PLAIN
                          ? rts_layout_plain(&box, chosen, 1, &layout)
                          : rts_layout_diagonal(&box, chosen, check_random_range(1, 4), kind, a, b, &layout),
                      RTS_OK))
        return;
    double *const buffer = malloc((size_t)layout.size * sizeof(double));
    if (buffer == NULL)
        return;
    rows_array_of(&layout, buffer, stride, &array);
    const int p = chosen[1], q = chosen[2];
    memcpy(index, box.lo, sizeof index);
    do {
        const DvmType at[] = {index[0], index[1], index[2]};
        const dvmhx_rows_t rows = dvmhx_rows_at(&array, at);
        for (DvmType dp = -4; dp <= 4; dp++) {
            for (DvmType dq = -4; dq <= 4; dq++) {
                rts_index_t other[RTS_MAX_RANK] = {index[0], index[1], index[2]};
                const double *const row = dvmhx_row(&rows, dp, dq);
                other[p] += dp;
                other[q] += dq;
                if (is_inside(&box, other))
                    wrong += row + index[q] != buffer + rts_layout_offset(&layout, other);
                const rts_index_t place = row - dq + box.lo[q] - buffer;
                outside += place < 0 || place >= layout.size || place % layout.pitch != 0;
            }
        }
    } while (next_index(&box, index));
    CHECK_EQ_INT(wrong, 0);
    CHECK_EQ_INT(outside, 0);
    free(buffer);
}

int main(void) {
    check_random_start();
    for (int round = 0; round < 40; round++) {
        test_rows(RTS_LAYOUT_PLAIN, 1, 0);
        for (int a = 1; a <= 2; a++) {
            for (int b = -2; b <= 2; b++) {
                if (b == 0)
                    continue;
                test_rows(RTS_LAYOUT_SKEW, a, b);
                test_rows(RTS_LAYOUT_WRAP, a, b);
            }
        }
    }
    return check_finish();
}
