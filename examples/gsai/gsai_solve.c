/* What the solvers share, and BiCGSTAB and conjugate gradients. */
#include "examples/gsai/gsai_solve.h"

#include <math.h>
#include <string.h>

#include "examples/gsai/gsai_sparse.h"

/* What may lie between the tolerance and the true residual. */
#define FALSE_FACTOR 10

void gsai_precondition(gsai_system_t *system, gsai_array_t *x, gsai_array_t *y) {
    if (system->inverse != NULL)
        gsai_apply_array(system->inverse, x, y);
    else
        gsai_vector_combine(system->space, y, 1, x, 0, NULL, 0, NULL);
}

bool gsai_note(gsai_system_t *system, double norm) {
    gsai_course_t *const course = system->course;

    course->recursive = norm / system->b_norm;
    if (!isfinite(norm))
        course->end = GSAI_END_BREAKDOWN;
    else if (course->recursive <= system->options->tolerance)
        course->end = GSAI_END_CONVERGED;
    else if (course->iterations >= system->options->iterations_max)
        course->end = GSAI_END_ITERATIONS;
    else
        return false;
    return true;
}

/* A divisor that makes going on pointless. */
static bool breaks_down(gsai_system_t *system, double divisor) {
    const bool is_broken = divisor == 0 || !isfinite(divisor);

    if (is_broken)
        system->course->end = GSAI_END_BREAKDOWN;
    return is_broken;
}

/** Vectors of BiCGSTAB, with the names of its inventor. */
typedef struct bicgstab {
    gsai_array_t r, first, p, p_hat, v, s_hat, t;
    double rho, next_rho, alpha, omega; /* next_rho: first . r, found with the length of r */
} bicgstab_t;

/* One iteration. r becomes s on the way. @return whether to end */
static bool bicgstab_step(gsai_system_t *system, bicgstab_t *w) {
    gsai_space_t *const space = system->space;

    gsai_precondition(system, &w->p, &w->p_hat);
    gsai_product_apply(system->matrix, &w->p_hat, &w->v);
    const double sigma = gsai_vector_dot(space, &w->first, &w->v);
    if (breaks_down(system, sigma))
        return true;
    w->alpha = w->rho / sigma;
    system->course->iterations++;
    gsai_vector_combine(space, &w->r, 1, &w->r, -w->alpha, &w->v, 0, NULL);
    const double half = gsai_vector_norm(space, &w->r);
    if (half / system->b_norm <= system->options->tolerance) {
        gsai_vector_combine(space, system->x, 1, system->x, w->alpha, &w->p_hat, 0, NULL);
        return gsai_note(system, half);
    }
    gsai_precondition(system, &w->r, &w->s_hat);
    gsai_product_apply(system->matrix, &w->s_hat, &w->t);
    double sums[2];
    gsai_vector_dots(space, &w->t, &w->t, &w->r, sums);
    const double square = sums[0];
    if (breaks_down(system, square)) {
        gsai_vector_combine(space, system->x, 1, system->x, w->alpha, &w->p_hat, 0, NULL);
        system->course->recursive = half / system->b_norm;
        return true;
    }
    w->omega = sums[1] / square;
    gsai_vector_combine(space, system->x, 1, system->x, w->alpha, &w->p_hat, w->omega, &w->s_hat);
    gsai_vector_combine(space, &w->r, 1, &w->r, -w->omega, &w->t, 0, NULL);
    gsai_vector_dots(space, &w->r, &w->r, &w->first, sums);
    w->next_rho = sums[1];
    return gsai_note(system, sqrt(sums[0]));
}

/* The next direction. Where the residual is orthogonal to the first one, as happens after one iteration when b is 0 but in rows of the identity,
 * a new one from the present residual. @return whether to end */
static bool bicgstab_turn(gsai_system_t *system, bicgstab_t *w) {
    gsai_space_t *const space = system->space;
    const double rho = w->next_rho;

    if (breaks_down(system, w->omega))
        return true;
    if (rho == 0) {
        gsai_vector_combine(space, &w->first, 1, &w->r, 0, NULL, 0, NULL);
        gsai_vector_combine(space, &w->p, 1, &w->r, 0, NULL, 0, NULL);
        w->rho = gsai_vector_dot(space, &w->r, &w->r);
        return breaks_down(system, w->rho);
    }
    const double beta = rho / w->rho * (w->alpha / w->omega);
    w->rho = rho;
    gsai_vector_combine(space, &w->p, 1, &w->r, beta, &w->p, -beta * w->omega, &w->v);
    return breaks_down(system, beta);
}

void gsai_solve_bicgstab(gsai_system_t *system) {
    bicgstab_t w;
    gsai_array_t *const vectors[] = {&w.r, &w.first, &w.p, &w.p_hat, &w.v, &w.s_hat, &w.t};
    enum { COUNT = sizeof vectors / sizeof vectors[0] };

    for (int k = 0; k < COUNT; k++)
        gsai_vector_create(system->space, vectors[k]);
    for (int k = 0; k < 3; k++) /* r, first, p */
        gsai_vector_combine(system->space, vectors[k], 1, system->b, 0, NULL, 0, NULL);
    w.rho = system->b_norm * system->b_norm;
    bool is_done = gsai_note(system, system->b_norm);
    while (!is_done)
        is_done = bicgstab_step(system, &w) || bicgstab_turn(system, &w);
    for (int k = 0; k < COUNT; k++)
        gsai_array_delete(vectors[k]);
}

void gsai_solve_cg(gsai_system_t *system) {
    gsai_space_t *const space = system->space;
    gsai_array_t r, z, p, q;

    gsai_vector_create(space, &r);
    gsai_vector_create(space, &z);
    gsai_vector_create(space, &p);
    gsai_vector_create(space, &q);
    gsai_vector_combine(space, &r, 1, system->b, 0, NULL, 0, NULL);
    gsai_precondition(system, &r, &z);
    gsai_vector_combine(space, &p, 1, &z, 0, NULL, 0, NULL);
    double rho = gsai_vector_dot(space, &r, &z);
    bool is_done = gsai_note(system, system->b_norm);
    while (!is_done) {
        gsai_product_apply(system->matrix, &p, &q);
        const double curvature = gsai_vector_dot(space, &p, &q);
        if (breaks_down(system, curvature))
            break;
        const double alpha = rho / curvature;
        system->course->iterations++;
        gsai_vector_combine(space, system->x, 1, system->x, alpha, &p, 0, NULL);
        gsai_vector_combine(space, &r, 1, &r, -alpha, &q, 0, NULL);
        is_done = gsai_note(system, gsai_vector_norm(space, &r));
        if (is_done)
            break;
        gsai_precondition(system, &r, &z);
        const double next = gsai_vector_dot(space, &r, &z);
        is_done = breaks_down(system, next);
        gsai_vector_combine(space, &p, 1, &z, next / rho, &p, 0, NULL);
        rho = next;
    }
    gsai_array_delete(&r);
    gsai_array_delete(&z);
    gsai_array_delete(&p);
    gsai_array_delete(&q);
}

static gsai_status_t check(const gsai_solve_options_t *o, const gsai_t *inverse, gsai_fault_t *fault) {
    if (!(o->tolerance > 0 && isfinite(o->tolerance)))
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "tolerance %g: it is above 0", o->tolerance);
    if (o->iterations_max < 0)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "at most %lld iterations: it is 0 or more",
                         (long long)o->iterations_max);
    if (o->solver == GSAI_GMRES && (o->restart < 1 || o->restart > GSAI_RESTART_MAX))
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "cycles of %d of GMRES: allowed are 1..%d", o->restart,
                         GSAI_RESTART_MAX);
    if (o->solver == GSAI_CG && inverse != NULL && !gsai_is_factored(inverse))
        return gsai_fail(
            fault, GSAI_ERR_ARGUMENT,
            "CG needs a symmetric positive definite preconditioner, which an unfactored inverse is not, "
            "not even of a symmetric matrix: take the factored form, or bicgstab or gmres");
    return GSAI_OK;
}

/* The true residual into `r`. */
static void compare(gsai_system_t *system, gsai_array_t *r) {
    gsai_course_t *const course = system->course;

    gsai_product_apply(system->matrix, system->x, r);
    gsai_vector_combine(system->space, r, 1, system->b, -1, r, 0, NULL);
    course->residual = gsai_vector_norm(system->space, r) / system->b_norm;
    course->is_false =
        course->end == GSAI_END_CONVERGED && !(course->residual <= FALSE_FACTOR * system->options->tolerance);
}

gsai_status_t gsai_solve(const gsai_solve_options_t *options, gsai_product_t *matrix, gsai_t *inverse,
                         const double *b, double *x, gsai_course_t *course_p, gsai_fault_t *fault) {
    gsai_status_t status = check(options, inverse, fault);
    gsai_space_t space;
    gsai_array_t b_array, x_array, r;
    gsai_system_t system = {.options = options,
                            .matrix = matrix,
                            .inverse = inverse,
                            .space = &space,
                            .b = &b_array,
                            .x = &x_array,
                            .course = course_p};

    if (status != GSAI_OK)
        return status;
    *course_p = (gsai_course_t){.end = GSAI_END_CONVERGED};
    gsai_space_create(matrix->n, matrix->gpu, &space);
    gsai_vector_create(&space, &b_array);
    gsai_vector_create(&space, &x_array);
    gsai_vector_create(&space, &r);
    gsai_array_set(&b_array, b);
    system.b_norm = gsai_vector_norm(&space, &b_array);
    const double begin_s = dvmh_wtime();
    if (system.b_norm > 0) {
        if (options->solver == GSAI_BICGSTAB)
            gsai_solve_bicgstab(&system);
        else if (options->solver == GSAI_CG)
            gsai_solve_cg(&system);
        else
            status = gsai_solve_gmres(&system, fault);
        course_p->seconds = dvmh_wtime() - begin_s;
        compare(&system, &r);
    }
    memcpy(x, gsai_array_read(&x_array), (size_t)matrix->n * sizeof *x);
    gsai_array_delete(&b_array);
    gsai_array_delete(&x_array);
    gsai_array_delete(&r);
    gsai_space_delete(&space);
    return status;
}
