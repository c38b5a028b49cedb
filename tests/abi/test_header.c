/* Headers and what they say: the words, element addresses, headers of device copies, variables, declared
 * arrays, alignments; layout of the structs of dvmhx.h. Numbers are written out: they are the binary
 * interface. */
#include "tests/abi/child.h"

#include <dvmhx.h>
#include <stddef.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

#define FILLER 0x7766554433221100L

enum { WORDS = 64, MAX_RANK = 8 };

static DvmType A[WORDS], B[WORDS], C[WORDS], T[1];

#if defined(__LP64__)
/* One number each for what compiled programs carry. */
#define AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member)

_Static_assert(sizeof(DvmType) == 8, "DvmType");

AT(dvmhx_array_t, base, 0);
AT(dvmhx_array_t, stride, 8);
AT(dvmhx_array_t, rank, 16);
AT(dvmhx_array_t, element_bytes, 24);
AT(dvmhx_array_t, layout, 32);
AT(dvmhx_array_t, row_base, 40);
AT(dvmhx_array_t, p, 48);
AT(dvmhx_array_t, q, 56);
AT(dvmhx_array_t, a, 64);
AT(dvmhx_array_t, b, 72);
AT(dvmhx_array_t, c, 80);
AT(dvmhx_array_t, row_count, 88);
AT(dvmhx_array_t, pitch, 96);
_Static_assert(sizeof(dvmhx_array_t) == 104, "dvmhx_array_t");

AT(dvmhx_record_t, size, 0);
AT(dvmhx_record_t, device, 8);
AT(dvmhx_record_t, thread, 16);
AT(dvmhx_record_t, thread_count, 24);
AT(dvmhx_record_t, rank, 32);
AT(dvmhx_record_t, way, 40);
AT(dvmhx_record_t, dependent, 48);
AT(dvmhx_record_t, start, 56);
AT(dvmhx_record_t, step, 64);
AT(dvmhx_record_t, count, 72);
AT(dvmhx_record_t, lag, 80);
AT(dvmhx_record_t, time, 88);
AT(dvmhx_record_t, front_lo, 96);
AT(dvmhx_record_t, front_hi, 104);
AT(dvmhx_record_t, array_count, 112);
AT(dvmhx_record_t, arrays, 120);
AT(dvmhx_record_t, reduction_count, 128);
AT(dvmhx_record_t, reductions, 136);
AT(dvmhx_record_t, locations, 144);
AT(dvmhx_record_t, stream, 152);
AT(dvmhx_record_t, bypass_cache, 160);
AT(dvmhx_record_t, by_rows, 168);
AT(dvmhx_record_t, launch, 176);
_Static_assert(sizeof(dvmhx_record_t) == 184, "dvmhx_record_t");
AT(dvmhx_slots_t, values, 0);
AT(dvmhx_slots_t, locations, 8);
AT(dvmhx_slots_t, start, 16);
AT(dvmhx_slots_t, start_location, 24);
AT(dvmhx_slots_t, value_bytes, 32);
AT(dvmhx_slots_t, location_bytes, 40);
AT(dvmhx_slots_t, per_thread, 48);
_Static_assert(sizeof(dvmhx_slots_t) == 56, "dvmhx_slots_t");
AT(dvmhx_launch_t, size, 0);
AT(dvmhx_launch_t, kind, 8);
AT(dvmhx_launch_t, narrow, 16);
AT(dvmhx_launch_t, dim, 24);
AT(dvmhx_launch_t, block, 48);
AT(dvmhx_launch_t, block_limit, 72);
AT(dvmhx_launch_t, slots, 80);
AT(dvmhx_launch_t, variable_count, 88);
AT(dvmhx_launch_t, variables, 96);
AT(dvmhx_launch_t, front_count, 104);
AT(dvmhx_launch_t, march_dim, 112);
AT(dvmhx_launch_t, tile, 120);
AT(dvmhx_launch_t, chunk, 128);
AT(dvmhx_launch_t, piece_count, 136);
AT(dvmhx_launch_t, column_count, 144);
AT(dvmhx_launch_t, columns, 152);
AT(dvmhx_launch_t, predecessor_count, 160);
AT(dvmhx_launch_t, predecessor, 168);
AT(dvmhx_launch_t, counters, 176);
AT(dvmhx_launch_t, order, 184);
AT(dvmhx_launch_t, resident, 192);
AT(dvmhx_launch_t, served, 200);
AT(dvmhx_launch_t, kept, 208);
AT(dvmhx_launch_t, follow_count, 216);
AT(dvmhx_launch_t, follow_fronts, 224);
_Static_assert(sizeof(dvmhx_launch_t) == 232, "dvmhx_launch_t");
AT(dvmhx_kept_t, bytes, 0);
AT(dvmhx_kept_t, room, 8);
AT(dvmhx_kept_t, used, 16);
AT(dvmhx_kept_t, start, 24);
_Static_assert(sizeof(dvmhx_kept_t) == 32, "dvmhx_kept_t");

AT(dvmhx_reference_t, is_write, 0);
AT(dvmhx_reference_t, dim, 8);
AT(dvmhx_reference_t, mult, 16);
AT(dvmhx_reference_t, add, 24);
_Static_assert(sizeof(dvmhx_reference_t) == 32, "dvmhx_reference_t");

AT(dvmhx_array_use_t, size, 0);
AT(dvmhx_array_use_t, header, 8);
AT(dvmhx_array_use_t, rank, 16);
AT(dvmhx_array_use_t, intent, 24);
AT(dvmhx_array_use_t, reference_count, 32);
AT(dvmhx_array_use_t, references, 40);
AT(dvmhx_array_use_t, flags, 48);
_Static_assert(sizeof(dvmhx_array_use_t) == 56, "dvmhx_array_use_t");

AT(dvmhx_layout_rule_t, size, 0);
AT(dvmhx_layout_rule_t, is_pinned, 8);
AT(dvmhx_layout_rule_t, kind, 16);
AT(dvmhx_layout_rule_t, order, 24);
AT(dvmhx_layout_rule_t, a, 32);
AT(dvmhx_layout_rule_t, b, 40);
AT(dvmhx_layout_rule_t, forbidden, 48);
_Static_assert(sizeof(dvmhx_layout_rule_t) == 56, "dvmhx_layout_rule_t");

AT(dvmhx_report_t, size, 0);
AT(dvmhx_report_t, threads, 8);
AT(dvmhx_report_t, processes, 16);
AT(dvmhx_report_t, loops, 24);
AT(dvmhx_report_t, loop_s, 32);
AT(dvmhx_report_t, reorganise_s, 40);
AT(dvmhx_report_t, reorganise_bytes, 48);
AT(dvmhx_report_t, backend, 56);
AT(dvmhx_report_t, planner, 88);
AT(dvmhx_report_t, strategy, 152);
AT(dvmhx_report_t, layouts, 216);
AT(dvmhx_report_t, reorganisations, 344);
AT(dvmhx_report_t, replica_bytes, 352);
AT(dvmhx_report_t, explorations, 360);
AT(dvmhx_report_t, message_bytes, 368);
AT(dvmhx_report_t, exchange_s, 376);
_Static_assert(sizeof(dvmhx_report_t) == 384, "dvmhx_report_t");
#endif

static void fill(DvmType words[WORDS]) {
    for (int i = 0; i < WORDS; i++)
        words[i] = FILLER;
}

static void check_filler(const DvmType words[WORDS], int first) {
    for (int i = first; i < WORDS; i++)
        if (!CHECK_EQ_INT(words[i], FILLER))
            fprintf(stderr, "  word %d was written\n", i);
}

static const DvmType extents[MAX_RANK] = {3, 2, 5, 1, 2, 4, 2, 3};

/* An array of 16-byte elements with the first `rank` extents. */
static void create(DvmType header[WORDS], int rank) {
    const DvmType *const e = extents;
    dvmh_array_create_C(header, rank, 16, e[0], 1L, 2L, e[1], 0L, 0L, e[2], 1L, 1L, e[3], 1L, 0L, e[4], 0L,
                        3L, e[5], 1L, 1L, e[6], 0L, 1L, e[7], 2L, 2L);
}

static void distribute(DvmType header[WORDS], int rank) {
    const DvmType any = dvmh_distribution_replicated_();
    dvmh_distribute_C(header, rank, dvmh_distribution_block_C(1), any, dvmh_distribution_block_C(2), any, any,
                      any, any, any);
}

static void *element(const DvmType header[], int rank, const DvmType i[], bool own) {
    return own ? dvmh_get_own_element_addr_C(header, rank, i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7])
               : dvmh_get_element_addr_C(header, rank, i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]);
}

static bool next_index(int rank, DvmType index[]) {
    for (int axis = rank - 1; axis >= 0; axis--) {
        if (++index[axis] < extents[axis])
            return true;
        index[axis] = 0;
    }
    return false;
}

/* Every element, and the ones just outside along every axis: there are no shadow edges outside the space. */
static void check_elements(const DvmType header[WORDS], int rank) {
    DvmType index[MAX_RANK] = {0};
    char *const start = (char *)header[rank + 2];
    DvmType number = 0;
    do {
        CHECK(element(header, rank, index, false) == start + 16 * number);
        CHECK(element(header, rank, index, true) == start + 16 * number);
        DvmType position = header[rank + 1];
        for (int axis = 0; axis < rank; axis++)
            position += header[axis + 1] * index[axis];
        CHECK_EQ_INT(position, number);
        number++;
    } while (next_index(rank, index));
    for (int axis = 0; axis < rank; axis++)
        for (int side = 0; side < 2; side++) {
            index[axis] = side == 0 ? -1 : extents[axis];
            CHECK(element(header, rank, index, false) == NULL);
            CHECK(element(header, rank, index, true) == NULL);
            index[axis] = 0;
        }
}

static void check_device_header(const DvmType header[WORDS], int rank) {
    DvmType device_header[WORDS], extended[WORDS];
    char *const base = dvmh_get_natural_base_C(0, header);
    CHECK(base == (char *)header[rank + 2]);
    for (int shift = 0; shift < 2; shift++) { /* relative to another base, offsets change */
        fill(device_header);
        fill(extended);
        CHECK_EQ_INT(dvmh_fill_header_C(0, base - 48 * shift, header, device_header, shift ? extended : NULL),
                     0);
        CHECK_EQ_INT(device_header[0], header[0]);
        for (int axis = 1; axis <= rank; axis++)
            CHECK_EQ_INT(device_header[axis], header[axis]);
        CHECK_EQ_INT(device_header[rank + 1], 3 * shift);
        CHECK_EQ_INT(device_header[rank + 2], (DvmType)(base - 48 * shift));
        check_filler(device_header, rank + 3);
        check_filler(extended, 0);
    }
}

static void test_ranks(void) {
    child_init();
    for (int rank = 1; rank <= MAX_RANK; rank++) {
        fill(A);
        create(A, rank);
        CHECK(A[0] != 0 && A[0] != FILLER);
        for (int axis = 1; axis <= rank; axis++) /* handlers divide by them before there is storage */
            CHECK(A[axis] >= 1);
        check_filler(A, rank + 3);
        const DvmType handle = A[0];
        distribute(A, rank);
        CHECK_EQ_INT(A[0], handle);
        DvmType stride = 1;
        for (int axis = rank; axis >= 1; axis--) {
            CHECK_EQ_INT(A[axis], stride);
            stride *= extents[axis - 1];
        }
        CHECK_EQ_INT(A[rank + 1], 0);
        CHECK(A[rank + 2] != 0 && A[rank + 2] % 16 == 0);
        check_filler(A, rank + 3);
        check_elements(A, rank);
        check_device_header(A, rank);
        dvmh_delete_object_(A);
        CHECK_EQ_INT(A[0], 0);
        check_filler(A, rank + 3);
    }
    child_exit();
}

/* Only the first word of a header is read: a copy of it is as good, whatever stands behind it. */
static void test_first_word(void) {
    child_init();
    create(A, 2);
    distribute(A, 2);
    fill(B);
    B[0] = A[0];
    CHECK(dvmh_get_element_addr_C(B, 2, 2L, 1L) == dvmh_get_element_addr_C(A, 2, 2L, 1L));
    CHECK(dvmh_get_natural_base_C(0, B) == dvmh_get_natural_base_C(0, A));
    check_filler(B, 1);
    dvmh_delete_object_(B); /* destroys the object; the header that it was made with is told */
    CHECK_EQ_INT(A[0], 0);
    CHECK_EQ_INT(B[0], 0);
    child_exit();
}

static void check_variable(const DvmType *header, int rank, const void *address) {
    CHECK(header[0] != 0);
    CHECK_EQ_INT(header[rank + 1], 0);
    CHECK_EQ_INT(header[rank + 2], (DvmType)address);
    CHECK(dvmh_get_natural_base_C(0, header) == address);
    CHECK(dvmh_get_device_addr_C(0, address) == address);
    CHECK(dvmh_variable_get_header_C(address) == header);
}

static void test_variables(void) {
    static double scalar, cube[4][3][2];
    child_init();
    check_variable(dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE), 0, &scalar);
    DvmType *const header = dvmh_variable_gen_header_C(cube, 3, -rt_DOUBLE, 4L, 3L, 2L);
    check_variable(header, 3, cube);
    CHECK_EQ_INT(header[1], 6);
    CHECK_EQ_INT(header[2], 2);
    CHECK_EQ_INT(header[3], 1);
    CHECK(dvmh_get_own_element_addr_C(header, 3, 3L, 1L, 1L) == &cube[3][1][1]);
    CHECK(dvmh_get_element_addr_C(header, 3, 4L, 0L, 0L) == NULL);
    dvmh_data_enter_C(cube, 0); /* a smaller first extent is the same variable, a larger one makes it grow */
    CHECK(dvmh_variable_gen_header_C(cube, 3, -rt_DOUBLE, 2L, 3L, 2L) == header);
    CHECK(dvmh_get_own_element_addr_C(header, 3, 3L, 2L, 1L) == &cube[3][2][1]);
    dvmh_data_exit_C(cube, 0);
    child_exit();
}

static void test_declared(void) {
    child_init();
    fill(A);
    dvmh_array_declare_C(A, 2, -rt_FLOAT, 0L, 0L, 0L, 6L, 1L, 1L);
    const DvmType handle = A[0];
    CHECK(dvmh_get_element_addr_C(A, 2, 0L, 0L) == NULL);
    for (DvmType rows = 1; rows <= 100; rows += 33) {
        dvmh_array_alloc_C(A, rows * 6 * (DvmType)sizeof(float));
        dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
        CHECK_EQ_INT(A[0], handle);
        CHECK_EQ_INT(A[1], 6);
        CHECK_EQ_INT(A[2], 1);
        float *const last = dvmh_get_own_element_addr_C(A, 2, rows - 1, 5L);
        CHECK(last == (float *)A[4] + rows * 6 - 1);
        *last = 1;
        CHECK(dvmh_get_own_element_addr_C(A, 2, rows, 0L) == NULL);
        dvmh_array_free_C(A);
        CHECK_EQ_INT(A[0], handle);
        CHECK(dvmh_get_element_addr_C(A, 2, 0L, 0L) == NULL);
        check_filler(A, 5);
    }
    dvmh_forget_header_(A); /* a declaration goes with its last header */
    CHECK_EQ_INT(A[0], 0);
    child_exit();
}

/* Chains of alignments, also with negative and larger multipliers, constants and '*'. */
static void test_alignment(void) {
    child_init();
    dvmh_template_create_C(T, 2, 40L, 9L);
    CHECK(T[0] != 0);
    dvmh_distribute_C(T, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(A, 1, -rt_INT, 20L, 1L, 1L);
    dvmh_align_C(A, T, 2, dvmh_alignment_linear_C(1, 2, 1), dvmh_alignment_linear_C(-1, 0, 0));
    dvmh_array_create_C(B, 2, -rt_INT, 7L, 0L, 0L, 4L, 0L, 0L);
    dvmh_align_C(B, A, 1, dvmh_alignment_linear_C(1, -3, 19)); /* 19, 16, .., 1; axis 2 is kept whole */
    dvmh_array_create_C(C, 1, -rt_INT, 7L, 0L, 0L);
    dvmh_align_C(C, B, 2, dvmh_alignment_linear_C(1, -1, 6), dvmh_alignment_linear_C(0, 0, 3));
    CHECK(dvmh_get_own_element_addr_C(A, 1, 19L) != NULL);
    CHECK(dvmh_get_own_element_addr_C(A, 1, 20L) == NULL);
    CHECK(dvmh_get_own_element_addr_C(B, 2, 6L, 3L) == (int *)dvmh_get_own_element_addr_C(B, 2, 0L, 0L) + 27);
    CHECK(dvmh_get_own_element_addr_C(C, 1, 6L) != NULL);
    dvmh_delete_object_(T);
    CHECK_EQ_INT(T[0], 0);
    dvmh_delete_object_(A); /* C still follows B, which followed A */
    CHECK(dvmh_get_own_element_addr_C(B, 2, 6L, 3L) != NULL);
    dvmh_delete_object_(C);
    dvmh_delete_object_(B);
    child_exit();
}

/* Dependent dims first, then the others; bounds move only when there are both. */
static void check_permutation(DvmType rank, DvmType mask, const DvmType expected[]) {
    const bool moves = mask != 0 && mask != (1 << rank) - 1;
    DvmType low[MAX_RANK], high[MAX_RANK], step[MAX_RANK], places[MAX_RANK];
    for (DvmType dim = 0; dim < rank; dim++) {
        low[dim] = 10 + dim;
        high[dim] = 20 + dim;
        step[dim] = 30 + dim;
        places[dim] = -1;
    }
    dvmh_change_filled_bounds2_C(low, high, step, rank, mask, places);
    for (DvmType place = 0; place < rank; place++) {
        const DvmType dim = moves ? expected[place] : place;
        CHECK_EQ_INT(places[place], expected[place]);
        CHECK_EQ_INT(low[place], 10 + dim);
        CHECK_EQ_INT(high[place], 20 + dim);
        CHECK_EQ_INT(step[place], 30 + dim);
    }
}

static void test_permutations(void) {
    child_init();
    check_permutation(1, 0, (const DvmType[]){0});
    check_permutation(1, 1, (const DvmType[]){0});
    check_permutation(2, 1, (const DvmType[]){1, 0});
    check_permutation(2, 2, (const DvmType[]){0, 1});
    check_permutation(2, 3, (const DvmType[]){0, 1});
    check_permutation(3, 0, (const DvmType[]){0, 1, 2});
    check_permutation(3, 1, (const DvmType[]){2, 0, 1});
    check_permutation(3, 2, (const DvmType[]){1, 0, 2});
    check_permutation(3, 3, (const DvmType[]){1, 2, 0});
    check_permutation(3, 5, (const DvmType[]){0, 2, 1});
    check_permutation(4, 6, (const DvmType[]){1, 2, 0, 3});
    check_permutation(8, 129, (const DvmType[]){0, 7, 1, 2, 3, 4, 5, 6});
    check_permutation(8, 255, (const DvmType[]){0, 1, 2, 3, 4, 5, 6, 7});
    child_exit();
}

static DvmType seen_device;

static void keep_device(const dvmhx_record_t *record) {
    seen_device = record->device;
}

/* A device without a copy, then with one. */
static void test_fake_device(void) {
    static double scalar = 5;
    DvmType device_header[WORDS];
    setenv("DVMH_FAKE_DEVICES", "2", 1);
    child_init();
    create(A, 3);
    distribute(A, 3);
    fill(device_header);
    CHECK(dvmh_get_natural_base_C(1, A) == NULL);
    CHECK_EQ_INT(dvmh_fill_header_C(1, NULL, A, device_header, NULL), 0);
    for (int axis = 1; axis <= 3; axis++)
        CHECK_EQ_INT(device_header[axis], 1);
    check_filler(device_header, 6);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    dvmh_region_register_scalar_C(region, INTENT_IN, &scalar, -rt_DOUBLE, "scalar");
    CHECK(dvmh_get_device_addr_C(1, &scalar) == NULL);
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    const DvmType loop = dvmh_loop_create_C(region, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(keep_device), 0));
    dvmh_loop_perform_C(loop);
    CHECK_EQ_INT(seen_device, 1);
    const double *const copy = dvmh_get_device_addr_C(1, &scalar);
    CHECK(copy != NULL && copy != &scalar && *copy == 5);
    char *const base = dvmh_get_natural_base_C(1, A);
    CHECK(base != NULL && base != (char *)A[5]);
    CHECK(dvmh_get_natural_base_C(2, A) == NULL);
    CHECK_EQ_INT(dvmh_fill_header_C(1, base, A, device_header, NULL), 0);
    for (int axis = 1; axis <= 3; axis++)
        CHECK_EQ_INT(device_header[axis], A[axis]);
    CHECK_EQ_INT(device_header[4], 0);
    CHECK_EQ_INT(device_header[5], (DvmType)base);
    dvmh_region_end_C(region);
    child_exit();
}

static void test_report_sizes(void) {
    child_init();
    dvmhx_report_t report, before;
    memset(&before, 0x55, sizeof before);
    for (size_t size = offsetof(dvmhx_report_t, loops); size <= sizeof report + 8; size += 8) {
        report = before;
        report.size = size;
        dvmhx_get_report_C(&report); /* a program built with a shorter or longer struct */
        const size_t written = size < sizeof report ? size : sizeof report;
        CHECK_EQ_INT(report.threads, 1);
        CHECK_EQ_INT(report.processes, 1);
        CHECK(memcmp((char *)&report + written, (char *)&before + written, sizeof report - written) == 0);
    }
    CHECK_EQ_STR(report.planner, "off");
    CHECK_EQ_STR(report.strategy, "");
    CHECK_EQ_STR(report.layouts, "");
    child_exit();
}

int main(void) {
    static void (*const tests[])(void) = {test_ranks,       test_first_word,  test_variables,
                                          test_declared,    test_alignment,   test_permutations,
                                          test_fake_device, test_report_sizes};
    unsetenv("DVMH_PLANNER"); /* exact layouts and copies are those of the default */
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (!CHECK_EQ_INT(child_run(tests[i], NULL, NULL, NULL), 0))
            fprintf(stderr, "  in test %zu\n", i);
    return check_finish();
}
