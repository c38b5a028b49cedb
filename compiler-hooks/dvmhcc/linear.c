/* Sums of variables with integer factors. Every operation that could overflow makes the result unknown. */
#include <config.h>

#include "compiler-hooks/dvmhcc/linear.h"

#include <inttypes.h>

dvmhcc_linear_t dvmhcc_linear_constant(int64_t value) {
    return (dvmhcc_linear_t){.is_known = true, .constant = value};
}

/* Add factor * entity. @return false: too many terms, or a factor does not fit */
static bool add_term(dvmhcc_linear_t *linear, const dvmhcc_entity_t *entity, int64_t factor) {
    int at = 0;
    while (at < linear->count && linear->terms[at].entity->number < entity->number)
        at++;
    if (at < linear->count && linear->terms[at].entity == entity) {
        int64_t *sum = &linear->terms[at].factor;
        if (__builtin_add_overflow(*sum, factor, sum))
            return false;
        if (*sum == 0) {
            linear->count--;
            for (; at < linear->count; at++)
                linear->terms[at] = linear->terms[at + 1];
        }
        return true;
    }
    if (factor == 0)
        return true;
    if (linear->count == DVMHCC_LINEAR_TERMS)
        return false;
    for (int i = linear->count; i > at; i--)
        linear->terms[i] = linear->terms[i - 1];
    linear->terms[at] = (dvmhcc_term_t){entity, factor};
    linear->count++;
    return true;
}

dvmhcc_linear_t dvmhcc_linear_add(const dvmhcc_linear_t *a, const dvmhcc_linear_t *b, int64_t factor) {
    dvmhcc_linear_t sum = *a;
    int64_t product;
    if (!a->is_known || !b->is_known || __builtin_mul_overflow(b->constant, factor, &product) ||
        __builtin_add_overflow(sum.constant, product, &sum.constant))
        return (dvmhcc_linear_t){0};
    for (int i = 0; i < b->count; i++) {
        if (__builtin_mul_overflow(b->terms[i].factor, factor, &product) ||
            !add_term(&sum, b->terms[i].entity, product))
            return (dvmhcc_linear_t){0};
    }
    return sum;
}

int64_t dvmhcc_linear_take(dvmhcc_linear_t *linear, const dvmhcc_entity_t *entity) {
    for (int i = 0; i < linear->count; i++) {
        if (linear->terms[i].entity != entity)
            continue;
        const int64_t factor = linear->terms[i].factor;
        linear->count--;
        for (; i < linear->count; i++)
            linear->terms[i] = linear->terms[i + 1];
        return factor;
    }
    return 0;
}

bool dvmhcc_linear_value(const dvmhcc_linear_t *linear, int64_t *value_p) {
    *value_p = linear->constant;
    return linear->is_known && linear->count == 0 && linear->constant > -DVMHCC_LINEAR_MAX &&
           linear->constant < DVMHCC_LINEAR_MAX;
}

bool dvmhcc_linear_equal(const dvmhcc_linear_t *a, const dvmhcc_linear_t *b) {
    int64_t value;
    const dvmhcc_linear_t difference = dvmhcc_linear_add(a, b, -1);
    return dvmhcc_linear_value(&difference, &value) && value == 0;
}

static dvmhcc_linear_t of_product(const dvmhcc_node_t *node) {
    const dvmhcc_linear_t left = dvmhcc_linear_of(node->children[0]);
    const dvmhcc_linear_t right = dvmhcc_linear_of(node->children[1]);
    const dvmhcc_linear_t zero = dvmhcc_linear_constant(0);
    int64_t factor;
    if (dvmhcc_linear_value(&left, &factor))
        return dvmhcc_linear_add(&zero, &right, factor);
    if (dvmhcc_linear_value(&right, &factor))
        return dvmhcc_linear_add(&zero, &left, factor);
    return (dvmhcc_linear_t){0};
}

static dvmhcc_linear_t of_sum(const dvmhcc_node_t *node, int64_t sign) {
    const dvmhcc_linear_t left = dvmhcc_linear_of(node->children[0]);
    const dvmhcc_linear_t right = dvmhcc_linear_of(node->children[1]);
    return dvmhcc_linear_add(&left, &right, sign);
}

static dvmhcc_linear_t of_name(const dvmhcc_node_t *node) {
    dvmhcc_linear_t linear = dvmhcc_linear_constant(0);
    const dvmhcc_entity_t *entity = node->entity;
    if (entity == NULL || !dvmhcc_type_is_integer(entity->type) || entity->type->is_volatile ||
        !add_term(&linear, entity, 1))
        linear.is_known = false;
    return linear;
}

dvmhcc_linear_t dvmhcc_linear_of(const dvmhcc_node_t *node) {
    const dvmhcc_linear_t unknown = {0}, zero = dvmhcc_linear_constant(0);
    if (node == NULL || !dvmhcc_type_is_integer(node->type) || node->type->bytes > 8)
        return unknown;
    if (node->is_constant)
        return dvmhcc_linear_constant(node->value);
    dvmhcc_linear_t operand;
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
        return of_name(node);
    case DVMHCC_NODE_PAREN:
        return dvmhcc_linear_of(node->children[0]);
    case DVMHCC_NODE_CAST:
        return node->type->bytes >= 4 ? dvmhcc_linear_of(node->children[0]) : unknown;
    case DVMHCC_NODE_UNARY:
        operand = dvmhcc_linear_of(node->children[0]);
        if (node->operation == DVMHCC_OPERATOR_MINUS)
            return dvmhcc_linear_add(&zero, &operand, -1);
        return node->operation == DVMHCC_OPERATOR_PLUS ? operand : unknown;
    case DVMHCC_NODE_BINARY:
        if (node->operation == DVMHCC_OPERATOR_ADD)
            return of_sum(node, 1);
        if (node->operation == DVMHCC_OPERATOR_SUBTRACT)
            return of_sum(node, -1);
        return node->operation == DVMHCC_OPERATOR_MULTIPLY ? of_product(node) : unknown;
    default:
        return unknown;
    }
}

const char *dvmhcc_linear_text(const dvmhcc_linear_t *linear, char *buffer, size_t size) {
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; i < linear->count && used < size; i++) {
        const int64_t factor = linear->terms[i].factor;
        const uint64_t amount = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
        const char *sign = factor < 0 ? (i > 0 ? " - " : "-") : i > 0 ? " + " : "";
        used += (size_t)snprintf(buffer + used, size - used, "%s", sign);
        if (amount != 1 && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%" PRIu64 "*", amount);
        if (used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s", linear->terms[i].entity->name);
    }
    if (used < size && linear->count == 0)
        snprintf(buffer, size, "%" PRId64, linear->constant);
    else if (used < size && linear->constant != 0)
        snprintf(buffer + used, size - used, " %c %" PRIu64, linear->constant < 0 ? '-' : '+',
                 linear->constant < 0 ? 0 - (uint64_t)linear->constant : (uint64_t)linear->constant);
    return buffer;
}
