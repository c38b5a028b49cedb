/* The stage compute: for each column gather the small dense problem, solve it, and write the entries of the inverse.
 *
 * A thread keeps memory for problems within its share of the limit; larger ones are rare and are solved one at a time, so that memory
 * is bounded by the limit and one problem. Columns of one pattern that follow each other in the order of work, as those of the unknowns of one
 * point do, are one problem with several right-hand sides. Results do not depend on threads or processes: a column is worked on by one thread, and
 * gets the same bits alone as with others. */
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
    int32_t *reach;
    int64_t bytes; /* of the four together */
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
    const int64_t *start;  /* of each column's entries in result and, on the way here, member */
    const int32_t *member; /* columns of the problem */
    const int32_t *k;      /* columns of the inverse that it gives: the right-hand sides */
    int32_t rows, columns, sides;
    bool is_factored, is_single;
    double *result;
} task_t;

static int64_t round_up(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

static int64_t matrix_bytes(const task_t *t) {
    const int64_t elements = t->is_factored ? gsai_local_pitch(t->rows) * t->columns
                                            : gsai_local_elements(t->rows, t->columns, t->sides);

    return round_up(elements * (int64_t)(t->is_single ? sizeof(float) : sizeof(double)));
}

static int64_t triangle_bytes(const task_t *t) {
    return t->is_factored ? 0 : round_up((int64_t)t->columns * t->columns * (int64_t)sizeof(double));
}

static int64_t x_bytes(const task_t *t) {
    return round_up((int64_t)t->columns * t->sides * (int64_t)sizeof(double));
}

static int64_t task_bytes(const task_t *t) {
    return matrix_bytes(t) + triangle_bytes(t) + x_bytes(t) + (int64_t)t->columns * (int64_t)sizeof(int32_t);
}

/* Memory for a task in a block that holds at least task_bytes. */
static void lay_out(work_t *work, const task_t *t, char *block) {
    work->matrix = block;
    work->triangle = (double *)(void *)(block + matrix_bytes(t));
    work->x = (double *)(void *)(block + matrix_bytes(t) + triangle_bytes(t));
    work->reach = (int32_t *)(void *)(block + matrix_bytes(t) + triangle_bytes(t) + x_bytes(t));
}

/* The columns with rows numbered as they come, then the unit vectors; columns brought near 1. */
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
        work->reach[c] = work->rows.count;
    }
    for (int32_t side = 0; side < t->sides; side++) {
        const int32_t row = work->rows.place[t->k[side]] - 1;

        if (row < 0) /* the unit vector is out of reach, and the best is 0 */
            continue;
        if (t->is_single)
            f[(t->columns + side) * pitch + row] = 1;
        else
            a[(t->columns + side) * pitch + row] = 1;
    }
    gsai_set_clear(&work->rows);
}

static int32_t solve_columns(const task_t *t, work_t *work) {
    gather_columns(t, work);
    const int64_t dependent =
        t->is_single ? gsai_local_solve_float((float *)(void *)work->matrix, t->rows, t->columns, t->sides,
                                              work->reach, work->triangle, work->x)
                     : gsai_local_solve_double((double *)(void *)work->matrix, t->rows, t->columns, t->sides,
                                               work->reach, work->triangle, work->x);
    for (int32_t side = 0; side < t->sides; side++) {
        double *const result = t->result + t->start[t->k[side]];

        for (int32_t c = 0; c < t->columns; c++)
            result[c] = work->x[side * t->columns + c] * t->scale[t->member[c]];
    }
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
        t->result[t->start[t->k[0]] + c] = is_definite ? work->x[c] * t->scale[t->member[c]] : 0;
    return is_definite;
}

/* Solve one task in memory that is there. @return columns left out, or GSAI_INDEFINITE */
static int32_t solve(const task_t *t, work_t *work) {
    if (!t->is_factored)
        return solve_columns(t, work);
    return solve_triangle(t, work) ? 0 : GSAI_INDEFINITE;
}

/* A problem beyond a thread's share, in memory of its own. */
static int32_t solve_large(compute_context_t *c, const task_t *t, work_t *work) {
    int32_t dependent = 0;
    work_t large = *work;

    pthread_mutex_lock(&c->large);
    char *const block = gsai_alloc(task_bytes(t), 1);
    if (block != NULL) {
        lay_out(&large, t, block);
        dependent = solve(t, &large);
        work->rows = large.rows;
        free(block);
    } else {
        atomic_store(&c->stages->no_memory, true);
    }
    pthread_mutex_unlock(&c->large);
    return dependent;
}

/* Numbers of the arrays of the loop. */
enum { SCALE = GSAI_B_VALUE + 1, ORDER, ENTRIES, ROWS, START, INDEX, VALUE, DEPENDENT, ARRAYS };

static bool have_same_pattern(const task_t *t, const int32_t *entries, const int32_t *index, int32_t k) {
    return entries[k] == t->columns &&
           memcmp(index + t->start[k], t->member, (size_t)t->columns * sizeof *index) == 0;
}

/* The problem of the first of `count` columns in the order of work, and of those behind it that have the same one. */
static void take_task(const dvmhx_record_t *record, const int32_t *k, DvmType count, int64_t share,
                      task_t *t) {
    const int32_t *const entries = GSAI_BASE(record, ENTRIES, int32_t), *const index =
                                                                            GSAI_BASE(record, INDEX, int32_t);

    t->k = k;
    t->rows = GSAI_BASE(record, ROWS, int32_t)[k[0]];
    t->columns = entries[k[0]];
    t->member = index + t->start[k[0]];
    t->sides = 1;
    while (!t->is_factored && t->sides < GSAI_SIDES_MAX && t->sides < count &&
           have_same_pattern(t, entries, index, k[t->sides]))
        t->sides++;
    if (task_bytes(t) > share) /* maybe it is not large by itself */
        t->sides = 1;
}

/* In the thread's memory, which grows when it has to. @return as solve does */
static int32_t solve_small(compute_context_t *c, const task_t *t, work_t *work, char **block_p) {
    const int64_t bytes = task_bytes(t);

    if (bytes > work->bytes) {
        free(*block_p);
        work->bytes = bytes;
        *block_p = gsai_alloc(bytes, 1);
        if (*block_p == NULL) {
            atomic_store(&c->stages->no_memory, true);
            work->bytes = 0;
            return 0;
        }
    }
    lay_out(work, t, *block_p);
    return solve(t, work);
}

static void compute_body(const dvmhx_record_t *record, void *context) {
    compute_context_t *const c = context;
    gsai_stages_t *const s = c->stages;
    const int32_t *const order = GSAI_BASE(record, ORDER, int32_t) + record->start[0];
    int32_t *const dependent = GSAI_BASE(record, DEPENDENT, int32_t);
    const int64_t share = s->options->work_bytes / record->thread_count;
    const DvmType count = record->count[0];
    char *block = NULL;
    work_t work = {0};
    task_t t = {.b_start = GSAI_BASE(record, GSAI_B_START, int64_t),
                .b_index = GSAI_BASE(record, GSAI_B_INDEX, int32_t),
                .b_value = GSAI_BASE(record, GSAI_B_VALUE, double),
                .scale = GSAI_BASE(record, SCALE, double),
                .start = GSAI_BASE(record, START, int64_t),
                .result = GSAI_BASE(record, VALUE, double),
                .is_factored = s->options->is_factored,
                .is_single = s->options->is_single};

    if (!gsai_set_create(s->n, &work.rows))
        atomic_store(&s->no_memory, true);
    for (DvmType m = 0; m < count && !atomic_load_explicit(&s->no_memory, memory_order_relaxed);
         m += t.sides) {
        take_task(record, order + m, count - m, share, &t);
        const int32_t left_out =
            task_bytes(&t) > share ? solve_large(c, &t, &work) : solve_small(c, &t, &work, &block);
        for (int32_t side = 0; side < t.sides; side++)
            dependent[t.k[side]] = left_out;
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
                          .sides = 1,
                          .is_factored = s->options->is_factored,
                          .is_single = s->options->is_single};

        if (task_bytes(&t) > largest)
            largest = task_bytes(&t);
    }
    return largest;
}

/* The first column whose problem is not positive definite; n: none. */
static int32_t find_indefinite(const gsai_stages_t *s) {
    for (int32_t k = 0; k < s->n; k++)
        if (s->dependent_of[k] == GSAI_INDEFINITE)
            return k;
    return s->n;
}

gsai_status_t gsai_stage_compute(gsai_stages_t *s, gsai_fault_t *fault) {
    compute_context_t context = {.stages = s};
    const gsai_use_t uses[ARRAYS] = {[GSAI_B_START] = {&s->held.start, INTENT_IN},
                                     [GSAI_B_INDEX] = {&s->held.index, INTENT_IN},
                                     [GSAI_B_VALUE] = {&s->held.value, INTENT_IN},
                                     [SCALE] = {&s->scale, INTENT_IN},
                                     [ORDER] = {&s->order, INTENT_IN},
                                     [ENTRIES] = {&s->entries, INTENT_IN},
                                     [ROWS] = {&s->rows, INTENT_IN},
                                     [START] = {&s->start, INTENT_IN},
                                     [INDEX] = {&s->index, INTENT_IN},
                                     [VALUE] = {&s->value, INTENT_OUT},
                                     [DEPENDENT] = {&s->dependent, INTENT_OUT}};

    s->facts.work_bytes = largest_bytes(s);
    pthread_mutex_init(&context.large, NULL);
    gsai_loop(&s->order, 0, s->n, ARRAYS, uses, compute_body, &context);
    pthread_mutex_destroy(&context.large);
    gsai_status_t status = GSAI_OK;
    if (atomic_load(&s->no_memory))
        status = gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for small problems of up to %lld bytes",
                           (long long)s->facts.work_bytes);
    status = gsai_stage_agree(s, status, fault);
    if (status != GSAI_OK)
        return status;
    gsai_array_gather(&s->dependent, s->dependent_of);
    const int32_t indefinite = find_indefinite(s);
    return indefinite == s->n
               ? GSAI_OK
               : gsai_fail(fault, GSAI_ERR_NUMERIC,
                           "the matrix is not positive definite: row %d of its factor cannot be made",
                           indefinite + 1);
}
