/* gsai: read or generate a matrix, make its sparse approximate inverse, solve A x = b with b = A 1, say what came of it. Process 0 prints. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/gsai/gsai_program.h"
#include "examples/gsai/gsai_sparse.h"

/** All that the output tells. */
typedef struct run {
    program_options_t options;
    gsai_sparse_t matrix; /* rows */
    gsai_read_facts_t read;
    gsai_t *inverse;
    gsai_course_t *course; /* options.repeats */
    double *error;         /* largest |x_k - 1| of each */
} run_t;

static const char *const end_names[] = {"converged", "iterations", "breakdown"};

static const char *end_name(const gsai_course_t *course) {
    return course->is_false ? "false convergence" : end_names[course->end];
}

/** The next of a series of numbers (xorshift). */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* b = A 1; for several right-hand sides each element is moved by at most one rounding. */
static void make_right_hand_side(const run_t *run, int number, double *b) {
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)number + 1);

    for (int32_t k = 0; k < run->matrix.n; k++) {
        b[k] = 0;
        for (int64_t at = run->matrix.start[k]; at < run->matrix.start[k + 1]; at++)
            b[k] += run->matrix.value[at];
        if (run->options.repeats > 1)
            b[k] *= 1 + DBL_EPSILON * ((double)(next_random(&state) % 3) - 1);
    }
}

static gsai_status_t solve_all(run_t *run, gsai_fault_t *fault) {
    const int32_t n = run->matrix.n;
    double *const b = gsai_alloc(n, sizeof *b), *const x = gsai_alloc(n, sizeof *x);
    gsai_status_t status = GSAI_OK;
    gsai_product_t product = {0};

    run->course = gsai_alloc(run->options.repeats, sizeof *run->course);
    run->error = gsai_alloc(run->options.repeats, sizeof *run->error);
    if (b == NULL || x == NULL || run->course == NULL || run->error == NULL)
        status = gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for vectors");
    else
        gsai_product_create(&run->matrix, gsai_place(run->inverse), &product);
    for (int number = 0; number < run->options.repeats && status == GSAI_OK; number++) {
        make_right_hand_side(run, number, b);
        status = gsai_solve(&run->options.solve, &product, run->inverse, b, x, &run->course[number], fault);
        for (int32_t k = 0; k < n; k++)
            run->error[number] = fmax(run->error[number], fabs(x[k] - 1));
    }
    gsai_product_delete(&product);
    free(b);
    free(x);
    return status;
}

static int compare_counts(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The middle count of iterations; -1 when half or more did not converge. */
static int64_t median(const run_t *run) {
    int64_t counts[PROGRAM_REPEATS_MAX];
    const int repeats = run->options.repeats;

    for (int k = 0; k < repeats; k++)
        counts[k] = run->course[k].end == GSAI_END_CONVERGED ? run->course[k].iterations : INT64_MAX;
    qsort(counts, (size_t)repeats, sizeof counts[0], compare_counts);
    return counts[repeats / 2] == INT64_MAX ? -1 : counts[repeats / 2];
}

/* A number for JSON, which has no infinities. */
static void print_real(const char *name, double value) {
    if (isfinite(value))
        dvmh_void_printf("\"%s\": %.6g, ", name, value);
    else
        dvmh_void_printf("\"%s\": null, ", name);
}

static void print_text(const char *name, const char *text) {
    dvmh_void_printf("\"%s\": \"", name);
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ')
            dvmh_void_printf("\\u%04x", (unsigned)(unsigned char)*text);
        else
            dvmh_void_printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    dvmh_void_printf("\", ");
}

static void print_json(const run_t *run) {
    const program_options_t *const o = &run->options;
    const gsai_facts_t *const f = gsai_facts(run->inverse);

    dvmh_void_printf("{");
    print_text("matrix", o->matrix);
    dvmh_void_printf("\"n\": %d, \"entries\": %lld, \"duplicates\": %lld, \"zeros\": %lld, ", run->matrix.n,
                     (long long)run->matrix.start[run->matrix.n], (long long)run->read.duplicates,
                     (long long)run->read.zeros);
    print_text("pattern", o->pattern);
    print_text("side", o->build.is_factored              ? "factored"
                       : o->build.side == GSAI_SIDE_LEFT ? "left"
                                                         : "right");
    dvmh_void_printf(
        "\"pattern_entries\": %lld, \"inverse_entries\": %lld, \"dependent\": %lld, \"deficient\": %lld, "
        "\"empty\": %lld, \"rows_max\": %lld, \"columns_max\": %lld, \"buckets\": %lld, "
        "\"work_bytes\": %lld, ",
        (long long)f->pattern_entries, (long long)f->entries, (long long)f->dependent,
        (long long)f->deficient, (long long)f->empty, (long long)f->rows_max, (long long)f->columns_max,
        (long long)f->buckets, (long long)f->work_bytes);
    print_text("backend", f->is_on_gpu ? "cuda" : "host");
    dvmh_void_printf("\"batches\": %lld, ", (long long)f->batches);
    print_real("transfer_s", f->transfer_s);
    print_real("pre_s", f->pre_s);
    print_real("compute_s", f->compute_s);
    print_real("post_s", f->post_s);
    print_text("solver", o->solver);
    if (o->is_solved) {
        dvmh_void_printf("\"iterations_median\": %lld, ", (long long)median(run));
        dvmh_void_printf("\"solves\": [");
        for (int k = 0; k < o->repeats; k++) {
            dvmh_void_printf("%s{", k > 0 ? ", " : "");
            print_text("end", end_name(&run->course[k]));
            print_real("recursive", run->course[k].recursive);
            print_real("residual", run->course[k].residual);
            print_real("error", run->error[k]);
            print_real("solve_s", run->course[k].seconds);
            dvmh_void_printf("\"iterations\": %lld}", (long long)run->course[k].iterations);
        }
        dvmh_void_printf("], ");
    }
    dvmh_void_printf("\"processes\": %d}\n", dvmh_get_total_num_procs());
}

/* What a user should know and may not expect. */
static void print_notes(const run_t *run) {
    const gsai_facts_t *const f = gsai_facts(run->inverse);

    if (run->read.duplicates > 0)
        dvmh_void_printf("note: %lld duplicate entries were added up\n", (long long)run->read.duplicates);
    if (run->read.zeros > 0)
        dvmh_void_printf("note: %lld explicit zeros were %s\n", (long long)run->read.zeros,
                         run->options.read.drops_zeros ? "dropped" : "kept");
    if (f->deficient > 0)
        dvmh_void_printf(
            "note: %lld small problems are rank-deficient; %lld of their columns were left out\n",
            (long long)f->deficient, (long long)f->dependent);
    if (f->empty > 0)
        dvmh_void_printf(
            "note: %lld columns or rows of the inverse are empty: the matrix is singular, or its pattern "
            "is\n",
            (long long)f->empty);
}

static void print_solve(const run_t *run, int number) {
    const gsai_course_t *const c = &run->course[number];

    dvmh_void_printf("%s: %s after %lld iterations, residual %.3g, largest error %.3g, %.3f ms\n",
                     run->options.solver, end_name(c), (long long)c->iterations, c->residual,
                     run->error[number], 1e3 * c->seconds);
    if (c->is_false)
        dvmh_void_printf("note: the solver's own residual is %.3g, the true one is %.3g: false convergence\n",
                         c->recursive, c->residual);
}

static void print_all(const run_t *run) {
    const gsai_facts_t *const f = gsai_facts(run->inverse);

    dvmh_void_printf("%s: order %d, %lld entries\n", run->options.matrix, run->matrix.n,
                     (long long)run->matrix.start[run->matrix.n]);
    dvmh_void_printf(
        "inverse: %lld entries of a pattern of %lld; small problems up to %lld rows, %lld columns, "
        "%lld bytes; %lld buckets\n",
        (long long)f->entries, (long long)f->pattern_entries, (long long)f->rows_max,
        (long long)f->columns_max, (long long)f->work_bytes, (long long)f->buckets);
    if (f->is_on_gpu)
        dvmh_void_printf("on a GPU, in %lld batches of columns; bringing the matrix %.3f ms\n",
                         (long long)f->batches, 1e3 * f->transfer_s);
    dvmh_void_printf("set-up: pre %.3f ms, compute %.3f ms, post %.3f ms\n", 1e3 * f->pre_s,
                     1e3 * f->compute_s, 1e3 * f->post_s);
    print_notes(run);
    if (!run->options.is_solved)
        return;
    for (int k = 0; k < run->options.repeats; k++)
        print_solve(run, k);
    if (run->options.repeats > 1)
        dvmh_void_printf("median: %lld iterations\n", (long long)median(run));
}

/* Process 0 writes. */
static gsai_status_t write_inverse(const run_t *run, gsai_fault_t *fault) {
    const gsai_sparse_t *const rows = gsai_rows(run->inverse);
    FILE *const file = dvmh_fopen(run->options.write, "w");

    if (file == NULL)
        return gsai_fail(fault, GSAI_ERR_INPUT, "%s: it cannot be written", run->options.write);
    dvmh_void_fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%% %s\n%d %d %lld\n",
                      run->options.build.is_factored ? "factor of a sparse approximate inverse"
                                                     : "sparse approximate inverse",
                      rows->n, rows->n, (long long)rows->start[rows->n]);
    for (int32_t k = 0; k < rows->n; k++)
        for (int64_t at = rows->start[k]; at < rows->start[k + 1]; at++)
            dvmh_void_fprintf(file, "%d %d %.17g\n", k + 1, rows->index[at] + 1, rows->value[at]);
    const bool failed = dvmh_ferror(file) != 0;
    if (dvmh_fclose(file) != 0 || failed)
        return gsai_fail(fault, GSAI_ERR_INPUT, "%s: writing failed", run->options.write);
    return GSAI_OK;
}

static gsai_status_t run_all(run_t *run, gsai_fault_t *fault) {
    gsai_status_t status =
        run->options.is_generated
            ? gsai_generate(&run->options.problem, &run->matrix, fault)
            : gsai_read_file(run->options.matrix, &run->options.read, &run->matrix, &run->read, fault);

    if (status == GSAI_OK)
        status = gsai_build(&run->options.build, GSAI_ROWS, &run->matrix, &run->inverse, fault);
    if (status == GSAI_OK && run->options.write != NULL)
        status = write_inverse(run, fault);
    if (status == GSAI_OK && run->options.is_solved)
        status = solve_all(run, fault);
    if (status != GSAI_OK)
        return status;
    if (run->options.is_json)
        print_json(run);
    else
        print_all(run);
    return GSAI_OK;
}

static int exit_code(const run_t *run) {
    for (int k = 0; run->options.is_solved && k < run->options.repeats; k++)
        if (run->course[k].end != GSAI_END_CONVERGED || run->course[k].is_false)
            return 2;
    return 0;
}

int main(int argc, char **argv) {
    run_t run = {0};
    gsai_fault_t fault;
    int code = 1;

    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    gsai_status_t status = program_read_options(argc, argv, &run.options, &fault);
    if (status == GSAI_OK && run.options.is_help) {
        dvmh_void_printf("%s", program_help);
        dvmh_exit_C(0);
    }
    if (status == GSAI_OK)
        status = run_all(&run, &fault);
    if (status != GSAI_OK)
        dvmh_void_fprintf(dvmh_stderr, "gsai: %s\n", fault.text);
    else
        code = exit_code(&run);
    gsai_destroy(run.inverse);
    gsai_sparse_free(&run.matrix);
    free(run.course);
    free(run.error);
    dvmh_exit_C(code);
}
