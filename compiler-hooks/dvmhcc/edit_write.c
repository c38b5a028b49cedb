/* Writing an edited text with line markers, so that a compiler's messages about the result name the user's lines. A line of the
 * result belongs to the line of the first byte of the original on it that is not blank. */
#include <config.h>

#include "compiler-hooks/dvmhcc/edit_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A position in the segments, and what the compiler takes the line being written for. */
typedef struct writer {
    const dvmhcc_edit_t *edit;
    size_t segment, at; /* bytes into it */
    const char *file;   /* NULL: not known yet */
    int line;
} writer_t;

/* The bytes of a segment from `at` on, up to and with its first newline. */
static const char *part(const writer_t *w, size_t segment, size_t at, size_t *length_p) {
    const dvmhcc_segment_t *s = &w->edit->segments[segment];
    const char *bytes = (s->text != NULL ? s->text : w->edit->original + s->offset) + at;
    const size_t length = s->length - at;
    const char *newline = memchr(bytes, '\n', length);
    *length_p = newline != NULL ? (size_t)(newline - bytes) + 1 : length;
    return bytes;
}

/* Find the first byte of the original on the line that is not blank. @return false  it has none */
static bool first_original(const writer_t *w, size_t *offset_p) {
    size_t at = w->at, length;
    for (size_t segment = w->segment; segment < w->edit->segment_count; segment++, at = 0) {
        const char *bytes = part(w, segment, at, &length);
        for (size_t i = 0; w->edit->segments[segment].text == NULL && i < length; i++) {
            if (!isspace((unsigned char)bytes[i])) {
                *offset_p = w->edit->segments[segment].offset + at + i;
                return true;
            }
        }
        if (length > 0 && bytes[length - 1] == '\n')
            break;
    }
    return false;
}

/* A line marker, which the compiler will follow. Where one of new text leads is not read: the next line gets another. */
static bool read_marker(writer_t *w) {
    const dvmhcc_segment_t *segment = &w->edit->segments[w->segment];
    size_t length;
    const char *bytes = part(w, w->segment, w->at, &length);
    if (length < 4 || memcmp(bytes, "# ", 2) != 0 || !isdigit((unsigned char)bytes[2]))
        return false;
    w->line = (int)strtol(bytes + 2, NULL, 10) - 1; /* the end of this line counts one up */
    w->file = segment->text != NULL ? NULL : w->edit->place(w->edit->context, segment->offset + w->at).file;
    return true;
}

static void write_marker(writer_t *w, size_t offset, dvmhcc_text_t *result) {
    const dvmhcc_place_t place = w->edit->place(w->edit->context, offset);
    if (place.file == NULL || (w->file != NULL && place.line == w->line && strcmp(place.file, w->file) == 0))
        return;
    dvmhcc_text_add_marker(result, place.line, place.file, false);
    w->file = place.file;
    w->line = place.line;
}

/* Copy up to and with the next newline. */
static void write_line(writer_t *w, dvmhcc_text_t *result) {
    bool ended = false;
    while (!ended && w->segment < w->edit->segment_count) {
        size_t length;
        const char *bytes = part(w, w->segment, w->at, &length);
        dvmhcc_text_add(result, bytes, length);
        ended = length > 0 && bytes[length - 1] == '\n';
        w->at += length;
        if (w->at == w->edit->segments[w->segment].length) {
            w->segment++;
            w->at = 0;
        }
    }
    w->line++;
}

bool dvmhcc_edit_write(const dvmhcc_edit_t *edit, dvmhcc_text_t *result) {
    writer_t w = {.edit = edit};
    size_t offset;
    while (w.segment < edit->segment_count) {
        if (edit->place != NULL && !read_marker(&w) && first_original(&w, &offset))
            write_marker(&w, offset, result);
        write_line(&w, result);
    }
    return dvmhcc_text_good(result);
}
