/* The words of a directive: names, numbers, texts in quotes, signs, with every bracket matched to its partner. Decides what is
 * a word and refuses what no directive can hold; knows no directive. Single-threaded. */
#ifndef DVMHCC_DIRECTIVE_LEXER_H
#define DVMHCC_DIRECTIVE_LEXER_H

#include "compiler-hooks/dvmhcc/directive_arena.h"
#include "rts/status.h"

#include <stdbool.h>
#include <stddef.h>

/** Longest text of a directive in bytes, and deepest nesting of brackets. Both keep work and recursion bounded. */
#define DVMHCC_DIRECTIVE_LENGTH_MAX 65536
#define DVMHCC_DIRECTIVE_DEPTH_MAX  64

typedef enum dvmhcc_token_kind {
    DVMHCC_TOKEN_NAME,
    DVMHCC_TOKEN_NUMBER, /* C's preprocessing numbers: 12, 0x1fUL, 1.5e-3 */
    DVMHCC_TOKEN_QUOTED, /* "text" or 'c' */
    DVMHCC_TOKEN_SIGN,   /* operators, brackets, commas; the longest that C has */
    DVMHCC_TOKEN_END     /* behind the last word: length 0 */
} dvmhcc_token_kind_t;

typedef struct dvmhcc_token {
    dvmhcc_token_kind_t kind;
    const char *text; /* length characters, no NUL behind them */
    size_t length;
    size_t offset; /* of its first byte in the directive's text */
    bool blank;    /* white space, a comment or a line end stands before it */
    int partner;   /* of a bracket: index of the other one; of others -1 */
} dvmhcc_token_t;

/** What is wrong with the words: one place and one message. */
typedef struct dvmhcc_lexer_fault {
    size_t offset, length;
    char message[96]; /* "": nothing is wrong */
} dvmhcc_lexer_fault_t;

/**
 * Cut the text of a directive into words.
 *
 * Comments, line ends and backslashes before them are white space. Bytes above 127 belong to names. A NUL is a byte like any
 * other that no directive can hold.
 *
 * @param arena    receives the words and a copy of the text
 * @param text     length bytes, any; NULL when length is 0
 * @param tokens_p receives the words, the last of kind DVMHCC_TOKEN_END; after a fault only the words before it, all with
 *                 partner -1
 * @param fault_p  receives the first fault: a text that is too long, a byte that belongs to no word, quotes or a comment
 *                 without end, brackets that do not match or lie too deep
 * @return RTS_OK             also with a fault
 * @return RTS_ERR_NO_MEMORY  nothing is set
 */
rts_status_t dvmhcc_lex(dvmhcc_arena_t *arena, const char *text, size_t length,
                        const dvmhcc_token_t **tokens_p, dvmhcc_lexer_fault_t *fault_p);

/** Whether a token is this sign or name. */
bool dvmhcc_token_is(const dvmhcc_token_t *token, const char *text);

/** For messages: the token in quotes, "'word'", shortened and with odd bytes as \xNN; the end as "the end of the directive".
 * @return buffer */
const char *dvmhcc_token_show(const dvmhcc_token_t *token, char buffer[64]);

#endif
