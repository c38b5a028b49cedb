/* Directives that say where arrays lie: array, template, redistribute, realign, and the mappings that loops share with them. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

#include <string.h>

/* ---- mappings ---- */

void dvmhcc_read_indexes(dvmhcc_parser_t *parser, dvmhcc_mapping_t *mapping, bool empty_too) {
    dvmhcc_axes_t axes = {0};
    while (dvmhcc_axis_next(parser, &axes)) {
        dvmhcc_name_t *name = &mapping->indexes[axes.rank - 1];
        if ((empty_too && parser->at == parser->end) ||
            !dvmhcc_read_name(parser,
                              empty_too ? "a name for the index, or ']'" : "the name of a loop variable",
                              name))
            continue;
        for (int i = 0; i < axes.rank - 1; i++)
            if (dvmhcc_same_name(&mapping->indexes[i], name))
                dvmhcc_fault(parser, name->span, "index '%s' stands here twice", name->text);
    }
    mapping->index_count = axes.rank;
}

void dvmhcc_read_target(dvmhcc_parser_t *parser, dvmhcc_mapping_t *mapping, const char *word) {
    dvmhcc_axes_t axes = {0};
    bool used[DVMHCC_RANK_MAX] = {false};
    if (!dvmhcc_next_is(parser, word)) {
        dvmhcc_expected(parser, "'%s'", word);
        return;
    }
    parser->at++;
    if (!dvmhcc_read_name(parser, "the name of an array or a template", &mapping->target))
        return;
    while (dvmhcc_axis_next(parser, &axes)) {
        dvmhcc_subscript_t *subscript = &mapping->subscripts[axes.rank - 1];
        dvmhcc_read_subscript(parser, mapping, subscript);
        if (subscript->kind != DVMHCC_SUBSCRIPT_INDEX)
            continue;
        if (used[subscript->index])
            dvmhcc_fault(parser, subscript->span, "index '%s' is used twice after '%s'",
                         mapping->indexes[subscript->index].text, word);
        used[subscript->index] = true;
    }
    mapping->target_rank = axes.rank;
    if (axes.rank == 0)
        dvmhcc_expected(parser, "'[' and the subscripts of '%s'", mapping->target.text);
    else
        dvmhcc_note_rank(parser, &mapping->target, axes.rank);
}

/* [i][j] with T[..]. */
static void read_alignment(dvmhcc_parser_t *parser, dvmhcc_mapping_t *alignment) {
    dvmhcc_read_indexes(parser, alignment, true);
    if (alignment->index_count == 0)
        dvmhcc_expected(parser, "'[' and a name for the index of each axis");
    else
        dvmhcc_read_target(parser, alignment, "with");
}

/* ---- distributions ---- */

/* The array that wgtblock, genblock or indirect names, in parentheses, and for wgtblock how many weights there are. */
static void read_block_array(dvmhcc_parser_t *parser, const char *word, dvmhcc_axis_rule_t *rule,
                             bool counted) {
    dvmhcc_list_t list;
    int given = 0;
    const char *form = counted ? "wgtblock(array, count)" : "genblock(array)";
    if (!dvmhcc_list_open(parser, &list, word, counted ? form : "the name of an array"))
        return;
    while (dvmhcc_list_next(parser, &list)) {
        if (given == 0)
            dvmhcc_read_name(parser, "the name of an array", &rule->array);
        else if (given == 1 && counted)
            dvmhcc_read_count(parser, "the number of weights", 1, &rule->value);
        else
            dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at, parser->end), "expected the form %s",
                         form);
        given++;
    }
    if (given == 1 && counted)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, list.close, list.close + 1), "expected the form %s",
                     form);
}

static void read_axis_rule(dvmhcc_parser_t *parser, dvmhcc_axis_rule_t *rule) {
    static const char *const words[] = {"block", "genblock", "multblock", "wgtblock", NULL};
    static const char *const unsupported[] = {"derived", "indirect", NULL};
    dvmhcc_group_t group;
    rule->span = dvmhcc_span_of(parser, parser->at - 1, parser->end + 1);
    if (parser->at == parser->end)
        return;
    if (dvmhcc_next_is(parser, "*")) {
        parser->at++;
        return;
    }
    const dvmhcc_token_t *token = &parser->tokens[parser->at];
    if (token->kind != DVMHCC_TOKEN_NAME) {
        dvmhcc_expected(parser, "block, genblock(..), multblock(..), wgtblock(..), '*' or nothing");
        return;
    }
    if (dvmhcc_word_in(token, unsupported) >= 0) {
        dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at, parser->at + 1),
                     "distribution '%.*s' is not supported yet", (int)token->length, token->text);
        return;
    }
    const int word = dvmhcc_word_in(token, words);
    if (word < 0) {
        dvmhcc_unknown(parser, "distribution", "", words);
        return;
    }
    parser->at++;
    switch (word) {
    case 0:
        rule->kind = DVMHCC_AXIS_BLOCK;
        break;
    case 1:
        rule->kind = DVMHCC_AXIS_GENBLOCK;
        read_block_array(parser, "genblock", rule, false);
        break;
    case 2:
        rule->kind = DVMHCC_AXIS_MULTBLOCK;
        if (dvmhcc_group_open(parser, &group, "(")) {
            dvmhcc_read_count(parser, "the unit of multblock", 1, &rule->value);
            dvmhcc_group_close(parser, &group);
        } else {
            dvmhcc_expected(parser, "'(' after 'multblock'");
        }
        break;
    default:
        rule->kind = DVMHCC_AXIS_WGTBLOCK;
        read_block_array(parser, "wgtblock", rule, true);
    }
}

static void read_distribution(dvmhcc_parser_t *parser, dvmhcc_distribution_t *distribution) {
    dvmhcc_axes_t axes = {0};
    while (dvmhcc_axis_next(parser, &axes))
        read_axis_rule(parser, &distribution->axes[axes.rank - 1]);
    distribution->rank = axes.rank;
    if (axes.rank == 0)
        dvmhcc_expected(parser, "'[' and how the first axis is distributed");
}

/* ---- array and template ---- */

/* A clause or the sizes tell the rank; all must tell the same. `first` is where the clause begins. */
static void declare_rank(dvmhcc_parser_t *parser, int first, int rank) {
    dvmhcc_declaration_t *declaration = &parser->directive->is.declaration;
    const dvmhcc_token_t *token = &parser->tokens[first];
    if (rank > 0 && declaration->rank > 0 && rank != declaration->rank)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, first, first + 1),
                     "'%.*s' has %d %s, but %d %s before it", (int)token->length, token->text, rank,
                     rank == 1 ? "axis" : "axes", declaration->rank,
                     declaration->rank == 1 ? "stands" : "stand");
    if (declaration->rank == 0)
        declaration->rank = rank;
}

/* Clauses of a declaration. @return false: not even the first bracket is there */
static bool read_distribute(dvmhcc_parser_t *parser, dvmhcc_declaration_t *declaration, int first) {
    dvmhcc_distribution_t distribution = {0};
    const bool again = !dvmhcc_clause_once(parser, declaration->has_distribution);
    if (declaration->has_alignment)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, first, first + 1),
                     "'distribute' and 'align' exclude each other");
    read_distribution(parser, &distribution);
    if (!again) {
        declaration->has_distribution = true;
        declaration->distribution = distribution;
        declare_rank(parser, first, distribution.rank);
    }
    return distribution.rank > 0;
}

static bool read_align(dvmhcc_parser_t *parser, dvmhcc_declaration_t *declaration, int first) {
    dvmhcc_mapping_t alignment = {0};
    dvmhcc_group_t group;
    const bool again = !dvmhcc_clause_once(parser, declaration->has_alignment);
    if (declaration->has_distribution)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, first, first + 1),
                     "'distribute' and 'align' exclude each other");
    if (!dvmhcc_group_open(parser, &group, "(")) {
        dvmhcc_expected(parser, "'(' after 'align'");
        return false;
    }
    read_alignment(parser, &alignment);
    dvmhcc_group_close(parser, &group);
    if (!again) {
        declaration->has_alignment = true;
        declaration->alignment = alignment;
        declare_rank(parser, first, alignment.index_count);
    }
    return true;
}

static bool read_shadow(dvmhcc_parser_t *parser, dvmhcc_declaration_t *declaration, int first) {
    const bool again = !dvmhcc_clause_once(parser, declaration->has_shadow);
    dvmhcc_axes_t axes = {0};
    while (dvmhcc_axis_next(parser, &axes))
        dvmhcc_read_widths(parser, &declaration->shadow[axes.rank - 1]);
    if (axes.rank == 0)
        dvmhcc_expected(parser, "'[' and the widths of the first axis");
    declaration->has_shadow = true;
    if (!again)
        declare_rank(parser, first, axes.rank);
    return axes.rank > 0;
}

static void read_declaration(dvmhcc_parser_t *parser, const char *directive, const char *const words[]) {
    dvmhcc_declaration_t *declaration = &parser->directive->is.declaration;
    dvmhcc_clauses_t clauses = {.words = words, .directive = directive};
    for (int word; (word = dvmhcc_clause_next(parser, &clauses)) >= 0;) {
        const int first = parser->at - 1;
        if (strcmp(words[word], "distribute") == 0)
            clauses.lost = !read_distribute(parser, declaration, first);
        else if (strcmp(words[word], "align") == 0)
            clauses.lost = !read_align(parser, declaration, first);
        else if (strcmp(words[word], "shadow") == 0)
            clauses.lost = !read_shadow(parser, declaration, first);
        else
            declaration->dynamic = true;
    }
}

void dvmhcc_parse_array(dvmhcc_parser_t *parser) {
    static const char *const words[] = {"align", "distribute", "dynamic", "shadow", NULL};
    read_declaration(parser, "array", words);
}

void dvmhcc_parse_template(dvmhcc_parser_t *parser) {
    static const char *const words[] = {"distribute", "dynamic", NULL};
    dvmhcc_declaration_t *declaration = &parser->directive->is.declaration;
    dvmhcc_axes_t axes = {0};
    while (dvmhcc_axis_next(parser, &axes))
        dvmhcc_read_count(parser, "the size of an axis", 1, &declaration->sizes[axes.rank - 1]);
    declaration->has_sizes = true;
    declaration->rank = axes.rank;
    if (axes.rank == 0)
        dvmhcc_expected(parser, "'[' and the size of the template's first axis");
    read_declaration(parser, "template", words);
}

/* ---- redistribute and realign ---- */

void dvmhcc_parse_redistribute(dvmhcc_parser_t *parser) {
    dvmhcc_redistribution_t *is = &parser->directive->is.redistribution;
    dvmhcc_group_t group;
    if (!dvmhcc_group_open(parser, &group, "(")) {
        dvmhcc_expected(parser, "'(' after 'redistribute'");
        return;
    }
    if (dvmhcc_read_name(parser, "the name of an array or a template", &is->array))
        read_distribution(parser, &is->distribution);
    dvmhcc_group_close(parser, &group);
    if (parser->at < parser->end)
        dvmhcc_expected(parser, "the end of the directive");
}

void dvmhcc_parse_realign(dvmhcc_parser_t *parser) {
    static const char *const words[] = {"new_value", NULL};
    dvmhcc_redistribution_t *is = &parser->directive->is.redistribution;
    dvmhcc_clauses_t clauses = {.words = words, .directive = "realign", .begun = true};
    dvmhcc_group_t group;
    if (!dvmhcc_group_open(parser, &group, "(")) {
        dvmhcc_expected(parser, "'(' after 'realign'");
        return;
    }
    const int faults = parser->faults;
    if (dvmhcc_read_name(parser, "the name of an array", &is->array))
        read_alignment(parser, &is->alignment);
    if (is->alignment.target_rank > 0)
        dvmhcc_note_rank(parser, &is->array, is->alignment.index_count);
    if (dvmhcc_same_name(&is->array, &is->alignment.target))
        dvmhcc_fault(parser, is->alignment.target.span, "'%s' cannot be aligned with itself", is->array.text);
    while (parser->faults == faults && dvmhcc_clause_next(parser, &clauses) >= 0)
        is->new_value = true;
    dvmhcc_group_close(parser, &group);
    clauses.begun = true;
    while (dvmhcc_clause_next(parser, &clauses) >= 0)
        is->new_value = true;
}
