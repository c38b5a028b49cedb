/* Widths of all objects are carried over to the axes of the root template, where the loop's mapping, the clause's object and the arrays
 * meet: an edge of w indices of an object that lies on every m-th index of the root is m * w wide there. */
#include <config.h>

#include "rts/shadow_compute.h"

#include <string.h>

/* Widths along the axes of the root. */
typedef struct widths {
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
} widths_t;

rts_status_t rts_loop_set_shadow_compute(rts_loop_t *loop, rts_template_t *template, rts_array_t *array,
                                         const rts_index_t low[], const rts_index_t high[]) {
    rts_loop_shadow_t *shadow = &loop->shadow;
    const int rank = template != NULL ? template->distribution.space.rank : array->space.rank;
    if (shadow->is_given)
        return rts_fail(RTS_ERR_INVALID, "the loop has shadow_compute already; allowed: one");
    if (template != NULL ? !template->is_distributed : array->template == NULL)
        return rts_fail(RTS_ERR_INVALID, "shadow_compute along %s that is not distributed",
                        template != NULL ? "a template" : "an array");
    for (int axis = 0; axis < rank && low != NULL; axis++)
        if (low[axis] < 0 || high[axis] < 0)
            return rts_fail(RTS_ERR_INVALID,
                            "shadow_compute widths %lld:%lld of axis %d; allowed: 0 and more",
                            (long long)low[axis], (long long)high[axis], axis + 1);
    shadow->is_given = true;
    shadow->template = template;
    shadow->array = array;
    shadow->has_widths = low != NULL;
    if (low != NULL) {
        memcpy(shadow->low, low, (size_t)rank * sizeof low[0]);
        memcpy(shadow->high, high, (size_t)rank * sizeof high[0]);
    }
    return RTS_OK;
}

rts_status_t rts_loop_add_shadow_array(rts_loop_t *loop, rts_array_t *array) {
    rts_loop_shadow_t *shadow = &loop->shadow;
    if (shadow->count == RTS_MAX_LOOP_ITEMS)
        return rts_fail(RTS_ERR_INVALID, "more than %d arrays of shadow_compute in one loop",
                        RTS_MAX_LOOP_ITEMS);
    if (array->template == NULL)
        return rts_fail(RTS_ERR_INVALID, "the array is not distributed");
    shadow->written[shadow->count++] = array;
    return RTS_OK;
}

/* ---- widths ---- */

/* Widths of an object along the root's axes; those of constants and of axes that the object lies on whole are without limit. */
static widths_t carry_over(const rts_alignment_t *alignment, const rts_index_t low[],
                           const rts_index_t high[]) {
    widths_t widths = {{0}, {0}};
    for (int axis = 0; axis < alignment->rank; axis++) {
        const rts_align_rule_t *rule = &alignment->rule[axis];
        rts_index_t *before = &widths.low[axis], *behind = &widths.high[axis];
        *before = *behind = INT64_MAX;
        if (rule->axis < 0)
            continue;
        const rts_index_t mult = rule->mult < 0 ? -rule->mult : rule->mult;
        const rts_index_t w[2] = {rule->mult < 0 ? high[rule->axis] : low[rule->axis],
                                  rule->mult < 0 ? low[rule->axis] : high[rule->axis]};
        if (__builtin_mul_overflow(mult, w[0], before))
            *before = INT64_MAX;
        if (__builtin_mul_overflow(mult, w[1], behind))
            *behind = INT64_MAX;
    }
    return widths;
}

/* An axis of which nobody says anything is not extended. */
static void close_open_ends(widths_t *widths, int rank) {
    for (int axis = 0; axis < rank; axis++) {
        widths->low[axis] = widths->low[axis] == INT64_MAX ? 0 : widths->low[axis];
        widths->high[axis] = widths->high[axis] == INT64_MAX ? 0 : widths->high[axis];
    }
}

static widths_t given_widths(const rts_loop_shadow_t *shadow, int rank) {
    const rts_alignment_t identity = rts_alignment_identity(rank);
    return carry_over(shadow->array != NULL ? &shadow->array->alignment : &identity, shadow->low,
                      shadow->high);
}

/* The widths that fit all arrays. */
static widths_t smallest_widths(const rts_loop_shadow_t *shadow, int rank) {
    widths_t smallest;
    for (int axis = 0; axis < rank; axis++)
        smallest.low[axis] = smallest.high[axis] = INT64_MAX;
    for (int i = 0; i < shadow->count; i++) {
        const rts_array_t *array = shadow->written[i];
        const widths_t own = carry_over(&array->alignment, array->shadow_lo, array->shadow_hi);
        for (int axis = 0; axis < rank; axis++) {
            smallest.low[axis] = rts_min(smallest.low[axis], own.low[axis]);
            smallest.high[axis] = rts_min(smallest.high[axis], own.high[axis]);
        }
    }
    return smallest;
}

static rts_status_t choose_widths(const rts_loop_shadow_t *shadow, int rank, widths_t *widths) {
    const widths_t most = smallest_widths(shadow, rank);
    *widths = shadow->has_widths ? given_widths(shadow, rank) : most;
    close_open_ends(widths, rank);
    for (int axis = 0; axis < rank; axis++)
        if (widths->low[axis] > most.low[axis] || widths->high[axis] > most.high[axis])
            return rts_fail(
                RTS_ERR_INVALID,
                "shadow_compute by %lld:%lld along axis %d of the template; allowed, by the shadow "
                "edges of the arrays that the loop writes: 0..%lld : 0..%lld",
                (long long)widths->low[axis], (long long)widths->high[axis], axis + 1,
                (long long)most.low[axis], (long long)most.high[axis]);
    return RTS_OK;
}

/* ---- parts ---- */

static rts_template_t *root_of(rts_template_t *template, const rts_array_t *array) {
    return template != NULL ? template : array != NULL ? array->template : NULL;
}

static rts_status_t check(const rts_loop_t *loop, const rts_template_t *root) {
    const rts_loop_shadow_t *shadow = &loop->shadow;
    if (root == NULL)
        return rts_fail(RTS_ERR_INVALID, "shadow_compute in a loop that is mapped on nothing distributed");
    if (loop->across_count > 0 || loop->reduction_count > 0)
        return rts_fail(RTS_ERR_INVALID,
                        "shadow_compute in a loop with %s; allowed: in loops without across and reductions",
                        loop->across_count > 0 ? "across" : "a reduction");
    if (root_of(shadow->template, shadow->array) != root)
        return rts_fail(RTS_ERR_INVALID,
                        "shadow_compute along an object that is not aligned with the loop's target");
    for (int i = 0; i < shadow->count; i++)
        if (shadow->written[i]->template != root)
            return rts_fail(RTS_ERR_INVALID,
                            "array %d of shadow_compute is not aligned with the loop's target", i + 1);
    return RTS_OK;
}

/* Around nothing there are no edges to write to. */
static bool has_room(const rts_loop_shadow_t *shadow) {
    for (int i = 0; i < shadow->count; i++)
        if (rts_box_is_empty(&shadow->written[i]->local))
            return false;
    return true;
}

static rts_status_t extend(rts_loop_t *loop, const rts_template_t *root) {
    rts_box_t *part = &loop->shadow.part;
    widths_t widths = {{0}, {0}};
    RTS_TRY(check(loop, root));
    const rts_box_t *space = &root->distribution.space;
    RTS_TRY(choose_widths(&loop->shadow, space->rank, &widths));
    *part = root->local;
    /* Both bounds, since compilers warn that entries beyond could be used. */
    for (int axis = 0; axis < RTS_MAX_RANK && axis < space->rank && has_room(&loop->shadow); axis++) {
        if (part->lo[axis] >= part->hi[axis]) /* arrays may lie whole along it all the same */
            continue;
        /* Compared as differences, which cannot overflow. */
        part->lo[axis] -= rts_min(widths.low[axis], part->lo[axis] - space->lo[axis]);
        part->hi[axis] += rts_min(widths.high[axis], space->hi[axis] - part->hi[axis]);
    }
    return RTS_OK;
}

rts_status_t rts_loop_find_part(rts_loop_t *loop, rts_box_t *part_p) {
    const rts_array_t *target = loop->map_array;
    const rts_template_t *root = root_of(loop->map_template, target);
    if (!loop->shadow.is_given) {
        *part_p = target != NULL ? target->local : root->local;
        return RTS_OK;
    }
    RTS_TRY(extend(loop, root));
    *part_p = target != NULL ? rts_alignment_local(&target->alignment, &target->space, &loop->shadow.part)
                             : loop->shadow.part;
    return RTS_OK;
}

rts_box_t rts_loop_computed_part(const rts_loop_t *loop, const rts_array_t *array) {
    const rts_box_t part = rts_alignment_local(&array->alignment, &array->space, &loop->shadow.part);
    return rts_box_intersect(&part, &array->held);
}
