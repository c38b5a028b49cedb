/* The three stages that make an inverse: pre finds index sets, sizes and an order of work; compute solves the small problems; post drops
 * small entries and assembles. This header has what they hand on to each other.
 *
 * All work on columns of a matrix B: of A for a right inverse and a factor, of its transposed for a left inverse, whose rows then
 * come out as columns. Columns are cut over the processes by their estimated cost; B and pointers are whole everywhere. */
#ifndef EXAMPLES_GSAI_GSAI_STAGES_H
#define EXAMPLES_GSAI_GSAI_STAGES_H

#include <stdatomic.h>

#include "examples/gsai/gsai_array.h"
#include "examples/gsai/gsai_pattern.h"
#include "examples/gsai/gsai_product.h"
#include "examples/gsai/gsai_sparse.h"

/** Numbers of B's arrays in the loop of the stage compute. */
enum { GSAI_B_START, GSAI_B_INDEX, GSAI_B_VALUE };

/** Stands where a small problem of a factor is not positive definite. */
#define GSAI_INDEFINITE (-1)

/** Columns of one pattern that are solved as one problem, at most: the pre stage keeps so many together. */
#define GSAI_SIDES_MAX 64

/** State of the stages. Cut arrays have one element a column, `index` and `value` one an entry. */
typedef struct gsai_stages {
    const gsai_options_t *options;
    int32_t n;
    gsai_sparse_t b;                           /* columns, on the host */
    gsai_product_t held;                       /* the same on the run-time system: where b stands */
    gsai_array_t pattern_start, pattern_index; /* of the thresholded B, when has_pattern */
    bool has_pattern;
    gsai_array_t scale; /* whole: powers of two that bring columns of B, or a factor's diagonal, near 1 */
    int32_t processes;  /* along the first axis of the grid */
    DvmType *sizes;     /* columns of each process */
    DvmType *entry_sizes;
    gsai_array_t entries, rows; /* cut: extents of the small problem of a column */
    gsai_array_t key;           /* cut: a number that depends on the pattern of the column alone */
    int32_t *entries_of, *rows_of, *key_of; /* the same, of all columns, on the host */
    gsai_array_t start;                     /* whole: entries of the column in index and value */
    int64_t *start_of;
    gsai_array_t index, value; /* cut */
    gsai_array_t order;        /* cut: columns of each process in the order of work */
    gsai_array_t dependent;    /* cut: columns that a small problem left out, or GSAI_INDEFINITE */
    int32_t *dependent_of;     /* the same, of all columns, on the host */
    atomic_bool no_memory;
    gsai_facts_t facts;
} gsai_stages_t;

/** Index sets, sizes, order of work. @return GSAI_OK, GSAI_ERR_MEMORY. Collective */
gsai_status_t gsai_stage_pre(gsai_stages_t *stages, gsai_fault_t *fault);

/** Solve the small problems. @return GSAI_OK, GSAI_ERR_MEMORY, GSAI_ERR_NUMERIC. Collective */
gsai_status_t gsai_stage_compute(gsai_stages_t *stages, gsai_fault_t *fault);

/** Filter, and columns of the inverse on the host of every process. @return GSAI_OK, GSAI_ERR_MEMORY. Collective */
gsai_status_t gsai_stage_post(gsai_stages_t *stages, gsai_sparse_t *inverse_p, gsai_fault_t *fault);

/** Make the distribution of entries that follows that of the columns: entry_sizes from pointers. */
void gsai_stage_entry_sizes(gsai_stages_t *stages, const int64_t start[]);

/** The least of a number that each process has. */
int32_t gsai_stage_least(gsai_stages_t *stages, int32_t number);

/** One verdict of all processes: the greatest. Messages are of this process. */
gsai_status_t gsai_stage_agree(gsai_stages_t *stages, gsai_status_t status, gsai_fault_t *fault);

#endif
