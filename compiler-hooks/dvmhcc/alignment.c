/* Tokens and their alignment. Equal beginnings and ends are paired first, so that the quadratic part works on what macros changed
 * only. */
#include <config.h>

#include "compiler-hooks/dvmhcc/alignment.h"

#include "compiler-hooks/dvmhcc/text.h"
#include "rts/memory.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* Products of token counts above this are not aligned in the middle: 4 million cells are milliseconds. */
#define CELLS_MAX ((size_t)4 << 20)

/* Lines that the arguments of one macro may span. */
#define LINES_MAX 1000

typedef struct reader {
    const char *text;
    size_t length, at;
    int line;
    size_t line_begin;
    int depth; /* open parentheses */
} reader_t;

static char peek(const reader_t *r, size_t ahead) {
    return r->at + ahead < r->length ? r->text[r->at + ahead] : '\0';
}

static void step(reader_t *r) {
    if (r->text[r->at++] == '\n') {
        r->line++;
        r->line_begin = r->at;
    }
}

/* Bytes of a joined line's end at the reader: backslash, blanks, newline. 0: none. */
static size_t joint_length(const reader_t *r) {
    if (peek(r, 0) != '\\')
        return 0;
    size_t ahead = 1;
    while (peek(r, ahead) == ' ' || peek(r, ahead) == '\t' || peek(r, ahead) == '\r')
        ahead++;
    return peek(r, ahead) == '\n' ? ahead + 1 : 0;
}

static void skip(reader_t *r, size_t count) {
    while (count-- > 0)
        step(r);
}

/* Skip blanks, comments and joints. @return false  the cut or the end of the text is reached */
static bool skip_blanks(reader_t *r, dvmhcc_cut_t cut) {
    while (r->at < r->length) {
        const size_t joint = joint_length(r);
        if (joint > 0) {
            skip(r, joint);
        } else if (peek(r, 0) == '/' && peek(r, 1) == '*') {
            skip(r, 2);
            while (r->at < r->length && !(peek(r, 0) == '*' && peek(r, 1) == '/'))
                step(r);
            skip(r, r->at < r->length ? 2 : 0);
        } else if (peek(r, 0) == '/' && peek(r, 1) == '/') {
            while (r->at < r->length && peek(r, 0) != '\n')
                skip(r, joint_length(r) > 0 ? joint_length(r) : 1);
        } else if (peek(r, 0) == '\n') {
            if (cut == DVMHCC_CUT_DIRECTIVE ||
                (cut == DVMHCC_CUT_LINE && (r->depth == 0 || r->line >= LINES_MAX)))
                return false;
            step(r);
        } else if (isspace((unsigned char)peek(r, 0))) {
            step(r);
        } else {
            return true;
        }
    }
    return false;
}

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || ((unsigned char)c & 0x80) != 0;
}

/* Bytes of the token at the reader, which stands on none of the above. */
static size_t token_length(const reader_t *r) {
    const char first = peek(r, 0);
    size_t length = 1;
    if (first == '"' || first == '\'') {
        while (peek(r, length) != first && peek(r, length) != '\n' && r->at + length < r->length)
            length += peek(r, length) == '\\' && r->at + length + 1 < r->length ? 2 : 1;
        return length + (peek(r, length) == first);
    }
    const bool number = isdigit((unsigned char)first) || (first == '.' && isdigit((unsigned char)peek(r, 1)));
    if (number) {
        /* A preprocessing number: 1e+5, 0x1p-3. */
        while (in_name(peek(r, length)) || peek(r, length) == '.' ||
               ((peek(r, length) == '+' || peek(r, length) == '-') &&
                strchr("eEpP", peek(r, length - 1)) != NULL))
            length++;
    } else if (in_name(first)) {
        while (in_name(peek(r, length)))
            length++;
    }
    return length;
}

bool dvmhcc_lexemes_cut(const char *text, size_t length, dvmhcc_cut_t cut, dvmhcc_lexemes_t *lexemes) {
    reader_t r = {.text = text, .length = length};
    lexemes->text = text;
    lexemes->count = 0;
    while (skip_blanks(&r, cut)) {
        if (!dvmhcc_grow((void **)&lexemes->lexeme, &lexemes->capacity, lexemes->count,
                         sizeof *lexemes->lexeme))
            return false;
        const size_t bytes = token_length(&r);
        lexemes->lexeme[lexemes->count++] = (dvmhcc_lexeme_t){.begin = r.at,
                                                              .length = bytes,
                                                              .line = r.line,
                                                              .column = (int)(r.at - r.line_begin) + 1};
        if (peek(&r, 0) == '(')
            r.depth++;
        else if (peek(&r, 0) == ')' && r.depth > 0) /* one more closes what an earlier line opened */
            r.depth--;
        skip(&r, bytes);
    }
    return true;
}

void dvmhcc_lexemes_free(dvmhcc_lexemes_t *lexemes) {
    rts_free(lexemes->lexeme);
    *lexemes = (dvmhcc_lexemes_t){0};
}

static bool equal(const dvmhcc_lexemes_t *a, size_t i, const dvmhcc_lexemes_t *b, size_t j) {
    const dvmhcc_lexeme_t *x = &a->lexeme[i], *y = &b->lexeme[j];
    return x->length == y->length && memcmp(a->text + x->begin, b->text + y->begin, x->length) == 0;
}

/* Words say more than punctuation: no number of brackets that could be paired outweighs a name. */
static uint32_t weight(const dvmhcc_lexemes_t *lexemes, size_t index) {
    const char first = lexemes->text[lexemes->lexeme[index].begin];
    return in_name(first) || first == '"' || first == '\'' ? 256 : 1;
}

/* The middle of two texts: made [i0, i1), user [j0, j1). @return number in user */
static size_t find_in_middle(const dvmhcc_lexemes_t *made, size_t i0, size_t i1, const dvmhcc_lexemes_t *user,
                             size_t j0, size_t j1, size_t index) {
    const size_t rows = i1 - i0, columns = j1 - j0;
    if (columns == 0 || rows + 1 > CELLS_MAX / (columns + 1))
        return j0; /* where the texts begin to differ */
    /* common[i][j]: weight of the heaviest common subsequence of what follows made i and user j. */
    const size_t width = columns + 1;
    uint32_t *common = rts_alloc_zeroed((rows + 1) * width, sizeof *common);
    if (common == NULL)
        return j0;
    for (size_t i = rows; i-- > 0;) {
        for (size_t j = columns; j-- > 0;) {
            uint32_t best = common[(i + 1) * width + j];
            if (common[i * width + j + 1] > best)
                best = common[i * width + j + 1];
            if (equal(made, i0 + i, user, j0 + j)) {
                const uint32_t paired = common[(i + 1) * width + j + 1] + weight(made, i0 + i);
                best = paired > best ? paired : best;
            }
            common[i * width + j] = best;
        }
    }
    size_t j = 0;
    bool paired = false;
    for (size_t i = 0; i0 + i <= index; i++) {
        /* Paired with the first token that loses nothing: early, since a macro's text often repeats its arguments. */
        size_t at = j;
        while (at < columns &&
               !(equal(made, i0 + i, user, j0 + at) &&
                 common[(i + 1) * width + at + 1] + weight(made, i0 + i) == common[i * width + j]))
            at++;
        paired = at < columns;
        if (paired)
            j = at + 1;
    }
    rts_free(common);
    return paired ? j0 + j - 1 : j0 + j;
}

size_t dvmhcc_alignment_find(const dvmhcc_lexemes_t *made, const dvmhcc_lexemes_t *user, size_t index) {
    const size_t shorter = made->count < user->count ? made->count : user->count;
    size_t head = 0, tail = 0;
    while (head < shorter && equal(made, head, user, head))
        head++;
    while (tail < shorter - head && equal(made, made->count - 1 - tail, user, user->count - 1 - tail))
        tail++;
    size_t found = index;
    if (index >= made->count - tail)
        found = user->count - (made->count - index);
    else if (index >= head)
        found = find_in_middle(made, head, made->count - tail, user, head, user->count - tail, index);
    /* Beyond the last word: the last one is the nearest. */
    return found >= user->count && user->count > 0 ? user->count - 1 : found;
}
