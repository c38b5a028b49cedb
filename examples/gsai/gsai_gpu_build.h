/* The three stages on a GPU. All that belongs to columns stays there; the host hears of sizes. */
#ifndef EXAMPLES_GSAI_GSAI_GPU_BUILD_H
#define EXAMPLES_GSAI_GSAI_GPU_BUILD_H

#include "examples/gsai/gsai_array.h"
#include "examples/gsai/gsai_gpu.h"
#include "examples/gsai/gsai_product.h"
#include "examples/gsai/gsai_sparse.h"

/** With more processes the host computes. */
enum { GSAI_PROCESSES_MAX = 1024 };

/** Index sets of columns. */
typedef struct gsai_gpu_set {
    gsai_array_t start, index;
} gsai_gpu_set_t;

/** State of the stages. Each process has columns step.first .. step.end - 1. */
typedef struct gsai_gpu_build {
    const gsai_options_t *options;
    const gsai_gpu_t *gpu;
    int processes, number;                     /* of the processes, and of this one */
    gsai_step_t step;                          /* what all steps are told */
    gsai_array_t facts;                        /* of the last step that has some */
    gsai_product_t b;                          /* columns */
    gsai_array_t pattern_start, pattern_index; /* of the thresholded columns, when there is a threshold */
    gsai_array_t scale, counts, sums;
    gsai_gpu_set_t set[2]; /* entries of this process's columns: of the last level, and of the one before */
    int last;              /* which of the two */
    gsai_array_t value, dependent;
    gsai_array_t rows_start;             /* of the rows of their problems */
    gsai_array_t bounds;                 /* candidates of each column for its rows */
    int64_t largest;                     /* most candidates of a column */
    int64_t pattern_entries, rows_total; /* of this process: entries of index sets, rows of all problems */
    int64_t budget;                      /* bytes for what a batch needs */
    int32_t columns_most;                /* of a batch */
    gsai_facts_t told;
} gsai_gpu_build_t;

/**
 * Make columns of an inverse on the GPU.
 * @param matrix        on the host, or on the GPU where `is_on_gpu`
 * @param product_p     rows of M (of G), to be computed with on the GPU
 * @param transposed_p  of a factor alone: its columns
 * @param facts_p       set on success
 * Statuses are gsai_build's. Collective.
 */
gsai_status_t gsai_gpu_make(const gsai_options_t *options, const gsai_gpu_t *gpu, gsai_format_t format,
                            const gsai_sparse_t *matrix, bool is_on_gpu, gsai_product_t *product_p,
                            gsai_product_t *transposed_p, gsai_facts_t *facts_p, gsai_fault_t *fault);

/** The GPU that a backend means: NULL for the host, and where GPUs are allowed and there is none. @return GSAI_ERR_ARGUMENT  one is
 * asked for that does not exist. Collective. */
gsai_status_t gsai_gpu_find(gsai_backend_t backend, const gsai_gpu_t **gpu_p, gsai_fault_t *fault);

/** Run a step: a loop of one iteration on the GPU. @return whether it ran there; the arrays may have no room */
bool gsai_gpu_step(int use_count, const gsai_use_t uses[], gsai_body_t body, gsai_step_t *step);

/* ---- among the files of the stages ---- */

/** Whether a step ran on all processes. */
bool gsai_gpu_run(gsai_gpu_build_t *b, int use_count, const gsai_use_t uses[], gsai_body_t body);

/** The facts that the last step left. */
const int64_t *gsai_gpu_facts(gsai_gpu_build_t *b);

/** Wait for the GPU, so that the time of a stage is its own. @return whether there was room to ask */
bool gsai_gpu_wait(gsai_gpu_build_t *b);

/** A number of each process, in their order. Collective. */
void gsai_gpu_share(int processes, int64_t own, int64_t all[]);

/** The greatest of a number of each process. Collective. */
int64_t gsai_gpu_most(int processes, int64_t own);

/** No memory on the GPU. @return GSAI_ERR_MEMORY */
gsai_status_t gsai_gpu_lacks(const char *what, gsai_fault_t *fault);

/** From a matrix to sorted columns B, scales and the thresholded pattern. */
gsai_status_t gsai_gpu_stage_matrix(gsai_gpu_build_t *b, gsai_format_t format, const gsai_sparse_t *matrix,
                                    bool is_on_gpu, gsai_fault_t *fault);

/** Index sets: entries of each column, and how many rows its problem has. */
gsai_status_t gsai_gpu_stage_pre(gsai_gpu_build_t *b, gsai_fault_t *fault);

/** Rows and solutions, in batches of columns. */
gsai_status_t gsai_gpu_stage_compute(gsai_gpu_build_t *b, gsai_fault_t *fault);

/** Filter, compact, and give to all processes. */
gsai_status_t gsai_gpu_stage_post(gsai_gpu_build_t *b, gsai_product_t *product_p,
                                  gsai_product_t *transposed_p, gsai_fault_t *fault);

/** transposed_p: made as columns of what `from` has as rows. @return whether there was room on the GPU */
bool gsai_gpu_transpose_into(gsai_gpu_build_t *b, gsai_product_t *from, gsai_product_t *transposed_p);

/** Unions of columns into rows' pointers alone, or with their indices, in a buffer that fits. */
typedef struct gsai_union {
    gsai_array_t *from_start, *from_index; /* columns that are united */
    gsai_array_t *list_start, *list_index; /* which; NULL: the column itself */
    gsai_array_t *start, *index;           /* the result; index: for unite alone */
    bool keeps_list, is_lower;
} gsai_union_t;

/** Pointers of unions; start and b->bounds are there. @return GSAI_OK, GSAI_ERR_MEMORY. b->largest, *total_p: entries of this process */
gsai_status_t gsai_gpu_count_union(gsai_gpu_build_t *b, const gsai_union_t *u, int64_t *total_p,
                                   gsai_fault_t *fault);

/** Entries of unions for columns step.first .. step.end - 1. @return whether there was memory on the GPU */
bool gsai_gpu_fill_union(gsai_gpu_build_t *b, const gsai_union_t *u);

#endif
