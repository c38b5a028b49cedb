/* References to distributed arrays in the body of a parallel loop: collected in the order of the text, equal ones merged. Decides what
 * of a subscript is known; dependences are found in dependences.c. */
#include <config.h>

#include "compiler-hooks/dvmhcc/access.h"

#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"
#include "compiler-hooks/dvmhcc/remote.h"

#include <string.h>

/* ---- subscripts */

typedef struct dims_walk {
    const dvmhcc_loop_t *loop;
    unsigned dims;
} dims_walk_t;

static bool find_dims(dvmhcc_node_t *node, void *context) {
    dims_walk_t *walk = context;
    const int dim = node->kind == DVMHCC_NODE_NAME ? dvmhcc_loop_dim_of(walk->loop, node->entity) : -1;
    if (dim >= 0)
        walk->dims |= 1u << dim;
    return true;
}

/* Whether variables of a sum are the same for all iterations. */
static bool is_invariant(const dvmhcc_loop_t *loop, const dvmhcc_linear_t *linear) {
    for (int i = 0; i < linear->count; i++) {
        const dvmhcc_loop_variable_t *variable = dvmhcc_loop_variable(loop, linear->terms[i].entity);
        if (variable != NULL && variable->role != DVMHCC_ROLE_READ)
            return false;
    }
    return true;
}

/* Multiples that would overflow with an index are no multiples here. */
static dvmhcc_axis_access_t read_subscript(const dvmhcc_loop_t *loop, dvmhcc_node_t *subscript) {
    dvmhcc_axis_access_t axis = {.kind = DVMHCC_AXIS_OTHER, .dim = -1, .subscript = subscript};
    dims_walk_t walk = {.loop = loop};
    dvmhcc_walk(subscript, find_dims, &walk);
    axis.dims = walk.dims;
    axis.add = dvmhcc_linear_of(subscript);
    int dims = 0;
    for (int dim = 0; dim < loop->rank && axis.add.is_known; dim++) {
        const int64_t mult = dvmhcc_linear_take(&axis.add, loop->dims[dim].index);
        if (mult == 0)
            continue;
        dims += mult > -INT32_MAX && mult < INT32_MAX ? 1 : 2;
        axis.dim = dim;
        axis.mult = mult;
    }
    if (!axis.add.is_known || dims > 1 || !is_invariant(loop, &axis.add)) {
        axis.dim = -1;
        axis.mult = 0;
        axis.add = (dvmhcc_linear_t){0};
    } else {
        axis.kind = dims == 1 ? DVMHCC_AXIS_INDEX : DVMHCC_AXIS_CONSTANT;
    }
    return axis;
}

static bool same_axis(const dvmhcc_unit_t *unit, const dvmhcc_axis_access_t *a,
                      const dvmhcc_axis_access_t *b) {
    if (a->kind != b->kind)
        return false;
    if (a->kind == DVMHCC_AXIS_OTHER)
        return dvmhcc_same_text(unit, a->subscript, b->subscript);
    return a->dim == b->dim && a->mult == b->mult && dvmhcc_linear_equal(&a->add, &b->add);
}

/* ---- conditions */

bool dvmhcc_guard_of(const dvmhcc_node_t *condition, dvmhcc_linear_t *sum_p, int64_t *modulus_p) {
    while (condition->kind == DVMHCC_NODE_PAREN)
        condition = condition->children[0];
    if (condition->kind != DVMHCC_NODE_BINARY || condition->operation != DVMHCC_OPERATOR_EQUAL ||
        !condition->children[1]->is_constant)
        return false;
    const dvmhcc_node_t *remainder = condition->children[0];
    while (remainder->kind == DVMHCC_NODE_PAREN)
        remainder = remainder->children[0];
    if (remainder->kind != DVMHCC_NODE_BINARY || remainder->operation != DVMHCC_OPERATOR_REMAINDER ||
        !remainder->children[1]->is_constant || remainder->children[1]->value < 2)
        return false;
    *sum_p = dvmhcc_linear_of(remainder->children[0]);
    *modulus_p = remainder->children[1]->value;
    return sum_p->is_known;
}

/* Whether not every iteration comes by a part of a node. */
static bool is_branch(const dvmhcc_node_t *node, const dvmhcc_node_t *part) {
    switch (node->kind) {
    case DVMHCC_NODE_IF:
    case DVMHCC_NODE_CONDITIONAL:
    case DVMHCC_NODE_SWITCH:
    case DVMHCC_NODE_WHILE:
        return node->children[0] != part;
    case DVMHCC_NODE_FOR:
        return node->children[2] == part || node->children[3] == part;
    case DVMHCC_NODE_BINARY:
        return (node->operation == DVMHCC_OPERATOR_BOTH || node->operation == DVMHCC_OPERATOR_EITHER) &&
               node->children[1] == part;
    default:
        return false;
    }
}

/* Conditions that a reference stands under, up to the body. @param guard_p  gets the innermost one that is a guard; NULL: none */
static bool is_conditional(const dvmhcc_loop_t *loop, const dvmhcc_node_t *node,
                           const dvmhcc_node_t **guard_p) {
    bool conditional = loop->has_skips;
    *guard_p = NULL;
    for (; node != loop->body && node->parent != NULL; node = node->parent) {
        const dvmhcc_node_t *parent = node->parent;
        dvmhcc_linear_t sum;
        int64_t modulus;
        if (!is_branch(parent, node))
            continue;
        conditional = true;
        if (*guard_p == NULL && parent->kind == DVMHCC_NODE_IF && parent->children[1] == node &&
            dvmhcc_guard_of(parent->children[0], &sum, &modulus))
            *guard_p = parent->children[0];
    }
    return conditional;
}

/* ---- arrays and their references */

typedef struct walk {
    dvmhcc_program_t *program;
    dvmhcc_loop_t *loop;
} walk_t;

static dvmhcc_loop_array_t *ordinary_of(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity) {
    dvmhcc_loop_array_t *array = loop->ordinary;
    while (array != NULL && array->array->entity != entity)
        array = array->next;
    return array;
}

/* The ordinary arrays of across, which may name one twice. */
static void add_ordinary(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    for (const dvmhcc_widths_t *across = loop->parallel->acrosses; across != NULL; across = across->next) {
        dvmhcc_entity_t *entity =
            across->array.text != NULL
                ? dvmhcc_unit_find(program->unit, across->array.text, loop->attached->end)
                : NULL;
        if (entity == NULL || entity->distributed != NULL || ordinary_of(loop, entity) != NULL)
            continue;
        dvmhcc_loop_array_t *array = dvmhcc_program_take(program, sizeof *array);
        dvmhcc_distributed_t *as_distributed = dvmhcc_program_take(program, sizeof *as_distributed);
        if (array == NULL || as_distributed == NULL)
            return;
        as_distributed->form = DVMHCC_FORM_ARRAY;
        as_distributed->entity = entity;
        as_distributed->rank = across->rank;
        array->array = as_distributed;
        array->across = across;
        array->next = loop->ordinary;
        loop->ordinary = array;
    }
}

static dvmhcc_loop_array_t *array_of(walk_t *walk, dvmhcc_distributed_t *distributed) {
    dvmhcc_loop_array_t **place = &walk->loop->arrays;
    while (*place != NULL && (*place)->array != distributed)
        place = &(*place)->next;
    if (*place == NULL) {
        *place = dvmhcc_program_take(walk->program, sizeof **place);
        if (*place != NULL)
            (*place)->array = distributed;
    }
    return *place;
}

dvmhcc_node_t *dvmhcc_reference_of(dvmhcc_node_t *name, int rank, dvmhcc_node_t *subscripts[]) {
    dvmhcc_node_t *node = name;
    for (int axis = 0; axis < rank; axis++) {
        while (node->parent != NULL && node->parent->kind == DVMHCC_NODE_PAREN)
            node = node->parent;
        if (node->parent == NULL || node->parent->kind != DVMHCC_NODE_SUBSCRIPT ||
            node->parent->children[0] != node)
            return NULL;
        node = node->parent;
        subscripts[axis] = node->children[1];
    }
    return node;
}

static dvmhcc_access_t *equal_access(const walk_t *walk, const dvmhcc_loop_array_t *array,
                                     const dvmhcc_access_t *access) {
    for (dvmhcc_access_t *other = array->accesses; other != NULL; other = other->next) {
        bool equal = other->remote == access->remote;
        for (int axis = 0; axis < array->array->rank && equal; axis++)
            equal = same_axis(walk->program->unit, &other->axes[axis], &access->axes[axis]);
        if (equal)
            return other;
    }
    return NULL;
}

/* The condition of a guard that both have; equal words mean the same here, for their variables are the same. */
static const dvmhcc_node_t *common_guard(const dvmhcc_unit_t *unit, const dvmhcc_node_t *a,
                                         const dvmhcc_node_t *b) {
    return a != NULL && b != NULL && (a == b || dvmhcc_same_text(unit, a, b)) ? a : NULL;
}

static void add_access(walk_t *walk, dvmhcc_loop_array_t *array, const dvmhcc_access_t *found) {
    array->intent |= (found->is_read ? DVMHCC_INTENT_IN : 0) | (found->is_written ? DVMHCC_INTENT_OUT : 0);
    dvmhcc_access_t *access = equal_access(walk, array, found);
    if (access != NULL) {
        access->is_read = access->is_read || found->is_read;
        access->is_written = access->is_written || found->is_written;
        access->is_conditional = access->is_conditional && found->is_conditional;
        access->guard = common_guard(walk->program->unit, access->guard, found->guard);
        access->count++;
        return;
    }
    access = dvmhcc_program_take(walk->program, sizeof *access);
    if (access == NULL)
        return;
    *access = *found;
    access->count = 1;
    dvmhcc_access_t **tail = &array->accesses;
    while (*tail != NULL)
        tail = &(*tail)->next;
    *tail = access;
}

/* What is written is the array's own, and so is what is read at the same place. */
static void set_remote(walk_t *walk, dvmhcc_loop_array_t *array, dvmhcc_access_t *access) {
    if (access->is_written)
        return;
    access->remote = dvmhcc_remote_of_loop(walk->program, walk->loop, array->array, access->axes);
    if (access->remote == 0)
        return;
    dvmhcc_remote_read_t *read = dvmhcc_program_take(walk->program, sizeof *read);
    if (read == NULL)
        return;
    *read = (dvmhcc_remote_read_t){.reference = access->first,
                                   .remote = access->remote,
                                   .next = array->remote_reads};
    array->remote_reads = read;
}

static bool visit(dvmhcc_node_t *node, void *context) {
    walk_t *walk = context;
    dvmhcc_node_t *subscripts[DVMHCC_RANK_MAX];
    if (node->kind != DVMHCC_NODE_NAME || node->entity == NULL)
        return !walk->program->no_memory;
    dvmhcc_loop_array_t *ordinary = ordinary_of(walk->loop, node->entity);
    dvmhcc_distributed_t *distributed = ordinary != NULL ? ordinary->array : node->entity->distributed;
    if (distributed == NULL || distributed->form == DVMHCC_FORM_TEMPLATE)
        return !walk->program->no_memory;
    const dvmhcc_name_use_t use = dvmhcc_name_use(node);
    dvmhcc_node_t *reference = dvmhcc_reference_of(node, distributed->rank, subscripts);
    if (use.is_unevaluated || reference == NULL)
        return true;
    dvmhcc_loop_array_t *array = ordinary != NULL ? ordinary : array_of(walk, distributed);
    if (array == NULL)
        return false;
    dvmhcc_access_t access = {.first = reference};
    access.is_written = use.is_written;
    /* Who writes a field keeps the others. */
    access.is_read = use.is_read || (use.is_written && use.is_partial);
    access.is_conditional = is_conditional(walk->loop, reference, &access.guard);
    for (int axis = 0; axis < distributed->rank; axis++)
        access.axes[axis] = read_subscript(walk->loop, subscripts[axis]);
    set_remote(walk, array, &access);
    add_access(walk, array, &access);
    return true;
}

/* ---- what follows for a whole array */

static void set_walks(dvmhcc_loop_array_t *array) {
    for (int axis = 0; axis < array->array->rank; axis++) {
        int walked = 0;
        bool one = true;
        for (const dvmhcc_access_t *access = array->accesses; access != NULL; access = access->next) {
            const dvmhcc_axis_access_t *a = &access->axes[axis];
            const int now = a->kind == DVMHCC_AXIS_INDEX ? (a->mult < 0 ? -(a->dim + 1) : a->dim + 1) : 0;
            if (access->remote > 0)
                continue;
            one = one && a->kind != DVMHCC_AXIS_OTHER && (now == 0 || walked == 0 || now == walked);
            walked = now != 0 ? now : walked;
        }
        array->walked_by[axis] = one ? walked : 0;
    }
}

/* The axis that a dim alone walks in a reference, by 1 or -1 and a constant; -1: not so. */
static int axis_of_dim(const dvmhcc_access_t *access, int rank, int dim) {
    int found = -1;
    for (int axis = 0; axis < rank; axis++) {
        const dvmhcc_axis_access_t *a = &access->axes[axis];
        int64_t value;
        if ((a->dims & 1u << dim) == 0)
            continue;
        if (found >= 0 || a->kind != DVMHCC_AXIS_INDEX || a->dim != dim || (a->mult != 1 && a->mult != -1) ||
            !dvmhcc_linear_value(&a->add, &value))
            return -1;
        found = axis;
    }
    return found;
}

static void set_by_rows(const dvmhcc_loop_t *loop, dvmhcc_loop_array_t *array) {
    const dvmhcc_access_t *first = array->accesses;
    while (first != NULL && first->remote > 0)
        first = first->next;
    array->by_rows = loop->rank >= 2 && array->array->rank >= 2 && first != NULL;
    for (int k = 0; k < 2 && array->by_rows; k++) {
        const int dim = loop->rank - 1 - k;
        const int axis = axis_of_dim(first, array->array->rank, dim);
        array->by_rows = axis >= 0;
        for (const dvmhcc_access_t *access = first; access != NULL && array->by_rows; access = access->next)
            array->by_rows = access->remote > 0 || (axis_of_dim(access, array->array->rank, dim) == axis &&
                                                    access->axes[axis].mult == first->axes[axis].mult);
    }
}

static const dvmhcc_widths_t *across_of(const dvmhcc_loop_t *loop, const dvmhcc_distributed_t *array) {
    for (const dvmhcc_widths_t *entry = loop->parallel->acrosses; entry != NULL; entry = entry->next) {
        if (entry->array.text != NULL && strcmp(entry->array.text, array->entity->name) == 0)
            return entry;
    }
    return NULL;
}

void dvmhcc_loop_collect(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    walk_t walk = {.program = program, .loop = loop};
    add_ordinary(program, loop);
    dvmhcc_walk(loop->body, visit, &walk);
    for (dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next) {
        set_walks(array);
        set_by_rows(loop, array);
        array->across = across_of(loop, array->array);
    }
}

/* ---- printing */

const char *dvmhcc_access_text(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                               const dvmhcc_loop_array_t *array, const dvmhcc_access_t *access, char *buffer,
                               size_t size) {
    size_t used = (size_t)snprintf(buffer, size, "%s", array->array->entity->name);
    for (int axis = 0; axis < array->array->rank && used < size; axis++) {
        const dvmhcc_axis_access_t *a = &access->axes[axis];
        char text[128];
        if (a->kind == DVMHCC_AXIS_OTHER) {
            dvmhcc_node_text(program->unit, a->subscript, text, sizeof text);
        } else {
            dvmhcc_linear_t sum = a->add;
            if (a->kind == DVMHCC_AXIS_INDEX) {
                /* The index first, whatever its number. */
                for (int i = sum.count; i > 0 && sum.count < DVMHCC_LINEAR_TERMS; i--)
                    sum.terms[i] = sum.terms[i - 1];
                sum.terms[0] = (dvmhcc_term_t){loop->dims[a->dim].index, a->mult};
                sum.count += sum.count < DVMHCC_LINEAR_TERMS ? 1 : 0;
            }
            dvmhcc_linear_text(&sum, text, sizeof text);
        }
        used += (size_t)snprintf(buffer + used, size - used, "[%s]", text);
    }
    return buffer;
}
