/* Programs that dvmhcc runs: the C compiler. Decides nothing about what is run. Single-threaded; at most one program at a time. */
#ifndef DVMHCC_PROCESS_H
#define DVMHCC_PROCESS_H

#include "compiler-hooks/dvmhcc/text.h"

#include <sys/types.h>

/**
 * Run a program and wait for it. Its standard error is ours, so its messages reach the user as they are.
 *
 * @param words    program, looked for along PATH, and arguments
 * @param input    its standard input; NULL: ours
 * @param output   what it writes to standard output is appended; NULL: goes to ours
 * @param verbose  print the command on standard error first, in a form that a shell would read
 * @return true when it ran and ended with exit code 0. Otherwise false: that it could not be started, was killed, or that memory
 *         ran out is told with dvmhcc_report; a program that ends with another exit code has told why itself
 */
bool dvmhcc_process_run(const dvmhcc_words_t *words, const dvmhcc_text_t *input, dvmhcc_text_t *output,
                        bool verbose);

/** The program that runs now; 0: none. For signal handlers. */
pid_t dvmhcc_process_running(void);

#endif
