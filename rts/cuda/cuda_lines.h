/* A box of a plain layout as contiguous lines, read in the order of another layout's axes: what host memory and pinned memory exchange.
 * Knows nothing of CUDA, and is tested without a GPU. */
#ifndef RTS_CUDA_LINES_H
#define RTS_CUDA_LINES_H

#include "rts/layout.h"

/** The elements of a box in an order of axes, one line after the other. */
typedef struct rts_cuda_lines {
    size_t line_bytes, line_count;
    rts_index_t start_bytes;         /* from the buffer's start to the first element */
    int levels;                      /* of lines; 0: one line is all */
    rts_index_t count[RTS_MAX_RANK]; /* innermost level first */
    rts_index_t stride_bytes[RTS_MAX_RANK];
} rts_cuda_lines_t;

/**
 * @param layout  PLAIN
 * @param box     not empty, inside the layout's box
 * @param perm    axes, slowest first: the order in which elements are read
 */
void rts_cuda_lines_make(const rts_layout_t *layout, const rts_box_t *box, const int perm[],
                         size_t element_bytes, rts_cuda_lines_t *lines_p);

/** Copy all lines between a buffer that they describe and memory where they lie one behind the other.
 * @param thread_count  threads that may help where it is worth their while */
void rts_cuda_lines_copy(const rts_cuda_lines_t *lines, void *buffer, char *packed, bool to_packed,
                         int thread_count);

#endif
