/* Geometry of a plan's planes and the shape of its tiles. */
#include <config.h>

#include "rts/host/host_reorganise_tiles.h"

#include <string.h>

/** Source bytes that a row of a transposed tile reads at once. */
#define RUN_BYTES 1024
/** Part of the buffer to use: less leaves more of the caches to the source. */
#define TRANSPOSE_BYTES 65536
#define SHEAR_BYTES     16384
/** Rows of the target up to this length, without gaps between them, are written as one run. */
#define DENSE_ROW_BYTES 2048
/** Bytes of an item where rows are copied as they are, and of a batch of small items. */
#define DIRECT_BYTES     262144
#define BATCH_BYTES      262144
#define BATCHES_A_THREAD 8

/** Columns of a window that is written without a buffer: of rectangles that are transposed; bytes of others. */
#define CACHED_COLUMNS   32
#define CACHED_ROW_BYTES 4096
/** Larger copies gain more from lines that are fetched ahead. */
#define CACHED_BYTES ((rts_index_t)4 << 20)

/* ---- rows ---- */

/** First row of diagonal `number`, wherever that is in memory. */
static rts_index_t diagonal_row(const reorg_rows_t *rows, size_t element_bytes, rts_index_t number) {
    const rts_layout_t *const layout = rows->layout;
    const int p = layout->perm[layout->box.rank - 2], q = layout->perm[layout->box.rank - 1];
    const rts_index_t n_p = layout->box.hi[p] - layout->box.lo[p],
                      n_q = layout->box.hi[q] - layout->box.lo[q];
    const int slope = layout->b < 0 ? -layout->b : layout->b;
    /* The element of this diagonal that is nearest to the start of i_p; j counts along i_q, descending for b < 0. */
    const rts_index_t j = rts_min(number / slope, n_q - 1);
    const rts_index_t i_p = rts_min(number - slope * j, n_p - 1);
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, layout->box.lo, sizeof(index));
    index[p] += i_p;
    index[q] += layout->b < 0 ? n_q - 1 - j : j;
    return rows->start +
           (rts_layout_offset(layout, index) - rows->sign * index[q]) * (rts_index_t)element_bytes;
}

/** WRAP and SKEW: a row is `pitch` further than the one before, or back at the first. */
static void diagonal_rows(const reorg_rows_t *rows, size_t element_bytes, rts_index_t number,
                          rts_index_t count, rts_index_t offsets_p[]) {
    const rts_layout_t *const layout = rows->layout;
    const rts_index_t pitch = layout->pitch * (rts_index_t)element_bytes;
    const rts_index_t turn = layout->kind == RTS_LAYOUT_WRAP ? layout->rows : INT64_MAX;
    const rts_index_t first = rts_min(rts_max(number, rows->lo), rows->hi - 1);
    rts_index_t offset = diagonal_row(rows, element_bytes, first), at = first % turn;
    for (rts_index_t i = 0; i < count; i++) {
        offsets_p[i] = offset;
        if (number + i < rows->lo || number + i >= rows->hi - 1)
            continue;
        offset += pitch;
        if (++at == turn) {
            at = 0;
            offset -= pitch * turn;
        }
    }
}

/** PACKED: a row is as much further as the row before has elements, less what its first number is. */
static void packed_rows(const reorg_rows_t *rows, size_t element_bytes, rts_index_t number, rts_index_t count,
                        rts_index_t offsets_p[]) {
    const rts_layout_t *const layout = rows->layout;
    const int p = layout->perm[layout->box.rank - 2], q = layout->perm[layout->box.rank - 1];
    const rts_index_t last_p = layout->box.hi[p] - layout->box.lo[p] - 1,
                      last_q = layout->box.hi[q] - layout->box.lo[q] - 1;
    /* Whether j = |i_q - its first| ascends along rows; else i_p does. */
    const bool j_ascends = (rows->sign > 0) == (layout->b > 0);
    rts_index_t d = rts_min(rts_max(number, rows->lo), rows->hi - 1);
    rts_index_t offset = diagonal_row(rows, element_bytes, d);
    for (rts_index_t i = 0; i < count; i++) {
        offsets_p[i] = offset;
        if (number + i < rows->lo || number + i >= rows->hi - 1)
            continue;
        const rts_index_t elements = rts_min(rts_min(d, last_p + last_q - d), rts_min(last_p, last_q)) + 1;
        const rts_index_t first_moves = j_ascends ? d >= last_p : -(d < last_q);
        offset += (elements - first_moves) * (rts_index_t)element_bytes;
        d++;
    }
}

static void cyclic_rows(const reorg_rows_t *rows, rts_index_t number, rts_index_t count,
                        rts_index_t offsets_p[]) {
    const rts_index_t all = rows->hi - rows->lo, rest = (number - rows->lo) % all;
    rts_index_t at = rows->lo + (rest < 0 ? rest + all : rest);
    for (rts_index_t i = 0; i < count; i++) {
        offsets_p[i] = rows->start + at * rows->step;
        at = at + 1 < rows->hi ? at + 1 : rows->lo;
    }
}

void rts_reorg_rows(const reorg_rows_t *rows, size_t element_bytes, rts_index_t number, rts_index_t count,
                    rts_index_t offsets_p[]) {
    if (rows->cyclic) {
        cyclic_rows(rows, number, count, offsets_p);
    } else if (rows->layout == NULL && number >= rows->lo && number + count <= rows->hi) {
        for (rts_index_t i = 0; i < count; i++)
            offsets_p[i] = rows->start + (number + i) * rows->step;
    } else if (rows->layout == NULL) {
        for (rts_index_t i = 0; i < count; i++)
            offsets_p[i] = rows->start + rts_min(rts_max(number + i, rows->lo), rows->hi - 1) * rows->step;
    } else if (rows->layout->kind == RTS_LAYOUT_PACKED) {
        packed_rows(rows, element_bytes, number, count, offsets_p);
    } else {
        diagonal_rows(rows, element_bytes, number, count, offsets_p);
    }
}

/* ---- planes ---- */

void rts_reorg_limit_row(const reorg_plane_t *plane, rts_index_t y, rts_index_t *lo_p, rts_index_t *hi_p) {
    for (int i = 0; i < plane->limit_count; i++) {
        const reorg_limit_t *const limit = &plane->limit[i];
        const rts_index_t lo = limit->lo - limit->cy * y, hi = limit->hi - limit->cy * y; /* of cx * x */
        if (limit->cx == 1) { /* mostly; without divisions */
            *lo_p = rts_max(*lo_p, lo);
            *hi_p = rts_min(*hi_p, hi);
        } else if (limit->cx == -1) {
            *lo_p = rts_max(*lo_p, 1 - hi);
            *hi_p = rts_min(*hi_p, 1 - lo);
        } else if (limit->cx > 0) {
            *lo_p = rts_max(*lo_p, rts_div_up(lo, limit->cx));
            *hi_p = rts_min(*hi_p, rts_div_up(hi, limit->cx));
        } else if (limit->cx < 0) {
            *lo_p = rts_max(*lo_p, rts_div_up(-(hi - 1), -limit->cx));
            *hi_p = rts_min(*hi_p, rts_div_down(-lo, -limit->cx) + 1);
        } else if (lo > 0 || hi <= 0) {
            *hi_p = *lo_p;
        }
    }
}

/** Limits that are about y alone. */
static void limit_plane(reorg_plane_t *plane) {
    for (int i = 0; i < plane->limit_count; i++) {
        const reorg_limit_t *const limit = &plane->limit[i];
        if (limit->cx != 0 || limit->cy == 0)
            continue;
        const int size = limit->cy < 0 ? -limit->cy : limit->cy;
        const rts_index_t lo = limit->cy < 0 ? -(limit->hi - 1) : limit->lo;
        const rts_index_t hi = limit->cy < 0 ? -limit->lo : limit->hi - 1;
        plane->y_lo = rts_max(plane->y_lo, rts_div_up(lo, size));
        plane->y_hi = rts_min(plane->y_hi, rts_div_down(hi, size) + 1);
    }
}

void rts_reorg_plane(const reorg_plan_t *plan, rts_index_t number, reorg_plane_t *plane_p) {
    rts_index_t source = 0, target = 0;
    *plane_p = (reorg_plane_t){.y_lo = plan->y_lo, .y_hi = plan->y_hi, .limit_count = plan->limit_count};
    memcpy(plane_p->limit, plan->limit, sizeof(plane_p->limit));
    for (int i = plan->axis_count - 1; i >= 0; i--) {
        const reorg_axis_t *const axis = &plan->axis[i];
        const rts_index_t index = number % axis->extent;
        number /= axis->extent;
        source += index * axis->source_step;
        target += index * axis->target_step;
        if (i == plan->outer_axis) {
            const rts_index_t diagonal = plan->outer_lo + index;
            rts_index_t offset;
            rts_reorg_rows(plan->outer_rows, plan->element_bytes, diagonal, 1, &offset);
            *(plan->outer_is_source ? &source : &target) += offset;
            plane_p->limit[0].lo -= plan->outer_limit_cd * diagonal;
            plane_p->limit[0].hi -= plan->outer_limit_cd * diagonal;
        }
    }
    plane_p->source = plan->source + source;
    plane_p->target = plan->target + target;
    plane_p->source_below = source;
    plane_p->source_above = plan->source_bytes - source;
    limit_plane(plane_p);
}

/* ---- tiles ---- */

/** Without a buffer, see host_reorganise_cached.c. */
static void shape_cached(const reorg_plan_t *plan, rts_index_t nx, rts_index_t ny, reorg_shape_t *shape) {
    const rts_index_t bytes = (rts_index_t)plan->element_bytes, lanes = rts_max(REORG_LINE / bytes, 1);
    const rts_index_t size = plan->slope < 0 ? -plan->slope : plan->slope;
    const rts_index_t wide = rts_max(rts_min(CACHED_ROW_BYTES / bytes, REORG_MAX_WINDOW), 1);
    const bool sheared = plan->family == REORG_SHEAR, limited = plan->limit_count > 0;
    const rts_index_t window = sheared || limited ? wide : rts_max(CACHED_COLUMNS, lanes);
    shape->cached = true;
    shape->group = sheared ? 2 * lanes * size : limited ? lanes : REORG_MAX_ROWS;
    shape->rows = REORG_MAX_ROWS;
    if (plan->thread_count > 1 && window == wide)
        shape->rows = rts_max(rts_div_up(ny, BATCHES_A_THREAD * plan->thread_count), 2 * shape->group);
    shape->window = rts_min(window, nx);
    const rts_index_t pitch = REORG_LINE + rts_div_up(shape->window * bytes, REORG_LINE) * REORG_LINE;
    shape->rows = rts_min(rts_min(shape->rows, REORG_MAX_ROWS), ny);
    shape->group = rts_min(shape->group, rts_max(REORG_BUFFER_BYTES / pitch, 1));
}

/** Whether targets of neighbouring rows are, but for a few, equally far apart, and what is copied fits the caches. */
static bool is_cached(const reorg_plan_t *plan, rts_index_t nx, rts_index_t ny, rts_index_t planes) {
    const rts_layout_t *const layout = plan->target_rows.layout;
    return !plan->stream && planes * nx * ny * (rts_index_t)plan->element_bytes <= CACHED_BYTES &&
           (layout == NULL || layout->kind != RTS_LAYOUT_PACKED) &&
           (plan->family == REORG_TRANSPOSE || plan->slope != 0);
}

static void shape_transposed(const reorg_plan_t *plan, rts_index_t nx, rts_index_t ny, reorg_shape_t *shape) {
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    shape->dense = plan->target_rows.layout == NULL && plan->limit_count == 0 &&
                   plan->target_rows.step == nx * bytes && nx * bytes <= DENSE_ROW_BYTES &&
                   nx <= REORG_MAX_WINDOW;
    if (shape->dense) {
        shape->rows = rts_max(rts_min(rts_min(TRANSPOSE_BYTES / (nx * bytes), REORG_MAX_ROWS), ny), 1);
        shape->window = nx;
        return;
    }
    shape->rows = rts_min(rts_min(rts_max(RUN_BYTES / bytes, 8), REORG_MAX_ROWS), ny);
    /* Whole lines, where elements divide lines. */
    const rts_index_t lines = rts_max(TRANSPOSE_BYTES / shape->rows / REORG_LINE - 1, 1);
    const rts_index_t fits = REORG_BUFFER_BYTES / shape->rows / REORG_LINE - 1;
    shape->window = rts_max(rts_min(lines, fits) * REORG_LINE / bytes, 1);
    shape->window = rts_min(rts_min(shape->window, REORG_MAX_WINDOW), nx);
}

static void shape_sheared(const reorg_plan_t *plan, rts_index_t nx, rts_index_t ny, reorg_shape_t *shape) {
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    const rts_index_t size = plan->slope < 0 ? -plan->slope : plan->slope;
    shape->direct = size == 0 && !plan->mirror;
    if (shape->direct) {
        shape->window = rts_max(rts_min(DIRECT_BYTES / bytes, nx), 1);
        shape->rows =
            rts_max(rts_min(rts_min(DIRECT_BYTES / (shape->window * bytes), REORG_MAX_ROWS), ny), 1);
        return;
    }
    shape->rows = rts_min(REORG_MAX_ROWS, ny);
    shape->group = (bytes < 4 ? REORG_LINE / bytes : 8) * rts_max(size, 1);
    const rts_index_t window = rts_max(SHEAR_BYTES / shape->group / REORG_LINE, 1) * REORG_LINE / bytes;
    shape->window = rts_min(rts_max(rts_min(window, REORG_MAX_WINDOW), 1), nx);
}

void rts_reorg_shape(const reorg_plan_t *plan, reorg_shape_t *shape_p) {
    const rts_index_t nx = plan->x_hi - plan->x_lo, ny = plan->y_hi - plan->y_lo;
    *shape_p = (reorg_shape_t){.plane_count = 1, .segments = 1, .segment = nx, .batch = 1};
    for (int i = 0; i < plan->axis_count; i++)
        shape_p->plane_count *= plan->axis[i].extent;
    if (is_cached(plan, nx, ny, shape_p->plane_count))
        shape_cached(plan, nx, ny, shape_p);
    else if (plan->family == REORG_SHEAR)
        shape_sheared(plan, nx, ny, shape_p);
    else
        shape_transposed(plan, nx, ny, shape_p);
    shape_p->y_blocks = rts_div_up(ny, shape_p->rows);
    const rts_index_t items = shape_p->plane_count * shape_p->y_blocks;
    const rts_index_t wanted = BATCHES_A_THREAD * plan->thread_count;
    if (plan->thread_count > 1 && items < wanted && !shape_p->dense) {
        const rts_index_t windows = rts_div_up(nx, shape_p->window), least = shape_p->direct ? 1 : 4;
        shape_p->segment = rts_max(rts_div_up(windows, rts_div_up(wanted, items)), least) * shape_p->window;
        shape_p->segments = rts_div_up(nx, shape_p->segment);
    }
    const rts_index_t bytes = shape_p->rows * shape_p->segment * (rts_index_t)plan->element_bytes;
    shape_p->batch = rts_max(rts_min(BATCH_BYTES / bytes, items * shape_p->segments / wanted), 1);
}
