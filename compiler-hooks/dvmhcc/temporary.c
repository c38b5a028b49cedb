/* Temporary files and outputs in progress, in one list that a signal handler can walk: entries are added with signals held back,
 * and the handler only reads the list and unlinks. */
#include <config.h>

#include "compiler-hooks/dvmhcc/temporary.h"

#include "compiler-hooks/dvmhcc/diagnostic.h"
#include "compiler-hooks/dvmhcc/process.h"
#include "rts/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct entry {
    char *path;
    char *final; /* rename to this; NULL: only to be removed */
    bool keep;   /* not ours to remove: written in place, or renamed */
} entry_t;

static entry_t *entries;
static size_t entry_count, entry_capacity;
static char *folder; /* NULL: not made yet */

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define CAUGHT_COUNT (sizeof caught / sizeof caught[0])

/* Only what a signal handler may call. */
static void unlink_all(void) {
    for (size_t i = 0; i < entry_count; i++) {
        if (!entries[i].keep)
            unlink(entries[i].path);
    }
    if (folder != NULL)
        rmdir(folder);
}

static void on_signal(int number) {
    for (int which = 0; which < 2; which++) {
        const pid_t child = dvmhcc_process_running(which);
        if (child <= 0)
            continue;
        /* The compiler removes what it wrote; wait, so that nothing appears after the removal. */
        kill(child, number);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    unlink_all();
    signal(number, SIG_DFL);
    raise(number);
}

void dvmhcc_temporary_catch_signals(void) {
    for (size_t i = 0; i < CAUGHT_COUNT; i++) {
        struct sigaction action;
        if (sigaction(caught[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        for (size_t j = 0; j < CAUGHT_COUNT; j++)
            sigaddset(&action.sa_mask, caught[j]);
        sigaction(caught[i], &action, NULL);
    }
}

/* Hold the caught signals back while the list changes. */
static sigset_t hold_signals(void) {
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < CAUGHT_COUNT; i++)
        sigaddset(&held, caught[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

static void release_signals(sigset_t before) {
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* @return false  no memory: told */
static bool add_entry(entry_t entry) {
    const sigset_t before = hold_signals();
    const bool good = dvmhcc_grow((void **)&entries, &entry_capacity, entry_count, sizeof *entries);
    if (good)
        entries[entry_count++] = entry;
    release_signals(before);
    return good;
}

static bool make_folder(void) {
    if (folder != NULL)
        return true;
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || *parent == '\0')
        parent = "/tmp";
    dvmhcc_text_t name = {0};
    dvmhcc_text_printf(&name, "%s/dvmhcc.XXXXXX", parent);
    if (!dvmhcc_text_good(&name)) {
        dvmhcc_text_free(&name);
        return false;
    }
    const sigset_t before = hold_signals();
    const bool good = mkdtemp(name.data) != NULL;
    const int code = errno;
    if (good)
        folder = name.data;
    release_signals(before);
    if (!good) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot make a folder for temporary files in '%s': %s; set TMPDIR",
                      parent, strerror(code));
        dvmhcc_text_free(&name);
    }
    return good;
}

bool dvmhcc_temporary_file(const char *name, const char **path_p) {
    if (!make_folder())
        return false;
    dvmhcc_text_t path = {0};
    dvmhcc_text_printf(&path, "%s/%s", folder, name);
    if (!dvmhcc_text_good(&path) || !add_entry((entry_t){.path = path.data})) {
        dvmhcc_text_free(&path);
        return false;
    }
    *path_p = path.data;
    return true;
}

bool dvmhcc_temporary_output(const char *output, const char **path_p) {
    struct stat status;
    const bool in_place = stat(output, &status) == 0 && !S_ISREG(status.st_mode);
    dvmhcc_text_t path = {0};
    dvmhcc_text_printf(&path, "%s%s", output, in_place ? "" : ".tmp");
    char *final = rts_strdup(output);
    if (final == NULL)
        path.failed = true;
    if (!dvmhcc_text_good(&path) ||
        !add_entry((entry_t){.path = path.data, .final = final, .keep = in_place})) {
        dvmhcc_text_free(&path);
        rts_free(final);
        return false;
    }
    *path_p = path.data;
    return true;
}

bool dvmhcc_temporary_commit(const char *path) {
    for (size_t i = 0; i < entry_count; i++) {
        entry_t *entry = &entries[i];
        if (entry->path != path || entry->keep)
            continue;
        const sigset_t before = hold_signals();
        const bool good = rename(entry->path, entry->final) == 0;
        const int code = errno;
        entry->keep = good;
        release_signals(before);
        if (!good)
            dvmhcc_report(DVMHCC_ERROR, NULL, "cannot rename '%s' to '%s': %s", entry->path, entry->final,
                          strerror(code));
        return good;
    }
    return true; /* written in place */
}

void dvmhcc_temporary_remove(void) {
    const sigset_t before = hold_signals();
    unlink_all();
    for (size_t i = 0; i < entry_count; i++) {
        rts_free(entries[i].path);
        rts_free(entries[i].final);
    }
    rts_free(entries);
    rts_free(folder);
    entries = NULL;
    folder = NULL;
    entry_count = entry_capacity = 0;
    release_signals(before);
}
