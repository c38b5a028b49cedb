/* Matching of references with sections of remote_access; see the header. */
#include <config.h>

#include "compiler-hooks/dvmhcc/remote.h"

#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

/* ---- subscripts */

/* Whether an expression of a directive and one of the program have the same words. */
static bool same_words(const dvmhcc_unit_t *unit, const dvmhcc_expression_t *expression,
                       const dvmhcc_node_t *node) {
    size_t at = dvmhcc_c_next(unit->text, node->end, node->begin);
    for (int i = 0; i < expression->count; i++) {
        const dvmhcc_token_t *token = &expression->tokens[i];
        if (at + token->length > node->end || memcmp(unit->text + at, token->text, token->length) != 0)
            return false;
        at = dvmhcc_c_next(unit->text, node->end, at + token->length);
    }
    return at >= node->end;
}

/* @param axis  what the loop knows of the subscript; NULL: outside of loops */
static bool same_subscript(const dvmhcc_unit_t *unit, const dvmhcc_subscript_t *wanted,
                           const dvmhcc_axis_access_t *axis, dvmhcc_node_t *node) {
    if (wanted->kind == DVMHCC_SUBSCRIPT_ALL)
        return true;
    node = dvmhcc_inner(node);
    if (wanted->whole.constant.text != NULL && same_words(unit, &wanted->whole, node))
        return true;
    int64_t add;
    const dvmhcc_linear_t sum = axis != NULL ? axis->add : dvmhcc_linear_of(node);
    if (!dvmhcc_linear_value(&sum, &add))
        return false;
    if (wanted->kind == DVMHCC_SUBSCRIPT_CONSTANT)
        return (axis == NULL || axis->kind == DVMHCC_AXIS_CONSTANT) && wanted->whole.constant.known &&
               wanted->whole.constant.value == add;
    return axis != NULL && axis->kind == DVMHCC_AXIS_INDEX && axis->dim == wanted->index &&
           wanted->coefficient.known && wanted->coefficient.value == axis->mult && wanted->summand.known &&
           wanted->summand.value == add;
}

/* Whether a section is of this array: in C the innermost declaration counts, in a directive too. */
static bool is_of(const dvmhcc_program_t *program, const dvmhcc_attached_t *attached,
                  const dvmhcc_reference_t *section, const dvmhcc_distributed_t *array) {
    return section->array.text != NULL && section->rank == array->rank &&
           dvmhcc_unit_find(program->unit, section->array.text, attached->end) == array->entity;
}

/* ---- the clause of a loop */

int dvmhcc_remote_of_loop(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                          const dvmhcc_distributed_t *array, const dvmhcc_axis_access_t axes[]) {
    int number = 0;
    for (const dvmhcc_reference_t *section = loop->parallel->remote_accesses; section != NULL;
         section = section->next) {
        bool same = is_of(program, loop->attached, section, array);
        number++;
        for (int axis = 0; axis < array->rank && same; axis++)
            same = same_subscript(program->unit, &section->axes[axis], &axes[axis], axes[axis].subscript);
        if (same)
            return number;
    }
    return 0;
}

static bool names(const dvmhcc_expression_t *expression, const char *name) {
    for (int i = 0; i < expression->count; i++)
        if (expression->tokens[i].kind == DVMHCC_TOKEN_NAME && dvmhcc_token_is(&expression->tokens[i], name))
            return true;
    return false;
}

/* An index of a nest that the directive does not name has no value before the loop. */
static void check_indices(dvmhcc_program_t *program, dvmhcc_loop_t *loop, const dvmhcc_reference_t *section) {
    for (int axis = 0; axis < section->rank; axis++) {
        const dvmhcc_subscript_t *subscript = &section->axes[axis];
        for (int dim = 0; dim < loop->rank && subscript->kind == DVMHCC_SUBSCRIPT_CONSTANT; dim++)
            if (names(&subscript->whole, loop->dims[dim].index->name))
                dvmhcc_attached_fault(
                    program, loop->attached, subscript->span,
                    "remote_access names the index '%s' of the loop, so 'parallel' must name it as well, "
                    "as in parallel([%s])",
                    loop->dims[dim].index->name, loop->dims[dim].index->name);
    }
}

void dvmhcc_remote_check_loop(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    int number = 0;
    for (const dvmhcc_reference_t *section = loop->parallel->remote_accesses; section != NULL;
         section = section->next) {
        bool is_read = false;
        number++;
        if (section->array.text == NULL)
            continue;
        check_indices(program, loop, section);
        for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next)
            for (const dvmhcc_remote_read_t *read = array->remote_reads; read != NULL; read = read->next)
                is_read = is_read || read->remote == number;
        if (!is_read && !loop->attached->faulty)
            dvmhcc_attached_warn(program, loop->attached, section->array.span,
                                 "the loop reads no element of '%s' with these subscripts, so this part of "
                                 "remote_access has no effect",
                                 section->array.text);
    }
}

/* ---- the directive */

static bool is_remote_block(const dvmhcc_attached_t *attached) {
    return attached->directive->kind == DVMHCC_REMOTE_ACCESS && !attached->directive->faulty &&
           attached->statement != NULL;
}

const dvmhcc_reference_t *dvmhcc_remote_around(const dvmhcc_program_t *program, const dvmhcc_node_t *node,
                                               const dvmhcc_distributed_t *array,
                                               dvmhcc_node_t *const subscripts[],
                                               const dvmhcc_attached_t **attached_p) {
    for (int i = program->attached_count - 1; i >= 0; i--) {
        const dvmhcc_attached_t *attached = &program->attached[i];
        if (!is_remote_block(attached) || !dvmhcc_node_inside(node, attached->statement))
            continue;
        for (const dvmhcc_reference_t *section = attached->directive->is.remote_accesses; section != NULL;
             section = section->next) {
            bool same = is_of(program, attached, section, array);
            for (int axis = 0; axis < array->rank && same; axis++)
                same = same_subscript(program->unit, &section->axes[axis], NULL, subscripts[axis]);
            if (same) {
                *attached_p = attached;
                return section;
            }
        }
    }
    return NULL;
}

typedef struct block_walk {
    dvmhcc_program_t *program;
    dvmhcc_attached_t *attached;
    const dvmhcc_reference_t *section;
    bool is_read;
} block_walk_t;

static bool in_parallel_loop(const dvmhcc_program_t *program, const dvmhcc_node_t *node) {
    for (const dvmhcc_loop_t *loop = program->loops; loop != NULL; loop = loop->next)
        if (dvmhcc_node_inside(node, loop->attached->statement))
            return true;
    return false;
}

/* A name of the section's array: is it read as a copy, or written? */
static void check_element(block_walk_t *walk, dvmhcc_node_t *name) {
    const dvmhcc_distributed_t *array = name->entity->distributed;
    const dvmhcc_attached_t *attached = NULL;
    dvmhcc_node_t *subscripts[DVMHCC_RANK_MAX];
    dvmhcc_node_t *reference = dvmhcc_reference_of(name, array->rank, subscripts);
    if (reference == NULL || in_parallel_loop(walk->program, name) ||
        dvmhcc_remote_around(walk->program, reference, array, subscripts, &attached) != walk->section)
        return;
    if (dvmhcc_name_use(name).is_written)
        dvmhcc_node_report(walk->program->unit, DVMHCC_WARNING, reference,
                           "the block writes this element, and reads it as the copy that remote_access made "
                           "before");
    walk->is_read = true;
}

static bool visit_block(dvmhcc_node_t *node, void *context) {
    block_walk_t *walk = context;
    if (node->kind != DVMHCC_NODE_NAME || node->entity == NULL)
        return true;
    if (node->entity->distributed != NULL) {
        if (is_of(walk->program, walk->attached, walk->section, node->entity->distributed))
            check_element(walk, node);
        return true;
    }
    for (int axis = 0; axis < walk->section->rank && !walk->attached->faulty; axis++) {
        const dvmhcc_subscript_t *subscript = &walk->section->axes[axis];
        if (subscript->kind == DVMHCC_SUBSCRIPT_CONSTANT && names(&subscript->whole, node->entity->name) &&
            dvmhcc_unit_find(walk->program->unit, node->entity->name, walk->attached->end) == node->entity &&
            dvmhcc_name_use(node).is_written) {
            dvmhcc_node_report(walk->program->unit, DVMHCC_ERROR, node,
                               "the block changes '%s', on which its remote_access depends",
                               node->entity->name);
            walk->attached->faulty = true;
        }
    }
    return true;
}

void dvmhcc_pass_remote(dvmhcc_program_t *program) {
    for (int i = 0; i < program->attached_count; i++) {
        dvmhcc_attached_t *attached = &program->attached[i];
        if (!is_remote_block(attached) || attached->faulty)
            continue;
        for (const dvmhcc_reference_t *section = attached->directive->is.remote_accesses; section != NULL;
             section = section->next) {
            block_walk_t walk = {.program = program, .attached = attached, .section = section};
            dvmhcc_walk(attached->statement, visit_block, &walk);
            if (!walk.is_read && !attached->faulty)
                dvmhcc_attached_warn(program, attached, section->array.span,
                                     "the block reads no element of '%s' with these subscripts outside of "
                                     "parallel loops, so this part of remote_access has no effect",
                                     section->array.text);
        }
    }
}
