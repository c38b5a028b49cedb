/* Wrong calls of query handlers for CUDA, and kernels that fail, on a GPU that the host plays. */
#include "tests/unit/fake_cuda.h"

#include "tests/abi/errors.h"

#include <dvmhlib.h>
#include <dvmhx_launch.h>

#include "rts/launcher.h"

static double sum;
static struct {
    double value;
    int at[2];
} most;

static void call_on_device(DvmType *loop, DvmType *header) {
    (void)header;
    portion = *loop;
    inside();
}

/* A loop of rank 2, with dependences along the second dim or without, with two reductions, on device 1. */
static void in_device_loop(void (*function)(void), bool depends, bool has_block) {
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    setenv("DVMH_NUM_CUDAS", "0", 1);
    const DvmType region = begin_region();
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_CUDA);
    const DvmType loop = dvmh_loop_create_C(region, 2, 1L, 6L, 1L, 1L, 4L, 1L);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    if (depends)
        dvmh_loop_across_C(loop, 0, A, 2, 0L, 0L, 1L, 1L);
    if (has_block)
        dvmh_loop_set_cuda_block_C(loop, 8, 8, 1);
    dvmh_loop_reduction_C(loop, rf_SUM, &sum, rt_DOUBLE, 1, NULL, 0);
    dvmh_loop_reduction_C(loop, rf_MAXLOC, &most.value, rt_DOUBLE, 1, most.at, sizeof most.at);
    inside = function;
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, 0,
                                 dvmh_handler_func_C(HANDLER(call_on_device), 1, A));
    dvmh_loop_perform_C(loop);
}

static void on_device(void (*function)(void)) {
    in_device_loop(function, false, false);
}

static void *items, *locations;
static unsigned threads[3];

static void host_config(void) {
    dvmh_loop_cuda_get_config_C(portion, 0, 0, threads, NULL, NULL);
}
CASE(dvmh_loop_cuda_get_config_C, "runs on the host", "allowed: handlers for CUDA") {
    begin();
    in_handler(host_config);
}
static void host_transform(void) {
    dvmh_loop_autotransform_C(portion, A);
}
CASE(dvmh_loop_autotransform_C, "runs on the host", "allowed: handlers for CUDA") {
    begin();
    in_handler(host_transform);
}
CASE(dvmh_loop_cuda_get_config_C, "8 x 8 x 1", "at most 1 sizes") {
    in_device_loop(host_config, true, true);
}
static void no_threads(void) {
    dvmh_loop_cuda_get_config_C(portion, 0, 0, NULL, NULL, NULL);
}
CASE(dvmh_loop_cuda_get_config_C, "the address of the threads is 0", "") {
    on_device(no_threads);
}
static void negative_shared(void) {
    dvmh_loop_cuda_get_config_C(portion, -8, 0, threads, NULL, NULL);
}
CASE(dvmh_loop_cuda_get_config_C, "-8 bytes", "0 and more") {
    on_device(negative_shared);
}
static void register_third(void) {
    dvmh_loop_cuda_register_red_C(portion, 3, &items, NULL);
}
CASE(dvmh_loop_cuda_register_red_C, "number 3", "has 2, counted from 1") {
    on_device(register_third);
}
static void register_none(void) {
    dvmh_loop_cuda_register_red_C(portion, 0, &items, NULL);
}
CASE(dvmh_loop_cuda_register_red_C, "number 0", "has 2, counted from 1") {
    on_device(register_none);
}
static void register_nowhere(void) {
    dvmh_loop_cuda_register_red_C(portion, 1, NULL, NULL);
}
CASE(dvmh_loop_cuda_register_red_C, "the address of the variable is 0", "") {
    on_device(register_nowhere);
}
static void register_without_locations(void) {
    DvmType loop = portion;
    loop_cuda_register_red(&loop, 2, &items, NULL);
}
CASE(loop_cuda_register_red, "the address of the locations is 0", "") {
    on_device(register_without_locations);
}
static void prepare_first(void) {
    dvmh_loop_cuda_red_prepare_C(portion, 1, 10, 0);
}
CASE(dvmh_loop_cuda_red_prepare_C, "number 1 is prepared before it is registered", "") {
    on_device(prepare_first);
}
static void prepare_nothing(void) {
    dvmh_loop_cuda_register_red_C(portion, 1, &items, NULL);
    dvmh_loop_cuda_red_prepare_C(portion, 1, 0, 0);
}
CASE(dvmh_loop_cuda_red_prepare_C, "0 partial results", "allowed: 1 and more") {
    on_device(prepare_nothing);
}
static void prepare_twice(void) {
    dvmh_loop_cuda_register_red_C(portion, 2, &items, &locations);
    dvmh_loop_cuda_red_prepare_C(portion, 2, 4, 1);
    dvmh_loop_cuda_red_prepare_C(portion, 2, 4, 1);
}
CASE(dvmh_loop_cuda_red_prepare_C, "number 2 is prepared a second time", "") {
    on_device(prepare_twice);
}
static void prepare_too_many(void) {
    dvmh_loop_cuda_register_red_C(portion, 1, &items, NULL);
    dvmh_loop_cuda_red_prepare_C(portion, 1, INT64_MAX / 2, 0);
}
CASE(dvmh_loop_cuda_red_prepare_C, "partial results of a reduction do not fit", "") {
    on_device(prepare_too_many);
}
static void finish_first(void) {
    dvmh_loop_cuda_red_finish_C(portion, 2);
}
CASE(dvmh_loop_cuda_red_finish_C, "number 2 is finished before it is prepared", "") {
    on_device(finish_first);
}
static void part_of_reals(void) {
    dvmh_loop_cuda_get_local_part_C(portion, A, rt_DOUBLE);
}
CASE(dvmh_loop_cuda_get_local_part_C, "an index of type 4", "rt_INT, rt_LONG, rt_LLONG") {
    on_device(part_of_reals);
}
static void fourth_property(void) {
    DvmType loop = portion;
    loop_cuda_get_device_prop(&loop, 4);
}
CASE(loop_cuda_get_device_prop, "property 4", "1..3") {
    on_device(fourth_property);
}
static void list_blocks(void) {
    DvmType loop = portion;
    unsigned blocks[3];
    loop_cuda_do(&loop, blocks, NULL, rt_INT);
}
CASE(loop_cuda_do, "lists of blocks are not supported", "a sequence of statements") {
    on_device(list_blocks);
}
static void no_loop(void) {
    dvmh_loop_get_dependency_mask_(NULL);
}
CASE(dvmh_loop_get_dependency_mask_, "the address of the loop is 0", "") {
    on_device(no_loop);
}
static void fail_later(void) {
    fake.fault = "a kernel of the loop's handler failed";
}
CASE(dvmh_loop_perform_C, "device 1: a kernel of the loop's handler failed", "") {
    on_device(fail_later);
}
CASE(dvmh_change_filled_bounds, "1 dependent dims; the dependency mask 3 has 2", "") {
    DvmType low[2] = {0}, high[2] = {0}, step[2] = {0}, places[2];
    begin();
    dvmh_change_filled_bounds(low, high, step, 2, 1, 3, places);
}
CASE(dvmhx_launcher_C, "no launcher", "two functions") {
    begin();
    dvmhx_launcher_C(NULL);
}

/* ---- what is not wrong ---- */

/* Partial results of 300 items, of two reductions, and copies of what the loop starts from. */
static void reduce(void) {
    DvmType number = 1, loop = portion;
    double start = -1;
    void *values = NULL;
    dvmh_loop_red_init_(&loop, &number, &start, NULL);
    CHECK(start == 0);
    dvmh_loop_cuda_red_init_C(portion, 2, &values, &locations);
    CHECK(*(double *)values == 5 && ((int *)locations)[1] == 7);
    dvmh_loop_cuda_register_red_C(portion, 1, &items, NULL);
    dvmh_loop_cuda_red_prepare_C(portion, 1, 300, 0);
    for (int i = 0; i < 300; i++)
        ((double *)items)[i] = i;
    dvmh_loop_cuda_red_finish_C(portion, 1);
    dvmh_loop_cuda_register_red_C(portion, 2, &items, &locations);
    dvmh_loop_cuda_red_prepare_C(portion, 2, 300, 1);
    for (int i = 0; i < 310; i++) /* behind the end, too, as some handlers do */
        CHECK(((double *)items)[i] == 5 && ((int *)locations)[2 * i] == 6);
    ((double *)items)[305] = ((double *)items)[20] = 9;
    ((int *)locations)[40] = 1, ((int *)locations)[610] = 2;
    dvmh_loop_cuda_red_finish_C(portion, 2);
    const DvmType *const part = dvmh_loop_cuda_get_local_part_C(portion, A, rt_LONG);
    CHECK(part[0] == 0 && part[1] == 7 && part[2] == 0 && part[3] == 5);
}

static void run_reduce(void) {
    sum = 1000;
    most.value = 5;
    most.at[0] = 6, most.at[1] = 7;
    on_device(reduce);
    CHECK(sum == 1000 + 299 * 150 && most.value == 9 && most.at[0] == 1 && most.at[1] == 7);
    CHECK_EQ_INT(fake.begins, 1);
}

/* A row of A that the loop reads as a section, on the device. */
static void read_row(void) {
    DvmType header[64], on_device[64];
    dvmh_loop_get_remote_buf_C(portion, 1, header);
    const double *const base = dvmh_get_natural_base_C(1, header);
    CHECK_EQ_INT(dvmh_fill_header_C(1, base, header, on_device, NULL), 0);
    for (int j = 0; j < 6; j++)
        CHECK(base[on_device[2] + j * on_device[1]] == 100 + j);
    CHECK(base != dvmh_get_natural_base_C(0, header));
}

static void run_remote(void) {
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    setenv("DVMH_NUM_CUDAS", "0", 1);
    const DvmType region = begin_region();
    for (int j = 0; j < 6; j++)
        *(double *)dvmh_get_own_element_addr_C(A, 2, 3L, (DvmType)j) = 100 + j;
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_CUDA);
    const DvmType loop = dvmh_loop_create_C(region, 1, 0L, 5L, 1L);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(0, 0, 1), dvmh_alignment_linear_C(1, 1, 0));
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(0, 0, 3),
                              dvmh_alignment_linear_C(-1, 0, 0));
    inside = read_row;
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, 0,
                                 dvmh_handler_func_C(HANDLER(call_on_device), 1, A));
    dvmh_loop_perform_C(loop);
    CHECK_EQ_INT(fake.begins, 1);
}

static void check_bounds(void) {
    DvmType low[4] = {10, 11, 12, 13}, high[4] = {20, 21, 22, 23}, step[4] = {1, 2, 3, 4}, places[4];
    dvmh_change_filled_bounds(low, high, step, 4, 2, 10, places); /* dims 0 and 2, of four */
    /* from the innermost, 0: dependent 1 and 3, then 0 and 2; bounds in the opposite order */
    CHECK(places[0] == 1 && places[1] == 3 && places[2] == 0 && places[3] == 2);
    CHECK(low[3] == 12 && low[2] == 10 && low[1] == 13 && low[0] == 11);
    CHECK(high[3] == 22 && step[3] == 3 && high[0] == 21 && step[0] == 2);
    DvmType low_c[3] = {10, 11, 12}, high_c[3] = {20, 21, 22}, step_c[3] = {1, 2, 3}, places_c[3];
    dvmh_change_filled_bounds_C(low_c, high_c, step_c, 3, 4, places_c);
    CHECK(places_c[0] == 2 && places_c[1] == 3 && places_c[2] == 1);
    CHECK(low_c[0] == 11 && low_c[1] == 12 && low_c[2] == 10 && high_c[2] == 20 && step_c[0] == 2);
    dvmh_change_filled_bounds_C(low_c, high_c, step_c, 3, 7, places_c);
    CHECK(places_c[0] == 1 && low_c[0] == 11);
}

static int device_in_use;
static const char *launch_error;
static const char *take_error(void) {
    const char *const error = launch_error;
    launch_error = NULL;
    return error;
}
static void use_device(int device) {
    device_in_use = device;
}

static void check_launchers(void) {
    const dvmhx_launcher_t launcher = {sizeof launcher, take_error, use_device};
    launch_error = "an old one";
    dvmhx_launcher_C(&launcher);
    dvmhx_launcher_C(&launcher);
    rts_launchers_begin(3);
    CHECK_EQ_INT(device_in_use, 3);
    CHECK(rts_launchers_error() == NULL);
    launch_error = "invalid";
    CHECK_EQ_STR(rts_launchers_error(), "invalid");
    CHECK(rts_launchers_error() == NULL);
}

int main(int argc, char **argv) {
    CHECK_EQ_INT(child_run(run_reduce, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(run_remote, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(check_bounds, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(check_launchers, NULL, NULL, NULL), 0);
    run_cases(__FILE__, argc > 1 && strcmp(argv[1], "-v") == 0);
    return check_finish();
}
