/* dvmhx_run_cuda.h on a GPU: random loops, launched in every way that is legal for them, against the sequential loop, bit for bit. Mixing loops
 * tell any order that breaks a dependence or an anti-dependence; every kind of reduction; the same sums in two runs. Where the GPU is an emulated
 * one, all of it with 1, 2 and 8 resident blocks. An argument is the number of trials, or `few`. */
#include <config.h>

#include "tests/device/gpu_launches.h"
#include "tests/device/gpu_lines.h"

#include <cuda_runtime_api.h>
#include <dvmhx_launch.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static const dvmhx_launcher_t *launcher;

/* As in the library, which this test does without. */
void dvmhx_launcher_C(const dvmhx_launcher_t *told) {
    static dvmhx_launcher_t kept;
    kept = *told;
    launcher = &kept;
}

static cudaStream_t stream;

static bool succeeded(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    return CHECK(error == cudaSuccess);
}

static void *upload(const void *values, size_t bytes) {
    void *memory = NULL;
    succeeded(cudaMalloc(&memory, bytes), "cudaMalloc");
    succeeded(cudaMemcpyAsync(memory, values, bytes, cudaMemcpyHostToDevice, stream), "upload");
    succeeded(cudaStreamSynchronize(stream), "upload");
    return memory;
}

static void download(void *values, void *memory, size_t bytes) {
    succeeded(cudaMemcpy(values, memory, bytes, cudaMemcpyDeviceToHost), "download");
    succeeded(cudaFree(memory), "cudaFree");
}

typedef void (*handler_t)(const dvmhx_record_t *record, const void *parameter);

/** Launches that were kept, and sweeps of these. */
static int kept_launches, kept_sweeps;

/** Several sweeps: the handler keeps the launch, twice the same bytes, and it is started for all of them. */
static void run_sweeps(random_launch_t *to, handler_t handler, const void *parameter) {
    static _Alignas(max_align_t) char bytes[2][8192];
    dvmhx_kept_t kept[2];
    for (int i = 0; i < 2; i++) {
        kept[i] = (dvmhx_kept_t){.bytes = bytes[i], .room = sizeof bytes[i]};
        to->launch.kept = &kept[i];
        handler(&to->record, parameter);
    }
    to->launch.kept = NULL;
    if (!CHECK(kept[0].used > 0 && kept[0].used == kept[1].used && kept[0].start == kept[1].start) ||
        !CHECK(memcmp(bytes[0], bytes[1], (size_t)kept[0].used) == 0))
        return;
    kept[1].start(bytes[1], to->sweeps, stream);
    kept_launches++;
    kept_sweeps += to->sweeps;
}

/** Run a handler: with counters that are zero, FRONTS from a graph now and then. @return whether all went well */
static bool run(random_launch_t *to, handler_t handler, const void *parameter) {
    dvmhx_launch_t *launch = &to->launch;
    const int columns = launch->kind == DVMHX_LAUNCH_TILES ? (int)launch->column_count * to->sweeps : 0;
    int *counters = calloc((size_t)columns + 1, sizeof *counters);
    const bool in_graph = launch->kind == DVMHX_LAUNCH_FRONTS && check_random_once_in(3);
    if (columns > 0) {
        launch->counters = upload(counters, ((size_t)columns + 1) * sizeof *counters);
        launch->order = upload(to->order, (size_t)launch->column_count * sizeof *to->order);
    }
    to->record.stream = stream;
    if (in_graph) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        succeeded(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
        handler(&to->record, parameter);
        succeeded(cudaStreamEndCapture(stream, &graph), "end of capture");
        succeeded(cudaGraphInstantiate(&executable, graph, 0), "instantiation");
        succeeded(cudaGraphLaunch(executable, stream), "graph");
        succeeded(cudaStreamSynchronize(stream), "graph");
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
    } else if (to->sweeps > 1) {
        run_sweeps(to, handler, parameter);
    } else {
        handler(&to->record, parameter);
    }
    const char *error = launcher != NULL ? launcher->take_error() : "nobody told of a launcher";
    if (!CHECK(error == NULL))
        fprintf(stderr, "a launch failed: %s\n", error);
    const bool good = succeeded(cudaStreamSynchronize(stream), "kernels");
    if (columns > 0) {
        download(counters, launch->counters, ((size_t)columns + 1) * sizeof *counters);
        cudaFree((void *)launch->order);
        int unfinished = 0;
        for (int i = 1; i <= columns; i++)
            unfinished += counters[i] != launch->piece_count;
        CHECK_EQ_INT(unfinished, 0);
    }
    free(counters);
    return good && error == NULL;
}

static void print_case(const char *what, const random_loop_t *loop, const random_launch_t *to) {
    static const char *const kinds[] = {"grid", "lines", "fronts", "tiles"};
    const dvmhx_launch_t *launch = &to->launch;
    fprintf(stderr,
            "%s rank %d, %s%s%s, march %d, chunk %d, resident %d, limit %d, %d columns, %d sweeps, %d fronts "
            "behind\n",
            what, loop->rank, kinds[launch->kind], launch->narrow ? " narrow" : "",
            launch->served ? " served" : "", (int)launch->march_dim, (int)launch->chunk,
            (int)launch->resident, (int)launch->block_limit, (int)launch->column_count, to->sweeps,
            (int)launch->follow_fronts);
    for (int k = 0; k < loop->rank; k++)
        fprintf(stderr, "  dim %d: count %d step %d stride %d time %d tile %d\n", k, (int)loop->count[k],
                (int)loop->step[k], (int)loop->stride[k], (int)to->time[k], (int)to->tile[k]);
    for (int i = 0; i < 3; i++)
        fprintf(stderr, "  %c: dim %d, %d threads\n", "xyz"[i], (int)launch -> dim[i],
                (int)launch -> block[i]);
    for (int i = 0; i < loop->vector_count; i++) {
        fprintf(stderr, "  vector");
        for (int k = 0; k < loop->rank; k++)
            fprintf(stderr, " %d", (int)loop->vector[i][k]);
        fprintf(stderr, "\n");
    }
}

/** Go to the next iteration in lexicographic order; n has ordinals, v loop variables. */
static bool next_iteration(const random_loop_t *loop, DvmType *n, DvmType *v) {
    for (int k = loop->rank - 1; k >= 0; k--) {
        n[k] = n[k] + 1 < loop->count[k] ? n[k] + 1 : 0;
        v[k] = loop->start[k] + n[k] * loop->step[k];
        if (n[k] > 0)
            return true;
    }
    return false;
}

static gpu_mixing_t describe(const random_loop_t *loop) {
    gpu_mixing_t mixing = {loop->vector_count, loop->components, loop->component_stride, {0}};
    for (int i = 0; i < loop->vector_count; i++)
        for (int k = 0; k < loop->rank; k++)
            mixing.offset[i] += loop->vector[i][k] * loop->step[k] * loop->stride[k];
    return mixing;
}

/** The mixing loop, or the stencil, in plain C. */
static void run_here(const random_loop_t *loop, const gpu_mixing_t *mixing, bool is_stencil, uint32_t *a,
                     uint32_t *b) {
    DvmType n[GPU_LOOPS_RANK] = {0}, v[GPU_LOOPS_RANK];
    memcpy(v, loop->start, sizeof v);
    do {
        const DvmType at = launch_offset(loop, v);
        if (is_stencil) {
            for (int i = 0; i < mixing->vector_count; i++)
                b[at] = gpu_mix(b[at], a[at + mixing->offset[i]]);
            continue;
        }
        for (int c = 0; c < mixing->components; c++) {
            uint32_t *element = &a[at + c * mixing->component_stride];
            for (int i = 0; i < mixing->vector_count; i++) {
                *element = gpu_mix(*element, element[-mixing->offset[i]]);
                *element = gpu_mix(*element, element[mixing->offset[i]]);
            }
        }
    } while (next_iteration(loop, n, v));
}

static void test_order(int trial) {
    static const handler_t mixing_loops[] =
        {[2] = (handler_t)gpu_mixing2, [3] = (handler_t)gpu_mixing3, [5] = (handler_t)gpu_mixing5};
    static const handler_t stencils[] = {[3] = (handler_t)gpu_stencil3, [5] = (handler_t)gpu_stencil5};
    static const int ranks[] = {2, 3, 5};
    static const DvmType longest[] = {[2] = 22, [3] = 11, [5] = 4};
    static random_launch_t to;
    random_loop_t loop;
    const DvmType kind = trial % 3 == 0 ? check_random_range(0, 2) : DVMHX_LAUNCH_TILES;
    const bool is_stencil = kind == DVMHX_LAUNCH_GRID;
    const int rank = ranks[check_random_range(is_stencil ? 1 : 0, 2)];
    launch_draw_loop(&loop, rank, longest[rank]);
    const bool by_rows = is_stencil && rank == 3 && check_random_once_in(2);
    if (by_rows)
        launch_lay_rows(&loop);
    if (!launch_draw(&loop, kind, &to))
        return;
    if (by_rows && to.launch.march_dim < 0) {
        to.launch.dim[0] = 2;
        to.launch.dim[1] = 1;
        to.launch.dim[2] = to.launch.dim[2] < 0 ? -1 : 0;
    }
    const gpu_mixing_t mixing = describe(&loop);
    const size_t bytes = (size_t)loop.words * sizeof(uint32_t);
    uint32_t *a = malloc(bytes), *b = malloc(bytes), *found = malloc(bytes);
    for (DvmType i = 0; i < loop.words; i++) {
        a[i] = (uint32_t)check_random_u64();
        b[i] = (uint32_t)check_random_u64();
    }
    uint32_t *const device_a = upload(a, bytes), *const device_b = upload(b, bytes);
    const dvmhx_array_t arrays[] = {{device_a + loop.base, loop.stride, rank, sizeof(uint32_t), 0, NULL, 0, 0,
                                     0, 0, 0, 0, 0},
                                    {device_b + loop.base, loop.stride, rank, sizeof(uint32_t), 0, NULL, 0, 0,
                                     0, 0, 0, 0, 0}};
    to.record.arrays = arrays;
    to.record.array_count = 2;
    for (int sweep = 0; sweep < to.sweeps; sweep++)
        run_here(&loop, &mixing, is_stencil, a, b);
    bool good = run(&to, is_stencil ? stencils[rank] : mixing_loops[rank], &mixing);
    download(found, device_a, bytes);
    good = CHECK(memcmp(found, a, bytes) == 0) && good;
    download(found, device_b, bytes);
    good = CHECK(memcmp(found, b, bytes) == 0) && good;
    if (!good)
        print_case("order", &loop, &to);
    free(a);
    free(b);
    free(found);
}

/* ---- slots ---- */

typedef struct slot_buffers {
    dvmhx_slots_t slots[GPU_REDUCTION_COUNT];
    DvmType count[GPU_REDUCTION_COUNT];
    void *values[GPU_REDUCTION_COUNT], *places[GPU_REDUCTION_COUNT]; /* copies on the host */
} slot_buffers_t;

static void *repeat(const void *value, size_t bytes, DvmType count) {
    char *const values = malloc(bytes * (size_t)count);
    for (DvmType i = 0; i < count; i++)
        memcpy(values + (size_t)i * bytes, value, bytes);
    return values;
}

/** Slots of reduction i, with start values. */
static void make_slots(slot_buffers_t *buffers, const dvmhx_launch_t *launch, int i, const void *start,
                       size_t bytes, const void *place, size_t place_bytes, bool per_thread) {
    DvmType count = launch->block_limit;
    if (per_thread)
        count *= launch->block[0] * launch->block[1] * launch->block[2];
    else if (launch->kind == DVMHX_LAUNCH_TILES)
        count = launch->column_count;
    buffers->values[i] = repeat(start, bytes, count);
    buffers->places[i] = place != NULL ? repeat(place, place_bytes, count) : NULL;
    buffers->slots[i] =
        (dvmhx_slots_t){upload(buffers->values[i], bytes * (size_t)count),
                        place != NULL ? upload(buffers->places[i], place_bytes * (size_t)count) : NULL,
                        start,
                        place,
                        (DvmType)bytes,
                        (DvmType)place_bytes,
                        per_thread};
    buffers->count[i] = count;
}

static void fetch_slots(slot_buffers_t *buffers, int i) {
    const dvmhx_slots_t *slots = &buffers->slots[i];
    download(buffers->values[i], slots->values, (size_t)(buffers->count[i] * slots->value_bytes));
    if (buffers->places[i] != NULL)
        download(buffers->places[i], slots->locations, (size_t)(buffers->count[i] * slots->location_bytes));
}

/** Any launch of a loop that has one, with what reductions need. */
static DvmType draw_any(const random_loop_t *loop, random_launch_t *to) {
    for (;;) {
        const DvmType kind = check_random_range(0, 3);
        if (!launch_draw(loop, kind, to))
            continue;
        to->launch.block_limit = check_random_range(1, 9);
        to->sweeps = 1; /* loops with reductions are not kept */
        return kind;
    }
}

static void test_sor(void) {
    static random_launch_t to;
    static const double weight = 1.3, start = 0;
    random_loop_t loop;
    slot_buffers_t buffers;
    do {
        launch_draw_loop(&loop, 3, 12);
        loop.vector_count = 3;
        memset(loop.vector, 0, sizeof loop.vector);
        for (int k = 0; k < 3; k++) {
            loop.vector[k][k] = 1;
            loop.step[k] = 1;
        }
        DvmType low[3], extent[3];
        for (int k = 0; k < 3; k++) {
            low[k] = loop.start[k] - 1;
            extent[k] = loop.count[k] + 2;
        }
        loop.components = 1;
        launch_draw_layout(&loop, low, extent);
    } while (draw_any(&loop, &to) == DVMHX_LAUNCH_GRID);
    make_slots(&buffers, &to.launch, 0, &start, sizeof start, NULL, 0, false);
    to.launch.slots = buffers.slots;
    to.record.reduction_count = 1;
    const size_t bytes = (size_t)loop.words * sizeof(double);
    double *a = malloc(bytes), *found = malloc(bytes);
    for (DvmType i = 0; i < loop.words; i++)
        a[i] = (double)check_random_range(-1000, 1000) / 7;
    double *const device = upload(a, bytes);
    const dvmhx_array_t array =
        {device + loop.base, loop.stride, 3, sizeof(double), 0, NULL, 0, 0, 0, 0, 0, 0, 0};
    to.record.arrays = &array;
    DvmType n[GPU_LOOPS_RANK] = {0}, v[GPU_LOOPS_RANK];
    double largest = 0, largest_found = 0;
    memcpy(v, loop.start, sizeof v);
    do {
        double *x = a + launch_offset(&loop, v);
        const DvmType *s = loop.stride;
        const double old = *x;
        const double sum = x[-s[0]] + x[s[0]] + x[-s[1]] + x[s[1]] + x[-s[2]] + x[s[2]];
        *x = weight / 6 * sum + (1 - weight) * old;
        largest = fmax(largest, fabs(*x - old));
    } while (next_iteration(&loop, n, v));
    bool good = run(&to, (handler_t)gpu_sor3, &weight);
    download(found, device, bytes);
    good = CHECK(memcmp(found, a, bytes) == 0) && good;
    fetch_slots(&buffers, 0);
    for (DvmType i = 0; i < buffers.count[0]; i++)
        largest_found = fmax(largest_found, ((double *)buffers.values[0])[i]);
    good = CHECK(largest_found == largest) && good;
    if (!good)
        print_case("sor", &loop, &to);
    free(buffers.values[0]);
    free(a);
    free(found);
}

/** All results of the loop `reduce`. Members begin with what the loop begins with. */
typedef struct results {
    float sum;
    long product;
    double most;
    int least;
    unsigned every;
    unsigned char some;
    unsigned long long parity;
    int equal, unequal;
    double best;
    gpu_place_t best_at;
    float worst;
    gpu_place_t worst_at;
    gpu_complex_t whole;
    double total, bins[GPU_LOOPS_BINS];
} results_t;

static const results_t at_start = {.product = 1,
                                   .most = -1,
                                   .least = 1000000,
                                   .every = 0xFFFFF,
                                   .equal = 1,
                                   .best = -1,
                                   .best_at = {{-7, -7, -7}},
                                   .worst = 1000000,
                                   .worst_at = {{-8, -8, -8}}};

/** Where each reduction's value stands in results_t, and its location. */
static const struct {
    size_t at, bytes, place, place_bytes;
} fields[GPU_REDUCTION_COUNT] = {
    [GPU_SUM_FLOAT] = {offsetof(results_t, sum), sizeof(float), 0, 0},
    [GPU_PROD_LONG] = {offsetof(results_t, product), sizeof(long), 0, 0},
    [GPU_MAX_DOUBLE] = {offsetof(results_t, most), sizeof(double), 0, 0},
    [GPU_MIN_INT] = {offsetof(results_t, least), sizeof(int), 0, 0},
    [GPU_AND_UNSIGNED] = {offsetof(results_t, every), sizeof(unsigned), 0, 0},
    [GPU_OR_UCHAR] = {offsetof(results_t, some), 1, 0, 0},
    [GPU_XOR_ULL] = {offsetof(results_t, parity), sizeof(unsigned long long), 0, 0},
    [GPU_EQ_INT] = {offsetof(results_t, equal), sizeof(int), 0, 0},
    [GPU_NE_INT] = {offsetof(results_t, unequal), sizeof(int), 0, 0},
    [GPU_MAXLOC_DOUBLE] = {offsetof(results_t, best), sizeof(double), offsetof(results_t, best_at),
                           sizeof(gpu_place_t)},
    [GPU_MINLOC_FLOAT] = {offsetof(results_t, worst), sizeof(float), offsetof(results_t, worst_at),
                          sizeof(gpu_place_t)},
    [GPU_SUM_COMPLEX] = {offsetof(results_t, whole), sizeof(gpu_complex_t), 0, 0},
    [GPU_SUM_DOUBLE] = {offsetof(results_t, total), sizeof(double), 0, 0},
    [GPU_BINS] = {offsetof(results_t, bins), sizeof(double[GPU_LOOPS_BINS]), 0, 0},
};

/** What one value does to the results, wherever it stands. */
static void reduce_here(results_t *r, double value, const DvmType *v) {
    const long number = isnan(value) ? 0 : (long)value;
    r->sum += (float)number;
    r->product *= number % 3 == 0 ? -1 : 1;
    if (value > r->most)
        r->most = value;
    if (value < r->least)
        r->least = (int)value;
    r->every &= (unsigned)number | 0xFFFF0u;
    r->some = (unsigned char)(r->some | (1 << (number & 7)));
    r->parity ^= (unsigned long long)number * 0x100000001ull;
    r->equal = r->equal == (int)(number & 1);
    r->unequal = r->unequal != (int)(number & 1);
    if (value > r->best) {
        r->best = value;
        r->best_at = (gpu_place_t){{(int)v[0], (int)v[1], (int)v[2]}};
    }
    if ((float)value < r->worst) {
        r->worst = (float)value;
        r->worst_at = (gpu_place_t){{(int)v[0], (int)v[1], (int)v[2]}};
    }
    r->whole.re += (double)number;
    r->whole.im += (double)(number * number);
    r->total += isnan(value) ? 0 : value;
    r->bins[number % GPU_LOOPS_BINS] += (double)number;
}

/** Combine slots, as the runtime does, in their order. */
static void combine_slots(const slot_buffers_t *buffers, results_t *r) {
#define EACH(reduction, type, member, expression)                                                            \
    for (DvmType s = 0; s < buffers->count[reduction]; s++) {                                                \
        const type a = r->member, b = ((const type *)buffers->values[reduction])[s];                         \
        r->member = (type)(expression);                                                                      \
    }
    EACH(GPU_SUM_FLOAT, float, sum, a + b)
    EACH(GPU_PROD_LONG, long, product, a *b)
    EACH(GPU_MAX_DOUBLE, double, most, b > a ? b : a)
    EACH(GPU_MIN_INT, int, least, b < a ? b : a)
    EACH(GPU_AND_UNSIGNED, unsigned, every, a &b)
    EACH(GPU_OR_UCHAR, unsigned char, some, a | b)
    EACH(GPU_XOR_ULL, unsigned long long, parity, a ^ b)
    EACH(GPU_EQ_INT, int, equal, a == b)
    EACH(GPU_NE_INT, int, unequal, a != b)
    EACH(GPU_SUM_DOUBLE, double, total, a + b)
#undef EACH
    for (DvmType s = 0; s < buffers->count[GPU_SUM_COMPLEX]; s++) {
        r->whole.re += ((const gpu_complex_t *)buffers->values[GPU_SUM_COMPLEX])[s].re;
        r->whole.im += ((const gpu_complex_t *)buffers->values[GPU_SUM_COMPLEX])[s].im;
    }
    for (DvmType s = 0; s < buffers->count[GPU_MAXLOC_DOUBLE]; s++)
        if (((const double *)buffers->values[GPU_MAXLOC_DOUBLE])[s] > r->best) {
            r->best = ((const double *)buffers->values[GPU_MAXLOC_DOUBLE])[s];
            r->best_at = ((const gpu_place_t *)buffers->places[GPU_MAXLOC_DOUBLE])[s];
        }
    for (DvmType s = 0; s < buffers->count[GPU_MINLOC_FLOAT]; s++)
        if (((const float *)buffers->values[GPU_MINLOC_FLOAT])[s] < r->worst) {
            r->worst = ((const float *)buffers->values[GPU_MINLOC_FLOAT])[s];
            r->worst_at = ((const gpu_place_t *)buffers->places[GPU_MINLOC_FLOAT])[s];
        }
    for (DvmType s = 0; s < buffers->count[GPU_BINS]; s++)
        for (int i = 0; i < GPU_LOOPS_BINS; i++)
            r->bins[i] += ((const double *)buffers->values[GPU_BINS])[s * GPU_LOOPS_BINS + i];
}

/** Run the loop `reduce`. The slots of its scalars are left in `buffers`. */
static bool run_reduce(random_launch_t *to, bool is_free, slot_buffers_t *buffers) {
    const char *const start = (const char *)&at_start;
    for (int i = 0; i < GPU_REDUCTION_COUNT; i++)
        make_slots(buffers, &to->launch, i, start + fields[i].at, fields[i].bytes,
                   fields[i].place_bytes > 0 ? start + fields[i].place : NULL, fields[i].place_bytes,
                   i == GPU_BINS);
    to->launch.slots = buffers->slots;
    to->record.reduction_count = GPU_REDUCTION_COUNT;
    const bool good = run(to, is_free ? gpu_reduce_free : gpu_reduce, NULL);
    for (int i = 0; i < GPU_REDUCTION_COUNT; i++)
        fetch_slots(buffers, i);
    return good;
}

static void free_slots(slot_buffers_t *buffers) {
    for (int i = 0; i < GPU_REDUCTION_COUNT; i++) {
        free(buffers->values[i]);
        free(buffers->places[i]);
    }
}

static void test_reductions(void) {
    static random_launch_t to;
    random_loop_t loop;
    slot_buffers_t buffers, again;
    results_t wanted = at_start, found = at_start;
    launch_draw_loop(&loop, 3, 9);
    loop.components = 1;
    const bool is_free = draw_any(&loop, &to) == DVMHX_LAUNCH_GRID;
    const bool whole = check_random_once_in(2); /* only then sums of floats are exact */
    const size_t bytes = (size_t)loop.words * 5 * sizeof(double);
    double *values = malloc(bytes);
    for (size_t i = 0; i < bytes / sizeof *values; i++)
        values[i] = whole ? (check_random_once_in(8) ? NAN : (double)check_random_range(0, 200))
                          : (double)check_random_range(0, 200000) / 999;
    double *const device = upload(values, bytes);
    const dvmhx_array_t array =
        {device + loop.base, loop.stride, 3, sizeof(double), 0, NULL, 0, 0, 0, 0, 0, 0, 0};
    to.record.arrays = &array;
    DvmType n[GPU_LOOPS_RANK] = {0}, v[GPU_LOOPS_RANK];
    memcpy(v, loop.start, sizeof v);
    do {
        reduce_here(&wanted, values[launch_offset(&loop, v)], v);
    } while (next_iteration(&loop, n, v));
    bool good = run_reduce(&to, is_free, &buffers);
    combine_slots(&buffers, &found);
    if (whole) {
        good = CHECK(found.sum == wanted.sum && found.total == wanted.total) && good;
    } else { /* the order counts: it must be the same again */
        good = run_reduce(&to, is_free, &again) && good;
        for (int i = 0; i < GPU_BINS; i++)
            good = CHECK(memcmp(again.values[i], buffers.values[i],
                                (size_t)buffers.count[i] * fields[i].bytes) == 0) &&
                   good;
        if (to.launch.kind != DVMHX_LAUNCH_TILES)
            good = CHECK(memcmp(again.values[GPU_BINS], buffers.values[GPU_BINS],
                                (size_t)buffers.count[GPU_BINS] * fields[GPU_BINS].bytes) == 0) &&
                   good;
        free_slots(&again);
        good = CHECK(fabs(found.total - wanted.total) < 1e-9 * (1 + fabs(wanted.total))) && good;
    }
    good =
        CHECK(found.product == wanted.product && found.most == wanted.most && found.least == wanted.least) &&
        good;
    good = CHECK(found.every == wanted.every && found.some == wanted.some && found.parity == wanted.parity) &&
           good;
    good = CHECK(found.equal == wanted.equal && found.unequal == wanted.unequal) && good;
    good = CHECK(found.whole.re == wanted.whole.re && found.whole.im == wanted.whole.im) && good;
    good = CHECK(memcmp(found.bins, wanted.bins, sizeof found.bins) == 0) && good;
    good = CHECK(found.best == wanted.best && found.worst == wanted.worst) && good;
    /* Which of equal ones is no matter of the record; but there it is. */
    const gpu_place_t places[] = {found.best_at, found.worst_at};
    for (int i = 0; i < 2; i++) {
        const bool none = i == 0 ? found.best == at_start.best : found.worst == at_start.worst;
        for (int k = 0; k < 3; k++)
            v[k] = places[i].at[k];
        if (none)
            good = CHECK(places[i].at[0] == -7 - i) && good;
        else
            good = CHECK(i == 0 ? values[launch_offset(&loop, v)] == found.best
                                : (float)values[launch_offset(&loop, v)] == found.worst) &&
                   good;
    }
    if (!good)
        print_case("reductions", &loop, &to);
    succeeded(cudaFree(device), "cudaFree");
    free_slots(&buffers);
    free(values);
}

/** @return exit status */
static int run_all(int trials) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        const char *required = getenv("DVMH_REQUIRE_CUDA");
        printf("skipped: no GPU\n");
        return required != NULL && strcmp(required, "1") == 0 ? 1 : 77;
    }
    succeeded(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    test_apart();
    for (int trial = 0; trial < trials && atomic_load(&check_failures) == 0; trial++) {
        test_order(trial);
        test_shift();
        if (trial % 4 == 0)
            test_reductions();
        if (trial % 4 == 1)
            test_sor();
    }
    CHECK(kept_launches > trials / 10 && kept_sweeps > trials / 5);
    return check_finish();
}

int main(int argc, char **argv) {
    const int trials = argc < 2 ? 200 : strcmp(argv[1], "few") == 0 ? 20 : atoi(argv[1]);
    check_random_start();
#ifdef EMULATED_CUDA
    static const char *const resident[] = {"1", "2", "8"};
    int worst = 0;
    for (int i = 0; i < 3; i++) { /* the emulation reads its settings once */
        const pid_t child = fork();
        int status = 0;
        if (child == 0) {
            setenv("EMULATED_CUDA_RESIDENT", resident[i], 1);
            for (int skipped = 0; skipped < 1000 * i; skipped++)
                check_random_u64();
            exit(run_all(trials));
        }
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 0) {
            fprintf(stderr, "with %s resident blocks: status %d\n", resident[i], status);
            worst = 1;
        }
    }
    return worst;
#else
    return run_all(trials);
#endif
}
