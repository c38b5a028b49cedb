/* C text cut into tokens, and which tokens of one text stand in another: how text that the preprocessor wrote is found again in
 * what the user wrote. Knows no macros: it compares, so an answer about expanded text is a good guess, and only messages use it. */
#ifndef DVMHCC_ALIGNMENT_H
#define DVMHCC_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

/** A name, a number, a literal or one character of punctuation. */
typedef struct dvmhcc_lexeme {
    size_t begin, length; /* bytes of the text */
    int line, column;     /* lines after the first, from 0; column in that line, from 1 */
} dvmhcc_lexeme_t;

typedef struct dvmhcc_lexemes {
    const char *text; /* the caller's */
    dvmhcc_lexeme_t *lexeme;
    size_t count, capacity;
} dvmhcc_lexemes_t;

/** Where cutting stops. */
typedef enum dvmhcc_cut {
    DVMHCC_CUT_TEXT,      /* at the end of the text */
    DVMHCC_CUT_DIRECTIVE, /* at the first end of line that no backslash joins and no comment holds */
    DVMHCC_CUT_LINE /* the same, but inside parentheses that the line opened it goes on: arguments of a macro */
} dvmhcc_cut_t;

/**
 * Cut text into tokens. Comments and joined lines are white space.
 *
 * @param lexemes  empty or with earlier content, which is replaced; give it back with dvmhcc_lexemes_free
 * @return false   no memory; told
 */
bool dvmhcc_lexemes_cut(const char *text, size_t length, dvmhcc_cut_t cut, dvmhcc_lexemes_t *lexemes);

void dvmhcc_lexemes_free(dvmhcc_lexemes_t *lexemes);

/**
 * Find the token of `user` that the token number `index` of `made` comes from: the one that a heaviest common subsequence pairs it
 * with, or, for a token that only macros brought in, the one that stands where it was expanded.
 *
 * @return number of a token of user; user->count when it has none
 */
size_t dvmhcc_alignment_find(const dvmhcc_lexemes_t *made, const dvmhcc_lexemes_t *user, size_t index);

#endif
