/* Copies between layouts by a GPU against an element-by-element reference on the host: random layouts of all kinds, boxes, element sizes
 * and addresses; what lies around a box stays as it was. Large copies again and again, while their tiles are measured; offsets beyond 32
 * bits; reorganisation in place. test_cuda_reorganise few: fewer random jobs and nothing large, for slow checkers. */
#include <config.h>

#include "rts/cuda/cuda_copy.h"
#include "rts/cuda/cuda_reorganise_plan.h"
#include "tests/device/reorganise_jobs.h"

#include <cuda_runtime_api.h>
#include <time.h>

enum { JOBS = 800, FEW_JOBS = 60, ELEMENTS = 60000, GUARD = 4096 };

static void *allocate(size_t bytes) {
    void *const memory = malloc(bytes + 1);
    if (memory == NULL) {
        fprintf(stderr, "no memory: %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static void try_cuda(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

/** Memory on both sides: `bytes` of a buffer, that begins `shift` after the guard before it; the same guard after it. */
typedef struct mirrored {
    char *host, *device;
    char *seen; /* for what is read back */
    size_t bytes, all, shift;
} mirrored_t;

/** Sources and targets have memory that stays: fresh pages for every job would take most of the test's time. */
enum { SOURCE, TARGET, ROLES };
static struct {
    char *host, *seen, *device;
    size_t capacity;
} kept[ROLES];

static void forget_memory(int role) {
    free(kept[role].host);
    free(kept[role].seen);
    try_cuda(cudaFree(kept[role].device), "freeing");
    kept[role].capacity = 0;
}

static mirrored_t mirrored_open(int role, size_t bytes, size_t unit) {
    mirrored_t mirrored = {.bytes = bytes, .shift = GUARD};
    if (!check_random_once_in(3))
        mirrored.shift += (size_t)check_random_range(0, 60) * unit;
    mirrored.all = bytes + mirrored.shift + GUARD;
    if (mirrored.all > kept[role].capacity) {
        forget_memory(role);
        kept[role].host = allocate(mirrored.all);
        kept[role].seen = allocate(mirrored.all);
        try_cuda(cudaMalloc((void **)&kept[role].device, mirrored.all), "allocating");
        kept[role].capacity = mirrored.all;
    }
    mirrored.host = kept[role].host;
    mirrored.seen = kept[role].seen;
    mirrored.device = kept[role].device;
    return mirrored;
}

static void to_device(const mirrored_t *mirrored) {
    try_cuda(cudaMemcpy(mirrored->device, mirrored->host, mirrored->all, cudaMemcpyHostToDevice),
             "copying to the device");
}

/** Whether the device's side, guards included, is what the host's side is. */
static bool check_same(const mirrored_t *mirrored) {
    try_cuda(cudaMemcpy(mirrored->seen, mirrored->device, mirrored->all, cudaMemcpyDeviceToHost),
             "copying from the device");
    return CHECK(memcmp(mirrored->seen, mirrored->host, mirrored->all) == 0);
}

static void fill_random(char *bytes, size_t count) {
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        const uint64_t random = check_random_u64();
        memcpy(bytes + i, &random, count - i < sizeof(random) ? count - i : sizeof(random));
    }
}

static size_t unit_of(size_t element_bytes) {
    const size_t unit = element_bytes & (~element_bytes + 1);
    return unit < 16 ? unit : 16;
}

/** A job, `times` over, as plans are remembered and tiles are measured. */
static bool check_job(random_job_t *random, int times) {
    rts_copy_job_t job = random->job;
    const size_t bytes = job.element_bytes;
    mirrored_t source = mirrored_open(SOURCE, (size_t)random->from.size * bytes, unit_of(bytes)),
               target = mirrored_open(TARGET, (size_t)random->to.size * bytes, unit_of(bytes));
    bool good = true;
    fill_random(source.host, source.all);
    memset(target.host, 0xA5, target.all);
    to_device(&source);
    job.source_layout = &random->from;
    job.target_layout = &random->to;
    copy_elements(&job, source.host + source.shift, target.host + target.shift);
    job.source = source.device + source.shift;
    job.target = target.device + target.shift;
    for (int i = 0; i < times && good; i++) {
        try_cuda(cudaMemset(target.device, 0xA5, target.all), "setting memory");
        good = CHECK_EQ_INT(rts_cuda_copy_box(0, NULL, &job), RTS_OK) && check_same(&target);
    }
    if (!good)
        explain_job(&job);
    return good;
}

static void check_random_jobs(int jobs) {
    for (int i = 0; i < jobs; i++) {
        random_job_t random;
        const bool slow = jobs < JOBS;
        pick_job(check_random_once_in(4) ? (slow ? 8000 : ELEMENTS) : (slow ? 1500 : 8000), &random);
        if (!check_job(&random, 1))
            return;
    }
}

/** Diagonals of odd planes, whose rows are aligned differently, there and back, in elements of every size of words. */
static void check_diagonals(void) {
    const rts_box_t box = {.rank = 3, .hi = {2, 101, 103}};
    for (int i = 0; i < 30; i++) {
        random_job_t random;
        const rts_layout_kind_t kind = (rts_layout_kind_t)(RTS_LAYOUT_SKEW + i % 3);
        const bool back = i / 3 % 2 != 0;
        CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, back ? &random.to : &random.from), RTS_OK);
        CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, 1, kind, 1, check_random_once_in(2) ? 1 : -1,
                                         back ? &random.from : &random.to),
                     RTS_OK);
        random.job = (rts_copy_job_t){.element_bytes = (size_t)1 << i / 6, .box = box};
        if (!check_job(&random, 1))
            return;
    }
}

/** Copies that are large enough to be measured: every shape of tiles comes up. */
static void check_measured(void) {
    static const rts_index_t extents[][3] = {{7, 401, 397},
                                             {3, 640, 640},
                                             {1, 1200, 1111},
                                             {317, 400, 5},
                                             {5, 300, 500}};
    for (int i = 0; i < 10; i++) {
        random_job_t random;
        rts_box_t box = {.rank = 3};
        for (int axis = 0; axis < 3; axis++)
            box.hi[axis] = extents[i % 5][axis];
        pick_layout(&box, false, &random.from);
        pick_layout(&box, false, &random.to);
        random.job = (rts_copy_job_t){.element_bytes = 16, .box = box};
        if (!check_job(&random, 2 * RTS_TILE_MAX_SHAPES + 1))
            return;
    }
}

/** Offsets beyond 32 bits: to the end of a buffer of some GB, where a run is looked at, and back in another layout. */
static void check_far(void) {
    const rts_index_t rows = 5, columns = INT64_C(900000007);
    const rts_box_t box = {.rank = 2, .lo = {0, columns - 700}, .hi = {rows, columns}},
                    all = {.rank = 2, .lo = {0, 0}, .hi = {rows, columns}};
    rts_layout_t far, near[2];
    const int swapped[] = {1, 0};
    const size_t count = (size_t)(rows * 700);
    char *host = allocate(count), *back = allocate(count), *device, *distant;
    CHECK_EQ_INT(rts_layout_plain(&all, NULL, 1, &far), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, swapped, 1, &near[0]), RTS_OK);
    CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, 1, RTS_LAYOUT_WRAP, 1, 1, &near[1]), RTS_OK);
    if (cudaMalloc((void **)&distant, (size_t)far.size) != cudaSuccess) {
        printf("not enough memory on the device for large offsets\n");
        (void)cudaGetLastError();
        return;
    }
    try_cuda(cudaMalloc((void **)&device, count), "allocating");
    fill_random(host, count);
    try_cuda(cudaMemcpy(device, host, count, cudaMemcpyHostToDevice), "copying to the device");
    rts_copy_job_t job = {.element_bytes = 1, .box = box, .source = device, .target = distant};
    job.source_layout = &near[0];
    job.target_layout = &far;
    CHECK_EQ_INT(rts_cuda_copy_box(0, NULL, &job), RTS_OK);
    for (rts_index_t row = 0; row < rows; row++) {
        try_cuda(cudaMemcpy(back, distant + row * columns + columns - 700, 700, cudaMemcpyDeviceToHost),
                 "reading");
        for (rts_index_t i = 0; i < 700; i++)
            CHECK(back[i] == host[i * rows + row]);
    }
    job = (rts_copy_job_t){.element_bytes = 1, .box = box, .source = distant, .target = device};
    job.source_layout = &far;
    job.target_layout = &near[1];
    CHECK_EQ_INT(rts_cuda_copy_box(0, NULL, &job), RTS_OK);
    try_cuda(cudaMemcpy(back, device, count, cudaMemcpyDeviceToHost), "reading");
    for (rts_index_t row = 0; row < rows; row++)
        for (rts_index_t i = 0; i < 700; i++) {
            const rts_index_t index[] = {row, columns - 700 + i};
            CHECK(back[rts_layout_offset(&near[1], index)] == host[i * rows + row]);
        }
    try_cuda(cudaFree(device), "freeing");
    try_cuda(cudaFree(distant), "freeing");
    free(host);
    free(back);
}

/** One buffer from a layout to another and back. */
static bool check_pair(const rts_layout_t *from, const rts_layout_t *to, size_t bytes) {
    mirrored_t buffer = mirrored_open(TARGET, (size_t)from->size * bytes, unit_of(bytes));
    char *const before = allocate(buffer.all);
    rts_copy_job_t job = {.element_bytes = bytes,
                          .box = from->box,
                          .source_layout = from,
                          .target_layout = to};
    fill_random(buffer.host, buffer.all);
    memcpy(before, buffer.host, buffer.all);
    to_device(&buffer);
    bool good =
        CHECK_EQ_INT(rts_cuda_reorganise_in_place(0, NULL, bytes, buffer.device + buffer.shift, from, to),
                     RTS_OK);
    copy_elements(&job, before + buffer.shift, buffer.host + buffer.shift);
    good = good && check_same(&buffer);
    if (!good)
        explain_job(&job);
    free(before);
    return good;
}

static void check_in_place(int times) {
    for (int i = 0; i < times; i++) {
        rts_box_t box = {.rank = 3};
        rts_layout_t from, to;
        const rts_index_t side = check_random_range(1, 100);
        const bool square = check_random_once_in(2);
        int perm[] = {0, 1, 2};
        for (int axis = 0; axis < 3; axis++) {
            box.lo[axis] = check_random_range(-5, 5);
            box.hi[axis] = box.lo[axis] + (axis == 0 ? check_random_range(1, 5)
                                           : square  ? side
                                                     : check_random_range(1, 100));
        }
        const rts_index_t align = check_random_once_in(2) ? 1 : check_random_range(2, 16);
        CHECK_EQ_INT(rts_layout_plain(&box, perm, align, &from), RTS_OK);
        if (square) {
            perm[1] = 2;
            perm[2] = 1;
            CHECK_EQ_INT(rts_layout_plain(&box, perm, align, &to), RTS_OK);
        } else {
            CHECK_EQ_INT(rts_layout_diagonal(&box, perm, align, RTS_LAYOUT_WRAP, 1,
                                             (int)check_random_range(1, 2) *
                                                 (check_random_once_in(2) ? 1 : -1),
                                             &to),
                         RTS_OK);
        }
        const size_t bytes = pick_element_bytes();
        if (!check_pair(&from, &to, bytes) || !check_pair(&to, &from, bytes))
            return;
    }
    rts_layout_t plain, other;
    const rts_box_t box = {.rank = 2, .hi = {4, 6}};
    const int swapped[] = {1, 0};
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &plain), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, swapped, 1, &other), RTS_OK);
    CHECK_EQ_INT(rts_cuda_reorganise_in_place(0, NULL, 8, &other, &plain, &other), RTS_ERR_UNSUPPORTED);
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/** What the host does for a copy whose plan is known. */
static void show_host_time(void) {
    const rts_box_t box = {.rank = 3, .hi = {8, 64, 64}};
    rts_layout_t from, to;
    double *device;
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &from), RTS_OK);
    CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, 16, RTS_LAYOUT_SKEW, 1, 1, &to), RTS_OK);
    try_cuda(cudaMalloc((void **)&device, (size_t)(from.size + to.size) * sizeof(double)), "allocating");
    const rts_copy_job_t job = {.element_bytes = sizeof(double),
                                .box = box,
                                .source = device,
                                .target = device + from.size,
                                .source_layout = &from,
                                .target_layout = &to};
    double least = 1;
    for (int i = 0; i < 200; i++) {
        const double start = seconds();
        CHECK_EQ_INT(rts_cuda_copy_box(0, NULL, &job), RTS_OK);
        least = seconds() - start < least ? seconds() - start : least;
        try_cuda(cudaDeviceSynchronize(), "waiting");
    }
    printf("host side of a copy: %.2f us at least\n", least * 1e6);
    try_cuda(cudaFree(device), "freeing");
}

int main(int argc, char **argv) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        const char *const required = getenv("DVMH_REQUIRE_CUDA");
        if (required != NULL && strcmp(required, "1") == 0) {
            fprintf(stderr, "no CUDA device, but DVMH_REQUIRE_CUDA=1\n");
            return 1;
        }
        check_skip("no CUDA device");
    }
    check_random_start();
    const int jobs = argc > 1 && strcmp(argv[1], "few") == 0 ? FEW_JOBS : JOBS;
    const double start = seconds();
    check_random_jobs(jobs);
    check_diagonals();
    const double in_place = seconds();
    check_in_place(jobs / 10);
    printf("random copies %.1f s, in place %.1f s\n", in_place - start, seconds() - in_place);
    if (jobs >= JOBS) {
        const double measured = seconds();
        check_measured();
        const double far = seconds();
        check_far();
        printf("copies that are measured %.1f s, far ones %.1f s\n", far - measured, seconds() - far);
        show_host_time();
    }
    for (int role = 0; role < ROLES; role++)
        forget_memory(role);
    rts_cuda_copy_release();
    return check_finish();
}
