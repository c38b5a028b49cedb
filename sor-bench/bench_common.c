#include "sor-bench/bench_common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <dvmhlib2.h>

#define COPY_ROUNDS 7

/* Axes of process grids that are understood. */
#define GRID_AXES 4

#define ROUTINE(function) ((DvmHandlerFunc)(void (*)(void))(function))

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

/* ---- processes ---- */

/* An array with one element on each process. @return its number of axes */
static int make_board(DvmType header[], DvmType last[GRID_AXES]) {
    const int rank = dvmh_get_num_proc_axes();
    DvmType n[GRID_AXES];

    if (rank > GRID_AXES) {
        dvmh_void_fprintf(dvmh_stderr, "the grid of processes has %d axes; allowed: 1..%d\n", rank,
                          GRID_AXES);
        dvmh_exit_C(2);
    }
    for (int axis = 0; axis < GRID_AXES; axis++) {
        n[axis] = axis < rank ? dvmh_get_num_procs(axis + 1) : 1;
        last[axis] = n[axis] - 1;
    }
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_array_create_C(header, (DvmType)rank, -rt_CHAR, n[0], (DvmType)0, (DvmType)0, n[1], (DvmType)0,
                        (DvmType)0, n[2], (DvmType)0, (DvmType)0, n[3], (DvmType)0, (DvmType)0);
    dvmh_distribute_C(header, (DvmType)rank, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                      dvmh_distribution_block_C(3), dvmh_distribution_block_C(4));
    return rank;
}

/* The reduction begins with what each process brings. */
static void add_nothing(const dvmhx_record_t *record) {
    (void)record;
}

void bench_greatest(double number[], int count) {
    DvmType header[64], last[GRID_AXES], loop;
    int rank;

    if (dvmh_get_total_num_procs() == 1)
        return;
    rank = make_board(header, last);
    dvmh_line_C(__LINE__, __FILE__);
    loop = dvmh_loop_create_C(0, (DvmType)rank, (DvmType)0, last[0], (DvmType)1, (DvmType)0, last[1],
                              (DvmType)1, (DvmType)0, last[2], (DvmType)1, (DvmType)0, last[3], (DvmType)1);
    dvmh_loop_map_C(loop, header, (DvmType)rank, dvmh_alignment_linear_C(1, 1, 0),
                    dvmh_alignment_linear_C(2, 1, 0), dvmh_alignment_linear_C(3, 1, 0),
                    dvmh_alignment_linear_C(4, 1, 0));
    dvmh_loop_reduction_C(loop, rf_MAX, number, rt_DOUBLE, (DvmType)count, NULL, (DvmType)0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(ROUTINE(add_nothing), 0));
    dvmh_loop_perform_C(loop);
    dvmh_delete_object_(header);
}

bool bench_is_first(void) {
    DvmType header[64], last[GRID_AXES];
    bool is_first;
    int rank;

    if (dvmh_get_total_num_procs() == 1)
        return true;
    rank = make_board(header, last);
    is_first = dvmh_has_element_C(header, (DvmType)rank, (DvmType)0, (DvmType)0, (DvmType)0, (DvmType)0) != 0;
    dvmh_delete_object_(header);
    return is_first;
}

/* ---- the line of figures ---- */

/* Made here and printed in one call: processes may have different figures, but must make the same calls. */
static struct {
    char text[4096];
    size_t length;
} line;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *format, ...) {
    va_list values;
    int more;

    va_start(values, format);
    more = vsnprintf(line.text + line.length, sizeof line.text - line.length, format, values);
    va_end(values);
    if (more > 0)
        line.length +=
            (size_t)more < sizeof line.text - line.length ? (size_t)more : sizeof line.text - line.length - 1;
}

static void add_json_text(const char *name, const char *text) {
    add(",\"%s\":\"", name);
    for (; *text != '\0'; text++)
        add(*text == '"' || *text == '\\' ? "\\%c" : "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    add("\"");
}

static void add_json_time(const char *name, double time) {
    if (time < 0)
        add(",\"%s\":null", name);
    else
        add(",\"%s\":%.9g", name, time);
}

static void add_json(const bench_options_t *options, const bench_result_t *result) {
    add("{\"program\":\"%s\",\"n\":[", result->program);
    for (int k = 0; k < result->rank; k++)
        add("%s%ld", k > 0 ? "," : "", options->n[k]);
    add("],\"iterations\":%ld", options->iterations);
    add_json_text("type", options->is_float ? "float" : "double");
    add_json_text("order", options->is_reversed ? "reversed" : "natural");
    add_json_text("stencil", options->is_box ? "box" : "star");
    add(",\"threads\":%ld,\"processes\":%ld", (long)result->report.threads, (long)result->report.processes);
    add_json_text("backend", result->report.backend);
    add_json_text("planner", result->report.planner);
    add_json_text("strategy", result->report.strategy);
    add_json_text("layouts", result->report.layouts);
    add_json_time("time_s", result->time_s);
    add_json_time("best_sweep_s", result->best_sweep_s);
    add_json_time("steady_sweep_s", result->steady_sweep_s);
    add_json_time("loop_s", result->loop_s);
    add_json_time("reorganise_s", result->reorganise_s);
    add(",\"reorganise_bytes\":%ld,\"reorganisations\":%ld,\"replica_bytes\":%ld,\"explorations\":%ld",
        result->reorganise_bytes, result->reorganisations, (long)result->report.replica_bytes,
        result->explorations);
    add_json_time("sequential_s", result->sequential_s);
    add_json_time("memcpy_s", result->memcpy_s);
    add_json_time("steady_to_memcpy", result->memcpy_s > 0 ? result->steady_sweep_s / result->memcpy_s : -1);
    add(",\"checksum\":%.17g", result->checksum);
    if (options->verify)
        add(",\"verified\":%s,\"max_difference\":%.9g", result->verified ? "true" : "false",
            result->max_difference);
    add("}\n");
}

static void add_line(const bench_options_t *options, const bench_result_t *result) {
    add("%s ", result->program);
    for (int k = 0; k < result->rank; k++)
        add("%s%ld", k > 0 ? "x" : "", options->n[k]);
    add(" %s %s %s, %ld iterations: %.3g ms each (steady %.3g", options->is_float ? "float" : "double",
        options->is_box ? "box" : "star", options->is_reversed ? "reversed" : "natural", options->iterations,
        result->time_s / (double)options->iterations * 1e3, result->steady_sweep_s * 1e3);
    if (result->best_sweep_s >= 0)
        add(", best %.3g", result->best_sweep_s * 1e3);
    add(")");
    if (result->sequential_s >= 0)
        add(", %.2f times the sequential loop", result->sequential_s / result->time_s);
    if (result->memcpy_s > 0)
        add(", steady %.2f memcpy", result->steady_sweep_s / result->memcpy_s);
    if (result->reorganisations > 0)
        add("; %ld reorganisations in %.2f ms", result->reorganisations, result->reorganise_s * 1e3);
    add("; %ld threads, %s, planner %s, %s, %s", (long)result->report.threads, result->report.backend,
        result->report.planner, result->report.strategy, result->report.layouts);
    if (options->verify)
        add("; %s", result->verified ? "verified" : "WRONG");
    add("\n");
}

bool bench_print(const bench_options_t *options, const bench_result_t *result) {
    line.length = 0;
    if (options->json)
        add_json(options, result);
    else
        add_line(options, result);
    dvmh_void_printf("%s", line.text);
    if (dvmh_fflush(dvmh_stdout) == 0 && !dvmh_ferror(dvmh_stdout))
        return true;
    dvmh_void_fprintf(dvmh_stderr, "%s: the result cannot be written to standard output\n", result->program);
    return false;
}
