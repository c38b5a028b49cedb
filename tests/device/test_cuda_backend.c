/* The CUDA backend on a GPU: copies between host and device and inside the device against an element-by-element reference, in bytes, with
 * all that must stay as it was; memory and its limit; the order of what is queued; faults; two processes on one GPU. What can be
 * seen without a GPU comes first. `test_cuda_backend few` does a little of the copies only, for checking tools that are slow; `small`
 * does a little of everything but two processes on one GPU. */
#include <config.h>

#include "rts/cuda/cuda.h"
#include "rts/cuda/cuda_device.h"
#include "rts/cuda/cuda_memory.h"
#include "rts/cuda/cuda_stream.h"
#include "rts/cuda/cuda_topology.h"
#include "rts/cuda/cuda_transfer.h"
#include "rts/memory.h"
#include "tests/check.h"
#include "tests/next_index.h"

#include <cuda_runtime_api.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GPU = 1, PIECE = 8 << 20 }; /* the device's number here; pieces are of so many bytes */

static const rts_backend_ops_t *const ops = &rts_cuda_ops;

/* @return number of GPUs */
static int open_backend(int64_t memory_limit, const rts_device_wish_t *wish, int local_count,
                        int local_rank) {
    const rts_backend_options_t options = {.thread_count = 3,
                                           .first_device = GPU,
                                           .memory_limit = memory_limit,
                                           .wish = wish,
                                           .local_count = local_count,
                                           .local_rank = local_rank};
    int count = -1;
    CHECK_EQ_INT(ops->open(&options, &count), RTS_OK);
    return count;
}

/* ---- what needs no GPU ---- */

static void test_wishes(int gpus) {
    rts_device_wish_t wish = {.count = 0};
    rts_backend_options_t options = {.thread_count = 1, .first_device = GPU, .local_count = 1, .wish = &wish};
    int count = -1;
    options.require_cuda = true; /* who asks for none gets none */
    CHECK_EQ_INT(ops->open(&options, &count), RTS_OK);
    CHECK_EQ_INT(count, 0);
    ops->close();
    wish.count = gpus + 1;
    count = -1;
    CHECK_EQ_INT(ops->open(&options, &count), RTS_ERR_UNSUPPORTED);
    CHECK_CONTAINS(rts_error_text(), "DVMH_NUM_CUDAS asks for ");
    CHECK_EQ_INT(count, -1);
    wish.count = -1;
    CHECK_EQ_INT(ops->open(&options, &count), gpus > 0 ? RTS_OK : RTS_ERR_UNSUPPORTED);
    if (gpus == 0)
        CHECK_CONTAINS(rts_error_text(), "DVMH_REQUIRE_CUDA is set");
    else
        ops->close();
}

/* ---- one side of a copy ---- */

typedef struct side {
    int device;
    rts_layout_t layout;
    size_t bytes;
    void *buffer;
    unsigned char *image; /* what should be in the buffer, on the host */
} side_t;

static void move_image(const side_t *side, void *target, const void *source) {
    if (side->device == 0)
        memcpy(target, source, side->bytes);
    else
        CHECK_EQ_INT(cudaMemcpy(target, source, side->bytes, cudaMemcpyDefault), cudaSuccess);
    CHECK_EQ_INT(cudaDeviceSynchronize(), cudaSuccess);
}

static void open_side(side_t *side, size_t element_bytes) {
    side->bytes = (size_t)side->layout.size * element_bytes;
    side->image = rts_alloc(side->bytes);
    if (side->device == 0)
        side->buffer = rts_alloc(side->bytes);
    else
        CHECK_EQ_INT(ops->allocate(side->device, side->bytes, &side->buffer), RTS_OK);
    if (!CHECK(side->image != NULL && side->buffer != NULL))
        exit(1);
    CHECK(side->device == 0 || (uintptr_t)side->buffer % 256 == 0);
    for (size_t i = 0; i + 8 <= side->bytes; i += 8) {
        const uint64_t bits = check_random_u64();
        memcpy(side->image + i, &bits, 8);
    }
    for (size_t i = side->bytes / 8 * 8; i < side->bytes; i++)
        side->image[i] = (unsigned char)check_random_u64();
    CHECK_EQ_INT(cudaDeviceSynchronize(), cudaSuccess); /* what assertions put into new memory */
    move_image(side, side->buffer, side->image);
}

static void close_side(side_t *side) {
    if (side->device == 0)
        rts_free(side->buffer);
    else
        ops->release(side->device, side->buffer);
    rts_free(side->image);
}

/* The buffer must be what its image says. */
static bool check_side(const side_t *side) {
    unsigned char *found = rts_alloc(side->bytes);
    if (!CHECK(found != NULL))
        return false;
    CHECK_EQ_INT(cudaDeviceSynchronize(), cudaSuccess);
    move_image(side, found, side->buffer);
    const bool good = memcmp(found, side->image, side->bytes) == 0;
    rts_free(found);
    return good;
}

static void copy_images(const rts_box_t *box, size_t element_bytes, const side_t *source,
                        const side_t *target) {
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, box->lo, sizeof index);
    do
        memcpy(target->image + (size_t)rts_layout_offset(&target->layout, index) * element_bytes,
               source->image + (size_t)rts_layout_offset(&source->layout, index) * element_bytes,
               element_bytes);
    while (next_index(box, index));
}

static rts_copy_job_t job_of(const rts_box_t *box, size_t element_bytes, const side_t *source,
                             const side_t *target) {
    return (rts_copy_job_t){.element_bytes = element_bytes,
                            .box = *box,
                            .source_device = source->device,
                            .target_device = target->device,
                            .source = source->buffer,
                            .target = target->buffer,
                            .source_layout = &source->layout,
                            .target_layout = &target->layout};
}

static void check_copy(const rts_box_t *box, size_t element_bytes, side_t *source, side_t *target) {
    open_side(source, element_bytes);
    open_side(target, element_bytes);
    const rts_copy_job_t job = job_of(box, element_bytes, source, target);
    copy_images(box, element_bytes, source, target);
    CHECK_EQ_INT(ops->copy(&job), RTS_OK);
    /* The host's memory is the program's again as soon as the copy returns; so is what it was to get. */
    if (source->device == 0)
        memset(source->buffer, 0xEE, source->bytes);
    const bool good =
        target->device == 0 ? memcmp(target->buffer, target->image, target->bytes) == 0 : check_side(target);
    if (!CHECK(good) || (source->device != 0 && !CHECK(check_side(source)))) {
        char from[64], to[64];
        fprintf(stderr, "  %zu bytes an element, %s of device %d to %s of device %d:", element_bytes,
                rts_layout_name(&source->layout, from, sizeof from), source->device,
                rts_layout_name(&target->layout, to, sizeof to), target->device);
        for (int axis = 0; axis < box->rank; axis++)
            fprintf(stderr, " [%lld,%lld)", (long long)box->lo[axis], (long long)box->hi[axis]);
        fprintf(stderr, "\n");
    }
    close_side(source);
    close_side(target);
}

/* ---- random copies ---- */

static void pick_layout(const rts_box_t *inner, rts_layout_t *layout) {
    rts_box_t outer = *inner;
    int perm[RTS_MAX_RANK];
    for (int axis = 0; axis < inner->rank; axis++) {
        perm[axis] = axis;
        if (check_random_once_in(2)) {
            outer.lo[axis] -= check_random_range(0, 3);
            outer.hi[axis] += check_random_range(0, 3);
        }
    }
    for (int axis = inner->rank - 1; axis > 0 && check_random_once_in(2); axis--) {
        const int64_t other = check_random_range(0, axis);
        const int swapped = perm[axis];
        perm[axis] = perm[other];
        perm[other] = swapped;
    }
    const rts_index_t align = check_random_once_in(2) ? 1 : check_random_range(1, 17);
    if (inner->rank < 2 || check_random_once_in(2)) {
        CHECK_EQ_INT(rts_layout_plain(&outer, perm, align, layout), RTS_OK);
        return;
    }
    const rts_layout_kind_t kind = (rts_layout_kind_t)check_random_range(RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
    const bool packed = kind == RTS_LAYOUT_PACKED;
    const int b = (int)check_random_range(1, packed ? 1 : 2) * (check_random_once_in(2) ? 1 : -1);
    CHECK_EQ_INT(rts_layout_diagonal(&outer, perm, packed ? 1 : align, kind,
                                     packed ? 1 : (int)check_random_range(1, 2), b, layout),
                 RTS_OK);
}

static void test_random(int trials, rts_index_t room_at_most) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 24, 40};
    for (int i = 0; i < trials; i++) {
        rts_box_t box = {.rank = (int)check_random_range(0, 4)};
        rts_index_t room = room_at_most;
        for (int axis = 0; axis < box.rank; axis++) {
            const rts_index_t extent = check_random_range(1, rts_min(room, 300));
            box.lo[axis] = check_random_range(-20, 20);
            box.hi[axis] = box.lo[axis] + extent;
            room = rts_max(room / extent, 1);
        }
        side_t source = {.device = (int)check_random_range(0, 1) * GPU};
        side_t target = {.device = source.device == 0 ? GPU : (int)check_random_range(0, 1) * GPU};
        pick_layout(&box, &source.layout);
        pick_layout(&box, &target.layout);
        check_copy(&box, sizes[check_random_range(0, 7)], &source, &target);
    }
}

static rts_index_t pick_extent(rts_index_t most) {
    return check_random_range(2, most);
}

/* Many pieces, both ways, through copy engines, kernels, directly and through an image; cut along the first, the second and the last axis. */
static void test_large(void) {
    static const struct {
        rts_box_t box;
        int turns; /* the device's axes are in the opposite order */
        rts_index_t align;
        int kind;
        size_t element_bytes;
    } cases[] = {
        {{1, {-5}, {5000000}}, 0, 1, 0, 8},       /* one line */
        {{2, {0, 3}, {5, 1250001}}, 0, 64, 0, 8}, /* rows longer than a piece */
        {{2, {1, 1}, {3031, 1259}}, 0, 16, 0, 8}, /* padded rows */
        {{2, {0, 0}, {3031, 1517}}, 1, 16, 0, 8}, /* transposed */
        {{3, {0, 0, 0}, {3, 1200, 1300}},
         1,
         1,
         0,
         8}, /* planes larger than a piece, from the slowest to the fastest */
        {{3, {0, 0, 0}, {901, 917, 5}}, 1, 1, 0, 8},
        {{2, {0, 0}, {2501, 1517}}, 0, 16, 2, 8}, /* wrapped on the device */
        {{2, {0, 0}, {1517, 2501}}, 1, 1, 3, 4},  /* packed on the device */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int way = 0; way < 2; way++) {
            int perm[RTS_MAX_RANK];
            side_t host = {.device = 0}, gpu = {.device = GPU};
            for (int axis = 0; axis < cases[i].box.rank; axis++)
                perm[axis] = cases[i].turns ? cases[i].box.rank - 1 - axis : axis;
            CHECK_EQ_INT(rts_layout_plain(&cases[i].box, NULL, 1, &host.layout), RTS_OK);
            CHECK_EQ_INT(cases[i].kind == 0
                             ? rts_layout_plain(&cases[i].box, perm, cases[i].align, &gpu.layout)
                             : rts_layout_diagonal(&cases[i].box, perm, cases[i].align,
                                                   (rts_layout_kind_t)cases[i].kind, 1, 1, &gpu.layout),
                         RTS_OK);
            check_copy(&cases[i].box, cases[i].element_bytes, way == 0 ? &host : &gpu,
                       way == 0 ? &gpu : &host);
        }
    /* Elements larger than a piece; a host's layout that has no lines. */
    const rts_box_t three = {.rank = 1, .lo = {0}, .hi = {3}},
                    plane = {.rank = 2, .lo = {2, 2}, .hi = {900, 700}};
    for (int way = 0; way < 2; way++) {
        side_t host = {.device = 0}, gpu = {.device = GPU};
        CHECK_EQ_INT(rts_layout_plain(&three, NULL, 1, &host.layout), RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&three, NULL, 2, &gpu.layout), RTS_OK);
        check_copy(&three, PIECE + 24, way == 0 ? &host : &gpu, way == 0 ? &gpu : &host);
        pick_layout(&plane, &gpu.layout);
        CHECK_EQ_INT(rts_layout_diagonal(&plane, NULL, 1, RTS_LAYOUT_WRAP, 1, -1, &host.layout), RTS_OK);
        check_copy(&plane, 8, way == 0 ? &host : &gpu, way == 0 ? &gpu : &host);
    }
}

/* Long rows, of parts of arrays: at one distance from each other, which is for copy engines, and at several. */
static void test_rows(void) {
    for (int trial = 0; trial < 40; trial++) {
        const rts_box_t box = {.rank = 3,
                               .lo = {1, 1, 1},
                               .hi = {pick_extent(9), pick_extent(30), 65 + pick_extent(90)}};
        side_t host = {.device = 0}, gpu = {.device = GPU};
        for (int i = 0; i < 2; i++) {
            rts_box_t outer = box;
            for (int axis = 0; axis < 3; axis++)
                outer.hi[axis] += check_random_range(0, 2);
            CHECK_EQ_INT(rts_layout_plain(&outer, NULL, check_random_once_in(2) ? 1 : 16,
                                          i == 0 ? &host.layout : &gpu.layout),
                         RTS_OK);
        }
        check_copy(&box, 8, trial % 2 == 0 ? &host : &gpu, trial % 2 == 0 ? &gpu : &host);
    }
}

/* Pinned memory of the program's own, which copy engines read without staging: later than the call, if it did not wait. */
static void test_pinned(rts_index_t bytes) {
    const rts_box_t box = {.rank = 1, .lo = {0}, .hi = {bytes}};
    side_t host = {.device = 0}, gpu = {.device = GPU};
    void *memory = NULL;
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &host.layout), RTS_OK);
    gpu.layout = host.layout;
    open_side(&gpu, 1);
    CHECK_EQ_INT(cudaHostAlloc(&memory, gpu.bytes, cudaHostAllocDefault), cudaSuccess);
    for (size_t i = 0; i < gpu.bytes; i++)
        ((unsigned char *)memory)[i] = gpu.image[i] = (unsigned char)(i * 2654435761u >> 13);
    host.buffer = memory;
    const rts_copy_job_t job = job_of(&box, 1, &host, &gpu);
    CHECK_EQ_INT(ops->copy(&job), RTS_OK);
    memset(memory, 0, gpu.bytes);
    CHECK(check_side(&gpu));
    CHECK_EQ_INT(cudaFreeHost(memory), cudaSuccess);
    close_side(&gpu);
}

/* ---- between GPUs ---- */

static void wait_for(int gpu) {
    CHECK_EQ_INT(cudaSetDevice(gpu), cudaSuccess);
    CHECK_EQ_INT(cudaDeviceSynchronize(), cudaSuccess);
}

/* A second device on another GPU or, where there is none, on the same, which is to the copies what another GPU is, but for the wires: once
 * as if each reached the other's memory, once not. What is copied must be there before the source is written again, also where that
 * is only queued. */
static void test_between(int trials, bool reaches, bool has_large) {
    rts_cuda_device_t *first = NULL, second = {.gpu = 0};
    int gpus = 1;
    CHECK_EQ_INT(rts_cuda_device_use(GPU, &first), RTS_OK);
    CHECK_EQ_INT(cudaGetDeviceCount(&gpus), cudaSuccess);
    second.gpu = (first->gpu + 1) % gpus;
    CHECK_EQ_INT(cudaSetDevice(second.gpu), cudaSuccess);
    CHECK_EQ_INT(rts_cuda_stream_open(&second), RTS_OK);
    CHECK_EQ_INT(rts_cuda_pool_open(&second, true), RTS_OK);
    if (second.gpu != first->gpu && reaches)
        reaches = rts_cuda_pool_share(first, second.gpu) && rts_cuda_pool_share(&second, first->gpu);
    (void)cudaGetLastError();
    second.peers = reaches ? UINT64_C(1) << first->gpu : 0;
    for (int i = 0; i < trials; i++) {
        const bool large = has_large && i == 0;
        const rts_box_t box = {.rank = 3,
                               .lo = {-1, 0, 2},
                               .hi = {large ? 200 : 9, check_random_range(1, large ? 300 : 40),
                                      large ? 400 : 31}};
        side_t source = {.device = GPU}, target = {.device = GPU}, other = {.device = GPU};
        void *memory = NULL;
        pick_layout(&box, &source.layout);
        pick_layout(&box, &target.layout);
        other.layout = source.layout;
        open_side(&source, 8);
        open_side(&target, 8);
        open_side(&other, 8);
        CHECK_EQ_INT(cudaSetDevice(second.gpu), cudaSuccess);
        CHECK_EQ_INT(rts_cuda_allocate(&second, target.bytes, &memory), RTS_OK);
        wait_for(second.gpu);
        CHECK_EQ_INT(cudaMemcpy(memory, target.image, target.bytes, cudaMemcpyDefault), cudaSuccess);
        wait_for(second.gpu); /* else that may still be on its way */
        copy_images(&box, 8, &source, &target);
        rts_copy_job_t job = job_of(&box, 8, &source, &target);
        job.target = memory;
        CHECK_EQ_INT(rts_cuda_between(first, &second, &job), RTS_OK);
        job = job_of(&box, 8, &other, &source); /* queued behind the reading of it */
        CHECK_EQ_INT(ops->copy(&job), RTS_OK);
        void *const own = target.buffer;
        target.buffer = memory;
        wait_for(second.gpu);
        CHECK(check_side(&target));
        target.buffer = own;
        rts_cuda_release(&second, memory);
        close_side(&source);
        close_side(&target);
        close_side(&other);
    }
    rts_cuda_pool_close(&second);
    rts_cuda_stream_close(&second);
}

/* The same GPU twice is not the same as once, and as near. */
static void test_topology(void) {
    const int gpus[] = {0, 0};
    uint64_t once, twice, near_once, near_twice;
    rts_cuda_topology(gpus, 1, &once, &near_once);
    rts_cuda_topology(gpus, 2, &twice, &near_twice);
    CHECK(once != 0 && twice != once);
    CHECK_EQ_INT(near_once, 0);
    CHECK(near_twice == 0 || near_twice == 3);
    printf("the GPU is %s\n", near_twice == 3 ? "near" : "far, or in an unknown place");
}

/* ---- order ---- */

/* A chain of copies through buffers that are given back and taken again before the GPU can have finished with them. */
static void test_order(int rounds, rts_index_t rows) {
    const rts_box_t box = {.rank = 2, .lo = {0, 0}, .hi = {rows, 3000}};
    const int turned[] = {1, 0};
    side_t from = {.device = 0}, to = {.device = 0}, one = {.device = GPU}, other = {.device = GPU};
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &from.layout), RTS_OK);
    to.layout = one.layout = from.layout;
    CHECK_EQ_INT(rts_layout_plain(&box, turned, 32, &other.layout), RTS_OK);
    open_side(&from, 8);
    open_side(&to, 8);
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < from.bytes; i += 8)
            *(uint64_t *)(from.image + i) = *(uint64_t *)((char *)from.buffer + i) = i + (size_t)round;
        CHECK_EQ_INT(ops->allocate(GPU, from.bytes, &one.buffer), RTS_OK);
        rts_copy_job_t job = job_of(&box, 8, &from, &one);
        CHECK_EQ_INT(ops->copy(&job), RTS_OK);
        CHECK_EQ_INT(ops->allocate(GPU, (size_t)other.layout.size * 8, &other.buffer), RTS_OK);
        job = job_of(&box, 8, &one, &other);
        CHECK_EQ_INT(ops->copy(&job), RTS_OK);
        ops->release(GPU, one.buffer);
        CHECK_EQ_INT(ops->allocate(GPU, from.bytes, &one.buffer), RTS_OK); /* the same memory, most likely */
        memset(from.buffer, 0xEE, from.bytes);
        job = job_of(&box, 8, &from, &one);
        CHECK_EQ_INT(ops->copy(&job), RTS_OK);
        job = job_of(&box, 8, &other, &to);
        ops->release(GPU, one.buffer);
        CHECK_EQ_INT(ops->copy(&job), RTS_OK);
        ops->release(GPU, other.buffer);
        CHECK(memcmp(to.buffer, from.image, from.bytes) == 0);
    }
    close_side(&from);
    close_side(&to);
}

static void test_in_place(void) {
    const rts_box_t box = {.rank = 2, .lo = {1, 1}, .hi = {701, 701}}, flat = {.rank = 1, .hi = {700 * 700}};
    const int turned[] = {1, 0};
    side_t side = {.device = GPU}, turned_side = {.device = GPU};
    rts_layout_t line;
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &side.layout), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, turned, 1, &turned_side.layout), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&flat, NULL, 1, &line), RTS_OK);
    open_side(&side, 8);
    turned_side.image = rts_alloc(side.bytes);
    turned_side.bytes = side.bytes;
    if (CHECK(turned_side.image != NULL))
        copy_images(&box, 8, &side, &turned_side);
    CHECK_EQ_INT(ops->reorganise_in_place(GPU, 8, side.buffer, &side.layout, &line), RTS_ERR_UNSUPPORTED);
    CHECK_EQ_INT(ops->reorganise_in_place(GPU, 8, side.buffer, &side.layout, &turned_side.layout), RTS_OK);
    turned_side.buffer = side.buffer;
    CHECK(check_side(&turned_side));
    CHECK_EQ_INT(ops->reorganise_in_place(GPU + 64, 8, side.buffer, &side.layout, &line), RTS_ERR_INVALID);
    rts_free(turned_side.image);
    close_side(&side);
}

/* ---- memory ---- */

static void test_memory(void) {
    void *memory = NULL, *untouched = &memory, *many[200] = {NULL};
    CHECK_EQ_INT(ops->allocate(GPU, 0, &memory), RTS_OK);
    ops->release(GPU, memory);
    ops->release(GPU, NULL);
    CHECK_EQ_INT(ops->allocate(GPU, SIZE_MAX, &untouched), RTS_ERR_NO_MEMORY);
    CHECK_EQ_INT(ops->allocate(GPU, (size_t)1 << 44, &untouched), RTS_ERR_NO_MEMORY); /* 16 TiB */
    CHECK_CONTAINS(rts_error_text(), "no memory for ");
    CHECK(untouched == &memory);
    CHECK_EQ_INT(ops->allocate(GPU + 64, 8, &untouched), RTS_ERR_INVALID);
    for (int i = 0; i < 200; i++)
        CHECK_EQ_INT(ops->allocate(GPU, 1000, &many[i]), RTS_OK);
    for (int i = 0; i < 200; i++)
        ops->release(GPU, many[i * 77 % 200]);
}

/* Of the limit, all can be used, and nothing beyond. */
static void test_limit(void) {
    void *first = NULL, *second = NULL;
    CHECK(open_backend(10 << 20, NULL, 0, 0) >= 1);
    CHECK_EQ_INT(ops->allocate(GPU, 6 << 20, &first), RTS_OK);
    CHECK_EQ_INT(ops->allocate(GPU, (4 << 20) + 1, &second), RTS_ERR_NO_MEMORY);
    CHECK_EQ_INT(ops->allocate(GPU, 4 << 20, &second), RTS_OK);
    CHECK_EQ_INT(ops->allocate(GPU, 1, &first), RTS_ERR_NO_MEMORY);
    ops->release(GPU, first);
    CHECK_EQ_INT(ops->allocate(GPU, 6 << 20, &first), RTS_OK);
    ops->close(); /* frees what was left */
}

/* ---- processes of their own ---- */

/* @param messages  where its standard error goes; -1: to this process's */
static int start_child(const char *what, int messages) {
    const pid_t child = fork();
    if (child == 0) {
        if (messages >= 0)
            (void)dup2(messages, STDERR_FILENO);
        execl("/proc/self/exe", "test_cuda_backend", what, (char *)NULL);
        _exit(99);
    }
    return (int)child;
}

static int end_child(int child) {
    int status = -1;
    CHECK_EQ_INT(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A kernel that writes where nothing is: one message, from the first call that can tell, and nothing hangs. */
static int child_fault(void) {
    const rts_box_t box = {.rank = 2, .lo = {0, 0}, .hi = {100, 100}};
    const int turned[] = {1, 0};
    static double values[100 * 100];
    side_t gpu = {.device = GPU}, nowhere = {.device = GPU}, host = {.device = 0, .buffer = values};
    void *memory = NULL;
    CHECK(open_backend(0, NULL, 0, 0) >= 1);
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &gpu.layout), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, turned, 1, &nowhere.layout), RTS_OK);
    host.layout = gpu.layout;
    CHECK_EQ_INT(ops->allocate(GPU, sizeof values, &gpu.buffer), RTS_OK);
    nowhere.buffer = (void *)(uintptr_t)0x100000;
    rts_copy_job_t job = job_of(&box, 8, &host, &gpu);
    CHECK_EQ_INT(ops->copy(&job), RTS_OK);
    job = job_of(&box, 8, &gpu, &nowhere);
    rts_status_t status = ops->copy(&job);
    if (status == RTS_OK) { /* queued */
        job = job_of(&box, 8, &gpu, &host);
        status = ops->copy(&job);
    }
    CHECK_EQ_INT(status, RTS_ERR_DEVICE);
    CHECK_CONTAINS(rts_error_text(), "CUDA device ");
    CHECK_CONTAINS(rts_error_text(), "illegal memory access");
    CHECK_EQ_INT(ops->allocate(GPU, 8, &memory), RTS_ERR_DEVICE);
    ops->release(GPU, gpu.buffer);
    ops->close();
    return check_finish();
}

/* One of two processes that share a GPU: everything at once, and memory that became free does not stay. */
static int child_share(const char *number) {
    const rts_device_wish_t wish[2] = {{.count = 1}, {.count = 1}};
    check_random_start();
    CHECK_EQ_INT(open_backend(0, wish, 2, atoi(number)), 1);
    test_random(150, 20000);
    test_order(20, 2000);
    ops->close();
    return check_finish();
}

static void test_fault(void) {
    FILE *const messages = tmpfile();
    if (!CHECK(messages != NULL))
        return;
    const int fault = start_child("fault", fileno(messages));
    CHECK_EQ_INT(end_child(fault), 0);
    /* The status was the message: what follows from the fault is not told again, neither by giving memory back nor at the end. */
    char text[512] = "";
    rewind(messages);
    CHECK(fgets(text, sizeof text, messages) == NULL);
    CHECK_EQ_STR(text, "");
    fclose(messages);
}

static void test_sharing(void) {
    const int one = start_child("share 0", -1), other = start_child("share 1", -1);
    CHECK_EQ_INT(end_child(one), 0);
    CHECK_EQ_INT(end_child(other), 0);
}

int main(int argc, char **argv) {
    const char *const what = argc > 1 ? argv[1] : "";
    const char *const required = getenv("DVMH_REQUIRE_CUDA");
    if (strcmp(what, "fault") == 0)
        return child_fault();
    if (strncmp(what, "share ", 6) == 0)
        return child_share(what + 6);
    check_random_start();
    const int gpus = open_backend(0, NULL, 0, 0);
    ops->close();
    test_wishes(gpus);
    if (gpus < 1 && required != NULL && *required != '\0' && strcmp(required, "0") != 0)
        CHECK(!"a GPU that DVMH_REQUIRE_CUDA asks for");
    if (gpus < 1 && check_finish() == 0)
        check_skip("no GPU here that this build can use");
    if (gpus < 1)
        return check_finish();
    CHECK_EQ_INT(open_backend(0, NULL, 0, 0), gpus);
    if (strcmp(what, "few") == 0) {
        test_random(60, 3000);
        ops->close();
        return check_finish();
    }
    const bool small = strcmp(what, "small") == 0;
    test_memory();
    test_random(small ? 100 : 1500, 2000);
    test_random(small ? 1 : 60, 300000);
    if (!small)
        test_large();
    test_rows();
    test_pinned(small ? 1 << 20 : 64 << 20);
    test_topology();
    test_between(small ? 10 : 100, true, !small);
    test_between(small ? 10 : 100, false, !small);
    test_order(small ? 3 : 20, small ? 100 : 2000);
    test_in_place();
    ops->close();
    test_limit();
    test_fault();
    if (!small)
        test_sharing();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
