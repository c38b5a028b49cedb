/* Variables known by address, and regions, with two fake devices whose memory is separate: what is not copied when it must
 * be shows as poison. Data that regions move are compared with a model of every element. */
#include <config.h>

#include "rts/coherence.h"
#include "rts/memory.h"
#include "rts/region.h"
#include "rts/runtime.h"
#include "rts/variable.h"

#include <dvmhlib_const.h>
#include <math.h>

#include "tests/check.h"
#include "tests/next_index.h"

static const rts_element_t real = {.code = rt_DOUBLE, .bytes = sizeof(double)};
static const rts_element_t whole = {.code = rt_INT, .bytes = sizeof(int)};

static void expect_invalid(rts_status_t status, const char *text) {
    CHECK_EQ_INT(status, RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), text);
}

static double *element_on(rts_array_t *array, int device, const rts_index_t index[]) {
    rts_replica_t *replica = NULL;
    CHECK_EQ_INT(rts_coherence_replica(array, device, &replica), RTS_OK);
    return (double *)replica->buffer + rts_layout_offset(&replica->layout, index);
}

/* ---- data regions ---- */

static void test_depth(void) {
    static char memory[64];
    CHECK(!rts_variable_is_known(memory));
    expect_invalid(rts_variable_enter(NULL, 4), "address 0");
    expect_invalid(rts_variable_exit(memory, true), "in no data region");
    expect_invalid(rts_variable_enter(memory, SIZE_MAX), "allowed: ");
    for (int i = 0; i < 3; i++)
        CHECK_EQ_INT(rts_variable_enter(memory + 16, 8), RTS_OK);
    CHECK_EQ_INT(rts_variable_enter(memory + 24, 8), RTS_OK); /* neighbours may touch */
    CHECK_EQ_INT(rts_variable_enter(memory + 8, 8), RTS_OK);
    expect_invalid(rts_variable_enter(memory + 20, 1), "of 1 bytes overlaps");
    expect_invalid(rts_variable_enter(memory + 20, 0),
                   "of 0 bytes overlaps"); /* unknown size: one byte at least */
    expect_invalid(rts_variable_enter(memory, 9), "of 9 bytes overlaps");
    expect_invalid(rts_variable_enter(memory + 16, 9), "of 9 bytes overlaps"); /* growing into a neighbour */
    CHECK_EQ_INT(rts_variable_enter(memory, 8), RTS_OK);
    for (int i = 0; i < 3; i++) { /* what was refused did not count */
        CHECK(rts_variable_is_known(memory + 16));
        CHECK_EQ_INT(rts_variable_exit(memory + 16, i % 2 == 0), RTS_OK);
    }
    CHECK(!rts_variable_is_known(memory + 16));
    CHECK_EQ_INT(rts_variable_enter(memory + 16, 0), RTS_OK); /* size not known yet */
    CHECK_EQ_INT(rts_variable_enter(memory + 20, 4), RTS_OK);
    expect_invalid(rts_variable_enter(memory + 16, 5), "overlaps");
    CHECK_EQ_INT(rts_variable_enter(memory + 16, 4), RTS_OK);
    CHECK(rts_variable_array(memory + 16) == NULL && rts_variable_header(memory + 16) == NULL);
    rts_variable_reset();
    CHECK(!rts_variable_is_known(memory + 16) && !rts_variable_is_known(memory));
}

/* Random calls against a list of what is known. */
static void test_many(void) {
    enum { PLACES = 300 };
    static char memory[PLACES];
    static int depth[PLACES], bytes[PLACES];
    for (int trial = 0; trial < 20000; trial++) {
        const int at = (int)check_random_range(0, PLACES - 1);
        if (check_random_once_in(2)) {
            CHECK_EQ_INT(rts_variable_exit(memory + at, true), depth[at] > 0 ? RTS_OK : RTS_ERR_INVALID);
            depth[at] -= depth[at] > 0;
            bytes[at] = depth[at] > 0 ? bytes[at] : 0;
        } else {
            const int size = (int)check_random_range(0, 6);
            const int grown = size > bytes[at] ? size : bytes[at];
            bool clash = false;
            for (int other = 0; other < PLACES; other++) {
                const bool before = other < at && other + bytes[other] > at;
                const bool behind = other > at && at + (grown > 0 ? grown : 1) > other;
                clash = clash || (depth[other] > 0 && (before || behind));
            }
            CHECK_EQ_INT(rts_variable_enter(memory + at, (size_t)size), clash ? RTS_ERR_INVALID : RTS_OK);
            if (!clash) {
                depth[at]++;
                bytes[at] = grown;
            }
        }
        CHECK_EQ_INT(rts_variable_is_known(memory + at), depth[at] > 0);
    }
    rts_variable_reset();
}

/* ---- variables as arrays ---- */

static void test_describe(void) {
    static double data[6][4];
    const rts_index_t three[] = {3, 4}, six[] = {6, 4}, open[] = {0, 4}, narrow[] = {3, 3}, flat[] = {3, 0},
                      low[] = {-1, 4};
    rts_array_t *array = NULL, *again = NULL;
    DvmType *header = NULL, *same = NULL;
    expect_invalid(rts_variable_describe(data, 2, open, real, &array, &header), "first extent");
    CHECK(array == NULL && !rts_variable_is_known(data)); /* a failure leaves nothing */
    CHECK_EQ_INT(rts_variable_enter(data, 3 * sizeof data[0]), RTS_OK);
    expect_invalid(rts_variable_describe(data, 2, flat, real, &array, &header),
                   "axis 2 has extent 0; allowed: 1 and more");
    expect_invalid(rts_variable_describe(data, 2, low, real, &array, &header), "axis 1 has extent -1");
    CHECK_EQ_INT(rts_variable_describe(data, 2, open, real, &array, &header), RTS_OK);
    CHECK_EQ_INT(array->space.hi[0], 3);
    CHECK(array->home.buffer == (void *)data && rts_variable_array(data) == array &&
          rts_variable_header(data) == header);
    CHECK_EQ_INT(header[0], array->handle);
    CHECK_EQ_INT(header[1], 4);
    CHECK_EQ_INT(rts_variable_describe(data, 2, three, real, &again, NULL), RTS_OK);
    CHECK(again == array);
    expect_invalid(rts_variable_describe(data, 2, three, whole, &again, &same), "int");
    expect_invalid(rts_variable_describe(data, 1, three, real, &again, &same), "described again");
    expect_invalid(rts_variable_describe(data, 2, narrow, real, &again, &same), "described again");
    /* The first extent grows while a device has the newest values: they come home first. */
    const rts_index_t index[] = {1, 2};
    data[1][2] = 1;
    CHECK_EQ_INT(rts_coherence_fetch(array, 2, NULL), RTS_OK);
    *element_on(array, 2, index) = 42;
    CHECK_EQ_INT(rts_coherence_written(array, 2, NULL), RTS_OK);
    CHECK(data[1][2] == 1);
    CHECK_EQ_INT(rts_variable_describe(data, 2, six, real, &again, &same), RTS_OK);
    CHECK(data[1][2] == 42 && same == header && again->space.hi[0] == 6);
    CHECK_EQ_INT(header[0], again->handle);
    expect_invalid(rts_variable_enter(data[5], 8), "overlaps"); /* the size grew with it */
    CHECK_EQ_INT(rts_variable_describe(data, 2, three, real, &again, &same), RTS_OK);
    CHECK_EQ_INT(again->space.hi[0], 6); /* and never shrinks */
    CHECK_EQ_INT(rts_variable_exit(data, true), RTS_OK);
    CHECK(!rts_variable_is_known(data) && rts_variable_header(data) == NULL && rts_array_first() == NULL);
}

/* A value written on a device, and then the end of the data region. */
static void check_exit(bool save) {
    static double value;
    rts_array_t *array = NULL;
    value = 1;
    CHECK_EQ_INT(rts_variable_enter(&value, sizeof value), RTS_OK);
    CHECK_EQ_INT(rts_variable_enter(&value, 0), RTS_OK);
    CHECK_EQ_INT(rts_variable_describe(&value, 0, NULL, real, &array, NULL), RTS_OK);
    *element_on(array, 1, NULL) = 2;
    CHECK_EQ_INT(rts_coherence_written(array, 1, NULL), RTS_OK);
    CHECK_EQ_INT(rts_variable_exit(&value, true), RTS_OK); /* the inner one does nothing */
    CHECK(value == 1 && rts_variable_is_known(&value));
    CHECK_EQ_INT(rts_variable_exit(&value, save), RTS_OK);
    CHECK(value == (save ? 2 : 1) && !rts_variable_is_known(&value));
}

static void test_automatic(void) {
    static double a = 1, b = 2, c = 3, d = 4;
    rts_array_t *array = NULL, *kept = NULL;
    CHECK_EQ_INT(rts_variable_enter(&b, sizeof b), RTS_OK);
    CHECK_EQ_INT(rts_variable_describe(&a, 0, NULL, real, &array, NULL), RTS_OK); /* entered by itself */
    *element_on(array, 1, NULL) = 10;
    CHECK_EQ_INT(rts_coherence_written(array, 1, NULL), RTS_OK);
    CHECK_EQ_INT(rts_variable_describe(&b, 0, NULL, real, &kept, NULL), RTS_OK); /* entered by the program */
    *element_on(kept, 2, NULL) = 20;
    CHECK_EQ_INT(rts_coherence_written(kept, 2, NULL), RTS_OK);
    CHECK_EQ_INT(rts_variable_describe(&c, 0, NULL, real, &array, NULL),
                 RTS_OK); /* by itself, then by the program */
    CHECK_EQ_INT(rts_variable_enter(&c, sizeof c), RTS_OK);
    CHECK_EQ_INT(rts_variable_describe(&d, 0, NULL, real, &array, NULL),
                 RTS_OK); /* by itself, left by the program */
    CHECK_EQ_INT(rts_variable_exit(&d, true), RTS_OK);
    CHECK_EQ_INT(rts_variable_exit_automatic(), RTS_OK);
    CHECK(a == 10 && b == 2);
    CHECK(!rts_variable_is_known(&a) && rts_variable_array(&b) == kept && rts_variable_is_known(&c));
    CHECK_EQ_INT(rts_variable_exit_automatic(), RTS_OK); /* nothing left to do */
    CHECK(rts_variable_is_known(&c));
    CHECK_EQ_INT(rts_variable_exit(&c, true), RTS_OK);
    CHECK(!rts_variable_is_known(&c));
    CHECK_EQ_INT(rts_variable_exit(&b, true), RTS_OK);
    CHECK(b == 20);
}

/* ---- regions: mistakes ---- */

static rts_array_t *make_array(rts_index_t rows, rts_index_t columns) {
    const rts_box_t space = {.rank = 2, .lo = {0, 0}, .hi = {rows, columns}};
    const rts_index_t none[2] = {0, 0};
    const rts_axis_rule_t rule[2] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                     {.kind = RTS_AXIS_REPLICATED, .grid_axis = 0}};
    rts_array_t *array = NULL;
    CHECK_EQ_INT(rts_array_create(&space, real, none, none, true, &array), RTS_OK);
    CHECK_EQ_INT(rts_array_distribute(array, rule, &rts_runtime()->grid), RTS_OK);
    return array;
}

static void destroy(rts_array_t *array) {
    rts_coherence_release(array);
    rts_array_destroy(array);
}

static void test_region_mistakes(void) {
    const rts_box_t upper = {.rank = 2, .lo = {0, 0}, .hi = {2, 4}},
                    lower = {.rank = 2, .lo = {2, 0}, .hi = {4, 4}};
    const rts_index_t none[2] = {0, 0};
    rts_array_t *array = make_array(4, 4), *raw = NULL;
    rts_region_t *region = NULL, *second = NULL;
    CHECK_EQ_INT(rts_array_create(&upper, real, none, none, true, &raw), RTS_OK);
    expect_invalid(rts_region_open(4, &region), "region flags 4; allowed: ");
    CHECK(rts_region_current() == NULL && region == NULL);
    CHECK_EQ_INT(rts_region_open(REGION_ASYNC, &region), RTS_OK);
    region->position.line = 12;
    CHECK(rts_region_current() == region);
    expect_invalid(rts_region_open(0, &second), "region of line 12 is still open");
    expect_invalid(rts_region_register(region, array, 0, NULL), "intent 0; allowed: ");
    expect_invalid(rts_region_register(region, array, 16, NULL), "intent 16; allowed: ");
    expect_invalid(rts_region_register(region, array, -1, NULL), "intent -1; allowed: ");
    expect_invalid(rts_region_register(region, array, INTENT_OUT | INTENT_LOCAL, NULL), "both OUT and LOCAL");
    expect_invalid(rts_region_register(region, raw, INTENT_IN, NULL), "no storage yet");
    CHECK(!rts_region_has(region, array));
    CHECK_EQ_INT(rts_region_register(region, array, INTENT_OUT, &upper), RTS_OK);
    expect_invalid(rts_region_register(region, array, INTENT_INLOCAL, &upper), "both OUT and LOCAL");
    CHECK_EQ_INT(rts_region_register(region, array, INTENT_LOCAL, &lower), RTS_OK);
    expect_invalid(rts_region_register(region, array, INTENT_INOUT, NULL), "both OUT and LOCAL");
    CHECK_EQ_INT(rts_region_register(region, array, INTENT_USE, NULL), RTS_OK);
    CHECK(rts_region_has(region, array) && !rts_region_has(region, raw));
    expect_invalid(rts_region_check_unused(array), "region of line 12");
    CHECK_EQ_INT(rts_region_check_unused(raw), RTS_OK);
    expect_invalid(rts_region_execute(region, -1), "device mask -1; allowed: ");
    expect_invalid(rts_region_execute(region, 4), "device mask 4; allowed: ");
    CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA), RTS_OK);
    CHECK_EQ_INT(region->device, 1); /* a fake device plays an accelerator */
    expect_invalid(rts_region_execute(region, DEVICE_TYPE_HOST), "already");
    expect_invalid(rts_region_register(region, array, INTENT_IN, NULL), "registered after");
    destroy(array);
    expect_invalid(rts_region_prepare_loop(region, 1), "deleted before its end");
    CHECK_EQ_INT(rts_region_close(region), RTS_OK); /* what is gone needs nothing */
    CHECK(rts_region_current() == NULL);
    destroy(raw);
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK); /* reused, and clean */
    CHECK_EQ_INT(region->part_count, 0);
    CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_CUDA), RTS_OK);
    CHECK_EQ_INT(region->device, 0); /* no such device: the host */
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
}

/* A variable that the open region uses stays. */
static void test_region_variable(void) {
    static double value = 5;
    rts_array_t *array = NULL;
    rts_region_t *region = NULL;
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    CHECK_EQ_INT(rts_variable_describe(&value, 0, NULL, real, &array, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, array, INTENT_INOUT, NULL), RTS_OK);
    expect_invalid(rts_variable_exit(&value, true), "in use by the region");
    CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_HOST), RTS_OK);
    CHECK_EQ_INT(rts_region_prepare_loop(region, 1), RTS_OK);
    CHECK(*element_on(array, 1, NULL) == 5);
    *element_on(array, 1, NULL) = 6;
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    CHECK(value == 5);
    CHECK_EQ_INT(rts_variable_exit_automatic(), RTS_OK);
    CHECK(value == 6);
}

/* ---- regions: data ---- */

enum { ROWS = 7, COLUMNS = 5, PARTS = 4 };

/* What every element of the array must be; undefined ones are NaN. */
static double model[ROWS][COLUMNS];

static rts_box_t random_box(void) {
    rts_box_t box = {.rank = 2};
    box.lo[0] = check_random_range(0, ROWS - 1);
    box.hi[0] = check_random_range(box.lo[0] + 1, ROWS);
    box.lo[1] = check_random_range(0, COLUMNS - 1);
    box.hi[1] = check_random_range(box.lo[1] + 1, COLUMNS);
    return box;
}

static bool check_box(rts_array_t *array, int device, const rts_box_t *box) {
    rts_index_t index[] = {box->lo[0], box->lo[1]};
    do {
        const double value = model[index[0]][index[1]];
        if (value == value && !CHECK(*element_on(array, device, index) == value))
            return false;
    } while (next_index(box, index));
    return true;
}

static void fill_box(rts_array_t *array, int device, const rts_box_t *box, bool write) {
    rts_index_t index[] = {box->lo[0], box->lo[1]};
    static double next = 0;
    do {
        model[index[0]][index[1]] = write ? ++next : (double)NAN;
        if (write)
            *element_on(array, device, index) = next;
    } while (next_index(box, index));
}

/* One region with random parts and some loops, each on a device of its own choice. */
static bool run_region(rts_array_t *array) {
    static const int intents[] = {INTENT_IN,    INTENT_OUT,     INTENT_INOUT,
                                  INTENT_LOCAL, INTENT_INLOCAL, INTENT_USE};
    rts_box_t box[PARTS];
    int intent[PARTS], parts = 0;
    bool good = true, is_first = true;
    rts_region_t *region = NULL;
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    for (int i = 0; i < PARTS; i++) {
        box[parts] = random_box();
        intent[parts] = intents[check_random_range(0, 5)];
        parts += rts_region_register(region, array, intent[parts], &box[parts]) == RTS_OK;
    }
    CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_HOST), RTS_OK);
    for (int loops = (int)check_random_range(0, 3); loops > 0 && good; loops--) {
        const int device = (int)check_random_range(0, 2);
        good = CHECK_EQ_INT(rts_region_prepare_loop(region, device), RTS_OK);
        for (int i = 0; i < parts; i++)
            if ((intent[i] & INTENT_IN) != 0 || !is_first)
                good = good && check_box(array, device, &box[i]);
        for (int i = 0; i < parts; i++)
            if ((intent[i] & (INTENT_OUT | INTENT_LOCAL)) != 0)
                fill_box(array, device, &box[i], true);
        is_first = false;
    }
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    for (int i = 0; i < parts; i++)
        if ((intent[i] & INTENT_LOCAL) != 0)
            fill_box(array, 0, &box[i], false);
    return good;
}

static void test_region_data(void) {
    rts_array_t *array = make_array(ROWS, COLUMNS);
    fill_box(array, 0, &array->local, true);
    for (int trial = 0; trial < 3000; trial++) {
        bool good = run_region(array);
        if (check_random_once_in(2)) { /* the program looks at home, and writes there */
            const rts_box_t seen = random_box(), written = random_box();
            CHECK_EQ_INT(rts_coherence_fetch(array, 0, &seen), RTS_OK);
            good = good && check_box(array, 0, &seen);
            fill_box(array, 0, &written, true);
            CHECK_EQ_INT(rts_coherence_written(array, 0, &written), RTS_OK);
        }
        if (!good) {
            fprintf(stderr, "  in region %d\n", trial);
            break;
        }
    }
    destroy(array);
}

/* ---- no memory ---- */

static void test_no_memory(void) {
    static double data[8], scalar;
    const rts_index_t extent[] = {4}, grown[] = {8};
    int failures = 0;
    rts_variable_reset();
    rts_region_reset();
    const int64_t live = rts_memory_live();
    for (int n = 1; n < 60; n++) {
        rts_array_t *array = NULL;
        rts_region_t *region = NULL;
        rts_status_t status = RTS_OK;
        rts_memory_fail_at(n);
        status = rts_variable_enter(data, sizeof data / 2);
        if (status == RTS_OK)
            status = rts_variable_describe(data, 1, extent, real, &array, NULL);
        if (status == RTS_OK)
            status = rts_variable_describe(data, 1, grown, real, &array, NULL);
        if (status == RTS_OK)
            status = rts_variable_describe(&scalar, 0, NULL, real, &array, NULL);
        if (status == RTS_OK)
            status = rts_region_open(0, &region);
        for (int i = 0; i < 20 && status == RTS_OK; i++) /* the list of parts grows */
            status = rts_region_register(region, array, INTENT_INOUT, NULL);
        if (status == RTS_OK)
            status = rts_region_execute(region, DEVICE_TYPE_HOST);
        if (status == RTS_OK)
            status = rts_region_prepare_loop(region, 1);
        rts_memory_fail_at(0);
        CHECK(status == RTS_OK || status == RTS_ERR_NO_MEMORY);
        failures += status != RTS_OK;
        if (rts_region_current() != NULL)
            CHECK_EQ_INT(rts_region_close(region), RTS_OK);
        CHECK_EQ_INT(rts_variable_exit_automatic(), RTS_OK);
        rts_variable_reset();
        rts_region_reset();
        CHECK_EQ_INT(rts_memory_live(), live);
    }
    CHECK(failures > 5 && failures < 58); /* every place, and the end was reached */
}

int main(int argc, char **argv) {
    check_random_start();
    setenv("DVMH_FAKE_DEVICES", "2", 1);
    setenv("DVMH_NUM_THREADS", "1", 1);
    setenv("DVMH_PLANNER", "off", 1); /* random would draw devices */
    if (!CHECK_EQ_INT(rts_runtime_open(true, &argc, &argv), RTS_OK))
        return check_finish();
    test_depth();
    test_many();
    test_describe();
    check_exit(true);
    check_exit(false);
    test_automatic();
    test_region_mistakes();
    test_region_variable();
    test_region_data();
    test_no_memory();
    rts_runtime_close();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
