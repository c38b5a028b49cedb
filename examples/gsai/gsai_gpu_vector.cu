/* Products of compressed rows with vectors, sums of vectors and of their products, on a GPU. Sums of products are taken by a number of blocks
 * that depends on the length alone, in a fixed order, so that they are the same in every run. */
#include "examples/gsai/gsai_gpu_launch.h"

enum { THREADS = 256, FEW = 8, MANY = GSAI_WARP, FEW_ENTRIES = 16 };

/* ---- products ---- */

/** A row is SIZE threads'. */
template <int SIZE>
static __global__ void __launch_bounds__(THREADS)
    multiply_rows(const int64_t *start, const int32_t *index, const double *value, const double *x, double *y,
                  int64_t from, int64_t end) {
    const int64_t k = from + ((int64_t)blockIdx.x * THREADS + threadIdx.x) / SIZE;
    double sum = 0;

    if (k < end)
        for (int64_t at = start[k] + threadIdx.x % SIZE; at < start[k + 1]; at += SIZE)
            sum += value[at] * __ldg(&x[index[at]]);
    for (int bits = SIZE / 2; bits > 0; bits /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, bits);
    if (k < end && threadIdx.x % SIZE == 0)
        y[k] = sum;
}

/** Context: gsai_step_t with n and entries of the matrix. */
extern "C" void gsai_gpu_product(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    const bool is_long = step->entries > (int64_t)FEW_ENTRIES * step->n;
    const int64_t from = record->start[0], rows = record->count[0];

    gsai_launch(is_long ? multiply_rows<MANY> : multiply_rows<FEW>,
                gsai_blocks(rows, THREADS / (is_long ? MANY : FEW)), THREADS, 0, record->stream,
                gsai_base<int64_t>(record, 0), gsai_base<int32_t>(record, 1), gsai_base<double>(record, 2),
                gsai_base<double>(record, 3), gsai_base<double>(record, 4), from, from + rows);
}

/* ---- sums of vectors ---- */

struct sources_t {
    const double *x[GSAI_SOURCES_MAX];
    double c[GSAI_SOURCES_MAX];
};

template <int COUNT>
static __global__ void __launch_bounds__(THREADS)
    combine_vectors(sources_t s, double *target, int64_t from, int64_t end) {
    const int64_t k = from + (int64_t)blockIdx.x * THREADS + threadIdx.x;
    double sum = 0;

    if (k >= end)
        return;
#pragma unroll
    for (int source = 0; source < COUNT; source++)
        sum += s.c[source] * s.x[source][k];
    target[k] = sum;
}

extern "C" void gsai_gpu_combine(const dvmhx_record_t *record, void *context) {
    const gsai_combination_t *const c = static_cast<const gsai_combination_t *>(context);
    const int64_t from = record->start[0], count = record->count[0];
    sources_t s = {};

    for (int k = 0; k < c->count; k++) {
        s.x[k] = gsai_base<double>(record, c->array[k]);
        s.c[k] = c->coefficient[k];
    }
    gsai_launch(c->count == 1   ? combine_vectors<1>
                : c->count == 2 ? combine_vectors<2>
                                : combine_vectors<3>,
                gsai_blocks(count, THREADS), THREADS, 0, record->stream, s, gsai_base<double>(record, 0),
                from, from + count);
}

/* ---- sums of products ---- */

static GSAI_DEVICE void store_sums(double (&sum)[2], double *sums, int64_t block) {
    __shared__ gsai_board board;
    gsai_group<THREADS> group(&board);

    group.sum(sum);
    if (threadIdx.x == 0) {
        sums[2 * block] = sum[0];
        sums[2 * block + 1] = sum[1];
    }
}

static __global__ void __launch_bounds__(THREADS)
    multiply_vectors(const double *x, const double *y, const double *z, int64_t n, double *partial) {
    double sum[2] = {0, 0};

    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < n; k += (int64_t)gridDim.x * THREADS) {
        const double own = x[k];

        sum[0] += own * y[k];
        sum[1] += z != nullptr ? own * z[k] : 0;
    }
    store_sums(sum, partial, blockIdx.x);
}

static __global__ void __launch_bounds__(THREADS)
    add_partial(const double *partial, int blocks, double *sums) {
    double sum[2] = {0, 0};

    for (int block = (int)threadIdx.x; block < blocks; block += THREADS) {
        sum[0] += partial[2 * block];
        sum[1] += partial[2 * block + 1];
    }
    store_sums(sum, sums, 0);
}

extern "C" void gsai_gpu_dot(const dvmhx_record_t *record, void *context) {
    const gsai_dot_t *const d = static_cast<const gsai_dot_t *>(context);
    double *const sums = gsai_base<double>(record, 0), *const partial = gsai_base<double>(record, 1);
    int64_t blocks = gsai_blocks(d->n, THREADS);

    if (blocks > GSAI_DOT_BLOCKS)
        blocks = GSAI_DOT_BLOCKS;
    gsai_launch(multiply_vectors, blocks, THREADS, 0, record->stream, gsai_base<double>(record, d->x),
                gsai_base<double>(record, d->y[0]),
                d->count > 1 ? gsai_base<double>(record, d->y[1]) : nullptr, (int64_t)d->n, partial);
    gsai_launch(add_partial, 1, THREADS, 0, record->stream, partial, (int)blocks, sums);
}
