/* Serial code: elements of distributed arrays, calls of the C library that the runtime replaces, memory of distributed arrays, the
 * beginning and the end of the program. Parallel loops are left out. */
#include <config.h>

#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate_statements.h"
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

static bool replace(dvmhcc_serial_t *serial, const dvmhcc_node_t *node, const char *text) {
    return text != NULL && dvmhcc_edit_replace_text(serial->generator->edit, node->begin, node->end, text);
}

static bool rewrite_children(dvmhcc_serial_t *serial, dvmhcc_node_t *node) {
    bool good = true;
    for (int i = 0; i < node->count; i++)
        good = dvmhcc_serial_rewrite(serial, node->children[i]) && good;
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

/* Functions that can hardly fail: their calls stay as the program has them, for readers. */
static bool seldom_fails(const char *name) {
    return strstr(name, "print") != NULL || strstr(name, "put") != NULL;
}

/* A function of <stdio.h>; where it is called, messages about the call get its line. */
static bool replace_stdio(dvmhcc_serial_t *serial, const dvmhcc_node_t *node, const char *name,
                          bool is_called) {
    if (name == NULL || !is_called || seldom_fails(name))
        return replace(serial, node, name);
    const dvmhcc_place_t place = dvmhcc_source_line(serial->generator->source, node->begin);
    return replace(serial, node,
                   dvmhcc_generator_text(serial->generator, "(dvmh_line_C(%d, \"%s\"), %s)",
                                         place.line > 0 ? place.line : 1,
                                         dvmhcc_generator_file(serial->generator, &place), name));
}

static bool rewrite_name(dvmhcc_serial_t *serial, dvmhcc_node_t *node, bool is_void, bool is_called) {
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
            return replace_stdio(serial, node,
                                 dvmhcc_generator_text(serial->generator, "dvmh_%s%s",
                                                       is_void && stdio_names[i].void_too ? "void_" : "",
                                                       entity->name),
                                 is_called);
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

static bool rewrite_call(dvmhcc_serial_t *serial, dvmhcc_node_t *node, bool is_void) {
    dvmhcc_node_t *function = dvmhcc_inner(node->children[0]);
    const dvmhcc_distributed_t *array = node->count > 1 ? whole_array(node->children[1]) : NULL;
    bool good = true;
    if (array != NULL && (is_system_name(function, "fread") || is_system_name(function, "fwrite"))) {
        good = replace_stdio(serial, function,
                             dvmhcc_generator_text(serial->generator, "dvmh_%s%s_distrib",
                                                   is_void ? "void_" : "", function->entity->name),
                             true) &&
               replace(serial, node->children[1], array->entity->name);
        for (int i = 2; i < node->count; i++)
            good = dvmhcc_serial_rewrite(serial, node->children[i]) && good;
        return good;
    }
    if (array != NULL && is_system_name(function, "free"))
        return replace(serial, function, "dvmh_array_free_C") &&
               replace(serial, node->children[1], array->entity->name);
    if (function->kind == DVMHCC_NODE_NAME)
        good = rewrite_name(serial, function, is_void, true);
    else
        good = dvmhcc_serial_rewrite(serial, node->children[0]);
    for (int i = 1; i < node->count; i++)
        good = dvmhcc_serial_rewrite(serial, node->children[i]) && good;
    return good;
}

/* ---- memory of distributed arrays */

/* The call that gives an array memory: malloc or calloc. @return NULL: none, or not for this array; told */
static dvmhcc_node_t *allocation_of(dvmhcc_serial_t *serial, const dvmhcc_node_t *node,
                                    const dvmhcc_distributed_t *array, dvmhcc_node_t *value, bool *clears_p) {
    const char *message = NULL;
    while (value->kind == DVMHCC_NODE_CAST && value->count == 1)
        value = dvmhcc_inner(value->children[0]);
    const dvmhcc_node_t *function = value->kind == DVMHCC_NODE_CALL ? dvmhcc_inner(value->children[0]) : NULL;
    *clears_p = is_system_name(function, "calloc") && value->count == 3;
    if (!*clears_p && !(is_system_name(function, "malloc") && value->count == 2))
        message = "the distributed array '%s' can only be assigned a call of malloc or calloc";
    else if (*clears_p && !array->declaration->has_distribution && !array->declaration->has_alignment)
        message = "calloc cannot clear '%s', which gets its place later, by redistribute or realign; use "
                  "malloc, and set the elements after that";
    if (message == NULL)
        return value;
    dvmhcc_node_report(serial->generator->unit, DVMHCC_ERROR, node, message, array->entity->name);
    return NULL;
}

static bool rewrite_allocation(dvmhcc_serial_t *serial, dvmhcc_node_t *node,
                               const dvmhcc_distributed_t *array, dvmhcc_node_t *value) {
    bool clears;
    dvmhcc_node_t *call = allocation_of(serial, node, array, value, &clears);
    if (call == NULL)
        return false;
    dvmhcc_pieces_t pieces = {0};
    dvmhcc_text_t line = {0}, placing = {0};
    dvmhcc_generate_line(serial->generator, node->begin, "        ", &line);
    bool good = dvmhcc_generate_placing(serial->generator, array, "        ", &placing);
    dvmhcc_pieces_printf(&pieces, "{\n%s        dvmh_array_alloc_C(%s, ", dvmhcc_text_string(&line),
                         array->entity->name);
    for (int i = 1; i < call->count; i++) {
        dvmhcc_pieces_printf(&pieces, i > 1 ? " * (DvmType)(" : "(DvmType)(");
        dvmhcc_pieces_range(&pieces, call->children[i]->begin, call->children[i]->end);
        dvmhcc_pieces_printf(&pieces, ")");
    }
    dvmhcc_pieces_printf(&pieces, ");\n%s", dvmhcc_text_string(&placing));
    if (clears) {
        const char *type = dvmhcc_generator_type(serial->generator, array->element, node);
        good = type != NULL && good;
        dvmhcc_pieces_printf(&pieces, "        dvmhcc_zero(%s, sizeof(%s));\n", array->entity->name,
                             type != NULL ? type : "char");
    }
    dvmhcc_pieces_printf(&pieces, "    }");
    good = dvmhcc_text_good(&line) && dvmhcc_text_good(&placing) && good;
    dvmhcc_text_free(&line);
    dvmhcc_text_free(&placing);
    good = dvmhcc_pieces_replace(&pieces, serial->generator->edit, node->begin, node->end) && good;
    for (int i = 1; i < call->count; i++)
        good = dvmhcc_serial_rewrite(serial, call->children[i]) && good;
    return good;
}

/* ---- statements */

static bool rewrite_statement(dvmhcc_serial_t *serial, dvmhcc_node_t *node) {
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
    if (!in_for && expression == node->children[0] && dvmhcc_changed_element(expression, &element) != NULL)
        return dvmhcc_serial_change(serial, expression, node->end);
    return dvmhcc_serial_rewrite(serial, node->children[0]);
}

static bool rewrite_return(dvmhcc_serial_t *serial, dvmhcc_node_t *node) {
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

/* Loops are given the addresses of variables, which those of `register` do not have. Variables in a register of a certain name stay. */
static bool drop_register(dvmhcc_generator_t *generator, const dvmhcc_declarator_t *declarator) {
    const char *text = generator->unit->text;
    const size_t end = declarator->own_begin;
    for (size_t at = dvmhcc_c_next(text, end, declarator->begin); at < end;
         at = dvmhcc_c_next(text, end, dvmhcc_c_word_end(text, end, at))) {
        if (!dvmhcc_c_is_name(text, end, at, "register"))
            continue;
        size_t behind = dvmhcc_c_next(text, generator->unit->length, declarator->own_end);
        if (dvmhcc_c_is_name(text, generator->unit->length, behind, "asm") ||
            dvmhcc_c_is_name(text, generator->unit->length, behind, "__asm__"))
            return true;
        return dvmhcc_edit_replace_text(generator->edit, at, at + strlen("register"), " ");
    }
    return true;
}

static bool rewrite_declaration(dvmhcc_serial_t *serial, const dvmhcc_node_t *node) {
    bool good = node->declarator_count == 0 || node->declarators[0]->entity->distributed != NULL ||
                drop_register(serial->generator, node->declarators[0]);
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
            good = dvmhcc_serial_rewrite(serial, declarator->extents[k].expression) && good;
        good = dvmhcc_serial_rewrite(serial, declarator->initialiser) && good;
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
static bool rewrite_sizeof(dvmhcc_serial_t *serial, dvmhcc_node_t *node) {
    bool found = false;
    if (node->count == 0 || node->children[0] == NULL)
        return true;
    dvmhcc_walk(node->children[0], names_array, &found);
    if (!found)
        return rewrite_children(serial, node);
    const dvmhcc_node_t *operand = dvmhcc_inner(node->children[0]);
    if (operand->type == NULL || operand->type->bytes <= 0) {
        dvmhcc_node_report(
            serial->generator->unit, DVMHCC_ERROR, node,
            "the size of this part of a distributed array is not known when the program is compiled");
        return false;
    }
    return replace(serial, node->children[0],
                   dvmhcc_generator_text(serial->generator, "(%s)", operand->type->text));
}

/* Of a parallel loop only its bounds are serial code. */
static bool rewrite_bounds(dvmhcc_serial_t *serial, const dvmhcc_loop_t *loop) {
    bool good = true;
    for (int k = 0; k < loop->rank; k++) {
        good = dvmhcc_serial_rewrite(serial, loop->dims[k].first) && good;
        good = dvmhcc_serial_rewrite(serial, loop->dims[k].last) && good;
        good = dvmhcc_serial_rewrite(serial, loop->dims[k].step) && good;
    }
    return good;
}

bool dvmhcc_serial_rewrite(dvmhcc_serial_t *serial, dvmhcc_node_t *node) {
    dvmhcc_element_t element;
    if (node == NULL)
        return true;
    const dvmhcc_loop_t *loop = dvmhcc_parallel_of(serial->generator, node);
    if (loop != NULL)
        return rewrite_bounds(serial, loop);
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
        return rewrite_name(serial, node, false, false);
    case DVMHCC_NODE_CALL:
        return rewrite_call(serial, node, false);
    case DVMHCC_NODE_SUBSCRIPT:
        if (dvmhcc_element_of(node, &element))
            return dvmhcc_serial_element(serial, node, &element);
        break;
    case DVMHCC_NODE_ASSIGN:
    case DVMHCC_NODE_UNARY:
        if (dvmhcc_changed_element(node, &element) != NULL)
            return dvmhcc_serial_change(serial, node, node->end);
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

static bool rewrite_main(dvmhcc_serial_t *serial) {
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

/* Of the definition; a declaration in front of it may say `register` too, which means nothing. */
static bool drop_parameter_register(dvmhcc_generator_t *generator, const dvmhcc_entity_t *function,
                                    const dvmhcc_entity_t *parameter) {
    for (const dvmhcc_declarator_t *declarator = parameter->declarators; declarator != NULL;
         declarator = declarator->next)
        if (parameter->distributed == NULL && parameter->scope_end == function->body->end &&
            declarator->own_end <= function->body->begin)
            return drop_register(generator, declarator);
    return true;
}

bool dvmhcc_generate_statements(dvmhcc_generator_t *generator) {
    const dvmhcc_unit_t *unit = generator->unit;
    bool good = true;
    for (size_t i = 0; i < unit->entity_count; i++) {
        dvmhcc_entity_t *entity = unit->entities[i];
        if (entity->kind != DVMHCC_ENTITY_FUNCTION || entity->body == NULL || entity->is_system)
            continue;
        dvmhcc_serial_t serial = {.generator = generator, .function = entity};
        good = rewrite_children(&serial, entity->body) && good;
        for (int k = 0; k < entity->parameter_count; k++)
            good = drop_parameter_register(generator, entity, entity->parameters[k]) && good;
        if (strcmp(entity->name, "main") == 0)
            good = rewrite_main(&serial) && good;
    }
    return good;
}
