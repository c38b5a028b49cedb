/* The small dense problems of examples/gsai by themselves, up to sizes that take more than one panel: random staircases of full and lower rank,
 * one to eight right-hand sides, both types. Against the definition, in long double: the residual is orthogonal to all columns. And each
 * right-hand side gets the same bits alone as with others. */
#include "examples/gsai/gsai_local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

enum { ROWS_MAX = 300, COLUMNS_MAX = 90, SIDES_MAX = 8, ROUNDS = 150, PITCH_MAX = ROWS_MAX + GSAI_ROWS_UNIT };

/** A problem, in double and without padding; column j is 0 from reach[j] on. */
typedef struct problem {
    int64_t rows, columns, sides;
    int rank_lost; /* columns that are sums of two before them */
    double a[COLUMNS_MAX][ROWS_MAX], b[SIDES_MAX][ROWS_MAX];
    int32_t reach[COLUMNS_MAX];
} problem_t;

static problem_t p;

static double random_value(void) {
    return (double)check_random_range(-1000000, 1000000) / 1000000;
}

/* In float all values are ones that float has. */
static void make_problem(bool is_single) {
    int32_t reach = 0;

    p.columns = check_random_range(1, check_random_once_in(3) ? COLUMNS_MAX : 12);
    p.rows = p.columns + check_random_range(-p.columns / 2, check_random_once_in(2) ? 3 : 200);
    p.sides = check_random_range(1, SIDES_MAX);
    p.rank_lost = 0;
    for (int64_t j = 0; j < p.columns; j++) {
        reach += (int32_t)check_random_range(0, 2 * p.rows / p.columns + 1);
        reach = reach > p.rows || j == p.columns - 1 ? (int32_t)p.rows : reach;
        p.reach[j] = reach;
        const bool is_sum = j >= 2 && check_random_once_in(10);
        const int64_t one = check_random_range(0, j > 0 ? j - 1 : 0),
                      other = check_random_range(0, j > 0 ? j - 1 : 0);
        p.rank_lost += is_sum;
        for (int64_t i = 0; i < p.rows; i++) {
            p.a[j][i] = i >= reach || check_random_once_in(4) ? 0 : random_value();
            if (is_sum)
                p.a[j][i] = p.a[one][i] / 2 + p.a[other][i];
            if (is_single)
                p.a[j][i] = (float)p.a[j][i];
        }
    }
    for (int64_t side = 0; side < p.sides; side++)
        for (int64_t i = 0; i < p.rows; i++)
            p.b[side][i] = (float)random_value();
}

/* Right-hand sides first .. first + count - 1 into x. @return columns left out */
static int64_t solve(bool is_single, int64_t first, int64_t count, double *x) {
    static double a[(COLUMNS_MAX + SIDES_MAX) * PITCH_MAX], triangle[COLUMNS_MAX * COLUMNS_MAX];
    static float f[(COLUMNS_MAX + SIDES_MAX) * PITCH_MAX];
    int32_t reach[COLUMNS_MAX];
    const int64_t pitch = gsai_local_pitch(p.rows), elements = gsai_local_elements(p.rows, p.columns, count);

    memset(a, 0, (size_t)elements * sizeof *a);
    for (int64_t i = 0; i < p.rows; i++) {
        for (int64_t j = 0; j < p.columns; j++)
            a[j * pitch + i] = p.a[j][i];
        for (int64_t side = 0; side < count; side++)
            a[(p.columns + side) * pitch + i] = p.b[first + side][i];
    }
    for (int64_t k = 0; k < elements; k++)
        f[k] = (float)a[k];
    memcpy(reach, p.reach, sizeof reach);
    return is_single ? gsai_local_solve_float(f, p.rows, p.columns, count, reach, triangle, x)
                     : gsai_local_solve_double(a, p.rows, p.columns, count, reach, triangle, x);
}

/* The residual of a right-hand side is orthogonal to all columns, up to rounding of what it is made of. */
static void check_least(int64_t side, const double *x, double bound) {
    static long double residual[ROWS_MAX];
    long double size = 0;

    for (int64_t i = 0; i < p.rows; i++) {
        residual[i] = -p.b[side][i];
        size += fabsl(residual[i]);
        for (int64_t j = 0; j < p.columns; j++) {
            residual[i] += (long double)p.a[j][i] * x[j];
            size += fabsl((long double)p.a[j][i] * x[j]);
        }
    }
    for (int64_t j = 0; j < p.columns; j++) {
        long double product = 0;

        for (int64_t i = 0; i < p.rows; i++)
            product += residual[i] * p.a[j][i];
        if (!CHECK(fabsl(product) <= bound * size))
            fprintf(stderr, "%lld x %lld, column %lld: %Lg, size %Lg\n", (long long)p.rows,
                    (long long)p.columns, (long long)j, product, size);
    }
}

static void check_random_problems(bool is_single) {
    static double x[SIDES_MAX * COLUMNS_MAX], alone[COLUMNS_MAX];
    int full = 0, lost = 0;

    for (int round = 0; round < ROUNDS; round++) {
        make_problem(is_single);
        const int64_t left_out = solve(is_single, 0, p.sides, x);
        for (int64_t side = 0; side < p.sides; side++) {
            /* Where nearly dependent columns make entries large, the size in the bound grows with them. */
            check_least(side, x + side * p.columns, is_single ? 1e-5 : 1e-12);
            CHECK_EQ_INT(solve(is_single, side, 1, alone), left_out);
            CHECK(memcmp(alone, x + side * p.columns, (size_t)p.columns * sizeof *alone) == 0);
        }
        if (!is_single)
            CHECK(left_out >= p.rank_lost && left_out >= p.columns - p.rows);
        full += left_out == 0;
        lost += left_out > 0;
    }
    CHECK(full > ROUNDS / 20 && lost > ROUNDS / 10);
}

int main(void) {
    check_random_start();
    check_random_problems(false);
    check_random_problems(true);
    return check_finish();
}
