/* A preprocessed source: the text that is parsed and edited, and what is known about every place in it: the user's file and line,
 * the directives with their macros expanded, the headers of the system. Runs the C compiler as preprocessor; understands neither
 * C nor directives. Single-threaded.
 *
 * The text is what `cc -E` writes, with line markers `# line "file"` wherever the line is not the next one, so any C compiler
 * or parser reads it. Lines of `#pragma` and the user's `#undef` stand in it, other directives do not. */
#ifndef DVMHCC_SOURCE_H
#define DVMHCC_SOURCE_H

#include "compiler-hooks/dvmhcc/command.h"
#include "compiler-hooks/dvmhcc/diagnostic.h"

#include <stdint.h>

/** What _DVMH is defined as: the version of the language. */
#define DVMHCC_LANGUAGE_VERSION "1"

/** One `#pragma dvm` line, of the source or of a header, also one that _Pragma made. */
typedef struct dvmhcc_pragma {
    size_t begin, end; /* of the line in the text, without its newline */
    char *
        words; /* what follows `dvm`, macros expanded, without blanks at the ends; lines joined, comments gone */
    int file, line; /* first line in the user's file; number of the file inside */
} dvmhcc_pragma_t;

/** An include directive by which a file of the user brought in a header of the system, and all that it brought. */
typedef struct dvmhcc_include {
    size_t begin, end; /* in the text: whole lines; empty when only macros were defined */
    char *header;      /* as written: <stdio.h> */
    bool in_main;      /* the directive stands in the source itself, not in a header of the user */
    int file, line;    /* of the directive */
    int event_count;   /* definitions of the user before it; inside */
    char *again;       /* macros that must not be expanded a second time, one name a line; inside */
} dvmhcc_include_t;

typedef struct dvmhcc_source dvmhcc_source_t;

/**
 * Preprocess a C source, and with -MD write its dependencies.
 *
 * @param file      name as the user wrote it
 * @param source_p  set on success; give it back with dvmhcc_source_free
 * @return false    the file cannot be read, the compiler refused it, or memory ran out; all told
 */
bool dvmhcc_source_read(const dvmhcc_command_t *command, const char *file, dvmhcc_source_t **source_p);

void dvmhcc_source_free(dvmhcc_source_t *source);

/** The text; ends with a NUL that length does not count. Lives as long as the source, like all that follows. */
const char *dvmhcc_source_text(const dvmhcc_source_t *source, size_t *length_p);

/** The directives, in the order of the text. */
int dvmhcc_source_pragma_count(const dvmhcc_source_t *source);
const dvmhcc_pragma_t *dvmhcc_source_pragma(const dvmhcc_source_t *source, int index);

/** The headers of the system that were written with <>, in the order of the text, not nested. One that holds a directive is not
 * among them: its text must stay. */
int dvmhcc_source_include_count(const dvmhcc_source_t *source);
const dvmhcc_include_t *dvmhcc_source_include(const dvmhcc_source_t *source, int index);

/**
 * Append lines that may stand in place of an include's range [begin, end): they include the header again, with the user's macros
 * of that point defined as they were and forgotten afterwards, since the rest of the text is expanded already. Lines of our own
 * that include headers must follow the last of them: a header read earlier would miss macros such as _GNU_SOURCE.
 *
 * The user's #undef lines in the text and those appended here keep the header's macros from changing expanded text. One case is
 * left: a macro of the system that expands to a second one whose text names the first.
 */
void dvmhcc_source_include_again(const dvmhcc_source_t *source, int index, dvmhcc_text_t *text);

/** File and line that an offset of the text comes from, 0 <= offset <= length. Column 0: cheap, for line markers. */
dvmhcc_place_t dvmhcc_source_line(const dvmhcc_source_t *source, size_t offset);

/** The same with the column: the user's line is read and compared with the text. Where macros changed it, the column is that of
 * the nearest word that was written; 0 when the file cannot be read. length is that of the word. */
dvmhcc_place_t dvmhcc_source_place(dvmhcc_source_t *source, size_t offset);

/** The place of a part of a directive's words, 0 <= offset <= their length. length counts bytes of the
 * words; the place underlines as much of the line as it covers. */
dvmhcc_place_t dvmhcc_source_pragma_place(dvmhcc_source_t *source, int index, size_t offset, size_t length);

/** Whether an offset comes from a header of the system. */
bool dvmhcc_source_is_system(const dvmhcc_source_t *source, size_t offset);

#endif
