/* Messages to the user and to developers: levels, destination, format. Does not decide when a program ends. */
#ifndef RTS_LOG_H
#define RTS_LOG_H

#include "rts/status.h"

typedef enum rts_log_level {
    RTS_LOG_FATAL = 0,
    RTS_LOG_ERROR,
    RTS_LOG_WARNING,
    RTS_LOG_INFO,
    RTS_LOG_DEBUG,
    RTS_LOG_TRACE
} rts_log_level_t;

/** Messages above this level are dropped before their arguments are formatted. Set by rts_log_open. */
extern rts_log_level_t rts_log_threshold;

/**
 * Choose level and destination.
 *
 * @param threshold    most detailed level written
 * @param flush_level  messages up to this level are flushed at once
 * @param file         file name, "%d" stands for the rank; NULL or "" means standard error
 * @param fatal_to_stderr  write fatal messages to standard error too when `file` is used
 * @return RTS_OK
 * @return RTS_ERR_IO  the file cannot be created: messages keep going to standard error
 */
rts_status_t rts_log_open(rts_log_level_t threshold, rts_log_level_t flush_level, const char *file,
                          bool fatal_to_stderr, int rank, int rank_count);

/** Whether messages go to a file. */
bool rts_log_has_file(void);

/** Flush and close; later messages go to standard error. Harmless when nothing is open. */
void rts_log_close(void);

/** Where the program is, for messages: stored per process by dvmh_line_C. The pointer must stay valid. */
void rts_position_set(rts_position_t position);
rts_position_t rts_position_get(void);

/** Write one message; use the rts_log macro. Threads: any. One line, one write. */
void rts_log_write(rts_log_level_t level, const char *format, ...) RTS_PRINTF(2, 3);

/** rts_log(RTS_LOG_DEBUG, "loop %d", n): arguments are evaluated only when the level is on. */
#define rts_log(level, ...)                                                                                  \
    do {                                                                                                     \
        if ((level) <= rts_log_threshold)                                                                    \
            rts_log_write(level, __VA_ARGS__);                                                               \
    } while (0)

#endif
