/* Elements along fronts between a buffer and contiguous memory. Along a front addresses move by the same step in all affine layouts, and
 * in WRAP where its rows are these fronts; then a front is one run. Elsewhere every element's place is computed. One thread: there
 * are few elements, and they are sent at once. */
#include <config.h>

#include "rts/host/host_internal.h"

#include <string.h>

typedef struct front_copy {
    const rts_front_copy_job_t *job;
    rts_index_t rows, columns;
    bool has_step;
    rts_index_t step; /* elements from a row to the next on a front */
    char *values;     /* of the next element */
} front_copy_t;

/* Same step wherever the front is. */
static bool find_step(const rts_front_copy_job_t *job, rts_index_t *step_p) {
    const rts_front_box_t *fronts = &job->fronts;
    const rts_layout_t *layout = job->layout;
    const int rank = layout->box.rank;
    if (rts_layout_is_affine(layout)) {
        *step_p = fronts->row_sign * layout->stride[fronts->row_axis] -
                  fronts->lag * fronts->column_sign * layout->stride[fronts->column_axis];
        return true;
    }
    *step_p = fronts->row_sign;
    return layout->kind == RTS_LAYOUT_WRAP && layout->perm[rank - 1] == fronts->row_axis &&
           layout->perm[rank - 2] == fronts->column_axis &&
           layout->b * fronts->row_sign == layout->a * fronts->lag * fronts->column_sign;
}

static inline void copy_run(char *to, rts_index_t to_step, const char *from, rts_index_t from_step,
                            rts_index_t count, size_t bytes) {
    for (rts_index_t i = 0; i < count; i++)
        memcpy(to + i * to_step, from + i * from_step, bytes);
}

/* A constant number of bytes makes memcpy a move of a register. */
static void copy_by_size(char *to, rts_index_t to_step, const char *from, rts_index_t from_step,
                         rts_index_t count, size_t bytes) {
    if (to_step == (rts_index_t)bytes && from_step == to_step) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    switch (bytes) {
    case 4:
        copy_run(to, to_step, from, from_step, count, 4);
        break;
    case 8:
        copy_run(to, to_step, from, from_step, count, 8);
        break;
    case 16:
        copy_run(to, to_step, from, from_step, count, 16);
        break;
    default:
        copy_run(to, to_step, from, from_step, count, bytes);
    }
}

/* From `index` on, which becomes undefined along the two axes. */
static void copy_elements(front_copy_t *copy, rts_index_t index[], rts_index_t count) {
    const rts_front_copy_job_t *job = copy->job;
    const rts_front_box_t *fronts = &job->fronts;
    const rts_index_t bytes = (rts_index_t)job->element_bytes, run = copy->has_step ? count : 1;
    for (rts_index_t done = 0; done < count; done += run) {
        char *element = (char *)job->buffer + rts_layout_offset(job->layout, index) * bytes;
        if (job->to_values)
            copy_by_size(copy->values, bytes, element, copy->step * bytes, run, job->element_bytes);
        else
            copy_by_size(element, copy->step * bytes, copy->values, bytes, run, job->element_bytes);
        copy->values += run * bytes;
        index[fronts->row_axis] += fronts->row_sign;
        index[fronts->column_axis] -= fronts->lag * fronts->column_sign;
    }
}

static rts_index_t index_of(const rts_box_t *box, int axis, int sign, rts_index_t count) {
    return sign > 0 ? box->lo[axis] + count : box->hi[axis] - 1 - count;
}

/* All fronts at one index along the other axes. */
static void copy_plane(front_copy_t *copy, const rts_index_t plane[]) {
    const rts_front_box_t *fronts = &copy->job->fronts;
    rts_index_t index[RTS_MAX_RANK], lo, hi;
    memcpy(index, plane, sizeof index);
    for (rts_index_t front = fronts->front_lo; front < fronts->front_hi; front++) {
        rts_front_rows(copy->rows, copy->columns, fronts->lag, front, &lo, &hi);
        if (lo >= hi)
            continue;
        index[fronts->row_axis] = index_of(&fronts->box, fronts->row_axis, fronts->row_sign, lo);
        index[fronts->column_axis] =
            index_of(&fronts->box, fronts->column_axis, fronts->column_sign, front - fronts->lag * lo);
        copy_elements(copy, index, hi - lo);
    }
}

void rts_host_copy_fronts(const rts_front_copy_job_t *whole) {
    rts_front_copy_job_t job = *whole;
    const rts_box_t *box = &job.fronts.box;
    const int row = job.fronts.row_axis, column = job.fronts.column_axis;
    rts_index_t plane[RTS_MAX_RANK];
    rts_front_box_clip(&job.fronts);
    if (rts_box_is_empty(box))
        return;
    front_copy_t copy = {.job = &job,
                         .rows = box->hi[row] - box->lo[row],
                         .columns = box->hi[column] - box->lo[column],
                         .values = job.values};
    copy.has_step = find_step(&job, &copy.step);
    memcpy(plane, box->lo, sizeof plane);
    for (int axis = 0; axis >= 0;) {
        copy_plane(&copy, plane);
        for (axis = box->rank - 1; axis >= 0; axis--) {
            if (axis == row || axis == column)
                continue;
            if (++plane[axis] < box->hi[axis])
                break;
            plane[axis] = box->lo[axis];
        }
    }
}
