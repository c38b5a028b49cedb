/* Wrong arguments of the entry points for ordinary variables, elements, and which copy is the newest. */
#include "tests/abi/errors.h"

static double variable[5][4];
static double scalar;

/* ---- variables ---- */

CASE(dvmh_data_enter_C, "address 0", "variable") {
    begin();
    dvmh_data_enter_C(NULL, 8);
}

CASE(dvmh_data_enter_C, "-1 bytes", "0 (unknown) and more") {
    begin();
    dvmh_data_enter_C(&scalar, -1);
}

CASE(dvmh_data_enter_C, "of 16 bytes overlaps the one at", "of 160 bytes") {
    begin();
    dvmh_data_enter_C(variable, sizeof variable);
    dvmh_data_enter_C(variable[2], 16);
}

CASE(dvmh_data_enter_C, "of 160 bytes overlaps the one at", "of 16 bytes") {
    begin();
    dvmh_data_enter_C(variable[2], 16);
    dvmh_data_enter_C(variable, sizeof variable);
}

CASE(dvmh_data_enter_C, "9223372036854775807 bytes", "address space") {
    begin();
    dvmh_data_enter_C(variable, INT64_MAX);
}

CASE(dvmh_data_exit_C, "is in no data region", "the variable at") {
    begin();
    dvmh_data_exit_C(&scalar, 1);
}

CASE(dvmh_data_exit_C, "in use by the loop of line 41", "after it") {
    const DvmType loop = begin_loop();
    dvmh_data_enter_C(variable, 0);
    DvmType *const header = dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 5L, 4L);
    dvmh_loop_array_correspondence_C(loop, header, 2, 1L, 2L);
    dvmh_data_exit_C(variable, 1);
}

CASE(dvmh_data_exit_C, "in use by the region of line 41", "after its end") {
    const DvmType region = begin_region();
    dvmh_data_enter_C(variable, 0);
    DvmType *const header = dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 5L, 4L);
    dvmh_region_register_array_C(region, INTENT_IN, header, "variable");
    dvmh_data_exit_C(variable, 1);
}

CASE(dvmh_variable_gen_header_C, "address 0", "variable") {
    begin();
    dvmh_variable_gen_header_C(NULL, 0, -rt_DOUBLE);
}

CASE(dvmh_variable_gen_header_C, "rank 9", "0..8") {
    begin();
    dvmh_variable_gen_header_C(variable, 9, -rt_DOUBLE, 1L);
}

CASE(dvmh_variable_gen_header_C, "rank -1", "0..8") {
    begin();
    dvmh_variable_gen_header_C(variable, -1, -rt_DOUBLE);
}

CASE(dvmh_variable_gen_header_C, "type -99", "-15..0") {
    begin();
    dvmh_variable_gen_header_C(variable, 0, -99);
}

CASE(dvmh_variable_gen_header_C, "axis 2 has extent 0", "1 and more") {
    begin();
    dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 5L, 0L);
}

CASE(dvmh_variable_gen_header_C, "axis 1 has extent -5", "1 and more") {
    begin();
    dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, -5L);
}

CASE(dvmh_variable_gen_header_C, "first extent", "unknown") {
    begin();
    dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 0L);
}

CASE(dvmh_variable_gen_header_C, "larger than the address space", "variable") {
    begin();
    dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 1L << 40, 1L << 30);
}

CASE(dvmh_variable_gen_header_C, "larger than the address space", "variable") {
    begin();
    dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 1L << 60);
}

CASE(dvmh_variable_gen_header_C, "[20] of double is described again as [20] of float", "first extent") {
    begin();
    dvmh_data_enter_C(variable, sizeof variable);
    dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 20L);
    dvmh_variable_gen_header_C(variable, 1, -rt_FLOAT, 20L);
}

CASE(dvmh_variable_gen_header_C, "[5][4] of double is described again as [5][3]", "first extent") {
    begin();
    dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 5L, 4L);
    dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 5L, 3L);
}

CASE(dvmh_variable_gen_header_C, "overlaps the one at", "of 160 bytes") {
    begin();
    dvmh_data_enter_C(variable, sizeof variable);
    dvmh_variable_gen_header_C(&variable[1][1], 0, -rt_DOUBLE);
}

CASE(dvmh_variable_gen_header_C, "in use by the loop of line 41", "after it") {
    const DvmType loop = begin_loop();
    DvmType *const header = dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 4L, 4L);
    dvmh_loop_array_correspondence_C(loop, header, 2, 1L, 2L);
    dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 5L, 4L);
}

CASE(dvmh_variable_gen_header_C, "in use by the region of line 41", "after its end") {
    const DvmType region = begin_region();
    DvmType *const header = dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 4L, 4L);
    dvmh_region_register_array_C(region, INTENT_IN, header, "variable");
    dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, 5L, 4L);
}

CASE(dvmh_variable_get_header_C, "has no header yet", "dvmh_variable_gen_header_C") {
    begin();
    dvmh_data_enter_C(&scalar, sizeof scalar);
    dvmh_variable_get_header_C(&scalar);
}

/* A block that dvmh_malloc_C gave, in use by an open region. */
static void *block_in_region(void) {
    const DvmType region = begin_region();
    void *const block = dvmh_malloc_C(160);
    DvmType *const header = dvmh_variable_gen_header_C(block, 1, -rt_DOUBLE, 0L);
    dvmh_region_register_array_C(region, INTENT_IN, header, "block");
    return block;
}

CASE(dvmh_free_C, "in use by the region of line 41", "after its end") {
    dvmh_free_C(block_in_region());
}

CASE(dvmh_realloc_C, "in use by the region of line 41", "after its end") {
    dvmh_realloc_C(block_in_region(), 320);
}

CASE(dvmh_strdup_C, "string is NULL", "") {
    begin();
    dvmh_strdup_C(NULL);
}

/* ---- elements and actuality ---- */

CASE(dvmh_get_element_addr_C, "not created", "no array") {
    begin();
    dvmh_get_element_addr_C(NEW, 1, 0L);
}

CASE(dvmh_get_element_addr_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_get_element_addr_C(A, 1, 0L);
}

CASE(dvmh_get_element_addr_C, "header's address is 0", "address") {
    begin();
    dvmh_get_element_addr_C(NULL, 1, 0L);
}

CASE(dvmh_get_own_element_addr_C, "handle is that of a template", "no array") {
    begin();
    dvmh_get_own_element_addr_C(T, 2, 0L, 0L);
}

CASE(dvmh_get_own_element_addr_C, "rank 3 given", "has rank 2") {
    begin();
    dvmh_get_own_element_addr_C(A, 3, 0L, 0L, 0L);
}

CASE(dvmh_shadow_renew_C, "not distributed", "array") {
    begin();
    dvmh_shadow_renew_C(B, 0, 0);
}

CASE(dvmh_shadow_renew_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_shadow_renew_C(A, 0, 1, 0L, 0L);
}

CASE(dvmh_shadow_renew_C, "widths 1:3 of axis 2", "0..1 : 0..2") {
    begin();
    dvmh_shadow_renew_C(A, 0, 2, 1L, 1L, 1L, 3L);
}

CASE(dvmh_shadow_renew_C, "widths -1:0 of axis 1", "0..1 : 0..1") {
    begin();
    dvmh_shadow_renew_C(A, 0, 2, -1L, 0L, 0L, 0L);
}

CASE(dvmh_shadow_renew_C, "handle is that of a template", "no array") {
    begin();
    dvmh_shadow_renew_C(T, 0, 0);
}

CASE(dvmh_get_actual_array2_, "has no storage yet", "aligned array") {
    begin();
    dvmh_get_actual_array2_(B);
}

CASE(dvmh_get_actual_array2_, "not created", "no array") {
    begin();
    dvmh_get_actual_array2_(NEW);
}

CASE(dvmh_actual_array2_, "has no storage yet", "aligned array") {
    begin();
    dvmh_actual_array2_(B);
}

CASE(dvmh_actual_array2_, "handle is that of a template", "no array") {
    begin();
    dvmh_actual_array2_(T);
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
