/* Names in the clauses of `parallel`. Decides which variables may be private or reduced; whether the body uses them so is decided with
 * the loop (loop_variables.c). */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

static bool is_variable(const dvmhcc_entity_t *entity) {
    return entity->kind == DVMHCC_ENTITY_VARIABLE || entity->kind == DVMHCC_ENTITY_PARAMETER;
}

static void check_privates(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                           const dvmhcc_names_t *privates) {
    for (; privates != NULL; privates = privates->next) {
        const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &privates->name);
        if (entity == NULL)
            continue;
        if (!is_variable(entity))
            dvmhcc_attached_fault(program, attached, privates->name.span, "'%s' is not a variable",
                                  entity->name);
        else if (entity->distributed != NULL)
            dvmhcc_attached_fault(program, attached, privates->name.span,
                                  "the distributed array '%s' cannot be private", entity->name);
    }
}

/* The numbers that a reduction combines: a variable, or an array of constant size. */
static const dvmhcc_type_t *number_of(const dvmhcc_entity_t *entity) {
    int rank;
    const dvmhcc_type_t *type = dvmhcc_type_element(entity->type, &rank);
    return is_variable(entity) && entity->distributed == NULL && dvmhcc_type_is_number(type) &&
                   entity->type->bytes > 0
               ? type
               : NULL;
}

static void check_reduced(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                          const dvmhcc_reduction_t *reduction) {
    const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &reduction->variable);
    if (entity == NULL)
        return;
    const dvmhcc_type_t *type = number_of(entity);
    const dvmhcc_operation_t operation = reduction->operation;
    const bool is_bits = operation == DVMHCC_AND || operation == DVMHCC_OR || operation == DVMHCC_XOR;
    const bool is_order = operation >= DVMHCC_MAX && !is_bits;
    if (type == NULL || type->runtime_code < 0)
        dvmhcc_attached_fault(program, attached, reduction->variable.span,
                              "'%s' cannot be reduced: its type is '%s'; numbers and arrays of them can",
                              entity->name, entity->type->text);
    else if (is_bits && !dvmhcc_type_is_integer(type))
        dvmhcc_attached_fault(program, attached, reduction->variable.span,
                              "'%s' combines integers; '%s' has the type '%s'",
                              dvmhcc_operation_name(operation), entity->name, entity->type->text);
    else if (is_order && type->basic >= DVMHCC_BASIC_FLOAT_COMPLEX)
        dvmhcc_attached_fault(program, attached, reduction->variable.span,
                              "'%s' needs an order; '%s' has the type '%s'", dvmhcc_operation_name(operation),
                              entity->name, entity->type->text);
    else if (type->is_const)
        dvmhcc_attached_fault(program, attached, reduction->variable.span, "'%s' is const", entity->name);
}

static void check_location(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                           const dvmhcc_reduction_t *reduction) {
    if (reduction->location.text == NULL)
        return;
    const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &reduction->location);
    dvmhcc_check_expression(program, attached, &reduction->location_size, NULL);
    if (entity != NULL && !dvmhcc_type_is_integer(number_of(entity)))
        dvmhcc_attached_fault(
            program, attached, reduction->location.span,
            "'%s' cannot hold a location: its type is '%s'; an integer or an array of them can", entity->name,
            entity->type->text);
}

static void check_ties(dvmhcc_program_t *program, dvmhcc_attached_t *attached, const dvmhcc_tie_t *ties) {
    for (; ties != NULL; ties = ties->next) {
        const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &ties->array);
        if (entity == NULL)
            continue;
        int rank;
        if (entity->distributed != NULL) {
            dvmhcc_check_rank(program, attached, &ties->array, entity->distributed, ties->rank);
            continue;
        }
        dvmhcc_type_element(entity->type->kind == DVMHCC_TYPE_POINTER ? entity->type->target : entity->type,
                            &rank);
        rank += entity->type->kind == DVMHCC_TYPE_POINTER ? 1 : 0;
        if (!is_variable(entity) || rank == 0)
            dvmhcc_attached_fault(program, attached, ties->array.span, "'%s' is not an array", entity->name);
        else if (rank != ties->rank)
            dvmhcc_attached_fault(program, attached, ties->array.span,
                                  "'%s' has %d %s, but %d %s of brackets %s here", entity->name, rank,
                                  rank == 1 ? "axis" : "axes", ties->rank, ties->rank == 1 ? "pair" : "pairs",
                                  ties->rank == 1 ? "stands" : "stand");
    }
}

static const dvmhcc_tie_t *tie_of(const dvmhcc_parallel_t *parallel, const char *name) {
    const dvmhcc_tie_t *tie = parallel->ties;
    while (tie != NULL && (tie->array.text == NULL || strcmp(tie->array.text, name) != 0))
        tie = tie->next;
    return tie;
}

/* An ordinary array in across: a tie says that it is an array of the loop, and has its rank checked. */
static void check_ordinary_across(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                                  const dvmhcc_widths_t *across) {
    const dvmhcc_tie_t *tie = tie_of(&attached->directive->is.parallel, across->array.text);
    const char *name = across->array.text;
    if (tie == NULL)
        dvmhcc_attached_fault(program, attached, across->array.span,
                              "'%s' is not a distributed array; across of an ordinary one needs tie(%s[..]) "
                              "in the same directive",
                              name, name);
    else if (across->rank != tie->rank)
        dvmhcc_attached_fault(program, attached, across->array.span,
                              "across of the ordinary array '%s' needs widths for each of its %d %s, as in "
                              "%s[1:1]",
                              name, tie->rank, tie->rank == 1 ? "axis" : "axes", name);
    else if (attached->directive->is.parallel.mapping.target.text != NULL)
        dvmhcc_attached_fault(
            program, attached, across->array.span,
            "across of the ordinary array '%s' in a loop with `on`, whose iterations are spread over "
            "processes; allowed: in loops without",
            name);
    dvmhcc_check_ranges(program, attached, across);
}

static void check_acrosses(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                           const dvmhcc_widths_t *acrosses) {
    for (; acrosses != NULL; acrosses = acrosses->next) {
        const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &acrosses->array);
        dvmhcc_widths_t one = *acrosses;
        one.next = NULL;
        if (entity != NULL && entity->distributed == NULL && is_variable(entity))
            check_ordinary_across(program, attached, acrosses);
        else if (entity != NULL)
            dvmhcc_check_widths(program, attached, &one);
    }
}

void dvmhcc_check_parallel_names(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_parallel_t *parallel = &attached->directive->is.parallel;
    const dvmhcc_mapping_t *mapping = &parallel->mapping;
    dvmhcc_check_mapping(program, attached, mapping);
    check_privates(program, attached, parallel->privates);
    for (const dvmhcc_reduction_t *reduction = parallel->reductions; reduction != NULL;
         reduction = reduction->next) {
        check_reduced(program, attached, reduction);
        check_location(program, attached, reduction);
    }
    check_acrosses(program, attached, parallel->acrosses);
    dvmhcc_check_widths(program, attached, parallel->shadow_renews);
    dvmhcc_check_references(program, attached, parallel->remote_accesses, mapping);
    check_ties(program, attached, parallel->ties);
    for (int i = 0; i < parallel->cuda_block_rank; i++)
        dvmhcc_check_expression(program, attached, &parallel->cuda_block[i], NULL);
    dvmhcc_check_expression(program, attached, &parallel->stage, NULL);
}
