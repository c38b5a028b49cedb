/* reorg-bench --backend cuda: reorganisations on a GPU against the best copy of the same bytes on the same GPU in the same run: of
 * cudaMemcpy and two copy kernels. One line a case; in the end, one for each class of cases with the least ratio and the case that had
 * it, and what the host does for a copy whose plan is known. A ratio is seconds of the copy / seconds, medians of both; faces are compared
 * with a copy of as many bytes as the sectors have that must be touched. Every result is compared with a copy that goes word by word. */
#include <config.h>

#include "rts/cuda/cuda_copy.h"
#include "rts/cuda/cuda_reorganise_kernels.h"
#include "rts/cuda/cuda_reorganise_plan.h"
#include "tests/bench/bench.h"
#include "tests/bench/reorg-bench-cuda.h"
#include "tests/next_index.h"

#include <cuda_runtime_api.h>

enum { REPETITIONS = 9, WARM_UP = 2 + 2 * RTS_TILE_MAX_SHAPES, SIZES = 64, CLASSES = 32, SECTOR_BYTES = 32 };

typedef struct bench_class {
    const char *name;
    double must, aim, least, sum;
    int count;
    char worst[80];
} bench_class_t;

/** What the copies of a number of bytes took. */
typedef struct copy_time {
    size_t bytes;
    double milliseconds;
} copy_time_t;

static struct {
    bool quick, json;
    const char *only;
    char *source, *target, *reference;
    size_t capacity;
    cudaEvent_t begin, end;
    bench_class_t classes[CLASSES];
    int class_count;
    copy_time_t copies[SIZES];
    int copy_count;
    int failures;
} bench;

static void try_cuda(int error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString((cudaError_t)error));
        exit(1);
    }
}

static void try_rts(rts_status_t status) {
    if (status != RTS_OK) {
        fprintf(stderr, "%s\n", rts_error_text());
        exit(1);
    }
}

/** Queue what is measured: a job, or where that is NULL a copy: cudaMemcpy (-1) or a kernel's variant. */
static void queue(const rts_copy_job_t *job, int variant, size_t bytes) {
    if (job != NULL)
        try_rts(rts_cuda_copy_box(0, NULL, job));
    else if (variant < 0)
        try_cuda(cudaMemcpyAsync(bench.target, bench.source, bytes, cudaMemcpyDeviceToDevice, NULL),
                 "cudaMemcpy");
    else
        try_cuda(bench_copy_kernel(variant, bench.source, bench.target, bytes), "a copy kernel");
}

/** Median milliseconds. */
static double measure(const rts_copy_job_t *job, int variant, size_t bytes) {
    double milliseconds[REPETITIONS];
    for (int i = -(job != NULL ? WARM_UP : 2); i < REPETITIONS; i++) {
        float elapsed;
        try_cuda(cudaEventRecord(bench.begin, NULL), "recording an event");
        queue(job, variant, bytes);
        try_cuda(cudaEventRecord(bench.end, NULL), "recording an event");
        try_cuda(cudaEventSynchronize(bench.end), "waiting");
        try_cuda(cudaEventElapsedTime(&elapsed, bench.begin, bench.end), "reading events");
        if (i >= 0)
            milliseconds[i] = (double)elapsed;
    }
    return bench_median(milliseconds, REPETITIONS);
}

/** The best copy of so many bytes; measured once. */
static double copy_time(size_t bytes) {
    for (int i = 0; i < bench.copy_count; i++)
        if (bench.copies[i].bytes == bytes)
            return bench.copies[i].milliseconds;
    double best = measure(NULL, -1, bytes);
    for (int variant = 0; variant < 2; variant++) {
        const double milliseconds = measure(NULL, variant, bytes);
        best = milliseconds < best ? milliseconds : best;
    }
    if (bench.copy_count < SIZES)
        bench.copies[bench.copy_count++] = (copy_time_t){bytes, best};
    return best;
}

/** Buffers of so many bytes at least, the source filled. */
static void provide(size_t bytes) {
    if (bytes <= bench.capacity)
        return;
    if (bench.capacity > 0) {
        try_cuda(cudaFree(bench.source), "freeing");
        try_cuda(cudaFree(bench.target), "freeing");
        try_cuda(cudaFree(bench.reference), "freeing");
    }
    bench.capacity = (bytes + (1 << 20) - 1) >> 20 << 20;
    try_cuda(cudaMalloc((void **)&bench.source, bench.capacity), "allocating");
    try_cuda(cudaMalloc((void **)&bench.target, bench.capacity), "allocating");
    try_cuda(cudaMalloc((void **)&bench.reference, bench.capacity), "allocating");
    try_cuda(bench_fill_kernel(bench.source, bench.capacity), "filling");
}

static void begin_class(const char *name, double must, double aim) {
    bench.classes[bench.class_count++] =
        (bench_class_t){.name = name, .must = must, .aim = aim, .least = 1e9};
}

static bool is_right(const rts_copy_job_t *job, size_t target_bytes) {
    rts_word_plan_t words;
    rts_copy_job_t other = *job;
    unsigned long long different;
    other.target = bench.reference;
    rts_word_plan_make(&other, &words);
    try_cuda(cudaMemset(bench.reference, 0xA5, target_bytes), "setting memory");
    try_cuda(cudaMemset(bench.target, 0xA5, target_bytes), "setting memory");
    try_rts(rts_cuda_copy_box(0, NULL, job));
    try_cuda(rts_word_launch(&words, job->source, bench.reference, NULL), "copying word by word");
    try_cuda(bench_compare_kernel(bench.target, bench.reference, target_bytes, &different), "comparing");
    return different == 0;
}

/** A case, and the bytes of the copy that it is compared with. */
static void run_job(const char *text, rts_copy_job_t *job, size_t bytes) {
    const size_t source_bytes = (size_t)job->source_layout->size * job->element_bytes,
                 target_bytes = (size_t)job->target_layout->size * job->element_bytes;
    provide(source_bytes > target_bytes ? source_bytes : target_bytes);
    provide(bytes);
    job->source = bench.source;
    job->target = bench.target;
    const double copy = copy_time(bytes), milliseconds = measure(job, 0, bytes), ratio = copy / milliseconds;
    const bool right = is_right(job, target_bytes);
    bench.failures += !right;
    printf(
        bench.json
            ? "{\"case\": \"%s\", \"bytes\": %zu, \"seconds\": %.7f, \"gb_per_s\": %.1f, \"ratio\": %.3f}%s\n"
            : "%-48s %11zu B %10.7f s %7.1f GB/s  ratio %5.3f%s\n",
        text, 2 * bytes, milliseconds * 1e-3, 2 * (double)bytes / milliseconds * 1e-6, ratio,
        right ? "" : "  WRONG");
    fflush(stdout);
    bench_class_t *const class = &bench.classes[bench.class_count - 1];
    class->count++;
    class->sum += ratio;
    if (ratio < class->least) {
        class->least = ratio;
        snprintf(class->worst, sizeof(class->worst), "%s", text);
    }
}

static void run_case(const char *name, const rts_box_t *box, const rts_layout_form_t *from_form,
                     const rts_layout_form_t *to_form, size_t element_bytes) {
    rts_layout_t from, to;
    char text[80];
    snprintf(text, sizeof(text), "%s %s", element_bytes == 8 ? "double" : "float", name);
    if (strstr(text, bench.only) == NULL)
        return;
    try_rts(rts_layout_make(box, from_form, &from));
    try_rts(rts_layout_make(box, to_form, &to));
    rts_copy_job_t job = {.element_bytes = element_bytes,
                          .box = *box,
                          .source_layout = &from,
                          .target_layout = &to};
    run_job(text, &job, (size_t)rts_box_size(box) * element_bytes);
}

static rts_box_t box_of(int rank, const rts_index_t extents[]) {
    rts_box_t box = {.rank = rank};
    for (int axis = 0; axis < rank; axis++)
        box.hi[axis] =
            bench.quick && extents[axis] > 64 ? extents[axis] / 8 + extents[axis] % 8 : extents[axis];
    return box;
}

static rts_layout_form_t plain_form(int rank, const int perm[], rts_index_t align) {
    rts_layout_form_t form = rts_layout_form_home(rank);
    for (int axis = 0; axis < rank && perm != NULL; axis++)
        form.perm[axis] = perm[axis];
    form.pitch_align = align;
    return form;
}

static rts_layout_form_t diagonal_form(int rank, rts_layout_kind_t kind, int b, rts_index_t align) {
    rts_layout_form_t form = plain_form(rank, NULL, align);
    form.kind = kind;
    form.a = 1;
    form.b = b;
    return form;
}

typedef struct permutation {
    const char *name;
    int rank;
    rts_index_t extent[4];
    int perm[4];
} permutation_t;

static void run_permutations(const permutation_t cases[], int count, size_t element_bytes, bool padded) {
    const rts_index_t align = padded ? (rts_index_t)(128 / element_bytes) : 1;
    for (int i = 0; i < count; i++) {
        const rts_box_t box = box_of(cases[i].rank, cases[i].extent);
        const rts_layout_form_t from = plain_form(box.rank, NULL, align),
                                to = plain_form(box.rank, cases[i].perm, align);
        char name[72];
        snprintf(name, sizeof(name), "%s%s", cases[i].name, padded ? " padded" : "");
        run_case(name, &box, &from, &to, element_bytes);
    }
}

static void run_diagonals(size_t element_bytes, rts_layout_kind_t first, rts_layout_kind_t last,
                          bool padded) {
    static const struct {
        const char *name;
        rts_index_t extent[3];
        bool odd;
    } shapes[] = {{"4096^2x8", {8, 4096, 4096}, false},
                  {"2048x8192x8", {8, 2048, 8192}, false},
                  {"8192x2048x8", {8, 8192, 2048}, false},
                  {"4093^2x8", {8, 4093, 4093}, true},
                  {"509^3", {509, 509, 509}, true}};
    static const char *const kinds[] = {"plain", "skew", "wrap", "packed"};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const rts_box_t box = box_of(3, shapes[i].extent);
        const bool pads = padded && shapes[i].odd;
        const rts_index_t align = pads ? (rts_index_t)(128 / element_bytes) : 1;
        if (!padded && !shapes[i].odd && first != RTS_LAYOUT_PACKED)
            continue; /* the same as padded */
        for (int variant = 0; variant < 4 * ((int)last - (int)first + 1); variant++) {
            const rts_layout_kind_t kind = (rts_layout_kind_t)((int)first + variant / 4);
            const int b = variant % 2 == 0 ? 1 : -1;
            const bool back = variant / 2 % 2 != 0;
            char name[72];
            const rts_layout_form_t plain = plain_form(3, NULL, align),
                                    diagonal = diagonal_form(3, kind, b, align);
            snprintf(name, sizeof(name), "%s%s %s%s(%c)%s", shapes[i].name, pads ? " padded" : "",
                     back ? "" : "plain to ", kinds[kind], b > 0 ? '+' : '-', back ? " to plain" : "");
            run_case(name, &box, back ? &diagonal : &plain, back ? &plain : &diagonal, element_bytes);
        }
    }
}

/** A diagonal layout and a plain one whose axes are in another order, in one pass. */
static void run_fused(size_t element_bytes) {
    static const rts_index_t extents[] = {509, 509, 509};
    static const int orders[][3] = {{0, 2, 1}, {1, 2, 0}};
    const rts_box_t box = box_of(3, extents);
    for (int variant = 0; variant < 4; variant++) {
        const bool back = variant % 2 != 0;
        const int *const order = orders[variant / 2];
        const rts_index_t align = (rts_index_t)(128 / element_bytes);
        const rts_layout_form_t plain = plain_form(3, order, align),
                                wrap = diagonal_form(3, RTS_LAYOUT_WRAP, 1, align);
        char name[72];
        snprintf(name, sizeof(name), "509^3 padded [%d %d %d] %s wrap(+)", order[0], order[1], order[2],
                 back ? "from" : "to");
        run_case(name, &box, back ? &wrap : &plain, back ? &plain : &wrap, element_bytes);
    }
}

static const permutation_t even[] = {{"8192^2 [1 0]", 2, {8192, 8192}, {1, 0}},
                                     {"512^3 [2 1 0]", 3, {512, 512, 512}, {2, 1, 0}},
                                     {"512^3 [1 2 0]", 3, {512, 512, 512}, {1, 2, 0}},
                                     {"512^3 [0 2 1]", 3, {512, 512, 512}, {0, 2, 1}},
                                     {"512^3 [1 0 2]", 3, {512, 512, 512}, {1, 0, 2}}};
static const permutation_t large[] = {{"16384^2 [1 0]", 2, {16384, 16384}, {1, 0}}};
static const permutation_t odd[] = {{"8191x4093 [1 0]", 2, {8191, 4093}, {1, 0}},
                                    {"16381x8191 [1 0]", 2, {16381, 8191}, {1, 0}},
                                    {"401x397x409 [0 2 1]", 3, {401, 397, 409}, {0, 2, 1}},
                                    {"401x397x409 [2 1 0]", 3, {401, 397, 409}, {2, 1, 0}},
                                    {"401x397x409 [1 0 2]", 3, {401, 397, 409}, {1, 0, 2}},
                                    {"401x397x409 [1 2 0]", 3, {401, 397, 409}, {1, 2, 0}},
                                    {"401x397x409 [2 0 1]", 3, {401, 397, 409}, {2, 0, 1}}};
static const permutation_t short_axes[] = {{"317^3x5 [3 0 1 2]", 4, {317, 317, 317, 5}, {3, 0, 1, 2}},
                                           {"317^3x5 [0 3 1 2]", 4, {317, 317, 317, 5}, {0, 3, 1, 2}},
                                           {"317^3x5 [0 1 3 2]", 4, {317, 317, 317, 5}, {0, 1, 3, 2}},
                                           {"5x317^3 [1 2 3 0]", 4, {5, 317, 317, 317}, {1, 2, 3, 0}},
                                           {"317x5x317^2 [0 2 3 1]", 4, {317, 5, 317, 317}, {0, 2, 3, 1}}};
static const permutation_t small[] = {{"1118^2 [1 0]", 2, {1118, 1118}, {1, 0}},
                                      {"108^3 [2 1 0]", 3, {108, 108, 108}, {2, 1, 0}},
                                      {"63^3x5 [3 0 1 2]", 4, {63, 63, 63, 5}, {3, 0, 1, 2}}};

#define RUN(cases, element_bytes, padded)                                                                    \
    run_permutations(cases, (int)(sizeof(cases) / sizeof((cases)[0])), element_bytes, padded)

static void run_small(void) {
    static const rts_index_t extents[] = {1120, 1120};
    const rts_box_t box = box_of(2, extents);
    begin_class("10 MB arrays, double", 0.70, 0.85);
    RUN(small, 8, false);
    for (int back = 0; back < 2; back++) {
        const rts_layout_form_t plain = plain_form(2, NULL, 1),
                                wrap = diagonal_form(2, RTS_LAYOUT_WRAP, 1, 1);
        run_case(back != 0 ? "1120^2 wrap(+) to plain" : "1120^2 plain to wrap(+)", &box,
                 back != 0 ? &wrap : &plain, back != 0 ? &plain : &wrap, 8);
    }
}

/** Bytes of the sectors of a buffer in which a box has elements. */
static size_t touched_bytes(const rts_layout_t *layout, const rts_box_t *box, size_t element_bytes) {
    const size_t sectors = (size_t)layout->size * element_bytes / SECTOR_BYTES + 1;
    size_t count = 0;
    unsigned char *const seen = bench_allocate(sectors);
    memset(seen, 0, sectors);
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, box->lo, sizeof(index));
    do {
        const size_t sector = (size_t)rts_layout_offset(layout, index) * element_bytes / SECTOR_BYTES;
        count += seen[sector] == 0;
        seen[sector] = 1;
    } while (next_index(box, index));
    free(seen);
    return count * SECTOR_BYTES;
}

/** Faces across every axis, from layouts of all kinds to a buffer of their own, and back. */
static void run_faces(void) {
    static const rts_index_t extents[] = {512, 512, 512};
    static const int reversed[] = {2, 1, 0};
    const rts_layout_form_t forms[] = {plain_form(3, NULL, 1), plain_form(3, reversed, 1),
                                       diagonal_form(3, RTS_LAYOUT_SKEW, 1, 16),
                                       diagonal_form(3, RTS_LAYOUT_WRAP, 1, 16)};
    static const char *const names[] = {"plain", "[2 1 0]", "skew(+)", "wrap(+)"};
    const rts_box_t whole = box_of(3, extents);
    begin_class("faces, double", 0.70, 0.85);
    for (int variant = 0; variant < 24; variant++) {
        const int form = variant / 6, axis = variant / 2 % 3;
        const bool back = variant % 2 != 0;
        rts_layout_t layout, own;
        rts_box_t face = whole;
        char text[80];
        face.lo[axis] = whole.hi[axis] / 3;
        face.hi[axis] = face.lo[axis] + 1;
        snprintf(text, sizeof(text), "double 512^3 face across axis %d %s %s", axis, back ? "to" : "of",
                 names[form]);
        if (strstr(text, bench.only) == NULL)
            continue;
        try_rts(rts_layout_make(&whole, &forms[form], &layout));
        try_rts(rts_layout_plain(&face, NULL, 1, &own));
        rts_copy_job_t job = {.element_bytes = sizeof(double),
                              .box = face,
                              .source_layout = back ? &own : &layout,
                              .target_layout = back ? &layout : &own};
        const size_t bytes =
            touched_bytes(&layout, &face, sizeof(double)) + touched_bytes(&own, &face, sizeof(double));
        run_job(text, &job, bytes / 2 / 16 * 16);
    }
}

/** What the host does to queue a copy whose plan is known, in microseconds: median of many. */
static void show_host_time(void) {
    enum { COPIES = 101 };
    static const rts_index_t extents[] = {8, 64, 64};
    const rts_box_t box = box_of(3, extents);
    const rts_layout_form_t plain = plain_form(3, NULL, 1), skew = diagonal_form(3, RTS_LAYOUT_SKEW, 1, 16);
    rts_layout_t from, to;
    double microseconds[COPIES];
    try_rts(rts_layout_make(&box, &plain, &from));
    try_rts(rts_layout_make(&box, &skew, &to));
    provide((size_t)to.size * sizeof(double));
    const rts_copy_job_t job = {.element_bytes = sizeof(double),
                                .box = box,
                                .source = bench.source,
                                .target = bench.target,
                                .source_layout = &from,
                                .target_layout = &to};
    for (int i = 0; i < COPIES; i++) {
        const double start = omp_get_wtime();
        try_rts(rts_cuda_copy_box(0, NULL, &job));
        microseconds[i] = (omp_get_wtime() - start) * 1e6;
        try_cuda(cudaDeviceSynchronize(), "waiting");
    }
    printf("host side of a reorganisation: %.2f us (must 5)\n", bench_median(microseconds, COPIES));
}

static void run_all(void) {
    for (size_t element_bytes = 8; element_bytes >= 4; element_bytes -= 4) {
        const bool is_double = element_bytes == 8;
        begin_class(is_double ? "permutations, double" : "permutations, float", 0.92, 0.95);
        RUN(even, element_bytes, false);
        begin_class(is_double ? "permutation of 16384^2, double" : "permutation of 16384^2, float", 0.87,
                    0.95);
        RUN(large, element_bytes, false);
        begin_class(is_double ? "odd extents, padded, double" : "odd extents, padded, float", 0.92, 0.95);
        RUN(odd, element_bytes, true);
        begin_class(is_double ? "odd extents, unpadded, double" : "odd extents, unpadded, float", 0.80, 0.90);
        RUN(odd, element_bytes, false);
        begin_class(is_double ? "axes of 5, double" : "axes of 5, float", 0.93, 0.97);
        RUN(short_axes, element_bytes, false);
        begin_class(is_double ? "skew and wrap, double" : "skew and wrap, float", is_double ? 0.90 : 0.82,
                    is_double ? 0.95 : 0.92);
        run_diagonals(element_bytes, RTS_LAYOUT_SKEW, RTS_LAYOUT_WRAP, true);
        begin_class(is_double ? "the same, odd and unpadded, double" : "the same, odd and unpadded, float",
                    is_double ? 0.90 : 0.82, is_double ? 0.95 : 0.92);
        run_diagonals(element_bytes, RTS_LAYOUT_SKEW, RTS_LAYOUT_WRAP, false);
        begin_class(is_double ? "packed, double" : "packed, float", 0.82, 0.92);
        run_diagonals(element_bytes, RTS_LAYOUT_PACKED, RTS_LAYOUT_PACKED, false);
        begin_class(is_double ? "wrap and axes permuted, double" : "wrap and axes permuted, float",
                    is_double ? 0.90 : 0.82, is_double ? 0.95 : 0.92);
        run_fused(element_bytes);
    }
    run_small();
    run_faces();
}

int reorg_bench_cuda(bool quick, bool json, const char *only) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    bench.quick = quick;
    bench.json = json;
    bench.only = only;
    try_cuda(cudaEventCreate(&bench.begin), "creating an event");
    try_cuda(cudaEventCreate(&bench.end), "creating an event");
    run_all();
    for (int i = 0; i < bench.class_count && !json; i++) {
        const bench_class_t *const class = &bench.classes[i];
        if (class->count > 0)
            printf("%-36s mean %5.3f, least %5.3f (must %4.2f, aim %4.2f): %s\n", class->name,
                   class->sum / class->count, class->least, class->must, class->aim, class->worst);
    }
    if (!json)
        show_host_time();
    rts_cuda_copy_release();
    return bench.failures > 0 ? 1 : 0;
}
