/* How statements use distributed arrays: with all subscripts, as an argument of a function that inherits, or for the few things that a
 * program does with a pointer to memory that it allocates. All else would need the plain array of C, which is not there. */
#include <config.h>

#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

static bool is_one_of(const char *name, const char *const words[]) {
    for (; *words != NULL; words++) {
        if (strcmp(name, *words) == 0)
            return true;
    }
    return false;
}

/* The expression around a node, without parentheses and casts; *child_p gets the part of it that the node is. */
static dvmhcc_node_t *around(dvmhcc_node_t *node, dvmhcc_node_t **child_p) {
    while (node->parent != NULL &&
           (node->parent->kind == DVMHCC_NODE_PAREN || node->parent->kind == DVMHCC_NODE_CAST))
        node = node->parent;
    *child_p = node;
    return node->parent;
}

static const dvmhcc_entity_t *called(const dvmhcc_node_t *call) {
    return call->count > 0 ? dvmhcc_named(call->children[0]) : NULL;
}

static dvmhcc_node_t *without_casts(dvmhcc_node_t *node) {
    while (node != NULL && (node->kind == DVMHCC_NODE_PAREN || node->kind == DVMHCC_NODE_CAST))
        node = node->count > 0 ? node->children[0] : NULL;
    return node;
}

static bool is_call_of(dvmhcc_node_t *node, const char *const words[]) {
    node = without_casts(node);
    return node != NULL && node->kind == DVMHCC_NODE_CALL && called(node) != NULL &&
           is_one_of(called(node)->name, words);
}

/* Whether an expression gives memory to an array: a call of malloc or calloc, or NULL. */
static bool gives_memory(dvmhcc_node_t *node) {
    static const char *const allocators[] = {"malloc", "calloc", NULL};
    node = without_casts(node);
    if (node == NULL)
        return false;
    return is_call_of(node, allocators) || (node->is_constant && node->value == 0);
}

static const char *const realloc_name[] = {"realloc", NULL};

static void tell_realloc(dvmhcc_program_t *program, const dvmhcc_distributed_t *array,
                         const dvmhcc_node_t *node) {
    dvmhcc_node_report(program->unit, DVMHCC_ERROR, node,
                       "realloc of the distributed array '%s', whose parts may lie on several processes; "
                       "allocate another array, copy the elements in a parallel loop, and free this one",
                       array->entity->name);
}

/* ---- the array as a whole */

static void check_argument(dvmhcc_program_t *program, const dvmhcc_distributed_t *array,
                           const dvmhcc_node_t *name, const dvmhcc_node_t *call, const dvmhcc_node_t *child) {
    static const char *const whole[] = {"free", "fread", "fwrite", NULL};
    const dvmhcc_entity_t *function = called(call);
    int index = 0;
    while (index + 1 < call->count && call->children[index + 1] != child)
        index++;
    if (function != NULL && index < function->parameter_count &&
        function->parameters[index]->distributed != NULL) {
        const dvmhcc_distributed_t *parameter = function->parameters[index]->distributed;
        if (parameter->rank == array->rank)
            return;
        dvmhcc_node_report(program->unit, DVMHCC_ERROR, name,
                           "'%s' has %d %s, but parameter '%s' of '%s' has %d", array->entity->name,
                           array->rank, array->rank == 1 ? "axis" : "axes", parameter->entity->name,
                           function->name, parameter->rank);
        dvmhcc_note_declared(program, function);
        return;
    }
    if (function != NULL && function->is_system && is_one_of(function->name, whole))
        return;
    if (function != NULL && function->is_system && is_one_of(function->name, realloc_name)) {
        tell_realloc(program, array, name);
        return;
    }
    dvmhcc_node_report(
        program->unit, DVMHCC_ERROR, name,
        "the distributed array '%s' is passed to '%s', which does not inherit it; `#pragma dvm "
        "inherit(..)` must stand before that function and name the parameter",
        array->entity->name, function != NULL ? function->name : "a function");
    if (function != NULL)
        dvmhcc_note_declared(program, function);
}

/* What a program does with the pointer to an array that it allocates. */
static bool is_pointer_use(const dvmhcc_node_t *parent, const dvmhcc_node_t *child) {
    if (parent == NULL)
        return false;
    switch (parent->kind) {
    case DVMHCC_NODE_ASSIGN:
        return parent->operation == DVMHCC_OPERATOR_NONE && parent->children[0] == child &&
               gives_memory(parent->children[1]);
    case DVMHCC_NODE_IF:
    case DVMHCC_NODE_WHILE:
        return parent->children[0] == child;
    case DVMHCC_NODE_UNARY:
        return parent->operation == DVMHCC_OPERATOR_NOT;
    case DVMHCC_NODE_BINARY:
        return parent->operation == DVMHCC_OPERATOR_BOTH || parent->operation == DVMHCC_OPERATOR_EITHER ||
               parent->operation == DVMHCC_OPERATOR_EQUAL || parent->operation == DVMHCC_OPERATOR_UNEQUAL;
    default:
        return false;
    }
}

/* The first argument of realloc is told as one; this is what its result is assigned to. */
static bool is_told_as_argument(dvmhcc_node_t *value) {
    value = without_casts(value);
    const dvmhcc_entity_t *argument =
        value->count > 1 ? dvmhcc_named(without_casts(value->children[1])) : NULL;
    return argument != NULL && argument->distributed != NULL;
}

static void tell_assigned(dvmhcc_program_t *program, const dvmhcc_distributed_t *array,
                          const dvmhcc_node_t *name, dvmhcc_node_t *value) {
    if (!is_call_of(value, realloc_name))
        dvmhcc_node_report(program->unit, DVMHCC_ERROR, name,
                           "the distributed array '%s' can be assigned memory of malloc or calloc only",
                           array->entity->name);
    else if (!is_told_as_argument(value))
        tell_realloc(program, array, name);
}

static void check_whole(dvmhcc_program_t *program, const dvmhcc_distributed_t *array, dvmhcc_node_t *name) {
    dvmhcc_node_t *child;
    dvmhcc_node_t *parent = around(name, &child);
    const char *text = array->entity->name;
    const dvmhcc_unit_t *unit = program->unit;
    if (array->form == DVMHCC_FORM_TEMPLATE) {
        dvmhcc_node_report(unit, DVMHCC_ERROR, name, "'%s' is a template; it stands in directives only",
                           text);
    } else if (dvmhcc_name_use(name).is_unevaluated) {
        return; /* sizeof goes by the type */
    } else if (parent != NULL && parent->kind == DVMHCC_NODE_CALL && parent->children[0] != child) {
        check_argument(program, array, name, parent, child);
    } else if (parent != NULL && parent->kind == DVMHCC_NODE_UNARY &&
               parent->operation == DVMHCC_OPERATOR_ADDRESS) {
        dvmhcc_node_report(unit, DVMHCC_ERROR, name, "the address of the distributed array '%s' is taken",
                           text);
    } else if (array->form != DVMHCC_FORM_POINTER || !is_pointer_use(parent, child)) {
        if (parent != NULL && parent->kind == DVMHCC_NODE_ASSIGN && parent->children[0] == child &&
            array->form == DVMHCC_FORM_POINTER)
            tell_assigned(program, array, name, parent->children[1]);
        else
            dvmhcc_node_report(
                unit, DVMHCC_ERROR, name,
                "the distributed array '%s' is used without subscripts; it may stand with all of "
                "them, or as an argument of a function that inherits it",
                text);
    }
}

/* ---- elements */

/* @param element  the reference with all its subscripts */
static void check_element(dvmhcc_program_t *program, const dvmhcc_distributed_t *array,
                          dvmhcc_node_t *element) {
    static const char *const readers[] = {"scanf", "fscanf", "sscanf", NULL};
    dvmhcc_node_t *child;
    dvmhcc_node_t *parent = around(element, &child);
    while (parent != NULL && parent->kind == DVMHCC_NODE_MEMBER && !parent->is_arrow)
        parent = around(parent, &child);
    if (parent == NULL || parent->kind != DVMHCC_NODE_UNARY || parent->operation != DVMHCC_OPERATOR_ADDRESS)
        return;
    const dvmhcc_node_t *user = around(parent, &child);
    const dvmhcc_entity_t *function = user != NULL && user->kind == DVMHCC_NODE_CALL ? called(user) : NULL;
    if (function != NULL && is_one_of(function->name, readers))
        return;
    dvmhcc_node_report(
        program->unit, DVMHCC_ERROR, parent,
        "the address of an element of the distributed array '%s' is taken; only scanf, fscanf and "
        "sscanf may get it",
        array->entity->name);
}

static void check_use(dvmhcc_program_t *program, dvmhcc_node_t *name) {
    dvmhcc_distributed_t *array = name->entity->distributed;
    dvmhcc_node_t *node = name;
    int subscripts = 0;
    for (;;) {
        dvmhcc_node_t *outer = node;
        while (outer->parent != NULL && outer->parent->kind == DVMHCC_NODE_PAREN)
            outer = outer->parent;
        if (outer->parent == NULL || outer->parent->kind != DVMHCC_NODE_SUBSCRIPT ||
            outer->parent->children[0] != outer || subscripts == array->rank)
            break;
        node = outer->parent;
        subscripts++;
    }
    if (array->form == DVMHCC_FORM_TEMPLATE || subscripts == 0) {
        check_whole(program, array, name);
    } else if (subscripts < array->rank && dvmhcc_name_use(name).is_unevaluated) {
        return;
    } else if (subscripts < array->rank) {
        dvmhcc_node_report(program->unit, DVMHCC_ERROR, node,
                           "the distributed array '%s' has %d axes, but %d %s here", array->entity->name,
                           array->rank, subscripts,
                           subscripts == 1 ? "subscript stands" : "subscripts stand");
        dvmhcc_note_declared(program, array->entity);
    } else {
        check_element(program, array, node);
    }
}

typedef struct walk {
    dvmhcc_program_t *program;
    dvmhcc_entity_t *function;
} walk_t;

static bool visit(dvmhcc_node_t *node, void *context) {
    const walk_t *walk = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL && node->entity->distributed != NULL) {
        check_use(walk->program, node);
        if (walk->function != NULL)
            walk->function->uses_distributed = true;
    }
    return true;
}

void dvmhcc_pass_uses(dvmhcc_program_t *program) {
    const dvmhcc_unit_t *unit = program->unit;
    for (size_t i = 0; i < unit->declaration_count; i++) {
        const dvmhcc_declarator_t *declarator = unit->declarations[i];
        walk_t walk = {.program = program};
        dvmhcc_walk(declarator->initialiser, visit, &walk);
        if (declarator->entity->kind != DVMHCC_ENTITY_FUNCTION || !declarator->is_definition)
            continue;
        walk.function = declarator->entity;
        dvmhcc_walk(declarator->entity->body, visit, &walk);
    }
    for (const dvmhcc_distributed_t *array = program->distributed; array != NULL; array = array->next) {
        const dvmhcc_node_t *initialiser = array->declarator->initialiser;
        if (initialiser != NULL &&
            (array->form != DVMHCC_FORM_POINTER || !gives_memory(array->declarator->initialiser)))
            dvmhcc_node_report(
                program->unit, DVMHCC_ERROR, initialiser,
                "the distributed array '%s' cannot have this initialiser; a pointer may have malloc, "
                "calloc or NULL",
                array->entity->name);
    }
}
