#include "sor-bench/bench_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <dvmhlib2.h>

#define COPY_ROUNDS 7
/* Reads of a sweep's body: 3^BENCH_MAX_RANK at most; its write. */
#define REFERENCES_MAX 28
#define VECTORS_MAX    13

double bench_now(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double number[], size_t count) {
    qsort(number, count, sizeof number[0], compare_numbers);
    return (number[(count - 1) / 2] + number[count / 2]) / 2;
}

/* This thread's slice of so many bytes. */
static void find_slice(size_t bytes, size_t *begin_p, size_t *size_p) {
#ifdef _OPENMP
    const size_t count = (size_t)omp_get_num_threads(), mine = (size_t)omp_get_thread_num();
#else
    const size_t count = 1, mine = 0;
#endif
    *begin_p = bytes / count * mine;
    *size_p = mine + 1 == count ? bytes - *begin_p : bytes / count;
}

static void copy_slices(char *to, const char *from, size_t bytes, int threads) {
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
    {
        size_t begin, size;

        find_slice(bytes, &begin, &size);
        memcpy(to + begin, from + begin, size);
    }
}

/* Places the pages where the threads are. */
static void fill_slices(char *to, size_t bytes, int threads) {
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
    {
        size_t begin, size;

        find_slice(bytes, &begin, &size);
        memset(to + begin, 1, size);
    }
}

double bench_memcpy_s(size_t bytes, int threads) {
    char *from = malloc(bytes), *to = malloc(bytes);
    double best = -1;

    if (from != NULL && to != NULL) {
        /* Written, not only read: the system would give one page of zeros for all that was never written. */
        fill_slices(from, bytes, threads);
        fill_slices(to, bytes, threads);
        for (int round = 0; round < COPY_ROUNDS; round++) {
            const double begin = bench_now();
            double time;

            copy_slices(to, from, bytes, threads);
            time = bench_now() - begin;
            best = round == 0 || time < best ? time : best;
        }
    }
    free(from);
    free(to);
    return best;
}

void *bench_allocate(const char *program, size_t bytes) {
    void *memory = malloc(bytes);

    if (memory == NULL) {
        fprintf(stderr, "%s: no memory for an array of %zu bytes\n", program, bytes);
        dvmh_exit_C(1);
    }
    return memory;
}

void bench_set_planner(const char *program, const char *planner) {
    if (planner != NULL && setenv("DVMH_PLANNER", planner, 1) != 0) {
        fprintf(stderr, "%s: no memory for the environment\n", program);
        exit(1);
    }
}

void bench_get_report(dvmhx_report_t *report_p) {
    memset(report_p, 0, sizeof *report_p);
    report_p->size = sizeof *report_p;
    dvmhx_get_report_C(report_p);
}

/* Name the first element that differs. */
static void tell_difference(const bench_result_t *result, const long index[], double value, double expected) {
    fprintf(stderr, "%s: element ", result->program);
    for (int k = 0; k < result->rank; k++)
        fprintf(stderr, "[%ld]", index[k]);
    fprintf(stderr, " is %.17g, the sequential loop gives %.17g\n", value, expected);
}

static double value_of(const void *element, bool is_float) {
    return is_float ? (double)*(const float *)element : *(const double *)element;
}

void bench_compare(const DvmType header[], const bench_options_t *options, const void *expected,
                   bench_result_t *result) {
    const size_t bytes = options->is_float ? sizeof(float) : sizeof(double);
    const char *base = dvmh_get_natural_base_C(0, header), *plain = expected;
    long n[BENCH_MAX_RANK] = {1, 1, 1}, index[BENCH_MAX_RANK];
    DvmType stride[BENCH_MAX_RANK] = {0};

    for (int k = 0; k < result->rank; k++) {
        n[k] = options->n[k];
        stride[k] = header[k + 1];
    }
    result->checksum = result->max_difference = 0;
    result->verified = plain != NULL;
    for (index[0] = 0; index[0] < n[0]; index[0]++) {
        for (index[1] = 0; index[1] < n[1]; index[1]++) {
            const char *row = base + (index[0] * stride[0] + index[1] * stride[1]) * (DvmType)bytes;

            for (index[2] = 0; index[2] < n[2]; index[2]++) {
                const char *element = row + index[2] * stride[2] * (DvmType)bytes;
                const double value = value_of(element, options->is_float);

                result->checksum += value;
                if (plain == NULL)
                    continue;
                if (memcmp(element, plain, bytes) != 0) {
                    const double wanted = value_of(plain, options->is_float);

                    if (result->verified)
                        tell_difference(result, index, value, wanted);
                    result->verified = false;
                    result->max_difference = fmax(result->max_difference, fabs(value - wanted));
                }
                plain += bytes;
            }
        }
    }
}

static void print_json_text(const char *name, const char *text) {
    printf(",\"%s\":\"", name);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

static void print_json_time(const char *name, double time) {
    if (time < 0)
        printf(",\"%s\":null", name);
    else
        printf(",\"%s\":%.9g", name, time);
}

static void print_json(const bench_options_t *options, const bench_result_t *result) {
    printf("{\"program\":\"%s\",\"n\":[", result->program);
    for (int k = 0; k < result->rank; k++)
        printf("%s%ld", k > 0 ? "," : "", options->n[k]);
    printf("],\"iterations\":%ld", options->iterations);
    print_json_text("type", options->is_float ? "float" : "double");
    print_json_text("order", options->is_reversed ? "reversed" : "natural");
    print_json_text("stencil", options->is_box ? "box" : "star");
    printf(",\"threads\":%ld,\"processes\":%ld", (long)result->report.threads,
           (long)result->report.processes);
    print_json_text("backend", result->report.backend);
    print_json_text("planner", result->report.planner);
    print_json_text("strategy", result->report.strategy);
    print_json_text("layouts", result->report.layouts);
    print_json_time("time_s", result->time_s);
    print_json_time("best_sweep_s", result->best_sweep_s);
    print_json_time("steady_sweep_s", result->steady_sweep_s);
    print_json_time("loop_s", result->loop_s);
    print_json_time("reorganise_s", result->reorganise_s);
    printf(",\"reorganise_bytes\":%ld,\"reorganisations\":%ld,\"replica_bytes\":%ld,\"explorations\":%ld",
           result->reorganise_bytes, result->reorganisations, (long)result->report.replica_bytes,
           result->explorations);
    print_json_time("sequential_s", result->sequential_s);
    print_json_time("memcpy_s", result->memcpy_s);
    print_json_time("steady_to_memcpy",
                    result->memcpy_s > 0 ? result->steady_sweep_s / result->memcpy_s : -1);
    printf(",\"checksum\":%.17g", result->checksum);
    if (options->verify)
        printf(",\"verified\":%s,\"max_difference\":%.9g", result->verified ? "true" : "false",
               result->max_difference);
    printf("}\n");
}

static void print_line(const bench_options_t *options, const bench_result_t *result) {
    printf("%s ", result->program);
    for (int k = 0; k < result->rank; k++)
        printf("%s%ld", k > 0 ? "x" : "", options->n[k]);
    printf(" %s %s %s, %ld iterations: %.2f ms each (steady %.2f, best %.2f)",
           options->is_float ? "float" : "double", options->is_box ? "box" : "star",
           options->is_reversed ? "reversed" : "natural", options->iterations,
           result->time_s / (double)options->iterations * 1e3, result->steady_sweep_s * 1e3,
           result->best_sweep_s * 1e3);
    if (result->sequential_s >= 0)
        printf(", %.2f times the sequential loop", result->sequential_s / result->time_s);
    if (result->memcpy_s > 0)
        printf(", steady %.2f memcpy", result->steady_sweep_s / result->memcpy_s);
    if (result->reorganisations > 0)
        printf("; %ld reorganisations in %.2f ms", result->reorganisations, result->reorganise_s * 1e3);
    printf("; %ld threads, %s, planner %s, %s, %s", (long)result->report.threads, result->report.backend,
           result->report.planner, result->report.strategy, result->report.layouts);
    if (options->verify)
        printf("; %s", result->verified ? "verified" : "WRONG");
    printf("\n");
}

bool bench_print(const bench_options_t *options, const bench_result_t *result) {
    if (options->json)
        print_json(options, result);
    else
        print_line(options, result);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    fprintf(stderr, "%s: the result cannot be written to standard output\n", result->program);
    return false;
}

/* Digits of `number` to the base 3, each less 1, the first of `rank` for the outermost. */
static void offsets_of(int number, int rank, DvmType offset[]) {
    for (int k = rank - 1; k >= 0; k--) {
        offset[k] = number % 3 - 1;
        number /= 3;
    }
}

void bench_describe_sweep(DvmType loop, const DvmType header[], int rank, bool is_reversed, bool is_box) {
    static const DvmType ones[BENCH_MAX_RANK] = {1, 1, 1};
    DvmType dim[BENCH_MAX_RANK] = {0}, add[REFERENCES_MAX][BENCH_MAX_RANK] = {{0}};
    DvmType vectors[VECTORS_MAX * BENCH_MAX_RANK] = {0};
    dvmhx_reference_t reference[REFERENCES_MAX];
    dvmhx_array_use_t use = {.size = sizeof use,
                             .header = header,
                             .rank = rank,
                             .intent = INTENT_INOUT,
                             .flags = DVMHX_BY_ROWS};
    int count = 0, cells = 1, vector_count = 0;

    for (int k = 0; k < rank; k++) {
        dim[k] = is_reversed ? rank - k : k + 1;
        cells *= 3;
    }
    for (int cell = 0; cell < cells; cell++) {
        int moved = 0;

        offsets_of(cell, rank, add[count]);
        for (int k = 0; k < rank; k++)
            moved += add[count][k] != 0;
        if (moved > 1 && !is_box)
            continue;
        reference[count] = (dvmhx_reference_t){.is_write = 0, .dim = dim, .mult = ones, .add = add[count]};
        count++;
        if (cell > cells / 2)
            offsets_of(cell, rank, vectors + rank * vector_count++);
    }
    for (int k = 0; k < rank; k++)
        add[count][k] = 0;
    reference[count] = (dvmhx_reference_t){.is_write = 1, .dim = dim, .mult = ones, .add = add[count]};
    use.reference_count = count + 1;
    use.references = reference;
    dvmhx_loop_array_C(loop, &use);
    if (is_box)
        dvmhx_loop_dependences_C(loop, vector_count, vectors);
}

void bench_describe_start(DvmType loop, const DvmType header[], int rank) {
    static const DvmType dim[BENCH_MAX_RANK] = {1, 2, 3}, mult[BENCH_MAX_RANK] = {1, 1, 1},
                         add[BENCH_MAX_RANK];
    const dvmhx_reference_t reference = {.is_write = 1, .dim = dim, .mult = mult, .add = add};
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = header,
                                   .rank = rank,
                                   .intent = INTENT_OUT,
                                   .reference_count = 1,
                                   .references = &reference,
                                   .flags = DVMHX_BY_ROWS};

    dvmhx_loop_array_C(loop, &use);
}
