/* Expressions of C in C++: casts where C converts silently and C++ does not, structures made of named members, functions of the library
 * under names of our own. */
#include <config.h>

#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/generate_pieces.h"
#include "compiler-hooks/dvmhcc/name_use.h"

#include <string.h>

typedef struct convert {
    dvmhcc_generator_t *generator;
    const dvmhcc_entity_t *function;
    dvmhcc_edit_t *edit;
    size_t begin;
    bool good;
} convert_t;

/* (void *)0, as headers define NULL. It may stand in parentheses of its own. */
static bool is_null(dvmhcc_node_t *node) {
    node = dvmhcc_inner(node);
    return node != NULL && node->kind == DVMHCC_NODE_CAST && node->type != NULL &&
           node->type->kind == DVMHCC_TYPE_POINTER && node->type->target != NULL &&
           node->type->target->basic == DVMHCC_BASIC_VOID && node->count > 0 &&
           dvmhcc_inner(node->children[0])->is_constant && dvmhcc_inner(node->children[0])->value == 0;
}

static bool is_void_pointer(const dvmhcc_type_t *type) {
    return type->kind == DVMHCC_TYPE_POINTER && type->target != NULL &&
           type->target->kind == DVMHCC_TYPE_BASIC && type->target->basic == DVMHCC_BASIC_VOID;
}

static bool needs_cast(const dvmhcc_type_t *target, const dvmhcc_node_t *value) {
    if (target->kind == DVMHCC_TYPE_ENUM)
        return value->type->kind != DVMHCC_TYPE_ENUM;
    return target->kind == DVMHCC_TYPE_POINTER && !is_void_pointer(target) &&
           (is_void_pointer(value->type) || (value->kind == DVMHCC_NODE_STRING && !target->target->is_const));
}

/* A value that becomes one of another type. */
static void convert_to(convert_t *convert, const dvmhcc_type_t *target, dvmhcc_node_t *value) {
    if (target == NULL || value == NULL || value->type == NULL || is_null(value) ||
        !needs_cast(target, value))
        return;
    const char *cast =
        dvmhcc_generator_text(convert->generator,
                              strpbrk(target->text, "[(") != NULL ? "(__typeof__(%s))(" : "(%s)(",
                              target->text);
    convert->good = convert->good && cast != NULL &&
                    dvmhcc_edit_before_text(convert->edit, value->begin - convert->begin, cast) &&
                    dvmhcc_edit_after_text(convert->edit, value->end - convert->begin, ")");
}

static void convert_call(convert_t *convert, dvmhcc_node_t *call) {
    const dvmhcc_entity_t *function = dvmhcc_called(call);
    bool as_it_is;
    if (function == NULL)
        return;
    if (function->body != NULL) {
        for (int i = 1; i < call->count && i <= function->parameter_count; i++)
            convert_to(convert, function->parameters[i - 1]->type, call->children[i]);
        return;
    }
    const dvmhcc_gpu_library_t *library = dvmhcc_gpu_library(function->name, &as_it_is);
    if (library == NULL || as_it_is)
        return;
    const dvmhcc_node_t *name = dvmhcc_inner(call->children[0]);
    const char *text = dvmhcc_generator_text(convert->generator, "dvmhcc_math_%s", library->name);
    convert->good = convert->good && text != NULL &&
                    dvmhcc_edit_replace_text(convert->edit, name->begin - convert->begin,
                                             name->end - convert->begin, text);
}

static void convert_declaration(convert_t *convert, const dvmhcc_node_t *node) {
    for (int i = 0; i < node->declarator_count; i++)
        convert_to(convert, node->declarators[i]->entity->type, node->declarators[i]->initialiser);
}

/* A structure made of named members becomes one that is filled member by member: C++17 has no such initialisers. */
static void convert_designated(convert_t *convert, const dvmhcc_node_t *node, const dvmhcc_node_t *list) {
    const char *text = convert->generator->unit->text;
    dvmhcc_pieces_t pieces = {0};
    dvmhcc_pieces_printf(&pieces, "(__extension__({ std::remove_cv_t<%s> dvmhcc_value = {};",
                         list->type->text);
    for (size_t at = list->begin + 1; at < list->end - 1;) {
        const size_t begin = dvmhcc_c_next(text, list->end - 1, at);
        const size_t end = dvmhcc_c_find(text, list->end - 1, begin, ",");
        if (begin < end) {
            dvmhcc_pieces_printf(&pieces, " dvmhcc_value");
            dvmhcc_pieces_range(&pieces, begin - convert->begin, end - convert->begin);
            dvmhcc_pieces_printf(&pieces, ";");
        }
        at = end + 1;
    }
    dvmhcc_pieces_printf(&pieces, " dvmhcc_value; }))");
    convert->good =
        convert->good && dvmhcc_pieces_replace(&pieces, convert->edit, node->begin - convert->begin,
                                               node->end - convert->begin);
}

static bool visit(dvmhcc_node_t *node, void *context) {
    convert_t *convert = context;
    switch (node->kind) {
    case DVMHCC_NODE_COMPOUND_LITERAL:
    case DVMHCC_NODE_LIST:
        if (dvmhcc_gpu_designated(convert->generator->unit, node) == DVMHCC_GPU_MEMBERS)
            convert_designated(convert, node,
                               node->kind == DVMHCC_NODE_LIST ? node : node->children[node->count - 1]);
        break;
    case DVMHCC_NODE_CAST:
        if (is_null(node)) {
            convert->good =
                convert->good && dvmhcc_edit_replace_text(convert->edit, node->begin - convert->begin,
                                                          node->end - convert->begin, "__null");
            return false;
        }
        break;
    case DVMHCC_NODE_CALL:
        convert_call(convert, node);
        break;
    case DVMHCC_NODE_DECLARATION:
        convert_declaration(convert, node);
        break;
    case DVMHCC_NODE_ASSIGN:
        if (node->operation == DVMHCC_OPERATOR_NONE)
            convert_to(convert, node->children[0]->type, node->children[1]);
        break;
    case DVMHCC_NODE_RETURN:
        if (convert->function != NULL && node->count > 0 && convert->function->type != NULL)
            convert_to(convert, convert->function->type->target, node->children[0]);
        break;
    default:
        break;
    }
    return convert->good;
}

bool dvmhcc_gpu_convert(dvmhcc_generator_t *generator, dvmhcc_node_t *node, const dvmhcc_entity_t *function,
                        dvmhcc_edit_t *edit, size_t begin) {
    convert_t convert = {.generator = generator,
                         .function = function,
                         .edit = edit,
                         .begin = begin,
                         .good = true};
    if (node != NULL)
        dvmhcc_walk(node, visit, &convert);
    return convert.good;
}
