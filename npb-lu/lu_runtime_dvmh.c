/* The DVMH runtime. */
#include "npb-lu/lu_runtime.h"

#include <stdlib.h>
#include <string.h>

#include <dvmhlib2.h>
#include <dvmhx.h>

#include "sor-bench/bench_common.h"

void lu_runtime_start(int *argc, char ***argv, const char *planner) {
    bench_set_planner("lu", planner); /* before the runtime reads its environment */
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, argc, argv);
#ifdef LU_REORGANISES
    dvmhx_reorganise_C();
#endif
}

_Noreturn void lu_runtime_exit(int code) {
    dvmh_exit_C(code);
    abort(); /* not reached; the declaration of dvmh_exit_C does not say so */
}

void lu_runtime_report(lu_report_t *report_p) {
    dvmhx_report_t report;

    bench_get_report(&report);
    *report_p = (lu_report_t){.threads = (long)report.threads,
                              .processes = (long)report.processes,
                              .reorganise_s = report.reorganise_s,
                              .exchange_s = report.exchange_s,
                              .reorganise_bytes = (double)report.reorganise_bytes,
                              .exchange_bytes = (double)report.message_bytes,
                              .reorganisations = (long)report.reorganisations,
                              .replica_bytes = (double)report.replica_bytes};
    memcpy(report_p->backend, report.backend, sizeof report_p->backend);
    memcpy(report_p->planner, report.planner, sizeof report_p->planner);
}

void lu_runtime_begin_part(int part) {
    dvmh_usr_interval_start_C(part);
}

void lu_runtime_end_part(void) {
    dvmh_usr_interval_end_();
}

double lu_runtime_part_s(int part) {
    return dvmhx_interval_seconds_C(part);
}

void lu_runtime_barrier(void) {
    dvmh_barrier();
}

void lu_runtime_greatest(double number[], int count) {
    bench_greatest(number, count);
}

int lu_runtime_print(const char *text) {
    dvmh_void_printf("%s", text);
    return dvmh_fflush(dvmh_stdout) == 0 && !dvmh_ferror(dvmh_stdout);
}
