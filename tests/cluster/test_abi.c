/* The calls that generated code makes for arrays that move, copies, remote access and consistent arrays, on any number of processes: a small
 * program with known values. The insides have tests of their own; here the entry points are what is tested. */
#include <dvmhlib2.h>
#include <dvmhx.h>

#include "tests/check.h"

enum { ROWS = 11, COLUMNS = 7, WORDS = 64 };

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))
#define LINE()            dvmh_line_C(__LINE__, __FILE__)

static DvmType T[1], A[WORDS], B[WORDS];

static DvmType all(void) {
    return dvmh_alignment_linear_C(-1, 0, 0);
}

static DvmType axis(DvmType number) {
    return dvmh_alignment_linear_C(number, 1, 0);
}

static double value_of(DvmType i, DvmType j) {
    return (double)(100 * i + j) + .5;
}

static void fill(DvmType header[]) {
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            double *place = dvmh_get_own_element_addr_C(header, 2, i, j);
            if (place != NULL)
                *place = value_of(i, j);
        }
}

/* Elements that are owned here have the value of row `mult * i + add`. */
static void check_own(DvmType header[], DvmType mult, DvmType add) {
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            const double *place = dvmh_get_own_element_addr_C(header, 2, i, j);
            CHECK(place == NULL || *place == value_of(mult * i + add, j));
        }
}

static void test_moves(void) {
    const int sizes[8] = {ROWS}; /* all in the first part */
    const double weights[] = {1, 5, 1};
    fill(A);
    LINE();
    dvmh_redistribute_C(T, 2, dvmh_distribution_genblock_C(1, rt_INT, sizes), dvmh_distribution_block_C(2));
    check_own(A, 1, 0);
    LINE();
    dvmh_redistribute_C(T, 2, dvmh_distribution_replicated_(), dvmh_distribution_block_C(1));
    check_own(A, 1, 0);
    LINE();
    dvmh_redistribute_C(T, 2, dvmh_distribution_wgtblock_C(1, rt_DOUBLE, weights, 3),
                        dvmh_distribution_replicated_());
    check_own(A, 1, 0);
    LINE();
    dvmh_realign_C(A, 0, T, 2, dvmh_alignment_linear_C(1, -1, ROWS - 1), axis(2));
    check_own(A, 1, 0);
    LINE();
    dvmh_realign_C(A, 0, T, 2, axis(1), axis(2));
    LINE();
    dvmh_redistribute_C(T, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    check_own(A, 1, 0);
}

static void test_copies(void) {
    double plain[ROWS][COLUMNS];
    const double zero = 0;
    fill(A);
    LINE();
    dvmh_array_copy_whole_(A, B);
    check_own(B, 1, 0);
    LINE();
    dvmh_array_set_value_(B, &zero);
    LINE();
    dvmh_array_copy_C(A, dvmh_array_slice_C(2, 1L, (DvmType)ROWS - 1, 1L, 0L, (DvmType)COLUMNS - 1, 1L), B,
                      dvmh_array_slice_C(2, 0L, (DvmType)ROWS - 2, 1L, 0L, (DvmType)COLUMNS - 1, 1L));
    for (DvmType j = 0; j < COLUMNS; j++) {
        double *last = dvmh_get_own_element_addr_C(B, 2, (DvmType)ROWS - 1, j);
        if (last == NULL)
            continue;
        CHECK(*last == 0);
        *last = value_of(ROWS, j);
    }
    check_own(B, 1, 1);
    LINE();
    dvmh_data_enter_C(plain, sizeof plain);
    DvmType *header = dvmh_variable_gen_header_C(plain, 2, -rt_DOUBLE, (DvmType)ROWS, (DvmType)COLUMNS);
    dvmh_array_copy_whole_(A, header);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            CHECK(plain[i][j] == value_of(i, j));
            plain[i][j] = value_of(2 * i, j);
        }
    LINE();
    dvmh_array_copy_whole_(header, B);
    check_own(B, 2, 0);
    dvmh_data_exit_C(plain, 0);
}

static void test_buffers(void) {
    DvmType x[WORDS];
    fill(A);
    LINE();
    dvmh_remote_access_C(x, A, 2, dvmh_alignment_linear_C(0, 0, ROWS - 2), all());
    for (DvmType j = 0; j < COLUMNS; j++) {
        const double *place = dvmh_get_own_element_addr_C(x, 1, j);
        CHECK(place != NULL && *place == value_of(ROWS - 2, j));
    }
    dvmh_delete_object_(x);
    LINE();
    dvmh_remote_access_C(x, A, 2, dvmh_alignment_linear_C(0, 0, 3), dvmh_alignment_linear_C(0, 0, 5));
    const double *place = dvmh_get_own_element_addr_C(x, 1, 0L);
    CHECK(place != NULL && *place == value_of(3, 5));
    dvmh_delete_object_(x);
}

/* B[i][j] = A[ROWS - 1 - i][j] + A[0][all] */
static void body(const dvmhx_record_t *record, const double *summand) {
    const dvmhx_array_t *b = &record->arrays[0], *mirrored = &record->arrays[1], *row = &record->arrays[2];
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++) {
            const DvmType i = record->start[0] + n, j = record->start[1] + m;
            double sum = *summand;
            for (DvmType k = 0; k < COLUMNS; k++)
                sum += ((const double *)row->base)[k * row->stride[1]];
            ((double *)b->base)[i * b->stride[0] + j * b->stride[1]] =
                sum + ((const double *)
                           mirrored->base)[(ROWS - 1 - i) * mirrored->stride[0] + j * mirrored->stride[1]];
        }
}

static void use(DvmType loop, const DvmType header[], DvmType intent, DvmType flags) {
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = header,
                                   .rank = 2,
                                   .intent = intent,
                                   .flags = flags};
    dvmhx_loop_array_C(loop, &use);
}

static void test_sections_of_loops(void) {
    double summand = 3, sum = 3;
    fill(A);
    for (DvmType j = 0; j < COLUMNS; j++)
        sum += value_of(0, j);
    LINE();
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_OUT, B, "B");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);
    const DvmType loop =
        dvmh_loop_create_C(region, 2, 0L, (DvmType)ROWS - 1, 1L, 0L, (DvmType)COLUMNS - 1, 1L);
    dvmh_loop_map_C(loop, B, 2, axis(1), axis(2));
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(1, -1, ROWS - 1), axis(2));
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(0, 0, 0), all());
    use(loop, B, INTENT_OUT, 0);
    use(loop, A, INTENT_IN, DVMHX_REMOTE);
    use(loop, A, INTENT_IN, DVMHX_REMOTE);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(body), 1, (void *)&summand));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    LINE();
    dvmh_get_actual_array2_(B);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            const double *place = dvmh_get_own_element_addr_C(B, 2, i, j);
            CHECK(place == NULL || *place == sum + value_of(ROWS - 1 - i, j));
        }
}

static void write_row(const DvmType *loop, double c[]) {
    DvmType lo, hi;
    dvmh_loop_fill_bounds_C(*loop, &lo, &hi, NULL);
    for (DvmType i = lo; i <= hi; i++)
        c[i + 1] = (double)(10 * i);
}

static void test_consistent(void) {
    double c[ROWS + 1] = {-1};
    LINE();
    dvmh_data_enter_C(c, sizeof c);
    DvmType *header = dvmh_variable_gen_header_C(c, 1, -rt_DOUBLE, (DvmType)ROWS + 1);
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, (DvmType)ROWS - 1, 1L);
    dvmh_loop_map_C(loop, A, 2, axis(1), all());
    dvmh_loop_consistent_C(loop, header, 1, dvmh_alignment_linear_C(1, 1, 1));
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C(HANDLER(write_row), 1, (void *)c));
    dvmh_loop_perform_C(loop);
    dvmh_data_exit_C(c, 1);
    CHECK(c[0] == -1);
    for (int i = 0; i < ROWS; i++)
        CHECK(c[i + 1] == 10 * i);
}

int main(int argc, char **argv) {
    LINE();
    dvmh_init_C(0, &argc, &argv);
    dvmhx_reorganise_C();
    LINE();
    dvmh_template_create_C(T, 2, (DvmType)ROWS, (DvmType)COLUMNS);
    dvmh_distribute_C(T, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 1L, 1L);
    dvmh_align_C(A, T, 2, axis(1), axis(2));
    dvmh_array_create_C(B, 2, -rt_DOUBLE, (DvmType)ROWS, 0L, 2L, (DvmType)COLUMNS, 0L, 0L);
    LINE();
    dvmh_distribute_C(B, 2, dvmh_distribution_block_C(2), dvmh_distribution_block_C(1));
    test_moves();
    test_copies();
    test_buffers();
    test_sections_of_loops();
    test_consistent();
    dvmh_delete_object_(B);
    dvmh_delete_object_(A);
    dvmh_delete_object_(T);
    dvmh_exit_C(check_finish());
    return 1; /* not reached */
}
