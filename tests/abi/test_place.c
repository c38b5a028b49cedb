/* Distributions of every kind, and arrays that are placed anew between regions: values come along from wherever they are, headers stay
 * right, devices and layouts follow. With one process every element stays here, whatever the rule says. */
#include "tests/abi/child.h"

#include <dvmhx.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { ROWS = 9, COLUMNS = 6, STEPS = 200, ARRAYS = 3 };

static int device_count;
static DvmType T[1], A[ARRAYS][64];
static double model[ARRAYS][ROWS][COLUMNS];

/* ---- loops ---- */

static void add(const dvmhx_record_t *record, const double *summand) {
    const dvmhx_array_t *const a = &record->arrays[0];
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++)
            ((double *)
                 a->base)[(record->start[0] + n) * a->stride[0] + (record->start[1] + m) * a->stride[1]] +=
                *summand;
}

/* On a device where there is one. */
static void add_in_region(int number, double summand) {
    const DvmType region = dvmh_region_create_C(0);
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = A[number],
                                   .rank = 2,
                                   .intent = INTENT_INOUT};
    dvmh_region_register_array_C(region, INTENT_INOUT, A[number], "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);
    const DvmType loop =
        dvmh_loop_create_C(region, 2, 0L, (DvmType)ROWS - 1, 1L, 0L, (DvmType)COLUMNS - 1, 1L);
    dvmh_loop_map_C(loop, A[number], 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmhx_loop_array_C(loop, &use);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(add), 1, (void *)&summand));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            model[number][i][j] += summand;
}

static void check_values(int number) {
    dvmh_get_actual_array2_(A[number]);
    CHECK_EQ_INT(A[number][2], 1);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            const double *const place =
                (double *)A[number][4] + A[number][3] + A[number][1] * i + A[number][2] * j;
            CHECK(place == dvmh_get_own_element_addr_C(A[number], 2, i, j));
            CHECK(*place == model[number][i][j]);
        }
}

/* ---- rules: their numbers are gone after the call ---- */

static struct numbers {
    double weights[ROWS];
    float float_weights[3];
    int size;
    long long_size;
} numbers[2]; /* of each axis */

static DvmType random_rule(DvmType grid_axis, DvmType extent) {
    struct numbers *const n = &numbers[grid_axis - 1];
    switch (check_random_range(0, 6)) {
    case 0:
        return dvmh_distribution_replicated_();
    case 1:
        for (int i = 0; i < ROWS; i++)
            n->weights[i] = (double)check_random_range(0, 5);
        return dvmh_distribution_wgtblock_C(grid_axis, rt_DOUBLE, n->weights, check_random_range(1, ROWS));
    case 2:
        for (int i = 0; i < 3; i++)
            n->float_weights[i] = (float)check_random_range(1, 5);
        return dvmh_distribution_wgtblock_C(grid_axis, rt_FLOAT, n->float_weights, 3);
    case 3:
        n->size = (int)extent;
        return dvmh_distribution_genblock_C(grid_axis, rt_INT, &n->size);
    case 4:
        n->long_size = (long)extent;
        return dvmh_distribution_genblock_C(grid_axis, rt_LONG, &n->long_size);
    case 5:
        return dvmh_distribution_multblock_C(grid_axis, extent == ROWS ? 3 : 2);
    default:
        return dvmh_distribution_block_C(grid_axis);
    }
}

static void distribute(DvmType header[], bool anew) {
    if (anew)
        dvmh_redistribute_C(header, 2, random_rule(1, ROWS), random_rule(2, COLUMNS));
    else
        dvmh_distribute_C(header, 2, random_rule(1, ROWS), random_rule(2, COLUMNS));
    memset(numbers, 0xff, sizeof numbers);
}

/* ---- steps ---- */

/* A[0] has a template of its own, A[1] may be aligned with it; A[2] is aligned with T. */
static void step_redistribute(void) {
    distribute(check_random_once_in(2) ? A[0] : T, true);
}

static void step_realign(void) {
    const bool on_template = check_random_once_in(2), mirrored = check_random_once_in(2);
    const int number = (int)check_random_range(1, 2);
    const DvmType *const target = on_template ? T : A[0];
    dvmh_realign_C(A[number], 0, target, 2,
                   dvmh_alignment_linear_C(1, mirrored ? -1 : 1, mirrored ? ROWS - 1 : 0),
                   check_random_once_in(2) ? dvmh_alignment_linear_C(-1, 0, 0)
                                           : dvmh_alignment_linear_C(2, 1, 0));
}

/* The values are not needed: what is there afterwards is current on the host. */
static void step_new_values(void) {
    const int number = (int)check_random_range(1, 2);
    dvmh_realign_C(A[number], 1, A[0], 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            *(double *)dvmh_get_element_addr_C(A[number], 2, i, j) = model[number][i][j] =
                (double)(10 * i + j);
    dvmh_get_actual_array2_(A[number]); /* brings nothing over them */
}

static void step_region(void) {
    add_in_region((int)check_random_range(0, ARRAYS - 1), (double)check_random_range(-9, 9));
}

static void step_check(void) {
    check_values((int)check_random_range(0, ARRAYS - 1));
}

static void create(DvmType header[]) {
    dvmh_array_create_C(header, 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 0L, 2L);
}

static void start(void) {
    char text[16];
    alarm(100);
    snprintf(text, sizeof text, "%d", device_count);
    setenv("DVMH_FAKE_DEVICES", text, 1);
    setenv("DVMH_LOGLEVEL", "error", 1); /* weights that are all 0 */
    child_init();
}

static void program(void) {
    static void (*const steps[])(void) = {step_redistribute, step_realign, step_new_values,
                                          step_region,       step_region,  step_check};
    start();
    dvmh_template_create_C(T, 2, (DvmType)ROWS, (DvmType)COLUMNS);
    distribute(T, check_random_once_in(2));
    for (int i = 0; i < ARRAYS; i++)
        create(A[i]);
    distribute(A[0], check_random_once_in(2));
    dvmh_align_C(A[1], A[0], 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_realign_C(A[2], 0, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    for (int i = 0; i < ARRAYS; i++) {
        const double zero = 0;
        dvmh_array_set_value_(A[i], &zero);
    }
    for (int step = 0; step < STEPS; step++)
        steps[check_random_range(0, 5)]();
    for (int i = 0; i < ARRAYS; i++)
        check_values(i);
    dvmh_delete_object_(T); /* what is aligned with it lives on */
    for (int i = 0; i < ARRAYS; i++) {
        check_values(i);
        dvmh_delete_object_(A[i]);
    }
    child_exit();
}

/* Values that are not needed are not moved: home shows what it had. */
static void new_values(void) {
    const double one = 1;
    start();
    for (int i = 0; i < 2; i++)
        create(A[i]);
    distribute(A[0], false);
    distribute(A[1], false);
    for (int keeps = 0; keeps < 2; keeps++) {
        dvmh_array_set_value_(A[0], &one);
        add_in_region(0, 5);
        dvmh_realign_C(A[0], 1 - keeps, A[1], 2, dvmh_alignment_linear_C(1, 1, 0),
                       dvmh_alignment_linear_C(2, 1, 0));
        CHECK(*(double *)dvmh_get_element_addr_C(A[0], 2, 3L, 3L) == (keeps ? 6 : 1));
        dvmh_get_actual_array2_(A[0]);
        CHECK(*(double *)dvmh_get_element_addr_C(A[0], 2, 3L, 3L) == (keeps ? 6 : 1));
    }
    child_exit();
}

/* A rule about layouts is about the array, wherever it lies. */
static void layout_rule(void) {
    const DvmType order[] = {2, 1};
    const dvmhx_layout_rule_t rule = {.size = sizeof rule, .is_pinned = 1, .order = order};
    dvmhx_report_t report = {.size = sizeof report};
    setenv("DVMH_PLANNER", "cost", 1);
    start();
    create(A[0]);
    distribute(A[0], false);
    memset(dvmh_get_natural_base_C(0, A[0]), 0, sizeof model[0]);
    dvmhx_array_layout_C(A[0], &rule);
    for (int time = 0; time < 2; time++) {
        add_in_region(0, 1);
        dvmhx_get_report_C(&report);
        CHECK_EQ_STR(report.layouts, "perm(1,0)");
        CHECK(report.replica_bytes > 0);
        distribute(A[0], true);
        dvmhx_get_report_C(&report);
        CHECK_EQ_INT(report.replica_bytes, 0);
        check_values(0);
    }
    child_exit();
}

/* An array by malloc gets its place by redistribute, again and again. */
static void declared(void) {
    start();
    dvmh_array_declare_C(A[0], 2, -rt_DOUBLE, 0L, 0L, 0L, (DvmType)COLUMNS, 1L, 1L);
    for (int time = 0; time < 3; time++) {
        dvmh_array_alloc_C(A[0], ROWS * COLUMNS * (DvmType)sizeof(double));
        distribute(A[0], true);
        const double value = time;
        dvmh_array_set_value_(A[0], &value);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                model[0][i][j] = time;
        distribute(A[0], true);
        check_values(0);
        dvmh_array_free_C(A[0]);
    }
    dvmh_delete_object_(A[0]);
    child_exit();
}

int main(void) {
    check_random_start();
    for (int round = 0; round < 5; round++) {
        for (device_count = 0; device_count <= 2; device_count++)
            CHECK_EQ_INT(child_run(program, NULL, NULL, NULL), 0);
        (void)check_random_u64(); /* another program in the next round */
    }
    device_count = 1;
    CHECK_EQ_INT(child_run(new_values, NULL, NULL, NULL), 0);
    device_count = 0;
    CHECK_EQ_INT(child_run(layout_rule, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(declared, NULL, NULL, NULL), 0);
    return check_finish();
}
