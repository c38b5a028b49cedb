/* Every axis of the grid cuts at most one axis of the object, so that the owners of a box are a product of ranges of coordinates. */
#include <config.h>

#include "rts/placement.h"

#include <string.h>

int rts_grid_processes(const rts_grid_t *grid) {
    int count = 1;
    for (int axis = 0; axis < grid->rank; axis++)
        count *= (int)grid->size[axis];
    return count;
}

rts_grid_t rts_grid_at(const rts_grid_t *grid, int process) {
    rts_grid_t at = *grid;
    for (int axis = grid->rank - 1; axis >= 0; axis--) {
        at.coordinate[axis] = process % (int)grid->size[axis];
        process /= (int)grid->size[axis];
    }
    return at;
}

int rts_grid_process(const rts_grid_t *grid) {
    int process = 0;
    for (int axis = 0; axis < grid->rank; axis++)
        process = process * (int)grid->size[axis] + (int)grid->coordinate[axis];
    return process;
}

static rts_box_t local_at(const rts_placement_t *placement, const rts_grid_t *grid) {
    const rts_box_t of_template = rts_distribution_local(placement->distribution, grid);
    return rts_alignment_local(placement->alignment, placement->space, &of_template);
}

rts_box_t rts_placement_local(const rts_placement_t *placement, int process) {
    const rts_grid_t grid = rts_grid_at(placement->grid, process);
    return local_at(placement, &grid);
}

unsigned rts_placement_free_axes(const rts_placement_t *placement) {
    unsigned bound = 0;
    for (int axis = 0; axis < placement->distribution->space.rank; axis++) {
        const rts_axis_rule_t *rule = &placement->distribution->rule[axis];
        if (rule->kind != RTS_AXIS_REPLICATED && rule->grid_axis < placement->grid->rank &&
            placement->alignment->rule[axis].axis != RTS_ALIGN_ANY)
            bound |= 1u << rule->grid_axis;
    }
    return ~bound & ((1u << placement->grid->rank) - 1);
}

bool rts_placement_is_first(const rts_placement_t *placement, int process) {
    return rts_placement_serves(placement, process, 0); /* whose coordinates are all 0 */
}

bool rts_placement_serves(const rts_placement_t *placement, int process, int viewer) {
    const unsigned free_axes = rts_placement_free_axes(placement);
    const rts_grid_t a = rts_grid_at(placement->grid, process), b = rts_grid_at(placement->grid, viewer);
    for (int axis = 0; axis < a.rank; axis++)
        if ((free_axes >> axis & 1) != 0 && a.coordinate[axis] != b.coordinate[axis])
            return false;
    return true;
}

/* The coordinates [*lo_p, *hi_p) along one axis of the grid between which all owners of a box lie. The other coordinates of `grid` may be
 * anything: an axis of the grid decides about one axis of the object alone, or about all or nothing of it (a constant). */
static void coordinate_range(const rts_placement_t *placement, rts_grid_t *grid, int axis,
                             const rts_box_t *box, rts_index_t *lo_p, rts_index_t *hi_p) {
    const rts_distribution_t *distribution = placement->distribution;
    int of_template = 0;
    while (distribution->rule[of_template].kind == RTS_AXIS_REPLICATED ||
           distribution->rule[of_template].grid_axis != axis)
        of_template++;
    rts_distribution_t alone = *distribution; /* cut along this axis only */
    for (int other = 0; other < distribution->space.rank; other++)
        if (other != of_template)
            alone.rule[other].kind = RTS_AXIS_REPLICATED;
    const rts_placement_t by_axis = {placement->space, placement->alignment, &alone, placement->grid};
    *lo_p = *hi_p = 0;
    for (rts_index_t coordinate = 0; coordinate < grid->size[axis]; coordinate++) {
        grid->coordinate[axis] = coordinate;
        const rts_box_t local = local_at(&by_axis, grid);
        const rts_box_t part = rts_box_intersect(&local, box);
        if (rts_box_is_empty(&part))
            continue;
        if (*hi_p == 0)
            *lo_p = coordinate;
        *hi_p = coordinate + 1;
    }
}

rts_status_t rts_placement_owners(const rts_placement_t *placement, const rts_box_t *box, int viewer,
                                  rts_owner_fn_t visit, void *context) {
    const unsigned free_axes = rts_placement_free_axes(placement);
    rts_grid_t grid = rts_grid_at(placement->grid, viewer);
    rts_index_t lo[RTS_MAX_RANK], hi[RTS_MAX_RANK];
    for (int axis = 0; axis < grid.rank; axis++) {
        lo[axis] = grid.coordinate[axis];
        hi[axis] = lo[axis] + 1;
        if ((free_axes >> axis & 1) == 0)
            coordinate_range(placement, &grid, axis, box, &lo[axis], &hi[axis]);
        if (lo[axis] == hi[axis])
            return RTS_OK;
    }
    memcpy(grid.coordinate, lo, sizeof grid.coordinate);
    for (int axis = 0; axis >= 0;) {
        const rts_box_t local = local_at(placement, &grid), part = rts_box_intersect(&local, box);
        if (!rts_box_is_empty(&part))
            RTS_TRY(visit(context, rts_grid_process(&grid), &part));
        for (axis = grid.rank - 1; axis >= 0 && ++grid.coordinate[axis] == hi[axis]; axis--)
            grid.coordinate[axis] = lo[axis];
    }
    return RTS_OK;
}
