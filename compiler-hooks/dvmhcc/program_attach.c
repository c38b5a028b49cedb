/* Where directives stand: each is parsed, and put at the declaration or statement that follows it in the text. Decides what may
 * follow which directive. */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

/* ---- parsing */

typedef struct words_context {
    dvmhcc_program_t *program;
    int pragma;
} words_context_t;

static void place_of_words(void *context, size_t offset, size_t length, dvmhcc_place_t *place_p) {
    const words_context_t *words = context;
    *place_p = dvmhcc_source_pragma_place(words->program->unit->source, words->pragma, offset, length);
}

static void parse(dvmhcc_program_t *program, int pragma, dvmhcc_attached_t *attached) {
    const dvmhcc_pragma_t *line = dvmhcc_source_pragma(program->unit->source, pragma);
    words_context_t context = {.program = program, .pragma = pragma};
    const dvmhcc_directive_source_t source = {.text = line->words,
                                              .length = strlen(line->words),
                                              .place = place_of_words,
                                              .context = &context};
    attached->pragma = pragma;
    attached->begin = line->begin;
    attached->end = line->end;
    if (dvmhcc_directive_parse(&program->arena, &source, &attached->directive) != RTS_OK) {
        dvmhcc_no_memory();
        program->no_memory = true;
        return;
    }
    attached->faulty = attached->directive->faulty;
}

/* ---- the place */

static bool contains(const dvmhcc_node_t *node, size_t offset) {
    return node != NULL && node->begin <= offset && offset < node->end;
}

/* The child that holds an offset; NULL: none. */
static dvmhcc_node_t *child_with(const dvmhcc_node_t *node, size_t offset) {
    for (int i = 0; i < node->count; i++) {
        if (contains(node->children[i], offset))
            return node->children[i];
    }
    for (int i = 0; i < node->declarator_count; i++) {
        if (contains(node->declarators[i]->initialiser, offset))
            return node->declarators[i]->initialiser;
    }
    return NULL;
}

/* The first child behind an offset; NULL: none. */
static dvmhcc_node_t *child_behind(const dvmhcc_node_t *node, size_t offset) {
    for (int i = 0; i < node->count; i++) {
        if (node->children[i] != NULL && node->children[i]->begin >= offset)
            return node->children[i];
    }
    return NULL;
}

static void fault_inside(dvmhcc_program_t *program, dvmhcc_attached_t *attached, const char *what) {
    dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                          "'%s' stands inside of %s; a directive stands between statements or declarations",
                          dvmhcc_attached_name(attached), what);
}

/* Find the statement that follows, inside of a function's body. @return false: no directive may stand here, told */
static bool place_in_body(dvmhcc_program_t *program, dvmhcc_attached_t *attached, dvmhcc_node_t *body) {
    dvmhcc_node_t *node = body;
    for (dvmhcc_node_t *child = child_with(node, attached->begin); child != NULL;
         child = child_with(node, attached->begin))
        node = child;
    attached->block = node;
    attached->in_block = node->kind == DVMHCC_NODE_COMPOUND;
    attached->statement = child_behind(node, attached->end);
    const bool before_part =
        dvmhcc_is_statement(node) && attached->statement != NULL && dvmhcc_is_statement(attached->statement);
    if (!attached->in_block && !before_part)
        fault_inside(program, attached, dvmhcc_is_statement(node) ? "a statement" : "an expression");
    return attached->in_block || before_part;
}

/* The number of the first declaration of the file scope that ends behind an offset. */
static size_t declaration_at(const dvmhcc_unit_t *unit, size_t offset) {
    size_t low = 0, high = unit->declaration_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (unit->declarations[middle]->end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool wants_declaration(dvmhcc_directive_kind_t kind) {
    return kind == DVMHCC_ARRAY || kind == DVMHCC_TEMPLATE || kind == DVMHCC_INHERIT ||
           kind == DVMHCC_ROUTINE;
}

/* Take one of the declarators that follow. @param count  of them */
static void take_declarator(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                            dvmhcc_declarator_t *const *declarators, size_t count) {
    const dvmhcc_directive_kind_t kind = attached->directive->kind;
    const bool function = kind == DVMHCC_INHERIT || kind == DVMHCC_ROUTINE;
    const dvmhcc_entity_kind_t wanted = function ? DVMHCC_ENTITY_FUNCTION : DVMHCC_ENTITY_VARIABLE;
    int found = 0;
    for (size_t i = 0; i < count && declarators[i]->begin == declarators[0]->begin; i++) {
        if (declarators[i]->entity->kind == wanted && found++ == 0)
            attached->declarator = declarators[i];
    }
    if (found == 0)
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' must stand directly before the declaration of %s",
                              dvmhcc_attached_name(attached),
                              function               ? "a function"
                              : kind == DVMHCC_ARRAY ? "an array"
                                                     : "a template, of type void *");
    if (found > 1 && !function) {
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' stands before a declaration of %d variables; declare '%s' alone",
                              dvmhcc_attached_name(attached), found, attached->declarator->entity->name);
        attached->declarator = NULL;
    }
}

/* @return false: no directive may stand here, told */
static bool place(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_unit_t *unit = program->unit;
    const size_t index = declaration_at(unit, attached->begin);
    dvmhcc_declarator_t *const *rest = unit->declarations + index;
    const size_t count = unit->declaration_count - index;
    const bool wants = wants_declaration(attached->directive->kind);
    if (count == 0 || rest[0]->begin > attached->begin) {
        if (wants)
            take_declarator(program, attached, rest, count);
        return true;
    }
    dvmhcc_entity_t *entity = rest[0]->entity;
    if (!rest[0]->is_definition || !contains(entity->body, attached->begin)) {
        fault_inside(program, attached, "a declaration");
        return false;
    }
    attached->function = entity;
    if (!place_in_body(program, attached, entity->body))
        return false;
    if (wants) {
        const dvmhcc_node_t *next = attached->statement;
        const bool declares = next != NULL && next->kind == DVMHCC_NODE_DECLARATION;
        take_declarator(program, attached, declares ? next->declarators : NULL,
                        declares ? (size_t)next->declarator_count : 0);
    }
    return true;
}

/* ---- what follows */

static void check_statement(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_node_t *next = attached->statement;
    const dvmhcc_span_t span = dvmhcc_attached_span(attached);
    switch (attached->directive->kind) {
    case DVMHCC_PARALLEL:
        if (next == NULL || next->kind != DVMHCC_NODE_FOR)
            dvmhcc_attached_fault(program, attached, span,
                                  "'parallel' must stand directly before a 'for' loop");
        break;
    case DVMHCC_REGION:
    case DVMHCC_HOST_SECTION:
    case DVMHCC_REMOTE_ACCESS:
        if (next == NULL || next->kind == DVMHCC_NODE_DECLARATION)
            dvmhcc_attached_fault(program, attached, span,
                                  "'%s' must stand directly before a block or a statement",
                                  dvmhcc_attached_name(attached));
        break;
    case DVMHCC_EXITINTERVAL:
        if (next == NULL || (next->kind != DVMHCC_NODE_BREAK && next->kind != DVMHCC_NODE_GOTO &&
                             next->kind != DVMHCC_NODE_RETURN && next->kind != DVMHCC_NODE_CONTINUE))
            dvmhcc_attached_fault(
                program, attached, span,
                "'exitinterval' must stand directly before a break, continue, goto or return");
        break;
    default:
        break;
    }
}

static void attach(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    const dvmhcc_directive_kind_t kind = attached->directive->kind;
    if (kind == DVMHCC_UNKNOWN || kind == DVMHCC_UNSUPPORTED || !place(program, attached) ||
        wants_declaration(kind))
        return;
    if (attached->block == NULL)
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' must stand inside of a function", dvmhcc_attached_name(attached));
    else
        check_statement(program, attached);
}

void dvmhcc_pass_attach(dvmhcc_program_t *program) {
    const int count = dvmhcc_source_pragma_count(program->unit->source);
    program->attached = dvmhcc_program_take(program, ((size_t)count + 1) * sizeof *program->attached);
    for (int i = 0; i < count && !program->no_memory; i++) {
        dvmhcc_attached_t *attached = &program->attached[i];
        parse(program, i, attached);
        if (!program->no_memory)
            attach(program, attached);
        program->attached_count++;
    }
}
