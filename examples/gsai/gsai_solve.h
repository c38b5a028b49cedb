/* Krylov solvers preconditioned from the right, so that their residual is that of the system: A M u = b, x = M u. They start from 0 and
 * stop when the residual that they carry along is small; the true one is computed at the end and compared. */
#ifndef EXAMPLES_GSAI_GSAI_SOLVE_H
#define EXAMPLES_GSAI_GSAI_SOLVE_H

#include "examples/gsai/gsai_inverse.h"
#include "examples/gsai/gsai_product.h"
#include "examples/gsai/gsai_vector.h"

typedef enum gsai_solver { GSAI_BICGSTAB, GSAI_GMRES, GSAI_CG } gsai_solver_t;

/** Longest cycle of GMRES. */
#define GSAI_RESTART_MAX 1000

/** How to solve. */
typedef struct gsai_solve_options {
    gsai_solver_t solver;
    int restart;            /* GMRES: 1..GSAI_RESTART_MAX */
    double tolerance;       /* of |b - A x| / |b|; above 0 */
    int64_t iterations_max; /* 0 and more */
} gsai_solve_options_t;

/** Why a solver ended. */
typedef enum gsai_end {
    GSAI_END_CONVERGED,
    GSAI_END_ITERATIONS, /* as many as allowed */
    GSAI_END_BREAKDOWN   /* a division by zero or a value that is not finite */
} gsai_end_t;

/** How it went. An iteration of BiCGSTAB has two products with A, one of GMRES and CG one. */
typedef struct gsai_course {
    gsai_end_t end;
    int64_t iterations;
    double recursive; /* |r| / |b|, r as the solver carried it along */
    double residual;  /* |b - A x| / |b|; both 0 where b is */
    bool is_false; /* the solver saw convergence, but the true residual is beyond ten times the tolerance */
    double seconds;
} gsai_course_t;

/**
 * Solve A x = b.
 * @param matrix   A
 * @param inverse  of the same order; NULL: no preconditioner
 * @param b, x     n values on the host of every process
 * Synchronous. MPI: collective; every process does all of it. Threads: the main thread.
 * @return GSAI_OK            whatever the end
 * @return GSAI_ERR_ARGUMENT  an option that is not allowed; CG with an inverse that is not factored
 * @return GSAI_ERR_MEMORY    no memory
 */
gsai_status_t gsai_solve(const gsai_solve_options_t *options, gsai_product_t *matrix, gsai_t *inverse,
                         const double *b, double *x, gsai_course_t *course_p, gsai_fault_t *fault);

/** A system while it is solved: what the solvers share. */
typedef struct gsai_system {
    const gsai_solve_options_t *options;
    gsai_product_t *matrix;
    gsai_t *inverse;
    gsai_space_t *space;
    gsai_array_t *b, *x; /* x is 0 at first */
    double b_norm;       /* > 0 */
    gsai_course_t *course;
} gsai_system_t;

/** The solvers. They set end, iterations, recursive and x. */
void gsai_solve_bicgstab(gsai_system_t *system);
void gsai_solve_cg(gsai_system_t *system);

/** @return GSAI_OK, GSAI_ERR_MEMORY */
gsai_status_t gsai_solve_gmres(gsai_system_t *system, gsai_fault_t *fault);

/** y = M x, or a copy without M. */
void gsai_precondition(gsai_system_t *system, gsai_array_t *x, gsai_array_t *y);

/** Note |r| after an iteration. @return whether the solver is to end */
bool gsai_note(gsai_system_t *system, double norm);

#endif
