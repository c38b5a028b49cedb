/* Regions: opened before their statement with what it uses, closed behind it. Statements between the loops run on the host: what they
 * use of distributed arrays is brought there first, and what they change is told. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/generate_serial.h"
#include "compiler-hooks/dvmhcc/name_use.h"

#include <string.h>

#define MARGIN "        "

/* ---- opening and closing */

static const char *intent_name(const dvmhcc_region_block_t *region, const dvmhcc_region_use_t *use) {
    int intent = use->intent;
    /* Of a part of an array, other parts keep their values: the whole goes in and out. */
    for (const dvmhcc_data_t *data = region->attached->directive->is.region.data; data != NULL;
         data = data->next)
        if (data->rank > 0 && strcmp(data->variable.text, use->entity->name) == 0)
            intent |= (intent & DVMHCC_INTENT_OUT) != 0 ? DVMHCC_INTENT_IN : 0;
    if ((intent & DVMHCC_INTENT_IN) != 0 && (intent & DVMHCC_INTENT_OUT) != 0)
        return "INTENT_INOUT";
    if ((intent & DVMHCC_INTENT_IN) != 0 && (intent & DVMHCC_INTENT_LOCAL) != 0)
        return "INTENT_INLOCAL";
    if ((intent & DVMHCC_INTENT_IN) != 0)
        return "INTENT_IN";
    if ((intent & DVMHCC_INTENT_OUT) != 0)
        return "INTENT_OUT";
    return (intent & DVMHCC_INTENT_LOCAL) != 0 ? "INTENT_LOCAL" : "INTENT_USE";
}

static bool open_region(dvmhcc_generator_t *generator, const dvmhcc_region_block_t *region) {
    const char *prefix = generator->prefix;
    dvmhcc_text_t text = {0};
    dvmhcc_text_add_string(&text, "    {\n");
    dvmhcc_generate_line(generator, region->attached->begin, MARGIN, &text);
    dvmhcc_text_printf(&text, MARGIN "const DvmType %sregion = dvmh_region_create_C(%s);\n", prefix,
                       region->attached->directive->is.region.async ? "REGION_ASYNC" : "0");
    for (const dvmhcc_region_use_t *use = region->uses; use != NULL; use = use->next)
        if (use->entity->distributed != NULL && use->entity->distributed->element != NULL)
            dvmhcc_text_printf(&text, MARGIN "dvmh_region_register_array_C(%sregion, %s, %s, \"%s\");\n",
                               prefix, intent_name(region, use), use->entity->name, use->entity->name);
    dvmhcc_text_printf(&text, MARGIN "dvmh_region_execute_on_targets_C(%sregion, DEVICE_TYPE_HOST%s);\n",
                       prefix,
                       generator->gpu != NULL && dvmhcc_gpu_allowed(region) ? " | DEVICE_TYPE_CUDA" : "");
    dvmhcc_text_t end = {0};
    dvmhcc_text_printf(&end, "\n" MARGIN "dvmh_region_end_C(%sregion);\n    }", prefix);
    const bool good =
        dvmhcc_text_good(&text) && dvmhcc_text_good(&end) &&
        dvmhcc_generate_instead(generator, region->attached, dvmhcc_text_string(&text)) &&
        dvmhcc_edit_after_text(generator->edit, region->statement->end, dvmhcc_text_string(&end));
    dvmhcc_text_free(&text);
    dvmhcc_text_free(&end);
    return good;
}

/* ---- statements between loops */

static bool is_loop(dvmhcc_node_t *node, void *context) {
    const dvmhcc_generator_t *generator = ((void **)context)[0];
    bool *found = ((void **)context)[1];
    *found = *found || dvmhcc_is_parallel(generator, node);
    return !*found;
}

static bool has_parallel(dvmhcc_generator_t *generator, dvmhcc_node_t *node) {
    bool found = false;
    void *context[] = {generator, &found};
    dvmhcc_walk(node, is_loop, context);
    return found;
}

/* The distributed arrays that a statement names, each once. */
typedef struct named {
    dvmhcc_distributed_t *arrays[64];
    bool written[64];
    int count;
    bool too_many;
    const dvmhcc_node_t *call; /* of a function that uses distributed arrays of its own */
} named_t;

static bool find_named(dvmhcc_node_t *node, void *context) {
    named_t *named = context;
    if (node->kind == DVMHCC_NODE_CALL) {
        const dvmhcc_entity_t *function = dvmhcc_called(node);
        if (function != NULL && function->uses_distributed)
            named->call = node;
    }
    if (node->kind != DVMHCC_NODE_NAME || node->entity == NULL || node->entity->distributed == NULL ||
        node->entity->distributed->element == NULL)
        return true;
    const dvmhcc_name_use_t use = dvmhcc_name_use(node);
    const bool written = use.is_written || use.takes_address ||
                         use.subscripts < node->entity->distributed->rank; /* given away as a whole */
    int at = 0;
    while (at < named->count && named->arrays[at] != node->entity->distributed)
        at++;
    if (at == 64) {
        named->too_many = true;
        return false;
    }
    if (at == named->count) {
        named->arrays[named->count++] = node->entity->distributed;
        named->written[at] = false;
    }
    named->written[at] = named->written[at] || written;
    return true;
}

static bool tell_call(dvmhcc_generator_t *generator, const named_t *named, const dvmhcc_node_t *node) {
    if (named->call != NULL)
        dvmhcc_node_report(generator->unit, DVMHCC_ERROR, named->call,
                           "a function that uses distributed arrays cannot be called inside of a region");
    if (named->too_many)
        dvmhcc_node_report(generator->unit, DVMHCC_ERROR, node,
                           "this statement in a region names more than 64 distributed arrays");
    return named->call == NULL && !named->too_many;
}

/* What a statement does with an ordinary array; calls of functions that are not known may do anything with one of the file. */
typedef struct ordinary {
    const dvmhcc_entity_t *entity;
    bool named, written;
} ordinary_t;

static bool find_ordinary(dvmhcc_node_t *node, void *context) {
    ordinary_t *ordinary = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity == ordinary->entity) {
        const dvmhcc_name_use_t use = dvmhcc_name_use(node);
        ordinary->named = ordinary->named || !use.is_unevaluated;
        ordinary->written = ordinary->written || use.is_written || use.takes_address;
    } else if (node->kind == DVMHCC_NODE_CALL && ordinary->entity->has_static_storage) {
        const dvmhcc_entity_t *function = dvmhcc_called(node);
        if (function == NULL || !function->is_system) {
            ordinary->named = true;
            ordinary->written = true;
        }
    }
    return true;
}

static bool is_shared(const dvmhcc_loop_variable_t *variable) {
    return variable->role == DVMHCC_ROLE_ARRAY && variable->entity->type->kind == DVMHCC_TYPE_ARRAY;
}

/* Whether a loop of the region before this one uses the variable, too. */
static bool is_known(const dvmhcc_region_block_t *region, const dvmhcc_loop_t *loop,
                     const dvmhcc_loop_variable_t *variable) {
    for (const dvmhcc_loop_t *other = region->loops; other != loop; other = other->next_in_region) {
        const dvmhcc_loop_variable_t *same = dvmhcc_loop_variable(other, variable->entity);
        if (same != NULL && is_shared(same))
            return true;
    }
    return false;
}

/* Ordinary arrays of the region's loops may have their newest values on a GPU. @param after  NULL: the values are only read */
static void share_ordinary(const dvmhcc_generator_t *generator, const dvmhcc_region_block_t *region,
                           dvmhcc_node_t *node, const char *separator, dvmhcc_text_t *before,
                           dvmhcc_text_t *after) {
    if (generator->gpu == NULL)
        return;
    for (const dvmhcc_loop_t *loop = region->loops; loop != NULL; loop = loop->next_in_region)
        for (const dvmhcc_loop_variable_t *variable = loop->variables; variable != NULL;
             variable = variable->next) {
            ordinary_t ordinary = {.entity = variable->entity};
            if (!is_shared(variable) || is_known(region, loop, variable))
                continue;
            dvmhcc_walk(node, find_ordinary, &ordinary);
            if (ordinary.named)
                dvmhcc_text_printf(before, "dvmh_get_actual_variable2_((void *)%s)%s ",
                                   variable->entity->name, separator);
            if (ordinary.written && after != NULL)
                dvmhcc_text_printf(after, " dvmh_actual_variable2_(%s);", variable->entity->name);
        }
}

/* Calls in front of and behind a statement that has no parallel loop in it. */
static bool surround(dvmhcc_generator_t *generator, const dvmhcc_region_block_t *region, dvmhcc_node_t *node,
                     bool in_compound) {
    named_t named = {.count = 0};
    dvmhcc_text_t before = {0}, after = {0};
    dvmhcc_walk(node, find_named, &named);
    if (!tell_call(generator, &named, node))
        return false;
    share_ordinary(generator, region, node, ";", &before, &after);
    if (named.count == 0 && before.length == 0)
        return true;
    if (!in_compound) {
        dvmhcc_text_t opened = {0};
        dvmhcc_text_printf(&opened, "{ %s", dvmhcc_text_string(&before));
        dvmhcc_text_free(&before);
        before = opened;
    }
    for (int i = 0; i < named.count; i++) {
        dvmhcc_text_printf(&before, "dvmh_get_actual_array2_(%s); ", named.arrays[i]->entity->name);
        if (named.written[i])
            dvmhcc_text_printf(&after, " dvmh_actual_array2_(%s);", named.arrays[i]->entity->name);
    }
    if (!in_compound)
        dvmhcc_text_add_string(&after, " }");
    const bool good =
        dvmhcc_text_good(&before) && dvmhcc_text_good(&after) &&
        dvmhcc_edit_before_text(generator->edit, node->begin, dvmhcc_text_string(&before)) &&
        (after.length == 0 || dvmhcc_edit_after_text(generator->edit, node->end, dvmhcc_text_string(&after)));
    dvmhcc_text_free(&before);
    dvmhcc_text_free(&after);
    return good;
}

/* The same for an expression in the head of a statement whose parts have parallel loops: ordinary arrays are read there. */
static bool share_in_head(dvmhcc_generator_t *generator, const dvmhcc_region_block_t *region,
                          dvmhcc_node_t *head) {
    dvmhcc_text_t before = {0};
    if (!dvmhcc_is_statement(head))
        share_ordinary(generator, region, head, ",", &before, NULL);
    if (before.length == 0)
        return true;
    dvmhcc_text_t opened = {0};
    dvmhcc_text_printf(&opened, "(%s", dvmhcc_text_string(&before));
    const bool good = dvmhcc_text_good(&before) && dvmhcc_text_good(&opened) &&
                      dvmhcc_edit_before_text(generator->edit, head->begin, dvmhcc_text_string(&opened)) &&
                      dvmhcc_edit_after_text(generator->edit, head->end, ")");
    dvmhcc_text_free(&before);
    dvmhcc_text_free(&opened);
    return good;
}

/* Elements in the head of a statement whose parts have parallel loops. */
static bool check_head(dvmhcc_generator_t *generator, const dvmhcc_region_block_t *region,
                       dvmhcc_node_t *head, const dvmhcc_node_t *statement) {
    named_t named = {.count = 0};
    if (head == NULL)
        return true;
    dvmhcc_walk(head, find_named, &named);
    if (named.count == 0)
        return tell_call(generator, &named, head) && share_in_head(generator, region, head);
    dvmhcc_node_report(
        generator->unit, DVMHCC_ERROR, statement,
        "elements of '%s' cannot stand in the head of a statement with parallel loops inside; put the "
        "value into a variable first",
        named.arrays[0]->entity->name);
    return false;
}

static bool visit(dvmhcc_generator_t *generator, const dvmhcc_region_block_t *region, dvmhcc_node_t *node,
                  bool in_compound) {
    bool good = true;
    if (node == NULL || dvmhcc_is_parallel(generator, node))
        return true;
    if (!has_parallel(generator, node) && node->kind != DVMHCC_NODE_COMPOUND)
        return surround(generator, region, node, in_compound);
    for (int i = 0; i < node->count; i++) {
        dvmhcc_node_t *child = node->children[i];
        if (child == NULL)
            continue;
        const bool in_head = node->kind == DVMHCC_NODE_FOR && i == 0;
        good = (dvmhcc_is_statement(child) && !in_head
                    ? visit(generator, region, child, node->kind == DVMHCC_NODE_COMPOUND)
                    : check_head(generator, region, child, node)) &&
               good;
    }
    return good;
}

bool dvmhcc_generate_regions(dvmhcc_generator_t *generator) {
    bool good = true;
    for (const dvmhcc_region_block_t *region = generator->program->regions; region != NULL;
         region = region->next) {
        /* What attaches to the end of the statement attaches in the order of these calls. */
        good = visit(generator, region, region->statement, false) && good;
        good = open_region(generator, region) && good;
    }
    return good;
}
