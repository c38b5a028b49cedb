/* Loops that are extended into the shadow edges of what they write: iterations and computed parts of every process of random grids, against
 * the elements that a process holds; and what is refused. One process plays all. */
#include <config.h>

#include "rts/shadow_compute.h"

#include <dvmhlib_const.h>

#include "rts/memory.h"
#include "tests/check.h"
#include "tests/cluster/place_example.h"

static place_example_t place;
static rts_template_t *template;
static rts_array_t *array;
static rts_loop_t *loop;

static void open_array(int process) {
    rts_index_t low[RTS_MAX_RANK] = {0}, high[RTS_MAX_RANK] = {0};
    rts_element_t element;
    const uint64_t shared = check_random_state; /* the same for all processes of one place */
    for (int axis = 0; axis < place.space.rank; axis++) {
        low[axis] = check_random_range(0, 3);
        high[axis] = check_random_range(0, 3);
    }
    check_random_state = shared;
    for (int axis = place.grid.rank - 1; axis >= 0; axis--) {
        place.grid.coordinate[axis] = process % place.grid.size[axis];
        process /= (int)place.grid.size[axis];
    }
    CHECK_EQ_INT(rts_element_decode(-rt_INT, &element), RTS_OK);
    CHECK_EQ_INT(rts_template_create(&place.distribution.space, &template), RTS_OK);
    CHECK_EQ_INT(rts_template_distribute(template, place.distribution.rule, &place.grid), RTS_OK);
    CHECK_EQ_INT(rts_array_create(&place.space, element, low, high, true, &array), RTS_OK);
    CHECK_EQ_INT(rts_array_align(array, template, NULL, &place.alignment, &place.grid), RTS_OK);
}

static void close_array(void) {
    rts_array_destroy(array);
    rts_template_release(template);
}

/* A loop over all of a space, mapped on its own axes. */
static void open_loop(const rts_box_t *space, bool on_array) {
    rts_index_t end[RTS_MAX_RANK], step[RTS_MAX_RANK];
    const rts_alignment_t identity = rts_alignment_identity(space->rank);
    for (int axis = 0; axis < space->rank; axis++) {
        end[axis] = space->hi[axis] - 1;
        step[axis] = 1;
    }
    CHECK_EQ_INT(rts_loop_open(space->rank, space->lo, end, step, &loop), RTS_OK);
    CHECK_EQ_INT(rts_loop_set_map(loop, on_array ? NULL : template, on_array ? array : NULL, &identity),
                 RTS_OK);
}

static rts_box_t iterations(const rts_box_t *space) {
    rts_box_t box = loop->local;
    for (int axis = 0; axis < space->rank; axis++) {
        box.lo[axis] += space->lo[axis];
        box.hi[axis] += space->lo[axis];
    }
    return box;
}

/* The loop runs over exactly what is held of the array that it is mapped on, and all of that is right afterwards. */
static void test_held(bool by_template) {
    open_loop(&place.space, true);
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, by_template ? template : NULL, by_template ? NULL : array,
                                             NULL, NULL),
                 RTS_OK);
    CHECK_EQ_INT(rts_loop_add_shadow_array(loop, array), RTS_OK);
    CHECK_EQ_INT(rts_loop_prepare(loop, false), RTS_OK);
    if (loop->is_empty) {
        CHECK(rts_box_is_empty(&array->local));
    } else {
        const rts_box_t run = iterations(&place.space), computed = rts_loop_computed_part(loop, array);
        CHECK(rts_box_equal(&run, &array->held));
        CHECK(rts_box_equal(&computed, &array->held));
    }
    rts_loop_close(loop);
}

/* Widths as they are told, in indices of the array: not more than the edges. */
static void test_widths(void) {
    rts_index_t low[RTS_MAX_RANK] = {0}, high[RTS_MAX_RANK] = {0}, index[RTS_MAX_RANK];
    bool fits = true;
    open_loop(&place.space, true);
    for (int axis = 0; axis < place.space.rank; axis++) {
        bool is_cut = false;
        for (int i = 0; i < place.alignment.rank; i++)
            is_cut = is_cut || place.alignment.rule[i].axis == axis;
        low[axis] = check_random_range(0, array->shadow_lo[axis] + check_random_once_in(5));
        high[axis] = check_random_range(0, array->shadow_hi[axis] + check_random_once_in(5));
        fits = fits &&
               (!is_cut || (low[axis] <= array->shadow_lo[axis] && high[axis] <= array->shadow_hi[axis]));
    }
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, NULL, array, low, high), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_shadow_array(loop, array), RTS_OK);
    CHECK_EQ_INT(rts_loop_prepare(loop, false), fits ? RTS_OK : RTS_ERR_INVALID);
    if (!fits)
        CHECK_CONTAINS(rts_error_text(), "shadow edges");
    if (fits && !loop->is_empty) {
        const rts_box_t run = iterations(&place.space);
        memcpy(index, place.space.lo, sizeof index);
        do {
            bool expected = true;
            for (int axis = 0; axis < place.space.rank; axis++)
                expected = expected && index[axis] >= array->local.lo[axis] - low[axis] &&
                           index[axis] < array->local.hi[axis] + high[axis];
            CHECK_EQ_INT(rts_box_has_point(&run, index), expected);
        } while (place_next(&place.space, index));
    }
    rts_loop_close(loop);
}

/* On the template itself: an axis that no array lies along is not extended, others as far as an array reaches. */
static void test_template(void) {
    const rts_box_t *space = &template->distribution.space;
    open_loop(space, false);
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, template, NULL, NULL, NULL), RTS_OK);
    if (check_random_once_in(4)) { /* no array at all */
        CHECK_EQ_INT(rts_loop_prepare(loop, false), RTS_OK);
        const rts_box_t run = iterations(space);
        CHECK(loop->is_empty ? rts_box_is_empty(&template->local) : rts_box_equal(&run, &template->local));
        rts_loop_close(loop);
        return;
    }
    CHECK_EQ_INT(rts_loop_add_shadow_array(loop, array), RTS_OK);
    CHECK_EQ_INT(rts_loop_prepare(loop, false), RTS_OK);
    const rts_box_t run = iterations(space);
    for (int axis = 0; axis < space->rank && !loop->is_empty; axis++) {
        const rts_align_rule_t *rule = &place.alignment.rule[axis];
        rts_index_t w[2] = {0, 0};
        if (rule->axis >= 0 && !rts_box_is_empty(&array->local)) {
            w[rule->mult < 0] = array->shadow_lo[rule->axis] * (rule->mult < 0 ? -rule->mult : rule->mult);
            w[rule->mult > 0] = array->shadow_hi[rule->axis] * (rule->mult < 0 ? -rule->mult : rule->mult);
        }
        CHECK_EQ_INT(run.lo[axis], rts_max(template->local.lo[axis] - w[0], space->lo[axis]));
        CHECK_EQ_INT(run.hi[axis], rts_min(template->local.hi[axis] + w[1], space->hi[axis]));
    }
    rts_loop_close(loop);
}

static void test_place(void) {
    rts_grid_t grid = {.rank = (int)check_random_range(0, 3)};
    for (int axis = 0; axis < grid.rank; axis++)
        grid.size[axis] = check_random_range(1, 4);
    place_random(&place, &grid, check_random_once_in(3) ? 4 : 12);
    for (int process = 0; process < place_processes(&grid); process++) {
        open_array(process);
        test_held(check_random_once_in(2));
        test_widths();
        test_template();
        close_array();
    }
}

/* ---- what is refused ---- */

static void refuse(const char *what) {
    CHECK_EQ_INT(rts_loop_prepare(loop, false), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), what);
    rts_loop_close(loop);
}

static void test_refused(void) {
    const rts_grid_t grid = {.rank = 1, .size = {3}};
    const rts_index_t one[RTS_MAX_RANK] = {1}, negative[RTS_MAX_RANK] = {0, -1}, end[] = {5};
    rts_template_t *other_template, *bare;
    place = (place_example_t){.grid = grid,
                              .space = {.rank = 1, .hi = {6}},
                              .alignment = rts_alignment_identity(1),
                              .distribution = {.space = {.rank = 1, .hi = {6}},
                                               .rule = {{.kind = RTS_AXIS_BLOCK}}}};
    open_array(1);
    CHECK_EQ_INT(rts_template_create(&place.space, &other_template), RTS_OK);
    CHECK_EQ_INT(rts_template_distribute(other_template, place.distribution.rule, &grid), RTS_OK);
    CHECK_EQ_INT(rts_template_create(&place.space, &bare), RTS_OK);
    CHECK_EQ_INT(rts_loop_open(1, negative, end, one, &loop), RTS_OK);
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, bare, NULL, NULL, NULL), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "not distributed");
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, template, NULL, one, negative + 1), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "1:-1 of axis 1");
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, template, NULL, NULL, NULL), RTS_OK);
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, template, NULL, NULL, NULL), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "allowed: one");
    refuse("mapped on nothing");
    open_loop(&place.space, false);
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, other_template, NULL, NULL, NULL), RTS_OK);
    refuse("not aligned with the loop's target");
    open_loop(&place.space, true);
    CHECK_EQ_INT(rts_loop_set_shadow_compute(loop, NULL, array, NULL, NULL), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_across(loop, false, array, one, one), RTS_OK);
    refuse("a loop with across");
    rts_template_release(other_template);
    rts_template_release(bare);
    close_array();
}

int main(void) {
    check_random_start();
    for (int i = 0; i < 500; i++)
        test_place();
    test_refused();
    rts_handle_reset();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
