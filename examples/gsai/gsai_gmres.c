/* GMRES with restarts, preconditioned from the right: Arnoldi by modified Gram-Schmidt, least squares by Givens rotations. */
#include <math.h>
#include <stdlib.h>

#include "examples/gsai/gsai_solve.h"
#include "examples/gsai/gsai_sparse.h"

/** A cycle. Column j of h is h[j * (restart + 1)] and on. */
typedef struct gmres {
    int restart;
    gsai_array_t *basis; /* restart + 1 */
    gsai_array_t u, z;
    double *h, *cosine, *sine, *right, *y;
} gmres_t;

static void free_memory(gmres_t *w) {
    free(w->basis);
    free(w->h);
    free(w->cosine);
    free(w->sine);
    free(w->right);
    free(w->y);
}

static bool take_memory(gmres_t *w) {
    const int64_t m = w->restart;

    w->basis = gsai_alloc(m + 1, sizeof *w->basis);
    w->h = gsai_alloc(m * (m + 1), sizeof(double));
    w->cosine = gsai_alloc(m, sizeof(double));
    w->sine = gsai_alloc(m, sizeof(double));
    w->right = gsai_alloc(m + 1, sizeof(double));
    w->y = gsai_alloc(m, sizeof(double));
    return w->basis != NULL && w->h != NULL && w->cosine != NULL && w->sine != NULL && w->right != NULL &&
           w->y != NULL;
}

/* basis[j + 1] from basis[j]; column j of h before rotations. */
static void extend_basis(gsai_system_t *system, gmres_t *w, int j) {
    gsai_space_t *const space = system->space;
    double *const h = w->h + (int64_t)j * (w->restart + 1);
    gsai_array_t *const next = &w->basis[j + 1];

    if (!next->exists)
        gsai_vector_create(space, next);
    gsai_precondition(system, &w->basis[j], &w->z);
    gsai_product_apply(system->matrix, &w->z, next);
    for (int i = 0; i <= j; i++) {
        h[i] = gsai_vector_dot(space, next, &w->basis[i]);
        gsai_vector_combine(space, next, 1, next, -h[i], &w->basis[i], 0, NULL);
    }
    h[j + 1] = gsai_vector_norm(space, next);
    if (h[j + 1] > 0)
        gsai_vector_combine(space, next, 1 / h[j + 1], next, 0, NULL, 0, NULL);
}

/* Rotate column j to a triangle. */
static void rotate(gmres_t *w, int j) {
    double *const h = w->h + (int64_t)j * (w->restart + 1);

    for (int i = 0; i < j; i++) {
        const double upper = w->cosine[i] * h[i] + w->sine[i] * h[i + 1];

        h[i + 1] = w->cosine[i] * h[i + 1] - w->sine[i] * h[i];
        h[i] = upper;
    }
    const double length = hypot(h[j], h[j + 1]);
    w->cosine[j] = length > 0 ? h[j] / length : 1;
    w->sine[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    w->right[j + 1] = -w->sine[j] * w->right[j];
    w->right[j] *= w->cosine[j];
}

/* x += M (basis y) from the first `count` columns; those without a pivot, as a singular matrix may have, contribute nothing. */
static void add_to_solution(gsai_system_t *system, gmres_t *w, int count) {
    gsai_space_t *const space = system->space;

    for (int j = count - 1; j >= 0; j--) {
        double sum = w->right[j];

        for (int k = j + 1; k < count; k++)
            sum -= w->h[(int64_t)k * (w->restart + 1) + j] * w->y[k];
        const double pivot = w->h[(int64_t)j * (w->restart + 1) + j];
        w->y[j] = pivot != 0 ? sum / pivot : 0;
    }
    gsai_vector_combine(space, &w->u, w->y[0], &w->basis[0], 0, NULL, 0, NULL);
    for (int j = 1; j < count; j++)
        gsai_vector_combine(space, &w->u, 1, &w->u, w->y[j], &w->basis[j], 0, NULL);
    gsai_precondition(system, &w->u, &w->z);
    gsai_vector_combine(space, system->x, 1, system->x, 1, &w->z, 0, NULL);
}

/* One cycle from the residual in basis[0], of length `norm`. @return whether to end */
static bool run_cycle(gsai_system_t *system, gmres_t *w, double norm) {
    gsai_space_t *const space = system->space;
    bool is_done = false;
    int j = 0;

    gsai_vector_combine(space, &w->basis[0], 1 / norm, &w->basis[0], 0, NULL, 0, NULL);
    w->right[0] = norm;
    while (!is_done && j < w->restart) {
        extend_basis(system, w, j);
        const bool is_exhausted = w->h[(int64_t)j * (w->restart + 1) + j + 1] == 0;
        rotate(w, j);
        system->course->iterations++;
        j++;
        is_done = gsai_note(system, fabs(w->right[j]));
        if (is_exhausted && !is_done) { /* the space is invariant, yet the residual is not small */
            system->course->end = GSAI_END_BREAKDOWN;
            is_done = true;
        }
    }
    add_to_solution(system, w, j);
    return is_done;
}

gsai_status_t gsai_solve_gmres(gsai_system_t *system, gsai_fault_t *fault) {
    gsai_space_t *const space = system->space;
    gmres_t w = {.restart = system->options->restart};
    double norm = system->b_norm;

    if (!take_memory(&w)) {
        free_memory(&w);
        return gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for cycles of %d of GMRES", w.restart);
    }
    gsai_vector_create(space, &w.u);
    gsai_vector_create(space, &w.z);
    gsai_vector_create(space, &w.basis[0]);
    bool is_done = gsai_note(system, norm);
    while (!is_done) {
        gsai_product_apply(system->matrix, system->x, &w.basis[0]);
        gsai_vector_combine(space, &w.basis[0], 1, system->b, -1, &w.basis[0], 0, NULL);
        norm = gsai_vector_norm(space, &w.basis[0]);
        is_done = gsai_note(system, norm) || run_cycle(system, &w, norm);
    }
    for (int j = 0; j <= w.restart; j++)
        gsai_array_delete(&w.basis[j]);
    gsai_array_delete(&w.u);
    gsai_array_delete(&w.z);
    free_memory(&w);
    return GSAI_OK;
}
