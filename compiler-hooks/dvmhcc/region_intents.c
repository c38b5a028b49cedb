/* What regions do with variables: named by their clauses, and found in their statements and loops. Decides the intent of what no clause
 * names: inout when it is written, else in. */
#include <config.h>

#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

typedef struct walk {
    dvmhcc_program_t *program;
    dvmhcc_region_block_t *region;
} walk_t;

static dvmhcc_region_use_t *use_of(walk_t *walk, dvmhcc_entity_t *entity) {
    dvmhcc_region_use_t **place = &walk->region->uses;
    while (*place != NULL && (*place)->entity != entity)
        place = &(*place)->next;
    if (*place == NULL) {
        *place = dvmhcc_program_take(walk->program, sizeof **place);
        if (*place != NULL)
            (*place)->entity = entity;
    }
    return *place;
}

static void add_clauses(walk_t *walk) {
    const dvmhcc_attached_t *attached = walk->region->attached;
    for (const dvmhcc_data_t *data = attached->directive->is.region.data; data != NULL; data = data->next) {
        dvmhcc_entity_t *entity =
            data->variable.text != NULL
                ? dvmhcc_unit_find(walk->program->unit, data->variable.text, attached->end)
                : NULL;
        dvmhcc_region_use_t *use = entity != NULL ? use_of(walk, entity) : NULL;
        if (use == NULL)
            continue;
        use->intent |= data->intent;
        use->is_named = true;
        if (use->data == NULL)
            use->data = data;
    }
}

/* The loop of the region whose statement holds a node; NULL: none. */
static const dvmhcc_loop_t *loop_around(const walk_t *walk, const dvmhcc_node_t *node) {
    for (const dvmhcc_loop_t *loop = walk->region->loops; loop != NULL; loop = loop->next_in_region) {
        if (dvmhcc_node_inside(node, loop->attached->statement))
            return loop;
    }
    return NULL;
}

/* Whether a name is a region's own business: declared in it, or private to a loop. */
static bool is_hidden(const walk_t *walk, const dvmhcc_entity_t *entity, const dvmhcc_node_t *name) {
    const dvmhcc_declarator_t *d = entity->declarators;
    const dvmhcc_node_t *statement = walk->region->statement;
    if (!entity->is_file_scope && d != NULL && !d->is_extern && d->name_begin >= statement->begin &&
        d->name_begin < statement->end)
        return true;
    const dvmhcc_loop_t *loop = loop_around(walk, name);
    if (loop == NULL)
        return false;
    const dvmhcc_loop_variable_t *variable = dvmhcc_loop_variable(loop, entity);
    return dvmhcc_loop_dim_of(loop, entity) >= 0 ||
           (variable != NULL && variable->role == DVMHCC_ROLE_PRIVATE);
}

static bool visit(dvmhcc_node_t *node, void *context) {
    walk_t *walk = context;
    dvmhcc_entity_t *entity = node->kind == DVMHCC_NODE_NAME ? node->entity : NULL;
    if (entity == NULL ||
        (entity->kind != DVMHCC_ENTITY_VARIABLE && entity->kind != DVMHCC_ENTITY_PARAMETER) ||
        is_hidden(walk, entity, node))
        return !walk->program->no_memory;
    const dvmhcc_name_use_t name_use = dvmhcc_name_use(node);
    dvmhcc_region_use_t *use = name_use.is_unevaluated ? NULL : use_of(walk, entity);
    if (use != NULL) {
        use->is_read = use->is_read || name_use.is_read;
        use->is_written = use->is_written || name_use.is_written;
    }
    return !walk->program->no_memory;
}

void dvmhcc_pass_intents(dvmhcc_program_t *program) {
    for (dvmhcc_region_block_t *region = program->regions; region != NULL && !program->no_memory;
         region = region->next) {
        walk_t walk = {.program = program, .region = region};
        if (!region->attached->directive->faulty)
            add_clauses(&walk);
        dvmhcc_walk(region->statement, visit, &walk);
        for (dvmhcc_region_use_t *use = region->uses; use != NULL; use = use->next) {
            if (!use->is_named)
                use->intent = DVMHCC_INTENT_IN | (use->is_written ? DVMHCC_INTENT_OUT : 0);
        }
    }
}
