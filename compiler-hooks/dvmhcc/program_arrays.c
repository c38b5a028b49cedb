/* The tables of what is distributed: which arrays, templates and parameters there are, with their ranks and forms; and which functions
 * loops may call by `routine`. Decides what a declaration must look like under its directive. */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

/* ---- forms and ranks */

/* The form of an array by its type; rank_p gets 0 where it is none. */
static dvmhcc_form_t form_of(const dvmhcc_type_t *type, int *rank_p, const dvmhcc_type_t **element_p) {
    dvmhcc_form_t form = DVMHCC_FORM_ARRAY;
    int outer = 0;
    if (type->kind == DVMHCC_TYPE_POINTER) {
        form = DVMHCC_FORM_POINTER;
        outer = 1;
        type = type->target;
    }
    *element_p = dvmhcc_type_element(type, rank_p);
    *rank_p += outer;
    return form;
}

/* Whether values of a type can be copied between processes. */
static bool can_be_element(const dvmhcc_type_t *type) {
    return type != NULL && type->kind != DVMHCC_TYPE_POINTER && type->kind != DVMHCC_TYPE_FUNCTION &&
           type->bytes > 0;
}

static dvmhcc_span_t span_of_rank(const dvmhcc_attached_t *attached) {
    return dvmhcc_attached_span(attached);
}

static bool check_array(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                        const dvmhcc_distributed_t *array) {
    const dvmhcc_entity_t *entity = array->entity;
    const int said = attached->directive->is.declaration.rank;
    if (array->rank == 0) {
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' is neither an array nor a pointer to the rows of one; its type is '%s'",
                              entity->name, entity->type->text);
    } else if (!can_be_element(array->element)) {
        dvmhcc_attached_fault(
            program, attached, dvmhcc_attached_span(attached),
            "elements of the distributed array '%s' would have the type '%s'; numbers and structs "
            "without pointers can be distributed",
            entity->name, array->element != NULL ? array->element->text : "?");
    } else if (array->rank > DVMHCC_RANK_MAX) {
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' has %d axes; at most %d are allowed", entity->name, array->rank,
                              DVMHCC_RANK_MAX);
    } else if (!attached->directive->faulty && said != 0 && said != array->rank) {
        dvmhcc_attached_fault(program, attached, span_of_rank(attached),
                              "'%s' has %d %s, but the directive is for %d", entity->name, array->rank,
                              array->rank == 1 ? "axis" : "axes", said);
    } else {
        return true;
    }
    dvmhcc_note_declared(program, entity);
    return false;
}

static bool check_template(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                           const dvmhcc_distributed_t *array) {
    const dvmhcc_type_t *type = array->entity->type;
    if (type->kind == DVMHCC_TYPE_POINTER && type->target->basic == DVMHCC_BASIC_VOID)
        return array->rank > 0 && array->rank <= DVMHCC_RANK_MAX;
    dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                          "a template is a variable of type 'void *'; '%s' has the type '%s'",
                          array->entity->name, type->text);
    dvmhcc_note_declared(program, array->entity);
    return false;
}

/* ---- declarations */

static void append(dvmhcc_program_t *program, dvmhcc_distributed_t *array) {
    dvmhcc_distributed_t **tail = &program->distributed;
    while (*tail != NULL)
        tail = &(*tail)->next;
    *tail = array;
    array->entity->distributed = array;
}

/* A second directive for the same array, such as in a header and at the definition. */
static void check_again(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    dvmhcc_distributed_t *array = attached->declarator->entity->distributed;
    const bool is_template = attached->directive->kind == DVMHCC_TEMPLATE;
    const int rank = attached->directive->is.declaration.rank;
    if (is_template != (array->form == DVMHCC_FORM_TEMPLATE))
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' is declared both as an array and as a template", array->entity->name);
    else if (attached->declarator == array->declarator)
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' has this directive already", array->entity->name);
    else if (rank != 0 && rank != array->rank && !attached->directive->faulty)
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' has %d %s in its first declaration, but the directive is for %d",
                              array->entity->name, array->rank, array->rank == 1 ? "axis" : "axes", rank);
    /* The definition's directive is the one that counts. */
    if (!attached->faulty && array->declarator->is_extern && !attached->declarator->is_extern) {
        array->attached = attached;
        array->declaration = &attached->directive->is.declaration;
        array->declarator = attached->declarator;
    }
}

static bool is_defined(const dvmhcc_entity_t *entity) {
    for (const dvmhcc_declarator_t *d = entity->declarators; d != NULL; d = d->next) {
        if (!d->is_extern)
            return true;
    }
    return false;
}

static void declare(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    dvmhcc_entity_t *entity = attached->declarator->entity;
    if (entity->distributed != NULL) {
        check_again(program, attached);
        return;
    }
    dvmhcc_distributed_t *array = dvmhcc_program_take(program, sizeof *array);
    if (array == NULL)
        return;
    array->entity = entity;
    array->attached = attached;
    array->declaration = &attached->directive->is.declaration;
    array->declarator = attached->declarator;
    array->is_only_extern = !is_defined(entity);
    bool good;
    if (attached->directive->kind == DVMHCC_TEMPLATE) {
        array->form = DVMHCC_FORM_TEMPLATE;
        array->rank = attached->directive->is.declaration.rank;
        good = check_template(program, attached, array);
    } else {
        array->form = form_of(entity->type, &array->rank, &array->element);
        good = check_array(program, attached, array);
    }
    /* Where only the directive's rank is wrong, what follows is still checked against the array's own. */
    if (good || (array->form != DVMHCC_FORM_TEMPLATE && array->rank > 0 && array->rank <= DVMHCC_RANK_MAX &&
                 can_be_element(array->element)))
        append(program, array);
}

/* ---- functions */

static int parameter_named(const dvmhcc_declarator_t *declarator, const char *name) {
    for (int i = 0; i < declarator->parameter_count; i++) {
        if (strcmp(declarator->parameters[i]->name, name) == 0)
            return i;
    }
    return -1;
}

static void inherit_one(dvmhcc_program_t *program, dvmhcc_attached_t *attached, dvmhcc_entity_t *parameter) {
    const dvmhcc_type_t *element;
    int rank;
    if (parameter->distributed != NULL)
        return;
    if (form_of(parameter->type, &rank, &element) != DVMHCC_FORM_POINTER || !can_be_element(element) ||
        rank > DVMHCC_RANK_MAX) {
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "parameter '%s' cannot be a distributed array: its type is '%s'",
                              parameter->name, parameter->type->text);
        dvmhcc_note_declared(program, parameter);
        return;
    }
    dvmhcc_distributed_t *array = dvmhcc_program_take(program, sizeof *array);
    if (array == NULL)
        return;
    *array = (dvmhcc_distributed_t){.form = DVMHCC_FORM_PARAMETER,
                                    .entity = parameter,
                                    .rank = rank,
                                    .element = element,
                                    .attached = attached,
                                    .declarator = parameter->declarators};
    parameter->is_inherited = true;
    append(program, array);
}

/* A parameter inherits in all declarations of its function when it does in one. */
static void inherit(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_declarator_t *declarator = attached->declarator;
    for (const dvmhcc_names_t *entry = attached->directive->is.names; entry != NULL; entry = entry->next) {
        const int index = entry->name.text != NULL ? parameter_named(declarator, entry->name.text) : -1;
        if (index < 0) {
            dvmhcc_attached_fault(program, attached, entry->name.span, "'%s' has no parameter '%s'",
                                  declarator->entity->name, entry->name.text != NULL ? entry->name.text : "");
            continue;
        }
        for (const dvmhcc_declarator_t *d = declarator->entity->declarators; d != NULL; d = d->next) {
            if (index < d->parameter_count)
                inherit_one(program, attached, d->parameters[index]);
        }
    }
}

void dvmhcc_pass_arrays(dvmhcc_program_t *program) {
    for (int i = 0; i < program->attached_count && !program->no_memory; i++) {
        dvmhcc_attached_t *attached = &program->attached[i];
        if (attached->declarator == NULL)
            continue;
        switch (attached->directive->kind) {
        case DVMHCC_ARRAY:
        case DVMHCC_TEMPLATE:
            declare(program, attached);
            break;
        case DVMHCC_INHERIT:
            inherit(program, attached);
            break;
        default:
            attached->declarator->entity->is_routine = true;
        }
    }
}
