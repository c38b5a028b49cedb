/* What a parallel loop does with distributed arrays: every reference as subscripts of loop variables, and the dependences between
 * iterations that follow. Part of the program of program.h. Axes and dims count from 0. */
#ifndef DVMHCC_ACCESS_H
#define DVMHCC_ACCESS_H

#include "compiler-hooks/dvmhcc/loop_nest.h"

typedef enum dvmhcc_axis_access_kind {
    DVMHCC_AXIS_CONSTANT, /* add: the same element in all iterations */
    DVMHCC_AXIS_INDEX,    /* mult * index of dim + add */
    DVMHCC_AXIS_OTHER     /* anything else */
} dvmhcc_axis_access_kind_t;

typedef struct dvmhcc_axis_access {
    dvmhcc_axis_access_kind_t kind;
    int dim;             /* of INDEX; else -1 */
    int64_t mult;        /* of INDEX, not 0 */
    dvmhcc_linear_t add; /* known for CONSTANT and INDEX; its variables do not change in the loop */
    unsigned dims;       /* bit k: the subscript names the index of dim k */
    dvmhcc_node_t *subscript;
} dvmhcc_axis_access_t;

/** References with equal subscripts. */
typedef struct dvmhcc_access {
    dvmhcc_axis_access_t axes[DVMHCC_RANK_MAX];
    bool is_read, is_written;
    bool is_conditional; /* no reference of these stands where every iteration comes by */
    int remote; /* number, from 1, of the remote_access section that they are read from; 0: the array itself */
    int count;  /* references, in the text of the body */
    dvmhcc_node_t *first;
    const dvmhcc_node_t
        *guard; /* the condition `sum % m == r` of an `if` that all of them stand under; NULL: none */
    struct dvmhcc_access *next;
} dvmhcc_access_t;

/** A reference that reads what a remote_access section names. */
typedef struct dvmhcc_remote_read {
    const dvmhcc_node_t *reference; /* with all subscripts */
    int remote;                     /* number of the section, from 1 */
    struct dvmhcc_remote_read *next;
} dvmhcc_remote_read_t;

typedef struct dvmhcc_loop_array {
    dvmhcc_distributed_t *array;
    int intent; /* DVMHCC_INTENT_IN: read, _OUT: written */
    dvmhcc_access_t *accesses;
    int walked_by
        [DVMHCC_RANK_MAX]; /* by axis: dim from 1 that walks it, negative when downward as the index grows; 0: none, or not
                                       one only. References and loop steps apart: the sign is that of mult. Remote ones apart */
    bool
        by_rows; /* rank 2 and more: every reference, remote ones apart, has the indices of the two innermost dims alone in one axis each, always the
                     same, with mult 1 or -1, always the same, and constant offsets. DVMHX_BY_ROWS may be said of it */
    const dvmhcc_widths_t *across; /* the clause's entry; NULL: none */
    dvmhcc_remote_read_t *remote_reads;
    struct dvmhcc_loop_array *next;
} dvmhcc_loop_array_t;

/** Dependences that differ in array, kind or vector; a loop that has more is one with unknown dependences. */
#define DVMHCC_DEPENDENCES_MAX 256

typedef enum dvmhcc_dependence_kind {
    DVMHCC_DEPENDENCE_FLOW,  /* written, later read */
    DVMHCC_DEPENDENCE_ANTI,  /* read, later written */
    DVMHCC_DEPENDENCE_OUTPUT /* written, later written */
} dvmhcc_dependence_kind_t;

/** Iteration n needs n - vector to have run before it. */
typedef struct dvmhcc_dependence {
    const dvmhcc_loop_array_t *array;
    dvmhcc_dependence_kind_t kind; /* not meaningful when the vector is unknown */
    bool is_known;
    int64_t vector[DVMHCC_RANK_MAX]; /* iterations in the order of execution, lexicographically positive */
    const dvmhcc_access_t *earlier, *later; /* the first such pair; may be the same */
    bool is_corner;   /* more than one entry is not 0: `across` alone does not tell the runtime */
    bool is_declared; /* by across */
    struct dvmhcc_dependence *next;
} dvmhcc_dependence_t;

/** Collect references to distributed arrays in the body (access.c). The loop's variables are classified. */
void dvmhcc_loop_collect(dvmhcc_program_t *program, dvmhcc_loop_t *loop);

/** Find the dependences, and compare them with the across clauses (dependences.c, across.c). */
void dvmhcc_loop_depend(dvmhcc_program_t *program, dvmhcc_loop_t *loop);
void dvmhcc_loop_check_across(dvmhcc_program_t *program, dvmhcc_loop_t *loop);

/** Compare what is read around the own elements with the shadow edges there are (shadow.c). */
void dvmhcc_loop_check_shadow(dvmhcc_program_t *program, dvmhcc_loop_t *loop);

/** The distinct known vectors of a loop, for the runtime. @param limit  room  @return how many there are, limit + 1 for more */
int dvmhcc_loop_vectors(const dvmhcc_loop_t *loop, int limit, int64_t vectors[][DVMHCC_RANK_MAX]);

/** The subscripts around the name of an array, outermost axis first. @return the whole reference; NULL: not all are there */
dvmhcc_node_t *dvmhcc_reference_of(dvmhcc_node_t *name, int rank, dvmhcc_node_t *subscripts[]);

/** Print a reference such as "A[i - 1][2*j + n]". @return buffer */
const char *dvmhcc_access_text(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                               const dvmhcc_loop_array_t *array, const dvmhcc_access_t *access, char *buffer,
                               size_t size);

/** The sum of a guard and its modulus, from 2 on. @return false: the condition is no guard */
bool dvmhcc_guard_of(const dvmhcc_node_t *condition, dvmhcc_linear_t *sum_p, int64_t *modulus_p);

#endif
