/* What runs on a GPU: a table of handlers, and what each is told beside its arrays. A program is linked with one of two tables: that of
 * the .cu files, or that of gsai_gpu_none.c where there is no compiler for GPUs.
 *
 * The handlers of the stages are called for loops of one iteration, and launch kernels over all columns of this process: such a loop is a
 * step of the work, whose arrays the run-time system brings to the GPU. Each says its arrays, in order; (out) marks what it writes. Arrays
 * of columns have n elements of which a process uses its own; pointers of entries begin at 0 with its first column. */
#ifndef EXAMPLES_GSAI_GSAI_GPU_H
#define EXAMPLES_GSAI_GSAI_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include <dvmhx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers that a step leaves in an array of int64_t for the host. */
enum {
    GSAI_FACT_TOTAL,      /* entries of all columns together */
    GSAI_FACT_LARGEST,    /* most of a column, before equal ones are found */
    GSAI_FACT_FAULT,      /* 0, or 1 + (number of the first faulty row or column * 4 + GSAI_FAULT_) */
    GSAI_FACT_ASYMMETRIC, /* not 0: the matrix is not symmetric */
    GSAI_FACT_DEPENDENT,
    GSAI_FACT_DEFICIENT,
    GSAI_FACT_EMPTY,
    GSAI_FACT_INDEFINITE, /* 0, or 1 + the first column whose problem is not positive definite */
    GSAI_FACT_ROWS_MAX,
    GSAI_FACT_COLUMNS_MAX,
    GSAI_FACT_WORK_BYTES,                        /* of the largest problem */
    GSAI_FACT_FREE_BYTES,                        /* of the GPU */
    GSAI_FACT_CLASS,                             /* problems of each class, GSAI_CLASS_COUNT numbers */
    GSAI_FACT_CLASS_BYTES = GSAI_FACT_CLASS + 8, /* of the largest problem of each class */
    GSAI_FACT_COUNT = GSAI_FACT_CLASS_BYTES + 8
};

/** What may be wrong with a matrix. */
enum { GSAI_FAULT_ORDER, GSAI_FAULT_INDEX, GSAI_FAULT_VALUE, GSAI_FAULT_TWICE };

/** Classes of problems by the memory that they need; the last one works in the GPU's own memory, the others in that of a multiprocessor. */
enum { GSAI_CLASS_COUNT = 7, GSAI_CLASS_LARGE = GSAI_CLASS_COUNT - 1 };

/** Candidates of a column up to which a warp sorts them in shared memory; a block sorts more of them in a buffer. */
enum { GSAI_UNION_SMALL = 1024 };

/** Elements that one block adds up on the way to pointers: so many sums does the scratch array of a scan have room for. */
enum { GSAI_SCAN_TILE = 2048 };

/** Blocks of a sum of products, at most: so many partial sums are there. */
enum { GSAI_DOT_BLOCKS = 512 };

/** A step. What a handler does not use is 0. */
typedef struct gsai_step {
    int32_t n, first, end; /* of the matrix; columns of this process */
    int32_t asks_memory;   /* how much of it is free, which takes a moment */
    int32_t is_declined;   /* set when the step did not run on the GPU */
    int64_t entries;       /* of the matrix */
    const int64_t *start;  /* addresses of the GPU: a matrix that is there already */
    const int32_t *index;
    const double *value;
    double threshold, filter;
    int32_t is_factored, is_single;
    int32_t has_list;      /* unions: start from lists, not from the column alone */
    int32_t keeps_list;    /* unions: what is in the list belongs to the result, too */
    int32_t is_lower;      /* unions: nothing behind the column's own number */
    int64_t slot_elements; /* of the buffer, for each block */
    int32_t slots;
    int64_t problems[GSAI_CLASS_COUNT],
        bytes[GSAI_CLASS_COUNT]; /* of each class: how many, and what the largest takes */
} gsai_step_t;

/** target = sum of coefficient x array; numbers of arrays in the loop, 0 is the target. */
enum { GSAI_SOURCES_MAX = 3 };
typedef struct gsai_combination {
    int32_t count;
    int32_t array[GSAI_SOURCES_MAX];
    double coefficient[GSAI_SOURCES_MAX];
} gsai_combination_t;

/** Products that are summed: x with y, and x with z where there are two. Numbers of arrays in the loop. */
typedef struct gsai_dot {
    int32_t n, count;
    int32_t x, y[2];
} gsai_dot_t;

/** A handler; `context` is gsai_step_t unless something else is said. */
typedef void (*gsai_gpu_body_t)(const dvmhx_record_t *record, void *context);

typedef struct gsai_gpu {
    /** start, index, value: nothing but that they come. */
    gsai_gpu_body_t arrive;
    /** facts (out): entries of the matrix at step->start, and free memory, each where it is wanted. */
    gsai_gpu_body_t look;
    /** start (out), index (out), value (out): from step->start and on. */
    gsai_gpu_body_t take;
    /** start, index, value, facts (out): what is wrong with the matrix, but for what stands there twice. */
    gsai_gpu_body_t check;
    /** start, index (out), value (out), facts (out): sort each column; finds what stands there twice. */
    gsai_gpu_body_t sort;
    /** start, index, value, new start (out), index (out), value (out), counts (out), sums (out). */
    gsai_gpu_body_t transpose;
    /** start, index, value, and the same of the transposed; facts (out). */
    gsai_gpu_body_t compare;
    /** start, index, value, scale (out). */
    gsai_gpu_body_t scale;
    /** start, index, value, roots (out), counts (out), sums (out), new start (out), index (out). */
    gsai_gpu_body_t threshold;
    /** start, index, bounds (out), facts (out), list start, list index: how many candidates each column has. */
    gsai_gpu_body_t bound;
    /** start, index, bounds, counts (out), new start (out), sums (out), buffer (out), facts (out), list start, list index. */
    gsai_gpu_body_t unite_count;
    /** start, index, bounds, new start, buffer (out), new index (out), list start, list index. */
    gsai_gpu_body_t unite;
    /** start and rows' start of the problems, facts (out), items (out). */
    gsai_gpu_body_t classify;
    /** start, index, rows' start, rows' index, B's start, index and value, scale, items, value (out), dependent (out), slots (out). */
    gsai_gpu_body_t solve;
    /** start, index, value, dependent, counts (out), new start (out), sums (out), facts (out). */
    gsai_gpu_body_t keep_count;
    /** start, index, value, new start, new index (out), new value (out). */
    gsai_gpu_body_t keep;
    /** x, y (out): copies x to y, one of which is at step->value on the GPU when its number is not in the loop. */
    gsai_gpu_body_t fetch, store;
    /** As the host's of the same names; context of combine: gsai_combination_t, of dot: gsai_dot_t. Arrays of dot: sums (out), partial sums
     * (out), vectors. */
    gsai_gpu_body_t product, combine, dot;
} gsai_gpu_t;

/** The table; NULL: nothing was compiled for GPUs. */
const gsai_gpu_t *gsai_gpu(void);

#ifdef __cplusplus
}
#endif

#endif
