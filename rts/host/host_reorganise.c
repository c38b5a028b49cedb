/* Makes plans of reorganisations: finds, for a pair of layouts, the coordinates in which the copy is a transposition or a
 * shear of planes.
 *
 * A diagonal layout has rows d = i_p + b * i_q + K (user indices). w = sign * i_q ascends along a row. In (d, w) it is a
 * table of rows, and any plain layout is affine: i_p = d - b * i_q - K. */
#include <config.h>

#include "rts/host/host_reorganise.h"

#include <string.h>

/** Elements longer than this are not transposed: their rows are copied one by one. */
#define LONG_ELEMENT 256

static int64_t forced_stream_bytes;

void rts_reorg_stream_from(int64_t bytes) {
    forced_stream_bytes = bytes;
}

/** Half of the cache: source and target share it. */
static int64_t stream_bytes(void) {
    static int64_t known;
    if (forced_stream_bytes > 0)
        return forced_stream_bytes;
    if (known == 0)
        known = (int64_t)rts_host_cache_bytes() / 2;
    return known;
}

static rts_index_t extent_of(const rts_box_t *box, int axis) {
    return box->hi[axis] - box->lo[axis];
}

static bool is_diagonal(const rts_layout_t *layout) {
    return layout->kind != RTS_LAYOUT_PLAIN;
}

/** The axis along which a plain layout's elements are neighbours, of those longer than 1; -1: none. */
static int fastest_axis(const rts_layout_t *layout, const rts_box_t *box) {
    for (int axis = 0; axis < box->rank; axis++)
        if (layout->stride[axis] == 1 && extent_of(box, axis) > 1)
            return axis;
    return -1;
}

static void add_axis(reorg_plan_t *plan, rts_index_t extent, rts_index_t source_step,
                     rts_index_t target_step) {
    if (extent == 1)
        return;
    int place = plan->axis_count++;
    for (; place > 0 && plan->axis[place - 1].target_step < target_step; place--)
        plan->axis[place] = plan->axis[place - 1];
    plan->axis[place] = (reorg_axis_t){extent, source_step, target_step};
}

/** Start a plan; the axes of the box that `taken` leaves are those around the planes. */
static void plan_begin(const rts_copy_job_t *job, unsigned taken, reorg_plan_t *plan) {
    const rts_index_t bytes = (rts_index_t)job->element_bytes;
    *plan = (reorg_plan_t){.element_bytes = job->element_bytes,
                           .source = job->source,
                           .target = job->target,
                           .source_bytes = job->source_layout->size * bytes,
                           .outer_axis = -1};
    for (int axis = 0; axis < job->box.rank; axis++)
        if ((taken >> axis & 1) == 0)
            add_axis(plan, extent_of(&job->box, axis), job->source_layout->stride[axis] * bytes,
                     job->target_layout->stride[axis] * bytes);
}

/* ---- diagonals ---- */

/** The diagonal side of a job, in terms of rows d and w = sign * i_q. */
typedef struct diagonal {
    const rts_layout_t *layout;
    int p, q, b, sign;
    rts_index_t k;          /* d = i_p + b * sign * w + k */
    rts_index_t d_lo, d_hi; /* diagonals to look at */
    rts_index_t w_lo, w_hi;
    rts_index_t outer_offset; /* bytes: what the other axes' first indices add */
} diagonal_t;

static void diagonal_set(const rts_layout_t *layout, const rts_copy_job_t *job, int sign, rts_index_t d_lo,
                         rts_index_t d_hi, diagonal_t *diagonal) {
    const rts_box_t *const box = &job->box;
    const int p = layout->perm[box->rank - 2], q = layout->perm[box->rank - 1];
    *diagonal = (diagonal_t){.layout = layout, .p = p, .q = q, .b = layout->b * sign, .sign = sign};
    diagonal->k = layout->c - layout->box.lo[p] - layout->b * layout->box.lo[q];
    const rts_index_t at_lo = layout->b * box->lo[q], at_hi = layout->b * (box->hi[q] - 1);
    diagonal->d_lo = rts_max(d_lo, box->lo[p] + rts_min(at_lo, at_hi) + diagonal->k);
    diagonal->d_hi = rts_min(d_hi, box->hi[p] + rts_max(at_lo, at_hi) + diagonal->k);
    diagonal->w_lo = sign > 0 ? box->lo[q] : 1 - box->hi[q];
    diagonal->w_hi = sign > 0 ? box->hi[q] : 1 - box->lo[q];
    for (int axis = 0; axis < box->rank; axis++)
        if (axis != p && axis != q)
            diagonal->outer_offset += layout->stride[axis] * (box->lo[axis] - layout->box.lo[axis]);
    diagonal->outer_offset *= (rts_index_t)job->element_bytes;
}

static reorg_rows_t diagonal_rows(const diagonal_t *diagonal) {
    return (reorg_rows_t){.layout = diagonal->layout,
                          .sign = diagonal->sign,
                          .start = diagonal->outer_offset,
                          .lo = diagonal->d_lo,
                          .hi = diagonal->d_hi};
}

/** Byte offset in a plain layout of i_p = i_q = 0, the other axes at the box's start. */
static rts_index_t plain_start(const rts_layout_t *layout, const rts_copy_job_t *job, int p, int q) {
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, job->box.lo, sizeof(index));
    const rts_index_t offset =
        rts_layout_offset(layout, index) - layout->stride[p] * index[p] - layout->stride[q] * index[q];
    return offset * (rts_index_t)job->element_bytes;
}

static reorg_rows_t affine_rows(rts_index_t start, rts_index_t step, rts_index_t lo, rts_index_t hi) {
    return (reorg_rows_t){.start = start, .step = step, .lo = lo, .hi = hi};
}

static void limit_p(reorg_plan_t *plan, const rts_copy_job_t *job, const diagonal_t *diagonal, int cx,
                    int cy) {
    plan->limit[plan->limit_count++] = (reorg_limit_t){cx, cy, job->box.lo[diagonal->p] + diagonal->k,
                                                       job->box.hi[diagonal->p] + diagonal->k};
}

/** Plain and diagonal, both with q fastest: x = w; y = d or i_p. */
static void plan_shear(const rts_copy_job_t *job, const diagonal_t *diagonal, bool to_diagonal,
                       reorg_plan_t *plan) {
    const rts_layout_t *const plain = to_diagonal ? job->source_layout : job->target_layout;
    const rts_index_t bytes = (rts_index_t)job->element_bytes;
    const int p = diagonal->p, q = diagonal->q, b = diagonal->b;
    plan_begin(job, 1u << p | 1u << q, plan);
    plan->family = REORG_SHEAR;
    plan->x_lo = diagonal->w_lo;
    plan->x_hi = diagonal->w_hi;
    const reorg_rows_t plain_rows =
        affine_rows(plain_start(plain, job, p, q), plain->stride[p] * bytes, job->box.lo[p], job->box.hi[p]);
    if (to_diagonal) {
        plan->mirror = diagonal->sign < 0;
        plan->target_rows = diagonal_rows(diagonal);
        plan->source_rows = plain_rows;
        plan->slope = -b;
        plan->shift = -diagonal->k;
        plan->y_lo = diagonal->d_lo;
        plan->y_hi = diagonal->d_hi;
        limit_p(plan, job, diagonal, -b, 1);
        return;
    }
    /* x = i_q ascends in the target; the source's rows may descend. */
    const int b_q = diagonal->layout->b;
    plan->mirror = diagonal->sign < 0;
    plan->x_lo = job->box.lo[q];
    plan->x_hi = job->box.hi[q];
    plan->source_rows = diagonal_rows(diagonal);
    plan->target_rows = plain_rows;
    plan->slope = b_q;
    plan->shift = diagonal->k;
    plan->y_lo = job->box.lo[p];
    plan->y_hi = job->box.hi[p];
    plan->limit[plan->limit_count++] =
        (reorg_limit_t){b_q, 1, diagonal->d_lo - diagonal->k, diagonal->d_hi - diagonal->k};
}

/** The same to WRAP where the box has all of p, so that it has all of every row of the buffer: y = row, without ragged ends. The
 * plain side's rows come around after the last one. For what stays in the caches; elsewhere rows that come in turn are
 * fetched ahead. @return false  not so; nothing was done */
static bool plan_whole_rows(const rts_copy_job_t *job, const diagonal_t *diagonal, reorg_plan_t *plan) {
    const rts_layout_t *const layout = diagonal->layout;
    const rts_index_t bytes = (rts_index_t)job->element_bytes;
    const int p = diagonal->p, q = diagonal->q;
    if (layout->kind != RTS_LAYOUT_WRAP || extent_of(&job->box, p) != layout->rows)
        return false;
    /* Row 0: the layout's first element lies in row c. */
    const rts_index_t start = rts_layout_offset(layout, layout->box.lo) -
                              layout->c % layout->rows * layout->pitch - layout->box.lo[q];
    plan_begin(job, 1u << p | 1u << q, plan);
    plan->family = REORG_SHEAR;
    plan->target_rows =
        affine_rows(diagonal->outer_offset + start * bytes, layout->pitch * bytes, 0, layout->rows);
    plan->source_rows = affine_rows(plain_start(job->source_layout, job, p, q),
                                    job->source_layout->stride[p] * bytes, job->box.lo[p], job->box.hi[p]);
    plan->source_rows.cyclic = true;
    plan->slope = -diagonal->b;
    plan->shift = -diagonal->k;
    plan->x_lo = diagonal->w_lo;
    plan->x_hi = diagonal->w_hi;
    plan->y_hi = layout->rows;
    return true;
}

/** The plain side's fastest axis is p: a transposition of (d, w). */
static void plan_diagonal_transpose(const rts_copy_job_t *job, const diagonal_t *diagonal, bool to_diagonal,
                                    reorg_plan_t *plan) {
    const rts_layout_t *const plain = to_diagonal ? job->source_layout : job->target_layout;
    const rts_index_t bytes = (rts_index_t)job->element_bytes;
    const int p = diagonal->p, q = diagonal->q, b = diagonal->b;
    plan_begin(job, 1u << p | 1u << q, plan);
    plan->family = REORG_TRANSPOSE;
    const rts_index_t step = diagonal->sign * plain->stride[q] - b;
    const reorg_rows_t plain_rows = affine_rows(plain_start(plain, job, p, q) - diagonal->k * bytes,
                                                step * bytes, diagonal->w_lo, diagonal->w_hi);
    if (to_diagonal) {
        plan->source_rows = plain_rows;
        plan->target_rows = diagonal_rows(diagonal);
        plan->x_lo = diagonal->w_lo;
        plan->x_hi = diagonal->w_hi;
        plan->y_lo = diagonal->d_lo;
        plan->y_hi = diagonal->d_hi;
        limit_p(plan, job, diagonal, -b, 1);
    } else {
        plan->source_rows = diagonal_rows(diagonal);
        plan->target_rows = plain_rows;
        plan->x_lo = diagonal->d_lo;
        plan->x_hi = diagonal->d_hi;
        plan->y_lo = diagonal->w_lo;
        plan->y_hi = diagonal->w_hi;
        limit_p(plan, job, diagonal, 1, -b);
    }
}

/** The plain side's fastest axis is some other one: transpositions of (w, that axis), for every d. */
static void plan_diagonal_outer(const rts_copy_job_t *job, const diagonal_t *diagonal,
                                const reorg_rows_t *rows, int fastest, bool to_diagonal, reorg_plan_t *plan) {
    const rts_layout_t *const plain = to_diagonal ? job->source_layout : job->target_layout;
    const rts_index_t bytes = (rts_index_t)job->element_bytes;
    const int p = diagonal->p, q = diagonal->q, b = diagonal->b;
    plan_begin(job, 1u << p | 1u << q | 1u << fastest, plan);
    plan->family = REORG_TRANSPOSE;
    const rts_index_t step_p = plain->stride[p] * bytes;
    const rts_index_t step_w = diagonal->sign * plain->stride[q] * bytes - b * step_p;
    const rts_index_t start = plain_start(plain, job, p, q) + (diagonal->d_lo - diagonal->k) * step_p;
    /* The axis `fastest` counts from 0. */
    const rts_index_t extent = extent_of(&job->box, fastest);
    const reorg_rows_t along = affine_rows(start, step_w, diagonal->w_lo, diagonal->w_hi);
    const reorg_rows_t across = affine_rows(0, diagonal->layout->stride[fastest] * bytes, 0, extent);
    plan->outer_axis = 0;
    plan->outer_rows = rows;
    plan->outer_is_source = !to_diagonal;
    plan->outer_lo = diagonal->d_lo;
    plan->outer_limit_cd = 1;
    memmove(&plan->axis[1], &plan->axis[0], (size_t)plan->axis_count * sizeof(plan->axis[0]));
    plan->axis_count++;
    plan->axis[0] =
        (reorg_axis_t){diagonal->d_hi - diagonal->d_lo, to_diagonal ? step_p : 0, to_diagonal ? 0 : step_p};
    if (to_diagonal) {
        plan->source_rows = along;
        plan->target_rows = across;
        plan->x_lo = diagonal->w_lo;
        plan->x_hi = diagonal->w_hi;
        plan->y_hi = extent;
        limit_p(plan, job, diagonal, -b, 0);
    } else {
        plan->source_rows = across;
        plan->target_rows = along;
        plan->x_hi = extent;
        plan->y_lo = diagonal->w_lo;
        plan->y_hi = diagonal->w_hi;
        limit_p(plan, job, diagonal, 0, -b);
    }
}

static void run_plan(reorg_plan_t *plan, int thread_count, bool stream) {
    if (plan->x_lo >= plan->x_hi || plan->y_lo >= plan->y_hi)
        return;
    plan->thread_count = thread_count;
    plan->stream = stream;
    if (!rts_reorg_run_bands(plan))
        rts_reorg_run(plan);
}

static void run_diagonal(const rts_copy_job_t *job, const diagonal_t *diagonal, bool to_diagonal, int fastest,
                         int thread_count, bool stream) {
    reorg_plan_t plan;
    const reorg_rows_t rows = diagonal_rows(diagonal);
    if (diagonal->d_lo >= diagonal->d_hi)
        return;
    if (fastest != diagonal->q && fastest != diagonal->p && !to_diagonal) {
        const reorg_interleave_t interleave = {.job = job,
                                               .rows = rows,
                                               .p = diagonal->p,
                                               .q = diagonal->q,
                                               .b = diagonal->layout->b,
                                               .fastest = fastest,
                                               .k = diagonal->k,
                                               .group = extent_of(&job->box, fastest),
                                               .target_start = plain_start(job->target_layout, job,
                                                                           diagonal->p, diagonal->q)};
        if (rts_reorg_interleave(&interleave, thread_count, stream))
            return;
    }
    if (fastest == diagonal->q) {
        if (stream || !to_diagonal || !plan_whole_rows(job, diagonal, &plan))
            plan_shear(job, diagonal, to_diagonal, &plan);
    } else if (fastest == diagonal->p)
        plan_diagonal_transpose(job, diagonal, to_diagonal, &plan);
    else
        plan_diagonal_outer(job, diagonal, &rows, fastest, to_diagonal, &plan);
    run_plan(&plan, thread_count, stream);
}

/** Diagonals [*d_lo_p, *d_hi_p) of part 0 or 1 of a layout, along which i_q goes one way. @return that way, 0: no such part */
static int diagonal_part(const rts_layout_t *layout, int part, rts_index_t *d_lo_p, rts_index_t *d_hi_p) {
    const int p = layout->perm[layout->box.rank - 2], q = layout->perm[layout->box.rank - 1];
    const rts_index_t n_p = extent_of(&layout->box, p), n_q = extent_of(&layout->box, q);
    *d_lo_p = INT64_MIN;
    *d_hi_p = INT64_MAX;
    if (layout->kind != RTS_LAYOUT_PACKED)
        return part == 0;
    if (part == 1 && n_p != n_q)
        return 0;
    if (n_p == n_q)
        *(part == 0 ? d_hi_p : d_lo_p) = n_p;
    const bool ascends = n_p < n_q || (n_p == n_q && part == 0);
    return ascends == (layout->b > 0) ? 1 : -1;
}

static bool reorganise_diagonal(const rts_copy_job_t *job, int thread_count, bool stream) {
    const bool to_diagonal = is_diagonal(job->target_layout);
    const rts_layout_t *const layout = to_diagonal ? job->target_layout : job->source_layout;
    const rts_layout_t *const plain = to_diagonal ? job->source_layout : job->target_layout;
    const int fastest = fastest_axis(plain, &job->box);
    if (is_diagonal(plain) || layout->a != 1 || fastest < 0)
        return false;
    for (int part = 0; part < 2; part++) {
        rts_index_t d_lo, d_hi;
        diagonal_t diagonal;
        const int sign = diagonal_part(layout, part, &d_lo, &d_hi);
        if (sign == 0)
            continue;
        diagonal_set(layout, job, sign, d_lo, d_hi, &diagonal);
        run_diagonal(job, &diagonal, to_diagonal, fastest, thread_count, stream);
    }
    return true;
}

/** Two diagonal layouts of one pair of axes, neither packed: rows of one against rows of the other. */
static bool reorganise_diagonals(const rts_copy_job_t *job, int thread_count, bool stream) {
    diagonal_t from, to;
    reorg_plan_t plan;
    if (job->source_layout->kind == RTS_LAYOUT_PACKED || job->target_layout->kind == RTS_LAYOUT_PACKED ||
        job->source_layout->a != 1 || job->target_layout->a != 1)
        return false;
    diagonal_set(job->source_layout, job, 1, INT64_MIN, INT64_MAX, &from);
    diagonal_set(job->target_layout, job, 1, INT64_MIN, INT64_MAX, &to);
    if (from.p != to.p || from.q != to.q)
        return false;
    plan_begin(job, 1u << from.p | 1u << from.q, &plan);
    plan.family = REORG_SHEAR;
    plan.source_rows = diagonal_rows(&from);
    plan.target_rows = diagonal_rows(&to);
    plan.slope = from.b - to.b;
    plan.shift = from.k - to.k;
    plan.x_lo = to.w_lo;
    plan.x_hi = to.w_hi;
    plan.y_lo = to.d_lo;
    plan.y_hi = to.d_hi;
    limit_p(&plan, job, &to, -to.b, 1);
    run_plan(&plan, thread_count, stream);
    return true;
}

/* ---- plain ---- */

/** Axes of the box longer than 1, slowest in the target first, neighbours joined that are one in both buffers. The last is
 * made part of the element when it is contiguous in both. @return bytes of an element */
static size_t join_axes(const rts_copy_job_t *job, reorg_plan_t *plan) {
    size_t bytes = job->element_bytes;
    int count = 0;
    for (int i = 0; i < plan->axis_count; i++) {
        const reorg_axis_t inner = plan->axis[i];
        reorg_axis_t *const outer = count > 0 ? &plan->axis[count - 1] : NULL;
        if (outer != NULL && outer->source_step == inner.source_step * inner.extent &&
            outer->target_step == inner.target_step * inner.extent)
            *outer = (reorg_axis_t){outer->extent * inner.extent, inner.source_step, inner.target_step};
        else
            plan->axis[count++] = inner;
    }
    if (count > 0 && plan->axis[count - 1].source_step == (rts_index_t)bytes &&
        plan->axis[count - 1].target_step == (rts_index_t)bytes)
        bytes *= (size_t)plan->axis[--count].extent;
    plan->axis_count = count;
    return bytes;
}

static reorg_axis_t take_axis(reorg_plan_t *plan, int place) {
    const reorg_axis_t axis = plan->axis[place];
    plan->axis_count--;
    memmove(&plan->axis[place], &plan->axis[place + 1],
            (size_t)(plan->axis_count - place) * sizeof(plan->axis[0]));
    return axis;
}

/** Rows of bytes. @return false  rows too short to be worth it */
static bool plan_rows(reorg_plan_t *plan, size_t row_bytes) {
    if (row_bytes <= LONG_ELEMENT)
        return false;
    plan->family = REORG_SHEAR;
    plan->element_bytes = 1;
    plan->x_hi = (rts_index_t)row_bytes;
    plan->y_hi = 1;
    if (plan->axis_count > 0) {
        const reorg_axis_t row = take_axis(plan, plan->axis_count - 1);
        plan->y_hi = row.extent;
        plan->source_rows.step = row.source_step;
        plan->target_rows.step = row.target_step;
    }
    plan->source_rows.hi = plan->target_rows.hi = plan->y_hi;
    return true;
}

static bool reorganise_plain(const rts_copy_job_t *job, int thread_count, bool stream) {
    reorg_plan_t plan;
    plan_begin(job, 0, &plan);
    const rts_index_t source_start =
        rts_layout_offset(job->source_layout, job->box.lo) * (rts_index_t)job->element_bytes;
    plan.source_rows.start = source_start;
    plan.target += rts_layout_offset(job->target_layout, job->box.lo) * (rts_index_t)job->element_bytes;
    plan.element_bytes = join_axes(job, &plan);
    const rts_index_t bytes = (rts_index_t)plan.element_bytes;
    int x = -1, y = -1;
    for (int i = 0; i < plan.axis_count; i++) {
        if (plan.axis[i].target_step == bytes)
            x = i;
        if (plan.axis[i].source_step == bytes)
            y = i;
    }
    if (plan.element_bytes > LONG_ELEMENT || x < 0 || y < 0) {
        if (!plan_rows(&plan, plan.element_bytes))
            return false;
        run_plan(&plan, thread_count, stream);
        return true;
    }
    const reorg_axis_t x_axis = plan.axis[x], y_axis = plan.axis[y];
    if (x_axis.extent * y_axis.extent < 512)
        return false;
    (void)take_axis(&plan, x > y ? x : y);
    (void)take_axis(&plan, x > y ? y : x);
    plan.family = REORG_TRANSPOSE;
    plan.x_hi = x_axis.extent;
    plan.y_hi = y_axis.extent;
    plan.source_rows = affine_rows(source_start, x_axis.source_step, 0, x_axis.extent);
    plan.target_rows = affine_rows(0, y_axis.target_step, 0, y_axis.extent);
    run_plan(&plan, thread_count, stream);
    return true;
}

bool rts_host_reorganise(const rts_copy_job_t *job, int thread_count) {
    const int64_t bytes = rts_box_size(&job->box) * (int64_t)job->element_bytes;
    const bool stream = bytes >= stream_bytes();
    const bool from_diagonal = is_diagonal(job->source_layout), to_diagonal = is_diagonal(job->target_layout);
    if (!from_diagonal && !to_diagonal)
        return reorganise_plain(job, thread_count, stream);
    const bool done = from_diagonal && to_diagonal ? reorganise_diagonals(job, thread_count, stream)
                                                   : reorganise_diagonal(job, thread_count, stream);
    if (!done)
        rts_host_copy_lines(job, thread_count);
    return true;
}
