/* The stage compute on a GPU: problems are sorted into classes by the memory that they take; each class is worked on by groups of its own
 * size, from part of a warp to a block, in memory of the multiprocessor, and the largest by blocks in memory of the GPU, of which as many
 * are under way as there is memory for. Within a class a problem takes its own rows times its own columns. */
#include "examples/gsai/gsai_gpu_launch.h"
#include "examples/gsai/gsai_gpu_local.h"

enum { SORT_THREADS = 256 };

/** Groups and memory of a class; in blocks of `threads`. */
struct class_t {
    int size, threads;
    int64_t bytes; /* of a problem, at most; 0: no limit */
};
static const class_t classes[GSAI_CLASS_COUNT] = {{8, 128, 2048},  {32, 64, 4096},    {32, 64, 8192},
                                                  {32, 64, 16384}, {128, 128, 40960}, {256, 256, 98304},
                                                  {256, 256, 0}};

/** Index sets, the matrix and what becomes of the problems. */
struct problems_t {
    const int64_t *start, *rows_start;
    const int32_t *index, *rows;
    int32_t first; /* rows of the problems of columns from here on are there */
    const int64_t *b_start;
    const int32_t *b_index;
    const double *b_value, *scale;
    double *value;
    int32_t *dependent;
};

/* ---- classes ---- */

/** The limits, for the kernel. */
struct limits_t {
    int64_t bytes[GSAI_CLASS_COUNT];
};

static GSAI_DEVICE void raise(int64_t *fact, unsigned long long value) {
    if (value > *(volatile unsigned long long *)fact)
        (void)atomicMax(reinterpret_cast<unsigned long long *>(fact), value);
}

/** Whole warps come here. Places in a class's list are taken by warps. */
static __global__ void __launch_bounds__(SORT_THREADS)
    classify_columns(const int64_t *start, const int64_t *rows_start, gsai_step_t step, limits_t limits,
                     int32_t *items, int64_t *facts) {
    const int lane = (int)threadIdx.x % GSAI_WARP;
    const int64_t k = step.first + (int64_t)blockIdx.x * SORT_THREADS + threadIdx.x;
    const bool is_there = k < step.end;
    unsigned long long most[3] = {0, 0, 0};
    int own = -1;

    if (is_there) {
        const int64_t columns = start[k + 1] - start[k],
                      rows = step.is_factored ? columns : rows_start[k + 1] - rows_start[k];
        const int64_t bytes = gsai_problem_bytes(rows, columns, step.is_single ? 4 : 8, step.is_factored);

        for (own = 0; own < GSAI_CLASS_LARGE && bytes > limits.bytes[own];)
            own++;
        most[0] = (unsigned long long)rows;
        most[1] = (unsigned long long)columns;
        most[2] = (unsigned long long)bytes;
    }
    for (int c = 0; c < GSAI_CLASS_COUNT; c++) {
        const unsigned all = __ballot_sync(0xffffffffu, own == c);
        long long place = 0;

        if (lane == 0 && all != 0)
            place = (long long)atomicAdd(reinterpret_cast<unsigned long long *>(&facts[GSAI_FACT_CLASS + c]),
                                         (unsigned long long)__popc(all));
        place = __shfl_sync(0xffffffffu, place, 0);
        if (own == c)
            raise(&facts[GSAI_FACT_CLASS_BYTES + c], most[2]);
        if (own == c)
            items[c * (int64_t)(step.end - step.first) + place + __popc(all & ((1u << lane) - 1))] =
                (int32_t)k;
    }
    for (int m = 0; m < 3; m++) {
        for (int bits = GSAI_WARP / 2; bits > 0; bits /= 2) {
            const unsigned long long other = __shfl_xor_sync(0xffffffffu, most[m], bits);

            most[m] = other > most[m] ? other : most[m];
        }
        if (lane == 0)
            (void)atomicMax(reinterpret_cast<unsigned long long *>(&facts[GSAI_FACT_ROWS_MAX + m]), most[m]);
    }
}

extern "C" void gsai_gpu_classify(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    int64_t *const facts = gsai_base<int64_t>(record, 2);
    limits_t limits;

    for (int c = 0; c < GSAI_CLASS_COUNT; c++)
        limits.bytes[c] = classes[c].bytes;
    gsai_gpu_clear_facts(facts, record->stream);
    gsai_launch(classify_columns, gsai_blocks((int64_t)step->end - step->first, SORT_THREADS), SORT_THREADS,
                0, record->stream, gsai_base<int64_t>(record, 0), gsai_base<int64_t>(record, 1), *step,
                limits, gsai_base<int32_t>(record, 3), facts);
}

/* ---- problems ---- */

/** All elements 0, and what the gathering does not write. */
template <int SIZE, typename REAL>
static GSAI_DEVICE void clear(const gsai_group<SIZE> &group, const gsai_problem<REAL> &p, int64_t elements) {
    for (int64_t at = group.lane; at < elements; at += SIZE)
        p.a[at] = 0;
    group.sync();
}

/** Columns of the matrix, brought near 1, and the unit vector, which may be out of reach. */
template <int SIZE, typename REAL>
static GSAI_DEVICE void gather_columns(const gsai_group<SIZE> &group, const problems_t &t, int32_t k,
                                       const gsai_problem<REAL> &p) {
    const int32_t *const member = t.index + t.start[k];
    const int32_t *const rows = t.rows + (t.rows_start[k] - t.rows_start[t.first]);

    clear(group, p, (int64_t)p.rows * (p.columns + 1));
    for (int c = 0; c < p.columns; c++) {
        const int32_t j = member[c];
        const int64_t end = t.b_start[j + 1];
        const double scale = t.scale[j];

        for (int64_t at = t.b_start[j] + group.lane; at < end; at += SIZE)
            p.a[(int64_t)c * p.rows + gsai_find(rows, p.rows, t.b_index[at])] = (REAL)(t.b_value[at] * scale);
    }
    if (group.lane == 0) {
        const int row = gsai_find(rows, p.rows, k);

        if (row >= 0)
            p.a[(int64_t)p.columns * p.rows + row] = 1;
    }
    group.sync();
}

/** The lower triangle of the rows and columns of the pattern, scaled on both sides. */
template <int SIZE, typename REAL>
static GSAI_DEVICE void gather_triangle(const gsai_group<SIZE> &group, const problems_t &t, int32_t k,
                                        const gsai_problem<REAL> &p) {
    const int32_t *const member = t.index + t.start[k];

    clear(group, p, (int64_t)p.rows * p.columns);
    for (int c = 0; c < p.columns; c++) {
        const int32_t j = member[c];
        const int64_t end = t.b_start[j + 1];

        for (int64_t at = t.b_start[j] + group.lane; at < end; at += SIZE) {
            const int32_t i = t.b_index[at];
            const int row = gsai_find(member, p.columns, i);

            if (row >= c)
                p.a[(int64_t)c * p.rows + row] = (REAL)(t.b_value[at] * t.scale[j] * t.scale[i]);
        }
    }
    group.sync();
}

/** Problems number `group` and on, `groups` apart, of a class. */
template <int SIZE, typename REAL, bool IS_FACTORED>
static __global__ void __launch_bounds__(SIZE > 128 ? SIZE : 128)
    solve_class(problems_t t, const int32_t *item, int64_t count, unsigned char *slots, int64_t slot_bytes) {
    GSAI_SHARED_MEMORY(shared);
    __shared__ gsai_board board;
    gsai_group<SIZE> group(&board);
    const int number = (int)threadIdx.x / SIZE, in_block = (int)blockDim.x / SIZE;
    unsigned char *const memory =
        slots != nullptr ? slots + blockIdx.x * slot_bytes : shared + number * slot_bytes;

    for (int64_t m = (int64_t)blockIdx.x * in_block + number; m < count; m += (int64_t)gridDim.x * in_block) {
        const int32_t k = item[m];
        const int columns = (int)(t.start[k + 1] - t.start[k]);
        const int rows = IS_FACTORED ? columns : (int)(t.rows_start[k + 1] - t.rows_start[k]);
        const gsai_problem<REAL> p = gsai_lay_out<REAL>(memory, rows, columns, IS_FACTORED);
        int left_out;

        if (IS_FACTORED) {
            gather_triangle(group, t, k, p);
            left_out = gsai_solve_triangle(group, p) ? 0 : -1;
        } else {
            gather_columns(group, t, k, p);
            left_out = gsai_solve_columns(group, p);
        }
        for (int c = group.lane; c < columns; c += SIZE)
            t.value[t.start[k] + c] = left_out >= 0 ? p.pivot_value[c] * t.scale[t.index[t.start[k] + c]] : 0;
        if (group.lane == 0)
            t.dependent[k] = left_out;
        group.sync(); /* the memory is for the next one */
    }
}

typedef void (*kernel_t)(problems_t, const int32_t *, int64_t, unsigned char *, int64_t);

template <typename REAL, bool IS_FACTORED> static kernel_t kernel_of_size(int size) {
    return size == 8     ? solve_class<8, REAL, IS_FACTORED>
           : size == 32  ? solve_class<32, REAL, IS_FACTORED>
           : size == 128 ? solve_class<128, REAL, IS_FACTORED>
                         : solve_class<256, REAL, IS_FACTORED>;
}

static kernel_t kernel_of(const gsai_step_t *step, int size) {
    if (step->is_factored)
        return step->is_single ? kernel_of_size<float, true>(size) : kernel_of_size<double, true>(size);
    return step->is_single ? kernel_of_size<float, false>(size) : kernel_of_size<double, false>(size);
}

/** Blocks of a kernel that fit the GPU at once. */
static int64_t resident_blocks(kernel_t kernel, int threads, size_t shared_bytes) {
    int blocks = 0;

    (void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void *>(kernel),
                                                        threads, shared_bytes);
    return (int64_t)(blocks > 0 ? blocks : 1) * gsai_gpu_processors();
}

static void solve_class_of(const gsai_step_t *step, int c, const problems_t &t, const int32_t *items,
                           unsigned char *slots, void *stream) {
    const class_t &one = classes[c];
    const bool is_large = c == GSAI_CLASS_LARGE;
    const int in_block = one.threads / one.size;
    const int64_t bytes = step->bytes[c]; /* of each problem's memory: as the largest of the class needs */
    const size_t shared_bytes = is_large ? 0 : (size_t)(bytes * in_block);
    const kernel_t kernel = kernel_of(step, one.size);
    int64_t blocks = gsai_blocks(step->problems[c], in_block);

    if (blocks == 0)
        return;
    (void)cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
    const int64_t most = is_large ? step->slots : resident_blocks(kernel, one.threads, shared_bytes);
    blocks = blocks < most ? blocks : most;
    gsai_launch(kernel, blocks, one.threads, shared_bytes, stream, t,
                items + c * (int64_t)(step->end - step->first), step->problems[c], is_large ? slots : nullptr,
                bytes);
}

extern "C" void gsai_gpu_solve(const dvmhx_record_t *record, void *context) {
    const gsai_step_t *const step = static_cast<const gsai_step_t *>(context);
    const problems_t t = {gsai_base<int64_t>(record, 0),
                          gsai_base<int64_t>(record, 2),
                          gsai_base<int32_t>(record, 1),
                          gsai_base<int32_t>(record, 3),
                          step->first,
                          gsai_base<int64_t>(record, 4),
                          gsai_base<int32_t>(record, 5),
                          gsai_base<double>(record, 6),
                          gsai_base<double>(record, 7),
                          gsai_base<double>(record, 9),
                          gsai_base<int32_t>(record, 10)};

    for (int c = GSAI_CLASS_COUNT - 1; c >= 0; c--) /* what takes longest begins first */
        solve_class_of(step, c, t, gsai_base<int32_t>(record, 8), gsai_base<unsigned char>(record, 11),
                       record->stream);
}
