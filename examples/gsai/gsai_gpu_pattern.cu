/* Index sets on a GPU: the pattern of each column of the inverse, level by level, and the rows of its problem. Both are unions of columns:
 * candidates are written one list after the other, sorted, and those that differ from the one before them stay. A union is made twice, once to
 * count and once to be kept, so that nothing is padded. A warp works in shared memory; columns with more candidates are
 * a block's, which has a buffer. */
#include "examples/gsai/gsai_gpu_launch.h"

enum { SMALL_THREADS = 128, SMALL_WARPS = SMALL_THREADS / GSAI_WARP, THREADS = 256, CHUNK = 32 };

/** Columns C that are united, and for each column k which of them: those in its list, or k itself. */
struct unions_t {
    const int64_t *start;
    const int32_t *index;
    const int64_t *list_start;
    const int32_t *list;
    int32_t first, end;
    bool has_list, keeps_list, is_lower;
};

/** The list of a column. own: room for k, where that is the list. */
static GSAI_DEVICE const int32_t *list_of(const unions_t &u, int32_t k, int32_t *own, int32_t *count_p) {
    if (u.has_list) {
        *count_p = (int32_t)(u.list_start[k + 1] - u.list_start[k]);
        return u.list + u.list_start[k];
    }
    *own = k;
    *count_p = 1;
    return own;
}

/* ---- bounds ---- */

static GSAI_DEVICE void raise(int64_t *fact, int64_t value) {
    if (value > *(volatile int64_t *)fact)
        (void)atomicMax(reinterpret_cast<unsigned long long *>(fact), (unsigned long long)value);
}

static __global__ void __launch_bounds__(SMALL_THREADS)
    bound_columns(unions_t u, int32_t *bound, int64_t *facts) {
    const int lane = (int)threadIdx.x % GSAI_WARP;
    const int64_t k = u.first + (int64_t)blockIdx.x * SMALL_WARPS + threadIdx.x / GSAI_WARP;
    int32_t own, count;
    long long sum = 0;

    if (k >= u.end)
        return;
    const int32_t *const list = list_of(u, (int32_t)k, &own, &count);
    for (int32_t a = lane; a < count; a += GSAI_WARP)
        sum += u.start[list[a] + 1] - u.start[list[a]];
    for (int bits = GSAI_WARP / 2; bits > 0; bits /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, bits);
    sum += u.keeps_list ? count : 0;
    if (lane == 0) {
        bound[k] = sum < INT32_MAX ? (int32_t)sum : INT32_MAX;
        raise(&facts[GSAI_FACT_LARGEST], sum);
    }
}

static unions_t unions_of(const dvmhx_record_t *record, const gsai_step_t *step, int lists) {
    unions_t u = {gsai_base<int64_t>(record, 0),
                  gsai_base<int32_t>(record, 1),
                  nullptr,
                  nullptr,
                  step->first,
                  step->end,
                  step->has_list != 0,
                  step->keeps_list != 0,
                  step->is_lower != 0};

    if (u.has_list) {
        u.list_start = gsai_base<int64_t>(record, lists);
        u.list = gsai_base<int32_t>(record, lists + 1);
    }
    return u;
}

extern "C" void gsai_gpu_bound(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    int64_t *const facts = gsai_base<int64_t>(record, 3);

    gsai_gpu_clear_facts(facts, record->stream);
    gsai_launch(bound_columns, gsai_blocks((int64_t)step->end - step->first, SMALL_WARPS), SMALL_THREADS, 0,
                record->stream, unions_of(record, step, 4), gsai_base<int32_t>(record, 2), facts);
}

/* ---- unions ---- */

/** The union for column k in `buffer`, which has room for its candidates, and from there to `kept` where that is given. @return how many */
template <int SIZE>
static GSAI_DEVICE int32_t unite_column(gsai_group<SIZE> &group, const unions_t &u, int32_t k,
                                        int32_t *buffer, int32_t *kept) {
    int32_t own, count, filled = 0, found = 0;
    const int32_t *const list = list_of(u, k, &own, &count);

    if (u.keeps_list) {
        for (int32_t a = group.lane; a < count; a += SIZE)
            buffer[a] = list[a];
        filled = count;
    }
    for (int32_t a = 0; a < count; a++) {
        const int64_t begin = u.start[list[a]];
        const int32_t length = (int32_t)(u.start[list[a] + 1] - begin);

        for (int32_t b = group.lane; b < length; b += SIZE)
            buffer[filled + b] = u.index[begin + b];
        filled += length;
    }
    group.sync();
    gsai_group_sort(
        group, (unsigned)filled, [=](unsigned a, unsigned b) { return buffer[a] < buffer[b]; },
        [=](unsigned a, unsigned b) {
            const int32_t moved = buffer[a];

            buffer[a] = buffer[b];
            buffer[b] = moved;
        });
    for (int32_t from = 0; from < filled; from += SIZE) {
        const int32_t a = from + group.lane;
        const bool stays =
            a < filled && (a == 0 || buffer[a] != buffer[a - 1]) && (!u.is_lower || buffer[a] <= k);
        int total;
        const int place = found + group.place(stays, &total);

        if (stays && kept != nullptr)
            kept[place] = buffer[a];
        found += total;
    }
    group.sync(); /* the buffer is for the next column */
    return found;
}

/** Counts where `start` is NULL, else entries from index + start[k] - start[first] on. */
struct target_t {
    const int32_t *bound;
    int32_t *count;
    const int64_t *start;
    int32_t *index;
};

template <int SIZE>
static GSAI_DEVICE void serve_column(gsai_group<SIZE> &group, const unions_t &u, const target_t &target,
                                     int32_t k, int32_t *buffer) {
    int32_t *const kept =
        target.start != nullptr ? target.index + (target.start[k] - target.start[u.first]) : nullptr;
    const int32_t found = unite_column(group, u, k, buffer, kept);

    if (group.lane == 0 && kept == nullptr)
        target.count[k] = found;
}

static __global__ void __launch_bounds__(SMALL_THREADS) unite_small(unions_t u, target_t target) {
    __shared__ int32_t buffer[SMALL_WARPS][GSAI_UNION_SMALL];
    gsai_group<GSAI_WARP> group(nullptr);
    const int warp = (int)threadIdx.x / GSAI_WARP;
    const int64_t k = u.first + (int64_t)blockIdx.x * SMALL_WARPS + warp;

    if (k < u.end && target.bound[k] <= GSAI_UNION_SMALL)
        serve_column(group, u, target, (int32_t)k, buffer[warp]);
}

static __global__ void __launch_bounds__(THREADS)
    unite_large(unions_t u, target_t target, int32_t *buffers, int64_t elements) {
    __shared__ gsai_board board;
    gsai_group<THREADS> group(&board);
    int32_t *const buffer = buffers + blockIdx.x * elements;

    for (int64_t from = u.first + (int64_t)blockIdx.x * CHUNK; from < u.end;
         from += (int64_t)gridDim.x * CHUNK)
        for (int64_t k = from; k < from + CHUNK && k < u.end; k++)
            if (target.bound[k] > GSAI_UNION_SMALL)
                serve_column(group, u, target, (int32_t)k, buffer);
}

static void unite_all(const gsai_step_t *step, const unions_t &u, const target_t &target, int32_t *buffers,
                      void *stream) {
    const int64_t columns = (int64_t)step->end - step->first, chunks = gsai_blocks(columns, CHUNK);

    gsai_launch(unite_small, gsai_blocks(columns, SMALL_WARPS), SMALL_THREADS, 0, stream, u, target);
    if (step->slot_elements > 0)
        gsai_launch(unite_large, step->slots < chunks ? step->slots : chunks, THREADS, 0, stream, u, target,
                    buffers, step->slot_elements);
}

extern "C" void gsai_gpu_unite_count(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    const target_t target = {gsai_base<int32_t>(record, 2), gsai_base<int32_t>(record, 3), nullptr, nullptr};
    int64_t *const facts = gsai_base<int64_t>(record, 7);

    gsai_gpu_clear_facts(facts, record->stream);
    unite_all(step, unions_of(record, step, 8), target, gsai_base<int32_t>(record, 6), record->stream);
    gsai_gpu_scan(target.count, step->first, step->end, gsai_base<int64_t>(record, 4),
                  gsai_base<int64_t>(record, 5), facts, record->stream);
}

extern "C" void gsai_gpu_unite(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    const target_t target = {gsai_base<int32_t>(record, 2), nullptr, gsai_base<int64_t>(record, 3),
                             gsai_base<int32_t>(record, 5)};

    unite_all(step, unions_of(record, step, 6), target, gsai_base<int32_t>(record, 4), record->stream);
}
