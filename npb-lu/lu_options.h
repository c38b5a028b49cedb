/* Command line of lu. */
#ifndef LU_OPTIONS_H
#define LU_OPTIONS_H

#include "npb-lu/lu_problem.h"

typedef struct lu_options {
    const lu_problem_t *problem;
    long steps;          /* >= 1; the class's own number unless the user says otherwise */
    const char *planner; /* for DVMH_PLANNER; NULL: as the environment has it */
    int verify;          /* the exit code tells whether the norms are as published */
    int json;
} lu_options_t;

/** Read a command line. `--help` prints the options and ends the program with 0; a bad option ends it with 2 after a message with the
 * option, the value given and what is allowed. */
void lu_options_parse(int argc, char **argv, lu_options_t *options_p);

#endif
