/* Loop clauses and what follows from them, against brute force over iterations, for processes of made-up grids; and every
 * mistake with its message. The runtime itself is not open. */
#include <config.h>

#include "rts/loop.h"

#include "tests/check.h"

static const rts_element_t element = {.code = 4, .bytes = 8};

static rts_box_t box_of(int rank, rts_index_t low, rts_index_t high) {
    rts_box_t box = {.rank = rank};
    for (int axis = 0; axis < rank; axis++) {
        box.lo[axis] = low;
        box.hi[axis] = high;
    }
    return box;
}

static rts_template_t *make_template(const rts_box_t *space, const rts_axis_rule_t rule[],
                                     const rts_grid_t *grid) {
    rts_template_t *made = NULL;
    CHECK_EQ_INT(rts_template_create(space, &made), RTS_OK);
    CHECK_EQ_INT(rts_template_distribute(made, rule, grid), RTS_OK);
    return made;
}

static rts_array_t *make_array(const rts_box_t *space) {
    const rts_index_t none[RTS_MAX_RANK] = {0};
    rts_array_t *made = NULL;
    CHECK_EQ_INT(rts_array_create(space, element, none, none, true, &made), RTS_OK);
    return made;
}

static rts_array_t *make_distributed(const rts_box_t *space, const rts_axis_rule_t rule[],
                                     const rts_grid_t *grid) {
    rts_array_t *made = make_array(space);
    CHECK_EQ_INT(rts_array_distribute(made, rule, grid), RTS_OK);
    return made;
}

/* A loop of `rank` dims from 0 to `last`. */
static rts_loop_t *open_loop(int rank, rts_index_t last) {
    rts_index_t start[RTS_MAX_RANK] = {0}, end[RTS_MAX_RANK], step[RTS_MAX_RANK];
    rts_loop_t *loop = NULL;
    for (int dim = 0; dim < RTS_MAX_RANK; dim++) {
        end[dim] = last;
        step[dim] = 1;
    }
    CHECK_EQ_INT(rts_loop_open(rank, start, end, step, &loop), RTS_OK);
    return loop;
}

static bool next_point(rts_index_t point[], const rts_index_t count[], int rank) {
    for (int dim = rank - 1; dim >= 0; dim--) {
        if (++point[dim] < count[dim])
            return true;
        point[dim] = 0;
    }
    return false;
}

/* ---- local iterations ---- */

typedef struct mapping {
    int rank;
    rts_index_t start[RTS_MAX_RANK], end[RTS_MAX_RANK], step[RTS_MAX_RANK];
    rts_alignment_t map;
    rts_box_t space;
    rts_axis_rule_t rule[RTS_MAX_RANK];
    rts_grid_t grid;
} mapping_t;

static void make_mapping(mapping_t *m) {
    memset(m, 0, sizeof *m);
    m->rank = (int)check_random_range(0, 3);
    for (int dim = 0; dim < m->rank; dim++) {
        m->start[dim] = check_random_range(-6, 6);
        m->step[dim] = check_random_range(1, 3) * (check_random_once_in(2) ? 1 : -1);
        m->end[dim] = m->start[dim] +
                      (check_random_once_in(8) ? -m->step[dim] : m->step[dim] * check_random_range(0, 6)) +
                      (m->step[dim] > 0 ? 1 : -1) * check_random_range(0, 2);
    }
    m->map.rank = m->space.rank = (int)check_random_range(1, 3);
    m->grid.rank = (int)check_random_range(0, 3);
    for (int axis = 0; axis < m->grid.rank; axis++)
        m->grid.size[axis] = check_random_range(1, 3);
    int next_dim = 0;
    for (int axis = 0; axis < m->space.rank; axis++) {
        rts_align_rule_t *rule = &m->map.rule[axis];
        m->space.lo[axis] = check_random_range(-8, 4);
        m->space.hi[axis] = m->space.lo[axis] + check_random_range(1, 14);
        m->rule[axis].kind = check_random_once_in(4) ? RTS_AXIS_REPLICATED : RTS_AXIS_BLOCK;
        m->rule[axis].grid_axis = (axis + 1) % 3;
        rule->axis = RTS_ALIGN_ANY;
        rule->add = check_random_range(-5, 5);
        if (check_random_once_in(4))
            rule->axis = RTS_ALIGN_CONSTANT;
        else if (next_dim < m->rank) {
            rule->axis = next_dim++;
            rule->mult = check_random_range(1, 3) * (check_random_once_in(2) ? 1 : -1);
        }
    }
}

/* Whether an iteration belongs to the process that holds `part`. */
static bool is_mine(const mapping_t *m, const rts_index_t n[], const rts_box_t *part) {
    for (int axis = 0; axis < part->rank; axis++) {
        const rts_align_rule_t *rule = &m->map.rule[axis];
        rts_index_t image = rule->add;
        if (part->lo[axis] >= part->hi[axis])
            return false;
        if (rule->axis == RTS_ALIGN_ANY)
            continue;
        if (rule->axis >= 0)
            image += rule->mult * (m->start[rule->axis] + n[rule->axis] * m->step[rule->axis]);
        if (image < part->lo[axis] || image >= part->hi[axis])
            return false;
    }
    return true;
}

static bool check_local(const mapping_t *m, const rts_loop_t *loop, const rts_box_t *part) {
    rts_index_t n[RTS_MAX_RANK] = {0};
    bool some = false, good = true;
    for (int dim = 0; dim < m->rank; dim++) {
        rts_index_t count = 0;
        for (rts_index_t i = m->start[dim]; m->step[dim] > 0 ? i <= m->end[dim] : i >= m->end[dim];
             i += m->step[dim])
            count++;
        good = CHECK_EQ_INT(loop->count[dim], count) && good;
    }
    for (int dim = 0; dim < m->rank; dim++)
        if (loop->count[dim] == 0)
            return CHECK(loop->is_empty && rts_box_is_empty(&loop->local)) && good;
    do {
        const bool mine = is_mine(m, n, part);
        good = good && mine == (!loop->is_empty && rts_box_has_point(&loop->local, n));
        some = some || mine;
    } while (next_point(n, loop->count, m->rank));
    return CHECK(good) && CHECK_EQ_INT(loop->is_empty, !some);
}

static void print_mapping(const mapping_t *m) {
    for (int dim = 0; dim < m->rank; dim++)
        fprintf(stderr, "  dim %d: %lld..%lld step %lld\n", dim + 1, (long long)m->start[dim],
                (long long)m->end[dim], (long long)m->step[dim]);
    for (int axis = 0; axis < m->space.rank; axis++)
        fprintf(stderr,
                "  axis %d: [%lld..%lld), dim %d times %lld plus %lld, grid size %lld coordinate %lld\n",
                axis + 1, (long long)m->space.lo[axis], (long long)m->space.hi[axis],
                m->map.rule[axis].axis + 1, (long long)m->map.rule[axis].mult,
                (long long)m->map.rule[axis].add, (long long)m->grid.size[axis],
                (long long)m->grid.coordinate[axis]);
}

static void check_process(const mapping_t *m, bool is_array) {
    rts_template_t *template = is_array ? NULL : make_template(&m->space, m->rule, &m->grid);
    rts_array_t *array = is_array ? make_distributed(&m->space, m->rule, &m->grid) : NULL;
    const rts_box_t part = is_array ? array->local : template->local;
    rts_loop_t *loop = NULL;
    CHECK_EQ_INT(rts_loop_open(m->rank, m->start, m->end, m->step, &loop), RTS_OK);
    CHECK(rts_loop_current() == loop);
    CHECK_EQ_INT(rts_loop_set_map(loop, template, array, &m->map), RTS_OK);
    CHECK_EQ_INT(rts_loop_prepare(loop, false), RTS_OK);
    if (!check_local(m, loop, &part))
        print_mapping(m);
    CHECK(loop->mask == 0 && loop->dependences.count == 0);
    rts_loop_close(loop);
    CHECK(rts_loop_current() == NULL);
    rts_array_destroy(array);
    rts_template_release(template);
}

static void test_local(void) {
    for (int trial = 0; trial < 3000; trial++) {
        mapping_t m;
        make_mapping(&m);
        do
            check_process(&m, trial % 2 == 0);
        while (next_point(m.grid.coordinate, m.grid.size, m.grid.rank));
    }
    rts_loop_t *loop = open_loop(0, 0); /* no dims: one iteration, everywhere */
    CHECK_EQ_INT(rts_loop_prepare(loop, true), RTS_OK);
    CHECK(!loop->is_empty && loop->local.rank == 0);
    rts_loop_close(loop);
    loop = open_loop(2, 3); /* no mapping: all iterations */
    CHECK_EQ_INT(rts_loop_prepare(loop, true), RTS_OK);
    CHECK(!loop->is_empty && rts_box_size(&loop->local) == 16);
    rts_loop_close(loop);
}

/* ---- which dim walks which axis ---- */

/* Random alignment of an array of `rank` axes with a target of `target_rank`: each axis at most once. */
static rts_alignment_t random_alignment(int rank, int target_rank) {
    rts_alignment_t alignment = {.rank = target_rank};
    int first = (int)check_random_range(0, rank);
    for (int axis = 0; axis < target_rank; axis++, first++) {
        const bool tied = !check_random_once_in(4) && axis < rank;
        alignment.rule[axis] =
            (rts_align_rule_t){.axis = tied ? first % rank : (int)check_random_range(-2, -1),
                               .mult = check_random_range(1, 3) * (check_random_once_in(2) ? 1 : -1),
                               .add = check_random_range(-3, 3)};
    }
    return alignment;
}

/* Follow an axis of `of` to the target: @return target axis or -1, sign in *sign_p. */
static int follow_out(const rts_alignment_t *of, int axis, int *sign_p) {
    for (int i = 0; i < of->rank; i++)
        if (of->rule[i].axis == axis) {
            *sign_p *= of->rule[i].mult < 0 ? -1 : 1;
            return i;
        }
    return -1;
}

static int follow_in(const rts_alignment_t *of, int target_axis, int *sign_p) {
    *sign_p *= of->rule[target_axis].mult < 0 ? -1 : 1;
    return of->rule[target_axis].axis >= 0 ? of->rule[target_axis].axis : -1;
}

static void test_dims(void) {
    const rts_grid_t grid = {.rank = 0};
    const rts_axis_rule_t rule[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    const rts_box_t wide = box_of(3, -60, 60);
    int found = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const int rank_x = (int)check_random_range(1, 3), rank_y = (int)check_random_range(1, 3);
        const rts_box_t space_x = box_of(rank_x, -6, 7), space_y = box_of(rank_y, -6, 7);
        const rts_alignment_t to_x = random_alignment(rank_x, 3), to_y = random_alignment(rank_y, 3);
        rts_template_t *t = make_template(&wide, rule, &grid);
        rts_array_t *x = make_array(&space_x), *y = make_array(&space_y);
        CHECK_EQ_INT(rts_array_align(x, t, NULL, &to_x, &grid), RTS_OK);
        CHECK_EQ_INT(rts_array_align(y, t, NULL, &to_y, &grid), RTS_OK);
        const bool on_template = check_random_once_in(2);
        const rts_alignment_t map = random_alignment(3, on_template ? 3 : rank_x);
        rts_loop_t *loop = open_loop(3, 2);
        CHECK_EQ_INT(rts_loop_set_map(loop, on_template ? t : NULL, on_template ? NULL : x, &map), RTS_OK);
        for (int axis = 0; axis < rank_y; axis++) {
            int sign = 0, expected_sign = 1;
            int expected = follow_out(&to_y, axis, &expected_sign);
            if (expected >= 0 && !on_template)
                expected = follow_in(&to_x, expected, &expected_sign);
            if (expected >= 0)
                expected = follow_in(&map, expected, &expected_sign);
            CHECK_EQ_INT(rts_loop_dim_of_axis(loop, y, axis, &sign), expected);
            CHECK(expected < 0 || sign == expected_sign);
            found += expected >= 0;
        }
        for (int axis = 0; axis < rank_x && !on_template; axis++) {
            int sign = 0, expected_sign = 1;
            const int expected = follow_in(&map, axis, &expected_sign);
            CHECK_EQ_INT(rts_loop_dim_of_axis(loop, x, axis, &sign), expected);
            CHECK(expected < 0 || sign == expected_sign);
        }
        rts_loop_close(loop);
        rts_array_destroy(x);
        rts_array_destroy(y);
        rts_template_release(t);
    }
    CHECK(found > 500);
}

/* Ties beat references, which beat the alignment. */
static void test_tie_order(void) {
    const rts_grid_t grid = {.rank = 0};
    const rts_axis_rule_t rule[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    const rts_box_t space = box_of(2, 0, 5);
    rts_array_t *a = make_distributed(&space, rule, &grid), *b = make_distributed(&space, rule, &grid);
    const rts_alignment_t map = rts_alignment_identity(2);
    int sign = 0;
    rts_loop_t *loop = open_loop(3, 4);
    CHECK_EQ_INT(rts_loop_dim_of_axis(loop, a, 0, &sign), -1); /* nothing said yet */
    CHECK_EQ_INT(rts_loop_set_map(loop, NULL, a, &map), RTS_OK);
    CHECK_EQ_INT(rts_loop_dim_of_axis(loop, a, 0, &sign), 0);
    CHECK_EQ_INT(rts_loop_dim_of_axis(loop, b, 0, &sign), -1); /* a template of its own */
    const rts_loop_array_t use = {.array = a, .intent = 3, .dim = {2, -1}, .sign = {-1, 1}};
    CHECK_EQ_INT(rts_loop_add_array(loop, &use), RTS_OK);
    CHECK_EQ_INT(rts_loop_dim_of_axis(loop, a, 0, &sign), 2);
    CHECK_EQ_INT(sign, -1);
    CHECK_EQ_INT(rts_loop_dim_of_axis(loop, a, 1, &sign), 1); /* the references do not say */
    CHECK_EQ_INT(sign, 1);
    CHECK_EQ_INT(rts_loop_add_tie(loop, a, (rts_index_t[]){-2, 0}), RTS_OK);
    CHECK_EQ_INT(rts_loop_dim_of_axis(loop, a, 0, &sign), 1);
    CHECK_EQ_INT(sign, -1);
    CHECK_EQ_INT(rts_loop_dim_of_axis(loop, a, 1, &sign), -1);
    rts_loop_close(loop);
    rts_array_destroy(a);
    rts_array_destroy(b);
}

/* ---- dependences and mask ---- */

static void check_mask(const rts_loop_t *loop, unsigned dependent, bool reduce) {
    unsigned reduced = 0, outermost = 0;
    for (int dim = loop->rank - 1; dim >= 0; dim--) {
        const unsigned bit = 1u << (loop->rank - 1 - dim) & dependent;
        outermost = bit != 0 ? bit : outermost;
        reduced |= loop->local.hi[dim] - loop->local.lo[dim] != 1 ? bit : 0;
    }
    CHECK_EQ_INT(loop->mask, !reduce ? dependent : reduced != 0 ? reduced : outermost);
}

static void test_across(void) {
    const rts_grid_t grid = {.rank = 0};
    const rts_axis_rule_t rule[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    const rts_box_t space = box_of(3, 0, 20);
    rts_array_t *a = make_distributed(&space, rule, &grid), *b = make_distributed(&space, rule, &grid);
    for (int trial = 0; trial < 2000; trial++) {
        rts_index_t start[3] = {0}, end[3], step[3] = {1, 1, 1}, low[2][3], high[2][3], vector[3];
        rts_loop_t *loop = NULL;
        unsigned star = 0, corner = 0;
        for (int dim = 0; dim < 3; dim++)
            end[dim] = check_random_once_in(2) ? 0 : check_random_range(-1, 6);
        CHECK_EQ_INT(rts_loop_open(3, start, end, step, &loop), RTS_OK);
        for (int which = 0; which < 2; which++) { /* axis i of the arrays on dim (i + 1) mod 3 */
            for (int axis = 0; axis < 3; axis++) {
                low[which][axis] = check_random_once_in(2) ? 0 : check_random_range(0, 3);
                high[which][axis] = check_random_once_in(2) ? 0 : check_random_range(0, 3);
                if (low[which][axis] + high[which][axis] > 0)
                    star |= 1u << (2 - (axis + 1) % 3);
            }
            CHECK_EQ_INT(rts_loop_add_across(loop, which == 1, which == 0 ? a : b, low[which], high[which]),
                         RTS_OK);
            CHECK_EQ_INT(rts_loop_add_tie(loop, which == 0 ? a : b, (rts_index_t[]){2, -3, 1}), RTS_OK);
        }
        if (check_random_once_in(3)) {
            loop->has_vectors = true;
            rts_dependences_init(&loop->vectors, 3);
            for (int dim = 0; dim < 3; dim++) {
                vector[dim] = dim == 0 ? 1 : check_random_range(-1, 1);
                corner |= vector[dim] != 0 ? 1u << (2 - dim) : 0;
            }
            CHECK_EQ_INT(rts_dependences_add(&loop->vectors, vector), RTS_OK);
        }
        const bool reduce = check_random_once_in(2);
        CHECK_EQ_INT(rts_loop_prepare(loop, reduce), RTS_OK);
        check_mask(loop, star | corner, reduce);
        int expected = 0;
        bool reaches = loop->has_vectors;
        for (int dim = 0; dim < 3; dim++) {
            reaches = reaches && (vector[dim] == 0 || (!loop->is_empty && loop->count[dim] > 1));
            const bool unit =
                !loop->has_vectors && (star >> (2 - dim) & 1) != 0 && !loop->is_empty && loop->count[dim] > 1;
            CHECK(loop->has_vectors || rts_dependences_is_free(&loop->dependences, dim) == !unit);
            expected += unit;
        }
        CHECK_EQ_INT(loop->dependences.count, expected + (reaches && !loop->is_empty));
        rts_loop_close(loop);
    }
    rts_array_destroy(a);
    rts_array_destroy(b);
}

/* ---- mistakes ---- */

static void expect_invalid(rts_status_t status, const char *given, const char *allowed) {
    CHECK_EQ_INT(status, RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), given);
    CHECK_CONTAINS(rts_error_text(), allowed);
}

static rts_status_t try_range(int rank, rts_index_t start, rts_index_t end, rts_index_t step) {
    rts_loop_t *loop = NULL;
    const rts_index_t starts[] = {0, start, start}, ends[] = {3, end, end}, steps[] = {1, step, step};
    const rts_status_t status = rts_loop_open(rank, starts, ends, steps, &loop);
    CHECK((status == RTS_OK) == (loop != NULL));
    CHECK(rts_loop_current() == loop);
    if (loop != NULL)
        rts_loop_close(loop);
    return status;
}

static void test_bad_ranges(void) {
    expect_invalid(try_range(-1, 0, 0, 1), "rank -1", "allowed: 0..8");
    expect_invalid(try_range(9, 0, 0, 1), "rank 9", "allowed: 0..8");
    expect_invalid(try_range(2, 0, 5, 0), "loop axis 2 has step 0", "allowed: any other");
    expect_invalid(try_range(2, INT64_MIN, INT64_MAX, 1), "-9223372036854775808..9223372036854775807",
                   "allowed: ");
    expect_invalid(try_range(2, 0, INT64_MAX, 1), "loop axis 2: range 0..9223372036854775807", "allowed: ");
    expect_invalid(try_range(2, INT64_MAX, 0, -1), "loop axis 2", "allowed: ");
    expect_invalid(try_range(3, 1, (rts_index_t)1 << 40, 1), "iterations", "allowed: ");
    CHECK_EQ_INT(try_range(2, INT64_MAX, INT64_MIN, 1), RTS_OK); /* empty */
    CHECK_EQ_INT(try_range(2, INT64_MIN, INT64_MAX, -1), RTS_OK);
    CHECK_EQ_INT(try_range(2, INT64_MAX, INT64_MAX, INT64_MAX), RTS_OK);
    CHECK_EQ_INT(try_range(2, 0, INT64_MAX / 8, 1), RTS_OK);
    CHECK_EQ_INT(try_range(2, 5, 0, INT64_MIN), RTS_OK);
    rts_loop_t *loop = open_loop(1, 1), *second = NULL;
    loop->position.line = 77;
    const rts_index_t zero = 0, one = 1;
    expect_invalid(rts_loop_open(1, &zero, &one, &one, &second), "the loop of line 77 is still open",
                   "only one");
    CHECK(second == NULL);
    rts_loop_close(loop);
}

static rts_status_t try_map(rts_loop_t *loop, rts_template_t *template, rts_array_t *array, int rank,
                            int axis0, int axis1, rts_index_t mult1) {
    const rts_alignment_t map = {.rank = rank, .rule = {{axis0, 1, 0}, {axis1, mult1, 0}}};
    return rts_loop_set_map(loop, template, array, &map);
}

static void test_bad_maps(void) {
    const rts_grid_t grid = {.rank = 0};
    const rts_axis_rule_t rule[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    const rts_box_t space = box_of(2, 0, 5);
    rts_template_t *good = make_template(&space, rule, &grid), *raw = NULL;
    rts_array_t *raw_array = make_array(&space);
    CHECK_EQ_INT(rts_template_create(&space, &raw), RTS_OK);
    rts_loop_t *loop = open_loop(3, 4);
    expect_invalid(try_map(loop, good, NULL, 1, 0, 1, 1), "1 mapping rules given", "rank 2");
    expect_invalid(try_map(loop, raw, NULL, 2, 0, 1, 1), "a template that is not distributed", "mapped on");
    expect_invalid(try_map(loop, NULL, raw_array, 2, 0, 1, 1), "an array that is not distributed",
                   "mapped on");
    expect_invalid(try_map(loop, good, NULL, 2, 0, 3, 1), "mapping rule 2 names loop axis 4", "rank 3");
    expect_invalid(try_map(loop, good, NULL, 2, 0, 1, 0), "mapping rule 2 multiplies loop axis 2 by 0",
                   "allowed: ");
    expect_invalid(try_map(loop, good, NULL, 2, 1, 1, 1), "mapping rule 2 uses loop axis 2", "a second time");
    CHECK(!loop->has_map);
    CHECK_EQ_INT(try_map(loop, good, NULL, 2, RTS_ALIGN_ANY, 2, -1), RTS_OK);
    expect_invalid(try_map(loop, good, NULL, 2, 0, 1, 1), "has a mapping already", "allowed: one");
    rts_loop_close(loop);
    rts_array_destroy(raw_array);
    rts_template_release(good);
    rts_template_release(raw);
}

static void test_bad_clauses(void) {
    const rts_grid_t grid = {.rank = 0};
    const rts_axis_rule_t rule[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    const rts_box_t space = box_of(2, 0, 5);
    rts_array_t *a = make_distributed(&space, rule, &grid);
    const rts_index_t zero[2] = {0, 0}, negative[2] = {0, -3}, one[2] = {0, 1};
    rts_loop_t *loop = open_loop(2, 4);
    double value = 0;
    rts_reduction_t sum;
    CHECK_EQ_INT(rts_reduction_init(1, 4, 1, 0, &sum), RTS_OK);
    expect_invalid(rts_loop_add_across(loop, false, a, negative, one), "-3:1 of axis 2",
                   "allowed: 0 and more");
    expect_invalid(rts_loop_add_across(loop, false, a, one, negative), "1:-3 of axis 2",
                   "allowed: 0 and more");
    expect_invalid(rts_loop_add_tie(loop, a, (rts_index_t[]){1, 3}), "array axis 2 is tied to loop axis 3",
                   "rank 2");
    expect_invalid(rts_loop_add_tie(loop, a, (rts_index_t[]){-3, 0}), "loop axis -3", "rank 2");
    expect_invalid(rts_loop_add_tie(loop, a, (rts_index_t[]){INT64_MIN, 0}), "loop axis -9223372036854775808",
                   "rank 2");
    expect_invalid(rts_loop_add_tie(loop, a, (rts_index_t[]){2, -2}), "loop axis 2 is tied to two axes",
                   "one array");
    expect_invalid(rts_loop_add_reduction(loop, &sum, NULL, NULL), "reduction 1", "address is 0");
    CHECK(loop->across_count == 0 && loop->tie_count == 0 && loop->reduction_count == 0);
    CHECK(rts_loop_handler(loop, 1) == NULL);
    for (int i = 0; i < RTS_MAX_LOOP_ITEMS; i++) {
        CHECK_EQ_INT(rts_loop_add_across(loop, false, a, zero, zero), RTS_OK);
        CHECK_EQ_INT(rts_loop_add_tie(loop, a, zero), RTS_OK);
        CHECK_EQ_INT(rts_loop_add_reduction(loop, &sum, &value, NULL), RTS_OK);
        CHECK_EQ_INT(rts_loop_add_handler(loop, &(rts_handler_t){.device_type = 2 - (i == 5), .type = i}),
                     RTS_OK);
        CHECK_EQ_INT(rts_loop_add_array(loop, &(rts_loop_array_t){.array = a}), RTS_OK);
    }
    CHECK(rts_loop_handler(loop, 1)->type == 5 && rts_loop_handler(loop, 2)->type == 0);
    expect_invalid(rts_loop_add_across(loop, false, a, zero, zero), "more than 64 across arrays",
                   "in one loop");
    expect_invalid(rts_loop_add_tie(loop, a, zero), "more than 64 tied arrays", "in one loop");
    expect_invalid(rts_loop_add_reduction(loop, &sum, &value, NULL), "more than 64 reductions",
                   "in one loop");
    expect_invalid(rts_loop_add_handler(loop, &(rts_handler_t){.type = 0}), "more than 64 handlers",
                   "in one loop");
    expect_invalid(rts_loop_add_array(loop, &(rts_loop_array_t){.array = a}), "more than 64 arrays",
                   "in one loop");
    rts_loop_close(loop);
    loop = open_loop(2, 4);
    CHECK_EQ_INT(rts_loop_add_across(loop, false, a, zero, one), RTS_OK);
    expect_invalid(rts_loop_prepare(loop, false), "across widths 0:1 of array axis 2", "must tie them");
    rts_loop_close(loop);
    rts_array_destroy(a);
}

/* Facts for GPUs and processes: kept until the next loop, unchanged when refused. */
static void test_kept_facts(void) {
    const rts_index_t start[] = {0, 0}, end[] = {3, 4}, step[] = {1, 1};
    const rts_index_t block[] = {8, 4, 1}, deep[] = {8, 4, 2}, none[] = {8, 0, 1}, one[] = {1, 1, 1};
    rts_loop_t *loop;
    CHECK_EQ_INT(rts_loop_open(2, start, end, step, &loop), RTS_OK);
    CHECK_EQ_INT(rts_loop_set_stage(loop, 5), RTS_OK);
    CHECK_EQ_INT(rts_loop_set_stage(loop, -1), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_loop_set_cuda_block(loop, block), RTS_OK);
    CHECK_EQ_INT(rts_loop_set_cuda_block(loop, deep), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_loop_set_cuda_block(loop, none), RTS_ERR_INVALID);
    CHECK_EQ_INT(loop->stage, 5);
    CHECK(memcmp(loop->cuda_block, block, sizeof block) == 0);
    rts_loop_close(loop);
    CHECK_EQ_INT(rts_loop_open(0, start, end, step, &loop), RTS_OK);
    CHECK(loop->stage == 0 && loop->cuda_block[0] == 0 && loop->remote_count == 0);
    CHECK_EQ_INT(rts_loop_set_cuda_block(loop, one), RTS_OK); /* ones do not count */
    rts_loop_close(loop);
}

/* Corners count where the program does not say what happens there: unknown references, and one array under two names. */
static void test_uncertain(void) {
    const rts_axis_rule_t rule[] = {{.kind = RTS_AXIS_BLOCK}, {.kind = RTS_AXIS_BLOCK, .grid_axis = 1}};
    const rts_grid_t grid = {.rank = 0};
    const rts_box_t space = box_of(2, 0, 5);
    const rts_index_t one[] = {1, 1}, vector[] = {0, 1};
    rts_array_t *a = make_distributed(&space, rule, &grid);
    const rts_alignment_t map = rts_alignment_identity(2);
    for (int which = 0; which < 4; which++) {
        const rts_loop_array_t use = {.array = a,
                                      .intent = 3,
                                      .dim = {0, 1},
                                      .sign = {1, 1},
                                      .is_unknown = which == 1};
        rts_loop_t *loop = open_loop(2, 4);
        CHECK_EQ_INT(rts_loop_set_map(loop, NULL, a, &map), RTS_OK);
        CHECK_EQ_INT(rts_loop_add_across(loop, false, a, one, one), RTS_OK);
        CHECK_EQ_INT(rts_loop_add_array(loop, &use), RTS_OK);
        if (which >= 2) { /* exact vectors, which an alias takes back */
            rts_dependences_init(&loop->vectors, 2);
            CHECK_EQ_INT(rts_dependences_add(&loop->vectors, vector), RTS_OK);
            loop->has_vectors = true;
        }
        if (which == 3)
            CHECK_EQ_INT(rts_loop_add_array(loop, &use), RTS_OK);
        CHECK_EQ_INT(rts_loop_prepare(loop, false), RTS_OK);
        CHECK_EQ_INT(loop->is_uncertain, which == 1 || which == 3);
        CHECK_EQ_INT(loop->dependences.count, which == 2 ? 1 : 2);
        if (loop->is_uncertain) {
            CHECK(rts_loop_add_corners(loop));
            CHECK_EQ_INT(loop->dependences.count, 3); /* (1, -1) */
        }
        rts_loop_close(loop);
    }
    rts_array_destroy(a);
}

int main(void) {
    check_random_start();
    test_local();
    test_dims();
    test_tie_order();
    test_across();
    test_bad_ranges();
    test_bad_maps();
    test_bad_clauses();
    test_kept_facts();
    test_uncertain();
    rts_handle_reset();
    return check_finish();
}
