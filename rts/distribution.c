/* Block bounds, alignments and the parts that follow from them. Decides how remainders are spread and how
 * bounds are rounded; knows neither arrays nor processes.
 *
 * Products of multipliers and indices are formed in 128 bits, so that no input can overflow: what the
 * program wrote is either right or refused, never wrapped. */
#include <config.h>

#include "rts/distribution.h"

__extension__ typedef __int128 wide_t;

/* Larger multipliers and offsets are refused. Composing saturates, and a saturated number is beyond this
 * limit. */
#define COEFFICIENT_LIMIT ((rts_index_t)1 << 62)

static rts_index_t saturate(wide_t value) {
    if (value > INT64_MAX)
        return INT64_MAX;
    return value < INT64_MIN ? INT64_MIN : (rts_index_t)value;
}

static wide_t wide_div_up(wide_t a, wide_t b) {
    return a / b + (a % b != 0 && a > 0);
}

/* Distribution */

void rts_block_bounds(rts_index_t extent, rts_index_t parts, rts_index_t part, rts_index_t *lo_p,
                      rts_index_t *hi_p) {
    RTS_ASSERT(extent >= 0 && parts >= 1 && part >= 0 && part < parts);
    if (extent < parts) {
        *lo_p = rts_min(part, extent);
        *hi_p = rts_min(part + 1, extent);
        return;
    }
    /* The accumulator (k * remainder) mod parts falls below the remainder exactly when it wraps around:
     * after k parts it has wrapped k * remainder / parts times. */
    const rts_index_t base = extent / parts;
    const wide_t remainder = extent % parts;
    *lo_p = part * base + (rts_index_t)(part * remainder / parts);
    *hi_p = (part + 1) * base + (rts_index_t)((part + 1) * remainder / parts);
}

/* What a rule gives to a part of an axis, counted from the axis's beginning. */
static void axis_bounds(const rts_axis_rule_t *rule, rts_index_t extent, rts_index_t parts, rts_index_t part,
                        rts_index_t *lo_p, rts_index_t *hi_p) {
    switch (rule->kind) {
    case RTS_AXIS_REPLICATED:
        *lo_p = 0;
        *hi_p = extent;
        return;
    case RTS_AXIS_BLOCK:
        rts_block_bounds(extent, parts, part, lo_p, hi_p);
        return;
    case RTS_AXIS_MULTBLOCK:
        rts_block_bounds(extent / rule->quantum, parts, part, lo_p, hi_p);
        *lo_p *= rule->quantum;
        *hi_p *= rule->quantum;
        return;
    case RTS_AXIS_BOUNDS:
        RTS_ASSERT(rule->bounds[0] == 0 && rule->bounds[parts] == extent);
        *lo_p = rule->bounds[part];
        *hi_p = rule->bounds[part + 1];
    }
}

static rts_status_t check_quantum(const rts_distribution_t *distribution, int axis) {
    const rts_index_t extent = distribution->space.hi[axis] - distribution->space.lo[axis];
    const rts_index_t quantum = distribution->rule[axis].quantum;
    if (quantum >= 1 && extent % quantum == 0)
        return RTS_OK;
    return rts_fail(RTS_ERR_INVALID,
                    "axis %d of %lld elements is cut into multiples of %lld; allowed: divisors of %lld",
                    axis + 1, (long long)extent, (long long)quantum, (long long)extent);
}

rts_status_t rts_distribution_check(const rts_distribution_t *distribution) {
    for (int axis = 0; axis < distribution->space.rank; axis++) {
        const rts_axis_rule_t *rule = &distribution->rule[axis];
        if (rule->kind == RTS_AXIS_REPLICATED)
            continue;
        if (rule->kind > RTS_AXIS_BOUNDS)
            return rts_fail(RTS_ERR_INVALID, "axis %d is distributed by the unknown rule %d", axis + 1,
                            (int)rule->kind);
        if (rule->grid_axis < 0)
            return rts_fail(
                RTS_ERR_INVALID,
                "axis %d is distributed over axis %lld of the process grid, allowed are 1 and more", axis + 1,
                (long long)rule->grid_axis + 1);
        for (int other = 0; other < axis; other++)
            if (distribution->rule[other].kind != RTS_AXIS_REPLICATED &&
                distribution->rule[other].grid_axis == rule->grid_axis)
                return rts_fail(RTS_ERR_INVALID,
                                "axes %d and %d are both distributed over axis %lld of the process grid",
                                other + 1, axis + 1, (long long)rule->grid_axis + 1);
        if (rule->kind == RTS_AXIS_MULTBLOCK)
            RTS_TRY(check_quantum(distribution, axis));
    }
    return RTS_OK;
}

/* An axis of which the process gets nothing is empty, while the other axes keep their parts: an array that is
 * replicated along the empty axis still follows the others. */
rts_box_t rts_distribution_local(const rts_distribution_t *distribution, const rts_grid_t *grid) {
    rts_box_t local = distribution->space;
    for (int axis = 0; axis < local.rank; axis++) {
        const rts_axis_rule_t *rule = &distribution->rule[axis];
        if (rule->kind == RTS_AXIS_REPLICATED || rule->grid_axis >= grid->rank)
            continue;
        rts_index_t lo = 0, hi = 0;
        axis_bounds(rule, local.hi[axis] - local.lo[axis], grid->size[rule->grid_axis],
                    grid->coordinate[rule->grid_axis], &lo, &hi);
        local.hi[axis] = local.lo[axis] + hi;
        local.lo[axis] += lo;
    }
    return local;
}

/* Alignment */

rts_alignment_t rts_alignment_identity(int rank) {
    rts_alignment_t alignment = {.rank = rank};
    for (int axis = 0; axis < rank; axis++)
        alignment.rule[axis] = (rts_align_rule_t){.axis = axis, .mult = 1, .add = 0};
    return alignment;
}

static rts_status_t check_coefficients(const rts_align_rule_t *rule, int target_axis) {
    if (rule->add > COEFFICIENT_LIMIT || rule->add < -COEFFICIENT_LIMIT)
        return rts_fail(RTS_ERR_INVALID, "alignment with axis %d: the offset %lld is beyond %lld",
                        target_axis + 1, (long long)rule->add, (long long)COEFFICIENT_LIMIT);
    if (rule->axis == RTS_ALIGN_CONSTANT)
        return RTS_OK;
    if (rule->mult == 0)
        return rts_fail(RTS_ERR_INVALID, "alignment with axis %d: the multiplier is 0", target_axis + 1);
    if (rule->mult > COEFFICIENT_LIMIT || rule->mult < -COEFFICIENT_LIMIT)
        return rts_fail(RTS_ERR_INVALID, "alignment with axis %d: the multiplier %lld is beyond %lld",
                        target_axis + 1, (long long)rule->mult, (long long)COEFFICIENT_LIMIT);
    return RTS_OK;
}

/* Do both ends of the array's axis fall on the target's axis? */
static rts_status_t check_image(const rts_align_rule_t *rule, const rts_box_t *space, const rts_box_t *target,
                                int target_axis) {
    const rts_index_t first = space->lo[rule->axis], last = space->hi[rule->axis] - 1;
    if (first > last)
        return RTS_OK;
    const wide_t at_first = (wide_t)rule->mult * first + rule->add;
    const wide_t at_last = (wide_t)rule->mult * last + rule->add;
    const wide_t low = at_first < at_last ? at_first : at_last,
                 high = at_first < at_last ? at_last : at_first;
    if (low >= target->lo[target_axis] && high < target->hi[target_axis])
        return RTS_OK;
    return rts_fail(RTS_ERR_INVALID,
                    "alignment with axis %d: axis %d [%lld..%lld] comes to [%lld..%lld] by %lld*i%+lld, "
                    "allowed is [%lld..%lld]",
                    target_axis + 1, rule->axis + 1, (long long)first, (long long)last,
                    (long long)saturate(low), (long long)saturate(high), (long long)rule->mult,
                    (long long)rule->add, (long long)target->lo[target_axis],
                    (long long)target->hi[target_axis] - 1);
}

rts_status_t rts_alignment_check(const rts_alignment_t *alignment, const rts_box_t *space,
                                 const rts_box_t *target) {
    if (alignment->rank != target->rank)
        return rts_fail(RTS_ERR_INVALID, "alignment names %d axes, the target has %d", alignment->rank,
                        target->rank);
    bool used[RTS_MAX_RANK] = {false};
    for (int axis = 0; axis < alignment->rank; axis++) {
        const rts_align_rule_t *rule = &alignment->rule[axis];
        if (rule->axis == RTS_ALIGN_ANY)
            continue;
        RTS_TRY(check_coefficients(rule, axis));
        if (rule->axis == RTS_ALIGN_CONSTANT) {
            if (rule->add < target->lo[axis] || rule->add >= target->hi[axis])
                return rts_fail(RTS_ERR_INVALID,
                                "alignment with axis %d: the constant %lld is outside [%lld..%lld]", axis + 1,
                                (long long)rule->add, (long long)target->lo[axis],
                                (long long)target->hi[axis] - 1);
            continue;
        }
        if (rule->axis < 0 || rule->axis >= space->rank)
            return rts_fail(RTS_ERR_INVALID,
                            "alignment with axis %d: there is no axis %lld, allowed are 1..%d", axis + 1,
                            (long long)rule->axis + 1, space->rank);
        if (used[rule->axis])
            return rts_fail(RTS_ERR_INVALID, "alignment with axis %d: axis %d is used already", axis + 1,
                            rule->axis + 1);
        used[rule->axis] = true;
        RTS_TRY(check_image(rule, space, target, axis));
    }
    return RTS_OK;
}

rts_alignment_t rts_alignment_compose(const rts_alignment_t *with_target,
                                      const rts_alignment_t *target_with_root) {
    rts_alignment_t composed = *target_with_root;
    for (int axis = 0; axis < composed.rank; axis++) {
        rts_align_rule_t *rule = &composed.rule[axis];
        if (rule->axis < 0) /* constants and replication of the target hold for whatever is aligned with it */
            continue;
        RTS_ASSERT(rule->axis < with_target->rank);
        const rts_align_rule_t *inner = &with_target->rule[rule->axis];
        if (inner->axis != RTS_ALIGN_ANY)
            rule->add = saturate((wide_t)rule->mult * inner->add + rule->add);
        rule->mult = inner->axis >= 0 ? saturate((wide_t)rule->mult * inner->mult) : 0;
        rule->axis = inner->axis;
    }
    return composed;
}

rts_box_t rts_alignment_local(const rts_alignment_t *alignment, const rts_box_t *space,
                              const rts_box_t *template_local) {
    rts_box_t local = *space;
    for (int axis = 0; axis < alignment->rank; axis++) {
        const rts_align_rule_t *rule = &alignment->rule[axis];
        const rts_index_t lo = template_local->lo[axis], hi = template_local->hi[axis];
        if (rule->axis == RTS_ALIGN_ANY)
            continue;
        if (rule->axis == RTS_ALIGN_CONSTANT) {
            if (rule->add < lo || rule->add >= hi)
                return rts_box_empty(space->rank);
            continue;
        }
        const rts_index_t start = space->lo[rule->axis];
        rts_index_t first, end;
        rts_iterations_within(start, 1, space->hi[rule->axis] - start, rule->mult, rule->add, lo, hi, &first,
                              &end);
        local.lo[rule->axis] = start + first;
        local.hi[rule->axis] = start + end;
    }
    return local;
}

/* The image of iteration n is n * slope + origin. */
void rts_iterations_within(rts_index_t start, rts_index_t step, rts_index_t count, rts_index_t mult,
                           rts_index_t add, rts_index_t lo, rts_index_t hi, rts_index_t *first_p,
                           rts_index_t *end_p) {
    RTS_ASSERT(step != 0 && mult != 0);
    wide_t first = 0, end = 0;
    if (lo < hi) {
        const wide_t slope = (wide_t)mult * step;
        const wide_t origin = (wide_t)mult * start + add;
        if (slope > 0) {
            first = wide_div_up(lo - origin, slope);
            end = wide_div_up(hi - origin, slope);
        } else {
            first = wide_div_up(origin - hi + 1, -slope);
            end = wide_div_up(origin - lo + 1, -slope);
        }
        if (first < 0)
            first = 0;
        if (end > count)
            end = count;
    }
    *first_p = first < end ? (rts_index_t)first : 0;
    *end_p = first < end ? (rts_index_t)end : 0;
}
