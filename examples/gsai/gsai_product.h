/* Products of a sparse matrix with vectors, on the run-time system. */
#ifndef EXAMPLES_GSAI_GSAI_PRODUCT_H
#define EXAMPLES_GSAI_GSAI_PRODUCT_H

#include "examples/gsai/gsai_array.h"

/** Compressed rows on the run-time system; every process has all. */
typedef struct gsai_product {
    int32_t n;
    gsai_array_t start, index, value;
} gsai_product_t;

/** Copy compressed rows. gsai_product_delete ends it. Collective. */
void gsai_product_create(const gsai_sparse_t *rows, gsai_product_t *product_p);

/** y = A x on whole arrays, which are not the same. Collective. */
void gsai_product_apply(gsai_product_t *product, gsai_array_t *x, gsai_array_t *y);

/** Collective; one that is all zero does nothing. */
void gsai_product_delete(gsai_product_t *product);

#endif
