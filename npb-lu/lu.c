/* lu: the benchmark LU in ordinary C with directives; dvmhcc compiles it. The C compiler alone makes a sequential program of it.
 *
 * Which loops there are stands in lu_values.h and lu_sweeps.h, what they compute at a point in lu_formulas.h. Here are the arrays, and
 * the order in which loops run. */
#include <math.h>
#include <stdlib.h>

#include "npb-lu/lu_course.h"
#include "npb-lu/lu_formulas.h"

/* Directives are for dvmhcc. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

/* Root mean squares of n - 2 points along each axis. */
static void lu_roots(long n, double s0, double s1, double s2, double s3, double s4, double norm[5]) {
    const double sum[5] = {s0, s1, s2, s3, s4}, points = (double)(n - 2) * (double)(n - 2) * (double)(n - 2);

    for (int m = 0; m < 5; m++)
        norm[m] = sqrt(sum[m] / points);
}

#include "npb-lu/lu_values.h"

#include "npb-lu/lu_sweeps.h"

/* The forcing term is what makes the given solution one of the equations: what they make of it without any forcing. */
#pragma dvm inherit(u, volume, kinetic, frct, rsd)
static void lu_force(long n, double (*u)[n][n][5], double (*volume)[n][n], double (*kinetic)[n][n],
                     double (*frct)[n][n][5], double (*rsd)[n][n][5]) {
    lu_start(n, u, rsd, 1);
    lu_update(n, u, volume, kinetic, rsd, 0);
    lu_residual(n, u, volume, kinetic, rsd);
    lu_copy(n, rsd, frct);
}

#pragma dvm inherit(u, volume, kinetic, frct, rsd)
static void lu_step(lu_course_t *course, long n, double (*u)[n][n][5], double (*volume)[n][n],
                    double (*kinetic)[n][n], double (*frct)[n][n][5], double (*rsd)[n][n][5], double dt) {
    lu_begin_part(course, LU_LOWER);
    lu_lower_sweep(n, u, volume, kinetic, frct, rsd, dt);
    lu_begin_part(course, LU_UPPER);
    lu_upper_sweep(n, u, volume, kinetic, rsd, dt);
    lu_begin_part(course, LU_UPDATE);
    lu_update(n, u, volume, kinetic, rsd, 1 / (LU_RELAXATION * (2 - LU_RELAXATION)));
    lu_begin_part(course, LU_RHS);
    lu_residual(n, u, volume, kinetic, rsd);
}

void lu_solve(lu_course_t *course, long n, long steps, double dt, lu_norms_t *norms_p) {
    const size_t points = (size_t)n * (size_t)n * (size_t)n;
#pragma dvm array distribute[block][block][block][*] shadow[2 : 2][2 : 2][2 : 2][0 : 0]
    double(*u)[n][n][5]; /* what the equations are for */
#pragma dvm array align([k][j][i][m] with u[k][j][i][m]) shadow[1 : 1][1 : 1][1 : 1][0 : 0]
    double(*rsd)[n][n][5]; /* residual without frct, then change of a step */
#pragma dvm array align([k][j][i][m] with u[k][j][i][m]) shadow[0 : 0][0 : 0][0 : 0][0 : 0]
    double(*frct)[n][n][5]; /* forcing term */
#pragma dvm array align([k][j][i] with u[k][j][i][]) shadow[1 : 1][1 : 1][1 : 1]
    double(*volume)[n][n]; /* of a unit of mass */
#pragma dvm array align([k][j][i] with u[k][j][i][]) shadow[1 : 1][1 : 1][1 : 1]
    double(*kinetic)[n][n]; /* energy */

    u = malloc(points * 5 * sizeof(double));
    rsd = malloc(points * 5 * sizeof(double));
    frct = malloc(points * 5 * sizeof(double));
    volume = malloc(points * sizeof(double));
    kinetic = malloc(points * sizeof(double));
    if (u == NULL || rsd == NULL || frct == NULL || volume == NULL || kinetic == NULL)
        lu_no_memory(17.0 * (double)points);
    lu_force(n, u, volume, kinetic, frct, rsd);
    /* Twice: the first time to bring all code and data where they will be. */
    for (int pass = 0; pass < 2; pass++) {
        lu_start(n, u, rsd, 0);
        lu_update(n, u, volume, kinetic, rsd, 0);
        lu_residual(n, u, volume, kinetic, rsd);
        if (pass == 1)
            lu_begin_steps(course);
        for (long step = 1; step <= (pass == 0 ? 1 : steps); step++) {
            lu_step(course, n, u, volume, kinetic, frct, rsd, dt);
            lu_end_step(course);
        }
        lu_begin_part(course, LU_NORMS);
        lu_residual_norms(n, frct, rsd, norms_p->residual);
        lu_end_steps(course);
    }
    lu_error_norms(n, u, norms_p->error);
    norms_p->integral = lu_surface_integral(n, u);
    free(kinetic);
    free(volume);
    free(frct);
    free(rsd);
    free(u);
}
