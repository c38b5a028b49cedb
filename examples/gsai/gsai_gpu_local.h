/* Small dense problems by a group of threads: least squares by Householder reflections, and the last row of an inverse Cholesky factor. What
 * is computed is what gsai_local.h says, with REAL elements and sums in double.
 *
 * Row i of all columns belongs to thread i modulo the group's size, which alone reads and writes it, so that threads meet in sums only.
 * Elements that are touched by others, when a problem is gathered, are between barriers. For .cu files alone. */
#ifndef EXAMPLES_GSAI_GSAI_GPU_LOCAL_H
#define EXAMPLES_GSAI_GSAI_GPU_LOCAL_H

#include "examples/gsai/gsai_gpu_group.h"

/** Columns that are reflected at a time; with eight of them it is no faster. */
enum { GSAI_REFLECTED = 4 };

/** What of a column's length may be rounding, as on the host. */
template <typename REAL> struct gsai_rounding { static constexpr double DEPENDENT = 1e-13; };
template <> struct gsai_rounding<float> { static constexpr double DEPENDENT = 3e-6; };

/** A problem in memory of its group. */
template <typename REAL> struct gsai_problem {
    double *pivot_value; /* of each column; in the end its result */
    REAL *a; /* rows x columns by columns, and the right-hand side behind them where it is no factor's */
    int32_t *pivot; /* row of each column's pivot, -1 without one */
    int rows, columns;
};

/** Bytes of a problem, a multiple of 16. */
static __host__ __device__ inline int64_t gsai_problem_bytes(int64_t rows, int64_t columns, int64_t real,
                                                             bool is_factored) {
    const int64_t elements = rows * (columns + (is_factored ? 0 : 1));

    return (columns * (int64_t)(sizeof(double) + sizeof(int32_t)) + elements * real + 23) / 16 * 16;
}

template <typename REAL>
GSAI_DEVICE gsai_problem<REAL> gsai_lay_out(unsigned char *memory, int rows, int columns, bool is_factored) {
    gsai_problem<REAL> p;
    const int64_t elements = (int64_t)rows * (columns + (is_factored ? 0 : 1));

    p.pivot_value = reinterpret_cast<double *>(memory);
    p.a = reinterpret_cast<REAL *>(p.pivot_value + columns);
    p.pivot = reinterpret_cast<int32_t *>(p.a + elements);
    p.rows = rows;
    p.columns = columns;
    return p;
}

/** The first row from `row` on that belongs to a thread. */
template <int SIZE> GSAI_DEVICE int gsai_own_row(const gsai_group<SIZE> &group, int row) {
    const int first = row / SIZE * SIZE + group.lane;

    return first >= row ? first : first + SIZE;
}

/** WIDTH columns from `c` on become themselves plus factor (v . column) v. */
template <int WIDTH, int SIZE, typename REAL>
GSAI_DEVICE void gsai_reflect(gsai_group<SIZE> &group, const REAL *v, int first, int rows, double factor,
                              REAL *c) {
    double sum[WIDTH] = {};

    for (int i = first; i < rows; i += SIZE) {
        const double vi = v[i];

#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            sum[k] += vi * (double)c[(int64_t)k * rows + i];
    }
    group.sum(sum);
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        sum[k] *= factor;
    for (int i = first; i < rows; i += SIZE) {
        const double vi = v[i];

#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            REAL *const element = &c[(int64_t)k * rows + i];

            *element = (REAL)((double)*element + sum[k] * vi);
        }
    }
}

/** Make column j a reflection that leaves pivot_value[j] at `row`, and reflect what is behind it. @return whether there is something to speak of */
template <int SIZE, typename REAL>
GSAI_DEVICE bool gsai_eliminate(gsai_group<SIZE> &group, const gsai_problem<REAL> &p, int j, int row) {
    const double limit = gsai_rounding<REAL>::DEPENDENT * gsai_rounding<REAL>::DEPENDENT;
    REAL *const v = p.a + (int64_t)j * p.rows;
    const int first = gsai_own_row(group, row);
    double square[2] = {0, 0};

    for (int i = group.lane; i < p.rows; i += SIZE) {
        const double vi = v[i];

        square[0] += i < row ? vi * vi : 0;
        square[1] += i < row ? 0 : vi * vi;
    }
    group.sum(square);
    if (!(square[1] > limit * (square[0] + square[1])))
        return false;
    const double head = group.pick(first == row ? (double)v[row] : 0, row % SIZE);
    const double beta = head > 0 ? -sqrt(square[1]) : sqrt(square[1]);
    const REAL rest = (REAL)(head - beta);
    if (first == row) {
        v[row] = rest;
        p.pivot_value[j] = beta;
        p.pivot[j] = row;
    }
    const double factor = 1 / (beta * (double)rest);
    int c = j + 1;
    for (; c + GSAI_REFLECTED <= p.columns + 1; c += GSAI_REFLECTED)
        gsai_reflect<GSAI_REFLECTED>(group, v, first, p.rows, factor, p.a + (int64_t)c * p.rows);
    for (; c + 2 <= p.columns + 1; c += 2)
        gsai_reflect<2>(group, v, first, p.rows, factor, p.a + (int64_t)c * p.rows);
    for (; c <= p.columns; c++)
        gsai_reflect<1>(group, v, first, p.rows, factor, p.a + (int64_t)c * p.rows);
    return true;
}

/** Least squares: results to pivot_value. All threads see the problem before and the result after it. @return columns left out */
template <int SIZE, typename REAL>
GSAI_DEVICE int gsai_solve_columns(gsai_group<SIZE> &group, const gsai_problem<REAL> &p) {
    REAL *const b = p.a + (int64_t)p.columns * p.rows;
    int row = 0;

    for (int j = 0; j < p.columns; j++) {
        if (row < p.rows && gsai_eliminate(group, p, j, row))
            row++;
        else if (group.lane == 0)
            p.pivot[j] = -1;
    }
    group.sync();
    for (int j = p.columns - 1; j >= 0; j--) {
        const REAL *const column = p.a + (int64_t)j * p.rows;
        const int at = p.pivot[j];
        double x = 0;

        if (at >= 0) {
            const double top = group.pick(at % SIZE == group.lane ? (double)b[at] : 0, at % SIZE);

            x = top / p.pivot_value[j];
            for (int i = group.lane; i < at; i += SIZE)
                b[i] = (REAL)((double)b[i] - x * (double)column[i]);
        }
        group.sync(); /* all have read pivot_value[j] */
        if (group.lane == 0)
            p.pivot_value[j] = x;
    }
    group.sync();
    return p.columns - row;
}

/** The last row of the inverse of the Cholesky factor: results to pivot_value, columns of `a` hold the lower triangle. As above.
 * @return whether the matrix is positive definite, as far as can be told */
template <int SIZE, typename REAL>
GSAI_DEVICE bool gsai_solve_triangle(gsai_group<SIZE> &group, const gsai_problem<REAL> &p) {
    const int n = p.columns;

    for (int j = 0; j < n; j++) {
        REAL *const column = p.a + (int64_t)j * n;
        const int first = gsai_own_row(group, j);
        double own = 0;

        for (int i = first; i < n; i += SIZE) {
            double sum = column[i];

            for (int k = 0; k < j; k++)
                sum -= (double)p.a[(int64_t)k * n + j] * (double)p.a[(int64_t)k * n + i];
            if (i == j)
                own = sum;
            else
                column[i] = (REAL)sum;
        }
        const double left = group.pick(own, j % SIZE), before = column[j];
        if (!(left > gsai_rounding<REAL>::DEPENDENT * before))
            return false;
        const double root = sqrt(left);
        for (int i = first; i < n; i += SIZE)
            if (i != j)
                column[i] = (REAL)((double)column[i] / root);
        group
            .sync(); /* all have read the diagonal element; the next column reads another thread's row of this one */
        if (first == j)
            column[j] = (REAL)root;
    }
    group.sync();
    for (int j = n - 1; j >= 0; j--) {
        const REAL *const column = p.a + (int64_t)j * n;
        double sum = 0;

        for (int i = gsai_own_row(group, j + 1); i < n; i += SIZE)
            sum -= (double)column[i] * p.pivot_value[i];
        const double x = ((j == n - 1 ? 1 : 0) + group.sum(sum)) / (double)column[j];
        if (j % SIZE == group.lane)
            p.pivot_value[j] = x;
    }
    group.sync();
    return true;
}

#endif
