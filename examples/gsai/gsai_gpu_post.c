/* The stage post on a GPU: counts, pointers, compaction, and rows for products. One process keeps all on the GPU. Several exchange what
 * they have made by way of the host, since each multiplies with all of it afterwards. */
#include "examples/gsai/gsai_gpu_build.h"

#include <string.h>

/* What the columns of all processes have in common. */
static gsai_status_t take_facts(gsai_gpu_build_t *b, gsai_fault_t *fault) {
    static const int number[] = {GSAI_FACT_TOTAL, GSAI_FACT_DEPENDENT, GSAI_FACT_DEFICIENT, GSAI_FACT_EMPTY};
    int64_t *const sum[] = {&b->told.entries, &b->told.dependent, &b->told.deficient, &b->told.empty};
    int64_t own[GSAI_FACT_COUNT], all[GSAI_PROCESSES_MAX];

    memcpy(own, gsai_gpu_facts(b), sizeof own);
    gsai_gpu_share(b->processes, own[GSAI_FACT_INDEFINITE], all);
    for (int p = 0; p < b->processes; p++)
        if (all[p] != 0)
            return gsai_fail(fault, GSAI_ERR_NUMERIC,
                             "the matrix is not positive definite: row %lld of its factor cannot be made",
                             (long long)all[p]);
    for (int k = 0; k < 4; k++) {
        gsai_gpu_share(b->processes, own[number[k]], all);
        for (int p = 0; p < b->processes; p++)
            *sum[k] += all[p];
    }
    gsai_gpu_share(b->processes, b->pattern_entries, all);
    for (int p = 0; p < b->processes; p++)
        b->told.pattern_entries += all[p];
    b->told.rows_max = gsai_gpu_most(b->processes, b->told.rows_max);
    b->told.columns_max = gsai_gpu_most(b->processes, b->told.columns_max);
    b->told.work_bytes = gsai_gpu_most(b->processes, b->told.work_bytes);
    b->told.buckets = gsai_gpu_most(b->processes, b->told.buckets);
    b->told.batches = gsai_gpu_most(b->processes, b->told.batches);
    return GSAI_OK;
}

/* What is kept of this process's columns. to: pointers of it, room for its entries */
static gsai_status_t keep(gsai_gpu_build_t *b, gsai_product_t *to, int64_t *entries_p, gsai_fault_t *fault) {
    gsai_gpu_set_t *const set = &b->set[b->last];
    const gsai_use_t counted[] = {{&set->start, INTENT_IN}, {&set->index, INTENT_IN},
                                  {&b->value, INTENT_IN},   {&b->dependent, INTENT_IN},
                                  {&b->counts, INTENT_OUT}, {&to->start, INTENT_OUT},
                                  {&b->sums, INTENT_OUT},   {&b->facts, INTENT_OUT}};
    const gsai_use_t kept[] = {{&set->start, INTENT_IN}, {&set->index, INTENT_IN}, {&b->value, INTENT_IN},
                               {&to->start, INTENT_IN},  {&to->index, INTENT_OUT}, {&to->value, INTENT_OUT}};

    memset(to, 0, sizeof *to);
    gsai_array_create_whole(&to->start, rt_LLONG, (DvmType)b->step.n + 1);
    if (!gsai_gpu_run(b, 8, counted, b->gpu->keep_count))
        return gsai_gpu_lacks("the pointers of the inverse", fault);
    *entries_p = gsai_gpu_facts(b)[GSAI_FACT_TOTAL];
    const gsai_status_t status = take_facts(b, fault);
    if (status != GSAI_OK)
        return status;
    to->n = b->step.n;
    to->entries = b->told.entries;
    to->gpu = b->gpu;
    const int64_t room = gsai_gpu_most(b->processes, *entries_p);
    gsai_array_create_whole(&to->index, rt_INT, room);
    gsai_array_create_whole(&to->value, rt_DOUBLE, room);
    return gsai_gpu_run(b, 6, kept, b->gpu->keep) ? GSAI_OK : gsai_gpu_lacks("the inverse", fault);
}

/* ---- several processes ---- */

/* All parts of an array one behind the other, on the host of every process. sizes: of each part; values: this process's */
static void join(gsai_gpu_build_t *b, DvmType type_code, const DvmType sizes[], const void *values,
                 void *all) {
    gsai_array_t parts;
    DvmType before = 0, total = 0;

    for (int p = 0; p < b->processes; p++) {
        before += p < b->number ? sizes[p] : 0;
        total += sizes[p];
    }
    if (total == 0)
        return;
    gsai_array_create_cut(&parts, type_code, total, sizes);
    if (sizes[b->number] > 0)
        memcpy(dvmh_get_own_element_addr_C(parts.header, 1, before), values,
               (size_t)sizes[b->number] * parts.element);
    gsai_array_written(&parts);
    gsai_array_gather(&parts, all);
    gsai_array_delete(&parts);
}

/* Columns of all processes on the host of each. own: what `keep` made; columns: room for all entries */
static void exchange(gsai_gpu_build_t *b, gsai_product_t *own, int64_t entries,
                     const gsai_sparse_t *columns) {
    const int64_t *const start = gsai_array_read(&own->start);
    DvmType sizes[GSAI_PROCESSES_MAX], entry_sizes[GSAI_PROCESSES_MAX];
    int64_t all[GSAI_PROCESSES_MAX], before = 0;

    gsai_gpu_share(b->processes, (int64_t)b->step.end - b->step.first, all);
    for (int p = 0; p < b->processes; p++)
        sizes[p] = (DvmType)all[p];
    gsai_gpu_share(b->processes, entries, all);
    for (int p = 0; p < b->processes; p++)
        entry_sizes[p] = (DvmType)all[p];
    join(b, rt_LLONG, sizes, start + b->step.first, columns->start);
    join(b, rt_INT, entry_sizes, gsai_array_read(&own->index), columns->index);
    join(b, rt_DOUBLE, entry_sizes, gsai_array_read(&own->value), columns->value);
    int32_t k = 0;
    for (int p = 0; p < b->processes; p++) { /* each began at 0 */
        for (DvmType m = 0; m < sizes[p]; m++)
            columns->start[k++] += before;
        before += entry_sizes[p];
    }
    columns->start[b->step.n] = before;
}

static gsai_status_t keep_of_all(gsai_gpu_build_t *b, gsai_product_t *columns_p, gsai_fault_t *fault) {
    gsai_product_t own;
    gsai_sparse_t room;
    int64_t entries = 0;
    gsai_status_t status = keep(b, &own, &entries, fault);

    if (status == GSAI_OK) {
        gsai_product_begin(b->step.n, b->told.entries, b->gpu, columns_p, &room);
        exchange(b, &own, entries, &room);
        gsai_product_end(columns_p);
    }
    gsai_product_delete(&own);
    return status;
}

/* ---- rows ---- */

gsai_status_t gsai_gpu_stage_post(gsai_gpu_build_t *b, gsai_product_t *product_p,
                                  gsai_product_t *transposed_p, gsai_fault_t *fault) {
    const bool are_rows = b->options->is_factored || b->options->side == GSAI_SIDE_LEFT;
    gsai_product_t columns = {0};
    gsai_product_t *const kept = are_rows ? product_p : &columns;
    gsai_product_t *const turned = are_rows ? transposed_p : product_p;
    int64_t entries = 0;
    gsai_status_t status = b->processes > 1 ? keep_of_all(b, kept, fault) : keep(b, kept, &entries, fault);

    if (status == GSAI_OK && (!are_rows || b->options->is_factored) &&
        !gsai_gpu_transpose_into(b, kept, turned))
        status = gsai_gpu_lacks("the rows of the inverse", fault);
    gsai_product_delete(&columns);
    if (status == GSAI_OK && !gsai_gpu_wait(b))
        status = gsai_gpu_lacks("the inverse", fault);
    return status;
}
