/* Standard input and output: operations on open files, value and void forms.
 *
 * All have one shape: check the FILE *, let the process that accesses the file call libc, share the result.
 * The void forms leave the sharing of the result out; data that was read is shared in both. */
#include <config.h>

#include "compiler-hooks/hooks_stdio.h"

#include "rts/comm.h"

/* The I/O process's outcome of `call`, or 0; shared among the processes when `wanted`. */
#define PERFORM(entry_point, file, wanted, call)                                                             \
    do {                                                                                                     \
        int64_t outcome = 0;                                                                                 \
        if (hooks_file_is_mine(file))                                                                        \
            outcome = (call);                                                                                \
        return (wanted) ? hooks_file_share(entry_point, file, outcome) : outcome;                            \
    } while (0)

/* ---- formatted output ---- */

static int64_t print(const char *entry_point, FILE *handle, bool wanted, const char *format,
                     va_list arguments) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    PERFORM(entry_point, file, wanted, vfprintf(file->stream, format, arguments));
}

HOOKS_API int dvmh_vfprintf(FILE *file, const char *format, va_list arguments) {
    return (int)print(__func__, file, true, format, arguments);
}

HOOKS_API void dvmh_void_vfprintf(FILE *file, const char *format, va_list arguments) {
    print(__func__, file, false, format, arguments);
}

HOOKS_API int dvmh_vprintf(const char *format, va_list arguments) {
    return (int)print(__func__, dvmh_stdout, true, format, arguments);
}

HOOKS_API void dvmh_void_vprintf(const char *format, va_list arguments) {
    print(__func__, dvmh_stdout, false, format, arguments);
}

HOOKS_API int dvmh_fprintf(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = (int)print(__func__, file, true, format, arguments);
    va_end(arguments);
    return result;
}

HOOKS_API void dvmh_void_fprintf(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(__func__, file, false, format, arguments);
    va_end(arguments);
}

HOOKS_API int dvmh_printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = (int)print(__func__, dvmh_stdout, true, format, arguments);
    va_end(arguments);
    return result;
}

HOOKS_API void dvmh_void_printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(__func__, dvmh_stdout, false, format, arguments);
    va_end(arguments);
}

/* ---- characters and lines out ---- */

static int64_t put_character(const char *entry_point, int character, FILE *handle, bool wanted) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    PERFORM(entry_point, file, wanted, putc(character, file->stream));
}

static int64_t put_text(const char *entry_point, const char *text, FILE *handle, bool wanted) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    PERFORM(entry_point, file, wanted, fputs(text, file->stream));
}

static int64_t put_line(const char *entry_point, const char *text, bool wanted) {
    hooks_file_t *const file = hooks_file_of(entry_point, dvmh_stdout);
    PERFORM(entry_point, file, wanted, fputs(text, file->stream) < 0 ? EOF : putc('\n', file->stream));
}

HOOKS_API int dvmh_fputc(int character, FILE *file) {
    return (int)put_character(__func__, character, file, true);
}

HOOKS_API void dvmh_void_fputc(int character, FILE *file) {
    put_character(__func__, character, file, false);
}

HOOKS_API int dvmh_putc(int character, FILE *file) {
    return (int)put_character(__func__, character, file, true);
}

HOOKS_API void dvmh_void_putc(int character, FILE *file) {
    put_character(__func__, character, file, false);
}

HOOKS_API int dvmh_putchar(int character) {
    return (int)put_character(__func__, character, dvmh_stdout, true);
}

HOOKS_API void dvmh_void_putchar(int character) {
    put_character(__func__, character, dvmh_stdout, false);
}

HOOKS_API int dvmh_fputs(const char *text, FILE *file) {
    return (int)put_text(__func__, text, file, true);
}

HOOKS_API void dvmh_void_fputs(const char *text, FILE *file) {
    put_text(__func__, text, file, false);
}

HOOKS_API int dvmh_puts(const char *text) {
    return (int)put_line(__func__, text, true);
}

HOOKS_API void dvmh_void_puts(const char *text) {
    put_line(__func__, text, false);
}

/* ---- characters and lines in ---- */

static int64_t get_character(const char *entry_point, FILE *handle) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    PERFORM(entry_point, file, true, getc(file->stream));
}

static int64_t unget(const char *entry_point, int character, FILE *handle, bool wanted) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    PERFORM(entry_point, file, wanted, ungetc(character, file->stream));
}

/* fgets(), and gets() as C99 had it, that also say how many bytes they stored: a line may have zeros in it.
 * @param room  bytes of memory at `line`; 0: as many as it takes */
static size_t get_stored(char *line, size_t room, FILE *stream) {
    size_t count = 0;
    int character = 0;
    flockfile(stream);
    while ((room == 0 || count + 1 < room) && (character = getc_unlocked(stream)) != EOF) {
        if (character == '\n' && room == 0)
            break;
        line[count++] = (char)character;
        if (character == '\n')
            break;
    }
    const bool is_nothing = character == EOF && (count == 0 || ferror_unlocked(stream));
    funlockfile(stream);
    if (is_nothing)
        return 0;
    line[count] = '\0';
    return count + 1;
}

/* Read a line. Whether there was one is needed for the data, so it is always shared. */
static char *get_line(const char *entry_point, char *line, int size, bool is_bounded, FILE *handle) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    size_t bytes = 0;
    if (is_bounded && (file->is_local || rts_comm_size() == 1))
        return fgets(line, size, file->stream);
    if (is_bounded && size < 1)
        return NULL; /* as libc */
    if (hooks_file_is_mine(file))
        bytes = get_stored(line, is_bounded ? (size_t)size : 0, file->stream);
    bytes = (size_t)hooks_file_share(entry_point, file, (int64_t)bytes);
    if (bytes == 0)
        return NULL;
    hooks_file_share_data(entry_point, file, line, bytes);
    return line;
}

HOOKS_API int dvmh_fgetc(FILE *file) {
    return (int)get_character(__func__, file);
}

HOOKS_API int dvmh_getc(FILE *file) {
    return (int)get_character(__func__, file);
}

HOOKS_API int dvmh_getchar(void) {
    return (int)get_character(__func__, dvmh_stdin);
}

HOOKS_API int dvmh_ungetc(int character, FILE *file) {
    return (int)unget(__func__, character, file, true);
}

HOOKS_API void dvmh_void_ungetc(int character, FILE *file) {
    unget(__func__, character, file, false);
}

HOOKS_API char *dvmh_fgets(char *line, int size, FILE *file) {
    return get_line(__func__, line, size, true, file);
}

HOOKS_API void dvmh_void_fgets(char *line, int size, FILE *file) {
    get_line(__func__, line, size, true, file);
}

HOOKS_API char *dvmh_gets(char *line) {
    return get_line(__func__, line, 0, false, dvmh_stdin);
}

HOOKS_API void dvmh_void_gets(char *line) {
    get_line(__func__, line, 0, false, dvmh_stdin);
}

/* ---- blocks ---- */

static size_t read_block(const char *entry_point, void *data, size_t size, size_t count, hooks_file_t *file) {
    if (size == 0 || count == 0)
        return 0;
    if (file->is_local || rts_comm_size() == 1)
        return fread(data, size, count, file->stream);
    size_t bytes = hooks_is_io_process() ? fread(data, 1, size * count, file->stream) : 0;
    bytes = (size_t)hooks_file_share(entry_point, file, (int64_t)bytes);
    hooks_file_share_data(entry_point, file, data,
                          bytes); /* with the part of an item at the end of the file */
    return bytes / size;
}

static int64_t write_block(const char *entry_point, const void *data, size_t size, size_t count, FILE *handle,
                           bool wanted) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    PERFORM(entry_point, file, wanted, (int64_t)fwrite(data, size, count, file->stream));
}

HOOKS_API size_t dvmh_fread(void *data, size_t size, size_t count, FILE *file) {
    return read_block(__func__, data, size, count, hooks_file_of(__func__, file));
}

HOOKS_API void dvmh_void_fread(void *data, size_t size, size_t count, FILE *file) {
    read_block(__func__, data, size, count, hooks_file_of(__func__, file));
}

HOOKS_API size_t dvmh_fwrite(const void *data, size_t size, size_t count, FILE *file) {
    return (size_t)write_block(__func__, data, size, count, file, true);
}

HOOKS_API void dvmh_void_fwrite(const void *data, size_t size, size_t count, FILE *file) {
    write_block(__func__, data, size, count, file, false);
}
