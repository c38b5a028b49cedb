/* Arrays, templates and headers. Every element is found through the words of a header as generated code does
 * it, and must be the one that counting through the held part in C order gives. Every allocation is made to
 * fail in turn. */
#include <config.h>

#include "rts/array.h"

#include "rts/memory.h"
#include "tests/check.h"
#include "tests/next_index.h"

#include <dvmhlib_const.h>

enum { HEADER_WORDS = 64 };
#define GUARD ((DvmType)0x5a5a5a5a5a5a)

static const rts_element_t real = {.code = rt_DOUBLE, .bytes = sizeof(double)};
static const rts_grid_t one_process = {.rank = 1, .size = {1}};

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

static void guard_header(DvmType header[HEADER_WORDS]) {
    for (int i = 0; i < HEADER_WORDS; i++)
        header[i] = GUARD;
}

static void check_guards(const DvmType header[HEADER_WORDS], int rank) {
    for (int i = rank + 3; i < HEADER_WORDS; i++)
        CHECK_EQ_INT(header[i], GUARD);
}

/* Address of an element as generated code forms it. */
static const char *through_header(const DvmType header[], int rank, size_t element_bytes,
                                  const rts_index_t index[]) {
    DvmType offset = header[rank + 1];
    for (int axis = 0; axis < rank; axis++)
        offset += header[axis + 1] * index[axis];
    return (const char *)((uintptr_t)header[rank + 2] + element_bytes * (uintptr_t)offset);
}

/* A header that shows an array that holds something. `base` is what word rank+2 should be. */
static void check_header(const rts_array_t *array, const DvmType header[HEADER_WORDS], const void *base) {
    const int rank = array->space.rank;
    const size_t bytes = array->element.bytes;
    CHECK_EQ_INT(header[0], array->handle);
    CHECK_EQ_INT(header[rank + 2], (intptr_t)base);
    check_guards(header, rank);
    if (rank > 0)
        CHECK_EQ_INT(header[rank], 1);
    for (int axis = 0; axis + 1 < rank; axis++) /* extents that handlers compute */
        CHECK_EQ_INT(header[axis + 1],
                     header[axis + 2] * (array->held.hi[axis + 1] - array->held.lo[axis + 1]));
    const char *expected = array->home.buffer;
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, array->held.lo, sizeof index);
    do {
        CHECK(through_header(header, rank, bytes, index) == expected);
        CHECK(rts_array_element(array, index) == expected);
        expected += bytes;
    } while (next_index(&array->held, index));
    if (rank > 0) {
        index[0] = array->held.lo[0] - 1;
        CHECK(rts_array_element(array, index) == NULL);
        index[0] = array->held.hi[0];
        CHECK(rts_array_element(array, index) == NULL);
    }
    memset(array->home.buffer, 1,
           (size_t)rts_box_size(&array->held) * bytes); /* a sanitizer sees a short buffer */
}

/* A header of an array that holds nothing: positive strides and no offset. */
static void check_empty_header(const rts_array_t *array, const DvmType header[HEADER_WORDS]) {
    const int rank = array->space.rank;
    CHECK_EQ_INT(header[0], array->handle);
    for (int axis = 0; axis < rank; axis++)
        CHECK_EQ_INT(header[axis + 1], 1);
    CHECK_EQ_INT(header[rank + 1], 0);
    CHECK_EQ_INT(header[rank + 2] != 0, array->is_distributed); /* then it has storage elsewhere */
    check_guards(header, rank);
}

static void check_part(const rts_array_t *array) {
    CHECK(rts_box_contains(&array->space, &array->held));
    CHECK(rts_box_contains(&array->held, &array->local));
    const bool empty = rts_box_is_empty(&array->local);
    CHECK_EQ_INT(rts_box_is_empty(&array->held), empty);
    CHECK_EQ_INT(array->home.buffer == NULL, empty);
    for (int axis = 0; !empty && axis < array->space.rank; axis++) {
        CHECK_EQ_INT(array->held.lo[axis],
                     rts_max(array->local.lo[axis] - array->shadow_lo[axis], array->space.lo[axis]));
        CHECK_EQ_INT(array->held.hi[axis],
                     rts_min(array->local.hi[axis] + array->shadow_hi[axis], array->space.hi[axis]));
    }
    /* Undefined, but up to date at home; in as few boxes as can be. */
    CHECK(rts_boxset_contains(&array->home.current, &array->held));
    CHECK_EQ_INT(array->home.current.count, empty ? 0 : 1);
    CHECK(array->is_distributed && array->is_complete);
}

static void check_natural_base(const rts_array_t *array, const DvmType header[]) {
    const rts_index_t zero[RTS_MAX_RANK] = {0};
    void *base = rts_replica_natural_base(array, &array->home);
    CHECK(base == through_header(header, array->space.rank, array->element.bytes, zero));
    DvmType device_header[HEADER_WORDS];
    guard_header(device_header);
    rts_array_fill_header(array, &array->home, base, device_header);
    CHECK_EQ_INT(device_header[array->space.rank + 1], 0);
    check_header(array, device_header, base);
    /* Relative to a fixed base, as Fortran has it: below and above the storage. */
    const rts_index_t distance = pick(-50, 50) * (rts_index_t)array->element.bytes;
    void *fixed = (void *)((uintptr_t)array->home.buffer + (uintptr_t)distance);
    rts_array_fill_header(array, &array->home, fixed, device_header);
    check_header(array, device_header, fixed);
}

static void random_array(rts_array_t **array_p, rts_axis_rule_t rule[], rts_grid_t *grid) {
    rts_box_t space = {.rank = (int)pick(1, 4)};
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    const rts_element_t element = {.code = RTS_ELEMENT_UNTYPED, .bytes = (size_t)pick(1, 24)};
    *grid = (rts_grid_t){.rank = (int)pick(1, 2)};
    for (int axis = 0; axis < grid->rank; axis++) {
        grid->size[axis] = pick(1, 4);
        grid->coordinate[axis] = pick(0, grid->size[axis] - 1);
    }
    for (int axis = 0; axis < space.rank; axis++) {
        space.lo[axis] = pick(-9, 9);
        space.hi[axis] = space.lo[axis] + pick(1, 7);
        low[axis] = pick(0, 3);
        high[axis] = pick(0, 3);
        rule[axis].kind = check_random_once_in(3) ? RTS_AXIS_REPLICATED : RTS_AXIS_BLOCK;
        rule[axis].grid_axis = axis;
    }
    CHECK_EQ_INT(rts_array_create(&space, element, low, high, true, array_p), RTS_OK);
}

static void test_random_arrays(void) {
    int empty = 0;
    for (int round = 0; round < 2000; round++) {
        rts_axis_rule_t rule[RTS_MAX_RANK];
        rts_grid_t grid;
        rts_array_t *array;
        random_array(&array, rule, &grid);
        DvmType early[HEADER_WORDS], late[HEADER_WORDS];
        guard_header(early);
        guard_header(late);
        CHECK_EQ_INT(rts_array_attach_header(array, early), RTS_OK);
        check_empty_header(array, early);
        CHECK(rts_replica_natural_base(array, &array->home) == NULL);
        CHECK_EQ_INT(rts_array_distribute(array, rule, &grid), RTS_OK);
        CHECK_EQ_INT(rts_array_attach_header(array, late), RTS_OK);
        CHECK(memcmp(early, late, sizeof early) == 0);
        check_part(array);
        const rts_box_t whole = rts_distribution_local(&array->template->distribution, &grid);
        CHECK(rts_box_equal(&whole, &array->local));
        if (rts_box_is_empty(&array->held)) {
            check_empty_header(array, early);
            CHECK(rts_replica_natural_base(array, &array->home) == NULL);
            empty++;
        } else {
            check_header(array, early, array->home.buffer);
            check_natural_base(array, early);
        }
        rts_array_destroy(array);
        CHECK_EQ_INT(early[0], 0);
        CHECK_EQ_INT(late[0], 0);
        check_guards(early, 4);
    }
    CHECK(empty > 20);
}

static void test_headers(void) {
    const rts_box_t space = {.rank = 2, .hi = {4, 5}};
    const rts_index_t none[2] = {0};
    rts_array_t *array;
    CHECK_EQ_INT(rts_array_create(&space, real, none, none, true, &array), RTS_OK);
    const DvmType handle = (DvmType)array->handle;
    CHECK(rts_handle_object(handle, RTS_HANDLE_ARRAY) == array);
    DvmType headers[7][HEADER_WORDS];
    for (int i = 0; i < 7; i++) {
        guard_header(headers[i]);
        CHECK_EQ_INT(rts_array_attach_header(array, headers[i]), RTS_OK);
    }
    CHECK_EQ_INT(rts_array_attach_header(array, headers[3]), RTS_OK); /* again: still once */
    CHECK_EQ_INT(array->header_count, 7);
    CHECK(rts_array_detach_header(array, headers[3]));
    CHECK_EQ_INT(headers[3][0], 0);
    CHECK(!rts_array_detach_header(array, headers[3]));
    headers[5][0] = 12345; /* the program has given this one to something else */
    const DvmType before = headers[5][1];
    const rts_axis_rule_t rule[2] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                     {.kind = RTS_AXIS_REPLICATED, .grid_axis = 0}};
    CHECK_EQ_INT(rts_array_distribute(array, rule, &one_process), RTS_OK);
    for (int i = 0; i < 7; i++)
        if (i != 3 && i != 5)
            check_header(array, headers[i], array->home.buffer);
    CHECK_EQ_INT(headers[3][0], 0);
    CHECK_EQ_INT(headers[5][1], before);
    for (int i = 0; i < 3; i++)
        CHECK(rts_array_detach_header(array, headers[i]));
    CHECK_EQ_INT(array->header_count, 3);
    CHECK_EQ_INT(rts_array_attach_header(array, headers[0]), RTS_OK);
    check_header(array, headers[0], array->home.buffer);
    rts_array_destroy(array);
    CHECK(rts_handle_object(handle, RTS_HANDLE_ARRAY) == NULL);
    CHECK_EQ_INT(headers[0][0], 0);
    CHECK_EQ_INT(headers[4][0], 0);
    CHECK_EQ_INT(headers[5][0], 12345);
    CHECK_EQ_INT(headers[6][0], 0);
}

static void test_live_arrays(void) {
    const rts_box_t space = {.rank = 1, .hi = {3}};
    const rts_index_t none[1] = {0};
    rts_array_t *arrays[4];
    CHECK(rts_array_first() == NULL);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ_INT(rts_array_create(&space, real, none, none, true, &arrays[i]), RTS_OK);
        CHECK(rts_array_first() == arrays[i]);
    }
    rts_array_destroy(arrays[1]); /* from the middle, the end and the beginning */
    rts_array_destroy(arrays[0]);
    CHECK(rts_array_first() == arrays[3] && arrays[3]->next == arrays[2] && arrays[2]->next == NULL);
    CHECK(arrays[2]->previous == arrays[3] && arrays[3]->previous == NULL);
    rts_array_destroy(arrays[3]);
    CHECK(rts_array_first() == arrays[2] && arrays[2]->previous == NULL);
    rts_array_destroy(arrays[2]);
    rts_array_destroy(NULL);
    CHECK(rts_array_first() == NULL);
}

static void test_declared(void) {
    const rts_box_t space = {.rank = 3, .hi = {0, 5, 7}};
    const rts_index_t wide[3] = {1, 1, 1};
    const rts_axis_rule_t rule[3] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                     {.kind = RTS_AXIS_BLOCK, .grid_axis = 1},
                                     {.kind = RTS_AXIS_REPLICATED, .grid_axis = 0}};
    rts_array_t *array;
    CHECK_EQ_INT(rts_array_create(&space, real, wide, wide, false, &array), RTS_OK);
    CHECK(!array->is_complete && !array->is_distributed);
    DvmType header[HEADER_WORDS];
    guard_header(header);
    CHECK_EQ_INT(rts_array_attach_header(array, header), RTS_OK);
    check_empty_header(array, header);
    CHECK_EQ_INT(rts_array_distribute(array, rule, &one_process), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "only declared");
    const rts_index_t bad[] = {0, -280, 281, 279, 140};
    for (int i = 0; i < 5; i++) {
        char text[32];
        snprintf(text, sizeof text, "%lld bytes", (long long)bad[i]);
        CHECK_EQ_INT(rts_array_set_bytes(array, bad[i]), RTS_ERR_INVALID);
        CHECK_CONTAINS(rts_error_text(), text);
        CHECK_CONTAINS(rts_error_text(), "rows of 280 bytes");
        CHECK(!array->is_complete);
    }
    CHECK_EQ_INT(rts_array_set_bytes(array, INT64_MAX / 280 * 280), RTS_ERR_INVALID);
    for (rts_index_t rows = 1; rows <= 3; rows++) {
        CHECK_EQ_INT(rts_array_set_bytes(array, rows * 280), RTS_OK);
        CHECK_EQ_INT(array->space.hi[0], rows);
        CHECK_EQ_INT(rts_array_set_bytes(array, rows * 280), RTS_ERR_INVALID);
        CHECK_EQ_INT(rts_array_distribute(array, rule, &one_process), RTS_OK);
        check_part(array);
        check_header(array, header, array->home.buffer);
        CHECK_EQ_INT(rts_array_distribute(array, rule, &one_process), RTS_ERR_INVALID);
        CHECK_CONTAINS(rts_error_text(), "distributed already");
        rts_array_clear(array);
        CHECK(!array->is_complete && !array->is_distributed && array->template == NULL);
        CHECK_EQ_INT(array->space.hi[0], 0);
        check_empty_header(array, header);
        CHECK(rts_array_element(array, space.lo) == NULL);
    }
    rts_array_destroy(array);
    CHECK_EQ_INT(header[0], 0);
}

static void test_align_chain(void) {
    /* Template 20 x 30 on 2 x 3 processes, of which this is (1, 2): [10, 20) x [20, 30). */
    const rts_box_t template_space = {.rank = 2, .hi = {20, 30}};
    const rts_axis_rule_t rule[2] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                     {.kind = RTS_AXIS_BLOCK, .grid_axis = 1}};
    const rts_grid_t grid = {.rank = 2, .size = {2, 3}, .coordinate = {1, 2}};
    rts_template_t *template;
    CHECK_EQ_INT(rts_template_create(&template_space, &template), RTS_OK);
    CHECK(rts_handle_object(template->handle, RTS_HANDLE_TEMPLATE) == template);
    const rts_index_t none[2] = {0}, edges[2] = {1, 2};
    const rts_box_t first_space = {.rank = 2, .hi = {28, 9}};
    rts_array_t *first, *second;
    CHECK_EQ_INT(rts_array_create(&first_space, real, none, none, true, &first), RTS_OK);
    /* Axes exchanged: template axis 1 is 19 - 2j, axis 2 is i + 1. */
    const rts_alignment_t with_template = {.rank = 2, .rule = {{1, -2, 19}, {0, 1, 1}}};
    CHECK_EQ_INT(rts_array_align(first, template, NULL, &with_template, &grid), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "not distributed yet");
    CHECK_EQ_INT(rts_template_distribute(template, rule, &grid), RTS_OK);
    CHECK_EQ_INT(rts_template_distribute(template, rule, &grid), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_array_align(first, template, NULL, &with_template, &grid), RTS_OK);
    const rts_box_t first_local = {.rank = 2, .lo = {19, 0}, .hi = {28, 5}};
    CHECK(rts_box_equal(&first->local, &first_local));
    check_part(first);
    /* second(k) on first(2k, 4): template column 2k + 1, row 11. */
    const rts_box_t second_space = {.rank = 1, .hi = {14}};
    const rts_alignment_t with_first = {.rank = 2, .rule = {{0, 2, 0}, {RTS_ALIGN_CONSTANT, 0, 4}}};
    CHECK_EQ_INT(rts_array_create(&second_space, real, edges, edges, true, &second), RTS_OK);
    CHECK_EQ_INT(rts_array_align(second, NULL, first, &with_first, &grid), RTS_OK);
    const rts_box_t second_local = {.rank = 1, .lo = {10}, .hi = {14}};
    CHECK(rts_box_equal(&second->local, &second_local));
    CHECK_EQ_INT(second->held.lo[0], 9);
    check_part(second);
    CHECK(second->template == template);
    CHECK_EQ_INT(template->references, 3);
    /* The program deletes in any order. */
    const rts_handle_t handle = template->handle;
    rts_array_destroy(first);
    rts_template_release(template);
    CHECK(rts_handle_object(handle, RTS_HANDLE_TEMPLATE) == template);
    CHECK(rts_box_equal(&second->template->local, &template->local));
    rts_array_destroy(second);
    CHECK(rts_handle_object(handle, RTS_HANDLE_TEMPLATE) == NULL);
    rts_template_release(NULL);
}

static void test_variables(void) {
    double memory[3][4] = {{0}};
    const rts_index_t extent[2] = {3, 4};
    const rts_axis_rule_t rule[2] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                     {.kind = RTS_AXIS_BLOCK, .grid_axis = 1}};
    const rts_alignment_t identity = rts_alignment_identity(2);
    rts_array_t *array, *scalar;
    DvmType header[HEADER_WORDS];
    guard_header(header);
    CHECK_EQ_INT(rts_array_create_variable(2, extent, real, memory, &array), RTS_OK);
    CHECK_EQ_INT(rts_array_attach_header(array, header), RTS_OK);
    check_part(array);
    check_header(array, header, memory);
    CHECK(array->is_variable);
    CHECK_EQ_INT(rts_array_distribute(array, rule, &one_process), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_array_align(array, NULL, array, &identity, &one_process), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "ordinary variable");
    rts_array_destroy(array);
    memory[2][3] = 1; /* still the program's */
    guard_header(header);
    CHECK_EQ_INT(rts_array_create_variable(0, NULL, real, &memory[1][1], &scalar), RTS_OK);
    CHECK_EQ_INT(rts_array_attach_header(scalar, header), RTS_OK);
    check_part(scalar);
    check_header(scalar, header, &memory[1][1]);
    CHECK_EQ_INT(header[1], 0);
    rts_array_destroy(scalar);
    CHECK_EQ_INT(rts_array_create_variable(9, extent, real, memory, &array), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_array_create_variable(1, (const rts_index_t[]){0}, real, memory, &array),
                 RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_array_create_variable(2, extent, real, NULL, &array), RTS_ERR_INVALID);
}

static void refuse_array(rts_box_t space, size_t element_bytes, const rts_index_t shadow[],
                         const char *text) {
    const rts_element_t element = {.code = RTS_ELEMENT_UNTYPED, .bytes = element_bytes};
    const rts_index_t none[RTS_MAX_RANK] = {0};
    rts_array_t *array = NULL;
    CHECK_EQ_INT(rts_array_create(&space, element, none, shadow != NULL ? shadow : none, true, &array),
                 RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), text);
    CHECK(array == NULL && rts_array_first() == NULL);
}

static void test_refused(void) {
    rts_template_t *template = NULL;
    const rts_index_t far = (rts_index_t)1 << 40;
    CHECK_EQ_INT(rts_template_create(&(rts_box_t){.rank = 0}, &template), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_template_create(&(rts_box_t){.rank = 9}, &template), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_template_create(&(rts_box_t){.rank = 2, .hi = {3, 0}}, &template), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "axis 2");
    CHECK_EQ_INT(rts_template_create(&(rts_box_t){.rank = 1, .lo = {INT64_MIN}, .hi = {INT64_MAX}},
                                     &template),
                 RTS_ERR_INVALID);
    CHECK(template == NULL);
    refuse_array((rts_box_t){.rank = 0}, 8, NULL, "rank 0, allowed are 1..8");
    refuse_array((rts_box_t){.rank = 9}, 8, NULL, "rank 9");
    refuse_array((rts_box_t){.rank = 2, .hi = {3, -4}}, 8, NULL, "axis 2");
    refuse_array((rts_box_t){.rank = 2, .hi = {3, 4}}, 8, (const rts_index_t[]){0, -1},
                 "axis 2 are 0 and -1");
    refuse_array((rts_box_t){.rank = 2, .hi = {far, far}}, 8, NULL, "too large");
    refuse_array((rts_box_t){.rank = 2, .hi = {far, far >> 18}}, 8, NULL, "too large");
    refuse_array((rts_box_t){.rank = 1, .hi = {4}}, (size_t)INT64_MAX / 3, NULL, "too large");
    /* Few elements, but the sum that addresses them would overflow. */
    refuse_array((rts_box_t){.rank = 2, .lo = {far, 0}, .hi = {far + 2, far}}, 1, NULL, "too large");
    refuse_array((rts_box_t){.rank = 1, .lo = {-(far << 21)}, .hi = {2 - (far << 21)}}, 8, NULL, "too large");
    refuse_array((rts_box_t){.rank = 1, .lo = {INT64_MIN}, .hi = {INT64_MIN + 2}}, 8, NULL, "up to");
}

/* Everything once, stopping at the first failure; whatever was made is taken down again. */
static rts_status_t whole_life(DvmType header[2][HEADER_WORDS]) {
    const rts_box_t space = {.rank = 2, .hi = {6, 4}}, declared_space = {.rank = 2, .hi = {0, 4}};
    const rts_index_t edges[2] = {1, 1};
    const rts_axis_rule_t rule[2] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                     {.kind = RTS_AXIS_REPLICATED, .grid_axis = 0}};
    const rts_grid_t grid = {.rank = 1, .size = {2}, .coordinate = {1}};
    const rts_alignment_t identity = rts_alignment_identity(2);
    double memory[4];
    rts_template_t *template = NULL;
    rts_array_t *a = NULL, *b = NULL, *c = NULL, *v = NULL;
    rts_status_t status = rts_template_create(&space, &template);
    if (status == RTS_OK)
        status = rts_template_distribute(template, rule, &grid);
    if (status == RTS_OK)
        status = rts_array_create(&space, real, edges, edges, true, &a);
    for (int i = 0; i < 2 && status == RTS_OK; i++)
        status = rts_array_attach_header(a, header[i]);
    if (status == RTS_OK) {
        status = rts_array_align(a, template, NULL, &identity, &grid);
        if (status == RTS_OK)
            check_part(a);
        else /* as it was */
            CHECK(!a->is_distributed && a->template == NULL && a->home.buffer == NULL &&
                  template->references == 1);
    }
    if (status == RTS_OK)
        status = rts_array_create(&declared_space, real, edges, edges, false, &b);
    if (status == RTS_OK)
        status = rts_array_set_bytes(b, 5 * 32);
    if (status == RTS_OK)
        status = rts_array_distribute(b, rule, &grid);
    if (status == RTS_OK)
        status = rts_array_create(&space, real, edges, edges, true, &c);
    if (status == RTS_OK)
        status = rts_array_align(c, NULL, a, &identity, &grid);
    if (status == RTS_OK)
        status = rts_array_create_variable(1, (const rts_index_t[]){4}, real, memory, &v);
    if (status == RTS_OK)
        rts_array_clear(b);
    int live = 0;
    for (const rts_array_t *array = rts_array_first(); array != NULL; array = array->next)
        live++;
    CHECK_EQ_INT(live, (a != NULL) + (b != NULL) + (c != NULL) + (v != NULL));
    rts_array_destroy(a);
    rts_template_release(template);
    rts_array_destroy(v);
    rts_array_destroy(c);
    rts_array_destroy(b);
    return status;
}

static void test_no_memory(void) {
    rts_handle_reset();
    const int64_t live = rts_memory_live();
    for (int n = 1;; n++) {
        DvmType header[2][HEADER_WORDS] = {{0}};
        rts_memory_fail_at(n);
        const rts_status_t status = whole_life(header);
        rts_memory_fail_at(0);
        CHECK_EQ_INT(header[0][0], 0);
        CHECK_EQ_INT(header[1][0], 0);
        CHECK(rts_array_first() == NULL);
        rts_handle_reset();
        CHECK_EQ_INT(rts_memory_live(), live);
        if (status == RTS_OK) {
            CHECK(n > 12);
            return;
        }
        CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        CHECK_CONTAINS(rts_error_text(), "memory");
        if (!CHECK(n < 1000))
            return;
    }
}

int main(void) {
    check_random_start();
    test_live_arrays();
    test_random_arrays();
    test_headers();
    test_declared();
    test_align_chain();
    test_variables();
    test_refused();
    test_no_memory();
    return check_finish();
}
