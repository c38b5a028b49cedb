/* Wrong arguments of the entry points for loops, and calls in a wrong order. */
#include "tests/abi/errors.h"

static double sum;
static int whole;

static void do_nothing(const DvmType *loop) {
    (void)loop;
}

static void do_nothing_for_records(const dvmhx_record_t *record) {
    (void)record;
}

/** Give a loop a handler and run it. */
static void finish_loop(DvmType loop) {
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
    dvmh_loop_perform_C(loop);
}

/* ---- loops: create and map ---- */

CASE(dvmh_loop_create_C, "rank 9", "0..8") {
    begin();
    dvmh_loop_create_C(0, 9, 0L, 1L, 1L);
}

CASE(dvmh_loop_create_C, "rank -1", "0..8") {
    begin();
    dvmh_loop_create_C(0, -1);
}

CASE(dvmh_loop_create_C, "loop axis 2 has step 0", "any other step") {
    begin();
    dvmh_loop_create_C(0, 2, 0L, 7L, 1L, 0L, 5L, 0L);
}

CASE(dvmh_loop_create_C, "range -9223372036854775808..9223372036854775807 is too long", "axis 1") {
    begin();
    dvmh_loop_create_C(0, 1, INT64_MIN, INT64_MAX, 1L);
}

CASE(dvmh_loop_create_C, "2^63 iterations", "loop") {
    begin();
    dvmh_loop_create_C(0, 2, 0L, 1L << 40, 1L, 0L, 1L << 40, 1L);
}

CASE(dvmh_loop_create_C, "loop of line 41 is still open", "only one") {
    begin_loop();
    dvmh_loop_create_C(0, 0);
}

CASE(dvmh_loop_create_C, "region of line 41 is open", "loop outside regions") {
    begin_region();
    dvmh_loop_create_C(0, 0);
}

CASE(dvmh_loop_create_C, "no region", "12 is no handle") {
    begin();
    dvmh_loop_create_C(12, 0);
}

CASE(dvmh_loop_map_C, "no loop", "not created") {
    begin();
    dvmh_loop_map_C(0, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_loop_map_C, "no loop", "no handle of a live object") {
    const DvmType loop = begin_loop();
    finish_loop(loop);
    dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_loop_map_C, "has a mapping already", "the loop") {
    const DvmType loop = begin_loop();
    dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
}

CASE(dvmh_loop_map_C, "rank 1 given", "has rank 2") {
    begin();
    dvmh_loop_map_C(dvmh_loop_create_C(0, 1, 0L, 7L, 1L), T, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_loop_map_C, "mapped on a template that is not distributed", "") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_map_C(loop, U, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_loop_map_C, "mapped on an array that is not distributed", "") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_map_C(loop, B, 1, dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_loop_map_C, "names loop axis 3", "the loop has rank 1") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(3, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_loop_map_C, "multiplies loop axis 1 by 0", "rule 1") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(1, 0, 0), dvmh_alignment_linear_C(-1, 0, 0));
}

CASE(dvmh_loop_map_C, "uses loop axis 1 a second time", "rule 2") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 5L, 1L);
    dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(1, 1, 0));
}

CASE(dvmh_loop_map_C, "is not an alignment rule", "this call's argument list") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 5L, 1L);
    dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_distribution_replicated_());
}

/* ---- loops: clauses ---- */

CASE(dvmh_loop_across_C, "rank 1 given", "has rank 2") {
    dvmh_loop_across_C(begin_loop(), 0, A, 1, 1L, 0L);
}

CASE(dvmh_loop_across_C, "widths -1:0 of axis 1", "0 and more") {
    dvmh_loop_across_C(begin_loop(), 0, A, 2, -1L, 0L, 0L, 0L);
}

CASE(dvmh_loop_across_C, "no loop", "handle is that of a region") {
    dvmh_loop_across_C(begin_region(), 0, A, 2, 1L, 0L, 0L, 0L);
}

CASE(dvmh_loop_across_C, "no array", "handle is that of a template") {
    dvmh_loop_across_C(begin_loop(), 0, T, 2, 1L, 0L, 0L, 0L);
}

CASE(dvmh_loop_perform_C, "widths 1:0 of array axis 1", "no loop axis walks it") {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 2, 0L, 7L, 1L, 0L, 5L, 1L);
    dvmh_loop_across_C(loop, 0, A, 2, 1L, 0L, 0L, 0L);
    finish_loop(loop);
}

CASE(dvmh_loop_across_C, "more than 64 across arrays", "loop") {
    const DvmType loop = begin_loop();
    for (int i = 0; i < 65; i++)
        dvmh_loop_across_C(loop, 0, A, 2, 1L, 0L, 0L, 0L);
}

CASE(dvmh_loop_reduction_C, "operation 0", "1..12") {
    dvmh_loop_reduction_C(begin_loop(), 0, &sum, rt_DOUBLE, 1, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "operation 13", "1..12") {
    dvmh_loop_reduction_C(begin_loop(), 13, &sum, rt_DOUBLE, 1, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "type -4", "0..14") {
    dvmh_loop_reduction_C(begin_loop(), rf_SUM, &sum, -rt_DOUBLE, 1, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "reduction AND", "type double") {
    dvmh_loop_reduction_C(begin_loop(), rf_AND, &sum, rt_DOUBLE, 1, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "reduction MAX", "type double complex") {
    dvmh_loop_reduction_C(begin_loop(), rf_MAX, &sum, rt_DOUBLE_COMPLEX, 1, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "of 0 elements", "1 and more") {
    dvmh_loop_reduction_C(begin_loop(), rf_SUM, &sum, rt_DOUBLE, 0, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "of 2305843009213693952 elements", "larger than any memory") {
    dvmh_loop_reduction_C(begin_loop(), rf_SUM, &sum, rt_DOUBLE, 1L << 61, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "-1 bytes of location", "0 and more") {
    dvmh_loop_reduction_C(begin_loop(), rf_MAXLOC, &sum, rt_DOUBLE, 1, &whole, -1);
}

CASE(dvmh_loop_reduction_C, "address is 0", "reduction 1") {
    dvmh_loop_reduction_C(begin_loop(), rf_SUM, NULL, rt_DOUBLE, 1, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "no loop", "not created") {
    begin();
    dvmh_loop_reduction_C(0, rf_SUM, &sum, rt_DOUBLE, 1, NULL, 0);
}

CASE(dvmh_loop_reduction_C, "more than 64 reductions", "loop") {
    const DvmType loop = begin_loop();
    for (int i = 0; i < 65; i++)
        dvmh_loop_reduction_C(loop, rf_SUM, &sum, rt_DOUBLE, 1, NULL, 0);
}

/* Two of these wrapped around to a small block of memory. */
CASE(dvmh_loop_reduction_C, "of 9223372036854775807 elements of 1 bytes", "2^44 bytes in all") {
    const DvmType loop = begin_loop();
    dvmh_loop_reduction_C(loop, rf_SUM, &sum, rt_CHAR, INT64_MAX, NULL, 0);
    dvmh_loop_reduction_C(loop, rf_SUM, &whole, rt_CHAR, INT64_MAX, NULL, 0);
    finish_loop(loop);
}

CASE(dvmh_loop_reduction_C, "1099511627776 elements of 8 bytes, 24 with location", "2^44 bytes in all") {
    dvmh_loop_reduction_C(begin_loop(), rf_MAXLOC, &sum, rt_DOUBLE, 1L << 40, &whole, 16);
}

CASE(dvmh_loop_array_correspondence_C, "tied to loop axis 3", "-2..2") {
    dvmh_loop_array_correspondence_C(begin_loop(), A, 2, 3L, 1L);
}

CASE(dvmh_loop_array_correspondence_C, "tied to loop axis -3", "-2..2") {
    dvmh_loop_array_correspondence_C(begin_loop(), A, 2, -3L, 1L);
}

CASE(dvmh_loop_array_correspondence_C, "tied to loop axis -9223372036854775808", "-2..2") {
    dvmh_loop_array_correspondence_C(begin_loop(), A, 2, INT64_MIN, 1L);
}

CASE(dvmh_loop_array_correspondence_C, "loop axis 1 is tied to two axes", "one array") {
    dvmh_loop_array_correspondence_C(begin_loop(), A, 2, 1L, -1L);
}

CASE(dvmh_loop_array_correspondence_C, "rank 1 given", "has rank 2") {
    dvmh_loop_array_correspondence_C(begin_loop(), A, 1, 1L);
}

CASE(dvmh_loop_array_correspondence_C, "more than 64 tied arrays", "loop") {
    const DvmType loop = begin_loop();
    for (int i = 0; i < 65; i++)
        dvmh_loop_array_correspondence_C(loop, A, 2, 1L, 2L);
}

/* ---- loops: handlers and the end ---- */

CASE(dvmh_handler_func_C, "handler's address is 0", "") {
    begin();
    dvmh_handler_func_C(NULL, 0);
}

CASE(dvmh_handler_func_C, "65 parameters", "0..64") {
    begin();
    dvmh_handler_func_C(HANDLER(do_nothing), 65, (void *)A);
}

CASE(dvmh_handler_func_C, "-1 parameters", "0..64") {
    begin();
    dvmh_handler_func_C(HANDLER(do_nothing), -1);
}

CASE(dvmh_loop_register_handler_C, "device type 0", "1 (host) or 2 (CUDA)") {
    const DvmType loop = begin_loop();
    dvmh_loop_register_handler_C(loop, 0, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
}

CASE(dvmh_loop_register_handler_C, "device type 3", "1 (host) or 2 (CUDA)") {
    const DvmType loop = begin_loop();
    dvmh_loop_register_handler_C(loop, 3, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
}

CASE(dvmh_loop_register_handler_C, "handler type 4", "0, 1 (parallel), 2 (master), their sum, or 256") {
    const DvmType loop = begin_loop();
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 4, dvmh_handler_func_C(HANDLER(do_nothing), 0));
}

CASE(dvmh_loop_register_handler_C, "handler type 257", "256 alone") {
    const DvmType loop = begin_loop();
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD | HANDLER_TYPE_PARALLEL,
                                 dvmh_handler_func_C(HANDLER(do_nothing_for_records), 0));
}

CASE(dvmh_loop_register_handler_C, "is not a handler", "this call's argument list") {
    dvmh_loop_register_handler_C(begin_loop(), DEVICE_TYPE_HOST, 0, dvmh_distribution_replicated_());
}

CASE(dvmh_loop_register_handler_C, "0 is not a handler", "this call's argument list") {
    dvmh_loop_register_handler_C(begin_loop(), DEVICE_TYPE_HOST, 0, 0);
}

CASE(dvmh_loop_register_handler_C, "is not a handler", "this call's argument list") {
    const DvmType loop = begin_loop(), handler = dvmh_handler_func_C(HANDLER(do_nothing), 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, handler);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, handler);
}

CASE(dvmh_loop_register_handler_C, "no loop", "not created") {
    begin();
    dvmh_loop_register_handler_C(0, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
}

CASE(dvmh_loop_perform_C, "no handler for the host", "") {
    dvmh_loop_perform_C(begin_loop());
}

CASE(dvmh_loop_perform_C, "no handler for the host", "") {
    const DvmType loop = begin_loop();
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
    dvmh_loop_perform_C(loop);
}

CASE(dvmh_loop_perform_C, "no loop", "not created") {
    begin();
    dvmh_loop_perform_C(0);
}

CASE(dvmh_loop_perform_C, "no loop", "no handle of a live object") {
    const DvmType loop = begin_loop();
    finish_loop(loop);
    dvmh_loop_perform_C(loop);
}

CASE(dvmh_loop_perform_C, "no loop", "handle is that of an array") {
    begin_loop();
    dvmh_loop_perform_C(A[0]);
}

/* ---- additions of this runtime ---- */

static const DvmType dims[] = {1, 2}, bad_dims[] = {1, 3}, ones[] = {1, 1}, zeros[] = {0, 0};

static dvmhx_array_use_t use_of(const DvmType *header, DvmType rank, DvmType intent) {
    return (dvmhx_array_use_t){.size = sizeof(dvmhx_array_use_t),
                               .header = header,
                               .rank = rank,
                               .intent = intent};
}

CASE(dvmhx_loop_array_C, "address of the dvmhx_array_use_t is 0", "") {
    dvmhx_loop_array_C(begin_loop(), NULL);
}

CASE(dvmhx_loop_array_C, "size of the use is 8", "sizeof(dvmhx_array_use_t)") {
    dvmhx_array_use_t use = use_of(A, 2, INTENT_IN);
    use.size = 8;
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "rank 1 given", "has rank 2") {
    const dvmhx_array_use_t use = use_of(A, 1, INTENT_IN);
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "header's address is 0", "") {
    const dvmhx_array_use_t use = use_of(NULL, 1, INTENT_IN);
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "not distributed", "array") {
    const dvmhx_array_use_t use = use_of(B, 1, INTENT_IN);
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "intent 4", "1 (in), 2 (out), 3 (both)") {
    const dvmhx_array_use_t use = use_of(A, 2, INTENT_LOCAL);
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "-1 references", "0 (unknown) and more") {
    dvmhx_array_use_t use = use_of(A, 2, INTENT_IN);
    use.reference_count = -1;
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "1 references at address (nil)", "0 (unknown) and more") {
    dvmhx_array_use_t use = use_of(A, 2, INTENT_IN);
    use.reference_count = 1;
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "reference 1 names loop axis 3", "0..2") {
    const dvmhx_reference_t reference = {.dim = bad_dims, .mult = ones, .add = zeros};
    dvmhx_array_use_t use = use_of(A, 2, INTENT_IN);
    use.reference_count = 1;
    use.references = &reference;
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "reference 1 has no dims", "address is 0") {
    const dvmhx_reference_t reference = {.dim = NULL, .mult = ones, .add = zeros};
    dvmhx_array_use_t use = use_of(A, 2, INTENT_IN);
    use.reference_count = 1;
    use.references = &reference;
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "reference 1 has no multipliers", "address is 0") {
    const dvmhx_reference_t reference = {.dim = dims, .mult = NULL, .add = zeros};
    dvmhx_array_use_t use = use_of(A, 2, INTENT_IN);
    use.reference_count = 1;
    use.references = &reference;
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "more than 64 arrays", "loop") {
    const dvmhx_array_use_t use = use_of(A, 2, INTENT_IN);
    const DvmType loop = begin_loop();
    for (int i = 0; i < 65; i++)
        dvmhx_loop_array_C(loop, &use);
}

CASE(dvmh_loop_perform_C, "array of rank 1 that its region has not registered", "") {
    begin();
    dvmh_distribute_C(B, 1, dvmh_distribution_block_C(1));
    const dvmhx_array_use_t use = use_of(B, 1, INTENT_IN);
    const DvmType loop = dvmh_loop_create_C(dvmh_region_create_C(0), 1, 0L, 7L, 1L);
    dvmhx_loop_array_C(loop, &use);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(do_nothing_for_records), 0));
    dvmh_loop_perform_C(loop);
}

CASE(dvmhx_loop_dependences_C, "65 vectors", "0..64") {
    dvmhx_loop_dependences_C(begin_loop(), 65, ones);
}

CASE(dvmhx_loop_dependences_C, "-1 vectors", "0..64") {
    dvmhx_loop_dependences_C(begin_loop(), -1, ones);
}

CASE(dvmhx_loop_dependences_C, "1 vectors at address (nil)", "0..64") {
    dvmhx_loop_dependences_C(begin_loop(), 1, NULL);
}

CASE(dvmhx_loop_dependences_C, "vector of zeros", "must be positive") {
    dvmhx_loop_dependences_C(begin_loop(), 1, zeros);
}

CASE(dvmhx_loop_dependences_C, "points backwards", "must be positive") {
    const DvmType vector[] = {-1, 2};
    dvmhx_loop_dependences_C(begin_loop(), 1, vector);
}

CASE(dvmhx_loop_dependences_C, "component 2147483648", "below 2^31") {
    const DvmType vector[] = {1L << 31, 2};
    dvmhx_loop_dependences_C(begin_loop(), 1, vector);
}

CASE(dvmhx_loop_dependences_C, "no loop", "not created") {
    begin();
    dvmhx_loop_dependences_C(0, 0, NULL);
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
