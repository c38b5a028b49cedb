/* Which parallel loops can run on GPUs: those that use nothing that GPUs, or C++, do not have. Looks at the loop and at the functions that
 * it calls; finds the first thing that is in the way. */
#include <config.h>

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/name_use.h"

#include <stdarg.h>
#include <string.h>

/* Calls of calls that are looked into. */
enum { DEPTH_MAX = 16 };

/* A function copies no larger tables: constant memory has 64 KB. */
enum { CONSTANT_BYTES_MAX = 32768 };

typedef struct check {
    const dvmhcc_unit_t *unit;
    const dvmhcc_loop_t *loop;
    const dvmhcc_entity_t *functions[DEPTH_MAX]; /* that called each other; none: the loop's body */
    int depth;
    bool refused;
    dvmhcc_gpu_refusal_t *refusal;
} check_t;

static void refuse(check_t *check, size_t begin, size_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void refuse(check_t *check, size_t begin, size_t end, const char *format, ...) {
    dvmhcc_gpu_refusal_t *refusal = check->refusal;
    va_list arguments;
    if (check->refused)
        return;
    check->refused = true;
    refusal->begin = begin;
    refusal->end = end;
    va_start(arguments, format);
    vsnprintf(refusal->reason, sizeof refusal->reason, format, arguments);
    va_end(arguments);
}

const dvmhcc_declarator_t *dvmhcc_gpu_definition(const dvmhcc_entity_t *entity) {
    const dvmhcc_declarator_t *found = NULL;
    for (const dvmhcc_declarator_t *d = entity->declarators; d != NULL; d = d->next)
        if (entity->body != NULL ? d->end == entity->body->end
                                 : d->initialiser != NULL || (found == NULL && d->is_definition))
            found = d;
    return found;
}

/* ---- types */

static bool has_pointer(const dvmhcc_type_t *type) {
    while (type->kind == DVMHCC_TYPE_ARRAY && type->target != NULL)
        type = type->target;
    return type->kind == DVMHCC_TYPE_POINTER;
}

/* @param what  the thing of this type, for the message */
static void check_type(check_t *check, const dvmhcc_type_t *type, size_t begin, size_t end) {
    for (; type != NULL && !check->refused; type = type->target) {
        if (type->basic == DVMHCC_BASIC_FLOAT_COMPLEX || type->basic == DVMHCC_BASIC_DOUBLE_COMPLEX ||
            type->basic == DVMHCC_BASIC_WIDE_COMPLEX)
            refuse(check, begin, end, "complex numbers");
        else if (type->basic == DVMHCC_BASIC_WIDE_FLOAT)
            refuse(check, begin, end, "'%s': numbers wider than double, or of half a float", type->text);
        else if (type->kind == DVMHCC_TYPE_OTHER)
            refuse(check, begin, end, "the type '%s'", type->text);
    }
}

static bool has_known_size(const dvmhcc_type_t *type) {
    for (; type->kind == DVMHCC_TYPE_ARRAY && type->target != NULL; type = type->target)
        if (type->extent < 0)
            return false;
    return true;
}

/* Of the loop: what it takes from outside. */
static void check_variable(check_t *check, const dvmhcc_loop_variable_t *variable) {
    const dvmhcc_entity_t *entity = variable->entity;
    const size_t begin = variable->first->begin, end = variable->first->end;
    check_type(check, entity->distributed != NULL ? entity->distributed->element : entity->type, begin, end);
    switch (variable->role) {
    case DVMHCC_ROLE_READ:
    case DVMHCC_ROLE_ARRAY:
        if (entity->type->kind == DVMHCC_TYPE_POINTER)
            refuse(check, begin, end,
                   "the pointer '%s': how much there is where it points is not known, so it cannot be copied",
                   entity->name);
        else if (has_pointer(entity->type))
            refuse(check, begin, end, "'%s' holds pointers, which are addresses of the host", entity->name);
        break;
    case DVMHCC_ROLE_DISTRIBUTED:
        if (entity->distributed->element != NULL && has_pointer(entity->distributed->element))
            refuse(check, begin, end, "'%s' holds pointers, which are addresses of the host", entity->name);
        break;
    default:
        break;
    }
}

/* ---- names, calls */

static void check_code(check_t *check, dvmhcc_node_t *node);
static void check_words(check_t *check, size_t begin, size_t end);

static bool is_callee(const dvmhcc_node_t *name) {
    const dvmhcc_node_t *call = name->parent;
    return call != NULL && call->kind == DVMHCC_NODE_CALL && call->children[0] == name;
}

/* A variable that a function takes from the file: a constant is copied. */
static void check_global(check_t *check, const dvmhcc_node_t *name) {
    const dvmhcc_entity_t *entity = name->entity;
    const dvmhcc_declarator_t *definition = dvmhcc_gpu_definition(entity);
    int rank;
    const dvmhcc_type_t *element = dvmhcc_type_element(entity->type, &rank);
    const char *function = check->functions[check->depth - 1]->name;
    if (!element->is_const || element->is_volatile || definition == NULL || definition->initialiser == NULL ||
        entity->is_system)
        refuse(check, name->begin, name->end,
               "'%s' uses the variable '%s', which is no constant of this source", function, entity->name);
    else if (has_pointer(entity->type) || entity->type->bytes < 0 || entity->type->bytes > CONSTANT_BYTES_MAX)
        refuse(check, name->begin, name->end, "'%s' uses '%s', which has %s", function, entity->name,
               has_pointer(entity->type) ? "pointers" : "more than 32 KB");
    check_type(check, entity->type, name->begin, name->end);
}

static void check_name(check_t *check, dvmhcc_node_t *name) {
    const dvmhcc_entity_t *entity = name->entity;
    if (entity == NULL)
        return;
    if (entity->kind == DVMHCC_ENTITY_FUNCTION && !is_callee(name))
        refuse(check, name->begin, name->end, "the address of the function '%s'", entity->name);
    else if (entity->kind == DVMHCC_ENTITY_VARIABLE && check->depth > 0 &&
             (entity->is_file_scope || entity->function != check->functions[check->depth - 1]) &&
             !dvmhcc_name_use(name).is_unevaluated)
        check_global(check, name);
}

/* Text between the parameters and the body of a definition: declarations of parameters, of before C89. */
static bool is_old_style(const check_t *check, const dvmhcc_entity_t *function,
                         const dvmhcc_declarator_t *definition) {
    const char *text = check->unit->text;
    const size_t end = function->body->begin, at = dvmhcc_c_next(text, end, definition->own_end);
    return at < end && !dvmhcc_c_is_name(text, end, at, "__attribute__");
}

static void check_function(check_t *check, dvmhcc_entity_t *function, const dvmhcc_node_t *call) {
    const dvmhcc_declarator_t *definition = dvmhcc_gpu_definition(function);
    for (int i = 0; i < check->depth; i++)
        if (check->functions[i] == function)
            return; /* it calls itself */
    if (check->depth == DEPTH_MAX) {
        refuse(check, call->begin, call->end, "functions that call each other more than %d deep", DEPTH_MAX);
        return;
    }
    if (function->uses_distributed || definition == NULL || is_old_style(check, function, definition)) {
        refuse(check, call->begin, call->end, "the function '%s', whose definition has an old form",
               function->name);
        return;
    }
    check->functions[check->depth++] = function;
    for (int i = 0; i < function->parameter_count; i++) {
        const dvmhcc_entity_t *parameter = function->parameters[i];
        check_type(check, parameter->type, call->begin, call->end);
        if (parameter->type->kind == DVMHCC_TYPE_POINTER && parameter->type->target != NULL &&
            !has_known_size(parameter->type->target))
            refuse(check, call->begin, call->end,
                   "the function '%s' has the parameter '%s', an array whose size is not constant",
                   function->name, parameter->name);
    }
    check_words(check, definition->begin, definition->end);
    check_code(check, function->body);
    check->depth--;
}

static void check_call(check_t *check, dvmhcc_node_t *call) {
    dvmhcc_entity_t *function = dvmhcc_called(call);
    bool as_it_is;
    if (function == NULL || function->kind != DVMHCC_ENTITY_FUNCTION)
        refuse(check, call->begin, call->end, "a call by a pointer to a function");
    else if (function->body != NULL)
        check_function(check, function, call);
    else if (!function->is_system && strncmp(function->name, "__builtin_", 10) != 0)
        refuse(check, call->begin, call->end, "the function '%s', whose body is not in this source",
               function->name);
    else if (dvmhcc_gpu_library(function->name, &as_it_is) == NULL)
        refuse(check, call->begin, call->end, "the function '%s' of the C library, which GPUs do not have",
               function->name);
}

/* ---- statements and expressions */

/* A list's elements, by their first words: `.member =`, something with other designators, or values. */
dvmhcc_gpu_designators_t dvmhcc_gpu_designated(const dvmhcc_unit_t *unit, const dvmhcc_node_t *node) {
    const char *text = unit->text;
    dvmhcc_gpu_designators_t found = DVMHCC_GPU_VALUES;
    if (node->kind == DVMHCC_NODE_COMPOUND_LITERAL)
        node = node->children[node->count - 1];
    else if (node->parent != NULL && node->parent->kind == DVMHCC_NODE_COMPOUND_LITERAL)
        return DVMHCC_GPU_VALUES; /* told of the literal */
    if (node->kind != DVMHCC_NODE_LIST)
        return DVMHCC_GPU_VALUES;
    const size_t end = node->end - 1;
    bool values = false;
    for (size_t at = dvmhcc_c_next(text, end, node->begin + 1); at < end;) {
        if (text[at] == '[')
            return DVMHCC_GPU_OTHER;
        if (text[at] == '.' && dvmhcc_c_in_name(text[dvmhcc_c_next(text, end, at + 1)]) &&
            !(text[at + 1] >= '0' && text[at + 1] <= '9')) {
            const size_t member = dvmhcc_c_next(text, end, at + 1);
            const size_t behind = dvmhcc_c_next(text, end, dvmhcc_c_word_end(text, end, member));
            const size_t value = behind < end ? dvmhcc_c_next(text, end, behind + 1) : end;
            if (value >= end || text[behind] != '=' || text[value] == '{')
                return DVMHCC_GPU_OTHER;
            found = DVMHCC_GPU_MEMBERS;
        } else {
            values = true;
        }
        const size_t comma = dvmhcc_c_find(text, end, at, ",");
        at = comma < end ? dvmhcc_c_next(text, end, comma + 1) : end;
    }
    return found == DVMHCC_GPU_MEMBERS &&
                   (values || node->type == NULL || node->type->kind != DVMHCC_TYPE_RECORD)
               ? DVMHCC_GPU_OTHER
               : found;
}

static void check_declaration(check_t *check, const dvmhcc_node_t *node) {
    for (int i = 0; i < node->declarator_count; i++) {
        const dvmhcc_declarator_t *declarator = node->declarators[i];
        const dvmhcc_entity_t *entity = declarator->entity;
        if (entity->kind == DVMHCC_ENTITY_FUNCTION || entity->kind == DVMHCC_ENTITY_TYPE)
            continue;
        int rank;
        const bool is_constant = dvmhcc_type_element(entity->type, &rank)->is_const;
        if (entity->has_static_storage && (!is_constant || declarator->is_extern))
            refuse(check, node->begin, node->end, "the static variable '%s'", entity->name);
        else if (entity->has_static_storage &&
                 (has_pointer(entity->type) || entity->type->bytes > CONSTANT_BYTES_MAX))
            refuse(check, node->begin, node->end, "the static table '%s', which has %s", entity->name,
                   has_pointer(entity->type) ? "pointers" : "more than 32 KB");
        else if (!has_known_size(entity->type))
            refuse(check, node->begin, node->end, "the array '%s', whose size is not constant", entity->name);
        check_type(check, entity->type, node->begin, node->end);
    }
}

/* What stands between the cases of a switch: C++ does not jump past a declaration with a value. */
static void check_switch(check_t *check, const dvmhcc_node_t *body) {
    const dvmhcc_node_t *declaration = NULL;
    for (int i = 0; body != NULL && i < body->count; i++) {
        const dvmhcc_node_t *child = body->children[i];
        if (child->kind == DVMHCC_NODE_DECLARATION && declaration == NULL)
            declaration = child;
        else if (declaration != NULL &&
                 (child->kind == DVMHCC_NODE_CASE || child->kind == DVMHCC_NODE_DEFAULT))
            refuse(check, declaration->begin, declaration->end,
                   "a declaration in front of a case; put it in braces with what uses it");
    }
}

static bool is_enum(const dvmhcc_node_t *node) {
    return node->type != NULL && node->type->kind == DVMHCC_TYPE_ENUM;
}

static const dvmhcc_node_t *without_parens(const dvmhcc_node_t *node) {
    while (node->kind == DVMHCC_NODE_PAREN && node->count > 0)
        node = node->children[0];
    return node;
}

/* A value of enum type is unsigned to gcc's C where none of its constants is negative, and an int to C++; the constants are int to both. */
static bool is_enum_value(const dvmhcc_node_t *node) {
    node = without_parens(node);
    return is_enum(node) && (node->entity == NULL || node->entity->kind != DVMHCC_ENTITY_ENUMERATOR);
}

/* Where the sign of an operand's type makes a difference. */
static void check_operands(check_t *check, const dvmhcc_node_t *node) {
    const bool is_arithmetic =
        node->kind == DVMHCC_NODE_UNARY
            ? node->operation >= DVMHCC_OPERATOR_PLUS && node->operation <= DVMHCC_OPERATOR_COMPLEMENT
            : node->operation >= DVMHCC_OPERATOR_MULTIPLY && node->operation <= DVMHCC_OPERATOR_GREATER_EQUAL;
    for (int i = 0; i < node->count && is_arithmetic; i++)
        if (is_enum_value(node->children[i]))
            refuse(check, node->begin, node->end,
                   "arithmetic on a value of enum type, which is unsigned in C and signed in C++; cast it to "
                   "int");
}

/* Characters and truth values are int in C, and smaller types in C++. */
static void check_sizeof(check_t *check, const dvmhcc_node_t *node) {
    if (node->count == 0)
        return;
    const dvmhcc_node_t *operand = without_parens(node->children[0]);
    const bool is_object =
        operand->kind == DVMHCC_NODE_NAME || operand->kind == DVMHCC_NODE_INTEGER ||
        operand->kind == DVMHCC_NODE_FLOATING || operand->kind == DVMHCC_NODE_MEMBER ||
        operand->kind == DVMHCC_NODE_SUBSCRIPT || operand->kind == DVMHCC_NODE_CAST ||
        (operand->kind == DVMHCC_NODE_UNARY && operand->operation == DVMHCC_OPERATOR_DEREFERENCE);
    if (!is_object)
        refuse(check, node->begin, node->end,
               "sizeof of an expression, whose type may be another one in C++; name the type");
}

static void check_expression(check_t *check, dvmhcc_node_t *node) {
    const size_t begin = node->begin, end = node->end;
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
        check_name(check, node);
        break;
    case DVMHCC_NODE_CALL:
        check_call(check, node);
        break;
    case DVMHCC_NODE_MEMBER:
        if (node->type != NULL && has_pointer(node->type))
            refuse(check, begin, end, "a pointer inside of a structure");
        break;
    case DVMHCC_NODE_LIST:
    case DVMHCC_NODE_COMPOUND_LITERAL:
        if (dvmhcc_gpu_designated(check->unit, node) == DVMHCC_GPU_OTHER)
            refuse(check, begin, end, "initialisers that say which element, or part of a part, they are for");
        else if (node->kind == DVMHCC_NODE_COMPOUND_LITERAL && node->type != NULL &&
                 node->type->kind == DVMHCC_TYPE_ARRAY)
            refuse(check, begin, end, "an array without a name");
        break;
    case DVMHCC_NODE_SIZEOF:
        check_sizeof(check, node);
        break;
    case DVMHCC_NODE_BINARY:
        check_operands(check, node);
        break;
    case DVMHCC_NODE_UNARY:
        check_operands(check, node);
        if (is_enum(node->children[0]) && node->operation >= DVMHCC_OPERATOR_PRE_INCREMENT &&
            node->operation <= DVMHCC_OPERATOR_POST_DECREMENT)
            refuse(check, begin, end, "arithmetic that changes a variable of enum type in place");
        break;
    case DVMHCC_NODE_ASSIGN:
        if (is_enum(node->children[0]) && node->operation != DVMHCC_OPERATOR_NONE)
            refuse(check, begin, end, "arithmetic that changes a variable of enum type in place");
        break;
    default:
        break;
    }
    if (node->type != NULL && node->kind != DVMHCC_NODE_NAME)
        check_type(check, node->type->kind == DVMHCC_TYPE_FUNCTION ? NULL : node->type, begin, end);
}

static bool visit(dvmhcc_node_t *node, void *context) {
    check_t *check = context;
    if (check->refused)
        return false;
    switch (node->kind) {
    case DVMHCC_NODE_GOTO:
    case DVMHCC_NODE_LABEL:
        refuse(check, node->begin, node->end, "goto and labels");
        break;
    case DVMHCC_NODE_OTHER_STATEMENT:
        refuse(check, node->begin, node->end, "a statement that is not of C");
        break;
    case DVMHCC_NODE_SWITCH:
        check_switch(check, node->children[1]);
        break;
    case DVMHCC_NODE_DECLARATION:
        check_declaration(check, node);
        break;
    default:
        check_expression(check, node);
    }
    return !check->refused;
}

static void check_words(check_t *check, size_t begin, size_t end) {
    const char *text = check->unit->text;
    for (size_t at = dvmhcc_c_next(text, end, begin); at < end && !check->refused;) {
        const size_t next = dvmhcc_c_word_end(text, end, at);
        const char *reason = dvmhcc_gpu_word_refused(text + at, next - at);
        if (reason != NULL)
            refuse(check, at, next, "%s", reason);
        at = dvmhcc_c_next(text, end, next);
    }
}

static void check_code(check_t *check, dvmhcc_node_t *node) {
    dvmhcc_walk(node, visit, check);
}

bool dvmhcc_gpu_allowed(const dvmhcc_region_block_t *region) {
    const int targets = region->attached->directive->is.region.targets;
    return targets == 0 || (targets & DVMHCC_TARGET_CUDA) != 0;
}

bool dvmhcc_gpu_wanted(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop) {
    if (loop->attached->region == NULL || !dvmhcc_gpu_allowed(loop->attached->region))
        return false;
    for (int i = 0; i < program->attached_count; i++) {
        const dvmhcc_attached_t *attached = &program->attached[i];
        if (attached->directive->kind == DVMHCC_HOST_SECTION && attached->statement != NULL &&
            dvmhcc_node_inside(loop->attached->statement, attached->statement))
            return false;
    }
    return true;
}

int64_t dvmhcc_gpu_object_bytes(const dvmhcc_loop_t *loop) {
    enum { WORD = 8, SLOT = 64 };
    int64_t bytes = 0;
    for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next)
        bytes += WORD * (1 + array->array->rank);
    for (const dvmhcc_reference_t *section = loop->parallel->remote_accesses; section != NULL;
         section = section->next)
        bytes += WORD * (1 + DVMHCC_RANK_MAX);
    for (const dvmhcc_reduction_t *at = loop->parallel->reductions; at != NULL; at = at->next)
        bytes += SLOT;
    for (const dvmhcc_loop_variable_t *variable = loop->variables; variable != NULL;
         variable = variable->next) {
        const dvmhcc_type_t *type = variable->entity->type;
        const bool is_copied = variable->role == DVMHCC_ROLE_READ || variable->role == DVMHCC_ROLE_LOCATION ||
                               (variable->role == DVMHCC_ROLE_REDUCTION && type->kind != DVMHCC_TYPE_ARRAY);
        if (is_copied && type->bytes > WORD)
            bytes += type->bytes + WORD;
        else if (is_copied || variable->role == DVMHCC_ROLE_ARRAY || variable->role == DVMHCC_ROLE_REDUCTION)
            bytes += WORD;
    }
    return bytes;
}

bool dvmhcc_gpu_check(const dvmhcc_unit_t *unit, const dvmhcc_loop_t *loop, dvmhcc_gpu_refusal_t *refusal_p) {
    check_t check = {.unit = unit, .loop = loop, .refusal = refusal_p};
    check_words(&check, loop->body->begin, loop->body->end);
    check_code(&check, loop->body);
    for (const dvmhcc_loop_variable_t *variable = loop->variables; variable != NULL && !check.refused;
         variable = variable->next)
        check_variable(&check, variable);
    const int64_t bytes = dvmhcc_gpu_object_bytes(loop);
    if (bytes > DVMHCC_GPU_OBJECT_BYTES)
        refuse(&check, loop->body->begin, loop->body->begin + 1,
               "its variables have %lld bytes; %d bytes can be given to a kernel", (long long)bytes,
               DVMHCC_GPU_OBJECT_BYTES);
    return !check.refused;
}
