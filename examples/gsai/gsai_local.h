/* Small dense problems of one column: least squares by Householder reflections, and one row of an inverse Cholesky factor. In double,
 * or in float with sums in double. A problem lies in memory of its caller; nothing here allocates or knows of sparse matrices. */
#ifndef EXAMPLES_GSAI_GSAI_LOCAL_H
#define EXAMPLES_GSAI_GSAI_LOCAL_H

#include <stdint.h>

/** Rows of a column are padded to a multiple of this many, with zeros, so that sums run in whole vectors. */
#define GSAI_ROWS_UNIT 8

/** Elements from a column to the next. */
static inline int64_t gsai_local_pitch(int64_t rows) {
    return (rows + GSAI_ROWS_UNIT - 1) / GSAI_ROWS_UNIT * GSAI_ROWS_UNIT;
}

/** Elements of the matrix of a least-squares problem with its right-hand sides as last columns. */
static inline int64_t gsai_local_elements(int64_t rows, int64_t columns, int64_t right_sides) {
    return gsai_local_pitch(rows) * (columns + right_sides);
}

/**
 * Solve min |A x - b| for each of some right-hand sides; the result for one does not depend on the others, bit for bit.
 * A column whose part outside of the columns before it is rounding only gets x = 0: then the residual is the least one, too.
 * @param a         columns of gsai_local_pitch(rows), zero beyond `rows`, then each b; destroyed
 * @param reach     column j is 0 from row reach[j] on; at most `rows`, and does not descend. Rows numbered as columns bring them are worth it:
 *                  work goes with what is above. Destroyed
 * @param triangle  scratch of columns * columns
 * @param x         `columns` results for each right-hand side
 * @return columns that were left out
 */
int64_t gsai_local_solve_double(double *a, int64_t rows, int64_t columns, int64_t right_sides, int32_t *reach,
                                double *triangle, double *x);

/** The same in float; a column counts as dependent at float's rounding. */
int64_t gsai_local_solve_float(float *a, int64_t rows, int64_t columns, int64_t right_sides, int32_t *reach,
                               double *triangle, double *x);

/**
 * The last row of the inverse of the lower Cholesky factor of a symmetric positive definite matrix.
 * @param a  size * size, lower triangle by columns, pitch gsai_local_pitch(size); destroyed
 * @param x  `size` results
 * @return whether the matrix is positive definite, as far as can be told
 */
int gsai_local_factor_double(double *a, int64_t size, double *x);

/** The same in float. */
int gsai_local_factor_float(float *a, int64_t size, double *x);

#endif
