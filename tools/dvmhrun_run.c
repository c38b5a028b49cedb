/* Running a command with signals passed on, or for what it prints, and counting cores; see the header. */
#include <config.h>

#include "tools/dvmhrun.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals that the command gets too. */
static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

#define PASSED_ON_COUNT (sizeof passed_on / sizeof passed_on[0])

static _Noreturn void execute(char *const command[], const sigset_t *mask, pid_t parent) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* dvmhrun may be killed in a way that it cannot pass on */
    if (getppid() == parent)
        execvp(command[0], command);
    fprintf(stderr, "dvmhrun: '%s' cannot be run: %s\n", command[0], strerror(errno));
    _exit(errno == ENOENT ? DVMHRUN_NOT_FOUND : DVMHRUN_CANNOT_RUN);
}

int dvmhrun_run(char *const command[], bool *interrupted_p) {
    sigset_t waited, before;
    siginfo_t info;
    int status = 0;
    sigemptyset(&waited);
    sigaddset(&waited, SIGCHLD);
    for (size_t i = 0; i < PASSED_ON_COUNT; i++)
        sigaddset(&waited, passed_on[i]);
    sigprocmask(SIG_BLOCK, &waited, &before);
    *interrupted_p = false;
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        execute(command, &before, parent);
    if (child < 0)
        dvmhrun_die(1, "no process can be made for '%s': %s", command[0], strerror(errno));
    while (waitpid(child, &status, WNOHANG) == 0) {
        const int signal_number = sigwaitinfo(&waited, &info);
        if (signal_number <= 0 || signal_number == SIGCHLD)
            continue;
        *interrupted_p = true;
        if (info.si_code != SI_KERNEL) /* what the terminal sends, it sends to both */
            kill(child, signal_number);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static _Noreturn void execute_into(char *const command[], const int ends[2]) {
    const int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0); /* so that all that it starts can be killed */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 &&
        dup2(ends[1], STDERR_FILENO) >= 0) {
        close(nothing);
        close(ends[0]);
        close(ends[1]);
        execvp(command[0], command);
    }
    _exit(DVMHRUN_CANNOT_RUN);
}

/* All that comes until the other side is closed, so that it is not ended by a broken pipe. @return whether that was in time */
static bool read_all(int descriptor, int seconds, char *text, size_t size) {
    size_t length = 0;
    const time_t last = time(NULL) + seconds;
    struct pollfd waited = {.fd = descriptor, .events = POLLIN};
    for (;;) {
        char rest[256];
        const time_t now = time(NULL);
        if (now >= last)
            return false;
        if (poll(&waited, 1, (int)(last - now) * 1000) <= 0)
            continue;
        const bool is_full = length + 1 >= size;
        const ssize_t count =
            read(descriptor, is_full ? rest : text + length, is_full ? sizeof rest : size - 1 - length);
        if (count <= 0)
            return true;
        length += is_full ? 0 : (size_t)count;
        text[length] = '\0';
    }
}

bool dvmhrun_read(char *const command[], int seconds, char *text, size_t size) {
    int ends[2], status;
    text[0] = '\0';
    fflush(NULL);
    if (pipe(ends) != 0)
        dvmhrun_die(1, "no pipe can be made for '%s': %s", command[0], strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        execute_into(command, ends);
    if (child < 0)
        dvmhrun_die(1, "no process can be made for '%s': %s", command[0], strerror(errno));
    setpgid(child, child); /* whoever comes first */
    close(ends[1]);
    const bool in_time = read_all(ends[0], seconds, text, size);
    close(ends[0]);
    kill(-child, SIGKILL); /* who has closed its output has said all, too */
    waitpid(child, &status, 0);
    return in_time;
}

/* Lowest processor of the core that a processor belongs to; itself when the system does not tell. */
static int first_of_core(int cpu) {
    char path[96];
    int first = cpu;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *const file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%d", &first) != 1)
            first = cpu;
        fclose(file);
    }
    return first;
}

int dvmhrun_count_cores(bool *all_p) {
    static unsigned char seen[CPU_SETSIZE];
    cpu_set_t set;
    int cores = 0;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    *all_p = false;
    if (sched_getaffinity(0, sizeof set, &set) !=
        0) /* a machine with more processors than the set has room for */
        return online > 0 ? (int)online : 1;
    *all_p = CPU_COUNT(&set) >= online;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        const int first = CPU_ISSET(cpu, &set) ? first_of_core((int)cpu) : -1;
        if (first >= 0 && first < CPU_SETSIZE && !seen[first]) {
            seen[first] = 1;
            cores++;
        }
    }
    return cores > 0 ? cores : 1;
}
