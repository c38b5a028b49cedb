/* Programs of regions and loops of exec_example.h, in any mode of the planner, against sequential loops. Between the loops home must be
 * untouched where the newest values are elsewhere. */
#ifndef EXEC_PROGRAM_H
#define EXEC_PROGRAM_H

#include "rts/backend.h"
#include "rts/handler_ops.h"
#include "tests/unit/exec_example.h"

static DvmType program_devices = DEVICE_TYPE_HOST; /* where regions may run */

/* Perform and check all arrays but those of a mask, which nobody has defined. @return false after a failure, which is told */
static inline bool run_loop(const example_loop_t *loop, rts_region_t *region, unsigned undefined) {
    bool good = CHECK_EQ_INT(example_perform(loop, region), RTS_OK);
    example_model(loop);
    for (int i = 0; i < EXAMPLE_ARRAYS && good; i++)
        if ((undefined >> i & 1) == 0)
            good = example_check_home(&example_arrays[i]);
    return good;
}

/* A region of some loops on the arrays 0 and 1; array 2, a vector, and the others are read. */
static inline bool run_region(void) {
    example_loop_t loop[3];
    const int loops = (int)pick(1, 3);
    bool good = true;
    rts_region_t *region = NULL;
    for (int i = 0; i < loops; i++) {
        const int written = (int)pick(0, 1);
        random_loop(&loop[i], written, 1 - written, check_random_once_in(2), PART);
    }
    for (rts_index_t times = pick(1, 4); times > 0 && good; times--) {
        CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
        for (int array = 0; array < 3; array++)
            CHECK_EQ_INT(rts_region_register(region, example_arrays[array].array,
                                             array < 2 ? RTS_INTENT_IN | RTS_INTENT_OUT : RTS_INTENT_IN,
                                             NULL),
                         RTS_OK);
        CHECK_EQ_INT(rts_region_execute(region, program_devices), RTS_OK);
        for (int i = 0; i < loops && good; i++)
            good = run_loop(&loop[i], region, 0);
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    }
    return good;
}

/* A region that makes a local array, reads it, and writes another one wholly. */
static inline bool run_region_with_local(void) {
    example_loop_t make, use, replace;
    rts_region_t *region = NULL;
    random_loop(&make, 3, 0, false, WHOLE);
    random_loop(&use, 0, 3, check_random_once_in(2), PART);
    random_loop(&replace, 1, 0, false, WHOLE);
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, example_arrays[0].array, RTS_INTENT_IN | RTS_INTENT_OUT, NULL),
                 RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, example_arrays[1].array, RTS_INTENT_OUT, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, example_arrays[2].array, RTS_INTENT_IN, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, example_arrays[3].array, RTS_INTENT_LOCAL, NULL), RTS_OK);
    bool good = run_loop(&make, region, 1 << 1 | 1 << 3) && run_loop(&use, region, 1 << 1 | 1 << 3) &&
                run_loop(&replace, region, 1 << 3);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    rts_array_t *local = example_arrays[3].array; /* undefined now: the program sets it */
    for (rts_index_t i = 0; i < rts_box_size(&local->held); i++)
        ((int64_t *)local->home.buffer)[i] = example_arrays[3].value[i];
    CHECK_EQ_INT(rts_coherence_written(local, 0, NULL), RTS_OK);
    return good;
}

static inline bool run_outside(void) {
    example_loop_t loop;
    random_loop(&loop, 0, 1, check_random_once_in(2), PART);
    return run_loop(&loop, NULL, 0);
}

static inline bool look(int array) {
    CHECK_EQ_INT(rts_coherence_fetch(example_arrays[array].array, 0, NULL), RTS_OK);
    return example_check_home(&example_arrays[array]);
}

/* What GPUs have queued looks at arrays that the program closes. */
static inline void finish_devices(void) {
    for (int device = 1; device < rts_device_count(); device++) {
        const rts_handler_ops_t *ops = rts_handler_ops_of_device(device);
        CHECK(ops == NULL || ops->end(device) == RTS_OK);
    }
}

static inline bool run_program(const char *planner, int devices) {
    bool good = true;
    open_program(planner, devices);
    for (int step = 0; step < 8 && good; step++) {
        const rts_index_t what = pick(0, 9);
        good = what < 5   ? run_region()
               : what < 7 ? run_region_with_local()
               : what < 8 ? run_outside()
                          : look((int)pick(0, 3));
    }
    for (int i = 0; i < EXAMPLE_ARRAYS && good; i++)
        good = look(i);
    finish_devices();
    close_program();
    return good;
}

static inline void test_mode(const char *planner, int programs) {
    for (int i = 0; i < programs; i++) {
        char seeded[64];
        snprintf(seeded, sizeof seeded, "%s%s%d", planner, strcmp(planner, "random:") == 0 ? "" : "\0", i);
        if (!run_program(strcmp(planner, "random:") == 0 ? seeded : planner, (int)pick(0, 2))) {
            fprintf(stderr, "  under %s, program %d\n", planner, i);
            return;
        }
    }
}

#endif
