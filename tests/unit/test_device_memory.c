/* Devices whose memory holds a part of the program's arrays only: replicas leave for others, the longest unused first, newest values go home
 * before, what a loop uses stays, and results are right whatever the limit. */
#include <config.h>

#include "rts/exec.h"
#include "rts/replica.h"

#include "tests/unit/exec_example.h"

#include <unistd.h>

enum { BYTES = 64 * (int)sizeof(int64_t), REGIONS = 12, LOOPS = 5 };

static char log_name[64];

/* How often a text stands in the log. */
static int told(const char *text) {
    static char line[1024];
    FILE *const file = fopen(log_name, "r");
    int count = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        count += strstr(line, text) != NULL;
    if (file != NULL)
        fclose(file);
    return count;
}

static void set_limit(int64_t bytes) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, bytes);
    setenv("DVMH_DEVICE_MEMORY", text, 1);
}

/* ---- who leaves ---- */

/* Newest values on a device alone, which home has not seen. */
static void write_there(rts_array_t *array, int device, int64_t value) {
    rts_replica_t *replica = NULL;
    CHECK_EQ_INT(rts_coherence_replica(array, device, &replica), RTS_OK);
    if (replica == NULL)
        return;
    for (int i = 0; i < 64; i++)
        ((int64_t *)replica->buffer)[i] = value + i;
    CHECK_EQ_INT(rts_coherence_written(array, device, NULL), RTS_OK);
}

static void check_home(rts_array_t *array, int64_t value) {
    CHECK(rts_boxset_contains(&array->home.current, &array->held));
    for (int i = 0; i < 64; i++)
        CHECK_EQ_INT(((const int64_t *)array->home.buffer)[i], value + i);
}

static void test_who_leaves(void) {
    static int64_t memory[4][64];
    const rts_index_t extent[] = {8, 8};
    rts_array_t *array[4];
    rts_replica_t *replica = NULL;
    int argc = 1;
    static char name[] = "program", *arguments[] = {name, NULL};
    char **argv = arguments;
    setenv("DVMH_FAKE_DEVICES", "2", 1);
    set_limit(2 * BYTES + BYTES / 2);
    CHECK_EQ_INT(rts_runtime_open(true, &argc, &argv), RTS_OK);
    for (int i = 0; i < 4; i++)
        CHECK_EQ_INT(rts_array_create_variable(2, extent, (rts_element_t){.code = rt_LLONG, .bytes = 8},
                                               memory[i], &array[i]),
                     RTS_OK);
    rts_coherence_begin_use();
    write_there(array[0], 1, 100);
    write_there(array[1], 1, 200);
    write_there(array[3], 2, 400); /* another device, which has memory of its own */
    rts_coherence_begin_use();
    rts_coherence_hold(array[0], 1);
    write_there(array[2], 1, 300);
    CHECK(rts_replica_find(array[1], 1) == NULL); /* the one that was not held */
    check_home(array[1], 200);
    CHECK(rts_replica_find(array[0], 1) != NULL && rts_replica_find(array[3], 2) != NULL);
    CHECK(array[0]->home.current.count == 0);
    /* Both are in use now: no room, and nothing changes. */
    CHECK_EQ_INT(rts_coherence_replica(array[1], 1, &replica), RTS_ERR_NO_MEMORY);
    CHECK(replica == NULL && array[1]->replicas == NULL);
    CHECK(array[0]->home.current.count == 0 && array[2]->home.current.count == 0);
    /* Of two that are not, the one that was wanted first. */
    rts_coherence_begin_use();
    CHECK_EQ_INT(rts_coherence_replica(array[0], 1, &replica), RTS_OK);
    rts_coherence_begin_use();
    CHECK_EQ_INT(rts_coherence_fetch(array[1], 1, NULL), RTS_OK);
    CHECK(rts_replica_find(array[2], 1) == NULL && rts_replica_find(array[0], 1) == replica);
    check_home(array[2], 300);
    /* A form that needs more memory than its own buffer: another one leaves for it. */
    rts_layout_form_t padded = rts_layout_form_home(2);
    padded.pitch_align = 16;
    rts_coherence_begin_use();
    CHECK_EQ_INT(rts_coherence_written(array[1], 1, NULL), RTS_OK);
    CHECK_EQ_INT(rts_coherence_place(array[0], 1, &padded, &replica), RTS_ERR_NO_MEMORY);
    CHECK(rts_replica_find(array[1], 1) == NULL);
    check_home(array[1], 200);
    CHECK_EQ_INT(rts_coherence_fetch(array[0], 0, NULL), RTS_OK);
    check_home(array[0], 100);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ_INT(rts_coherence_settle(array[i]), RTS_OK);
        check_home(array[i], 100 * (i + 1));
        rts_array_destroy(array[i]);
    }
    rts_runtime_close();
}

/* ---- programs ---- */

static int64_t bytes_of(int array) {
    return rts_box_size(&example_arrays[array].array->held) * (int64_t)sizeof(int64_t);
}

/* Regions of random loops over pairs of arrays. @return whether the limit was too small for some loop */
static bool run_program(const char *planner, uint64_t part) {
    static const int arrays[] = {0, 1, 3};
    open_program(planner, 1);
    const int64_t total = bytes_of(0) + bytes_of(1) + bytes_of(2) + bytes_of(3);
    close_program();
    set_limit(total * (int64_t)part / 16);
    open_program(planner, 1);
    for (int r = 0; r < REGIONS; r++) {
        rts_region_t *region = NULL;
        CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
        for (int i = 0; i < EXAMPLE_ARRAYS; i++)
            CHECK_EQ_INT(rts_region_register(region, example_arrays[i].array, RTS_INTENT_IN | RTS_INTENT_OUT,
                                             NULL),
                         RTS_OK);
        CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_HOST), RTS_OK);
        for (int i = 0; i < LOOPS; i++) {
            example_loop_t loop;
            const int written = (int)pick(0, 2);
            random_loop(&loop, arrays[written], arrays[(written + pick(1, 2)) % 3], check_random_once_in(2),
                        PART);
            CHECK_EQ_INT(example_perform(&loop, region), RTS_OK);
            example_model(&loop);
        }
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
        for (int i = 0; i < EXAMPLE_ARRAYS; i++)
            if (check_random_once_in(3)) {
                CHECK_EQ_INT(rts_coherence_fetch(example_arrays[i].array, 0, NULL), RTS_OK);
                CHECK(example_check_home(&example_arrays[i]));
            }
    }
    for (int i = 0; i < EXAMPLE_ARRAYS; i++) {
        CHECK_EQ_INT(rts_coherence_fetch(example_arrays[i].array, 0, NULL), RTS_OK);
        CHECK(example_check_home(&example_arrays[i]));
    }
    close_program();
    return told("runs on the host instead") > 0;
}

static void test_programs(void) {
    static const char *const planners[] = {"off", "greedy", "random:3", "cost"};
    int left = 0, too_small = 0;
    for (int trial = 0; trial < 24; trial++) {
        too_small += run_program(planners[trial % 4], (uint64_t)pick(2, 15));
        left += told("leaves device 1");
        unlink(log_name);
        unsetenv("DVMH_DEVICE_MEMORY");
    }
    printf("%d replicas left their device; in %d of 24 programs a loop did not fit\n", left, too_small);
    CHECK(left > 24 && too_small > 0 && too_small < 24);
}

int main(void) {
    check_random_start();
    snprintf(log_name, sizeof log_name, "test_device_memory.%ld.log", (long)getpid());
    setenv("DVMH_SET_AFFINITY", "0", 1);
    setenv("DVMH_NUM_CUDAS", "0", 1);
    setenv("DVMH_LOGFILE", log_name, 1);
    setenv("DVMH_LOGLEVEL", "debug", 1);
    test_who_leaves();
    unlink(log_name);
    unsetenv("DVMH_DEVICE_MEMORY");
    test_programs();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
