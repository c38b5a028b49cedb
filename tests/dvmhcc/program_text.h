/* Help for tests of the analysis: analyse a small source, and compare what was told, line by line without the lines that are quoted.
 * Single-threaded. */
#ifndef DVMHCC_TEST_PROGRAM_TEXT_H
#define DVMHCC_TEST_PROGRAM_TEXT_H

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/program.h"

#include "tests/dvmhcc/unit_text.h"

/** A source that was analysed; program NULL when it has errors. */
typedef struct analysed {
    parsed_t parsed;
    dvmhcc_program_t *program;
    char messages[20000]; /* line:column: severity: text, a line each */
} analysed_t;

/** Keep the messages about p.c; other lines quote the source. */
static inline void keep_messages(const char *told, char *messages, size_t size) {
    static const char file[] = "p.c:";
    size_t used = 0;
    messages[0] = '\0';
    for (const char *line = told; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, file, strlen(file)) == 0 && used + length < size)
            used += (size_t)snprintf(messages + used, size - used, "%.*s\n", (int)(length - strlen(file)),
                                     line + strlen(file));
        line += length + (line[length] == '\n' ? 1 : 0);
    }
}

/** Analyse a source of the name p.c. @return whether it has no errors */
static inline bool analyse(const char *text, analysed_t *analysed) {
    memset(analysed, 0, sizeof *analysed);
    files_report_begin();
    const bool good = parse_source("p.c", text, &analysed->parsed) &&
                      dvmhcc_program_analyse(analysed->parsed.unit, &analysed->program);
    keep_messages(files_report_end(), analysed->messages, sizeof analysed->messages);
    return good;
}

static inline void analysed_free(analysed_t *analysed) {
    dvmhcc_program_free(analysed->program);
    parse_free(&analysed->parsed);
    analysed->program = NULL;
}

/** A source and all that must be told about it. */
typedef struct message_case {
    const char *name, *source, *messages;
} message_case_t;

static inline void check_messages(const message_case_t *cases, size_t count) {
    static analysed_t analysed;
    for (size_t i = 0; i < count; i++) {
        const bool good = analyse(cases[i].source, &analysed);
        if (!CHECK_EQ_STR(analysed.messages, cases[i].messages))
            fprintf(stderr, "  in: %s\n", cases[i].name);
        CHECK(good == (strstr(analysed.messages, ": error: ") == NULL));
        analysed_free(&analysed);
    }
}

#define CHECK_MESSAGES(cases) check_messages(cases, sizeof cases / sizeof cases[0])

#endif
