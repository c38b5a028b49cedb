/* The classes of the benchmark and what their norms must be. */
#ifndef LU_PROBLEM_H
#define LU_PROBLEM_H

/** What a run is judged by. */
typedef struct lu_norms {
    double residual[5], error[5]; /* root mean squares */
    double integral;              /* of the pressure over a surface */
} lu_norms_t;

/** A class. */
typedef struct lu_problem {
    char name;
    long n; /* points along each axis */
    long steps;
    double dt;            /* of a step */
    lu_norms_t reference; /* published with NPB 3 */
} lu_problem_t;

/** Greatest relative difference to the reference. */
#define LU_TOLERANCE 1e-8

/** The names of all classes. */
#define LU_CLASSES "S, W, A, B, C or D"

/** @return NULL: no such class */
const lu_problem_t *lu_problem_find(const char *name);

/** Relative difference; NaN when either is none. */
double lu_difference(double value, double reference);

/** Whether all norms are as published. */
int lu_is_verified(const lu_norms_t *norms, const lu_norms_t *reference);

/** Millions of operations a second by the benchmark's own count. @param seconds  > 0 */
double lu_mops(const lu_problem_t *problem, long steps, double seconds);

#endif
