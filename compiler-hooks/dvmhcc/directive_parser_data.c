/* Lists of variables and arrays, and the directives that consist of them: region, actual, get_actual, inherit, shadow_renew,
 * remote_access, intervals. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

/* ---- lists ---- */

static const char a_variable[] = "the name of a variable";
static const char an_array[] = "the name of an array";

bool dvmhcc_read_names(dvmhcc_parser_t *parser, const char *after, dvmhcc_names_t ***tail) {
    dvmhcc_list_t list;
    if (!dvmhcc_list_open(parser, &list, after, a_variable))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        dvmhcc_names_t *entry = dvmhcc_take(parser, sizeof *entry);
        if (entry == NULL || !dvmhcc_read_name(parser, a_variable, &entry->name))
            continue;
        **tail = entry;
        *tail = &entry->next;
    }
    return true;
}

/* x or A[low:high].. */
static void read_one(dvmhcc_parser_t *parser, int intent, dvmhcc_data_t ***tail) {
    dvmhcc_axes_t axes = {0};
    dvmhcc_data_t *entry = dvmhcc_take(parser, sizeof *entry);
    if (entry == NULL || !dvmhcc_read_name(parser, a_variable, &entry->variable))
        return;
    while (dvmhcc_axis_next(parser, &axes))
        dvmhcc_read_bounds(parser, &entry->axes[axes.rank - 1]);
    entry->intent = intent;
    entry->rank = axes.rank;
    if (axes.rank > 0)
        dvmhcc_note_rank(parser, &entry->variable, axes.rank);
    **tail = entry;
    *tail = &entry->next;
}

bool dvmhcc_read_data(dvmhcc_parser_t *parser, const char *after, int intent, dvmhcc_data_t ***tail) {
    dvmhcc_list_t list;
    if (!dvmhcc_list_open(parser, &list, after, a_variable))
        return false;
    while (dvmhcc_list_next(parser, &list))
        read_one(parser, intent, tail);
    return true;
}

/* "edge", "other": names of shadow edges, which unstructured arrays have. */
static bool is_edge_name(const dvmhcc_parser_t *parser) {
    const int at = parser->at;
    return at < parser->end && parser->tokens[at].text[0] == '"' &&
           (at + 1 == parser->end || dvmhcc_token_is(&parser->tokens[at + 1], ","));
}

/* A[1:1][0:1], the widths of shadow_renew and across. */
static dvmhcc_widths_t *read_widths(dvmhcc_parser_t *parser) {
    dvmhcc_axes_t axes = {0};
    dvmhcc_widths_t *entry = dvmhcc_take(parser, sizeof *entry);
    if (entry == NULL || !dvmhcc_read_name(parser, an_array, &entry->array))
        return NULL;
    while (dvmhcc_axis_next(parser, &axes)) {
        if (is_edge_name(parser))
            dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at, parser->end),
                         "shadow edges with names are not supported yet");
        else
            dvmhcc_read_widths(parser, &entry->axes[axes.rank - 1]);
    }
    entry->rank = axes.rank;
    if (axes.rank > 0)
        dvmhcc_note_rank(parser, &entry->array, axes.rank);
    return entry;
}

bool dvmhcc_read_shadow_renew(dvmhcc_parser_t *parser, dvmhcc_widths_t ***tail) {
    dvmhcc_list_t list;
    dvmhcc_group_t group;
    if (!dvmhcc_list_open(parser, &list, "shadow_renew", an_array))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        dvmhcc_widths_t *entry = read_widths(parser);
        if (entry == NULL)
            continue;
        if (dvmhcc_group_open(parser, &group, "(")) {
            entry->corner = dvmhcc_next_is(parser, "corner");
            if (entry->corner)
                parser->at++;
            else
                dvmhcc_expected(parser, "'corner'");
            dvmhcc_group_close(parser, &group);
        }
        **tail = entry;
        *tail = &entry->next;
    }
    return true;
}

bool dvmhcc_read_across(dvmhcc_parser_t *parser, dvmhcc_widths_t ***tail) {
    dvmhcc_list_t list;
    if (!dvmhcc_list_open(parser, &list, "across", an_array))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        /* `out` alone may be the name of an array. */
        const bool out = dvmhcc_next_is(parser, "out") && parser->at + 1 < parser->end &&
                         dvmhcc_token_is(&parser->tokens[parser->at + 1], ":");
        parser->at += out ? 2 : 0;
        dvmhcc_widths_t *entry = read_widths(parser);
        if (entry == NULL)
            continue;
        entry->out = out;
        **tail = entry;
        *tail = &entry->next;
    }
    return true;
}

bool dvmhcc_read_remote_access(dvmhcc_parser_t *parser, const dvmhcc_mapping_t *mapping,
                               dvmhcc_reference_t ***tail) {
    dvmhcc_list_t list;
    if (!dvmhcc_list_open(parser, &list, "remote_access", an_array))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        dvmhcc_axes_t axes = {0};
        dvmhcc_reference_t *entry = dvmhcc_take(parser, sizeof *entry);
        if (entry == NULL || !dvmhcc_read_name(parser, an_array, &entry->array))
            continue;
        while (dvmhcc_axis_next(parser, &axes))
            dvmhcc_read_subscript(parser, mapping, &entry->axes[axes.rank - 1]);
        entry->rank = axes.rank;
        if (axes.rank == 0)
            dvmhcc_expected(parser, "'[' and the subscripts of '%s'", entry->array.text);
        else
            dvmhcc_note_rank(parser, &entry->array, axes.rank);
        **tail = entry;
        *tail = &entry->next;
    }
    return true;
}

/* ---- directives ---- */

static void expect_end(dvmhcc_parser_t *parser) {
    if (parser->at < parser->end)
        dvmhcc_expected(parser, "the end of the directive");
}

void dvmhcc_parse_shadow_renew(dvmhcc_parser_t *parser) {
    dvmhcc_widths_t **tail = &parser->directive->is.shadow_renews;
    if (dvmhcc_read_shadow_renew(parser, &tail))
        expect_end(parser);
}

void dvmhcc_parse_remote_access(dvmhcc_parser_t *parser) {
    dvmhcc_reference_t **tail = &parser->directive->is.remote_accesses;
    if (dvmhcc_read_remote_access(parser, NULL, &tail))
        expect_end(parser);
}

void dvmhcc_parse_inherit(dvmhcc_parser_t *parser) {
    dvmhcc_names_t **tail = &parser->directive->is.names;
    if (!dvmhcc_read_names(parser, "inherit", &tail))
        return;
    for (const dvmhcc_names_t *entry = parser->directive->is.names; entry != NULL; entry = entry->next)
        for (const dvmhcc_names_t *other = parser->directive->is.names; other != entry; other = other->next)
            if (dvmhcc_same_name(&entry->name, &other->name)) {
                dvmhcc_warning(parser, entry->name.span, "'%s' stands here twice", entry->name.text);
                break;
            }
    expect_end(parser);
}

/* Also get_actual. Nothing, or nothing in parentheses, means everything. */
void dvmhcc_parse_actual(dvmhcc_parser_t *parser) {
    dvmhcc_data_t **tail = &parser->directive->is.data;
    dvmhcc_list_t list;
    if (parser->at == parser->end)
        return;
    if (!dvmhcc_list_open(parser, &list, parser->directive->name.text, a_variable))
        return;
    list.may_be_empty = true;
    while (dvmhcc_list_next(parser, &list))
        read_one(parser, 0, &tail);
    expect_end(parser);
}

void dvmhcc_parse_interval(dvmhcc_parser_t *parser) {
    if (parser->at == parser->end)
        return;
    dvmhcc_expressions_t *entry = dvmhcc_take(parser, sizeof *entry);
    if (entry != NULL &&
        dvmhcc_read_expression(parser, parser->end, "the number of the interval", &entry->expression))
        parser->directive->is.intervals = entry;
}

void dvmhcc_parse_exitinterval(dvmhcc_parser_t *parser) {
    dvmhcc_expressions_t **tail = &parser->directive->is.intervals;
    dvmhcc_list_t list;
    dvmhcc_list_open_rest(parser, &list, "the number of an interval");
    while (dvmhcc_list_next(parser, &list)) {
        dvmhcc_expressions_t *entry = dvmhcc_take(parser, sizeof *entry);
        if (entry == NULL ||
            !dvmhcc_read_expression(parser, parser->end, "the number of an interval", &entry->expression))
            continue;
        *tail = entry;
        tail = &entry->next;
    }
}

/* ---- region ---- */

static bool read_targets(dvmhcc_parser_t *parser, int *targets) {
    static const char *const words[] = {"CUDA", "HOST", NULL};
    static const int bits[] = {DVMHCC_TARGET_CUDA, DVMHCC_TARGET_HOST};
    dvmhcc_list_t list;
    if (!dvmhcc_list_open(parser, &list, "targets", "HOST or CUDA"))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        const int word = dvmhcc_word_in(&parser->tokens[parser->at], words);
        if (word < 0) {
            dvmhcc_unknown(parser, "target", "", words);
            continue;
        }
        *targets |= bits[word];
        parser->at++;
    }
    return true;
}

void dvmhcc_parse_region(dvmhcc_parser_t *parser) {
    enum { IN, INLOCAL, INOUT, LOCAL, OUT, USE, ASYNC, TARGETS };
    static const char *const words[] =
        {[IN] = "in",   [INLOCAL] = "inlocal", [INOUT] = "inout",     [LOCAL] = "local",   [OUT] = "out",
         [USE] = "use", [ASYNC] = "async",     [TARGETS] = "targets", [TARGETS + 1] = NULL};
    static const int intents[] = {[IN] = DVMHCC_INTENT_IN,
                                  [INLOCAL] = DVMHCC_INTENT_IN | DVMHCC_INTENT_LOCAL,
                                  [INOUT] = DVMHCC_INTENT_IN | DVMHCC_INTENT_OUT,
                                  [LOCAL] = DVMHCC_INTENT_LOCAL,
                                  [OUT] = DVMHCC_INTENT_OUT,
                                  [USE] = DVMHCC_INTENT_USE};
    dvmhcc_region_t *region = &parser->directive->is.region;
    dvmhcc_clauses_t clauses = {.words = words, .directive = "region"};
    dvmhcc_data_t **tail = &region->data;
    bool has_targets = false;
    for (int word; (word = dvmhcc_clause_next(parser, &clauses)) >= 0;) {
        if (word == ASYNC) {
            region->async = true;
        } else if (word == TARGETS) {
            dvmhcc_clause_once(parser, has_targets);
            has_targets = true;
            clauses.lost = !read_targets(parser, &region->targets);
        } else {
            clauses.lost = !dvmhcc_read_data(parser, words[word], intents[word], &tail);
        }
    }
}
