/* Boxes as contiguous lines, against a walk over all elements: order, merging into as few and long lines as there are, whatever the number of
 * threads. Needs no GPU. */
#include <config.h>

#include "rts/cuda/cuda_lines.h"
#include "rts/memory.h"
#include "tests/check.h"

/* The next element in an order of axes. */
static bool next_in(const rts_box_t *box, const int perm[], rts_index_t index[]) {
    for (int place = box->rank - 1; place >= 0; place--) {
        const int axis = perm[place];
        if (++index[axis] < box->hi[axis])
            return true;
        index[axis] = box->lo[axis];
    }
    return false;
}

static void check_lines(const rts_layout_t *layout, const rts_box_t *box, const int perm[],
                        size_t element_bytes, int threads) {
    const size_t bytes = (size_t)layout->size * element_bytes,
                 boxed = (size_t)rts_box_size(box) * element_bytes;
    unsigned char *buffer = rts_alloc(bytes), *packed = rts_alloc(boxed), *before = rts_alloc(bytes);
    rts_index_t index[RTS_MAX_RANK];
    rts_cuda_lines_t lines;
    size_t at = 0, runs = 0, last_end = SIZE_MAX;
    if (!CHECK(buffer != NULL && packed != NULL && before != NULL))
        return;
    for (size_t i = 0; i < bytes; i++)
        buffer[i] = before[i] = (unsigned char)check_random_u64();
    rts_cuda_lines_make(layout, box, perm, element_bytes, &lines);
    rts_cuda_lines_copy(&lines, buffer, (char *)packed, true, threads);
    memcpy(index, box->lo, sizeof index);
    do {
        const size_t place = (size_t)rts_layout_offset(layout, index) * element_bytes;
        if (!CHECK(memcmp(packed + at, before + place, element_bytes) == 0))
            break;
        runs += place != last_end;
        last_end = place + element_bytes;
        at += element_bytes;
    } while (next_in(box, perm, index));
    CHECK(lines.line_count * lines.line_bytes == boxed);
    CHECK(lines.line_count >= runs && (lines.levels > 0 || lines.line_count == 1));
    CHECK(memcmp(buffer, before, bytes) == 0);
    /* And back: what is not in the box stays. */
    for (size_t i = 0; i < boxed; i++)
        packed[i] = (unsigned char)~packed[i];
    rts_cuda_lines_copy(&lines, buffer, (char *)packed, false, threads);
    memcpy(index, box->lo, sizeof index);
    do
        for (size_t i = 0; i < element_bytes; i++)
            before[(size_t)rts_layout_offset(layout, index) * element_bytes + i] ^= 0xFF;
    while (next_in(box, perm, index));
    CHECK(memcmp(buffer, before, bytes) == 0);
    rts_free(buffer);
    rts_free(packed);
    rts_free(before);
}

static void test_random(rts_index_t most) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 24, 40};
    rts_box_t box = {.rank = (int)check_random_range(0, 5)}, outer;
    int order[RTS_MAX_RANK], perm[RTS_MAX_RANK];
    rts_layout_t layout;
    rts_index_t room = most;
    for (int axis = 0; axis < box.rank; axis++) {
        const rts_index_t extent = check_random_range(1, rts_min(room, 400));
        box.lo[axis] = check_random_range(-9, 9);
        box.hi[axis] = box.lo[axis] + extent;
        room = rts_max(1, room / extent);
    }
    outer = box;
    for (int axis = 0; axis < box.rank; axis++)
        if (check_random_once_in(2)) {
            outer.lo[axis] -= check_random_range(0, 2);
            outer.hi[axis] += check_random_range(0, 2);
        }
    check_random_order(box.rank, order);
    if (check_random_once_in(2))
        check_random_order(box.rank, perm);
    else
        memcpy(perm, order, sizeof perm);
    CHECK_EQ_INT(rts_layout_plain(&outer, order, check_random_once_in(2) ? 1 : check_random_range(1, 9),
                                  &layout),
                 RTS_OK);
    check_lines(&layout, &box, perm, sizes[check_random_range(0, 7)], (int)check_random_range(1, 4));
}

/* Bytes that threads cannot divide evenly, in one line and in many. */
static void test_threads(void) {
    const rts_box_t box = {.rank = 2, .lo = {0, 0}, .hi = {397, 1003}},
                    wider = {.rank = 2, .lo = {-1, -2}, .hi = {398, 1003}};
    const int natural[] = {0, 1}, turned[] = {1, 0};
    for (int threads = 1; threads <= 5; threads++) {
        rts_layout_t layout;
        CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &layout), RTS_OK);
        check_lines(&layout, &box, natural, 7, threads);
        CHECK_EQ_INT(rts_layout_plain(&wider, NULL, 1, &layout), RTS_OK);
        check_lines(&layout, &box, natural, 7, threads);
        check_lines(&layout, &box, turned, 7, threads);
    }
}

/* What copy engines are asked for depends on it: a whole array is one line, rows of a padded one are one level. */
static void test_merging(void) {
    const rts_box_t box = {.rank = 3, .lo = {1, 1, 1}, .hi = {9, 17, 33}};
    const int natural[] = {0, 1, 2}, turned[] = {2, 0, 1};
    rts_layout_t layout;
    rts_cuda_lines_t lines;
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &layout), RTS_OK);
    rts_cuda_lines_make(&layout, &box, natural, 8, &lines);
    CHECK(lines.levels == 0 && lines.line_bytes == 8 * 16 * 32 * 8 && lines.start_bytes == 0);
    rts_cuda_lines_make(&layout, &box, turned, 8, &lines);
    CHECK(lines.levels == 2 && lines.line_bytes == 8 && lines.count[0] == 8 * 16 && lines.count[1] == 32);
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 40, &layout), RTS_OK);
    rts_cuda_lines_make(&layout, &box, natural, 8, &lines);
    CHECK(lines.levels == 1 && lines.line_bytes == 32 * 8 && lines.count[0] == 8 * 16 &&
          lines.stride_bytes[0] == 40 * 8);
}

int main(void) {
    check_random_start();
    test_merging();
    test_threads();
    for (int trial = 0; trial < 2000; trial++)
        test_random(3000);
    for (int trial = 0; trial < 20; trial++)
        test_random(1000000); /* enough for several threads */
    return check_finish();
}
