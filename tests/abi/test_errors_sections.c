/* Wrong arguments of the entry points for copies, sections, parts, remote access, facts about loops, and intervals. */
#include "tests/abi/errors.h"

static double variable[5];

/* ---- copies ---- */

CASE(dvmh_array_copy_whole_, "no storage", "distributed or aligned") {
    begin();
    dvmh_array_copy_whole_(A, (dvmh_array_create_C(NEW, 2, -rt_DOUBLE, 8L, 0L, 0L, 6L, 0L, 0L), NEW));
}

CASE(dvmh_array_copy_whole_, "not created", "no array") {
    begin();
    dvmh_array_copy_whole_(NEW, A);
}

CASE(dvmh_array_copy_whole_, "header's address is 0", "") {
    begin();
    dvmh_array_copy_whole_(A, NULL);
}

CASE(dvmh_array_copy_whole_, "[5] elements are to be copied to [8][6]", "the same extents") {
    begin();
    dvmh_array_copy_whole_(dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 5L), A);
}

CASE(dvmh_array_copy_whole_, "elements of 4 bytes", "the same size") {
    begin();
    dvmh_distribute_C(B, 1, dvmh_distribution_block_C(1));
    dvmh_array_copy_whole_(B, A);
}

CASE(dvmh_array_slice_C, "rank 9", "0..8") {
    child_init();
    dvmh_array_slice_C(9, 0L, 0L, 1L);
}

CASE(dvmh_array_slice_C, "axis 2: step 0", "1 and more") {
    child_init();
    dvmh_array_slice_C(2, 0L, 0L, 1L, 0L, 5L, 0L);
}

CASE(dvmh_array_slice_C, "axis 1: indices 3..2 by 1", "1 index and more") {
    child_init();
    dvmh_array_slice_C(1, 3L, 2L, 1L);
}

CASE(dvmh_array_slice_C, "axis 1: indices 0..4 by 2", "whole number of steps") {
    child_init();
    dvmh_array_slice_C(1, 0L, 4L, 2L);
}

CASE(dvmh_array_slice_C, "axis 1: indices -9223372036854775808..9223372036854775807",
     "whole number of steps") {
    child_init();
    dvmh_array_slice_C(1, INT64_MIN, INT64_MAX, 1L);
}

CASE(dvmh_array_copy_C, "axis 1 of the target: indices 8..8", "0..7") {
    begin();
    dvmh_array_copy_C(A, dvmh_array_slice_C(2, 1L, 1L, 1L, 2L, 2L, 1L), A,
                      dvmh_array_slice_C(2, 8L, 8L, 1L, 2L, 2L, 1L));
}

CASE(dvmh_array_copy_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_array_copy_C(A, dvmh_array_slice_C(1, 1L, 1L, 1L), A, 0);
}

CASE(dvmh_array_copy_C, "is not a section of an array", "this call's argument list") {
    begin();
    dvmh_array_copy_C(A, dvmh_distribution_block_C(1), A, 0);
}

CASE(dvmh_array_copy_C, "is not a section of an array", "this call's argument list") {
    begin();
    const DvmType slice = dvmh_array_slice_C(2, 1L, 1L, 1L, 2L, 2L, 1L);
    dvmh_array_copy_C(A, slice, A, slice);
    dvmh_array_copy_C(A, slice, A, slice);
}

CASE(dvmh_array_set_value_, "address of the value is 0", "") {
    begin();
    dvmh_array_set_value_(A, NULL);
}

CASE(dvmh_array_set_value_, "no storage", "distributed or aligned") {
    begin();
    dvmh_array_set_value_(B, variable);
}

static void copy_inside(void) {
    dvmh_array_copy_whole_(A, A);
}

CASE(dvmh_array_copy_whole_, "from a loop's handler", "serial code") {
    begin();
    in_handler(copy_inside);
}

/* ---- elements ---- */

CASE(dvmh_has_element_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_has_element_C(A, 1, 0L);
}

CASE(dvmh_calc_linear_C, "rank 3 given", "has rank 2") {
    begin();
    dvmh_calc_linear_C(A, 3, 0L, 0L, 0L);
}

CASE(dvmh_calc_linear_C, "no storage", "distributed or aligned") {
    begin();
    dvmh_calc_linear_C(B, 1, 0L);
}

/* ---- parts ---- */

CASE(dvmh_get_actual_subarray_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_get_actual_subarray_C(A, 1, 0L, 0L);
}

CASE(dvmh_get_actual_subarray_C, "bounds 0..8 of axis 1", "0..7") {
    begin();
    dvmh_get_actual_subarray_C(A, 2, 0L, 8L, 0L, 5L);
}

CASE(dvmh_get_actual_subarray_C, "no storage", "distributed or aligned") {
    begin();
    dvmh_get_actual_subarray_C(B, 1, 0L, 8L);
}

CASE(dvmh_actual_subarray_C, "bounds 4..2 of axis 2", "0..5") {
    begin();
    dvmh_actual_subarray_C(A, 2, UNDEF_BOUND, UNDEF_BOUND, 4L, 2L);
}

CASE(dvmh_actual_subarray_C, "handle is that of a template", "no array") {
    begin();
    dvmh_actual_subarray_C(T, 2, 0L, 0L, 0L, 0L);
}

CASE(dvmh_get_actual_subvariable_C, "bounds -1..2 of axis 1", "0..4") {
    begin();
    dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 5L);
    dvmh_get_actual_subvariable_C(variable, 1, -1L, 2L);
}

CASE(dvmh_actual_subvariable_C, "rank 2 given", "has rank 1") {
    begin();
    dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 5L);
    dvmh_actual_subvariable_C(variable, 2, 0L, 0L, 0L, 0L);
}

/* ---- remote access ---- */

CASE(dvmh_remote_access_C, "buffer's address is 0", "") {
    begin();
    dvmh_remote_access_C(NULL, A, 2, dvmh_alignment_linear_C(-1, 0, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_remote_access_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_remote_access_C(NEW, A, 1, dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_remote_access_C, "axis 2: index 6", "0..5") {
    begin();
    dvmh_remote_access_C(NEW, A, 2, dvmh_alignment_linear_C(-1, 0, 0), dvmh_alignment_linear_C(0, 0, 6));
}

CASE(dvmh_remote_access_C, "axis 1 follows loop axis 1", "a constant index") {
    begin();
    dvmh_remote_access_C(NEW, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(0, 0, 5));
}

CASE(dvmh_remote_access_C, "no storage", "distributed or aligned") {
    begin();
    dvmh_remote_access_C(NEW, B, 1, dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_loop_remote_access_C, "rank 1 given", "has rank 2") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 1, dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_loop_remote_access_C, "axis 2 names loop axis 3", "has rank 2") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(-1, 0, 0),
                              dvmh_alignment_linear_C(3, 1, 0));
}

CASE(dvmh_loop_remote_access_C, "axis 1: index 8", "0..7") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 1), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_loop_remote_access_C, "axis 2: index -5", "0..5") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(-1, 0, 0),
                              dvmh_alignment_linear_C(2, -1, 0));
}

CASE(dvmh_loop_remote_access_C, "axis 2: index 6", "0..5") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(0, 0, 6));
}

CASE(dvmh_loop_remote_access_C, "axis 1: index 922337203685477580", "0..7") { /* more than 64 bits hold */
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(1, INT64_MAX / 2, INT64_MAX / 2),
                              dvmh_alignment_linear_C(0, 0, 0));
}

CASE(dvmh_loop_remote_access_C, "axis 1 multiplies loop axis 1 by 0", "any other") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(1, 0, 0),
                              dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_loop_remote_access_C, "no storage", "distributed or aligned") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, B, 1, dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_loop_remote_access_C, "more than 64", "one loop") {
    const DvmType loop = begin_loop();
    for (int i = 0; i < 65; i++)
        dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(-1, 0, 0),
                                  dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_delete_object_, "in use by the loop of line 41", "after it") {
    begin();
    dvmh_distribute_C(B, 1, dvmh_distribution_block_C(1));
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_remote_access_C(loop, B, 1, dvmh_alignment_linear_C(-1, 0, 0));
    dvmh_delete_object_(B);
}

/* ---- uses that show a section ---- */

static void no_record(const dvmhx_record_t *record) {
    (void)record;
}

/* Perform an open loop with a use of A that shows a section. */
static void show_section(DvmType loop, DvmType handler_type) {
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = A,
                                   .rank = 2,
                                   .intent = INTENT_IN,
                                   .flags = DVMHX_REMOTE};
    dvmhx_loop_array_C(loop, &use);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, handler_type,
                                 dvmh_handler_func_C(HANDLER(no_record), 0));
    dvmh_loop_perform_C(loop);
}

CASE(dvmh_loop_perform_C, "1 uses show sections of remote accesses", "the loop has 0") {
    show_section(begin_loop(), DVMHX_HANDLER_RECORD);
}

CASE(dvmh_loop_perform_C, "use number 1 of a section names another array", "remote access number 1") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 5L), 1,
                              dvmh_alignment_linear_C(-1, 0, 0));
    show_section(loop, DVMHX_HANDLER_RECORD);
}

CASE(dvmh_loop_perform_C, "use number 1 shows a section", "handlers that take records") {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(-1, 0, 0),
                              dvmh_alignment_linear_C(-1, 0, 0));
    show_section(loop, 0);
}

/* ---- consistent arrays ---- */

CASE(dvmh_loop_consistent_C, "rank 1 given", "has rank 2") {
    const DvmType loop = begin_loop();
    dvmh_loop_consistent_C(loop, A, 1, dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_loop_consistent_C, "axis 1: index 8", "0..7") {
    const DvmType loop = begin_loop();
    dvmh_loop_consistent_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 1), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_loop_consistent_C, "more than 64 consistent arrays", "one loop") {
    const DvmType loop = begin_loop();
    for (int i = 0; i < 65; i++)
        dvmh_loop_consistent_C(loop, A, 2, dvmh_alignment_linear_C(-1, 0, 0),
                               dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_delete_object_, "the array is in use by the loop of line 41", "after it") {
    begin();
    dvmh_distribute_C(B, 1, dvmh_distribution_replicated_());
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_consistent_C(loop, B, 1, dvmh_alignment_linear_C(1, 1, 0));
    dvmh_delete_object_(B);
}

static void ask_for_buffer(void) {
    DvmType words[64];
    dvmh_loop_get_remote_buf_C(portion, 1, words);
}

CASE(dvmh_loop_get_remote_buf_C, "remote buffer number 1", "the loop has 0") {
    begin();
    in_handler(ask_for_buffer);
}

static void ask_with_remote(const DvmType *loop, const DvmType *number, DvmType *words) {
    dvmh_loop_get_remote_buf_C(*loop, *number, words);
}

static void loop_with_remote(DvmType number, DvmType *words) {
    const DvmType loop = begin_loop();
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(-1, 0, 0),
                              dvmh_alignment_linear_C(0, 0, 0));
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C(HANDLER(ask_with_remote), 2, (void *)&number,
                                                     (void *)words));
    dvmh_loop_perform_C(loop);
}

CASE(dvmh_loop_get_remote_buf_C, "remote buffer number 2", "the loop has 1") {
    DvmType words[64];
    loop_with_remote(2, words);
}

CASE(dvmh_loop_get_remote_buf_C, "remote buffer number 0", "counted from 1") {
    DvmType words[64];
    loop_with_remote(0, words);
}

CASE(dvmh_loop_get_remote_buf_C, "address of the buffer's header is 0", "") {
    loop_with_remote(1, NULL);
}

CASE(dvmh_get_natural_base_C, "is no handle of a live object", "no array") {
    DvmType words[64];
    loop_with_remote(1, words);
    dvmh_get_natural_base_C(0, words); /* the buffer is gone */
}

/* ---- facts about loops ---- */

CASE(dvmh_loop_set_stage_C, "-1 stages", "1 and more, or 0") {
    dvmh_loop_set_stage_C(begin_loop(), -1);
}

CASE(dvmh_loop_set_stage_C, "no loop", "not created") {
    begin();
    dvmh_loop_set_stage_C(0, 1);
}

CASE(dvmh_loop_set_cuda_block_C, "a block of 0 x 4 x 1 threads", "1..2147483647 each") {
    dvmh_loop_set_cuda_block_C(begin_loop(), 0, 4, 1);
}

CASE(dvmh_loop_set_cuda_block_C, "a block of 8 x 4 x 2 threads for a loop of rank 2", "at most 2 sizes") {
    dvmh_loop_set_cuda_block_C(begin_loop(), 8, 4, 2);
}

/* ---- intervals ---- */

CASE(dvmh_sp_interval_end_, "no interval is open", "once for each start") {
    child_init();
    dvmh_sp_interval_end_();
}

CASE(dvmh_usr_interval_end_, "the parallel loop of line 41", "its end first") {
    child_init();
    dvmh_usr_interval_start_C(1);
    dvmh_par_interval_start_C();
    dvmh_usr_interval_end_();
}

CASE(dvmh_sp_interval_end_, "number 7 of the program, of line 41", "its end first") {
    child_init();
    dvmh_seq_interval_start_C();
    dvmh_usr_interval_start_C(7);
    dvmh_sp_interval_end_();
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
