/* Wrong arguments of the entry points for regions, and calls in a wrong order. */
#include "tests/abi/errors.h"

static int whole;

static void do_nothing(const DvmType *loop) {
    (void)loop;
}

/** Give a loop a handler and run it. */
static void finish_loop(DvmType loop) {
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
    dvmh_loop_perform_C(loop);
}

CASE(dvmh_region_create_C, "flags 4", "1 (async) and 2 (compare)") {
    begin();
    dvmh_region_create_C(4);
}

CASE(dvmh_region_create_C, "flags -1", "1 (async) and 2 (compare)") {
    begin();
    dvmh_region_create_C(-1);
}

CASE(dvmh_region_create_C, "flags 4294967296", "1 (async) and 2 (compare)") {
    begin();
    dvmh_region_create_C(1L << 32);
}

CASE(dvmh_region_create_C, "region of line 41 is still open", "do not nest") {
    begin_region();
    dvmh_region_create_C(0);
}

CASE(dvmh_region_create_C, "loop of line 41 is still open", "") {
    begin_loop();
    dvmh_region_create_C(0);
}

CASE(dvmh_region_register_array_C, "no region", "not created") {
    begin();
    dvmh_region_register_array_C(0, INTENT_IN, A, "A");
}

CASE(dvmh_region_register_array_C, "no region", "no handle of a live object") {
    const DvmType region = begin_region();
    dvmh_region_end_C(region);
    dvmh_region_register_array_C(region, INTENT_IN, A, "A");
}

CASE(dvmh_region_register_array_C, "no region", "handle is that of an array") {
    begin_region();
    dvmh_region_register_array_C(A[0], INTENT_IN, A, "A");
}

CASE(dvmh_region_register_array_C, "no array or template", "handle is that of a region") {
    const DvmType region = begin_region();
    NEW[0] = region;
    dvmh_region_register_array_C(region, INTENT_IN, NEW, "NEW");
}

CASE(dvmh_region_register_array_C, "intent 0", "1 (in), 2 (out), 4 (local), 8 (use)") {
    dvmh_region_register_array_C(begin_region(), 0, A, "A");
}

CASE(dvmh_region_register_array_C, "intent 16", "1 (in), 2 (out), 4 (local), 8 (use)") {
    dvmh_region_register_array_C(begin_region(), 16, A, "A");
}

CASE(dvmh_region_register_array_C, "intent 4294967297", "1 (in), 2 (out), 4 (local), 8 (use)") {
    dvmh_region_register_array_C(begin_region(), (1L << 32) + 1, A, "A");
}

CASE(dvmh_region_register_array_C, "intent 6", "both OUT and LOCAL") {
    dvmh_region_register_array_C(begin_region(), 6, A, "A");
}

CASE(dvmh_region_register_array_C, "registered both OUT and LOCAL", "part of the array") {
    dvmh_region_register_array_C(begin_region(), INTENT_LOCAL, A, "A");
}

CASE(dvmh_region_register_array_C, "has no storage yet", "distributed or aligned") {
    dvmh_region_register_array_C(begin_region(), INTENT_IN, B, "B");
}

CASE(dvmh_region_register_array_C, "has no storage yet", "distributed or aligned") {
    dvmh_region_register_array_C(begin_region(), INTENT_IN, D, "D");
}

CASE(dvmh_region_register_array_C, "registered after", "dvmh_region_execute_on_targets") {
    const DvmType region = begin_region();
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    dvmh_region_register_array_C(region, INTENT_IN, A, "A");
}

CASE(dvmh_region_register_array_C, "registered after", "dvmh_region_execute_on_targets") {
    const DvmType region = begin_region();
    finish_loop(dvmh_loop_create_C(region, 0)); /* the first loop ends registration as well */
    dvmh_region_register_array_C(region, INTENT_IN, A, "A");
}

CASE(dvmh_region_register_subarray_C, "rank 1 given", "has rank 2") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, A, "A", 1, 0L, 1L);
}

CASE(dvmh_region_register_subarray_C, "bounds 0..8 of axis 1", "0..7") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, A, "A", 2, 0L, 8L, 0L, 1L);
}

CASE(dvmh_region_register_subarray_C, "bounds -1..3 of axis 2", "0..5") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, A, "A", 2, UNDEF_BOUND, UNDEF_BOUND, -1L, 3L);
}

CASE(dvmh_region_register_subarray_C, "bounds 5..3 of axis 1", "0..7") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, A, "A", 2, 5L, 3L, 0L, 1L);
}

CASE(dvmh_region_register_subarray_C, "-9223372036854775808..3 of axis 1", "0..7") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, A, "A", 2, INT64_MIN, 3L, 0L, 1L);
}

CASE(dvmh_region_register_subarray_C, "0..9223372036854775807 of axis 1", "0..7") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, A, "A", 2, 0L, INT64_MAX, 0L, 1L);
}

CASE(dvmh_region_register_subarray_C, "has no storage yet", "distributed or aligned") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, B, "B", 1, 0L, 1L);
}

CASE(dvmh_region_register_subarray_C, "no array", "handle is that of a template") {
    dvmh_region_register_subarray_C(begin_region(), INTENT_IN, T, "T", 2, 0L, 1L, 0L, 1L);
}

CASE(dvmh_region_register_scalar_C, "address 0", "variable") {
    dvmh_region_register_scalar_C(begin_region(), INTENT_IN, NULL, -rt_INT, "x");
}

CASE(dvmh_region_register_scalar_C, "type -20", "-15..0") {
    dvmh_region_register_scalar_C(begin_region(), INTENT_IN, &whole, -20, "x");
}

CASE(dvmh_region_register_scalar_C, "intent 0", "1 (in), 2 (out), 4 (local), 8 (use)") {
    dvmh_region_register_scalar_C(begin_region(), 0, &whole, -rt_INT, "x");
}

CASE(dvmh_region_register_scalar_C, "no region", "not created") {
    begin();
    dvmh_region_register_scalar_C(0, INTENT_IN, &whole, -rt_INT, "x");
}

CASE(dvmh_region_execute_on_targets_C, "device mask -1", "1 (host), 2 (CUDA)") {
    dvmh_region_execute_on_targets_C(begin_region(), -1);
}

CASE(dvmh_region_execute_on_targets_C, "device mask 5", "1 (host), 2 (CUDA)") {
    dvmh_region_execute_on_targets_C(begin_region(), 5);
}

CASE(dvmh_region_execute_on_targets_C, "called for this region already", "") {
    const DvmType region = begin_region();
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
}

CASE(dvmh_region_execute_on_targets_C, "no region", "not created") {
    begin();
    dvmh_region_execute_on_targets_C(0, DEVICE_TYPE_HOST);
}

CASE(dvmh_region_end_C, "no region", "not created") {
    begin();
    dvmh_region_end_C(0);
}

CASE(dvmh_region_end_C, "no region", "no handle of a live object") {
    const DvmType region = begin_region();
    dvmh_region_end_C(region);
    dvmh_region_end_C(region);
}

CASE(dvmh_region_end_C, "loop of line 41 is still open", "") {
    const DvmType region = begin_region();
    dvmh_loop_create_C(region, 0);
    dvmh_region_end_C(region);
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
