/* Random matrices for the tests of examples/gsai, dense and compressed beside each other. */
#ifndef TESTS_GSAI_GSAI_EXAMPLE_H
#define TESTS_GSAI_GSAI_EXAMPLE_H

#include <math.h>

#include "examples/gsai/gsai_sparse.h"

#include "tests/check.h"

#define EXAMPLE_ORDER_MAX 48

/** A dense matrix; elements that are not `present` are 0. */
typedef struct example {
    int n;
    double value[EXAMPLE_ORDER_MAX][EXAMPLE_ORDER_MAX];
    bool present[EXAMPLE_ORDER_MAX][EXAMPLE_ORDER_MAX];
} example_t;

/** -1 .. 1, seldom 0. */
static inline double example_random(void) {
    return (double)check_random_range(-1000000, 1000000) / 1000000;
}

/** Each element is present once in `once_in` times; the diagonal once more, `dominance` larger. */
static inline void example_make(example_t *e, int n, int once_in, double dominance) {
    memset(e, 0, sizeof *e);
    e->n = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            e->present[i][j] = check_random_once_in(once_in) || (i == j && dominance > 0);
            if (e->present[i][j])
                e->value[i][j] = example_random() + (i == j ? dominance : 0);
        }
}

/** Make it symmetric positive definite: the lower triangle decides, diagonals dominate. */
static inline void example_make_definite(example_t *e) {
    for (int i = 0; i < e->n; i++) {
        double sum = 0;

        for (int j = 0; j < i; j++) {
            e->present[j][i] = e->present[i][j];
            e->value[j][i] = e->value[i][j];
        }
        e->present[i][i] = true;
        for (int j = 0; j < e->n; j++)
            sum += i == j ? 0 : fabs(e->value[i][j]);
        e->value[i][i] = sum + 0.1;
    }
    for (int i = 0; i < e->n; i++) { /* rows above have changed since */
        double sum = 0;

        for (int j = 0; j < e->n; j++)
            sum += i == j ? 0 : fabs(e->value[i][j]);
        e->value[i][i] = sum + 0.1;
    }
}

/** Compressed rows, or columns, in random order within each. */
static inline void example_compress(const example_t *e, bool by_columns, gsai_sparse_t *matrix_p) {
    gsai_fault_t fault;

    if (gsai_sparse_create(e->n, (int64_t)e->n * e->n, matrix_p, &fault) != GSAI_OK)
        abort();
    for (int k = 0; k < e->n; k++) {
        int64_t at = matrix_p->start[k];

        for (int j = 0; j < e->n; j++) {
            const int row = by_columns ? j : k, column = by_columns ? k : j;

            if (!e->present[row][column])
                continue;
            const int64_t other = check_random_range(matrix_p->start[k], at);
            matrix_p->index[at] = matrix_p->index[other];
            matrix_p->value[at] = matrix_p->value[other];
            matrix_p->index[other] = j;
            matrix_p->value[other] = e->value[row][column];
            at++;
        }
        matrix_p->start[k + 1] = at;
    }
}

/** Compressed rows to a dense matrix. */
static inline void example_expand(const gsai_sparse_t *rows, example_t *e) {
    memset(e, 0, sizeof *e);
    e->n = rows->n;
    for (int k = 0; k < rows->n; k++)
        for (int64_t at = rows->start[k]; at < rows->start[k + 1]; at++) {
            CHECK(!e->present[k][rows->index[at]]);
            e->present[k][rows->index[at]] = true;
            e->value[k][rows->index[at]] = rows->value[at];
        }
}

static inline void example_transpose(const example_t *e, example_t *t) {
    memset(t, 0, sizeof *t);
    t->n = e->n;
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < e->n; j++) {
            t->present[j][i] = e->present[i][j];
            t->value[j][i] = e->value[i][j];
        }
}

#endif
