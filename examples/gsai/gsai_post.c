/* The stage post: count what is kept of each column, turn counts to pointers by a prefix sum, compact values and indices, and hand the
 * columns to every process. Entries that are exactly 0 are never kept; the diagonal is, unless it is 0. */
#include <math.h>
#include <stdlib.h>

#include "examples/gsai/gsai_stages.h"

/** What the loops need besides arrays. */
typedef struct post_context {
    double filter;
} post_context_t;

/* Below this an entry of a column is dropped. */
static double limit_of(const double *value, int64_t count, double filter) {
    double largest = 0;

    for (int64_t at = 0; at < count && filter > 0; at++)
        largest = fmax(largest, fabs(value[at]));
    return filter * largest;
}

static bool is_kept(double value, bool is_diagonal, double limit) {
    return value != 0 && (is_diagonal || fabs(value) >= limit);
}

/* Arrays: start, index, value, kept. */
static void count_body(const dvmhx_record_t *record, void *context) {
    const post_context_t *const c = context;
    const int64_t *const start = GSAI_BASE(record, 0, int64_t);
    const int32_t *const index = GSAI_BASE(record, 1, int32_t);
    const double *const value = GSAI_BASE(record, 2, double);
    int32_t *const kept = GSAI_BASE(record, 3, int32_t);

    for (DvmType m = 0; m < record->count[0]; m++) {
        const DvmType k = record->start[0] + m;
        const double limit = limit_of(value + start[k], start[k + 1] - start[k], c->filter);

        kept[k] = 0;
        for (int64_t at = start[k]; at < start[k + 1]; at++)
            kept[k] += is_kept(value[at], index[at] == k, limit);
    }
}

/* Arrays: start, index, value, the new start, index and value. */
static void compact_body(const dvmhx_record_t *record, void *context) {
    const post_context_t *const c = context;
    const int64_t *const start = GSAI_BASE(record, 0, int64_t);
    const int32_t *const index = GSAI_BASE(record, 1, int32_t);
    const double *const value = GSAI_BASE(record, 2, double);
    const int64_t *const new_start = GSAI_BASE(record, 3, int64_t);
    int32_t *const new_index = GSAI_BASE(record, 4, int32_t);
    double *const new_value = GSAI_BASE(record, 5, double);

    for (DvmType m = 0; m < record->count[0]; m++) {
        const DvmType k = record->start[0] + m;
        const double limit = limit_of(value + start[k], start[k + 1] - start[k], c->filter);
        int64_t to = new_start[k];

        for (int64_t at = start[k]; at < start[k + 1]; at++)
            if (is_kept(value[at], index[at] == k, limit)) {
                new_index[to] = index[at];
                new_value[to++] = value[at];
            }
    }
}

/* Facts of columns: `kept` are counts. */
static void take_facts(gsai_stages_t *s, const int32_t *kept) {
    for (int32_t k = 0; k < s->n; k++) {
        s->facts.entries += kept[k];
        s->facts.empty += kept[k] == 0;
        s->facts.dependent += s->dependent_of[k];
        s->facts.deficient += s->dependent_of[k] > 0;
    }
}

/* With new pointers: what is kept of each column, on the host. */
static void compact(gsai_stages_t *s, gsai_sparse_t *inverse, post_context_t *context) {
    gsai_array_t start, index, value;

    gsai_stage_entry_sizes(s, inverse->start);
    gsai_array_create_whole(&start, rt_LLONG, (DvmType)s->n + 1);
    gsai_array_set(&start, inverse->start);
    gsai_array_create_cut(&index, rt_INT, s->facts.entries, s->entry_sizes);
    gsai_array_create_cut(&value, rt_DOUBLE, s->facts.entries, s->entry_sizes);
    const gsai_use_t uses[] = {{&s->start, INTENT_IN}, {&s->index, INTENT_IN}, {&s->value, INTENT_IN},
                               {&start, INTENT_IN},    {&index, INTENT_OUT},   {&value, INTENT_OUT}};
    gsai_loop(&s->entries, 0, s->n, 6, uses, compact_body, context);
    if (s->facts.entries > 0) {
        gsai_array_gather(&index, inverse->index);
        gsai_array_gather(&value, inverse->value);
    }
    gsai_array_delete(&start);
    gsai_array_delete(&index);
    gsai_array_delete(&value);
}

/* With the counts of all columns: pointers, compaction, columns on the host. Where all is kept there is nothing to compact. */
static gsai_status_t assemble(gsai_stages_t *s, const int32_t *kept, gsai_sparse_t *inverse_p,
                              post_context_t *context, gsai_fault_t *fault) {
    const gsai_status_t status =
        gsai_stage_agree(s, gsai_sparse_create(s->n, s->facts.entries, inverse_p, fault), fault);

    if (status != GSAI_OK) {
        gsai_sparse_free(inverse_p);
        return status;
    }
    for (int32_t k = 0; k < s->n; k++)
        inverse_p->start[k + 1] = inverse_p->start[k] + kept[k];
    if (s->facts.entries < s->facts.pattern_entries) {
        compact(s, inverse_p, context);
    } else {
        gsai_array_gather(&s->index, inverse_p->index);
        gsai_array_gather(&s->value, inverse_p->value);
    }
    return GSAI_OK;
}

gsai_status_t gsai_stage_post(gsai_stages_t *s, gsai_sparse_t *inverse_p, gsai_fault_t *fault) {
    post_context_t context = {.filter = s->options->filter};
    int32_t *const counts = gsai_alloc(s->n, sizeof *counts);
    gsai_status_t status = gsai_stage_agree(s, counts != NULL ? GSAI_OK : GSAI_ERR_MEMORY, fault);

    if (status == GSAI_OK) {
        gsai_array_t kept;

        gsai_array_create_cut(&kept, rt_INT, s->n, s->sizes);
        const gsai_use_t uses[] = {{&s->start, INTENT_IN},
                                   {&s->index, INTENT_IN},
                                   {&s->value, INTENT_IN},
                                   {&kept, INTENT_OUT}};
        gsai_loop(&s->entries, 0, s->n, 4, uses, count_body, &context);
        gsai_array_gather(&kept, counts);
        gsai_array_delete(&kept);
        take_facts(s, counts);
        status = assemble(s, counts, inverse_p, &context, fault);
    } else {
        gsai_fail(fault, status, "no memory for the pointers of the inverse");
    }
    free(counts);
    return status;
}
