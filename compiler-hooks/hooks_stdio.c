/* Standard input and output: operations on open files, value and void forms.
 *
 * All have one shape: check the FILE *, let the process that accesses the file call libc, share the result.
 * The void forms leave the sharing of the result out; data that was read is shared in both. */
#include <config.h>

#include "compiler-hooks/hooks_stdio.h"

#include <string.h>

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

/* gets() as C99 had it: a line of any length, without its newline. */
static char *get_unbounded(char *line, FILE *stream) {
    char *end = line;
    int character;
    while ((character = getc(stream)) != EOF && character != '\n')
        *end++ = (char)character;
    if (character == EOF && (end == line || ferror(stream)))
        return NULL;
    *end = '\0';
    return line;
}

/* Read a line; size 0: unbounded. Whether there was one is needed for the data, so it is always shared. */
static char *get_line(const char *entry_point, char *line, int size, bool is_bounded, FILE *handle) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    int64_t bytes = 0;
    if (hooks_file_is_mine(file)) {
        const char *got = is_bounded ? fgets(line, size, file->stream) : get_unbounded(line, file->stream);
        bytes = got != NULL ? (int64_t)strlen(line) + 1 : 0;
    }
    bytes = hooks_file_share(entry_point, file, bytes);
    if (bytes == 0)
        return NULL;
    hooks_file_share_data(entry_point, file, line, (size_t)bytes);
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
    size_t items = hooks_file_is_mine(file) ? fread(data, size, count, file->stream) : 0;
    items = (size_t)hooks_file_share(entry_point, file, (int64_t)items);
    hooks_file_share_data(entry_point, file, data, items * size);
    return items;
}

static int64_t write_block(const char *entry_point, const void *data, size_t size, size_t count, FILE *handle,
                           bool wanted) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    PERFORM(entry_point, file, wanted, (int64_t)fwrite(data, size, count, file->stream));
}

/* The storage of an array for a block of size * count bytes, checked. NULL: nothing to do. */
static char *array_data(const char *entry_point, const void *header, bool for_write_to_file, size_t size,
                        size_t count) {
    char *data;
    size_t bytes, element_bytes, wanted;
    if (hooks_array_io_begin(entry_point, header, for_write_to_file, &data, &bytes, &element_bytes) != RTS_OK)
        hooks_end(entry_point);
    if (__builtin_mul_overflow(size, count, &wanted) || wanted > bytes)
        hooks_error(entry_point, "%zu items of %zu bytes are more than the array's %zu bytes", count, size,
                    bytes);
    if (wanted % element_bytes != 0)
        hooks_error(entry_point, "%zu items of %zu bytes are no whole number of elements of %zu bytes", count,
                    size, element_bytes);
    return wanted > 0 ? data : NULL;
}

static size_t read_array(const char *entry_point, DvmType header[], size_t size, size_t count, FILE *handle) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    hooks_need_serial(entry_point); /* also for local files: the array is common */
    char *const data = array_data(entry_point, header, false, size, count);
    return data != NULL ? read_block(entry_point, data, size, count, file) : 0;
}

static size_t write_array(const char *entry_point, const DvmType header[], size_t size, size_t count,
                          FILE *handle, bool wanted) {
    hooks_file_of(entry_point, handle);
    hooks_need_serial(entry_point);
    const char *const data = array_data(entry_point, header, true, size, count);
    return data != NULL ? (size_t)write_block(entry_point, data, size, count, handle, wanted) : 0;
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

HOOKS_API size_t dvmh_fread_distrib(DvmType header[], size_t size, size_t count, FILE *file) {
    return read_array(__func__, header, size, count, file);
}

HOOKS_API void dvmh_void_fread_distrib(DvmType header[], size_t size, size_t count, FILE *file) {
    read_array(__func__, header, size, count, file);
}

HOOKS_API size_t dvmh_fwrite_distrib(const DvmType header[], size_t size, size_t count, FILE *file) {
    return write_array(__func__, header, size, count, file, true);
}

HOOKS_API void dvmh_void_fwrite_distrib(const DvmType header[], size_t size, size_t count, FILE *file) {
    write_array(__func__, header, size, count, file, false);
}
