/* dvmhrun: start a program on a grid of processes. This file reads the command line and says what is wrong with it; dvmhrun_launch.c
 * knows the launchers of MPI. Whatever runs, runs under them: dvmhrun starts no process on another machine itself. */
#include <config.h>

#include "tools/dvmhrun.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS_MAX 4096

static const char usage[] =
    "usage: dvmhrun [OPTIONS] [N M ...] [OPTIONS] PROGRAM [ARGUMENTS]\n"
    "\n"
    "  N M ...        extents of the grid of processes, first axis first; none: one process\n"
    "  --threads T    threads of each process; else the cores of a machine are shared among its processes\n"
    "  --hosts FILE   machines to run on, one a line: NAME, NAME:SLOTS or NAME slots=SLOTS\n"
    "  -v, --verbose  say what is started, and let the launcher say all it has to say\n"
    "  --version      the version\n"
    "  -h, --help     this text\n";

static void say(const char *format, va_list arguments) {
    fputs("dvmhrun: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void dvmhrun_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void dvmhrun_die(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    exit(code);
}

/* Blocks that live until the end, the newest first. */
typedef struct block {
    struct block *next;
    max_align_t data[];
} block_t;

static block_t *blocks;

void *dvmhrun_allocate(size_t bytes) {
    block_t *const block = malloc(sizeof *block + bytes);
    if (block == NULL)
        dvmhrun_die(1, "no memory for %zu bytes", bytes);
    block->next = blocks;
    blocks = block;
    return block->data;
}

static char *format_text(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        dvmhrun_die(1, "a text is too long");
    char *const text = dvmhrun_allocate((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *dvmhrun_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *const text = format_text(format, arguments);
    va_end(arguments);
    return text;
}

void dvmhrun_add(dvmhrun_words_t *words, const char *format, ...) {
    va_list arguments;
    if (words->count + 2 > words->capacity) {
        words->capacity = 2 * words->capacity + 16;
        char **const grown = dvmhrun_allocate((size_t)words->capacity * sizeof *grown);
        if (words->count > 0)
            memcpy(grown, words->word, (size_t)words->count * sizeof *grown);
        words->word = grown;
    }
    va_start(arguments, format);
    words->word[words->count++] = format_text(format, arguments);
    va_end(arguments);
    words->word[words->count] = NULL;
}

static bool is_program(const char *path, bool *exists_p) {
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    const bool runs = S_ISREG(status.st_mode) && access(path, X_OK) == 0;
    *exists_p = *exists_p || !runs;
    return runs;
}

char *dvmhrun_find(const char *name, bool *exists_p) {
    *exists_p = false;
    if (strchr(name, '/') != NULL)
        return is_program(name, exists_p) ? dvmhrun_text("%s", name) : NULL;
    const char *folder = *name != '\0' ? getenv("PATH") : NULL;
    while (folder != NULL) {
        const char *const end = strchrnul(folder, ':');
        const bool is_named = end > folder; /* an empty entry is the folder at hand */
        char *const path =
            dvmhrun_text("%.*s/%s", is_named ? (int)(end - folder) : 1, is_named ? folder : ".", name);
        if (is_program(path, exists_p))
            return path;
        folder = *end == ':' ? end + 1 : NULL;
    }
    return NULL;
}

/* Digits, maybe with a sign: meant as a number, whatever its value. */
static bool is_number(const char *text) {
    text += *text == '-' || *text == '+';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* @param what  begins the message */
static int read_number(const char *text, const char *what, int max) {
    errno = 0;
    const long value = is_number(text) ? strtol(text, NULL, 10) : 0;
    if (value < 1 || value > max || errno != 0)
        dvmhrun_die(DVMHRUN_WRONG_USE, "%s '%s'; allowed: a whole number 1..%d", what, text, max);
    return (int)value;
}

static void add_axis(dvmhrun_request_t *request, const char *text) {
    if (request->axis_count == DVMHRUN_AXES_MAX)
        dvmhrun_die(DVMHRUN_WRONG_USE, "more than %d extents of the grid of processes; allowed: at most %d",
                    DVMHRUN_AXES_MAX, DVMHRUN_AXES_MAX);
    const int extent = read_number(text, "extent of the grid of processes", DVMHRUN_PROCESSES_MAX);
    if (extent > DVMHRUN_PROCESSES_MAX / request->process_count)
        dvmhrun_die(DVMHRUN_WRONG_USE,
                    "the grid of processes has more than %d processes; allowed: at most that",
                    DVMHRUN_PROCESSES_MAX);
    request->grid[request->axis_count++] = extent;
    request->process_count *= extent;
}

/* The value of an option, from `--name=value` or the next word. */
static const char *option_value(char ***word_p, const char *name) {
    const size_t length = strlen(name);
    const char *value = **word_p + length;
    if (*value == '=')
        return value + 1;
    value = (*word_p)[1];
    if (value == NULL)
        dvmhrun_die(DVMHRUN_WRONG_USE, "%s needs a value", name);
    ++*word_p;
    return value;
}

static bool is_option(const char *word, const char *name) {
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

static _Noreturn void print_and_end(const char *text) {
    fputs(text, stdout);
    exit(fflush(stdout) == 0 ? 0 : 1);
}

/* One option. @return false when the word is none */
static bool read_option(dvmhrun_request_t *request, char ***word_p) {
    const char *const word = **word_p;
    if (word[0] != '-' || word[1] == '\0' || is_number(word))
        return false;
    if (is_option(word, "--threads"))
        request->threads = read_number(option_value(word_p, "--threads"), "--threads", THREADS_MAX);
    else if (is_option(word, "--hosts"))
        request->hosts = option_value(word_p, "--hosts");
    else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0)
        request->is_verbose = true;
    else if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        print_and_end(usage);
    else if (strcmp(word, "--version") == 0)
        print_and_end("dvmhrun (dvmh-rts) " PACKAGE_VERSION "\n");
    else
        dvmhrun_die(DVMHRUN_WRONG_USE, "'%s' is no option of it; dvmhrun --help lists them", word);
    return true;
}

static dvmhrun_request_t read_request(char **argv) {
    dvmhrun_request_t request = {.process_count = 1};
    char **word = argv + 1;
    for (; *word != NULL && strcmp(*word, "--") != 0; word++) {
        if (read_option(&request, &word))
            continue;
        if (!is_number(*word))
            break;
        add_axis(&request, *word);
    }
    request.program = word + (*word != NULL && strcmp(*word, "--") == 0);
    if (*request.program == NULL) {
        fputs(usage, stderr);
        dvmhrun_die(DVMHRUN_WRONG_USE, "no program is given");
    }
    return request;
}

/* On other machines it may be another one: the launcher says so then. */
static void check_program(const dvmhrun_request_t *request) {
    const char *const name = *request->program;
    bool exists, is_here = false;
    if (request->hosts != NULL || dvmhrun_find(name, &exists) != NULL)
        return;
    if (exists)
        dvmhrun_die(DVMHRUN_CANNOT_RUN, "'%s' cannot be run: it is no file, or you may not execute it", name);
    if (strchr(name, '/') == NULL && is_program(name, &is_here))
        dvmhrun_die(DVMHRUN_NOT_FOUND, "there is no program '%s' in PATH, but one in this folder: ./%s", name,
                    name);
    const bool like_number =
        isdigit((unsigned char)name[0]) || (name[0] == 'x' && isdigit((unsigned char)name[1]));
    dvmhrun_die(DVMHRUN_NOT_FOUND, "there is no program '%s'%s%s", name,
                strchr(name, '/') == NULL ? " in PATH" : "",
                like_number
                    ? "; numbers of processes are whole, with blanks between them: dvmhrun 2 3 PROGRAM"
                    : "");
}

static void set_variable(const char *name, const char *value) {
    if (setenv(name, value, 1) != 0)
        dvmhrun_die(1, "%s cannot be set: %s", name, strerror(errno));
}

static void set_environment(const dvmhrun_request_t *request) {
    char text[16 * DVMHRUN_AXES_MAX] = "1";
    for (int axis = 0, length = 0; axis < request->axis_count; axis++)
        length += snprintf(text + length, sizeof text - (size_t)length, axis > 0 ? " %d" : "%d",
                           request->grid[axis]);
    set_variable("DVMH_PROC_GRID", text);
    if (request->threads > 0) {
        snprintf(text, sizeof text, "%d", request->threads);
        set_variable("DVMH_NUM_THREADS", text);
    }
}

int main(int argc, char **argv) {
    (void)argc;
    const dvmhrun_request_t request = read_request(argv);
    check_program(&request);
    set_environment(&request);
    return dvmhrun_launch(&request);
}
