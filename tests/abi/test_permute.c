/* dvmhx_permute_C in programs: arrays and variables of elements of all sizes are permuted as a plain loop does it; orders that are none, and
 * arrays that cannot be permuted, end with a message. tests/cluster/test_permute.c has several processes. */
#include "tests/abi/errors.h"

enum { N = 7, ROUNDS = 60, LONGEST = 400, WIDEST = 24 };

static DvmType P[64], O[64]; /* [N]: of double, of long */

/* Both, and an order. */
static void begin_order(const long order[N]) {
    begin();
    dvmh_array_create_C(P, 1, -rt_DOUBLE, (DvmType)N, 0L, 0L);
    dvmh_array_create_C(O, 1, -rt_LONG, (DvmType)N, 0L, 0L);
    dvmh_distribute_C(P, 1, dvmh_distribution_block_C(1));
    dvmh_distribute_C(O, 1, dvmh_distribution_block_C(1));
    for (DvmType i = 0; i < N; i++)
        *(long *)dvmhx_own_element_C("here:1:O", O, 1, i) = order[i];
}

static const long good[N] = {6, 5, 4, 3, 2, 1, 0}, twice[N] = {0, 1, 2, 3, 4, 5, 3},
                  beyond[N] = {0, 1, 2, 7, 4, 5, 6}, negative[N] = {-1, 1, 2, 3, 4, 5, 6};

CASE(dvmhx_permute_C, "the index 3 twice", "each of 0..6 once") {
    begin_order(twice);
    dvmhx_permute_C(P, O);
}

CASE(dvmhx_permute_C, "element 3 of the order is 7", "0..6") {
    begin_order(beyond);
    dvmhx_permute_C(P, O);
}

CASE(dvmhx_permute_C, "element 0 of the order is -1", "0..6") {
    begin_order(negative);
    dvmhx_permute_C(P, O);
}

CASE(dvmhx_permute_C, "its own order", "two arrays") {
    begin_order(good);
    dvmhx_permute_C(O, O);
}

CASE(dvmhx_permute_C, "rank 2 and an order of rank 1", "1 and 1") {
    begin_order(good);
    dvmhx_permute_C(A, O);
}

CASE(dvmhx_permute_C, "the array has no storage yet", "a distributed or aligned array") {
    begin_order(good);
    dvmhx_permute_C(B, O);
}

CASE(dvmhx_permute_C, "the order has no storage yet", "a distributed or aligned array") {
    begin_order(good);
    dvmhx_permute_C(P, B);
}

CASE(dvmhx_permute_C, "an order of 10 elements", "7, as many as the array has") {
    begin_order(good);
    dvmh_distribute_C(B, 1, dvmh_distribution_block_C(1));
    dvmhx_permute_C(P, B);
}

CASE(dvmhx_permute_C, "elements of 2 bytes", "4 or 8 bytes") {
    begin_order(good);
    dvmh_array_create_C(NEW, 1, -rt_SHORT, (DvmType)N, 0L, 0L);
    dvmh_distribute_C(NEW, 1, dvmh_distribution_block_C(1));
    dvmhx_permute_C(P, NEW);
}

CASE(dvmhx_permute_C, "no array", "not created") {
    begin_order(good);
    dvmhx_permute_C(NEW, O);
}

CASE(dvmhx_permute_C, "no array", "not created") {
    begin_order(good);
    dvmhx_permute_C(P, NEW);
}

/* ---- results ---- */

static char memory[LONGEST * WIDEST], wanted[LONGEST * WIDEST];
static long order[LONGEST];
static int short_order[LONGEST];

static void permute_variable(size_t bytes, DvmType n, bool is_short) {
    void *const by = is_short ? (void *)short_order : order;
    dvmh_data_enter_C(memory, n * (DvmType)bytes);
    dvmh_data_enter_C(by, n * (is_short ? 4 : 8));
    dvmhx_permute_C(dvmh_variable_gen_header_C(memory, 1, (DvmType)bytes, n),
                    dvmh_variable_gen_header_C(by, 1, is_short ? -rt_INT : -rt_LONG, n));
    dvmh_get_actual_variable2_(memory);
    dvmh_data_exit_C(memory, 1);
    dvmh_data_exit_C(by, 0);
}

static void permute_array(size_t bytes, DvmType n) {
    DvmType array[64], by[64];
    dvmh_array_create_C(array, 1, (DvmType)bytes, n, 1L, 2L);
    dvmh_array_create_C(by, 1, -rt_LONG, n, 0L, 0L);
    dvmh_distribute_C(array, 1, dvmh_distribution_block_C(1));
    dvmh_distribute_C(by, 1, dvmh_distribution_block_C(1));
    for (DvmType i = 0; i < n; i++) {
        memcpy(dvmhx_own_element_C("here:1:array", array, 1, i), memory + (size_t)i * bytes, bytes);
        *(long *)dvmhx_own_element_C("here:1:by", by, 1, i) = order[i];
    }
    dvmhx_permute_C(array, by);
    for (DvmType i = 0; i < n; i++)
        memcpy(memory + (size_t)i * bytes, dvmhx_held_element_C("here:1:array", array, 1, i), bytes);
    dvmh_delete_object_(array);
    dvmh_delete_object_(by);
}

static void test_results(void) {
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16, WIDEST};
    for (int round = 0; round < ROUNDS; round++) {
        const size_t bytes = sizes[check_random_range(0, (int64_t)(sizeof sizes / sizeof sizes[0]) - 1)];
        const DvmType n = (DvmType)check_random_range(1, LONGEST);
        for (DvmType i = 0; i < n; i++) { /* put i anywhere among those before it */
            const DvmType at = (DvmType)check_random_range(0, i);
            order[i] = order[at];
            order[at] = i;
        }
        for (size_t i = 0; i < (size_t)n * bytes; i++)
            memory[i] = (char)check_random_range(-128, 127);
        for (DvmType i = 0; i < n; i++) {
            short_order[i] = (int)order[i];
            memcpy(wanted + (size_t)i * bytes, memory + (size_t)order[i] * bytes, bytes);
        }
        if (round % 3 == 0)
            permute_array(bytes, n);
        else
            permute_variable(bytes, n, round % 3 == 1);
        if (!CHECK(memcmp(memory, wanted, (size_t)n * bytes) == 0))
            fprintf(stderr, "  round %d: %ld elements of %zu bytes\n", round, (long)n, bytes);
    }
}

static void results_apart(void) {
    child_init();
    test_results();
    child_exit();
}

int main(int argc, char **argv) {
    (void)argv;
    check_random_start();
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    CHECK_EQ_INT(child_run(results_apart, NULL, NULL, NULL), 0);
    child_folder(false);
    return check_finish();
}
