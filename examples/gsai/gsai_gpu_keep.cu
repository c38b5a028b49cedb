/* The stage post on a GPU: what is kept of each column is counted, counts become pointers, and values and indices are compacted. A warp
 * has a column. */
#include "examples/gsai/gsai_gpu_launch.h"

enum { THREADS = 256, WARPS = THREADS / GSAI_WARP };

/** Columns of the inverse. */
struct columns_t {
    const int64_t *start;
    const int32_t *index;
    const double *value;
};

static columns_t columns_of(const dvmhx_record_t *record) {
    return {gsai_base<int64_t>(record, 0), gsai_base<int32_t>(record, 1), gsai_base<double>(record, 2)};
}

/** Below this an entry of column k is dropped. */
static GSAI_DEVICE double limit_of(const columns_t &m, int64_t k, double filter) {
    double largest = 0;

    if (!(filter > 0))
        return 0;
    for (int64_t at = m.start[k] + threadIdx.x % GSAI_WARP; at < m.start[k + 1]; at += GSAI_WARP)
        largest = fmax(largest, fabs(m.value[at]));
    for (int bits = GSAI_WARP / 2; bits > 0; bits /= 2)
        largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, bits));
    return filter * largest;
}

/** What is kept of column k: counted, and written where there is a place for it. Exact zeros never are, the diagonal is otherwise. */
static GSAI_DEVICE int32_t keep_column(const columns_t &m, int64_t k, double filter, int32_t *index,
                                       double *value) {
    gsai_group<GSAI_WARP> group(nullptr);
    const double limit = limit_of(m, k, filter);
    const int64_t end = m.start[k + 1];
    int32_t found = 0;

    for (int64_t from = m.start[k]; from < end; from += GSAI_WARP) {
        const int64_t at = from + group.lane;
        const double own = at < end ? m.value[at] : 0;
        const int32_t i = at < end ? m.index[at] : -1;
        const bool stays = own != 0 && (i == k || fabs(own) >= limit);
        int total;
        const int place = found + group.place(stays, &total);

        if (stays && index != nullptr) {
            index[place] = i;
            value[place] = own;
        }
        found += total;
    }
    return found;
}

static GSAI_DEVICE void add(int64_t *fact, int64_t value) {
    if (value != 0)
        (void)atomicAdd(reinterpret_cast<unsigned long long *>(fact), (unsigned long long)value);
}

/** Rare things are told one by one. */
static GSAI_DEVICE void tell(int64_t k, int32_t dependent, int32_t found, int64_t *facts) {
    unsigned long long *const place = reinterpret_cast<unsigned long long *>(&facts[GSAI_FACT_INDEFINITE]);

    add(&facts[GSAI_FACT_EMPTY], found == 0);
    if (dependent > 0) {
        add(&facts[GSAI_FACT_DEPENDENT], dependent);
        add(&facts[GSAI_FACT_DEFICIENT], 1);
    }
    for (unsigned long long seen = 0; dependent < 0 && (seen == 0 || (unsigned long long)k + 1 < seen);) {
        const unsigned long long other = atomicCAS(place, seen, (unsigned long long)k + 1);

        if (other == seen)
            break;
        seen = other;
    }
}

static __global__ void __launch_bounds__(THREADS)
    count_columns(columns_t m, int32_t first, int32_t end, double filter, const int32_t *dependent,
                  int32_t *count, int64_t *facts) {
    const int64_t k = first + (int64_t)blockIdx.x * WARPS + threadIdx.x / GSAI_WARP;

    if (k >= end)
        return;
    const int32_t found = keep_column(m, k, filter, nullptr, nullptr);
    if (threadIdx.x % GSAI_WARP == 0) {
        count[k] = found;
        tell(k, dependent[k], found, facts);
    }
}

static __global__ void __launch_bounds__(THREADS)
    write_columns(columns_t m, int32_t first, int32_t end, double filter, const int64_t *start,
                  int32_t *index, double *value) {
    const int64_t k = first + (int64_t)blockIdx.x * WARPS + threadIdx.x / GSAI_WARP;

    if (k < end)
        keep_column(m, k, filter, index + start[k], value + start[k]);
}

extern "C" void gsai_gpu_keep_count(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    int32_t *const count = gsai_base<int32_t>(record, 4);
    int64_t *const facts = gsai_base<int64_t>(record, 7);

    gsai_gpu_clear_facts(facts, record->stream);
    gsai_launch(count_columns, gsai_blocks((int64_t)step->end - step->first, WARPS), THREADS, 0,
                record->stream, columns_of(record), step->first, step->end, step->filter,
                gsai_base<int32_t>(record, 3), count, facts);
    gsai_gpu_scan(count, step->first, step->end, gsai_base<int64_t>(record, 5), gsai_base<int64_t>(record, 6),
                  facts, record->stream);
}

extern "C" void gsai_gpu_keep(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);

    gsai_launch(write_columns, gsai_blocks((int64_t)step->end - step->first, WARPS), THREADS, 0,
                record->stream, columns_of(record), step->first, step->end, step->filter,
                gsai_base<int64_t>(record, 3), gsai_base<int32_t>(record, 4), gsai_base<double>(record, 5));
}
