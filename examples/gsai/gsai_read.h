/* Files in the Matrix Market exchange format: coordinate, real, integer or pattern, of every symmetry that real matrices have. */
#ifndef EXAMPLES_GSAI_GSAI_READ_H
#define EXAMPLES_GSAI_GSAI_READ_H

#include <stddef.h>

#include "examples/gsai/gsai.h"

/** What to do with what a file may hold. */
typedef struct gsai_read_options {
    bool drops_zeros;  /* explicit zeros do not become entries */
    int32_t order_max; /* a larger matrix is refused; 1..INT32_MAX - 1 */
} gsai_read_options_t;

/** What a file held that is worth telling. */
typedef struct gsai_read_facts {
    int64_t stored;     /* entries as the file has them */
    int64_t duplicates; /* entries that were added to one at the same place */
    int64_t zeros;      /* explicit zeros, after duplicates were added, the mirrored ones included */
    bool is_symmetric;  /* the file holds a triangle: symmetric, skew-symmetric or hermitian */
} gsai_read_facts_t;

/**
 * Read a matrix from text.
 * @param text      `length` bytes and a zero behind them; any bytes
 * @param name      for messages
 * @param matrix_p  set on success: compressed rows with ascending indices, square; gsai_sparse_free frees it
 * @return GSAI_OK
 * @return GSAI_ERR_INPUT   the message begins with NAME:LINE:
 * @return GSAI_ERR_MEMORY  no memory
 */
gsai_status_t gsai_read_text(const char *text, size_t length, const char *name,
                             const gsai_read_options_t *options, gsai_sparse_t *matrix_p,
                             gsai_read_facts_t *facts_p, gsai_fault_t *fault);

/** The same from a file. Each process reads it by itself. */
gsai_status_t gsai_read_file(const char *name, const gsai_read_options_t *options, gsai_sparse_t *matrix_p,
                             gsai_read_facts_t *facts_p, gsai_fault_t *fault);

#endif
