/* A program of regions in all their forms - in, out, inout, local, inlocal, parts of arrays, scalars,
 * ordinary arrays, (get_)actual between and inside - in random order, with 0, 1 and 2 fake devices. Its
 * values must be those of the same statements on plain arrays. Fake devices have memory of their own: where
 * the program leaves out get_actual, home must show the old values. Without them home has the new ones, unless
 * the planner puts arrays into other layouts on the host: then it shows the one or the other. */
#include "tests/abi/child.h"

#include <dvmhx.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { ROWS = 9, COLUMNS = 7, STEPS = 300, ARRAYS = 2 };

typedef double grid_t[ROWS][COLUMNS];

/** What a loop does: target = target * keep + source * scale + add, for every element of a box. */
typedef struct statement {
    double keep, scale, add;
} statement_t;

typedef struct range {
    DvmType lo[2], hi[2]; /* inclusive */
} range_t;

static const range_t whole = {{0, 0}, {ROWS - 1, COLUMNS - 1}};

static DvmType headers[ARRAYS][64], temporary[64];
static grid_t model[ARRAYS];
static grid_t variable, variable_model; /* an ordinary array */
static double scalar, result;
static int device_count;
static bool may_reorganise; /* on the host */

/* ---- loops ---- */

static double *place(const dvmhx_array_t *array, DvmType i, DvmType j) {
    return (double *)array->base + i * array->stride[0] + j * array->stride[1];
}

static void run_statement(const dvmhx_record_t *record, const statement_t *s) {
    const dvmhx_array_t *const target = &record->arrays[0], *const source = &record->arrays[1];
    CHECK_EQ_INT(record->way, DVMHX_WAY_PLAIN);
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++) {
            const DvmType i = record->start[0] + n * record->step[0],
                          j = record->start[1] + m * record->step[1];
            double *const x = place(target, i, j);
            *x = (s->keep != 0 ? *x * s->keep : 0) + (s->scale != 0 ? *place(source, i, j) * s->scale : 0) +
                 s->add;
        }
}

static void declare(DvmType loop, const DvmType header[], DvmType rank, DvmType intent) {
    const dvmhx_array_use_t use = {.size = sizeof use, .header = header, .rank = rank, .intent = intent};
    dvmhx_loop_array_C(loop, &use);
}

static void loop(DvmType region, const DvmType target[], const DvmType source[], range_t r, statement_t s) {
    const DvmType handle = dvmh_loop_create_C(region, 2, r.lo[0], r.hi[0], 1L, r.lo[1], r.hi[1], 1L);
    declare(handle, target, 2, s.keep != 0 ? INTENT_INOUT : INTENT_OUT);
    declare(handle, source, 2, INTENT_IN);
    dvmh_loop_register_handler_C(handle, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(run_statement), 1, (void *)&s));
    dvmh_loop_perform_C(handle);
}

static void model_loop(grid_t target, grid_t source, range_t r, statement_t s) {
    for (DvmType i = r.lo[0]; i <= r.hi[0]; i++)
        for (DvmType j = r.lo[1]; j <= r.hi[1]; j++)
            target[i][j] = (s.keep != 0 ? target[i][j] * s.keep : 0) +
                           (s.scale != 0 ? source[i][j] * s.scale : 0) + s.add;
}

/* ---- random choices; values stay small and exact ---- */

static statement_t random_statement(bool keeps) {
    return (statement_t){.keep = keeps ? .5 : 0,
                         .scale = (double)check_random_range(-1, 1) * .25,
                         .add = (double)check_random_range(-50, 50)};
}

static range_t random_range(void) {
    static const DvmType extents[2] = {ROWS, COLUMNS};
    range_t r;
    for (int axis = 0; axis < 2; axis++) {
        r.lo[axis] = check_random_range(0, extents[axis] - 1);
        r.hi[axis] = check_random_range(r.lo[axis], extents[axis] - 1);
    }
    return r;
}

static DvmType execute(DvmType region) {
    dvmh_region_execute_on_targets_C(region,
                                     DEVICE_TYPE_HOST | (check_random_once_in(2) ? DEVICE_TYPE_CUDA : 0));
    return region;
}

static double host_value(const DvmType header[], DvmType i, DvmType j) {
    return *(double *)dvmh_get_own_element_addr_C(header, 2, i, j);
}

static bool is_equal(const DvmType header[], grid_t values) {
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            if (host_value(header, i, j) != values[i][j])
                return false;
    return true;
}

/* ---- steps: t and s are numbers of arrays ---- */

static void step_in_out(int t, int s) {
    const statement_t x = random_statement(t == s);
    const DvmType region = dvmh_region_create_C(0);
    if (t == s) {
        dvmh_region_register_array_C(region, INTENT_INOUT, headers[t], "t");
    } else {
        dvmh_region_register_array_C(region, INTENT_OUT, headers[t], "t");
        dvmh_region_register_array_C(region, INTENT_IN, headers[s], "s");
    }
    execute(region);
    loop(region, headers[t], headers[s], whole, x);
    dvmh_region_end_C(region);
    model_loop(model[t], model[s], whole, x);
}

/* Parts, given with all their bounds or with the array's; the rest of the target must keep its values. */
static void step_parts(int t, int s) {
    range_t r = random_range();
    const bool keeps = check_random_once_in(2), rows = check_random_once_in(2);
    const statement_t x = random_statement(keeps);
    DvmType bounds[4] = {r.lo[0], r.hi[0], UNDEF_BOUND, UNDEF_BOUND};
    if (rows) {
        r.lo[1] = 0;
        r.hi[1] = COLUMNS - 1;
    } else {
        bounds[2] = r.lo[1];
        bounds[3] = r.hi[1];
    }
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_subarray_C(region, keeps || t == s ? INTENT_INOUT : INTENT_OUT, headers[t], "t", 2,
                                    bounds[0], bounds[1], bounds[2], bounds[3]);
    if (t != s)
        dvmh_region_register_subarray_C(region, INTENT_IN, headers[s], "s", 2, r.lo[0], r.hi[0], r.lo[1],
                                        r.hi[1]);
    execute(region);
    loop(region, headers[t], headers[s], r, x);
    dvmh_region_end_C(region);
    model_loop(model[t], model[s], r, x);
}

static void step_local(int t, int s) {
    static grid_t model_temporary;
    const statement_t x = random_statement(false), y = random_statement(true);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_LOCAL, temporary, "temporary");
    dvmh_region_register_array_C(region, INTENT_INOUT, headers[t], "t");
    dvmh_region_register_array_C(region, INTENT_IN, headers[s], "s");
    execute(region);
    loop(region, temporary, headers[s], whole, x);
    loop(region, headers[t], temporary, whole, y);
    dvmh_region_end_C(region);
    model_loop(model_temporary, model[s], whole, x);
    model_loop(model[t], model_temporary, whole, y);
}

/* Halves every element, on the host. */
static void halve(const DvmType *handle, const DvmType header[]) {
    double(*const x)[header[1]] = dvmh_get_natural_base_C(dvmh_loop_get_device_num_C(*handle), header);
    DvmType lo[2], hi[2];
    dvmh_loop_fill_bounds_C(*handle, lo, hi, NULL);
    for (DvmType i = lo[0]; i <= hi[0]; i++)
        for (DvmType j = lo[1]; j <= hi[1]; j++)
            x[i][j] *= .5;
}

/* A loop that only the host has a handler for, between loops on the device: values go there and back. */
static void step_two_places(int t, int s) {
    const statement_t x = random_statement(t == s), y = random_statement(true);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_OUT, headers[t], "t");
    dvmh_region_register_array_C(region, INTENT_IN, headers[s], "s");
    execute(region);
    loop(region, headers[t], headers[s], whole, x);
    const DvmType handle =
        dvmh_loop_create_C(region, 2, 0L, (DvmType)ROWS - 1, 1L, 0L, (DvmType)COLUMNS - 1, 1L);
    dvmh_loop_register_handler_C(handle, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C(HANDLER(halve), 1, (void *)headers[t]));
    dvmh_loop_perform_C(handle);
    loop(region, headers[t], headers[s], whole, y);
    dvmh_region_end_C(region);
    model_loop(model[t], model[s], whole, x);
    model_loop(model[t], model[t], whole, (statement_t){.keep = .5, .scale = 0, .add = 0});
    model_loop(model[t], model[s], whole, y);
}

static void step_inlocal(int t, int s) {
    static grid_t model_temporary;
    const statement_t x = random_statement(true);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            *(double *)dvmh_get_own_element_addr_C(temporary, 2, i, j) = model_temporary[i][j] =
                (double)(i - j);
    dvmh_actual_array2_(temporary);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INLOCAL, temporary, "temporary");
    dvmh_region_register_array_C(region, INTENT_INOUT, headers[t], "t");
    dvmh_region_register_array_C(region, INTENT_IN, headers[s], "s");
    execute(region);
    loop(region, temporary, headers[s], whole, x);
    loop(region, headers[t], temporary, whole, x);
    dvmh_region_end_C(region);
    model_loop(model_temporary, model[s], whole, x);
    model_loop(model[t], model_temporary, whole, x);
}

static void write_on_host(int t) {
    const range_t r = random_range();
    for (DvmType i = r.lo[0]; i <= r.hi[0]; i++)
        for (DvmType j = r.lo[1]; j <= r.hi[1]; j++)
            *(double *)dvmh_get_own_element_addr_C(headers[t], 2, i, j) = model[t][i][j] =
                (double)(3 * i - j);
}

static void step_host(int t, int s) {
    (void)s;
    dvmh_get_actual_array2_(headers[t]);
    CHECK(is_equal(headers[t], model[t]));
    write_on_host(t);
    dvmh_actual_array2_(headers[t]);
}

/* Inside a region: what loops have done so far, and what the host changes between them. */
static void step_actual_inside(int t, int s) {
    const statement_t x = random_statement(true), y = random_statement(true);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, headers[t], "t");
    dvmh_region_register_array_C(region, INTENT_IN, headers[s], "s");
    execute(region);
    loop(region, headers[t], headers[s], whole, x);
    model_loop(model[t], model[s], whole, x);
    dvmh_get_actual_array2_(headers[t]);
    CHECK(is_equal(headers[t], model[t]));
    dvmh_get_actual_array2_(headers[s]);
    write_on_host(s);
    dvmh_actual_array2_(headers[s]);
    loop(region, headers[t], headers[s], whole, y);
    model_loop(model[t], model[s], whole, y);
    dvmh_region_end_C(region);
}

static void add_scalar(const dvmhx_record_t *record) {
    const double *const in = record->arrays[0].base;
    double *const out = record->arrays[1].base;
    *out = *in * 2 + 1;
}

static void step_scalars(int t, int s) {
    scalar = (double)(t + 10 * s) + 100 * (double)check_random_range(0, 9);
    result = -1;
    dvmh_data_enter_C(&scalar, sizeof scalar);
    dvmh_data_enter_C(&result, sizeof result);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_IN, dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE),
                                 "scalar");
    dvmh_region_register_scalar_C(region, INTENT_OUT, &result, -rt_DOUBLE, "result");
    execute(region);
    const DvmType handle = dvmh_loop_create_C(region, 0);
    declare(handle, dvmh_variable_get_header_C(&scalar), 0, INTENT_IN);
    declare(handle, dvmh_variable_get_header_C(&result), 0, INTENT_OUT);
    dvmh_loop_register_handler_C(handle, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(add_scalar), 0));
    dvmh_loop_perform_C(handle);
    dvmh_region_end_C(region);
    CHECK(result == (device_count > 0 ? -1 : scalar * 2 + 1));
    dvmh_get_actual_variable2_(&result);
    CHECK(result == scalar * 2 + 1);
    result = -5;
    dvmh_data_exit_C(&result, 1); /* what the device has is no newer */
    dvmh_data_exit_C(&scalar, 1);
    CHECK(result == -5);
}

/* An ordinary array: current at home again when its data region ends. */
static void step_variable(int t, int s) {
    const statement_t x = random_statement(true);
    grid_t old;
    (void)t;
    memcpy(old, variable, sizeof old);
    const bool is_known = check_random_once_in(2); /* else the runtime enters it for the region */
    if (is_known)
        dvmh_data_enter_C(variable, sizeof variable);
    DvmType *const header =
        dvmh_variable_gen_header_C(variable, 2, -rt_DOUBLE, (DvmType)(is_known ? 0 : ROWS), (DvmType)COLUMNS);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, header, "variable");
    dvmh_region_register_array_C(region, INTENT_IN, headers[s], "s");
    execute(region);
    loop(region, header, headers[s], whole, x);
    dvmh_region_end_C(region);
    model_loop(variable_model, model[s], whole, x);
    if (is_known) {
        const bool is_old = memcmp(variable, old, sizeof old) == 0,
                   is_new = memcmp(variable, variable_model, sizeof variable) == 0;
        CHECK(device_count > 0 ? is_old : is_new || (may_reorganise && is_old));
        dvmh_data_exit_C(variable, 1);
    }
    CHECK(memcmp(variable, variable_model, sizeof variable) == 0);
}

/* Outside regions the host runs the loop; what its arrays need comes there. */
static void step_outside(int t, int s) {
    const statement_t x = random_statement(t == s);
    loop(0, headers[t], headers[s], whole, x);
    model_loop(model[t], model[s], whole, x);
}

static void step_all(int t, int s) {
    dvmh_get_actual_all2_();
    CHECK(is_equal(headers[t], model[t]));
    CHECK(is_equal(headers[s], model[s]));
    if (check_random_once_in(2)) {
        write_on_host(t);
        dvmh_actual_all2_();
    }
    dvmh_shadow_renew_C(headers[s], 1, 0);
}

/* Without get_actual home keeps what it had, when the region ran elsewhere. */
static void step_stale(int t, int s) {
    grid_t old;
    dvmh_get_actual_array2_(headers[t]);
    memcpy(old, model[t], sizeof old);
    const statement_t x = {.keep = .5, .scale = 0, .add = 1000};
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, headers[t], "t");
    dvmh_region_register_array_C(region, INTENT_IN, headers[s], "s");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    loop(region, headers[t], headers[s], whole, x);
    dvmh_region_end_C(region);
    model_loop(model[t], model[s], whole, x);
    const bool is_old = is_equal(headers[t], old), is_new = is_equal(headers[t], model[t]);
    CHECK(device_count > 0 ? is_old : is_new || (may_reorganise && is_old));
    if (check_random_once_in(2)) {
        dvmh_get_actual_array2_(headers[t]);
        CHECK(is_equal(headers[t], model[t]));
    } else if (check_random_once_in(2)) { /* declare the stale values the newest */
        dvmh_actual_array2_(headers[t]);
        if (is_old)
            memcpy(model[t], old, sizeof old);
    }
}

static void create(DvmType header[]) {
    dvmh_array_create_C(header, 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 1L, 1L);
    dvmh_distribute_C(header, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
}

static void program(void) {
    static void (*const steps[])(int, int) = {step_in_out,  step_parts,    step_local,
                                              step_inlocal, step_host,     step_actual_inside,
                                              step_scalars, step_variable, step_outside,
                                              step_all,     step_stale,    step_two_places};
    enum { COUNT = sizeof steps / sizeof steps[0] };
    char text[16];
    alarm(100);
    snprintf(text, sizeof text, "%d", device_count);
    setenv("DVMH_FAKE_DEVICES", text, 1);
    setenv("DVMH_NUM_THREADS", "2", 1);
    child_init();
    dvmhx_report_t report = {.size = sizeof report};
    dvmhx_get_report_C(&report);
    may_reorganise = strcmp(report.planner, "off") != 0;
    for (int i = 0; i < ARRAYS; i++) {
        create(headers[i]);
        memset(dvmh_get_natural_base_C(0, headers[i]), 0, sizeof(grid_t));
        dvmh_actual_array2_(headers[i]);
    }
    create(temporary);
    for (int step = 0; step < STEPS; step++) {
        const int which = (int)check_random_range(0, COUNT - 1);
        const int failures = atomic_load(&check_failures);
        steps[which]((int)check_random_range(0, 1), (int)check_random_range(0, 1));
        if (atomic_load(&check_failures) != failures) {
            fprintf(stderr, "  step %d, of kind %d, with %d fake devices\n", step, which, device_count);
            break;
        }
    }
    dvmh_get_actual_all2_();
    for (int i = 0; i < ARRAYS; i++) {
        CHECK(is_equal(headers[i], model[i]));
        dvmh_delete_object_(headers[i]);
    }
    dvmh_delete_object_(temporary);
    child_exit();
}

int main(void) {
    check_random_start();
    for (int round = 0; round < 5; round++) {
        for (device_count = 0; device_count <= 2; device_count++)
            CHECK_EQ_INT(child_run(program, NULL, NULL, NULL), 0);
        (void)check_random_u64(); /* another program in the next round */
    }
    return check_finish();
}
