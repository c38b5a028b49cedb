/* The program's command line. */
#ifndef EXAMPLES_GSAI_GSAI_PROGRAM_H
#define EXAMPLES_GSAI_GSAI_PROGRAM_H

#include "examples/gsai/gsai_generate.h"
#include "examples/gsai/gsai_read.h"
#include "examples/gsai/gsai_solve.h"

/** Solves of one run at most. */
#define PROGRAM_REPEATS_MAX 1000

/** What the command line says. Texts are those of argv. */
typedef struct program_options {
    const char *matrix, *write; /* matrix: a file, or the problem as given; write: NULL for none */
    bool is_generated;
    gsai_problem_t problem; /* when is_generated */
    gsai_options_t build;
    gsai_solve_options_t solve;
    gsai_read_options_t read;
    bool is_solved, is_json, is_help;
    int repeats;                  /* right-hand sides */
    const char *pattern, *solver; /* as given, for output */
} program_options_t;

/** The text of --help. */
extern const char program_help[];

/** Read a command line. @return GSAI_OK, GSAI_ERR_ARGUMENT with a message that says what is allowed */
gsai_status_t program_read_options(int argc, char **argv, program_options_t *options_p, gsai_fault_t *fault);

#endif
