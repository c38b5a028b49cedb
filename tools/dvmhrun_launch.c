/* The launchers of MPI: which one there is, and the command that makes it start the program as the request says.
 *
 * Processes get cores of their own, the same number each, when there are enough; else nobody is bound. On other machines than this one
 * the runtime binds, as it sees their cores. What a launcher has to say about a job that failed, next to the program's own message, is
 * left out unless the user asks for all of it. */
#include <config.h>

#include "tools/dvmhrun.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_MPI
#define MPI_IS_THERE true
#else
#define MPI_IS_THERE false
#endif

/* Seconds within which a launcher that refuses ends. */
#define REFUSAL_SECONDS 30
/* Seconds that a launcher may take to tell its version. */
#define VERSION_SECONDS 10

/* Open MPI's new launcher has other options; Hydra is that of MPICH and its relatives. */
typedef enum launcher_kind { OPEN_MPI, OPEN_MPI_5, HYDRA, UNKNOWN } launcher_kind_t;

typedef struct launcher {
    dvmhrun_words_t words; /* the command, maybe with options of the user's */
    const char *origin;    /* who chose it, for messages */
    launcher_kind_t kind;
} launcher_t;

extern char **environ;

/* Words of a text, divided by blanks. */
static dvmhrun_words_t divide(const char *text) {
    dvmhrun_words_t words = {0};
    char *rest, *const copy = dvmhrun_text("%s", text);
    for (char *word = strtok_r(copy, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest))
        dvmhrun_add(&words, "%s", word);
    return words;
}

static launcher_kind_t recognise(const launcher_t *launcher, char *path) {
    char version[4096], option[] = "--version";
    char *const command[] = {path, option, NULL};
    if (!dvmhrun_read(command, VERSION_SECONDS, version, sizeof version))
        dvmhrun_die(
            1,
            "the launcher of MPI programs '%s' (from %s) does not tell its version within %d seconds; name "
            "another one in DVMHRUN_MPIRUN",
            launcher->words.word[0], launcher->origin, VERSION_SECONDS);
    if (strstr(version, "Open MPI") != NULL || strstr(version, "OpenRTE") != NULL) {
        const char *const number = strchr(version, ')');
        return number != NULL && atoi(number + 1) >= 5 ? OPEN_MPI_5 : OPEN_MPI;
    }
    if (strstr(version, "prterun") != NULL || strstr(version, "PRRTE") != NULL)
        return OPEN_MPI_5;
    return strstr(version, "HYDRA") != NULL || strstr(version, "Hydra") != NULL ? HYDRA : UNKNOWN;
}

/* The user's choice, else configure's. */
static launcher_t find_launcher(void) {
    static const char *const variables[] = {"DVMHRUN_MPIRUN", "MPIEXEC"};
    launcher_t launcher = {.origin = "the configuration of this installation"};
    bool exists = false, is_chosen = false;
    if (!MPI_IS_THERE)
        dvmhrun_die(1, "this installation was built without MPI: allowed is one process on this machine");
    for (int i = 1; i >= 0; i--) /* the first one that is set is the last to be read */
        if (getenv(variables[i]) != NULL && getenv(variables[i])[0] != '\0') {
            launcher.words = divide(getenv(variables[i]));
            launcher.origin = variables[i];
            is_chosen = true;
        }
    if (!is_chosen)
        launcher.words = divide(DVMHRUN_LAUNCHER[0] != '\0' ? DVMHRUN_LAUNCHER : "mpiexec");
    if (launcher.words.count == 0)
        dvmhrun_die(DVMHRUN_WRONG_USE, "%s has blanks only; allowed: a command", launcher.origin);
    char *const path = dvmhrun_find(launcher.words.word[0], &exists);
    if (path == NULL)
        dvmhrun_die(exists ? DVMHRUN_CANNOT_RUN : DVMHRUN_NOT_FOUND,
                    "the launcher of MPI programs '%s' (from %s) %s; install it (Debian, Ubuntu: "
                    "openmpi-bin), or name "
                    "another one in DVMHRUN_MPIRUN",
                    launcher.words.word[0], launcher.origin, exists ? "cannot be executed" : "is not there");
    launcher.kind = recognise(&launcher, path);
    return launcher;
}

static bool is_one(const char *name) {
    const char *const value = getenv(name);
    return value != NULL && strcmp(value, "1") == 0;
}

static void check_root(const launcher_t *launcher) {
    const bool is_open_mpi = launcher->kind == OPEN_MPI || launcher->kind == OPEN_MPI_5;
    for (int i = 1; i < launcher->words.count; i++)
        if (strcmp(launcher->words.word[i], "--allow-run-as-root") == 0)
            return;
    if (is_open_mpi && geteuid() == 0 &&
        !(is_one("OMPI_ALLOW_RUN_AS_ROOT") && is_one("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")))
        dvmhrun_die(
            1,
            "Open MPI runs nothing for root, where a mistake can damage the system; be another user, or set "
            "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
}

/* Where processes go on this machine. @return cores of each; 0: they share, and are not bound */
static int divide_cores(const dvmhrun_request_t *request) {
    bool all;
    const int cores = dvmhrun_count_cores(&all);
    const int per_process = cores / request->process_count;
    const bool is_tight = per_process < (request->threads > 0 ? request->threads : 1);
    if (request->is_verbose)
        dvmhrun_say("%d processes on %d cores%s", request->process_count, cores,
                    is_tight ? ": more threads than cores, so that nothing is bound"
                    : all    ? ""
                             : ", a part of the machine: launchers do not bind to it");
    return all && !is_tight ? per_process : 0;
}

static void add_open_mpi(dvmhrun_words_t *words, const dvmhrun_request_t *request, launcher_kind_t kind,
                         bool is_quiet) {
    const int cores = request->hosts == NULL ? divide_cores(request) : 0;
    if (is_quiet)
        dvmhrun_add(words, "-q");
    dvmhrun_add(words, "--map-by");
    if (cores > 0) {
        dvmhrun_add(words, "slot:PE=%d", cores);
        dvmhrun_add(words, "--bind-to");
        dvmhrun_add(words, "core");
        return;
    }
    dvmhrun_add(words, kind == OPEN_MPI_5 ? "slot:OVERSUBSCRIBE" : "slot");
    if (kind == OPEN_MPI)
        dvmhrun_add(words, "--oversubscribe");
    dvmhrun_add(words, "--bind-to");
    dvmhrun_add(words, "none");
}

/* Open MPI leaves the environment behind on other machines; these variables are what programs are controlled by. */
static void add_variables(dvmhrun_words_t *words) {
    static const char *const begins[] = {"DVMH_", "OMP_", "GOMP_", "KMP_", "LD_LIBRARY_PATH="};
    for (char **variable = environ; *variable != NULL; variable++)
        for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
            if (strncmp(*variable, begins[i], strlen(begins[i])) == 0) {
                dvmhrun_add(words, "-x");
                dvmhrun_add(words, "%.*s", (int)strcspn(*variable, "="), *variable);
            }
}

static void add_hydra(dvmhrun_words_t *words, const dvmhrun_request_t *request) {
    const int cores = request->hosts == NULL ? divide_cores(request) : 0;
    dvmhrun_add(words, "-bind-to");
    if (cores > 0)
        dvmhrun_add(words, "core:%d", cores);
    else
        dvmhrun_add(words, "none");
}

/* The launcher with its options, without the program. */
static dvmhrun_words_t make_command(const launcher_t *launcher, const dvmhrun_request_t *request,
                                    bool is_quiet) {
    dvmhrun_words_t words = {0};
    int host_count;
    for (int i = 0; i < launcher->words.count; i++)
        dvmhrun_add(&words, "%s", launcher->words.word[i]);
    if (launcher->kind == OPEN_MPI || launcher->kind == OPEN_MPI_5)
        add_open_mpi(&words, request, launcher->kind, is_quiet);
    else if (launcher->kind == HYDRA)
        add_hydra(&words, request);
    if (request->hosts != NULL) {
        const char *const hosts = dvmhrun_read_hosts(request->hosts, request->process_count, &host_count);
        if (launcher->kind == UNKNOWN)
            dvmhrun_die(
                1,
                "'%s' is no launcher that dvmhrun knows machines' options of; allowed: Open MPI's, MPICH's",
                launcher->words.word[0]);
        if (launcher->kind != HYDRA)
            add_variables(&words);
        dvmhrun_add(&words, launcher->kind == HYDRA ? "-hosts" : "--host");
        dvmhrun_add(&words, "%s", hosts);
        if (request->is_verbose)
            dvmhrun_say("%d processes on %d machines: %s", request->process_count, host_count, hosts);
    }
    dvmhrun_add(&words, "-n");
    dvmhrun_add(&words, "%d", request->process_count);
    return words;
}

static void print_command(const dvmhrun_words_t *words) {
    fputs("dvmhrun:", stderr);
    for (int i = 0; i < words->count; i++)
        fprintf(stderr, " %s", words->word[i]);
    fputc('\n', stderr);
}

/* Alone on this machine it needs no launcher. */
static _Noreturn void run_alone(const dvmhrun_request_t *request) {
    if (request->is_verbose)
        dvmhrun_say("one process on this machine, without a launcher");
    fflush(NULL);
    execvp(request->program[0], request->program);
    dvmhrun_die(DVMHRUN_CANNOT_RUN, "'%s' cannot be run: %s", request->program[0], strerror(errno));
}

/* Whether a launcher that was told to be quiet refuses to start anything: then it does so again, and says why. */
static bool refuses(const launcher_t *launcher, const dvmhrun_request_t *request) {
    dvmhrun_request_t silent = *request;
    bool interrupted;
    silent.is_verbose = false;
    dvmhrun_words_t words = make_command(launcher, &silent, false);
    dvmhrun_add(&words, "true");
    const int code = dvmhrun_run(words.word, &interrupted);
    if (code != 0 && !interrupted)
        dvmhrun_say("'%s' does not start any program here (code %d); dvmhrun -v shows the command",
                    words.word[0], code);
    return code != 0;
}

int dvmhrun_launch(const dvmhrun_request_t *request) {
    bool interrupted;
    if (request->process_count == 1 && request->hosts == NULL)
        run_alone(request);
    const launcher_t launcher = find_launcher();
    check_root(&launcher);
    const bool is_quiet = launcher.kind == OPEN_MPI && launcher.words.count == 1 && !request->is_verbose &&
                          request->hosts == NULL;
    dvmhrun_words_t words = make_command(&launcher, request, is_quiet);
    for (char **word = request->program; *word != NULL; word++)
        dvmhrun_add(&words, "%s", *word);
    if (request->is_verbose)
        print_command(&words);
    const time_t start = time(NULL);
    const int code = dvmhrun_run(words.word, &interrupted);
    if (code == 0 || interrupted || (!is_quiet && launcher.kind != UNKNOWN)) /* known ones tell themselves */
        return code;
    if (code > 128 && code < 128 + NSIG)
        dvmhrun_say("code %d: a process was ended by signal %d (%s)", code, code - 128,
                    strsignal(code - 128));
    else if (time(NULL) - start <= REFUSAL_SECONDS)
        (void)refuses(&launcher, request);
    return code;
}
