/* For tests of the directive parser: parse a text whose place is line 1 of a file that does not exist, so that messages come
 * without the line, and keep what was told. */
#ifndef TESTS_DVMHCC_DIRECTIVE_TEXT_H
#define TESTS_DVMHCC_DIRECTIVE_TEXT_H

#include "compiler-hooks/dvmhcc/directive.h"

#include "tests/check.h"

#define DIRECTIVE_FILE "no such file.c"

typedef struct parsed {
    dvmhcc_arena_t arena;
    rts_status_t status;
    const dvmhcc_directive_t *directive;
    char *messages; /* a line each: column: severity: text */
} parsed_t;

static inline void directive_place(void *context, size_t offset, size_t length, dvmhcc_place_t *place_p) {
    const size_t *text_length = context;
    CHECK(offset <= *text_length && length <= *text_length - offset);
    *place_p =
        (dvmhcc_place_t){.file = DIRECTIVE_FILE, .line = 1, .column = (int)offset + 1, .length = (int)length};
}

/* Leave out the file and line that begin every message. */
static inline void strip_places(char *messages) {
    const char *const prefix = DIRECTIVE_FILE ":1:";
    char *to = messages;
    for (const char *from = messages; *from != '\0';) {
        if ((from == messages || from[-1] == '\n') && strncmp(from, prefix, strlen(prefix)) == 0)
            from += strlen(prefix);
        else
            *to++ = *from++;
    }
    *to = '\0';
}

static inline parsed_t parse_bytes(const char *text, size_t length) {
    parsed_t parsed = {.status = RTS_OK};
    size_t size = 0;
    FILE *file = open_memstream(&parsed.messages, &size);
    const dvmhcc_directive_source_t source = {.text = text,
                                              .length = length,
                                              .place = directive_place,
                                              .context = &length};
    if (file == NULL)
        abort();
    dvmhcc_report_to(file);
    parsed.status = dvmhcc_directive_parse(&parsed.arena, &source, &parsed.directive);
    if (parsed.status == RTS_OK)
        CHECK(parsed.directive->faulty == (dvmhcc_error_count() > 0));
    dvmhcc_report_to(NULL);
    fclose(file);
    strip_places(parsed.messages);
    return parsed;
}

static inline parsed_t parse_text(const char *text) {
    return parse_bytes(text, strlen(text));
}

static inline void forget(parsed_t *parsed) {
    dvmhcc_arena_free(&parsed->arena);
    free(parsed->messages);
}

#endif
