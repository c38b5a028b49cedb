/* Growing text and lists of words, the two containers of dvmhcc. A failed allocation is remembered and asked for once, at the end
 * of a piece of work, so that code that writes text stays readable. Decides nothing about what the text means. */
#ifndef DVMHCC_TEXT_H
#define DVMHCC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Bytes that grow. All zero is an empty text. data ends with a NUL that length does not count; NULL while nothing was added. */
typedef struct dvmhcc_text {
    char *data;
    size_t length, capacity;
    bool failed; /* an allocation failed: what was added since is lost */
} dvmhcc_text_t;

/** Append bytes, a string, or formatted text. */
void dvmhcc_text_add(dvmhcc_text_t *text, const char *bytes, size_t length);
void dvmhcc_text_add_string(dvmhcc_text_t *text, const char *string);
void dvmhcc_text_printf(dvmhcc_text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Append the rest of a file. @return false  reading failed (errno says why) or memory ran out (failed is set) */
bool dvmhcc_text_read(dvmhcc_text_t *text, FILE *file);

/** Append a line marker, `# line "file"`, as the preprocessor writes it: alone on its line, the name escaped.
 * @param system  add the flag of system headers, whose code the compiler does not warn about */
void dvmhcc_text_add_marker(dvmhcc_text_t *text, int line, const char *file, bool system);

/** The text as a string; "" while nothing was added. Valid until the next change. */
const char *dvmhcc_text_string(const dvmhcc_text_t *text);

/** Whether all allocations succeeded. @return false  some failed; told with dvmhcc_report */
bool dvmhcc_text_good(const dvmhcc_text_t *text);

/** Give the memory back; the text is empty again. */
void dvmhcc_text_free(dvmhcc_text_t *text);

/** Strings in order, such as the arguments of a command. All zero is an empty list. word ends with a NULL that count does not
 * count; NULL while nothing was added. */
typedef struct dvmhcc_words {
    char **word;
    int count, capacity;
    bool failed;
} dvmhcc_words_t;

/** Append a copy of a word, of formatted text as one word, or of all words of another list. */
void dvmhcc_words_add(dvmhcc_words_t *words, const char *word);
void dvmhcc_words_printf(dvmhcc_words_t *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void dvmhcc_words_add_all(dvmhcc_words_t *words, const dvmhcc_words_t *more);

/** Append the words that blanks separate in a string. */
void dvmhcc_words_split(dvmhcc_words_t *words, const char *string);

/** Whether all allocations succeeded. @return false  some failed; told with dvmhcc_report */
bool dvmhcc_words_good(const dvmhcc_words_t *words);

void dvmhcc_words_free(dvmhcc_words_t *words);

/** Tell that memory ran out. @return false, so that `return dvmhcc_no_memory();` is the whole error path */
bool dvmhcc_no_memory(void);

/** Make room for one more element in an array that doubles: grow *array of *capacity elements of size bytes when count elements
 * fill it. @return false  no memory, told with dvmhcc_report; the array stays as it is */
bool dvmhcc_grow(void **array, size_t *capacity, size_t count, size_t size);

#endif
