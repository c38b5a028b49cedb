/* Random places of arrays on process grids, and who owns an element by the definition: element by element, without the arithmetic of
 * boxes that is tested. */
#ifndef PLACE_EXAMPLE_H
#define PLACE_EXAMPLE_H

#include "rts/distribution.h"
#include "tests/check.h"

#define PLACE_BOUNDS 32

typedef struct place_example {
    rts_grid_t grid;
    rts_distribution_t distribution;
    rts_index_t bounds[RTS_MAX_RANK][PLACE_BOUNDS];
    rts_box_t space; /* of the array */
    rts_alignment_t alignment;
} place_example_t;

static inline int place_processes(const rts_grid_t *grid) {
    int count = 1;
    for (int axis = 0; axis < grid->rank; axis++)
        count *= (int)grid->size[axis];
    return count;
}

/** Go to the next index of a box, the last axis fastest; false after the last. */
static inline bool place_next(const rts_box_t *box, rts_index_t index[]) {
    for (int axis = box->rank - 1; axis >= 0; axis--) {
        if (++index[axis] < box->hi[axis])
            return true;
        index[axis] = box->lo[axis];
    }
    return false;
}

static inline void place_random_rules(place_example_t *place) {
    const int shift = (int)check_random_range(0, 2);
    for (int axis = 0; axis < place->distribution.space.rank; axis++) {
        const rts_index_t extent = place->distribution.space.hi[axis] - place->distribution.space.lo[axis];
        rts_axis_rule_t *rule = &place->distribution.rule[axis];
        *rule = (rts_axis_rule_t){.kind = (rts_axis_kind_t)check_random_range(0, 3),
                                  .grid_axis = (axis + shift) % 4};
        if (rule->kind == RTS_AXIS_REPLICATED && check_random_once_in(2))
            rule->kind = RTS_AXIS_BLOCK;
        do
            rule->quantum = check_random_range(1, extent);
        while (extent % rule->quantum != 0);
        if (rule->kind != RTS_AXIS_BOUNDS)
            continue;
        const rts_index_t parts = rts_grid_parts(&place->grid, rule->grid_axis);
        rts_index_t *bounds = place->bounds[axis];
        bounds[0] = 0;
        for (rts_index_t part = 1; part < parts; part++)
            bounds[part] = check_random_range(bounds[part - 1], extent);
        bounds[parts] = extent;
        rule->bounds = bounds;
    }
}

/** Another template for the array of a place. */
static inline void place_random_target(place_example_t *place) {
    bool is_used[RTS_MAX_RANK] = {false};
    rts_box_t *target = &place->distribution.space;
    target->rank = place->alignment.rank = (int)check_random_range(1, 3);
    for (int axis = 0; axis < target->rank; axis++) {
        rts_align_rule_t *rule = &place->alignment.rule[axis];
        const int of_array = (int)check_random_range(0, place->space.rank - 1);
        rts_index_t low, high;
        *rule = (rts_align_rule_t){.axis = of_array, .mult = 1, .add = check_random_range(-4, 4)};
        if (check_random_once_in(3))
            rule->mult = check_random_once_in(2) ? -1 : check_random_once_in(2) ? 2 : -3;
        if (is_used[of_array])
            rule->axis = check_random_once_in(2) ? RTS_ALIGN_CONSTANT : RTS_ALIGN_ANY;
        if (rule->axis >= 0) {
            const rts_index_t first = rule->mult * place->space.lo[of_array] + rule->add,
                              last = rule->mult * (place->space.hi[of_array] - 1) + rule->add;
            low = rts_min(first, last);
            high = rts_max(first, last);
            is_used[of_array] = true;
        } else {
            low = high = rule->add;
        }
        target->lo[axis] = low - check_random_range(0, 2);
        target->hi[axis] = high + 1 + check_random_range(0, 2);
    }
    place_random_rules(place);
}

/** An array of rank 1..3 on a grid, with extents up to `largest`. Bounds stay in `place`: do not copy it. */
static inline void place_random(place_example_t *place, const rts_grid_t *grid, rts_index_t largest) {
    place->grid = *grid;
    place->space.rank = (int)check_random_range(1, 3);
    for (int axis = 0; axis < place->space.rank; axis++) {
        place->space.lo[axis] = check_random_range(-3, 3);
        place->space.hi[axis] = place->space.lo[axis] + check_random_range(1, largest);
    }
    place_random_target(place);
}

/* Which part of an axis an element is in, both counted from the beginning: parts one after the other, as docs/abi.md describes. */
static inline rts_index_t place_part_of(rts_index_t extent, rts_index_t parts, rts_index_t element) {
    rts_index_t end = 0, current = 0;
    if (extent < parts)
        return element;
    for (rts_index_t part = 0; part < parts; part++) {
        current = (current + extent % parts) % parts;
        end += extent / parts + (current < extent % parts);
        if (element < end)
            return part;
    }
    return -1;
}

static inline rts_index_t place_coordinate(const rts_axis_rule_t *rule, rts_index_t extent, rts_index_t parts,
                                           rts_index_t element) {
    rts_index_t part = 0;
    if (rule->kind == RTS_AXIS_MULTBLOCK)
        return place_part_of(extent / rule->quantum, parts, element / rule->quantum);
    if (rule->kind == RTS_AXIS_BLOCK)
        return place_part_of(extent, parts, element);
    while (element >= rule->bounds[part + 1])
        part++;
    return part;
}

/** Whether a process owns an element. With `decides` the axes of the grid that had a say are marked: bit k is axis k. */
static inline bool place_owns(const place_example_t *place, int process, const rts_index_t index[],
                              unsigned *decides) {
    rts_index_t coordinate[RTS_MAX_RANK];
    bool owns = true;
    for (int axis = place->grid.rank - 1; axis >= 0; axis--) {
        coordinate[axis] = process % place->grid.size[axis];
        process /= (int)place->grid.size[axis];
    }
    for (int axis = 0; axis < place->alignment.rank; axis++) {
        const rts_align_rule_t *rule = &place->alignment.rule[axis];
        const rts_axis_rule_t *cut = &place->distribution.rule[axis];
        const rts_index_t lo = place->distribution.space.lo[axis],
                          extent = place->distribution.space.hi[axis] - lo;
        if (rule->axis == RTS_ALIGN_ANY || cut->kind == RTS_AXIS_REPLICATED ||
            cut->grid_axis >= place->grid.rank)
            continue;
        const rts_index_t image =
            rule->axis == RTS_ALIGN_CONSTANT ? rule->add : rule->mult * index[rule->axis] + rule->add;
        owns = owns && coordinate[cut->grid_axis] ==
                           place_coordinate(cut, extent, place->grid.size[cut->grid_axis], image - lo);
        if (decides != NULL)
            *decides |= 1u << cut->grid_axis;
    }
    return owns;
}

#endif
