/* Reading words, lists, brackets and clauses of a directive, and going on behind what is wrong. Knows no directive. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

#include <string.h>

void *dvmhcc_take(dvmhcc_parser_t *parser, size_t bytes) {
    void *memory = dvmhcc_arena_take(parser->arena, bytes);
    if (memory == NULL) {
        rts_fail_memory("a directive", bytes);
        parser->no_memory = parser->stop = true;
    }
    return memory;
}

bool dvmhcc_next_is(const dvmhcc_parser_t *parser, const char *text) {
    return parser->at < parser->end && dvmhcc_token_is(&parser->tokens[parser->at], text);
}

dvmhcc_span_t dvmhcc_span_of(const dvmhcc_parser_t *parser, int first, int end) {
    const dvmhcc_token_t *last = &parser->tokens[end - 1];
    const size_t offset = parser->tokens[first].offset;
    return (dvmhcc_span_t){offset, last->offset + last->length - offset};
}

bool dvmhcc_read_name(dvmhcc_parser_t *parser, const char *what, dvmhcc_name_t *name_p) {
    const dvmhcc_token_t *token = &parser->tokens[parser->at];
    if (parser->at >= parser->end || token->kind != DVMHCC_TOKEN_NAME) {
        dvmhcc_expected(parser, "%s", what);
        return false;
    }
    char *text = dvmhcc_take(parser, token->length + 1);
    if (text == NULL)
        return false;
    name_p->text = memcpy(text, token->text, token->length);
    name_p->span = dvmhcc_span_of(parser, parser->at, parser->at + 1);
    parser->at++;
    return true;
}

bool dvmhcc_same_name(const dvmhcc_name_t *a, const dvmhcc_name_t *b) {
    return a->text != NULL && b->text != NULL && strcmp(a->text, b->text) == 0;
}

int dvmhcc_word_in(const dvmhcc_token_t *token, const char *const words[]) {
    for (int i = 0; words[i] != NULL; i++)
        if (token->kind == DVMHCC_TOKEN_NAME && dvmhcc_token_is(token, words[i]))
            return i;
    return -1;
}

/* ---- lists ---- */

bool dvmhcc_list_open(dvmhcc_parser_t *parser, dvmhcc_list_t *list, const char *after, const char *entry) {
    if (!dvmhcc_next_is(parser, "(")) {
        dvmhcc_expected(parser, "'(' after '%s'", after);
        return false;
    }
    const int close = parser->tokens[parser->at].partner;
    *list = (dvmhcc_list_t){.entry = entry, .close = close, .after = close + 1, .outer_end = parser->end};
    parser->at++;
    return true;
}

void dvmhcc_list_open_rest(dvmhcc_parser_t *parser, dvmhcc_list_t *list, const char *entry) {
    *list =
        (dvmhcc_list_t){.entry = entry, .close = parser->end, .after = parser->end, .outer_end = parser->end};
}

/* Where the entry that begins at `at` ends: at a comma outside of brackets, or at `close`. */
static int entry_end(const dvmhcc_parser_t *parser, int at, int close) {
    while (at < close && !dvmhcc_token_is(&parser->tokens[at], ","))
        at = parser->tokens[at].partner > at ? parser->tokens[at].partner + 1 : at + 1;
    return at;
}

bool dvmhcc_list_next(dvmhcc_parser_t *parser, dvmhcc_list_t *list) {
    bool more = !list->begun && (parser->at < list->close || !list->may_be_empty);
    if (list->begun) {
        if (parser->at < parser->end && parser->faults == list->faults)
            dvmhcc_expected(parser, "',' or %s", list->close < list->after ? "')'" : "the end");
        parser->at = parser->end;
        more = parser->at < list->close;
    }
    while (more && !parser->stop) {
        if (list->begun)
            parser->at++; /* the comma */
        list->begun = true;
        list->faults = parser->faults;
        parser->end = entry_end(parser, parser->at, list->close);
        if (parser->at < parser->end)
            return true;
        dvmhcc_expected(parser, "%s", list->entry);
        more = parser->end < list->close;
    }
    parser->at = list->after;
    parser->end = list->outer_end;
    return false;
}

/* ---- brackets ---- */

bool dvmhcc_group_open(dvmhcc_parser_t *parser, dvmhcc_group_t *group, const char *bracket) {
    if (!dvmhcc_next_is(parser, bracket))
        return false;
    group->outer_end = parser->end;
    group->faults = parser->faults;
    parser->end = parser->tokens[parser->at].partner;
    parser->at++;
    return true;
}

void dvmhcc_group_close(dvmhcc_parser_t *parser, dvmhcc_group_t *group) {
    if (parser->at < parser->end && parser->faults == group->faults)
        dvmhcc_expected(parser, "'%c'", parser->tokens[parser->end].text[0]);
    parser->at = parser->end + 1;
    parser->end = group->outer_end;
}

bool dvmhcc_axis_next(dvmhcc_parser_t *parser, dvmhcc_axes_t *axes) {
    if (axes->open)
        dvmhcc_group_close(parser, &axes->group);
    axes->open =
        !parser->stop && axes->rank < DVMHCC_RANK_MAX && dvmhcc_group_open(parser, &axes->group, "[");
    if (axes->open) {
        axes->rank++;
        return true;
    }
    if (axes->rank == DVMHCC_RANK_MAX && dvmhcc_next_is(parser, "[")) {
        dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at, parser->tokens[parser->at].partner + 1),
                     "more than %d axes", DVMHCC_RANK_MAX);
        while (dvmhcc_next_is(parser, "["))
            parser->at = parser->tokens[parser->at].partner + 1;
    }
    return false;
}

/* ---- clauses ---- */

/* Over the next word, or over the bracket that it opens with all in it. */
static void skip_one(dvmhcc_parser_t *parser) {
    const int partner = parser->tokens[parser->at].partner;
    parser->at = partner > parser->at ? partner + 1 : parser->at + 1;
}

/* What stands where a clause's name should: tell it, and go to where the next one may begin. */
static void skip_no_clause(dvmhcc_parser_t *parser, const dvmhcc_clauses_t *clauses) {
    const dvmhcc_token_t *token = &parser->tokens[parser->at];
    if (token->kind != DVMHCC_TOKEN_NAME) {
        dvmhcc_expected(parser, "a clause of '%s'", clauses->directive);
        while (parser->at < parser->end && parser->tokens[parser->at].kind != DVMHCC_TOKEN_NAME)
            skip_one(parser);
        return;
    }
    if (clauses->unsupported != NULL && dvmhcc_word_in(token, clauses->unsupported) >= 0) {
        dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at, parser->at + 1),
                     "clause '%.*s' is not supported yet", (int)token->length, token->text);
    } else {
        char of[48];
        snprintf(of, sizeof of, " of '%s'", clauses->directive);
        dvmhcc_unknown(parser, "clause", of, clauses->words);
    }
    parser->at++;
    while (dvmhcc_next_is(parser, "(") || dvmhcc_next_is(parser, "["))
        skip_one(parser);
}

int dvmhcc_clause_next(dvmhcc_parser_t *parser, dvmhcc_clauses_t *clauses) {
    while (clauses->lost && parser->at < parser->end &&
           dvmhcc_word_in(&parser->tokens[parser->at], clauses->words) < 0)
        skip_one(parser);
    clauses->lost = false;
    while (parser->at < parser->end && !parser->stop) {
        if (clauses->begun && dvmhcc_next_is(parser, ",")) {
            parser->at++;
            if (parser->at == parser->end)
                dvmhcc_expected(parser, "a clause of '%s'", clauses->directive);
        }
        clauses->begun = true;
        if (parser->at == parser->end)
            return -1;
        const int found = dvmhcc_word_in(&parser->tokens[parser->at], clauses->words);
        if (found >= 0) {
            parser->at++;
            return found;
        }
        skip_no_clause(parser, clauses);
    }
    return -1;
}

bool dvmhcc_clause_once(dvmhcc_parser_t *parser, bool seen) {
    const dvmhcc_token_t *token = &parser->tokens[parser->at - 1];
    if (seen)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at - 1, parser->at),
                     "clause '%.*s' stands here twice", (int)token->length, token->text);
    return !seen;
}
