/* Matrices that need no file: finite differences on a cube, for measurements with as many rows as wanted. */
#ifndef EXAMPLES_GSAI_GSAI_GENERATE_H
#define EXAMPLES_GSAI_GSAI_GENERATE_H

#include "examples/gsai/gsai.h"

/** Most points along an edge of the cube: their number fits an index. */
#define GSAI_EDGE_MAX 1290

/** Which problem. Points are numbered along the first edge, then the second, then the third; values are those at the border, 0, left out. */
typedef struct gsai_problem {
    int32_t edge; /* points along each edge of the cube, 1..GSAI_EDGE_MAX */
    /* Diffusion alone, seven points, is 0: symmetric positive definite. Otherwise a flow of this strength over a cell (the mesh's Peclet number)
     * along the first edge, half and a quarter of it along the others, taken from upstream. */
    double flow; /* 0 and more, finite */
} gsai_problem_t;

/**
 * Make the matrix of a problem.
 * @param matrix_p  set on success: compressed rows with ascending indices; gsai_sparse_free frees it
 * @return GSAI_OK, GSAI_ERR_ARGUMENT, GSAI_ERR_MEMORY
 */
gsai_status_t gsai_generate(const gsai_problem_t *problem, gsai_sparse_t *matrix_p, gsai_fault_t *fault);

#endif
