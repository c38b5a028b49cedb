/* Copies of boxes line by line, between layouts of any kinds: for boxes that are thin or small where a layout is diagonal, such
 * as the edges of an array, whose planes are no work for tiles.
 *
 * How to read: a line has all indices but one fixed. In a buffer it is a few runs, in which the step from element to element is
 * constant, or grows by a constant from step to step (PACKED: fronts get longer or shorter by one). Plain and skewed layouts have
 * one run a line, wrapped ones as many as the line leaves the plane's last or first row. Decides nothing about when this way is
 * the better one, see rts_host_copy. */
#include <config.h>

#include "rts/host/host_internal.h"

#include <string.h>

/** Longer lines are cut, so that threads can share them. */
#define PIECE 1024
/** The same where other axes are thin: neighbouring lines are in the same cache lines, which should still be there. */
#define SHORT_PIECE 64
/** Axes up to this extent are walked within a piece. */
#define THIN 4
/** Lines of this extent are long enough to prefer an axis for its steps. */
#define LONG_LINE 16

/** Elements with a regular step; in elements of the buffer. */
typedef struct line_run {
    rts_index_t offset, step, growth; /* growth: of the step, from each to the next */
    rts_index_t count;
} line_run_t;

/** One buffer, and what does not change from line to line. */
typedef struct line_side {
    const rts_layout_t *layout;
    rts_plane64_t plane;
    int p, q;
    bool is_bent;         /* lines may have several runs */
    rts_index_t step;     /* from element to element, but where rows wrap around; not PACKED */
    rts_index_t row_step; /* change of d */
} line_side_t;

/** A digit of the number of a piece: an axis, by single indices or by pieces. */
typedef struct line_digit {
    int axis;
    rts_index_t step, count;
} line_digit_t;

typedef struct line_plan line_plan_t;
typedef void (*copy_run_fn_t)(const line_plan_t *plan, const line_run_t *source, const line_run_t *target,
                              rts_index_t count);

struct line_plan {
    const rts_copy_job_t *job;
    line_side_t source, target;
    int line;                         /* axis */
    line_digit_t digit[RTS_MAX_RANK]; /* most significant first; the axis of the lines is one of them */
    rts_index_t piece, count;         /* elements of a piece; pieces of the box */
    copy_run_fn_t copy_run;
};

/* memcpy with a constant size is one or two moves that need no alignment. */
#define DEFINE_COPY_RUN(name, size)                                                                          \
    static void name(const line_plan_t *plan, const line_run_t *source, const line_run_t *target,            \
                     rts_index_t count) {                                                                    \
        const rts_index_t bytes = (rts_index_t)(size);                                                       \
        const char *from = (const char *)plan->job->source + source->offset * bytes;                         \
        char *to = (char *)plan->job->target + target->offset * bytes;                                       \
        rts_index_t from_step = source->step * bytes, to_step = target->step * bytes;                        \
        if (source->growth == 0 && target->growth == 0) {                                                    \
            for (rts_index_t i = 0; i < count; i++)                                                          \
                memcpy(to + i * to_step, from + i * from_step, size);                                        \
            return;                                                                                          \
        }                                                                                                    \
        for (rts_index_t i = 0; i < count; i++) {                                                            \
            memcpy(to, from, size);                                                                          \
            from += from_step;                                                                               \
            to += to_step;                                                                                   \
            from_step += source->growth * bytes;                                                             \
            to_step += target->growth * bytes;                                                               \
        }                                                                                                    \
    }

DEFINE_COPY_RUN(copy_run_1, 1)
DEFINE_COPY_RUN(copy_run_2, 2)
DEFINE_COPY_RUN(copy_run_4, 4)
DEFINE_COPY_RUN(copy_run_8, 8)
DEFINE_COPY_RUN(copy_run_16, 16)
DEFINE_COPY_RUN(copy_run_any, plan->job->element_bytes)

static copy_run_fn_t choose_copy_run(size_t element_bytes) {
    switch (element_bytes) {
    case 1:
        return copy_run_1;
    case 2:
        return copy_run_2;
    case 4:
        return copy_run_4;
    case 8:
        return copy_run_8;
    case 16:
        return copy_run_16;
    default:
        return copy_run_any;
    }
}

/* ---- runs ---- */

/** WRAP: until the line leaves the rows. */
static void wrap_run(const line_side_t *side, rts_index_t i_p, rts_index_t i_q, line_run_t *run) {
    const rts_plane64_t *const plane = &side->plane;
    const rts_index_t d = rts_plane64_d(plane, i_p, i_q);
    const rts_index_t row = d < plane->rows ? d : d % plane->rows;
    const int is_double = side->row_step == 2 || side->row_step == -2;
    run->offset += row * plane->pitch + i_q;
    run->step = side->step;
    run->growth = 0;
    run->count = ((side->row_step > 0 ? plane->rows - 1 - row : row) >> is_double) + 1;
}

/** PACKED: while fronts go on getting longer, staying, or getting shorter. There offsets are a polynomial of degree 2 in d,
 * which three of them determine. */
static void packed_run(const line_side_t *side, rts_index_t i_p, rts_index_t i_q, bool along_p,
                       line_run_t *run) {
    const rts_plane64_t *const plane = &side->plane;
    const rts_index_t low = rts_min(plane->n_p, plane->n_q), high = rts_max(plane->n_p, plane->n_q);
    const rts_index_t d = rts_plane64_d(plane, i_p, i_q);
    const rts_index_t begin = d < low ? 0 : d < high ? low : high;
    const rts_index_t end = d < low ? low : d < high ? high : rts_plane64_fronts(plane);
    run->count = rts_min(run->count, side->row_step > 0 ? end - d : d - begin + 1);
    rts_index_t at[3] = {0};
    for (int i = 0; i < 3 && i < run->count; i++)
        at[i] = rts_plane64_packed(plane, i_p + (along_p ? i : 0), i_q + (along_p ? 0 : i));
    run->offset += at[0];
    run->step = run->count > 1 ? at[1] - at[0] : 0;
    run->growth = run->count > 2 ? at[2] - 2 * at[1] + at[0] : 0;
}

/** The run that begins at an element. @param left  elements of the line from there on */
static void find_run(const line_side_t *side, int line, const rts_index_t index[], rts_index_t left,
                     line_run_t *run) {
    const rts_layout_t *const layout = side->layout;
    if (!side->is_bent) {
        *run = (line_run_t){.offset = rts_layout_offset(layout, index), .step = side->step, .count = left};
        return;
    }
    *run = (line_run_t){.offset = layout->origin, .count = left};
    for (int axis = 0; axis < layout->box.rank; axis++)
        run->offset += layout->stride[axis] * index[axis];
    const rts_index_t i_p = index[side->p] - layout->box.lo[side->p],
                      i_q = index[side->q] - layout->box.lo[side->q];
    if (layout->kind == RTS_LAYOUT_WRAP)
        wrap_run(side, i_p, i_q, run);
    else
        packed_run(side, i_p, i_q, line == side->p, run);
}

static void copy_line(const line_plan_t *plan, const rts_index_t begin[], rts_index_t count) {
    rts_index_t index[RTS_MAX_RANK];
    line_run_t source, target;
    memcpy(index, begin, sizeof(index));
    while (count > 0) {
        find_run(&plan->source, plan->line, index, count, &source);
        find_run(&plan->target, plan->line, index, count, &target);
        const rts_index_t length = rts_min(count, rts_min(source.count, target.count));
        plan->copy_run(plan, &source, &target, length);
        index[plan->line] += length;
        count -= length;
    }
}

/* ---- the box ---- */

static int64_t line_work(void *state, int thread, int team) {
    const line_plan_t *const plan = state;
    const rts_box_t *const box = &plan->job->box;
    rts_index_t index[RTS_MAX_RANK] = {0};
    rts_index_t item, end;
    rts_host_part(plan->count, thread, team, &item, &end);
    rts_index_t number = item;
    for (int i = box->rank - 1; i >= 0; i--) {
        const line_digit_t *const digit = &plan->digit[i];
        index[digit->axis] = box->lo[digit->axis] + number % digit->count * digit->step;
        number /= digit->count;
    }
    for (; item < end; item++) {
        copy_line(plan, index, rts_min(plan->piece, box->hi[plan->line] - index[plan->line]));
        for (int i = box->rank - 1; i >= 0; i--) {
            const line_digit_t *const digit = &plan->digit[i];
            index[digit->axis] += digit->step;
            if (index[digit->axis] < box->hi[digit->axis])
                break;
            index[digit->axis] = box->lo[digit->axis];
        }
    }
    return 0;
}

/** Elements from neighbour to neighbour along an axis, roughly: where there is no constant step, that within a run. */
static rts_index_t nominal_step(const rts_layout_t *layout, int axis) {
    if (rts_layout_is_affine(layout))
        return layout->stride[axis];
    const int rank = layout->box.rank;
    if (axis == layout->perm[rank - 2])
        return layout->a * layout->pitch;
    if (axis == layout->perm[rank - 1])
        return layout->b * layout->pitch + 1;
    return layout->stride[axis];
}

static rts_index_t distance(const rts_copy_job_t *job, int axis) {
    const rts_index_t source = nominal_step(job->source_layout, axis),
                      target = nominal_step(job->target_layout, axis);
    return (source < 0 ? -source : source) + (target < 0 ? -target : target);
}

/** The axis of the lines: of those long enough, or the longest, the one whose elements are nearest. */
static int choose_line(const rts_copy_job_t *job) {
    rts_index_t enough = 1;
    for (int axis = 0; axis < job->box.rank; axis++)
        enough = rts_max(enough, job->box.hi[axis] - job->box.lo[axis]);
    enough = rts_min(enough, LONG_LINE);
    int line = -1;
    for (int axis = 0; axis < job->box.rank; axis++)
        if (job->box.hi[axis] - job->box.lo[axis] >= enough &&
            (line < 0 || distance(job, axis) < distance(job, line)))
            line = axis;
    return line;
}

/** Long axes, the farthest steps first; then the pieces of a line; then the thin axes. */
static void order_digits(line_plan_t *plan) {
    const rts_copy_job_t *const job = plan->job;
    rts_index_t distance_of[RTS_MAX_RANK];
    plan->piece = PIECE;
    for (int axis = 0; axis < job->box.rank; axis++) {
        const rts_index_t extent = job->box.hi[axis] - job->box.lo[axis];
        if (axis != plan->line && extent > 1 && extent <= THIN)
            plan->piece = SHORT_PIECE;
    }
    plan->count = 1;
    for (int axis = 0; axis < job->box.rank; axis++) {
        const rts_index_t extent = job->box.hi[axis] - job->box.lo[axis];
        const rts_index_t step = axis == plan->line ? plan->piece : 1;
        distance_of[axis] = axis == plan->line ? 0
                            : extent <= THIN   ? distance(job, axis) - INT64_MAX
                                               : distance(job, axis);
        const line_digit_t digit = {axis, step, rts_div_up(extent, step)};
        int place = axis;
        for (; place > 0 && distance_of[plan->digit[place - 1].axis] < distance_of[axis]; place--)
            plan->digit[place] = plan->digit[place - 1];
        plan->digit[place] = digit;
        plan->count *= digit.count;
    }
}

static line_side_t make_side(const rts_layout_t *layout, int line) {
    const int rank = layout->box.rank;
    line_side_t side = {.layout = layout, .plane = rts_layout_plane(layout), .p = -1, .q = -1};
    if (!rts_layout_is_affine(layout)) {
        side.p = layout->perm[rank - 2];
        side.q = layout->perm[rank - 1];
    }
    side.is_bent = line == side.p || line == side.q;
    side.step = nominal_step(layout, line);
    side.row_step = line == side.p ? layout->a : layout->b;
    return side;
}

void rts_host_copy_lines(const rts_copy_job_t *job, int thread_count) {
    RTS_ASSERT(job->box.rank >= 1 && !rts_box_is_empty(&job->box));
    line_plan_t plan = {.job = job,
                        .line = choose_line(job),
                        .copy_run = choose_copy_run(job->element_bytes)};
    plan.source = make_side(job->source_layout, plan.line);
    plan.target = make_side(job->target_layout, plan.line);
    order_digits(&plan);
    (void)rts_host_parallel(thread_count, line_work, &plan);
}
