/* Places in preprocessed C: the next word, the end of a word, the partner of a bracket. Knows words only, no grammar. Lines that begin
 * with # (line markers, pragmas) are white space. Never reads at or behind `length`. */
#ifndef DVMHCC_C_TEXT_H
#define DVMHCC_C_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** Offset of the first word at or behind `at`; length when there is none. */
size_t dvmhcc_c_next(const char *text, size_t length, size_t at);

/** Offset behind the word that begins at `at`: a name, a number, a literal in quotes, or one character. */
size_t dvmhcc_c_word_end(const char *text, size_t length, size_t at);

/** Offset behind the last word before `at`, not below `from`. Only for text without literals between the two. */
size_t dvmhcc_c_before(const char *text, size_t from, size_t at);

/**
 * Look for one of some characters outside of brackets and literals.
 *
 * @param stops  characters to look for, which may be closing brackets
 * @return its offset; end when there is none, or when a closing bracket without partner comes first
 */
size_t dvmhcc_c_find(const char *text, size_t end, size_t at, const char *stops);

/** Whether a word that is a name begins at `at` and is this one. */
bool dvmhcc_c_is_name(const char *text, size_t length, size_t at, const char *name);

/** Whether a character may stand in a name. */
bool dvmhcc_c_in_name(char c);

#endif
