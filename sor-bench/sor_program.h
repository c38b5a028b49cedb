/* The course of a benchmark program, of successive over-relaxation and its likes: everything but its arrays and its loops. A program defines
 * sor_program; sor_program.c has main. */
#ifndef SOR_PROGRAM_H
#define SOR_PROGRAM_H

#include "sor-bench/bench_options.h"

/** What the SOR programs do, for their help. */
#define SOR_WHAT "Successive over-relaxation in place, in Gauss-Seidel order,"

/** Weight of the new value in the relaxation. Exact in every type. */
#define SOR_WEIGHT 1.25

/** Start value, border included, of the element i, j, k: the same in every type as far as it reaches. */
static inline double sor_start_value(long i, long j, long k) {
    return (double)((i * 131 + j * 37 + k * 17) % 1009) / 1009;
}

/** The loops of a program as sequential loops over a C array with extents n, which verify it. */
typedef struct sor_plain {
    void (*start)(void *a, const long n[]);                      /* start values, border included */
    void (*sweep[2][2])(void *a, const long n[], double weight); /* [loops reversed][box stencil] */
} sor_plain_t;

/** One run of a program: its clock and its result. */
typedef struct sor_course sor_course_t;

typedef struct sor_program {
    bench_kind_t kind;
    /** Make the array of options->n elements, set start values, sweep while sor_next_sweep says so, and hand in all values.
     * [float]: for elements of double, of float. */
    void (*run[2])(sor_course_t *course, const bench_options_t *options);
    const sor_plain_t *plain; /* two: for double, for float */
} sor_program_t;

/** What main runs. */
extern const sor_program_t sor_program;

/** The sequential loops of sor2d.c, sor3d.c and the others, made by the C compiler alone: for double, for float. */
extern const sor_plain_t sor2d_plain[2], sor3d_plain[2], jacobi3d_plain[2], adi3d_plain[2];

/** Whether there is another sweep to do. To be called before each and after the last one: times are those between calls. Collective: processes
 * start together. */
bool sor_next_sweep(sor_course_t *course);

/** After the last sweep, before the first value: measure copies, and run the sequential loops when the options say so. Collective. */
void sor_begin_values(sor_course_t *course);

/** Hand in the values of all elements in C order, in every process, to be compared bit for bit. The first difference is told on stderr.
 * @param value  that of a float is the same as a double */
void sor_take_value(sor_course_t *course, double value);

/** End the program with a message: the array has no memory. */
void sor_no_memory(const sor_course_t *course);

#endif
