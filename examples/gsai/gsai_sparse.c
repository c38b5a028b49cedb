/* Compressed sparse matrices on the host. All loops here are serial: they read a matrix once or twice. */
#include "examples/gsai/gsai_sparse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gsai_status_t gsai_fail(gsai_fault_t *fault, gsai_status_t status, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    return status;
}

void *gsai_alloc(int64_t count, size_t size) {
    if (count < 0 || (uint64_t)count > SIZE_MAX / 2 / size)
        return NULL;
    return calloc(count > 0 ? (size_t)count : 1, size);
}

gsai_status_t gsai_sparse_create(int32_t n, int64_t entries, gsai_sparse_t *matrix_p, gsai_fault_t *fault) {
    *matrix_p = (gsai_sparse_t){.n = n,
                                .start = gsai_alloc((int64_t)n + 1, sizeof(int64_t)),
                                .index = gsai_alloc(entries, sizeof(int32_t)),
                                .value = gsai_alloc(entries, sizeof(double))};
    if (matrix_p->start == NULL || matrix_p->index == NULL || matrix_p->value == NULL) {
        gsai_sparse_free(matrix_p);
        return gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for a matrix of order %d with %lld entries", n,
                         (long long)entries);
    }
    return GSAI_OK;
}

void gsai_sparse_free(gsai_sparse_t *matrix) {
    free(matrix->start);
    free(matrix->index);
    free(matrix->value);
    *matrix = (gsai_sparse_t){0};
}

void gsai_sparse_transpose_into(const gsai_sparse_t *matrix, const gsai_sparse_t *transposed) {
    const int32_t n = matrix->n;
    const int64_t entries = matrix->start[n];
    int64_t *const next = transposed->start;

    memset(next, 0, ((size_t)n + 1) * sizeof *next);
    for (int64_t at = 0; at < entries; at++)
        next[matrix->index[at] + 1]++;
    for (int32_t k = 0; k < n; k++)
        next[k + 1] += next[k];
    for (int32_t k = 0; k < n; k++)
        for (int64_t at = matrix->start[k]; at < matrix->start[k + 1]; at++) {
            const int64_t place = next[matrix->index[at]]++;

            transposed->index[place] = k;
            transposed->value[place] = matrix->value[at];
        }
    /* Every pointer has moved on to where the next one began. */
    for (int32_t k = n; k > 0; k--)
        next[k] = next[k - 1];
    next[0] = 0;
}

gsai_status_t gsai_sparse_transpose(const gsai_sparse_t *matrix, gsai_sparse_t *transposed_p,
                                    gsai_fault_t *fault) {
    const gsai_status_t status = gsai_sparse_create(matrix->n, matrix->start[matrix->n], transposed_p, fault);

    if (status == GSAI_OK)
        gsai_sparse_transpose_into(matrix, transposed_p);
    return status;
}

bool gsai_sparse_is_sorted(const gsai_sparse_t *matrix) {
    for (int32_t k = 0; k < matrix->n; k++)
        for (int64_t at = matrix->start[k] + 1; at < matrix->start[k + 1]; at++)
            if (matrix->index[at] < matrix->index[at - 1])
                return false;
    return true;
}

void gsai_sparse_copy_into(const gsai_sparse_t *matrix, const gsai_sparse_t *copy) {
    const size_t entries = (size_t)matrix->start[matrix->n];

    memcpy(copy->start, matrix->start, ((size_t)matrix->n + 1) * sizeof *matrix->start);
    if (entries == 0)
        return;
    memcpy(copy->index, matrix->index, entries * sizeof *matrix->index);
    memcpy(copy->value, matrix->value, entries * sizeof *matrix->value);
}

static gsai_status_t check_row(const gsai_sparse_t *matrix, int32_t k, int32_t *seen_in,
                               gsai_fault_t *fault) {
    for (int64_t at = matrix->start[k]; at < matrix->start[k + 1]; at++) {
        const int32_t index = matrix->index[at];

        if (index < 0 || index >= matrix->n)
            return gsai_fail(fault, GSAI_ERR_INPUT, "row or column %d: index %d is not in 0..%d", k, index,
                             matrix->n - 1);
        if (seen_in[index] == k + 1)
            return gsai_fail(fault, GSAI_ERR_INPUT, "row or column %d: index %d stands there twice", k,
                             index);
        seen_in[index] = k + 1;
        if (!isfinite(matrix->value[at]))
            return gsai_fail(fault, GSAI_ERR_INPUT, "row or column %d: the value at index %d is not finite",
                             k, index);
    }
    return GSAI_OK;
}

gsai_status_t gsai_sparse_check(const gsai_sparse_t *matrix, gsai_fault_t *fault) {
    if (matrix->n < 1 || matrix->n == INT32_MAX)
        return gsai_fail(fault, GSAI_ERR_INPUT, "the order of the matrix is %d, allowed are 1..%d", matrix->n,
                         INT32_MAX - 1);
    if (matrix->start[0] != 0)
        return gsai_fail(fault, GSAI_ERR_INPUT, "the first row or column begins at %lld, not at 0",
                         (long long)matrix->start[0]);
    for (int32_t k = 0; k < matrix->n; k++)
        if (matrix->start[k + 1] < matrix->start[k])
            return gsai_fail(fault, GSAI_ERR_INPUT, "row or column %d ends before it begins", k);
    int32_t *const seen_in = gsai_alloc(matrix->n, sizeof *seen_in);
    if (seen_in == NULL)
        return gsai_fail(fault, GSAI_ERR_MEMORY, "no memory to check the matrix");
    gsai_status_t status = GSAI_OK;
    for (int32_t k = 0; k < matrix->n && status == GSAI_OK; k++)
        status = check_row(matrix, k, seen_in, fault);
    free(seen_in);
    return status;
}

bool gsai_sparse_is_symmetric(const gsai_sparse_t *matrix, const gsai_sparse_t *transposed) {
    for (int32_t k = 0; k <= matrix->n; k++)
        if (matrix->start[k] != transposed->start[k])
            return false;
    for (int64_t at = 0; at < matrix->start[matrix->n]; at++) {
        const double a = matrix->value[at], b = transposed->value[at];

        if (matrix->index[at] != transposed->index[at] || fabs(a - b) > 1e-12 * fmax(fabs(a), fabs(b)))
            return false;
    }
    return true;
}
