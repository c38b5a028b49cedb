/* Calls a handler with parameters that are known only at run time. */
#ifndef RTS_CALL_H
#define RTS_CALL_H

#include <dvmhlib_types.h>

#include "rts/types.h"

/** Most parameters beside the first. */
#define RTS_MAX_HANDLER_PARAMETERS 64

/** function(first, parameter[0], .., parameter[count - 1]), count up to RTS_MAX_HANDLER_PARAMETERS; all are pointers; its result is
 * ignored. Threads: any. */
void rts_call_handler(DvmHandlerFunc function, const void *first, int count, void *const parameter[]);

#endif
