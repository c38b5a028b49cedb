/* The course of a run around the time steps: clock, verification, output. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "npb-lu/lu_course.h"
#include "npb-lu/lu_options.h"
#include "npb-lu/lu_runtime.h"

/* In the order of lu_part_t. */
static const char *const part_names[LU_PARTS] = {"rhs_s", "lower_s", "upper_s", "update_s", "norms_s"};

/* After so many steps only every such step is looked at for reorganisations: a look waits for GPUs. */
#define WATCHED 16

struct lu_course {
    double begin_s, time_s;
    int part; /* that is running; -1: none */
    double part_begin_s, part_s[LU_PARTS];
    double gpu_before_s[LU_PARTS];   /* of loops on GPUs before the first step */
    long steps, looked_at;           /* done, and the last one that was looked at */
    lu_report_t before, last, after; /* the first step, the step that runs, all */
    long step_changes,
        steady_from; /* reorganisations of the last step, and the first step since which all have as many */
    double replica_bytes; /* at most */
};

static double now_s(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the clock */

void lu_begin_steps(lu_course_t *course) {
    *course = (lu_course_t){.part = -1};
    for (int part = 0; part < LU_PARTS; part++)
        course->gpu_before_s[part] = lu_runtime_part_s(part);
    lu_runtime_report(&course->before);
    course->last = course->before;
    lu_runtime_barrier();
    course->begin_s = now_s();
}

static void end_part(lu_course_t *course, double now) {
    if (course->part >= 0) {
        course->part_s[course->part] += now - course->part_begin_s;
        lu_runtime_end_part();
    }
    course->part = -1;
}

void lu_begin_part(lu_course_t *course, lu_part_t part) {
    const double now = now_s();

    end_part(course, now);
    course->part = (int)part;
    course->part_begin_s = now;
    lu_runtime_begin_part(course->part);
}

void lu_end_step(lu_course_t *course) {
    long changes, steps;

    end_part(course, now_s());
    course->steps++;
    if (course->steps > WATCHED && course->steps % WATCHED != 0)
        return;
    lu_runtime_report(&course->after);
    steps = course->steps - course->looked_at;
    changes = course->after.reorganisations - course->last.reorganisations;
    course->last = course->after;
    if (course->after.replica_bytes > course->replica_bytes)
        course->replica_bytes = course->after.replica_bytes;
    if (course->steps == 1 || changes != course->step_changes * steps)
        course->steady_from = course->steps;
    course->step_changes = changes / steps;
    course->looked_at = course->steps;
}

void lu_end_steps(lu_course_t *course) {
    const double now = now_s();

    end_part(course, now);
    course->time_s = now - course->begin_s;
    lu_runtime_report(&course->after);
    for (int part = 0; part < LU_PARTS && strcmp(course->after.backend, "cuda") == 0; part++)
        course->part_s[part] = lu_runtime_part_s(part) - course->gpu_before_s[part];
    if (course->after.replica_bytes > course->replica_bytes)
        course->replica_bytes = course->after.replica_bytes;
}

void lu_no_memory(double elements) {
    fprintf(stderr, "lu: no memory for arrays of %.0f bytes\n", elements * (double)sizeof(double));
    lu_runtime_exit(1);
}

/* The slowest process's times. */
static void agree(lu_course_t *course) {
    double number[LU_PARTS + 4];

    memcpy(number, course->part_s, sizeof course->part_s);
    number[LU_PARTS] = course->time_s;
    number[LU_PARTS + 1] = course->after.reorganise_s - course->before.reorganise_s;
    number[LU_PARTS + 2] = course->after.exchange_s - course->before.exchange_s;
    number[LU_PARTS + 3] = course->replica_bytes;
    lu_runtime_greatest(number, LU_PARTS + 4);
    memcpy(course->part_s, number, sizeof course->part_s);
    course->time_s = number[LU_PARTS];
    course->after.reorganise_s = number[LU_PARTS + 1];
    course->after.exchange_s = number[LU_PARTS + 2];
    course->replica_bytes = number[LU_PARTS + 3];
}

/* ---- output */

/* Made here and printed in one call: processes may have different figures, but must make the same calls. */
static struct {
    char text[8192];
    size_t length;
} output;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *format, ...) {
    const size_t room = sizeof output.text - output.length;
    va_list values;
    int more;

    va_start(values, format);
    more = vsnprintf(output.text + output.length, room, format, values);
    va_end(values);
    if (more > 0)
        output.length += (size_t)more < room ? (size_t)more : room - 1;
}

static void add_json_text(const char *name, const char *text) {
    add(",\"%s\":\"", name);
    for (; *text != '\0'; text++)
        add(*text == '"' || *text == '\\' ? "\\%c" : "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    add("\"");
}

static void add_json_norms(const char *name, const double norm[5]) {
    add(",\"%s\":[%.17g,%.17g,%.17g,%.17g,%.17g]", name, norm[0], norm[1], norm[2], norm[3], norm[4]);
}

/* Bytes of the process's arrays: 17 numbers a point, shadow edges not counted. */
static double array_bytes(const lu_course_t *course, long n) {
    return 17.0 * sizeof(double) * (double)n * (double)n * (double)n / (double)course->after.processes;
}

/* verdict: 1 successful, 0 not, -1 nothing to compare with. */
static void add_json(const lu_options_t *options, const lu_course_t *course, const lu_norms_t *norms,
                     int verdict) {
    const lu_problem_t *problem = options->problem;

    add("{\"program\":\"lu\",\"class\":\"%c\",\"n\":%ld,\"iterations\":%ld,\"threads\":%ld,\"processes\":%ld",
        problem->name, problem->n, options->steps, course->after.threads, course->after.processes);
    add_json_text("backend", course->after.backend);
    add_json_text("planner", course->after.planner);
    add(",\"time_s\":%.9g,\"mops\":%.6g", course->time_s, lu_mops(problem, options->steps, course->time_s));
    for (int part = 0; part < LU_PARTS; part++)
        add(",\"%s\":%.9g", part_names[part], course->part_s[part]);
    add(",\"reorganise_s\":%.9g,\"reorganise_bytes\":%.0f,\"reorganisations\":%ld,"
        "\"step_reorganisations\":%ld,\"steady_from_step\":%ld",
        course->after.reorganise_s, course->after.reorganise_bytes - course->before.reorganise_bytes,
        course->after.reorganisations - course->before.reorganisations, course->step_changes,
        course->steady_from);
    add(",\"exchange_s\":%.9g,\"exchange_bytes\":%.0f,\"memory_ratio\":%.4g", course->after.exchange_s,
        course->after.exchange_bytes - course->before.exchange_bytes,
        1 + course->replica_bytes / array_bytes(course, problem->n));
    add_json_norms("residual", norms->residual);
    add_json_norms("error", norms->error);
    add(",\"integral\":%.17g,\"verified\":%s}\n", norms->integral,
        verdict < 0   ? "null"
        : verdict > 0 ? "true"
                      : "false");
}

static void add_comparison(const char *what, const double value[], const double reference[], int count,
                           int has_reference) {
    add(" %s%s\n", has_reference ? "Comparison of " : "", what);
    for (int m = 0; m < count; m++) {
        const double difference = lu_difference(value[m], reference[m]);

        if (!has_reference)
            add("           %d   %20.13E\n", m + 1, value[m]);
        else
            add(" %s %d   %20.13E%20.13E%20.13E\n",
                difference <= LU_TOLERANCE ? "         " : "FAILURE: ", m + 1, value[m], reference[m],
                difference);
    }
}

static void add_verification(const lu_options_t *options, const lu_norms_t *norms, int verdict) {
    const lu_norms_t *reference = &options->problem->reference;

    if (verdict >= 0)
        add("\n Verification being performed for class %c\n Accuracy setting for epsilon = %20.13E\n",
            options->problem->name, LU_TOLERANCE);
    add_comparison("RMS-norms of residual", norms->residual, reference->residual, 5, verdict >= 0);
    add_comparison("RMS-norms of solution error", norms->error, reference->error, 5, verdict >= 0);
    add_comparison("surface integral", &norms->integral, &reference->integral, 1, verdict >= 0);
    add(verdict < 0 ? " No reference values for this number of iterations\n No verification performed\n"
        : verdict   ? " Verification Successful\n"
                    : " Verification failed\n");
}

static void add_text(const lu_options_t *options, const lu_course_t *course, const lu_norms_t *norms,
                     int verdict) {
    const long n = options->problem->n;

    add("\n\n NAS Parallel Benchmarks, annotated C - LU Benchmark\n\n Size: %ldx%ldx%ld\n Iterations: %ld\n",
        n, n, n, options->steps);
    add_verification(options, norms, verdict);
    add("\n\n LU Benchmark Completed.\n Class           = %24c\n", options->problem->name);
    add(" Size            = %14ldx%4ldx%4ld\n Iterations      = %24ld\n", n, n, n, options->steps);
    add(" Time in seconds = %24.2f\n Total threads   = %24ld\n Total processes = %24ld\n", course->time_s,
        course->after.threads, course->after.processes);
    add(" Mop/s total     = %24.2f\n Operation type  =           floating point\n",
        lu_mops(options->problem, options->steps, course->time_s));
    add(" Verification    = %24s\n\n  SECTION         Time (secs)\n", verdict < 0 ? "NOT PERFORMED"
                                                                      : verdict   ? "SUCCESSFUL"
                                                                                  : "UNSUCCESSFUL");
    for (int part = 0; part < LU_PARTS; part++)
        add("  %-14s: %9.3f  (%6.2f%%)\n", part_names[part], course->part_s[part],
            course->part_s[part] / course->time_s * 100);
    add("  of these, reorganisations %.3f s (%ld, planner %s), renewing shadow edges %.3f s\n",
        course->after.reorganise_s, course->after.reorganisations - course->before.reorganisations,
        course->after.planner, course->after.exchange_s);
}

/* ---- the program */

int main(int argc, char **argv) {
    static lu_course_t course = {.part = -1};
    lu_options_t options;
    lu_norms_t norms;
    int verdict, is_printed;

    lu_options_parse(argc, argv, &options);
    lu_runtime_start(&argc, &argv, options.planner);
    lu_solve(&course, options.problem->n, options.steps, options.problem->dt, &norms);
    agree(&course);
    verdict =
        options.steps != options.problem->steps ? -1 : lu_is_verified(&norms, &options.problem->reference);
    if (options.json)
        add_json(&options, &course, &norms, verdict);
    else
        add_text(&options, &course, &norms, verdict);
    is_printed = lu_runtime_print(output.text);
    if (!is_printed)
        fprintf(stderr, "lu: the result cannot be written to standard output\n");
    lu_runtime_exit(!is_printed || (options.verify && verdict != 1));
}
