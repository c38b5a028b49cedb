/* Modules of the program that launch kernels, as they have told of themselves. Each has its own record of failed launches, and its own
 * current device. Does not decide when to ask. */
#ifndef RTS_LAUNCHER_H
#define RTS_LAUNCHER_H

#include <dvmhx_launch.h>

#include "rts/status.h"

/** Remember a module, once. Before everything else too; main thread, or the one that loads it.
 * @return RTS_ERR_INVALID      a struct that is none
 * @return RTS_ERR_UNSUPPORTED  too many */
rts_status_t rts_launcher_add(const dvmhx_launcher_t *launcher);

/** Make a device the current one of all modules, and forget failures from before: they are not ours. */
void rts_launchers_begin(int gpu);

/** What has failed since then, in the words of the first module that knows; NULL: nothing. Forgotten then. */
const char *rts_launchers_error(void);

#endif
