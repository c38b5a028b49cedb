/* Fuzzing of the environment variables' parser. The input is an environment block: entries separated by NUL.
 * Whatever it holds, the parser must either fill in values within their ranges or fail with a message that
 * names a variable. As a libFuzzer target by default; with -DFUZZ_STANDALONE a program of its own that makes
 * its inputs from a printed seed (CHECK_SEED) for some seconds (FUZZ_SECONDS, default 3), which is what `make
 * check` runs. */
#include <config.h>

#include "rts/environment.h"
#include "rts/stats.h"

#include "tests/check.h"

#define ENTRIES_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}
#define REQUIRE(condition) require(condition, #condition)

static void check_list(const rts_int_list_t *list, int64_t min, int64_t max) {
    REQUIRE(list->count >= 0 && list->count <= RTS_ENVIRONMENT_LIST_MAX);
    for (int i = 0; i < list->count; i++)
        REQUIRE(list->value[i] >= min && list->value[i] <= max);
}

static void check_values(const rts_environment_t *e) {
    REQUIRE(e->log_level >= RTS_LOG_FATAL && e->log_level <= RTS_LOG_TRACE);
    REQUIRE(e->flush_log_level >= RTS_LOG_FATAL && e->flush_log_level <= RTS_LOG_TRACE);
    REQUIRE(memchr(e->log_file, '\0', sizeof e->log_file) != NULL);
    check_list(&e->num_threads, 0, 4096);
    check_list(&e->proc_grid, 1, INT32_MAX);
    REQUIRE(e->set_affinity >= -1 && e->set_affinity <= 1);
    REQUIRE(e->overlap >= -1 && e->overlap <= 1);
    REQUIRE(e->planner_mode >= RTS_PLANNER_OFF && e->planner_mode <= RTS_PLANNER_PROGRAM);
    REQUIRE(e->planner_mode == RTS_PLANNER_RANDOM || e->planner_seed == 0);
    REQUIRE(memchr(e->planner_file, '\0', sizeof e->planner_file) != NULL);
    REQUIRE((e->planner_mode == RTS_PLANNER_REPLAY) == (e->planner_file[0] != '\0'));
    REQUIRE(memchr(e->planner_save, '\0', sizeof e->planner_save) != NULL);
    REQUIRE(e->strategy >= RTS_CHOICE_AUTO && e->strategy <= RTS_CHOICE_TILE);
    REQUIRE(e->fake_devices >= 0 && e->fake_devices <= 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    static char *block[ENTRIES_MAX + 1];
    static rts_environment_t filled, before;
    if (nowhere == NULL) {
        nowhere = fopen("/dev/null", "w");
        REQUIRE(nowhere != NULL);
        REQUIRE(rts_log_open(RTS_LOG_WARNING, RTS_LOG_FATAL, "/dev/null", false, 0, 1) == RTS_OK);
    }
    char *text = malloc(size + 1);
    REQUIRE(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    int count = 0;
    for (size_t at = 0; at <= size && count < ENTRIES_MAX; at += strlen(text + at) + 1)
        block[count++] = text + at;
    block[count] = NULL;

    memset(&filled, 0x55, sizeof filled);
    before = filled;
    const rts_status_t status = rts_environment_read(block, &filled);
    if (status == RTS_OK) {
        check_values(&filled);
    } else {
        REQUIRE(status == RTS_ERR_INVALID);
        REQUIRE(memcmp(&filled, &before, sizeof filled) == 0);
        REQUIRE(strncmp(rts_error_text(), "DVMH_", 5) == 0);
        REQUIRE(strstr(rts_error_text(), "' is not allowed; allowed: ") != NULL);
    }
    rts_environment_print_values(nowhere, block);
    free(text);
    return 0;
}

#ifdef FUZZ_STANDALONE

#define INPUT_MAX 3000

/* Pieces that get past the first checks. */
static const char *const names[] = {"DVMH_LOGLEVEL",
                                    "DVMH_FLUSHLOGLEVEL",
                                    "DVMH_LOGFILE",
                                    "DVMH_FATAL_TO_STDERR",
                                    "DVMH_PROC_GRID",
                                    "DVMH_NUM_THREADS",
                                    "DVMH_SET_AFFINITY",
                                    "DVMH_SCHEDULE",
                                    "DVMH_STRATEGY",
                                    "DVMH_PLANNER",
                                    "DVMH_PLANNER_SAVE",
                                    "DVMH_REPORT",
                                    "DVMH_OVERLAP",
                                    "DVMH_FAKE_DEVICES",
                                    "DVMH_IO_BUF_SIZE",
                                    "DVMH_CPU_PERF",
                                    "DVMH_SCHED_TECH",
                                    "DVMH_PPN",
                                    "DVMH_REDUCE_DEPS",
                                    "DVMH_NUM_THREAD",
                                    "DVMH_COMPARE_FLOATS_EPS",
                                    "DVMH_",
                                    "PATH"};
static const char *const values[] = {"",
                                     "0",
                                     "1",
                                     "on",
                                     "auto",
                                     "off",
                                     "random:",
                                     "random:17",
                                     "replay:",
                                     "replay:costs",
                                     "greedy",
                                     "cost",
                                     "4096",
                                     "1.5e",
                                     "1e-7",
                                     " ",
                                     ",",
                                     "1, 2",
                                     "warning",
                                     "lexicographic",
                                     "static",
                                     "9",
                                     ".",
                                     "-1",
                                     "0x1",
                                     "nan",
                                     "+",
                                     "5",
                                     "18446744073709551615"};

static size_t put(char *input, size_t length, const char *piece) {
    const size_t more = strlen(piece);
    if (length + more >= INPUT_MAX)
        return length;
    memcpy(input + length, piece, more);
    return length + more;
}

static size_t make_input(char *input) {
    size_t length = 0;
    const int64_t entries = check_random_once_in(50) ? check_random_range(50, 200) : check_random_range(1, 5);
    for (int64_t i = 0; i < entries; i++) {
        length =
            put(input, length, names[check_random_range(0, (int64_t)(sizeof names / sizeof names[0]) - 1)]);
        if (!check_random_once_in(30))
            length = put(input, length, "=");
        for (int64_t k = check_random_once_in(20) ? 90 : check_random_range(1, 3); k > 0; k--)
            length = put(input, length,
                         values[check_random_range(0, (int64_t)(sizeof values / sizeof values[0]) - 1)]);
        if (length < INPUT_MAX)
            input[length++] = '\0';
    }
    for (int64_t k = check_random_once_in(2) ? 0 : check_random_range(1, 4); k > 0 && length > 0; k--)
        input[check_random_range(0, (int64_t)length - 1)] = (char)check_random_u64();
    if (check_random_once_in(20))
        for (length = (size_t)check_random_range(0, 300); length > 0 && check_random_range(0, 99) > 0;
             length--)
            input[length - 1] = (char)check_random_u64();
    return length;
}

int main(void) {
    static char input[INPUT_MAX];
    const char *text = getenv("FUZZ_SECONDS");
    const long seconds = text != NULL ? atol(text) : 3;
    const int64_t end = rts_clock_ns() + (int64_t)seconds * 1000000000;
    int64_t count = 0;
    check_random_start();
    while (rts_clock_ns() < end || count < 100) {
        LLVMFuzzerTestOneInput((const uint8_t *)input, make_input(input));
        count++;
    }
    printf("%" PRId64 " inputs\n", count);
    return check_finish();
}

#endif
