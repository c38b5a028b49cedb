/* Places in preprocessed C. One pass over the characters, no memory. */
#include <config.h>

#include "compiler-hooks/dvmhcc/c_text.h"

#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool dvmhcc_c_in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c > 127;
}

static bool begins_number(const char *text, size_t length, size_t at) {
    const size_t digit = at + (text[at] == '.' ? 1 : 0);
    return digit < length && text[digit] >= '0' && text[digit] <= '9';
}

size_t dvmhcc_c_next(const char *text, size_t length, size_t at) {
    while (at < length) {
        if (text[at] == '#') {
            const char *end = memchr(text + at, '\n', length - at);
            at = end != NULL ? (size_t)(end - text) : length;
        } else if (!is_blank(text[at])) {
            return at;
        } else {
            at++;
        }
    }
    return length;
}

size_t dvmhcc_c_word_end(const char *text, size_t length, size_t at) {
    if (at >= length)
        return length;
    const char first = text[at];
    if (first == '"' || first == '\'') {
        for (at++; at < length && text[at] != first && text[at] != '\n'; at++) {
            if (text[at] == '\\' && at + 1 < length)
                at++;
        }
        return at < length ? at + 1 : length;
    }
    if (begins_number(text, length, at)) {
        for (at++; at < length; at++) {
            const bool exponent_sign =
                (text[at] == '+' || text[at] == '-') && strchr("eEpP", text[at - 1]) != NULL;
            if (!dvmhcc_c_in_name(text[at]) && text[at] != '.' && !exponent_sign)
                break;
        }
        return at;
    }
    if (!dvmhcc_c_in_name(first))
        return at + 1;
    while (at < length && dvmhcc_c_in_name(text[at]))
        at++;
    return at;
}

/* The beginning of the line that holds `at`, not below `from`. */
static size_t line_begin(const char *text, size_t from, size_t at) {
    while (at > from && text[at - 1] != '\n')
        at--;
    return at;
}

size_t dvmhcc_c_before(const char *text, size_t from, size_t at) {
    while (at > from) {
        if (is_blank(text[at - 1])) {
            at--;
            continue;
        }
        const size_t begin = line_begin(text, from, at);
        if (dvmhcc_c_next(text, at, begin) < at)
            return at;
        at = begin; /* the whole line is a marker */
    }
    return from;
}

size_t dvmhcc_c_find(const char *text, size_t end, size_t at, const char *stops) {
    int depth = 0;
    for (at = dvmhcc_c_next(text, end, at); at < end;
         at = dvmhcc_c_next(text, end, dvmhcc_c_word_end(text, end, at))) {
        const char c = text[at];
        if (depth == 0 && strchr(stops, c) != NULL)
            return at;
        if (c == '(' || c == '[' || c == '{')
            depth++;
        if ((c == ')' || c == ']' || c == '}') && --depth < 0)
            return end;
    }
    return end;
}

bool dvmhcc_c_is_name(const char *text, size_t length, size_t at, const char *name) {
    const size_t size = strlen(name);
    return at <= length && length - at >= size && memcmp(text + at, name, size) == 0 &&
           (at + size == length || !dvmhcc_c_in_name(text[at + size]));
}
