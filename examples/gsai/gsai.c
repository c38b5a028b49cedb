/* The library's own functions: check what was given, run the stages, keep the result as compressed rows on the run-time system. */
#include "examples/gsai/gsai.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/gsai/gsai_gpu_build.h"
#include "examples/gsai/gsai_inverse.h"
#include "examples/gsai/gsai_product.h"
#include "examples/gsai/gsai_stages.h"

struct gsai {
    bool is_factored;
    const gsai_gpu_t *gpu; /* where products with it are computed; NULL: on the host */
    gsai_facts_t facts;
    gsai_sparse_t rows;                 /* of M or G: where those of `product` stand */
    gsai_product_t product, transposed; /* transposed: of a factor only */
    gsai_array_t middle;                /* G x */
    gsai_array_t x, y;                  /* of gsai_apply */
};

gsai_options_t gsai_default_options(void) {
    return (gsai_options_t){.pattern = GSAI_PATTERN_POWER,
                            .levels = 1,
                            .side = GSAI_SIDE_RIGHT,
                            .work_bytes = (int64_t)256 << 20};
}

static gsai_status_t check_options(const gsai_options_t *o, gsai_fault_t *fault) {
    if (o->pattern != GSAI_PATTERN_POWER && o->pattern != GSAI_PATTERN_THRESHOLD)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "pattern %d: it is a power or by threshold",
                         (int)o->pattern);
    if (o->side != GSAI_SIDE_RIGHT && o->side != GSAI_SIDE_LEFT)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "side %d: it is right or left", (int)o->side);
    if (o->levels < 1 || o->levels > GSAI_LEVELS_MAX)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "levels %d: allowed are 1..%d", o->levels,
                         GSAI_LEVELS_MAX);
    if (!(o->threshold >= 0 && isfinite(o->threshold)))
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "threshold %g: it is 0 or more", o->threshold);
    if (!(o->filter >= 0 && o->filter < 1))
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "filter %g: it is at least 0 and below 1", o->filter);
    if (o->work_bytes < 1)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "%lld bytes of work memory: at least 1 is needed",
                         (long long)o->work_bytes);
    if (o->backend != GSAI_BACKEND_ANY && o->backend != GSAI_BACKEND_HOST && o->backend != GSAI_BACKEND_CUDA)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "backend %d: it is any, host or cuda", (int)o->backend);
    return GSAI_OK;
}

/* Columns with ascending indices of B, into room for them. For a factor the matrix has to be symmetric. */
static gsai_status_t take_matrix(const gsai_options_t *o, gsai_format_t format, const gsai_sparse_t *matrix,
                                 const gsai_sparse_t *b, gsai_fault_t *fault) {
    const bool has_columns = (format == GSAI_COLUMNS) == (o->side == GSAI_SIDE_RIGHT);
    gsai_sparse_t other = {0};
    gsai_status_t status = GSAI_OK;

    if (!has_columns) {
        gsai_sparse_transpose_into(matrix, b);
        if (o->is_factored)
            status = gsai_sparse_transpose(b, &other, fault);
    } else if (!o->is_factored && gsai_sparse_is_sorted(matrix)) {
        gsai_sparse_copy_into(matrix, b);
    } else {
        status = gsai_sparse_transpose(matrix, &other, fault);
        if (status == GSAI_OK)
            gsai_sparse_transpose_into(&other, b);
    }
    if (status == GSAI_OK && o->is_factored && !gsai_sparse_is_symmetric(&other, b))
        status = gsai_fail(
            fault, GSAI_ERR_NUMERIC,
            "the factored form is for symmetric positive definite matrices; this one is not symmetric");
    gsai_sparse_free(&other);
    return status;
}

/* Powers of two: for columns by their largest value, for a factor by the diagonal. */
static void set_scale(const gsai_sparse_t *b, bool is_factored, double *scale) {
    for (int32_t k = 0; k < b->n; k++) {
        double size = 0;
        int exponent = 0;

        for (int64_t at = b->start[k]; at < b->start[k + 1]; at++)
            if (!is_factored || b->index[at] == k)
                size = fmax(size, fabs(b->value[at]));
        if (size > 0)
            frexp(size, &exponent);
        scale[k] = ldexp(1, -(is_factored ? exponent / 2 : exponent));
    }
}

static gsai_status_t begin(gsai_stages_t *s, gsai_format_t format, const gsai_sparse_t *matrix,
                           gsai_sparse_t *pattern, gsai_fault_t *fault) {
    s->processes = dvmh_get_num_procs(1);
    s->n = matrix->n;
    gsai_product_begin(s->n, matrix->start[s->n], NULL, &s->held, &s->b);
    gsai_status_t status = take_matrix(s->options, format, matrix, &s->b, fault);
    gsai_product_end(&s->held);
    if (status == GSAI_OK && s->options->pattern == GSAI_PATTERN_THRESHOLD)
        status = gsai_pattern_threshold(&s->b, s->options->threshold, pattern, fault);
    s->sizes = gsai_alloc(s->processes, sizeof *s->sizes);
    s->entry_sizes = gsai_alloc(s->processes, sizeof *s->entry_sizes);
    s->entries_of = gsai_alloc(s->n, sizeof *s->entries_of);
    s->rows_of = gsai_alloc(s->n, sizeof *s->rows_of);
    s->key_of = gsai_alloc(s->n, sizeof *s->key_of);
    s->start_of = gsai_alloc((int64_t)s->n + 1, sizeof *s->start_of);
    s->dependent_of = gsai_alloc(s->n, sizeof *s->dependent_of);
    if (status == GSAI_OK &&
        (s->sizes == NULL || s->entry_sizes == NULL || s->entries_of == NULL || s->rows_of == NULL ||
         s->key_of == NULL || s->start_of == NULL || s->dependent_of == NULL))
        status = gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for the columns of the matrix");
    return gsai_stage_agree(s, status, fault);
}

/* What belongs to the matrix on the run-time system. */
static void place_pattern(gsai_stages_t *s, const gsai_sparse_t *pattern) {
    gsai_array_create_whole(&s->scale, rt_DOUBLE, s->n);
    set_scale(&s->b, s->options->is_factored, gsai_array_write(&s->scale));
    gsai_array_written(&s->scale);
    s->has_pattern = pattern->start != NULL;
    if (s->has_pattern) {
        gsai_array_create_whole(&s->pattern_start, rt_LLONG, (DvmType)s->n + 1);
        gsai_array_create_whole(&s->pattern_index, rt_INT, pattern->start[s->n]);
        gsai_array_set(&s->pattern_start, pattern->start);
        gsai_array_set(&s->pattern_index, pattern->index);
    }
}

static void end(gsai_stages_t *s) {
    gsai_array_t *const arrays[] = {&s->scale, &s->pattern_start, &s->pattern_index, &s->entries,
                                    &s->rows,  &s->key,           &s->start,         &s->index,
                                    &s->value, &s->order,         &s->dependent};

    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        gsai_array_delete(arrays[k]);
    gsai_product_delete(&s->held);
    free(s->sizes);
    free(s->entry_sizes);
    free(s->entries_of);
    free(s->rows_of);
    free(s->key_of);
    free(s->start_of);
    free(s->dependent_of);
}

/* Rows on the run-time system from rows, or from columns. rows_p: where they stand there. */
static void make_product(const gsai_sparse_t *from, bool are_rows, gsai_product_t *product_p,
                         gsai_sparse_t *rows_p) {
    gsai_product_begin(from->n, from->start[from->n], NULL, product_p, rows_p);
    if (are_rows)
        gsai_sparse_copy_into(from, rows_p);
    else
        gsai_sparse_transpose_into(from, rows_p);
    gsai_product_end(product_p);
}

/* Columns that the stages made, to rows and products. Those of a left inverse and of a factor are rows already. */
static void keep(const gsai_stages_t *s, const gsai_sparse_t *columns, gsai_t *inverse) {
    gsai_sparse_t rows;

    inverse->is_factored = s->options->is_factored;
    make_product(columns, s->options->is_factored || s->options->side == GSAI_SIDE_LEFT, &inverse->product,
                 &inverse->rows);
    if (inverse->is_factored) {
        make_product(columns, false, &inverse->transposed, &rows);
        gsai_array_create_whole(&inverse->middle, rt_DOUBLE, s->n);
    }
}

static gsai_status_t run_stages(gsai_stages_t *s, gsai_format_t format, const gsai_sparse_t *matrix,
                                gsai_t *inverse, gsai_fault_t *fault) {
    gsai_sparse_t pattern = {0}, columns = {0};
    const double begin_s = dvmh_wtime();
    gsai_status_t status = begin(s, format, matrix, &pattern, fault);

    if (status == GSAI_OK) {
        place_pattern(s, &pattern);
        status = gsai_stage_pre(s, fault);
    }
    gsai_sparse_free(&pattern);
    const double pre_s = dvmh_wtime();
    if (status == GSAI_OK)
        status = gsai_stage_compute(s, fault);
    const double compute_s = dvmh_wtime();
    if (status == GSAI_OK)
        status = gsai_stage_post(s, &columns, fault);
    if (status == GSAI_OK)
        keep(s, &columns, inverse);
    gsai_sparse_free(&columns);
    s->facts.pre_s = pre_s - begin_s;
    s->facts.compute_s = compute_s - pre_s;
    s->facts.post_s = dvmh_wtime() - compute_s;
    inverse->facts = s->facts;
    end(s);
    return status;
}

/* On a GPU. Rows on the host are where those of the product have their home; gsai_rows brings them. */
static gsai_status_t make_on_gpu(const gsai_options_t *options, gsai_format_t format,
                                 const gsai_sparse_t *matrix, bool is_on_gpu, gsai_t *inverse,
                                 gsai_fault_t *fault) {
    inverse->is_factored = options->is_factored;
    if (matrix->n < 1 || matrix->n == INT32_MAX)
        return gsai_fail(fault, GSAI_ERR_INPUT, "the order of the matrix is %d, allowed are 1..%d", matrix->n,
                         INT32_MAX - 1);
    const gsai_status_t status =
        gsai_gpu_make(options, inverse->gpu, format, matrix, is_on_gpu, &inverse->product,
                      &inverse->transposed, &inverse->facts, fault);
    if (status == GSAI_ERR_INPUT && !is_on_gpu) /* the host says it in more words */
        (void)gsai_sparse_check(matrix, fault);
    if (status != GSAI_OK)
        return status;
    inverse->rows = gsai_product_home(&inverse->product);
    if (inverse->is_factored)
        gsai_array_create_whole(&inverse->middle, rt_DOUBLE, matrix->n);
    return GSAI_OK;
}

static gsai_status_t make_on_host(const gsai_options_t *options, gsai_format_t format,
                                  const gsai_sparse_t *matrix, gsai_t *inverse, gsai_fault_t *fault) {
    gsai_stages_t stages = {.options = options};
    const gsai_status_t status = gsai_sparse_check(matrix, fault);

    return status == GSAI_OK ? run_stages(&stages, format, matrix, inverse, fault) : status;
}

/* is_on_gpu: the matrix is. */
static gsai_status_t build(const gsai_options_t *options, gsai_format_t format, const gsai_sparse_t *matrix,
                           bool is_on_gpu, gsai_t **inverse_p, gsai_fault_t *fault) {
    const gsai_gpu_t *gpu = NULL;
    gsai_stages_t stages = {.options = options};
    gsai_status_t status = check_options(options, fault);

    if (status == GSAI_OK)
        status = gsai_gpu_find(is_on_gpu ? GSAI_BACKEND_CUDA : options->backend, &gpu, fault);
    if (status != GSAI_OK)
        return status;
    stages.processes = dvmh_get_num_procs(1);
    gsai_t *const inverse = gsai_alloc(1, sizeof *inverse);
    status = gsai_stage_agree(&stages, inverse != NULL ? GSAI_OK : GSAI_ERR_MEMORY, fault);
    if (status != GSAI_OK) {
        free(inverse);
        return gsai_fail(fault, status, "no memory for an inverse");
    }
    inverse->gpu = gpu;
    status = gpu != NULL ? make_on_gpu(options, format, matrix, is_on_gpu, inverse, fault)
                         : make_on_host(options, format, matrix, inverse, fault);
    if (status != GSAI_OK) {
        gsai_destroy(inverse);
        return status;
    }
    *inverse_p = inverse;
    return GSAI_OK;
}

gsai_status_t gsai_build(const gsai_options_t *options, gsai_format_t format, const gsai_sparse_t *matrix,
                         gsai_t **inverse_p, gsai_fault_t *fault) {
    return build(options, format, matrix, false, inverse_p, fault);
}

gsai_status_t gsai_build_on_gpu(const gsai_options_t *options, gsai_format_t format,
                                const gsai_sparse_t *matrix, gsai_t **inverse_p, gsai_fault_t *fault) {
    if (options->backend == GSAI_BACKEND_HOST)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "backend host: the matrix is on a GPU");
    return build(options, format, matrix, true, inverse_p, fault);
}

void gsai_apply_array(gsai_t *inverse, gsai_array_t *x, gsai_array_t *y) {
    if (!inverse->is_factored) {
        gsai_product_apply(&inverse->product, x, y);
        return;
    }
    gsai_product_apply(&inverse->product, x, &inverse->middle);
    gsai_product_apply(&inverse->transposed, &inverse->middle, y);
}

static void need_vectors(gsai_t *inverse) {
    if (inverse->x.exists)
        return;
    gsai_array_create_whole(&inverse->x, rt_DOUBLE, inverse->rows.n);
    gsai_array_create_whole(&inverse->y, rt_DOUBLE, inverse->rows.n);
}

gsai_status_t gsai_apply_on_gpu(gsai_t *inverse, const double *x, double *y, gsai_fault_t *fault) {
    const gsai_use_t given = {&inverse->x, INTENT_OUT}, found = {&inverse->y, INTENT_IN};
    gsai_step_t from = {.n = inverse->rows.n, .value = x}, to = {.n = inverse->rows.n, .value = y};
    gsai_array_t facts;
    const gsai_use_t use = {&facts, INTENT_OUT};

    if (inverse->gpu == NULL)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "the inverse was made on the host");
    need_vectors(inverse);
    bool has_run = gsai_gpu_step(1, &given, inverse->gpu->fetch, &from);
    if (has_run) {
        gsai_apply_array(inverse, &inverse->x, &inverse->y);
        has_run = gsai_gpu_step(1, &found, inverse->gpu->store, &to);
    }
    gsai_array_create_whole(&facts, rt_LLONG, GSAI_FACT_COUNT);
    from.start = NULL;
    has_run = gsai_gpu_step(1, &use, inverse->gpu->look, &from) && has_run;
    (void)gsai_array_read(&facts); /* waits */
    gsai_array_delete(&facts);
    return has_run ? GSAI_OK : gsai_gpu_lacks("vectors", fault);
}

void gsai_apply(gsai_t *inverse, const double *x, double *y) {
    need_vectors(inverse);
    gsai_array_set(&inverse->x, x);
    gsai_apply_array(inverse, &inverse->x, &inverse->y);
    memcpy(y, gsai_array_read(&inverse->y), (size_t)inverse->rows.n * sizeof *y);
}

bool gsai_is_factored(const gsai_t *inverse) {
    return inverse->is_factored;
}

const gsai_facts_t *gsai_facts(const gsai_t *inverse) {
    return &inverse->facts;
}

const gsai_gpu_t *gsai_place(const gsai_t *inverse) {
    return inverse->gpu;
}

const gsai_sparse_t *gsai_rows(gsai_t *inverse) {
    (void)gsai_array_read(&inverse->product.start);
    (void)gsai_array_read(&inverse->product.index);
    (void)gsai_array_read(&inverse->product.value);
    return &inverse->rows;
}

void gsai_destroy(gsai_t *inverse) {
    if (inverse == NULL)
        return;
    gsai_product_delete(&inverse->product);
    gsai_product_delete(&inverse->transposed);
    gsai_array_delete(&inverse->middle);
    gsai_array_delete(&inverse->x);
    gsai_array_delete(&inverse->y);
    free(inverse);
}
