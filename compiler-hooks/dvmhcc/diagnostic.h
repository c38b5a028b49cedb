/* Messages about the user's source, as a compiler gives them: file:line:column, the line, a caret, what was expected. Counts
 * errors; decides nothing about what is wrong. Single-threaded. */
#ifndef DVMHCC_DIAGNOSTIC_H
#define DVMHCC_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdio.h>

/** A place in the user's source. */
typedef struct dvmhcc_place {
    const char *file; /* lives until the end; NULL: no file, such as the command line */
    int line, column; /* from 1; column 0: the whole line */
    int length;       /* columns to underline; 0 counts as 1 */
} dvmhcc_place_t;

typedef enum dvmhcc_severity { DVMHCC_NOTE, DVMHCC_WARNING, DVMHCC_ERROR } dvmhcc_severity_t;

/** Print a message on standard error:
 *     heat.c:12:9: error: unknown clause 'shadow_renw'; expected one of across, private, ...
 *       12 | #pragma dvm parallel([i] on A[i]) shadow_renw(A)
 *          |                                   ^~~~~~~~~~~
 * The line is read from the file; when that fails the message comes without. */
void dvmhcc_report(dvmhcc_severity_t severity, const dvmhcc_place_t *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Errors so far. */
int dvmhcc_error_count(void);

/** Tests: write messages here instead of standard error (NULL: back), and forget the count. */
void dvmhcc_report_to(FILE *file);

#endif
