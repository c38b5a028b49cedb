/* For tests of the directive parser: whether two trees say the same. Places are not compared. */
#ifndef TESTS_DVMHCC_DIRECTIVE_SAME_H
#define TESTS_DVMHCC_DIRECTIVE_SAME_H

#include "compiler-hooks/dvmhcc/directive.h"

#include <string.h>

static inline bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static inline bool same_constant(const dvmhcc_constant_t *a, const dvmhcc_constant_t *b) {
    return same_text(a->text, b->text) && a->known == b->known && (!a->known || a->value == b->value);
}

static inline bool same_expression(const dvmhcc_expression_t *a, const dvmhcc_expression_t *b) {
    return same_constant(&a->constant, &b->constant);
}

static inline bool same_ranges(int rank, const dvmhcc_range_t a[], const dvmhcc_range_t b[]) {
    bool same = true;
    for (int i = 0; i < rank; i++)
        same = same && a[i].single == b[i].single && same_expression(&a[i].low, &b[i].low) &&
               same_expression(&a[i].high, &b[i].high);
    return same;
}

static inline bool same_subscripts(int rank, const dvmhcc_subscript_t a[], const dvmhcc_subscript_t b[]) {
    bool same = true;
    for (int i = 0; i < rank; i++) {
        same = same && a[i].kind == b[i].kind && same_expression(&a[i].whole, &b[i].whole);
        if (a[i].kind == DVMHCC_SUBSCRIPT_INDEX)
            same = same && a[i].index == b[i].index && same_constant(&a[i].coefficient, &b[i].coefficient) &&
                   same_constant(&a[i].summand, &b[i].summand);
    }
    return same;
}

static inline bool same_distribution(const dvmhcc_distribution_t *a, const dvmhcc_distribution_t *b) {
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axes[i].kind == b->axes[i].kind &&
               same_text(a->axes[i].array.text, b->axes[i].array.text) &&
               same_expression(&a->axes[i].value, &b->axes[i].value);
    return same;
}

static inline bool same_mapping(const dvmhcc_mapping_t *a, const dvmhcc_mapping_t *b) {
    bool same = a->index_count == b->index_count && same_text(a->target.text, b->target.text) &&
                a->target_rank == b->target_rank;
    for (int i = 0; same && i < a->index_count; i++)
        same = same_text(a->indexes[i].text, b->indexes[i].text);
    return same && same_subscripts(a->target_rank, a->subscripts, b->subscripts);
}

/* Lists are the same when their entries are, one by one, and both end. */
#define SAME_LIST(type, a, b, condition)                                                                     \
    do {                                                                                                     \
        const type *x = (a), *y = (b);                                                                       \
        for (; x != NULL && y != NULL; x = x->next, y = y->next)                                             \
            if (!(condition))                                                                                \
                return false;                                                                                \
        return x == y;                                                                                       \
    } while (0)

static inline bool same_names(const dvmhcc_names_t *a, const dvmhcc_names_t *b) {
    SAME_LIST(dvmhcc_names_t, a, b, same_text(x->name.text, y->name.text));
}

static inline bool same_expressions(const dvmhcc_expressions_t *a, const dvmhcc_expressions_t *b) {
    SAME_LIST(dvmhcc_expressions_t, a, b, same_expression(&x->expression, &y->expression));
}

static inline bool same_widths(const dvmhcc_widths_t *a, const dvmhcc_widths_t *b) {
    SAME_LIST(dvmhcc_widths_t, a, b,
              same_text(x->array.text, y->array.text) && x->corner == y->corner && x->out == y->out &&
                  x->rank == y->rank && same_ranges(x->rank, x->axes, y->axes));
}

static inline bool same_data(const dvmhcc_data_t *a, const dvmhcc_data_t *b) {
    SAME_LIST(dvmhcc_data_t, a, b,
              same_text(x->variable.text, y->variable.text) && x->intent == y->intent && x->rank == y->rank &&
                  same_ranges(x->rank, x->axes, y->axes));
}

static inline bool same_references(const dvmhcc_reference_t *a, const dvmhcc_reference_t *b) {
    SAME_LIST(dvmhcc_reference_t, a, b,
              same_text(x->array.text, y->array.text) && x->rank == y->rank &&
                  same_subscripts(x->rank, x->axes, y->axes));
}

static inline bool same_reductions(const dvmhcc_reduction_t *a, const dvmhcc_reduction_t *b) {
    SAME_LIST(dvmhcc_reduction_t, a, b,
              x->operation == y->operation && same_text(x->variable.text, y->variable.text) &&
                  same_text(x->location.text, y->location.text) &&
                  same_expression(&x->location_size, &y->location_size));
}

static inline bool same_ties(const dvmhcc_tie_t *a, const dvmhcc_tie_t *b) {
    SAME_LIST(dvmhcc_tie_t, a, b,
              same_text(x->array.text, y->array.text) && x->rank == y->rank &&
                  memcmp(x->axes, y->axes, (size_t)x->rank * sizeof x->axes[0]) == 0);
}

static inline bool same_parallel(const dvmhcc_parallel_t *a, const dvmhcc_parallel_t *b) {
    bool same = a->cuda_block_rank == b->cuda_block_rank;
    for (int i = 0; same && i < a->cuda_block_rank; i++)
        same = same_expression(&a->cuda_block[i], &b->cuda_block[i]);
    return same && a->rank == b->rank && same_mapping(&a->mapping, &b->mapping) &&
           same_names(a->privates, b->privates) && same_reductions(a->reductions, b->reductions) &&
           same_widths(a->acrosses, b->acrosses) && same_widths(a->shadow_renews, b->shadow_renews) &&
           same_references(a->remote_accesses, b->remote_accesses) && same_ties(a->ties, b->ties) &&
           same_expression(&a->stage, &b->stage);
}

static inline bool same_declaration(const dvmhcc_declaration_t *a, const dvmhcc_declaration_t *b) {
    bool same = a->rank == b->rank && a->has_sizes == b->has_sizes && a->dynamic == b->dynamic &&
                a->has_distribution == b->has_distribution && a->has_alignment == b->has_alignment &&
                a->has_shadow == b->has_shadow;
    for (int i = 0; same && a->has_sizes && i < a->rank; i++)
        same = same_expression(&a->sizes[i], &b->sizes[i]);
    if (same && a->has_distribution)
        same = same_distribution(&a->distribution, &b->distribution);
    if (same && a->has_alignment)
        same = same_mapping(&a->alignment, &b->alignment);
    return same && (!a->has_shadow || same_ranges(a->rank, a->shadow, b->shadow));
}

static inline bool same_directive(const dvmhcc_directive_t *a, const dvmhcc_directive_t *b) {
    if (a->kind != b->kind || !same_text(a->name.text, b->name.text))
        return false;
    switch (a->kind) {
    case DVMHCC_ARRAY:
    case DVMHCC_TEMPLATE:
        return same_declaration(&a->is.declaration, &b->is.declaration);
    case DVMHCC_REDISTRIBUTE:
    case DVMHCC_REALIGN:
        return same_text(a->is.redistribution.array.text, b->is.redistribution.array.text) &&
               a->is.redistribution.new_value == b->is.redistribution.new_value &&
               same_distribution(&a->is.redistribution.distribution, &b->is.redistribution.distribution) &&
               same_mapping(&a->is.redistribution.alignment, &b->is.redistribution.alignment);
    case DVMHCC_REGION:
        return same_data(a->is.region.data, b->is.region.data) &&
               a->is.region.targets == b->is.region.targets && a->is.region.async == b->is.region.async;
    case DVMHCC_PARALLEL:
        return same_parallel(&a->is.parallel, &b->is.parallel);
    case DVMHCC_ACTUAL:
    case DVMHCC_GET_ACTUAL:
        return same_data(a->is.data, b->is.data);
    case DVMHCC_INHERIT:
        return same_names(a->is.names, b->is.names);
    case DVMHCC_SHADOW_RENEW:
        return same_widths(a->is.shadow_renews, b->is.shadow_renews);
    case DVMHCC_REMOTE_ACCESS:
        return same_references(a->is.remote_accesses, b->is.remote_accesses);
    case DVMHCC_INTERVAL:
    case DVMHCC_EXITINTERVAL:
        return same_expressions(a->is.intervals, b->is.intervals);
    case DVMHCC_ENDINTERVAL:
    case DVMHCC_HOST_SECTION:
    case DVMHCC_ROUTINE:
    case DVMHCC_UNKNOWN:
    case DVMHCC_UNSUPPORTED:
        break;
    }
    return true;
}

#endif
