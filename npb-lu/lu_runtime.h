/* What the program needs of a runtime: lu_runtime_dvmh.c has it of the DVMH runtime, lu_runtime_none.c for the program that the C compiler
 * makes alone. */
#ifndef LU_RUNTIME_H
#define LU_RUNTIME_H

/** What the runtime did up to now. */
typedef struct lu_report {
    long threads, processes;
    char backend[32], planner[64];
    double reorganise_s, exchange_s;
    double reorganise_bytes, exchange_bytes; /* whole numbers */
    long reorganisations;
    double replica_bytes; /* of copies of arrays in other layouts, now */
} lu_report_t;

/** Start. @param planner  for DVMH_PLANNER; NULL: leave it */
void lu_runtime_start(int *argc, char ***argv, const char *planner);

/** End the program. Collective. */
_Noreturn void lu_runtime_exit(int code);

/** Waits for GPUs. */
void lu_runtime_report(lu_report_t *report_p);

/** A part of the program begins or ends, for lu_runtime_part_s. They do not overlap. @param part  0.. */
void lu_runtime_begin_part(int part);
void lu_runtime_end_part(void);

/** Seconds that a part's loops took so far on GPUs, in this process, where the host's clock says nothing of them. Waits for GPUs. */
double lu_runtime_part_s(int part);

/** Wait for all processes. Collective. */
void lu_runtime_barrier(void);

/** Replace numbers by the greatest of all processes. Collective. @param count  1..16 */
void lu_runtime_greatest(double number[], int count);

/** Print a text on stdout, once. Collective. @return whether it was written; the same in all processes */
int lu_runtime_print(const char *text);

#endif
