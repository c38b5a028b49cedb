#include "examples/bfs/text.h"
#include "examples/bfs/support.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words are shown in messages up to so many characters. */
#define SHOWN_MAX 40

/* So much room is made first: all that a file needs, or a guess for what has no size, such as a pipe. */
static size_t first_room(FILE *file) {
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;

    rewind(file);
    return end > 0 && end < LONG_MAX ? (size_t)end : 1 << 16; /* a folder has the greatest size */
}

void bfs_text_open(const char *path, bfs_text_t *text_p) {
    FILE *file = fopen(path, "rb");
    size_t room, size = 0;
    char *begin;
    int next;

    if (file == NULL)
        bfs_refuse("%s: %s", path, strerror(errno));
    room = first_room(file);
    begin = bfs_allocate((int64_t)room, 1, path);
    for (;;) {
        char *larger;

        size += fread(begin + size, 1, room - size, file);
        next = size == room ? fgetc(file) : EOF;
        if (next == EOF)
            break;
        larger = bfs_allocate(2 * (int64_t)room, 1, path);
        memcpy(larger, begin, size);
        bfs_release(begin);
        begin = larger;
        begin[size++] = (char)next;
        room *= 2;
    }
    if (ferror(file))
        bfs_refuse("%s: %s", path, strerror(errno));
    fclose(file);
    *text_p = (bfs_text_t){.path = path, .begin = begin, .at = begin, .end = begin + size, .line = 1};
}

void bfs_text_close(bfs_text_t *text) {
    bfs_release(text->begin);
    text->begin = NULL;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_word(const bfs_text_t *text, const char *at) {
    return at < text->end && *at != '\n' && !is_blank(*at);
}

_Noreturn void bfs_text_refuse(const bfs_text_t *text, const char *allowed) {
    char shown[SHOWN_MAX + 1];
    int length = 0;

    while (length < SHOWN_MAX && is_word(text, text->at + length)) {
        const char c = text->at[length];

        shown[length++] = c > ' ' && c < 127 ? c : '?';
    }
    shown[length] = '\0';
    if (length > 0)
        bfs_refuse("%s:%lld: '%s' given; allowed: %s", text->path, (long long)text->line, shown, allowed);
    bfs_refuse("%s:%lld: the %s ends here; allowed: %s", text->path, (long long)text->line,
               text->at == text->end ? "file" : "line", allowed);
}

bool bfs_text_has_word(bfs_text_t *text) {
    while (text->at < text->end && is_blank(*text->at))
        text->at++;
    return is_word(text, text->at);
}

bool bfs_text_next_line(bfs_text_t *text) {
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));

    if (end == NULL || end + 1 == text->end) {
        text->at = text->end;
        return false;
    }
    text->at = end + 1;
    text->line++;
    return true;
}

bool bfs_text_find_line(bfs_text_t *text, const char *comments) {
    while (text->at < text->end) {
        if (bfs_text_has_word(text) && strchr(comments, *text->at) == NULL)
            return true;
        if (!bfs_text_next_line(text))
            return false;
    }
    return false;
}

bool bfs_text_try_number(bfs_text_t *text, int64_t *value_p) {
    const char *at;
    int64_t value = 0;

    if (!bfs_text_has_word(text))
        return false;
    for (at = text->at; is_word(text, at); at++) {
        const int digit = *at - '0';

        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    text->at = at;
    *value_p = value;
    return true;
}

int64_t bfs_text_number(bfs_text_t *text, int64_t lowest, int64_t highest, const char *what) {
    const bool has_word = bfs_text_has_word(text);
    const char *const word = text->at;
    char allowed[160];
    int64_t value;

    if (has_word && bfs_text_try_number(text, &value) && value >= lowest && value <= highest)
        return value;
    text->at = word;
    snprintf(allowed, sizeof allowed, "%s, a whole number %lld..%lld", what, (long long)lowest,
             (long long)highest);
    bfs_text_refuse(text, allowed);
}

void bfs_text_skip_number(bfs_text_t *text, const char *what) {
    char word[64], *end;
    size_t length = 0;

    while (bfs_text_has_word(text) && is_word(text, text->at + length) && length < sizeof word - 1) {
        word[length] = text->at[length];
        length++;
    }
    word[length] = '\0';
    (void)strtod(word, &end);
    if (length == 0 || end != word + length || is_word(text, text->at + length))
        bfs_text_refuse(text, what);
    text->at += length;
}

bool bfs_text_take(bfs_text_t *text, const char *word) {
    const char *at;

    (void)bfs_text_has_word(text);
    at = text->at;
    for (; *word != '\0'; word++, at++) {
        if (!is_word(text, at))
            return false;
        if ((*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at) != *word)
            return false;
    }
    if (is_word(text, at))
        return false;
    text->at = at;
    return true;
}

void bfs_text_end_line(bfs_text_t *text, const char *allowed) {
    if (bfs_text_has_word(text))
        bfs_text_refuse(text, allowed);
}

int64_t bfs_text_count_lines(const bfs_text_t *text, const char *comments) {
    bfs_text_t rest = *text;
    int64_t count = 0;

    while (bfs_text_find_line(&rest, comments)) {
        count++;
        if (!bfs_text_next_line(&rest))
            break;
    }
    return count;
}
