/* How an entry point ends the program: one message, then exit code 1 everywhere. Where several processes fail, one of them tells.
 *
 * Ending must work from any state: before the start, inside a handler on a worker thread, from an atexit
 * function that runs because the program is ending already. So it takes no lock but the log's and needs
 * no memory, and the first caller wins. */
#include <config.h>

#include "compiler-hooks/hooks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rts/agreement.h"
#include "rts/comm.h"
#include "rts/log.h"

/* Longest message; what is longer is cut. */
#define MESSAGE_SIZE 2048
/* Seconds that a process with the same or another mistake as one that has been told of waits for its end. */
#define END_SECONDS 10

static atomic_bool ending;
static _Thread_local bool ending_here;

/* Add formatted text behind what is there; keeps the terminator. */
static RTS_PRINTF(3, 4) void append(char message[MESSAGE_SIZE], size_t *length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(message + *length, MESSAGE_SIZE - *length, format, arguments);
    va_end(arguments);
    if (added > 0)
        *length = *length + (size_t)added < MESSAGE_SIZE ? *length + (size_t)added : MESSAGE_SIZE - 1;
}

/* One write, so that messages of several processes do not mix; more only when the system takes less at
 * once. */
static void write_to_stderr(const char *text, size_t length) {
    while (length > 0) {
        const ssize_t written = write(STDERR_FILENO, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

static _Noreturn void end_program(const char *entry_point, const char *text, int code) {
    if (ending_here) /* an exit function made a mistake: its predecessor has been reported */
        _Exit(1);
    if (atomic_exchange(&ending, true))
        for (;;) /* another thread is ending the program; this one must not go on */
            pause();
    ending_here = true;

    const rts_position_t position = rts_position_get();
    char message[MESSAGE_SIZE];
    size_t length = 0;
    append(message, &length, "*** RTS err: %s: %s", entry_point, text);
    if (position.file != NULL)
        append(message, &length, " [%s:%d]", position.file, position.line);

    fflush(NULL); /* what the program wrote so far comes first, and MPI_Abort would lose it */
    if (rts_log_has_file()) {
        /* Level error: a fatal message would be copied to standard error, where this one goes below. */
        rts_log_write(RTS_LOG_ERROR, "%s", message); /* adds the rank */
        rts_log_close();
    }
    if (rts_comm_size() > 1)
        append(message, &length, " [rank %d]", rts_comm_rank());
    message[length] = '\n'; /* in place of the terminator */
    if (rts_agreement_tells())
        write_to_stderr(message, length + 1);
    else /* the process that does ends this one; if it cannot, this one ends all */
        sleep(END_SECONDS);
    rts_comm_abort(code);
}

bool hooks_is_ending(void) {
    return ending;
}

void hooks_end_with(const char *entry_point, int code) {
    const char *text = rts_error_text();
    end_program(entry_point, text[0] != '\0' ? text : "failed for an unknown reason", code);
}

void hooks_end(const char *entry_point) {
    hooks_end_with(entry_point, 1);
}

void hooks_error(const char *entry_point, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    end_program(entry_point, text, 1);
}
