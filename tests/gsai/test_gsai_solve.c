/* The solvers of examples/gsai on random systems against a dense solution by elimination: all solvers, with and without an inverse; residuals as
 * told against residuals worked out here; ends that are no convergence; an exact inverse, with which one iteration is enough. With arguments
 * `cuda N` on a GPU, every N-th of the random systems. */
#include <dvmhlib2.h>

#include "examples/gsai/gsai_gpu_build.h"
#include "examples/gsai/gsai_solve.h"
#include "tests/gsai/gsai_example.h"

enum { ROUNDS = 60 };

/** A system in all forms. */
typedef struct trial {
    example_t a;
    double b[EXAMPLE_ORDER_MAX], solution[EXAMPLE_ORDER_MAX], x[EXAMPLE_ORDER_MAX];
    gsai_sparse_t rows;
    gsai_product_t product;
    gsai_t *inverse; /* NULL: none */
    gsai_course_t course;
} trial_t;

static trial_t t;

/* What the arguments say. */
static gsai_backend_t backend = GSAI_BACKEND_HOST;
static int every = 1;

static gsai_options_t default_options(void) {
    gsai_options_t o = gsai_default_options();

    o.backend = backend;
    return o;
}

/* Elimination with pivots in long double. */
static void solve_dense(void) {
    static long double m[EXAMPLE_ORDER_MAX][EXAMPLE_ORDER_MAX + 1];
    const int n = t.a.n;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            m[i][j] = t.a.value[i][j];
        m[i][n] = t.b[i];
    }
    for (int p = 0; p < n; p++) {
        int best = p;

        for (int i = p; i < n; i++)
            best = fabsl(m[i][p]) > fabsl(m[best][p]) ? i : best;
        for (int j = 0; j <= n; j++) {
            const long double moved = m[p][j];

            m[p][j] = m[best][j];
            m[best][j] = moved;
        }
        for (int i = 0; i < n; i++)
            for (int j = n; j >= p && i != p; j--)
                m[i][j] -= m[i][p] / m[p][p] * m[p][j];
    }
    for (int i = 0; i < n; i++)
        t.solution[i] = (double)(m[i][n] / m[i][i]);
}

/* |b - A x| / |b|. */
static double residual(void) {
    long double sum = 0, of_b = 0;

    for (int i = 0; i < t.a.n; i++) {
        long double r = t.b[i];

        for (int j = 0; j < t.a.n; j++)
            r -= (long double)t.a.value[i][j] * t.x[j];
        sum += r * r;
        of_b += (long double)t.b[i] * t.b[i];
    }
    return (double)sqrtl(sum / of_b);
}

static void begin(const gsai_options_t *o) {
    gsai_fault_t fault;
    const gsai_gpu_t *gpu;

    if (!CHECK(gsai_gpu_find(backend, &gpu, &fault) == GSAI_OK))
        fprintf(stderr, "%s\n", fault.text);
    example_compress(&t.a, false, &t.rows);
    gsai_product_create(&t.rows, gpu, &t.product);
    t.inverse = NULL;
    if (o != NULL && !CHECK(gsai_build(o, GSAI_ROWS, &t.rows, &t.inverse, &fault) == GSAI_OK))
        fprintf(stderr, "%s\n", fault.text);
    for (int i = 0; i < t.a.n; i++)
        t.b[i] = example_random();
}

static void end(void) {
    gsai_destroy(t.inverse);
    gsai_product_delete(&t.product);
    gsai_sparse_free(&t.rows);
}

static void solve(const gsai_solve_options_t *o) {
    gsai_fault_t fault = {""};

    if (!CHECK_EQ_INT(gsai_solve(o, &t.product, t.inverse, t.b, t.x, &t.course, &fault), GSAI_OK))
        fprintf(stderr, "%s\n", fault.text);
}

static const gsai_solve_options_t usual = {.solver = GSAI_BICGSTAB,
                                           .restart = 50,
                                           .tolerance = 1e-10,
                                           .iterations_max = 150};

static void check_random_systems(void) {
    static const char *const names[] = {"bicgstab", "gmres", "cg"};

    for (int round = 0; round < ROUNDS; round += every) {
        gsai_options_t o = default_options();
        gsai_solve_options_t s = usual;

        s.solver = (gsai_solver_t)(round % 3);
        s.restart = (int)check_random_range(3, 50);
        o.is_factored = s.solver == GSAI_CG;
        o.side = check_random_once_in(2) ? GSAI_SIDE_LEFT : GSAI_SIDE_RIGHT;
        o.levels = (int)check_random_range(1, 2);
        example_make(&t.a, (int)check_random_range(1, EXAMPLE_ORDER_MAX), 6, 5);
        if (o.is_factored)
            example_make_definite(&t.a);
        begin(check_random_once_in(3) ? NULL : &o);
        solve_dense();
        solve(&s);
        if (!CHECK_EQ_INT(t.course.end, GSAI_END_CONVERGED))
            fprintf(stderr, "%s, order %d: %g\n", names[s.solver], t.a.n, t.course.recursive);
        CHECK(t.course.recursive <= s.tolerance && !t.course.is_false);
        CHECK(fabs(t.course.residual - residual()) < 1e-14);
        for (int i = 0; i < t.a.n; i++)
            CHECK(fabs(t.x[i] - t.solution[i]) < 1e-6);
        end();
    }
}

/* With M the exact inverse one iteration is enough. */
static void check_exact_inverse(void) {
    for (int k = 0; k < 2; k++) {
        gsai_options_t o = default_options();
        gsai_solve_options_t s = usual;

        s.solver = k == 0 ? GSAI_BICGSTAB : GSAI_GMRES;
        example_make(&t.a, 20, 1, 6);
        begin(&o);
        solve(&s);
        CHECK_EQ_INT(t.course.iterations, 1);
        CHECK_EQ_INT(t.course.end, GSAI_END_CONVERGED);
        end();
    }
    gsai_options_t o = default_options();
    gsai_solve_options_t s = usual;
    s.solver = GSAI_CG;
    o.is_factored = true;
    example_make(&t.a, 20, 1, 1);
    example_make_definite(&t.a);
    begin(&o);
    solve(&s);
    CHECK_EQ_INT(t.course.iterations, 1);
    end();
}

/* GMRES without restart ends after as many iterations as there are rows; with cycles of one row it takes more. */
static void check_cycles(void) {
    gsai_solve_options_t s = usual;

    s.solver = GSAI_GMRES;
    example_make(&t.a, 30, 3, 4);
    begin(NULL);
    solve(&s);
    const int64_t long_cycles = t.course.iterations;
    CHECK(long_cycles <= 30);
    s.restart = 2;
    solve(&s);
    CHECK(t.course.iterations > long_cycles && t.course.end == GSAI_END_CONVERGED);
    end();
}

static void check_ends(gsai_solver_t solver) {
    gsai_solve_options_t s = usual;

    s.solver = solver;
    example_make(&t.a, 20, 4, 6);
    example_make_definite(&t.a);
    begin(NULL);
    s.iterations_max = 0;
    solve(&s);
    CHECK(t.course.end == GSAI_END_ITERATIONS && t.course.iterations == 0 && t.course.residual == 1);
    s.iterations_max = 2;
    solve(&s);
    CHECK(t.course.end == GSAI_END_ITERATIONS && t.course.iterations == 2 && !t.course.is_false);
    CHECK(fabs(t.course.residual - residual()) < 1e-14);
    /* Nothing below rounding can be reached, though the residual carried along may get there. */
    s = usual;
    s.solver = solver;
    s.tolerance = 1e-22;
    solve(&s);
    CHECK(t.course.end != GSAI_END_CONVERGED || t.course.is_false);
    CHECK(t.course.residual > 1e-19);
    memset(t.b, 0, sizeof t.b);
    solve(&s);
    CHECK(t.course.end == GSAI_END_CONVERGED && t.course.iterations == 0 && t.course.residual == 0);
    end();
    /* Where A is 0 there is nothing to divide by. */
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++)
            t.a.value[i][j] = 0;
    begin(NULL);
    solve(&usual);
    CHECK_EQ_INT(t.course.end, GSAI_END_BREAKDOWN);
    CHECK(t.course.residual == 1);
    end();
}

/* After the first iteration the residual is orthogonal to b, yet not 0: worked out by hand, (0, 0.2, -0.4). */
static void check_new_direction(void) {
    static const double values[3][3] = {{1, 0, 0}, {1, 2, 0}, {1, 0, 1}}, solution[3] = {1, -.5, -1};

    memset(&t.a, 0, sizeof t.a);
    t.a.n = 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            t.a.present[i][j] = true;
            t.a.value[i][j] = values[i][j];
        }
    begin(NULL);
    t.b[0] = 1;
    t.b[1] = t.b[2] = 0;
    solve(&usual);
    CHECK_EQ_INT(t.course.end, GSAI_END_CONVERGED);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(t.x[i] - solution[i]) < 1e-9);
    end();
}

static void refused(const gsai_solve_options_t *s, const char *text) {
    gsai_fault_t fault = {""};

    CHECK_EQ_INT(gsai_solve(s, &t.product, t.inverse, t.b, t.x, &t.course, &fault), GSAI_ERR_ARGUMENT);
    CHECK_CONTAINS(fault.text, text);
}

static void check_refusals(void) {
    const gsai_options_t o = default_options();
    gsai_solve_options_t s = usual;

    example_make(&t.a, 5, 2, 3);
    begin(&o);
    s.tolerance = 0;
    refused(&s, "tolerance");
    s = usual;
    s.iterations_max = -1;
    refused(&s, "iterations");
    s = usual;
    s.solver = GSAI_GMRES;
    s.restart = 0;
    refused(&s, "allowed are 1..1000");
    s = usual;
    s.solver = GSAI_CG;
    refused(&s, "CG needs a symmetric positive definite preconditioner");
    end();
}

int main(int argc, char **argv) {
    check_random_start();
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    if (argc == 3 && strcmp(argv[1], "cuda") == 0) {
        backend = GSAI_BACKEND_CUDA;
        every = atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
    }
    check_random_systems();
    check_exact_inverse();
    check_cycles();
    check_ends(GSAI_BICGSTAB);
    check_ends(GSAI_GMRES);
    check_ends(GSAI_CG);
    check_new_direction();
    check_refusals();
    dvmh_exit_C(check_finish());
}
