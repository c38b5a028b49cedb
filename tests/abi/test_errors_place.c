/* Wrong arguments of the entry points that place arrays: uneven distributions, redistribution, realignment, and start as a library. */
#include "tests/abi/errors.h"

static const int sizes[] = {6, 4, 10};
static const double weights[] = {1, 2, 3};
static double variable[10];

/* ---- start as a library ---- */

CASE_NO_POSITION(dvmh_init_lib_C, "flags 64", "31") {
    dvmh_init_lib_C(64);
}

CASE(dvmh_init_lib_C, "flags -1", "31") {
    child_init();
    dvmh_init_lib_C(-1);
}

CASE(dvmh_init_C, "a second time", "once") {
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmh_init_lib_C(INITFLAG_SEQUENTIAL);
    dvmh_init_lib_C(INITFLAG_SEQUENTIAL);
    child_init();
}

CASE(dvmh_get_natural_base_C, "device 1", "0..0") { /* the second call adds nothing */
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmh_init_lib_C(INITFLAG_SEQUENTIAL);
    dvmh_init_lib_C(INITFLAG_SEQUENTIAL);
    dvmh_array_create_C(NEW, 1, -rt_INT, 4L, 0L, 0L);
    dvmh_distribute_C(NEW, 1, dvmh_distribution_block_C(1));
    dvmh_get_natural_base_C(1, NEW);
}

/* ---- helpers ---- */

CASE(dvmh_distribution_genblock_C, "axis 0 of the process grid", "1..32767") {
    child_init();
    dvmh_distribution_genblock_C(0, rt_INT, sizes);
}

CASE(dvmh_distribution_genblock_C, "type 3", "1 (int)") {
    child_init();
    dvmh_distribution_genblock_C(1, rt_FLOAT, sizes);
}

CASE(dvmh_distribution_genblock_C, "type -1", "2 (long)") {
    child_init();
    dvmh_distribution_genblock_C(1, -rt_INT, sizes);
}

CASE(dvmh_distribution_genblock_C, "address of the sizes is 0", "") {
    child_init();
    dvmh_distribution_genblock_C(1, rt_INT, NULL);
}

CASE(dvmh_distribution_wgtblock_C, "axis 40000 of the process grid", "1..32767") {
    child_init();
    dvmh_distribution_wgtblock_C(40000, rt_DOUBLE, weights, 3);
}

CASE(dvmh_distribution_wgtblock_C, "type 5", "4 (double)") {
    child_init();
    dvmh_distribution_wgtblock_C(1, rt_FLOAT_COMPLEX, weights, 3);
}

CASE(dvmh_distribution_wgtblock_C, "0 weights", "1 and more") {
    child_init();
    dvmh_distribution_wgtblock_C(1, rt_DOUBLE, weights, 0);
}

CASE(dvmh_distribution_wgtblock_C, "address of the weights is 0", "") {
    child_init();
    dvmh_distribution_wgtblock_C(1, rt_DOUBLE, NULL, 3);
}

CASE(dvmh_distribution_multblock_C, "axis -1 of the process grid", "1..32767") {
    child_init();
    dvmh_distribution_multblock_C(-1, 2);
}

CASE(dvmh_distribution_multblock_C, "multiples of 0", "1 and more") {
    child_init();
    dvmh_distribution_multblock_C(1, 0);
}

/* ---- distribution ---- */

CASE(dvmh_distribute_C, "axis 1: the sizes of 1 parts make 6", "10 elements") {
    begin();
    dvmh_distribute_C(B, 1, dvmh_distribution_genblock_C(1, rt_INT, sizes));
}

CASE(dvmh_distribute_C, "axis 2: the size of part 1 is -3", "0 and more") {
    static const short negative[] = {-3};
    begin();
    dvmh_array_create_C(NEW, 2, -rt_INT, 4L, 0L, 0L, 4L, 0L, 0L);
    dvmh_distribute_C(NEW, 2, dvmh_distribution_block_C(1),
                      dvmh_distribution_genblock_C(2, rt_SHORT, negative));
}

CASE(dvmh_distribute_C, "axis 1: weight 2 is -2", "0 and more") {
    static const float negative[] = {1, -2};
    begin();
    dvmh_distribute_C(B, 1, dvmh_distribution_wgtblock_C(1, rt_FLOAT, negative, 2));
}

CASE(dvmh_distribute_C, "axis 1 of 10 elements is cut into multiples of 3", "divisors of 10") {
    begin();
    dvmh_distribute_C(B, 1, dvmh_distribution_multblock_C(1, 3));
}

CASE(dvmh_distribute_C, "axes 1 and 2 are both distributed over axis 2", "process grid") {
    begin();
    dvmh_array_create_C(NEW, 2, -rt_INT, 4L, 0L, 0L, 4L, 0L, 0L);
    dvmh_distribute_C(NEW, 2, dvmh_distribution_multblock_C(2, 2), dvmh_distribution_block_C(2));
}

/* ---- redistribution ---- */

CASE(dvmh_redistribute_C, "called before dvmh_init_C", "") {
    dvmh_line_C(CHILD_LINE, CHILD_FILE);
    dvmh_redistribute_C(A, 2, 0L, 0L);
}

CASE(dvmh_redistribute_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_redistribute_C(A, 1, dvmh_distribution_block_C(1));
}

CASE(dvmh_redistribute_C, "not created", "no array or template") {
    begin();
    dvmh_redistribute_C(NEW, 1, dvmh_distribution_block_C(1));
}

CASE(dvmh_redistribute_C, "only declared", "no size") {
    begin();
    dvmh_redistribute_C(D, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
}

CASE(dvmh_redistribute_C, "ordinary variable", "distributed") {
    begin();
    dvmh_redistribute_C(dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 10L), 1,
                        dvmh_distribution_block_C(1));
}

CASE(dvmh_redistribute_C, "aligned with another object", "realigning the array") {
    begin();
    dvmh_align_C(B, U, 1,
                 (dvmh_distribute_C(U, 1, dvmh_distribution_block_C(1)), dvmh_alignment_linear_C(1, 1, 0)));
    dvmh_redistribute_C(B, 1, dvmh_distribution_block_C(1));
}

CASE(dvmh_redistribute_C, "the region of line 41 is open", "outside of loops and regions") {
    begin_region();
    dvmh_redistribute_C(B, 1, dvmh_distribution_block_C(1));
}

CASE(dvmh_redistribute_C, "the loop of line 41 is open", "outside of loops and regions") {
    begin_loop();
    dvmh_redistribute_C(B, 1, dvmh_distribution_block_C(1));
}

static void redistribute_inside(void) {
    dvmh_redistribute_C(B, 1, dvmh_distribution_block_C(1));
}

CASE(dvmh_redistribute_C, "from a loop's handler", "serial code") {
    begin();
    in_handler(redistribute_inside);
}

CASE(dvmh_redistribute_C, "cut into multiples of 4", "divisors of 6") {
    begin();
    dvmh_redistribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_multblock_C(2, 4));
}

CASE(dvmh_redistribute_C, "is not a distribution rule", "this call's argument list") {
    begin();
    dvmh_redistribute_C(U, 1, dvmh_array_slice_C(1, 0L, 0L, 1L));
}

/* ---- realignment ---- */

CASE(dvmh_realign_C, "handle is that of a template", "no array") {
    begin();
    dvmh_realign_C(U, 0, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_realign_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_realign_C(A, 0, T, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_realign_C, "not distributed yet", "the target") {
    begin();
    dvmh_realign_C(B, 0, U, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_realign_C, "an ordinary variable", "distributed") {
    begin();
    dvmh_realign_C(dvmh_variable_gen_header_C(variable, 1, -rt_DOUBLE, 8L), 1, T, 2,
                   dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_realign_C, "] comes to [1..8]", "allowed is [0..7]") {
    begin();
    dvmh_realign_C(A, 0, T, 2, dvmh_alignment_linear_C(1, 1, 1), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_realign_C, "only declared", "no size") {
    begin();
    dvmh_realign_C(D, 1, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_realign_C, "the region of line 41 is open", "outside of loops and regions") {
    begin_region();
    dvmh_realign_C(A, 1, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_realign_C, "the loop of line 41 is open", "outside of loops and regions") {
    begin_loop();
    dvmh_realign_C(A, 1, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
