/* Command line of the benchmark programs. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>

/** Greatest number of axes a benchmark's array has. */
#define BENCH_MAX_RANK 3

typedef struct bench_options {
    long n[BENCH_MAX_RANK]; /* extents of the array, axis 1 first; each >= 1 */
    long iterations;        /* >= 1 */
    bool is_float;          /* elements are float, not double */
    bool is_reversed;       /* loops against storage order */
    bool is_box;            /* all neighbours, corners included, not only those along the axes */
    const char *planner;    /* for DVMH_PLANNER; NULL: as the environment has it */
    bool verify;
    bool json;
} bench_options_t;

/** What the command line and its help need to know of a program. */
typedef struct bench_kind {
    const char *name;
    const char *what; /* it does, a sentence without its end: "on a grid of N axes." follows */
    int rank;         /* axes of the array, 1..BENCH_MAX_RANK */
    long default_n;   /* extent of each axis without -n */
    bool has_box;     /* --stencil box makes a difference; else it is refused */
} bench_kind_t;

/**
 * Read a command line. `--help` prints the options and ends the program with 0; a bad option ends it with 2
 * after a message with the option, the value given and what is allowed.
 */
void bench_options_parse(int argc, char **argv, const bench_kind_t *kind, bench_options_t *options_p);

#endif
