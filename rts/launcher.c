/* The list of modules; see the header. */
#include <config.h>

#include "rts/launcher.h"

#define MAX_LAUNCHERS 64

static struct {
    int count;
    dvmhx_launcher_t launcher[MAX_LAUNCHERS];
} modules;

rts_status_t rts_launcher_add(const dvmhx_launcher_t *launcher) {
    if (launcher == NULL || launcher->size < (DvmType)sizeof *launcher || launcher->take_error == NULL ||
        launcher->use_device == NULL)
        return rts_fail(RTS_ERR_INVALID, "no launcher: it has two functions and the size %zu",
                        sizeof *launcher);
    for (int i = 0; i < modules.count; i++)
        if (modules.launcher[i].take_error == launcher->take_error)
            return RTS_OK;
    if (modules.count == MAX_LAUNCHERS)
        return rts_fail(RTS_ERR_UNSUPPORTED, "more than %d modules that launch kernels", MAX_LAUNCHERS);
    modules.launcher[modules.count++] = *launcher;
    return RTS_OK;
}

void rts_launchers_begin(int gpu) {
    for (int i = 0; i < modules.count; i++) {
        modules.launcher[i].use_device(gpu);
        (void)modules.launcher[i].take_error();
    }
}

const char *rts_launchers_error(void) {
    const char *found = NULL;
    for (int i = 0; i < modules.count; i++) {
        const char *const error = modules.launcher[i].take_error();
        if (found == NULL)
            found = error;
    }
    return found;
}
