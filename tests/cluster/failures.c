/* failures CASE - a program that ends in the way that CASE names, for check-failures.sh. What it says with plain printf before must not
 * be lost. Calls that only some processes make wrongly are the same call in all, because builds with assertions look at that first. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dvmhlib2.h>

#define SOURCE "failures.c"

/* The interface does not tell a process its number, launchers do. */
static int rank_of_this(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 0;
}

/* A call whose rank is wrong in some processes; the rank that is allowed is 1..8. */
static void create(int is_wrong) {
    static DvmType header[64];
    dvmh_line_C(10, SOURCE);
    dvmh_array_create_C(header, is_wrong ? 99 : 1, -rt_INT, (DvmType)8, (DvmType)0, (DvmType)0);
}

static void wait_for_others(void) {
    dvmh_line_C(20, SOURCE);
    dvmh_barrier();
}

/* Calls of which some processes make one and the others another. */
static void mismatch(const char *name, int is_other) {
    static DvmType header[64];
    if (strcmp(name, "mismatch-call") == 0) {
        dvmh_line_C(is_other ? 30 : 31, SOURCE);
        if (is_other)
            dvmh_array_create_C(header, 1, -rt_INT, (DvmType)8, (DvmType)0, (DvmType)0);
        else
            dvmh_barrier();
    } else if (strcmp(name, "mismatch-line") == 0) {
        dvmh_line_C(is_other ? 40 : 41, SOURCE);
        dvmh_array_create_C(header, 1, -rt_INT, (DvmType)8, (DvmType)0, (DvmType)0);
    } else if (strcmp(name, "mismatch-print") == 0) {
        dvmh_line_C(is_other ? 50 : 51, SOURCE);
        if (is_other)
            dvmh_void_printf("not everywhere\n");
        dvmh_line_C(52, SOURCE);
        dvmh_barrier();
    } else {
        dvmh_line_C(is_other ? 60 : 61, SOURCE); /* the same operation from two lines is none */
        dvmh_barrier();
    }
}

/* A handler that reads the row of process 0 from the array itself, as those of C-DVMH compilers do without -use-blank, or from a buffer. */
static int asks;

static void read_row(const DvmType *loop, const DvmType a[]) {
    DvmType low[1], high[1], row[64];
    const int *const values = dvmh_get_natural_base_C(0, a);
    dvmh_loop_fill_bounds_C(*loop, low, high, NULL);
    if (asks)
        dvmh_loop_get_remote_buf_C(*loop, 1, row);
    if (low[0] <= high[0] && values == NULL)
        abort();
}

static void read_remotely(int is_asking) {
    static DvmType a[64];
    asks = is_asking;
    dvmh_line_C(90, SOURCE);
    dvmh_array_create_C(a, 1, -rt_INT, (DvmType)8, (DvmType)0, (DvmType)0);
    dvmh_distribute_C(a, 1, dvmh_distribution_block_C(1));
    for (int time = 0; time < 2; time++) {
        const DvmType loop = dvmh_loop_create_C(0, 1, (DvmType)0, (DvmType)0, (DvmType)1);
        dvmh_loop_map_C(loop, a, 1, dvmh_alignment_linear_C(1, 1, 0));
        dvmh_loop_remote_access_C(loop, a, 1, dvmh_alignment_linear_C(0, 0, 7));
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                     dvmh_handler_func_C((DvmHandlerFunc)(void (*)(void))read_row, 1, a));
        dvmh_loop_perform_C(loop);
    }
}

int main(int argc, char **argv) {
    const char *const name = argc > 1 ? argv[1] : "";
    const int rank = rank_of_this();
    dvmh_line_C(1, SOURCE);
    dvmh_init_C(0, &argc, &argv);
    const int last = dvmh_get_total_num_procs() - 1;
    printf("process %d of %d is here\n", rank, last + 1);
    if (strncmp(name, "mismatch", 8) == 0)
        mismatch(name, rank == last);
    else if (strncmp(name, "remote", 6) == 0)
        read_remotely(strcmp(name, "remote-asked") == 0);
    else if (strcmp(name, "error-first") == 0)
        create(rank == 0);
    else if (strcmp(name, "error-last") == 0)
        create(rank == last);
    else if (strcmp(name, "error-all") == 0)
        create(1);
    else if (strcmp(name, "error-late") == 0) { /* the same mistake, later in some processes */
        dvmh_barrier();
        usleep(200000u * (unsigned)rank);
        dvmh_line_C(70, SOURCE);
        (void)dvmh_get_num_procs(0);
    } else if (strcmp(name, "exit-last") == 0 && rank == last)
        dvmh_exit_C(3);
    else if (strcmp(name, "plain-exit") == 0 && rank == last)
        exit(5);
    else if (strcmp(name, "killed") == 0 && rank == last) {
        fflush(stdout);
        raise(SIGKILL);
    } else if (strcmp(name, "codes") == 0)
        dvmh_exit_C(rank == 0 ? 0 : 10 + rank);
    wait_for_others();
    dvmh_line_C(80, SOURCE);
    dvmh_exit_C(0);
    return 0;
}
