/* What can be asked about the tree of a source: names, places, constants, types. Needs no parser. */
#include <config.h>

#include "compiler-hooks/dvmhcc/ast.h"
#include "compiler-hooks/dvmhcc/c_text.h"
#include "rts/memory.h"

#include <stdarg.h>
#include <string.h>

/* ---- the unit and its names */

void dvmhcc_unit_free(dvmhcc_unit_t *unit) {
    if (unit == NULL)
        return;
    rts_free(unit->declarations);
    rts_free(unit->entities);
    rts_free(unit->names);
    dvmhcc_arena_free(&unit->arena);
    rts_free(unit);
}

static size_t bucket_of(const dvmhcc_unit_t *unit, const char *name) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (size_t)(hash % unit->name_buckets);
}

bool dvmhcc_unit_enter(dvmhcc_unit_t *unit, dvmhcc_entity_t *entity) {
    if (unit->names == NULL) {
        const size_t buckets = 4096;
        unit->names = rts_alloc_zeroed(buckets, sizeof *unit->names);
        if (unit->names == NULL)
            return dvmhcc_no_memory();
        unit->name_buckets = buckets;
    }
    dvmhcc_entity_t **bucket = &unit->names[bucket_of(unit, entity->name)];
    entity->same_name = *bucket;
    *bucket = entity;
    return true;
}

dvmhcc_entity_t *dvmhcc_unit_find(const dvmhcc_unit_t *unit, const char *name, size_t offset) {
    dvmhcc_entity_t *found = NULL;
    if (unit->names == NULL)
        return NULL;
    for (dvmhcc_entity_t *entity = unit->names[bucket_of(unit, name)]; entity != NULL;
         entity = entity->same_name) {
        /* Scopes nest, so the one that begins last is the innermost. */
        if (strcmp(entity->name, name) == 0 && entity->scope_begin <= offset && offset < entity->scope_end &&
            (found == NULL || entity->scope_begin > found->scope_begin))
            found = entity;
    }
    return found;
}

/* ---- places and messages */

dvmhcc_place_t dvmhcc_unit_place(const dvmhcc_unit_t *unit, size_t begin, size_t end) {
    dvmhcc_place_t place = dvmhcc_source_place(unit->source, begin);
    if (place.column == 0 || end <= begin + 1)
        return place;
    const dvmhcc_place_t last = dvmhcc_source_place(unit->source, end - 1);
    if (last.line == place.line && last.file != NULL && place.file != NULL &&
        strcmp(last.file, place.file) == 0 && last.column >= place.column)
        place.length = last.column + (last.length > 0 ? last.length : 1) - place.column;
    return place;
}

void dvmhcc_node_report(const dvmhcc_unit_t *unit, dvmhcc_severity_t severity, const dvmhcc_node_t *node,
                        const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const dvmhcc_place_t place = dvmhcc_unit_place(unit, node->begin, node->end);
    dvmhcc_report(severity, &place, "%s", message);
}

const char *dvmhcc_node_text(const dvmhcc_unit_t *unit, const dvmhcc_node_t *node, char *buffer,
                             size_t size) {
    size_t used = 0, end_of_last = node->begin;
    for (size_t at = dvmhcc_c_next(unit->text, node->end, node->begin); at < node->end;
         at = dvmhcc_c_next(unit->text, node->end, end_of_last)) {
        const size_t end = dvmhcc_c_word_end(unit->text, node->end, at);
        const bool blank = at > end_of_last && used > 0;
        if (used + (blank ? 1 : 0) + (end - at) + sizeof "..." > size) {
            memcpy(buffer + used, "...", 3);
            used += 3;
            break;
        }
        if (blank)
            buffer[used++] = ' ';
        memcpy(buffer + used, unit->text + at, end - at);
        used += end - at;
        end_of_last = end;
    }
    buffer[used] = '\0';
    return buffer;
}

/* ---- nodes */

dvmhcc_node_t *dvmhcc_inner(dvmhcc_node_t *node) {
    while (node != NULL && node->kind == DVMHCC_NODE_PAREN && node->count > 0)
        node = node->children[0];
    return node;
}

dvmhcc_entity_t *dvmhcc_named(dvmhcc_node_t *node) {
    const dvmhcc_node_t *inner = dvmhcc_inner(node);
    return inner != NULL && inner->kind == DVMHCC_NODE_NAME ? inner->entity : NULL;
}

bool dvmhcc_is_statement(const dvmhcc_node_t *node) {
    return node->kind <= DVMHCC_NODE_OTHER_STATEMENT;
}

bool dvmhcc_node_inside(const dvmhcc_node_t *node, const dvmhcc_node_t *outer) {
    return outer->begin <= node->begin && node->end <= outer->end;
}

void dvmhcc_walk(dvmhcc_node_t *node, bool (*visit)(dvmhcc_node_t *node, void *context), void *context) {
    if (node == NULL || !visit(node, context))
        return;
    for (int i = 0; i < node->count; i++)
        dvmhcc_walk(node->children[i], visit, context);
    for (int i = 0; i < node->declarator_count; i++) {
        const dvmhcc_declarator_t *declarator = node->declarators[i];
        for (int k = 0; k < declarator->extent_count; k++)
            dvmhcc_walk(declarator->extents[k].expression, visit, context);
        dvmhcc_walk(declarator->initialiser, visit, context);
    }
}

bool dvmhcc_stays_inside(const dvmhcc_node_t *node, const dvmhcc_node_t *statement) {
    const bool is_continue = node->kind == DVMHCC_NODE_CONTINUE;
    for (; node != NULL; node = node->parent) {
        if (node->kind == DVMHCC_NODE_FOR || node->kind == DVMHCC_NODE_WHILE ||
            node->kind == DVMHCC_NODE_DO || (node->kind == DVMHCC_NODE_SWITCH && !is_continue))
            return true;
        if (node == statement)
            return false;
    }
    return false;
}

typedef struct label_walk {
    const char *label;
    bool found;
} label_walk_t;

static bool find_label(dvmhcc_node_t *node, void *context) {
    label_walk_t *walk = context;
    if (node->kind == DVMHCC_NODE_LABEL && strcmp(node->text, walk->label) == 0)
        walk->found = true;
    return !walk->found;
}

bool dvmhcc_has_label(const dvmhcc_node_t *statement, const char *label) {
    label_walk_t walk = {.label = label};
    if (label != NULL)
        dvmhcc_walk((dvmhcc_node_t *)(uintptr_t)statement, find_label, &walk);
    return walk.found;
}

/* ---- types */

bool dvmhcc_type_is_integer(const dvmhcc_type_t *type) {
    return type != NULL && (type->kind == DVMHCC_TYPE_ENUM ||
                            (type->basic >= DVMHCC_BASIC_BOOL && type->basic <= DVMHCC_BASIC_WIDE_INTEGER));
}

bool dvmhcc_type_is_number(const dvmhcc_type_t *type) {
    return type != NULL && (type->kind == DVMHCC_TYPE_ENUM || type->basic >= DVMHCC_BASIC_BOOL);
}

bool dvmhcc_type_is_scalar(const dvmhcc_type_t *type) {
    return dvmhcc_type_is_number(type) || (type != NULL && type->kind == DVMHCC_TYPE_POINTER);
}

bool dvmhcc_type_is_unsigned(const dvmhcc_type_t *type) {
    switch (type->basic) {
    case DVMHCC_BASIC_BOOL:
    case DVMHCC_BASIC_UCHAR:
    case DVMHCC_BASIC_USHORT:
    case DVMHCC_BASIC_UINT:
    case DVMHCC_BASIC_ULONG:
    case DVMHCC_BASIC_ULLONG:
        return true;
    default:
        return false;
    }
}

const dvmhcc_type_t *dvmhcc_type_element(const dvmhcc_type_t *type, int *rank_p) {
    int rank = 0;
    while (type != NULL && type->kind == DVMHCC_TYPE_ARRAY) {
        type = type->target;
        rank++;
    }
    *rank_p = rank;
    return type;
}

/* ---- constants */

static bool fits(const dvmhcc_type_t *type, int64_t value) {
    if (!dvmhcc_type_is_integer(type) || type->bytes < 1)
        return false;
    if (type->basic == DVMHCC_BASIC_BOOL)
        return value == 0 || value == 1;
    const bool is_unsigned = dvmhcc_type_is_unsigned(type);
    if (is_unsigned && value < 0)
        return false;
    if (type->bytes >= 8)
        return true;
    const int bits = (int)type->bytes * 8 - (is_unsigned ? 0 : 1);
    return value <= (INT64_C(1) << bits) - 1 && (is_unsigned || value >= -(INT64_C(1) << bits));
}

/* C would convert the signed operand to unsigned: equal results only when neither is negative. */
static bool mixes_signs(const dvmhcc_node_t *left, const dvmhcc_node_t *right) {
    const bool is_unsigned = dvmhcc_type_is_unsigned(left->type) || dvmhcc_type_is_unsigned(right->type);
    return is_unsigned && (left->value < 0 || right->value < 0);
}

static bool fold_binary(dvmhcc_operator_t operation, int64_t a, int64_t b, int64_t *value) {
    switch (operation) {
    case DVMHCC_OPERATOR_MULTIPLY:
        return !__builtin_mul_overflow(a, b, value);
    case DVMHCC_OPERATOR_ADD:
        return !__builtin_add_overflow(a, b, value);
    case DVMHCC_OPERATOR_SUBTRACT:
        return !__builtin_sub_overflow(a, b, value);
    case DVMHCC_OPERATOR_DIVIDE:
    case DVMHCC_OPERATOR_REMAINDER:
        if (b == 0 || (b == -1 && a == INT64_MIN))
            return false;
        *value = operation == DVMHCC_OPERATOR_DIVIDE ? a / b : a % b;
        return true;
    case DVMHCC_OPERATOR_SHIFT_LEFT:
        return a >= 0 && b >= 0 && b < 62 && !__builtin_mul_overflow(a, INT64_C(1) << b, value);
    case DVMHCC_OPERATOR_SHIFT_RIGHT:
        *value = b >= 0 && b < 63 ? a >> b : 0;
        return a >= 0 && b >= 0 && b < 63;
    case DVMHCC_OPERATOR_LESS:
        *value = a < b;
        return true;
    case DVMHCC_OPERATOR_GREATER:
        *value = a > b;
        return true;
    case DVMHCC_OPERATOR_LESS_EQUAL:
        *value = a <= b;
        return true;
    case DVMHCC_OPERATOR_GREATER_EQUAL:
        *value = a >= b;
        return true;
    case DVMHCC_OPERATOR_EQUAL:
        *value = a == b;
        return true;
    case DVMHCC_OPERATOR_UNEQUAL:
        *value = a != b;
        return true;
    case DVMHCC_OPERATOR_AND:
        *value = a & b;
        return true;
    case DVMHCC_OPERATOR_XOR:
        *value = a ^ b;
        return true;
    case DVMHCC_OPERATOR_OR:
        *value = a | b;
        return true;
    case DVMHCC_OPERATOR_BOTH:
        *value = a != 0 && b != 0;
        return true;
    case DVMHCC_OPERATOR_EITHER:
        *value = a != 0 || b != 0;
        return true;
    default:
        return false;
    }
}

static bool fold_unary(const dvmhcc_node_t *node, const dvmhcc_node_t *operand, int64_t *value) {
    switch (node->operation) {
    case DVMHCC_OPERATOR_PLUS:
        *value = operand->value;
        return true;
    case DVMHCC_OPERATOR_MINUS:
        return !__builtin_sub_overflow(0, operand->value, value);
    case DVMHCC_OPERATOR_COMPLEMENT:
        *value = ~operand->value;
        return true;
    case DVMHCC_OPERATOR_NOT:
        *value = operand->value == 0;
        return true;
    default:
        return false;
    }
}

void dvmhcc_node_fold(dvmhcc_node_t *node) {
    int64_t value = 0;
    bool known = false;
    for (int i = 0; i < node->count; i++) {
        if (node->children[i] == NULL || !node->children[i]->is_constant)
            return;
    }
    switch (node->kind) {
    case DVMHCC_NODE_PAREN:
    case DVMHCC_NODE_CAST:
        known = node->count == 1;
        value = known ? node->children[0]->value : 0;
        break;
    case DVMHCC_NODE_UNARY:
        known = node->count == 1 && fold_unary(node, node->children[0], &value);
        break;
    case DVMHCC_NODE_BINARY:
        known = node->count == 2 && !mixes_signs(node->children[0], node->children[1]) &&
                fold_binary(node->operation, node->children[0]->value, node->children[1]->value, &value);
        break;
    case DVMHCC_NODE_CONDITIONAL:
        known = node->count == 3;
        value = known ? node->children[node->children[0]->value != 0 ? 1 : 2]->value : 0;
        break;
    default:
        return;
    }
    if (!known || !fits(node->type, value))
        return;
    node->is_constant = true;
    node->value = value;
}
