/* gsai-parasails FILE.mtx [ROUNDS]: sparse approximate inverses of ours beside hypre's ParaSails, in one process, in turns, on one core:
 * medians of the processor time of set-up, and iterations of BiCGSTAB, each with its own solver, b = A 1, relative residual 1e-8. Both make rows
 * of a left inverse on the same pattern; ours makes columns of a right one on A's pattern besides. Built by gsai-parasails.sh where hypre is
 * installed; not part of make check. What it measures is processor time, since a shared machine's clock says little. */
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dvmhlib2.h>

#include "examples/gsai/gsai_read.h"
#include "examples/gsai/gsai_solve.h"
#include "examples/gsai/gsai_sparse.h"

enum { ROUNDS_MAX = 999, ITERATIONS_MAX = 2000 };

/** A pattern as both know it; ParaSails counts levels from 0. */
typedef struct kind {
    const char *name;
    double threshold;
    int levels;
    bool is_threshold;
} kind_t;

static const kind_t kinds[] = {{"A", 0, 1, false}, {"A2", 0, 2, false}, {"threshold:0.1", 0.1, 2, true}};

/** The matrix in both forms. */
typedef struct problem {
    gsai_sparse_t rows;
    double *b, *x;
    HYPRE_IJMatrix ij;
    HYPRE_ParCSRMatrix matrix;
    HYPRE_IJVector b_ij, x_ij;
    HYPRE_ParVector b_par, x_par;
} problem_t;

static double now_s(void) {
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void stop(const char *what) {
    fprintf(stderr, "gsai-parasails: %s\n", what);
    exit(1);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void make_vector(const problem_t *p, const double *values, HYPRE_IJVector *ij_p,
                        HYPRE_ParVector *vector_p) {
    void *object = NULL;

    HYPRE_IJVectorCreate(MPI_COMM_WORLD, 0, p->rows.n - 1, ij_p);
    HYPRE_IJVectorSetObjectType(*ij_p, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*ij_p);
    for (HYPRE_Int k = 0; k < p->rows.n; k++)
        HYPRE_IJVectorSetValues(*ij_p, 1, &k, &values[k]);
    HYPRE_IJVectorAssemble(*ij_p);
    HYPRE_IJVectorGetObject(*ij_p, &object);
    *vector_p = (HYPRE_ParVector)object;
}

static void make_problem(const char *name, problem_t *p) {
    const gsai_read_options_t options = {.order_max = INT32_MAX - 1};
    gsai_read_facts_t facts;
    gsai_fault_t fault;
    void *object = NULL;

    if (gsai_read_file(name, &options, &p->rows, &facts, &fault) != GSAI_OK)
        stop(fault.text);
    const int32_t n = p->rows.n;
    p->b = gsai_alloc(n, sizeof *p->b);
    p->x = gsai_alloc(n, sizeof *p->x);
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, 0, n - 1, 0, n - 1, &p->ij);
    HYPRE_IJMatrixSetObjectType(p->ij, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(p->ij);
    for (HYPRE_Int k = 0; k < n; k++) {
        const int64_t first = p->rows.start[k];
        HYPRE_Int count = (HYPRE_Int)(p->rows.start[k + 1] - first);

        HYPRE_IJMatrixSetValues(p->ij, 1, &count, &k, p->rows.index + first, p->rows.value + first);
        for (HYPRE_Int at = 0; at < count; at++)
            p->b[k] += p->rows.value[first + at];
    }
    HYPRE_IJMatrixAssemble(p->ij);
    HYPRE_IJMatrixGetObject(p->ij, &object);
    p->matrix = (HYPRE_ParCSRMatrix)object;
    make_vector(p, p->b, &p->b_ij, &p->b_par);
    make_vector(p, p->x, &p->x_ij, &p->x_par);
}

static HYPRE_Solver make_peer(const kind_t *kind) {
    HYPRE_Solver solver;

    HYPRE_ParaSailsCreate(MPI_COMM_WORLD, &solver);
    HYPRE_ParaSailsSetParams(solver, kind->threshold, kind->levels - 1);
    HYPRE_ParaSailsSetFilter(solver, 0);
    HYPRE_ParaSailsSetSym(solver, 0);
    return solver;
}

static double set_up_peer(const problem_t *p, const kind_t *kind) {
    const double begin_s = now_s();
    HYPRE_Solver solver = make_peer(kind);

    HYPRE_ParaSailsSetup(solver, p->matrix, p->b_par, p->x_par);
    const double end_s = now_s();
    HYPRE_ParaSailsDestroy(solver);
    return end_s - begin_s;
}

static gsai_t *make_own(const problem_t *p, const kind_t *kind, gsai_side_t side) {
    gsai_options_t options = gsai_default_options();
    gsai_t *inverse = NULL;
    gsai_fault_t fault;

    options.backend = GSAI_BACKEND_HOST;
    options.side = side;
    options.levels = kind->levels;
    options.threshold = kind->threshold;
    options.pattern = kind->is_threshold ? GSAI_PATTERN_THRESHOLD : GSAI_PATTERN_POWER;
    if (gsai_build(&options, GSAI_ROWS, &p->rows, &inverse, &fault) != GSAI_OK)
        stop(fault.text);
    return inverse;
}

static double set_up_own(const problem_t *p, const kind_t *kind, gsai_side_t side) {
    const double begin_s = now_s();
    gsai_t *const inverse = make_own(p, kind, side);
    const double end_s = now_s();

    gsai_destroy(inverse);
    return end_s - begin_s;
}

/* -1 without convergence. */
static long iterations_of_peer(const problem_t *p, const kind_t *kind) {
    HYPRE_Solver preconditioner = make_peer(kind), solver;
    HYPRE_Int count = 0;
    HYPRE_Real norm = 0;

    HYPRE_ParVectorSetConstantValues(p->x_par, 0);
    HYPRE_ParCSRBiCGSTABCreate(MPI_COMM_WORLD, &solver);
    HYPRE_BiCGSTABSetTol(solver, 1e-8);
    HYPRE_BiCGSTABSetMaxIter(solver, ITERATIONS_MAX);
    HYPRE_BiCGSTABSetPrecond(solver, (HYPRE_PtrToSolverFcn)HYPRE_ParaSailsSolve,
                             (HYPRE_PtrToSolverFcn)HYPRE_ParaSailsSetup, preconditioner);
    HYPRE_ParCSRBiCGSTABSetup(solver, p->matrix, p->b_par, p->x_par);
    HYPRE_ParCSRBiCGSTABSolve(solver, p->matrix, p->b_par, p->x_par);
    HYPRE_BiCGSTABGetNumIterations(solver, &count);
    HYPRE_BiCGSTABGetFinalRelativeResidualNorm(solver, &norm);
    HYPRE_ParCSRBiCGSTABDestroy(solver);
    HYPRE_ParaSailsDestroy(preconditioner);
    HYPRE_ClearAllErrors();
    return norm <= 1e-8 ? (long)count : -1;
}

static long iterations_of_own(const problem_t *p, const kind_t *kind, gsai_side_t side) {
    const gsai_solve_options_t options = {.solver = GSAI_BICGSTAB,
                                          .tolerance = 1e-8,
                                          .iterations_max = ITERATIONS_MAX};
    gsai_t *const inverse = make_own(p, kind, side);
    gsai_product_t product;
    gsai_course_t course;
    gsai_fault_t fault;

    gsai_product_create(&p->rows, NULL, &product);
    if (gsai_solve(&options, &product, inverse, p->b, p->x, &course, &fault) != GSAI_OK)
        stop(fault.text);
    gsai_product_delete(&product);
    gsai_destroy(inverse);
    return course.end == GSAI_END_CONVERGED ? (long)course.iterations : -1;
}

/* One pattern: rounds in turns, after one of each that is not counted. */
static void run_kind(const char *name, const problem_t *p, const kind_t *kind, int rounds) {
    static double peer_s[ROUNDS_MAX], left_s[ROUNDS_MAX], right_s[ROUNDS_MAX];

    for (int round = -1; round < rounds; round++) {
        const int to = round < 0 ? 0 : round;

        peer_s[to] = set_up_peer(p, kind);
        left_s[to] = set_up_own(p, kind, GSAI_SIDE_LEFT);
        right_s[to] = set_up_own(p, kind, GSAI_SIDE_RIGHT);
    }
    const double peer = median(peer_s, rounds), left = median(left_s, rounds),
                 right = median(right_s, rounds);
    printf("%-12s %-14s %9.3f %9.3f %6.2f %9.3f %6.2f %11ld %6ld %6ld\n", name, kind->name, 1e3 * peer,
           1e3 * left, left / peer, 1e3 * right, right / peer, iterations_of_peer(p, kind),
           iterations_of_own(p, kind, GSAI_SIDE_LEFT), iterations_of_own(p, kind, GSAI_SIDE_RIGHT));
}

int main(int argc, char **argv) {
    problem_t p = {0};

    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    const int rounds = argc == 3 ? atoi(argv[2]) : 21;
    int started = 0;
    if (argc < 2 || argc > 3 || rounds < 1 || rounds > ROUNDS_MAX)
        stop("gsai-parasails FILE.mtx [ROUNDS, 1..999]");
    MPI_Initialized(&started);
    if (!started)
        MPI_Init(&argc, &argv);
    HYPRE_Init();
    make_problem(argv[1], &p);
    const char *const slash = strrchr(argv[1], '/');
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        run_kind(slash != NULL ? slash + 1 : argv[1], &p, &kinds[k], rounds);
    HYPRE_IJMatrixDestroy(p.ij);
    HYPRE_IJVectorDestroy(p.b_ij);
    HYPRE_IJVectorDestroy(p.x_ij);
    HYPRE_Finalize();
    gsai_sparse_free(&p.rows);
    free(p.b);
    free(p.x);
    if (!started)
        MPI_Finalize();
    dvmh_exit_C(0);
}
