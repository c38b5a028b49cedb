/* Loops without memory for their layouts: whichever allocation fails, results are right or the failure is told, each array is warned
 * about at most once, and nothing leaks. */
#include <config.h>

#include "rts/exec.h"

#include "tests/unit/exec_example.h"

#include <unistd.h>

enum { LOOPS = 4, TIMES = 3 };

static char log_name[64];
static int host_instead; /* loops that a device had no memory for */

/* How often a text stands in the log. */
static int told(const char *text) {
    static char all[65536];
    FILE *const file = fopen(log_name, "r");
    size_t length = 0;
    int count = 0;
    if (file != NULL) {
        length = fread(all, 1, sizeof all - 1, file);
        fclose(file);
    }
    all[length] = '\0';
    for (const char *at = strstr(all, text); at != NULL; at = strstr(at + 1, text))
        count++;
    return count;
}

/* Some regions of the same loops. @return the status that ended them */
static rts_status_t run_loops(const example_loop_t loop[]) {
    for (int times = 0; times < TIMES; times++) {
        rts_region_t *region = NULL;
        RTS_TRY(rts_region_open(0, &region));
        for (int array = 0; array < 3; array++)
            RTS_TRY(rts_region_register(region, example_arrays[array].array,
                                        array < 2 ? RTS_INTENT_IN | RTS_INTENT_OUT : RTS_INTENT_IN, NULL));
        RTS_TRY(rts_region_execute(region, DEVICE_TYPE_HOST));
        for (int i = 0; i < LOOPS; i++) {
            RTS_TRY(example_perform(&loop[i], region));
            example_model(&loop[i]);
        }
        RTS_TRY(rts_region_close(region));
    }
    return RTS_OK;
}

/* The n-th allocation of a program's loops fails. @return false when there are fewer */
static bool fail_at(const char *planner, int devices, int n, int *survived) {
    example_loop_t loop[LOOPS];
    open_program(planner, devices);
    for (int i = 0; i < LOOPS; i++) {
        random_loop(&loop[i], i % 2, 1 - i % 2, i < 2, PART);
        loop[i].is_query = false;
    }
    const int64_t calls = rts_memory_calls();
    rts_memory_fail_at(n);
    const rts_status_t status = run_loops(loop);
    rts_memory_fail_at(0);
    const bool failed = rts_memory_calls() - calls >= n;
    if (status != RTS_OK) {
        CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        CHECK_CONTAINS(rts_error_text(), "no memory for ");
        CHECK(failed);
    } else {
        for (int i = 0; i < EXAMPLE_ARRAYS; i++) {
            CHECK_EQ_INT(rts_coherence_fetch(example_arrays[i].array, 0, NULL), RTS_OK);
            CHECK(example_check_home(&example_arrays[i]));
        }
        *survived += failed;
    }
    close_program();
    const int fallen_back = told("runs on the host instead"),
              warnings = told("does without the layout") + fallen_back;
    host_instead += fallen_back;
    CHECK(warnings <= (failed ? 1 : 0));
    if (told("does without the layout") > 0)
        CHECK(told("no memory for ") == 1 && told(" bytes)") == 1);
    CHECK_EQ_INT(rts_memory_live(), 0);
    unlink(log_name);
    return failed;
}

static void test_every_allocation(const char *planner, int devices) {
    int n = 1, survived = 0;
    while (n < 200 && fail_at(planner, devices, n, &survived))
        n++;
    CHECK(survived > 1);
}

/* Arrays that new layouts have no memory for, again and again: one warning each, and results are right. */
static void test_warnings(void) {
    example_loop_t loop;
    int failures = 0;
    open_program("random:5", 0);
    random_loop(&loop, 0, 1, true, PART);
    for (int times = 0; times < 60; times++) {
        rts_region_t *region = NULL;
        CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
        for (int array = 0; array < 3; array++) {
            rts_coherence_release(example_arrays[array].array); /* so that a replica is made anew */
            CHECK_EQ_INT(rts_region_register(region, example_arrays[array].array,
                                             RTS_INTENT_IN | RTS_INTENT_OUT, NULL),
                         RTS_OK);
        }
        const int64_t calls = rts_memory_calls();
        rts_memory_fail_at(times < 3 ? 0 : 1 + times % 3);
        const rts_status_t status = example_perform(&loop, region);
        failures += times >= 3 && rts_memory_calls() - calls > times % 3;
        rts_memory_fail_at(0);
        if (status == RTS_OK)
            example_model(&loop);
        else
            CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
        for (int array = 0; array < 3; array++)
            CHECK_EQ_INT(rts_coherence_fetch(example_arrays[array].array, 0, NULL), RTS_OK);
        if (!CHECK(example_check_home(&example_arrays[0])))
            break;
    }
    close_program();
    const int warnings = told("does without the layout");
    CHECK(failures > 10 && warnings >= 1 && warnings <= loop.use_count);
    unlink(log_name);
}

int main(void) {
    check_random_start();
    snprintf(log_name, sizeof log_name, "test_exec_memory.%ld.log", (long)getpid());
    setenv("DVMH_SET_AFFINITY", "0", 1);
    setenv("DVMH_LOGFILE", log_name, 1);
    for (int devices = 0; devices < 2; devices++) {
        test_every_allocation("random:1", devices);
        test_every_allocation("random:2", devices);
        test_every_allocation("greedy", devices);
        test_every_allocation("cost", devices);
    }
    CHECK(host_instead > 0);
    test_warnings();
    return check_finish();
}
