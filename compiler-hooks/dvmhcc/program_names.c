/* Names, ranks and expressions in the directives that stand alone, and what all directives share about them. Decides what each name
 * may stand for. The clauses of `parallel` are in program_names_loop.c. */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

/* ---- expressions */

static bool is_keyword(const char *text, size_t length) {
    static const char *const words[] = {"sizeof",   "char",   "short", "int",    "long",     "float",
                                        "double",   "signed", "const", "struct", "union",    "unsigned",
                                        "_Alignof", "enum",   "_Bool", "void",   "volatile", "_Complex"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
            return true;
    }
    return false;
}

static bool is_index(const dvmhcc_mapping_t *mapping, const char *name) {
    for (int i = 0; mapping != NULL && i < mapping->index_count; i++) {
        if (mapping->indexes[i].text != NULL && strcmp(mapping->indexes[i].text, name) == 0)
            return true;
    }
    return false;
}

/* Fields, tags and functions that are called need not be known as variables. */
static bool is_other_name(const dvmhcc_token_t *tokens, int count, int i) {
    if (i + 1 < count && dvmhcc_token_is(&tokens[i + 1], "("))
        return true;
    return i > 0 && (dvmhcc_token_is(&tokens[i - 1], ".") || dvmhcc_token_is(&tokens[i - 1], "->") ||
                     dvmhcc_token_is(&tokens[i - 1], "struct") || dvmhcc_token_is(&tokens[i - 1], "union") ||
                     dvmhcc_token_is(&tokens[i - 1], "enum"));
}

void dvmhcc_check_expression(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                             const dvmhcc_expression_t *expression, const dvmhcc_mapping_t *mapping) {
    for (int i = 0; i < expression->count && !program->no_memory; i++) {
        const dvmhcc_token_t *token = &expression->tokens[i];
        if (token->kind != DVMHCC_TOKEN_NAME || is_keyword(token->text, token->length) ||
            is_other_name(expression->tokens, expression->count, i))
            continue;
        const dvmhcc_name_t name = {.text = dvmhcc_arena_copy(&program->arena, token->text, token->length),
                                    .span = {.offset = token->offset, .length = token->length}};
        if (name.text == NULL) {
            dvmhcc_no_memory();
            program->no_memory = true;
            return;
        }
        if (is_index(mapping, name.text))
            continue;
        const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &name);
        if (entity != NULL && entity->distributed != NULL)
            dvmhcc_attached_fault(program, attached, name.span,
                                  "the distributed array '%s' cannot stand in an expression of a directive",
                                  name.text);
    }
}

static void check_range(dvmhcc_program_t *program, dvmhcc_attached_t *attached, const dvmhcc_range_t *range) {
    dvmhcc_check_expression(program, attached, &range->low, NULL);
    if (!range->single)
        dvmhcc_check_expression(program, attached, &range->high, NULL);
}

/* ---- arrays with brackets */

void dvmhcc_check_rank(dvmhcc_program_t *program, dvmhcc_attached_t *attached, const dvmhcc_name_t *name,
                       const dvmhcc_distributed_t *array, int rank) {
    if (rank == array->rank)
        return;
    dvmhcc_attached_fault(program, attached, name->span, "'%s' has %d %s, but %d %s of brackets %s here",
                          name->text, array->rank, array->rank == 1 ? "axis" : "axes", rank,
                          rank == 1 ? "pair" : "pairs", rank == 1 ? "stands" : "stand");
    dvmhcc_note_declared(program, array->entity);
}

void dvmhcc_check_widths(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                         const dvmhcc_widths_t *widths) {
    for (; widths != NULL; widths = widths->next) {
        const dvmhcc_distributed_t *array = dvmhcc_attached_array(program, attached, &widths->array, false);
        if (array != NULL && widths->rank != 0)
            dvmhcc_check_rank(program, attached, &widths->array, array, widths->rank);
        dvmhcc_check_ranges(program, attached, widths);
    }
}

void dvmhcc_check_ranges(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                         const dvmhcc_widths_t *widths) {
    for (int axis = 0; axis < widths->rank; axis++)
        check_range(program, attached, &widths->axes[axis]);
}

void dvmhcc_check_references(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                             const dvmhcc_reference_t *references, const dvmhcc_mapping_t *mapping) {
    for (; references != NULL; references = references->next) {
        const dvmhcc_distributed_t *array =
            dvmhcc_attached_array(program, attached, &references->array, false);
        if (array != NULL)
            dvmhcc_check_rank(program, attached, &references->array, array, references->rank);
        for (int axis = 0; axis < references->rank; axis++)
            dvmhcc_check_expression(program, attached, &references->axes[axis].whole, mapping);
    }
}

void dvmhcc_check_mapping(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                          const dvmhcc_mapping_t *mapping) {
    if (mapping->target.text == NULL)
        return;
    const dvmhcc_distributed_t *target = dvmhcc_attached_array(program, attached, &mapping->target, true);
    if (target != NULL)
        dvmhcc_check_rank(program, attached, &mapping->target, target, mapping->target_rank);
    for (int axis = 0; axis < mapping->target_rank; axis++)
        dvmhcc_check_expression(program, attached, &mapping->subscripts[axis].whole, mapping);
}

static void check_distribution(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                               const dvmhcc_distribution_t *distribution) {
    for (int axis = 0; axis < distribution->rank; axis++) {
        const dvmhcc_axis_rule_t *rule = &distribution->axes[axis];
        dvmhcc_check_expression(program, attached, &rule->value, NULL);
        if (rule->array.text == NULL)
            continue;
        const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &rule->array);
        const bool is_list = entity != NULL && (entity->type->kind == DVMHCC_TYPE_ARRAY ||
                                                entity->type->kind == DVMHCC_TYPE_POINTER);
        if (entity == NULL)
            continue;
        if (!is_list || !dvmhcc_type_is_number(entity->type->target) || entity->distributed != NULL) {
            dvmhcc_attached_fault(program, attached, rule->array.span,
                                  "'%s' is no array of numbers, one for each part", rule->array.text);
            dvmhcc_note_declared(program, entity);
        }
    }
}

/* ---- directives */

static void check_declaration(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_declaration_t *declaration = &attached->directive->is.declaration;
    check_distribution(program, attached, &declaration->distribution);
    for (int axis = 0; axis < declaration->rank && axis < DVMHCC_RANK_MAX; axis++) {
        dvmhcc_check_expression(program, attached, &declaration->sizes[axis], NULL);
        check_range(program, attached, &declaration->shadow[axis]);
    }
    if (!declaration->has_alignment)
        return;
    const dvmhcc_mapping_t *alignment = &declaration->alignment;
    dvmhcc_check_mapping(program, attached, alignment);
    dvmhcc_distributed_t *array =
        attached->declarator != NULL ? attached->declarator->entity->distributed : NULL;
    const dvmhcc_entity_t *target =
        alignment->target.text != NULL
            ? dvmhcc_unit_find(program->unit, alignment->target.text, attached->end)
            : NULL;
    if (array == NULL || target == NULL || array->declaration != declaration)
        return;
    if (target->distributed == array)
        dvmhcc_attached_fault(program, attached, alignment->target.span, "'%s' cannot be aligned with itself",
                              alignment->target.text);
    else
        array->align_target = target->distributed;
}

static void check_redistribution(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_redistribution_t *change = &attached->directive->is.redistribution;
    const bool is_realign = attached->directive->kind == DVMHCC_REALIGN;
    const dvmhcc_distributed_t *array = dvmhcc_attached_array(program, attached, &change->array, !is_realign);
    const int rank = is_realign ? change->alignment.index_count : change->distribution.rank;
    if (array != NULL)
        dvmhcc_check_rank(program, attached, &change->array, array, rank);
    check_distribution(program, attached, &change->distribution);
    if (!is_realign)
        return;
    dvmhcc_check_mapping(program, attached, &change->alignment);
    if (array != NULL && change->alignment.target.text != NULL &&
        strcmp(change->alignment.target.text, change->array.text) == 0)
        dvmhcc_attached_fault(program, attached, change->alignment.target.span,
                              "'%s' cannot be aligned with itself", change->array.text);
}

/* @return axes that a variable has: of its array type, or of a distributed array */
static int rank_of(const dvmhcc_entity_t *entity) {
    int rank;
    if (entity->distributed != NULL)
        return entity->distributed->rank;
    const dvmhcc_type_t *type = entity->type;
    const int outer = type->kind == DVMHCC_TYPE_POINTER ? 1 : 0;
    dvmhcc_type_element(outer ? type->target : type, &rank);
    return rank + outer;
}

static void check_data(dvmhcc_program_t *program, dvmhcc_attached_t *attached, const dvmhcc_data_t *data) {
    for (; data != NULL; data = data->next) {
        const dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, &data->variable);
        for (int axis = 0; axis < data->rank; axis++)
            check_range(program, attached, &data->axes[axis]);
        if (entity == NULL)
            continue;
        const bool is_template =
            entity->distributed != NULL && entity->distributed->form == DVMHCC_FORM_TEMPLATE;
        if ((entity->kind != DVMHCC_ENTITY_VARIABLE && entity->kind != DVMHCC_ENTITY_PARAMETER) ||
            is_template) {
            dvmhcc_attached_fault(program, attached, data->variable.span,
                                  "'%s' is not a variable or an array", data->variable.text);
        } else if (data->rank != 0 && data->rank != rank_of(entity)) {
            const int rank = rank_of(entity);
            dvmhcc_attached_fault(program, attached, data->variable.span,
                                  "'%s' has %d %s, but %d %s of brackets %s here", data->variable.text, rank,
                                  rank == 1 ? "axis" : "axes", data->rank, data->rank == 1 ? "pair" : "pairs",
                                  data->rank == 1 ? "stands" : "stand");
        }
    }
}

static void check_intervals(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    for (const dvmhcc_expressions_t *entry = attached->directive->is.intervals; entry != NULL;
         entry = entry->next)
        dvmhcc_check_expression(program, attached, &entry->expression, NULL);
}

static void check_directive(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_directive_t *directive = attached->directive;
    switch (directive->kind) {
    case DVMHCC_ARRAY:
    case DVMHCC_TEMPLATE:
        check_declaration(program, attached);
        break;
    case DVMHCC_REDISTRIBUTE:
    case DVMHCC_REALIGN:
        check_redistribution(program, attached);
        break;
    case DVMHCC_REGION:
        check_data(program, attached, directive->is.region.data);
        break;
    case DVMHCC_ACTUAL:
    case DVMHCC_GET_ACTUAL:
        check_data(program, attached, directive->is.data);
        break;
    case DVMHCC_SHADOW_RENEW:
        dvmhcc_check_widths(program, attached, directive->is.shadow_renews);
        break;
    case DVMHCC_REMOTE_ACCESS:
        dvmhcc_check_references(program, attached, directive->is.remote_accesses, NULL);
        break;
    case DVMHCC_INTERVAL:
    case DVMHCC_EXITINTERVAL:
        check_intervals(program, attached);
        break;
    case DVMHCC_PARALLEL:
        dvmhcc_check_parallel_names(program, attached);
        break;
    default:
        break;
    }
}

void dvmhcc_pass_names(dvmhcc_program_t *program) {
    for (int i = 0; i < program->attached_count && !program->no_memory; i++) {
        /* What the directive's own parser found faulty may be incomplete: its names would be told twice or wrongly. */
        if (!program->attached[i].directive->faulty)
            check_directive(program, &program->attached[i]);
    }
}
