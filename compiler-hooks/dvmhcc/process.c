/* Running a program with its input from memory and its output into memory. The input goes through an unlinked file, not a pipe:
 * then only one pipe is read and nothing can wait for each other. */
#include <config.h>

#include "compiler-hooks/dvmhcc/process.h"

#include "compiler-hooks/dvmhcc/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t running, beside; /* process ids fit: sig_atomic_t is int */

/* Of the program beside: its name and where it prints, for its end. */
static const char *beside_name, *beside_log;

pid_t dvmhcc_process_running(int which) {
    return which == 0 ? running : beside;
}

static void print_command(const dvmhcc_words_t *words) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+,:@%";
    for (int i = 0; i < words->count; i++) {
        const char *word = words->word[i];
        fputs(i > 0 ? " " : "", stderr);
        if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
            fputs(word, stderr);
            continue;
        }
        putc('\'', stderr);
        for (const char *c = word; *c != '\0'; c++) {
            if (*c == '\'')
                fputs("'\\''", stderr);
            else
                putc(*c, stderr);
        }
        putc('\'', stderr);
    }
    putc('\n', stderr);
    fflush(stderr);
}

/* A file without a name that holds the input, read from its beginning. @return descriptor, -1: told */
static int input_file(const dvmhcc_text_t *input) {
    const char *folder = getenv("TMPDIR");
    dvmhcc_text_t name = {0};
    dvmhcc_text_printf(&name, "%s/dvmhcc.XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
    if (!dvmhcc_text_good(&name)) {
        dvmhcc_text_free(&name);
        return -1;
    }
    const int descriptor = mkstemp(name.data);
    if (descriptor >= 0)
        unlink(name.data);
    bool good = descriptor >= 0;
    for (size_t done = 0; good && done < input->length;) {
        const ssize_t count = write(descriptor, input->data + done, input->length - done);
        good = count >= 0 || errno == EINTR;
        done += count > 0 ? (size_t)count : 0;
    }
    good = good && lseek(descriptor, 0, SEEK_SET) == 0;
    if (!good) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "temporary file '%s': %s", name.data, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
    }
    dvmhcc_text_free(&name);
    return good ? descriptor : -1;
}

/* Read a pipe to its end. @return false  told */
static bool read_all(int descriptor, dvmhcc_text_t *output) {
    char buffer[65536];
    for (;;) {
        const ssize_t count = read(descriptor, buffer, sizeof buffer);
        if (count > 0)
            dvmhcc_text_add(output, buffer, (size_t)count);
        else if (count == 0)
            return dvmhcc_text_good(output);
        else if (errno != EINTR) {
            dvmhcc_report(DVMHCC_ERROR, NULL, "reading the output of a program: %s", strerror(errno));
            return false;
        }
    }
}

/* The new process between fork and exec: only what is allowed there. A failure comes back as errno through the pipe. */
_Noreturn static void become(const dvmhcc_words_t *words, int input, int output, int failure) {
    if ((input < 0 || dup2(input, STDIN_FILENO) >= 0) && (output < 0 || dup2(output, STDOUT_FILENO) >= 0))
        execvp(words->word[0], words->word);
    const int code = errno;
    const ssize_t ignored = write(failure, &code, sizeof code); /* lost: then the exit code alone tells */
    (void)ignored;
    _exit(127);
}

/* Start, read, wait. Descriptors below 0 are not there. @return exit status as of waitpid, -1: told */
static int run(const dvmhcc_words_t *words, int input, dvmhcc_text_t *output) {
    int out[2] = {-1, -1}, failure[2];
    if (pipe(failure) != 0 || (output != NULL && pipe(out) != 0)) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "pipe: %s", strerror(errno));
        return -1;
    }
    fcntl(failure[0], F_SETFD, FD_CLOEXEC);
    fcntl(failure[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    /* A signal between fork and the assignment would leave the child behind. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (output != NULL)
            close(out[0]);
        become(words, input, out[1], failure[1]);
    }
    running = child > 0 ? (sig_atomic_t)child : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(failure[1]);
    if (out[1] >= 0)
        close(out[1]);
    int code = child < 0 ? errno : 0, status = -1;
    bool good = child > 0 && (output == NULL || read_all(out[0], output));
    if (child > 0 && read(failure[0], &code, sizeof code) != sizeof code)
        code = 0;
    close(failure[0]);
    if (out[0] >= 0)
        close(out[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    running = 0;
    if (code != 0) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot run '%s': %s", words->word[0], strerror(code));
        good = false;
    }
    return good ? status : -1;
}

/* @param status  as of waitpid; -1: told */
static bool ended_well(const char *name, int status) {
    if (status != -1 && WIFSIGNALED(status))
        dvmhcc_report(DVMHCC_ERROR, NULL, "'%s' was ended by signal %d (%s)", name, WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool dvmhcc_process_run(const dvmhcc_words_t *words, const dvmhcc_text_t *input, dvmhcc_text_t *output,
                        bool verbose) {
    if (!dvmhcc_words_good(words))
        return false;
    if (verbose)
        print_command(words);
    int descriptor = -1;
    if (input != NULL && (descriptor = input_file(input)) < 0)
        return false;
    const int status = run(words, descriptor, output);
    if (descriptor >= 0)
        close(descriptor);
    return ended_well(words->word[0], status);
}

/* In the new process; the name of a program that is not there is all that can go wrong in it. */
_Noreturn static void become_beside(const dvmhcc_words_t *words, int log) {
    if (dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0)
        execvp(words->word[0], words->word);
    const char *text = strerror(errno);
    const char *const parts[] = {"cannot run '", words->word[0], "': ", text, "\n"};
    for (int i = 0; i < 5; i++) {
        const ssize_t ignored = write(STDERR_FILENO, parts[i], strlen(parts[i]));
        (void)ignored;
    }
    _exit(127);
}

bool dvmhcc_process_start(const dvmhcc_words_t *words, const char *log, bool verbose) {
    if (!dvmhcc_words_good(words))
        return false;
    if (verbose)
        print_command(words);
    const int descriptor = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot write '%s': %s", log, strerror(errno));
        return false;
    }
    fflush(NULL);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        become_beside(words, descriptor);
    }
    beside = child > 0 ? (sig_atomic_t)child : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    const int code = errno;
    close(descriptor);
    if (child < 0)
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot run '%s': %s", words->word[0], strerror(code));
    beside_name = words->word[0];
    beside_log = log;
    return child > 0;
}

bool dvmhcc_process_wait(void) {
    int status = -1, c;
    while (waitpid(beside, &status, 0) < 0 && errno == EINTR) {}
    beside = 0;
    FILE *log = fopen(beside_log, "r");
    while (log != NULL && (c = getc(log)) != EOF)
        putc(c, stderr);
    if (log != NULL)
        fclose(log);
    return ended_well(beside_name, status);
}
