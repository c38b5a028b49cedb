/* From the analysis of a parallel loop to its kernel: names, captures, operands, and which forms of code it gets. */
#include <config.h>

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate_kernel.h"

#include <string.h>

/* Handlers take at most as many parameters. */
enum { PARAMETERS_MAX = 64 };

static void *take(dvmhcc_kernel_t *kernel, size_t bytes) {
    void *memory = dvmhcc_arena_take(kernel->generator->arena, bytes);
    if (memory == NULL)
        dvmhcc_no_memory();
    return memory;
}

/* A member's name that no earlier member has; arrays take NAME, NAME_1 .., NAME_rows and NAME_row0 .. What makes it different stands in
 * front, for what follows is theirs. */
static const char *member_name(dvmhcc_kernel_t *kernel, const char *wanted) {
    for (int number = 0;; number++) {
        const char *name =
            number == 0 ? wanted : dvmhcc_generator_text(kernel->generator, "of%d_%s", number, wanted);
        bool free = name != NULL;
        for (int i = 0; free && i < kernel->operand_count; i++) {
            const char *member = kernel->operands[i].member;
            free = member == NULL || strncmp(member, name, strlen(member)) != 0 ||
                   (name[strlen(member)] != '\0' && name[strlen(member)] != '_');
        }
        for (int i = 0; free && i < kernel->capture_count; i++)
            free = kernel->captures[i].member == NULL || strcmp(kernel->captures[i].member, name) != 0;
        if (free || name == NULL)
            return name;
    }
}

/* ---- operands */

static dvmhcc_walking_t walking(const dvmhcc_axis_access_t *axis) {
    dvmhcc_walking_t result = {.dim = -1};
    int64_t add;
    if (axis->kind == DVMHCC_AXIS_OTHER || !dvmhcc_linear_value(&axis->add, &add))
        return result;
    result.known = true;
    result.add = add;
    if (axis->kind == DVMHCC_AXIS_INDEX) {
        result.dim = axis->dim;
        result.mult = axis->mult;
    }
    return result;
}

/* The axis that alone is walked by a dim in all references; -1. */
static int axis_of(const dvmhcc_operand_t *operand, int dim, bool upward) {
    int found = -1;
    for (int i = 0; i < operand->use_count; i++)
        for (int axis = 0; axis < operand->rank; axis++) {
            const dvmhcc_walking_t *term = &operand->uses[i].terms[axis];
            if (!term->known || term->dim != dim)
                continue;
            if ((found >= 0 && found != axis) || (upward && term->mult != 1))
                return -1;
            found = axis;
        }
    return found;
}

/* The operand of an array itself, or of a section; none when no reference is to it. */
static bool make_operand(dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array,
                         const dvmhcc_reference_t *section, int remote) {
    dvmhcc_operand_t *operand = &kernel->operands[kernel->operand_count];
    const char *name = array->array->entity->name;
    int count = 0;
    for (const dvmhcc_access_t *access = array->accesses; access != NULL; access = access->next)
        count += access->remote == remote;
    if (count == 0)
        return true;
    if (remote > 0)
        name = dvmhcc_generator_text(kernel->generator, "remote%d_%s", remote, name);
    operand->array = array;
    operand->entity = array->array->entity;
    operand->section = section;
    operand->remote = remote;
    operand->member = name != NULL ? member_name(kernel, name) : NULL;
    operand->type = dvmhcc_generator_type(kernel->generator, array->array->element, loop->body);
    operand->rank = array->array->rank;
    operand->uses = take(kernel, (size_t)count * sizeof *operand->uses);
    operand->all_known = true;
    if (operand->member == NULL || operand->type == NULL || operand->uses == NULL)
        return false;
    for (const dvmhcc_access_t *access = array->accesses; access != NULL; access = access->next) {
        if (access->remote != remote)
            continue;
        operand->reads = operand->reads || access->is_read;
        operand->writes = operand->writes || access->is_written;
        dvmhcc_use_t *use = &operand->uses[operand->use_count];
        use->node = access->first;
        use->reads = access->is_read;
        use->writes = access->is_written;
        use->row = operand->use_count++;
        for (int axis = 0; axis < operand->rank; axis++) {
            use->terms[axis] = walking(&access->axes[axis]);
            operand->all_known = operand->all_known && use->terms[axis].known;
        }
    }
    operand->inner_axis = axis_of(operand, kernel->rank - 1, false);
    operand->outer_axis = kernel->rank > 1 ? axis_of(operand, kernel->rank - 2, true) : -1;
    operand->by_rows = remote == 0 && array->by_rows && operand->all_known && operand->inner_axis >= 0 &&
                       operand->outer_axis >= 0;
    kernel->operand_count++;
    return true;
}

static bool make_operands(dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    bool good = true;
    int number = 0;
    for (const dvmhcc_loop_array_t *array = loop->arrays; good && array != NULL; array = array->next)
        good = make_operand(kernel, loop, array, NULL, 0);
    for (const dvmhcc_reference_t *section = loop->parallel->remote_accesses; good && section != NULL;
         section = section->next) {
        number++;
        for (const dvmhcc_loop_array_t *array = loop->arrays; good && array != NULL; array = array->next)
            good = make_operand(kernel, loop, array, section, number);
    }
    return good;
}

/* ---- captures */

static int reduction_number(const dvmhcc_loop_t *loop, const dvmhcc_reduction_t *reduction) {
    int number = 0;
    for (const dvmhcc_reduction_t *at = loop->parallel->reductions; at != NULL && at != reduction;
         at = at->next)
        number++;
    return number;
}

/* The type of what an array or a pointer consists of, as the type of a pointer to it without the star. */
static const char *target_type(dvmhcc_kernel_t *kernel, const dvmhcc_type_t *type,
                               const dvmhcc_node_t *where) {
    return dvmhcc_generator_type(kernel->generator, type->target, where);
}

static bool make_capture(dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop,
                         const dvmhcc_loop_variable_t *variable) {
    dvmhcc_capture_t capture = {.entity = variable->entity, .kind = DVMHCC_CAPTURE_VALUE, .variable = -1};
    const dvmhcc_type_t *type = variable->entity->type;
    const bool is_array = type->kind == DVMHCC_TYPE_ARRAY;
    const bool is_parameter = variable->entity->kind == DVMHCC_ENTITY_PARAMETER;
    switch (variable->role) {
    case DVMHCC_ROLE_REDUCTION:
        capture.kind = is_array ? DVMHCC_CAPTURE_REDUCTION_ADDRESS : DVMHCC_CAPTURE_REDUCTION;
        break;
    case DVMHCC_ROLE_LOCATION:
        capture.kind = DVMHCC_CAPTURE_LOCATION;
        break;
    case DVMHCC_ROLE_READ:
    case DVMHCC_ROLE_ARRAY:
        if (is_array)
            capture.kind =
                is_parameter || type->extent < 0 ? DVMHCC_CAPTURE_ELEMENTS : DVMHCC_CAPTURE_ADDRESS;
        break;
    case DVMHCC_ROLE_PRIVATE:
        kernel->privates[kernel->private_count++] = variable->entity;
        return true;
    default:
        return true;
    }
    if (variable->role == DVMHCC_ROLE_ARRAY && variable->is_written)
        kernel->has_conflicts = true;
    if (capture.kind == DVMHCC_CAPTURE_REDUCTION_ADDRESS)
        kernel->has_conflicts = true;
    capture.intent =
        (variable->is_read ? DVMHCC_INTENT_IN : 0) | (variable->is_written ? DVMHCC_INTENT_OUT : 0);
    if (variable->reduction != NULL)
        capture.reduction = reduction_number(loop, variable->reduction);
    capture.member = member_name(kernel, variable->entity->name);
    capture.type = capture.kind == DVMHCC_CAPTURE_ELEMENTS
                       ? target_type(kernel, type, variable->first)
                       : dvmhcc_generator_type(kernel->generator, type, variable->first);
    kernel->captures[kernel->capture_count++] = capture;
    return capture.member != NULL && capture.type != NULL;
}

/* ---- forms of code */

static bool in_inner_loop(const dvmhcc_kernel_t *kernel, const dvmhcc_node_t *node) {
    for (; node != NULL && node != kernel->body; node = node->parent)
        if (node->kind == DVMHCC_NODE_FOR || node->kind == DVMHCC_NODE_WHILE || node->kind == DVMHCC_NODE_DO)
            return true;
    return false;
}

/* Whether every iteration writes one element of the array, which it does not read, and neighbours in memory follow each other. */
static bool may_stream(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop,
                       const dvmhcc_operand_t *operand) {
    const dvmhcc_access_t *access = operand->array->accesses;
    const int64_t bytes = operand->array->array->element->bytes;
    while (access != NULL && access->remote > 0)
        access = access->next;
    return access != NULL && operand->writes && !operand->reads && operand->use_count == 1 &&
           operand->all_known && !access->is_conditional && !loop->has_skips &&
           !in_inner_loop(kernel, access->first) && operand->inner_axis >= 0 &&
           operand->uses[0].terms[operand->inner_axis].mult == 1 && bytes > 0 && bytes <= 64 &&
           (bytes & (bytes - 1)) == 0;
}

static bool has_unit_steps(const dvmhcc_loop_t *loop) {
    for (int k = 0; k < loop->rank; k++)
        if (!loop->dims[k].step_known || (loop->dims[k].step_value != 1 && loop->dims[k].step_value != -1))
            return false;
    return true;
}

static void choose_forms(dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    const bool rows_allowed =
        kernel->generator->command->auto_layout && kernel->rank > 1 && has_unit_steps(loop);
    kernel->has_dependences = loop->parallel->acrosses != NULL || loop->dependences != NULL;
    for (int i = 0; i < kernel->operand_count; i++) {
        dvmhcc_operand_t *operand = &kernel->operands[i];
        operand->by_rows = operand->by_rows && rows_allowed;
        kernel->by_rows = kernel->by_rows || operand->by_rows;
        if (!kernel->has_dependences && kernel->streamed == NULL && may_stream(kernel, loop, operand))
            kernel->streamed = operand;
    }
}

/* ---- the kernel */

static const char *unique_name(dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop, int line) {
    int same = 0;
    for (const dvmhcc_loop_t *other = generator->program->loops; other != NULL && other != loop;
         other = other->next)
        same += dvmhcc_source_line(generator->source, other->attached->begin).line == line;
    return same == 0 ? dvmhcc_generator_text(generator, "%sloop_%d", generator->prefix, line)
                     : dvmhcc_generator_text(generator, "%sloop_%d_%d", generator->prefix, line, same + 1);
}

static bool make_dims(dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    bool good = true;
    for (int k = 0; k < loop->rank; k++) {
        dvmhcc_kernel_dim_t *dim = &kernel->dims[k];
        dim->entity = loop->dims[k].index;
        dim->downward = loop->dims[k].step_known && loop->dims[k].step_value < 0;
        dim->place =
            dvmhcc_generator_text(kernel->generator, "%s%s", kernel->generator->prefix, dim->entity->name);
        dim->type = dvmhcc_generator_type(kernel->generator, dim->entity->type, loop->dims[k].loop);
        good = good && dim->place != NULL && dim->type != NULL;
    }
    return good;
}

/* Types that only the function knows cannot stand in the body when it moves out of it. */
static bool check_body(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    const dvmhcc_unit_t *unit = kernel->generator->unit;
    const size_t begin = loop->body->begin, end = loop->body->end;
    bool good = true;
    for (size_t i = 0; i < unit->entity_count; i++) {
        const dvmhcc_entity_t *entity = unit->entities[i];
        if (entity->kind != DVMHCC_ENTITY_TYPE || entity->function == NULL ||
            entity->function != loop->attached->function || entity->name[0] == '\0' ||
            (entity->scope_begin >= begin && entity->scope_begin < end))
            continue;
        size_t at = dvmhcc_c_next(unit->text, end, begin);
        while (at < end && !dvmhcc_c_is_name(unit->text, end, at, entity->name))
            at = dvmhcc_c_next(unit->text, end, dvmhcc_c_word_end(unit->text, end, at));
        if (at < end) {
            const dvmhcc_place_t place = dvmhcc_unit_place(unit, at, at + strlen(entity->name));
            dvmhcc_report(
                DVMHCC_ERROR, &place,
                "the type '%s' is known in its function only; to be used in a parallel loop it must be "
                "declared outside of all functions",
                entity->name);
            good = false;
        }
    }
    return good;
}

bool dvmhcc_kernel_make(dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop, dvmhcc_kernel_t *kernel) {
    const dvmhcc_place_t place = dvmhcc_source_line(generator->source, loop->attached->begin);
    size_t operands = 0, variables = 0;
    *kernel = (dvmhcc_kernel_t){.generator = generator, .rank = loop->rank, .body = loop->body};
    for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next)
        operands++;
    for (const dvmhcc_reference_t *section = loop->parallel->remote_accesses; section != NULL;
         section = section->next)
        operands++;
    for (const dvmhcc_loop_variable_t *variable = loop->variables; variable != NULL;
         variable = variable->next)
        variables++;
    kernel->line = place.line;
    kernel->file = place.file != NULL ? place.file : "";
    kernel->name = unique_name(generator, loop, place.line);
    kernel->operands = take(kernel, operands * sizeof *kernel->operands);
    kernel->captures = take(kernel, variables * sizeof *kernel->captures);
    kernel->privates = take(kernel, variables * sizeof *kernel->privates);
    bool good = kernel->name != NULL && kernel->operands != NULL && kernel->captures != NULL &&
                kernel->privates != NULL && make_dims(kernel, loop) && check_body(kernel, loop);
    good = good && make_operands(kernel, loop);
    for (const dvmhcc_loop_variable_t *variable = loop->variables; good && variable != NULL;
         variable = variable->next)
        good = make_capture(kernel, loop, variable);
    if (!good)
        return false;
    choose_forms(kernel, loop);
    int parameters = 0;
    for (int i = 0; i < kernel->capture_count; i++)
        parameters += dvmhcc_is_parameter(&kernel->captures[i]);
    if (parameters > PARAMETERS_MAX || kernel->operand_count > PARAMETERS_MAX) {
        const dvmhcc_place_t where =
            dvmhcc_unit_place(generator->unit, loop->body->begin, loop->body->begin + 1);
        dvmhcc_report(
            DVMHCC_ERROR, &where,
            "this loop uses %d variables and %d distributed arrays of its surroundings; at most %d of "
            "either can be given to a loop",
            parameters, kernel->operand_count, PARAMETERS_MAX);
        return false;
    }
    return true;
}
