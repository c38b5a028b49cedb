/* The course of a SOR program: everything but its loop bodies. */
#ifndef SOR_PROGRAM_H
#define SOR_PROGRAM_H

#include <dvmhlib2.h>

/** Weight of the new value in the relaxation. Exact in every type. */
#define SOR_WEIGHT 1.25

/** Loops for one element type. Record handlers get one parameter: const double *, the weight. */
typedef struct sor_kernels {
    DvmHandlerFunc start;       /* start values, borders included */
    DvmHandlerFunc sweep[2][2]; /* [loops reversed][box stencil] */
    /* The same as plain loops over a C array with extents n. */
    void (*plain_start)(void *a, const long n[]);
    void (*plain_sweep[2][2])(void *a, const long n[], double weight);
} sor_kernels_t;

typedef struct sor_program {
    const char *name;
    int rank;
    long default_n;
    sor_kernels_t of_double, of_float;
} sor_program_t;

/** Run the program. Does not return: the runtime ends it. */
void sor_program_run(int argc, char **argv, const sor_program_t *program);

#endif
