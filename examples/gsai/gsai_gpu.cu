/* The table of handlers, and what they share: pointers from counts by a prefix sum, facts, a matrix or vector that is on the GPU already. */
#include <dvmhx_launch.h>

#include "examples/gsai/gsai_gpu_launch.h"

enum { THREADS = 256, SERIES = GSAI_SCAN_TILE / THREADS };

int gsai_gpu_processors(void) {
    int device = 0, processors = 1;

    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    return processors;
}

void gsai_gpu_clear_facts(int64_t *facts, void *stream) {
    (void)cudaMemsetAsync(facts, 0, GSAI_FACT_COUNT * sizeof *facts, static_cast<cudaStream_t>(stream));
}

/* ---- prefix sums ---- */

/** What the threads of a block before this one have together. total_p: all of the block. */
static __device__ int64_t scan_block(int64_t own, int64_t *total_p) {
    __shared__ long long of_warp[THREADS / GSAI_WARP];
    const int lane = (int)threadIdx.x % GSAI_WARP, warp = (int)threadIdx.x / GSAI_WARP;
    long long sum = own, before = 0, total = 0;

    for (int distance = 1; distance < GSAI_WARP; distance *= 2) {
        const long long other = __shfl_up_sync(0xffffffffu, sum, (unsigned)distance);

        sum += lane >= distance ? other : 0;
    }
    __syncthreads();
    if (lane == GSAI_WARP - 1)
        of_warp[warp] = sum;
    __syncthreads();
    for (int other = 0; other < THREADS / GSAI_WARP; other++) {
        before += other < warp ? of_warp[other] : 0;
        total += of_warp[other];
    }
    *total_p = total;
    return before + sum - own;
}

/** Each block has a tile; each thread some counts that follow each other. */
static __device__ int64_t sum_series(const int32_t *count, int64_t from, int64_t end) {
    int64_t sum = 0;

    for (int64_t k = from; k < from + SERIES && k < end; k++)
        sum += count[k];
    return sum;
}

static __global__ void __launch_bounds__(THREADS)
    sum_tiles(const int32_t *count, int64_t first, int64_t end, int64_t *sums) {
    int64_t total;

    scan_block(sum_series(count, first + ((int64_t)blockIdx.x * THREADS + threadIdx.x) * SERIES, end),
               &total);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

/** One block: sums of tiles to what is before each. */
static __global__ void __launch_bounds__(THREADS) scan_tiles(int64_t *sums, int64_t tiles, int64_t *facts) {
    int64_t before = 0;

    for (int64_t from = 0; from < tiles; from += THREADS) {
        const int64_t tile = from + threadIdx.x, own = tile < tiles ? sums[tile] : 0;
        int64_t total;
        const int64_t here = scan_block(own, &total);

        if (tile < tiles)
            sums[tile] = before + here;
        before += total;
    }
    if (threadIdx.x == 0 && facts != nullptr)
        facts[GSAI_FACT_TOTAL] = before;
}

static __global__ void __launch_bounds__(THREADS)
    place_starts(const int32_t *count, int64_t first, int64_t end, const int64_t *sums, int64_t *start) {
    const int64_t from = first + ((int64_t)blockIdx.x * THREADS + threadIdx.x) * SERIES;
    int64_t total, at = scan_block(sum_series(count, from, end), &total) + sums[blockIdx.x];

    for (int64_t k = from; k < from + SERIES && k < end; k++) {
        start[k] = at;
        at += count[k];
        if (k == end - 1)
            start[end] = at;
    }
    if (first == end && threadIdx.x == 0)
        start[first] = 0;
}

void gsai_gpu_scan(const int32_t *count, int32_t first, int32_t end, int64_t *start, int64_t *sums,
                   int64_t *facts, void *stream) {
    const int64_t tiles = first < end ? gsai_blocks((int64_t)end - first, GSAI_SCAN_TILE) : 1;

    gsai_launch(sum_tiles, tiles, THREADS, 0, stream, count, first, end, sums);
    gsai_launch(scan_tiles, 1, THREADS, 0, stream, sums, tiles, facts);
    gsai_launch(place_starts, tiles, THREADS, 0, stream, count, first, end, sums, start);
}

/* ---- what is on the GPU already ---- */

static void copy(void *to, const void *from, size_t bytes, void *stream) {
    (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream));
}

static void arrive(const dvmhx_record_t *record, void *context) {
    (void)record;
    (void)context;
}

static __global__ void note(int64_t *facts, const int64_t *start, int64_t n, int64_t free_bytes) {
    facts[GSAI_FACT_FREE_BYTES] = free_bytes;
    if (start == nullptr)
        return;
    facts[GSAI_FACT_TOTAL] = start[n];
    if (start[0] != 0 || start[n] < 0)
        facts[GSAI_FACT_FAULT] = 1 + GSAI_FAULT_ORDER;
}

static void look(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    int64_t *const facts = gsai_base<int64_t>(record, 0);
    size_t free_bytes = 0, all_bytes = 0;

    if (step->asks_memory)
        (void)cudaMemGetInfo(&free_bytes, &all_bytes);
    gsai_gpu_clear_facts(facts, record->stream);
    gsai_launch(note, 1, 1, 0, record->stream, facts, step->start, step->n, (int64_t)free_bytes);
}

static void take(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    const size_t n = (size_t)step->n, entries = (size_t)step->entries;

    copy(gsai_base<int64_t>(record, 0), step->start, (n + 1) * sizeof(int64_t), record->stream);
    copy(gsai_base<int32_t>(record, 1), step->index, entries * sizeof(int32_t), record->stream);
    copy(gsai_base<double>(record, 2), step->value, entries * sizeof(double), record->stream);
}

static void fetch(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);

    copy(gsai_base<double>(record, 0), step->value, (size_t)step->n * sizeof(double), record->stream);
}

static void store(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);

    copy(const_cast<double *>(step->value), gsai_base<double>(record, 0), (size_t)step->n * sizeof(double),
         record->stream);
}

extern "C" const gsai_gpu_t *gsai_gpu(void) {
    static const gsai_gpu_t table = {arrive,
                                     look,
                                     take,
                                     gsai_gpu_check,
                                     gsai_gpu_sort,
                                     gsai_gpu_transpose,
                                     gsai_gpu_compare,
                                     gsai_gpu_scale,
                                     gsai_gpu_threshold,
                                     gsai_gpu_bound,
                                     gsai_gpu_unite_count,
                                     gsai_gpu_unite,
                                     gsai_gpu_classify,
                                     gsai_gpu_solve,
                                     gsai_gpu_keep_count,
                                     gsai_gpu_keep,
                                     fetch,
                                     store,
                                     gsai_gpu_product,
                                     gsai_gpu_combine,
                                     gsai_gpu_dot};

    return &table;
}
