/* The words of a directive. One pass cuts the text, a second one matches the brackets, so that the parser can jump over a
 * bracket and never meets one that is open. A text with a fault is not parsed further: what an unclosed quote or bracket
 * swallowed would only give messages that mislead. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_lexer.h"

#include <stdio.h>
#include <string.h>

typedef struct lexer {
    const char *text; /* the arena's copy */
    size_t length, at;
    bool blank;
    dvmhcc_token_t *tokens;
    int count;
    dvmhcc_lexer_fault_t *fault;
} lexer_t;

/* Signs of more than one character, longest first. */
static const char *const long_signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                         "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                         "*=",  "/=",  "%=",  "&=", "|=", "^=", "##"};

/* Not isalpha and its kin: those depend on the locale. */
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (unsigned char)c > 127;
}
static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* The byte `ahead` further on; a NUL behind the end, which belongs to no word. */
static char peek(const lexer_t *lexer, size_t ahead) {
    return ahead < lexer->length - lexer->at ? lexer->text[lexer->at + ahead] : '\0';
}

static void set_fault(dvmhcc_lexer_fault_t *fault, size_t offset, size_t length, const char *message) {
    fault->offset = offset;
    fault->length = length;
    snprintf(fault->message, sizeof fault->message, "%s", message);
}

static void add(lexer_t *lexer, dvmhcc_token_kind_t kind, size_t length) {
    lexer->tokens[lexer->count++] = (dvmhcc_token_t){.kind = kind,
                                                     .text = lexer->text + lexer->at,
                                                     .length = length,
                                                     .offset = lexer->at,
                                                     .blank = lexer->blank,
                                                     .partner = -1};
    lexer->at += length;
    lexer->blank = false;
}

/* A backslash at the end of a line, with the blanks that editors leave behind it. @return its length, 0 when it is none */
static size_t joined_line(const lexer_t *lexer) {
    size_t ahead = 1;
    if (peek(lexer, 0) != '\\')
        return 0;
    while (peek(lexer, ahead) == ' ' || peek(lexer, ahead) == '\t' || peek(lexer, ahead) == '\r')
        ahead++;
    return peek(lexer, ahead) == '\n' ? ahead + 1 : 0;
}

/* Over white space and comments. @return false when a comment does not end */
static bool skip_blank(lexer_t *lexer) {
    while (lexer->at < lexer->length) {
        const size_t from = lexer->at;
        if (is_space(peek(lexer, 0))) {
            lexer->at++;
        } else if (joined_line(lexer) > 0) {
            lexer->at += joined_line(lexer);
        } else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '/') {
            while (lexer->at < lexer->length && peek(lexer, 0) != '\n')
                lexer->at += joined_line(lexer) > 0 ? joined_line(lexer) : 1;
        } else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*') {
            lexer->at += 2;
            while (lexer->at < lexer->length && !(peek(lexer, 0) == '*' && peek(lexer, 1) == '/'))
                lexer->at++;
            if (lexer->at == lexer->length) {
                set_fault(lexer->fault, from, 2, "this comment has no end");
                return false;
            }
            lexer->at += 2;
        } else {
            break;
        }
        lexer->blank = true;
    }
    return true;
}

static size_t name_length(const lexer_t *lexer) {
    size_t length = 1;
    while (is_name_start(peek(lexer, length)) || is_digit(peek(lexer, length)))
        length++;
    return length;
}

static size_t number_length(const lexer_t *lexer) {
    size_t length = 1;
    for (;; length++) {
        const char c = peek(lexer, length), before = peek(lexer, length - 1);
        const bool sign_of_exponent =
            (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
        if (!is_digit(c) && !is_name_start(c) && c != '.' && !sign_of_exponent)
            return length;
    }
}

/* @return length of a text in quotes; 0 when it does not end on its line, or holds a NUL */
static size_t quoted_length(const lexer_t *lexer) {
    const char quote = peek(lexer, 0);
    for (size_t length = 1; length < lexer->length - lexer->at; length++) {
        const char c = peek(lexer, length);
        /* The tree holds texts of C, which a NUL would cut. */
        if (c == quote)
            return memchr(lexer->text + lexer->at, '\0', length) == NULL ? length + 1 : 0;
        if (c == '\n')
            return 0;
        if (c == '\\')
            length++;
    }
    return 0;
}

static size_t sign_length(const lexer_t *lexer) {
    for (size_t i = 0; i < sizeof long_signs / sizeof long_signs[0]; i++) {
        const size_t length = strlen(long_signs[i]);
        if (length <= lexer->length - lexer->at &&
            memcmp(lexer->text + lexer->at, long_signs[i], length) == 0)
            return length;
    }
    return peek(lexer, 0) != '\0' && strchr("()[]{},:;?.+-*/%&|^~!<>=@#", peek(lexer, 0)) != NULL ? 1 : 0;
}

static void cut(lexer_t *lexer) {
    while (skip_blank(lexer) && lexer->at < lexer->length) {
        const char c = peek(lexer, 0);
        if (is_name_start(c)) {
            add(lexer, DVMHCC_TOKEN_NAME, name_length(lexer));
        } else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
            add(lexer, DVMHCC_TOKEN_NUMBER, number_length(lexer));
        } else if (c == '"' || c == '\'') {
            const size_t length = quoted_length(lexer);
            if (length == 0) {
                set_fault(lexer->fault, lexer->at, 1, "this quote has no end on its line");
                return;
            }
            add(lexer, DVMHCC_TOKEN_QUOTED, length);
        } else {
            const size_t length = sign_length(lexer);
            if (length == 0) {
                char shown[64], message[96];
                const dvmhcc_token_t stray = {.kind = DVMHCC_TOKEN_SIGN,
                                              .text = lexer->text + lexer->at,
                                              .length = 1};
                snprintf(message, sizeof message, "stray %s", dvmhcc_token_show(&stray, shown));
                set_fault(lexer->fault, lexer->at, 1, message);
                return;
            }
            add(lexer, DVMHCC_TOKEN_SIGN, length);
        }
    }
}

static char closing(char opening) {
    return opening == '(' ? ')' : opening == '[' ? ']' : '}';
}

static void match_brackets(lexer_t *lexer) {
    int open[DVMHCC_DIRECTIVE_DEPTH_MAX], depth = 0;
    char message[96];
    for (int i = 0; i < lexer->count; i++) {
        dvmhcc_token_t *token = &lexer->tokens[i];
        if (token->kind != DVMHCC_TOKEN_SIGN || token->length != 1)
            continue;
        const char c = token->text[0];
        if (c == '(' || c == '[' || c == '{') {
            if (depth == DVMHCC_DIRECTIVE_DEPTH_MAX) {
                snprintf(message, sizeof message, "brackets inside brackets, more than %d deep",
                         DVMHCC_DIRECTIVE_DEPTH_MAX);
                set_fault(lexer->fault, token->offset, 1, message);
                return;
            }
            open[depth++] = i;
        } else if (c == ')' || c == ']' || c == '}') {
            const char expected = depth > 0 ? closing(lexer->tokens[open[depth - 1]].text[0]) : '\0';
            if (c != expected) {
                if (depth == 0)
                    snprintf(message, sizeof message, "'%c' closes nothing", c);
                else
                    snprintf(message, sizeof message, "expected '%c', got '%c'", expected, c);
                set_fault(lexer->fault, token->offset, 1, message);
                return;
            }
            depth--;
            token->partner = open[depth];
            lexer->tokens[open[depth]].partner = i;
        }
    }
    if (depth > 0) {
        const dvmhcc_token_t *token = &lexer->tokens[open[depth - 1]];
        snprintf(message, sizeof message, "'%c' is never closed", token->text[0]);
        set_fault(lexer->fault, token->offset, 1, message);
    }
}

rts_status_t dvmhcc_lex(dvmhcc_arena_t *arena, const char *text, size_t length,
                        const dvmhcc_token_t **tokens_p, dvmhcc_lexer_fault_t *fault_p) {
    lexer_t lexer = {.length = length, .fault = fault_p};
    const bool too_long = length > DVMHCC_DIRECTIVE_LENGTH_MAX;
    if (too_long)
        lexer.length = 0;
    /* No word is empty, so there are at most as many as bytes, and one end. */
    const size_t bytes = (lexer.length + 1) * sizeof *lexer.tokens;
    lexer.text = dvmhcc_arena_copy(arena, text, lexer.length);
    lexer.tokens = dvmhcc_arena_take(arena, bytes);
    if (lexer.text == NULL || lexer.tokens == NULL)
        return rts_fail_memory("the words of a directive", bytes);

    fault_p->message[0] = '\0';
    if (too_long)
        set_fault(fault_p, 0, 1, "a directive of more than 65536 characters");
    else
        cut(&lexer);
    if (fault_p->message[0] == '\0')
        match_brackets(&lexer);
    for (int i = 0; i < lexer.count && fault_p->message[0] != '\0'; i++)
        lexer.tokens[i].partner = -1;
    /* Behind the last word, not behind the blanks that may follow. */
    const dvmhcc_token_t *last = lexer.count > 0 ? &lexer.tokens[lexer.count - 1] : NULL;
    lexer.at = last != NULL ? last->offset + last->length : 0;
    add(&lexer, DVMHCC_TOKEN_END, 0);
    *tokens_p = lexer.tokens;
    return RTS_OK;
}

bool dvmhcc_token_is(const dvmhcc_token_t *token, const char *text) {
    return (token->kind == DVMHCC_TOKEN_SIGN || token->kind == DVMHCC_TOKEN_NAME) &&
           strlen(text) == token->length && memcmp(text, token->text, token->length) == 0;
}

const char *dvmhcc_token_show(const dvmhcc_token_t *token, char buffer[64]) {
    if (token->kind == DVMHCC_TOKEN_END)
        return strcpy(buffer, "the end of the directive");
    size_t used = 0;
    buffer[used++] = '\'';
    for (size_t i = 0; i < token->length; i++) {
        const unsigned char c = (unsigned char)token->text[i];
        /* Do not cut inside a character of UTF-8, which has at most three bytes that go on. */
        if (used > 54 || (used > 50 && (c & 0xc0) != 0x80)) {
            memcpy(buffer + used, "...", 3);
            used += 3;
            break;
        }
        if (c < ' ' || c == 127)
            used += (size_t)snprintf(buffer + used, 64 - used, "\\x%02x", c);
        else
            buffer[used++] = (char)c;
    }
    buffer[used++] = '\'';
    buffer[used] = '\0';
    return buffer;
}
