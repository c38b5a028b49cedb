/* Dependences of a loop against its across clauses. Decides which are declared, and tells what is not. */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

/* The widths of one clause along an axis. @return false: not known when the program is compiled */
static bool clause_widths(const dvmhcc_distributed_t *array, const dvmhcc_widths_t *clause, int axis,
                          int64_t *low_p, int64_t *high_p) {
    const dvmhcc_range_t *range = NULL;
    if (clause->rank > 0)
        range = &clause->axes[axis];
    else if (array->declaration == NULL)
        return false;
    else if (array->declaration->has_shadow)
        range = &array->declaration->shadow[axis];
    if (range == NULL) {
        *low_p = *high_p = 1;
        return true;
    }
    const dvmhcc_expression_t *high = range->single ? &range->low : &range->high;
    if (!range->low.constant.known || !high->constant.known)
        return false;
    *low_p = range->low.constant.value;
    *high_p = high->constant.value;
    return true;
}

/* Whether a clause of across speaks of an array; two may, with and without `out`. */
static bool is_of(const dvmhcc_widths_t *clause, const dvmhcc_loop_array_t *array) {
    return clause->array.text != NULL && strcmp(clause->array.text, array->array->entity->name) == 0;
}

static bool is_out(const dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array) {
    const dvmhcc_widths_t *clause = loop->parallel->acrosses;
    while (clause != NULL && !(clause->out && is_of(clause, array)))
        clause = clause->next;
    return clause != NULL;
}

/* How far apart what one iteration writes may be from what another one uses, along an axis: the sum over the array's clauses, where iterations both
 * write beyond their own element and read others. @param both  the greater width counts both ways
 * @return false: not known when the program is compiled */
static bool widths_of(const dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array, int axis, bool both,
                      int64_t *low_p, int64_t *high_p) {
    *low_p = *high_p = 0;
    for (const dvmhcc_widths_t *clause = loop->parallel->acrosses; clause != NULL; clause = clause->next) {
        int64_t low, high;
        if (!is_of(clause, array))
            continue;
        if (!clause_widths(array->array, clause, axis, &low, &high))
            return false;
        const int64_t most = low > high ? low : high;
        *low_p += both ? most : low;
        *high_p += both ? most : high;
    }
    return true;
}

/* How far apart along an axis two references of one iteration are, from the written one to the other. */
static int64_t offset_of(const dvmhcc_dependence_t *dependence, int axis) {
    const bool writes_later = dependence->kind == DVMHCC_DEPENDENCE_ANTI;
    const dvmhcc_axis_access_t *written =
        &(writes_later ? dependence->later : dependence->earlier)->axes[axis];
    const dvmhcc_axis_access_t *other = &(writes_later ? dependence->earlier : dependence->later)->axes[axis];
    const dvmhcc_linear_t difference = dvmhcc_linear_add(&other->add, &written->add, -1);
    int64_t value;
    return dvmhcc_linear_value(&difference, &value) ? value : 0;
}

static bool is_backward(const dvmhcc_loop_t *loop, const dvmhcc_dependence_t *dependence, int axis) {
    const dvmhcc_axis_access_t *access = &dependence->earlier->axes[axis];
    return access->kind == DVMHCC_AXIS_INDEX && loop->dims[access->dim].is_downward;
}

static bool is_declared(const dvmhcc_loop_t *loop, const dvmhcc_dependence_t *dependence) {
    const dvmhcc_loop_array_t *array = dependence->array;
    if (array->across == NULL)
        return false;
    if (!dependence->is_known)
        return true;
    for (int axis = 0; axis < array->array->rank; axis++) {
        int64_t low, high;
        const int64_t offset = offset_of(dependence, axis);
        const bool both = dependence->kind == DVMHCC_DEPENDENCE_OUTPUT || is_out(loop, array) ||
                          is_backward(loop, dependence, axis);
        if (offset == 0 || !widths_of(loop, array, axis, both, &low, &high))
            continue;
        if (offset < -low || offset > high)
            return false;
    }
    return true;
}

static void vector_text(const dvmhcc_dependence_t *dependence, int rank, char *buffer, size_t size) {
    size_t used = (size_t)snprintf(buffer, size, "(");
    for (int dim = 0; dim < rank && used < size; dim++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%lld", dim > 0 ? "," : "",
                                 (long long)dependence->vector[dim]);
    if (used < size)
        snprintf(buffer + used, size - used, ")");
}

/* The widths that would declare all dependences of an array, for the message. @return false: some are unknown */
static bool needed_widths(const dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array, char *buffer,
                          size_t size) {
    int64_t low[DVMHCC_RANK_MAX] = {0}, high[DVMHCC_RANK_MAX] = {0};
    bool any = false;
    if (loop->has_too_many_dependences)
        return false;
    for (const dvmhcc_dependence_t *d = loop->dependences; d != NULL; d = d->next) {
        if (d->array != array)
            continue;
        if (!d->is_known)
            return false;
        for (int axis = 0; axis < array->array->rank; axis++) {
            int64_t offset = offset_of(d, axis);
            any = any || offset != 0;
            if (d->kind == DVMHCC_DEPENDENCE_OUTPUT && offset > 0)
                offset = -offset;
            low[axis] = -offset > low[axis] ? -offset : low[axis];
            high[axis] = offset > high[axis] ? offset : high[axis];
        }
    }
    size_t used = (size_t)snprintf(buffer, size, "across(%s", array->array->entity->name);
    for (int axis = 0; axis < array->array->rank && used < size; axis++)
        used += (size_t)snprintf(buffer + used, size - used, "[%lld:%lld]", (long long)low[axis],
                                 (long long)high[axis]);
    if (used < size)
        snprintf(buffer + used, size - used, ")");
    return any;
}

/* Whether a subscript is not understood, so that the two may or may not meet. */
static bool is_guess(const dvmhcc_dependence_t *dependence) {
    for (int axis = 0; axis < dependence->array->array->rank; axis++) {
        if (dependence->earlier->axes[axis].kind == DVMHCC_AXIS_OTHER ||
            dependence->later->axes[axis].kind == DVMHCC_AXIS_OTHER)
            return true;
    }
    return !dependence->is_known;
}

static void warn(dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                 const dvmhcc_dependence_t *dependence) {
    static const char *const actions[][2] = {{"writes", "reads"}, {"reads", "writes"}, {"writes", "writes"}};
    char earlier[256], later[256], vector[256], needed[256];
    const dvmhcc_loop_array_t *array = dependence->array;
    dvmhcc_access_text(program, loop, array, dependence->earlier, earlier, sizeof earlier);
    dvmhcc_access_text(program, loop, array, dependence->later, later, sizeof later);
    vector_text(dependence, loop->rank, vector, sizeof vector);
    const char *const *action = actions[dependence->kind];
    if (!dependence->is_known)
        dvmhcc_node_report(program->unit, DVMHCC_WARNING, dependence->later->first,
                           "iterations may depend on each other through %s and %s, and no across declares it",
                           earlier, later);
    else
        dvmhcc_node_report(program->unit, DVMHCC_WARNING, dependence->later->first,
                           "iterations %sdepend on each other by %s: one %s %s, a later one %s %s; %s",
                           is_guess(dependence) ? "may " : "", vector, action[0], earlier, action[1], later,
                           array->across != NULL ? "the widths of across do not reach that far"
                                                 : "no across declares it");
    if (dependence->earlier != dependence->later) {
        const dvmhcc_place_t place = dvmhcc_unit_place(program->unit, dependence->earlier->first->begin,
                                                       dependence->earlier->first->end);
        dvmhcc_report(DVMHCC_NOTE, &place, "'%s' is here", earlier);
    }
    if (needed_widths(loop, array, needed, sizeof needed)) {
        const dvmhcc_place_t place = dvmhcc_source_pragma_place(program->unit->source, loop->attached->pragma,
                                                                loop->attached->directive->name.span.offset,
                                                                loop->attached->directive->name.span.length);
        dvmhcc_report(DVMHCC_NOTE, &place, "%s would declare all dependences of '%s'", needed,
                      array->array->entity->name);
    }
}

static void check_clause(dvmhcc_program_t *program, dvmhcc_loop_t *loop, const dvmhcc_widths_t *clause) {
    for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next) {
        if (is_of(clause, array) && (array->intent & DVMHCC_INTENT_OUT) != 0)
            return;
    }
    for (const dvmhcc_loop_array_t *array = loop->ordinary; array != NULL; array = array->next) {
        if (is_of(clause, array) && (array->intent & DVMHCC_INTENT_OUT) != 0)
            return;
    }
    dvmhcc_attached_fault(program, loop->attached, clause->array.span,
                          "'%s' is in across, but the loop does not write it", clause->array.text);
}

/* The runtime knows nothing of ordinary arrays, so that all dependences are to be known here. */
static void tell_unknown(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    const dvmhcc_dependence_t *dependence = loop->dependences;
    while (dependence != NULL && dependence->is_known)
        dependence = dependence->next;
    if (dependence == NULL) {
        dvmhcc_attached_fault(program, loop->attached, dvmhcc_attached_span(loop->attached),
                              "more than %d dependences in a loop with across of an ordinary array",
                              DVMHCC_DEPENDENCES_MAX);
        return;
    }
    char earlier[256], later[256];
    dvmhcc_access_text(program, loop, dependence->array, dependence->earlier, earlier, sizeof earlier);
    dvmhcc_access_text(program, loop, dependence->array, dependence->later, later, sizeof later);
    dvmhcc_node_report(program->unit, DVMHCC_ERROR, dependence->later->first,
                       "where %s and %s meet is not known here, as it must be in a loop with across of the "
                       "ordinary array '%s'; subscripts may be index + constant, or the array distributed",
                       earlier, later, loop->ordinary->array->entity->name);
}

/* Where references of an array of across meet is not known: once an array. */
static void warn_unknown(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop) {
    const dvmhcc_loop_array_t *told = NULL;
    for (const dvmhcc_dependence_t *d = loop->dependences; d != NULL; d = d->next) {
        char earlier[256], later[256];
        if (d->is_known || d->array->across == NULL || d->array == told)
            continue;
        dvmhcc_access_text(program, loop, d->array, d->earlier, earlier, sizeof earlier);
        dvmhcc_access_text(program, loop, d->array, d->later, later, sizeof later);
        dvmhcc_node_report(program->unit, DVMHCC_WARNING, d->later->first,
                           "where %s and %s meet is not known here; all dependences within the widths of "
                           "across are assumed, corners included, and none beyond them",
                           earlier, later);
        told = d->array;
    }
}

void dvmhcc_loop_check_across(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    for (const dvmhcc_widths_t *clause = loop->parallel->acrosses; clause != NULL; clause = clause->next) {
        const dvmhcc_entity_t *entity =
            clause->array.text != NULL
                ? dvmhcc_unit_find(program->unit, clause->array.text, loop->attached->end)
                : NULL;
        if (entity != NULL && !loop->attached->faulty)
            check_clause(program, loop, clause);
    }
    if (loop->attached->faulty)
        return;
    if (loop->ordinary != NULL && loop->has_unknown_dependence)
        tell_unknown(program, loop);
    else
        warn_unknown(program, loop);
    const dvmhcc_loop_array_t *told = NULL;
    for (dvmhcc_dependence_t *dependence = loop->dependences; dependence != NULL;
         dependence = dependence->next) {
        dependence->is_declared = is_declared(loop, dependence);
        /* One warning an array: the note under it tells all that is needed. */
        if (!dependence->is_declared && told != dependence->array) {
            warn(program, loop, dependence);
            told = dependence->array;
        }
    }
}
