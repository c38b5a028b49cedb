/* Laziness: which statements copy data between home and a fake device, and how many bytes. Regions that
 * follow each other on one device copy nothing. */
#include <config.h>

#include "rts/memory.h"
#include "rts/stats.h"
#include "tests/abi/child.h"

#include <dvmhx.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { ROWS = 12, COLUMNS = 5, ROW_BYTES = COLUMNS * sizeof(double), ALL_BYTES = ROWS * ROW_BYTES };

static DvmType A[64], B[64];
static double scalar;
static int64_t copies_before, bytes_before;

/* Copies since the last time. */
static void check_copies(int line, int64_t copies, int64_t bytes) {
    const int64_t now = rts_stats_get(RTS_STAT_COPIES), bytes_now = rts_stats_get(RTS_STAT_COPY_BYTES);
    const bool same_copies = CHECK_EQ_INT(now - copies_before, copies);
    const bool same_bytes = CHECK_EQ_INT(bytes_now - bytes_before, bytes);
    if (!same_copies || !same_bytes)
        fprintf(stderr, "  checked in line %d\n", line);
    copies_before = now;
    bytes_before = bytes_now;
}

#define COPIES(copies, bytes) check_copies(__LINE__, copies, bytes)

static void do_nothing(const dvmhx_record_t *record) {
    CHECK_EQ_INT(record->device, 1);
}

static void do_nothing_at_home(const DvmType *loop) {
    CHECK_EQ_INT(dvmh_loop_get_device_num_C(*loop), 0);
}

static void run_loop(DvmType region) {
    const DvmType loop = dvmh_loop_create_C(region, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(do_nothing), 0));
    dvmh_loop_perform_C(loop);
}

static void run_loop_at_home(DvmType region) {
    const DvmType loop = dvmh_loop_create_C(region, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C(HANDLER(do_nothing_at_home), 0));
    dvmh_loop_perform_C(loop);
}

static DvmType open_region(DvmType intent, const DvmType header[]) {
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, intent, header, "array");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    return region;
}

static void run_region(DvmType intent, const DvmType header[]) {
    const DvmType region = open_region(intent, header);
    run_loop(region);
    dvmh_region_end_C(region);
}

static void begin(void) {
    alarm(60);
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    child_init();
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 1L, 1L);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(B, 1, -rt_INT, 100L, 0L, 0L);
    dvmh_distribute_C(B, 1, dvmh_distribution_block_C(1));
    copies_before = rts_stats_get(RTS_STAT_COPIES);
    bytes_before = rts_stats_get(RTS_STAT_COPY_BYTES);
}

static void test_consecutive_regions(void) {
    begin();
    DvmType region = open_region(INTENT_INOUT, A);
    COPIES(0, 0); /* nothing moves before a loop runs */
    run_loop(region);
    COPIES(1, ALL_BYTES);
    run_loop(region);
    dvmh_region_end_C(region);
    COPIES(0, 0);
    for (int i = 0; i < 5; i++) {
        run_region(INTENT_INOUT, A);
        run_region(INTENT_IN, A);
        run_region(INTENT_OUT, A);
    }
    COPIES(0, 0);
    dvmh_get_actual_array2_(A);
    COPIES(1, ALL_BYTES);
    dvmh_get_actual_array2_(A); /* home has them, and the device still */
    dvmh_get_actual_all2_();
    run_region(INTENT_IN, A);
    COPIES(0, 0);
    region = open_region(INTENT_INOUT, A);
    dvmh_region_end_C(region); /* without loops nothing was written */
    dvmh_get_actual_array2_(A);
    COPIES(0, 0);
    child_exit();
}

static void test_actual(void) {
    begin();
    run_region(INTENT_IN, A);
    COPIES(1, ALL_BYTES);
    dvmh_actual_array2_(A);
    run_region(INTENT_OUT, A); /* the old values are not needed */
    COPIES(0, 0);
    dvmh_actual_all2_();
    dvmh_actual_array2_(A);
    dvmh_get_actual_array2_(A); /* home alone has them */
    COPIES(0, 0);
    DvmType region = open_region(INTENT_IN, A);
    run_loop(region);
    COPIES(1, ALL_BYTES);
    dvmh_actual_array2_(A); /* inside the region: the next loop gets them */
    run_loop(region);
    COPIES(1, ALL_BYTES);
    dvmh_region_end_C(region);
    dvmh_shadow_renew_C(A, 1, 0);
    COPIES(0, 0);
    child_exit();
}

static void test_parts(void) {
    begin();
    DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_subarray_C(region, INTENT_IN, A, "A", 2, 2L, 4L, UNDEF_BOUND, UNDEF_BOUND);
    dvmh_region_register_subarray_C(region, INTENT_IN, A, "A", 2, 3L, 5L, 0L, (DvmType)COLUMNS - 1);
    run_loop(region);
    dvmh_region_end_C(region);
    COPIES(2, 4 * ROW_BYTES); /* rows 2..4, then row 5: the rest of the second part */
    region = dvmh_region_create_C(0);
    dvmh_region_register_subarray_C(region, INTENT_OUT, A, "A", 2, 8L, 9L, UNDEF_BOUND, UNDEF_BOUND);
    run_loop(region);
    dvmh_region_end_C(region);
    COPIES(0, 0);
    dvmh_get_actual_array2_(A);
    COPIES(1, 2 * ROW_BYTES); /* what was written, no more */
    const int64_t bytes = rts_stats_get(RTS_STAT_COPY_BYTES);
    run_region(INTENT_IN,
               A); /* rows 0, 1, 6, 7, 10, 11 are missing; in how many pieces is not our business */
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_COPY_BYTES) - bytes, 6 * ROW_BYTES);
    child_exit();
}

static void test_local(void) {
    begin();
    run_region(INTENT_LOCAL, A);
    COPIES(0, 0);
    dvmh_get_actual_array2_(A); /* nobody has values */
    COPIES(0, 0);
    run_region(INTENT_IN, A);
    COPIES(0, 0);
    dvmh_actual_array2_(A);
    run_region(INTENT_INLOCAL, A);
    COPIES(1, ALL_BYTES);
    dvmh_get_actual_array2_(A);
    COPIES(0, 0);
    child_exit();
}

static void run_with_scalar(DvmType intent) {
    dvmh_data_enter_C(&scalar, sizeof scalar);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, intent, dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE),
                                 "scalar");
    run_loop(region);
    dvmh_region_end_C(region);
    dvmh_data_exit_C(&scalar, 1);
}

static void test_variables(void) {
    begin();
    run_with_scalar(INTENT_IN);
    COPIES(1, sizeof scalar);
    run_with_scalar(INTENT_INOUT);
    COPIES(2, 2 * sizeof scalar); /* there and back */
    run_with_scalar(INTENT_OUT);
    COPIES(1, sizeof scalar);
    dvmh_data_enter_C(&scalar, sizeof scalar); /* a data region around regions */
    run_with_scalar(INTENT_INOUT);
    COPIES(1, sizeof scalar);
    run_with_scalar(INTENT_INOUT);
    run_with_scalar(INTENT_IN);
    COPIES(0, 0);
    dvmh_data_exit_C(&scalar, 0); /* nobody wants it */
    COPIES(0, 0);
    child_exit();
}

/* A loop without a handler for the device runs at home, in the midst of the region. */
static void test_loop_at_home(void) {
    begin();
    const DvmType region = open_region(INTENT_INOUT, A);
    run_loop(region);
    COPIES(1, ALL_BYTES);
    run_loop_at_home(region);
    COPIES(1, ALL_BYTES);
    run_loop_at_home(region);
    COPIES(0, 0);
    run_loop(region);
    COPIES(1, ALL_BYTES);
    dvmh_region_end_C(region);
    child_exit();
}

/* Arrays that a region does not name stay where they are. */
static void test_bystanders(void) {
    begin();
    run_region(INTENT_OUT, B);
    run_region(INTENT_INOUT, A);
    COPIES(1, ALL_BYTES);
    dvmh_get_actual_array2_(A);
    COPIES(1, ALL_BYTES);
    dvmh_delete_object_(A);
    COPIES(0, 0);
    dvmh_get_actual_all2_();
    COPIES(1, 100 * sizeof(int));
    child_exit();
}

int main(void) {
    static void (*const tests[])(
        void) = {test_consecutive_regions, test_actual,       test_parts,     test_local,
                 test_variables,           test_loop_at_home, test_bystanders};
    unsetenv("DVMH_PLANNER"); /* exact layouts and copies are those of the default */
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (!CHECK_EQ_INT(child_run(tests[i], NULL, NULL, NULL), 0))
            fprintf(stderr, "  in test %zu\n", i);
    return check_finish();
}
