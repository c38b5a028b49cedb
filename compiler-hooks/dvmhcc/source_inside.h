/* The inside of a preprocessed source, shared by the files that fill and read it. */
#ifndef DVMHCC_SOURCE_INSIDE_H
#define DVMHCC_SOURCE_INSIDE_H

#include "compiler-hooks/dvmhcc/source.h"

/** A file that line markers named, and its content where a message needed it. */
typedef struct dvmhcc_file {
    char *name;
    bool system; /* a header of the system */
    bool read;   /* content and lines are filled in, or could not be */
    dvmhcc_text_t content;
    size_t *line_begins; /* offsets of the lines, line_count of them */
    size_t line_count;
} dvmhcc_file_t;

/** Where a line of the text comes from. A line marker has the entry of what follows. */
typedef struct dvmhcc_line {
    size_t offset;
    int file, line;
    bool system;
} dvmhcc_line_t;

/** A #define or #undef of the user, in the order of the source. */
typedef struct dvmhcc_event {
    char *name;
    char *line; /* the directive; NULL: #undef */
    int next;   /* number of the next event about the same name; -1: none */
} dvmhcc_event_t;

struct dvmhcc_source {
    dvmhcc_text_t text;
    dvmhcc_file_t *files;
    size_t file_count, file_capacity;
    dvmhcc_line_t *lines;
    size_t line_count, line_capacity;
    dvmhcc_pragma_t *pragmas;
    size_t pragma_count, pragma_capacity;
    dvmhcc_include_t *includes;
    size_t include_count, include_capacity;
    dvmhcc_event_t *events;
    size_t event_count, event_capacity;
};

/**
 * Read what the preprocessor wrote, with -dD and -dI, into a source.
 *
 * @param main_file  name of the source
 * @param expansion  appended: a source for the preprocessor whose output has the words of all directives, macros expanded
 * @return false     no memory; told
 */
bool dvmhcc_source_parse(dvmhcc_source_t *source, const char *main_file, const dvmhcc_text_t *raw,
                         dvmhcc_text_t *expansion);

/** What `expansion` of dvmhcc_source_parse became: put the expanded words into the directives. @return false  no memory; told */
bool dvmhcc_source_expanded(dvmhcc_source_t *source, const dvmhcc_text_t *expanded);

/** Append the words of a directive, in a form that keeps words of the language from being expanded, for directive number index.
 * @return false  no memory to read the words; told. A text that failed to grow is not told here */
bool dvmhcc_pragma_add_expansion(dvmhcc_text_t *expansion, const char *words, int index);

#endif
