/* Sparse approximate inverses as a library: M near the inverse of A on a sparsity pattern, its columns (or rows) found
 * independently of each other by small least-squares problems; and the factored form for symmetric positive definite matrices.
 *
 * A program starts the run-time system (dvmh_init_C) before it calls anything here. With several processes all calls are
 * collective, all processes give the same matrix, and each computes a share of the columns; afterwards every process has all of M.
 * What this header does not decide: how systems are solved (gsai_solve.h) and where matrices come from (gsai_read.h). */
#ifndef EXAMPLES_GSAI_GSAI_H
#define EXAMPLES_GSAI_GSAI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What came of a call. */
typedef enum gsai_status {
    GSAI_OK = 0,
    GSAI_ERR_ARGUMENT, /* an option or a size that is not allowed */
    GSAI_ERR_INPUT,    /* a file or a matrix that is not what it should be */
    GSAI_ERR_MEMORY,   /* no memory */
    GSAI_ERR_NUMERIC   /* the matrix does not have the property that the method needs */
} gsai_status_t;

/** Why a call failed: one sentence for the user. */
typedef struct gsai_fault {
    char text[400];
} gsai_fault_t;

/** Which pattern M gets. The diagonal always belongs to it. */
typedef enum gsai_pattern {
    GSAI_PATTERN_POWER, /* that of A to the power `levels` */
    GSAI_PATTERN_THRESHOLD /* that of B to the power `levels`, B the entries with |a_ij| > threshold * sqrt|a_ii a_jj| */
} gsai_pattern_t;

/** Which product is made to be near the identity. */
typedef enum gsai_side {
    GSAI_SIDE_RIGHT, /* A M, column by column */
    GSAI_SIDE_LEFT   /* M A, row by row */
} gsai_side_t;

/** Where an inverse is made and applied. */
typedef enum gsai_backend {
    GSAI_BACKEND_ANY,  /* on a GPU where the run-time system has one, else on the host */
    GSAI_BACKEND_HOST, /* on the host's processors */
    GSAI_BACKEND_CUDA  /* on a GPU; without one it is an error */
} gsai_backend_t;

/** Greatest power of a pattern. */
#define GSAI_LEVELS_MAX 9

/** How M is to be made; gsai_default_options has good values. */
typedef struct gsai_options {
    gsai_pattern_t pattern;
    int levels;       /* 1..GSAI_LEVELS_MAX */
    double threshold; /* 0 and more */
    gsai_side_t side;
    bool
        is_factored; /* M = transpose(G) G with G lower triangular; A symmetric positive definite; side is of no meaning */
    bool is_single; /* small problems are kept in float; sums are double nonetheless */
    double
        filter; /* entries of M (of G) below filter times the largest of their column (row) are dropped; 0: none */
    int64_t
        work_bytes; /* all threads together keep to this for small problems as far as one problem alone does; > 0. On a GPU it
                       bounds what a batch of columns needs beside the matrix and the inverse */
    gsai_backend_t backend;
} gsai_options_t;

/** Compressed rows or columns: the entries of row (column) k are start[k] .. start[k + 1] - 1. Indices count from 0. */
typedef struct gsai_sparse {
    int32_t n; /* rows and columns: square */
    int64_t *start;
    int32_t *index;
    double *value;
} gsai_sparse_t;

/** Whether gsai_sparse_t means rows or columns. */
typedef enum gsai_format { GSAI_ROWS, GSAI_COLUMNS } gsai_format_t;

/** What was found and how long it took. */
typedef struct gsai_facts {
    int64_t pattern_entries; /* of M, or of G, before the filter */
    int64_t entries;         /* after it */
    int64_t dependent;       /* columns of small problems that were left out because they depend on others */
    int64_t deficient;       /* small problems that have such columns */
    int64_t empty; /* columns of M without an entry that is not 0: row k of the problem is out of reach */
    int64_t rows_max, columns_max; /* extents of the largest small problem (each by itself) */
    int64_t buckets;               /* classes of small problems by size, of the process that has most */
    int64_t work_bytes;            /* memory of the largest small problem */
    bool is_on_gpu;
    int64_t batches;   /* of columns, on a GPU */
    double transfer_s; /* of the matrix to the GPU, which no stage counts */
    double pre_s, compute_s, post_s;
} gsai_facts_t;

/** An approximate inverse. */
typedef struct gsai gsai_t;

/** Options for a right inverse on the pattern of A. */
gsai_options_t gsai_default_options(void);

/**
 * Make the approximate inverse of a matrix.
 * @param matrix   n >= 1; indices in range, each at most once in a row (column), in any order; all values finite. Only read, and
 *                 not needed afterwards
 * @param format   whether `matrix` holds rows or columns
 * @param inverse_p  set on success; gsai_destroy ends it
 * Synchronous. MPI: collective. Threads: the main thread.
 * @return GSAI_OK
 * @return GSAI_ERR_ARGUMENT  an option that is not allowed, a GPU that does not exist
 * @return GSAI_ERR_INPUT     a matrix that is not as said above
 * @return GSAI_ERR_NUMERIC   factored, and the matrix is not symmetric or a small problem is not positive definite
 * @return GSAI_ERR_MEMORY    no memory
 */
gsai_status_t gsai_build(const gsai_options_t *options, gsai_format_t format, const gsai_sparse_t *matrix,
                         gsai_t **inverse_p, gsai_fault_t *fault);

/**
 * The same for a matrix in memory of the GPU that the run-time system uses for this process; work that fills it must be over.
 * @param options  not for the host: where there is no GPU that is an error
 */
gsai_status_t gsai_build_on_gpu(const gsai_options_t *options, gsai_format_t format,
                                const gsai_sparse_t *matrix, gsai_t **inverse_p, gsai_fault_t *fault);

/**
 * y = M x in memory of the GPU.
 * @param x, y  n values each, as said for gsai_build_on_gpu; may be the same
 * @return GSAI_OK
 * @return GSAI_ERR_ARGUMENT  the inverse was made on the host
 * @return GSAI_ERR_MEMORY    no memory on the GPU
 */
gsai_status_t gsai_apply_on_gpu(gsai_t *inverse, const double *x, double *y, gsai_fault_t *fault);

/**
 * y = M x.
 * @param x, y  n values each, on the host, of this process; may be the same
 * Synchronous. MPI: every process computes all of y. Threads: the main thread.
 */
void gsai_apply(gsai_t *inverse, const double *x, double *y);

/** What was found, valid as long as the inverse. */
const gsai_facts_t *gsai_facts(const gsai_t *inverse);

/** M, or G of a factored one, by rows with ascending indices, on the host; valid as long as the inverse. Do not change it. MPI: collective. */
const gsai_sparse_t *gsai_rows(gsai_t *inverse);

/** End an inverse. NULL does nothing. MPI: collective. */
void gsai_destroy(gsai_t *inverse);

#ifdef __cplusplus
}
#endif

#endif
