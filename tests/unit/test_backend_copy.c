/* Conformance of a backend's copies: random boxes, layouts and element sizes against an element-by-element
 * reference. What lies around the box, padding included, must stay as it was. Also memory of fake devices. */
#include <config.h>

#include "rts/host/host.h"
#include "rts/memory.h"
#include "tests/check.h"
#include "tests/next_index.h"

#include <stdint.h>
#include <string.h>

#define GUARD_BYTES  64
#define FAKE_DEVICES 2

typedef struct side {
    int device;
    rts_layout_t layout;
    size_t bytes;         /* of the buffer, without guards */
    unsigned char *block; /* allocated */
    unsigned char *buffer;
} side_t;

/** A box around `inner`, in a random plain layout; some axes fit exactly so that neighbours can be joined. */
static void pick_layout(const rts_box_t *inner, rts_index_t spread, rts_layout_t *layout) {
    rts_box_t outer = *inner;
    int perm[RTS_MAX_RANK];
    for (int axis = 0; axis < inner->rank; axis++) {
        if (check_random_once_in(2)) {
            outer.lo[axis] -= check_random_range(0, spread);
            outer.hi[axis] += check_random_range(0, spread);
        }
        perm[axis] = axis;
    }
    if (check_random_once_in(2))
        check_random_shuffle(inner->rank, perm);
    const rts_index_t align = check_random_once_in(2) ? 1 : check_random_range(1, 9);
    CHECK_EQ_INT(rts_layout_plain(&outer, perm, align, layout), RTS_OK);
}

static void open_side(side_t *side, size_t element_bytes, unsigned char fill) {
    void *memory = NULL;
    side->bytes = (size_t)side->layout.size * element_bytes;
    CHECK_EQ_INT(rts_host_ops.allocate(side->device, side->bytes + 2 * GUARD_BYTES, &memory), RTS_OK);
    side->block = memory;
    /* An odd start, now and then: elements of the program's own arrays need not be aligned. */
    side->buffer = side->block + GUARD_BYTES - check_random_range(0, 1);
    for (size_t i = 0; i < side->bytes + 2 * GUARD_BYTES; i++)
        side->block[i] = fill == 0 ? (unsigned char)check_random_u64() : fill;
}

/** Copy by the backend, then by elements into what the target was before, and compare all bytes of the
 * target. */
static void check_copy(const rts_box_t *box, size_t element_bytes, side_t *source, side_t *target) {
    open_side(source, element_bytes, 0);
    open_side(target, element_bytes, 0xA5);
    const size_t block_bytes = target->bytes + 2 * GUARD_BYTES;
    unsigned char *const expected = rts_alloc(block_bytes);
    if (!CHECK(expected != NULL))
        return;
    memcpy(expected, target->block, block_bytes);
    rts_index_t index[RTS_MAX_RANK];
    bool more = !rts_box_is_empty(box);
    memcpy(index, box->lo, sizeof(index));
    for (; more; more = next_index(box, index)) {
        const size_t from = (size_t)rts_layout_offset(&source->layout, index) * element_bytes;
        const size_t to = (size_t)rts_layout_offset(&target->layout, index) * element_bytes;
        memcpy(expected + (target->buffer - target->block) + to, source->buffer + from, element_bytes);
    }
    const rts_copy_job_t job = {.element_bytes = element_bytes,
                                .box = *box,
                                .source_device = source->device,
                                .target_device = target->device,
                                .source = source->buffer,
                                .target = target->buffer,
                                .source_layout = &source->layout,
                                .target_layout = &target->layout};
    CHECK_EQ_INT(rts_host_ops.copy(&job), RTS_OK);
    if (!CHECK(memcmp(expected, target->block, block_bytes) == 0)) {
        char from[64], to[64];
        fprintf(stderr, "  %zu bytes an element, %s to %s:", element_bytes,
                rts_layout_name(&source->layout, from, sizeof(from)),
                rts_layout_name(&target->layout, to, sizeof(to)));
        for (int axis = 0; axis < box->rank; axis++)
            fprintf(stderr, " [%lld,%lld)", (long long)box->lo[axis], (long long)box->hi[axis]);
        fprintf(stderr, "\n");
    }
    rts_free(expected);
    rts_host_ops.release(source->device, source->block);
    rts_host_ops.release(target->device, target->block);
}

static void test_random(int trials, rts_index_t room_at_most, rts_index_t spread) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 24, 40};
    for (int i = 0; i < trials; i++) {
        rts_box_t box = {.rank = (int)check_random_range(0, 5)};
        rts_index_t room = room_at_most;
        for (int axis = 0; axis < box.rank; axis++) {
            const rts_index_t extent =
                check_random_range(check_random_once_in(60) ? 0 : 1, rts_min(room, 90));
            box.lo[axis] = check_random_range(-20, 20);
            box.hi[axis] = box.lo[axis] + extent;
            room = rts_max(room / rts_max(extent, 1), 1);
        }
        side_t source = {.device = (int)check_random_range(0, FAKE_DEVICES)};
        side_t target = {.device = (int)check_random_range(0, FAKE_DEVICES)};
        pick_layout(&box, spread, &source.layout);
        pick_layout(&box, spread, &target.layout);
        check_copy(&box, sizes[check_random_range(0, 7)], &source, &target);
    }
}

/* ---- diagonal layouts ---- */

typedef struct diagonal {
    rts_layout_kind_t kind;
    int a, b;
    int relation; /* of the plane's extents: n_p below, equal to, above n_q */
} diagonal_t;

/** A diagonal layout around `inner`, with room for lines that wrap around and fronts of all lengths. */
static void make_diagonal(const rts_box_t *inner, const diagonal_t *form, rts_layout_t *layout) {
    rts_box_t outer = *inner;
    int perm[RTS_MAX_RANK];
    for (int axis = 0; axis < inner->rank; axis++) {
        perm[axis] = axis;
        outer.lo[axis] -= check_random_range(0, 2);
        outer.hi[axis] += check_random_range(0, 2);
    }
    check_random_shuffle(inner->rank, perm);
    const int p = perm[inner->rank - 2], q = perm[inner->rank - 1];
    const int large = form->relation < 0 ? q : p, small = large == p ? q : p;
    const rts_index_t missing = (outer.hi[small] - outer.lo[small]) - (outer.hi[large] - outer.lo[large]);
    const rts_index_t more = form->relation == 0 ? 0 : check_random_range(1, 9);
    /* Equal extents need the smaller one, whichever it is, made larger. */
    if (missing + more >= 0)
        outer.hi[large] += missing + more;
    else if (form->relation == 0)
        outer.lo[small] += missing;
    const rts_index_t align =
        form->kind == RTS_LAYOUT_PACKED || check_random_once_in(2) ? 1 : check_random_range(1, 9);
    CHECK_EQ_INT(rts_layout_diagonal(&outer, perm, align, form->kind, form->a, form->b, layout), RTS_OK);
}

static rts_box_t pick_thin(int rank, int thin, rts_index_t at_most) {
    rts_box_t box = {.rank = rank};
    for (int axis = 0; axis < rank; axis++) {
        box.lo[axis] = check_random_range(-20, 20);
        box.hi[axis] = box.lo[axis] + check_random_range(1, axis == thin ? 3 : at_most);
    }
    return box;
}

/** Boxes that are thin along each axis, in planes of every kind and proportion, elements of every size. */
static void test_thin(void) {
    static const size_t sizes[] = {1, 2, 4, 8, 16, 3, 24};
    for (int kind = RTS_LAYOUT_SKEW; kind <= RTS_LAYOUT_PACKED; kind++) {
        const int most = kind == RTS_LAYOUT_PACKED ? 1 : 2;
        for (int a = 1; a <= most; a++)
            for (int b = -most; b <= most; b++)
                for (int variant = 0; b != 0 && variant < 9 * 7; variant++) {
                    const diagonal_t form = {(rts_layout_kind_t)kind, a, b, variant / 3 % 3 - 1};
                    const rts_box_t box = pick_thin(3, variant % 3, check_random_once_in(3) ? 40 : 12);
                    side_t plain = {.device = 0}, diagonal = {.device = 0};
                    pick_layout(&box, 2, &plain.layout);
                    make_diagonal(&box, &form, &diagonal.layout);
                    check_copy(&box, sizes[variant / 9], &diagonal, &plain);
                    check_copy(&box, sizes[variant / 9], &plain, &diagonal);
                }
    }
}

static diagonal_t pick_diagonal(void) {
    const rts_layout_kind_t kind = (rts_layout_kind_t)check_random_range(RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
    const int most = kind == RTS_LAYOUT_PACKED ? 1 : 2, sign = check_random_once_in(2) ? 1 : -1;
    return (diagonal_t){kind, (int)check_random_range(1, most), sign * (int)check_random_range(1, most),
                        (int)check_random_range(-1, 1)};
}

/** Diagonal layouts on both sides, ranks from 2 on, thin along one axis or none. */
static void test_two_diagonals(int trials) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 24, 40};
    for (int i = 0; i < trials; i++) {
        const int rank = (int)check_random_range(2, 4);
        const rts_box_t box = pick_thin(rank, (int)check_random_range(0, rank), rank == 4 ? 9 : 25);
        const diagonal_t from = pick_diagonal(), to = pick_diagonal();
        side_t source = {.device = (int)check_random_range(0, FAKE_DEVICES)};
        side_t target = {.device = (int)check_random_range(0, FAKE_DEVICES)};
        make_diagonal(&box, &from, &source.layout);
        make_diagonal(&box, &to, &target.layout);
        check_copy(&box, sizes[check_random_range(0, 7)], &source, &target);
    }
}

/** Thin boxes that are large enough for a team: few long lines, many short ones, lines that wrap around all the time. */
static void test_large_thin(void) {
    static const rts_box_t boxes[] = {{2, {1, 0}, {3, 70001}},
                                      {2, {0, 3}, {70001, 5}},
                                      {3, {0, 0, 0}, {301, 2, 259}},
                                      {3, {0, 0, 0}, {259, 301, 2}}};
    for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++)
        for (int kind = RTS_LAYOUT_SKEW; kind <= RTS_LAYOUT_PACKED; kind++) {
            side_t plain = {.device = 0}, diagonal = {.device = 0};
            /* Rows of a skewed plane as many as diagonals: too much memory for the long ones. */
            if (kind == RTS_LAYOUT_SKEW && i == 0)
                continue;
            CHECK_EQ_INT(rts_layout_plain(&boxes[i], NULL, 1, &plain.layout), RTS_OK);
            CHECK_EQ_INT(rts_layout_diagonal(&boxes[i], NULL, 1, (rts_layout_kind_t)kind, 1,
                                             i % 2 == 0 ? 1 : -1, &diagonal.layout),
                         RTS_OK);
            check_copy(&boxes[i], 8, &diagonal, &plain);
            check_copy(&boxes[i], 8, &plain, &diagonal);
        }
}

/** Shapes large enough for a team: one run, long rows, short rows, transposition, all with leftovers. */
static void test_large(void) {
    static const struct {
        rts_box_t box;
        int swap; /* the source has the first two axes exchanged */
        rts_index_t align;
        size_t element_bytes;
    } cases[] = {
        {{1, {-5}, {300000}}, 0, 1, 8},          {{2, {0, 3}, {5, 70001}}, 0, 64, 4},
        {{2, {1, 1}, {1031, 259}}, 0, 16, 8},    {{2, {0, 0}, {1031, 517}}, 1, 1, 4},
        {{3, {0, 0, 0}, {301, 67, 5}}, 1, 1, 8}, {{3, {0, 0, 0}, {2, 101, 4099}}, 1, 8, 2},
        {{2, {0, 0}, {1201, 911}}, 1, 1, 1},     {{3, {2, 2, 2}, {70, 41, 31}}, 1, 1, 24},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int swapped[RTS_MAX_RANK] = {1, 0, 2};
        side_t source = {.device = 0}, target = {.device = 1};
        CHECK_EQ_INT(rts_layout_plain(&cases[i].box, cases[i].swap ? swapped : NULL, 1, &source.layout),
                     RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&cases[i].box, NULL, cases[i].align, &target.layout), RTS_OK);
        check_copy(&cases[i].box, cases[i].element_bytes, &source, &target);
    }
}

/** Memory of devices: poisoned, refused to others, counted. */
static void test_devices(void) {
    void *memory = NULL, *untouched = &memory;
    const int64_t live = rts_memory_live();
    for (int device = 1; device <= FAKE_DEVICES; device++) {
        CHECK_EQ_INT(rts_host_ops.allocate(device, 1000, &memory), RTS_OK);
        CHECK_EQ_INT((uintptr_t)memory % RTS_MEMORY_ALIGNMENT, 0);
        int poisoned = 0;
        for (int i = 0; i < 1000; i++)
            poisoned += ((unsigned char *)memory)[i] == 0xFF;
        CHECK_EQ_INT(poisoned, 1000);
        /* Its buffer under another device's number, and a copy that runs over its end. */
        const rts_box_t box = {.rank = 1, .lo = {0}, .hi = {100}};
        rts_layout_t layout;
        unsigned char host[1600] = {0};
        CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &layout), RTS_OK);
        rts_copy_job_t job = {.element_bytes = 8, .box = box, .source = host, .target = memory};
        job.source_layout = job.target_layout = &layout;
        job.target_device = 3 - device;
        CHECK_EQ_INT(rts_host_ops.copy(&job), RTS_ERR_INTERNAL);
        job.target_device = device;
        CHECK_EQ_INT(rts_host_ops.copy(&job), RTS_OK);
        job.element_bytes = 16;
        CHECK_EQ_INT(rts_host_ops.copy(&job), RTS_ERR_INTERNAL);
        job.source_device = FAKE_DEVICES + 1;
        CHECK_EQ_INT(rts_host_ops.copy(&job), RTS_ERR_INVALID);
        rts_host_ops.release(device, memory);
    }
    CHECK_EQ_INT(rts_memory_live(), live);
    for (int device = 0; device <= FAKE_DEVICES; device++) {
        rts_memory_fail_at(1);
        CHECK_EQ_INT(rts_host_ops.allocate(device, 1000, &untouched), RTS_ERR_NO_MEMORY);
        rts_memory_fail_at(0);
        CHECK_EQ_INT(rts_host_ops.allocate(device, SIZE_MAX, &untouched), RTS_ERR_NO_MEMORY);
        CHECK(untouched == &memory);
        rts_host_ops.release(device, NULL);
    }
    CHECK_EQ_INT(rts_host_ops.allocate(FAKE_DEVICES + 1, 8, &untouched), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_host_ops.allocate(0, 0, &memory), RTS_OK);
    rts_host_ops.release(0, memory);
}

/** In place, on the host and on devices; only inside the device's own memory. */
static void test_in_place(void) {
    const rts_box_t box = {.rank = 2, .lo = {2, 3}, .hi = {22, 23}}, other = {.rank = 1, .hi = {400}};
    const int turned[] = {1, 0};
    rts_layout_t from, to, flat;
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &from), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, turned, 1, &to), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&other, NULL, 1, &flat), RTS_OK);
    for (int device = 0; device <= FAKE_DEVICES; device++) {
        void *memory = NULL;
        CHECK_EQ_INT(rts_host_ops.allocate(device, 400 * sizeof(int32_t), &memory), RTS_OK);
        int32_t *const element = memory;
        for (int i = 0; i < 400; i++)
            element[i] = i;
        CHECK_EQ_INT(rts_host_ops.reorganise_in_place(device, sizeof(int32_t), memory, &from, &flat),
                     RTS_ERR_UNSUPPORTED);
        CHECK_EQ_INT(rts_host_ops.reorganise_in_place(device, sizeof(int32_t), memory, &from, &to), RTS_OK);
        for (int i = 0; i < 400; i++)
            CHECK_EQ_INT(element[i], i % 20 * 20 + i / 20);
        if (device > 0) {
            CHECK_EQ_INT(rts_host_ops.reorganise_in_place(3 - device, sizeof(int32_t), memory, &from, &to),
                         RTS_ERR_INTERNAL);
            CHECK_EQ_INT(rts_host_ops.reorganise_in_place(device, sizeof(int64_t), memory, &from, &to),
                         RTS_ERR_INTERNAL);
        }
        rts_host_ops.release(device, memory);
    }
    CHECK_EQ_INT(rts_host_ops.reorganise_in_place(-1, 4, &from, &from, &to), RTS_ERR_INVALID);
}

int main(void) {
    const rts_backend_options_t options = {.thread_count = 3,
                                           .set_affinity = 0,
                                           .fake_devices = FAKE_DEVICES,
                                           .local_count = 1};
    int device_count = 0;
    check_random_start();
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_host_ops.open(&options, &device_count), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    CHECK_EQ_INT(rts_host_ops.open(&options, &device_count), RTS_OK);
    CHECK_EQ_INT(device_count, FAKE_DEVICES);
    test_devices();
    test_in_place();
    test_random(3000, 600, 4);
    test_random(60, 100000, 2);
    test_large();
    test_thin();
    test_two_diagonals(1500);
    test_large_thin();
    void *forgotten;
    CHECK_EQ_INT(rts_host_ops.allocate(1, 10, &forgotten), RTS_OK);
    rts_host_ops.close();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
