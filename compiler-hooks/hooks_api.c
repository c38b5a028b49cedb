/* Calls of user code: processes, clock, and file operations of one process's own. They work before the
 * start and after the end as far as that makes sense, because user code may sit in constructors and exit
 * functions. */
#include <config.h>

#include "compiler-hooks/hooks_stdio.h"

#include "rts/agreement.h"
#include "rts/comm.h"
#include "rts/runtime.h"
#include "rts/stats.h"

HOOKS_API void dvmh_barrier(void) {
    if (!rts_runtime()->is_open)
        return;
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_comm_expect_anywhere(__func__));
    HOOKS_TRY(rts_comm_barrier());
}

HOOKS_API int dvmh_get_total_num_procs(void) {
    return rts_comm_size();
}

HOOKS_API int dvmh_get_num_proc_axes(void) {
    return rts_runtime()->grid.rank;
}

HOOKS_API int dvmh_get_num_procs(int axis) {
    if (axis < 1)
        hooks_error(__func__, "axis %d: axes of the process grid count from 1", axis);
    const rts_grid_t *const grid = &rts_runtime()->grid;
    return axis <= grid->rank ? (int)grid->size[axis - 1] : 1;
}

HOOKS_API double dvmh_wtime(void) {
    return (double)rts_clock_ns() * 1e-9;
}

/* A name of the program's, made local. @return false with errno */
static bool localise(const char *entry_point, const char *name, char local_p[FILENAME_MAX]) {
    if (name == NULL)
        hooks_error(entry_point, "the file name is NULL");
    return hooks_local_name(name, local_p);
}

HOOKS_API int dvmh_remove_local(const char *file_name) {
    char local[FILENAME_MAX];
    return localise(__func__, file_name, local) ? remove(local) : -1;
}

HOOKS_API int dvmh_rename_local(const char *old_name, const char *new_name) {
    char local_old[FILENAME_MAX], local_new[FILENAME_MAX];
    if (!localise(__func__, old_name, local_old) || !localise(__func__, new_name, local_new))
        return -1;
    return rename(local_old, local_new);
}

HOOKS_API FILE *dvmh_tmpfile_local(void) {
    return hooks_open_temporary(__func__, true);
}

HOOKS_API char *dvmh_tmpnam_local(char *name) {
    return hooks_temporary_name(__func__, name, true);
}
