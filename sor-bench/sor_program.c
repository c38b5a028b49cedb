/* The course of a benchmark program: options, start and end of the runtime, clock, comparison with the sequential loops, result. The start of the
 * runtime stands here and not in annotated sources, because options that set its environment come before it. */
#include "sor-bench/sor_program.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dvmhlib2.h>

#include "sor-bench/bench_common.h"

struct sor_course {
    bench_options_t options;
    bench_result_t result;
    dvmhx_report_t before; /* the first sweep */
    double half_s;         /* when the last half began */
    double *time;          /* of sweeps */
    long begun;            /* calls of sor_next_sweep */
    double begin_s;
    void *expected; /* the array as sequential loops make it; NULL: nobody asked */
    size_t taken;   /* values */
};

static size_t count_elements(const bench_options_t *options) {
    size_t count = 1;

    for (int k = 0; k < sor_program.kind.rank; k++)
        count *= (size_t)options->n[k];
    return count;
}

static size_t array_bytes(const bench_options_t *options) {
    return count_elements(options) * (options->is_float ? sizeof(float) : sizeof(double));
}

/* ---- sweeps */

/* Sweeps before the last half. */
static long first_half(const sor_course_t *course) {
    return course->options.iterations / 2;
}

/* The last half of a device's sweeps is timed as one: the single times are those of calls, which do not wait for it. */
static void end_sweeps(sor_course_t *course, double now) {
    bench_result_t *result = &course->result;
    const dvmhx_report_t *before = &course->before;
    const size_t count = (size_t)course->options.iterations, half = count - (size_t)first_half(course);

    result->best_sweep_s = course->time[0];
    for (size_t i = 0; i < count; i++) {
        result->time_s += course->time[i];
        result->best_sweep_s = fmin(result->best_sweep_s, course->time[i]);
    }
    if (strcmp(result->report.backend, "host") == 0) {
        result->steady_sweep_s = bench_median(course->time + (count - half), half);
    } else {
        result->steady_sweep_s = (now - course->half_s) / (double)half;
        result->best_sweep_s = -1;
    }
    result->loop_s = result->report.loop_s - before->loop_s;
    result->reorganise_s = result->report.reorganise_s - before->reorganise_s;
    result->reorganise_bytes = (long)(result->report.reorganise_bytes - before->reorganise_bytes);
    result->reorganisations = (long)(result->report.reorganisations - before->reorganisations);
    result->explorations = (long)(result->report.explorations - before->explorations);
}

bool sor_next_sweep(sor_course_t *course) {
    const bool is_last = course->begun == course->options.iterations;
    double now;

    /* A report waits for devices. */
    if (course->begun == 0 || course->begun == first_half(course) || is_last)
        bench_get_report(course->begun == 0 ? &course->before : &course->result.report);
    now = bench_now();
    if (course->begun > 0)
        course->time[course->begun - 1] = now - course->begin_s;
    if (is_last) {
        end_sweeps(course, now);
        return false;
    }
    if (course->begun == 0)
        dvmh_barrier();
    course->begin_s = bench_now();
    if (course->begun == first_half(course))
        course->half_s = course->begin_s;
    course->begun++;
    return true;
}

/* ---- comparison */

/* Every process compares what it gets. The first one runs its loops alone, so that their time can be compared. */
static void run_plain(sor_course_t *course, size_t bytes) {
    const bench_options_t *options = &course->options;
    const sor_plain_t *plain = &sor_program.plain[options->is_float];
    const bool is_first = bench_is_first();
    double begin;

    if (!is_first)
        dvmh_barrier();
    course->expected = bench_allocate(sor_program.kind.name, bytes);
    plain->start(course->expected, options->n);
    begin = bench_now();
    for (long i = 0; i < options->iterations; i++)
        plain->sweep[options->is_reversed][options->is_box](course->expected, options->n, SOR_WEIGHT);
    course->result.sequential_s = is_first ? bench_now() - begin : -1;
    if (is_first)
        dvmh_barrier();
}

void sor_begin_values(sor_course_t *course) {
    const size_t bytes = array_bytes(&course->options);

    dvmh_barrier();
    course->result.memcpy_s =
        bench_memcpy_s(bytes / (size_t)course->result.report.processes, (int)course->result.report.threads);
    if (course->options.verify)
        run_plain(course, bytes);
    course->result.verified = course->options.verify;
}

/* Name the first element that differs. */
static void tell_difference(const sor_course_t *course, double value, double expected) {
    size_t index[BENCH_MAX_RANK] = {0}, rest = course->taken;

    for (int k = sor_program.kind.rank - 1; k >= 0; k--) {
        index[k] = rest % (size_t)course->options.n[k];
        rest /= (size_t)course->options.n[k];
    }
    fprintf(stderr, "%s: element ", sor_program.kind.name);
    for (int k = 0; k < sor_program.kind.rank; k++)
        fprintf(stderr, "[%zu]", index[k]);
    fprintf(stderr, " is %.17g, the sequential loop gives %.17g\n", value, expected);
}

void sor_take_value(sor_course_t *course, double value) {
    bench_result_t *result = &course->result;

    result->checksum += value;
    if (course->expected != NULL) {
        const double expected = course->options.is_float
                                    ? (double)((const float *)course->expected)[course->taken]
                                    : ((const double *)course->expected)[course->taken];

        /* As memory, so that zeros of different signs are different. */
        if (memcmp(&value, &expected, sizeof value) != 0) {
            if (result->verified)
                tell_difference(course, value, expected);
            result->verified = false;
            result->max_difference = fmax(result->max_difference, fabs(value - expected));
        }
    }
    course->taken++;
}

/* The slowest process's times, and the verdict of all. */
static void agree(bench_result_t *result) {
    double number[] = {result->time_s,   result->best_sweep_s,   result->steady_sweep_s,
                       result->loop_s,   result->reorganise_s,   result->sequential_s,
                       result->memcpy_s, result->max_difference, result->verified ? 0 : 1};

    bench_greatest(number, sizeof number / sizeof number[0]);
    result->time_s = number[0];
    result->best_sweep_s = number[1];
    result->steady_sweep_s = number[2];
    result->loop_s = number[3];
    result->reorganise_s = number[4];
    result->sequential_s = number[5];
    result->memcpy_s = number[6];
    result->max_difference = number[7];
    result->verified = number[8] == 0;
}

void sor_no_memory(const sor_course_t *course) {
    fprintf(stderr, "%s: no memory for an array of %zu bytes\n", sor_program.kind.name,
            array_bytes(&course->options));
    dvmh_exit_C(1);
}

/* ---- the program */

int main(int argc, char **argv) {
    static sor_course_t course;
    const bench_options_t *options = &course.options;
    size_t count;

    bench_options_parse(argc, argv, &sor_program.kind, &course.options);
    bench_set_planner(sor_program.kind.name, options->planner);
    course.result =
        (bench_result_t){.program = sor_program.kind.name, .rank = sor_program.kind.rank, .sequential_s = -1};

    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    dvmhx_reorganise_C();
    count = (size_t)options->iterations;
    course.time =
        bench_allocate(sor_program.kind.name,
                       count < SIZE_MAX / sizeof *course.time ? count * sizeof *course.time : SIZE_MAX / 2);
    sor_program.run[options->is_float](&course, options);
    course.result.verified = course.result.verified && course.taken == count_elements(options);
    free(course.expected);
    free(course.time);
    agree(&course.result);
    const bool is_printed = bench_print(options, &course.result);
    dvmh_exit_C(!is_printed || (options->verify && !course.result.verified));
}
