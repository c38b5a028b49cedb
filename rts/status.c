/* The text of the last failure, kept per thread, and broken assertions. Decides how long a message may be;
 * not who prints it, nor what happens to the program afterwards. */
#include <config.h>

#include "rts/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_TEXT_SIZE 512

static _Thread_local char error_text[ERROR_TEXT_SIZE];

rts_status_t rts_fail(rts_status_t status, const char *format, ...) {
    /* Formatted aside, because the arguments may contain rts_error_text() itself: "loop 3: <what went wrong
     * below>". */
    char text[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    va_end(arguments);
    memcpy(error_text, text, strlen(text) + 1);
    return status;
}

rts_status_t rts_fail_memory(const char *what, size_t bytes) {
    return rts_fail(RTS_ERR_NO_MEMORY, "no memory for %s (%zu bytes)", what, bytes);
}

const char *rts_error_text(void) {
    return error_text;
}

const char *rts_status_name(rts_status_t status) {
    switch (status) {
    case RTS_OK:
        return "success";
    case RTS_ERR_INVALID:
        return "invalid argument";
    case RTS_ERR_NO_MEMORY:
        return "out of memory";
    case RTS_ERR_UNSUPPORTED:
        return "not supported";
    case RTS_ERR_DEVICE:
        return "device failure";
    case RTS_ERR_COMM:
        return "communication failure";
    case RTS_ERR_IO:
        return "file failure";
    case RTS_ERR_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

_Noreturn void rts_assertion_failed(const char *condition, const char *file, int line) {
    fprintf(stderr, "dvmh: internal error: assertion '%s' does not hold at %s:%d\n", condition, file, line);
    abort();
}
