/* Vectors on the run-time system: whole arrays of double of one length. Sums are taken in blocks of fixed size and in a fixed order, so that
 * results do not depend on how many threads there are. */
#ifndef EXAMPLES_GSAI_GSAI_VECTOR_H
#define EXAMPLES_GSAI_GSAI_VECTOR_H

#include "examples/gsai/gsai_array.h"
#include "examples/gsai/gsai_gpu.h"

/** Vectors of one length with what sums need. */
typedef struct gsai_space {
    int32_t n;
    const gsai_gpu_t *gpu; /* where vectors are; NULL: on the host */
    gsai_array_t partial;  /* sum of each block */
    gsai_array_t sums;     /* on a GPU: two results */
} gsai_space_t;

/** Collective, as all below. */
void gsai_space_create(int32_t n, const gsai_gpu_t *gpu, gsai_space_t *space_p);

void gsai_space_delete(gsai_space_t *space);

/** A vector of zeros; gsai_array_delete ends it. */
void gsai_vector_create(gsai_space_t *space, gsai_array_t *vector_p);

/** target = c1 x1 + c2 x2 + c3 x3. x2 and x3 may be NULL; those given differ from each other, and any may be the target. */
void gsai_vector_combine(gsai_space_t *space, gsai_array_t *target, double c1, gsai_array_t *x1, double c2,
                         gsai_array_t *x2, double c3, gsai_array_t *x3);

/** Sum of x_k y_k; x and y may be the same. */
double gsai_vector_dot(gsai_space_t *space, gsai_array_t *x, gsai_array_t *y);

/** Sums of x_k y_k and of x_k z_k, which cost little more than one of them on a GPU. */
void gsai_vector_dots(gsai_space_t *space, gsai_array_t *x, gsai_array_t *y, gsai_array_t *z, double sums[2]);

/** Root of the sum of squares. */
double gsai_vector_norm(gsai_space_t *space, gsai_array_t *x);

#endif
