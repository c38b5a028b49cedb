/* Uses of reduction variables. Decides whether a use is one that lets iterations contribute in any order: an update by the reduction's
 * own operation, alone in its statement. Each form is recognised from its statement inwards, and every name of the variable in it
 * must be one that the form has. */
#include <config.h>

#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

const char *dvmhcc_reduction_form(dvmhcc_operation_t operation) {
    switch (operation) {
    case DVMHCC_SUM:
        return "'s += e' and 's = s + e'";
    case DVMHCC_PRODUCT:
        return "'s *= e' and 's = s * e'";
    case DVMHCC_MAX:
        return "'if (e > s) s = e;' and 's = e > s ? e : s'";
    case DVMHCC_MIN:
        return "'if (e < s) s = e;' and 's = e < s ? e : s'";
    case DVMHCC_AND:
        return "'s &= e' and 's = s & e'";
    case DVMHCC_OR:
        return "'s |= e' and 's = s | e'";
    case DVMHCC_XOR:
        return "'s ^= e' and 's = s ^ e'";
    case DVMHCC_MAXLOC:
        return "'if (e > s) { s = e; location = ..; }'";
    default:
        return "'if (e < s) { s = e; location = ..; }'";
    }
}

typedef struct form {
    const dvmhcc_unit_t *unit;
    const dvmhcc_reduction_t *reduction;
    const dvmhcc_entity_t *variable; /* that holds the value */
} form_t;

static bool is_order(const form_t *form) {
    const dvmhcc_operation_t operation = form->reduction->operation;
    return operation == DVMHCC_MAX || operation == DVMHCC_MIN || operation == DVMHCC_MAXLOC ||
           operation == DVMHCC_MINLOC;
}

static bool wants_larger(const form_t *form) {
    return form->reduction->operation == DVMHCC_MAX || form->reduction->operation == DVMHCC_MAXLOC;
}

/* The variable an lvalue such as s or s[k] belongs to. */
static const dvmhcc_entity_t *base_of(dvmhcc_node_t *node) {
    node = dvmhcc_inner(node);
    while (node != NULL && node->kind == DVMHCC_NODE_SUBSCRIPT)
        node = dvmhcc_inner(node->children[0]);
    return dvmhcc_named(node);
}

static bool names_variable(const form_t *form, dvmhcc_node_t *node) {
    return node != NULL && dvmhcc_count_names(node, form->variable) > 0;
}

/* ---- s = s + e */

static bool goes_on(const form_t *form, dvmhcc_operator_t operation, bool is_left) {
    switch (form->reduction->operation) {
    case DVMHCC_SUM:
        return operation == DVMHCC_OPERATOR_ADD || (operation == DVMHCC_OPERATOR_SUBTRACT && is_left);
    case DVMHCC_PRODUCT:
        return operation == DVMHCC_OPERATOR_MULTIPLY || (operation == DVMHCC_OPERATOR_DIVIDE && is_left);
    case DVMHCC_AND:
        return operation == DVMHCC_OPERATOR_AND || operation == DVMHCC_OPERATOR_BOTH;
    case DVMHCC_OR:
        return operation == DVMHCC_OPERATOR_OR || operation == DVMHCC_OPERATOR_EITHER;
    case DVMHCC_XOR:
        return operation == DVMHCC_OPERATOR_XOR;
    default:
        return false;
    }
}

/* Division of integers rounds, so parts of a product cannot be divided apart from each other. */
static bool is_exact(const form_t *form, dvmhcc_operator_t operation) {
    return operation != DVMHCC_OPERATOR_DIVIDE || !dvmhcc_type_is_integer(form->variable->type);
}

/* Whether an expression is the target combined with others by the operation, which do not name the variable. */
static bool combines(const form_t *form, dvmhcc_node_t *target, dvmhcc_node_t *node) {
    node = dvmhcc_inner(node);
    for (;;) {
        if (dvmhcc_same_text(form->unit, target, node))
            return true;
        if (node->kind != DVMHCC_NODE_BINARY)
            return false;
        const bool is_left = names_variable(form, node->children[0]);
        if (names_variable(form, node->children[is_left ? 1 : 0]) ||
            !goes_on(form, node->operation, is_left) || !is_exact(form, node->operation))
            return false;
        node = dvmhcc_inner(node->children[is_left ? 0 : 1]);
    }
}

/* ---- max and min */

/* Whether `left relation right` being true makes `taken`, one of the two, the one that the reduction wants. */
static bool takes_right_one(const form_t *form, const dvmhcc_node_t *relation, const dvmhcc_node_t *taken) {
    const dvmhcc_operator_t operation = relation->operation;
    const bool is_greater =
        operation == DVMHCC_OPERATOR_GREATER || operation == DVMHCC_OPERATOR_GREATER_EQUAL;
    const bool is_less = operation == DVMHCC_OPERATOR_LESS || operation == DVMHCC_OPERATOR_LESS_EQUAL;
    const bool is_left = dvmhcc_same_text(form->unit, dvmhcc_inner(relation->children[0]), taken);
    const bool is_right = dvmhcc_same_text(form->unit, dvmhcc_inner(relation->children[1]), taken);
    if ((!is_greater && !is_less) || is_left == is_right)
        return false;
    return (is_greater == is_left) == wants_larger(form);
}

/* One side of a comparison is the target, the other does not name the variable. @return that one; NULL: not so */
static dvmhcc_node_t *other_side(const form_t *form, dvmhcc_node_t *relation, dvmhcc_node_t *target) {
    if (relation == NULL || relation->kind != DVMHCC_NODE_BINARY)
        return NULL;
    for (int side = 0; side < 2; side++) {
        dvmhcc_node_t *other = dvmhcc_inner(relation->children[1 - side]);
        if (dvmhcc_same_text(form->unit, dvmhcc_inner(relation->children[side]), target) &&
            !names_variable(form, other))
            return other;
    }
    return NULL;
}

/* e > s ? e : s */
static bool selects(const form_t *form, dvmhcc_node_t *target, dvmhcc_node_t *node) {
    dvmhcc_node_t *relation = dvmhcc_inner(node->children[0]);
    dvmhcc_node_t *yes = dvmhcc_inner(node->children[1]), *no = dvmhcc_inner(node->children[2]);
    const dvmhcc_node_t *other = other_side(form, relation, target);
    if (other == NULL)
        return false;
    const bool both =
        (dvmhcc_same_text(form->unit, yes, target) && dvmhcc_same_text(form->unit, no, other)) ||
        (dvmhcc_same_text(form->unit, yes, other) && dvmhcc_same_text(form->unit, no, target));
    return both && takes_right_one(form, relation, yes);
}

/* fmax(e, s) */
static bool calls_order(const form_t *form, dvmhcc_node_t *target, const dvmhcc_node_t *call) {
    const dvmhcc_entity_t *function = dvmhcc_called(call);
    const char *name = wants_larger(form) ? "fmax" : "fmin";
    if (function == NULL || call->count != 3 || strncmp(function->name, name, 4) != 0 ||
        strlen(function->name) > 5)
        return false;
    for (int side = 1; side < 3; side++) {
        if (dvmhcc_same_text(form->unit, dvmhcc_inner(call->children[side]), target) &&
            !names_variable(form, call->children[3 - side]))
            return true;
    }
    return false;
}

/* ---- statements */

/* Whether an assignment alone in its statement is an update. */
static bool is_update(const form_t *form, dvmhcc_node_t *assignment) {
    dvmhcc_node_t *target = dvmhcc_inner(assignment->children[0]);
    if (base_of(target) != form->variable || dvmhcc_count_names(target, form->variable) != 1)
        return false;
    if (assignment->kind == DVMHCC_NODE_UNARY)
        return form->reduction->operation == DVMHCC_SUM;
    dvmhcc_node_t *right = dvmhcc_inner(assignment->children[1]);
    if (assignment->operation != DVMHCC_OPERATOR_NONE)
        return goes_on(form, assignment->operation, true) && is_exact(form, assignment->operation) &&
               !names_variable(form, right);
    if (!is_order(form))
        return combines(form, target, right);
    /* With a location, the value must not change alone. */
    if (form->reduction->location.text != NULL)
        return false;
    return right->kind == DVMHCC_NODE_CONDITIONAL
               ? selects(form, target, right)
               : right->kind == DVMHCC_NODE_CALL && calls_order(form, target, right);
}

/* The only statement in braces, or the statement itself. @param at  which of them, when the braces hold several  */
static dvmhcc_node_t *statement_at(dvmhcc_node_t *node, int at) {
    while (node != NULL && node->kind == DVMHCC_NODE_COMPOUND && node->count == 1)
        node = node->children[0];
    if (node == NULL || node->kind != DVMHCC_NODE_COMPOUND)
        return at == 0 ? node : NULL;
    return at < node->count ? node->children[at] : NULL;
}

static dvmhcc_node_t *assignment_in(dvmhcc_node_t *statement) {
    dvmhcc_node_t *inner = statement->kind == DVMHCC_NODE_EXPRESSION && statement->count == 1
                               ? dvmhcc_inner(statement->children[0])
                               : NULL;
    return inner != NULL && inner->kind == DVMHCC_NODE_ASSIGN && inner->operation == DVMHCC_OPERATOR_NONE
               ? inner
               : NULL;
}

static bool is_location_of(const form_t *form, const dvmhcc_entity_t *entity) {
    return entity != NULL && form->reduction->location.text != NULL &&
           strcmp(entity->name, form->reduction->location.text) == 0;
}

/* if (e > s) s = e;  with a location, also { s = e; l = i; } */
static bool is_conditional_update(const form_t *form, dvmhcc_node_t *node) {
    dvmhcc_node_t *relation = dvmhcc_inner(node->children[0]);
    dvmhcc_node_t *statement;
    bool found = false;
    if (node->children[2] != NULL || relation == NULL)
        return false;
    for (int i = 0; (statement = statement_at(node->children[1], i)) != NULL; i++) {
        dvmhcc_node_t *assignment = assignment_in(statement);
        if (assignment == NULL)
            return false;
        dvmhcc_node_t *target = dvmhcc_inner(assignment->children[0]);
        if (base_of(target) == form->variable) {
            const dvmhcc_node_t *other = other_side(form, relation, target);
            if (found || other == NULL || !takes_right_one(form, relation, other) ||
                !dvmhcc_same_text(form->unit, dvmhcc_inner(assignment->children[1]), other))
                return false;
            found = true;
        } else if (!is_location_of(form, base_of(target)) || names_variable(form, assignment->children[1])) {
            return false;
        }
    }
    return found;
}

/* Go through what is around a name, and ask whether it is one of the forms. */
bool dvmhcc_reduction_allows(const dvmhcc_program_t *program, const dvmhcc_reduction_t *reduction,
                             const dvmhcc_entity_t *variable, dvmhcc_node_t *name, bool is_location) {
    form_t form = {.unit = program->unit, .reduction = reduction, .variable = variable};
    if (is_location) {
        const dvmhcc_name_use_t use = dvmhcc_name_use(name);
        if (!use.is_written || use.is_read || reduction->variable.text == NULL)
            return false;
        form.variable = dvmhcc_unit_find(program->unit, reduction->variable.text, name->begin);
        if (form.variable == NULL)
            return false;
    }
    for (dvmhcc_node_t *node = name->parent; node != NULL; node = node->parent) {
        const bool updates =
            node->kind == DVMHCC_NODE_ASSIGN ||
            (node->kind == DVMHCC_NODE_UNARY && node->operation >= DVMHCC_OPERATOR_PRE_INCREMENT &&
             node->operation <= DVMHCC_OPERATOR_POST_DECREMENT);
        if (updates && !is_location && node->parent != NULL && node->parent->kind == DVMHCC_NODE_EXPRESSION &&
            is_update(&form, node))
            return true;
        if (node->kind == DVMHCC_NODE_IF)
            return is_order(&form) && is_conditional_update(&form, node);
    }
    return false;
}
