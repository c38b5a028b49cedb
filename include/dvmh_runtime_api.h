/* Calls that a program may write itself, between `#ifdef _DVMH` and `#endif`. */
#ifndef DVMH_RUNTIME_API_H
#define DVMH_RUNTIME_API_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Wait until every process has come here. Collective. Does nothing before dvmh_init_C. */
void dvmh_barrier(void);

/** Number of processes; 1 before dvmh_init_C. */
int dvmh_get_total_num_procs(void);

/** Number of axes of the process grid. Trailing axes of size 1 do not count, so one process gives 0. */
int dvmh_get_num_proc_axes(void);

/** Number of processes along an axis of the grid. @param axis from 1; beyond the last one the answer is 1 */
int dvmh_get_num_procs(int axis);

/** Wall clock in seconds since some moment of the past; only differences within one process have a meaning.
 */
double dvmh_wtime(void);

/** remove() in the calling process. Here and below `%d` in a name stands for the number of the process. */
int dvmh_remove_local(const char *file_name);

/** rename() in the calling process. */
int dvmh_rename_local(const char *old_name, const char *new_name);

/** tmpfile() of the calling process's own; for the dvmh_ functions of dvmhlib_stdio.h. After dvmh_init_C. */
FILE *dvmh_tmpfile_local(void);

/** tmpnam() in the calling process. @param name  L_tmpnam characters, or NULL for a static buffer */
char *dvmh_tmpnam_local(char *name);

#ifdef __cplusplus
}
#endif

#endif
