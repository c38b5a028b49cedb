/* For tests of the library as programs see it: each case is a process of its own, because entry points end
 * the program when something is wrong, and because the library starts once a process. The parent never
 * calls the library. */
#ifndef TESTS_ABI_CHILD_H
#define TESTS_ABI_CHILD_H

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dvmhlib2.h>

#include "tests/check.h"

/** Source position that every child gives, and messages must show. */
#define CHILD_FILE "case.c"
#define CHILD_LINE 41

/** Start the library as generated code does, without MPI. */
static inline void child_init(void) {
    static char name[] = "child";
    static char *arguments[] = {name, NULL};
    char **argv = arguments;
    int argc = 1;
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmh_init_C(INITFLAG_SEQUENTIAL, &argc, &argv);
}

/** End it; the checks that failed become the exit code. */
static inline void child_exit(void) {
    dvmh_exit_C(check_finish());
}

static inline void child_redirect(const char *file, int descriptor, int flags) {
    if (file == NULL)
        return;
    const int opened = open(file, flags, 0666);
    if (opened < 0 || dup2(opened, descriptor) < 0)
        _exit(99);
    close(opened);
}

/** The whole text of a file, cut at 64 KiB; "" when there is none. Valid until the next call. */
static inline const char *child_text(const char *file) {
    static char text[65536];
    size_t length = 0;
    FILE *const stream = fopen(file, "r");
    if (stream != NULL) {
        length = fread(text, 1, sizeof text - 1, stream);
        fclose(stream);
    }
    text[length] = '\0';
    return text;
}

/**
 * Run a function in a child process.
 * @param input, output, errors  files for its standard files; NULL: as the parent's
 * @return exit code, or 1000 + signal
 */
static inline int child_run(void (*body)(void), const char *input, const char *output, const char *errors) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        atomic_store(&check_failures, 0); /* the parent's are its own */
        child_redirect(input, STDIN_FILENO, O_RDONLY);
        child_redirect(output, STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
        child_redirect(errors, STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
        body();
        exit(check_finish());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/**
 * A child that must end with an error: exit code 1 and one line that names the entry point, says `part`,
 * and shows the source position unless the child gave none.
 */
static inline void child_expect_error(void (*body)(void), const char *entry_point, const char *part,
                                      bool has_position) {
    char start[256];
    snprintf(start, sizeof start, "*** RTS err: %s: ", entry_point);
    const int code = child_run(body, NULL, NULL, "errors");
    const char *const text = child_text("errors");
    const int failures = atomic_load(&check_failures);
    CHECK_EQ_INT(code, 1);
    CHECK(strncmp(text, start, strlen(start)) == 0);
    CHECK_CONTAINS(text, part);
    CHECK(strchr(text, '\n') == text + strlen(text) - 1);
    CHECK((strstr(text, " [case.c:41]\n") != NULL) == has_position);
    if (atomic_load(&check_failures) != failures)
        fprintf(stderr, "  in the case of %s, which printed: %s\n", entry_point, text);
}

/** Work in a new folder, so that tests may run side by side; the second call removes it. */
static inline void child_folder(bool is_start) {
    static char folder[] = "test_abi_XXXXXX";
    if (is_start) {
        if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
            perror(folder);
            exit(99);
        }
        return;
    }
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (chdir("..") != 0 || system(command) != 0)
        perror(folder);
}

#endif
