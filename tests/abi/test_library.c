/* A library of DVM code in a program that knows nothing of it: every entry starts the runtime, and the end of the program ends it. */
#include "tests/abi/child.h"

static DvmType A[64];

/* What a compiler makes of a function of such a library. */
static void library_function(void) {
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmh_init_lib_C(INITFLAG_SEQUENTIAL);
    if (A[0] == 0) {
        dvmh_array_create_C(A, 1, -rt_INT, 5L, 0L, 0L);
        dvmh_distribute_C(A, 1, dvmh_distribution_block_C(1));
    }
    ++*(int *)dvmh_get_own_element_addr_C(A, 1, 3L);
}

static void call_often(void) {
    for (int time = 1; time <= 3; time++) {
        library_function();
        const int value = time, zero = 0;
        if (time == 1) {
            dvmh_array_set_value_(A, &zero);
            library_function();
            dvmh_array_set_value_(A, &value);
        }
        CHECK_EQ_INT(*(int *)dvmh_get_own_element_addr_C(A, 1, 3L), time);
    }
}

/* The report shows that the runtime was ended in order; an open file is flushed. */
static void ends_alone(void) {
    setenv("DVMH_REPORT", "1", 1);
    call_often();
    dvmh_fputs("text", dvmh_fopen("written", "w"));
}

static void ends_by_exit(void) {
    setenv("DVMH_REPORT", "1", 1);
    call_often();
    exit(check_finish() == 0 ? 5 : 6);
}

static void ends_by_dvmh_exit(void) {
    setenv("DVMH_REPORT", "1", 1);
    call_often();
    dvmh_exit_C(7);
}

/* In a region, with a loop open. */
static void ends_in_the_middle(void) {
    setenv("DVMH_REPORT", "1", 1);
    library_function();
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    dvmh_loop_create_C(region, 0);
    exit(8);
}

static void ends_in_handler(const DvmType *loop) {
    (void)loop;
    exit(9);
}

static void ends_while_running(void) {
    setenv("DVMH_REPORT", "1", 1);
    library_function();
    const DvmType loop = dvmh_loop_create_C(0, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C((DvmHandlerFunc)(void (*)(void))ends_in_handler, 0));
    dvmh_loop_perform_C(loop);
}

/* A process that the program starts is none of the runtime's. */
static void forks(void) {
    setenv("DVMH_REPORT", "1", 1);
    library_function();
    fflush(NULL);
    const pid_t process = fork();
    if (process == 0)
        exit(0);
    int status;
    CHECK(waitpid(process, &status, 0) == process && status == 0);
}

static void ends_by_mistake(void) {
    setenv("DVMH_REPORT", "1", 1);
    library_function();
    dvmh_array_create_C(A, 0, -rt_INT);
}

static int reports(void) {
    int count = 0;
    for (const char *text = child_text("errors"); (text = strstr(text, "== DVMH report")) != NULL; text++)
        count++;
    return count;
}

static void expect(void (*body)(void), int code, int report_count) {
    CHECK_EQ_INT(child_run(body, NULL, NULL, "errors"), code);
    if (!CHECK_EQ_INT(reports(), report_count))
        fprintf(stderr, "  it printed: %s\n", child_text("errors"));
}

int main(void) {
    child_folder(true);
    expect(ends_alone, 0, 1);
    CHECK_EQ_STR(child_text("written"), "text");
    expect(ends_by_exit, 5, 1);
    expect(ends_by_dvmh_exit, 7, 1);
    expect(ends_in_the_middle, 8, 1);
    expect(ends_while_running, 9, 0);
    /* Archer, without which ThreadSanitizer does not understand OpenMP, crashes at the end of a forked process. */
    const char *const sanitizer = getenv("RTS_TEST_SANITIZER");
    if (sanitizer == NULL || strcmp(sanitizer, "tsan") != 0)
        expect(forks, 0, 1);
    expect(ends_by_mistake, 1, 0);
    CHECK_CONTAINS(child_text("errors"), "*** RTS err: dvmh_array_create_C: rank 0");
    child_folder(false);
    return check_finish();
}
