/* Integer expressions as sums of a constant and multiples of variables: what subscripts and bounds are compared by. */
#ifndef DVMHCC_LINEAR_H
#define DVMHCC_LINEAR_H

#include "compiler-hooks/dvmhcc/ast.h"

/** Variables of one sum; more make it unknown. */
#define DVMHCC_LINEAR_TERMS 8

/** Numbers of this size and more are not told, so that sums and quotients of two told ones never overflow. */
#define DVMHCC_LINEAR_MAX (INT64_C(1) << 60)

typedef struct dvmhcc_term {
    const dvmhcc_entity_t *entity;
    int64_t factor; /* not 0 */
} dvmhcc_term_t;

typedef struct dvmhcc_linear {
    bool is_known; /* else the expression is no such sum, or its numbers do not fit */
    int64_t constant;
    int count;
    dvmhcc_term_t terms[DVMHCC_LINEAR_TERMS]; /* by number of the entity */
} dvmhcc_linear_t;

/** Read an expression; NULL gives an unknown sum. The node's own parentheses and casts between integers of 4 and 8 bytes are
 * looked through. */
dvmhcc_linear_t dvmhcc_linear_of(const dvmhcc_node_t *node);

dvmhcc_linear_t dvmhcc_linear_constant(int64_t value);

/** a + factor * b; unknown when a or b is, or numbers do not fit. */
dvmhcc_linear_t dvmhcc_linear_add(const dvmhcc_linear_t *a, const dvmhcc_linear_t *b, int64_t factor);

/** The factor of a variable, which is taken out of the sum; 0 when it is not there. */
int64_t dvmhcc_linear_take(dvmhcc_linear_t *linear, const dvmhcc_entity_t *entity);

/** Whether it is a known number; *value_p gets it. */
bool dvmhcc_linear_value(const dvmhcc_linear_t *linear, int64_t *value_p);

bool dvmhcc_linear_equal(const dvmhcc_linear_t *a, const dvmhcc_linear_t *b);

/** Print such as "2*n - 1". @return buffer */
const char *dvmhcc_linear_text(const dvmhcc_linear_t *linear, char *buffer, size_t size);

#endif
