/* Where arrays and templates lie: distribution and alignment, first and anew. */
#include <config.h>

#include <dvmhlib_const.h>
#include <stdarg.h>
#include <stdio.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/memory.h"
#include "rts/redistribute.h"
#include "rts/runtime.h"
#include "rts/uneven.h"

/* ---- helpers ---- */

HOOKS_API DvmType dvmh_distribution_replicated_(void) {
    return hooks_keep_rule((hooks_rule_t){.rule = {.kind = RTS_AXIS_REPLICATED, .grid_axis = -1}});
}

static rts_axis_rule_t cut_rule(const char *entry_point, rts_axis_kind_t kind, DvmType grid_axis) {
    if (grid_axis < 1 || grid_axis > INT16_MAX)
        hooks_error(entry_point, "axis %ld of the process grid; allowed: 1..%d", (long)grid_axis, INT16_MAX);
    return (rts_axis_rule_t){.kind = kind, .grid_axis = (int)grid_axis - 1};
}

HOOKS_API DvmType dvmh_distribution_block_C(DvmType grid_axis) {
    return hooks_keep_rule((hooks_rule_t){.rule = cut_rule(__func__, RTS_AXIS_BLOCK, grid_axis)});
}

HOOKS_API DvmType dvmh_distribution_multblock_C(DvmType grid_axis, DvmType quantum) {
    hooks_rule_t rule = {.rule = cut_rule(__func__, RTS_AXIS_MULTBLOCK, grid_axis)};
    if (quantum < 1)
        hooks_error(__func__, "multiples of %ld; allowed: 1 and more", (long)quantum);
    rule.rule.quantum = quantum;
    return hooks_keep_rule(rule);
}

/* Types that numbers of a distribution may have. */
static bool is_whole_type(DvmType type) {
    return type == rt_INT || type == rt_LONG || type == rt_LLONG || type == rt_SHORT || type == rt_UINT;
}

HOOKS_API DvmType dvmh_distribution_genblock_C(DvmType grid_axis, DvmType element_type, const void *sizes) {
    const rts_axis_rule_t rule = cut_rule(__func__, RTS_AXIS_BOUNDS, grid_axis);
    if (!is_whole_type(element_type))
        hooks_error(
            __func__,
            "sizes of type %ld; allowed: %d (int), %d (long), %d (long long), %d (short), %d (unsigned)",
            (long)element_type, rt_INT, rt_LONG, rt_LLONG, rt_SHORT, rt_UINT);
    if (sizes == NULL)
        hooks_error(__func__, "the address of the sizes is 0");
    return hooks_keep_rule((hooks_rule_t){.rule = rule, .element_type = element_type, .numbers = sizes});
}

HOOKS_API DvmType dvmh_distribution_wgtblock_C(DvmType grid_axis, DvmType element_type, const void *weights,
                                               DvmType count) {
    const rts_axis_rule_t rule = cut_rule(__func__, RTS_AXIS_BOUNDS, grid_axis);
    if (!is_whole_type(element_type) && element_type != rt_FLOAT && element_type != rt_DOUBLE)
        hooks_error(
            __func__,
            "weights of type %ld; allowed: %d (float), %d (double), %d (int), %d (long), %d (long long), "
            "%d (short), %d (unsigned)",
            (long)element_type, rt_FLOAT, rt_DOUBLE, rt_INT, rt_LONG, rt_LLONG, rt_SHORT, rt_UINT);
    if (count < 1)
        hooks_error(__func__, "%ld weights; allowed: 1 and more", (long)count);
    if (weights == NULL)
        hooks_error(__func__, "the address of the weights is 0");
    return hooks_keep_rule((hooks_rule_t){.rule = rule,
                                          .is_weights = true,
                                          .element_type = element_type,
                                          .numbers = weights,
                                          .count = count});
}

HOOKS_API DvmType dvmh_alignment_linear_C(DvmType axis, DvmType multiplier, DvmType summand) {
    if (axis < -1 || axis > RTS_MAX_RANK)
        hooks_error(__func__, "axis %ld; allowed: 1..%d, 0 (a constant) or -1 (any index)", (long)axis,
                    RTS_MAX_RANK);
    const int inside = axis > 0 ? (int)axis - 1 : axis == 0 ? RTS_ALIGN_CONSTANT : RTS_ALIGN_ANY;
    return hooks_keep_alignment((rts_align_rule_t){.axis = inside, .mult = multiplier, .add = summand});
}

/* ---- rules of a call, with what the program's numbers mean ---- */

typedef struct rules {
    rts_axis_rule_t rule[RTS_MAX_RANK];
    rts_index_t *bounds[RTS_MAX_RANK]; /* to be freed; NULL where there are none */
} rules_t;

static rts_index_t whole_number(const hooks_rule_t *rule, rts_index_t i) {
    switch (rule->element_type) {
    case rt_SHORT:
        return ((const short *)rule->numbers)[i];
    case rt_UINT:
        return ((const unsigned *)rule->numbers)[i];
    case rt_LONG:
        return ((const long *)rule->numbers)[i];
    case rt_LLONG:
        return ((const long long *)rule->numbers)[i];
    default:
        return ((const int *)rule->numbers)[i];
    }
}

static double number(const hooks_rule_t *rule, rts_index_t i) {
    if (rule->element_type == rt_FLOAT)
        return (double)((const float *)rule->numbers)[i];
    return rule->element_type == rt_DOUBLE ? ((const double *)rule->numbers)[i]
                                           : (double)whole_number(rule, i);
}

static void *allocate(const char *entry_point, rts_index_t count, size_t size) {
    void *const block = rts_alloc_zeroed((size_t)count, size);
    if (block == NULL) {
        (void)rts_fail_memory("the bounds of a distribution", (size_t)count * size);
        hooks_end(entry_point);
    }
    return block;
}

/* Bounds of one axis. The message says which. */
static void find_bounds(const char *entry_point, int axis, rts_index_t extent, const hooks_rule_t *rule,
                        rts_index_t bounds[]) {
    const rts_index_t parts = rts_grid_parts(&rts_runtime()->grid, rule->rule.grid_axis);
    rts_status_t status;
    if (rule->is_weights) {
        double *const weight = allocate(entry_point, rule->count, sizeof *weight);
        for (rts_index_t i = 0; i < rule->count; i++)
            weight[i] = number(rule, i);
        status = rts_bounds_by_weight(extent, weight, rule->count, parts, bounds);
        rts_free(weight);
    } else {
        rts_index_t *const size = allocate(entry_point, parts, sizeof *size);
        for (rts_index_t i = 0; i < parts; i++)
            size[i] = whole_number(rule, i);
        status = rts_bounds_by_size(extent, size, parts, bounds);
        rts_free(size);
    }
    if (status != RTS_OK) {
        char text[512];
        snprintf(text, sizeof text, "%s", rts_error_text()); /* the message to come takes its place */
        hooks_error(entry_point, "axis %d: %s", axis + 1, text);
    }
}

static void read_rules(const char *entry_point, const rts_box_t *space, va_list list, rules_t *rules_p) {
    hooks_rule_t given[RTS_MAX_RANK];
    for (int axis = 0; axis < space->rank; axis++)
        given[axis] = hooks_rule(entry_point, va_arg(list, DvmType));
    for (int axis = 0; axis < space->rank; axis++) {
        rules_p->rule[axis] = given[axis].rule;
        rules_p->bounds[axis] = NULL;
        if (given[axis].rule.kind != RTS_AXIS_BOUNDS)
            continue;
        const rts_index_t parts = rts_grid_parts(&rts_runtime()->grid, given[axis].rule.grid_axis);
        rules_p->bounds[axis] = allocate(entry_point, parts + 1, sizeof(rts_index_t));
        find_bounds(entry_point, axis, space->hi[axis] - space->lo[axis], &given[axis],
                    rules_p->bounds[axis]);
        rules_p->rule[axis].bounds = rules_p->bounds[axis];
    }
}

static void free_rules(const rules_t *rules, int rank) {
    for (int axis = 0; axis < rank; axis++)
        rts_free(rules->bounds[axis]);
}

/* ---- distribution ---- */

/* Both forms of distribution. The arrays that move along are free for it: no region and no loop is open. */
static rts_status_t distribute(rts_template_t *template, rts_array_t *array, bool anew,
                               const rts_axis_rule_t rule[]) {
    const rts_grid_t *const grid = &rts_runtime()->grid;
    if (anew)
        return array != NULL ? rts_redistribute_array(array, rule)
                             : rts_redistribute_template(template, rule);
    return array != NULL ? rts_array_distribute(array, rule, grid)
                         : rts_template_distribute(template, rule, grid);
}

static void read_and_distribute(const char *entry_point, DvmType header[], DvmType rank, bool anew,
                                va_list list) {
    rts_template_t *template;
    rts_array_t *array;
    rules_t rules;
    hooks_need_collective(entry_point);
    if (anew)
        hooks_need_no_region(entry_point);
    hooks_target(entry_point, header, &template, &array);
    const rts_box_t *const space = array != NULL ? &array->space : &template->distribution.space;
    hooks_check_rank(entry_point, rank, space->rank);
    if (array != NULL && !array->is_complete)
        hooks_error(entry_point, "the array is only declared: its first axis has no size yet");
    read_rules(entry_point, space, list, &rules);
    if (distribute(template, array, anew, rules.rule) != RTS_OK)
        hooks_end(entry_point);
    free_rules(&rules, space->rank);
    hooks_drop_helpers();
}

HOOKS_API void dvmh_distribute_C(DvmType header[], DvmType rank, ...) {
    va_list list;
    va_start(list, rank);
    read_and_distribute(__func__, header, rank, false, list);
    va_end(list);
}

HOOKS_API void dvmh_redistribute_C(DvmType header[], DvmType rank, ...) {
    va_list list;
    va_start(list, rank);
    read_and_distribute(__func__, header, rank, true, list);
    va_end(list);
}

/* ---- alignment ---- */

typedef struct target {
    rts_template_t *template; /* one of the two */
    rts_array_t *array;
    rts_alignment_t alignment;
} target_t;

static target_t read_target(const char *entry_point, const DvmType header[], DvmType rank, va_list list) {
    target_t target;
    hooks_target(entry_point, header, &target.template, &target.array);
    target.alignment.rank =
        target.template != NULL ? target.template->distribution.space.rank : target.array->space.rank;
    hooks_check_rank(entry_point, rank, target.alignment.rank);
    for (int axis = 0; axis < target.alignment.rank; axis++)
        target.alignment.rule[axis] = hooks_alignment(entry_point, va_arg(list, DvmType));
    return target;
}

HOOKS_API void dvmh_align_C(DvmType header[], const DvmType target[], DvmType target_rank, ...) {
    va_list list;
    hooks_need_collective(__func__);
    rts_array_t *array = hooks_array(__func__, header);
    va_start(list, target_rank);
    const target_t place = read_target(__func__, target, target_rank, list);
    va_end(list);
    HOOKS_TRY(rts_array_align(array, place.template, place.array, &place.alignment, &rts_runtime()->grid));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_realign_C(DvmType header[], DvmType new_values, const DvmType target[],
                              DvmType target_rank, ...) {
    va_list list;
    hooks_need_collective(__func__);
    hooks_need_no_region(__func__);
    rts_array_t *array = hooks_array(__func__, header);
    va_start(list, target_rank);
    const target_t place = read_target(__func__, target, target_rank, list);
    va_end(list);
    HOOKS_TRY(rts_realign(array, place.template, place.array, &place.alignment, new_values == 0));
    hooks_drop_helpers();
}
