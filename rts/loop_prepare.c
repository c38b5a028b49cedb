/* What follows from a loop's clauses once all are known: the dim that walks an axis, the iterations of this process and of others, the
 * dependency mask and the dependences. */
#include <config.h>

#include "rts/loop.h"

#include <string.h>

#include "rts/placement.h"
#include "rts/shadow_compute.h"

/* Bit of an intent. */
#define INTENT_WRITE 2

/* The loop dim that walks a root template axis through the mapping, with the sign of its coefficient. */
static int dim_of_root_axis(const rts_loop_t *loop, const rts_template_t *root, int root_axis, int *sign_p) {
    rts_alignment_t map = loop->map;
    if (loop->map_array != NULL) {
        if (loop->map_array->template != root)
            return -1;
        map = rts_alignment_compose(&loop->map, &loop->map_array->alignment);
    } else if (loop->map_template != root) {
        return -1;
    }
    if (map.rule[root_axis].axis < 0)
        return -1;
    *sign_p = map.rule[root_axis].mult < 0 ? -1 : 1;
    return map.rule[root_axis].axis;
}

static int dim_by_alignment(const rts_loop_t *loop, const rts_array_t *array, int axis, int *sign_p) {
    if (!loop->has_map)
        return -1;
    if (loop->map_array == array) { /* also right for arrays that are kept whole along this axis */
        for (int i = 0; i < loop->map.rank; i++)
            if (i == axis && loop->map.rule[i].axis >= 0) {
                *sign_p = loop->map.rule[i].mult < 0 ? -1 : 1;
                return loop->map.rule[i].axis;
            }
        return -1;
    }
    for (int i = 0; i < array->alignment.rank && array->template != NULL; i++) {
        const rts_align_rule_t *rule = &array->alignment.rule[i];
        int sign = 1;
        const int dim = rule->axis == axis ? dim_of_root_axis(loop, array->template, i, &sign) : -1;
        if (dim >= 0) {
            *sign_p = rule->mult < 0 ? -sign : sign;
            return dim;
        }
    }
    return -1;
}

int rts_loop_dim_of_axis(const rts_loop_t *loop, const rts_array_t *array, int axis, int *sign_p) {
    for (int i = 0; i < loop->tie_count; i++)
        if (loop->tie[i].array == array) {
            *sign_p = loop->tie[i].sign[axis];
            return loop->tie[i].dim[axis];
        }
    for (int i = 0; i < loop->array_count; i++)
        if (loop->array[i].array == array && !loop->array[i].is_remote && loop->array[i].dim[axis] >= 0) {
            *sign_p = loop->array[i].sign[axis];
            return loop->array[i].dim[axis];
        }
    return dim_by_alignment(loop, array, axis, sign_p);
}

/* Keep the iterations whose image lies in a part of the target. @return whether any may be left */
static bool cut_to_map(const rts_loop_t *loop, const rts_box_t *part, rts_box_t *iterations) {
    if (rts_box_is_empty(part))
        return false; /* no part of the target at all, whatever the mapping says of its axes */
    for (int i = 0; i < loop->map.rank; i++) {
        const rts_align_rule_t *rule = &loop->map.rule[i];
        if (rule->axis >= 0)
            rts_iterations_within(loop->start[rule->axis], loop->step[rule->axis], loop->count[rule->axis],
                                  rule->mult, rule->add, part->lo[i], part->hi[i],
                                  &iterations->lo[rule->axis], &iterations->hi[rule->axis]);
        else if (rule->axis == RTS_ALIGN_CONSTANT && (rule->add < part->lo[i] || rule->add >= part->hi[i]))
            return false;
    }
    return true;
}

/* The iterations of whoever has a part of the target. @return whether there are any; of rank 0 there may be one */
static bool find_iterations(const rts_loop_t *loop, const rts_box_t *part, rts_box_t *iterations) {
    iterations->rank = loop->rank;
    for (int dim = 0; dim < loop->rank; dim++) {
        iterations->lo[dim] = 0;
        iterations->hi[dim] = loop->count[dim];
    }
    const bool found =
        (!loop->has_map || cut_to_map(loop, part, iterations)) && !rts_box_is_empty(iterations);
    if (!found && loop->rank > 0)
        *iterations = rts_box_empty(loop->rank);
    return found;
}

static rts_status_t set_local(rts_loop_t *loop) {
    rts_box_t part;
    if (loop->has_map || loop->shadow.is_given)
        RTS_TRY(rts_loop_find_part(loop, &part));
    loop->is_empty = !find_iterations(loop, &part, &loop->local);
    return RTS_OK;
}

/* Where the target of the mapping lies; a template's alignment with itself is the caller's to keep. */
static rts_placement_t target_placement(const rts_loop_t *loop, const rts_grid_t *grid,
                                        rts_alignment_t *identity) {
    const rts_template_t *template = loop->map_template;
    if (template == NULL)
        return rts_array_placement(loop->map_array, grid);
    *identity = rts_alignment_identity(template->distribution.space.rank);
    return (rts_placement_t){&template->distribution.space, identity, &template->distribution, grid};
}

/* Every process runs all of a loop that is mapped nowhere, or on a variable. */
static bool is_everywhere(const rts_loop_t *loop) {
    return !loop->has_map || (loop->map_array != NULL && loop->map_array->is_variable);
}

bool rts_loop_iterations(const rts_loop_t *loop, const rts_grid_t *grid, int process,
                         rts_box_t *iterations_p) {
    rts_alignment_t identity;
    rts_box_t part = {.rank = 0};
    if (is_everywhere(loop)) {
        if (loop->map_array != NULL)
            part = loop->map_array->local;
    } else {
        const rts_placement_t target = target_placement(loop, grid, &identity);
        part = rts_placement_local(&target, process);
    }
    return find_iterations(loop, &part, iterations_p);
}

bool rts_loop_target_serves(const rts_loop_t *loop, const rts_grid_t *grid, int process, int viewer) {
    rts_alignment_t identity;
    if (is_everywhere(loop))
        return process == viewer;
    const rts_placement_t target = target_placement(loop, grid, &identity);
    return rts_placement_serves(&target, process, viewer);
}

bool rts_loop_serves(const rts_loop_t *loop, const rts_grid_t *grid, int process, int viewer) {
    rts_alignment_t identity;
    if (is_everywhere(loop))
        return process == viewer;
    rts_placement_t of_loop = target_placement(loop, grid, &identity);
    const rts_alignment_t map = rts_alignment_compose(&loop->map, of_loop.alignment);
    of_loop.alignment = &map; /* copies come from what the mapping leaves open, too */
    return rts_placement_serves(&of_loop, process, viewer);
}

/* Widths along single axes: each gives a dependence on the neighbouring iteration of the dim that walks the axis, whatever
 * the width, since a chain of neighbours covers larger distances. Directions do not matter: what is read updated must have
 * run before, what is read old must run after, and both are the same order of execution. */
static rts_status_t add_across(rts_loop_t *loop, const rts_loop_across_t *across) {
    for (int axis = 0; axis < across->array->space.rank; axis++) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        int sign = 1;
        if (across->low[axis] == 0 && across->high[axis] == 0)
            continue;
        const int dim = rts_loop_dim_of_axis(loop, across->array, axis, &sign);
        if (dim < 0)
            return rts_fail(RTS_ERR_INVALID,
                            "across widths %lld:%lld of array axis %d, but no loop axis walks it: the "
                            "mapping must tie them",
                            (long long)across->low[axis], (long long)across->high[axis], axis + 1);
        vector[dim] = 1;
        loop->width[dim] = rts_max(loop->width[dim], rts_max(across->low[axis], across->high[axis]));
        loop->mask |= 1u << (loop->rank - 1 - dim);
        if (!loop->has_vectors || loop->is_uncertain)
            RTS_TRY(rts_dependences_add(&loop->dependences, vector));
    }
    return RTS_OK;
}

/* Dependences as the program gave them: every dim along which one reaches is dependent. */
static void set_vectors(rts_loop_t *loop) {
    loop->dependences = loop->vectors;
    for (int dim = 0; dim < loop->rank; dim++)
        if (!rts_dependences_is_free(&loop->vectors, dim))
            loop->mask |= 1u << (loop->rank - 1 - dim);
}

/* The next corner behind dim `lead`: how far it goes back along later dims. Extreme ones alone, or all. @return false after the last */
static bool next_corner(const rts_index_t reach[], int lead, int rank, bool all, rts_index_t vector[]) {
    for (int dim = rank - 1; dim > lead; dim--) {
        if (reach[dim] > 0 && vector[dim] > -reach[dim]) {
            vector[dim] -= all ? 1 : reach[dim];
            return true;
        }
        vector[dim] = 0;
    }
    return false;
}

/* Of all corners the extreme ones are enough: one that starts in a dim, goes back by the whole width along some later dims and
 * stands still along the others. Nearer ones follow from these and from the vectors along single dims. They do not where an extreme one
 * leads out of the iterations, and these are of no known length: then `all` are wanted. */
static bool add_corners(const rts_loop_t *loop, const rts_index_t length[], bool all,
                        rts_dependences_t *dependences) {
    rts_index_t reach[RTS_MAX_RANK];
    if (loop->has_vectors && !loop->is_uncertain)
        return true;
    for (int dim = 0; dim < loop->rank; dim++)
        reach[dim] = rts_max(0, rts_min(loop->width[dim], length[dim] - 1));
    for (int lead = 0; lead < loop->rank; lead++) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        vector[lead] = 1;
        while (reach[lead] > 0 && next_corner(reach, lead, loop->rank, all, vector))
            if (rts_dependences_add(dependences, vector) != RTS_OK)
                return false;
    }
    return true;
}

bool rts_loop_add_corners(rts_loop_t *loop) {
    return add_corners(loop, loop->piece, loop->is_cut, &loop->dependences);
}

bool rts_loop_has_query_handler(const rts_loop_t *loop) {
    for (int i = 0; i < loop->handler_count; i++)
        if ((loop->handler[i].type & RTS_HANDLER_RECORD) == 0)
            return true;
    return false;
}

bool rts_loop_whole_dependences(const rts_loop_t *loop, rts_dependences_t *whole) {
    rts_dependences_init(whole, loop->rank);
    if (loop->has_vectors)
        *whole = loop->vectors;
    else if (loop->across_count > 0)
        *whole = loop->found;
    for (int dim = 0; dim < loop->rank; dim++) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        vector[dim] = 1;
        if (loop->width[dim] > 0 && (!loop->has_vectors || loop->is_uncertain) &&
            rts_dependences_add(whole, vector) != RTS_OK)
            return false;
    }
    /* For cuts it matters that corners go back, not how far. */
    if ((loop->is_uncertain || (rts_loop_has_query_handler(loop) && loop->stage == 0)) &&
        !add_corners(loop, loop->count, false, whole))
        return false;
    rts_dependences_clip(whole, loop->count);
    return true;
}

static void reduce_mask(rts_loop_t *loop) {
    unsigned reduced = loop->mask;
    for (int dim = 0; dim < loop->rank; dim++)
        if (loop->local.hi[dim] - loop->local.lo[dim] == 1)
            reduced &= ~(1u << (loop->rank - 1 - dim));
    if (reduced == 0 && loop->mask != 0) {
        unsigned outermost = 1u << (loop->rank - 1);
        while ((loop->mask & outermost) == 0)
            outermost >>= 1;
        reduced = outermost;
    }
    loop->mask = reduced;
}

/* One array under two names, as when a function is given it for two parameters: whoever found the vectors took the names for two
 * arrays. */
static bool is_aliased(const rts_loop_t *loop) {
    for (int i = 0; i < loop->array_count; i++)
        for (int j = 0; j < i; j++)
            if (loop->array[i].array == loop->array[j].array && !loop->array[i].is_remote &&
                !loop->array[j].is_remote &&
                ((loop->array[i].intent | loop->array[j].intent) & INTENT_WRITE) != 0)
                return true;
    return false;
}

static bool has_unknown(const rts_loop_t *loop) {
    for (int i = 0; i < loop->array_count; i++)
        if (loop->array[i].is_unknown)
            return true;
    return false;
}

rts_status_t rts_loop_prepare(rts_loop_t *loop, bool reduce_dependences) {
    loop->is_uncertain = is_aliased(loop) || (!loop->has_vectors && has_unknown(loop));
    RTS_TRY(set_local(loop));
    memset(loop->width, 0, sizeof loop->width);
    loop->mask = 0;
    rts_dependences_init(&loop->dependences, loop->rank);
    if (loop->has_vectors)
        set_vectors(loop);
    else if (loop->across_count > 0)
        loop->dependences = loop->found;
    for (int i = 0; i < loop->across_count; i++)
        RTS_TRY(add_across(loop, &loop->across[i]));
    for (int dim = 0; dim < loop->rank; dim++)
        loop->piece[dim] = loop->local.hi[dim] - loop->local.lo[dim];
    loop->is_cut = false;
    loop->front_lag = 0;
    rts_dependences_clip(&loop->dependences, loop->piece);
    if (reduce_dependences)
        reduce_mask(loop);
    return RTS_OK;
}
