/* Arrays that move: templates and arrays distributed and aligned anew, over random process grids of which this is a random process. What
 * is owned before and after keeps its values, headers follow, and without memory nothing changes. */
#include <config.h>

#include "rts/array.h"

#include "rts/memory.h"

#include "tests/check.h"
#include "tests/next_index.h"

enum { ARRAYS = 4, WORDS = RTS_MAX_RANK + 3 };

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

static const rts_index_t no_edge[RTS_MAX_RANK];

/* The value of an element: its indices and its array. */
static int64_t value_of(int array, const rts_index_t index[], int rank) {
    int64_t value = array + 1;
    for (int axis = 0; axis < rank; axis++)
        value = value * 1009 + index[axis];
    return value;
}

static void set_values(const rts_array_t *array, int number) {
    rts_index_t index[RTS_MAX_RANK];
    if (rts_box_is_empty(&array->local))
        return;
    memset(array->home.buffer, 0x5a, (size_t)array->home.layout.size * 8);
    memcpy(index, array->local.lo, sizeof index);
    do
        *(int64_t *)rts_array_element(array, index) = value_of(number, index, array->space.rank);
    while (next_index(&array->local, index));
}

/* Elements of a box have their values, as the array and as its header say. */
static void check_values(const rts_array_t *array, int number, const rts_box_t *box, const DvmType header[]) {
    rts_index_t index[RTS_MAX_RANK];
    const int rank = array->space.rank;
    memcpy(index, box->lo, sizeof index);
    if (rts_box_is_empty(box))
        return;
    do {
        const int64_t *const place = rts_array_element(array, index);
        DvmType linear = header[rank + 1];
        for (int axis = 0; axis < rank; axis++)
            linear += header[axis + 1] * index[axis];
        if (!CHECK(place != NULL))
            return;
        CHECK(place == (const int64_t *)(intptr_t)header[rank + 2] + linear);
        CHECK_EQ_INT(*place, value_of(number, index, rank));
    } while (next_index(box, index));
}

static void check_place(const rts_array_t *array, const DvmType header[]) {
    const rts_box_t local = rts_alignment_local(&array->alignment, &array->space, &array->template->local);
    CHECK(rts_box_equal(&local, &array->local));
    CHECK(rts_box_contains(&array->held, &array->local));
    CHECK_EQ_INT(header[0], array->handle);
    CHECK_EQ_INT(rts_boxset_size(&array->home.current), rts_box_size(&array->held));
    CHECK((array->home.buffer == NULL) == rts_box_is_empty(&array->held));
    for (int axis = 0; axis < array->space.rank && !rts_box_is_empty(&local); axis++) {
        CHECK_EQ_INT(array->held.lo[axis],
                     rts_max(local.lo[axis] - array->shadow_lo[axis], array->space.lo[axis]));
        CHECK_EQ_INT(array->held.hi[axis],
                     rts_min(local.hi[axis] + array->shadow_hi[axis], array->space.hi[axis]));
    }
}

/* ---- random programs ---- */

static rts_index_t bounds[RTS_MAX_RANK][8];

static rts_grid_t random_grid(void) {
    rts_grid_t grid = {.rank = 2};
    for (int axis = 0; axis < grid.rank; axis++) {
        grid.size[axis] = pick(1, 3);
        grid.coordinate[axis] = pick(0, grid.size[axis] - 1);
    }
    return grid;
}

static void random_rules(const rts_box_t *space, const rts_grid_t *grid, rts_axis_rule_t rule[]) {
    const int shift = (int)pick(0, 2);
    for (int axis = 0; axis < space->rank; axis++) {
        const rts_index_t extent = space->hi[axis] - space->lo[axis];
        rule[axis] = (rts_axis_rule_t){.kind = (rts_axis_kind_t)pick(0, 3), .grid_axis = (axis + shift) % 3};
        rule[axis].quantum = extent % 2 == 0 ? 2 : 1;
        const rts_index_t parts = rts_grid_parts(grid, rule[axis].grid_axis);
        rule[axis].bounds = bounds[axis];
        bounds[axis][0] = 0;
        for (rts_index_t part = 1; part < parts; part++)
            bounds[axis][part] = pick(bounds[axis][part - 1], extent);
        bounds[axis][parts] = extent;
    }
}

/* Of an array with the space of its target, or its first axis alone. */
static rts_alignment_t random_alignment(const rts_box_t *space, const rts_box_t *target) {
    rts_alignment_t alignment = {.rank = target->rank};
    for (int axis = 0; axis < target->rank; axis++) {
        rts_align_rule_t *rule = &alignment.rule[axis];
        if (axis >= space->rank || check_random_once_in(4))
            *rule = (rts_align_rule_t){.axis = check_random_once_in(2) ? RTS_ALIGN_ANY : RTS_ALIGN_CONSTANT,
                                       .add = pick(target->lo[axis], target->hi[axis] - 1)};
        else if (check_random_once_in(2))
            *rule = (rts_align_rule_t){.axis = axis, .mult = 1};
        else
            *rule =
                (rts_align_rule_t){.axis = axis, .mult = -1, .add = space->lo[axis] + space->hi[axis] - 1};
    }
    return alignment;
}

typedef struct program {
    rts_template_t *template;
    rts_array_t *array[ARRAYS]; /* 0: distributed; 1: aligned with 0; 2 and 3: with the template */
    DvmType header[ARRAYS][WORDS];
} program_t;

static rts_status_t make_array(program_t *p, int number, rts_box_t space) {
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    for (int axis = 0; axis < space.rank; axis++) {
        low[axis] = pick(0, 2);
        high[axis] = pick(0, 2);
    }
    RTS_TRY(rts_array_create(&space, (rts_element_t){.code = -1, .bytes = 8}, low, high, true,
                             &p->array[number]));
    return rts_array_attach_header(p->array[number], p->header[number]);
}

static rts_box_t random_space(int rank) {
    rts_box_t space = {.rank = rank};
    for (int axis = 0; axis < rank; axis++) {
        space.lo[axis] = pick(-4, 4);
        space.hi[axis] = space.lo[axis] + pick(1, 9);
    }
    return space;
}

static void make_program(program_t *p) {
    const rts_grid_t grid = random_grid();
    const rts_box_t space = random_space((int)pick(1, 3)), template_space = random_space((int)pick(1, 3));
    rts_axis_rule_t rule[RTS_MAX_RANK];
    memset(p, 0, sizeof *p);
    CHECK_EQ_INT(rts_template_create(&template_space, &p->template), RTS_OK);
    random_rules(&template_space, &grid, rule);
    CHECK_EQ_INT(check_random_once_in(2) ? rts_template_distribute(p->template, rule, &grid)
                                         : rts_template_redistribute(p->template, rule, &grid),
                 RTS_OK);
    for (int i = 0; i < ARRAYS; i++)
        CHECK_EQ_INT(make_array(p, i, i < 2 ? space : template_space), RTS_OK);
    random_rules(&space, &grid, rule);
    CHECK_EQ_INT(check_random_once_in(2) ? rts_array_distribute(p->array[0], rule, &grid)
                                         : rts_array_redistribute(p->array[0], rule, &grid),
                 RTS_OK);
    for (int i = 1; i < ARRAYS; i++) {
        const rts_alignment_t alignment =
            random_alignment(&p->array[i]->space, i == 1 ? &space : &template_space);
        rts_template_t *const template = i == 1 ? NULL : p->template;
        const rts_array_t *const target = i == 1 ? p->array[0] : NULL;
        CHECK_EQ_INT(check_random_once_in(2)
                         ? rts_array_align(p->array[i], template, target, &alignment, &grid)
                         : rts_array_realign(p->array[i], template, target, &alignment, true, &grid),
                     RTS_OK);
    }
}

static void destroy_program(program_t *p) {
    for (int i = 0; i < ARRAYS; i++)
        rts_array_destroy(p->array[i]);
    rts_template_release(p->template);
    CHECK(rts_array_first() == NULL && rts_template_first() == NULL);
}

/* The state of an array before a move. */
typedef struct before {
    rts_box_t local, held;
    void *buffer;
    const rts_template_t *template;
    DvmType header[WORDS];
} before_t;

static void remember(const program_t *p, before_t before[ARRAYS]) {
    for (int i = 0; i < ARRAYS; i++) {
        const rts_array_t *array = p->array[i];
        set_values(array, i);
        before[i] = (before_t){.local = array->local,
                               .held = array->held,
                               .buffer = array->home.buffer,
                               .template = array->template};
        memcpy(before[i].header, p->header[i], sizeof p->header[i]);
    }
}

static void check_unchanged(const program_t *p, int number, const before_t *before) {
    const rts_array_t *array = p->array[number];
    CHECK(array->home.buffer == before->buffer && array->template == before->template);
    CHECK(rts_box_equal(&array->held, &before->held) && rts_box_equal(&array->local, &before->local));
    CHECK(memcmp(p->header[number], before->header, sizeof before->header) == 0);
    check_values(array, number, &array->local, p->header[number]);
}

static int moved, kept_home, kept_values;

static void check_moved(const program_t *p, int number, const before_t *before) {
    const rts_array_t *array = p->array[number];
    const rts_box_t common = rts_box_intersect(&array->local, &before->local);
    check_place(array, p->header[number]);
    check_values(array, number, &common, p->header[number]);
    if (rts_box_equal(&array->held, &before->held))
        CHECK(array->home.buffer == before->buffer);
    kept_home += array->home.buffer == before->buffer;
    moved += array->home.buffer != before->buffer;
    kept_values += !rts_box_is_empty(&common);
}

/* Bounds given by the caller may be gone after the call. */
static void spoil_bounds(void) {
    memset(bounds, 0x5a, sizeof bounds);
}

static void test_redistribute(void) {
    for (int round = 0; round < 1500; round++) {
        program_t p;
        before_t before[ARRAYS];
        rts_axis_rule_t rule[RTS_MAX_RANK];
        make_program(&p);
        spoil_bounds();
        const bool of_array = check_random_once_in(2);
        remember(&p, before);
        const rts_grid_t grid = random_grid();
        random_rules(of_array ? &p.array[0]->space : &p.template->distribution.space, &grid, rule);
        if (of_array)
            CHECK_EQ_INT(rts_array_redistribute(p.array[0], rule, &grid), RTS_OK);
        else
            CHECK_EQ_INT(rts_template_redistribute(p.template, rule, &grid), RTS_OK);
        const rts_template_t *template = of_array ? p.array[0]->template : p.template;
        rts_distribution_t wanted = {.space = template->distribution.space};
        memcpy(wanted.rule, rule, sizeof rule);
        const rts_box_t local = rts_distribution_local(&wanted, &grid);
        CHECK(rts_box_equal(&local, &template->local));
        spoil_bounds();
        const rts_box_t again = rts_distribution_local(&template->distribution, &grid);
        CHECK(rts_box_equal(&local, &again));
        for (int i = 0; i < ARRAYS; i++) {
            if ((i < 2) == of_array)
                check_moved(&p, i, &before[i]);
            else
                check_unchanged(&p, i, &before[i]);
        }
        destroy_program(&p);
    }
    CHECK(moved > 500 && kept_home > 100 && kept_values > 500);
}

static void test_realign(void) {
    for (int round = 0; round < 1500; round++) {
        program_t p;
        before_t before[ARRAYS];
        make_program(&p);
        remember(&p, before);
        const int number = (int)pick(0, ARRAYS - 1);
        rts_template_t *const template = check_random_once_in(2) ? p.template : NULL;
        const rts_array_t *const target = template == NULL ? p.array[pick(0, ARRAYS - 1)] : NULL;
        const rts_box_t *target_space = template != NULL ? &template->distribution.space : &target->space;
        const rts_box_t *space = &p.array[number]->space;
        const rts_alignment_t alignment = random_alignment(space, target_space);
        const bool is_valid = rts_alignment_check(&alignment, space, target_space) == RTS_OK;
        const rts_template_t *const root = template != NULL ? template : target->template;
        const rts_alignment_t with_root =
            template != NULL ? alignment : rts_alignment_compose(&alignment, &target->alignment);
        const rts_grid_t grid = {.rank = 0}; /* not asked */
        CHECK_EQ_INT(rts_array_realign(p.array[number], template, target, &alignment, true, &grid),
                     is_valid ? RTS_OK : RTS_ERR_INVALID);
        for (int i = 0; i < ARRAYS; i++) {
            if (i != number || !is_valid) {
                check_unchanged(&p, i, &before[i]);
                continue;
            }
            CHECK(p.array[i]->template == root && !p.array[i]->has_own_template);
            const rts_box_t local = rts_alignment_local(&with_root, space, &root->local);
            CHECK(rts_box_equal(&p.array[i]->local, &local));
            check_moved(&p, i, &before[i]);
        }
        destroy_program(&p); /* references are right: nothing is left, nothing is gone too early */
    }
}

/* At every allocation once: all is as before, and then it works. */
static void test_no_memory(void) {
    int failures = 0;
    for (int round = 0; round < 100; round++) {
        program_t p;
        before_t before[ARRAYS];
        rts_axis_rule_t rule[RTS_MAX_RANK];
        make_program(&p);
        remember(&p, before);
        const rts_grid_t grid = random_grid();
        const rts_alignment_t identity = rts_alignment_identity(p.template->distribution.space.rank);
        const bool realigns = check_random_once_in(2);
        random_rules(&p.template->distribution.space, &grid, rule);
        const rts_box_t local = p.template->local;
        for (int n = 1;; n++) {
            const int64_t live = rts_memory_live();
            rts_memory_fail_at(n);
            const rts_status_t status =
                realigns ? rts_array_realign(p.array[3], p.template, NULL, &identity, true, &grid)
                         : rts_template_redistribute(p.template, rule, &grid);
            rts_memory_fail_at(0);
            if (status == RTS_OK)
                break;
            CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
            CHECK_EQ_INT(rts_memory_live(), live);
            CHECK(rts_box_equal(&p.template->local, &local));
            for (int i = 0; i < ARRAYS; i++)
                check_unchanged(&p, i, &before[i]);
            failures++;
        }
        check_moved(&p, 3, &before[3]);
        destroy_program(&p);
    }
    CHECK(failures > 100);
}

static void test_refused(void) {
    const rts_box_t space = {.rank = 1, .hi = {6}};
    const rts_grid_t grid = {.rank = 0};
    const rts_axis_rule_t rule[] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0}},
                          bad[] = {{.kind = RTS_AXIS_MULTBLOCK, .grid_axis = 0, .quantum = 4}};
    const rts_alignment_t identity = rts_alignment_identity(1);
    const rts_element_t element = {.code = -1, .bytes = 8};
    double memory[6];
    rts_array_t *a, *b, *v;
    CHECK_EQ_INT(rts_array_create(&space, element, no_edge, no_edge, true, &a), RTS_OK);
    CHECK_EQ_INT(rts_array_create(&space, element, no_edge, no_edge, true, &b), RTS_OK);
    CHECK_EQ_INT(rts_array_create_variable(1, space.hi, element, memory, &v), RTS_OK);
    CHECK_EQ_INT(rts_array_realign(b, NULL, a, &identity, true, &grid), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "not distributed yet");
    CHECK_EQ_INT(rts_array_distribute(a, rule, &grid), RTS_OK);
    CHECK_EQ_INT(rts_array_align(b, NULL, a, &identity, &grid), RTS_OK);
    CHECK_EQ_INT(rts_array_redistribute(b, rule, &grid), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "aligned with another object");
    CHECK_EQ_INT(rts_array_redistribute(a, bad, &grid), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "multiples of 4");
    CHECK_EQ_INT(rts_array_redistribute(v, rule, &grid), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "ordinary variable");
    CHECK_EQ_INT(rts_array_realign(v, NULL, a, &identity, true, &grid), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "ordinary variable");
    CHECK_EQ_INT(rts_array_realign(a, NULL, v, &identity, true, &grid), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "ordinary variable");
    CHECK_EQ_INT(rts_array_realign(a, NULL, b, &identity, true, &grid), RTS_OK); /* on its own template */
    CHECK_EQ_INT(rts_array_redistribute(a, rule, &grid), RTS_ERR_INVALID);
    rts_array_destroy(a);
    rts_array_destroy(b);
    rts_array_destroy(v);
    CHECK(rts_template_first() == NULL);
}

int main(void) {
    check_random_start();
    test_redistribute();
    test_realign();
    test_no_memory();
    test_refused();
    rts_handle_reset();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
