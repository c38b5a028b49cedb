/* The stages pre and compute on a GPU: index sets level by level, then rows and solutions in batches of columns.
 *
 * What stays is of the size of the matrix and of the inverse. What grows with problems, lists of rows, memory of large problems and buffers of
 * long unions, keeps to a budget: half of the GPU's free memory, and what the options say. Where even less is to be had the budget is
 * halved until a batch fits, or a single column does not. */
#include "examples/gsai/gsai_gpu_build.h"

enum { SLOTS_MAX = 256 };

/* A union longer than this is refused: its buffer is sorted by 32-bit numbers. */
#define CANDIDATES_MAX ((int64_t)1 << 30)

/* ---- unions ---- */

/* The lists of a union behind its other arrays. @return how many uses there are */
static int add_lists(gsai_use_t uses[], int count, const gsai_union_t *u) {
    if (u->list_start == NULL)
        return count;
    uses[count] = (gsai_use_t){u->list_start, INTENT_IN};
    uses[count + 1] = (gsai_use_t){u->list_index, INTENT_IN};
    return count + 2;
}

static void tell_union(gsai_gpu_build_t *b, const gsai_union_t *u) {
    b->step.has_list = u->list_start != NULL;
    b->step.keeps_list = u->keeps_list;
    b->step.is_lower = u->is_lower;
}

/* A buffer for the longest union, for as many blocks as the budget allows. With `slots` none it is a single element. */
static void make_buffer(gsai_gpu_build_t *b, int64_t slots, gsai_array_t *buffer) {
    b->step.slot_elements = slots > 0 ? b->largest : 0;
    b->step.slots = (int32_t)slots;
    gsai_array_create_whole(buffer, rt_INT, slots * b->largest);
}

static int64_t slots_within(int64_t budget, int64_t bytes, int64_t wanted) {
    int64_t slots = bytes > 0 ? budget / bytes : wanted;

    slots = slots < wanted ? slots : wanted;
    slots = slots < SLOTS_MAX ? slots : SLOTS_MAX;
    return slots > 1 ? slots : 1;
}

/* Run a step of unions with a buffer, a smaller one when there is no memory. buffer_at: its place in uses. */
static bool run_with_buffer(gsai_gpu_build_t *b, int count, gsai_use_t uses[], int buffer_at,
                            gsai_body_t body) {
    int64_t slots = b->largest > GSAI_UNION_SMALL
                        ? slots_within(b->budget, b->largest * (int64_t)sizeof(int32_t), SLOTS_MAX)
                        : 0;

    for (;;) {
        gsai_array_t buffer;

        make_buffer(b, slots, &buffer);
        uses[buffer_at].array = &buffer;
        const bool has_run = gsai_gpu_run(b, count, uses, body);
        gsai_array_delete(&buffer);
        if (has_run || slots <= 1)
            return has_run;
        slots /= 2;
    }
}

gsai_status_t gsai_gpu_count_union(gsai_gpu_build_t *b, const gsai_union_t *u, int64_t *total_p,
                                   gsai_fault_t *fault) {
    gsai_use_t bounded[] = {{u->from_start, INTENT_IN},
                            {u->from_index, INTENT_IN},
                            {&b->bounds, INTENT_OUT},
                            {&b->facts, INTENT_OUT},
                            {NULL, 0},
                            {NULL, 0}};
    gsai_use_t counted[] = {{u->from_start, INTENT_IN},
                            {u->from_index, INTENT_IN},
                            {&b->bounds, INTENT_IN},
                            {&b->counts, INTENT_OUT},
                            {u->start, INTENT_OUT},
                            {&b->sums, INTENT_OUT},
                            {NULL, INTENT_OUT},
                            {&b->facts, INTENT_OUT},
                            {NULL, 0},
                            {NULL, 0}};

    tell_union(b, u);
    if (!gsai_gpu_run(b, add_lists(bounded, 4, u), bounded, b->gpu->bound))
        return gsai_gpu_lacks("the index sets of the small problems", fault);
    b->largest = gsai_gpu_most(b->processes, gsai_gpu_facts(b)[GSAI_FACT_LARGEST]);
    if (b->largest > CANDIDATES_MAX)
        return gsai_fail(fault, GSAI_ERR_MEMORY, "a column with %lld candidates for its index set: too many",
                         (long long)b->largest);
    if (!run_with_buffer(b, add_lists(counted, 8, u), counted, 6, b->gpu->unite_count))
        return gsai_gpu_lacks("the index sets of the small problems", fault);
    *total_p = gsai_gpu_facts(b)[GSAI_FACT_TOTAL];
    return GSAI_OK;
}

bool gsai_gpu_fill_union(gsai_gpu_build_t *b, const gsai_union_t *u) {
    gsai_use_t uses[] = {{u->from_start, INTENT_IN},
                         {u->from_index, INTENT_IN},
                         {&b->bounds, INTENT_IN},
                         {u->start, INTENT_IN},
                         {NULL, INTENT_OUT},
                         {u->index, INTENT_OUT},
                         {NULL, 0},
                         {NULL, 0}};

    tell_union(b, u);
    return run_with_buffer(b, add_lists(uses, 6, u), uses, 4, b->gpu->unite);
}

/* ---- pre ---- */

/* Columns that are a step farther than those of `from`, or than each column itself. */
static gsai_status_t extend_pattern(gsai_gpu_build_t *b, gsai_gpu_set_t *from, bool is_last,
                                    gsai_gpu_set_t *to, gsai_fault_t *fault) {
    const bool has_pattern = b->pattern_start.exists;
    int64_t total = 0;
    const gsai_union_t u = {.from_start = has_pattern ? &b->pattern_start : &b->b.start,
                            .from_index = has_pattern ? &b->pattern_index : &b->b.index,
                            .list_start = from != NULL ? &from->start : NULL,
                            .list_index = from != NULL ? &from->index : NULL,
                            .start = &to->start,
                            .index = &to->index,
                            .keeps_list = true,
                            .is_lower = is_last && b->options->is_factored};

    gsai_array_create_whole(&to->start, rt_LLONG, (DvmType)b->step.n + 1);
    gsai_status_t status = gsai_gpu_count_union(b, &u, &total, fault);
    if (status != GSAI_OK)
        return status;
    gsai_array_create_whole(&to->index, rt_INT, gsai_gpu_most(b->processes, total));
    b->pattern_entries = total;
    return gsai_gpu_fill_union(b, &u) ? GSAI_OK : gsai_gpu_lacks("the pattern of the inverse", fault);
}

static gsai_status_t find_patterns(gsai_gpu_build_t *b, gsai_fault_t *fault) {
    gsai_status_t status = GSAI_OK;

    for (int level = 1; level <= b->options->levels && status == GSAI_OK; level++) {
        gsai_gpu_set_t *const from = &b->set[b->last], *const to = &b->set[!b->last];

        status = extend_pattern(b, level > 1 ? from : NULL, level == b->options->levels, to, fault);
        gsai_array_delete(&from->start);
        gsai_array_delete(&from->index);
        b->last = !b->last;
    }
    return status;
}

/* Rows of the problems: those of B in the columns of each index set. A factor's problems have the index set itself. */
static gsai_union_t rows_of(gsai_gpu_build_t *b, gsai_array_t *index) {
    gsai_gpu_set_t *const set = &b->set[b->last];

    return (gsai_union_t){.from_start = &b->b.start,
                          .from_index = &b->b.index,
                          .list_start = &set->start,
                          .list_index = &set->index,
                          .start = &b->rows_start,
                          .index = index};
}

gsai_status_t gsai_gpu_stage_pre(gsai_gpu_build_t *b, gsai_fault_t *fault) {
    gsai_array_create_whole(&b->bounds, rt_INT, b->step.n);
    gsai_status_t status = find_patterns(b, fault);
    if (status != GSAI_OK)
        return status;
    gsai_array_create_whole(&b->rows_start, rt_LLONG, (DvmType)b->step.n + 1);
    if (!b->options->is_factored) {
        const gsai_union_t u = rows_of(b, NULL);

        status = gsai_gpu_count_union(b, &u, &b->rows_total, fault);
    }
    gsai_array_create_whole(&b->value, rt_DOUBLE, b->set[b->last].index.count);
    gsai_array_create_whole(&b->dependent, rt_INT, b->step.n);
    return status;
}

/* ---- compute ---- */

/* Behind the last column of a batch that begins at `from`: rows within the budget, but one column at least. */
static int32_t end_of_batch(gsai_gpu_build_t *b, int32_t from, int32_t end) {
    const int64_t most = b->budget / 2 / (int64_t)sizeof(int32_t);

    if (end - from > b->columns_most)
        end = from + b->columns_most;
    if (b->options->is_factored || gsai_gpu_most(b->processes, b->rows_total) <= most)
        return end;
    const int64_t *const start = gsai_array_read(&b->rows_start);
    int32_t to = from;
    while (to < end && (to == from || start[to + 1] - start[from] <= most))
        to++;
    return to;
}

/* Sort the batch's problems into classes, and remember the largest. */
static bool classify(gsai_gpu_build_t *b, gsai_array_t *items) {
    gsai_array_t *const start = &b->set[b->last].start;
    const gsai_use_t uses[] = {{start, INTENT_IN},
                               {b->options->is_factored ? start : &b->rows_start, INTENT_IN},
                               {&b->facts, INTENT_OUT},
                               {items, INTENT_OUT}};
    int64_t buckets = 0;

    if (!gsai_gpu_run(b, 4, uses, b->gpu->classify))
        return false;
    const int64_t *const fact = gsai_gpu_facts(b);
    int64_t *const most[] = {&b->told.rows_max, &b->told.columns_max, &b->told.work_bytes};
    for (int k = 0; k < 3; k++)
        if (fact[GSAI_FACT_ROWS_MAX + k] > *most[k])
            *most[k] = fact[GSAI_FACT_ROWS_MAX + k];
    for (int c = 0; c < GSAI_CLASS_COUNT; c++) {
        b->step.problems[c] = fact[GSAI_FACT_CLASS + c];
        b->step.bytes[c] = fact[GSAI_FACT_CLASS_BYTES + c];
        buckets += b->step.problems[c] > 0;
    }
    if (buckets > b->told.buckets)
        b->told.buckets = buckets;
    return true;
}

/* Solve the batch's problems, the large ones in as many slots as there is memory for. */
static bool solve(gsai_gpu_build_t *b, gsai_array_t *rows, gsai_array_t *items, bool is_first) {
    gsai_gpu_set_t *const set = &b->set[b->last];
    const DvmType intent = is_first ? INTENT_OUT : INTENT_INOUT; /* others than the batch's stay */
    gsai_array_t *const rows_start = b->options->is_factored ? &set->start : &b->rows_start;
    gsai_array_t slots;
    gsai_use_t uses[] = {{&set->start, INTENT_IN}, {&set->index, INTENT_IN}, {rows_start, INTENT_IN},
                         {rows, INTENT_IN},        {&b->b.start, INTENT_IN}, {&b->b.index, INTENT_IN},
                         {&b->b.value, INTENT_IN}, {&b->scale, INTENT_IN},   {items, INTENT_IN},
                         {&b->value, intent},      {&b->dependent, intent},  {&slots, INTENT_OUT}};
    const int64_t large = gsai_gpu_most(b->processes, b->step.problems[GSAI_CLASS_LARGE]);
    const int64_t bytes = b->step.bytes[GSAI_CLASS_LARGE];
    int64_t count = large > 0 ? slots_within(b->budget / 2, bytes, large) : 0;

    for (;;) {
        b->step.slots = (int32_t)count;
        gsai_array_create_whole(&slots, rt_DOUBLE,
                                gsai_gpu_most(b->processes, count * bytes / (int64_t)sizeof(double)));
        const bool has_run = gsai_gpu_run(b, 12, uses, b->gpu->solve);
        gsai_array_delete(&slots);
        if (has_run || gsai_gpu_most(b->processes, count) <= 1)
            return has_run;
        count = count > 1 ? count / 2 : count;
    }
}

/* Columns step.first .. step.end - 1: rows, classes, solutions. @return whether there was memory */
static bool run_batch(gsai_gpu_build_t *b, int64_t row_count, bool is_first) {
    const int64_t columns = (int64_t)b->step.end - b->step.first;
    gsai_array_t rows = {.exists = false}, items = {.exists = false};
    const gsai_union_t u = rows_of(b, &rows);
    gsai_array_t *const used = b->options->is_factored ? &b->set[b->last].index : &rows;

    gsai_array_create_whole(&rows, rt_INT, gsai_gpu_most(b->processes, row_count));
    gsai_array_create_whole(&items, rt_INT, gsai_gpu_most(b->processes, GSAI_CLASS_COUNT * columns));
    const bool has_run = (b->options->is_factored || gsai_gpu_fill_union(b, &u)) && classify(b, &items) &&
                         solve(b, used, &items, is_first);
    gsai_array_delete(&rows);
    gsai_array_delete(&items);
    return has_run;
}

/* How many rows columns from .. to - 1 have: all of them where the batch is all. */
static int64_t rows_between(gsai_gpu_build_t *b, int32_t from, int32_t to, bool is_all) {
    if (b->options->is_factored)
        return 0;
    if (gsai_gpu_most(b->processes, !is_all) == 0)
        return b->rows_total;
    const int64_t *const start = gsai_array_read(&b->rows_start);
    return start[to] - start[from];
}

gsai_status_t gsai_gpu_stage_compute(gsai_gpu_build_t *b, gsai_fault_t *fault) {
    const int32_t first = b->step.first, end = b->step.end;
    int32_t from = first;
    bool is_first = true, has_run = true;

    b->columns_most = b->step.n;
    while (gsai_gpu_most(b->processes, from < end) != 0 && has_run) {
        const int32_t to = end_of_batch(b, from, end);

        b->step.first = from;
        b->step.end = to;
        if (run_batch(b, rows_between(b, from, to, from == first && to == end), is_first)) {
            from = to;
            is_first = false;
            b->told.batches++;
        } else {
            has_run = gsai_gpu_most(b->processes, to - from) > 1;
            b->columns_most = to - from > 1 ? (to - from) / 2 : 1;
            b->budget /= 2;
        }
    }
    b->step.first = first;
    b->step.end = end;
    has_run = has_run && gsai_gpu_wait(b);
    return has_run ? GSAI_OK : gsai_gpu_lacks("the problem of a single column", fault);
}
