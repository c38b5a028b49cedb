/* Copies of arrays and sections, fills, and parts of arrays and variables that are made current: random programs with regions in between,
 * with 0, 1 and 2 fake devices, against plain arrays. And what single elements in serial code are asked. */
#include "tests/abi/child.h"

#include <dvmhx.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { ROWS = 7, COLUMNS = 6, STEPS = 300, ARRAYS = 3, VARIABLE = 2 };

typedef double grid_t[ROWS][COLUMNS];

static int device_count;
static DvmType headers[2][64], *header[ARRAYS]; /* two arrays and a variable */
static grid_t model[ARRAYS], variable;

static double *place(int number, DvmType i, DvmType j) {
    return number == VARIABLE ? &variable[i][j] : (double *)dvmh_get_element_addr_C(header[number], 2, i, j);
}

static void check_values(int number) {
    if (number == VARIABLE)
        dvmh_get_actual_variable2_(variable);
    else
        dvmh_get_actual_array2_(header[number]);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            CHECK(*place(number, i, j) == model[number][i][j]);
}

static void add(const dvmhx_record_t *record, const double *summand) {
    const dvmhx_array_t *const a = &record->arrays[0];
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++)
            ((double *)
                 a->base)[(record->start[0] + n) * a->stride[0] + (record->start[1] + m) * a->stride[1]] +=
                *summand;
}

/* Afterwards the newest values are on a device where there is one. */
static void step_region(int number) {
    const double summand = (double)check_random_range(-9, 9);
    const DvmType region = dvmh_region_create_C(0);
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = header[number],
                                   .rank = 2,
                                   .intent = INTENT_INOUT};
    dvmh_region_register_array_C(region, INTENT_INOUT, header[number], "x");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);
    const DvmType loop =
        dvmh_loop_create_C(region, 2, 0L, (DvmType)ROWS - 1, 1L, 0L, (DvmType)COLUMNS - 1, 1L);
    dvmhx_loop_array_C(loop, &use);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(add), 1, (void *)&summand));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            model[number][i][j] += summand;
}

static int random_array(void) {
    return (int)check_random_range(0, ARRAYS - 1);
}

static void step_copy_whole(int number) {
    const int source = random_array();
    dvmh_array_copy_whole_(header[source], header[number]);
    memmove(model[number], model[source], sizeof(grid_t));
}

static void step_fill(int number) {
    const double value = (double)check_random_range(-99, 99);
    dvmh_array_set_value_(header[number], &value);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            model[number][i][j] = value;
}

/* start, count and step along an axis, for two sections of equal shape */
typedef struct axis {
    DvmType count, step[2], start[2];
} axis_t;

static axis_t random_axis(DvmType extent) {
    axis_t axis = {.count = check_random_range(1, extent)};
    for (int side = 0; side < 2; side++) {
        axis.step[side] = check_random_range(1, extent / axis.count);
        axis.start[side] = check_random_range(0, extent - axis.count * axis.step[side]);
    }
    return axis;
}

static DvmType make_slice(const axis_t axis[2], int side) {
    DvmType end[2];
    for (int a = 0; a < 2; a++)
        end[a] = axis[a].start[side] + axis[a].count * axis[a].step[side] - 1;
    return dvmh_array_slice_C(2, axis[0].start[side], end[0], axis[0].step[side], axis[1].start[side], end[1],
                              axis[1].step[side]);
}

static void step_copy_section(int number) {
    const int source = random_array();
    const axis_t axis[2] = {random_axis(ROWS), random_axis(COLUMNS)};
    grid_t values;
    dvmh_array_copy_C(header[source], make_slice(axis, 0), header[number], make_slice(axis, 1));
    memcpy(values, model[source], sizeof values);
    for (DvmType n = 0; n < axis[0].count; n++)
        for (DvmType m = 0; m < axis[1].count; m++)
            model[number][axis[0].start[1] + n * axis[0].step[1]][axis[1].start[1] + m * axis[1].step[1]] =
                values[axis[0].start[0] + n * axis[0].step[0]][axis[1].start[0] + m * axis[1].step[0]];
}

/* A row of one becomes part of a column of the other; whole arrays on one side. */
static void step_row_to_column(int number) {
    const int source = random_array();
    const DvmType row = check_random_range(0, ROWS - 1), column = check_random_range(0, COLUMNS - 1);
    double values[COLUMNS];
    memcpy(values, model[source][row], sizeof values);
    dvmh_array_copy_C(header[source], dvmh_array_slice_C(2, row, row, 1L, 0L, (DvmType)COLUMNS - 1, 1L),
                      header[number], dvmh_array_slice_C(2, 1L, (DvmType)COLUMNS, 1L, column, column, 1L));
    for (int i = 0; i < COLUMNS; i++)
        model[number][i + 1][column] = values[i];
    double line[COLUMNS];
    dvmh_data_enter_C(line, sizeof line);
    DvmType *const line_header = dvmh_variable_gen_header_C(line, 1, -rt_DOUBLE, (DvmType)COLUMNS);
    dvmh_array_copy_C(header[number], dvmh_array_slice_C(2, row, row, 1L, 0L, (DvmType)COLUMNS - 1, 1L),
                      line_header, 0);
    for (int j = 0; j < COLUMNS; j++)
        CHECK(line[j] == model[number][row][j]);
    dvmh_data_exit_C(line, 0);
}

/* A part comes home, is changed there, and is declared the newest; the rest stays where it is. */
static void step_part(int number) {
    DvmType bounds[4] = {check_random_range(0, ROWS - 1), 0, check_random_range(0, COLUMNS - 1), 0};
    bounds[1] = check_random_range(bounds[0] - 1, ROWS - 1);
    bounds[3] = check_random_range(bounds[2] - 1, COLUMNS - 1);
    DvmType given[4] = {bounds[0], bounds[1], bounds[2], bounds[3]};
    for (int i = 0; i < 4; i++)
        if (check_random_once_in(4)) {
            given[i] = UNDEF_BOUND;
            bounds[i] = i == 1 ? ROWS - 1 : i == 3 ? COLUMNS - 1 : 0;
        }
    if (number == VARIABLE)
        dvmh_get_actual_subvariable_C(variable, 2, given[0], given[1], given[2], given[3]);
    else
        dvmh_get_actual_subarray_C(header[number], 2, given[0], given[1], given[2], given[3]);
    for (DvmType i = bounds[0]; i <= bounds[1]; i++)
        for (DvmType j = bounds[2]; j <= bounds[3]; j++) {
            CHECK(*place(number, i, j) == model[number][i][j]);
            *place(number, i, j) = model[number][i][j] = (double)(100 * i + j);
        }
    if (number == VARIABLE)
        dvmh_actual_subvariable_C(variable, 2, given[0], given[1], given[2], given[3]);
    else
        dvmh_actual_subarray_C(header[number], 2, given[0], given[1], given[2], given[3]);
}

static void start(void) {
    char text[16];
    alarm(100);
    snprintf(text, sizeof text, "%d", device_count);
    setenv("DVMH_FAKE_DEVICES", text, 1);
    child_init();
    for (int i = 0; i < 2; i++) {
        dvmh_array_create_C(headers[i], 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 1L, 1L);
        dvmh_distribute_C(headers[i], 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
        header[i] = headers[i];
    }
    dvmh_data_enter_C(variable, sizeof variable);
    header[VARIABLE] = dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, (DvmType)ROWS, (DvmType)COLUMNS);
}

static void program(void) {
    static void (*const steps[])(
        int) = {step_region,       step_region,       step_region,        step_copy_whole, step_fill,
                step_copy_section, step_copy_section, step_row_to_column, step_part,       check_values};
    start();
    for (int i = 0; i < ARRAYS; i++)
        step_fill(i);
    for (int step = 0; step < STEPS; step++)
        steps[check_random_range(0, 9)](random_array());
    for (int i = 0; i < ARRAYS; i++)
        check_values(i);
    child_exit();
}

/* Values that nobody asked for stay where they are: a part is no excuse to move the whole. */
static void only_the_part(void) {
    start();
    step_fill(0);
    dvmh_get_actual_array2_(header[0]);
    const double old = model[0][0][0];
    do
        step_region(0);
    while (model[0][0][0] == old);
    dvmh_get_actual_subarray_C(header[0], 2, 2L, 3L, 1L, 1L);
    CHECK(*place(0, 2, 1) == model[0][2][1] && *place(0, 3, 1) == model[0][3][1]);
    CHECK(*place(0, 1, 1) == old && *place(0, 4, 1) == old && *place(0, 2, 0) == old &&
          *place(0, 2, 2) == old);
    child_exit();
}

/* Helpers of a list that one of these calls stands in live on. */
static DvmType copied_summand(void) {
    const double value = 3;
    dvmh_array_copy_whole_(header[0], header[1]);
    dvmh_array_set_value_(header[0], &value);
    return 0;
}

static void in_argument_lists(void) {
    static DvmType B[64];
    start();
    dvmh_array_create_C(B, 2, -rt_DOUBLE, (DvmType)ROWS, 0L, 0L, (DvmType)COLUMNS, 0L, 0L);
    const DvmType first = dvmh_alignment_linear_C(1, 1, 0);
    dvmh_align_C(B, header[0], 2, first, dvmh_alignment_linear_C(2, 1, copied_summand()));
    CHECK(*place(0, 4, 4) == 3);
    child_exit();
}

static void elements(void) {
    static const int unknown;
    start();
    for (DvmType i = -1; i <= ROWS; i++)
        for (DvmType j = -1; j <= COLUMNS; j++) {
            const bool inside = i >= 0 && i < ROWS && j >= 0 && j < COLUMNS;
            CHECK_EQ_INT(dvmh_has_element_C(header[0], 2, i, j), inside);
            CHECK_EQ_INT(dvmh_calc_linear_C(header[0], 2, i, j), header[0][3] + i * COLUMNS + j);
            if (inside)
                CHECK((double *)header[0][4] + dvmh_calc_linear_C(header[0], 2, i, j) == place(0, i, j));
        }
    /* What the runtime does not know has no copies. */
    dvmh_get_actual_subvariable_C((void *)(uintptr_t)&unknown, 5, 1L, 2L);
    dvmh_actual_subvariable_C(&unknown, 1, -7L, 99L);
    dvmh_usr_interval_start_C(3);
    dvmh_par_interval_start_C();
    dvmh_sp_interval_end_();
    dvmh_seq_interval_start_C();
    dvmh_usr_interval_start_C(-3);
    dvmh_usr_interval_end_();
    dvmh_sp_interval_end_();
    dvmh_usr_interval_end_();
    dvmh_usr_interval_start_C(4); /* left open */
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
    CHECK_EQ_INT(child_run(only_the_part, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(in_argument_lists, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(elements, NULL, NULL, NULL), 0);
    return check_finish();
}
