/* The canonical nest. Decides which loops can run in parallel at all: their form, and that nothing in the headers changes while they
 * run. Every deviation is told where it stands. */
#include <config.h>

#include "compiler-hooks/dvmhcc/effects.h"
#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

int dvmhcc_loop_dim_of(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity) {
    for (int dim = 0; dim < loop->rank; dim++) {
        if (loop->dims[dim].index == entity)
            return dim;
    }
    return -1;
}

dvmhcc_loop_variable_t *dvmhcc_loop_variable(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity) {
    for (dvmhcc_loop_variable_t *variable = loop->variables; variable != NULL; variable = variable->next) {
        if (variable->entity == entity)
            return variable;
    }
    return NULL;
}

static bool fault(const dvmhcc_program_t *program, const dvmhcc_node_t *node, const char *message) {
    dvmhcc_node_report(program->unit, DVMHCC_ERROR, node, "%s", message);
    return false;
}

/* ---- parts of the header */

/* i = first, or a declaration of i with it. */
static bool read_beginning(const dvmhcc_program_t *program, dvmhcc_dim_t *dim) {
    static const char expected[] = "a parallel loop must begin with 'index = expression'";
    dvmhcc_node_t *beginning = dim->loop->children[0];
    if (beginning == NULL)
        return fault(program, dim->loop, expected);
    if (beginning->kind == DVMHCC_NODE_DECLARATION) {
        if (beginning->declarator_count != 1 || beginning->declarators[0]->initialiser == NULL)
            return fault(program, beginning, expected);
        dim->is_declared = true;
        dim->index = beginning->declarators[0]->entity;
        dim->first = beginning->declarators[0]->initialiser;
    } else {
        dvmhcc_node_t *assignment = beginning->count > 0 ? dvmhcc_inner(beginning->children[0]) : NULL;
        if (assignment == NULL || assignment->kind != DVMHCC_NODE_ASSIGN ||
            assignment->operation != DVMHCC_OPERATOR_NONE || dvmhcc_named(assignment->children[0]) == NULL)
            return fault(program, beginning, expected);
        dim->index = dvmhcc_named(assignment->children[0]);
        dim->first = assignment->children[1];
    }
    if ((dim->index->kind != DVMHCC_ENTITY_VARIABLE && dim->index->kind != DVMHCC_ENTITY_PARAMETER) ||
        !dvmhcc_type_is_integer(dim->index->type) || dim->index->type->bytes > 8) {
        dvmhcc_node_report(program->unit, DVMHCC_ERROR, beginning,
                           "the index of a parallel loop must be an integer variable; '%s' has the type '%s'",
                           dim->index->name, dim->index->type->text);
        return false;
    }
    return true;
}

static dvmhcc_operator_t mirrored(dvmhcc_operator_t relation) {
    switch (relation) {
    case DVMHCC_OPERATOR_LESS:
        return DVMHCC_OPERATOR_GREATER;
    case DVMHCC_OPERATOR_LESS_EQUAL:
        return DVMHCC_OPERATOR_GREATER_EQUAL;
    case DVMHCC_OPERATOR_GREATER:
        return DVMHCC_OPERATOR_LESS;
    case DVMHCC_OPERATOR_GREATER_EQUAL:
        return DVMHCC_OPERATOR_LESS_EQUAL;
    default:
        return DVMHCC_OPERATOR_NONE;
    }
}

/* i < last, also last > i. */
static bool read_condition(const dvmhcc_program_t *program, dvmhcc_dim_t *dim) {
    dvmhcc_node_t *condition = dvmhcc_inner(dim->loop->children[1]);
    dim->relation = DVMHCC_OPERATOR_NONE;
    if (condition != NULL && condition->kind == DVMHCC_NODE_BINARY &&
        mirrored(condition->operation) != DVMHCC_OPERATOR_NONE) {
        if (dvmhcc_named(condition->children[0]) == dim->index) {
            dim->relation = condition->operation;
            dim->last = condition->children[1];
        } else if (dvmhcc_named(condition->children[1]) == dim->index) {
            dim->relation = mirrored(condition->operation);
            dim->last = condition->children[0];
        }
    }
    if (dim->relation == DVMHCC_OPERATOR_NONE) {
        dvmhcc_node_report(
            program->unit, DVMHCC_ERROR, condition != NULL ? condition : dim->loop,
            "the condition of a parallel loop must compare '%s' with a bound by <, <=, > or >=",
            dim->index->name);
        return false;
    }
    dim->is_downward =
        dim->relation == DVMHCC_OPERATOR_GREATER || dim->relation == DVMHCC_OPERATOR_GREATER_EQUAL;
    return true;
}

/* The amount of i += c, i -= c, i = i + c, i = c + i, i = i - c. @return false: it is none of these */
static bool read_assigned_step(dvmhcc_dim_t *dim, dvmhcc_node_t *step) {
    if (dvmhcc_named(step->children[0]) != dim->index)
        return false;
    dvmhcc_operator_t operation = step->operation;
    dvmhcc_node_t *right = step->children[1];
    dim->step = right;
    if (operation == DVMHCC_OPERATOR_NONE) {
        right = dvmhcc_inner(right);
        if (right->kind != DVMHCC_NODE_BINARY)
            return false;
        operation = right->operation;
        if (dvmhcc_named(right->children[0]) == dim->index)
            dim->step = right->children[1];
        else if (operation == DVMHCC_OPERATOR_ADD && dvmhcc_named(right->children[1]) == dim->index)
            dim->step = right->children[0];
        else
            return false;
    }
    dim->is_subtracted = operation == DVMHCC_OPERATOR_SUBTRACT;
    return operation == DVMHCC_OPERATOR_ADD || operation == DVMHCC_OPERATOR_SUBTRACT;
}

static bool read_step(const dvmhcc_program_t *program, dvmhcc_dim_t *dim) {
    dvmhcc_node_t *step = dvmhcc_inner(dim->loop->children[2]);
    bool good = false;
    if (step != NULL && step->kind == DVMHCC_NODE_UNARY && dvmhcc_named(step->children[0]) == dim->index) {
        good = step->operation >= DVMHCC_OPERATOR_PRE_INCREMENT &&
               step->operation <= DVMHCC_OPERATOR_POST_DECREMENT;
        dim->is_subtracted = step->operation == DVMHCC_OPERATOR_PRE_DECREMENT ||
                             step->operation == DVMHCC_OPERATOR_POST_DECREMENT;
    } else if (step != NULL && step->kind == DVMHCC_NODE_ASSIGN) {
        good = read_assigned_step(dim, step);
    }
    if (!good) {
        dvmhcc_node_report(program->unit, DVMHCC_ERROR, step != NULL ? step : dim->loop,
                           "the step of a parallel loop must be %s++, %s--, %s += c, %s -= c or %s = %s + c",
                           dim->index->name, dim->index->name, dim->index->name, dim->index->name,
                           dim->index->name, dim->index->name);
        return false;
    }
    const dvmhcc_linear_t amount =
        dim->step != NULL ? dvmhcc_linear_of(dim->step) : dvmhcc_linear_constant(1);
    dim->step_known = dvmhcc_linear_value(&amount, &dim->step_value) && dim->step_value > -INT32_MAX &&
                      dim->step_value < INT32_MAX;
    if (!dim->step_known)
        return true;
    if (dim->is_subtracted)
        dim->step_value = -dim->step_value;
    if (dim->step_value != 0 && (dim->step_value < 0) == dim->is_downward)
        return true;
    dvmhcc_node_report(program->unit, DVMHCC_ERROR, step,
                       dim->step_value == 0 ? "the step of a parallel loop cannot be 0"
                                            : "this step leads '%s' away from its bound",
                       dim->index->name);
    return false;
}

/* ---- what must not change */

typedef struct header_walk {
    const dvmhcc_program_t *program;
    const dvmhcc_loop_t *loop;
    bool good;
} header_walk_t;

static bool is_assigned(dvmhcc_node_t *node, const dvmhcc_entity_t *entity);

/* Functions in bounds and steps are called once, before the loop. C calls them for every iteration; tell where that shows. */
static void check_call(header_walk_t *walk, dvmhcc_node_t *call) {
    const dvmhcc_unit_t *unit = walk->program->unit;
    const dvmhcc_entity_t *function = dvmhcc_called(call);
    const dvmhcc_entity_t *changed = dvmhcc_read_by_calls(call, walk->loop->body);
    const bool is_known = function != NULL && (function->is_system || function->body != NULL);
    const char *name = function != NULL ? function->name : "the function";
    if (changed != NULL)
        dvmhcc_node_report(unit, DVMHCC_WARNING, call,
                           "'%s' is called once, before the parallel loop, but reads '%s', which the loop "
                           "changes",
                           name, changed->name);
    else if (is_known && dvmhcc_has_effects(call))
        dvmhcc_node_report(unit, DVMHCC_WARNING, call,
                           "'%s' is called once, before the parallel loop, not for every iteration, which "
                           "makes a difference if it changes anything",
                           name);
}

/* Bounds and steps may read variables that the nest leaves alone, compute with them and call functions. */
static bool check_header_node(dvmhcc_node_t *node, void *context) {
    header_walk_t *walk = context;
    const dvmhcc_loop_t *loop = walk->loop;
    const char *message = NULL;
    if (node->kind == DVMHCC_NODE_ASSIGN ||
        (node->kind == DVMHCC_NODE_UNARY && node->operation >= DVMHCC_OPERATOR_PRE_INCREMENT &&
         node->operation <= DVMHCC_OPERATOR_POST_DECREMENT)) {
        message = "bounds and steps of a parallel loop must not change anything";
    } else if (node->kind == DVMHCC_NODE_CALL) {
        check_call(walk, node);
    } else if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL) {
        if (dvmhcc_loop_dim_of(loop, node->entity) >= 0)
            message = "bounds and steps of a parallel loop must not depend on its indices";
        else if (node->entity->distributed != NULL)
            message = "bounds and steps of a parallel loop must not read distributed arrays; read the "
                      "element before the loop";
        else if (is_assigned(loop->body, node->entity))
            message = "the loop changes this variable, on which its bounds or steps depend";
    }
    if (message == NULL)
        return true;
    walk->good = fault(walk->program, node, message);
    return false;
}

typedef struct assigned_walk {
    const dvmhcc_entity_t *entity;
    bool found;
} assigned_walk_t;

static bool find_assigned(dvmhcc_node_t *node, void *context) {
    assigned_walk_t *walk = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity == walk->entity && dvmhcc_name_use(node).is_written)
        walk->found = true;
    return !walk->found;
}

static bool is_assigned(dvmhcc_node_t *node, const dvmhcc_entity_t *entity) {
    assigned_walk_t walk = {.entity = entity};
    dvmhcc_walk(node, find_assigned, &walk);
    return walk.found;
}

static bool check_headers(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop) {
    header_walk_t walk = {.program = program, .loop = loop, .good = true};
    for (int dim = 0; dim < loop->rank; dim++) {
        dvmhcc_walk(loop->dims[dim].first, check_header_node, &walk);
        dvmhcc_walk(loop->dims[dim].last, check_header_node, &walk);
        dvmhcc_walk(loop->dims[dim].step, check_header_node, &walk);
    }
    return walk.good;
}

/* ---- the nest */

/* The loop inside of a loop: alone, perhaps in braces. @return NULL: there is none, told */
static dvmhcc_node_t *inner_loop(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                                 dvmhcc_node_t *body, int dim) {
    dvmhcc_node_t *found = body;
    while (found != NULL && found->kind == DVMHCC_NODE_COMPOUND) {
        dvmhcc_node_t *only = NULL;
        for (int i = 0; i < found->count; i++) {
            dvmhcc_node_t *child = found->children[i];
            if (child->kind == DVMHCC_NODE_EMPTY)
                continue;
            if (only != NULL) {
                fault(program, only->kind == DVMHCC_NODE_FOR ? child : only,
                      "statements between the loops of a parallel nest; put them into the innermost loop");
                return NULL;
            }
            only = child;
        }
        found = only;
    }
    if (found != NULL && found->kind == DVMHCC_NODE_FOR)
        return found;
    dvmhcc_node_report(program->unit, DVMHCC_ERROR, found != NULL ? found : body,
                       "'parallel' is for %d nested loops, but only %d %s here", loop->rank, dim,
                       dim == 1 ? "stands" : "stand");
    return NULL;
}

static bool check_index(dvmhcc_program_t *program, dvmhcc_loop_t *loop, int dim) {
    const dvmhcc_mapping_t *mapping = &loop->parallel->mapping;
    const dvmhcc_entity_t *index = loop->dims[dim].index;
    for (int k = 0; k < dim; k++) {
        if (loop->dims[k].index == index) {
            dvmhcc_node_report(program->unit, DVMHCC_ERROR, loop->dims[dim].loop,
                               "two loops of a parallel nest have the same index '%s'", index->name);
            return false;
        }
    }
    if (dim >= mapping->index_count || mapping->indexes[dim].text == NULL ||
        strcmp(mapping->indexes[dim].text, index->name) == 0)
        return true;
    dvmhcc_attached_fault(program, loop->attached, mapping->indexes[dim].span,
                          "'%s' is not the variable of loop %d of the nest, which is '%s'",
                          mapping->indexes[dim].text, dim + 1, index->name);
    return false;
}

static void set_count(dvmhcc_dim_t *dim) {
    const dvmhcc_linear_t first = dvmhcc_linear_of(dim->first), last = dvmhcc_linear_of(dim->last);
    const dvmhcc_linear_t difference = dvmhcc_linear_add(&last, &first, -1);
    int64_t length;
    if (!dim->step_known || !dvmhcc_linear_value(&difference, &length) || length == INT64_MIN)
        return;
    if (dim->is_downward)
        length = -length;
    const bool inclusive =
        dim->relation == DVMHCC_OPERATOR_LESS_EQUAL || dim->relation == DVMHCC_OPERATOR_GREATER_EQUAL;
    const int64_t step = dim->step_value < 0 ? -dim->step_value : dim->step_value;
    dim->count_known = length < INT64_MAX - step;
    if (!dim->count_known)
        return;
    length += inclusive ? 1 : 0;
    dim->count = length > 0 ? (length - 1) / step + 1 : 0;
}

bool dvmhcc_loop_recognise(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    dvmhcc_node_t *node = loop->attached->statement;
    bool good = true;
    for (int k = 0; k < loop->rank; k++) {
        dvmhcc_dim_t *dim = &loop->dims[k];
        if (k > 0)
            node = inner_loop(program, loop, node->children[3], k);
        if (node == NULL || node->children[3] == NULL)
            return false;
        dim->loop = node;
        good = read_beginning(program, dim) && read_condition(program, dim) && read_step(program, dim) &&
               check_index(program, loop, k) && good;
    }
    loop->body = node->children[3];
    if (!good || !check_headers(program, loop))
        return false;
    for (int k = 0; k < loop->rank; k++)
        set_count(&loop->dims[k]);
    return true;
}
