/* What the body of a parallel loop does with variables and functions. Decides which uses let iterations run independently; the uses of
 * reduction variables are judged in loop_reductions.c. */
#include <config.h>

#include "compiler-hooks/dvmhcc/effects.h"
#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

typedef struct walk {
    dvmhcc_program_t *program;
    dvmhcc_loop_t *loop;
    dvmhcc_loop_variable_t **tail;
    dvmhcc_loop_call_t **call_tail;
    const dvmhcc_node_t *told; /* the last statement that misuses a reduction: one message for each */
} walk_t;

static bool is_one_of(const char *name, const char *const words[]) {
    for (; *words != NULL; words++) {
        if (strcmp(name, *words) == 0)
            return true;
    }
    return false;
}

/* ---- roles */

static bool is_private(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity) {
    for (const dvmhcc_names_t *entry = loop->parallel->privates; entry != NULL; entry = entry->next) {
        if (entry->name.text != NULL && strcmp(entry->name.text, entity->name) == 0)
            return true;
    }
    return false;
}

static const dvmhcc_reduction_t *reduction_of(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity,
                                              bool *is_location_p) {
    for (const dvmhcc_reduction_t *entry = loop->parallel->reductions; entry != NULL; entry = entry->next) {
        *is_location_p = entry->location.text != NULL && strcmp(entry->location.text, entity->name) == 0;
        if (*is_location_p ||
            (entry->variable.text != NULL && strcmp(entry->variable.text, entity->name) == 0))
            return entry;
    }
    return NULL;
}

/* Names of clauses mean what is known before the loop; a variable of the body may hide it. */
static bool is_inside(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity) {
    const dvmhcc_declarator_t *d = entity->declarators;
    return !entity->is_file_scope && d != NULL && d->name_begin >= loop->body->begin &&
           d->name_begin < loop->body->end && !d->is_extern;
}

static void set_role(const dvmhcc_loop_t *loop, dvmhcc_loop_variable_t *variable) {
    const dvmhcc_entity_t *entity = variable->entity;
    bool is_location = false;
    if (is_inside(loop, entity)) {
        variable->role = DVMHCC_ROLE_INSIDE;
    } else if (dvmhcc_loop_dim_of(loop, entity) >= 0) {
        variable->role = DVMHCC_ROLE_INDEX;
    } else if (entity->distributed != NULL) {
        variable->role = DVMHCC_ROLE_DISTRIBUTED;
    } else if (is_private(loop, entity)) {
        variable->role = DVMHCC_ROLE_PRIVATE;
    } else if ((variable->reduction = reduction_of(loop, entity, &is_location)) != NULL) {
        variable->role = is_location ? DVMHCC_ROLE_LOCATION : DVMHCC_ROLE_REDUCTION;
    } else {
        variable->role = entity->type->kind == DVMHCC_TYPE_ARRAY ? DVMHCC_ROLE_ARRAY : DVMHCC_ROLE_READ;
    }
}

static dvmhcc_loop_variable_t *add_variable(walk_t *walk, dvmhcc_entity_t *entity, dvmhcc_node_t *first) {
    dvmhcc_loop_variable_t *variable = dvmhcc_program_take(walk->program, sizeof *variable);
    if (variable == NULL)
        return NULL;
    variable->entity = entity;
    variable->first = first;
    set_role(walk->loop, variable);
    *walk->tail = variable;
    walk->tail = &variable->next;
    return variable;
}

/* ---- uses */

typedef struct index_walk {
    const dvmhcc_loop_t *loop;
    bool found;
} index_walk_t;

static bool find_index(dvmhcc_node_t *node, void *context) {
    index_walk_t *walk = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL &&
        (dvmhcc_loop_dim_of(walk->loop, node->entity) >= 0 || is_inside(walk->loop, node->entity)))
        walk->found = true;
    return !walk->found;
}

/* Whether a reference's subscripts tell iterations apart, as far as can be seen: they name an index, or something computed inside. */
static bool has_index(const dvmhcc_loop_t *loop, dvmhcc_node_t *reference) {
    index_walk_t walk = {.loop = loop};
    dvmhcc_walk(reference, find_index, &walk);
    return walk.found;
}

static void check_written(walk_t *walk, dvmhcc_loop_variable_t *variable, dvmhcc_node_t *name,
                          const dvmhcc_name_use_t *use) {
    const dvmhcc_unit_t *unit = walk->program->unit;
    const char *text = variable->entity->name;
    switch (variable->role) {
    case DVMHCC_ROLE_INDEX:
        dvmhcc_node_report(unit, DVMHCC_ERROR, name,
                           "the index '%s' of a parallel loop is changed in its body", text);
        break;
    case DVMHCC_ROLE_READ:
        if (use->is_indirect) {
            /* What a pointer points to is an array to the loop. */
            variable->role = DVMHCC_ROLE_ARRAY;
            check_written(walk, variable, name, use);
            break;
        }
        dvmhcc_node_report(
            unit, DVMHCC_ERROR, name,
            "iterations of a parallel loop share '%s', which is written here; declare it in the body, "
            "or name it in private(..) or reduction(..)",
            text);
        variable->role = DVMHCC_ROLE_WRITTEN;
        break;
    case DVMHCC_ROLE_ARRAY:
        if (use->takes_address && use->subscripts == 0)
            dvmhcc_node_report(unit, DVMHCC_WARNING, use->reference, "all iterations may write '%s' here",
                               text);
        else if (!has_index(walk->loop, use->reference))
            dvmhcc_node_report(
                unit, DVMHCC_WARNING, use->reference,
                "all iterations may write the same element of '%s' here: no subscript depends on an "
                "index of the loop",
                text);
        break;
    default:
        break;
    }
}

static void check_reduction(walk_t *walk, const dvmhcc_loop_variable_t *variable, dvmhcc_node_t *name) {
    const dvmhcc_node_t *statement = name;
    while (!dvmhcc_is_statement(statement) && statement->parent != NULL)
        statement = statement->parent;
    if ((walk->told != NULL && dvmhcc_node_inside(statement, walk->told)) ||
        dvmhcc_reduction_allows(walk->program, variable->reduction, variable->entity, name,
                                variable->role == DVMHCC_ROLE_LOCATION))
        return;
    walk->told = statement;
    dvmhcc_node_report(walk->program->unit, DVMHCC_ERROR, name,
                       "'%s' is in reduction(%s(..)), which allows only uses such as %s",
                       variable->entity->name, dvmhcc_operation_name(variable->reduction->operation),
                       dvmhcc_reduction_form(variable->reduction->operation));
}

static void use_name(walk_t *walk, dvmhcc_node_t *name) {
    dvmhcc_entity_t *entity = name->entity;
    if (entity->kind != DVMHCC_ENTITY_VARIABLE && entity->kind != DVMHCC_ENTITY_PARAMETER)
        return;
    dvmhcc_loop_variable_t *variable = dvmhcc_loop_variable(walk->loop, entity);
    if (variable == NULL)
        variable = add_variable(walk, entity, name);
    if (variable == NULL)
        return;
    const dvmhcc_name_use_t use = dvmhcc_name_use(name);
    if (use.is_unevaluated)
        return;
    if (use.is_written)
        check_written(walk, variable, name, &use);
    if (variable->role == DVMHCC_ROLE_READ && use.is_indirect)
        variable->role = DVMHCC_ROLE_ARRAY;
    variable->is_read = variable->is_read || use.is_read;
    variable->is_written = variable->is_written || use.is_written;
    if (variable->role == DVMHCC_ROLE_LOCATION || variable->role == DVMHCC_ROLE_REDUCTION)
        check_reduction(walk, variable, name);
}

/* ---- calls */

/* Functions of the C library that touch nothing but what they are given. */
static bool is_pure(const char *name) {
    static const char *const words[] = {"frexp",  "frexpf",  "frexpl",  "modf",   "modff",  "modfl",
                                        "lgamma", "lgammaf", "lgammal", "memcpy", "memset", NULL};
    return strncmp(name, "__builtin_", 10) == 0 || is_one_of(name, words) || dvmhcc_computes_only(name);
}

/* The compiler's own functions, which macros of headers call, have no declaration anywhere. */
static bool is_of_library(const dvmhcc_entity_t *function) {
    return function->is_system || strncmp(function->name, "__builtin_", 10) == 0;
}

static bool is_output(const char *name) {
    static const char *const words[] = {"printf",  "fprintf", "vprintf", "vfprintf", "puts",   "fputs",
                                        "putchar", "putc",    "fputc",   "scanf",    "fscanf", "getchar",
                                        "getc",    "fgetc",   "fgets",   "fopen",    "fclose", "fread",
                                        "fwrite",  "fflush",  "fseek",   "ftell",    "rewind", "perror",
                                        "remove",  "rename",  NULL};
    return is_one_of(name, words);
}

static void add_call(walk_t *walk, dvmhcc_entity_t *function, dvmhcc_node_t *node) {
    for (const dvmhcc_loop_call_t *call = walk->loop->calls; call != NULL; call = call->next) {
        if (call->function == function)
            return;
    }
    dvmhcc_loop_call_t *call = dvmhcc_program_take(walk->program, sizeof *call);
    if (call == NULL)
        return;
    *call = (dvmhcc_loop_call_t){.function = function, .first = node};
    *walk->call_tail = call;
    walk->call_tail = &call->next;
    const dvmhcc_unit_t *unit = walk->program->unit;
    if (function->body != NULL && function->uses_distributed)
        dvmhcc_node_report(
            unit, DVMHCC_ERROR, node,
            "'%s' uses distributed arrays, so a parallel loop cannot call it; pass it the elements",
            function->name);
    else if (function->body == NULL && !function->is_routine && is_output(function->name))
        dvmhcc_node_report(unit, DVMHCC_ERROR, node, "input and output in a parallel loop: '%s' is called",
                           function->name);
    else if (function->body == NULL && !function->is_routine &&
             !(is_of_library(function) && is_pure(function->name)))
        dvmhcc_node_report(
            unit, DVMHCC_WARNING, node,
            "'%s' is not known to be callable from a parallel loop; if it is, write `#pragma dvm routine` "
            "before its declaration",
            function->name);
}

static void use_call(walk_t *walk, dvmhcc_node_t *call) {
    dvmhcc_entity_t *function = dvmhcc_called(call);
    const dvmhcc_unit_t *unit = walk->program->unit;
    if (function == NULL || function->kind != DVMHCC_ENTITY_FUNCTION) {
        dvmhcc_node_report(unit, DVMHCC_WARNING, call,
                           "a parallel loop calls a function by pointer; it runs on the host only");
        return;
    }
    for (int i = 1; i < call->count; i++) {
        const dvmhcc_entity_t *argument = dvmhcc_named(call->children[i]);
        if (argument != NULL && argument->distributed != NULL && argument->distributed->rank > 0)
            dvmhcc_node_report(unit, DVMHCC_ERROR, call->children[i],
                               "a parallel loop passes the distributed array '%s' to a function",
                               argument->name);
    }
    add_call(walk, function, call);
}

/* ---- ways out */

/* Whether a break or continue belongs to a do statement: the bodies of other loops may be left out anyway. */
static bool is_of_do(const dvmhcc_node_t *jump) {
    const dvmhcc_node_t *node = jump;
    while (node->parent != NULL && node->kind != DVMHCC_NODE_DO && !dvmhcc_stays_inside(jump, node))
        node = node->parent;
    return node->kind == DVMHCC_NODE_DO;
}

static void use_jump(const walk_t *walk, const dvmhcc_node_t *node) {
    const dvmhcc_unit_t *unit = walk->program->unit;
    switch (node->kind) {
    case DVMHCC_NODE_RETURN:
        dvmhcc_node_report(unit, DVMHCC_ERROR, node, "'return' leaves a parallel loop");
        break;
    case DVMHCC_NODE_BREAK:
        if (!dvmhcc_stays_inside(node, walk->loop->body))
            dvmhcc_node_report(unit, DVMHCC_ERROR, node, "'break' leaves a parallel loop");
        walk->loop->has_skips = walk->loop->has_skips || is_of_do(node);
        break;
    case DVMHCC_NODE_CONTINUE:
        if (!dvmhcc_stays_inside(node, walk->loop->body) || is_of_do(node))
            walk->loop->has_skips = true;
        break;
    case DVMHCC_NODE_GOTO:
        if (!dvmhcc_has_label(walk->loop->body, node->text))
            dvmhcc_node_report(unit, DVMHCC_ERROR, node, "'goto' leaves a parallel loop");
        walk->loop->has_skips = true;
        break;
    default:
        break;
    }
}

static bool visit(dvmhcc_node_t *node, void *context) {
    walk_t *walk = context;
    if (walk->program->no_memory)
        return false;
    if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL)
        use_name(walk, node);
    else if (node->kind == DVMHCC_NODE_CALL)
        use_call(walk, node);
    else
        use_jump(walk, node);
    for (int i = 0; i < node->declarator_count; i++) {
        const dvmhcc_entity_t *entity = node->declarators[i]->entity;
        if (entity->kind == DVMHCC_ENTITY_VARIABLE && entity->has_static_storage &&
            !node->declarators[i]->is_extern)
            dvmhcc_node_report(walk->program->unit, DVMHCC_ERROR, node,
                               "iterations of a parallel loop share the static variable '%s'", entity->name);
    }
    return true;
}

/* Where the directive names its indices, its parser has seen to this. */
static void check_clauses(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    const dvmhcc_reduction_t *entry =
        loop->parallel->mapping.index_count == 0 ? loop->parallel->reductions : NULL;
    for (; entry != NULL; entry = entry->next) {
        for (int dim = 0; dim < loop->rank; dim++) {
            const char *index = loop->dims[dim].index->name;
            if (entry->variable.text != NULL && strcmp(entry->variable.text, index) == 0)
                dvmhcc_attached_fault(program, loop->attached, entry->variable.span,
                                      "'%s' is an index of the loop; it cannot be reduced", index);
        }
    }
}

void dvmhcc_loop_classify(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    walk_t walk = {.program = program, .loop = loop, .tail = &loop->variables, .call_tail = &loop->calls};
    check_clauses(program, loop);
    dvmhcc_walk(loop->body, visit, &walk);
    for (int dim = 0; dim < loop->rank && !program->no_memory; dim++) {
        if (dvmhcc_loop_variable(loop, loop->dims[dim].index) == NULL)
            add_variable(&walk, loop->dims[dim].index, loop->dims[dim].loop);
    }
}
