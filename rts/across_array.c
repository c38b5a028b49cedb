/* See the header. Corners are always taken along: widths do not say whether a body reads them, and they are small. */
#include <config.h>

#include "rts/across_array.h"

#include <string.h>

/* The mapping of a loop with a root template. @return the template; NULL for a variable, whose mapping cuts nothing */
static const rts_template_t *root_map(const rts_loop_t *loop, rts_alignment_t *map) {
    *map = loop->map;
    if (loop->map_array == NULL)
        return loop->map_template;
    if (loop->map_array->template != NULL)
        *map = rts_alignment_compose(&loop->map, &loop->map_array->alignment);
    return loop->map_array->template;
}

static bool is_cut(const rts_template_t *template, int axis, const rts_grid_t *grid) {
    const rts_axis_rule_t *rule = &template->distribution.rule[axis];
    return rule->kind != RTS_AXIS_REPLICATED && rts_grid_parts(grid, rule->grid_axis) > 1;
}

void rts_across_parts(const rts_loop_t *loop, const rts_grid_t *grid, rts_index_t parts[]) {
    rts_alignment_t map;
    const rts_template_t *root = root_map(loop, &map);
    for (int dim = 0; dim < loop->rank; dim++)
        parts[dim] = 1;
    for (int axis = 0; root != NULL && axis < map.rank; axis++)
        if (map.rule[axis].axis >= 0 && is_cut(root, axis, grid))
            parts[map.rule[axis].axis] = rts_grid_parts(grid, root->distribution.rule[axis].grid_axis);
}

/* ---- how axes are walked ---- */

static void set_walk(rts_walk_t *walk, const rts_loop_t *loop, const rts_align_rule_t *of_loop,
                     rts_index_t array_mult, rts_index_t array_add) {
    if (of_loop->axis != walk->dim)
        return; /* a tie says otherwise */
    walk->is_known = true;
    walk->mult = of_loop->mult * loop->step[walk->dim];
    walk->add = of_loop->mult * loop->start[walk->dim] + of_loop->add;
    walk->array_mult = array_mult;
    walk->array_add = array_add;
}

rts_walk_t rts_walk_find(const rts_loop_t *loop, const rts_array_t *array, int axis) {
    int sign = 1;
    rts_alignment_t map;
    rts_walk_t walk = {.dim = rts_loop_dim_of_axis(loop, array, axis, &sign)};
    if (walk.dim < 0)
        return walk;
    if (loop->map_array == array) {
        set_walk(&walk, loop, &loop->map.rule[axis], 1, 0);
        return walk;
    }
    if (root_map(loop, &map) != array->template)
        return walk;
    for (int i = 0; i < array->alignment.rank; i++) {
        const rts_align_rule_t *rule = &array->alignment.rule[i];
        if (rule->axis == axis)
            set_walk(&walk, loop, &map.rule[i], rule->mult, rule->add);
    }
    return walk;
}

/* ---- the arrays ---- */

static rts_status_t check_width(const rts_loop_across_t *clause, int axis) {
    const rts_array_t *array = clause->array;
    if (clause->low[axis] <= array->shadow_lo[axis] && clause->high[axis] <= array->shadow_hi[axis])
        return RTS_OK;
    return rts_fail(
        RTS_ERR_INVALID,
        "across widths %lld:%lld of array axis %d, which several processes share; its shadow edges "
        "are %lld:%lld wide, and allowed: at most these",
        (long long)clause->low[axis], (long long)clause->high[axis], axis + 1,
        (long long)array->shadow_lo[axis], (long long)array->shadow_hi[axis]);
}

/* Add the widths of a clause along axes that are cut. */
static rts_status_t add_widths(const rts_loop_across_t *clause, const rts_grid_t *grid,
                               rts_across_array_t *across) {
    const rts_alignment_t *alignment = &clause->array->alignment;
    across->is_out = across->is_out || clause->is_out;
    for (int i = 0; i < alignment->rank; i++) {
        const int axis = alignment->rule[i].axis;
        if (axis < 0 || !is_cut(clause->array->template, i, grid))
            continue;
        RTS_TRY(check_width(clause, axis));
        across->low[axis] = rts_max(across->low[axis], clause->low[axis]);
        across->high[axis] = rts_max(across->high[axis], clause->high[axis]);
        across->is_spread = across->is_spread || across->low[axis] > 0 || across->high[axis] > 0;
    }
    return RTS_OK;
}

rts_status_t rts_across_find(const rts_loop_t *loop, const rts_grid_t *grid, rts_across_array_t across[],
                             int *count_p) {
    int count = 0;
    for (int i = 0; i < loop->across_count; i++) {
        rts_array_t *array = loop->across[i].array;
        int number = 0;
        if (array->template == NULL)
            continue; /* a variable */
        while (number < count && across[number].array != array)
            number++;
        rts_across_array_t *entry = &across[number];
        if (number == count) {
            *entry = (rts_across_array_t){.array = array};
            entry->placement = rts_array_placement(array, grid);
            for (int axis = 0; axis < array->space.rank; axis++)
                entry->walk[axis] = rts_walk_find(loop, array, axis);
        }
        RTS_TRY(add_widths(&loop->across[i], grid, entry));
        if (number == count && entry->is_spread)
            count++;
    }
    *count_p = count;
    return RTS_OK;
}

unsigned rts_across_divisible(const rts_loop_t *loop, const rts_across_array_t across[], int count) {
    unsigned divisible = 0;
    for (int dim = 0; dim < loop->rank; dim++) {
        bool good = true;
        for (int i = 0; i < count && good; i++) {
            bool found = false;
            for (int axis = 0; axis < across[i].array->space.rank && !found; axis++)
                found = across[i].walk[axis].dim == dim && across[i].walk[axis].is_known;
            good = found && !across[i].is_out;
        }
        divisible |= good ? 1u << dim : 0;
    }
    return divisible;
}

/* ---- boxes ---- */

rts_box_t rts_across_wide(const rts_across_array_t *across, const rts_box_t *part, bool mirrored) {
    const rts_index_t *low = mirrored ? across->high : across->low,
                      *high = mirrored ? across->low : across->high;
    rts_box_t wide = *part;
    if (rts_box_is_empty(part))
        return wide;
    for (int axis = 0; axis < part->rank; axis++) {
        wide.lo[axis] -= low[axis];
        wide.hi[axis] += high[axis];
    }
    return rts_box_intersect(&wide, &across->array->space);
}

/* Up to where the next iteration begins, so that elements between those of two iterations go with the first of them. */
rts_box_t rts_across_image(const rts_across_array_t *across, const rts_box_t *iterations) {
    rts_box_t image = across->array->space;
    for (int axis = 0; axis < image.rank; axis++) {
        const rts_walk_t *walk = &across->walk[axis];
        const rts_index_t base = image.lo[axis];
        if (!walk->is_known)
            continue;
        const rts_index_t from = walk->mult * iterations->lo[walk->dim] + walk->add,
                          to = walk->mult * iterations->hi[walk->dim] + walk->add;
        rts_index_t first, end;
        rts_iterations_within(base, 1, image.hi[axis] - base, walk->array_mult, walk->array_add,
                              walk->mult > 0 ? from : to + 1, walk->mult > 0 ? to : from + 1, &first, &end);
        image.lo[axis] = base + first;
        image.hi[axis] = base + end;
    }
    return image;
}

bool rts_across_is_dense(const rts_across_array_t *across) {
    for (int axis = 0; axis < across->array->space.rank; axis++) {
        const rts_walk_t *walk = &across->walk[axis];
        if (!walk->is_known || (walk->mult != walk->array_mult && walk->mult != -walk->array_mult))
            return false;
    }
    return !across->is_out;
}

/* ---- fronts ---- */

/* The only axis that a dim walks by one element an iteration; -1: none. index = sign * ordinal + base. */
static int axis_of_dim(const rts_across_array_t *across, int dim, int *sign_p, rts_index_t *base_p) {
    int found = -1;
    for (int axis = 0; axis < across->array->space.rank; axis++) {
        const rts_walk_t *walk = &across->walk[axis];
        if (walk->dim != dim)
            continue;
        if (found >= 0 || !walk->is_known ||
            (walk->mult != walk->array_mult && walk->mult != -walk->array_mult) ||
            (walk->add - walk->array_add) % walk->array_mult != 0)
            return -1;
        found = axis;
        *sign_p = walk->mult == walk->array_mult ? 1 : -1;
        *base_p = (walk->add - walk->array_add) / walk->array_mult;
    }
    return found;
}

bool rts_across_has_fronts(const rts_across_array_t *across, int loop_rank) {
    int sign;
    rts_index_t base;
    return !across->is_out && loop_rank >= 2 && axis_of_dim(across, loop_rank - 2, &sign, &base) >= 0 &&
           axis_of_dim(across, loop_rank - 1, &sign, &base) >= 0;
}

/* Ordinal of the first index of a box along an axis, counted in the direction of the dim. */
static rts_index_t first_ordinal(const rts_box_t *box, int axis, int sign, rts_index_t base) {
    return sign > 0 ? box->lo[axis] - base : base - (box->hi[axis] - 1);
}

void rts_across_fronts(const rts_across_array_t *across, int loop_rank, rts_index_t lag, rts_index_t lo,
                       rts_index_t hi, rts_front_box_t *fronts) {
    rts_index_t row_base = 0, column_base = 0;
    fronts->row_axis = axis_of_dim(across, loop_rank - 2, &fronts->row_sign, &row_base);
    fronts->column_axis = axis_of_dim(across, loop_rank - 1, &fronts->column_sign, &column_base);
    fronts->lag = lag;
    const rts_index_t first =
        lag * first_ordinal(&fronts->box, fronts->row_axis, fronts->row_sign, row_base) +
        first_ordinal(&fronts->box, fronts->column_axis, fronts->column_sign, column_base);
    fronts->front_lo = lo - first;
    fronts->front_hi = hi - first;
}
