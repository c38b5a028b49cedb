/* The stage compute: for each column gather the small dense problem, solve it, and write the entries of the inverse.
 *
 * A thread keeps memory for problems within its share of the limit; larger ones are rare and are solved one at a time, so that memory
 * is bounded by the limit and one problem. Results do not depend on threads or processes: a column is worked on by one thread. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "examples/gsai/gsai_local.h"
#include "examples/gsai/gsai_stages.h"

/** Memory of one thread. */
typedef struct work {
    gsai_set_t rows;
    char *matrix;
    double *triangle, *x;
    int64_t bytes; /* of the three together */
} work_t;

/** What the loop needs besides arrays. */
typedef struct compute_context {
    gsai_stages_t *stages;
    pthread_mutex_t large; /* held while a problem beyond a thread's share is solved */
} compute_context_t;

/** A problem and where it comes from and goes to. */
typedef struct task {
    const int64_t *b_start;
    const int32_t *b_index;
    const double *b_value, *scale;
    const int32_t *member; /* columns of the problem */
    int32_t k, rows, columns;
    bool is_factored, is_single;
    double *result;
} task_t;

static int64_t round_up(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

static int64_t matrix_bytes(const task_t *t) {
    const int64_t elements =
        t->is_factored ? gsai_local_pitch(t->rows) * t->columns : gsai_local_elements(t->rows, t->columns);

    return round_up(elements * (int64_t)(t->is_single ? sizeof(float) : sizeof(double)));
}

static int64_t triangle_bytes(const task_t *t) {
    return t->is_factored ? 0 : round_up((int64_t)t->columns * t->columns * (int64_t)sizeof(double));
}

static int64_t task_bytes(const task_t *t) {
    return matrix_bytes(t) + triangle_bytes(t) + round_up((int64_t)t->columns * (int64_t)sizeof(double));
}

/* Memory for a task in a block that holds at least task_bytes. */
static void lay_out(work_t *work, const task_t *t, char *block) {
    work->matrix = block;
    work->triangle = (double *)(void *)(block + matrix_bytes(t));
    work->x = (double *)(void *)(block + matrix_bytes(t) + triangle_bytes(t));
}

/* The columns with rows numbered as they come, then the unit vector; columns brought near 1. */
static void gather_columns(const task_t *t, work_t *work) {
    const int64_t pitch = gsai_local_pitch(t->rows);
    double *const a = (double *)(void *)work->matrix;
    float *const f = (float *)(void *)work->matrix;

    memset(work->matrix, 0, (size_t)matrix_bytes(t));
    for (int32_t c = 0; c < t->columns; c++) {
        const int32_t j = t->member[c];

        for (int64_t at = t->b_start[j]; at < t->b_start[j + 1]; at++) {
            const int64_t place = c * pitch + gsai_set_add(&work->rows, t->b_index[at]);
            const double value = t->b_value[at] * t->scale[j];

            if (t->is_single)
                f[place] = (float)value;
            else
                a[place] = value;
        }
    }
    if (work->rows.place[t->k] > 0) { /* else the unit vector is out of reach, and the best is 0 */
        const int64_t place = t->columns * pitch + work->rows.place[t->k] - 1;

        if (t->is_single)
            f[place] = 1;
        else
            a[place] = 1;
    }
    gsai_set_clear(&work->rows);
}

static int32_t solve_columns(const task_t *t, work_t *work) {
    gather_columns(t, work);
    const int64_t dependent = t->is_single ? gsai_local_solve_float((float *)(void *)work->matrix, t->rows,
                                                                    t->columns, work->triangle, work->x)
                                           : gsai_local_solve_double((double *)(void *)work->matrix, t->rows,
                                                                     t->columns, work->triangle, work->x);
    for (int32_t c = 0; c < t->columns; c++)
        t->result[c] = work->x[c] * t->scale[t->member[c]];
    return (int32_t)dependent;
}

/* The lower triangle of the rows and columns of the pattern, scaled on both sides. */
static void gather_triangle(const task_t *t, work_t *work) {
    const int64_t pitch = gsai_local_pitch(t->rows);
    double *const a = (double *)(void *)work->matrix;
    float *const f = (float *)(void *)work->matrix;

    memset(work->matrix, 0, (size_t)matrix_bytes(t));
    for (int32_t c = 0; c < t->columns; c++)
        gsai_set_add(&work->rows, t->member[c]);
    for (int32_t c = 0; c < t->columns; c++) {
        const int32_t j = t->member[c];

        for (int64_t at = t->b_start[j]; at < t->b_start[j + 1]; at++) {
            const int32_t i = t->b_index[at], row = work->rows.place[i] - 1;

            if (row < c)
                continue;
            const double value = t->b_value[at] * t->scale[j] * t->scale[i];
            if (t->is_single)
                f[c * pitch + row] = (float)value;
            else
                a[c * pitch + row] = value;
        }
    }
    gsai_set_clear(&work->rows);
}

static bool solve_triangle(const task_t *t, work_t *work) {
    gather_triangle(t, work);
    const int is_definite =
        t->is_single ? gsai_local_factor_float((float *)(void *)work->matrix, t->columns, work->x)
                     : gsai_local_factor_double((double *)(void *)work->matrix, t->columns, work->x);
    for (int32_t c = 0; c < t->columns; c++)
        t->result[c] = is_definite ? work->x[c] * t->scale[t->member[c]] : 0;
    return is_definite;
}

/* Solve one task in memory that is there. @return columns left out */
static int32_t solve(gsai_stages_t *s, const task_t *t, work_t *work) {
    if (!t->is_factored)
        return solve_columns(t, work);
    if (!solve_triangle(t, work)) {
        int first = atomic_load(&s->indefinite);

        while (t->k < first && !atomic_compare_exchange_weak(&s->indefinite, &first, t->k))
            ;
    }
    return 0;
}

/* A problem beyond a thread's share, in memory of its own. */
static int32_t solve_large(compute_context_t *c, const task_t *t, work_t *work) {
    int32_t dependent = 0;
    work_t large = *work;

    pthread_mutex_lock(&c->large);
    char *const block = gsai_alloc(task_bytes(t), 1);
    if (block != NULL) {
        lay_out(&large, t, block);
        dependent = solve(c->stages, t, &large);
        work->rows = large.rows;
        free(block);
    } else {
        atomic_store(&c->stages->no_memory, true);
    }
    pthread_mutex_unlock(&c->large);
    return dependent;
}

/* Arrays: B's three, order, entries, rows, start, index, value, dependent. */
static void compute_body(const dvmhx_record_t *record, void *context) {
    compute_context_t *const c = context;
    gsai_stages_t *const s = c->stages;
    const int32_t *const order = GSAI_BASE(record, 3, int32_t),
                         *const entries = GSAI_BASE(record, 4, int32_t),
                         *const rows = GSAI_BASE(record, 5, int32_t),
                         *const index = GSAI_BASE(record, 7, int32_t);
    const int64_t *const start = GSAI_BASE(record, 6, int64_t);
    const int64_t share = s->options->work_bytes / record->thread_count;
    char *block = NULL;
    work_t work = {0};
    task_t t = {.b_start = GSAI_BASE(record, GSAI_B_START, int64_t),
                .b_index = GSAI_BASE(record, GSAI_B_INDEX, int32_t),
                .b_value = GSAI_BASE(record, GSAI_B_VALUE, double),
                .scale = s->scale,
                .is_factored = s->options->is_factored,
                .is_single = s->options->is_single};

    if (!gsai_set_create(s->n, &work.rows))
        atomic_store(&s->no_memory, true);
    for (DvmType m = 0; m < record->count[0] && !atomic_load_explicit(&s->no_memory, memory_order_relaxed);
         m++) {
        t.k = order[record->start[0] + m];
        t.rows = rows[t.k];
        t.columns = entries[t.k];
        t.member = index + start[t.k];
        t.result = GSAI_BASE(record, 8, double) + start[t.k];
        const int64_t bytes = task_bytes(&t);
        int32_t *const dependent = &GSAI_BASE(record, 9, int32_t)[t.k];
        if (bytes > share) {
            *dependent = solve_large(c, &t, &work);
            continue;
        }
        if (bytes > work.bytes) {
            free(block);
            work.bytes = bytes;
            block = gsai_alloc(bytes, 1);
            if (block == NULL) {
                atomic_store(&s->no_memory, true);
                break;
            }
        }
        lay_out(&work, &t, block);
        *dependent = solve(s, &t, &work);
    }
    free(block);
    gsai_set_free(&work.rows);
}

/* Memory of the largest problem, for the facts. */
static int64_t largest_bytes(const gsai_stages_t *s) {
    int64_t largest = 0;

    for (int32_t k = 0; k < s->n; k++) {
        const task_t t = {.rows = s->rows_of[k],
                          .columns = s->entries_of[k],
                          .is_factored = s->options->is_factored,
                          .is_single = s->options->is_single};

        if (task_bytes(&t) > largest)
            largest = task_bytes(&t);
    }
    return largest;
}

gsai_status_t gsai_stage_compute(gsai_stages_t *s, gsai_fault_t *fault) {
    compute_context_t context = {.stages = s};
    const gsai_use_t uses[] = {{&s->b_start, INTENT_IN},   {&s->b_index, INTENT_IN}, {&s->b_value, INTENT_IN},
                               {&s->order, INTENT_IN},     {&s->entries, INTENT_IN}, {&s->rows, INTENT_IN},
                               {&s->start, INTENT_IN},     {&s->index, INTENT_IN},   {&s->value, INTENT_OUT},
                               {&s->dependent, INTENT_OUT}};

    s->facts.work_bytes = largest_bytes(s);
    pthread_mutex_init(&context.large, NULL);
    gsai_loop(&s->order, 0, s->n, 10, uses, compute_body, &context);
    pthread_mutex_destroy(&context.large);
    const int32_t indefinite = gsai_stage_least(s, atomic_load(&s->indefinite));
    gsai_status_t status = GSAI_OK;
    if (atomic_load(&s->no_memory))
        status = gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for small problems of up to %lld bytes",
                           (long long)s->facts.work_bytes);
    else if (indefinite < s->n)
        status = gsai_fail(fault, GSAI_ERR_NUMERIC,
                           "the matrix is not positive definite: row %d of its factor cannot be made",
                           indefinite + 1);
    return gsai_stage_agree(s, status, fault);
}
