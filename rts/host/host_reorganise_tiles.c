/* Walks the planes of a plan in tiles.
 *
 * A tile is some rows of the target and a window of x. A kernel fills a buffer with it, row after row; then, row by row, whole
 * cache lines go to the target. What is left of a row's last line is carried to the next window, so that every line is
 * written once and whole, whatever the alignment. While lines go out, the source of what comes next is fetched. A sheared
 * window is filled and written in groups of few rows, because its source rows, often a power of two apart, would not
 * stay in the caches. */
#include <config.h>

#include "rts/host/host_reorganise_tiles.h"

#include <string.h>

bool rts_reorg_is_safe(const reorg_plan_t *plan, const reorg_window_t *window, rts_index_t y,
                       rts_index_t ny) {
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    const reorg_plane_t *const plane = &window->item->plane;
    rts_index_t first = 0, count = window->count;            /* rows of the table */
    rts_index_t below = y * bytes, above = (y + ny) * bytes; /* what is read of them */
    if (plan->family == REORG_SHEAR) {
        first = y;
        count -= window->item->ny - ny;
        below = plan->mirror ? (1 - window->nx) * bytes : 0;
        above = plan->mirror ? bytes : window->nx * bytes;
    }
    const rts_index_t *const rows = window->rows + first;
    rts_index_t least = rts_min(rows[0], rows[count - 1]), greatest = rts_max(rows[0], rows[count - 1]);
    const bool monotone = plan->source_rows.layout == NULL && !plan->source_rows.cyclic;
    for (rts_index_t i = 0; i < count && !monotone; i++) {
        least = rts_min(least, rows[i]);
        greatest = rts_max(greatest, rows[i]);
    }
    const rts_index_t at = window->from - plane->source;
    return plane->source_below + at + least + below >= 0 && at + greatest + above <= plane->source_above;
}

/** Fill the table for the window that begins at x. */
static void window_set(const reorg_tile_job_t *job, const reorg_item_t *item, rts_index_t x,
                       reorg_window_t *window) {
    const reorg_plan_t *const plan = job->plan;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    window->item = item;
    window->x = x;
    window->nx = rts_min(job->shape.window, item->x_hi - x);
    window->first = 0;
    rts_index_t number = x;
    if (plan->family == REORG_SHEAR) {
        const rts_index_t reach = (plan->slope < 0 ? -plan->slope : plan->slope) * (window->nx - 1);
        window->count = item->ny + reach;
        window->first = plan->slope < 0 ? reach : 0;
        number = item->y + plan->shift + plan->slope * x - window->first;
        window->from = item->plane.source + (plan->mirror ? -x : x) * bytes;
    } else {
        window->count = window->nx;
        window->from = item->plane.source + item->y * bytes;
    }
    rts_reorg_rows(&plan->source_rows, plan->element_bytes, number, window->count, window->rows);
    window->safe = rts_reorg_is_safe(plan, window, 0, item->ny);
}

/* ---- filling ---- */

void rts_reorg_fill_slow(const reorg_plan_t *plan, const reorg_window_t *window, rts_index_t y_lo,
                         rts_index_t ny, char *to, rts_index_t to_step) {
    const reorg_item_t *const item = window->item;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    for (rts_index_t y = y_lo; y < y_lo + ny; y++, to += to_step) {
        const rts_index_t lo = rts_max(item->row_lo[y], window->x);
        const rts_index_t hi = rts_min(item->row_hi[y], window->x + window->nx);
        for (rts_index_t x = lo; x < hi; x++) {
            const rts_index_t i = x - window->x;
            const char *const from = plan->family == REORG_SHEAR
                                         ? window->from + window->rows[window->first + y + plan->slope * i] +
                                               (plan->mirror ? -i : i) * bytes
                                         : window->from + window->rows[i] + y * bytes;
            memcpy(to + i * bytes, from, plan->element_bytes);
        }
    }
}

static void fill(reorg_tile_t *tile, const reorg_window_t *window, char *to, rts_index_t to_step) {
    const reorg_plan_t *const plan = tile->job->plan;
    if (!window->safe) {
        rts_reorg_fill_slow(plan, window, 0, window->item->ny, to, to_step);
        return;
    }
    const reorg_fill_t job = {.to = to,
                              .to_step = to_step,
                              .from = window->from,
                              .rows = window->rows,
                              .nx = window->nx,
                              .ny = window->item->ny,
                              .element_bytes = plan->element_bytes};
    tile->job->kernels.transpose(&job);
}

/** Columns of a window, counted from its start. */
typedef struct columns {
    rts_index_t lo, hi;
} columns_t;

/** Those that rows [y, y + ny) need, whole lines; none: lo == hi. */
static columns_t needed_columns(const reorg_tile_job_t *job, const reorg_window_t *window, rts_index_t y,
                                rts_index_t ny) {
    const rts_index_t per_line = rts_max(REORG_LINE / (rts_index_t)job->plan->element_bytes, 1);
    rts_index_t lo = window->nx, hi = 0;
    for (rts_index_t i = y; i < y + ny; i++) {
        const rts_index_t row_lo = rts_max(window->item->row_lo[i] - window->x, 0);
        const rts_index_t row_hi = rts_min(window->item->row_hi[i] - window->x, window->nx);
        if (row_lo < row_hi) {
            lo = rts_min(lo, row_lo);
            hi = rts_max(hi, row_hi);
        }
    }
    if (lo >= hi)
        return (columns_t){0, 0};
    return (columns_t){lo / per_line * per_line, rts_min(rts_div_up(hi, per_line) * per_line, window->nx)};
}

/** Columns [lo, hi) of rows [y, y + ny). */
static void fill_columns(reorg_tile_t *tile, const reorg_window_t *window, rts_index_t y, rts_index_t ny,
                         rts_index_t lo, rts_index_t hi, bool resume) {
    const reorg_plan_t *const plan = tile->job->plan;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    const bool keep =
        (plan->slope == 1 || plan->slope == -1) && bytes >= 4 && window->nx * bytes <= REORG_STATE_BYTES / 16;
    if (lo >= hi)
        return;
    const reorg_fill_t job = {.to = tile->buffer + REORG_LINE + lo * bytes,
                              .to_step = tile->pitch,
                              .from = window->from + (plan->mirror ? -lo : lo) * bytes,
                              .rows = window->rows + window->first + y + plan->slope * lo,
                              .nx = hi - lo,
                              .ny = ny,
                              .element_bytes = plan->element_bytes,
                              .slope = plan->slope,
                              .mirror = plan->mirror,
                              .state = keep ? tile->state + lo * bytes * 16 : NULL,
                              .resume = keep && resume,
                              .after = keep ? window->item->ny - y - ny : 0};
    tile->job->kernels.shear(&job);
}

/** Rows [y, y + ny) of a window. @param columns  those of the group before; becomes those of this one */
static void fill_group(reorg_tile_t *tile, const reorg_window_t *window, rts_index_t y, rts_index_t ny,
                       columns_t *columns) {
    if (!window->safe) {
        rts_reorg_fill_slow(tile->job->plan, window, y, ny, tile->buffer + REORG_LINE, tile->pitch);
        return;
    }
    const columns_t needed = needed_columns(tile->job, window, y, ny);
    const rts_index_t lo = rts_max(needed.lo, rts_min(columns->lo, needed.hi));
    const rts_index_t hi = rts_max(rts_min(needed.hi, columns->hi), lo);
    fill_columns(tile, window, y, ny, needed.lo, lo, false);
    fill_columns(tile, window, y, ny, lo, hi, true);
    fill_columns(tile, window, y, ny, hi, needed.hi, false);
    *columns = needed;
}

/* ---- fetching ---- */

/** Walks the lines of a transposed window's source. */
typedef struct fetch_cursor {
    const reorg_window_t *window; /* NULL: nothing to fetch */
    const char *start;            /* not NULL: the source is one run */
    rts_index_t row, rows, line, lines, budget;
} fetch_cursor_t;

static void fetch_begin(const reorg_tile_job_t *job, const reorg_window_t *window, rts_index_t turns,
                        fetch_cursor_t *cursor) {
    const rts_index_t bytes = (rts_index_t)job->plan->element_bytes;
    *cursor = (fetch_cursor_t){.window = window};
    if (window == NULL)
        return;
    const rts_index_t run = window->item->ny * bytes;
    cursor->rows = window->count;
    cursor->lines = (run + 2 * REORG_LINE - 2) / REORG_LINE;
    const rts_index_t step = window->count > 1 ? window->rows[1] - window->rows[0] : 0;
    if (job->plan->source_rows.layout == NULL && step > 0 && step < run + REORG_LINE) {
        cursor->start = window->from + window->rows[0];
        cursor->rows = 1;
        cursor->lines = ((window->count - 1) * step + run + REORG_LINE - 1) / REORG_LINE;
    }
    cursor->budget = rts_div_up(cursor->rows * cursor->lines, turns);
}

/** Fetch one turn's share. */
static inline void fetch_some(fetch_cursor_t *cursor) {
    for (rts_index_t i = 0; i < cursor->budget && cursor->row < cursor->rows; i++) {
        const char *const row =
            cursor->start != NULL ? cursor->start : cursor->window->from + cursor->window->rows[cursor->row];
        __builtin_prefetch(row + cursor->line * REORG_LINE);
        if (++cursor->line == cursor->lines) {
            cursor->line = 0;
            cursor->row++;
        }
    }
}

/** Fetch what row y of a sheared window takes, line by line; y < 0: what the first row's columns begin with. */
static inline void fetch_sheared(const reorg_plan_t *plan, const reorg_window_t *window, rts_index_t y) {
    const rts_index_t bytes = (rts_index_t)plan->element_bytes, per_line = rts_max(REORG_LINE / bytes, 1);
    const rts_index_t row = rts_min(rts_max(y, 0), window->item->ny - 1);
    const rts_index_t lo = rts_max(window->item->row_lo[row] - window->x, 0) / per_line * per_line;
    const rts_index_t hi = rts_min(window->item->row_hi[row] - window->x, window->nx);
    const rts_index_t *const rows = window->rows + window->first;
    /* The newest row that a column of a line needs; of its two lines, where it is not aligned, the one that a neighbour has
     * not fetched. */
    const rts_index_t newest = plan->slope > 0 ? lo + per_line - 1 : lo,
                      end = plan->slope > 0 ? lo : lo + per_line - 1;
    const rts_index_t step = plan->mirror ? -per_line * bytes : per_line * bytes;
    const rts_index_t least = -window->first, greatest = window->count - 1 - window->first;
    rts_index_t number = rts_min(y, window->item->ny - 1) + plan->slope * newest;
    const char *from = window->from + (plan->mirror ? -end : end) * bytes +
                       ((plan->slope > 0) == plan->mirror ? bytes - 1 : 0);
    for (rts_index_t x = lo; x < hi; x += per_line) {
        __builtin_prefetch(from + rows[rts_min(rts_max(number, least), greatest)]);
        number += plan->slope * per_line;
        from += step;
    }
}

/* ---- writing ---- */

void rts_reorg_write_run(reorg_stream_fn_t stream, char *to, const char *from, rts_index_t bytes) {
    const rts_index_t head = -(rts_index_t)(uintptr_t)to & (REORG_LINE - 1);
    if (stream == NULL || bytes < head + REORG_LINE) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    const rts_index_t lines = (bytes - head) & -(rts_index_t)REORG_LINE;
    if (head > 0)
        memcpy(to, from, (size_t)head);
    stream(to + head, from + head, (size_t)lines);
    if (bytes > head + lines)
        memcpy(to + head + lines, from + head + lines, (size_t)(bytes - head - lines));
}

/** Write what is complete of row y in a window. @param filled  its first element in the buffer, after what is carried */
static inline void write_row(const reorg_tile_job_t *job, const reorg_window_t *window, rts_index_t y,
                             const char *filled) {
    const reorg_item_t *const item = window->item;
    const rts_index_t bytes = (rts_index_t)job->plan->element_bytes;
    const rts_index_t lo = rts_max(item->row_lo[y], window->x);
    const rts_index_t hi = rts_min(item->row_hi[y], window->x + window->nx);
    if (lo >= hi)
        return;
    char *const target = item->plane.target + item->row_target[y];
    char *const begin = target + lo * bytes;
    const rts_index_t carried =
        rts_min((rts_index_t)((uintptr_t)begin & (REORG_LINE - 1)), (lo - item->row_lo[y]) * bytes);
    rts_index_t count = carried + (hi - lo) * bytes;
    if (hi < item->row_hi[y])
        count -= (rts_index_t)((uintptr_t)(target + hi * bytes) & (REORG_LINE - 1));
    if (count > 0)
        rts_reorg_write_run(job->plan->stream ? job->kernels.stream : NULL, begin - carried,
                            filled + (lo - window->x) * bytes - carried, count);
}

static void write_window(reorg_tile_t *tile, const reorg_window_t *window, const reorg_window_t *next) {
    const rts_index_t bytes = (rts_index_t)tile->job->plan->element_bytes;
    const rts_index_t ny = window->item->ny;
    const bool carries = next != NULL && next->item == window->item;
    fetch_cursor_t cursor;
    fetch_begin(tile->job, next, ny, &cursor);
    for (rts_index_t y = 0; y < ny; y++) {
        char *const row = tile->buffer + y * tile->pitch;
        fetch_some(&cursor);
        write_row(tile->job, window, y, row + REORG_LINE);
        if (carries) {
            char last[REORG_LINE]; /* windows shorter than a line overlap */
            memcpy(last, row + window->nx * bytes, REORG_LINE);
            memcpy(row, last, REORG_LINE);
        }
    }
}

/** The rows of an item are one run. */
static void write_dense(reorg_tile_t *tile, const reorg_window_t *window, const reorg_window_t *next) {
    const reorg_item_t *const item = window->item;
    const rts_index_t bytes = (rts_index_t)tile->job->plan->element_bytes;
    const rts_index_t count = item->ny * window->nx * bytes, piece = 4 * REORG_LINE;
    char *const to = item->plane.target + item->row_target[0] + item->x_lo * bytes;
    const rts_index_t head = rts_min(-(rts_index_t)(uintptr_t)to & (REORG_LINE - 1), count);
    const reorg_stream_fn_t stream = tile->job->plan->stream ? tile->job->kernels.stream : NULL;
    fetch_cursor_t cursor;
    fetch_begin(tile->job, next, rts_max(count / piece, 1), &cursor);
    rts_reorg_write_run(stream, to, tile->buffer, head);
    for (rts_index_t at = head; at < count; at += piece) {
        fetch_some(&cursor);
        rts_reorg_write_run(stream, to + at, tile->buffer + at, rts_min(piece, count - at));
    }
}

/* ---- items ---- */

/** Set up item number `at`. @return false  it is empty */
static bool item_set(const reorg_tile_job_t *job, rts_index_t at, reorg_item_t *item) {
    const reorg_shape_t *const shape = &job->shape;
    const reorg_plan_t *const plan = job->plan;
    const rts_index_t segment = at % shape->segments, block = at / shape->segments % shape->y_blocks;
    const rts_index_t number = at / shape->segments / shape->y_blocks;
    if (number != item->number)
        rts_reorg_plane(plan, number, &item->plane);
    item->number = number;
    item->y = item->plane.y_lo + block * shape->rows;
    item->ny = rts_min(shape->rows, item->plane.y_hi - item->y);
    const rts_index_t x_lo = plan->x_lo + segment * shape->segment;
    const rts_index_t x_hi = rts_min(plan->x_hi, x_lo + shape->segment);
    item->x_lo = x_hi;
    item->x_hi = x_lo;
    if (item->ny <= 0)
        return false;
    if (shape->dense) { /* one run, whole */
        rts_reorg_rows(&plan->target_rows, plan->element_bytes, item->y, 1, item->row_target);
        item->x_lo = x_lo;
        item->x_hi = x_hi;
        return true;
    }
    rts_reorg_rows(&plan->target_rows, plan->element_bytes, item->y, item->ny, item->row_target);
    for (rts_index_t y = 0; y < item->ny; y++) {
        rts_index_t lo = x_lo, hi = x_hi;
        rts_reorg_limit_row(&item->plane, item->y + y, &lo, &hi);
        item->row_lo[y] = lo;
        item->row_hi[y] = hi;
        if (lo < hi) {
            item->x_lo = rts_min(item->x_lo, lo);
            item->x_hi = rts_max(item->x_hi, hi);
        }
    }
    return item->x_lo < item->x_hi;
}

/** The next item of the batch that is not empty. @return NULL  there is none */
static reorg_item_t *next_item(reorg_tile_t *tile, const reorg_item_t *current) {
    reorg_item_t *const item = current == &tile->item[0] ? &tile->item[1] : &tile->item[0];
    while (tile->at < tile->end)
        if (item_set(tile->job, tile->at++, item))
            return item;
    return NULL;
}

const reorg_window_t *rts_reorg_next_window(reorg_tile_t *tile, const reorg_window_t *current) {
    reorg_window_t *const window = current == &tile->window[0] ? &tile->window[1] : &tile->window[0];
    if (current != NULL && current->x + current->nx < current->item->x_hi) {
        window_set(tile->job, current->item, current->x + current->nx, window);
        return window;
    }
    const reorg_item_t *const item = next_item(tile, current != NULL ? current->item : NULL);
    if (item == NULL)
        return NULL;
    window_set(tile->job, item, item->x_lo, window);
    return window;
}

static void run_transposed(reorg_tile_t *tile) {
    const reorg_shape_t *const shape = &tile->job->shape;
    const rts_index_t bytes = (rts_index_t)tile->job->plan->element_bytes;
    const reorg_window_t *window = rts_reorg_next_window(tile, NULL), *next;
    for (; window != NULL; window = next) {
        if (shape->dense)
            fill(tile, window, tile->buffer, window->nx * bytes);
        else
            fill(tile, window, tile->buffer + REORG_LINE, tile->pitch);
        next = rts_reorg_next_window(tile, window);
        (shape->dense ? write_dense : write_window)(tile, window, next);
    }
}

static void run_sheared(reorg_tile_t *tile) {
    const reorg_plan_t *const plan = tile->job->plan;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes, group = tile->job->shape.group;
    const reorg_window_t *window = rts_reorg_next_window(tile, NULL), *next;
    for (; window != NULL; window = next) {
        const rts_index_t ny = window->item->ny;
        columns_t columns = {0, 0};
        next = rts_reorg_next_window(tile, window);
        for (rts_index_t y = 0; y < ny; y += group) {
            const rts_index_t rows = rts_min(group, ny - y);
            fill_group(tile, window, y, rows, &columns);
            for (rts_index_t i = 0; i < rows; i++) {
                char *const row = tile->buffer + i * tile->pitch;
                char *const carried = tile->carried + (y + i) * REORG_LINE;
                if (y + group < ny) {
                    fetch_sheared(plan, window, y + group + i);
                } else if (next != NULL) {
                    fetch_sheared(plan, next, i - 8);
                    fetch_sheared(plan, next, i);
                }
                memcpy(row, carried, REORG_LINE);
                write_row(tile->job, window, y + i, row + REORG_LINE);
                memcpy(carried, row + window->nx * bytes, REORG_LINE);
            }
        }
    }
}

/** Where rows follow each other, the end of one row waits here for what completes its last line. */
typedef struct tail {
    char *to;
    rts_index_t bytes;
    _Alignas(REORG_LINE) char line[REORG_LINE];
} tail_t;

static void flush_tail(tail_t *tail) {
    if (tail->bytes > 0)
        memcpy(tail->to, tail->line, (size_t)tail->bytes);
    tail->bytes = 0;
}

/** Stream a row, fetching the next one meanwhile. */
static void stream_row(reorg_stream_fn_t stream, tail_t *tail, char *to, const char *from, rts_index_t bytes,
                       const char *next) {
    const rts_index_t piece = 4 * REORG_LINE;
    if (tail->to + tail->bytes != to || tail->bytes == 0 || tail->bytes + bytes < REORG_LINE) {
        flush_tail(tail);
        const rts_index_t head = rts_min(-(rts_index_t)(uintptr_t)to & (REORG_LINE - 1), bytes);
        memcpy(to, from, (size_t)head);
        to += head;
        from += head;
        bytes -= head;
    } else {
        const rts_index_t head = REORG_LINE - tail->bytes;
        memcpy(tail->line + tail->bytes, from, (size_t)head);
        stream(tail->to, tail->line, REORG_LINE);
        to += head;
        from += head;
        bytes -= head;
    }
    rts_index_t at = 0;
    for (; at + piece <= bytes; at += piece) {
        for (int line = 0; line < 4; line++)
            __builtin_prefetch(next + at + line * REORG_LINE);
        stream(to + at, from + at, (size_t)piece);
    }
    const rts_index_t lines = (bytes - at) & -(rts_index_t)REORG_LINE;
    for (rts_index_t line = at; line <= bytes; line += REORG_LINE)
        __builtin_prefetch(next + line);
    if (lines > 0)
        stream(to + at, from + at, (size_t)lines);
    at += lines;
    tail->to = to + at;
    tail->bytes = bytes - at;
    memcpy(tail->line, from + at, (size_t)tail->bytes);
}

/** Rows that lie the same way in both: no buffer. */
static void run_direct(reorg_tile_t *tile) {
    const reorg_plan_t *const plan = tile->job->plan;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    const reorg_stream_fn_t stream = plan->stream ? tile->job->kernels.stream : NULL;
    tail_t tail = {.bytes = 0};
    for (const reorg_item_t *item = next_item(tile, NULL); item != NULL; item = next_item(tile, item)) {
        rts_index_t *const rows = tile->window[0].rows;
        rts_reorg_rows(&plan->source_rows, plan->element_bytes, item->y + plan->shift, item->ny, rows);
        for (rts_index_t y = 0; y < item->ny; y++) {
            const rts_index_t lo = item->row_lo[y] * bytes, hi = item->row_hi[y] * bytes;
            const char *const from = item->plane.source + lo;
            char *const to = item->plane.target + item->row_target[y] + lo;
            if (lo >= hi)
                continue;
            if (stream == NULL)
                memcpy(to, from + rows[y], (size_t)(hi - lo));
            else
                stream_row(stream, &tail, to, from + rows[y], hi - lo,
                           from + rows[rts_min(y + 1, item->ny - 1)]);
        }
    }
    flush_tail(&tail);
}

static int64_t tile_work(void *state, int thread, int team) {
    reorg_tile_job_t *const job = state;
    const reorg_shape_t *const shape = &job->shape;
    const rts_index_t count = shape->plane_count * shape->y_blocks * shape->segments;
    reorg_tile_t tile;
    (void)thread;
    (void)team;
    tile.job = job;
    tile.item[0].number = tile.item[1].number = -1;
    tile.pitch = REORG_LINE +
                 rts_div_up(shape->window * (rts_index_t)job->plan->element_bytes, REORG_LINE) * REORG_LINE;
    for (;;) {
        tile.at = atomic_fetch_add_explicit(&job->next_batch, 1, memory_order_relaxed) * shape->batch;
        tile.end = rts_min(tile.at + shape->batch, count);
        if (tile.at >= tile.end)
            break;
        if (shape->cached)
            rts_reorg_run_cached(&tile);
        else if (shape->direct)
            run_direct(&tile);
        else if (job->plan->family == REORG_SHEAR)
            run_sheared(&tile);
        else
            run_transposed(&tile);
    }
    if (job->kernels.stream != NULL)
        job->kernels.stream(NULL, NULL, 0);
    return 0;
}

void rts_reorg_run(const reorg_plan_t *plan) {
    reorg_tile_job_t job = {.plan = plan, .kernels = rts_reorg_kernels(plan->element_bytes)};
    rts_reorg_shape(plan, &job.shape);
    atomic_init(&job.next_batch, 0);
    (void)rts_host_parallel(plan->thread_count, tile_work, &job);
}
