/* Loops of searches on the runtime: a region with one loop, whose handlers see arrays through the record only, so that they are where the
 * loop runs. Which devices a loop has handlers for is decided here and nowhere else. */
#ifndef BFS_WORK_H
#define BFS_WORK_H

#include <stdint.h>

#include <dvmhlib2.h>
#include <dvmhx.h>

/** Arrays of a loop at most. */
#define BFS_ARRAYS_MAX 12

/** An array: memory of the program that the runtime knows. Every process has its own, or all have the same. */
typedef struct bfs_array {
    const char *name;
    void *memory;
    DvmType *header;
    int rank;      /* 1 or 2 */
    int64_t bytes; /* of all elements */
} bfs_array_t;

/** An array as a loop uses it. */
typedef struct bfs_use {
    const bfs_array_t *array;
    DvmType intent; /* INTENT_IN, _OUT or _INOUT */
} bfs_use_t;

/** A loop. */
typedef struct bfs_work {
    /* handler(const dvmhx_record_t *record, void *parameters): entry i of the record's arrays is that of use[i] */
    DvmHandlerFunc handler;
    void *parameters;
    /* The same for GPUs, with the same parameters; NULL: the loop runs on the host. With one the loop runs on a GPU where there is one. */
    DvmHandlerFunc gpu_handler;
    int64_t count; /* iterations */
    int use_count;
    bfs_use_t use[BFS_ARRAYS_MAX];
    /* With several processes, when not NULL: an array over all iterations, whose distribution says who runs what. */
    const DvmType *target;
    int consistent; /* 1 + number of the use that has, for each iteration, a row that all processes get; 0: none */
    int64_t *sums; /* the handler's first reduction, over all processes */
    int sum_count;
    DvmType reduction; /* rf_MAX for the greatest; 0 or rf_SUM: sums */
} bfs_work_t;

/** Make an array of `rows` times `columns` elements, not filled. @param columns  1: the array has one axis */
void bfs_array_create(bfs_array_t *array, const char *name, int64_t rows, int64_t columns,
                      int64_t element_bytes);

/** Let the runtime know memory of bfs_allocate that has values already; bfs_array_destroy leaves it. */
void bfs_array_adopt(bfs_array_t *array, const char *name, void *memory, int64_t count,
                     int64_t element_bytes);
void bfs_array_forget(bfs_array_t *array);
void bfs_array_destroy(bfs_array_t *array);

/** Fill an array with bytes, on the host. */
void bfs_array_fill(bfs_array_t *array, int byte);

/** The newest values, on the host. @return the memory */
void *bfs_array_get(const bfs_array_t *array);

/** The host has changed the memory. */
void bfs_array_put(const bfs_array_t *array);

/** Run a loop. All processes call it for the same loops in the same order; without a target each has its own number of iterations, maybe none. */
void bfs_work_run(const bfs_work_t *work);

/** Iterations of a portion, *first_p <= i < *end_p. Loops without dependences are run in plain order, so a portion is all of its box. */
static inline void bfs_portion(const dvmhx_record_t *record, int64_t *first_p, int64_t *end_p) {
    *first_p = record->start[0];
    *end_p = record->start[0] + record->count[0];
}

#define BFS_HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

#endif
