/* Parallel loops: the canonical nest under a `parallel` directive, and what its body does with variables. Part of the program of
 * program.h. Dims count from 0 here, outermost first. */
#ifndef DVMHCC_LOOP_NEST_H
#define DVMHCC_LOOP_NEST_H

#include "compiler-hooks/dvmhcc/linear.h"
#include "compiler-hooks/dvmhcc/program.h"

/** One loop of the nest: for (index = first; index relation last; index += or -= step). Its bounds and step do not change while
 * the nest runs, and have no effects. */
typedef struct dvmhcc_dim {
    dvmhcc_node_t *loop; /* FOR */
    dvmhcc_entity_t *index;
    bool is_declared; /* in the header: `for (int i = ..` */
    dvmhcc_node_t *first, *last;
    dvmhcc_operator_t relation; /* LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, as `index relation last` */
    dvmhcc_node_t *step;        /* the amount, as written; NULL: 1 */
    bool is_subtracted;         /* the amount is taken away */
    bool is_downward;           /* by the relation */
    bool step_known;
    int64_t step_value; /* signed, not 0 */
    bool count_known;
    int64_t count; /* iterations, not negative */
} dvmhcc_dim_t;

typedef enum dvmhcc_role {
    DVMHCC_ROLE_INDEX,   /* of the nest */
    DVMHCC_ROLE_INSIDE,  /* declared in the body */
    DVMHCC_ROLE_PRIVATE, /* named by the clause; arrays too */
    DVMHCC_ROLE_REDUCTION,
    DVMHCC_ROLE_LOCATION, /* of maxloc, minloc */
    DVMHCC_ROLE_READ,     /* a number, a pointer or a struct that is only read: the same for all iterations */
    DVMHCC_ROLE_WRITTEN,  /* the same, written without being any of the above: an error that was told */
    DVMHCC_ROLE_ARRAY,    /* an ordinary array, or what a pointer points to */
    DVMHCC_ROLE_DISTRIBUTED
} dvmhcc_role_t;

/** A variable that the body names. */
typedef struct dvmhcc_loop_variable {
    dvmhcc_entity_t *entity;
    dvmhcc_role_t role;
    bool is_read, is_written;            /* it, or its elements */
    const dvmhcc_reduction_t *reduction; /* of REDUCTION and LOCATION */
    dvmhcc_node_t *first;                /* where it is named first */
    struct dvmhcc_loop_variable *next;
} dvmhcc_loop_variable_t;

/** A function that the body calls. */
typedef struct dvmhcc_loop_call {
    dvmhcc_entity_t *function;
    dvmhcc_node_t *first;
    struct dvmhcc_loop_call *next;
} dvmhcc_loop_call_t;

typedef struct dvmhcc_loop {
    dvmhcc_attached_t *attached;
    const dvmhcc_parallel_t *parallel; /* the directive */
    int rank;
    dvmhcc_dim_t dims[DVMHCC_RANK_MAX];
    dvmhcc_node_t *body; /* of the innermost loop */
    bool
        has_skips; /* some `continue`, `goto`, or `break` of a do statement may leave out a part of an iteration */
    dvmhcc_loop_variable_t
        *variables; /* in the order of first use; indices that the body does not name come last */
    dvmhcc_loop_call_t *calls;
    struct dvmhcc_loop_array *arrays; /* distributed ones; access.h */
    struct dvmhcc_loop_array
        *ordinary; /* arrays of C that across names; like `arrays`, with an `array` of their own */
    struct dvmhcc_dependence *dependences; /* access.h */
    bool has_unknown_dependence;
    bool has_too_many_dependences; /* so some are not listed, and count as unknown */
    struct dvmhcc_loop *next, *next_in_region;
} dvmhcc_loop_t;

/** The dim whose index an entity is; -1: none. */
int dvmhcc_loop_dim_of(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity);

/** The body's variable; NULL: not named there. */
dvmhcc_loop_variable_t *dvmhcc_loop_variable(const dvmhcc_loop_t *loop, const dvmhcc_entity_t *entity);

/* ---- for the passes */

/** Recognise the nest. @return false: it is not canonical, told; then dims are not to be used */
bool dvmhcc_loop_recognise(dvmhcc_program_t *program, dvmhcc_loop_t *loop);

/** Classify the body's variables and calls, and check them (loop_variables.c). */
void dvmhcc_loop_classify(dvmhcc_program_t *program, dvmhcc_loop_t *loop);

/** Whether a reduction allows a name of its variable or location where it stands (loop_reductions.c). */
bool dvmhcc_reduction_allows(const dvmhcc_program_t *program, const dvmhcc_reduction_t *reduction,
                             const dvmhcc_entity_t *variable, dvmhcc_node_t *name, bool is_location);

/** What uses of a reduction's variable s may look like, for messages. */
const char *dvmhcc_reduction_form(dvmhcc_operation_t operation);

#endif
