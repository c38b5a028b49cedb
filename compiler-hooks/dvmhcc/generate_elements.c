/* Elements of distributed arrays in serial code. Every process runs that code. It reads what it holds or what remote_access brought,
 * and writes what it owns. Decides who evaluates the right side of an assignment: its owners alone where nothing else can see the
 * difference, else all, so that variables which every process has stay the same. */
#include <config.h>

#include "compiler-hooks/dvmhcc/effects.h"
#include "compiler-hooks/dvmhcc/generate_statements.h"
#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/remote.h"

#include <string.h>

static bool replace(dvmhcc_serial_t *serial, const dvmhcc_node_t *node, const char *text) {
    return text != NULL && dvmhcc_edit_replace_text(serial->generator->edit, node->begin, node->end, text);
}

/* ---- calls */

/* "FILE:LINE:NAME", for messages. */
static void add_place(dvmhcc_serial_t *serial, const dvmhcc_node_t *node, const char *name,
                      dvmhcc_pieces_t *pieces) {
    const dvmhcc_place_t place = dvmhcc_source_line(serial->generator->source, node->begin);
    dvmhcc_pieces_printf(pieces, "\"%s:%d:%s\"", dvmhcc_generator_file(serial->generator, &place),
                         place.line > 0 ? place.line : 1, name);
}

static void add_index(const dvmhcc_node_t *subscript, dvmhcc_pieces_t *pieces) {
    dvmhcc_pieces_printf(pieces, ", (DvmType)(");
    dvmhcc_pieces_range(pieces, subscript->begin, subscript->end);
    dvmhcc_pieces_printf(pieces, ")");
}

static const char *type_of(dvmhcc_serial_t *serial, const dvmhcc_node_t *node,
                           const dvmhcc_element_t *element) {
    const char *type = dvmhcc_generator_type(serial->generator, element->array->distributed->element, node);
    return type != NULL ? type : "void";
}

/* (double *)FUNCTION("FILE:LINE:A", A, 2, (DvmType)(i), (DvmType)(j)); `other`: an argument before the array, with its comma. */
static void add_address(dvmhcc_serial_t *serial, const dvmhcc_node_t *node, const dvmhcc_element_t *element,
                        const char *function, const char *other, dvmhcc_pieces_t *pieces) {
    dvmhcc_pieces_printf(pieces, "(%s *)%s(", type_of(serial, node, element), function);
    add_place(serial, node, element->array->name, pieces);
    dvmhcc_pieces_printf(pieces, ", %s%s, %d", other, element->array->name, element->rank);
    for (int axis = 0; axis < element->rank; axis++)
        add_index(element->subscripts[axis], pieces);
    dvmhcc_pieces_printf(pieces, ")");
}

static bool rewrite_subscripts(dvmhcc_serial_t *serial, const dvmhcc_element_t *element) {
    bool good = true;
    for (int axis = 0; axis < element->rank; axis++)
        good = dvmhcc_serial_rewrite(serial, element->subscripts[axis]) && good;
    return good;
}

/* ---- reading */

/* Whether scanf and the like get the address of the element, or of a part of it. */
static bool is_scanned(const dvmhcc_node_t *node) {
    const dvmhcc_node_t *parent = node->parent;
    while (parent != NULL &&
           (parent->kind == DVMHCC_NODE_PAREN || parent->kind == DVMHCC_NODE_CAST ||
            (parent->kind == DVMHCC_NODE_MEMBER && !parent->is_arrow) ||
            (parent->kind == DVMHCC_NODE_SUBSCRIPT && parent->children[0] == node) ||
            (parent->kind == DVMHCC_NODE_UNARY && parent->operation == DVMHCC_OPERATOR_ADDRESS))) {
        node = parent;
        parent = parent->parent;
    }
    const bool is_address =
        node->kind == DVMHCC_NODE_UNARY || (node->type != NULL && node->type->kind == DVMHCC_TYPE_ARRAY);
    const dvmhcc_entity_t *function =
        parent != NULL && parent->kind == DVMHCC_NODE_CALL ? dvmhcc_called(parent) : NULL;
    return is_address && function != NULL && function->is_system && strstr(function->name, "scanf") != NULL;
}

/* An element of the buffer that a remote_access directive made: the axes that it has whole. */
static bool rewrite_remote(dvmhcc_serial_t *serial, dvmhcc_node_t *node, const dvmhcc_element_t *element,
                           const dvmhcc_attached_t *attached, const dvmhcc_reference_t *section) {
    dvmhcc_pieces_t pieces = {0};
    int rank = 0;
    bool good = true;
    for (int axis = 0; axis < element->rank; axis++)
        rank += section->axes[axis].kind == DVMHCC_SUBSCRIPT_ALL;
    dvmhcc_pieces_printf(&pieces, "(*(%s *)dvmhx_held_element_C(", type_of(serial, node, element));
    add_place(serial, node, element->array->name, &pieces);
    const char *buffer = dvmhcc_generator_remote(serial->generator, attached, section);
    dvmhcc_pieces_printf(&pieces, ", %s, %d", buffer != NULL ? buffer : "", rank > 0 ? rank : 1);
    for (int axis = 0; axis < element->rank; axis++)
        if (section->axes[axis].kind == DVMHCC_SUBSCRIPT_ALL)
            add_index(element->subscripts[axis], &pieces);
    dvmhcc_pieces_printf(&pieces, rank > 0 ? "))" : ", (DvmType)0))");
    good = dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, node->end);
    for (int axis = 0; axis < element->rank; axis++)
        if (section->axes[axis].kind == DVMHCC_SUBSCRIPT_ALL)
            good = dvmhcc_serial_rewrite(serial, element->subscripts[axis]) && good;
    return good && buffer != NULL;
}

bool dvmhcc_serial_element(dvmhcc_serial_t *serial, dvmhcc_node_t *node, const dvmhcc_element_t *element) {
    dvmhcc_pieces_t pieces = {0};
    const dvmhcc_attached_t *attached;
    const dvmhcc_reference_t *section =
        dvmhcc_remote_around(serial->generator->program, node, element->array->distributed,
                             element->subscripts, &attached);
    const bool scanned = is_scanned(node);
    if (section != NULL && !scanned)
        return rewrite_remote(serial, node, element, attached, section);
    const char *type = type_of(serial, node, element);
    if (scanned)
        dvmhcc_pieces_printf(&pieces, "(*(%s *)dvmhcc_own_or(", type);
    else
        dvmhcc_pieces_printf(&pieces, "(*");
    add_address(serial, node, element, scanned ? "dvmhx_own_element_C" : "dvmhx_held_element_C", "", &pieces);
    if (scanned)
        dvmhcc_pieces_printf(&pieces, ", __extension__(%s[1]){}))", type);
    else
        dvmhcc_pieces_printf(&pieces, ")");
    const bool good = dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, node->end);
    return rewrite_subscripts(serial, element) && good;
}

/* ---- writing */

static bool is_step(const dvmhcc_node_t *node) {
    return node->kind == DVMHCC_NODE_UNARY && (node->operation == DVMHCC_OPERATOR_PRE_INCREMENT ||
                                               node->operation == DVMHCC_OPERATOR_PRE_DECREMENT ||
                                               node->operation == DVMHCC_OPERATOR_POST_INCREMENT ||
                                               node->operation == DVMHCC_OPERATOR_POST_DECREMENT);
}

dvmhcc_node_t *dvmhcc_changed_element(dvmhcc_node_t *node, dvmhcc_element_t *element) {
    dvmhcc_node_t *target = NULL;
    if (node->kind == DVMHCC_NODE_ASSIGN || is_step(node))
        target = dvmhcc_inner(node->children[0]);
    while (target != NULL && !dvmhcc_element_of(target, element)) {
        const bool is_part = (target->kind == DVMHCC_NODE_MEMBER && !target->is_arrow) ||
                             target->kind == DVMHCC_NODE_SUBSCRIPT;
        target = is_part ? dvmhcc_inner(target->children[0]) : NULL;
    }
    return target;
}

/* What stands between the changed element and the whole target: its subscripts of members. */
static bool rewrite_around(dvmhcc_serial_t *serial, dvmhcc_node_t *target, const dvmhcc_node_t *element) {
    bool good = true;
    for (target = dvmhcc_inner(target); target != element; target = dvmhcc_inner(target->children[0]))
        if (target->kind == DVMHCC_NODE_SUBSCRIPT)
            good = dvmhcc_serial_rewrite(serial, target->children[1]) && good;
    return good;
}

/* Whether nobody looks at the value of an expression. */
static bool is_discarded(const dvmhcc_node_t *node) {
    for (const dvmhcc_node_t *parent = node->parent; parent != NULL; node = parent, parent = parent->parent) {
        switch (parent->kind) {
        case DVMHCC_NODE_EXPRESSION:
            /* The last statement of ({ .. }) is its value. */
            return parent->parent == NULL || parent->parent->parent == NULL ||
                   parent->parent->parent->kind != DVMHCC_NODE_STATEMENT_EXPRESSION;
        case DVMHCC_NODE_FOR:
            return parent->children[2] == node;
        case DVMHCC_NODE_CAST:
            return parent->type != NULL && parent->type->basic == DVMHCC_BASIC_VOID &&
                   parent->type->kind == DVMHCC_TYPE_BASIC;
        case DVMHCC_NODE_PAREN:
            continue;
        case DVMHCC_NODE_BINARY:
            if (parent->operation != DVMHCC_OPERATOR_COMMA)
                return false;
            if (parent->children[0] == node)
                return true;
            continue;
        default:
            return false;
        }
    }
    return false;
}

/* Whether something besides the element changes, so that all processes must evaluate it. */
static bool all_evaluate(dvmhcc_node_t *node, dvmhcc_node_t *target) {
    for (dvmhcc_node_t *at = dvmhcc_inner(node->children[0]); at != target;
         at = dvmhcc_inner(at->children[0]))
        if (at->kind == DVMHCC_NODE_SUBSCRIPT && dvmhcc_has_effects(at->children[1]))
            return true;
    return node->count > 1 && dvmhcc_has_effects(node->children[1]);
}

/* The declaration of `own`, which becomes the place to change; NULL for who skips it. */
static void add_own(dvmhcc_serial_t *serial, dvmhcc_node_t *node, const dvmhcc_element_t *element, bool skips,
                    bool needs_value, dvmhcc_pieces_t *pieces) {
    const char *prefix = serial->generator->prefix, *type = type_of(serial, node, element);
    const bool depends = node->kind == DVMHCC_NODE_UNARY || node->operation != DVMHCC_OPERATOR_NONE;
    if (skips) {
        dvmhcc_pieces_printf(pieces, "%s *const %sown = ", type, prefix);
        add_address(serial, node, element, "dvmhx_own_element_C", "", pieces);
        dvmhcc_pieces_printf(pieces, "; if (%sown != NULL) ", prefix);
    } else if (depends && needs_value) {
        const char *other = dvmhcc_generator_text(serial->generator, "%sother, ", prefix);
        dvmhcc_pieces_printf(pieces, "%s %sother[1], *const %sown = ", type, prefix, prefix);
        add_address(serial, node, element, "dvmhx_changed_element_C", other != NULL ? other : "", pieces);
        dvmhcc_pieces_printf(pieces, "; ");
    } else {
        /* Others change a place of their own, whose value nobody needs, or all of it is set. */
        dvmhcc_pieces_printf(pieces, "%s %sother[1], *const %sown = (%s *)dvmhcc_own_or(", type, prefix,
                             prefix, type);
        add_address(serial, node, element, "dvmhx_own_element_C", "", pieces);
        dvmhcc_pieces_printf(pieces, ", memset(%sother, 0, sizeof %sother)); ", prefix, prefix);
    }
}

bool dvmhcc_serial_change(dvmhcc_serial_t *serial, dvmhcc_node_t *node, size_t end) {
    const char *prefix = serial->generator->prefix;
    const bool is_statement = end != node->end, is_value = !is_statement && !is_discarded(node);
    dvmhcc_element_t element;
    dvmhcc_node_t *target = dvmhcc_changed_element(node, &element);
    dvmhcc_pieces_t pieces = {0};
    bool good = true;
    dvmhcc_pieces_printf(&pieces, is_statement ? "{ " : "(__extension__({ ");
    add_own(serial, node, &element, !is_value && !all_evaluate(node, target), is_value, &pieces);
    dvmhcc_pieces_range(&pieces, node->begin, end);
    dvmhcc_pieces_printf(&pieces, is_statement ? " }" : is_value ? "; }))" : "; (void)0; }))");
    /* The range is taken without this replacement, since it is its own. */
    good = dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, end);
    good = replace(serial, target, dvmhcc_generator_text(serial->generator, "(*%sown)", prefix)) && good;
    good = rewrite_subscripts(serial, &element) && good;
    good = rewrite_around(serial, node->children[0], target) && good;
    for (int i = 1; i < node->count; i++)
        good = dvmhcc_serial_rewrite(serial, node->children[i]) && good;
    return good;
}
