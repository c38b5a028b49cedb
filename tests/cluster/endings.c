/* endings HOW WHO [library] - processes end with success, in the way HOW and before the others' last call if WHO says so, for
 * check-failures.sh. HOW: return (from main), exit, quick (quick_exit), call (of dvmh_exit_C), handler (the same in a loop), late (as others, but
 * much later); chain: each after another number of calls; prints: calls in functions that exit calls. WHO: first, last, all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dvmhlib2.h>

#define SOURCE "endings.c"
#define LATE_S 4

/* The interface does not tell a process its number, launchers do. */
static int rank_of_this(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 0;
}

static void end_inside(const DvmType loop[]) {
    (void)loop;
    dvmh_exit_C(0);
}

/* A loop that every process runs whole. */
static void end_in_handler(void) {
    dvmh_line_C(20, SOURCE);
    const DvmType loop = dvmh_loop_create_C((DvmType)0, (DvmType)1, (DvmType)0, (DvmType)3, (DvmType)1);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, (DvmType)0,
                                 dvmh_handler_func_C((DvmHandlerFunc)(void (*)(void))end_inside, (DvmType)0));
    dvmh_loop_perform_C(loop);
}

/* All make the same calls; some of them long after others have ended, or have begun to wait. */
static void end_late(int is_late) {
    if (is_late)
        sleep(LATE_S);
    dvmh_line_C(30, SOURCE);
    dvmh_barrier();
    if (is_late)
        sleep(LATE_S);
}

/* Process 1 has made no call, process 0 one, and others wait in the first. */
static void end_in_chain(int rank) {
    static DvmType header[64];
    dvmh_line_C(40, SOURCE);
    if (rank == 0)
        dvmh_array_create_C(header, 1, -rt_INT, (DvmType)8, (DvmType)0, (DvmType)0);
    else if (rank > 1)
        dvmh_barrier();
}

static void print_once(void) {
    dvmh_line_C(60, SOURCE);
    if (dvmh_printf("all are here\n") != 13)
        abort();
}

int main(int argc, char **argv) {
    const char *const how = argc > 2 ? argv[1] : "call", *const who = argc > 2 ? argv[2] : "all";
    const int is_library = argc > 3, rank = rank_of_this();
    dvmh_line_C(1, SOURCE);
    if (is_library)
        dvmh_init_lib_C(0);
    else
        dvmh_init_C(0, &argc, &argv);
    const int last = dvmh_get_total_num_procs() - 1;
    const int is_one = strcmp(who, "all") == 0 || rank == (strcmp(who, "first") == 0 ? 0 : last);
    printf("process %d of %d is here\n", rank, last + 1);
    dvmh_line_C(10, SOURCE);
    fflush(stdout);
    if (strcmp(how, "prints") == 0 && is_one)
        atexit(print_once);
    if (strcmp(how, "prints") == 0)
        dvmh_exit_C(0);
    if (strcmp(how, "late") == 0)
        end_late(is_one);
    else if (strcmp(how, "chain") == 0)
        end_in_chain(rank);
    else if (!is_one) {
        dvmh_line_C(50, SOURCE);
        dvmh_barrier();
    } else if (strcmp(how, "exit") == 0)
        exit(0);
    else if (strcmp(how, "quick") == 0)
        quick_exit(0);
    else if (strcmp(how, "handler") == 0)
        end_in_handler();
    else if (strcmp(how, "return") == 0)
        return 0;
    if (!is_library)
        dvmh_exit_C(0);
    return 0;
}
