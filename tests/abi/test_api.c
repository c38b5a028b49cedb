/* Calls of user code: processes, clock, local file operations; before the start, while it runs, and after
 * the end. */
#include "tests/abi/child.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

static DvmType array[64];

static void check_processes(void) {
    dvmh_barrier();
    CHECK_EQ_INT(dvmh_get_total_num_procs(), 1);
    CHECK_EQ_INT(dvmh_get_num_proc_axes(), 0);
    CHECK_EQ_INT(dvmh_get_num_procs(1), 1);
    CHECK_EQ_INT(dvmh_get_num_procs(100), 1);
}

static void check_clock(void) {
    const double before = dvmh_wtime();
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    const double passed = dvmh_wtime() - before;
    CHECK(passed >= 0.02);
    CHECK(passed < 60);
}

static void make(const char *name) {
    FILE *const file = fopen(name, "w");
    CHECK(file != NULL);
    if (file != NULL)
        fclose(file);
}

static void check_local_files(void) {
    make("one");
    CHECK_EQ_INT(dvmh_rename_local("one", "part%d.of%d"), 0);
    CHECK_EQ_INT(access("part0.of0", F_OK), 0);
    CHECK_EQ_INT(dvmh_remove_local("part%d.of%d"), 0);
    CHECK(access("part0.of0", F_OK) != 0);
    errno = 0;
    CHECK(dvmh_remove_local("missing%d") != 0);
    CHECK_EQ_INT(errno, ENOENT);

    static char name[FILENAME_MAX + 10];
    memset(name, 'x', sizeof name - 1);
    errno = 0;
    CHECK_EQ_INT(dvmh_remove_local(name), -1);
    CHECK_EQ_INT(errno, ENAMETOOLONG);

    char buffer[L_tmpnam];
    CHECK(dvmh_tmpnam_local(buffer) == buffer);
    const char *const kept = dvmh_tmpnam_local(NULL);
    if (CHECK(kept != NULL)) {
        CHECK(strcmp(buffer, kept) != 0);
        CHECK(access(kept, F_OK) != 0);
    }
}

static void test_before_start(void) {
    check_processes();
    check_clock();
    check_local_files();
}

static void test_running(void) {
    child_init();
    check_processes();
    check_clock();
    check_local_files();
    FILE *const file = dvmh_tmpfile_local();
    if (CHECK(file != NULL)) {
        CHECK_EQ_INT(dvmh_fprintf(file, "%d", 12), 2);
        dvmh_rewind(file);
        CHECK_EQ_INT(dvmh_fgetc(file), '1');
        CHECK_EQ_INT(dvmh_fclose(file), 0);
    }
    child_exit();
}

static void after_end(void) {
    check_processes();
    check_clock();
    if (check_finish() != 0)
        _exit(1);
}

static void test_after_end(void) {
    atexit(after_end);
    child_init();
    child_exit();
}

/* What was registered after the start runs before the end: the runtime still prints, and knows arrays. */
static void print_at_exit(void) {
    dvmh_void_printf("element %d\n", *(int *)dvmh_get_own_element_addr_C(array, 1, (DvmType)2));
    CHECK_EQ_INT(dvmh_printf("one line more\n"), 14);
    printf("and a plain one\n");
    if (check_finish() != 0)
        _exit(1);
}

static void start_and_print_at_exit(void) {
    const int value = 7;
    setenv("DVMH_REPORT", "1", 1);
    child_init();
    dvmh_array_create_C(array, 1, -rt_INT, (DvmType)5, (DvmType)0, (DvmType)0);
    dvmh_distribute_C(array, 1, dvmh_distribution_block_C(1));
    dvmh_array_set_value_(array, &value);
    atexit(print_at_exit);
}

static void prints_after_call(void) {
    start_and_print_at_exit();
    dvmh_exit_C(3);
}

static void prints_after_exit(void) {
    start_and_print_at_exit();
    exit(3);
}

/* quick_exit() calls no such function; with one process there is nobody to wait for. */
static void ends_quickly(void) {
    start_and_print_at_exit();
    quick_exit(3);
}

static void test_exit_functions(void) {
    static const char text[] = "element 7\none line more\nand a plain one\n";
    CHECK_EQ_INT(child_run(prints_after_call, NULL, "output", "errors"), 3);
    CHECK_EQ_STR(child_text("output"), text);
    CHECK_CONTAINS(child_text("errors"), "== DVMH report"); /* the runtime has ended in order */
    CHECK_EQ_INT(child_run(prints_after_exit, NULL, "output", "errors"), 3);
    CHECK_EQ_STR(child_text("output"), text);
    CHECK_EQ_INT(child_run(ends_quickly, NULL, "output", "errors"), 3);
    CHECK_EQ_STR(child_text("output"), "");
    CHECK_EQ_STR(child_text("errors"), "");
}

static void bad_axis(void) {
    child_init();
    dvmh_get_num_procs(0);
}

static void bad_axis_early(void) {
    dvmh_get_num_procs(-1);
}

static void no_name(void) {
    child_init();
    dvmh_rename_local("a", NULL);
}

static void unsupported(void) {
    child_init();
    dvmh_distribution_indirect_C(1, rt_INT, NULL);
}

static void unsupported_too(void) {
    child_init();
    dvmh_indirect_unlocalize_(NULL);
}

/* A mistake inside an exit function that runs because of a mistake: ends all the same, with the first
 * message. */
static void bad_again(void) {
    dvmh_get_num_procs(-2);
}

static void mistake_while_ending(void) {
    atexit(bad_again);
    child_init();
    dvmh_get_num_procs(0);
}

/* What the program wrote before the mistake is not lost, and stands before the message. */
static void output_before_mistake(void) {
    dup2(STDOUT_FILENO, STDERR_FILENO);
    child_init();
    dvmh_void_printf("written before\n");
    FILE *const file = dvmh_fopen("kept", "w");
    dvmh_void_fprintf(file, "kept too");
    dvmh_get_num_procs(0);
}

int main(void) {
    child_folder(true);
    CHECK_EQ_INT(child_run(test_before_start, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(test_running, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(test_after_end, NULL, NULL, NULL), 0);
    test_exit_functions();
    child_expect_error(bad_axis, "dvmh_get_num_procs", "axis 0", true);
    child_expect_error(bad_axis_early, "dvmh_get_num_procs", "axis -1", false);
    child_expect_error(no_name, "dvmh_rename_local", "NULL", true);
    child_expect_error(unsupported, "dvmh_distribution_indirect_C", "not supported", true);
    child_expect_error(unsupported_too, "dvmh_indirect_unlocalize_", "not supported", true);
    child_expect_error(mistake_while_ending, "dvmh_get_num_procs", "axis 0", true);
    CHECK_EQ_INT(child_run(output_before_mistake, NULL, "output", NULL), 1);
    CHECK(strncmp(child_text("output"), "written before\n*** RTS err: ", 28) == 0);
    CHECK_EQ_STR(child_text("kept"), "kept too");
    child_folder(false);
    return check_finish();
}
