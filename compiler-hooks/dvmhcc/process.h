/* Programs that dvmhcc runs: the compilers. Decides nothing about what is run. Single-threaded; at most one program at a time, and one
 * beside it. */
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

/**
 * Start a program beside those of dvmhcc_process_run.
 *
 * @param words, verbose  as above
 * @param log             file for all that it prints, so that it does not mix with what others print
 * @return false          it was not started; told. Then there is nothing to wait for
 */
bool dvmhcc_process_start(const dvmhcc_words_t *words, const char *log, bool verbose);

/** Wait for it, and show what it printed. @return as dvmhcc_process_run */
bool dvmhcc_process_wait(void);

/** A program that runs now: 0 that of dvmhcc_process_run, 1 the one beside it. @return 0: none. For signal handlers */
pid_t dvmhcc_process_running(int which);

#endif
