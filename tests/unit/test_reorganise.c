/* Copies between layouts of all kinds against an element-by-element reference: random ranks, orders of axes, boxes inside
 * layouts, pitches, element sizes, numbers of threads, with the kernels of every instruction set, streamed or not. What lies
 * around the box, padding and gaps included, must stay as it was. Buffers end where memory ends, so that no kernel reads
 * beyond them unseen. */
#include <config.h>

#include "rts/host/host_reorganise.h"
#include "rts/memory.h"
#include "tests/check.h"
#include "tests/next_index.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** A buffer with forbidden pages before and after it. */
typedef struct fenced {
    char *pages;
    size_t page_bytes;
    char *buffer;
    size_t bytes;
} fenced_t;

static fenced_t fenced_open(size_t bytes, bool at_end) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fenced_t fenced = {.bytes = bytes, .page_bytes = (bytes + page - 1) / page * page + 2 * page};
    fenced.pages = mmap(NULL, fenced.page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fenced.pages == MAP_FAILED) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    if (fenced.page_bytes > 2 * page)
        CHECK(mprotect(fenced.pages + page, fenced.page_bytes - 2 * page, PROT_READ | PROT_WRITE) == 0);
    fenced.buffer = at_end ? fenced.pages + fenced.page_bytes - page - bytes : fenced.pages + page;
    return fenced;
}

static void fenced_close(fenced_t *fenced) {
    munmap(fenced->pages, fenced->page_bytes);
}

/** A box around `inner` in a random layout. @param plain  of that kind only */
static void pick_layout(const rts_box_t *inner, bool plain, rts_layout_t *layout) {
    rts_box_t outer = *inner;
    int perm[RTS_MAX_RANK];
    for (int axis = 0; axis < inner->rank; axis++) {
        if (check_random_once_in(3)) {
            outer.lo[axis] -= check_random_range(0, 5);
            outer.hi[axis] += check_random_range(0, 5);
        }
    }
    check_random_order(inner->rank, perm);
    const rts_index_t align = check_random_once_in(2) ? 1 : check_random_range(1, 9);
    if (plain || inner->rank < 2) {
        CHECK_EQ_INT(rts_layout_plain(&outer, perm, align, layout), RTS_OK);
        return;
    }
    if (check_random_once_in(3)) { /* square planes */
        const int p = perm[inner->rank - 2], q = perm[inner->rank - 1];
        const rts_index_t side = rts_max(outer.hi[p] - outer.lo[p], outer.hi[q] - outer.lo[q]);
        outer.hi[p] = outer.lo[p] + side;
        outer.hi[q] = outer.lo[q] + side;
    }
    const rts_layout_kind_t kind = (rts_layout_kind_t)check_random_range(RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
    const int a = kind != RTS_LAYOUT_PACKED && check_random_once_in(5) ? 2 : 1;
    const int b = kind != RTS_LAYOUT_PACKED && check_random_once_in(4) ? 2 : 1;
    CHECK_EQ_INT(rts_layout_diagonal(&outer, perm, kind == RTS_LAYOUT_PACKED ? 1 : align, kind, a,
                                     check_random_once_in(2) ? b : -b, layout),
                 RTS_OK);
}

static void explain(const rts_copy_job_t *job, int threads, int level) {
    char from[96], to[96];
    fprintf(stderr, "  level %d, %d threads, %zu bytes an element, %s to %s:", level, threads,
            job->element_bytes, rts_layout_name(job->source_layout, from, sizeof(from)),
            rts_layout_name(job->target_layout, to, sizeof(to)));
    for (int axis = 0; axis < job->box.rank; axis++)
        fprintf(stderr, " [%lld,%lld) in [%lld,%lld) [%lld,%lld)", (long long)job->box.lo[axis],
                (long long)job->box.hi[axis], (long long)job->source_layout->box.lo[axis],
                (long long)job->source_layout->box.hi[axis], (long long)job->target_layout->box.lo[axis],
                (long long)job->target_layout->box.hi[axis]);
    fprintf(stderr, "\n");
}

static void check_copy(const rts_box_t *box, size_t element_bytes, const rts_layout_t *source_layout,
                       const rts_layout_t *target_layout) {
    const size_t source_bytes = (size_t)source_layout->size * element_bytes;
    const size_t target_bytes = (size_t)target_layout->size * element_bytes;
    fenced_t source = fenced_open(source_bytes, check_random_once_in(2));
    fenced_t target = fenced_open(target_bytes, check_random_once_in(2));
    char *const expected = rts_alloc(target_bytes);
    if (!CHECK(expected != NULL))
        return;
    for (size_t i = 0; i < source_bytes; i++)
        source.buffer[i] = (char)check_random_u64();
    memset(expected, 0xA5, target_bytes);
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, box->lo, sizeof(index));
    do
        memcpy(expected + (size_t)rts_layout_offset(target_layout, index) * element_bytes,
               source.buffer + (size_t)rts_layout_offset(source_layout, index) * element_bytes,
               element_bytes);
    while (next_index(box, index));
    const rts_copy_job_t job = {.element_bytes = element_bytes,
                                .box = *box,
                                .source = source.buffer,
                                .target = target.buffer,
                                .source_layout = source_layout,
                                .target_layout = target_layout};
    for (int level = 0; level <= (int)rts_reorg_level_supported(); level++) {
        const int threads = (int)check_random_range(1, 4);
        rts_reorg_level_force((rts_reorg_level_t)level);
        rts_reorg_stream_from(check_random_once_in(2) ? 1 : INT64_MAX);
        memset(target.buffer, 0xA5, target_bytes);
        if (!rts_host_reorganise(&job, threads))
            CHECK_EQ_INT(rts_host_copy(&job, threads), RTS_OK);
        if (!CHECK(memcmp(expected, target.buffer, target_bytes) == 0)) {
            explain(&job, threads, level);
            break;
        }
    }
    rts_free(expected);
    fenced_close(&source);
    fenced_close(&target);
}

/** @param kinds  bit 0: the source may be diagonal; bit 1: the target */
static void test_random(int trials, rts_index_t room_at_most, int kinds) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 40, 4, 8, 8};
    for (int i = 0; i < trials; i++) {
        rts_box_t box = {.rank = (int)check_random_range(1, 5)};
        rts_index_t room = room_at_most;
        for (int axis = 0; axis < box.rank; axis++) {
            const rts_index_t extent =
                check_random_range(1, rts_min(room, check_random_once_in(2) ? 300 : 30));
            box.lo[axis] = check_random_range(-20, 20);
            box.hi[axis] = box.lo[axis] + extent;
            room = rts_max(room / extent, 1);
        }
        rts_layout_t source, target;
        pick_layout(&box, (kinds & 1) == 0, &source);
        pick_layout(&box, (kinds & 2) == 0, &target);
        check_copy(&box, sizes[check_random_range(0, 11)], &source, &target);
    }
}

/** Planes of all proportions, every diagonal kind against both orders of a plain plane. */
static void test_planes(void) {
    static const rts_index_t extents[][2] = {{300, 300}, {97, 411}, {411, 97}, {1, 70},
                                             {70, 1},    {37, 5},   {5, 37}};
    for (size_t i = 0; i < sizeof(extents) / sizeof(extents[0]); i++) {
        for (int variant = 0; variant < 3 * 2 * 2 * 2; variant++) {
            rts_box_t box = {.rank = 3, .hi = {2, extents[i][0], extents[i][1]}};
            const rts_layout_kind_t kind = (rts_layout_kind_t)(1 + variant % 3);
            const int perm[3] = {0, variant / 3 % 2 ? 1 : 2, variant / 3 % 2 ? 2 : 1};
            rts_layout_t plain, diagonal;
            CHECK_EQ_INT(rts_layout_plain(&box, perm, 1, &plain), RTS_OK);
            CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, 1, kind, 1, variant / 6 % 2 ? 1 : -1, &diagonal),
                         RTS_OK);
            if (variant / 12 % 2) /* a part of it */
                for (int axis = 1; axis < 3; axis++)
                    if (box.hi[axis] > 3)
                        box.lo[axis]++, box.hi[axis] -= 2;
            for (size_t bytes = 4; bytes <= 16; bytes *= 2) {
                check_copy(&box, bytes, &plain, &diagonal);
                check_copy(&box, bytes, &diagonal, &plain);
            }
        }
    }
}

/** Copies that are too large to go straight to the target and too small to be streamed: through the buffer by ordinary stores. */
static void test_large_planes(void) {
    static const size_t sizes[] = {4, 8, 8, 16};
    const size_t bytes = sizes[check_random_range(0, 3)];
    const rts_index_t columns = check_random_range(500, 900);
    const rts_index_t rows = ((rts_index_t)5 << 20) / (rts_index_t)bytes / columns;
    const rts_box_t box = {.rank = 2, .lo = {-3, 2}, .hi = {rows - 3, columns + 2}};
    rts_layout_t layout[5];
    const int turned[2] = {1, 0};
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &layout[0]), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, turned, 1, &layout[1]), RTS_OK);
    for (int i = 2; i < 5; i++)
        CHECK_EQ_INT(rts_layout_diagonal(&box, check_random_once_in(2) ? NULL : turned, 1,
                                         (rts_layout_kind_t)(i - 1), 1, check_random_once_in(2) ? 1 : -1,
                                         &layout[i]),
                     RTS_OK);
    for (int i = 1; i < 5; i++) {
        check_copy(&box, bytes, &layout[0], &layout[i]);
        check_copy(&box, bytes, &layout[i], &layout[0]);
    }
}

/** What bands, interleaving and copies of rows are for: long rows, planes of few rows, short fastest axes. */
static void test_long_rows(void) {
    static const size_t sizes[] = {4, 8, 8, 16};
    for (int i = 0; i < 14; i++) {
        const size_t bytes = sizes[check_random_range(0, 3)];
        const rts_index_t few = check_random_range(1, check_random_once_in(2) ? 6 : 20);
        const rts_index_t columns = check_random_range(100, 400);
        const rts_index_t rows = check_random_once_in(4) ? columns : check_random_range(1, 90);
        const rts_box_t box = {.rank = 3, .lo = {3, -2, 1}, .hi = {3 + few, -2 + rows, 1 + columns}};
        rts_layout_t layout[5];
        const int first_last[3] = {1, 2, 0}, moved[3] = {2, 0, 1}, swapped[3] = {1, 0, 2};
        const rts_index_t align = check_random_once_in(2) ? 1 : check_random_range(2, 16);
        CHECK_EQ_INT(rts_layout_plain(&box, NULL, align, &layout[0]), RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&box, first_last, check_random_once_in(2) ? 1 : align, &layout[1]),
                     RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&box, moved, align, &layout[2]), RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&box, swapped, 1, &layout[3]), RTS_OK);
        const rts_layout_kind_t kind =
            (rts_layout_kind_t)check_random_range(RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
        CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, 1, kind, 1, check_random_once_in(2) ? 1 : -1,
                                         &layout[4]),
                     RTS_OK);
        rts_box_t part = box;
        if (check_random_once_in(2))
            for (int axis = 0; axis < 3; axis++) {
                part.lo[axis] += check_random_range(0, (box.hi[axis] - box.lo[axis]) / 8);
                part.hi[axis] -= check_random_range(0, (part.hi[axis] - part.lo[axis]) / 8);
            }
        for (int from = 0; from < 5; from++)
            for (int to = 0; to < 5; to++)
                if (from != to)
                    check_copy(&part, bytes, &layout[from], &layout[to]);
    }
}

/** Reorganise in place and compare with what a copy gives, padding included. */
static void check_in_place(size_t element_bytes, const rts_layout_t *from, const rts_layout_t *to) {
    const size_t bytes = (size_t)from->size * element_bytes;
    fenced_t buffer = fenced_open(bytes, check_random_once_in(2));
    char *const before = rts_alloc(bytes), *const expected = rts_alloc(bytes);
    if (!CHECK(before != NULL && expected != NULL))
        return;
    for (size_t i = 0; i < bytes; i++)
        before[i] = (char)check_random_u64();
    rts_index_t index[RTS_MAX_RANK];
    memcpy(expected, before, bytes);
    memcpy(index, from->box.lo, sizeof(index));
    do
        memcpy(expected + (size_t)rts_layout_offset(to, index) * element_bytes,
               before + (size_t)rts_layout_offset(from, index) * element_bytes, element_bytes);
    while (next_index(&from->box, index));
    const rts_copy_job_t job = {.element_bytes = element_bytes,
                                .box = from->box,
                                .source_layout = from,
                                .target_layout = to};
    for (int level = 0; level <= (int)rts_reorg_level_supported(); level++) {
        rts_reorg_level_force((rts_reorg_level_t)level);
        memcpy(buffer.buffer, before, bytes);
        rts_memory_fail_at(1);
        if (!rts_layout_equal(from, to))
            CHECK_EQ_INT(rts_host_reorganise_in_place(element_bytes, buffer.buffer, from, to, 2),
                         RTS_ERR_NO_MEMORY);
        rts_memory_fail_at(0);
        CHECK(memcmp(before, buffer.buffer, bytes) == 0);
        const int threads = (int)check_random_range(1, 4);
        CHECK_EQ_INT(rts_host_reorganise_in_place(element_bytes, buffer.buffer, from, to, threads), RTS_OK);
        if (!CHECK(memcmp(expected, buffer.buffer, bytes) == 0)) {
            explain(&job, threads, level);
            break;
        }
    }
    rts_free(before);
    rts_free(expected);
    fenced_close(&buffer);
}

static void test_in_place(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 40};
    for (int i = 0; i < 160; i++) {
        const size_t bytes = sizes[check_random_range(0, 7)];
        const rts_index_t align = check_random_once_in(2) ? 1 : check_random_range(1, 9);
        const rts_index_t side = check_random_range(1, check_random_once_in(4) ? 400 : 90);
        rts_box_t box = {.rank = 3, .lo = {-1, 5, 2}, .hi = {check_random_range(0, 3), 5 + side, 2 + side}};
        rts_layout_t from, to;
        const int exchanged[3] = {0, 2, 1};
        CHECK_EQ_INT(rts_layout_plain(&box, NULL, align, &from), RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&box, exchanged, align, &to), RTS_OK);
        check_in_place(bytes, &from, &to);
        box.hi[1] = 5 + check_random_range(1, 300);
        const int b = (check_random_once_in(2) ? 1 : -1) * (int)check_random_range(1, 2);
        CHECK_EQ_INT(rts_layout_plain(&box, NULL, align, &from), RTS_OK);
        CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, align, RTS_LAYOUT_WRAP, 1, b, &to), RTS_OK);
        check_in_place(bytes, &from, &to);
        check_in_place(bytes, &to, &from);
    }
    const int turned[2] = {1, 0};
    for (size_t bytes = 4; bytes <= 8; bytes *= 2) { /* rows whole pages apart; many rows */
        const rts_box_t square = {.rank = 2, .hi = {260, 260}}, tall = {.rank = 2, .hi = {700, 65}};
        const rts_index_t page = 4096 / (rts_index_t)bytes;
        rts_layout_t plain, other;
        CHECK_EQ_INT(rts_layout_plain(&square, NULL, page, &plain), RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&square, turned, page, &other), RTS_OK);
        check_in_place(bytes, &plain, &other);
        for (int b = -2; b <= 2; b++) {
            if (b == 0)
                continue;
            CHECK_EQ_INT(rts_layout_plain(&tall, NULL, b > 0 ? 1 : 16, &plain), RTS_OK);
            CHECK_EQ_INT(rts_layout_diagonal(&tall, NULL, b > 0 ? 1 : 16, RTS_LAYOUT_WRAP, 1, b, &other),
                         RTS_OK);
            check_in_place(bytes, &plain, &other);
            check_in_place(bytes, &other, &plain);
        }
    }
    const rts_box_t box = {.rank = 2, .lo = {0, 0}, .hi = {3, 4}};
    const int exchanged[2] = {1, 0};
    rts_layout_t from, to;
    char buffer[12];
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &from), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, exchanged, 1, &to), RTS_OK);
    CHECK_EQ_INT(rts_host_reorganise_in_place(1, buffer, &from, &to, 1), RTS_ERR_UNSUPPORTED);
}

int main(void) {
    check_random_start();
    test_random(250, 5000, 0);
    test_random(20, 300000, 0);
    test_planes();
    test_large_planes();
    test_long_rows();
    test_in_place();
    for (int kinds = 1; kinds < 4; kinds++) {
        test_random(130, 5000, kinds);
        test_random(10, 200000, kinds);
    }
    return check_finish();
}
