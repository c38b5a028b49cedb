/* Remote access: buffers made by a call of their own, and those of loops as handlers of every sort see them. With one process the values are
 * those of the source before the loop. Sources are newest on a fake device half of the time. */
#include "tests/abi/child.h"

#include <dvmhx.h>
#include <stdatomic.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { ROWS = 8, COLUMNS = 5, WORDS = 64 };

static int device_count;
static DvmType A[WORDS], B[WORDS], V[WORDS]; /* [ROWS][COLUMNS], [COLUMNS][ROWS][3], [COLUMNS] */
static double b_values[COLUMNS][ROWS][3], v_values[COLUMNS];
static atomic_int calls;

/* ---- sources ---- */

static void add_row(const dvmhx_record_t *record, const double *summand) {
    const dvmhx_array_t *const b = &record->arrays[0];
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType j = 0; j < ROWS; j++)
            for (DvmType k = 0; k < 3; k++)
                ((double *)
                     b->base)[(record->start[0] + n) * b->stride[0] + j * b->stride[1] + k * b->stride[2]] +=
                    *summand;
}

/* B becomes newest on the device. */
static void change_b(double summand) {
    const DvmType region = dvmh_region_create_C(0);
    const dvmhx_array_use_t use = {.size = sizeof use, .header = B, .rank = 3, .intent = INTENT_INOUT};
    dvmh_region_register_array_C(region, INTENT_INOUT, B, "B");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);
    const DvmType loop = dvmh_loop_create_C(region, 1, 0L, (DvmType)COLUMNS - 1, 1L);
    dvmhx_loop_array_C(loop, &use);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(add_row), 1, (void *)&summand));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < ROWS; j++)
            for (int k = 0; k < 3; k++)
                b_values[i][j][k] += summand;
}

static void start(void) {
    char text[16];
    alarm(100);
    snprintf(text, sizeof text, "%d", device_count);
    setenv("DVMH_FAKE_DEVICES", text, 1);
    setenv("DVMH_NUM_THREADS", "3", 1);
    child_init();
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 1L, 1L);
    dvmh_array_create_C(B, 3, -rt_DOUBLE, (DvmType)COLUMNS, 1L, 1L, (DvmType)ROWS, 0L, 0L, 3L, 0L, 0L);
    dvmh_array_create_C(V, 1, -rt_DOUBLE, (DvmType)COLUMNS, 1L, 1L);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_distribute_C(B, 3, dvmh_distribution_block_C(1), dvmh_distribution_replicated_(),
                      dvmh_distribution_replicated_());
    dvmh_align_C(V, B, 3, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(-1, 0, 0),
                 dvmh_alignment_linear_C(-1, 0, 0));
    for (DvmType i = 0; i < COLUMNS; i++) {
        *(double *)dvmh_get_element_addr_C(V, 1, i) = v_values[i] = (double)(1000 * i);
        for (DvmType j = 0; j < ROWS; j++)
            for (DvmType k = 0; k < 3; k++)
                *(double *)dvmh_get_element_addr_C(B, 3, i, j, k) = b_values[i][j][k] =
                    (double)(i + 10 * j + 100 * k);
    }
    change_b(.5);
}

static void stop(void) {
    dvmh_delete_object_(A);
    dvmh_delete_object_(B);
    dvmh_delete_object_(V);
    child_exit();
}

/* ---- buffers of their own ---- */

static double at(const DvmType header[], DvmType rank, DvmType i, DvmType j, DvmType k) {
    const double *const place = rank == 1   ? dvmh_get_own_element_addr_C(header, 1, i)
                                : rank == 2 ? dvmh_get_own_element_addr_C(header, 2, i, j)
                                            : dvmh_get_own_element_addr_C(header, 3, i, j, k);
    if (!CHECK(place != NULL))
        return 0;
    return *place;
}

static DvmType all(void) {
    return dvmh_alignment_linear_C(-1, 0, 0);
}

static DvmType index_of(DvmType index) {
    return dvmh_alignment_linear_C(0, 0, index);
}

static void stand_alone(void) {
    DvmType x[WORDS];
    start();
    dvmh_remote_access_C(x, B, 3, index_of(2), index_of(7), index_of(1));
    CHECK(at(x, 1, 0, 0, 0) == b_values[2][7][1]);
    CHECK(dvmh_get_element_addr_C(x, 1, 1L) == NULL);
    dvmh_delete_object_(x);
    CHECK_EQ_INT(x[0], 0);
    dvmh_remote_access_C(x, B, 3, index_of(2), all(), index_of(1));
    change_b(2); /* a copy stays what it was */
    for (int j = 0; j < ROWS; j++)
        CHECK(at(x, 1, j, 0, 0) == b_values[2][j][1] - 2);
    CHECK(dvmh_get_element_addr_C(x, 1, (DvmType)ROWS) == NULL);
    CHECK_EQ_INT(x[1], 1);
    dvmh_delete_object_(x);
    dvmh_remote_access_C(x, B, 3, all(), index_of(3), all());
    for (int i = 0; i < COLUMNS; i++)
        for (int k = 0; k < 3; k++)
            CHECK(at(x, 2, i, k, 0) == b_values[i][3][k]);
    dvmh_delete_object_(x);
    dvmh_remote_access_C(x, B, 3, all(), all(), all());
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < ROWS; j++)
            for (int k = 0; k < 3; k++)
                CHECK(at(x, 3, i, j, k) == b_values[i][j][k]);
    dvmh_delete_object_(x);
    double scalar = 17;
    dvmh_data_enter_C(&scalar, sizeof scalar);
    dvmh_remote_access_C(x, dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE), 0);
    CHECK(at(x, 1, 0, 0, 0) == 17);
    dvmh_delete_object_(x);
    dvmh_data_exit_C(&scalar, 0);
    stop();
}

/* ---- loops: A[i][j] = B[j][c*i+d][1] + V[..] + V[4], i by step s ---- */

typedef struct sweep {
    DvmType first, last, step, mult, add;
} sweep_t;

static sweep_t sweep;

static void check_value(double value, DvmType i, DvmType j) {
    CHECK(value ==
          b_values[j][sweep.mult * i + sweep.add][1] + v_values[j] * 2 + v_values[4] + b_values[0][0][2]);
}

/* As code for buffers does: headers from the runtime, buffers like arrays; axes that follow dims have the loop's own indices. */
static void with_buffers(const DvmType *loop, const DvmType a[]) {
    DvmType lo[2], hi[2], step[2], r1[WORDS], r2[WORDS], r3[WORDS], r4[WORDS], words[WORDS];
    const DvmType device = dvmh_loop_get_device_num_C(*loop);
    atomic_fetch_add(&calls, 1);
    dvmh_loop_get_remote_buf_C(*loop, 1, r1); /* [j][i] */
    dvmh_loop_get_remote_buf_C(*loop, 2, r2); /* [all] */
    dvmh_loop_get_remote_buf_C(*loop, 3, r3); /* [j] */
    dvmh_loop_get_remote_buf_C(*loop, 4, r4); /* [0] */
    double *const a0 = dvmh_get_natural_base_C(device, a);
    const double *const b1 = dvmh_get_natural_base_C(device, r1), *const b2 =
                                                                      dvmh_get_natural_base_C(device, r2);
    const double *const b3 = dvmh_get_natural_base_C(device, r3), *const b4 =
                                                                      dvmh_get_natural_base_C(device, r4);
    CHECK_EQ_INT(dvmh_fill_header_C(device, b1, r1, words, NULL), 0);
    CHECK_EQ_INT(words[3], 0); /* relative to the natural base */
    CHECK_EQ_INT(r1[1], words[1]);
    CHECK_EQ_INT(r1[2], 1);
    CHECK_EQ_INT(dvmh_loop_guess_index_type_C(*loop), rt_INT);
    dvmh_loop_fill_bounds_C(*loop, lo, hi, step);
    for (DvmType i = lo[0]; step[0] > 0 ? i <= hi[0] : i >= hi[0]; i += step[0])
        for (DvmType j = lo[1]; j <= hi[1]; j++)
            a0[i * a[1] + j] = b1[j * r1[1] + i] + b2[j] + b2[4] + b3[j] + b4[0];
}

/* As code does that leaves buffers alone: the source array, with its own indices. */
static void with_sources(const DvmType *loop, const DvmType a[], const DvmType b[], const DvmType v[]) {
    DvmType lo[2], hi[2], step[2];
    const DvmType device = dvmh_loop_get_device_num_C(*loop);
    atomic_fetch_add(&calls, 1);
    double *const a0 = dvmh_get_natural_base_C(device, a);
    const double *const b0 = dvmh_get_natural_base_C(device, b), *const v0 =
                                                                     dvmh_get_natural_base_C(device, v);
    dvmh_loop_fill_bounds_C(*loop, lo, hi, step);
    for (DvmType i = lo[0]; step[0] > 0 ? i <= hi[0] : i >= hi[0]; i += step[0])
        for (DvmType j = lo[1]; j <= hi[1]; j++)
            a0[i * a[1] + j] =
                b0[j * b[1] + (sweep.mult * i + sweep.add) * b[2] + 1] + 2 * v0[j] + v0[4] + b0[2];
}

static const double *record_element(const dvmhx_array_t *array, DvmType i, DvmType j, DvmType k) {
    const double *const base = array->base;
    return base + i * array->stride[0] + (array->rank > 1 ? j * array->stride[1] : 0) +
           (array->rank > 2 ? k * array->stride[2] : 0);
}

/* A record handler is told the sources. */
static void with_record(const dvmhx_record_t *record) {
    const dvmhx_array_t *const a = &record->arrays[0], *const b = &record->arrays[1],
                               *const v = &record->arrays[2];
    atomic_fetch_add(&calls, 1);
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++) {
            const DvmType i = record->start[0] + n * record->step[0],
                          j = record->start[1] + m * record->step[1];
            *(double *)(uintptr_t)record_element(a, i, j, 0) =
                *record_element(b, j, sweep.mult * i + sweep.add, 1) + 2 * *record_element(v, j, 0, 0) +
                *record_element(v, 4, 0, 0) + *record_element(b, 0, 0, 2);
        }
}

enum { BUFFERS, SOURCES, RECORD, KINDS };

static void declare(DvmType loop, const DvmType header[], DvmType rank, DvmType intent) {
    const dvmhx_array_use_t use = {.size = sizeof use, .header = header, .rank = rank, .intent = intent};
    dvmhx_loop_array_C(loop, &use);
}

static DvmType handler_of(int kind) {
    switch (kind) {
    case BUFFERS:
        return dvmh_handler_func_C(HANDLER(with_buffers), 1, (void *)A);
    case SOURCES:
        return dvmh_handler_func_C(HANDLER(with_sources), 3, (void *)A, (void *)B, (void *)V);
    default:
        return dvmh_handler_func_C(HANDLER(with_record), 0);
    }
}

static void run_loop(int kind, DvmType region) {
    const DvmType loop =
        dvmh_loop_create_C(region, 2, sweep.first, sweep.last, sweep.step, 0L, (DvmType)COLUMNS - 1, 1L);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_loop_remote_access_C(loop, B, 3, dvmh_alignment_linear_C(2, 1, 0),
                              dvmh_alignment_linear_C(1, sweep.mult, sweep.add), index_of(1));
    dvmh_loop_remote_access_C(loop, V, 1, all());
    dvmh_loop_remote_access_C(loop, V, 1, dvmh_alignment_linear_C(2, 1, 0));
    dvmh_loop_remote_access_C(loop, B, 3, index_of(0), index_of(0), index_of(2));
    dvmh_loop_set_stage_C(loop, 3);
    dvmh_loop_set_cuda_block_C(loop, 32, 4, 1);
    if (kind == RECORD) {
        declare(loop, A, 2, INTENT_OUT);
        declare(loop, B, 3, INTENT_IN);
        declare(loop, V, 1, INTENT_IN);
    }
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, kind == RECORD ? DVMHX_HANDLER_RECORD : 0,
                                 handler_of(kind));
    dvmh_loop_perform_C(loop);
}

static void run_in_region(int kind) {
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    if (kind == RECORD) {
        dvmh_region_register_array_C(region, INTENT_IN, B, "B");
        dvmh_region_register_array_C(region, INTENT_IN, V, "V");
    }
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);
    run_loop(kind, region);
    dvmh_region_end_C(region);
    dvmh_get_actual_array2_(A);
}

static void clear_a(void) {
    const double value = -1;
    dvmh_array_set_value_(A, &value);
}

static void check_a(void) {
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            const DvmType low = sweep.step > 0 ? sweep.first : sweep.last,
                          high = sweep.step > 0 ? sweep.last : sweep.first;
            const double value = *(double *)dvmh_get_element_addr_C(A, 2, i, j);
            if (i >= low && i <= high && (i - sweep.first) % sweep.step == 0)
                check_value(value, i, j);
            else
                CHECK(value == -1);
        }
}

static void loops(void) {
    static const sweep_t sweeps[] = {{0, ROWS - 1, 1, 1, 0},  {0, ROWS - 1, 1, -1, ROWS - 1},
                                     {ROWS - 1, 0, -1, 1, 0}, {1, ROWS - 1, 2, 1, -1},
                                     {6, 1, -3, -1, 7},       {0, 3, 1, 2, 1},
                                     {3, 0, -1, -2, 7},       {4, 4, 5, 1, 1}};
    start();
    for (size_t s = 0; s < sizeof sweeps / sizeof sweeps[0]; s++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int in_region = 0; in_region < 2; in_region++) {
                const int failures = atomic_load(&check_failures), before = atomic_load(&calls);
                sweep = sweeps[s];
                change_b(1);
                clear_a();
                if (in_region)
                    run_in_region(kind);
                else
                    run_loop(kind, 0);
                check_a();
                CHECK(atomic_load(&calls) > before);
                if (atomic_load(&check_failures) != failures)
                    fprintf(stderr, "  sweep %zu, kind %d, region %d, %d devices\n", s, kind, in_region,
                            device_count);
            }
    sweep = (sweep_t){5, 4, 1, 100, 100}; /* no iterations: no buffers and no mistake */
    const int before = atomic_load(&calls);
    run_loop(BUFFERS, 0);
    CHECK_EQ_INT(atomic_load(&calls), before);
    stop();
}

/* The loop may write its own source: buffers have the values from before. */
static void shift_row(const DvmType *loop, const DvmType a[]) {
    DvmType lo[2], hi[2], r[WORDS];
    double *const a0 = dvmh_get_natural_base_C(0, a);
    dvmh_loop_get_remote_buf_C(*loop, 1, r);
    const double *const b = dvmh_get_natural_base_C(0, r);
    dvmh_loop_fill_bounds_C(*loop, lo, hi, NULL);
    for (DvmType i = lo[0]; i <= hi[0]; i++)
        for (DvmType j = lo[1]; j <= hi[1]; j++)
            a0[i * a[1] + j] = b[i * r[1] + j];
}

static void number_elements(const dvmhx_record_t *record) {
    const dvmhx_array_t *const a = &record->arrays[0];
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++) {
            const DvmType i = record->start[0] + n, j = record->start[1] + m;
            *(double *)(uintptr_t)record_element(a, i, j, 0) = (double)(10 * i + j);
        }
}

static void own_source(void) {
    start();
    clear_a();
    DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_OUT, A, "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);
    DvmType loop = dvmh_loop_create_C(region, 2, 0L, (DvmType)ROWS - 1, 1L, 0L, (DvmType)COLUMNS - 1, 1L);
    declare(loop, A, 2, INTENT_OUT);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(number_elements), 0));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_OUT, A, "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    loop = dvmh_loop_create_C(region, 2, 1L, (DvmType)ROWS - 1, 1L, 0L, (DvmType)COLUMNS - 1, 1L);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_loop_remote_access_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, -1),
                              dvmh_alignment_linear_C(2, 1, 0));
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C(HANDLER(shift_row), 1, (void *)A));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    dvmh_get_actual_array2_(A);
    for (DvmType i = 1; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            CHECK(*(double *)dvmh_get_element_addr_C(A, 2, i, j) == (double)(10 * (i - 1) + j));
    stop();
}

int main(void) {
    for (device_count = 0; device_count <= 2; device_count++) {
        CHECK_EQ_INT(child_run(stand_alone, NULL, NULL, NULL), 0);
        CHECK_EQ_INT(child_run(loops, NULL, NULL, NULL), 0);
        CHECK_EQ_INT(child_run(own_source, NULL, NULL, NULL), 0);
    }
    return check_finish();
}
