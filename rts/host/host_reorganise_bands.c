/* Walks the planes of a plan in bands: where the target is large and elements have 4 or 8 bytes, lines go from registers to the
 * target without a buffer. Decides what a band is and what is fetched when; kernels write.
 *
 * A band is some rows of the target of one plane, or, where planes have few rows, of several planes. It is walked along x.
 * What bounds it is reading: every source row is fetched as a run of neighbouring lines, some rows ahead, because single lines
 * of many rows in turn come more slowly. */
#include <config.h>

#include "rts/host/host_reorganise_bands.h"

#include <stdatomic.h>
#include <string.h>

/** Steps for which the table of source rows is filled at once, in elements, and what is fetched beyond. */
#define WINDOW 1024
#define AHEAD  64
/** Rows of a band: of several planes; of one, whose source rows tend to lie far apart, so that long runs of them pay; and
 * of one with long rows, which are then walked for long. */
#define GROUP_ROWS     64
#define SHORT_ROWS     256
#define LONG_ROWS      128
#define LONG_ROW_BYTES 16384
/** Shorter rows are not worth a band. */
#define LEAST_ROW_BYTES  1024
#define BATCH_BYTES      262144
#define BATCHES_A_THREAD 8
#define MAX_SEGMENT      ((rts_index_t)1 << 24)

typedef struct band_job {
    const reorg_plan_t *plan;
    reorg_band_fn_t kernel;
    int lanes;
    rts_index_t rows;   /* of a plane in a band */
    rts_index_t planes; /* in a band, neighbours along plan->axis[group] */
    int group;
    rts_index_t group_stride; /* between their numbers */
    rts_index_t plane_groups, group_parts, y_blocks, segments, segment, batch;
    _Atomic rts_index_t next_batch;
} band_job_t;

/** A band's place. */
typedef struct band_item {
    reorg_plane_t plane;  /* the first */
    rts_index_t x, x_end; /* x: where steps begin */
    int block_count, row_count;
    reorg_block_t block[REORG_BAND_BLOCKS];
    char *start[REORG_BAND_ROWS]; /* of element x */
    rts_index_t lo[REORG_BAND_ROWS], hi[REORG_BAND_ROWS];
} band_item_t;

typedef struct band_worker {
    const band_job_t *job;
    rts_index_t at, end;
    band_item_t item[2];
    rts_index_t rows[WINDOW + AHEAD + 4 * REORG_MAX_LANES];
    reorg_band_t band;
} band_worker_t;

/* ---- items ---- */

/** Rows of one plane. Rows without elements stay: blocks need neighbours. */
static void add_plane(const band_job_t *job, const reorg_plane_t *plane, rts_index_t y_lo, rts_index_t y_hi,
                      rts_index_t x_lo, rts_index_t x_hi, band_item_t *item) {
    const reorg_plan_t *const plan = job->plan;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    rts_index_t targets[REORG_BAND_ROWS];
    if (y_lo >= y_hi)
        return;
    rts_reorg_rows(&plan->target_rows, plan->element_bytes, y_lo, y_hi - y_lo, targets);
    for (rts_index_t y = y_lo; y < y_hi; y++) {
        const int row = item->row_count++;
        rts_index_t lo = x_lo, hi = x_hi;
        rts_reorg_limit_row(plane, y, &lo, &hi);
        item->start[row] = plane->target + targets[y - y_lo];
        item->lo[row] = lo;
        item->hi[row] = rts_max(hi, lo);
        if (lo < hi) {
            item->x = rts_min(item->x, lo);
            item->x_end = rts_max(item->x_end, hi);
        }
    }
    for (rts_index_t y = y_lo; y < y_hi; y += job->lanes) {
        const int count = (int)rts_min(job->lanes, y_hi - y);
        item->block[item->block_count++] =
            (reorg_block_t){.offset = plane->source - item->plane.source + y * bytes,
                            .first = item->row_count - (int)(y_hi - y),
                            .count = count};
    }
}

static bool item_set(const band_job_t *job, rts_index_t at, band_item_t *item) {
    const reorg_plan_t *const plan = job->plan;
    const rts_index_t segment = at % job->segments, y_block = at / job->segments % job->y_blocks;
    const rts_index_t group = at / job->segments / job->y_blocks;
    const rts_index_t part = group / job->group_stride % job->group_parts;
    const rts_index_t outside = group / job->group_stride / job->group_parts;
    const rts_index_t x_lo = plan->x_lo + segment * job->segment;
    const rts_index_t x_hi = rts_min(plan->x_hi, x_lo + job->segment);
    const rts_index_t extent = job->group >= 0 ? plan->axis[job->group].extent : 1;
    const rts_index_t first = part * job->planes, end = rts_min(extent, first + job->planes);
    item->block_count = item->row_count = 0;
    item->x = x_hi;
    item->x_end = x_lo;
    for (rts_index_t i = first; i < end; i++) {
        const rts_index_t number = (outside * extent + i) * job->group_stride + group % job->group_stride;
        reorg_plane_t plane;
        rts_reorg_plane(plan, number, &plane);
        if (i == first)
            item->plane = plane;
        const rts_index_t y_lo = plan->y_lo + y_block * job->rows;
        add_plane(job, &plane, rts_max(y_lo, plane.y_lo), rts_min(y_lo + job->rows, plane.y_hi), x_lo, x_hi,
                  item);
    }
    if (item->x >= item->x_end)
        return false;
    /* Steps begin at whole lines of the plane, which are whole lines in memory where rows are aligned. */
    item->x -= (item->x - plan->x_lo) % job->lanes;
    for (int row = 0; row < item->row_count; row++)
        item->start[row] += item->x * (rts_index_t)plan->element_bytes;
    return true;
}

static band_item_t *next_item(band_worker_t *worker, const band_item_t *current) {
    band_item_t *const item = current == &worker->item[0] ? &worker->item[1] : &worker->item[0];
    while (worker->at < worker->end)
        if (item_set(worker->job, worker->at++, item))
            return item;
    return NULL;
}

/* ---- bands ---- */

/** What each block fetches of a transposition's source. */
static void set_fetches(const band_job_t *job, band_item_t *item) {
    const reorg_plan_t *const plan = job->plan;
    const rts_index_t bytes = (rts_index_t)plan->element_bytes, lanes = job->lanes;
    const bool whole =
        (plan->source_rows.step | (rts_index_t)(uintptr_t)(item->plane.source + item->block[0].offset)) %
                REORG_LINE ==
            0 &&
        plan->source_rows.layout == NULL;
    const rts_index_t spill = whole ? 0 : REORG_LINE - 1;
    if (job->planes > 1) { /* short rows, which follow each other or nearly so */
        for (int b = 0; b < item->block_count; b++) {
            reorg_block_t *const block = &item->block[b];
            block->fetch_at = block->offset;
            block->fetch_rows = 1;
            block->fetch_lines = (int)((lanes * block->count * bytes + spill + REORG_LINE - 1) / REORG_LINE);
        }
        return;
    }
    const rts_index_t lines = (item->row_count * bytes + spill + REORG_LINE - 1) / REORG_LINE;
    const rts_index_t blocks = item->block_count;
    const rts_index_t parts = rts_max(blocks / lanes, 1), rows = rts_div_up(lanes * parts, blocks);
    const rts_index_t part_lines = rts_div_up(lines, parts);
    for (rts_index_t b = 0; b < blocks; b++) {
        reorg_block_t *const block = &item->block[b];
        const rts_index_t part = b % parts;
        block->fetch_row = (int)(b / parts * rows);
        block->fetch_rows = (int)rts_max(rts_min(rows, lanes - block->fetch_row), 0);
        block->fetch_at = item->block[0].offset + part * part_lines * REORG_LINE;
        block->fetch_lines = (int)rts_max(rts_min(part_lines, lines - part * part_lines), 0);
    }
}

static void set_band(const band_job_t *job, band_item_t *item, reorg_band_t *band) {
    const rts_index_t bytes = (rts_index_t)job->plan->element_bytes;
    const int lanes = job->lanes;
    band->from = item->plane.source;
    band->block = item->block;
    band->block_count = item->block_count;
    band->row_count = item->row_count;
    band->aligned = true;
    for (int row = 0; row < item->row_count; row++) {
        const rts_index_t before = (rts_index_t)((uintptr_t)item->start[row] % REORG_LINE);
        band->line[row] = item->start[row] - before;
        band->shift[row] = lanes - before / bytes;
        band->aligned = band->aligned && before == 0;
        band->lo[row] = (int32_t)(item->lo[row] - item->x);
        band->hi[row] = (int32_t)(item->hi[row] - item->x);
    }
    for (int b = 0; b < item->block_count; b++) {
        reorg_block_t *const block = &item->block[b];
        block->full_lo = 0;
        block->full_hi = INT32_MAX;
        block->any_lo = INT32_MAX;
        block->any_hi = 0;
        for (int row = block->first; row < block->first + block->count; row++) {
            const int32_t before = lanes - (int32_t)band->shift[row];
            block->full_lo = (int32_t)rts_max(block->full_lo, band->lo[row] + before);
            block->full_hi = (int32_t)rts_min(block->full_hi, band->hi[row] - lanes);
            if (band->lo[row] < band->hi[row]) {
                block->any_lo = (int32_t)rts_min(block->any_lo, band->lo[row] - lanes + 1);
                block->any_hi = (int32_t)rts_max(block->any_hi, band->hi[row] + before);
            }
        }
    }
    set_fetches(job, item);
}

/** Rows of a window of a transposition, then of what follows: the item's own, or those of the next one. */
static void fill_rows(band_worker_t *worker, const band_item_t *item, const band_item_t *next, rts_index_t x,
                      rts_index_t count) {
    const reorg_plan_t *const plan = worker->job->plan;
    const rts_index_t own = rts_max(rts_min(count, plan->x_hi - x), 0);
    rts_reorg_rows(&plan->source_rows, plan->element_bytes, x, own, worker->rows);
    if (own == count)
        return;
    rts_reorg_rows(&plan->source_rows, plan->element_bytes, next != NULL ? next->x : x, count - own,
                   worker->rows + own);
    const rts_index_t apart = next == NULL ? 0
                                           : next->plane.source - item->plane.source + next->block[0].offset -
                                                 item->block[0].offset;
    for (rts_index_t i = own; i < count; i++)
        worker->rows[i] += apart;
}

static void run_transposed(band_worker_t *worker) {
    const band_job_t *const job = worker->job;
    reorg_band_t *const band = &worker->band;
    band_item_t *item = next_item(worker, NULL), *next;
    for (; item != NULL; item = next) {
        next = next_item(worker, item);
        set_band(job, item, band);
        /* One step more, for what is carried. */
        const rts_index_t count = (rts_div_up(item->x_end - item->x, job->lanes) + 1) * job->lanes;
        for (rts_index_t x = 0; x < count; x += WINDOW) {
            const rts_index_t steps = rts_min(WINDOW, count - x);
            fill_rows(worker, item, next, item->x + x, steps + AHEAD + job->lanes);
            band->rows = worker->rows;
            band->x = (int32_t)x;
            band->x_end = (int32_t)(x + steps);
            band->ahead = AHEAD / 2;
            job->kernel(band);
        }
    }
}

/* ---- choice ---- */

static int64_t band_work(void *state, int thread, int team) {
    band_job_t *const job = state;
    const rts_index_t count = job->plane_groups * job->y_blocks * job->segments;
    band_worker_t worker;
    (void)thread;
    (void)team;
    worker.job = job;
    for (;;) {
        worker.at = atomic_fetch_add_explicit(&job->next_batch, 1, memory_order_relaxed) * job->batch;
        worker.end = rts_min(worker.at + job->batch, count);
        if (worker.at >= worker.end)
            break;
        run_transposed(&worker);
    }
    rts_reorg_kernels(job->plan->element_bytes).stream(NULL, NULL, 0);
    return 0;
}

/** Planes of few rows go into a band together: neighbours along the axis that is fastest in the source. */
static void group_planes(band_job_t *job, rts_index_t ny, rts_index_t most) {
    const reorg_plan_t *const plan = job->plan;
    const rts_index_t limit = rts_min(most, REORG_BAND_BLOCKS * ny);
    job->planes = 1;
    job->group = -1;
    job->group_stride = job->group_parts = 1;
    job->plane_groups = 1;
    for (int i = 0; i < plan->axis_count; i++)
        job->plane_groups *= plan->axis[i].extent;
    if (ny > job->lanes || plan->axis_count == 0 || limit < 2 * ny)
        return;
    job->group = plan->outer_axis >= 0 ? plan->outer_axis : plan->axis_count - 1;
    const rts_index_t extent = plan->axis[job->group].extent;
    for (int i = job->group + 1; i < plan->axis_count; i++)
        job->group_stride *= plan->axis[i].extent;
    job->planes = rts_min(limit / ny, extent);
    job->group_parts = rts_div_up(extent, job->planes);
    job->plane_groups = job->plane_groups / extent * job->group_parts;
}

bool rts_reorg_run_bands(const reorg_plan_t *plan) {
    const rts_index_t bytes = (rts_index_t)plan->element_bytes;
    const rts_index_t nx = plan->x_hi - plan->x_lo, ny = plan->y_hi - plan->y_lo;
    band_job_t job = {.plan = plan, .kernel = rts_reorg_kernels(plan->element_bytes).band_transpose};
    if (!plan->stream || plan->family != REORG_TRANSPOSE || job.kernel == NULL ||
        nx * bytes < LEAST_ROW_BYTES || (uintptr_t)plan->target % (uintptr_t)bytes != 0)
        return false;
    job.lanes = (int)(REORG_LINE / bytes);
    const rts_index_t most = ny <= job.lanes                ? GROUP_ROWS
                             : nx * bytes >= LONG_ROW_BYTES ? LONG_ROWS
                                                            : SHORT_ROWS;
    group_planes(&job, ny, most);
    /* Blocks of much the same size. */
    job.rows = rts_min(rts_div_up(rts_div_up(ny, rts_div_up(ny, most)), job.lanes) * job.lanes, ny);
    job.y_blocks = rts_div_up(ny, job.rows);
    job.segments = 1;
    job.segment = rts_min(nx, MAX_SEGMENT);
    const rts_index_t items = job.plane_groups * job.y_blocks, wanted = BATCHES_A_THREAD * plan->thread_count;
    if (items < wanted)
        job.segment =
            rts_min(job.segment, rts_div_up(rts_div_up(nx, rts_div_up(wanted, items)), 1024) * 1024);
    job.segments = rts_div_up(nx, job.segment);
    const rts_index_t item_bytes = job.rows * job.planes * job.segment * bytes;
    job.batch = rts_max(rts_min(BATCH_BYTES / item_bytes, items * job.segments / wanted), 1);
    atomic_init(&job.next_batch, 0);
    (void)rts_host_parallel(plan->thread_count, band_work, &job);
    return true;
}
