/* Approximate inverses of random matrices against what defines them, worked out on dense matrices in long double: entries lie in the pattern, and
 * the residual of each column is orthogonal to all columns of its problem, so that it is the least one; where the problem has full rank
 * the entries are those of the normal equations. All patterns, sides, types, filters; singular matrices, empty rows and columns; the whole
 * pattern gives the exact inverse; factors; limits of memory; refusals. With arguments `cuda N` on a GPU, every N-th trial of them. */
#include <dvmhlib2.h>

#include "tests/gsai/gsai_example.h"

enum { ROUNDS = 400 };

/* What the arguments say. */
static gsai_backend_t backend = GSAI_BACKEND_HOST;
static int every = 1;

static gsai_options_t default_options(void) {
    gsai_options_t o = gsai_default_options();

    o.backend = backend;
    return o;
}

/** A whole pattern: row, column. */
typedef bool pattern_t[EXAMPLE_ORDER_MAX][EXAMPLE_ORDER_MAX];

/* The pattern of the inverse by boolean products, of matrix `a` whose columns are worked on. */
static void expected_pattern(const example_t *a, const gsai_options_t *o, pattern_t pattern) {
    static pattern_t base, power;

    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->n; j++) {
            const double di = a->value[i][i] != 0 ? fabs(a->value[i][i]) : 1,
                         dj = a->value[j][j] != 0 ? fabs(a->value[j][j]) : 1;

            base[i][j] =
                i == j || (a->present[i][j] && (o->pattern == GSAI_PATTERN_POWER ||
                                                fabs(a->value[i][j]) > o->threshold * sqrt(di) * sqrt(dj)));
            pattern[i][j] = i == j;
        }
    for (int level = 0; level < o->levels; level++) {
        memcpy(power, pattern, sizeof power);
        for (int i = 0; i < a->n; i++)
            for (int j = 0; j < a->n; j++) {
                pattern[i][j] = false;
                for (int k = 0; k < a->n; k++)
                    pattern[i][j] = pattern[i][j] || (base[i][k] && power[k][j]);
            }
    }
    for (int i = 0; i < a->n && o->is_factored; i++)
        for (int j = 0; j < a->n; j++)
            pattern[i][j] = pattern[i][j] && i <= j;
}

/* Residual A m - e_k of a column, and the length that its products are to be compared with. */
static long double residual_of(const example_t *a, const example_t *m, int k, long double *residual) {
    long double size = 1;

    for (int i = 0; i < a->n; i++) {
        residual[i] = i == k ? -1 : 0;
        for (int j = 0; j < a->n; j++) {
            const long double term = (long double)a->value[i][j] * m->value[j][k];

            residual[i] += term;
            size += fabsl(term);
        }
    }
    return size;
}

/* Columns of m against the definition. */
static void check_least_squares(const example_t *a, const example_t *m, const pattern_t pattern,
                                double bound) {
    long double residual[EXAMPLE_ORDER_MAX];

    for (int k = 0; k < a->n; k++) {
        const long double size = residual_of(a, m, k, residual);

        for (int j = 0; j < a->n; j++) {
            long double product = 0, length = 0;

            CHECK(pattern[j][k] || !m->present[j][k]);
            CHECK(m->present[j][k] == (m->value[j][k] != 0));
            if (!pattern[j][k])
                continue;
            for (int i = 0; i < a->n; i++) {
                product += residual[i] * a->value[i][j];
                length += (long double)a->value[i][j] * a->value[i][j];
            }
            if (!CHECK(fabsl(product) <= bound * size * sqrtl(length)))
                fprintf(stderr, "column %d is not orthogonal to column %d: %Lg, size %Lg\n", k, j, product,
                        size);
        }
    }
}

/* Solve the normal equations of a column by elimination with pivots. @return the smallest pivot by the largest */
static long double solve_normal(const example_t *a, const pattern_t pattern, int k, long double *x) {
    static long double g[EXAMPLE_ORDER_MAX][EXAMPLE_ORDER_MAX + 1];
    int member[EXAMPLE_ORDER_MAX], count = 0;
    long double smallest = INFINITY, largest = 0;

    for (int j = 0; j < a->n; j++)
        if (pattern[j][k])
            member[count++] = j;
    for (int p = 0; p < count; p++) {
        for (int q = 0; q < count; q++) {
            g[p][q] = 0;
            for (int i = 0; i < a->n; i++)
                g[p][q] += (long double)a->value[i][member[p]] * a->value[i][member[q]];
        }
        g[p][count] = a->value[k][member[p]];
    }
    for (int p = 0; p < count; p++) {
        int best = p;

        for (int q = p; q < count; q++)
            best = fabsl(g[q][p]) > fabsl(g[best][p]) ? q : best;
        for (int q = 0; q <= count; q++) {
            const long double moved = g[p][q];

            g[p][q] = g[best][q];
            g[best][q] = moved;
        }
        smallest = fminl(smallest, fabsl(g[p][p]));
        largest = fmaxl(largest, fabsl(g[p][p]));
        if (g[p][p] == 0)
            return 0;
        for (int q = 0; q < count; q++) {
            const long double factor = g[q][p] / g[p][p];

            for (int c = p; c <= count && q != p; c++)
                g[q][c] -= factor * g[p][c];
        }
    }
    for (int j = 0; j < a->n; j++)
        x[j] = 0;
    for (int p = 0; p < count; p++)
        x[member[p]] = g[p][count] / g[p][p];
    return smallest / largest;
}

static int check_normal(const example_t *a, const example_t *m, const pattern_t pattern) {
    long double x[EXAMPLE_ORDER_MAX];
    int compared = 0;

    for (int k = 0; k < a->n; k++) {
        long double largest = 0;

        if (solve_normal(a, pattern, k, x) < 1e-4L)
            continue;
        compared++;
        for (int j = 0; j < a->n; j++)
            largest = fmaxl(largest, fabsl(x[j]));
        for (int j = 0; j < a->n; j++)
            CHECK(fabsl(x[j] - m->value[j][k]) <= 1e-8L * largest + 1e-13L);
    }
    return compared;
}

/* A whole build: columns of the result for a right inverse, of its transposed for a left one. */
static bool build(const example_t *a, const gsai_options_t *o, example_t *m, gsai_facts_t *facts) {
    const bool by_columns = check_random_once_in(2);
    gsai_sparse_t matrix;
    gsai_t *inverse = NULL;
    gsai_fault_t fault = {""};
    example_t rows;

    example_compress(a, by_columns, &matrix);
    const gsai_status_t status =
        gsai_build(o, by_columns ? GSAI_COLUMNS : GSAI_ROWS, &matrix, &inverse, &fault);
    gsai_sparse_free(&matrix);
    if (!CHECK_EQ_INT(status, GSAI_OK)) {
        fprintf(stderr, "%s\n", fault.text);
        return false;
    }
    example_expand(gsai_rows(inverse), &rows);
    *facts = *gsai_facts(inverse);
    gsai_destroy(inverse);
    if (o->side == GSAI_SIDE_LEFT || o->is_factored)
        example_transpose(&rows, m);
    else
        *m = rows;
    return true;
}

static gsai_options_t random_options(void) {
    gsai_options_t o = default_options();

    o.levels = (int)check_random_range(1, 3);
    if (check_random_once_in(2)) {
        o.pattern = GSAI_PATTERN_THRESHOLD;
        o.threshold = (double)check_random_range(0, 6) / 10;
    }
    o.side = check_random_once_in(2) ? GSAI_SIDE_LEFT : GSAI_SIDE_RIGHT;
    if (check_random_once_in(3))
        o.work_bytes = check_random_range(1, 3000); /* so that some problems are large */
    return o;
}

/* Columns that depend on others, rows and columns without elements, explicit zeros, sizes far from 1. @return whether there are such sizes, which
 * leave no digits to compare in rows */
static bool spoil(example_t *a) {
    const int i = (int)check_random_range(0, a->n - 1), j = (int)check_random_range(0, a->n - 1);
    const double scale = ldexp(1, (int)check_random_range(-300, 300));

    for (int k = 0; k < a->n; k++)
        switch (check_random_range(0, 4)) {
        case 0:
            a->present[k][i] = a->present[k][j];
            a->value[k][i] = 3 * a->value[k][j];
            break;
        case 1:
            a->value[k][j] = 0;
            break;
        default:
            break;
        }
    if (check_random_once_in(3))
        for (int k = 0; k < a->n; k++) {
            a->present[i][k] = false;
            a->value[i][k] = 0;
        }
    if (check_random_once_in(3))
        for (int k = 0; k < a->n; k++) {
            a->present[k][j] = a->present[k][i];
            a->value[k][j] = 2 * a->value[k][i];
        }
    if (check_random_once_in(3))
        return false;
    for (int k = 0; k < a->n; k++)
        a->value[k][i] *= scale;
    return true;
}

static void check_random_inverses(void) {
    static example_t a, worked, m;
    static pattern_t pattern;
    gsai_facts_t facts;
    int compared = 0, deficient = 0, empty = 0;

    for (int round = 0; round < ROUNDS; round += every) {
        const gsai_options_t o = random_options();

        example_make(&a, (int)check_random_range(1, round % 10 == 0 ? EXAMPLE_ORDER_MAX : 16),
                     (int)check_random_range(1, 8), check_random_once_in(3) ? 0 : 2);
        const bool is_far = check_random_once_in(2) && spoil(&a);
        if (!build(&a, &o, &m, &facts))
            return;
        if (o.side == GSAI_SIDE_LEFT)
            example_transpose(&a, &worked);
        else
            worked = a;
        expected_pattern(&worked, &o, pattern);
        check_least_squares(&worked, &m, pattern, 1e-11);
        if (!is_far)
            compared += check_normal(&worked, &m, pattern);
        deficient += facts.deficient > 0;
        empty += facts.empty > 0;
    }
    printf("%d columns compared with normal equations, %d matrices with deficient problems, %d with empty "
           "columns\n",
           compared, deficient, empty);
    CHECK(compared > ROUNDS / every && deficient > ROUNDS / every / 20 && empty > ROUNDS / every / 20);
}

/* Matrices of a known rank in all of their columns: as many columns are left out as depend on others, so that entries stay of a usual size. */
static void check_deficient(void) {
    static example_t a, m;
    gsai_facts_t facts;

    for (int round = 0; round < 30; round += every) {
        const gsai_options_t o = default_options();
        const int n = (int)check_random_range(4, 24), rank = (int)check_random_range(1, n - 1);

        example_make(&a, n, 1, 2);
        for (int j = rank; j < n; j++)
            for (int i = 0; i < n; i++) {
                a.value[i][j] = 0;
                for (int k = 0; k < rank; k++)
                    a.value[i][j] += a.value[i][k] * ((j * 7 + k * 3) % 5 - 1.7);
            }
        if (!build(&a, &o, &m, &facts))
            return;
        CHECK_EQ_INT(facts.deficient, n);
        CHECK_EQ_INT(facts.dependent, (int64_t)n * (n - rank));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                CHECK(fabs(m.value[i][j]) < 1e4);
    }
}

/* The whole pattern: A M is the identity. */
static void check_exact(void) {
    static example_t a, m;
    gsai_facts_t facts;
    long double residual[EXAMPLE_ORDER_MAX];

    for (int round = 0; round < 20; round += every) {
        gsai_options_t o = default_options();

        o.side = round % 2 == 0 ? GSAI_SIDE_RIGHT : GSAI_SIDE_LEFT;
        example_make(&a, (int)check_random_range(1, 40), 1, 3);
        if (!build(&a, &o, &m, &facts))
            return;
        CHECK_EQ_INT(facts.pattern_entries, a.n * a.n);
        CHECK_EQ_INT(facts.rows_max, a.n);
        static example_t worked;
        if (o.side == GSAI_SIDE_LEFT)
            example_transpose(&a, &worked);
        else
            worked = a;
        for (int k = 0; k < a.n; k++) {
            residual_of(&worked, &m, k, residual);
            for (int i = 0; i < a.n; i++)
                CHECK(fabsl(residual[i]) < 1e-10L);
        }
    }
}

/* (G A) is 0 in the pattern left of the diagonal, and G A transpose(G) has a unit diagonal. */
static void check_factors(bool is_single) {
    static example_t a, g;
    static pattern_t pattern;
    gsai_facts_t facts;
    const double bound = is_single ? 1e-5 : 1e-12;

    for (int round = 0; round < 60; round += every) {
        gsai_options_t o = random_options();

        o.is_factored = true;
        o.is_single = is_single;
        example_make(&a, (int)check_random_range(1, 24), (int)check_random_range(1, 6), 1);
        example_make_definite(&a);
        if (!build(&a, &o, &g, &facts)) /* columns of g: rows of the factor */
            return;
        expected_pattern(&a, &o, pattern);
        for (int k = 0; k < a.n; k++) {
            double square = 0;

            for (int i = 0; i < a.n; i++) {
                double product = 0;

                CHECK(pattern[i][k] || !g.present[i][k]);
                for (int j = 0; j < a.n; j++)
                    product += a.value[i][j] * g.value[j][k];
                square += product * g.value[i][k];
                if (pattern[i][k] && i < k)
                    CHECK(fabs(product) < bound * a.value[k][k]);
            }
            CHECK(fabs(square - 1) < bound);
            CHECK(g.value[k][k] > 0);
        }
    }
}

/* Small problems in float: near the least residual, not at it. */
static void check_float(void) {
    static example_t a, m;
    static pattern_t pattern;
    gsai_facts_t facts;

    for (int round = 0; round < 60; round += every) {
        gsai_options_t o = default_options();

        o.is_single = true;
        o.levels = (int)check_random_range(1, 2);
        example_make(&a, (int)check_random_range(1, 24), (int)check_random_range(1, 5), 3);
        if (!build(&a, &o, &m, &facts))
            return;
        expected_pattern(&a, &o, pattern);
        check_least_squares(&a, &m, pattern, 2e-6);
    }
}

/* What the filter keeps are the entries of the unfiltered inverse, and no others. */
static void check_filter(void) {
    static example_t a, all, kept;
    gsai_facts_t facts;

    for (int round = 0; round < 40; round += every) {
        gsai_options_t o = random_options();
        int64_t count = 0;

        example_make(&a, (int)check_random_range(2, 20), 2, 1);
        if (!build(&a, &o, &all, &facts))
            return;
        o.filter = (double)check_random_range(1, 9) / 10;
        if (!build(&a, &o, &kept, &facts))
            return;
        for (int k = 0; k < a.n; k++) {
            double largest = 0;

            for (int j = 0; j < a.n; j++)
                largest = fmax(largest, fabs(all.value[j][k]));
            for (int j = 0; j < a.n; j++) {
                const bool is_kept =
                    all.present[j][k] && (j == k || fabs(all.value[j][k]) >= o.filter * largest);

                CHECK(kept.present[j][k] == is_kept);
                CHECK(kept.value[j][k] == (is_kept ? all.value[j][k] : 0));
                count += is_kept;
            }
        }
        CHECK_EQ_INT(facts.entries, count);
    }
}

/* Several unknowns a point: columns of one pattern are solved together, and alone where memory is short; with the same result, bit for bit. */
static void check_shared_patterns(void) {
    static example_t points, a, alone, together;
    gsai_facts_t facts;

    for (int round = 0; round < 20; round += every) {
        const int unknowns = (int)check_random_range(2, 10), count = EXAMPLE_ORDER_MAX / unknowns;
        gsai_options_t o = default_options();

        o.side = round % 2 == 0 ? GSAI_SIDE_RIGHT : GSAI_SIDE_LEFT;
        o.is_single = round % 5 == 0;
        example_make(&points, count, 4, 1);
        a.n = count * unknowns;
        for (int i = 0; i < a.n; i++)
            for (int j = 0; j < a.n; j++) {
                a.present[i][j] = points.present[i / unknowns][j / unknowns];
                a.value[i][j] = a.present[i][j] ? example_random() + 3 * (i == j) : 0;
            }
        if (!build(&a, &o, &together, &facts))
            return;
        o.work_bytes = 1;
        if (!build(&a, &o, &alone, &facts))
            return;
        CHECK(memcmp(alone.value, together.value, sizeof alone.value) == 0);
    }
}

/* A full row and a full column: one problem is much larger than the others, and nothing else pays for it. */
static void check_dense_column(void) {
    enum { N = 3000, ON_GPU = 1100 }; /* there beyond what a warp sorts */
    const int n = backend == GSAI_BACKEND_HOST ? N : ON_GPU;
    gsai_sparse_t matrix;
    gsai_t *inverse = NULL;
    gsai_fault_t fault;
    gsai_options_t o = default_options();
    static double x[N], y[N];

    if (!CHECK(gsai_sparse_create(n, 2 * n - 1, &matrix, &fault) == GSAI_OK))
        return;
    for (int k = 0; k < n; k++) { /* column 0 is full, others have their diagonal */
        matrix.start[k + 1] = matrix.start[k] + (k == 0 ? n : 1);
        for (int64_t at = matrix.start[k]; at < matrix.start[k + 1]; at++) {
            matrix.index[at] = k == 0 ? (int32_t)at : k;
            matrix.value[at] = 2;
        }
    }
    o.work_bytes = 4096;
    o.side = GSAI_SIDE_LEFT; /* rows of M use two rows of A, so that the exact inverse is in the pattern */
    if (CHECK(gsai_build(&o, GSAI_COLUMNS, &matrix, &inverse, &fault) == GSAI_OK)) {
        CHECK_EQ_INT(gsai_facts(inverse)->columns_max, 2);
        for (int k = 0; k < n; k++)
            x[k] = 2 + 2 * (k > 0); /* A 1 */
        gsai_apply(inverse, x, y);
        for (int k = 0; k < n; k++)
            CHECK(fabs(y[k] - 1) < 1e-12);
        gsai_apply(inverse, x, x);
        CHECK(memcmp(x, y, (size_t)n * sizeof x[0]) == 0);
        gsai_destroy(inverse);
    }
    gsai_sparse_free(&matrix);
}

static void refused(const gsai_options_t *o, gsai_sparse_t *matrix, gsai_status_t expected,
                    const char *text) {
    gsai_t *inverse = NULL;
    gsai_fault_t fault = {""};

    CHECK_EQ_INT(gsai_build(o, GSAI_ROWS, matrix, &inverse, &fault), expected);
    CHECK_CONTAINS(fault.text, text);
    CHECK(inverse == NULL);
}

static void check_refusals(void) {
    int64_t start[] = {0, 2, 4};
    int32_t index[] = {0, 1, 0, 1};
    double value[] = {2, 1, 1, 2};
    gsai_sparse_t matrix = {2, start, index, value};
    const gsai_options_t good = default_options();
    gsai_options_t o = good;

    o.levels = 0;
    refused(&o, &matrix, GSAI_ERR_ARGUMENT, "levels 0: allowed are 1..9");
    o = good;
    o.threshold = NAN;
    refused(&o, &matrix, GSAI_ERR_ARGUMENT, "threshold");
    o = good;
    o.filter = 1;
    refused(&o, &matrix, GSAI_ERR_ARGUMENT, "filter");
    o = good;
    o.work_bytes = 0;
    refused(&o, &matrix, GSAI_ERR_ARGUMENT, "work memory");
    index[3] = 2;
    refused(&good, &matrix, GSAI_ERR_INPUT, "index 2 is not in 0..1");
    index[3] = 0;
    refused(&good, &matrix, GSAI_ERR_INPUT, "index 0 stands there twice");
    index[3] = 1;
    value[3] = INFINITY;
    refused(&good, &matrix, GSAI_ERR_INPUT, "not finite");
    o = good;
    o.is_factored = true;
    value[3] = 0.5;
    refused(&o, &matrix, GSAI_ERR_NUMERIC, "not positive definite: row 2");
    value[1] = 3;
    refused(&o, &matrix, GSAI_ERR_NUMERIC, "not symmetric");
    start[1] = 5;
    refused(&good, &matrix, GSAI_ERR_INPUT, "ends before it begins");
}

int main(int argc, char **argv) {
    check_random_start();
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    if (argc == 3 && strcmp(argv[1], "cuda") == 0) {
        backend = GSAI_BACKEND_CUDA;
        every = atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
    }
    check_random_inverses();
    check_deficient();
    check_exact();
    check_factors(false);
    check_factors(true);
    check_float();
    check_filter();
    check_shared_patterns();
    check_dense_column();
    check_refusals();
    dvmh_exit_C(check_finish());
}
