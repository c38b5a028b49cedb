/* Matrices on a GPU before anything is solved: checks, sorting, transposition, scales, the thresholded pattern. A warp has a column; one that
 * is longer than a warp sorts with ease is sorted by a block. */
#include "examples/gsai/gsai_gpu_launch.h"

enum { THREADS = 256, WARPS = THREADS / GSAI_WARP, WARP_SORTS = 1024, CHUNK = 32 };

/** A matrix by compressed columns, or rows. */
struct matrix_t {
    int64_t *start;
    int32_t *index;
    double *value;
};

static matrix_t matrix_of(const dvmhx_record_t *record, int first) {
    return {gsai_base<int64_t>(record, first), gsai_base<int32_t>(record, first + 1),
            gsai_base<double>(record, first + 2)};
}

static const gsai_step_t *step_of(void *context) {
    return static_cast<const gsai_step_t *>(context);
}

/** The column of this warp. */
static GSAI_DEVICE int64_t column_here() {
    return (int64_t)blockIdx.x * WARPS + threadIdx.x / GSAI_WARP;
}

/** The smallest fault stays. */
static GSAI_DEVICE void tell_fault(int64_t *facts, int64_t column, int fault) {
    unsigned long long *const place = reinterpret_cast<unsigned long long *>(&facts[GSAI_FACT_FAULT]);
    const unsigned long long told = 1 + (unsigned long long)column * 4 + (unsigned)fault;
    unsigned long long seen = 0;

    do { /* 0 is none */
        const unsigned long long found = atomicCAS(place, seen, told);

        if (found == seen)
            return;
        seen = found;
    } while (seen == 0 || told < seen);
}

/* ---- checks ---- */

static __global__ void __launch_bounds__(THREADS)
    check_columns(matrix_t m, int32_t n, int64_t entries, int64_t *facts) {
    const int64_t k = column_here();

    if (k >= n)
        return;
    const int64_t begin = m.start[k], end = m.start[k + 1];
    if (begin < 0 || end < begin || end > entries || (k == 0 && begin != 0) ||
        (k == n - 1 && end != entries)) {
        tell_fault(facts, k, GSAI_FAULT_ORDER);
        return;
    }
    for (int64_t at = begin + threadIdx.x % GSAI_WARP; at < end; at += GSAI_WARP) {
        if (m.index[at] < 0 || m.index[at] >= n)
            tell_fault(facts, k, GSAI_FAULT_INDEX);
        else if (!isfinite(m.value[at]))
            tell_fault(facts, k, GSAI_FAULT_VALUE);
    }
}

extern "C" void gsai_gpu_check(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = step_of(context);
    int64_t *const facts = gsai_base<int64_t>(record, 3);

    gsai_gpu_clear_facts(facts, record->stream);
    gsai_launch(check_columns, gsai_blocks(step->n, WARPS), THREADS, 0, record->stream, matrix_of(record, 0),
                step->n, step->entries, facts);
}

/* ---- sorting ---- */

template <int SIZE>
static GSAI_DEVICE void sort_column(const gsai_group<SIZE> &group, matrix_t m, int64_t k) {
    int32_t *const index = m.index + m.start[k];
    double *const value = m.value + m.start[k];

    gsai_group_sort(
        group, (unsigned)(m.start[k + 1] - m.start[k]),
        [=](unsigned a, unsigned b) { return index[a] < index[b]; },
        [=](unsigned a, unsigned b) {
            const int32_t moved = index[a];
            const double moved_value = value[a];

            index[a] = index[b];
            value[a] = value[b];
            index[b] = moved;
            value[b] = moved_value;
        });
}

/** A column that fits a warp's registers: each entry counts those before it. */
static GSAI_DEVICE void sort_short(matrix_t m, int64_t begin, int count, int lane) {
    const int32_t own = lane < count ? m.index[begin + lane] : 0;
    const double value = lane < count ? m.value[begin + lane] : 0;
    int before = 0;

    for (int other = 0; other < count; other++) {
        const int32_t index = __shfl_sync(0xffffffffu, own, other);

        before += index < own || (index == own && other < lane);
    }
    if (lane < count) {
        m.index[begin + before] = own;
        m.value[begin + before] = value;
    }
}

static __global__ void __launch_bounds__(THREADS) sort_columns(matrix_t m, int32_t n) {
    const gsai_group<GSAI_WARP> group(nullptr);
    const int64_t k = column_here();

    if (k >= n)
        return;
    const int64_t begin = m.start[k], count = m.start[k + 1] - begin;
    if (count <= GSAI_WARP)
        sort_short(m, begin, (int)count, group.lane);
    else if (count <= WARP_SORTS)
        sort_column(group, m, k);
}

static __global__ void __launch_bounds__(THREADS) sort_long_columns(matrix_t m, int32_t n) {
    const gsai_group<THREADS> group(nullptr);
    const int64_t from = (int64_t)blockIdx.x * CHUNK;

    for (int64_t k = from; k < from + CHUNK && k < n; k++)
        if (m.start[k + 1] - m.start[k] > WARP_SORTS)
            sort_column(group, m, k);
}

static __global__ void __launch_bounds__(THREADS) find_twice(matrix_t m, int32_t n, int64_t *facts) {
    const int64_t k = column_here();

    if (k >= n)
        return;
    for (int64_t at = m.start[k] + 1 + threadIdx.x % GSAI_WARP; at < m.start[k + 1]; at += GSAI_WARP)
        if (m.index[at] == m.index[at - 1])
            tell_fault(facts, k, GSAI_FAULT_TWICE);
}

static void sort(matrix_t m, int32_t n, void *stream) {
    gsai_launch(sort_columns, gsai_blocks(n, WARPS), THREADS, 0, stream, m, n);
    gsai_launch(sort_long_columns, gsai_blocks(n, CHUNK), THREADS, 0, stream, m, n);
}

extern "C" void gsai_gpu_sort(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = step_of(context);
    int64_t *const facts = gsai_base<int64_t>(record, 3);

    gsai_gpu_clear_facts(facts, record->stream);
    sort(matrix_of(record, 0), step->n, record->stream);
    gsai_launch(find_twice, gsai_blocks(step->n, WARPS), THREADS, 0, record->stream, matrix_of(record, 0),
                step->n, facts);
}

/* ---- transposition ---- */

static __global__ void __launch_bounds__(THREADS)
    count_entries(const int32_t *index, int64_t entries, int32_t *count) {
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;

    if (at < entries)
        atomicAdd(&count[index[at]], 1);
}

/** Places within a column are taken from its end, in any order; sorting puts them right. */
static __global__ void __launch_bounds__(THREADS)
    scatter_columns(matrix_t m, int32_t n, matrix_t t, int32_t *count) {
    const int64_t k = column_here();

    if (k >= n)
        return;
    for (int64_t at = m.start[k] + threadIdx.x % GSAI_WARP; at < m.start[k + 1]; at += GSAI_WARP) {
        const int32_t i = m.index[at];
        const int64_t to = t.start[i] + atomicAdd(&count[i], -1) - 1;

        t.index[to] = (int32_t)k;
        t.value[to] = m.value[at];
    }
}

extern "C" void gsai_gpu_transpose(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = step_of(context);
    const matrix_t m = matrix_of(record, 0), t = matrix_of(record, 3);
    int32_t *const count = gsai_base<int32_t>(record, 6);
    const size_t bytes = (size_t)step->n * sizeof *count;

    (void)cudaMemsetAsync(count, 0, bytes, static_cast<cudaStream_t>(record->stream));
    gsai_launch(count_entries, gsai_blocks(step->entries, THREADS), THREADS, 0, record->stream, m.index,
                step->entries, count);
    gsai_gpu_scan(count, 0, step->n, t.start, gsai_base<int64_t>(record, 7), nullptr, record->stream);
    gsai_launch(scatter_columns, gsai_blocks(step->n, WARPS), THREADS, 0, record->stream, m, step->n, t,
                count);
    sort(t, step->n, record->stream);
}

/** Whether a matrix equals its transposed up to rounding. */
static __global__ void __launch_bounds__(THREADS)
    compare_columns(matrix_t m, matrix_t t, int32_t n, int64_t *facts) {
    const int64_t k = column_here();

    if (k >= n)
        return;
    bool differs = m.start[k] != t.start[k] || m.start[k + 1] != t.start[k + 1];
    for (int64_t at = m.start[k] + threadIdx.x % GSAI_WARP; at < m.start[k + 1] && !differs;
         at += GSAI_WARP) {
        const double a = m.value[at], b = t.value[at];

        differs = m.index[at] != t.index[at] || fabs(a - b) > 1e-12 * fmax(fabs(a), fabs(b));
    }
    if (differs)
        facts[GSAI_FACT_ASYMMETRIC] = 1;
}

extern "C" void gsai_gpu_compare(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = step_of(context);
    int64_t *const facts = gsai_base<int64_t>(record, 6);

    gsai_gpu_clear_facts(facts, record->stream);
    gsai_launch(compare_columns, gsai_blocks(step->n, WARPS), THREADS, 0, record->stream,
                matrix_of(record, 0), matrix_of(record, 3), step->n, facts);
}

/* ---- scales and the thresholded pattern ---- */

static GSAI_DEVICE double largest_of_warp(double value) {
    for (int bits = GSAI_WARP / 2; bits > 0; bits /= 2)
        value = fmax(value, __shfl_xor_sync(0xffffffffu, value, bits));
    return value;
}

/** Powers of two: for columns by their largest value, for a factor by the diagonal. */
static __global__ void __launch_bounds__(THREADS)
    scale_columns(matrix_t m, int32_t n, int is_factored, double *scale) {
    const int64_t k = column_here();
    double size = 0;
    int exponent = 0;

    if (k >= n)
        return;
    for (int64_t at = m.start[k] + threadIdx.x % GSAI_WARP; at < m.start[k + 1]; at += GSAI_WARP)
        if (!is_factored || m.index[at] == k)
            size = fmax(size, fabs(m.value[at]));
    size = largest_of_warp(size);
    if (size > 0)
        frexp(size, &exponent);
    if (threadIdx.x % GSAI_WARP == 0)
        scale[k] = ldexp(1., -(is_factored ? exponent / 2 : exponent));
}

extern "C" void gsai_gpu_scale(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = step_of(context);

    gsai_launch(scale_columns, gsai_blocks(step->n, WARPS), THREADS, 0, record->stream, matrix_of(record, 0),
                step->n, step->is_factored, gsai_base<double>(record, 3));
}

/** Roots of diagonal elements; 1 where there is none or 0. */
static __global__ void __launch_bounds__(THREADS) find_roots(matrix_t m, int32_t n, double *root) {
    const int64_t k = column_here();
    double found = 0;

    if (k >= n)
        return;
    for (int64_t at = m.start[k] + threadIdx.x % GSAI_WARP; at < m.start[k + 1]; at += GSAI_WARP)
        if (m.index[at] == k)
            found = sqrt(fabs(m.value[at]));
    found = largest_of_warp(found);
    if (threadIdx.x % GSAI_WARP == 0)
        root[k] = found > 0 ? found : 1;
}

/** What passes the threshold: with `start` it goes to `kept`, else it is counted. */
static __global__ void __launch_bounds__(THREADS)
    pass_threshold(matrix_t m, int32_t n, double threshold, const double *root, int32_t *count,
                   const int64_t *start, int32_t *kept) {
    gsai_group<GSAI_WARP> group(nullptr);
    const int64_t k = column_here();

    if (k >= n)
        return;
    const int64_t begin = m.start[k], end = m.start[k + 1];
    int before = 0;
    for (int64_t from = begin; from < end; from += GSAI_WARP) {
        const int64_t at = from + group.lane;
        const int32_t i = at < end ? m.index[at] : 0;
        const bool passes = at < end && (i == k || fabs(m.value[at]) > threshold * root[i] * root[k]);
        int total;
        const int place = before + group.place(passes, &total);

        if (passes && start != nullptr)
            kept[start[k] + place] = i;
        before += total;
    }
    if (group.lane == 0 && start == nullptr)
        count[k] = before;
}

extern "C" void gsai_gpu_threshold(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = step_of(context);
    const matrix_t m = matrix_of(record, 0);
    double *const root = gsai_base<double>(record, 3);
    int32_t *const count = gsai_base<int32_t>(record, 4), *const kept = gsai_base<int32_t>(record, 7);
    int64_t *const start = gsai_base<int64_t>(record, 6);
    const int64_t blocks = gsai_blocks(step->n, WARPS);

    gsai_launch(find_roots, blocks, THREADS, 0, record->stream, m, step->n, root);
    gsai_launch(pass_threshold, blocks, THREADS, 0, record->stream, m, step->n, step->threshold, root, count,
                nullptr, kept);
    gsai_gpu_scan(count, 0, step->n, start, gsai_base<int64_t>(record, 5), nullptr, record->stream);
    gsai_launch(pass_threshold, blocks, THREADS, 0, record->stream, m, step->n, step->threshold, root, count,
                start, kept);
}
