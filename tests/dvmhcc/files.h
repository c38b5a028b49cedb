/* Help for tests of dvmhcc: a scratch folder that is the current one, small files, command lines in one string, and what was
 * reported. Single-threaded. */
#ifndef DVMHCC_TEST_FILES_H
#define DVMHCC_TEST_FILES_H

#include "compiler-hooks/dvmhcc/command.h"
#include "compiler-hooks/dvmhcc/diagnostic.h"

#include "tests/check.h"

#include <unistd.h>

static char files_folder[] = "test_dvmhcc.XXXXXX";
static char *files_reported; /* of files_report_begin; with its size */
static size_t files_reported_size;
static FILE *files_report;

/** Go to a new folder. */
static inline void files_enter(void) {
    if (mkdtemp(files_folder) == NULL || chdir(files_folder) != 0)
        check_skip("no folder for files");
}

/** Leave it, and remove it with what is in it. */
static inline void files_leave(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", files_folder);
    CHECK(chdir("..") == 0 && system(command) == 0);
}

static inline void files_write_bytes(const char *name, const char *bytes, size_t length) {
    FILE *file = fopen(name, "wb");
    if (CHECK(file != NULL)) {
        CHECK_EQ_INT(fwrite(bytes, 1, length, file), length);
        CHECK(fclose(file) == 0);
    }
}

static inline void files_write(const char *name, const char *text) {
    files_write_bytes(name, text, strlen(text));
}

/** From now on messages are kept, and errors count from 0. */
static inline void files_report_begin(void) {
    files_report = open_memstream(&files_reported, &files_reported_size);
    if (files_report == NULL)
        check_skip("no memory for messages");
    dvmhcc_report_to(files_report);
}

/** What was reported since; lives until the next call of files_report_begin or _end. */
static inline const char *files_report_end(void) {
    static char *last;
    fclose(files_report);
    dvmhcc_report_to(NULL);
    free(last);
    last = files_reported;
    files_reported = NULL;
    return last;
}

/** Read a command line whose words single blanks separate. @return what dvmhcc_command_parse does */
static inline bool files_command(const char *line, dvmhcc_command_t *command) {
    char copy[1024], *words[64] = {(char *)(uintptr_t) "dvmhcc"};
    int count = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL && count < 63; word = strtok(NULL, " "))
        words[count++] = word;
    return dvmhcc_command_parse(count, words, command);
}

#endif
