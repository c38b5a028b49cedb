/* Walks the planes of a plan that fits the caches, such as an edge of an array on its way to a neighbour: kernels write straight to
 * the target. What is copied was just written or is read soon, so that there is nothing to stream past the caches, and lines need
 * not be whole when they are written.
 *
 * A window is copied in groups of few rows, since its rows, often a power of two apart, would not stay in the first level
 * cache. Columns that only some rows of a group have, as at the ends of diagonals, go through the tile's buffer. */
#include <config.h>

#include "rts/host/host_reorganise_tiles.h"

#include <string.h>

/** Rows of a window, the targets of which are `step` bytes apart. */
typedef struct cached_group {
    const reorg_window_t *window;
    rts_index_t y, ny, step;
    rts_index_t lo, hi;         /* columns that any row has, counted from the window's start */
    rts_index_t all_lo, all_hi; /* those that all rows have; lo <= all_lo <= all_hi <= hi */
} cached_group_t;

/** The rows from y on that are equally far apart, at most as many as the shape says. */
static void find_rows(const reorg_tile_job_t *job, const reorg_window_t *window, rts_index_t y,
                      cached_group_t *group) {
    const reorg_item_t *const item = window->item;
    const rts_index_t most = rts_min(item->ny - y, job->shape.group);
    *group = (cached_group_t){.window = window, .y = y, .ny = most};
    if (most == 1)
        return;
    const rts_index_t *const target = item->row_target + y;
    group->step = target[1] - target[0];
    if (job->plan->target_rows.layout == NULL)
        return;
    for (group->ny = 2; group->ny < most; group->ny++)
        if (target[group->ny] - target[group->ny - 1] != group->step)
            return;
}

/** The group's columns. Those of all rows begin and end with a line of the plane, as long as there are others. */
static void find_columns(const reorg_plan_t *plan, cached_group_t *group) {
    const reorg_window_t *const window = group->window;
    const rts_index_t lanes = rts_max(REORG_LINE / (rts_index_t)plan->element_bytes, 1);
    const rts_index_t before = (window->x - plan->x_lo) % lanes; /* columns of the window's first line */
    if (plan->limit_count == 0) {
        group->hi = group->all_hi = window->nx;
        return;
    }
    group->lo = window->nx;
    group->all_hi = window->nx;
    for (rts_index_t y = group->y; y < group->y + group->ny; y++) {
        const rts_index_t lo = rts_max(window->item->row_lo[y] - window->x, 0);
        const rts_index_t hi = rts_min(window->item->row_hi[y] - window->x, window->nx);
        group->all_lo = rts_max(group->all_lo, lo);
        group->all_hi = rts_min(group->all_hi, hi);
        if (lo < hi) {
            group->lo = rts_min(group->lo, lo);
            group->hi = rts_max(group->hi, hi);
        }
    }
    if (group->all_lo > group->lo)
        group->all_lo = rts_div_up(group->all_lo + before, lanes) * lanes - before;
    if (group->all_hi < group->hi)
        group->all_hi = (group->all_hi + before) / lanes * lanes - before;
    if (group->all_lo >= group->all_hi)
        group->all_lo = group->all_hi = group->lo;
}

static char *target_of(const cached_group_t *group, rts_index_t y, rts_index_t column, rts_index_t bytes) {
    const reorg_item_t *const item = group->window->item;
    return item->plane.target + item->row_target[y] + (group->window->x + column) * bytes;
}

/** Columns [lo, hi), all rows. */
static void fill(const reorg_tile_t *tile, const cached_group_t *group, rts_index_t lo, rts_index_t hi,
                 char *to, rts_index_t to_step) {
    const reorg_plan_t *const plan = tile->job->plan;
    const reorg_window_t *const window = group->window;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    reorg_fill_t job = {.to = to,
                        .to_step = to_step,
                        .from = window->from,
                        .rows = window->rows + lo,
                        .nx = hi - lo,
                        .ny = group->ny,
                        .element_bytes = plan->element_bytes,
                        .slope = plan->slope,
                        .mirror = plan->mirror};
    if (plan->family == REORG_SHEAR) {
        job.from += (plan->mirror ? -lo : lo) * bytes;
        job.rows += window->first + group->y + (plan->slope - 1) * lo;
        tile->job->kernels.shear(&job);
        return;
    }
    /* A line of the source's rows at a time, so that it is the target that is walked along rows. */
    const rts_index_t lanes = rts_max(REORG_LINE / bytes, 1);
    const rts_index_t rows = job.nx <= lanes ? group->ny : lanes;
    for (rts_index_t y = 0; y < group->ny; y += rows) {
        job.to = to + y * to_step;
        job.from = window->from + (group->y + y) * bytes;
        job.ny = rts_min(rows, group->ny - y);
        tile->job->kernels.transpose(&job);
    }
}

/** Columns [lo, hi) that only some rows have. */
static void copy_some(reorg_tile_t *tile, const cached_group_t *group, rts_index_t lo, rts_index_t hi) {
    const rts_index_t bytes = (rts_index_t)tile->job->plan->element_bytes;
    const reorg_window_t *const window = group->window;
    if (lo >= hi)
        return;
    fill(tile, group, lo, hi, tile->buffer, tile->pitch);
    for (rts_index_t y = group->y; y < group->y + group->ny; y++) {
        const rts_index_t begin = rts_max(window->item->row_lo[y] - window->x, lo);
        const rts_index_t end = rts_min(window->item->row_hi[y] - window->x, hi);
        if (begin < end)
            memcpy(target_of(group, y, begin, bytes),
                   tile->buffer + (y - group->y) * tile->pitch + (begin - lo) * bytes,
                   (size_t)((end - begin) * bytes));
    }
}

static void copy_group(reorg_tile_t *tile, cached_group_t *group) {
    const reorg_plan_t *const plan = tile->job->plan;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    const reorg_window_t *const window = group->window;
    if (!window->safe && !rts_reorg_is_safe(plan, window, group->y, group->ny)) {
        rts_reorg_fill_slow(plan, window, group->y, group->ny, target_of(group, group->y, 0, bytes),
                            group->step);
        return;
    }
    find_columns(plan, group);
    if (group->all_lo < group->all_hi)
        fill(tile, group, group->all_lo, group->all_hi, target_of(group, group->y, group->all_lo, bytes),
             group->step);
    copy_some(tile, group, group->lo, group->all_lo);
    copy_some(tile, group, group->all_hi, group->hi);
}

void rts_reorg_run_cached(reorg_tile_t *tile) {
    const reorg_window_t *window = rts_reorg_next_window(tile, NULL);
    for (; window != NULL; window = rts_reorg_next_window(tile, window)) {
        cached_group_t group;
        for (rts_index_t y = 0; y < window->item->ny; y += group.ny) {
            find_rows(tile->job, window, y, &group);
            copy_group(tile, &group);
        }
    }
}
