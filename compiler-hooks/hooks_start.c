/* Start, stop, and the source position; who may call what when. */
#include <config.h>

#include <dvmhx.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler-hooks/hooks.h"
#include "rts/agreement.h"
#include "rts/comm.h"
#include "rts/exec.h"
#include "rts/exec_times.h"
#include "rts/halo.h"
#include "rts/log.h"
#include "rts/loop.h"
#include "rts/planner.h"
#include "rts/region.h"
#include "rts/runtime.h"
#include "rts/stats.h"

static pthread_t main_thread;

HOOKS_API void dvmh_line_C(DvmType line, const char file[]) {
    if (line <= 0 || line > INT32_MAX || file == NULL || file[0] == '\0')
        hooks_error(__func__, "line %ld of file '%s'; allowed: a line 1..%ld and a name that is not empty",
                    (long)line, file != NULL ? file : "(null)", (long)INT32_MAX);
    rts_position_set((rts_position_t){.file = file, .line = (int)line});
}

void hooks_need_runtime(const char *entry_point) {
    if (!rts_runtime()->is_open)
        hooks_error(entry_point, "called before dvmh_init_C or after dvmh_exit_C");
}

void hooks_need_serial(const char *entry_point) {
    hooks_need_runtime(entry_point);
    if (!pthread_equal(pthread_self(), main_thread))
        hooks_error(entry_point, "called from a worker thread; allowed: the main thread");
    if (rts_exec_is_running())
        hooks_error(entry_point, "called from a loop's handler; allowed: serial code");
}

void hooks_need_collective(const char *entry_point) {
    hooks_need_serial(entry_point);
    if (rts_comm_expect(entry_point) != RTS_OK)
        hooks_end(entry_point);
}

static void check_arguments(const char *entry_point, const int *argc, char **const *argv) {
    if (argc == NULL || argv == NULL)
        return;
    if (*argc < 0)
        hooks_error(entry_point, "%d arguments of the program; allowed: 0 and more", *argc);
    if (*argv == NULL)
        hooks_error(entry_point, "the address of the program's list of arguments is 0");
    for (int i = 0; i < *argc; i++)
        if ((*argv)[i] == NULL)
            hooks_error(entry_point, "argument %d of the program is NULL, though there are %d", i, *argc);
    if ((*argv)[*argc] != NULL)
        hooks_error(entry_point, "the program's arguments are not terminated by NULL");
}

static void start(const char *entry_point, DvmType flags, int *argc, char ***argv) {
    main_thread = pthread_self();
    if (rts_runtime_open((flags & INITFLAG_SEQUENTIAL) != 0, argc, argv) != RTS_OK)
        hooks_end(entry_point);
    hooks_stdio_open();
    hooks_run_module_initializers();
    hooks_drop_helpers();
}

static void check_flags(const char *entry_point, DvmType flags) {
    const DvmType allowed =
        INITFLAG_FORTRAN | INITFLAG_NOH | INITFLAG_SEQUENTIAL | INITFLAG_OPENMP | INITFLAG_DEBUG;
    if ((flags & ~allowed) != 0)
        hooks_error(entry_point, "flags %ld; allowed: a mask of %ld", (long)flags, (long)allowed);
}

static void stop(void) {
    rts_halo_drop(); /* nobody will look */
    if (rts_loop_current() != NULL)
        rts_loop_close(rts_loop_current());
    if (rts_region_current() != NULL)
        (void)rts_region_close(
            rts_region_current()); /* so that finishers may delete the arrays that it used */
    fflush(NULL);
    hooks_run_module_finishers();
    hooks_stdio_close();
    rts_runtime_close();
}

/* The process that started the runtime: one that it has forked ends nothing. */
static pid_t started_process;
static bool is_library;
/* What the program has asked for by dvmh_exit_C. */
static bool is_asked;
static int asked_code;

/* All processes end with one code. */
static int end_together(const char *entry_point, int code) {
    int agreed;
    if (rts_comm_expect_end(entry_point) != RTS_OK)
        hooks_end(entry_point);
    if (rts_agreement_end(code, &agreed) != RTS_OK)
        hooks_end_with(entry_point, agreed != 0 ? agreed : 1);
    stop();
    return agreed;
}

/* The middle of a loop is no place to end from: other threads are at work on the arrays, so nothing is taken down, and other processes
 * would wait for this one. With code 0 they would not even be told that something is wrong. */
static bool is_in_handler(const char *entry_point, int code) {
    if (!rts_exec_is_running() && pthread_equal(pthread_self(), main_thread))
        return false;
    if (code == 0 && rts_comm_size() > 1)
        hooks_error(entry_point,
                    "the program ends with code 0 in a handler or in a thread of its own; allowed on "
                    "several processes: in serial code");
    return true;
}

/* The end of the runtime, after all that the program has asked to be called at exit since it started the runtime: that may print, or use
 * arrays. Also of a program that ends in its own way, without dvmh_exit_C: one that uses a library of DVM code, or whose exit() the compiler
 * has not seen. With another code than 0 the launcher ends the other processes then; with 0 they would wait forever. */
static void end_at_exit(int code) {
    const bool has_others = rts_comm_size() > 1 && (is_asked || rts_comm_is_usable());
    if (!rts_runtime()->is_open || hooks_is_ending() || getpid() != started_process)
        return;
    if (!has_others) {
        if ((is_library || is_asked) && !rts_exec_is_running() && pthread_equal(pthread_self(), main_thread))
            stop();
        return;
    }
    if (is_in_handler("exit", code) || (code != 0 && !is_asked))
        return;
    const int agreed = end_together("dvmh_exit_C", code);
    if (agreed != code) {
        fflush(NULL);
        _Exit(agreed); /* exit() cannot be called again */
    }
}

#ifdef HAVE_ON_EXIT
static void end_with_code(int code, void *unused) {
    (void)unused;
    end_at_exit(code);
}
#else
static void end_with_success(void) { /* the code is not known here */
    end_at_exit(is_asked ? asked_code : 0);
}
#endif

/* quick_exit() of one process must not leave others waiting. It does not tell its code, nor flush what was printed. */
static void end_quickly(void) {
    if (rts_comm_size() > 1)
        end_at_exit(0);
}

/* After the start, so that it runs before what MPI has asked to be called. */
static void call_at_exit(const char *entry_point) {
    started_process = getpid();
#ifdef HAVE_ON_EXIT
    const int failed = on_exit(end_with_code, NULL);
#else
    const int failed = atexit(end_with_success);
#endif
    if (failed != 0 || at_quick_exit(end_quickly) != 0)
        hooks_error(entry_point, "the system takes no function more to be called at the end");
}

HOOKS_API void dvmh_init_C(DvmType flags, int *argc, char ***argv) {
    if (rts_runtime()->is_open)
        hooks_error(__func__, "called a second time; allowed: once");
    check_flags(__func__, flags);
    check_arguments(__func__, argc, argv);
    start(__func__, flags, argc, argv);
    call_at_exit(__func__);
}

HOOKS_API void dvmh_init_lib_C(DvmType flags) {
    check_flags(__func__, flags);
    if (rts_runtime()->is_open)
        return; /* every entry to the library calls it */
    start(__func__, flags, NULL, NULL);
    is_library = true;
    call_at_exit(__func__);
}

/* exit() in the middle of a program becomes this call wherever it stands. A program that ends inside a region or with a loop open
 * has lost its way, but what it wrote must not be lost. */
HOOKS_API void dvmh_exit_C(DvmType code) {
    hooks_need_runtime(__func__);
    if (getpid() != started_process) /* forked: MPI is not its own */
        exit((int)code);
    if (is_in_handler(__func__, (int)code)) {
        fflush(NULL);
        rts_comm_abort((int)code);
    }
    is_asked = true;
    asked_code = (int)code;
    exit((int)code); /* and so end_at_exit */
}

static void copy_text(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
}

/* The mode in force, as DVMH_PLANNER would say it. */
static void name_planner(char *text, size_t size) {
    const rts_environment_t *environment = &rts_runtime()->environment;
    switch (rts_planner_mode()) {
    case RTS_PLANNER_RANDOM:
        snprintf(text, size, "random:%llu", (unsigned long long)environment->planner_seed);
        return;
    case RTS_PLANNER_REPLAY:
        snprintf(text, size, "replay:%.50s", environment->planner_file); /* the report has no room for more */
        return;
    case RTS_PLANNER_GREEDY:
        copy_text(text, size, "greedy");
        return;
    case RTS_PLANNER_COST:
        copy_text(text, size, "cost");
        return;
    case RTS_PLANNER_OFF:
    case RTS_PLANNER_PROGRAM:
        copy_text(text, size, "off");
    }
}

HOOKS_API void dvmhx_get_report_C(dvmhx_report_t *report) {
    dvmhx_report_t full = {.size = sizeof full};
    hooks_need_runtime(__func__);
    if (report == NULL)
        hooks_error(__func__, "the address of the dvmhx_report_t is 0");
    if (report->size < offsetof(dvmhx_report_t, loops))
        hooks_error(__func__, "the report's size is %zu; it must be set to sizeof(dvmhx_report_t)",
                    report->size);
    HOOKS_TRY(rts_times_settle());
    full.threads = rts_runtime()->thread_count;
    full.processes = rts_comm_size();
    full.loops = (DvmType)rts_stats_get(RTS_STAT_LOOPS);
    full.loop_s = (double)rts_stats_get(RTS_STAT_LOOP_TIME) * 1e-9;
    full.reorganise_s = (double)rts_stats_get(RTS_STAT_REORGANISE_TIME) * 1e-9;
    full.reorganise_bytes = (DvmType)rts_stats_get(RTS_STAT_REORGANISE_BYTES);
    full.reorganisations = (DvmType)rts_stats_get(RTS_STAT_REORGANISATIONS);
    full.replica_bytes = (DvmType)rts_stats_get(RTS_STAT_REPLICA_BYTES);
    full.explorations = (DvmType)rts_stats_get(RTS_STAT_EXPLORATIONS);
    full.message_bytes = (DvmType)rts_stats_get(RTS_STAT_MESSAGE_BYTES);
    full.exchange_s = (double)rts_stats_get(RTS_STAT_HALO_TIME) * 1e-9;
    copy_text(full.backend, sizeof full.backend, rts_exec_last_backend());
    name_planner(full.planner, sizeof full.planner);
    rts_exec_last_plan(full.strategy, sizeof full.strategy);
    rts_exec_last_layouts(full.layouts, sizeof full.layouts);
    const size_t size = report->size < sizeof full ? report->size : sizeof full;
    memcpy(report, &full, size);
    report->size = size;
}
