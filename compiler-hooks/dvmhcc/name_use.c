/* Uses of names, by what stands around them. */
#include <config.h>

#include "compiler-hooks/dvmhcc/name_use.h"

#include "compiler-hooks/dvmhcc/c_text.h"

#include <string.h>

dvmhcc_entity_t *dvmhcc_called(const dvmhcc_node_t *call) {
    return call->count > 0 ? dvmhcc_named(call->children[0]) : NULL;
}

static bool is_step(dvmhcc_operator_t operation) {
    return operation >= DVMHCC_OPERATOR_PRE_INCREMENT && operation <= DVMHCC_OPERATOR_POST_DECREMENT;
}

/* Whether a type's values are addresses that C makes of an array silently. */
static bool is_address(const dvmhcc_node_t *node) {
    return node->type != NULL &&
           (node->type->kind == DVMHCC_TYPE_POINTER || node->type->kind == DVMHCC_TYPE_ARRAY);
}

static bool is_pointer(const dvmhcc_node_t *node) {
    return node->type != NULL && node->type->kind == DVMHCC_TYPE_POINTER;
}

/* Go up from the name to the whole reference. */
static dvmhcc_node_t *find_reference(dvmhcc_node_t *node, dvmhcc_name_use_t *use) {
    for (dvmhcc_node_t *parent = node->parent; parent != NULL; parent = node->parent) {
        const bool is_base = parent->count > 0 && parent->children[0] == node;
        if (parent->kind == DVMHCC_NODE_PAREN) {
            node = parent;
            continue;
        }
        if (parent->kind == DVMHCC_NODE_SUBSCRIPT && is_base) {
            use->subscripts++;
            use->is_indirect = use->is_indirect || is_pointer(node);
        } else if (parent->kind == DVMHCC_NODE_MEMBER) {
            use->is_partial = true;
            use->is_indirect = use->is_indirect || (parent->is_arrow && is_pointer(node));
        } else if (parent->kind == DVMHCC_NODE_UNARY && parent->operation == DVMHCC_OPERATOR_DEREFERENCE) {
            use->is_indirect = use->is_indirect || is_pointer(node);
        } else if (parent->kind == DVMHCC_NODE_BINARY && is_pointer(parent) && is_address(node)) {
            use->is_indirect = use->is_indirect || is_pointer(node); /* `*(p + i)`, f(p + i) */
        } else {
            break;
        }
        node = parent;
    }
    return node;
}

/* Whether a call may write through its argument. */
static bool may_write_argument(const dvmhcc_node_t *call, const dvmhcc_node_t *argument) {
    const dvmhcc_entity_t *function = dvmhcc_called(call);
    for (int i = 1; function != NULL && i < call->count && i <= function->parameter_count; i++) {
        const dvmhcc_type_t *type = function->parameters[i - 1]->type;
        if (call->children[i] != argument)
            continue;
        const dvmhcc_type_t *target = type->target;
        while (target != NULL && target->kind == DVMHCC_TYPE_ARRAY)
            target = target->target;
        return target == NULL || !target->is_const;
    }
    return true;
}

/* What happens to the reference. */
static void set_access(dvmhcc_name_use_t *use) {
    const dvmhcc_node_t *node = use->reference, *parent = node->parent;
    while (parent != NULL && parent->kind == DVMHCC_NODE_CAST) {
        node = parent;
        parent = parent->parent;
    }
    use->is_read = true;
    if (parent == NULL)
        return;
    if (parent->kind == DVMHCC_NODE_ASSIGN && parent->children[0] == node) {
        use->is_written = true;
        use->is_read = parent->operation != DVMHCC_OPERATOR_NONE;
    } else if (parent->kind == DVMHCC_NODE_UNARY && is_step(parent->operation)) {
        use->is_written = true;
    } else if (parent->kind == DVMHCC_NODE_UNARY && parent->operation == DVMHCC_OPERATOR_ADDRESS) {
        const dvmhcc_node_t *user = parent->parent;
        const bool is_argument = user != NULL && user->kind == DVMHCC_NODE_CALL;
        use->is_written = use->takes_address = !is_argument || may_write_argument(user, parent);
    } else if (is_address(use->reference) && parent->kind == DVMHCC_NODE_CALL &&
               parent->children[0] != node) {
        use->is_written = use->takes_address = may_write_argument(parent, node);
        use->is_indirect = use->is_indirect || is_pointer(use->reference);
    } else if (use->reference->type != NULL && use->reference->type->kind == DVMHCC_TYPE_ARRAY) {
        /* The address of an array goes somewhere. */
        use->is_written = use->takes_address = true;
    }
}

static bool is_unevaluated(const dvmhcc_node_t *node) {
    for (; node != NULL && !dvmhcc_is_statement(node); node = node->parent) {
        if (node->kind == DVMHCC_NODE_SIZEOF)
            return true;
    }
    return false;
}

dvmhcc_name_use_t dvmhcc_name_use(dvmhcc_node_t *name) {
    dvmhcc_name_use_t use = {0};
    use.reference = find_reference(name, &use);
    use.is_unevaluated = is_unevaluated(use.reference);
    if (!use.is_unevaluated)
        set_access(&use);
    return use;
}

bool dvmhcc_same_text(const dvmhcc_unit_t *unit, const dvmhcc_node_t *a, const dvmhcc_node_t *b) {
    const char *text = unit->text;
    size_t i = dvmhcc_c_next(text, a->end, a->begin), k = dvmhcc_c_next(text, b->end, b->begin);
    while (i < a->end && k < b->end) {
        const size_t i_end = dvmhcc_c_word_end(text, a->end, i), k_end = dvmhcc_c_word_end(text, b->end, k);
        if (i_end - i != k_end - k || memcmp(text + i, text + k, i_end - i) != 0)
            return false;
        i = dvmhcc_c_next(text, a->end, i_end);
        k = dvmhcc_c_next(text, b->end, k_end);
    }
    return i >= a->end && k >= b->end;
}

typedef struct counter {
    const dvmhcc_entity_t *entity;
    int count;
} counter_t;

static bool count_one(dvmhcc_node_t *node, void *context) {
    counter_t *counter = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity == counter->entity)
        counter->count++;
    return true;
}

int dvmhcc_count_names(dvmhcc_node_t *node, const dvmhcc_entity_t *entity) {
    counter_t counter = {.entity = entity};
    dvmhcc_walk(node, count_one, &counter);
    return counter.count;
}
