/* The course of a run: its clock and its result. The annotated source, lu.c, says when; what lies around the arrays and loops is done
 * here, so that lu.c is the same program with and without the runtime. */
#ifndef LU_COURSE_H
#define LU_COURSE_H

#include "npb-lu/lu_problem.h"

/** What the time of a step is split into. */
typedef enum lu_part { LU_RHS, LU_LOWER, LU_UPPER, LU_UPDATE, LU_NORMS, LU_PARTS } lu_part_t;

/** One run. */
typedef struct lu_course lu_course_t;

/** The time steps begin now; what came before is not measured. Collective: processes start together. */
void lu_begin_steps(lu_course_t *course);

/** A part of a step begins; the one before it ends. */
void lu_begin_part(lu_course_t *course, lu_part_t part);

/** A step ends, and its last part. */
void lu_end_step(lu_course_t *course);

/** All that is measured ends, and its last part. */
void lu_end_steps(lu_course_t *course);

/** End the program with a message: the arrays, of so many elements of double, have no memory. */
void lu_no_memory(double elements);

/** All of the benchmark but its command line and its output (lu.c): arrays, start values, steps, norms. Collective. */
void lu_solve(lu_course_t *course, long n, long steps, double dt, lu_norms_t *norms_p);

#endif
