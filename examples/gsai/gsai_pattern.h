/* Sparsity patterns of columns: which columns j of the matrix column k of the inverse uses, and which rows these have. Works on one column at
 * a time with scratch of one thread; knows nothing of values but to make the thresholded matrix. */
#ifndef EXAMPLES_GSAI_GSAI_PATTERN_H
#define EXAMPLES_GSAI_GSAI_PATTERN_H

#include "examples/gsai/gsai.h"

/** Compressed columns without their values, wherever they lie. */
typedef struct gsai_columns {
    const int64_t *start;
    const int32_t *index;
} gsai_columns_t;

/** Scratch of a thread: a set of indices with their places in it. */
typedef struct gsai_set {
    int32_t *member; /* n; in the order in which they came */
    int32_t *place;  /* n; 0: not in the set, else place + 1 */
    int32_t count;
} gsai_set_t;

/** Make an empty set of 0 .. n - 1. @return whether there was memory; gsai_set_free in any case */
bool gsai_set_create(int32_t n, gsai_set_t *set_p);

void gsai_set_free(gsai_set_t *set);

/** Empty a set, in time of its members. */
static inline void gsai_set_clear(gsai_set_t *set) {
    for (int32_t k = 0; k < set->count; k++)
        set->place[set->member[k]] = 0;
    set->count = 0;
}

/** @return the place of an index, which is added if it is not in the set */
static inline int32_t gsai_set_add(gsai_set_t *set, int32_t index) {
    if (set->place[index] == 0) {
        set->member[set->count] = index;
        set->place[index] = ++set->count;
    }
    return set->place[index] - 1;
}

/** Make an empty set the pattern of column k, ascending: k itself, and what `levels` steps along columns reach; with
 * `is_lower` only indices up to k. */
void gsai_pattern_of(gsai_columns_t columns, int32_t k, int levels, bool is_lower, gsai_set_t *set);

/** How many rows columns `member` have together. `rows` is empty, and is so again. */
int32_t gsai_pattern_rows(gsai_columns_t columns, const int32_t *member, int32_t count, gsai_set_t *rows);

/** Columns of the entries with |a_ij| > threshold * sqrt|a_ii a_jj|, a zero or missing diagonal element standing for 1; zeros do
 * not pass, the diagonal does. Values are not set. @return GSAI_OK, GSAI_ERR_MEMORY */
gsai_status_t gsai_pattern_threshold(const gsai_sparse_t *columns, double threshold, gsai_sparse_t *kept_p,
                                     gsai_fault_t *fault);

#endif
