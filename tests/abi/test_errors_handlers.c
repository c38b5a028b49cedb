/* What handlers may ask, answered only inside them; entry points called where they may not be: before the
 * start, after the end, from a worker thread, from a handler; entry points that this version lacks. */
#include "tests/abi/errors.h"

static double sum;

static void run_in_handler(void (*function)(void)) {
    begin();
    in_handler(function);
}

/* ---- questions of handlers, asked elsewhere ---- */

CASE(dvmh_loop_get_device_num_C, "no running loop of a handler", "not created") {
    begin();
    dvmh_loop_get_device_num_C(0);
}

CASE(dvmh_loop_fill_bounds_C, "no running loop of a handler", "handle is that of a loop") {
    dvmh_loop_fill_bounds_C(begin_loop(), NULL, NULL, NULL);
}

static void just_keep_the_handle(void) {}

CASE(dvmh_loop_get_slot_count_C, "handler of this handle has returned", "only while it runs") {
    run_in_handler(just_keep_the_handle);
    dvmh_loop_get_slot_count_C(portion);
}

CASE(dvmh_loop_get_dependency_mask_C, "no running loop of a handler", "3 is no handle") {
    begin();
    dvmh_loop_get_dependency_mask_C(3);
}

CASE(dvmh_loop_red_init_C, "no running loop of a handler", "not created") {
    begin();
    dvmh_loop_red_init_C(0, 1, &sum, NULL);
}

CASE(dvmh_loop_red_post_C, "no running loop of a handler", "not created") {
    begin();
    dvmh_loop_red_post_C(0, 1, &sum, NULL);
}

CASE(dvmh_loop_fill_local_part_C, "no running loop of a handler", "not created") {
    DvmType part[4];
    begin();
    dvmh_loop_fill_local_part_C(0, A, part);
}

CASE(dvmh_loop_has_element_C, "no running loop of a handler", "not created") {
    begin();
    dvmh_loop_has_element_C(0, A, 2, 0L, 0L);
}

CASE(dvmh_loop_guess_index_type_C, "no running loop of a handler", "not created") {
    begin();
    dvmh_loop_guess_index_type_C(0);
}

/* ---- asked wrongly by a handler ---- */

static void init_first(void) {
    dvmh_loop_red_init_C(portion, 1, &sum, NULL);
}

CASE(dvmh_loop_red_init_C, "reduction number 1", "the loop has 0") {
    run_in_handler(init_first);
}

static void init_none(void) {
    dvmh_loop_red_init_C(portion, INT64_MIN, &sum, NULL);
}

CASE(dvmh_loop_red_init_C, "reduction number 0", "counted from 1") {
    run_in_handler(init_none);
}

static void init_nothing(void) {
    dvmh_loop_red_init_C(portion, 1, NULL, NULL);
}

CASE(dvmh_loop_red_init_C, "address of the variable is 0", "") {
    run_in_handler(init_nothing);
}

static void post_far(void) {
    dvmh_loop_red_post_C(portion, 1L << 32, &sum, NULL);
}

CASE(dvmh_loop_red_post_C, "reduction number 4294967296", "counted from 1") {
    run_in_handler(post_far);
}

static void post_nothing(void) {
    dvmh_loop_red_post_C(portion, 1, NULL, NULL);
}

CASE(dvmh_loop_red_post_C, "address of the variable is 0", "") {
    run_in_handler(post_nothing);
}

static void part_of_template(void) {
    DvmType part[4];
    dvmh_loop_fill_local_part_C(portion, T, part);
}

CASE(dvmh_loop_fill_local_part_C, "no array", "handle is that of a template") {
    run_in_handler(part_of_template);
}

static void part_nowhere(void) {
    dvmh_loop_fill_local_part_C(portion, A, NULL);
}

CASE(dvmh_loop_fill_local_part_C, "address of the part is 0", "") {
    run_in_handler(part_nowhere);
}

static void element_of_rank_1(void) {
    dvmh_loop_has_element_C(portion, A, 1, 0L);
}

CASE(dvmh_loop_has_element_C, "rank 1 given", "has rank 2") {
    run_in_handler(element_of_rank_1);
}

/* ---- copies on devices ---- */

CASE(dvmh_get_natural_base_C, "device 1", "0..0") {
    begin();
    dvmh_get_natural_base_C(1, A);
}

CASE(dvmh_get_natural_base_C, "device -1", "0..0") {
    begin();
    dvmh_get_natural_base_C(-1, A);
}

CASE(dvmh_get_natural_base_C, "device 9", "0..3") {
    setenv("DVMH_FAKE_DEVICES", "3", 1);
    begin();
    dvmh_get_natural_base_C(9, A);
}

CASE(dvmh_get_natural_base_C, "no array", "handle is that of a template") {
    begin();
    dvmh_get_natural_base_C(0, T);
}

CASE(dvmh_get_device_addr_C, "is not known", "variable") {
    begin();
    dvmh_get_device_addr_C(0, &sum);
}

CASE(dvmh_get_device_addr_C, "device 1", "0..0") {
    begin();
    dvmh_variable_gen_header_C(&sum, 0, -rt_DOUBLE);
    dvmh_get_device_addr_C(1, &sum);
}

CASE(dvmh_fill_header_C, "device 1", "0..0") {
    DvmType header[5];
    begin();
    dvmh_fill_header_C(1, NULL, A, header, NULL);
}

CASE(dvmh_fill_header_C, "address of the device's header is 0", "") {
    begin();
    dvmh_fill_header_C(0, NULL, A, NULL, NULL);
}

CASE(dvmh_fill_header_C, "no array", "not created") {
    DvmType header[5];
    begin();
    dvmh_fill_header_C(0, NULL, NEW, header, NULL);
}

static DvmType low[2], high[2], step[2], places[2];

CASE(dvmh_change_filled_bounds2_C, "rank 0", "1..8") {
    begin();
    dvmh_change_filled_bounds2_C(low, high, step, 0, 0, places);
}

CASE(dvmh_change_filled_bounds2_C, "rank 9", "1..8") {
    begin();
    dvmh_change_filled_bounds2_C(low, high, step, 9, 0, places);
}

CASE(dvmh_change_filled_bounds2_C, "dependency mask 4", "0..3") {
    begin();
    dvmh_change_filled_bounds2_C(low, high, step, 2, 4, places);
}

CASE(dvmh_change_filled_bounds2_C, "dependency mask -1", "0..3") {
    begin();
    dvmh_change_filled_bounds2_C(low, high, step, 2, -1, places);
}

CASE(dvmh_change_filled_bounds2_C, "address of the low bounds is 0", "") {
    begin();
    dvmh_change_filled_bounds2_C(NULL, high, step, 2, 1, places);
}

CASE(dvmh_change_filled_bounds2_C, "address of the places is 0", "") {
    begin();
    dvmh_change_filled_bounds2_C(low, high, step, 2, 1, NULL);
}

/* ---- after the end ---- */

static void create_late(void) {
    dvmh_array_create_C(NEW, 1, -rt_INT, 4L, 0L, 0L);
}

CASE(dvmh_array_create_C, "before dvmh_init_C or after dvmh_exit_C", "") {
    atexit(create_late);
    child_init();
    dvmh_exit_C(0);
}

CASE(dvmhx_get_report_C, "before dvmh_init_C or after dvmh_exit_C", "") {
    dvmhx_report_t report = {.size = sizeof report};
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmhx_get_report_C(&report);
}

CASE(dvmh_get_natural_base_C, "before dvmh_init_C or after dvmh_exit_C", "") {
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmh_get_natural_base_C(0, A);
}

/* ---- not provided: unstructured distributions ---- */

#define UNSUPPORTED_CASE(entry, call)                                                                        \
    CASE(entry, "unstructured", "not supported by this version") {                                           \
        begin();                                                                                             \
        call;                                                                                                \
    }

UNSUPPORTED_CASE(dvmh_distribution_indirect_C, dvmh_distribution_indirect_C(1, rt_INT, &sum))
UNSUPPORTED_CASE(dvmh_distribution_derived_C, dvmh_distribution_derived_C(1, 0, 0, 0))
UNSUPPORTED_CASE(dvmh_derived_rhs_C, dvmh_derived_rhs_C(T, 2, 0L, 0L))
UNSUPPORTED_CASE(dvmh_derived_rhs_expr_ignore_, dvmh_derived_rhs_expr_ignore_())
UNSUPPORTED_CASE(dvmh_derived_rhs_expr_constant_C, dvmh_derived_rhs_expr_constant_C(1))
UNSUPPORTED_CASE(dvmh_derived_rhs_expr_scan_C, dvmh_derived_rhs_expr_scan_C(0))
UNSUPPORTED_CASE(dvmh_indirect_get_buffer_C, dvmh_indirect_get_buffer_C(1))
UNSUPPORTED_CASE(dvmh_indirect_shadow_add_C, dvmh_indirect_shadow_add_C(T, 1, 0, 0, 0, "s", 0))
UNSUPPORTED_CASE(dvmh_indirect_shadow_renew_C, dvmh_indirect_shadow_renew_C(A, 1, "s"))
UNSUPPORTED_CASE(dvmh_indirect_localize_C, dvmh_indirect_localize_C(A, A, 1))
UNSUPPORTED_CASE(dvmh_indirect_unlocalize_, dvmh_indirect_unlocalize_(A))

/* ---- entry points of serial code, called elsewhere ---- */

/* Each in three places. Arguments are good where the place does not forbid them. */
#define SERIAL_CASES(entry, call)                                                                            \
    static void CASE_PASTE(call_, __LINE__)(void) {                                                          \
        call;                                                                                                \
    }                                                                                                        \
    static void CASE_PASTE(early_, __LINE__)(void) {                                                         \
        dvmh_line_C(CHILD_LINE, CHILD_FILE);                                                                 \
        CASE_PASTE(call_, __LINE__)();                                                                       \
    }                                                                                                        \
    static void CASE_PASTE(handler_, __LINE__)(void) {                                                       \
        run_in_handler(CASE_PASTE(call_, __LINE__));                                                         \
    }                                                                                                        \
    static void CASE_PASTE(thread_, __LINE__)(void) {                                                        \
        begin();                                                                                             \
        in_thread(CASE_PASTE(call_, __LINE__));                                                              \
    }                                                                                                        \
    __attribute__((constructor)) static void CASE_PASTE(add_, __LINE__)(void) {                              \
        case_add((error_case_t){#entry, "before dvmh_init_C", "after dvmh_exit_C",                           \
                                CASE_PASTE(early_, __LINE__), __LINE__, true});                              \
        case_add((error_case_t){#entry, "from a loop's handler", "serial code",                              \
                                CASE_PASTE(handler_, __LINE__), __LINE__, true});                            \
        case_add((error_case_t){#entry, "from a worker thread", "the main thread",                           \
                                CASE_PASTE(thread_, __LINE__), __LINE__, true});                             \
    }

#define RULE  dvmh_distribution_replicated_()
#define ALIGN dvmh_alignment_linear_C(-1, 0, 0)
#define BODY  dvmh_handler_func_C(HANDLER(just_keep_the_handle), 0)

static const dvmhx_array_use_t use = {.size = sizeof use, .header = A, .rank = 2, .intent = INTENT_IN};

CASE(dvmh_exit_C, "before dvmh_init_C", "after dvmh_exit_C") {
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmh_exit_C(0);
}

SERIAL_CASES(dvmh_array_create_C, dvmh_array_create_C(NEW, 1, -rt_INT, 4L, 0L, 0L))
SERIAL_CASES(dvmh_array_declare_C, dvmh_array_declare_C(NEW, 1, -rt_INT, 4L, 0L, 0L))
SERIAL_CASES(dvmh_array_alloc_C, dvmh_array_alloc_C(D, 16))
SERIAL_CASES(dvmh_array_free_C, dvmh_array_free_C(D))
SERIAL_CASES(dvmh_template_create_C, dvmh_template_create_C(NEW, 1, 4L))
SERIAL_CASES(dvmh_delete_object_, dvmh_delete_object_(A))
SERIAL_CASES(dvmh_forget_header_, dvmh_forget_header_(B))
SERIAL_CASES(dvmh_distribute_C, dvmh_distribute_C(B, 1, RULE))
SERIAL_CASES(dvmh_align_C, dvmh_align_C(B, T, 2, ALIGN, ALIGN))
SERIAL_CASES(dvmh_data_enter_C, dvmh_data_enter_C(&sum, 8))
SERIAL_CASES(dvmh_data_exit_C, dvmh_data_exit_C(&sum, 0))
SERIAL_CASES(dvmh_variable_gen_header_C, dvmh_variable_gen_header_C(&sum, 0, -rt_DOUBLE))
SERIAL_CASES(dvmh_variable_get_header_C, dvmh_variable_get_header_C(&sum))
SERIAL_CASES(dvmh_shadow_renew_C, dvmh_shadow_renew_C(A, 0, 0))
SERIAL_CASES(dvmh_get_actual_variable2_, dvmh_get_actual_variable2_(&sum))
SERIAL_CASES(dvmh_get_actual_array2_, dvmh_get_actual_array2_(A))
SERIAL_CASES(dvmh_get_actual_all2_, dvmh_get_actual_all2_())
SERIAL_CASES(dvmh_actual_variable2_, dvmh_actual_variable2_(&sum))
SERIAL_CASES(dvmh_actual_array2_, dvmh_actual_array2_(A))
SERIAL_CASES(dvmh_actual_all2_, dvmh_actual_all2_())
SERIAL_CASES(dvmh_region_create_C, dvmh_region_create_C(0))
SERIAL_CASES(dvmh_region_register_array_C, dvmh_region_register_array_C(0, INTENT_IN, A, "A"))
SERIAL_CASES(dvmh_region_register_subarray_C,
             dvmh_region_register_subarray_C(0, INTENT_IN, A, "A", 2, 0L, 1L, 0L, 1L))
SERIAL_CASES(dvmh_region_register_scalar_C,
             dvmh_region_register_scalar_C(0, INTENT_IN, &sum, -rt_DOUBLE, "sum"))
SERIAL_CASES(dvmh_region_execute_on_targets_C, dvmh_region_execute_on_targets_C(0, DEVICE_TYPE_HOST))
SERIAL_CASES(dvmh_region_end_C, dvmh_region_end_C(0))
SERIAL_CASES(dvmh_loop_create_C, dvmh_loop_create_C(0, 0))
SERIAL_CASES(dvmh_loop_map_C, dvmh_loop_map_C(0, T, 2, ALIGN, ALIGN))
SERIAL_CASES(dvmh_loop_across_C, dvmh_loop_across_C(0, 0, A, 2, 1L, 1L, 0L, 0L))
SERIAL_CASES(dvmh_loop_reduction_C, dvmh_loop_reduction_C(0, rf_SUM, &sum, rt_DOUBLE, 1, NULL, 0))
SERIAL_CASES(dvmh_loop_array_correspondence_C, dvmh_loop_array_correspondence_C(0, A, 2, 0L, 0L))
SERIAL_CASES(dvmh_loop_register_handler_C, dvmh_loop_register_handler_C(0, DEVICE_TYPE_HOST, 0, BODY))
SERIAL_CASES(dvmh_loop_perform_C, dvmh_loop_perform_C(0))
SERIAL_CASES(dvmhx_loop_array_C, dvmhx_loop_array_C(0, &use))
SERIAL_CASES(dvmhx_loop_dependences_C, dvmhx_loop_dependences_C(0, 0, NULL))

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
