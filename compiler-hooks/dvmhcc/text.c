/* Growing text and lists of words. */
#include <config.h>

#include "compiler-hooks/dvmhcc/text.h"

#include "compiler-hooks/dvmhcc/diagnostic.h"
#include "rts/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#define FIRST_CAPACITY 256

bool dvmhcc_no_memory(void) {
    dvmhcc_report(DVMHCC_ERROR, NULL, "out of memory");
    return false;
}

bool dvmhcc_grow(void **array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity > 0 ? 2 * *capacity : 16;
    if (wanted > SIZE_MAX / size)
        return dvmhcc_no_memory();
    void *grown = rts_realloc(*array, count * size, wanted * size);
    if (grown == NULL)
        return dvmhcc_no_memory();
    *array = grown;
    *capacity = wanted;
    return true;
}

/* ---- text */

/* Room for more bytes and the final NUL. */
static bool reserve(dvmhcc_text_t *text, size_t more) {
    if (text->failed)
        return false;
    if (more < text->capacity - text->length)
        return true;
    size_t wanted = text->capacity > 0 ? text->capacity : FIRST_CAPACITY;
    while (wanted - text->length <= more) {
        if (wanted > SIZE_MAX / 2) {
            text->failed = true;
            return false;
        }
        wanted *= 2;
    }
    char *grown = rts_realloc(text->data, text->length, wanted);
    if (grown == NULL) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = wanted;
    return true;
}

void dvmhcc_text_add(dvmhcc_text_t *text, const char *bytes, size_t length) {
    if (!reserve(text, length))
        return;
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void dvmhcc_text_add_string(dvmhcc_text_t *text, const char *string) {
    dvmhcc_text_add(text, string, strlen(string));
}

static void add_formatted(dvmhcc_text_t *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!reserve(text, (size_t)length))
        return;
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void dvmhcc_text_printf(dvmhcc_text_t *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_formatted(text, format, arguments);
    va_end(arguments);
}

bool dvmhcc_text_read(dvmhcc_text_t *text, FILE *file) {
    char buffer[16384];
    size_t length;
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
        dvmhcc_text_add(text, buffer, length);
    return !ferror(file) && !text->failed;
}

void dvmhcc_text_add_marker(dvmhcc_text_t *text, int line, const char *file, bool system) {
    dvmhcc_text_printf(text, "# %d \"", line);
    for (const char *c = file; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            dvmhcc_text_add(text, "\\", 1);
        if (*c == '\n')
            dvmhcc_text_add_string(text, "\\012");
        else
            dvmhcc_text_add(text, c, 1);
    }
    dvmhcc_text_add_string(text, system ? "\" 3\n" : "\"\n");
}

const char *dvmhcc_text_string(const dvmhcc_text_t *text) {
    return text->data != NULL ? text->data : "";
}

bool dvmhcc_text_good(const dvmhcc_text_t *text) {
    return !text->failed || dvmhcc_no_memory();
}

void dvmhcc_text_free(dvmhcc_text_t *text) {
    rts_free(text->data);
    *text = (dvmhcc_text_t){0};
}

/* ---- words */

/* Append a word that the list then owns. */
static void add_owned(dvmhcc_words_t *words, char *word) {
    if (word == NULL)
        words->failed = true;
    if (words->failed) {
        rts_free(word);
        return;
    }
    if (words->count + 1 >= words->capacity) {
        const size_t wanted = words->capacity > 0 ? 2 * (size_t)words->capacity : 16;
        const size_t size = sizeof *words->word;
        char **grown = rts_realloc(words->word, (size_t)words->count * size, wanted * size);
        if (grown == NULL) {
            words->failed = true;
            rts_free(word);
            return;
        }
        words->word = grown;
        words->capacity = (int)wanted;
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

void dvmhcc_words_add(dvmhcc_words_t *words, const char *word) {
    add_owned(words, rts_strdup(word));
}

void dvmhcc_words_printf(dvmhcc_words_t *words, const char *format, ...) {
    dvmhcc_text_t text = {0};
    va_list arguments;
    va_start(arguments, format);
    add_formatted(&text, format, arguments);
    va_end(arguments);
    if (text.failed) {
        words->failed = true;
        dvmhcc_text_free(&text);
    } else {
        add_owned(words, text.data);
    }
}

void dvmhcc_words_add_all(dvmhcc_words_t *words, const dvmhcc_words_t *more) {
    for (int i = 0; i < more->count; i++)
        dvmhcc_words_add(words, more->word[i]);
    words->failed |= more->failed;
}

void dvmhcc_words_split(dvmhcc_words_t *words, const char *string) {
    static const char blanks[] = " \t\r\n";
    string += strspn(string, blanks);
    while (*string != '\0') {
        const size_t length = strcspn(string, blanks);
        dvmhcc_words_printf(words, "%.*s", (int)length, string);
        string += length;
        string += strspn(string, blanks);
    }
}

bool dvmhcc_words_good(const dvmhcc_words_t *words) {
    return !words->failed || dvmhcc_no_memory();
}

void dvmhcc_words_free(dvmhcc_words_t *words) {
    for (int i = 0; i < words->count; i++)
        rts_free(words->word[i]);
    rts_free(words->word);
    *words = (dvmhcc_words_t){0};
}
