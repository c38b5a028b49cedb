/* Copies along fronts: every element of the range goes to its place and back, in the order that messages have, whatever the layout; nothing
 * else is touched. */
#include <config.h>

#include <stdlib.h>

#include "rts/host/host.h"
#include "tests/check.h"

enum { CASES = 3000, MAX_ELEMENTS = 4096, MAX_BYTES = 24 };

static bool is_same(const void *a, const void *b, size_t bytes) {
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static struct {
    rts_layout_t layout;
    rts_front_copy_job_t job;
    unsigned char *buffer, *expected;
    unsigned char values[MAX_ELEMENTS * MAX_BYTES], order[MAX_ELEMENTS * MAX_BYTES];
} example;

static rts_layout_t random_layout(const rts_box_t *box) {
    static const int slopes[] = {-2, -1, 1, 2};
    rts_layout_form_t form = rts_layout_form_home(box->rank);
    rts_layout_t layout;
    check_random_shuffle(box->rank, form.perm);
    form.kind = (rts_layout_kind_t)check_random_range(RTS_LAYOUT_PLAIN, RTS_LAYOUT_PACKED);
    if (form.kind == RTS_LAYOUT_PACKED) {
        form.a = 1;
        form.b = check_random_once_in(2) ? 1 : -1;
    } else {
        form.pitch_align = check_random_range(1, 5);
        form.a = form.kind == RTS_LAYOUT_PLAIN ? 0 : (int)check_random_range(1, 2);
        form.b = form.kind == RTS_LAYOUT_PLAIN ? 0 : slopes[check_random_range(0, 3)];
    }
    CHECK_EQ_INT(rts_layout_make(box, &form, &layout), RTS_OK);
    return layout;
}

/* A part of a box in any layout, with any two axes. At times those of the layout's plane, as replicas for sweeps have them. */
static void draw(void) {
    static const size_t bytes[] = {1, 2, 4, 8, 16, 24};
    rts_box_t whole = {.rank = (int)check_random_range(2, 4)};
    rts_front_box_t *fronts = &example.job.fronts;
    int axes[RTS_MAX_RANK] = {0, 1, 2, 3};
    *fronts = (rts_front_box_t){.lag = check_random_range(1, 3)};
    for (int axis = 0; axis < whole.rank; axis++) {
        whole.lo[axis] = check_random_range(-5, 5);
        whole.hi[axis] = whole.lo[axis] + check_random_range(1, 7);
    }
    example.layout = random_layout(&whole);
    fronts->box = whole;
    for (int axis = 0; axis < whole.rank; axis++) {
        fronts->box.lo[axis] = check_random_range(whole.lo[axis], whole.hi[axis] - 1);
        fronts->box.hi[axis] = check_random_range(fronts->box.lo[axis] + 1, whole.hi[axis]);
    }
    check_random_shuffle(whole.rank, axes);
    const bool in_plane = check_random_once_in(2);
    fronts->row_axis = in_plane ? example.layout.perm[whole.rank - 1] : axes[0];
    fronts->column_axis = in_plane ? example.layout.perm[whole.rank - 2] : axes[1];
    fronts->row_sign = check_random_once_in(2) ? 1 : -1;
    fronts->column_sign = check_random_once_in(2) ? 1 : -1;
    fronts->front_lo = check_random_range(-4, 12);
    fronts->front_hi = fronts->front_lo + check_random_range(0, 16);
    example.job.element_bytes = bytes[check_random_range(0, 5)];
    example.job.layout = &example.layout;
    example.job.values = example.values;
}

static bool next(const rts_box_t *box, int row, int column, rts_index_t index[]) {
    for (int axis = box->rank - 1; axis >= 0; axis--) {
        if (axis == row || axis == column)
            continue;
        if (++index[axis] < box->hi[axis])
            return true;
        index[axis] = box->lo[axis];
    }
    return false;
}

/* Number of elements, and which ones in which order: by trying every row and column of every front. */
static size_t list_elements(rts_index_t place[]) {
    const rts_front_box_t *fronts = &example.job.fronts;
    const rts_box_t *box = &fronts->box;
    const int row = fronts->row_axis, column = fronts->column_axis;
    rts_index_t index[RTS_MAX_RANK];
    size_t count = 0;
    memcpy(index, box->lo, sizeof index);
    do
        for (rts_index_t front = fronts->front_lo; front < fronts->front_hi; front++)
            for (rts_index_t r = 0; r < box->hi[row] - box->lo[row]; r++)
                for (rts_index_t c = 0; c < box->hi[column] - box->lo[column]; c++) {
                    index[row] = fronts->row_sign > 0 ? box->lo[row] + r : box->hi[row] - 1 - r;
                    index[column] = fronts->column_sign > 0 ? box->lo[column] + c : box->hi[column] - 1 - c;
                    if (fronts->lag * r + c == front)
                        place[count++] = rts_layout_offset(&example.layout, index);
                }
    while (next(box, row, column, index));
    return count;
}

static void check_case(void) {
    static rts_index_t place[MAX_ELEMENTS];
    const size_t element = example.job.element_bytes, bytes = (size_t)example.layout.size * element,
                 count = list_elements(place);
    CHECK_EQ_INT(rts_front_box_size(&example.job.fronts), (int64_t)count);
    example.buffer = malloc(bytes);
    example.expected = malloc(bytes);
    if (!CHECK(example.buffer != NULL && example.expected != NULL && count <= MAX_ELEMENTS))
        return;
    for (size_t i = 0; i < bytes; i++)
        example.expected[i] = example.buffer[i] = (unsigned char)check_random_range(0, 255);
    memset(example.values, 7, sizeof example.values);
    example.job.buffer = example.buffer;
    example.job.to_values = true;
    CHECK_EQ_INT(rts_host_ops.copy_fronts(&example.job), RTS_OK);
    for (size_t i = 0; i < count; i++)
        CHECK(is_same(example.values + i * element, example.buffer + (size_t)place[i] * element, element));
    for (size_t i = count * element; i < sizeof example.values; i++)
        CHECK_EQ_INT(example.values[i], 7);
    for (size_t i = 0; i < count * element; i++)
        example.order[i] = example.values[i] = (unsigned char)check_random_range(0, 255);
    example.job.to_values = false;
    CHECK_EQ_INT(rts_host_ops.copy_fronts(&example.job), RTS_OK);
    CHECK(is_same(example.values, example.order, count * element));
    for (size_t i = 0; i < count; i++)
        memcpy(example.expected + (size_t)place[i] * element, example.order + i * element, element);
    CHECK(is_same(example.buffer, example.expected, bytes));
    free(example.buffer);
    free(example.expected);
}

int main(void) {
    const rts_backend_options_t options = {.thread_count = 1};
    int devices;
    check_random_start();
    CHECK_EQ_INT(rts_host_ops.open(&options, &devices), RTS_OK);
    for (int number = 0; number < CASES; number++) {
        draw();
        check_case();
    }
    rts_host_ops.close();
    return check_finish();
}
