/* Copies between sections of arrays, against the same element by element: steps of both signs, extents of 1 in any place, sections of one
 * array that overlap; fills; what is refused. And buffers of remote access when there is no memory. */
#include <config.h>

#include "rts/section.h"

#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/memory.h"
#include "rts/remote.h"

#include "tests/check.h"

enum { LARGEST = 4096 };

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

static const rts_grid_t one_process = {.rank = 0};
static const rts_index_t no_edge[RTS_MAX_RANK];

static rts_array_t *make_array(const rts_box_t *space, size_t element_bytes) {
    rts_axis_rule_t rule[RTS_MAX_RANK];
    rts_array_t *array = NULL;
    const rts_index_t edges[RTS_MAX_RANK] = {1, 2, 0, 1};
    for (int axis = 0; axis < space->rank; axis++)
        rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = axis};
    CHECK_EQ_INT(rts_array_create(space, (rts_element_t){.code = -1, .bytes = element_bytes}, edges, no_edge,
                                  true, &array),
                 RTS_OK);
    CHECK_EQ_INT(rts_array_distribute(array, rule, &one_process), RTS_OK);
    for (size_t i = 0; i < (size_t)rts_box_size(space) * element_bytes; i++)
        ((unsigned char *)array->home.buffer)[i] = (unsigned char)check_random_u64();
    return array;
}

/* A section with these counts that are not 1, and the space around it. */
static void random_section(const rts_index_t counts[], int count_count, rts_section_t *section,
                           rts_box_t *space) {
    int next = 0;
    *section = (rts_section_t){.rank = 0};
    *space = (rts_box_t){.rank = 0};
    while (next < count_count || section->rank == 0 || (section->rank < 4 && check_random_once_in(4))) {
        const int axis = section->rank++;
        const bool is_one = next == count_count || (check_random_once_in(4) && section->rank < 5);
        const rts_index_t count = is_one ? 1 : counts[next++],
                          step = pick(1, 3) * (check_random_once_in(2) ? 1 : -1),
                          length = (count - 1) * (step < 0 ? -step : step) + 1;
        space->lo[axis] = pick(-5, 5);
        const rts_index_t first = space->lo[axis] + (check_random_once_in(2) ? 0 : pick(0, 2));
        space->hi[axis] = first + length + (check_random_once_in(2) ? 0 : pick(0, 2));
        section->count[axis] = count;
        section->step[axis] = step;
        section->start[axis] = step > 0 ? first : first + length - 1;
    }
    space->rank = section->rank;
}

/* Index of the n-th element of a section. */
static void nth_index(const rts_section_t *section, rts_index_t n, rts_index_t index[]) {
    for (int axis = section->rank - 1; axis >= 0; axis--) {
        index[axis] = section->start[axis] + n % section->count[axis] * section->step[axis];
        n /= section->count[axis];
    }
}

static rts_index_t section_size(const rts_section_t *section) {
    rts_index_t size = 1;
    for (int axis = 0; axis < section->rank; axis++)
        size *= section->count[axis];
    return size;
}

/* Place of an element in home, by its own sum. */
static size_t place_of(const rts_array_t *array, const rts_index_t index[]) {
    rts_index_t place = 0;
    for (int axis = 0; axis < array->space.rank; axis++)
        place = place * (array->space.hi[axis] - array->space.lo[axis]) + index[axis] - array->space.lo[axis];
    return (size_t)place * array->element.bytes;
}

static void check_copy(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                       const rts_section_t *to) {
    static unsigned char values[LARGEST * 16], expected[LARGEST * 16];
    const size_t element = source->element.bytes, bytes = (size_t)rts_box_size(&target->space) * element;
    const rts_index_t size = section_size(from);
    rts_index_t index[RTS_MAX_RANK];
    if (!CHECK(bytes <= sizeof expected && (size_t)size * element <= sizeof values))
        return;
    memcpy(expected, target->home.buffer, bytes);
    for (rts_index_t n = 0; n < size; n++) {
        nth_index(from, n, index);
        memcpy(values + (size_t)n * element, (char *)source->home.buffer + place_of(source, index), element);
    }
    for (rts_index_t n = 0; n < size; n++) {
        nth_index(to, n, index);
        memcpy(expected + place_of(target, index), values + (size_t)n * element, element);
    }
    CHECK_EQ_INT(rts_section_copy(source, from, target, to), RTS_OK);
    CHECK(memcmp(expected, target->home.buffer, bytes) == 0);
}

static void test_copies(void) {
    for (int round = 0; round < 3000; round++) {
        rts_index_t counts[3];
        const int count_count = (int)pick(0, 3);
        const size_t element = (size_t)pick(1, 12);
        rts_section_t from, to;
        rts_box_t source_space, target_space;
        for (int i = 0; i < count_count; i++)
            counts[i] = pick(2, 4);
        random_section(counts, count_count, &from, &source_space);
        random_section(counts, count_count, &to, &target_space);
        if (rts_box_size(&source_space) > LARGEST || rts_box_size(&target_space) > LARGEST)
            continue;
        rts_array_t *const source = make_array(&source_space, element), *const target =
                                                                            make_array(&target_space,
                                                                                       element);
        check_copy(source, &from, target, &to);
        if (rts_box_equal(&source_space, &target_space))
            CHECK(source != target);
        rts_array_destroy(source);
        rts_array_destroy(target);
    }
}

/* Two sections of one array. */
static void test_overlaps(void) {
    for (int round = 0; round < 1000; round++) {
        rts_box_t space = {.rank = (int)pick(1, 3)};
        rts_section_t from = {.rank = space.rank}, to = from;
        for (int axis = 0; axis < space.rank; axis++) {
            const rts_index_t count = pick(1, 4), step = pick(1, 2);
            space.lo[axis] = pick(-3, 3);
            space.hi[axis] = space.lo[axis] + (count - 1) * step + pick(1, 3);
            from.count[axis] = to.count[axis] = count;
            from.step[axis] = to.step[axis] = step;
            from.start[axis] = pick(space.lo[axis], space.hi[axis] - 1 - (count - 1) * step);
            to.start[axis] = pick(space.lo[axis], space.hi[axis] - 1 - (count - 1) * step);
            if (check_random_once_in(3)) { /* the other way round */
                to.start[axis] += (count - 1) * step;
                to.step[axis] = -step;
            }
        }
        rts_array_t *const array = make_array(&space, (size_t)pick(1, 9));
        check_copy(array, &from, array, &to);
        rts_array_destroy(array);
    }
}

static void test_whole_and_fill(void) {
    const rts_box_t space = {.rank = 2, .lo = {2, -1}, .hi = {5, 4}}, other = {.rank = 3, .hi = {3, 1, 5}};
    rts_array_t *const a = make_array(&space, 3), *const b = make_array(&other, 3);
    const rts_section_t from = rts_section_whole(a), to = rts_section_whole(b);
    const rts_box_t box = rts_section_box(&from);
    CHECK(rts_box_equal(&box, &space));
    check_copy(a, &from, b, &to);
    CHECK(memcmp(a->home.buffer, b->home.buffer, 45) == 0);
    CHECK_EQ_INT(rts_section_fill(a, "xyz"), RTS_OK);
    for (int i = 0; i < 15; i++)
        CHECK(memcmp((char *)a->home.buffer + 3 * i, "xyz", 3) == 0);
    char last[3];
    memcpy(last, (char *)b->home.buffer + 42, 3);
    CHECK_EQ_INT(rts_section_fill(b, (char *)b->home.buffer + 42), RTS_OK); /* an element of its own */
    for (int i = 0; i < 15; i++)
        CHECK(memcmp((char *)b->home.buffer + 3 * i, last, 3) == 0);
    rts_array_destroy(a);
    rts_array_destroy(b);
}

static void refuse(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                   const rts_section_t *to, rts_status_t status, const char *text) {
    CHECK_EQ_INT(rts_section_copy(source, from, target, to), status);
    CHECK_CONTAINS(rts_error_text(), text);
}

static void test_refused(void) {
    const rts_box_t space = {.rank = 2, .hi = {4, 5}};
    rts_array_t *const a = make_array(&space, 8), *const b = make_array(&space, 4), *bare = NULL;
    const rts_section_t all = rts_section_whole(a);
    rts_section_t one = all;
    refuse(a, &all, b, &all, RTS_ERR_INVALID, "elements of 8 bytes are to be copied to elements of 4");
    one.count[0] = 1;
    refuse(a, &one, a, &all, RTS_ERR_INVALID, "[1][5] elements are to be copied to [4][5]");
    refuse(a, &all, a, &one, RTS_ERR_INVALID, "[4][5] elements are to be copied to [1][5]");
    one = all;
    one.start[1] = 1;
    refuse(a, &one, a, &all, RTS_ERR_INVALID, "axis 2 of the source: indices 1..5; allowed: 0..4");
    one.start[1] = 3;
    one.step[1] = -1;
    refuse(a, &all, a, &one, RTS_ERR_INVALID, "axis 2 of the target: indices -1..3; allowed: 0..4");
    CHECK_EQ_INT(rts_array_create(&space, a->element, no_edge, no_edge, true, &bare), RTS_OK);
    refuse(bare, &all, a, &all, RTS_ERR_INVALID, "the source has no storage");
    refuse(a, &all, bare, &all, RTS_ERR_INVALID, "the target has no storage");
    CHECK_EQ_INT(rts_section_fill(bare, "12345678"), RTS_ERR_INVALID);
    rts_section_t shifted = all;
    shifted.count[0] = 3;
    one = shifted;
    shifted.start[0] = 1;
    unsigned char before[160];
    memcpy(before, a->home.buffer, sizeof before);
    rts_memory_fail_at(1);
    refuse(a, &one, a, &shifted, RTS_ERR_NO_MEMORY, "the values of a section");
    rts_memory_fail_at(0);
    CHECK(memcmp(before, a->home.buffer, sizeof before) == 0);
    rts_array_destroy(a);
    rts_array_destroy(b);
    rts_array_destroy(bare);
}

/* Buffers of remote access: without memory nothing is left, and the source is as it was. */
static void test_remote_without_memory(void) {
    const rts_box_t space = {.rank = 2, .lo = {1, 2}, .hi = {4, 6}};
    rts_array_t *const source = make_array(&space, 8);
    const rts_align_rule_t rule[] = {{.axis = RTS_ALIGN_CONSTANT, .add = 3}, {.axis = RTS_ALIGN_ANY}};
    rts_array_t *buffer = NULL;
    rts_status_t status;
    int failures = 0;
    do {
        rts_handle_reset();
        const int64_t live = rts_memory_live();
        rts_memory_fail_at(failures + 1);
        status = rts_remote_create(source, rule, &buffer);
        rts_memory_fail_at(0);
        if (status == RTS_OK)
            break;
        CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        rts_handle_reset();
        CHECK_EQ_INT(rts_memory_live(), live);
        CHECK(buffer == NULL && rts_array_first() == source && source->next == NULL);
    } while (++failures < 100);
    CHECK(failures > 3 && failures < 100);
    const rts_box_t expected = {.rank = 1, .lo = {2}, .hi = {6}};
    CHECK(rts_box_equal(&buffer->space, &expected) && rts_box_equal(&buffer->local, &expected));
    for (rts_index_t j = 2; j < 6; j++) {
        const rts_index_t from[] = {3, j};
        CHECK(memcmp(rts_array_element(buffer, &j), rts_array_element(source, from), 8) == 0);
    }
    rts_array_destroy(buffer);
    rts_array_destroy(source);
}

int main(void) {
    const rts_backend_options_t options = {.thread_count = 1, .local_count = 1};
    check_random_start();
    CHECK_EQ_INT(rts_backends_open(&options), RTS_OK);
    test_copies();
    test_overlaps();
    test_whole_and_fill();
    test_refused();
    test_remote_without_memory();
    rts_coherence_reset();
    rts_backends_close();
    rts_handle_reset();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
