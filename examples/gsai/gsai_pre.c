/* The stage pre: which rows and columns the small problem of each column has (two loops: count, then fill), how much memory that takes, and
 * in which order columns are worked on.
 *
 * The order: classes by the powers of two that rows and columns reach (buckets), the most expensive first. Blocks of a class are dealt to
 * CHUNKS chunks, some BLOCKS to each, so that any contiguous part of the order has about the same work, and yet neighbours, which share rows,
 * follow each other; columns of one pattern stay together. No column is padded to the size of another one. */
#include <stdlib.h>
#include <string.h>

#include "examples/gsai/gsai_stages.h"

enum { CLASSES = 32, CHUNK_BITS = 6, CHUNKS = 1 << CHUNK_BITS, BLOCKS = 16, BLOCK_MAX = 256 };

/** What the loops over columns need besides arrays. */
typedef struct pre_context {
    gsai_stages_t *stages;
    int levels;
    bool is_lower;
} pre_context_t;

static gsai_columns_t columns_of(const dvmhx_record_t *record, int first) {
    return (gsai_columns_t){.start = GSAI_BASE(record, first, int64_t),
                            .index = GSAI_BASE(record, first + 1, int32_t)};
}

/* A number that is the same for the same members; others have another one with some luck. */
static int32_t key_of(const gsai_set_t *members) {
    uint32_t key = 2166136261;

    for (int32_t at = 0; at < members->count; at++)
        key = (key ^ (uint32_t)members->member[at]) * 16777619;
    return (int32_t)(key >> 1);
}

/* Arrays: B's start and index, the pattern's start and index, entries, rows, key. */
static void count_body(const dvmhx_record_t *record, void *context) {
    const pre_context_t *const c = context;
    const gsai_columns_t b = columns_of(record, 0), pattern = columns_of(record, 2);
    int32_t *const entries = GSAI_BASE(record, 4, int32_t), *const rows = GSAI_BASE(record, 5, int32_t);
    int32_t *const key = GSAI_BASE(record, 6, int32_t);
    gsai_set_t members = {0}, reached = {0};

    if (gsai_set_create(c->stages->n, &members) && gsai_set_create(c->stages->n, &reached)) {
        for (DvmType m = 0; m < record->count[0]; m++) {
            const DvmType k = record->start[0] + m;

            gsai_pattern_of(pattern, (int32_t)k, c->levels, c->is_lower, &members);
            entries[k] = members.count;
            key[k] = key_of(&members);
            rows[k] =
                c->is_lower ? members.count : gsai_pattern_rows(b, members.member, members.count, &reached);
            gsai_set_clear(&members);
        }
    } else {
        atomic_store(&c->stages->no_memory, true);
    }
    gsai_set_free(&members);
    gsai_set_free(&reached);
}

/* Arrays: the pattern's start and index, start, index, entries. */
static void fill_body(const dvmhx_record_t *record, void *context) {
    const pre_context_t *const c = context;
    const gsai_columns_t pattern = columns_of(record, 0);
    const int64_t *const start = GSAI_BASE(record, 2, int64_t);
    int32_t *const index = GSAI_BASE(record, 3, int32_t);
    gsai_set_t members = {0};

    if (gsai_set_create(c->stages->n, &members)) {
        for (DvmType m = 0; m < record->count[0]; m++) {
            const DvmType k = record->start[0] + m;

            gsai_pattern_of(pattern, (int32_t)k, c->levels, c->is_lower, &members);
            for (int32_t at = 0; at < members.count; at++)
                index[start[k] + at] = members.member[at];
            gsai_set_clear(&members);
        }
    } else {
        atomic_store(&c->stages->no_memory, true);
    }
    gsai_set_free(&members);
}

static void order_body(const dvmhx_record_t *record, void *context) {
    const int32_t *const all = context;
    int32_t *const order = GSAI_BASE(record, 0, int32_t);

    for (DvmType m = 0; m < record->count[0]; m++)
        order[record->start[0] + m] = all[record->start[0] + m];
}

int32_t gsai_stage_least(gsai_stages_t *s, int32_t number) {
    DvmType *const ones = gsai_alloc(s->processes, sizeof *ones);
    int32_t *const all = gsai_alloc(s->processes, sizeof *all);
    int32_t least = number;

    if (s->processes > 1 && ones != NULL && all != NULL) {
        gsai_array_t numbers;

        for (int32_t p = 0; p < s->processes; p++)
            ones[p] = 1;
        gsai_array_create_cut(&numbers, rt_INT, s->processes, ones);
        for (int32_t p = 0; p < s->processes; p++) {
            int32_t *const own = dvmh_get_own_element_addr_C(numbers.header, 1, (DvmType)p);

            if (own != NULL)
                *own = number;
        }
        gsai_array_written(&numbers);
        gsai_array_gather(&numbers, all);
        gsai_array_delete(&numbers);
        for (int32_t p = 0; p < s->processes; p++)
            least = all[p] < least ? all[p] : least;
    }
    free(ones);
    free(all);
    return least;
}

gsai_status_t gsai_stage_agree(gsai_stages_t *s, gsai_status_t status, gsai_fault_t *fault) {
    const gsai_status_t verdict = (gsai_status_t)-gsai_stage_least(s, -(int32_t)status);

    if (status == GSAI_OK && verdict != GSAI_OK)
        gsai_fail(fault, verdict, "another process failed");
    return verdict;
}

/* About what a column costs, from the pattern of B alone: exact for its own pattern, in proportion for powers. */
static double cost_of(const gsai_sparse_t *b, int32_t k) {
    const double columns = (double)(b->start[k + 1] - b->start[k]) + 1;
    double rows = 0;

    for (int64_t at = b->start[k]; at < b->start[k + 1]; at++)
        rows += (double)(b->start[b->index[at] + 1] - b->start[b->index[at]]);
    return (rows + 8) * columns * columns + 64;
}

/* Contiguous columns of about equal cost for each process. */
static void cut_columns(gsai_stages_t *s) {
    double total = 0, before = 0;
    int32_t k = 0;

    for (int32_t j = 0; j < s->n; j++)
        total += cost_of(&s->b, j);
    for (int32_t p = 0; p < s->processes; p++) {
        const double goal = total * (p + 1) / s->processes;
        const int32_t first = k;

        while (k < s->n && (p == s->processes - 1 || before + cost_of(&s->b, k) / 2 < goal))
            before += cost_of(&s->b, k++);
        s->sizes[p] = k - first;
    }
}

void gsai_stage_entry_sizes(gsai_stages_t *s, const int64_t start[]) {
    DvmType first = 0;

    for (int32_t p = 0; p < s->processes; p++) {
        s->entry_sizes[p] = start[first + s->sizes[p]] - start[first];
        first += s->sizes[p];
    }
}

static int power_of_two(int32_t number) {
    int power = 0;

    while (power < CLASSES - 1 && ((int64_t)1 << power) < number)
        power++;
    return power;
}

/* Cost goes with rows times columns squared: the class of a column, the most expensive first. */
static int class_of(const gsai_stages_t *s, int32_t k) {
    const int rows = power_of_two(s->rows_of[k]), columns = power_of_two(s->entries_of[k]);

    return (CLASSES - 1 - columns) * CLASSES + (CLASSES - 1 - rows);
}

/* Columns first .. first + count - 1 by class. end: of each class in `sorted`. @return classes that have columns */
static int64_t sort_part(const gsai_stages_t *s, DvmType first, DvmType count, int32_t *sorted,
                         int64_t end[CLASSES * CLASSES]) {
    int64_t classes = 0, before = 0;

    memset(end, 0, CLASSES * CLASSES * sizeof *end);
    for (DvmType k = first; k < first + count; k++)
        end[class_of(s, (int32_t)k)]++;
    for (int c = 0; c < CLASSES * CLASSES; c++) {
        const int64_t size = end[c];

        classes += size > 0;
        end[c] = before; /* where it begins; moves to its end as columns are placed */
        before += size;
    }
    for (DvmType k = first; k < first + count; k++)
        sorted[end[class_of(s, (int32_t)k)]++] = (int32_t)k;
    return classes;
}

/* Blocks of sorted columns: none has columns of two classes. begin: of each, and of the one behind the last. @return how many */
static int64_t cut_blocks(const gsai_stages_t *s, const int32_t *sorted, const int64_t end[CLASSES * CLASSES],
                          int32_t *begin) {
    int64_t at = 0, blocks = 0;

    for (int c = 0; c < CLASSES * CLASSES; c++) {
        int64_t size = (end[c] - at) / (CHUNKS * BLOCKS);

        size = size < 1 ? 1 : size > BLOCK_MAX ? BLOCK_MAX : size;
        while (at < end[c]) {
            const int64_t first = at;

            begin[blocks++] = (int32_t)first;
            at = first + size < end[c] ? first + size : end[c];
            while (at < end[c] && at - first < GSAI_SIDES_MAX &&
                   s->key_of[sorted[at]] == s->key_of[sorted[at - 1]])
                at++;
        }
    }
    begin[blocks] = (int32_t)at;
    return blocks;
}

/* A chunk's number with its bits backwards, so that a few expensive blocks get far from each other. */
static int reverse(int chunk) {
    int reversed = 0;

    for (int bit = 0; bit < CHUNK_BITS; bit++)
        reversed |= (chunk >> bit & 1) << (CHUNK_BITS - 1 - bit);
    return reversed;
}

/* The order of columns first .. first + count - 1. sorted, begin: scratch of count and count + 1 elements. */
static void order_part(const gsai_stages_t *s, DvmType first, DvmType count, int32_t *sorted, int32_t *begin,
                       int32_t *order, int64_t *buckets_p) {
    int64_t end[CLASSES * CLASSES], at = 0;
    const int64_t buckets = sort_part(s, first, count, sorted, end);
    const int64_t blocks = cut_blocks(s, sorted, end, begin);

    for (int chunk = 0; chunk < CHUNKS; chunk++)
        for (int64_t block = reverse(chunk); block < blocks; block += CHUNKS)
            for (int32_t k = begin[block]; k < begin[block + 1]; k++)
                order[first + at++] = sorted[k];
    if (buckets > *buckets_p)
        *buckets_p = buckets;
}

static gsai_status_t make_order(gsai_stages_t *s, gsai_fault_t *fault) {
    int32_t *const order = gsai_alloc(s->n, sizeof *order), *const sorted = gsai_alloc(s->n, sizeof *sorted);
    int32_t *const block = gsai_alloc((int64_t)s->n + 1, sizeof *block);
    const gsai_use_t use = {&s->order, INTENT_OUT};
    DvmType first = 0;
    const gsai_status_t status =
        gsai_stage_agree(s, order != NULL && sorted != NULL && block != NULL ? GSAI_OK : GSAI_ERR_MEMORY,
                         fault);

    if (status == GSAI_OK) {
        for (int32_t p = 0; p < s->processes; p++) {
            order_part(s, first, s->sizes[p], sorted, block, order, &s->facts.buckets);
            first += s->sizes[p];
        }
        gsai_loop(&s->order, 0, s->n, 1, &use, order_body, order);
    } else {
        gsai_fail(fault, status, "no memory for the order of columns");
    }
    free(order);
    free(sorted);
    free(block);
    return status;
}

/* Gather the extents and add up pointers. */
static void take_extents(gsai_stages_t *s) {
    gsai_array_gather(&s->entries, s->entries_of);
    gsai_array_gather(&s->rows, s->rows_of);
    gsai_array_gather(&s->key, s->key_of);
    for (int32_t k = 0; k < s->n; k++) {
        s->start_of[k + 1] = s->start_of[k] + s->entries_of[k];
        if (s->rows_of[k] > s->facts.rows_max)
            s->facts.rows_max = s->rows_of[k];
        if (s->entries_of[k] > s->facts.columns_max)
            s->facts.columns_max = s->entries_of[k];
    }
    s->facts.pattern_entries = s->start_of[s->n];
}

static gsai_status_t no_memory(gsai_fault_t *fault) {
    return gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for the index sets of the small problems");
}

gsai_status_t gsai_stage_pre(gsai_stages_t *s, gsai_fault_t *fault) {
    const gsai_options_t *const options = s->options;
    pre_context_t context = {.stages = s, .levels = options->levels, .is_lower = options->is_factored};
    gsai_array_t *const from = s->has_pattern ? &s->pattern_start : &s->held.start;
    gsai_array_t *const from_index = s->has_pattern ? &s->pattern_index : &s->held.index;

    cut_columns(s);
    gsai_array_create_cut(&s->entries, rt_INT, s->n, s->sizes);
    gsai_array_create_cut(&s->rows, rt_INT, s->n, s->sizes);
    gsai_array_create_cut(&s->key, rt_INT, s->n, s->sizes);
    gsai_array_create_cut(&s->order, rt_INT, s->n, s->sizes);
    gsai_array_create_cut(&s->dependent, rt_INT, s->n, s->sizes);
    const gsai_use_t counted[] = {{&s->held.start, INTENT_IN}, {&s->held.index, INTENT_IN},
                                  {from, INTENT_IN},           {from_index, INTENT_IN},
                                  {&s->entries, INTENT_OUT},   {&s->rows, INTENT_OUT},
                                  {&s->key, INTENT_OUT}};
    gsai_loop(&s->entries, 0, s->n, 7, counted, count_body, &context);
    gsai_status_t status = gsai_stage_agree(s, atomic_load(&s->no_memory) ? GSAI_ERR_MEMORY : GSAI_OK, fault);
    if (status != GSAI_OK)
        return no_memory(fault);
    take_extents(s);
    gsai_stage_entry_sizes(s, s->start_of);
    gsai_array_create_cut(&s->index, rt_INT, s->start_of[s->n], s->entry_sizes);
    gsai_array_create_cut(&s->value, rt_DOUBLE, s->start_of[s->n], s->entry_sizes);
    gsai_array_create_whole(&s->start, rt_LLONG, (DvmType)s->n + 1);
    gsai_array_set(&s->start, s->start_of);
    const gsai_use_t filled[] = {{from, INTENT_IN},
                                 {from_index, INTENT_IN},
                                 {&s->start, INTENT_IN},
                                 {&s->index, INTENT_OUT},
                                 {&s->entries, INTENT_IN}};
    gsai_loop(&s->entries, 0, s->n, 5, filled, fill_body, &context);
    status = gsai_stage_agree(s, atomic_load(&s->no_memory) ? GSAI_ERR_MEMORY : GSAI_OK, fault);
    return status != GSAI_OK ? no_memory(fault) : make_order(s, fault);
}
