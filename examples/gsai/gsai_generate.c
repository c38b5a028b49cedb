/* Finite differences on a cube. */
#include "examples/gsai/gsai_generate.h"

#include <math.h>

#include "examples/gsai/gsai_sparse.h"

enum { AXES = 3 };

/** A row as it is made. */
typedef struct row {
    const gsai_problem_t *problem;
    gsai_sparse_t *matrix;
    int64_t at;
} row_t;

static void add(row_t *r, int64_t index, double value) {
    r->matrix->index[r->at] = (int32_t)index;
    r->matrix->value[r->at++] = value;
}

/* Indices ascend: what lies before the point along the slowest axis first, along the fastest one last, then the same backwards. */
static void make_row(row_t *r, int64_t k) {
    const int64_t edge = r->problem->edge, step[AXES] = {1, edge, edge * edge};
    double flow[AXES], diagonal = 2 * AXES;

    for (int axis = 0; axis < AXES; axis++) {
        flow[axis] = ldexp(r->problem->flow, -axis);
        diagonal += flow[axis];
    }
    for (int axis = AXES - 1; axis >= 0; axis--)
        if (k / step[axis] % edge > 0)
            add(r, k - step[axis], -1 - flow[axis]);
    add(r, k, diagonal);
    for (int axis = 0; axis < AXES; axis++)
        if (k / step[axis] % edge < edge - 1)
            add(r, k + step[axis], -1);
}

gsai_status_t gsai_generate(const gsai_problem_t *problem, gsai_sparse_t *matrix_p, gsai_fault_t *fault) {
    const int64_t edge = problem->edge;
    gsai_sparse_t matrix;

    if (edge < 1 || edge > GSAI_EDGE_MAX)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "a cube of %d points along each edge: allowed are 1..%d",
                         problem->edge, GSAI_EDGE_MAX);
    if (!(problem->flow >= 0 && isfinite(problem->flow)))
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "a flow of %g: it is 0 or more", problem->flow);
    const int64_t n = edge * edge * edge, entries = n + 2 * AXES * edge * edge * (edge - 1);
    const gsai_status_t status = gsai_sparse_create((int32_t)n, entries, &matrix, fault);
    if (status != GSAI_OK)
        return status;
    row_t row = {.problem = problem, .matrix = &matrix};
    for (int64_t k = 0; k < n; k++) {
        make_row(&row, k);
        matrix.start[k + 1] = row.at;
    }
    *matrix_p = matrix;
    return GSAI_OK;
}
