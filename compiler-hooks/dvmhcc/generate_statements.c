/* Serial code: elements of distributed arrays, calls of the C library that the runtime replaces, memory of distributed arrays, the
 * beginning and the end of the program. Parallel loops are left out. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_serial.h"
#include "compiler-hooks/dvmhcc/loop_nest.h"

#include <string.h>

/* Functions of <stdio.h> that become dvmh_NAME; `void_too`: and dvmh_void_NAME where the result is not looked at. */
static const struct {
    const char *name;
    bool void_too;
} stdio_names[] = {
    {"remove", false}, {"rename", false},   {"tmpfile", false}, {"tmpnam", false},  {"fclose", false},
    {"fflush", false}, {"fopen", false},    {"freopen", false}, {"setbuf", false},  {"setvbuf", false},
    {"fprintf", true}, {"fscanf", true},    {"printf", true},   {"scanf", true},    {"vfprintf", true},
    {"vfscanf", true}, {"vprintf", true},   {"vscanf", true},   {"fgetc", false},   {"fgets", true},
    {"fputc", true},   {"fputs", true},     {"getc", false},    {"getchar", false}, {"gets", true},
    {"putc", true},    {"putchar", true},   {"puts", true},     {"ungetc", true},   {"fread", true},
    {"fwrite", true},  {"fgetpos", false},  {"fseek", true},    {"fsetpos", false}, {"ftell", false},
    {"rewind", false}, {"clearerr", false}, {"feof", false},    {"ferror", false},  {"perror", false},
    {"stdin", false},  {"stdout", false},   {"stderr", false},
};

static const char *const memory_names[] = {"malloc", "calloc", "realloc", "strdup", "free"};

typedef struct serial {
    dvmhcc_generator_t *generator;
    dvmhcc_entity_t *function;
} serial_t;

static bool rewrite(serial_t *serial, dvmhcc_node_t *node);

static bool replace(serial_t *serial, const dvmhcc_node_t *node, const char *text) {
    return text != NULL && dvmhcc_edit_replace_text(serial->generator->edit, node->begin, node->end, text);
}

static bool rewrite_children(serial_t *serial, dvmhcc_node_t *node) {
    bool good = true;
    for (int i = 0; i < node->count; i++)
        good = rewrite(serial, node->children[i]) && good;
    return good;
}

/* ---- names and calls of the C library */

static bool is_system_name(const dvmhcc_node_t *node, const char *name) {
    return node != NULL && node->kind == DVMHCC_NODE_NAME && node->entity != NULL &&
           node->entity->is_system && strcmp(node->entity->name, name) == 0;
}

/* Whether a name stands for a pointer that is asked whether it is NULL. */
static bool is_asked(const dvmhcc_node_t *node) {
    const dvmhcc_node_t *parent = node->parent;
    while (parent != NULL && parent->kind == DVMHCC_NODE_PAREN) {
        node = parent;
        parent = parent->parent;
    }
    if (parent == NULL)
        return false;
    switch (parent->kind) {
    case DVMHCC_NODE_BINARY:
        return parent->operation == DVMHCC_OPERATOR_EQUAL || parent->operation == DVMHCC_OPERATOR_UNEQUAL ||
               parent->operation == DVMHCC_OPERATOR_BOTH || parent->operation == DVMHCC_OPERATOR_EITHER;
    case DVMHCC_NODE_UNARY:
        return parent->operation == DVMHCC_OPERATOR_NOT;
    case DVMHCC_NODE_IF:
    case DVMHCC_NODE_WHILE:
    case DVMHCC_NODE_CONDITIONAL:
        return parent->children[0] == node;
    default:
        return false;
    }
}

static bool rewrite_name(serial_t *serial, dvmhcc_node_t *node, bool is_void) {
    const dvmhcc_entity_t *entity = node->entity;
    if (entity != NULL && entity->distributed != NULL && entity->distributed->form == DVMHCC_FORM_POINTER &&
        is_asked(node))
        return replace(serial, node,
                       dvmhcc_generator_text(serial->generator, "dvmhcc_memory(%s, %d)", entity->name,
                                             entity->distributed->rank));
    if (entity == NULL || !entity->is_system)
        return true;
    for (size_t i = 0; i < sizeof stdio_names / sizeof stdio_names[0]; i++)
        if (strcmp(entity->name, stdio_names[i].name) == 0)
            return replace(serial, node,
                           dvmhcc_generator_text(serial->generator, "dvmh_%s%s",
                                                 is_void && stdio_names[i].void_too ? "void_" : "",
                                                 entity->name));
    for (size_t i = 0; i < sizeof memory_names / sizeof memory_names[0]; i++)
        if (strcmp(entity->name, memory_names[i]) == 0)
            return replace(serial, node, dvmhcc_generator_text(serial->generator, "dvmh_%s_C", entity->name));
    return strcmp(entity->name, "exit") != 0 || replace(serial, node, "dvmhcc_exit");
}

/* The whole distributed array that an argument is, perhaps behind a cast. */
static dvmhcc_distributed_t *whole_array(dvmhcc_node_t *node) {
    node = dvmhcc_inner(node);
    while (node != NULL && node->kind == DVMHCC_NODE_CAST && node->count == 1)
        node = dvmhcc_inner(node->children[0]);
    const dvmhcc_entity_t *entity = dvmhcc_named(node);
    return entity != NULL && entity->distributed != NULL && entity->distributed->element != NULL
               ? entity->distributed
               : NULL;
}

static bool rewrite_call(serial_t *serial, dvmhcc_node_t *node, bool is_void) {
    dvmhcc_node_t *function = dvmhcc_inner(node->children[0]);
    const dvmhcc_distributed_t *array = node->count > 1 ? whole_array(node->children[1]) : NULL;
    bool good = true;
    if (array != NULL && (is_system_name(function, "fread") || is_system_name(function, "fwrite"))) {
        good = replace(serial, function,
                       dvmhcc_generator_text(serial->generator, "dvmh_%s%s_distrib", is_void ? "void_" : "",
                                             function->entity->name)) &&
               replace(serial, node->children[1], array->entity->name);
        for (int i = 2; i < node->count; i++)
            good = rewrite(serial, node->children[i]) && good;
        return good;
    }
    if (array != NULL && is_system_name(function, "free"))
        return replace(serial, function, "dvmh_array_free_C") &&
               replace(serial, node->children[1], array->entity->name);
    if (function->kind == DVMHCC_NODE_NAME)
        good = rewrite_name(serial, function, is_void);
    else
        good = rewrite(serial, node->children[0]);
    for (int i = 1; i < node->count; i++)
        good = rewrite(serial, node->children[i]) && good;
    return good;
}

/* ---- elements */

/* dvmh_get_..element_addr_C(A, 2, (DvmType)(i), (DvmType)(j)) as a pointer to the element's type. */
static bool add_address(serial_t *serial, const dvmhcc_node_t *node, const dvmhcc_element_t *element,
                        const char *function, dvmhcc_pieces_t *pieces) {
    const char *type = dvmhcc_generator_type(serial->generator, element->array->distributed->element, node);
    dvmhcc_pieces_printf(pieces, "(%s *)%s(%s, %d", type != NULL ? type : "void", function,
                         element->array->name, element->rank);
    for (int axis = 0; axis < element->rank; axis++) {
        dvmhcc_pieces_printf(pieces, ", (DvmType)(");
        dvmhcc_pieces_range(pieces, element->subscripts[axis]->begin, element->subscripts[axis]->end);
        dvmhcc_pieces_printf(pieces, ")");
    }
    dvmhcc_pieces_printf(pieces, ")");
    return type != NULL;
}

static bool rewrite_subscripts(serial_t *serial, const dvmhcc_element_t *element) {
    bool good = true;
    for (int axis = 0; axis < element->rank; axis++)
        good = rewrite(serial, element->subscripts[axis]) && good;
    return good;
}

static bool rewrite_element(serial_t *serial, dvmhcc_node_t *node, const dvmhcc_element_t *element) {
    dvmhcc_pieces_t pieces = {0};
    dvmhcc_pieces_printf(&pieces, "(*");
    bool good = add_address(serial, node, element, "dvmh_get_element_addr_C", &pieces);
    dvmhcc_pieces_printf(&pieces, ")");
    good = dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, node->end) && good;
    return rewrite_subscripts(serial, element) && good;
}

/* The element that an assignment or an increment changes, all of it or a part. */
static dvmhcc_node_t *changed_element(dvmhcc_node_t *node, dvmhcc_element_t *element) {
    dvmhcc_node_t *target = NULL;
    if (node->kind == DVMHCC_NODE_ASSIGN ||
        (node->kind == DVMHCC_NODE_UNARY && (node->operation == DVMHCC_OPERATOR_PRE_INCREMENT ||
                                             node->operation == DVMHCC_OPERATOR_PRE_DECREMENT ||
                                             node->operation == DVMHCC_OPERATOR_POST_INCREMENT ||
                                             node->operation == DVMHCC_OPERATOR_POST_DECREMENT)))
        target = dvmhcc_inner(node->children[0]);
    while (target != NULL && !dvmhcc_element_of(target, element)) {
        const bool is_part = (target->kind == DVMHCC_NODE_MEMBER && !target->is_arrow) ||
                             target->kind == DVMHCC_NODE_SUBSCRIPT;
        target = is_part ? dvmhcc_inner(target->children[0]) : NULL;
    }
    return target;
}

/* What stands between the changed element and the whole target: its subscripts of members. */
static bool rewrite_around(serial_t *serial, dvmhcc_node_t *target, const dvmhcc_node_t *element) {
    bool good = true;
    for (target = dvmhcc_inner(target); target != element; target = dvmhcc_inner(target->children[0]))
        if (target->kind == DVMHCC_NODE_SUBSCRIPT)
            good = rewrite(serial, target->children[1]) && good;
    return good;
}

/* The owner alone changes an element. The statement's value is not used. */
static bool rewrite_change(serial_t *serial, dvmhcc_node_t *node, size_t end, bool has_value) {
    const char *prefix = serial->generator->prefix;
    dvmhcc_element_t element;
    dvmhcc_node_t *target = changed_element(node, &element);
    dvmhcc_pieces_t pieces = {0};
    bool good = true;
    const char *type = dvmhcc_generator_type(serial->generator, element.array->distributed->element, node);
    dvmhcc_pieces_printf(&pieces, has_value ? "(__extension__({ %s *%sown = " : "{ %s *const %sown = ",
                         type != NULL ? type : "void", prefix);
    good = add_address(serial, node, &element, "dvmh_get_own_element_addr_C", &pieces);
    if (has_value)
        /* Others make the value in a place of their own, so that the expression has one. */
        dvmhcc_pieces_printf(
            &pieces,
            ", %sother[1]; if (%sown == NULL) { %sown = %sother; memset(%sown, 0, sizeof *%sown); } ", prefix,
            prefix, prefix, prefix, prefix, prefix);
    else
        dvmhcc_pieces_printf(&pieces, "; if (%sown != NULL) ", prefix);
    if (has_value) {
        dvmhcc_pieces_range(&pieces, node->begin, node->end);
        dvmhcc_pieces_printf(&pieces, "; }))");
    } else {
        dvmhcc_pieces_range(&pieces, node->begin, end);
        dvmhcc_pieces_printf(&pieces, " }");
    }
    /* The range is taken without this replacement, since it is its own. */
    good = dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, end) && good;
    good = replace(serial, target, dvmhcc_generator_text(serial->generator, "(*%sown)", prefix)) && good;
    good = rewrite_subscripts(serial, &element) && good;
    good = rewrite_around(serial, node->children[0], target) && good;
    for (int i = 1; i < node->count; i++)
        good = rewrite(serial, node->children[i]) && good;
    return good;
}

/* ---- memory of distributed arrays */

static bool rewrite_allocation(serial_t *serial, dvmhcc_node_t *node, const dvmhcc_distributed_t *array,
                               dvmhcc_node_t *value) {
    while (value->kind == DVMHCC_NODE_CAST && value->count == 1)
        value = dvmhcc_inner(value->children[0]);
    if (value->kind != DVMHCC_NODE_CALL || value->count != 2 ||
        !is_system_name(dvmhcc_inner(value->children[0]), "malloc")) {
        dvmhcc_node_report(serial->generator->unit, DVMHCC_ERROR, node,
                           "the distributed array '%s' can only be assigned a call of malloc",
                           array->entity->name);
        return false;
    }
    dvmhcc_pieces_t pieces = {0};
    dvmhcc_text_t placing = {0};
    bool good = dvmhcc_generate_placing(serial->generator, array, "        ", &placing);
    dvmhcc_pieces_printf(&pieces, "{\n        dvmh_array_alloc_C(%s, (DvmType)(", array->entity->name);
    dvmhcc_pieces_range(&pieces, value->children[1]->begin, value->children[1]->end);
    dvmhcc_pieces_printf(&pieces, "));\n%s    }", dvmhcc_text_string(&placing));
    good = dvmhcc_text_good(&placing) && good;
    dvmhcc_text_free(&placing);
    good = dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, node->end) && good;
    return rewrite(serial, value->children[1]) && good;
}

/* ---- statements */

static bool rewrite_statement(serial_t *serial, dvmhcc_node_t *node) {
    dvmhcc_node_t *expression = dvmhcc_inner(node->children[0]);
    const bool in_for =
        node->parent != NULL && node->parent->kind == DVMHCC_NODE_FOR && node->parent->children[0] == node;
    dvmhcc_element_t element;
    if (expression->kind == DVMHCC_NODE_CALL)
        return rewrite_call(serial, expression, true);
    if (expression->kind == DVMHCC_NODE_ASSIGN && expression->operation == DVMHCC_OPERATOR_NONE) {
        const dvmhcc_entity_t *entity = dvmhcc_named(expression->children[0]);
        if (entity != NULL && entity->distributed != NULL && entity->distributed->form == DVMHCC_FORM_POINTER)
            return rewrite_allocation(serial, node, entity->distributed,
                                      dvmhcc_inner(expression->children[1]));
    }
    if (!in_for && expression == node->children[0] && changed_element(expression, &element) != NULL)
        return rewrite_change(serial, expression, node->end, false);
    return rewrite(serial, node->children[0]);
}

static bool rewrite_return(serial_t *serial, dvmhcc_node_t *node) {
    if (serial->function->is_system || strcmp(serial->function->name, "main") != 0)
        return rewrite_children(serial, node);
    dvmhcc_pieces_t pieces = {0};
    dvmhcc_pieces_printf(&pieces, "dvmhcc_exit(");
    if (node->count > 0 && node->children[0] != NULL)
        dvmhcc_pieces_range(&pieces, node->children[0]->begin, node->children[0]->end);
    else
        dvmhcc_pieces_printf(&pieces, "0");
    dvmhcc_pieces_printf(&pieces, ");");
    return dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, node->end) &&
           rewrite_children(serial, node);
}

static bool rewrite_declaration(serial_t *serial, const dvmhcc_node_t *node) {
    bool good = true;
    for (int i = 0; i < node->declarator_count; i++) {
        const dvmhcc_declarator_t *declarator = node->declarators[i];
        if (declarator->entity->distributed != NULL) {
            if (declarator->initialiser != NULL) {
                dvmhcc_node_report(serial->generator->unit, DVMHCC_ERROR, declarator->initialiser,
                                   "a distributed array cannot be initialised in its declaration");
                good = false;
            }
            continue;
        }
        for (int k = 0; k < declarator->extent_count; k++)
            good = rewrite(serial, declarator->extents[k].expression) && good;
        good = rewrite(serial, declarator->initialiser) && good;
    }
    return good;
}

static bool names_array(dvmhcc_node_t *node, void *context) {
    bool *found = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL && node->entity->distributed != NULL)
        *found = true;
    return !*found;
}

/* What sizeof says of a distributed array, a row or an element of it is what it says of their types. */
static bool rewrite_sizeof(serial_t *serial, dvmhcc_node_t *node) {
    bool found = false;
    if (node->count == 0 || node->children[0] == NULL)
        return true;
    dvmhcc_walk(node->children[0], names_array, &found);
    if (!found)
        return rewrite_children(serial, node);
    const dvmhcc_node_t *operand = dvmhcc_inner(node->children[0]);
    if (operand->type == NULL || operand->type->bytes <= 0) {
        dvmhcc_node_report(serial->generator->unit, DVMHCC_ERROR, node,
                           "the size of this part of a distributed array is not known when compiling");
        return false;
    }
    return replace(serial, node->children[0],
                   dvmhcc_generator_text(serial->generator, "(%s)", operand->type->text));
}

/* Of a parallel loop only its bounds are serial code. */
static bool rewrite_bounds(serial_t *serial, const dvmhcc_loop_t *loop) {
    bool good = true;
    for (int k = 0; k < loop->rank; k++) {
        good = rewrite(serial, loop->dims[k].first) && good;
        good = rewrite(serial, loop->dims[k].last) && good;
        good = rewrite(serial, loop->dims[k].step) && good;
    }
    return good;
}

static bool rewrite(serial_t *serial, dvmhcc_node_t *node) {
    dvmhcc_element_t element;
    if (node == NULL)
        return true;
    const dvmhcc_loop_t *loop = dvmhcc_parallel_of(serial->generator, node);
    if (loop != NULL)
        return rewrite_bounds(serial, loop);
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
        return rewrite_name(serial, node, false);
    case DVMHCC_NODE_CALL:
        return rewrite_call(serial, node, false);
    case DVMHCC_NODE_SUBSCRIPT:
        if (dvmhcc_element_of(node, &element))
            return rewrite_element(serial, node, &element);
        break;
    case DVMHCC_NODE_ASSIGN:
    case DVMHCC_NODE_UNARY:
        if (changed_element(node, &element) != NULL)
            return rewrite_change(serial, node, node->end, true);
        break;
    case DVMHCC_NODE_SIZEOF:
        return rewrite_sizeof(serial, node);
    case DVMHCC_NODE_EXPRESSION:
        return rewrite_statement(serial, node);
    case DVMHCC_NODE_RETURN:
        return rewrite_return(serial, node);
    case DVMHCC_NODE_DECLARATION:
        return rewrite_declaration(serial, node);
    default:
        break;
    }
    return rewrite_children(serial, node);
}

/* ---- main */

static bool rewrite_main(serial_t *serial) {
    dvmhcc_generator_t *generator = serial->generator;
    dvmhcc_entity_t *function = serial->function;
    const dvmhcc_node_t *body = function->body;
    const dvmhcc_declarator_t *declarator = function->declarators;
    const char *argc = "", *argv = "";
    bool good = true;
    while (declarator != NULL && declarator->end != body->end)
        declarator = declarator->next;
    if (function->parameter_count >= 2) {
        argc = function->parameters[0]->name;
        argv = function->parameters[1]->name;
    } else if (declarator != NULL) {
        const char *text = generator->unit->text;
        size_t open = declarator->name_end;
        while (open < body->begin && text[open] != '(')
            open++;
        size_t close = open;
        while (close < body->begin && text[close] != ')')
            close++;
        argc = dvmhcc_generator_text(generator, "%sargc", generator->prefix);
        argv = dvmhcc_generator_text(generator, "%sargv", generator->prefix);
        const char *parameters = argc != NULL && argv != NULL
                                     ? dvmhcc_generator_text(generator, "(int %s, char **%s)", argc, argv)
                                     : NULL;
        good = close < body->begin && parameters != NULL &&
               dvmhcc_edit_replace_text(generator->edit, open, close + 1, parameters);
        if (parameters == NULL)
            return false;
    }
    if (!good || declarator == NULL || function->parameter_count == 1 || argc[0] == '\0' || argv[0] == '\0') {
        const dvmhcc_place_t place = dvmhcc_unit_place(generator->unit, body->begin, body->begin + 1);
        dvmhcc_report(DVMHCC_ERROR, &place,
                      "main must have no parameters, or both of main(int argc, char **argv)");
        return false;
    }
    dvmhcc_text_t text = {0};
    dvmhcc_text_add_string(&text, "\n");
    dvmhcc_generate_line(generator, body->begin, "    ", &text);
    dvmhcc_text_printf(&text, "    dvmh_init_C(INITFLAG_OPENMP, &%s, (char ***)&%s);\n%s", argc, argv,
                       generator->command->auto_layout ? "    dvmhx_reorganise_C();\n" : "");
    good = dvmhcc_text_good(&text) &&
           dvmhcc_edit_after_text(generator->edit, body->begin + 1, dvmhcc_text_string(&text));
    dvmhcc_text_free(&text);
    const bool ends = body->count > 0 && body->children[body->count - 1] != NULL &&
                      body->children[body->count - 1]->kind == DVMHCC_NODE_RETURN;
    return good && (ends || dvmhcc_edit_before_text(generator->edit, body->end - 1, "    dvmhcc_exit(0);\n"));
}

bool dvmhcc_generate_statements(dvmhcc_generator_t *generator) {
    const dvmhcc_unit_t *unit = generator->unit;
    bool good = true;
    for (size_t i = 0; i < unit->entity_count; i++) {
        dvmhcc_entity_t *entity = unit->entities[i];
        if (entity->kind != DVMHCC_ENTITY_FUNCTION || entity->body == NULL || entity->is_system)
            continue;
        serial_t serial = {.generator = generator, .function = entity};
        good = rewrite_children(&serial, entity->body) && good;
        if (strcmp(entity->name, "main") == 0)
            good = rewrite_main(&serial) && good;
    }
    return good;
}
