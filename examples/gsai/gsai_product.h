/* Products of a sparse matrix with vectors, on the run-time system. */
#ifndef EXAMPLES_GSAI_GSAI_PRODUCT_H
#define EXAMPLES_GSAI_GSAI_PRODUCT_H

#include "examples/gsai/gsai_array.h"
#include "examples/gsai/gsai_gpu.h"

/** Compressed rows, or columns where nothing is multiplied, on the run-time system; every process has all. */
typedef struct gsai_product {
    int32_t n;
    int64_t entries;
    const gsai_gpu_t *gpu; /* where products are computed; NULL: on the host */
    gsai_array_t start, index, value;
} gsai_product_t;

/** Make one whose values nobody has set. gsai_product_delete ends it. Collective. */
void gsai_product_room(int32_t n, int64_t entries, const gsai_gpu_t *gpu, gsai_product_t *product_p);

/** Copy compressed rows. gsai_product_delete ends it. Collective. */
void gsai_product_create(const gsai_sparse_t *rows, const gsai_gpu_t *gpu, gsai_product_t *product_p);

/** Addresses of the rows on the host. */
gsai_sparse_t gsai_product_home(gsai_product_t *product);

/** Make one with its rows where they stay, so that nothing is copied: `room_p` is memory for all of them, as long as the product exists.
 * When they are written there, gsai_product_end must follow. Collective. */
void gsai_product_begin(int32_t n, int64_t entries, const gsai_gpu_t *gpu, gsai_product_t *product_p,
                        gsai_sparse_t *room_p);

/** The rows have been written; from then on they are only read. Collective. */
void gsai_product_end(gsai_product_t *product);

/** y = A x on whole arrays, which are not the same. Collective. */
void gsai_product_apply(gsai_product_t *product, gsai_array_t *x, gsai_array_t *y);

/** Collective; one that is all zero does nothing. */
void gsai_product_delete(gsai_product_t *product);

#endif
