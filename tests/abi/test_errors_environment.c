/* Environment variables as the user of a program meets them: an unknown name is warned about and the program
 * goes on, a bad value ends it with one message that names variable, value and what is allowed. */
#include "tests/abi/child.h"

#include <dvmhlib_stdio.h>

typedef struct setting {
    const char *name, *value, *allowed;
} setting_t;

static const setting_t bad[] = {
    {"DVMH_NUM_THREADS", "many", "0..4096"},
    {"DVMH_NUM_THREADS", "-1", "0..4096"},
    {"DVMH_NUM_THREADS", "4097", "0..4096"},
    {"DVMH_NUM_THREADS", "2,,2", "0..4096"},
    {"DVMH_LOGLEVEL", "6", "0..5"},
    {"DVMH_LOGLEVEL", "loud", "trace"},
    {"DVMH_FLUSHLOGLEVEL", "-1", "0..5"},
    {"DVMH_FATAL_TO_STDERR", "maybe", "1, on, yes, enable, 0, off, no, disable"},
    {"DVMH_PROC_GRID", "0", "1..2147483647"},
    {"DVMH_PROC_GRID", "1x1", "1..2147483647"},
    {"DVMH_SET_AFFINITY", "2", "auto, 1, on"},
    {"DVMH_SCHEDULE", "guided", "static, dynamic"},
    {"DVMH_STRATEGY", "fast", "auto, lexicographic, jam, front, tile"},
    {"DVMH_PLANNER", "random", "off, greedy, cost, random:SEED"},
    {"DVMH_PLANNER", "random:-1", "off, greedy, cost, random:SEED"},
    {"DVMH_PLANNER", "replay:", "replay:FILE with a file name of at most 255 bytes"},
    {"DVMH_REPORT", "please", "1, on, yes"},
    {"DVMH_REDUCE_DEPS", "2", "1, on, yes"},
    {"DVMH_OVERLAP", "2", "auto, 1, on"},
    {"DVMH_FAKE_DEVICES", "9", "0..8"},
    {"DVMH_FAKE_DEVICES", "1.5", "0..8"},
    {"DVMH_IO_BUF_SIZE", "0", "1 and more"},
    {"DVMH_IO_BUF_SIZE", "9223372036854775808", "1 and more"},
    {"DVMH_SCHED_TECH", "5", "0..4"}, /* without effect here, checked all the same */
    {"DVMH_CPU_PERF", "fast", "decimal numbers"},
    {"DVMH_USE_GENBLOCK", "2", "1, on, yes"},
};

static const setting_t *current;

static void start(void) {
    alarm(60);
    setenv(current->name, current->value, 1);
    child_init();
    child_exit();
}

static void test_bad_values(void) {
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char given[128];
        current = &bad[i];
        snprintf(given, sizeof given, "%s: '%s' is not allowed; allowed: ", current->name, current->value);
        child_expect_error(start, "dvmh_init_C", given, true);
        CHECK_CONTAINS(child_text("errors"), current->allowed);
    }
}

/* Allowed alone, but not together with the processes there are. */
static void test_process_grid(void) {
    static const setting_t grids[] = {{"DVMH_PROC_GRID", "2", "asks for 2 processes, but 1"},
                                      {"DVMH_PROC_GRID", "3 5", "asks for 15 processes, but 1"},
                                      {"DVMH_PROC_GRID", "2147483647 2147483647 2147483647",
                                       "processes, but 1"},
                                      {"DVMH_PROC_GRID", "1 1 1 1 1 1 1 1 1",
                                       "has 9 axes; allowed: at most 8"}};
    static const setting_t good[] = {{"DVMH_PROC_GRID", "1", ""}, {"DVMH_PROC_GRID", "1,1 1", ""}};
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        current = &grids[i];
        child_expect_error(start, "dvmh_init_C", current->allowed, true);
        CHECK_CONTAINS(child_text("errors"), "DVMH_PROC_GRID");
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        current = &good[i];
        CHECK_EQ_INT(child_run(start, NULL, NULL, "errors"), 0);
        CHECK_EQ_STR(child_text("errors"), "");
    }
}

static void expect_warning(const char *name, const char *line) {
    const setting_t setting = {name, "1", ""};
    current = &setting;
    CHECK_EQ_INT(child_run(start, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), line);
}

static void start_quietly(void) {
    setenv("DVMH_LOGLEVEL", "error", 1);
    start();
}

static void test_unknown_names(void) {
    expect_warning(
        "DVMH_NUM_THREDS",
        "dvmh: warning: unknown environment variable DVMH_NUM_THREDS; did you mean DVMH_NUM_THREADS?\n");
    expect_warning("DVMH_COFFEE", "dvmh: warning: unknown environment variable DVMH_COFFEE\n");
    expect_warning("DVMH_", "dvmh: warning: unknown environment variable DVMH_\n");
    expect_warning("DVM_NUM_THREADS", "");
    const setting_t setting = {"DVMH_COFFEE", "1", ""};
    current = &setting;
    CHECK_EQ_INT(child_run(start_quietly, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), "");
}

static void log_to_missing_folder(void) {
    setenv("DVMH_LOGFILE", "missing/log", 1);
    child_init();
}

/* With a log file the message goes there too, and standard error has it all the same. */
static void test_log_file(void) {
    static const setting_t setting = {"DVMH_LOGFILE", "log%d", ""};
    child_expect_error(log_to_missing_folder, "dvmh_init_C", "'missing/log' cannot be created", true);
    current = &setting;
    CHECK_EQ_INT(child_run(start, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), "");
    CHECK_EQ_INT(access("log0", F_OK), 0);
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        CHECK_EQ_INT(fclose(file), 0);
    }
}

/* A file of costs that cannot be used ends the program at the start: which file, where, what is there, what should be. */
static void test_replay(void) {
    static const setting_t missing = {"DVMH_PLANNER", "replay:missing", ""};
    static const setting_t folder = {"DVMH_PLANNER", "replay:.", ""};
    static const setting_t file = {"DVMH_PLANNER", "replay:costs", ""};
    current = &missing;
    child_expect_error(start, "dvmh_init_C", "costs in 'missing' cannot be read: No such file", true);
    current = &folder;
    child_expect_error(start, "dvmh_init_C", "costs in '.' cannot be read: Is a directory", true);
    current = &file;
    write_file("costs", "");
    child_expect_error(start, "dvmh_init_C",
                       "costs in 'costs', line 1: 'end of file' found; expected: dvmh-rts costs 1", true);
    write_file("costs", "dvmh-rts costs 1\nrate 1e9\ncost 0123456789abcdef fast \"\" \"jam\"\nend 1\n");
    child_expect_error(start, "dvmh_init_C",
                       "line 3: 'fast \"\" \"jam\"' found; expected: seconds, a decimal number", true);
    write_file("costs", "dvmh-rts costs 1\nrate 1e9\nend 0\n");
    CHECK_EQ_INT(child_run(start, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), "");
}

/* A file for costs that cannot be had is told before the work is done. */
static void test_save(void) {
    static const setting_t good = {"DVMH_PLANNER_SAVE", "saved", ""};
    static const setting_t impossible = {"DVMH_PLANNER_SAVE", "missing/saved", ""};
    current = &good;
    CHECK_EQ_INT(child_run(start, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), "");
    CHECK(strncmp(child_text("saved"), "dvmh-rts costs 1\nrate ", 22) == 0);
    CHECK_CONTAINS(child_text("saved"), "\nend 0\n");
    CHECK(access("saved.tmp", F_OK) != 0);
    current = &impossible;
    child_expect_error(start, "dvmh_init_C", "'missing/saved' cannot be created in the folder 'missing'",
                       true);
}

static void start_with_output(void) {
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    setenv("DVMH_REPORT", "1", 1);
    child_init();
    dvmh_void_printf("output\n");
    child_exit();
}

/* The report comes on standard error, after what the program printed. */
static void test_report(void) {
    CHECK_EQ_INT(child_run(start_with_output, NULL, "both", "errors"), 0);
    CHECK_EQ_STR(child_text("both"), "output\n");
    CHECK(strncmp(child_text("errors"), "== DVMH report: loops ran 0 times", 33) == 0);
}

int main(void) {
    child_folder(true);
    test_bad_values();
    test_process_grid();
    test_unknown_names();
    test_log_file();
    test_replay();
    test_save();
    test_report();
    child_folder(false);
    return check_finish();
}
