/* Copies of boxes in host memory. Large ones are reorganisations (host_reorganise.h); those of diagonal layouts that are thin or
 * small go line by line (host_copy_lines.c); this file chooses, and has the plain copies that both leave: small ones, and those
 * without an axis that is contiguous in either buffer.
 *
 * A copy is first brought to its simplest form (make_plan): axes sorted as the target stores them, neighbours
 * that are contiguous in both buffers joined, and the fastest axis, if contiguous in both, made part of a
 * longer "element". What is left are two axes to walk in blocks, which threads share, and outer axes around
 * them. */
#include <config.h>

#include "rts/host/host_internal.h"

#include "rts/host/host_reorganise.h"

#include <string.h>

/** Copies from this size on are worth a team of threads. */
#define TEAM_BYTES ((int64_t)1 << 20)
/** Plain copies from this size on are worth a plan of a reorganisation. */
#define PLAN_BYTES 8192
/** Boxes of diagonal layouts are copied line by line where the extent along an axis of the plane is at most this, */
#define THIN_EXTENT 4
/** or where there are fewer elements than this, which are no longer than that: plans and tiles cost more than they save. */
#define FEW_ELEMENTS  8192
#define SHORT_ELEMENT 16
/** Longer elements (joined axes) are cut into pieces of this size, so that threads can share them. */
#define PIECE_BYTES ((size_t)1 << 16)
/** Bytes in a block that is walked in the order of both buffers, and in one that is transposed. */
#define BLOCK_BYTES           65536
#define TRANSPOSE_BLOCK_BYTES 8192

/** The box's axes and one of pieces. */
#define MAX_AXES (RTS_MAX_RANK + 1)

typedef struct copy_axis {
    rts_index_t extent;
    rts_index_t source_step, target_step; /* bytes */
} copy_axis_t;

typedef struct copy_block {
    char *target;
    const char *source;
    rts_index_t rows, columns;
    const copy_axis_t *row, *column;
    size_t element_bytes;
} copy_block_t;

typedef void (*copy_block_fn_t)(const copy_block_t *block);

typedef struct copy_plan {
    char *target;
    const char *source;
    size_t element_bytes;
    int axis_count;             /* at least 2 once ready; the last two are the plane walked in blocks */
    copy_axis_t axis[MAX_AXES]; /* slowest in the target first */
    rts_index_t block_rows, block_columns;
    rts_index_t row_blocks, column_blocks; /* in a plane */
    rts_index_t plane_count;
    copy_block_fn_t copy_block;
} copy_plan_t;

/* memcpy with a constant size is one or two moves that need no alignment. */
#define DEFINE_COPY_BLOCK(name, size)                                                                        \
    static void name(const copy_block_t *block) {                                                            \
        for (rts_index_t row = 0; row < block->rows; row++) {                                                \
            char *target = block->target + row * block->row->target_step;                                    \
            const char *source = block->source + row * block->row->source_step;                              \
            const rts_index_t target_step = block->column->target_step;                                      \
            const rts_index_t source_step = block->column->source_step;                                      \
            for (rts_index_t column = 0; column < block->columns; column++)                                  \
                memcpy(target + column * target_step, source + column * source_step, size);                  \
        }                                                                                                    \
    }

DEFINE_COPY_BLOCK(copy_block_1, 1)
DEFINE_COPY_BLOCK(copy_block_2, 2)
DEFINE_COPY_BLOCK(copy_block_4, 4)
DEFINE_COPY_BLOCK(copy_block_8, 8)
DEFINE_COPY_BLOCK(copy_block_16, 16)
DEFINE_COPY_BLOCK(copy_block_any, block->element_bytes)

static copy_block_fn_t choose_copy_block(size_t element_bytes) {
    switch (element_bytes) {
    case 1:
        return copy_block_1;
    case 2:
        return copy_block_2;
    case 4:
        return copy_block_4;
    case 8:
        return copy_block_8;
    case 16:
        return copy_block_16;
    default:
        return copy_block_any;
    }
}

/** Axes longer than 1, slowest in the target first, steps in bytes. */
static void sort_axes(const rts_copy_job_t *job, copy_plan_t *plan) {
    const rts_index_t bytes = (rts_index_t)job->element_bytes;
    plan->axis_count = 0;
    for (int axis = 0; axis < job->box.rank; axis++) {
        const copy_axis_t entry = {.extent = job->box.hi[axis] - job->box.lo[axis],
                                   .source_step = job->source_layout->stride[axis] * bytes,
                                   .target_step = job->target_layout->stride[axis] * bytes};
        if (entry.extent == 1)
            continue;
        int place = plan->axis_count++;
        for (; place > 0 && plan->axis[place - 1].target_step < entry.target_step; place--)
            plan->axis[place] = plan->axis[place - 1];
        plan->axis[place] = entry;
    }
}

/** Join neighbouring axes that are one in both buffers, then the last with the element if it is contiguous in
 * both. */
static void join_axes(copy_plan_t *plan) {
    int joined = 0;
    for (int axis = 1; axis < plan->axis_count; axis++) {
        copy_axis_t *const outer = &plan->axis[joined];
        const copy_axis_t *const inner = &plan->axis[axis];
        if (outer->source_step == inner->source_step * inner->extent &&
            outer->target_step == inner->target_step * inner->extent) {
            outer->extent *= inner->extent;
            outer->source_step = inner->source_step;
            outer->target_step = inner->target_step;
        } else {
            plan->axis[++joined] = *inner;
        }
    }
    if (plan->axis_count == 0)
        return;
    plan->axis_count = joined + 1;
    const copy_axis_t *const last = &plan->axis[joined];
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    if (last->source_step == bytes && last->target_step == bytes) {
        plan->element_bytes *= (size_t)last->extent;
        plan->axis_count--;
    }
}

static void append_axis(copy_plan_t *plan, rts_index_t extent, rts_index_t step) {
    plan->axis[plan->axis_count++] = (copy_axis_t){extent, step, step};
}

/** Choose the plane and its blocks; the plan is ready then. */
static void choose_blocks(copy_plan_t *plan) {
    while (plan->axis_count < 2) { /* axes of extent 1 in front */
        memmove(&plan->axis[1], &plan->axis[0], (size_t)plan->axis_count * sizeof(plan->axis[0]));
        plan->axis[0] = (copy_axis_t){1, 0, 0};
        plan->axis_count++;
    }
    /* The source's fastest axis becomes the row axis; when it is the target's too there is nothing to
     * transpose. */
    copy_axis_t *const column = &plan->axis[plan->axis_count - 1];
    copy_axis_t *const row = column - 1;
    int fastest = plan->axis_count - 1;
    for (int axis = plan->axis_count - 2; axis >= 0; axis--)
        if (plan->axis[axis].extent > 1 && plan->axis[axis].source_step < plan->axis[fastest].source_step)
            fastest = axis;
    const bool transposed = fastest != plan->axis_count - 1;
    if (transposed) {
        const copy_axis_t moved = plan->axis[fastest];
        for (copy_axis_t *axis = &plan->axis[fastest]; axis < row; axis++)
            *axis = axis[1];
        *row = moved;
        rts_index_t side = 64;
        while (side > 8 && side * side * (rts_index_t)plan->element_bytes > TRANSPOSE_BLOCK_BYTES)
            side /= 2;
        plan->block_columns = rts_min(column->extent, side);
        plan->block_rows = rts_min(row->extent, side);
    } else {
        const rts_index_t limit = rts_max(BLOCK_BYTES / (rts_index_t)plan->element_bytes, 1);
        plan->block_columns = rts_min(column->extent, limit);
        plan->block_rows = rts_min(row->extent, rts_max(limit / plan->block_columns, 1));
    }
    plan->row_blocks = rts_div_up(row->extent, plan->block_rows);
    plan->column_blocks = rts_div_up(column->extent, plan->block_columns);
    plan->plane_count = 1;
    for (const copy_axis_t *axis = plan->axis; axis < row; axis++)
        plan->plane_count *= axis->extent;
    plan->copy_block = choose_copy_block(plan->element_bytes);
}

/** Where a thread is: a plane and its offsets. */
typedef struct copy_cursor {
    rts_index_t index[MAX_AXES];
    rts_index_t source_offset, target_offset;
} copy_cursor_t;

static void cursor_set(const copy_plan_t *plan, rts_index_t plane, copy_cursor_t *cursor_p) {
    cursor_p->source_offset = 0;
    cursor_p->target_offset = 0;
    for (int axis = plan->axis_count - 3; axis >= 0; axis--) {
        cursor_p->index[axis] = plane % plan->axis[axis].extent;
        plane /= plan->axis[axis].extent;
        cursor_p->source_offset += cursor_p->index[axis] * plan->axis[axis].source_step;
        cursor_p->target_offset += cursor_p->index[axis] * plan->axis[axis].target_step;
    }
}

static void cursor_advance(const copy_plan_t *plan, copy_cursor_t *cursor) {
    for (int axis = plan->axis_count - 3; axis >= 0; axis--) {
        cursor->source_offset += plan->axis[axis].source_step;
        cursor->target_offset += plan->axis[axis].target_step;
        if (++cursor->index[axis] < plan->axis[axis].extent)
            return;
        cursor->source_offset -= plan->axis[axis].extent * plan->axis[axis].source_step;
        cursor->target_offset -= plan->axis[axis].extent * plan->axis[axis].target_step;
        cursor->index[axis] = 0;
    }
}

static int64_t copy_work(void *state, int thread, int team) {
    const copy_plan_t *const plan = state;
    const copy_axis_t *const row = &plan->axis[plan->axis_count - 2];
    const copy_axis_t *const column = &plan->axis[plan->axis_count - 1];
    rts_index_t item, end;
    rts_host_part(plan->plane_count * plan->row_blocks * plan->column_blocks, thread, team, &item, &end);
    if (item == end)
        return 0;
    rts_index_t column_block = item % plan->column_blocks;
    rts_index_t row_block = item / plan->column_blocks % plan->row_blocks;
    copy_cursor_t cursor;
    cursor_set(plan, item / plan->column_blocks / plan->row_blocks, &cursor);
    copy_block_t block = {.row = row, .column = column, .element_bytes = plan->element_bytes};
    for (; item < end; item++) {
        const rts_index_t first_row = row_block * plan->block_rows;
        const rts_index_t first_column = column_block * plan->block_columns;
        block.rows = rts_min(plan->block_rows, row->extent - first_row);
        block.columns = rts_min(plan->block_columns, column->extent - first_column);
        block.target = plan->target + cursor.target_offset + first_row * row->target_step +
                       first_column * column->target_step;
        block.source = plan->source + cursor.source_offset + first_row * row->source_step +
                       first_column * column->source_step;
        plan->copy_block(&block);
        if (++column_block == plan->column_blocks) {
            column_block = 0;
            if (++row_block == plan->row_blocks) {
                row_block = 0;
                cursor_advance(plan, &cursor);
            }
        }
    }
    return 0;
}

static void run_plan(copy_plan_t *plan, int thread_count) {
    choose_blocks(plan);
    (void)rts_host_parallel(thread_count, copy_work, plan);
}

/** At most one axis, one thread: no plan. */
static void copy_row(const copy_plan_t *plan) {
    const copy_axis_t row = {1, 0, 0}, column = plan->axis_count > 0 ? plan->axis[0] : row;
    const copy_block_t block = {.target = plan->target,
                                .source = plan->source,
                                .rows = 1,
                                .columns = column.extent,
                                .row = &row,
                                .column = &column,
                                .element_bytes = plan->element_bytes};
    choose_copy_block(plan->element_bytes)(&block);
}

/** Plain layouts, whatever their steps. */
static void copy_plain(const rts_copy_job_t *job, int team) {
    const rts_index_t element = (rts_index_t)job->element_bytes;
    copy_plan_t plan = {.element_bytes = job->element_bytes};
    plan.source = (const char *)job->source + rts_layout_offset(job->source_layout, job->box.lo) * element;
    plan.target = (char *)job->target + rts_layout_offset(job->target_layout, job->box.lo) * element;
    sort_axes(job, &plan);
    join_axes(&plan);
    if (team == 1 && plan.axis_count <= 1) {
        copy_row(&plan);
        return;
    }
    const size_t rest = plan.element_bytes % PIECE_BYTES;
    if (plan.element_bytes > PIECE_BYTES) {
        copy_plan_t pieces = plan;
        pieces.element_bytes = PIECE_BYTES;
        append_axis(&pieces, (rts_index_t)(plan.element_bytes / PIECE_BYTES), (rts_index_t)PIECE_BYTES);
        run_plan(&pieces, team);
        plan.source += plan.element_bytes - rest;
        plan.target += plan.element_bytes - rest;
        plan.element_bytes = rest;
    }
    if (plan.element_bytes > 0)
        run_plan(&plan, team);
}

/** Whether tiles are bad for a layout: the box has little of its planes, or reorganisation has no plan for it (a = 2). */
static bool wants_lines(const rts_layout_t *layout, const rts_box_t *box) {
    if (layout->kind == RTS_LAYOUT_PLAIN)
        return false;
    const int p = layout->perm[box->rank - 2], q = layout->perm[box->rank - 1];
    return layout->a != 1 || rts_min(box->hi[p] - box->lo[p], box->hi[q] - box->lo[q]) <= THIN_EXTENT;
}

/** Whether to copy line by line; at least one layout is diagonal. */
static bool prefers_lines(const rts_copy_job_t *job) {
    return wants_lines(job->source_layout, &job->box) || wants_lines(job->target_layout, &job->box) ||
           (job->element_bytes <= SHORT_ELEMENT && rts_box_size(&job->box) < FEW_ELEMENTS);
}

rts_status_t rts_host_copy(const rts_copy_job_t *job, int thread_count) {
    RTS_ASSERT(job->element_bytes >= 1 && rts_box_contains(&job->source_layout->box, &job->box) &&
               rts_box_contains(&job->target_layout->box, &job->box));
    if (rts_box_is_empty(&job->box))
        return RTS_OK;
    const int64_t bytes = rts_box_size(&job->box) * (int64_t)job->element_bytes;
    const int team = bytes >= TEAM_BYTES ? thread_count : 1;
    const bool plain =
        job->source_layout->kind == RTS_LAYOUT_PLAIN && job->target_layout->kind == RTS_LAYOUT_PLAIN;
    if (!plain && prefers_lines(job))
        rts_host_copy_lines(job, team);
    else if ((plain && bytes < PLAN_BYTES) || !rts_host_reorganise(job, team))
        copy_plain(job, team);
    return RTS_OK;
}
