/* Compressed sparse matrices on the host: memory, checks, transposition. Says nothing about what they mean. */
#ifndef EXAMPLES_GSAI_GSAI_SPARSE_H
#define EXAMPLES_GSAI_GSAI_SPARSE_H

#include <stddef.h>

#include "examples/gsai/gsai.h"

/** Record why something failed. @return status */
gsai_status_t gsai_fail(gsai_fault_t *fault, gsai_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Memory for count elements, at least one byte, all zero; NULL when there is none or the size overflows. */
void *gsai_alloc(int64_t count, size_t size);

/** A matrix with room for entries; start is all zero. @return GSAI_OK, or GSAI_ERR_MEMORY and nothing is held */
gsai_status_t gsai_sparse_create(int32_t n, int64_t entries, gsai_sparse_t *matrix_p, gsai_fault_t *fault);

/** Free what a matrix holds, and clear it. */
void gsai_sparse_free(gsai_sparse_t *matrix);

/** Rows from columns or the other way round. Indices of the result ascend; sorting a matrix is transposing it twice. */
gsai_status_t gsai_sparse_transpose(const gsai_sparse_t *matrix, gsai_sparse_t *transposed_p,
                                    gsai_fault_t *fault);

/** The same into memory with room for it, wherever that is. */
void gsai_sparse_transpose_into(const gsai_sparse_t *matrix, const gsai_sparse_t *transposed);

/** Whether indices ascend in every row (column). */
bool gsai_sparse_is_sorted(const gsai_sparse_t *matrix);

/** A copy into memory with room for it. */
void gsai_sparse_copy_into(const gsai_sparse_t *matrix, const gsai_sparse_t *copy);

/** Whether a matrix that others made is what gsai_build asks for. @return GSAI_OK, GSAI_ERR_INPUT, GSAI_ERR_MEMORY */
gsai_status_t gsai_sparse_check(const gsai_sparse_t *matrix, gsai_fault_t *fault);

/** Whether a matrix with ascending indices equals its transposed up to rounding (1e-12 of the larger value). */
bool gsai_sparse_is_symmetric(const gsai_sparse_t *matrix, const gsai_sparse_t *transposed);

#endif
