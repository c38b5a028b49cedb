/* Where messages go and what a line looks like. Decides format, flushing and the fallback to standard error;
 * not which messages exist, nor when a program ends.
 *
 * Every line leaves by one fwrite, so that lines of threads do not mix, nor those of processes on an
 * unbuffered standard error. */
#include <config.h>

#include "rts/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE 2048 /* longest line, rank and newline included */
#define NAME_SIZE 4096

rts_log_level_t rts_log_threshold = RTS_LOG_WARNING;

static const char *const level_names[] = {"fatal", "error", "warning", "info", "debug", "trace"};

/* What rts_log_open chose, under the lock. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_stream; /* NULL: standard error */
static rts_log_level_t log_flush_level = RTS_LOG_FATAL;
static bool log_fatal_to_stderr = true;
static int log_rank;
static int log_rank_count = 1;

/* Two atomics and no lock, because dvmh_line_C precedes every directive. A reader in another thread may see
 * the file of one directive with the line of its neighbour, which a message can bear. */
static _Atomic(const char *) position_file;
static atomic_int position_line;

/* Put the rank where the name says "%d". The name is the user's, so it never becomes a printf format. */
static bool expand_name(const char *name, int rank, char *text_p, size_t size) {
    size_t used = 0;
    while (*name != '\0') {
        char piece[16] = {*name, '\0'};
        if (name[0] == '%' && name[1] == 'd') {
            snprintf(piece, sizeof piece, "%d", rank);
            name++;
        }
        name++;
        const size_t length = strlen(piece);
        if (used + length >= size)
            return false;
        memcpy(text_p + used, piece, length);
        used += length;
    }
    text_p[used] = '\0';
    return true;
}

bool rts_log_has_file(void) {
    pthread_mutex_lock(&log_lock);
    const bool has_file = log_stream != NULL;
    pthread_mutex_unlock(&log_lock);
    return has_file;
}

static void close_locked(void) {
    if (log_stream != NULL && fclose(log_stream) != 0)
        fprintf(stderr, "dvmh: warning: the end of the log file could not be written: %s\n", strerror(errno));
    log_stream = NULL;
}

static rts_status_t open_locked(const char *file, int rank, int rank_count) {
    char name[NAME_SIZE];
    if (!expand_name(file, rank, name, sizeof name))
        return rts_fail(RTS_ERR_IO, "the log file's name is longer than %d characters", NAME_SIZE - 1);
    /* Processes that share one file append whole lines; otherwise each would cut off what the others wrote.
     */
    const bool shared = rank_count > 1 && strstr(file, "%d") == NULL;
    FILE *stream = fopen(name, shared ? "ae" : "we");
    if (stream == NULL)
        return rts_fail(RTS_ERR_IO, "the log file '%.200s' cannot be created: %s", name, strerror(errno));
    if (shared)
        setvbuf(stream, NULL, _IOLBF, 2 * LINE_SIZE);
    log_stream = stream;
    return RTS_OK;
}

rts_status_t rts_log_open(rts_log_level_t threshold, rts_log_level_t flush_level, const char *file,
                          bool fatal_to_stderr, int rank, int rank_count) {
    pthread_mutex_lock(&log_lock);
    close_locked();
    rts_log_threshold = threshold;
    log_flush_level = flush_level;
    log_fatal_to_stderr = fatal_to_stderr;
    log_rank = rank;
    log_rank_count = rank_count;
    const rts_status_t status =
        file != NULL && file[0] != '\0' ? open_locked(file, rank, rank_count) : RTS_OK;
    pthread_mutex_unlock(&log_lock);
    return status;
}

void rts_log_close(void) {
    pthread_mutex_lock(&log_lock);
    close_locked();
    pthread_mutex_unlock(&log_lock);
}

void rts_position_set(rts_position_t position) {
    atomic_store_explicit(&position_file, position.file, memory_order_relaxed);
    atomic_store_explicit(&position_line, position.line, memory_order_relaxed);
}

rts_position_t rts_position_get(void) {
    return (rts_position_t){.file = atomic_load_explicit(&position_file, memory_order_relaxed),
                            .line = atomic_load_explicit(&position_line, memory_order_relaxed)};
}

/* "dvmh: level: text [rank R]\n" in line[LINE_SIZE]; too long a text is cut and ends with "...". Control
 * characters become '?': a message is one line whatever the user's values in it hold. @return length */
static size_t format_line(char *line, rts_log_level_t level, const char *format, va_list arguments) {
    char tail[32] = "\n";
    if (log_rank_count > 1)
        snprintf(tail, sizeof tail, " [rank %d]\n", log_rank);
    const size_t room = LINE_SIZE - strlen(tail); /* text and its terminator, which the tail overwrites */
    const int head = snprintf(line, room, "dvmh: %s: ", level_names[level]);
    const int text = vsnprintf(line + head, room - (size_t)head, format, arguments);
    size_t length = (size_t)head + (text > 0 ? (size_t)text : 0);
    if (length >= room) {
        length = room - 1;
        memcpy(line + length - 3, "...", 3);
    }
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == '\x7f')
            line[i] = '?';
    memcpy(line + length, tail, strlen(tail));
    return length + strlen(tail);
}

static bool write_line(FILE *stream, const char *line, size_t length, bool flush) {
    return fwrite(line, 1, length, stream) == length && (!flush || fflush(stream) == 0);
}

void rts_log_write(rts_log_level_t level, const char *format, ...) {
    char line[LINE_SIZE];
    va_list arguments;
    RTS_ASSERT(level >= RTS_LOG_FATAL && level <= RTS_LOG_TRACE);
    pthread_mutex_lock(&log_lock);
    va_start(arguments, format);
    const size_t length = format_line(line, level, format, arguments);
    va_end(arguments);
    bool to_stderr = log_stream == NULL || (level == RTS_LOG_FATAL && log_fatal_to_stderr);
    if (log_stream != NULL && !write_line(log_stream, line, length, level <= log_flush_level))
        to_stderr = true; /* the disk is full, say: the message must not be lost */
    if (to_stderr)
        (void)write_line(stderr, line, length, true); /* nowhere left to complain to */
    pthread_mutex_unlock(&log_lock);
}
