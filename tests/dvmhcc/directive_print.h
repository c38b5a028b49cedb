/* For tests of the directive parser: write a tree as the text of a directive, with white space and comments at random, and compare
 * two trees. Knows the language independently of the parser. */
#ifndef TESTS_DVMHCC_DIRECTIVE_PRINT_H
#define TESTS_DVMHCC_DIRECTIVE_PRINT_H

#include "compiler-hooks/dvmhcc/directive.h"

#include "tests/check.h"

/* ---- writing ---- */

/** Something that ends a word. */
static inline void print_blank(FILE *file) {
    static const char *const blanks[] = {" ", "\t", "  ", "/*)*/", " \\\n", "\n", "// ]\n", " /* \" */ "};
    fputs(check_random_once_in(2) ? " " : blanks[check_random_range(0, 7)], file);
}

static inline void print_gap(FILE *file) {
    if (check_random_once_in(4))
        print_blank(file);
}

/** A word or sign, and perhaps white space behind it. */
static inline void print_word(FILE *file, const char *word) {
    fputs(word, file);
    print_gap(file);
}

/** C text: a blank of it may be any white space, everything else is kept. */
static inline void print_c(FILE *file, const char *text) {
    char quote = '\0';
    for (const char *begin = text; *text != '\0'; text++) {
        if (quote == '\0' && *text == ' ') {
            /* A comment right behind '/' would be another one. */
            if (text > begin && text[-1] == '/')
                fputc(' ', file);
            print_blank(file);
            continue;
        }
        if (*text == '\\' && quote != '\0')
            fputc(*text++, file);
        else if (quote != '\0')
            quote = *text == quote ? '\0' : quote;
        else if (*text == '"' || *text == '\'')
            quote = *text;
        fputc(*text, file);
    }
    print_gap(file);
}

static inline void print_expression(FILE *file, const dvmhcc_expression_t *expression) {
    if (expression->constant.text != NULL)
        print_c(file, expression->constant.text);
}

static inline void print_ranges(FILE *file, int rank, const dvmhcc_range_t ranges[]) {
    for (int a = 0; a < rank; a++) {
        print_word(file, "[");
        print_expression(file, &ranges[a].low);
        if (!ranges[a].single &&
            (ranges[a].low.constant.text != NULL || ranges[a].high.constant.text != NULL)) {
            print_word(file, ":");
            print_expression(file, &ranges[a].high);
        }
        print_word(file, "]");
    }
}

static inline void print_subscripts(FILE *file, int rank, const dvmhcc_subscript_t subscripts[]) {
    for (int a = 0; a < rank; a++) {
        print_word(file, "[");
        print_expression(file, &subscripts[a].whole);
        print_word(file, "]");
    }
}

static inline void print_distribution(FILE *file, const dvmhcc_distribution_t *distribution) {
    static const char *const words[] = {"", "block", "wgtblock", "genblock", "multblock"};
    for (int a = 0; a < distribution->rank; a++) {
        const dvmhcc_axis_rule_t *axis = &distribution->axes[a];
        print_word(file, "[");
        if (axis->kind == DVMHCC_AXIS_WHOLE && check_random_once_in(2))
            print_word(file, "*");
        print_word(file, words[axis->kind]);
        if (axis->kind > DVMHCC_AXIS_BLOCK) {
            print_word(file, "(");
            print_word(file, axis->array.text != NULL ? axis->array.text : "");
            if (axis->kind == DVMHCC_AXIS_WGTBLOCK)
                print_word(file, ",");
            print_expression(file, &axis->value);
            print_word(file, ")");
        }
        print_word(file, "]");
    }
}

static inline void print_indexes(FILE *file, const dvmhcc_mapping_t *mapping) {
    for (int i = 0; i < mapping->index_count; i++) {
        print_word(file, "[");
        print_word(file, mapping->indexes[i].text != NULL ? mapping->indexes[i].text : "");
        print_word(file, "]");
    }
}

static inline void print_mapping(FILE *file, const dvmhcc_mapping_t *mapping, const char *word) {
    print_indexes(file, mapping);
    if (mapping->target.text == NULL)
        return;
    fputs(word, file);
    print_blank(file);
    print_word(file, mapping->target.text);
    print_subscripts(file, mapping->target_rank, mapping->subscripts);
}

/** Between the entries of a list, or between clauses. */
static inline void print_comma(FILE *file, bool *first) {
    if (!*first)
        print_word(file, ",");
    *first = false;
}

static inline void print_clause(FILE *file, bool *first) {
    if (*first || check_random_once_in(2))
        print_blank(file);
    else
        print_word(file, ",");
    *first = false;
}

static inline void print_names(FILE *file, const dvmhcc_names_t *names) {
    bool first = true;
    print_word(file, "(");
    for (; names != NULL; names = names->next) {
        print_comma(file, &first);
        print_word(file, names->name.text);
    }
    print_word(file, ")");
}

static inline void print_widths(FILE *file, const dvmhcc_widths_t *widths) {
    bool first = true;
    print_word(file, "(");
    for (; widths != NULL; widths = widths->next) {
        print_comma(file, &first);
        if (widths->out) {
            print_word(file, "out");
            print_word(file, ":");
        }
        print_word(file, widths->array.text);
        print_ranges(file, widths->rank, widths->axes);
        if (widths->corner) {
            print_word(file, "(");
            print_word(file, "corner");
            print_word(file, ")");
        }
    }
    print_word(file, ")");
}

static inline void print_references(FILE *file, const dvmhcc_reference_t *references) {
    bool first = true;
    print_word(file, "(");
    for (; references != NULL; references = references->next) {
        print_comma(file, &first);
        print_word(file, references->array.text);
        print_subscripts(file, references->rank, references->axes);
    }
    print_word(file, ")");
}

static inline void print_data(FILE *file, const dvmhcc_data_t *data) {
    print_word(file, data->variable.text);
    print_ranges(file, data->rank, data->axes);
}

static inline void print_reductions(FILE *file, const dvmhcc_reduction_t *reductions) {
    static const char *const words[] = {"sum", "product", "max",    "min",   "and",
                                        "or",  "xor",     "maxloc", "minloc"};
    bool first = true;
    print_word(file, "(");
    for (; reductions != NULL; reductions = reductions->next) {
        print_comma(file, &first);
        print_word(file, words[reductions->operation]);
        print_word(file, "(");
        print_word(file, reductions->variable.text);
        if (reductions->location.text != NULL) {
            print_word(file, ",");
            print_word(file, reductions->location.text);
        }
        if (reductions->location_size.constant.text != NULL) {
            print_word(file, ",");
            print_expression(file, &reductions->location_size);
        }
        print_word(file, ")");
    }
    print_word(file, ")");
}

static inline void print_ties(FILE *file, const dvmhcc_tie_t *ties, const dvmhcc_mapping_t *mapping) {
    bool first = true;
    print_word(file, "(");
    for (; ties != NULL; ties = ties->next) {
        print_comma(file, &first);
        print_word(file, ties->array.text);
        for (int a = 0; a < ties->rank; a++) {
            print_word(file, "[");
            if (ties->axes[a] < 0)
                print_word(file, "-");
            if (ties->axes[a] != 0)
                print_word(file, mapping->indexes[abs(ties->axes[a]) - 1].text);
            print_word(file, "]");
        }
    }
    print_word(file, ")");
}

static inline void print_parallel(FILE *file, const dvmhcc_parallel_t *parallel) {
    bool first = true;
    print_word(file, "(");
    if (parallel->mapping.index_count > 0)
        print_mapping(file, &parallel->mapping, "on");
    else
        fprintf(file, "%d", parallel->rank);
    print_word(file, ")");
    if (parallel->privates != NULL) {
        print_clause(file, &first);
        print_word(file, "private");
        print_names(file, parallel->privates);
    }
    if (parallel->stage.constant.text != NULL) {
        print_clause(file, &first);
        print_word(file, "stage");
        print_word(file, "(");
        print_expression(file, &parallel->stage);
        print_word(file, ")");
    }
    if (parallel->reductions != NULL) {
        print_clause(file, &first);
        print_word(file, "reduction");
        print_reductions(file, parallel->reductions);
    }
    if (parallel->acrosses != NULL) {
        print_clause(file, &first);
        print_word(file, "across");
        print_widths(file, parallel->acrosses);
    }
    if (parallel->shadow_renews != NULL) {
        print_clause(file, &first);
        print_word(file, "shadow_renew");
        print_widths(file, parallel->shadow_renews);
    }
    if (parallel->remote_accesses != NULL) {
        print_clause(file, &first);
        print_word(file, "remote_access");
        print_references(file, parallel->remote_accesses);
    }
    if (parallel->ties != NULL) {
        print_clause(file, &first);
        print_word(file, "tie");
        print_ties(file, parallel->ties, &parallel->mapping);
    }
    if (parallel->cuda_block_rank > 0) {
        print_clause(file, &first);
        print_word(file, "cuda_block");
        for (int a = 0; a < parallel->cuda_block_rank; a++) {
            print_word(file, a == 0 ? "(" : ",");
            print_expression(file, &parallel->cuda_block[a]);
        }
        print_word(file, ")");
    }
}

static inline void print_declaration(FILE *file, const dvmhcc_declaration_t *declaration) {
    bool first = true;
    for (int a = 0; declaration->has_sizes && a < declaration->rank; a++) {
        print_word(file, "[");
        print_expression(file, &declaration->sizes[a]);
        print_word(file, "]");
    }
    if (declaration->has_distribution) {
        print_clause(file, &first);
        print_word(file, "distribute");
        print_distribution(file, &declaration->distribution);
    }
    if (declaration->dynamic) {
        print_clause(file, &first);
        print_word(file, "dynamic");
    }
    if (declaration->has_alignment) {
        print_clause(file, &first);
        print_word(file, "align");
        print_word(file, "(");
        print_mapping(file, &declaration->alignment, "with");
        print_word(file, ")");
    }
    if (declaration->has_shadow) {
        print_clause(file, &first);
        print_word(file, "shadow");
        print_ranges(file, declaration->rank, declaration->shadow);
    }
}

static inline void print_region(FILE *file, const dvmhcc_region_t *region) {
    /* By the bits of an intent. */
    static const char *const words[] = {"", "in", "out", "inout", "local", "inlocal", "", "", "use"};
    bool first = true, async_left = region->async;
    for (const dvmhcc_data_t *data = region->data; data != NULL;) {
        if (async_left && check_random_once_in(3)) {
            print_clause(file, &first);
            print_word(file, "async");
            async_left = false;
        }
        print_clause(file, &first);
        print_word(file, words[data->intent]);
        print_word(file, "(");
        print_data(file, data);
        /* The same intent may go on in this clause or begin a new one. */
        const int intent = data->intent;
        while ((data = data->next) != NULL && data->intent == intent && !check_random_once_in(3)) {
            print_word(file, ",");
            print_data(file, data);
        }
        print_word(file, ")");
    }
    if (region->targets != 0) {
        print_clause(file, &first);
        print_word(file, "targets");
        print_word(file, "(");
        print_word(file, region->targets == DVMHCC_TARGET_HOST ? "HOST" : "CUDA");
        if (region->targets == (DVMHCC_TARGET_HOST | DVMHCC_TARGET_CUDA)) {
            print_word(file, ",");
            print_word(file, "HOST");
        }
        print_word(file, ")");
    }
    if (async_left) {
        print_clause(file, &first);
        print_word(file, "async");
    }
}

static inline void print_realign(FILE *file, const dvmhcc_redistribution_t *is) {
    const bool inside = check_random_once_in(2);
    print_word(file, "(");
    print_word(file, is->array.text);
    print_mapping(file, &is->alignment, "with");
    if (is->new_value && inside)
        print_word(file, ", new_value");
    print_word(file, ")");
    if (is->new_value && !inside)
        print_word(file, check_random_once_in(2) ? ",new_value" : "new_value");
}

/** The text of a good directive, from which the parser must make the same tree again. */
static inline void print_directive(FILE *file, const dvmhcc_directive_t *directive) {
    print_gap(file);
    print_word(file, directive->name.text);
    switch (directive->kind) {
    case DVMHCC_ARRAY:
    case DVMHCC_TEMPLATE:
        print_declaration(file, &directive->is.declaration);
        break;
    case DVMHCC_REDISTRIBUTE:
        print_word(file, "(");
        print_word(file, directive->is.redistribution.array.text);
        print_distribution(file, &directive->is.redistribution.distribution);
        print_word(file, ")");
        break;
    case DVMHCC_REALIGN:
        print_realign(file, &directive->is.redistribution);
        break;
    case DVMHCC_REGION:
        print_region(file, &directive->is.region);
        break;
    case DVMHCC_PARALLEL:
        print_parallel(file, &directive->is.parallel);
        break;
    case DVMHCC_ACTUAL:
    case DVMHCC_GET_ACTUAL:
        if (directive->is.data == NULL && check_random_once_in(2))
            break;
        print_word(file, "(");
        for (const dvmhcc_data_t *data = directive->is.data; data != NULL; data = data->next) {
            print_data(file, data);
            print_word(file, data->next != NULL ? "," : "");
        }
        print_word(file, ")");
        break;
    case DVMHCC_INHERIT:
        print_names(file, directive->is.names);
        break;
    case DVMHCC_SHADOW_RENEW:
        print_widths(file, directive->is.shadow_renews);
        break;
    case DVMHCC_REMOTE_ACCESS:
        print_references(file, directive->is.remote_accesses);
        break;
    case DVMHCC_INTERVAL:
    case DVMHCC_EXITINTERVAL:
        for (const dvmhcc_expressions_t *entry = directive->is.intervals; entry != NULL;
             entry = entry->next) {
            print_word(file, entry == directive->is.intervals ? " " : ",");
            print_expression(file, &entry->expression);
        }
        break;
    case DVMHCC_ENDINTERVAL:
    case DVMHCC_HOST_SECTION:
    case DVMHCC_ROUTINE:
    case DVMHCC_UNKNOWN:
    case DVMHCC_UNSUPPORTED:
        break;
    }
}

#endif
