/* Shared by the files of dvmhrun: what the user asks for, and the lists of words that commands are made of. */
#ifndef TOOLS_DVMHRUN_H
#define TOOLS_DVMHRUN_H

#include <stdbool.h>
#include <stddef.h>

/** Axes of a process grid, and processes, that dvmhrun takes. */
#define DVMHRUN_AXES_MAX      8
#define DVMHRUN_PROCESSES_MAX 1000000

/** Exit codes of dvmhrun's own: wrong use; a program that is there but cannot run; one that is not there. As shells have them. */
#define DVMHRUN_WRONG_USE  2
#define DVMHRUN_CANNOT_RUN 126
#define DVMHRUN_NOT_FOUND  127

/** What the command line says. */
typedef struct dvmhrun_request {
    int grid[DVMHRUN_AXES_MAX];
    int axis_count;    /* 0: one process */
    int process_count; /* product of the grid */
    int threads;       /* of a process; 0: the runtime's choice */
    const char *hosts; /* name of the file; NULL: this machine */
    bool is_verbose;
    char **program; /* with its arguments; terminated by NULL */
} dvmhrun_request_t;

/** Memory, and a formatted text, that live until the program ends, which is short. End it when there is none. */
void *dvmhrun_allocate(size_t bytes);
char *dvmhrun_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Words, terminated by NULL once there is one. Grows. */
typedef struct dvmhrun_words {
    char **word;
    int count, capacity;
} dvmhrun_words_t;

/** Add a formatted word. */
void dvmhrun_add(dvmhrun_words_t *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Say "dvmhrun: text" on standard error; the second ends with a code. */
void dvmhrun_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void dvmhrun_die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Hosts of a file, with the processes that each gets, as "a:2,b:1" for a launcher's option.
 *
 * A line is `NAME`, `NAME:SLOTS` or `NAME slots=SLOTS`; `#` starts a comment. Processes are dealt in the order of the file: as many as
 * there are slots, or evenly when no line has any. Ends the program when the file is wrong or has too few slots.
 * @param host_count_p  hosts that get processes
 */
char *dvmhrun_read_hosts(const char *file, int process_count, int *host_count_p);

/** Find a command as the shell does. @return its path, NULL when there is none; *exists_p: there is a file, but it cannot be run */
char *dvmhrun_find(const char *name, bool *exists_p);

/**
 * Run the program as the request says, through the launcher of MPI. Signals to dvmhrun reach it.
 * @return its exit code; 128 + number when the launcher was ended by a signal
 */
int dvmhrun_launch(const dvmhrun_request_t *request);

/** Run a command and pass signals on to it. @return exit code, or 128 + signal. *interrupted_p: a signal was passed on */
int dvmhrun_run(char *const command[], bool *interrupted_p);

/**
 * What a short command prints, standard error included, with nothing on its standard input. What of it still runs when it has closed its
 * output, or takes too long, is killed.
 * @param text, size  terminated; what does not fit is left out
 * @return whether it has closed its output in time; a command that cannot be run has
 */
bool dvmhrun_read(char *const command[], int seconds, char *text, size_t size);

/** Cores that this process may use; *all_p: whether they are all of the machine. */
int dvmhrun_count_cores(bool *all_p);

#endif
