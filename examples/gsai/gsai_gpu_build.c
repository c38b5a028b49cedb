/* Making an inverse on a GPU: what the stages share, and the way from a matrix to sorted columns B. */
#include "examples/gsai/gsai_gpu_build.h"

#include <stdlib.h>
#include <string.h>

/* ---- steps ---- */

/* The host's part of every step: it says that it was not the GPU. */
static void decline(const dvmhx_record_t *record, void *context) {
    (void)record;
    ((gsai_step_t *)context)->is_declined = 1;
}

bool gsai_gpu_step(int use_count, const gsai_use_t uses[], gsai_body_t body, gsai_step_t *step) {
    step->is_declined = 0;
    gsai_loop_on(uses[0].array, 0, 1, use_count, uses, (gsai_bodies_t){decline, body}, step);
    return step->is_declined == 0;
}

bool gsai_gpu_run(gsai_gpu_build_t *b, int use_count, const gsai_use_t uses[], gsai_body_t body) {
    const bool has_run = gsai_gpu_step(use_count, uses, body, &b->step);

    return gsai_gpu_most(b->processes, !has_run) == 0;
}

const int64_t *gsai_gpu_facts(gsai_gpu_build_t *b) {
    return gsai_array_read(&b->facts);
}

bool gsai_gpu_wait(gsai_gpu_build_t *b) {
    const gsai_use_t use = {&b->facts, INTENT_OUT};
    const bool has_run = gsai_gpu_run(b, 1, &use, b->gpu->look);

    (void)gsai_gpu_facts(b);
    return has_run;
}

gsai_status_t gsai_gpu_lacks(const char *what, gsai_fault_t *fault) {
    return gsai_fail(fault, GSAI_ERR_MEMORY, "no memory on the GPU for %s", what);
}

/* ---- processes ---- */

/* The elements of an array with one for each process. own_p: this process's */
static void create_shared(gsai_array_t *array, int processes, int64_t **own_p, int *number_p) {
    DvmType one[GSAI_PROCESSES_MAX] = {0};

    for (int p = 0; p < processes; p++)
        one[p] = 1;
    gsai_array_create_cut(array, rt_LLONG, processes, one);
    for (int p = 0; p < processes; p++) {
        int64_t *const element = dvmh_get_own_element_addr_C(array->header, 1, (DvmType)p);

        if (element != NULL) {
            *own_p = element;
            *number_p = p;
        }
    }
}

void gsai_gpu_share(int processes, int64_t own, int64_t all[]) {
    gsai_array_t array;
    int64_t *element = NULL;
    int number = 0;

    all[0] = own;
    if (processes == 1)
        return;
    create_shared(&array, processes, &element, &number);
    *element = own;
    gsai_array_written(&array);
    gsai_array_gather(&array, all);
    gsai_array_delete(&array);
}

int64_t gsai_gpu_most(int processes, int64_t own) {
    int64_t all[GSAI_PROCESSES_MAX], most;

    gsai_gpu_share(processes, own, all);
    most = all[0];
    for (int p = 1; p < processes; p++)
        most = all[p] > most ? all[p] : most;
    return most;
}

static int own_number(int processes) {
    gsai_array_t array;
    int64_t *element = NULL;
    int number = 0;

    if (processes == 1)
        return 0;
    create_shared(&array, processes, &element, &number);
    gsai_array_delete(&array);
    return number;
}

gsai_status_t gsai_gpu_find(gsai_backend_t backend, const gsai_gpu_t **gpu_p, gsai_fault_t *fault) {
    const gsai_gpu_t *const gpu = backend != GSAI_BACKEND_HOST ? gsai_gpu() : NULL;
    const int processes = dvmh_get_num_procs(1);
    bool is_there = false;

    *gpu_p = NULL;
    if (backend == GSAI_BACKEND_HOST)
        return GSAI_OK;
    if (gpu != NULL && processes <= GSAI_PROCESSES_MAX) {
        gsai_array_t facts;
        const gsai_use_t use = {&facts, INTENT_OUT};
        gsai_step_t step = {0};

        gsai_array_create_whole(&facts, rt_LLONG, GSAI_FACT_COUNT);
        is_there = gsai_gpu_most(processes, !gsai_gpu_step(1, &use, gpu->look, &step)) == 0;
        gsai_array_delete(&facts);
    }
    if (is_there)
        *gpu_p = gpu;
    else if (backend == GSAI_BACKEND_CUDA)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT,
                         gpu == NULL ? "backend cuda: this program was built without CUDA"
                                     : "backend cuda: there is no GPU for this process, or none for another "
                                       "one (see DVMH_NUM_CUDAS)");
    return GSAI_OK;
}

/* ---- the matrix ---- */

/* How many entries it has, as far as its pointers can be trusted. */
static gsai_status_t count_entries(gsai_gpu_build_t *b, const gsai_sparse_t *matrix, bool is_on_gpu,
                                   gsai_fault_t *fault) {
    int64_t first = is_on_gpu ? 0 : matrix->start[0];

    b->step.entries = is_on_gpu ? 0 : matrix->start[matrix->n];
    if (is_on_gpu) {
        const gsai_use_t use = {&b->facts, INTENT_OUT};

        b->step.start = matrix->start;
        if (!gsai_gpu_run(b, 1, &use, b->gpu->look))
            return gsai_gpu_lacks("the matrix", fault);
        first = gsai_gpu_facts(b)[GSAI_FACT_FAULT];
        b->step.entries = gsai_gpu_facts(b)[GSAI_FACT_TOTAL];
    }
    if (first != 0 || b->step.entries < 0)
        return gsai_fail(
            fault, GSAI_ERR_INPUT,
            "the first row or column begins elsewhere than at 0, or the last one ends before it");
    return GSAI_OK;
}

/* Into arrays on the GPU. Its time is that of the transfer. */
static gsai_status_t bring(gsai_gpu_build_t *b, const gsai_sparse_t *matrix, bool is_on_gpu,
                           gsai_product_t *to, gsai_fault_t *fault) {
    const DvmType intent = is_on_gpu ? INTENT_OUT : INTENT_IN;
    const gsai_use_t uses[] = {{&to->start, intent}, {&to->index, intent}, {&to->value, intent}};

    gsai_product_room(matrix->n, b->step.entries, b->gpu, to);
    if (is_on_gpu) {
        b->step.index = matrix->index;
        b->step.value = matrix->value;
    } else {
        const gsai_sparse_t home = gsai_product_home(to);

        gsai_sparse_copy_into(matrix, &home);
        gsai_product_end(to);
    }
    bool has_run = gsai_gpu_run(b, 3, uses, is_on_gpu ? b->gpu->take : b->gpu->arrive);
    b->step.start = NULL;
    b->step.asks_memory = 1;
    has_run = has_run && gsai_gpu_wait(b);
    b->step.asks_memory = 0;
    if (!has_run)
        return gsai_gpu_lacks("the matrix", fault);
    const int64_t free_bytes = gsai_gpu_facts(b)[GSAI_FACT_FREE_BYTES];
    b->budget = b->options->work_bytes < free_bytes / 2 ? b->options->work_bytes : free_bytes / 2;
    b->budget = -gsai_gpu_most(b->processes, -b->budget); /* the least, so that all make arrays of one size */
    return GSAI_OK;
}

/* What the GPU found wrong, in words. */
static gsai_status_t tell_fault(gsai_gpu_build_t *b, gsai_fault_t *fault) {
    static const char *const names[] = {[GSAI_FAULT_ORDER] =
                                            "it ends before it begins, or beyond the last entry",
                                        [GSAI_FAULT_INDEX] = "an index is out of range",
                                        [GSAI_FAULT_VALUE] = "a value is not finite",
                                        [GSAI_FAULT_TWICE] = "an index stands there twice"};
    const int64_t found = gsai_gpu_facts(b)[GSAI_FACT_FAULT];

    if (found == 0)
        return GSAI_OK;
    return gsai_fail(fault, GSAI_ERR_INPUT, "row or column %lld: %s", (long long)((found - 1) / 4),
                     names[(found - 1) % 4]);
}

static gsai_status_t check(gsai_gpu_build_t *b, gsai_product_t *m, gsai_fault_t *fault) {
    const gsai_use_t uses[] = {{&m->start, INTENT_IN},
                               {&m->index, INTENT_IN},
                               {&m->value, INTENT_IN},
                               {&b->facts, INTENT_OUT}};

    return gsai_gpu_run(b, 4, uses, b->gpu->check) ? tell_fault(b, fault)
                                                   : gsai_gpu_lacks("checking the matrix", fault);
}

static gsai_status_t sort(gsai_gpu_build_t *b, gsai_product_t *m, gsai_fault_t *fault) {
    const gsai_use_t uses[] = {{&m->start, INTENT_IN},
                               {&m->index, INTENT_INOUT},
                               {&m->value, INTENT_INOUT},
                               {&b->facts, INTENT_OUT}};

    return gsai_gpu_run(b, 4, uses, b->gpu->sort) ? tell_fault(b, fault)
                                                  : gsai_gpu_lacks("sorting the matrix", fault);
}

bool gsai_gpu_transpose_into(gsai_gpu_build_t *b, gsai_product_t *from, gsai_product_t *transposed_p) {
    gsai_product_room(from->n, from->entries, b->gpu, transposed_p);
    const gsai_use_t uses[] = {{&from->start, INTENT_IN},          {&from->index, INTENT_IN},
                               {&from->value, INTENT_IN},          {&transposed_p->start, INTENT_OUT},
                               {&transposed_p->index, INTENT_OUT}, {&transposed_p->value, INTENT_OUT},
                               {&b->counts, INTENT_OUT},           {&b->sums, INTENT_OUT}};
    gsai_step_t step = {.n = from->n, .entries = from->entries};
    const bool has_run = gsai_gpu_step(8, uses, b->gpu->transpose, &step);

    return gsai_gpu_most(b->processes, !has_run) == 0;
}

/* For a factor: b is to equal its transposed. */
static gsai_status_t check_symmetry(gsai_gpu_build_t *b, gsai_fault_t *fault) {
    gsai_product_t t;
    bool has_run = gsai_gpu_transpose_into(b, &b->b, &t);
    const gsai_use_t uses[] = {{&b->b.start, INTENT_IN}, {&b->b.index, INTENT_IN}, {&b->b.value, INTENT_IN},
                               {&t.start, INTENT_IN},    {&t.index, INTENT_IN},    {&t.value, INTENT_IN},
                               {&b->facts, INTENT_OUT}};

    has_run = has_run && gsai_gpu_run(b, 7, uses, b->gpu->compare);
    gsai_product_delete(&t);
    if (!has_run)
        return gsai_gpu_lacks("the transposed matrix", fault);
    return gsai_gpu_facts(b)[GSAI_FACT_ASYMMETRIC] == 0
               ? GSAI_OK
               : gsai_fail(fault, GSAI_ERR_NUMERIC,
                           "the factored form is for symmetric positive definite matrices; this one is not "
                           "symmetric");
}

/* Sorted columns B from rows or columns. */
static gsai_status_t make_columns(gsai_gpu_build_t *b, gsai_format_t format, gsai_product_t *given,
                                  gsai_fault_t *fault) {
    const gsai_options_t *const o = b->options;
    gsai_product_t twice = {0};

    if (!gsai_gpu_transpose_into(b, given, &b->b)) /* which sorts */
        return gsai_gpu_lacks("the transposed matrix", fault);
    if (o->is_factored || (format == GSAI_COLUMNS) != (o->side == GSAI_SIDE_RIGHT))
        return sort(b, &b->b, fault);
    const bool has_run = gsai_gpu_transpose_into(b, &b->b, &twice);
    gsai_product_delete(&b->b);
    b->b = twice;
    return has_run ? sort(b, &b->b, fault) : gsai_gpu_lacks("the matrix", fault);
}

/* What belongs to the columns: scales, and which entries pass the threshold. */
static gsai_status_t scale_columns(gsai_gpu_build_t *b, gsai_fault_t *fault) {
    gsai_array_t root = {.exists = false};
    const gsai_use_t scaled[] = {{&b->b.start, INTENT_IN},
                                 {&b->b.index, INTENT_IN},
                                 {&b->b.value, INTENT_IN},
                                 {&b->scale, INTENT_OUT}};
    const gsai_use_t passing[] = {{&b->b.start, INTENT_IN},        {&b->b.index, INTENT_IN},
                                  {&b->b.value, INTENT_IN},        {&root, INTENT_OUT},
                                  {&b->counts, INTENT_OUT},        {&b->sums, INTENT_OUT},
                                  {&b->pattern_start, INTENT_OUT}, {&b->pattern_index, INTENT_OUT}};

    gsai_array_create_whole(&b->scale, rt_DOUBLE, b->step.n);
    bool has_run = gsai_gpu_run(b, 4, scaled, b->gpu->scale);
    if (b->options->pattern == GSAI_PATTERN_THRESHOLD) {
        gsai_array_create_whole(&root, rt_DOUBLE, b->step.n);
        gsai_array_create_whole(&b->pattern_start, rt_LLONG, (DvmType)b->step.n + 1);
        gsai_array_create_whole(&b->pattern_index, rt_INT, b->step.entries);
        has_run = gsai_gpu_run(b, 8, passing, b->gpu->threshold) && has_run;
        gsai_array_delete(&root);
    }
    return has_run ? GSAI_OK : gsai_gpu_lacks("the columns of the matrix", fault);
}

gsai_status_t gsai_gpu_stage_matrix(gsai_gpu_build_t *b, gsai_format_t format, const gsai_sparse_t *matrix,
                                    bool is_on_gpu, gsai_fault_t *fault) {
    gsai_product_t given = {0};
    const double begin_s = dvmh_wtime();
    gsai_status_t status = count_entries(b, matrix, is_on_gpu, fault);

    if (status == GSAI_OK)
        status = bring(b, matrix, is_on_gpu, &given, fault);
    b->told.transfer_s = dvmh_wtime() - begin_s;
    if (status == GSAI_OK)
        status = check(b, &given, fault);
    if (status == GSAI_OK)
        status = make_columns(b, format, &given, fault);
    gsai_product_delete(&given);
    if (status == GSAI_OK && b->options->is_factored)
        status = check_symmetry(b, fault);
    return status == GSAI_OK ? scale_columns(b, fault) : status;
}

/* ---- all of it ---- */

static void begin(gsai_gpu_build_t *b, int32_t n) {
    const gsai_options_t *const o = b->options;

    b->processes = dvmh_get_num_procs(1);
    b->number = own_number(b->processes);
    b->step = (gsai_step_t){.n = n,
                            .first = (int32_t)((int64_t)n * b->number / b->processes),
                            .end = (int32_t)((int64_t)n * (b->number + 1) / b->processes),
                            .threshold = o->threshold,
                            .filter = o->filter,
                            .is_factored = o->is_factored,
                            .is_single = o->is_single};
    gsai_array_create_whole(&b->facts, rt_LLONG, GSAI_FACT_COUNT);
    gsai_array_create_whole(&b->counts, rt_INT, n);
    gsai_array_create_whole(&b->sums, rt_LLONG, n / GSAI_SCAN_TILE + 2);
}

static void end(gsai_gpu_build_t *b) {
    gsai_array_t *const arrays[] = {&b->facts,        &b->pattern_start, &b->pattern_index, &b->scale,
                                    &b->counts,       &b->sums,          &b->set[0].start,  &b->set[0].index,
                                    &b->set[1].start, &b->set[1].index,  &b->value,         &b->dependent,
                                    &b->rows_start,   &b->bounds};

    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        gsai_array_delete(arrays[k]);
    gsai_product_delete(&b->b);
}

gsai_status_t gsai_gpu_make(const gsai_options_t *options, const gsai_gpu_t *gpu, gsai_format_t format,
                            const gsai_sparse_t *matrix, bool is_on_gpu, gsai_product_t *product_p,
                            gsai_product_t *transposed_p, gsai_facts_t *facts_p, gsai_fault_t *fault) {
    gsai_gpu_build_t *const b = gsai_alloc(1, sizeof *b);
    const double begin_s = dvmh_wtime();

    if (gsai_gpu_most(dvmh_get_num_procs(1), b == NULL) != 0) {
        free(b);
        return gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for an inverse");
    }
    b->options = options;
    b->gpu = gpu;
    begin(b, matrix->n);
    gsai_status_t status = gsai_gpu_stage_matrix(b, format, matrix, is_on_gpu, fault);
    if (status == GSAI_OK)
        status = gsai_gpu_stage_pre(b, fault);
    const double pre_s = dvmh_wtime();
    if (status == GSAI_OK)
        status = gsai_gpu_stage_compute(b, fault);
    const double compute_s = dvmh_wtime();
    if (status == GSAI_OK)
        status = gsai_gpu_stage_post(b, product_p, transposed_p, fault);
    b->told.pre_s = pre_s - begin_s - b->told.transfer_s;
    b->told.compute_s = compute_s - pre_s;
    b->told.post_s = dvmh_wtime() - compute_s;
    b->told.is_on_gpu = true;
    *facts_p = b->told;
    end(b);
    free(b);
    return status;
}
