/* Wrong arguments of the entry points for start, arrays, templates, distribution and alignment. Variables and
 * elements are in test_errors_variables.c, regions and loops in files of their names, handlers and the places
 * that a call may stand at in test_errors_handlers.c. */
#include "tests/abi/errors.h"

static double variable[5];
static double scalar;

/* ---- start and source position ---- */

CASE_NO_POSITION(dvmh_line_C, "line 0 of file 'f.c'", "1..2147483647") {
    dvmh_line_C(0, "f.c");
}

CASE_NO_POSITION(dvmh_line_C, "line -5", "1..2147483647") {
    dvmh_line_C(-5, "f.c");
}

CASE_NO_POSITION(dvmh_line_C, "file ''", "not empty") {
    dvmh_line_C(1, "");
}

CASE(dvmh_line_C, "file '(null)'", "not empty") {
    child_init();
    dvmh_line_C(1, NULL);
}

CASE(dvmh_line_C, "line 4294967297", "2147483647") {
    child_init();
    dvmh_line_C(4294967297L, "f.c");
}

CASE(dvmh_init_C, "a second time", "once") {
    child_init();
    child_init();
}

CASE_NO_POSITION(dvmh_init_C, "flags 32", "31") {
    dvmh_init_C(32, NULL, NULL);
}

CASE_NO_POSITION(dvmh_init_C, "flags -1", "31") {
    dvmh_init_C(-1, NULL, NULL);
}

CASE_NO_POSITION(dvmh_init_C, "not terminated by NULL", "arguments") {
    static char name[] = "name";
    static char *arguments[] = {name, name, NULL};
    char **argv = arguments;
    int argc = 1;
    dvmh_init_C(INITFLAG_SEQUENTIAL, &argc, &argv);
}

CASE_NO_POSITION(dvmh_init_C, "argument 1 of the program is NULL", "there are 2") {
    static char name[] = "name";
    static char *arguments[] = {name, NULL, NULL};
    char **argv = arguments;
    int argc = 2;
    dvmh_init_C(INITFLAG_SEQUENTIAL, &argc, &argv);
}

CASE_NO_POSITION(dvmh_init_C, "-1 arguments", "0 and more") {
    static char *arguments[] = {NULL};
    char **argv = arguments;
    int argc = -1;
    dvmh_init_C(INITFLAG_SEQUENTIAL, &argc, &argv);
}

CASE_NO_POSITION(dvmh_init_C, "list of arguments is 0", "the address") {
    char **argv = NULL;
    int argc = 1;
    dvmh_init_C(INITFLAG_SEQUENTIAL, &argc, &argv);
}

CASE(dvmhx_get_report_C, "address of the dvmhx_report_t is 0", "") {
    child_init();
    dvmhx_get_report_C(NULL);
}

CASE(dvmhx_get_report_C, "size is 0", "sizeof(dvmhx_report_t)") {
    dvmhx_report_t report = {.size = 0};
    child_init();
    dvmhx_get_report_C(&report);
}

CASE(dvmh_get_num_procs, "axis 0", "from 1") {
    child_init();
    dvmh_get_num_procs(0);
}

/* ---- arrays and templates ---- */

CASE(dvmh_array_create_C, "header's address is 0", "address") {
    child_init();
    dvmh_array_create_C(NULL, 1, -rt_INT, 4L, 0L, 0L);
}

CASE(dvmh_array_create_C, "rank 0", "1..8") {
    child_init();
    dvmh_array_create_C(NEW, 0, -rt_INT);
}

CASE(dvmh_array_create_C, "rank 9", "1..8") {
    child_init();
    dvmh_array_create_C(NEW, 9, -rt_INT, 1L, 0L, 0L);
}

CASE(dvmh_array_create_C, "rank -4294967295", "1..8") {
    child_init();
    dvmh_array_create_C(NEW, -4294967295L, -rt_INT, 1L, 0L, 0L);
}

CASE(dvmh_array_create_C, "type -16", "-15..0") {
    child_init();
    dvmh_array_create_C(NEW, 1, -16, 4L, 0L, 0L);
}

CASE(dvmh_array_create_C, "axis 2 of an array is [0..-1]", "one element or more") {
    child_init();
    dvmh_array_create_C(NEW, 2, -rt_INT, 4L, 0L, 0L, 0L, 0L, 0L);
}

CASE(dvmh_array_create_C, "axis 1 of an array is [0..-4]", "one element or more") {
    child_init();
    dvmh_array_create_C(NEW, 1, -rt_INT, -3L, 0L, 0L);
}

CASE(dvmh_array_create_C, "axis 1 are -1 and 0 wide", "0..") {
    child_init();
    dvmh_array_create_C(NEW, 1, -rt_INT, 3L, -1L, 0L);
}

CASE(dvmh_array_create_C, "axis 2 are 0 and -2 wide", "0..") {
    child_init();
    dvmh_array_create_C(NEW, 2, -rt_INT, 3L, 0L, 0L, 3L, 0L, -2L);
}

CASE(dvmh_array_create_C, "too large", "63 bits") {
    child_init();
    dvmh_array_create_C(NEW, 2, -rt_DOUBLE, 1L << 31, 0L, 0L, 1L << 31, 0L, 0L);
}

CASE(dvmh_array_create_C, "223372036854775806]", "allowed") {
    child_init();
    dvmh_array_create_C(NEW, 1, -rt_CHAR, INT64_MAX, 0L, 0L);
}

CASE(dvmh_array_declare_C, "rank 10", "1..8") {
    child_init();
    dvmh_array_declare_C(NEW, 10, -rt_INT, 0L, 0L, 0L);
}

CASE(dvmh_array_declare_C, "axis 2 of an array is [0..-1]", "one element or more") {
    child_init();
    dvmh_array_declare_C(NEW, 2, -rt_INT, 0L, 0L, 0L, 0L, 0L, 0L);
}

CASE(dvmh_array_alloc_C, "10 bytes", "rows of 16 bytes") {
    begin();
    dvmh_array_alloc_C(D, 10);
}

CASE(dvmh_array_alloc_C, "0 bytes", "rows of 16 bytes") {
    begin();
    dvmh_array_alloc_C(D, 0);
}

CASE(dvmh_array_alloc_C, "-16 bytes", "rows of 16 bytes") {
    begin();
    dvmh_array_alloc_C(D, -16);
}

CASE(dvmh_array_alloc_C, "3 rows already", "the array has its") {
    begin();
    dvmh_array_alloc_C(D, 48);
    dvmh_array_alloc_C(D, 48);
}

CASE(dvmh_array_alloc_C, "8 rows already", "the array has its") {
    begin();
    dvmh_array_alloc_C(A, 48);
}

CASE(dvmh_array_alloc_C, "handle is that of a template", "no array") {
    begin();
    dvmh_array_alloc_C(T, 48);
}

CASE(dvmh_array_free_C, "not created", "no array") {
    begin();
    dvmh_array_free_C(NEW);
}

CASE(dvmh_array_free_C, "ordinary variable", "dvmh_data_exit_C") {
    begin();
    dvmh_array_free_C(dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE));
}

CASE(dvmh_array_free_C, "in use by the region of line 41", "after its end") {
    begin_region();
    dvmh_array_free_C(A);
}

CASE(dvmh_array_free_C, "in use by the loop of line 41", "after it") {
    begin_loop();
    dvmh_array_free_C(A);
}

CASE(dvmh_template_create_C, "header's address is 0", "address") {
    child_init();
    dvmh_template_create_C(NULL, 1, 4L);
}

CASE(dvmh_template_create_C, "rank 0", "1..8") {
    child_init();
    dvmh_template_create_C(NEW, 0);
}

CASE(dvmh_template_create_C, "rank 9", "1..8") {
    child_init();
    dvmh_template_create_C(NEW, 9, 1L);
}

CASE(dvmh_template_create_C, "axis 1 of a template is [0..-1]", "one element or more") {
    child_init();
    dvmh_template_create_C(NEW, 1, 0L);
}

CASE(dvmh_delete_object_, "header's address is 0", "address") {
    child_init();
    dvmh_delete_object_(NULL);
}

CASE(dvmh_delete_object_, "12345 is no handle", "no array or template") {
    child_init();
    NEW[0] = 12345;
    dvmh_delete_object_(NEW);
}

CASE(dvmh_delete_object_, "no handle of a live object", "no array or template") {
    begin();
    NEW[0] = A[0];
    dvmh_delete_object_(A);
    dvmh_delete_object_(NEW);
}

CASE(dvmh_delete_object_, "handle is that of a region", "no array or template") {
    begin();
    NEW[0] = dvmh_region_create_C(0);
    dvmh_delete_object_(NEW);
}

CASE(dvmh_delete_object_, "in use by the region of line 41", "after its end") {
    begin_region();
    dvmh_delete_object_(A);
}

CASE(dvmh_delete_object_, "in use by the loop of line 41", "after it") {
    begin_loop();
    dvmh_delete_object_(A);
}

CASE(dvmh_delete_object_, "in use by the loop of line 41", "after it") {
    const DvmType loop = begin_loop();
    dvmh_array_create_C(NEW, 1, -rt_INT, 8L, 0L, 0L);
    dvmh_distribute_C(NEW, 1, dvmh_distribution_replicated_());
    dvmh_loop_across_C(loop, 0, NEW, 1, 1L, 0L);
    dvmh_delete_object_(NEW);
}

CASE(dvmh_delete_object_, "in use by the loop of line 41", "after it") {
    const DvmType loop = begin_loop();
    dvmh_array_create_C(NEW, 1, -rt_INT, 8L, 0L, 0L);
    dvmh_loop_array_correspondence_C(loop, NEW, 1, 1L);
    dvmh_delete_object_(NEW);
}

CASE(dvmh_delete_object_, "template is in use by the loop of line 41", "after it") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
    dvmh_delete_object_(T);
}

CASE(dvmh_delete_object_, "ordinary variable", "dvmh_data_exit_C") {
    begin();
    dvmh_delete_object_(dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE));
}

CASE(dvmh_forget_header_, "header's address is 0", "address") {
    child_init();
    dvmh_forget_header_(NULL);
}

CASE(dvmh_forget_header_, "does not know this header", "array") {
    begin();
    NEW[0] = B[0];
    dvmh_forget_header_(NEW);
}

CASE(dvmh_forget_header_, "handle is that of a template", "no array") {
    begin();
    dvmh_forget_header_(T);
}

CASE(dvmh_forget_header_, "in use by the loop of line 41", "after it") {
    const DvmType loop = begin_loop();
    dvmh_loop_array_correspondence_C(loop, B, 1, 1L);
    dvmh_forget_header_(B);
}

/* ---- distribution and alignment ---- */

CASE(dvmh_distribution_block_C, "axis 0 of the process grid", "1..32767") {
    child_init();
    dvmh_distribution_block_C(0);
}

CASE(dvmh_distribution_block_C, "axis -1 of the process grid", "1..32767") {
    child_init();
    dvmh_distribution_block_C(-1);
}

CASE(dvmh_distribution_block_C, "axis 32768 of the process grid", "32767") {
    child_init();
    dvmh_distribution_block_C(32768);
}

CASE(dvmh_distribute_C, "rank 2 given", "has rank 1") {
    begin();
    dvmh_distribute_C(B, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
}

CASE(dvmh_distribute_C, "not created", "no array or template") {
    begin();
    dvmh_distribute_C(NEW, 1, dvmh_distribution_block_C(1));
}

CASE(dvmh_distribute_C, "array is distributed already", "the ") {
    begin();
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
}

CASE(dvmh_distribute_C, "template is distributed already", "the ") {
    begin();
    dvmh_distribute_C(T, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
}

CASE(dvmh_distribute_C, "only declared", "no size") {
    begin();
    dvmh_distribute_C(D, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
}

CASE(dvmh_distribute_C, "axes 1 and 2 are both distributed over axis 3", "process grid") {
    begin();
    dvmh_array_create_C(NEW, 2, -rt_INT, 4L, 0L, 0L, 4L, 0L, 0L);
    dvmh_distribute_C(NEW, 2, dvmh_distribution_block_C(3), dvmh_distribution_block_C(3));
}

CASE(dvmh_distribute_C, "7 is not a distribution rule", "this call's argument list") {
    begin();
    dvmh_distribute_C(B, 1, 7L);
}

CASE(dvmh_distribute_C, "0 is not a distribution rule", "this call's argument list") {
    begin();
    dvmh_distribute_C(B, 1, 0L);
}

CASE(dvmh_distribute_C, "is not a distribution rule", "this call's argument list") {
    begin();
    dvmh_distribute_C(B, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_distribute_C, "is not a distribution rule", "this call's argument list") {
    begin();
    const DvmType rule = dvmh_distribution_block_C(1);
    dvmh_distribute_C(U, 1, rule);
    dvmh_distribute_C(B, 1, rule);
}

CASE(dvmh_distribute_C, "ordinary variable", "distributed") {
    begin();
    dvmh_distribute_C(dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 5L), 1,
                      dvmh_distribution_block_C(1));
}

CASE(dvmh_alignment_linear_C, "axis 9", "1..8") {
    child_init();
    dvmh_alignment_linear_C(9, 1, 0);
}

CASE(dvmh_alignment_linear_C, "axis -2", "1..8") {
    child_init();
    dvmh_alignment_linear_C(-2, 1, 0);
}

CASE(dvmh_align_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_align_C(B, T, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_align_C, "target of an alignment is not distributed", "yet") {
    begin();
    dvmh_align_C(B, U, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_align_C, "target of an alignment is an ordinary variable", "") {
    begin();
    DvmType *const header = dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 5L);
    dvmh_align_C(B, header, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_align_C, "distributed already", "the ") {
    begin();
    dvmh_align_C(A, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_align_C, "only declared", "no size") {
    begin();
    dvmh_align_C(D, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_align_C, "handle is that of a template", "no array") {
    begin();
    dvmh_align_C(U, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_align_C, "there is no axis 2", "1..1") {
    begin();
    dvmh_align_C(B, T, 2, dvmh_alignment_linear_C(2, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_align_C, "axis 1 is used already", "alignment with axis 2") {
    begin();
    dvmh_array_create_C(NEW, 1, -rt_INT, 6L, 0L, 0L);
    dvmh_align_C(NEW, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_align_C, "] comes to [0..9]", "allowed is [0..7]") {
    begin();
    dvmh_align_C(B, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_align_C, "constant 8", "[0..7]") {
    begin();
    dvmh_align_C(B, T, 2, dvmh_alignment_linear_C(0, 0, 8), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_align_C, "multiplier is 0", "alignment with axis 1") {
    begin();
    dvmh_align_C(B, T, 2, dvmh_alignment_linear_C(1, 0, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_align_C, "is not an alignment rule", "this call's argument list") {
    begin();
    dvmh_align_C(B, T, 2, dvmh_distribution_replicated_(), dvmh_alignment_linear_C(-1, 0, 0));
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
