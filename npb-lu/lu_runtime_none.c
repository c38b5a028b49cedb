/* One process and one thread, and arrays that stay as they are. */
#include "npb-lu/lu_runtime.h"

#include <stdio.h>
#include <stdlib.h>

void lu_runtime_start(int *argc, char ***argv, const char *planner) {
    (void)argc;
    (void)argv;
    (void)planner;
}

_Noreturn void lu_runtime_exit(int code) {
    exit(code);
}

void lu_runtime_report(lu_report_t *report_p) {
    *report_p = (lu_report_t){.threads = 1, .processes = 1, .backend = "none", .planner = "off"};
}

void lu_runtime_begin_part(int part) {
    (void)part;
}

void lu_runtime_end_part(void) {}

double lu_runtime_part_s(int part) {
    (void)part;
    return 0;
}

void lu_runtime_barrier(void) {}

void lu_runtime_greatest(double number[], int count) {
    (void)number;
    (void)count;
}

int lu_runtime_print(const char *text) {
    return fputs(text, stdout) >= 0 && fflush(stdout) == 0;
}
