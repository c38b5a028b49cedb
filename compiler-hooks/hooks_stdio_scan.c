/* Standard input and output: formatted input. One process scans; what it stored is then given to the
 * others, found by reading the format once more. With one process the format is libc's business alone. */
#include <config.h>

#include "compiler-hooks/hooks_stdio.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "rts/comm.h"

/* A conversion of a format that stores something. */
typedef struct conversion {
    char letter;    /* `n` stores without counting as an item; `[` for sets */
    bool allocates; /* flag m: the argument is where the address of new memory goes */
    size_t width;   /* 0: none given */
    size_t bytes;   /* of the number stored, or of a character of text */
} conversion_t;

static bool is_text(const conversion_t *conversion) {
    return strchr("sc[", conversion->letter) != NULL;
}

/* Bytes of what a conversion stores, by its length modifiers ("", "hh", "h", "l", "ll", ...). */
static size_t stored_bytes(char letter, const char *length, size_t count) {
    const char first = count > 0 ? length[0] : '\0';
    const bool is_twice = count == 2;
    switch (letter) {
    case 'a':
    case 'e':
    case 'f':
    case 'g':
        return first == 'L' ? sizeof(long double) : first == 'l' ? sizeof(double) : sizeof(float);
    case 's':
    case 'c':
    case '[':
        return first == 'l' ? sizeof(wchar_t) : 1;
    case 'p':
        return sizeof(void *);
    default:
        break;
    }
    switch (first) {
    case 'h':
        return is_twice ? sizeof(char) : sizeof(short);
    case 'l':
        return is_twice ? sizeof(long long) : sizeof(long);
    case 'L':
    case 'q':
        return sizeof(long long);
    case 'j':
        return sizeof(intmax_t);
    case 'z':
        return sizeof(size_t);
    case 't':
        return sizeof(ptrdiff_t);
    default:
        return sizeof(int);
    }
}

/* Skip the set behind its opening bracket. @return its last character, `]`, or the end of the format */
static const char *skip_set(const char *place) {
    if (*place == '^')
        place++;
    if (*place == ']')
        place++;
    while (*place != '\0' && *place != ']')
        place++;
    return place;
}

/* The next conversion that stores. @return where to go on; NULL when there is none */
static const char *next_conversion(const char *entry_point, const char *format, conversion_t *conversion_p) {
    for (const char *place = strchr(format, '%'); place != NULL; place = strchr(place, '%')) {
        place++;
        const bool is_skipped = *place == '*';
        place += strspn(place, "*'");
        char *after;
        conversion_p->width = (*place >= '0' && *place <= '9') ? strtoul(place, &after, 10) : 0;
        if (conversion_p->width > 0)
            place = after;
        if (*place == '$')
            hooks_error(entry_point, "numbered arguments (%%1$d) are not supported with several processes");
        conversion_p->allocates = *place == 'm';
        place += conversion_p->allocates;
        const char *const length = place;
        place += strspn(place, "hlLqjzt");
        if (*place == '\0')
            return NULL;
        /* Of letters that mean the same one stands for all; C and S are lc and ls. */
        static const char spelled[] = "AEFGXCS", meant[] = "aefgxcs";
        const char *const variant = strchr(spelled, *place);
        conversion_p->letter = variant != NULL ? meant[variant - spelled] : *place;
        const bool is_wide = *place == 'C' || *place == 'S';
        conversion_p->bytes =
            is_wide ? sizeof(wchar_t) : stored_bytes(conversion_p->letter, length, (size_t)(place - length));
        if (*place == '[')
            place = skip_set(place + 1);
        if (*place != '\0')
            place++;
        if (!is_skipped && conversion_p->letter != '%')
            return place;
    }
    return NULL;
}

/* Bytes of the text at an address, on the process that scanned it. */
static size_t text_bytes(const conversion_t *conversion, const void *text) {
    if (conversion->letter == 'c')
        return (conversion->width > 0 ? conversion->width : 1) * conversion->bytes;
    return conversion->bytes == 1 ? strlen(text) + 1 : (wcslen(text) + 1) * sizeof(wchar_t);
}

static void share_stored(const char *entry_point, const hooks_file_t *file, const conversion_t *conversion,
                         void *argument) {
    const bool is_mine = hooks_file_is_mine(file);
    if (!is_text(conversion)) {
        hooks_file_share_data(entry_point, file, argument, conversion->bytes);
        return;
    }
    void *text = argument;
    if (conversion->allocates && is_mine)
        memcpy(&text, argument, sizeof text);
    const size_t bytes =
        (size_t)hooks_file_share(entry_point, file, is_mine ? (int64_t)text_bytes(conversion, text) : 0);
    if (conversion->allocates && !is_mine) {
        text = malloc(bytes);
        if (text == NULL)
            hooks_error(entry_point, "no memory for a string of %zu bytes", bytes);
        memcpy(argument, &text, sizeof text);
    }
    hooks_file_share_data(entry_point, file, text, bytes);
}

static int scan(const char *entry_point, FILE *handle, const char *format, va_list arguments) {
    hooks_file_t *const file = hooks_file_of(entry_point, handle);
    int items = 0;
    if (hooks_file_is_mine(file)) {
        va_list for_libc;
        va_copy(for_libc, arguments);
        items = vfscanf(file->stream, format, for_libc);
        va_end(for_libc);
    }
    if (file->is_local || rts_comm_size() == 1)
        return items;
    items = (int)hooks_file_share(entry_point, file, items);
    /* A count (%n) behind the last item, or before the first, was stored if the format was matched so far; if not, the value before is
     * shared. */
    int left = items > 0 ? items : 0;
    conversion_t conversion;
    const char *place = format;
    while ((place = next_conversion(entry_point, place, &conversion)) != NULL &&
           (left > 0 || conversion.letter == 'n')) {
        share_stored(entry_point, file, &conversion, va_arg(arguments, void *));
        left -= conversion.letter != 'n';
    }
    return items;
}

HOOKS_API int dvmh_vfscanf(FILE *file, const char *format, va_list arguments) {
    return scan(__func__, file, format, arguments);
}

HOOKS_API void dvmh_void_vfscanf(FILE *file, const char *format, va_list arguments) {
    scan(__func__, file, format, arguments);
}

HOOKS_API int dvmh_vscanf(const char *format, va_list arguments) {
    return scan(__func__, dvmh_stdin, format, arguments);
}

HOOKS_API void dvmh_void_vscanf(const char *format, va_list arguments) {
    scan(__func__, dvmh_stdin, format, arguments);
}

HOOKS_API int dvmh_fscanf(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int items = scan(__func__, file, format, arguments);
    va_end(arguments);
    return items;
}

HOOKS_API void dvmh_void_fscanf(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    scan(__func__, file, format, arguments);
    va_end(arguments);
}

HOOKS_API int dvmh_scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int items = scan(__func__, dvmh_stdin, format, arguments);
    va_end(arguments);
    return items;
}

HOOKS_API void dvmh_void_scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    scan(__func__, dvmh_stdin, format, arguments);
    va_end(arguments);
}
