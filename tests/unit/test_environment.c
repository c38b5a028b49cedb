/* Environment variables, every one: default, good values and what they become, bad values and the message
 * about them; unknown names and suggestions; odd environments. The lists here are written from the
 * specification, and the test checks that they name the same variables as the printed table. */
#include <config.h>

#include "rts/environment.h"

#include "tests/check.h"

#include <unistd.h>

#define BOOLS     "1|on|yes|enable|0|off|no|disable|ON|Yes|eNaBlE"
#define BAD_BOOLS "2|-1|true|false|o|onn| 1|1 |01|yes,no|auto"
#define BAD_INTS                                                                                             \
    "-1|+1|1.0|1e3|0x10| 5|5 |5,6|abc|9223372036854775808|18446744073709551616|99999999999999999999999|-"
#define FLOATS     "0|1|1.0|0.5|.5|5.|1e3|1E+3|2.5e-10|007|1e-99999999|9.9e307|0.000"
#define BAD_FLOATS "-1|+1|nan|inf|0x1p3|1e|1e+|.|e5|1.0.0|1,5x|abc|1 x|1e309|1e999999999999999999999|1f"
#define LEVELS     "0|1|2|3|4|5|fatal|error|warning|info|debug|trace|INFO|Debug"
#define BAD_LEVELS "6|-1|warn|00|info |10|verbose"

static const struct {
    const char *name;
    const char *good; /* separated by '|' */
    const char *bad;
    const char *allowed; /* part of the message */
} variables[] = {
    {"DVMH_LOGLEVEL", LEVELS, BAD_LEVELS, "0..5 or fatal, error, warning, info, debug, trace"},
    {"DVMH_FLUSHLOGLEVEL", LEVELS, BAD_LEVELS, "0..5 or fatal, error, warning, info, debug, trace"},
    {"DVMH_LOGFILE", "log|run.%d.log|/a b/c|%s%n", NULL, "255"},
    {"DVMH_FATAL_TO_STDERR", BOOLS, BAD_BOOLS, "on"},
    {"DVMH_PROC_GRID", "1|2 2|2,3|2, 3 , 4|1\t2| 7 |2147483647",
     "0|-1|2x2|2,,2|,2|2,| |,|1 2 c|2147483648|1;2|2.0", "1..2147483647"},
    {"DVMH_NUM_THREADS", "0|1|4096|1,2,3|4 4|0 1", "4097|-1|abc|1,,2|1.5|4 x|1,|18446744073709551617",
     "a list of whole numbers 0..4096, separated by blanks or commas"},
    {"DVMH_SET_AFFINITY", "auto|AUTO|" BOOLS, "2|-1|automatic|true", "auto"},
    {"DVMH_OVERLAP", "auto|AUTO|" BOOLS, "2|-1|automatic|true", "auto"},
    {"DVMH_EXCHANGE", "auto|ipc|Staging", "0|on|mpi|ipc ", "auto, ipc, staging"},
    {"DVMH_SCHEDULE", "static|dynamic|DYNAMIC", "0|1|guided|static,dynamic|static ", "static, dynamic"},
    {"DVMH_STRATEGY", "auto|lexicographic|jam|front|tile|Tile", "0|tiles|fronts|none|jam |autojam",
     "auto, lexicographic, jam, front, tile"},
    {"DVMH_PLANNER",
     "off|OFF|greedy|Greedy|cost|COST|random:0|random:1|random:18446744073709551615|Random:007|replay:a|"
     "REPLAY:/a b/c:d|replay: |replay:off",
     "on|0|random|random:|random:-1|random:x|random:1x|random: 1|random:18446744073709551616|off:1|cost:1|"
     "greedy |replay|replay:|program|auto|costs|randomreplay:1|default",
     "off, greedy, cost, random:SEED with SEED a whole number 0..18446744073709551615, replay:FILE"},
    {"DVMH_PLANNER_SAVE", "costs|/a b/c|%s%n", NULL, "255"},
    {"DVMH_REPORT", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_REDUCE_DEPS", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_FAKE_DEVICES", "0|1|8|03", "9|" BAD_INTS, "0..8"},
    {"DVMH_IO_BUF_SIZE", "1|104857600|9223372036854775807", "0|" BAD_INTS, "1 and more"},
    {"DVMH_DEVICE_MEMORY", "1|4096|9223372036854775807", "0|" BAD_INTS, "1 and more"},
    {"DVMH_REQUIRE_CUDA", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_NUM_CUDAS", "0|1|0,1 2", "-1|x|1,,2|2147483648", "whole numbers"},
    {"DVMH_CPU_PERF", FLOATS "|1.0,0.5 .5", BAD_FLOATS "|1,,2|1;2", "decimal numbers"},
    {"DVMH_CUDAS_PERF", FLOATS "|1.0,0.5 .5", BAD_FLOATS "|1,,2|1;2", "decimal numbers"},
    {"DVMH_SCHED_TECH", "0|1|2|3|4|single|static|dynamic|Dynamic", "5|-1|guided|1.0|static,1", "0..4"},
    {"DVMH_SCHED_FILE", "Scheme.dvmh|a b", NULL, ""},
    {"DVMH_COMPARE_DEBUG", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_ON_THE_FLY_DEBUG", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_COMPARE_FLOATS_EPS", FLOATS, BAD_FLOATS "|1,2", "decimal number"},
    {"DVMH_COMPARE_DOUBLES_EPS", FLOATS, BAD_FLOATS "|1,2", "decimal number"},
    {"DVMH_COMPARE_LONGDOUBLES_EPS", FLOATS, BAD_FLOATS "|1,2", "decimal number"},
    {"DVMH_ALLOW_ASYNC", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_SYNC_CUDA", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_CUDA_PREFER_SHARED", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_CACHE_CUDA_ALLOC", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_PAGE_LOCK_HOST_MEM", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_FORTRAN_NOTATION", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_USE_GENBLOCK", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_OPT_PARAMS", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_NO_DIRECT_COPY", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_SPECIALIZE_RTC", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_PREFER_CALL_SWITCH", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_PREFER_BEST_ORDER", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_CHECK_EXCHANGE_MAP", BOOLS, BAD_BOOLS, "yes"},
    {"DVMH_NUM_VARIANTS_FOR_VAR_RTC", "0|3|100", BAD_INTS, "0 and more"},
    {"DVMH_PARALLEL_IO_THRES", "0|104857600", BAD_INTS, "0 and more"},
    {"DVMH_IO_THREAD_COUNT", "0|5", BAD_INTS, "0 and more"},
    {"DVMH_PPN", "1|4|4,4", "0|-1|x", "1..2147483647"},
    {"DVMH_ARGS", "anything at all", NULL, ""},
    {"DVMH_STACKSIZE", "unlimited|8192", NULL, ""},
};
#define VARIABLES (sizeof variables / sizeof variables[0])

static rts_environment_t environment;
static char captured[200000];

/* Read one "NAME=value", or nothing. */
static rts_status_t read_one(const char *entry) {
    char *block[] = {(char *)(uintptr_t)entry, NULL};
    memset(&environment, 0x77, sizeof environment);
    return rts_environment_read(block, &environment);
}

/* The log between the two calls. */
static char log_name[] = "test_environment.XXXXXX";

static void capture_begin(void) {
    if (rts_log_open(RTS_LOG_WARNING, RTS_LOG_TRACE, log_name, false, 0, 1) != RTS_OK)
        check_skip("no temporary file");
}

static const char *capture_finish(void) {
    rts_log_close();
    FILE *file = fopen(log_name, "r");
    captured[file != NULL ? fread(captured, 1, sizeof captured - 1, file) : 0] = '\0';
    if (file != NULL)
        fclose(file);
    return captured;
}

static bool is_default(const rts_environment_t *e) {
    return e->log_level == RTS_LOG_WARNING && e->flush_log_level == RTS_LOG_FATAL && e->log_file[0] == '\0' &&
           e->fatal_to_stderr && e->num_threads.count == 0 && e->proc_grid.count == 0 &&
           e->set_affinity == -1 && e->overlap == -1 && !e->reduce_deps &&
           e->planner_mode == RTS_PLANNER_PROGRAM && e->planner_seed == 0 && e->planner_file[0] == '\0' &&
           e->planner_save[0] == '\0' && !e->report && e->strategy == RTS_CHOICE_AUTO &&
           !e->schedule_dynamic && e->fake_devices == 0 && e->device_memory == 0 && e->num_cudas.count == 0 &&
           !e->require_cuda && e->cache_cuda_alloc;
}

static void test_defaults(void) {
    rts_environment_t defaults;
    rts_environment_defaults(&defaults);
    CHECK(is_default(&defaults));
    char *none[] = {NULL};
    CHECK_EQ_INT(rts_environment_read(none, &environment), RTS_OK);
    CHECK(is_default(&environment));
    for (size_t i = 0; i < VARIABLES; i++) {
        char entry[100];
        snprintf(entry, sizeof entry, "%s=", variables[i].name);
        CHECK_EQ_INT(read_one(entry), RTS_OK);
        CHECK(is_default(&environment));
    }
}

static void test_forms(void) {
    static char values[1000], entry[1100], expected[300];
    capture_begin();
    for (size_t i = 0; i < VARIABLES; i++) {
        snprintf(values, sizeof values, "%s", variables[i].good);
        for (char *value = strtok(values, "|"); value != NULL; value = strtok(NULL, "|")) {
            snprintf(entry, sizeof entry, "%s=%s", variables[i].name, value);
            if (!CHECK_EQ_INT(read_one(entry), RTS_OK))
                fprintf(stderr, "  %s\n", entry);
        }
        snprintf(values, sizeof values, "%s", variables[i].bad != NULL ? variables[i].bad : "");
        for (char *value = strtok(values, "|"); value != NULL; value = strtok(NULL, "|")) {
            snprintf(entry, sizeof entry, "%s=%s", variables[i].name, value);
            if (!CHECK_EQ_INT(read_one(entry), RTS_ERR_INVALID))
                fprintf(stderr, "  %s\n", entry);
            CHECK_EQ_INT(environment.fake_devices, 0x77777777); /* untouched */
            snprintf(expected, sizeof expected, "%s: '%s' is not allowed; allowed: ", variables[i].name,
                     value);
            CHECK(strncmp(rts_error_text(), expected, strlen(expected)) == 0);
            CHECK_CONTAINS(rts_error_text() + strlen(expected), variables[i].allowed);
        }
    }
    CHECK_EQ_STR(capture_finish(), "");
}

static void test_message(void) {
    CHECK_EQ_INT(read_one("DVMH_NUM_THREADS=abc"), RTS_ERR_INVALID);
    CHECK_EQ_STR(rts_error_text(),
                 "DVMH_NUM_THREADS: 'abc' is not allowed; allowed: a list of whole numbers 0..4096, "
                 "separated by blanks or commas, at most 64");
}

#define READ(entry) CHECK_EQ_INT(read_one(entry), RTS_OK)

static void test_scalars(void) {
    static const char *const levels[] = {"fatal", "error", "warning", "info", "debug", "trace"};
    static const char *const strategies[] = {"auto", "lexicographic", "jam", "front", "tile"};
    static const char *const on[] = {"1", "on", "yes", "enable", "On", "YES"};
    static const char *const off[] = {"0", "off", "no", "disable", "Off", "NO"};
    char entry[100];
    for (int i = 0; i <= 5; i++) {
        snprintf(entry, sizeof entry, "DVMH_LOGLEVEL=%d", i);
        READ(entry);
        CHECK_EQ_INT(environment.log_level, i);
        snprintf(entry, sizeof entry, "DVMH_LOGLEVEL=%s", levels[i]);
        READ(entry);
        CHECK_EQ_INT(environment.log_level, i);
        snprintf(entry, sizeof entry, "DVMH_FLUSHLOGLEVEL=%s", levels[i]);
        READ(entry);
        CHECK_EQ_INT(environment.flush_log_level, i);
        CHECK_EQ_INT(environment.log_level, RTS_LOG_WARNING);

        for (int value = 0; value <= 1; value++) {
            const char *word = value == 1 ? on[i] : off[i];
            snprintf(entry, sizeof entry, "DVMH_REDUCE_DEPS=%s", word);
            READ(entry);
            CHECK_EQ_INT(environment.reduce_deps, value);
            snprintf(entry, sizeof entry, "DVMH_FATAL_TO_STDERR=%s", word);
            READ(entry);
            CHECK_EQ_INT(environment.fatal_to_stderr, value);
            snprintf(entry, sizeof entry, "DVMH_SET_AFFINITY=%s", word);
            READ(entry);
            CHECK_EQ_INT(environment.set_affinity, value);
            snprintf(entry, sizeof entry, "DVMH_OVERLAP=%s", word);
            READ(entry);
            CHECK_EQ_INT(environment.overlap, value);
        }
    }
    for (int i = 0; i < 5; i++) {
        snprintf(entry, sizeof entry, "DVMH_STRATEGY=%s", strategies[i]);
        READ(entry);
        CHECK_EQ_INT(environment.strategy, i);
    }
    READ("DVMH_SET_AFFINITY=auto");
    CHECK_EQ_INT(environment.set_affinity, -1);
    READ("DVMH_OVERLAP=auto");
    CHECK_EQ_INT(environment.overlap, -1);
    READ("DVMH_SCHEDULE=dynamic");
    CHECK(environment.schedule_dynamic);
    READ("DVMH_SCHEDULE=static");
    CHECK(!environment.schedule_dynamic);
    READ("DVMH_FAKE_DEVICES=8");
    CHECK_EQ_INT(environment.fake_devices, 8);
    READ("DVMH_PLANNER=random:18446744073709551615");
    CHECK_EQ_INT(environment.planner_mode, RTS_PLANNER_RANDOM);
    CHECK(environment.planner_seed == UINT64_MAX);
    CHECK_EQ_STR(environment.planner_file, "");
    READ("DVMH_PLANNER=off");
    CHECK_EQ_INT(environment.planner_mode, RTS_PLANNER_OFF);
    CHECK(environment.planner_seed == 0);
    READ("DVMH_PLANNER=greedy");
    CHECK_EQ_INT(environment.planner_mode, RTS_PLANNER_GREEDY);
    READ("DVMH_PLANNER=cost");
    CHECK_EQ_INT(environment.planner_mode, RTS_PLANNER_COST);
    READ("DVMH_PLANNER=Replay:Some File:7");
    CHECK_EQ_INT(environment.planner_mode, RTS_PLANNER_REPLAY);
    CHECK_EQ_STR(environment.planner_file, "Some File:7");
    READ("DVMH_PLANNER=replay:random:3"); /* a file of that name */
    CHECK_EQ_INT(environment.planner_mode, RTS_PLANNER_REPLAY);
    CHECK_EQ_STR(environment.planner_file, "random:3");
    CHECK(environment.planner_seed == 0);
    READ("DVMH_PLANNER_SAVE=costs.txt");
    CHECK_EQ_STR(environment.planner_save, "costs.txt");
    CHECK_EQ_INT(environment.planner_mode, RTS_PLANNER_PROGRAM);
    READ("DVMH_REPORT=on");
    CHECK(environment.report);
    READ("DVMH_NUM_CUDAS=3 0");
    CHECK(environment.num_cudas.count == 2 && environment.num_cudas.value[0] == 3 &&
          environment.num_cudas.value[1] == 0);
    READ("DVMH_REQUIRE_CUDA=on");
    CHECK(environment.require_cuda);
    READ("DVMH_CACHE_CUDA_ALLOC=0");
    CHECK(!environment.cache_cuda_alloc);
    READ("DVMH_DEVICE_MEMORY=1048576");
    CHECK_EQ_INT(environment.device_memory, 1048576);
    READ("DVMH_PPN=3 4"); /* no effect */
    CHECK(is_default(&environment));
}

static void test_lists_and_strings(void) {
    static char entry[100000];
    READ("DVMH_NUM_THREADS= 4,0 4096\t7 , 1 ");
    const int64_t expected[] = {4, 0, 4096, 7, 1};
    CHECK_EQ_INT(environment.num_threads.count, 5);
    for (int i = 0; i < 5; i++)
        CHECK_EQ_INT(environment.num_threads.value[i], expected[i]);
    READ("DVMH_PROC_GRID=2 3");
    CHECK_EQ_INT(environment.proc_grid.count, 2);
    CHECK_EQ_INT(environment.proc_grid.value[0], 2);
    CHECK_EQ_INT(environment.proc_grid.value[1], 3);
    CHECK_EQ_INT(environment.num_threads.count, 0);

    strcpy(entry, "DVMH_PROC_GRID=1");
    for (int i = 2; i <= 64; i++)
        sprintf(entry + strlen(entry), " %d", i);
    READ(entry);
    CHECK_EQ_INT(environment.proc_grid.count, 64);
    CHECK_EQ_INT(environment.proc_grid.value[63], 64);
    strcat(entry, " 65");
    CHECK_EQ_INT(read_one(entry), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "at most 64");

    strcpy(entry, "DVMH_LOGFILE=");
    memset(entry + 13, 'f', 255);
    entry[13 + 255] = '\0';
    READ(entry);
    CHECK_EQ_STR(environment.log_file, entry + 13);
    strcat(entry, "g");
    CHECK_EQ_INT(read_one(entry), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "255 bytes");

    static const char *const names[] = {"DVMH_PLANNER_SAVE=", "DVMH_PLANNER=replay:"};
    for (int i = 0; i < 2; i++) {
        const size_t head = strlen(names[i]);
        strcpy(entry, names[i]);
        memset(entry + head, 'f', 255);
        entry[head + 255] = '\0';
        READ(entry);
        CHECK_EQ_STR(i == 0 ? environment.planner_save : environment.planner_file, entry + head);
        strcat(entry, "g");
        CHECK_EQ_INT(read_one(entry), RTS_ERR_INVALID);
        CHECK_CONTAINS(rts_error_text(), "255 bytes");
    }

    strcpy(entry, "DVMH_FAKE_DEVICES=");
    memset(entry + strlen(entry), '9', 90000);
    CHECK_EQ_INT(read_one(entry), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "9...' is not allowed; allowed: a whole number 0..8");
    CHECK_EQ_INT(read_one("DVMH_FAKE_DEVICES=\n\x1b[0m\xff"), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "'??[0m\xff'");
}

/* One warning a name, with the right suggestion or none. */
static void test_unknown(void) {
    static const struct {
        const char *entry;
        const char *message;
    } cases[] = {
        {"DVMH_NUM_THREAD=4",
         "unknown environment variable DVMH_NUM_THREAD; did you mean DVMH_NUM_THREADS?\n"},
        {"DVMH_LGOLEVEL=4", "unknown environment variable DVMH_LGOLEVEL; did you mean DVMH_LOGLEVEL?\n"},
        {"DVMH_loglevel=x", "unknown environment variable DVMH_loglevel; did you mean DVMH_LOGLEVEL?\n"},
        {"DVMH_PLANNERS=", "unknown environment variable DVMH_PLANNERS; did you mean DVMH_PLANNER?\n"},
        {"DVMH_XPPN=", "unknown environment variable DVMH_XPPN; did you mean DVMH_PPN?\n"},
        {"DVMH_PQQNNER=1", "unknown environment variable DVMH_PQQNNER; did you mean DVMH_PLANNER?\n"},
        {"DVMH_PQQQNER=1", "unknown environment variable DVMH_PQQQNER\n"},
        {"DVMH_COLOUR=blue", "unknown environment variable DVMH_COLOUR\n"},
        {"DVMH_A\n\x01=1", "unknown environment variable DVMH_A??\n"},
    };
    char expected[200];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        capture_begin();
        READ(cases[i].entry);
        CHECK(is_default(&environment));
        snprintf(expected, sizeof expected, "dvmh: warning: %s", cases[i].message);
        CHECK_EQ_STR(capture_finish(), expected);
    }
    static const char *const quiet[] =
        {"DVMH=1",  "DVM_X=1",        "dvmh_x=1", "XDVMH_NUM=1", "PATH=DVMH_X=1",
         "DVMH_NO", "DVMH_LOGLEVEL2", "",         "=",           "=DVMH_X=1"};
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        capture_begin();
        READ(quiet[i]);
        CHECK(is_default(&environment));
        CHECK_EQ_STR(capture_finish(), "");
    }
    /* The level that the environment asks for holds for its own warnings too. */
    char level[] = "DVMH_LOGLEVEL=error", unknown[] = "DVMH_UNKNOWN_NAME=1";
    char *block[] = {unknown, level, NULL};
    capture_begin();
    CHECK_EQ_INT(rts_environment_read(block, &environment), RTS_OK);
    CHECK_EQ_STR(capture_finish(), "");
}

static void test_many(void) {
    static char entries[3000][64];
    static char *block[3003];
    char first[] = "DVMH_FAKE_DEVICES=2", second[] = "DVMH_FAKE_DEVICES=3";
    for (int i = 0; i < 3000; i++) {
        snprintf(entries[i], sizeof entries[i], i % 2 == 0 ? "DVMH_SOME_OTHER_NAME_%d=%d" : "OTHER_%d=%d", i,
                 i);
        block[i + 1] = entries[i];
    }
    block[0] = first;
    block[3001] = second;
    capture_begin();
    CHECK_EQ_INT(rts_environment_read(block, &environment), RTS_OK);
    capture_finish();
    int lines = 0;
    for (const char *c = captured; *c != '\0'; c++)
        lines += *c == '\n';
    CHECK_EQ_INT(lines, 1500);
    CHECK_EQ_INT(environment.fake_devices, 2); /* the first of a name counts, as for getenv */

    static char longest[200000];
    memset(longest, 'L', sizeof longest - 3);
    memcpy(longest, "DVMH_", 5);
    longest[sizeof longest - 3] = '=';
    capture_begin();
    READ(longest);
    capture_finish();
    CHECK(strlen(captured) < 200);
    CHECK_CONTAINS(captured, "unknown environment variable DVMH_LLLLL");
}

/* The names of the printed table, and what print_values says about each. */
static void test_print(void) {
    static char text[100000];
    FILE *file = fmemopen(text, sizeof text, "w");
    if (file == NULL)
        check_skip("no memory streams");
    rts_environment_print_markdown(file);
    fclose(file);
    const char *line_end = strchr(text, '\n');
    CHECK(line_end != NULL && strstr(text, "enerated") != NULL && strstr(text, "enerated") < line_end);
    size_t rows = 0;
    for (char *row = strstr(text, "| `DVMH_"); row != NULL; row = strstr(row + 1, "| `DVMH_"), rows++) {
        int bars = 0;
        size_t known = 0;
        const size_t length = strcspn(row + 3, "`");
        for (const char *c = row; *c != '\n' && *c != '\0'; c++)
            bars += *c == '|';
        CHECK_EQ_INT(bars, 5);
        CHECK(strstr(row, "(null)") == NULL && strstr(row, "|  |") == NULL);
        while (known < VARIABLES && (strlen(variables[known].name) != length ||
                                     strncmp(variables[known].name, row + 3, length) != 0))
            known++;
        CHECK(known < VARIABLES);
    }
    CHECK_EQ_INT(rows, VARIABLES);
    CHECK_CONTAINS(
        text,
        "| `DVMH_SYNC_CUDA` | 0 | 1, on, yes, enable, 0, off, no, disable | accepted for scripts of the "
        "DVM-system; no effect in this version |");

    char good[] = "DVMH_NUM_THREADS=3", bad[] = "DVMH_PLANNER=x", again[] = "DVMH_NUM_THREADS=4",
         other[] = "A=B";
    char *block[] = {other, good, bad, again, NULL};
    memset(text, 0, sizeof text);
    file = fmemopen(text, sizeof text, "w");
    rts_environment_print_values(file, block);
    fclose(file);
    CHECK_CONTAINS(text, "DVMH_NUM_THREADS=3  (set)\n");
    CHECK_CONTAINS(text, "DVMH_PLANNER=x  (not allowed; allowed: off, greedy, cost, random:SEED");
    CHECK_CONTAINS(text, "DVMH_LOGLEVEL=warning  (default)\n");
    rows = 0;
    for (const char *c = text; *c != '\0'; c++)
        rows += *c == '\n';
    CHECK_EQ_INT(rows, VARIABLES);
}

int main(void) {
    const int descriptor = mkstemp(log_name);
    if (descriptor < 0)
        check_skip("no temporary file");
    close(descriptor);
    test_defaults();
    test_forms();
    test_message();
    test_scalars();
    test_lists_and_strings();
    test_unknown();
    test_many();
    test_print();
    unlink(log_name);
    return check_finish();
}
