/* An axis that follows a dim of the loop has one element for each iteration along the dim, in their order. */
#include <config.h>

#include "rts/clause.h"

#include "rts/runtime.h"

rts_section_t rts_clause_section(const rts_loop_t *loop, const rts_array_t *array,
                                 const rts_align_rule_t rule[]) {
    rts_section_t section = rts_section_whole(array);
    for (int axis = 0; axis < section.rank; axis++) {
        const int dim = rule[axis].axis;
        if (dim == RTS_ALIGN_ANY)
            continue;
        section.start[axis] = rule[axis].add;
        section.count[axis] = 1;
        if (dim < 0)
            continue;
        /* The sum is an index of the array, its terms may be larger than that. */
        section.start[axis] =
            (rts_index_t)((uint64_t)rule[axis].mult * (uint64_t)loop->start[dim] + (uint64_t)rule[axis].add);
        section.count[axis] = loop->count[dim];
        section.step[axis] = loop->count[dim] > 1 ? rule[axis].mult * loop->step[dim] : 1;
    }
    return section;
}

rts_box_t rts_clause_part(const rts_loop_t *loop, const rts_array_t *array, const rts_align_rule_t rule[],
                          int process) {
    rts_box_t iterations, part = {.rank = array->space.rank};
    if (!rts_loop_iterations(loop, &rts_runtime()->grid, process, &iterations))
        return rts_box_empty(part.rank);
    for (int axis = 0; axis < part.rank; axis++) {
        const int dim = rule[axis].axis;
        part.hi[axis] = dim == RTS_ALIGN_ANY ? array->space.hi[axis] - array->space.lo[axis] : 1;
        if (dim < 0)
            continue;
        part.lo[axis] = iterations.lo[dim];
        part.hi[axis] = iterations.hi[dim];
    }
    return part;
}
