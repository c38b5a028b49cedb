/* How functions report failure, and assertions. Nothing below compiler-hooks ends the program: the function that first
 * decides that something is wrong records one message with rts_fail() and returns the status; callers pass it on;
 * compiler-hooks print the message once, with rank and source line, and exit. */
#ifndef RTS_STATUS_H
#define RTS_STATUS_H

#include "rts/types.h"

typedef enum rts_status {
    RTS_OK = 0,
    RTS_ERR_INVALID,     /* the caller's input is wrong */
    RTS_ERR_NO_MEMORY,   /* an allocation failed */
    RTS_ERR_UNSUPPORTED, /* legal, but not provided by this build, backend or version */
    RTS_ERR_DEVICE,      /* a device operation failed */
    RTS_ERR_COMM,        /* MPI failed */
    RTS_ERR_IO,          /* a file operation failed */
    RTS_ERR_INTERNAL     /* the runtime contradicts itself */
} rts_status_t;

#if defined(__GNUC__)
#define RTS_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define RTS_PRINTF(format_index, first)
#endif

/**
 * Record the message of a failure and return its status, so that `return rts_fail(...)` is the whole error path.
 *
 * The text is kept per thread, truncated at 511 characters, and replaced by the next call. It says what was given
 * and what is allowed, without rank, source line or final newline: the reporter adds those.
 * @return status, unchanged
 */
rts_status_t rts_fail(rts_status_t status, const char *format, ...) RTS_PRINTF(2, 3);

/** Shorthand for a failed allocation of `bytes` for `what`. @return RTS_ERR_NO_MEMORY */
rts_status_t rts_fail_memory(const char *what, size_t bytes);

/** The message recorded last by this thread; "" when there is none. Valid until the next rts_fail of this thread. */
const char *rts_error_text(void);

/** Printable name of a status, such as "invalid argument". Never NULL. */
const char *rts_status_name(rts_status_t status);

/** Pass a failure on to the caller. */
#define RTS_TRY(expression)                                                                                  \
    do {                                                                                                     \
        const rts_status_t rts_try_status = (expression);                                                    \
        if (rts_try_status != RTS_OK)                                                                        \
            return rts_try_status;                                                                           \
    } while (0)

/* Assertion levels: 0 none (default), 1 cheap checks, 2 also checks that cost more than the work they guard.
 * --enable-debug sets 2. An assertion is for contradictions inside the runtime, never for the caller's mistakes. */
#ifndef RTS_ASSERT_LEVEL
#define RTS_ASSERT_LEVEL 0
#endif

/** Print the broken condition and abort. */
_Noreturn void rts_assertion_failed(const char *condition, const char *file, int line);

#define RTS_ASSERT_AT(level, condition)                                                                      \
    ((void)(RTS_ASSERT_LEVEL >= (level) && !(condition)                                                      \
                ? rts_assertion_failed(#condition, __FILE__, __LINE__)                                       \
                : (void)0))
#define RTS_ASSERT(condition)      RTS_ASSERT_AT(1, condition)
#define RTS_ASSERT_SLOW(condition) RTS_ASSERT_AT(2, condition)

#endif
