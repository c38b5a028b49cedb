/* Errors in directives: where they are, what was given, what is allowed, and what was probably meant. Decides how near a word
 * must be to be suggested. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

#include <stdarg.h>
#include <string.h>

#define MESSAGE_MAX 1024
#define WORD_MAX    32

static void tell(dvmhcc_parser_t *parser, dvmhcc_severity_t severity, dvmhcc_span_t span, const char *format,
                 va_list arguments) {
    char message[MESSAGE_MAX];
    dvmhcc_place_t place;
    vsnprintf(message, sizeof message, format, arguments);
    parser->source->place(parser->source->context, span.offset, span.length, &place);
    dvmhcc_report(severity, &place, "%s", message);
}

void dvmhcc_fault(dvmhcc_parser_t *parser, dvmhcc_span_t span, const char *format, ...) {
    va_list arguments;
    if (parser->stop)
        return;
    parser->directive->faulty = true;
    parser->faults++;
    va_start(arguments, format);
    tell(parser, DVMHCC_ERROR, span,
         parser->faults <= DVMHCC_DIRECTIVE_FAULTS_MAX
             ? format
             : "too many errors in this directive; the rest of it is not read",
         arguments);
    va_end(arguments);
    parser->stop = parser->faults > DVMHCC_DIRECTIVE_FAULTS_MAX;
}

void dvmhcc_warning(dvmhcc_parser_t *parser, dvmhcc_span_t span, const char *format, ...) {
    va_list arguments;
    if (parser->stop || parser->warnings >= DVMHCC_DIRECTIVE_FAULTS_MAX)
        return;
    parser->warnings++;
    va_start(arguments, format);
    tell(parser, DVMHCC_WARNING, span, format, arguments);
    va_end(arguments);
}

void dvmhcc_expected(dvmhcc_parser_t *parser, const char *format, ...) {
    va_list arguments;
    char wanted[MESSAGE_MAX / 2], got[64];
    va_start(arguments, format);
    vsnprintf(wanted, sizeof wanted, format, arguments);
    va_end(arguments);
    const dvmhcc_token_t *token = &parser->tokens[parser->at];
    const dvmhcc_span_t span = {token->offset, token->length};
    dvmhcc_fault(parser, span, "expected %s, got %s", wanted, dvmhcc_token_show(token, got));
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int least(int a, int b, int c) {
    const int d = a < b ? a : b;
    return d < c ? d : c;
}

/* How many letters must be added, left out, replaced or swapped with their neighbour to make one word of the other; case does
 * not count. Both are shorter than WORD_MAX. */
static int difference(const char *a, int a_length, const char *b, int b_length) {
    int rows[3][WORD_MAX + 1]; /* row i stands in i % 3 */
    for (int j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (int i = 1; i <= a_length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            const char x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                row[j] = least(row[j], two_above[j - 2] + 1, row[j]);
        }
    }
    return rows[a_length % 3][b_length];
}

/* The word that was probably meant, or NULL. */
static const char *nearest(const dvmhcc_token_t *token, const char *const words[]) {
    const int length = token->length < WORD_MAX ? (int)token->length : 0;
    const char *best = NULL;
    int best_difference = length < 3 ? 1 : length < 6 ? 2 : 4; /* less than this */
    for (int i = 0; words[i] != NULL && length > 0; i++) {
        const int d = difference(token->text, length, words[i], (int)strlen(words[i]));
        if (d < best_difference) {
            best = words[i];
            best_difference = d;
        }
    }
    return best;
}

void dvmhcc_unknown(dvmhcc_parser_t *parser, const char *what, const char *of, const char *const words[]) {
    const dvmhcc_token_t *token = &parser->tokens[parser->at];
    const dvmhcc_span_t span = {token->offset, token->length};
    const char *meant = nearest(token, words);
    char all[MESSAGE_MAX / 2] = "", got[64];
    size_t used = 0;
    for (int i = 0; words[i] != NULL && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", words[i]);
    dvmhcc_token_show(token, got);
    const char *one_of = words[0] != NULL && words[1] != NULL ? "one of " : "";
    if (meant != NULL)
        dvmhcc_fault(parser, span, "unknown %s %s%s; did you mean '%s'? expected %s%s", what, got, of, meant,
                     one_of, all);
    else
        dvmhcc_fault(parser, span, "unknown %s %s%s; expected %s%s", what, got, of, one_of, all);
}

void dvmhcc_note_rank(dvmhcc_parser_t *parser, const dvmhcc_name_t *name, int rank) {
    dvmhcc_known_rank_t **link = &parser->ranks;
    for (; *link != NULL; link = &(*link)->next) {
        if (!dvmhcc_same_name(&(*link)->name, name))
            continue;
        if ((*link)->rank != rank)
            dvmhcc_fault(parser, name->span, "'%s' has %d %s here, but %d before in this directive",
                         name->text, rank, rank == 1 ? "subscript" : "subscripts", (*link)->rank);
        return;
    }
    dvmhcc_known_rank_t *known = dvmhcc_take(parser, sizeof *known);
    if (known == NULL)
        return;
    known->name = *name;
    known->rank = rank;
    *link = known;
}
