/* Distribution arithmetic against walks over every index: block bounds, parts of whole process grids,
 * alignments and their chains, and the iterations of loops. */
#include <config.h>

#include "rts/distribution.h"

#include "tests/check.h"
#include "tests/next_index.h"

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

/* Which part an element belongs to, by the walk that docs/abi.md describes. */
static rts_index_t walk_owner(rts_index_t extent, rts_index_t parts, rts_index_t element) {
    if (extent < parts)
        return element;
    rts_index_t end = 0, current = 0;
    for (rts_index_t part = 0; part < parts; part++) {
        current = (current + extent % parts) % parts;
        end += extent / parts + (current < extent % parts);
        if (element < end)
            return part;
    }
    return -1;
}

static void test_block_bounds(void) {
    for (rts_index_t extent = 0; extent <= 200; extent++)
        for (rts_index_t parts = 1; parts <= 17; parts++) {
            rts_index_t expected_lo = 0;
            for (rts_index_t part = 0; part < parts; part++) {
                rts_index_t lo = -1, hi = -1;
                rts_block_bounds(extent, parts, part, &lo, &hi);
                CHECK_EQ_INT(lo, expected_lo);
                CHECK(hi >= lo);
                for (rts_index_t element = lo; element < hi; element++)
                    CHECK_EQ_INT(walk_owner(extent, parts, element), part);
                expected_lo = hi;
            }
            CHECK_EQ_INT(expected_lo, extent);
        }
    const rts_index_t sizes[] = {2, 3, 2, 3};
    for (int part = 0; part < 4; part++) {
        rts_index_t lo, hi;
        rts_block_bounds(10, 4, part, &lo, &hi);
        CHECK_EQ_INT(hi - lo, sizes[part]);
    }
    rts_index_t lo, hi, end = 0;
    for (rts_index_t part = 0; part < 1000; part++) {
        rts_block_bounds(INT64_MAX, 1000, part, &lo, &hi);
        CHECK_EQ_INT(lo, end);
        CHECK(hi - lo == INT64_MAX / 1000 || hi - lo == INT64_MAX / 1000 + 1);
        end = hi;
    }
    CHECK_EQ_INT(end, INT64_MAX);
}

/* Random pieces */

static rts_box_t random_box(int rank, rts_index_t largest) {
    rts_box_t box = {.rank = rank};
    for (int axis = 0; axis < rank; axis++) {
        box.lo[axis] = pick(-6, 6);
        box.hi[axis] = box.lo[axis] + pick(1, largest);
    }
    return box;
}

static rts_grid_t random_grid(void) {
    rts_grid_t grid = {.rank = (int)pick(1, 3)};
    for (int axis = 0; axis < grid.rank; axis++)
        grid.size[axis] = pick(1, grid.rank == 1 ? 8 : 4);
    return grid;
}

static rts_index_t bounds_of_axis[RTS_MAX_RANK][16]; /* of the last random distribution */

static const rts_index_t *random_bounds(int axis, rts_index_t extent, rts_index_t parts) {
    rts_index_t *bounds = bounds_of_axis[axis];
    bounds[0] = 0;
    for (rts_index_t part = 1; part < parts; part++)
        bounds[part] = pick(bounds[part - 1], extent);
    bounds[parts] = extent;
    return bounds;
}

static rts_distribution_t random_distribution(int rank, rts_index_t largest, const rts_grid_t *grid) {
    rts_distribution_t distribution = {.space = random_box(rank, largest)};
    const int shift = (int)pick(0, 4); /* distinct grid axes, some beyond the grid's rank */
    for (int axis = 0; axis < rank; axis++) {
        const rts_index_t extent = distribution.space.hi[axis] - distribution.space.lo[axis];
        rts_axis_rule_t *rule = &distribution.rule[axis];
        *rule = (rts_axis_rule_t){.kind = (rts_axis_kind_t)pick(0, 3), .grid_axis = (axis + shift) % 5};
        do
            rule->quantum = pick(1, extent);
        while (extent % rule->quantum != 0);
        if (rule->kind == RTS_AXIS_BOUNDS)
            rule->bounds = random_bounds(axis, extent, rts_grid_parts(grid, rule->grid_axis));
    }
    return distribution;
}

/* Go to the next process of a grid; false after the last. */
static bool next_process(rts_grid_t *grid) {
    for (int axis = grid->rank - 1; axis >= 0; axis--) {
        if (++grid->coordinate[axis] < grid->size[axis])
            return true;
        grid->coordinate[axis] = 0;
    }
    return false;
}

/* Which part of an axis an element is in, counted from the beginning of both. */
static rts_index_t owner(const rts_axis_rule_t *rule, rts_index_t extent, rts_index_t parts,
                         rts_index_t element) {
    rts_index_t part = 0;
    switch (rule->kind) {
    case RTS_AXIS_MULTBLOCK:
        return walk_owner(extent / rule->quantum, parts, element / rule->quantum);
    case RTS_AXIS_BOUNDS:
        while (element >= rule->bounds[part + 1])
            part++;
        return part;
    case RTS_AXIS_BLOCK:
        return walk_owner(extent, parts, element);
    case RTS_AXIS_REPLICATED:
        break;
    }
    return -1;
}

/* Does a process own an element of a template, by the walk? Axis `only` alone, or all axes when it is
 * negative. */
static bool process_owns(const rts_distribution_t *distribution, const rts_grid_t *grid,
                         const rts_index_t index[], int only) {
    for (int axis = 0; axis < distribution->space.rank; axis++) {
        const rts_axis_rule_t *rule = &distribution->rule[axis];
        if (only >= 0 && axis != only)
            continue;
        const rts_index_t lo = distribution->space.lo[axis], hi = distribution->space.hi[axis];
        if (index[axis] < lo || index[axis] >= hi)
            return false;
        if (rule->kind == RTS_AXIS_REPLICATED || rule->grid_axis >= grid->rank)
            continue;
        if (owner(rule, hi - lo, grid->size[rule->grid_axis], index[axis] - lo) !=
            grid->coordinate[rule->grid_axis])
            return false;
    }
    return true;
}

static void test_locals_over_grids(void) {
    for (int round = 0; round < 400; round++) {
        rts_grid_t grid = random_grid();
        const rts_distribution_t distribution = random_distribution((int)pick(1, 3), 9, &grid);
        CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_OK);
        rts_index_t copies = 1; /* of every element: one for each process along grid axes that cut nothing */
        for (int g = 0; g < grid.rank; g++) {
            bool cuts = false;
            for (int axis = 0; axis < distribution.space.rank; axis++)
                cuts |= distribution.rule[axis].kind != RTS_AXIS_REPLICATED &&
                        distribution.rule[axis].grid_axis == g;
            copies *= cuts ? 1 : grid.size[g];
        }
        rts_index_t owned = 0;
        do {
            const rts_box_t local = rts_distribution_local(&distribution, &grid);
            CHECK_EQ_INT(local.rank, distribution.space.rank);
            CHECK(rts_box_contains(&distribution.space, &local));
            owned += rts_box_size(&local);
            rts_index_t index[RTS_MAX_RANK];
            memcpy(index, distribution.space.lo, sizeof index);
            do
                CHECK_EQ_INT(rts_box_has_point(&local, index), process_owns(&distribution, &grid, index, -1));
            while (next_index(&distribution.space, index));
        } while (next_process(&grid));
        CHECK_EQ_INT(owned, copies * rts_box_size(&distribution.space));
    }
}

static void test_distribution_refused(void) {
    rts_distribution_t distribution = {.space = {.rank = 3, .hi = {4, 4, 4}}};
    distribution.rule[0] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = 1};
    distribution.rule[1] = (rts_axis_rule_t){.kind = RTS_AXIS_REPLICATED, .grid_axis = 1};
    distribution.rule[2] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = 0};
    CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_OK);
    distribution.rule[2].grid_axis = 1;
    CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "axes 1 and 3");
    CHECK_CONTAINS(rts_error_text(), "axis 2 of the process grid");
    distribution.rule[2].grid_axis = -3;
    CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "axis 3");
    CHECK_CONTAINS(rts_error_text(), "-2");
    distribution.rule[2] = (rts_axis_rule_t){.kind = RTS_AXIS_MULTBLOCK, .grid_axis = 1, .quantum = 2};
    CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "axes 1 and 3");
    distribution.rule[2].grid_axis = 0;
    CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_OK);
    const rts_index_t bad[] = {0, -1, -2, 3, 5, 8};
    for (int i = 0; i < 6; i++) {
        char text[64];
        snprintf(text, sizeof text, "axis 3 of 4 elements is cut into multiples of %d", (int)bad[i]);
        distribution.rule[2].quantum = bad[i];
        CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_ERR_INVALID);
        CHECK_CONTAINS(rts_error_text(), text);
    }
    distribution.rule[2] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = INT32_MAX};
    CHECK_EQ_INT(rts_distribution_check(&distribution), RTS_OK);
    const rts_grid_t grid = {.rank = 1, .size = {2}};
    CHECK_EQ_INT(rts_distribution_local(&distribution, &grid).hi[2], 4);
}

/* Alignments */

/* An alignment that may be wrong, as a careless program would write it; mostly its images fit. */
static rts_alignment_t random_alignment(const rts_box_t *space, const rts_box_t *target) {
    rts_alignment_t alignment = {.rank = target->rank};
    const int shift = (int)pick(0, 3);
    for (int axis = 0; axis < target->rank; axis++) {
        rts_align_rule_t *rule = &alignment.rule[axis];
        const int source = (axis + shift) % 4;
        if (pick(0, 4) == 0 || source >= space->rank) {
            rule->axis = pick(0, 1) == 0 ? RTS_ALIGN_ANY : RTS_ALIGN_CONSTANT;
            rule->add = pick(target->lo[axis] - (pick(0, 15) == 0), target->hi[axis] - (pick(0, 15) != 0));
            continue;
        }
        rule->axis = source;
        rule->mult = pick(0, 30) == 0 ? 0 : pick(1, 3) * (pick(0, 1) == 0 ? 1 : -1);
        const rts_index_t first = space->lo[source], last = space->hi[source] - 1;
        const rts_index_t low = rts_min(rule->mult * first, rule->mult * last);
        const rts_index_t high = rts_max(rule->mult * first, rule->mult * last);
        const rts_index_t least = target->lo[axis] - low, most = target->hi[axis] - 1 - high;
        rule->add = least <= most ? pick(least - (pick(0, 15) == 0), most + (pick(0, 15) == 0)) : least;
        if (pick(0, 40) == 0)
            rule->axis = (int)pick(-4, 5);
    }
    return alignment;
}

static bool is_valid(const rts_alignment_t *alignment, const rts_box_t *space, const rts_box_t *target) {
    int uses[16] = {0};
    for (int axis = 0; axis < target->rank; axis++) {
        const rts_align_rule_t *rule = &alignment->rule[axis];
        if (rule->axis == RTS_ALIGN_ANY)
            continue;
        rts_index_t image = rule->add;
        if (rule->axis != RTS_ALIGN_CONSTANT) {
            if (rule->axis < 0 || rule->axis >= space->rank || rule->mult == 0 || uses[rule->axis]++ > 0)
                return false;
            image = rule->mult * (space->hi[rule->axis] - 1) + rule->add;
            if (image < target->lo[axis] || image >= target->hi[axis])
                return false;
            image = rule->mult * space->lo[rule->axis] + rule->add;
        }
        if (image < target->lo[axis] || image >= target->hi[axis])
            return false;
    }
    return true;
}

enum { CHAIN = 3 };

/* Is an element of the last object of a chain on a process? Follows axis by axis from the root to the
 * element: alignment[0] is with the root, alignment[k] with object k - 1. */
static bool chain_owns(const rts_distribution_t *root, const rts_grid_t *grid,
                       const rts_alignment_t alignment[], int length, const rts_index_t index[]) {
    for (int root_axis = 0; root_axis < root->space.rank; root_axis++) {
        int axis = root_axis, step = 0;
        while (step < length && axis >= 0)
            axis = alignment[step++].rule[axis].axis;
        if (axis == RTS_ALIGN_ANY)
            continue;
        rts_index_t value = axis >= 0 ? index[axis] : 0;
        while (step-- > 0) { /* back to the root; the axis passed at each step is found again from the root */
            int passed = root_axis;
            for (int k = 0; k < step; k++)
                passed = alignment[k].rule[passed].axis;
            const rts_align_rule_t *rule = &alignment[step].rule[passed];
            value = rule->axis == RTS_ALIGN_CONSTANT ? rule->add : rule->mult * value + rule->add;
        }
        rts_index_t at[RTS_MAX_RANK] = {0};
        at[root_axis] = value;
        if (!process_owns(root, grid, at, root_axis))
            return false;
    }
    return true;
}

static void check_parts(const rts_distribution_t *root, rts_grid_t *grid, const rts_alignment_t alignment[],
                        int length, const rts_alignment_t *composed, const rts_box_t *space) {
    memset(grid->coordinate, 0, sizeof grid->coordinate);
    do {
        const rts_box_t template_local = rts_distribution_local(root, grid);
        const rts_box_t local = rts_alignment_local(composed, space, &template_local);
        CHECK_EQ_INT(local.rank, space->rank);
        CHECK(rts_box_contains(space, &local));
        rts_index_t index[RTS_MAX_RANK];
        memcpy(index, space->lo, sizeof index);
        do
            CHECK_EQ_INT(rts_box_has_point(&local, index), chain_owns(root, grid, alignment, length, index));
        while (next_index(space, index));
    } while (next_process(grid));
}

static void test_alignments(void) {
    int valid = 0, invalid = 0, chains = 0;
    for (int round = 0; round < 4000; round++) {
        rts_grid_t grid = random_grid();
        const rts_distribution_t root = random_distribution((int)pick(1, 3), 30, &grid);
        rts_alignment_t alignment[CHAIN], composed = rts_alignment_identity(root.space.rank);
        rts_box_t target = root.space;
        for (int length = 1; length <= CHAIN; length++) {
            const rts_box_t space = random_box((int)pick(1, 3), length == 1 ? 12 : 5);
            alignment[length - 1] = random_alignment(&space, &target);
            const bool expected = is_valid(&alignment[length - 1], &space, &target);
            const rts_status_t status = rts_alignment_check(&alignment[length - 1], &space, &target);
            CHECK_EQ_INT(status, expected ? RTS_OK : RTS_ERR_INVALID);
            valid += expected;
            invalid += !expected;
            if (!expected)
                break;
            composed = rts_alignment_compose(&alignment[length - 1], &composed);
            CHECK_EQ_INT(rts_alignment_check(&composed, &space, &root.space), RTS_OK);
            check_parts(&root, &grid, alignment, length, &composed, &space);
            chains += length == CHAIN;
            target = space;
        }
    }
    CHECK(valid > 2000 && invalid > 500 && chains > 300);
}

static void test_empty_parts(void) {
    /* Three elements on four processes: an array on all of axis 1 and on element 1 of axis 2 is where axis 2
     * says. */
    const rts_distribution_t root = {.space = {.rank = 2, .hi = {3, 4}},
                                     .rule = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                              {.kind = RTS_AXIS_BLOCK, .grid_axis = 1}}};
    const rts_alignment_t alignment = {.rank = 2,
                                       .rule = {{RTS_ALIGN_ANY, 0, 0}, {RTS_ALIGN_CONSTANT, 0, 1}}};
    const rts_box_t space = {.rank = 1, .hi = {5}};
    for (int column = 0; column < 2; column++) {
        const rts_grid_t grid = {.rank = 2, .size = {4, 2}, .coordinate = {3, column}};
        const rts_box_t part = rts_distribution_local(&root, &grid);
        CHECK(rts_box_is_empty(&part));
        const rts_box_t local = rts_alignment_local(&alignment, &space, &part);
        CHECK_EQ_INT(rts_box_size(&local), column == 0 ? 5 : 0);
    }
}

static void test_alignment_refused(void) {
    const rts_box_t space = {.rank = 2, .lo = {0, 1}, .hi = {10, 5}};
    const rts_box_t target = {.rank = 2, .lo = {0, 0}, .hi = {20, 10}};
    rts_alignment_t alignment = rts_alignment_identity(2);
    CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_OK);
    alignment.rule[0] = (rts_align_rule_t){.axis = 0, .mult = -3, .add = 26};
    CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "axis 1 [0..9]");
    CHECK_CONTAINS(rts_error_text(), "[-1..26]");
    CHECK_CONTAINS(rts_error_text(), "[0..19]");
    alignment.rule[0] = (rts_align_rule_t){.axis = 1, .mult = 1, .add = 0};
    CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "with axis 2");
    CHECK_CONTAINS(rts_error_text(), "axis 2 is used already");
    alignment.rule[1] = (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT, .add = 10};
    CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "constant 10");
    CHECK_CONTAINS(rts_error_text(), "[0..9]");
    alignment.rule[1] = (rts_align_rule_t){.axis = 2, .mult = 1};
    CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "no axis 3");
    alignment = rts_alignment_identity(1);
    CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "names 1 axes");
    CHECK_CONTAINS(rts_error_text(), "has 2");
}

/* Numbers that do not fit are refused, also when they come from a composition; nothing wraps. */
static void test_large_numbers(void) {
    const rts_box_t space = {.rank = 1, .lo = {3}, .hi = {4}};
    const rts_box_t target = {.rank = 1, .lo = {0}, .hi = {10}};
    const rts_index_t large[] = {INT64_MAX, INT64_MIN, INT64_MAX / 2 + 2};
    for (int i = 0; i < 3; i++) {
        rts_alignment_t alignment = {.rank = 1, .rule = {{.axis = 0, .mult = large[i], .add = 0}}};
        CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_ERR_INVALID);
        alignment.rule[0] = (rts_align_rule_t){.axis = 0, .mult = 1, .add = large[i]};
        CHECK_EQ_INT(rts_alignment_check(&alignment, &space, &target), RTS_ERR_INVALID);
    }
    /* 3 * m + a = 3 with a huge m is legal; twice over, m * m does not fit. */
    const rts_index_t mult = (rts_index_t)1 << 40;
    const rts_alignment_t once = {.rank = 1, .rule = {{.axis = 0, .mult = mult, .add = 3 - 3 * mult}}};
    CHECK_EQ_INT(rts_alignment_check(&once, &space, &target), RTS_OK);
    const rts_alignment_t twice = rts_alignment_compose(&once, &once);
    CHECK_EQ_INT(rts_alignment_check(&twice, &space, &target), RTS_ERR_INVALID);
    /* Both numbers of this composition are cut at the largest: they would come to 0, a legal index. */
    const rts_box_t point = {.rank = 1, .lo = {-1}, .hi = {0}};
    const rts_alignment_t outer = {.rank = 1, .rule = {{.axis = 0, .mult = mult, .add = 0}}};
    const rts_alignment_t inner = {.rank = 1, .rule = {{.axis = 0, .mult = mult, .add = mult + 1}}};
    const rts_alignment_t both = rts_alignment_compose(&inner, &outer);
    CHECK_EQ_INT(rts_alignment_check(&both, &point, &target), RTS_ERR_INVALID);
}

static void test_iterations(void) {
    for (int round = 0; round < 200000; round++) {
        const rts_index_t start = pick(-20, 20), count = pick(0, 12), add = pick(-15, 15);
        const rts_index_t step = pick(1, 4) * (pick(0, 1) == 0 ? 1 : -1);
        const rts_index_t mult = pick(1, 3) * (pick(0, 1) == 0 ? 1 : -1);
        const rts_index_t lo = pick(-40, 40), hi = lo + pick(-2, 30);
        rts_index_t expected_first = 0, expected_end = 0;
        for (rts_index_t n = count - 1; n >= 0; n--) {
            const rts_index_t image = mult * (start + n * step) + add;
            if (image < lo || image >= hi)
                continue;
            expected_first = n;
            if (expected_end == 0)
                expected_end = n + 1;
        }
        rts_index_t first = -1, end = -1;
        rts_iterations_within(start, step, count, mult, add, lo, hi, &first, &end);
        CHECK_EQ_INT(first, expected_first);
        CHECK_EQ_INT(end, expected_end);
    }
    rts_index_t first, end;
    rts_iterations_within(INT64_MIN, INT64_MAX, 3, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX, &first, &end);
    CHECK_EQ_INT(end - first, 0);
    rts_iterations_within(INT64_MIN, 1, INT64_MAX, 1, 0, INT64_MIN, INT64_MAX, &first, &end);
    CHECK(first == 0 && end == INT64_MAX);
    const rts_index_t far = (rts_index_t)1 << 40; /* far * far is 0 in 64 bits */
    rts_iterations_within(-far, far, 5, far, 0, -7, 7, &first, &end);
    CHECK(first == 1 && end == 2);
}

int main(void) {
    check_random_start();
    test_block_bounds();
    test_locals_over_grids();
    test_distribution_refused();
    test_alignments();
    test_empty_parts();
    test_alignment_refused();
    test_large_numbers();
    test_iterations();
    return check_finish();
}
