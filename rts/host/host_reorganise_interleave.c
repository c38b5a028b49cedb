/* From a diagonal layout to a plain one whose fastest axis is short and none of the diagonal pair: elements of several planes,
 * each a table of diagonals, alternate along the target's rows.
 *
 * A block of the target, some i_p by a run of i_q by the short axis, is put together in a buffer, diagonal after diagonal: a
 * transposition whose output steps along the diagonal. Then its rows are written as runs. */
#include <config.h>

#include "rts/host/host_reorganise.h"

#include <stdatomic.h>

/** Longer groups of the short axis are left to transpositions. */
#define MAX_GROUP       16
#define MAX_GROUP_BYTES 128
#define BLOCK_ROWS      64
#define BUFFER_BYTES    (BLOCK_ROWS * (2048 + REORG_LINE))
/** How many diagonals ahead to fetch. */
#define AHEAD 4
/** Diagonals whose rows are looked up at once. */
#define DIAGONALS   64
#define LEAST_BYTES 65536

typedef struct interleave_job {
    const reorg_interleave_t *plan;
    reorg_kernels_t kernels;
    rts_index_t group_bytes, columns; /* of a block */
    rts_index_t pitch; /* bytes of a row in the buffer: no power of two, or rows fight for the cache */
    rts_index_t row_blocks, column_blocks, outer_count;
    bool stream;
    _Atomic rts_index_t next;
} interleave_job_t;

/** A block's place; user indices. */
typedef struct interleave_block {
    const char *source; /* outer indices applied */
    char *target;       /* of i_p = i_q = 0 */
    rts_index_t p_lo, p_hi, q_lo, q_hi;
} interleave_block_t;

static void set_block(const interleave_job_t *job, rts_index_t number, interleave_block_t *block) {
    const reorg_interleave_t *const plan = job->plan;
    const rts_copy_job_t *const copy = plan->job;
    const rts_index_t bytes = (rts_index_t)copy->element_bytes;
    const rts_index_t column = number % job->column_blocks,
                      row = number / job->column_blocks % job->row_blocks;
    rts_index_t outer = number / job->column_blocks / job->row_blocks;
    block->p_lo = copy->box.lo[plan->p] + row * BLOCK_ROWS;
    block->p_hi = rts_min(block->p_lo + BLOCK_ROWS, copy->box.hi[plan->p]);
    block->q_lo = copy->box.lo[plan->q] + column * job->columns;
    block->q_hi = rts_min(block->q_lo + job->columns, copy->box.hi[plan->q]);
    block->source = copy->source;
    block->target = (char *)copy->target + plan->target_start;
    for (int axis = copy->box.rank - 1; axis >= 0; axis--) {
        if (axis == plan->p || axis == plan->q || axis == plan->fastest)
            continue;
        const rts_index_t extent = copy->box.hi[axis] - copy->box.lo[axis], index = outer % extent;
        outer /= extent;
        block->source += index * copy->source_layout->stride[axis] * bytes;
        block->target += index * copy->target_layout->stride[axis] * bytes;
    }
}

/** i_q of the block's elements on diagonal d: d = i_p + b * i_q + k. @return false  there are none */
static bool diagonal_range(const reorg_interleave_t *plan, const interleave_block_t *block, rts_index_t d,
                           rts_index_t *lo_p, rts_index_t *hi_p) {
    const rts_index_t at = d - plan->k;
    const rts_index_t lo = plan->b > 0 ? at - block->p_hi + 1 : block->p_lo - at;
    const rts_index_t hi = plan->b > 0 ? at - block->p_lo + 1 : block->p_hi - at;
    *lo_p = rts_max(lo, block->q_lo);
    *hi_p = rts_min(hi, block->q_hi);
    return *lo_p < *hi_p;
}

static void fill_diagonal(const interleave_job_t *job, const interleave_block_t *block, rts_index_t d,
                          const rts_index_t offsets[], const rts_index_t groups[], char *buffer) {
    const reorg_interleave_t *const plan = job->plan;
    const rts_index_t bytes = (rts_index_t)plan->job->element_bytes;
    const int sign = plan->rows.sign;
    rts_index_t lo, hi;
    if (diagonal_range(plan, block, d + AHEAD, &lo, &hi)) {
        const char *const from = block->source + offsets[AHEAD] + (sign > 0 ? lo : 1 - hi) * bytes;
        for (rts_index_t i = 0; i < plan->group; i++)
            for (rts_index_t at = 0; at < (hi - lo) * bytes + REORG_LINE - 1; at += REORG_LINE)
                __builtin_prefetch(from + groups[i] + at);
    }
    if (!diagonal_range(plan, block, d, &lo, &hi))
        return;
    const rts_index_t first = sign > 0 ? lo : hi - 1, i_p = d - plan->k - plan->b * first;
    const reorg_fill_t fill = {.to = buffer + (i_p - block->p_lo) * job->pitch +
                                     (first - block->q_lo) * job->group_bytes,
                               .to_step = sign * (job->group_bytes - plan->b * job->pitch),
                               .from = block->source + offsets[0] + sign * first * bytes,
                               .rows = groups,
                               .nx = plan->group,
                               .ny = hi - lo,
                               .element_bytes = plan->job->element_bytes};
    job->kernels.transpose(&fill);
}

static void write_block(const interleave_job_t *job, const interleave_block_t *block, rts_index_t d_lo,
                        rts_index_t d_hi, const char *buffer) {
    const reorg_interleave_t *const plan = job->plan;
    const rts_index_t step =
        plan->job->target_layout->stride[plan->p] * (rts_index_t)plan->job->element_bytes;
    for (rts_index_t i_p = block->p_lo; i_p < block->p_hi; i_p++) {
        /* What lies on these diagonals. */
        const rts_index_t at = i_p + plan->k;
        const rts_index_t lo = rts_max(block->q_lo, plan->b > 0 ? d_lo - at : at - d_hi + 1);
        const rts_index_t hi = rts_min(block->q_hi, plan->b > 0 ? d_hi - at : at - d_lo + 1);
        if (lo < hi)
            rts_reorg_write_run(job->stream ? job->kernels.stream : NULL,
                                block->target + i_p * step + lo * job->group_bytes,
                                buffer + (i_p - block->p_lo) * job->pitch +
                                    (lo - block->q_lo) * job->group_bytes,
                                (hi - lo) * job->group_bytes);
    }
}

static int64_t interleave_work(void *state, int thread, int team) {
    interleave_job_t *const job = state;
    const reorg_interleave_t *const plan = job->plan;
    const size_t bytes = plan->job->element_bytes;
    const rts_index_t count = job->row_blocks * job->column_blocks * job->outer_count;
    _Alignas(REORG_LINE) char buffer[BUFFER_BYTES];
    rts_index_t groups[MAX_GROUP], offsets[DIAGONALS + AHEAD];
    (void)thread;
    (void)team;
    for (rts_index_t i = 0; i < plan->group; i++)
        groups[i] = i * plan->job->source_layout->stride[plan->fastest] * (rts_index_t)bytes;
    for (;;) {
        const rts_index_t number = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (number >= count)
            break;
        interleave_block_t block;
        set_block(job, number, &block);
        const rts_index_t first = plan->b * block.q_lo, last = plan->b * (block.q_hi - 1);
        const rts_index_t d_lo = rts_max(plan->rows.lo, block.p_lo + rts_min(first, last) + plan->k);
        const rts_index_t d_hi = rts_min(plan->rows.hi, block.p_hi + rts_max(first, last) + plan->k);
        for (rts_index_t d = d_lo; d < d_hi; d += DIAGONALS) {
            const rts_index_t some = rts_min(DIAGONALS, d_hi - d);
            rts_reorg_rows(&plan->rows, bytes, d, some + AHEAD, offsets);
            for (rts_index_t i = 0; i < some; i++)
                fill_diagonal(job, &block, d + i, offsets + i, groups, buffer);
        }
        write_block(job, &block, d_lo, d_hi, buffer);
    }
    if (job->kernels.stream != NULL)
        job->kernels.stream(NULL, NULL, 0);
    return 0;
}

bool rts_reorg_interleave(const reorg_interleave_t *plan, int thread_count, bool stream) {
    const rts_copy_job_t *const copy = plan->job;
    const rts_index_t bytes = (rts_index_t)copy->element_bytes;
    const rts_index_t n_p = copy->box.hi[plan->p] - copy->box.lo[plan->p],
                      n_q = copy->box.hi[plan->q] - copy->box.lo[plan->q];
    interleave_job_t job = {.plan = plan,
                            .kernels = rts_reorg_kernels(copy->element_bytes),
                            .stream = stream};
    job.group_bytes = plan->group * bytes;
    if (plan->group > MAX_GROUP || job.group_bytes > MAX_GROUP_BYTES ||
        copy->target_layout->stride[plan->q] != plan->group || (plan->b != 1 && plan->b != -1) ||
        n_p * n_q * job.group_bytes < LEAST_BYTES)
        return false;
    job.columns = rts_min((BUFFER_BYTES / BLOCK_ROWS - REORG_LINE) / job.group_bytes, n_q);
    job.pitch = rts_div_up(job.columns * job.group_bytes, REORG_LINE) * REORG_LINE + REORG_LINE;
    job.row_blocks = rts_div_up(n_p, BLOCK_ROWS);
    job.column_blocks = rts_div_up(n_q, job.columns);
    job.outer_count = rts_box_size(&copy->box) / (n_p * n_q * plan->group);
    atomic_init(&job.next, 0);
    (void)rts_host_parallel(thread_count, interleave_work, &job);
    return true;
}
