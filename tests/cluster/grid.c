/* grid - every process prints the grid that it sees, as "AXES: N M ..", for check-grid.sh; with --cores also on which processors it may
 * run, before the runtime binds its threads, and how many threads it has, for check-dvmhrun.sh. */
#include <config.h>

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <dvmhlib2.h>
#include <dvmhx.h>

static void print_cores(void) {
    cpu_set_t set;
    static char line[64 + 5 * CPU_SETSIZE] = "cores";
    size_t length = strlen(line);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            length += (size_t)snprintf(line + length, sizeof line - length, " %u", cpu);
    printf("%s\n", line);
}

static void print_threads(void) {
    dvmhx_report_t report = {.size = sizeof report};
    dvmhx_get_report_C(&report);
    printf("threads %d\n", (int)report.threads);
}

/* @return whether the extents fit the number of processes */
static bool print_grid(void) {
    char line[256];
    const int axes = dvmh_get_num_proc_axes();
    int length = snprintf(line, sizeof line, "%d:", axes), product = 1;
    for (int axis = 1; axis <= axes; axis++) {
        length += snprintf(line + length, sizeof line - (size_t)length, " %d", dvmh_get_num_procs(axis));
        product *= dvmh_get_num_procs(axis);
    }
    printf("%s\n", line);
    /* Axes beyond those there are have one process. */
    return product == dvmh_get_total_num_procs() && dvmh_get_num_procs(axes + 1) == 1;
}

int main(int argc, char **argv) {
    const bool with_cores = argc > 1 && strcmp(argv[1], "--cores") == 0;
    if (with_cores)
        print_cores();
    dvmh_line_C(1, "grid.c");
    dvmh_init_C(0, &argc, &argv);
    if (with_cores)
        print_threads();
    dvmh_exit_C(print_grid() ? 0 : 9);
    return 0;
}
