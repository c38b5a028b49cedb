/* What query handlers get and are told: parameters in their order, bounds, thread counts, the dependence
 * mask, parts of arrays, the index type. */
#include "tests/abi/child.h"

#include <stdatomic.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

static DvmType A[64], B[64], C[64];
static atomic_int calls;

/* ---- parameters: one handler for every number of them ---- */

/* clang-format off */
#define LIST_0(X)
#define LIST_1(X) , X(1)
#define LIST_2(X) LIST_1(X), X(2)
#define LIST_3(X) LIST_2(X), X(3)
#define LIST_4(X) LIST_3(X), X(4)
#define LIST_5(X) LIST_4(X), X(5)
#define LIST_6(X) LIST_5(X), X(6)
#define LIST_7(X) LIST_6(X), X(7)
#define LIST_8(X) LIST_7(X), X(8)
#define LIST_9(X) LIST_8(X), X(9)
#define LIST_10(X) LIST_9(X), X(10)
#define LIST_11(X) LIST_10(X), X(11)
#define LIST_12(X) LIST_11(X), X(12)
#define LIST_13(X) LIST_12(X), X(13)
#define LIST_14(X) LIST_13(X), X(14)
#define LIST_15(X) LIST_14(X), X(15)
#define LIST_16(X) LIST_15(X), X(16)
#define LIST_17(X) LIST_16(X), X(17)
#define LIST_18(X) LIST_17(X), X(18)
#define LIST_19(X) LIST_18(X), X(19)
#define LIST_20(X) LIST_19(X), X(20)
#define LIST_21(X) LIST_20(X), X(21)
#define LIST_22(X) LIST_21(X), X(22)
#define LIST_23(X) LIST_22(X), X(23)
#define LIST_24(X) LIST_23(X), X(24)
#define LIST_25(X) LIST_24(X), X(25)
#define LIST_26(X) LIST_25(X), X(26)
#define LIST_27(X) LIST_26(X), X(27)
#define LIST_28(X) LIST_27(X), X(28)
#define LIST_29(X) LIST_28(X), X(29)
#define LIST_30(X) LIST_29(X), X(30)
#define LIST_31(X) LIST_30(X), X(31)
#define LIST_32(X) LIST_31(X), X(32)
#define LIST_33(X) LIST_32(X), X(33)
#define LIST_34(X) LIST_33(X), X(34)
#define LIST_35(X) LIST_34(X), X(35)
#define LIST_36(X) LIST_35(X), X(36)
#define LIST_37(X) LIST_36(X), X(37)
#define LIST_38(X) LIST_37(X), X(38)
#define LIST_39(X) LIST_38(X), X(39)
#define LIST_40(X) LIST_39(X), X(40)
#define LIST_41(X) LIST_40(X), X(41)
#define LIST_42(X) LIST_41(X), X(42)
#define LIST_43(X) LIST_42(X), X(43)
#define LIST_44(X) LIST_43(X), X(44)
#define LIST_45(X) LIST_44(X), X(45)
#define LIST_46(X) LIST_45(X), X(46)
#define LIST_47(X) LIST_46(X), X(47)
#define LIST_48(X) LIST_47(X), X(48)
#define LIST_49(X) LIST_48(X), X(49)
#define LIST_50(X) LIST_49(X), X(50)
#define LIST_51(X) LIST_50(X), X(51)
#define LIST_52(X) LIST_51(X), X(52)
#define LIST_53(X) LIST_52(X), X(53)
#define LIST_54(X) LIST_53(X), X(54)
#define LIST_55(X) LIST_54(X), X(55)
#define LIST_56(X) LIST_55(X), X(56)
#define LIST_57(X) LIST_56(X), X(57)
#define LIST_58(X) LIST_57(X), X(58)
#define LIST_59(X) LIST_58(X), X(59)
#define LIST_60(X) LIST_59(X), X(60)
#define LIST_61(X) LIST_60(X), X(61)
#define LIST_62(X) LIST_61(X), X(62)
#define LIST_63(X) LIST_62(X), X(63)
#define LIST_64(X) LIST_63(X), X(64)
/* clang-format on */

#define DECLARATION(n) void *p##n
#define NAME(n)        p##n
#define VALUE(n)       (void *)&values[n]

static char values[65];

static void check_parameters(int count, const DvmType *loop, void *const got[]) {
    CHECK_EQ_INT(dvmh_loop_get_device_num_C(*loop), 0); /* a good handle */
    for (int i = 1; i <= count; i++)
        if (!CHECK(got[i] == &values[i]))
            fprintf(stderr, "  parameter %d of %d\n", i, count);
    atomic_fetch_add(&calls, 1);
}

/* clang-format off */
#define HANDLER_OF(n)                                                                                        \
    static void handler_##n(const DvmType *loop LIST_##n(DECLARATION)) {                                     \
        void *const got[] = {NULL LIST_##n(NAME)};                                                           \
        check_parameters(n, loop, got);                                                                      \
    }
#define HANDLERS_8(a, b, c, d, e, f, g, h)                                                                   \
    HANDLER_OF(a) HANDLER_OF(b) HANDLER_OF(c) HANDLER_OF(d)                                                  \
    HANDLER_OF(e) HANDLER_OF(f) HANDLER_OF(g) HANDLER_OF(h)
HANDLER_OF(0)
HANDLERS_8(1, 2, 3, 4, 5, 6, 7, 8)
HANDLERS_8(9, 10, 11, 12, 13, 14, 15, 16)
HANDLERS_8(17, 18, 19, 20, 21, 22, 23, 24)
HANDLERS_8(25, 26, 27, 28, 29, 30, 31, 32)
HANDLERS_8(33, 34, 35, 36, 37, 38, 39, 40)
HANDLERS_8(41, 42, 43, 44, 45, 46, 47, 48)
HANDLERS_8(49, 50, 51, 52, 53, 54, 55, 56)
HANDLERS_8(57, 58, 59, 60, 61, 62, 63, 64)

#define NAMES_8(a, b, c, d, e, f, g, h)                                                                      \
    HANDLER(handler_##a), HANDLER(handler_##b), HANDLER(handler_##c), HANDLER(handler_##d),                  \
    HANDLER(handler_##e), HANDLER(handler_##f), HANDLER(handler_##g), HANDLER(handler_##h),
static const DvmHandlerFunc handlers[] = {
    HANDLER(handler_0),
    NAMES_8(1, 2, 3, 4, 5, 6, 7, 8)
    NAMES_8(9, 10, 11, 12, 13, 14, 15, 16)
    NAMES_8(17, 18, 19, 20, 21, 22, 23, 24)
    NAMES_8(25, 26, 27, 28, 29, 30, 31, 32)
    NAMES_8(33, 34, 35, 36, 37, 38, 39, 40)
    NAMES_8(41, 42, 43, 44, 45, 46, 47, 48)
    NAMES_8(49, 50, 51, 52, 53, 54, 55, 56)
    NAMES_8(57, 58, 59, 60, 61, 62, 63, 64)
};
/* clang-format on */

static void test_parameters(void) {
    child_init();
    for (int count = 0; count <= 64; count++) {
        const DvmType loop = dvmh_loop_create_C(0, 0);
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                     dvmh_handler_func_C(handlers[count], count LIST_64(VALUE)));
        dvmh_loop_perform_C(loop);
    }
    CHECK_EQ_INT(calls, 65);
    child_exit();
}

/* ---- bounds ---- */

enum { RANGE = 40 };

static DvmType bounds_rank;
static DvmType given[8][3]; /* start, end, step */
static int visits[RANGE];

static bool is_done(DvmType i, DvmType high, DvmType step) {
    return step > 0 ? i > high : i < high;
}

static void visit_all(const DvmType *loop) {
    DvmType low[8], high[8], step[8];
    dvmh_loop_fill_bounds_C(*loop, NULL, NULL, NULL);
    dvmh_loop_fill_bounds_C(*loop, low, NULL, NULL);
    dvmh_loop_fill_bounds_C(*loop, low, high, step);
    for (DvmType dim = 0; dim < bounds_rank; dim++) {
        CHECK_EQ_INT(step[dim], given[dim][2]);
        CHECK(!is_done(low[dim], high[dim], step[dim])); /* a portion is never empty */
        CHECK_EQ_INT((low[dim] - given[dim][0]) % step[dim], 0);
        CHECK_EQ_INT((high[dim] - low[dim]) % step[dim], 0); /* the last value taken */
        CHECK(!is_done(high[dim], given[dim][1], step[dim]));
    }
    for (DvmType i = low[0]; !is_done(i, high[0], step[0]); i += step[0])
        if (CHECK(i >= 0 && i < RANGE))
            __atomic_add_fetch(&visits[i], 1, __ATOMIC_RELAXED);
    atomic_fetch_add(&calls, 1);
}

/* A loop over one dim with the handler called by several threads, and the rest of the dims with one
 * iteration. */
static void check_range(DvmType rank, DvmType start, DvmType end, DvmType step) {
    bounds_rank = rank;
    memset(visits, 0, sizeof visits);
    calls = 0;
    for (DvmType dim = 0; dim < rank; dim++) {
        given[dim][0] = dim == 0 ? start : 5 + dim;
        given[dim][1] = dim == 0 ? end : 5 + dim + (dim % 2 == 0 ? 2 : 0);
        given[dim][2] = dim == 0 ? step : 3;
    }
    const DvmType(*const g)[3] = (const DvmType(*)[3])given;
    const DvmType loop = dvmh_loop_create_C(0, rank, g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2],
                                            g[2][0], g[2][1], g[2][2], g[3][0], g[3][1], g[3][2]);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(visit_all), 0));
    dvmh_loop_perform_C(loop);
    int expected = 0;
    for (DvmType i = start; !is_done(i, end, step); i += step) {
        CHECK_EQ_INT(visits[i], 1);
        expected++;
    }
    int total = 0;
    for (int i = 0; i < RANGE; i++)
        total += visits[i];
    CHECK_EQ_INT(total, expected);
    CHECK((calls > 0) == (expected > 0)); /* no iterations, no call */
}

static void test_bounds(void) {
    static const DvmType steps[] = {1, -1, 2, -2, 3, -5, 7, -39, 100};
    setenv("DVMH_NUM_THREADS", "3", 1);
    child_init();
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (DvmType length = 0; length <= 39; length += i % 2 == 0 ? 1 : 4)
            for (DvmType rank = 1; rank <= 4; rank += 3) {
                const DvmType step = steps[i];
                check_range(rank, step > 0 ? 0 : 39, step > 0 ? length - 1 : 40 - length, step);
            }
    child_exit();
}

/* ---- thread counts and the mask ---- */

/* Written by every portion, with the same values. */
static _Atomic DvmType slot_count, mask;

static void keep_counts(const DvmType *loop) {
    slot_count = dvmh_loop_get_slot_count_C(*loop);
    mask = dvmh_loop_get_dependency_mask_C(*loop);
}

/* Loop of 1..3 dims over A [8][8][8] with widths along the axes given, run by a handler of a type. */
static void run_across(DvmType rank, const DvmType widths[3], DvmType handler_type) {
    const DvmType loop = dvmh_loop_create_C(0, rank, 1L, 6L, 1L, 1L, 6L, 1L, 1L, 6L, 1L);
    dvmh_loop_map_C(loop, A, 3, dvmh_alignment_linear_C(1, 1, 0),
                    dvmh_alignment_linear_C(rank > 1 ? 2 : -1, 1, 0),
                    dvmh_alignment_linear_C(rank > 2 ? 3 : -1, 1, 0));
    dvmh_loop_across_C(loop, 0, A, 3, widths[0], 0L, 0L, widths[1], widths[2], widths[2]);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, handler_type,
                                 dvmh_handler_func_C(HANDLER(keep_counts), 0));
    dvmh_loop_perform_C(loop);
}

static void check_counts(DvmType rank, DvmType w1, DvmType w2, DvmType w3, DvmType expected_mask) {
    static const DvmType types[] = {0, HANDLER_TYPE_PARALLEL, HANDLER_TYPE_MASTER,
                                    HANDLER_TYPE_PARALLEL | HANDLER_TYPE_MASTER};
    const DvmType widths[] = {w1, w2, w3};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        run_across(rank, widths, types[i]);
        const bool divides = rank - (expected_mask != 0) > 0;
        CHECK_EQ_INT(mask, expected_mask);
        CHECK_EQ_INT(slot_count, (types[i] & HANDLER_TYPE_PARALLEL) != 0 && divides ? 3 : 1);
    }
}

static void create_cube(void) {
    dvmh_array_create_C(A, 3, -rt_DOUBLE, 8L, 1L, 1L, 8L, 1L, 1L, 8L, 1L, 1L);
    dvmh_distribute_C(A, 3, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                      dvmh_distribution_replicated_());
}

static void test_slots(void) {
    setenv("DVMH_NUM_THREADS", "3", 1);
    child_init();
    create_cube();
    check_counts(1, 0, 0, 0, 0);
    check_counts(1, 1, 0, 0, 1); /* every thread of a team would repeat the whole loop */
    check_counts(2, 0, 0, 0, 0);
    check_counts(2, 1, 0, 0, 2);
    check_counts(2, 0, 1, 0, 1);
    check_counts(2, 1, 1, 0, 3);
    check_counts(3, 1, 0, 0, 4);
    check_counts(3, 0, 2, 0, 2);
    check_counts(3, 0, 0, 1, 1);
    check_counts(3, 1, 1, 1, 7);
    for (DvmType type = 0; type <= 3; type++) { /* rank 0 */
        const DvmType loop = dvmh_loop_create_C(0, 0);
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, type,
                                     dvmh_handler_func_C(HANDLER(keep_counts), 0));
        slot_count = 0;
        dvmh_loop_perform_C(loop);
        CHECK_EQ_INT(slot_count, 1);
        CHECK_EQ_INT(mask, 0);
    }
    child_exit();
}

/* The mask stays as the clauses say even where a dim has one iteration, unless DVMH_REDUCE_DEPS asks
 * otherwise; then the outermost dependent dim keeps its bit. */
static void run_single_iterations(DvmType first_end) {
    const DvmType loop = dvmh_loop_create_C(0, 2, 3L, first_end, 1L, 5L, 5L, 1L);
    dvmh_loop_array_correspondence_C(loop, A, 3, 1L, -2L, 0L);
    dvmh_loop_across_C(loop, 1, A, 3, 1L, 1L, 1L, 1L, 0L, 0L);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(keep_counts), 0));
    dvmh_loop_perform_C(loop);
}

static void test_static_mask(void) {
    child_init();
    create_cube();
    run_single_iterations(6);
    CHECK_EQ_INT(mask, 3);
    run_single_iterations(3);
    CHECK_EQ_INT(mask, 3);
    child_exit();
}

static void test_reduced_mask(void) {
    setenv("DVMH_REDUCE_DEPS", "1", 1);
    child_init();
    create_cube();
    run_single_iterations(6);
    CHECK_EQ_INT(mask, 2);
    run_single_iterations(3);
    CHECK_EQ_INT(mask, 2);
    child_exit();
}

/* ---- parts of arrays, index type ---- */

static void ask_parts(const DvmType *loop, const DvmType a[], const DvmType b[]) {
    DvmType part[8];
    memset(part, 0x11, sizeof part);
    dvmh_loop_fill_local_part_C(*loop, a, part);
    for (int axis = 0; axis < 3; axis++) {
        CHECK_EQ_INT(part[2 * axis], 0);
        CHECK_EQ_INT(part[2 * axis + 1], 7);
    }
    CHECK_EQ_INT(part[6], 0x1111111111111111L);
    CHECK_EQ_INT(dvmh_loop_has_element_C(*loop, a, 3, 7L, 0L, 7L), 1);
    CHECK_EQ_INT(dvmh_loop_has_element_C(*loop, a, 3, 7L, 8L, 7L), 0);
    CHECK_EQ_INT(dvmh_loop_has_element_C(*loop, a, 3, -1L, 0L, 0L), 0);
    dvmh_loop_fill_local_part_C(*loop, b, part); /* not distributed: nothing is here */
    CHECK_EQ_INT(part[0], 1);
    CHECK_EQ_INT(part[1], 0);
    CHECK_EQ_INT(dvmh_loop_has_element_C(*loop, b, 1, 1L), 0);
    CHECK_EQ_INT(dvmh_loop_guess_index_type_C(*loop), rt_INT);
    atomic_fetch_add(&calls, 1);
}

static void test_parts(void) {
    child_init();
    create_cube();
    dvmh_array_create_C(B, 1, -rt_INT, 9L, 0L, 0L);
    const DvmType loop = dvmh_loop_create_C(0, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C(HANDLER(ask_parts), 2, (void *)A, (void *)B));
    dvmh_loop_perform_C(loop);
    CHECK_EQ_INT(calls, 1);
    child_exit();
}

static _Atomic DvmType index_type;

static void keep_type(const DvmType *loop) {
    index_type = dvmh_loop_guess_index_type_C(*loop);
}

static DvmType guess_in(DvmType region) {
    const DvmType loop = dvmh_loop_create_C(region, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(keep_type), 0));
    dvmh_loop_perform_C(loop);
    return index_type;
}

/* Memory that is never touched; where the system does not give even that the child ends with a message. */
static void test_large(void) {
    child_init();
    create_cube();
    dvmh_array_create_C(C, 2, -rt_CHAR, 65536L, 0L, 0L, 32769L, 0L, 0L);
    dvmh_distribute_C(C, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    CHECK_EQ_INT(guess_in(0), rt_LONG);
    DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_USE, A, "A");
    CHECK_EQ_INT(guess_in(region), rt_INT); /* only arrays of the region count */
    dvmh_region_end_C(region);
    region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_USE, C, "C");
    CHECK_EQ_INT(guess_in(region), rt_LONG);
    dvmh_region_end_C(region);
    child_exit();
}

int main(void) {
    static void (*const tests[])(void) = {test_parameters,  test_bounds,       test_slots,
                                          test_static_mask, test_reduced_mask, test_parts};
    child_folder(true);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (!CHECK_EQ_INT(child_run(tests[i], NULL, NULL, NULL), 0))
            fprintf(stderr, "  in test %zu\n", i);
    const int code = child_run(test_large, NULL, NULL, "errors");
    if (code == 1 && strstr(child_text("errors"), "no memory for") != NULL)
        printf("the index type of large arrays was not tested: %s", child_text("errors"));
    else if (!CHECK_EQ_INT(code, 0))
        fprintf(stderr, "%s", child_text("errors"));
    child_folder(false);
    return check_finish();
}
