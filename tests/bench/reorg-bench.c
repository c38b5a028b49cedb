/* reorg-bench: reorganisations of host arrays, against copies of the same bytes by the same threads in the same run: one with
 * memcpy, one with streaming stores. Shapes where the sizes are odd or prime stand beside those that suit caches.
 *
 *   reorg-bench [--quick] [--json] [--small-pages] [--threads N] [--case TEXT]
 *   reorg-bench --backend cuda [--quick] [--json] [--case TEXT]      on a GPU: reorg-bench-cuda.c
 *
 * Bytes are those read plus those written. ratio_memcpy = seconds of memcpy / seconds; ratio_stream likewise. */
#include <config.h>

#include "rts/host/host_reorganise.h"
#include "rts/memory.h"
#include "tests/bench/bench.h"
#ifdef BENCH_CUDA
#include "tests/bench/reorg-bench-cuda.h"
#endif

enum { REPETITIONS = 7 };

typedef struct bench_case {
    const char *name;
    int rank;
    rts_index_t extent[4], quick[4];
    int perm[4]; /* of the target, slowest first; the source is in natural order */
} bench_case_t;

static const bench_case_t plain_cases[] = {
    {"8192^2 [1 0]", 2, {8192, 8192}, {1024, 1024}, {1, 0}},
    {"8191x4093 [1 0]", 2, {8191, 4093}, {1021, 509}, {1, 0}},
    {"8191^2 [1 0]", 2, {8191, 8191}, {1021, 1021}, {1, 0}},
    {"401x397x409 [0 2 1]", 3, {401, 397, 409}, {101, 97, 103}, {0, 2, 1}},
    {"401x397x409 [2 1 0]", 3, {401, 397, 409}, {101, 97, 103}, {2, 1, 0}},
    {"401x397x409 [1 0 2]", 3, {401, 397, 409}, {101, 97, 103}, {1, 0, 2}},
    {"401x397x409 [1 2 0]", 3, {401, 397, 409}, {101, 97, 103}, {1, 2, 0}},
    {"401x397x409 [2 0 1]", 3, {401, 397, 409}, {101, 97, 103}, {2, 0, 1}},
    {"233^3x5 [3 0 1 2]", 4, {233, 233, 233, 5}, {61, 61, 61, 5}, {3, 0, 1, 2}},
    {"233^3x5 [0 3 1 2]", 4, {233, 233, 233, 5}, {61, 61, 61, 5}, {0, 3, 1, 2}},
    {"233^3x5 [0 1 3 2]", 4, {233, 233, 233, 5}, {61, 61, 61, 5}, {0, 1, 3, 2}},
    {"5x233^3 [1 2 3 0]", 4, {5, 233, 233, 233}, {5, 61, 61, 61}, {1, 2, 3, 0}},
};

typedef struct bench_shape {
    const char *name;
    rts_index_t extent[4], quick[4];
} bench_shape_t;

static const bench_shape_t diagonal_shapes[] = {
    {"4096^2x4", {4, 4096, 4096}, {4, 512, 512}},
    {"4093^2x4", {4, 4093, 4093}, {4, 509, 509}},
    {"2048x8192x4", {4, 2048, 8192}, {4, 256, 1024}},
    {"509^3", {509, 509, 509}, {101, 101, 101}},
};

static bool quick, json, small_pages;
static int threads;
static const char *only = "";

static void *allocate(size_t bytes) {
    void *const memory = small_pages ? bench_allocate(bytes) : rts_alloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "no memory: %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static void give_back(void *memory) {
    if (small_pages)
        free(memory);
    else
        rts_free(memory);
}

static void make_layout(const rts_box_t *box, const int perm[], rts_layout_kind_t kind, int b,
                        rts_layout_t *layout) {
    const rts_status_t status = kind == RTS_LAYOUT_PLAIN
                                    ? rts_layout_plain(box, perm, 1, layout)
                                    : rts_layout_diagonal(box, perm, 1, kind, 1, b, layout);
    if (status != RTS_OK) {
        fprintf(stderr, "%s\n", rts_error_text());
        exit(1);
    }
}

/** The value of an element: its number, mixed, so that neighbours differ in all bytes. */
static uint64_t value_of(rts_index_t number) {
    return (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> 8;
}

/** Write values into the source, or count elements of the target that are wrong. */
static long walk(const rts_box_t *box, const rts_layout_t *layout, char *buffer, size_t bytes, bool set) {
    const rts_index_t count = rts_box_size(box);
    long wrong = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : wrong)
    for (rts_index_t number = 0; number < count; number++) {
        rts_index_t index[RTS_MAX_RANK], rest = number;
        for (int axis = box->rank - 1; axis >= 0; axis--) {
            index[axis] = rest % box->hi[axis];
            rest /= box->hi[axis];
        }
        char *const element = buffer + (size_t)rts_layout_offset(layout, index) * bytes;
        const uint64_t value = value_of(number);
        if (set)
            memcpy(element, &value, bytes);
        else
            wrong += memcmp(element, &value, bytes) != 0;
    }
    return wrong;
}

static void report(const char *name, size_t bytes, double seconds, double memcpy_seconds,
                   double stream_seconds) {
    printf(json ? "{\"case\": \"%s\", \"bytes\": %zu, \"seconds\": %.6f, \"gb_per_s\": %.2f, "
                  "\"ratio_memcpy\": %.3f, "
                  "\"ratio_stream\": %.3f}\n"
                : "%-40s %11zu B %9.6f s %7.2f GB/s  ratio_memcpy %5.2f  ratio_stream %5.2f\n",
           name, bytes, seconds, (double)bytes / seconds * 1e-9, memcpy_seconds / seconds,
           stream_seconds / seconds);
    fflush(stdout);
}

static void run_copy(const char *name, const rts_box_t *box, const rts_layout_t *from, const rts_layout_t *to,
                     size_t element_bytes) {
    const size_t bytes = (size_t)rts_box_size(box) * element_bytes;
    const size_t from_bytes = (size_t)from->size * element_bytes, to_bytes = (size_t)to->size * element_bytes;
    char *const source = allocate(from_bytes), *const target = allocate(to_bytes);
    double seconds[REPETITIONS], memcpy_seconds[REPETITIONS], stream_seconds[REPETITIONS];
    const rts_copy_job_t job = {.element_bytes = element_bytes,
                                .box = *box,
                                .source = source,
                                .target = target,
                                .source_layout = from,
                                .target_layout = to};
#pragma omp parallel num_threads(threads)
    {
        rts_index_t lo, hi;
        rts_host_part((rts_index_t)from_bytes, omp_get_thread_num(), omp_get_num_threads(), &lo, &hi);
        memset(source + lo, 1, (size_t)(hi - lo));
        rts_host_part((rts_index_t)to_bytes, omp_get_thread_num(), omp_get_num_threads(), &lo, &hi);
        memset(target + lo, 1, (size_t)(hi - lo));
    }
    for (int i = 0; i < REPETITIONS; i++) {
        memcpy_seconds[i] = bench_copy(target, source, bytes, threads, false);
        stream_seconds[i] = bench_copy(target, source, bytes, threads, true);
        if (i == 0)
            (void)walk(box, from, source, element_bytes, true);
        const double start = omp_get_wtime();
        const rts_status_t status = rts_host_copy(&job, threads);
        seconds[i] = omp_get_wtime() - start;
        const long wrong = status != RTS_OK || i > 0 ? 0 : walk(box, to, target, element_bytes, false);
        if (status != RTS_OK || wrong > 0) {
            fprintf(stderr, "%s: %ld elements are wrong\n", name, wrong);
            exit(1);
        }
    }
    report(name, 2 * bytes, bench_least(seconds, REPETITIONS), bench_least(memcpy_seconds, REPETITIONS),
           bench_least(stream_seconds, REPETITIONS));
    give_back(source);
    give_back(target);
}

static bool wanted(const char *name) {
    return strstr(name, only) != NULL;
}

static const char *type_name(size_t element_bytes) {
    return element_bytes == 8 ? "double" : "float";
}

static void run_plain_cases(size_t element_bytes) {
    for (size_t i = 0; i < sizeof(plain_cases) / sizeof(plain_cases[0]); i++) {
        const bench_case_t *const bench = &plain_cases[i];
        char name[96];
        rts_box_t box = {.rank = bench->rank};
        rts_layout_t from, to;
        for (int axis = 0; axis < box.rank; axis++)
            box.hi[axis] = quick ? bench->quick[axis] : bench->extent[axis];
        make_layout(&box, NULL, RTS_LAYOUT_PLAIN, 1, &from);
        make_layout(&box, bench->perm, RTS_LAYOUT_PLAIN, 1, &to);
        snprintf(name, sizeof(name), "%s %s", type_name(element_bytes), bench->name);
        if (wanted(name))
            run_copy(name, &box, &from, &to, element_bytes);
    }
}

/** Square planes and wraps inside one buffer; the copies compared with move the same bytes between halves. */
static void run_in_place(rts_index_t side, rts_layout_kind_t kind, size_t element_bytes) {
    const rts_box_t box = {.rank = 2, .lo = {0, 0}, .hi = {side, side}};
    const size_t bytes = (size_t)(side * side) * element_bytes;
    const int natural[2] = {0, 1}, exchanged[2] = {1, 0};
    char name[96];
    rts_layout_t from, to;
    double seconds[REPETITIONS], memcpy_seconds[REPETITIONS], stream_seconds[REPETITIONS];
    make_layout(&box, natural, RTS_LAYOUT_PLAIN, 1, &from);
    make_layout(&box, kind == RTS_LAYOUT_PLAIN ? exchanged : natural, kind, 1, &to);
    snprintf(name, sizeof(name), "%s %ld^2 in place, %s", type_name(element_bytes), (long)side,
             kind == RTS_LAYOUT_PLAIN ? "[1 0]" : "plain to wrap");
    if (!wanted(name))
        return;
    char *const buffer = allocate(bytes), *const other = allocate(bytes);
    memset(other, 1, bytes);
    (void)walk(&box, &from, buffer, element_bytes, true);
    for (int i = 0; i < REPETITIONS; i++) {
        memcpy_seconds[i] = bench_copy(other, buffer, bytes, threads, false);
        stream_seconds[i] = bench_copy(other, buffer, bytes, threads, true);
        const double start = omp_get_wtime();
        const rts_status_t status = rts_host_reorganise_in_place(element_bytes, buffer, &from, &to, threads);
        seconds[i] = omp_get_wtime() - start;
        if (status != RTS_OK || (i == 0 && walk(&box, &to, buffer, element_bytes, false) > 0)) {
            fprintf(stderr, "%s: wrong\n", name);
            exit(1);
        }
    }
    report(name, 2 * bytes, bench_least(seconds, REPETITIONS), bench_least(memcpy_seconds, REPETITIONS),
           bench_least(stream_seconds, REPETITIONS));
    give_back(buffer);
    give_back(other);
}

/** Every kind there and back, from and to three orders of the plain side's axes. */
static void run_diagonal_cases(size_t element_bytes) {
    static const char *const kinds[] = {"plain", "skew", "wrap", "packed"};
    static const int natural[3] = {0, 1, 2}, exchanged[3] = {0, 2, 1}, rotated[3] = {1, 2, 0};
    for (size_t i = 0; i < sizeof(diagonal_shapes) / sizeof(diagonal_shapes[0]); i++) {
        const bench_shape_t *const shape = &diagonal_shapes[i];
        rts_box_t box = {.rank = 3};
        for (int axis = 0; axis < 3; axis++)
            box.hi[axis] = quick ? shape->quick[axis] : shape->extent[axis];
        for (int variant = 0; variant < 18; variant++) {
            const rts_layout_kind_t kind = (rts_layout_kind_t)(RTS_LAYOUT_SKEW + variant % 3);
            const int order = variant / 6;
            char name[96];
            rts_layout_t plain, diagonal;
            make_layout(&box,
                        order == 0   ? natural
                        : order == 1 ? exchanged
                                     : rotated,
                        RTS_LAYOUT_PLAIN, 1, &plain);
            make_layout(&box, natural, kind, 1, &diagonal);
            const bool back = variant / 3 % 2 != 0;
            snprintf(name, sizeof(name), "%s %s %s%s%s", type_name(element_bytes), shape->name,
                     back         ? kinds[kind]
                     : order == 0 ? "plain"
                     : order == 1 ? "[0 2 1]"
                                  : "[1 2 0]",
                     " to ",
                     back ? (order == 0   ? "plain"
                             : order == 1 ? "[0 2 1]"
                                          : "[1 2 0]")
                          : kinds[kind]);
            if (wanted(name))
                run_copy(name, &box, back ? &diagonal : &plain, back ? &plain : &diagonal, element_bytes);
        }
    }
}

/** The cases on a GPU. @return exit status */
static int run_cuda(void) {
#ifdef BENCH_CUDA
    return reorg_bench_cuda(quick, json, only);
#else
    printf("skipped: built without CUDA\n");
    return 77;
#endif
}

int main(int argc, char **argv) {
    bool on_gpu = false;
    threads = omp_get_max_threads();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--small-pages") == 0) {
            small_pages = true;
        } else if (strcmp(argv[i], "--threads") == 0) {
            i++;
            threads = (int)bench_number("--threads", argv[i], 1, 4096);
        } else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc) {
            only = argv[++i];
        } else if (strcmp(argv[i], "--backend") == 0 && i + 1 < argc &&
                   (strcmp(argv[i + 1], "host") == 0 || strcmp(argv[i + 1], "cuda") == 0)) {
            on_gpu = strcmp(argv[++i], "cuda") == 0;
        } else {
            fprintf(stderr,
                    "'%s' is no option; allowed: --backend host or cuda, --quick, --json, --small-pages, "
                    "--threads N, "
                    "--case TEXT\n",
                    argv[i]);
            return 2;
        }
    }
    if (on_gpu)
        return run_cuda();
    for (size_t element_bytes = 8; element_bytes >= 4; element_bytes -= 4) {
        run_plain_cases(element_bytes);
        for (int odd = 0; odd < 2; odd++) {
            run_in_place((quick ? 1024 : 8192) - odd, RTS_LAYOUT_PLAIN, element_bytes);
            run_in_place((quick ? 1024 : 8192) - odd, RTS_LAYOUT_WRAP, element_bytes);
        }
        run_diagonal_cases(element_bytes);
    }
    return 0;
}
