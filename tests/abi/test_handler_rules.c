/* Rules that query handlers rely on beyond single calls: the order of execution that corner references need, memory and exit inside
 * handlers, reductions whose newest values are elsewhere, and what generated finishers do. Each case is a process. */

#include <dvmhx.h>

#include "tests/abi/child.h"

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { N = 160, M = 1300 }; /* so many columns that tiles cut them */

static DvmType A[64], D[64];
static double reference[N][M];

/* ---- 9-point Gauss-Seidel: across widths say nothing of the corners that the body reads ---- */

static double relax(double *a, DvmType pitch) {
    return .1 * (a[-pitch - 1] + a[-pitch] + a[-pitch + 1] + a[-1] + a[1] + a[pitch - 1] + a[pitch] +
                 a[pitch + 1]) +
           .2 * a[0];
}

static void corner_handler(const DvmType *loop, DvmType header[]) {
    double(*a)[header[1]] = dvmh_get_natural_base_C(0, header);
    DvmType low[2], high[2], step[2];
    dvmh_loop_fill_bounds_C(*loop, low, high, step);
    for (DvmType i = low[0]; step[0] > 0 ? i <= high[0] : i >= high[0]; i += step[0])
        for (DvmType j = low[1]; step[1] > 0 ? j <= high[1] : j >= high[1]; j += step[1])
            a[i][j] = relax(&a[i][j], header[1]);
}

static void corner_record_handler(const dvmhx_record_t *record);
static void tell_references(DvmType loop);

static void corner_sweep(int down, int right, bool is_record) {
    const DvmType loop = dvmh_loop_create_C(0, 2, down ? 1L : N - 2L, down ? N - 2L : 1L, down ? 1L : -1L,
                                            right ? 1L : M - 2L, right ? M - 2L : 1L, right ? 1L : -1L);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_loop_across_C(loop, 0, A, 2, 1L, 1L, 1L, 1L);
    if (is_record) {
        tell_references(loop);
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                     dvmh_handler_func_C(HANDLER(corner_record_handler), 0));
    } else {
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                     dvmh_handler_func_C(HANDLER(corner_handler), 1, (void *)A));
    }
    dvmh_loop_perform_C(loop);
    for (int n = 0; n < N - 2; n++)
        for (int m = 0; m < M - 2; m++) {
            double *x = &reference[down ? 1 + n : N - 2 - n][right ? 1 + m : M - 2 - m];
            *x = relax(x, M);
        }
}

static void corners(void) {
    setenv("DVMH_NUM_THREADS", "4", 1);
    child_init();
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)N, 1L, 1L, (DvmType)M, 1L, 1L);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    double(*a)[M] = dvmh_get_natural_base_C(0, A);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            a[i][j] = reference[i][j] = (i * 7 + j * 13) % 29 / 29.;
    for (int round = 0; round < 24; round++)
        corner_sweep(round & 1, round & 2, round >= 12);
    CHECK(memcmp(a, reference, sizeof reference) == 0);
    child_exit();
}

/* The same for a record handler that gives its references, and no vectors. */
struct corner {
    double *a;
    DvmType pitch;
};

static inline void corner_body(struct corner *c, DvmType i, DvmType j) {
    double *x = c->a + i * c->pitch + j;
    *x = relax(x, c->pitch);
}
#define DVMHX_NAME    corner
#define DVMHX_RANK    2
#define DVMHX_CONTEXT struct corner
#define DVMHX_BODY    corner_body
#include <dvmhx_run.h>

static void corner_record_handler(const dvmhx_record_t *record) {
    struct corner c = {record->arrays[0].base, record->arrays[0].stride[0]};
    /* A smaller slope would often give the right result by luck. */
    CHECK(record->way != DVMHX_WAY_JAM || record->lag == 2);
    CHECK(record->way != DVMHX_WAY_FRONT || (record->time[0] == 2 && record->time[1] == 1));
    corner_run(record, &c);
}

static void tell_references(DvmType loop) {
    static const DvmType dim[2] = {1, 2}, mult[2] = {1, 1};
    DvmType add[9][2];
    dvmhx_reference_t references[10];
    for (int r = 0; r < 9; r++) {
        add[r][0] = r / 3 - 1;
        add[r][1] = r % 3 - 1;
        references[r] = (dvmhx_reference_t){0, dim, mult, add[r]};
    }
    references[9] = (dvmhx_reference_t){1, dim, mult, add[4]};
    const dvmhx_array_use_t use = {sizeof use, A, 2, INTENT_INOUT, 10, references, 0};
    dvmhx_loop_array_C(loop, &use);
}

/* ---- exit(7) in the middle of a loop ---- */

static void leaving_handler(const DvmType *loop) {
    (void)loop;
    dvmh_exit_C(7);
}

static void exit_in_handler(void) {
    child_init();
    dvmh_printf("before\n");
    const DvmType loop = dvmh_loop_create_C(0, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(leaving_handler), 0));
    dvmh_loop_perform_C(loop);
}

/* ---- threads of handlers allocate and free while others look addresses up ---- */

static void *addresses[64];
static double shared_value;

static void busy_handler(const DvmType *loop, const double *value) {
    DvmType low[1], high[1];
    dvmh_loop_fill_bounds_C(*loop, low, high, NULL);
    for (DvmType i = low[0]; i <= high[0]; i++)
        for (int round = 0; round < 300; round++) {
            void *block = dvmh_malloc_C((size_t)(8 + round));
            CHECK(dvmh_get_device_addr_C(0, value) == (const void *)value);
            CHECK_EQ_INT(dvmh_loop_guess_index_type_C(*loop), rt_INT);
            if (round % 50 == 0) {
                dvmh_free_C(addresses[i]);
                addresses[i] = dvmh_malloc_C(64);
            }
            dvmh_free_C(block);
        }
}

static void memory_in_handlers(void) {
    setenv("DVMH_NUM_THREADS", "4", 1);
    child_init();
    dvmh_data_enter_C(&shared_value, sizeof shared_value);
    CHECK(dvmh_get_device_addr_C(0, &shared_value) == &shared_value); /* known, no header yet */
    for (int i = 0; i < 64; i++) {
        addresses[i] = dvmh_malloc_C(64);
        dvmh_variable_gen_header_C(addresses[i], 1, -rt_DOUBLE, 8L);
    }
    for (int round = 0; round < 3; round++) {
        const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 63L, 1L);
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                     dvmh_handler_func_C(HANDLER(busy_handler), 1, (void *)&shared_value));
        dvmh_loop_perform_C(loop);
    }
    for (int i = 0; i < 64; i++)
        dvmh_free_C(addresses[i]);
    dvmh_data_exit_C(&shared_value, 1);
    child_exit();
}

/* ---- reductions whose newest value or location is on a device ---- */

static void set_handler(const dvmhx_record_t *record, const double *unused) {
    (void)unused;
    *(double *)record->arrays[0].base = 42;
    *(long *)record->arrays[1].base = 7;
}

static void use_in_region(double *value, long *place, DvmHandlerFunc function, bool writes) {
    const DvmType region = dvmh_region_create_C(0), intent = writes ? INTENT_OUT : INTENT_IN;
    DvmType *value_header = dvmh_variable_gen_header_C(value, 0, -rt_DOUBLE);
    DvmType *place_header = dvmh_variable_gen_header_C(place, 0, -rt_LONG);
    dvmhx_array_use_t uses[2] = {{sizeof uses[0], value_header, 0, intent, 0, NULL, 0},
                                 {sizeof uses[0], place_header, 0, intent, 0, NULL, 0}};
    dvmh_region_register_array_C(region, intent, value_header, "value");
    dvmh_region_register_array_C(region, intent, place_header, "place");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    const DvmType loop = dvmh_loop_create_C(region, 0);
    dvmhx_loop_array_C(loop, &uses[0]);
    dvmhx_loop_array_C(loop, &uses[1]);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(function, 1, (void *)value));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
}

static double seen_value;
static long seen_place;

static void look_handler(const dvmhx_record_t *record, const double *unused) {
    (void)unused;
    seen_value = *(double *)record->arrays[0].base;
    seen_place = *(long *)record->arrays[1].base;
}

static void larger_handler(const DvmType *loop) {
    double value;
    long place;
    dvmh_loop_red_init_C(*loop, 1, &value, &place);
    CHECK(value == 42 && place == 7);
    value = 50;
    place = 9;
    dvmh_loop_red_post_C(*loop, 1, &value, &place);
}

static void reductions_from_devices(void) {
    double value = 1;
    long place = 2;
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    child_init();
    dvmh_data_enter_C(&value, sizeof value);
    dvmh_data_enter_C(&place, sizeof place);
    use_in_region(&value, &place, HANDLER(set_handler), true);
    for (int empty = 1; empty >= 0; empty--) {
        const DvmType loop = dvmh_loop_create_C(0, 1, 0L, empty ? -1L : 0L, 1L);
        dvmh_loop_reduction_C(loop, rf_MAXLOC, &value, rt_DOUBLE, 1, &place, sizeof place);
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                     dvmh_handler_func_C(HANDLER(larger_handler), 0));
        dvmh_loop_perform_C(loop);
        CHECK(value == (empty ? 42 : 50));
        CHECK_EQ_INT(place, empty ? 7 : 9);
    }
    use_in_region(&value, &place, HANDLER(look_handler), false);
    CHECK(seen_value == 50);
    CHECK_EQ_INT(seen_place, 9);
    dvmh_data_exit_C(&value, 1);
    dvmh_data_exit_C(&place, 1);
    child_exit();
}

/* ---- the finisher of a malloc-ed array that the program never frees; no target left for a region ---- */

static void declared_and_forgotten(void) {
    child_init();
    dvmh_array_declare_C(D, 1, -rt_DOUBLE, 0L, 0L, 0L);
    dvmh_array_alloc_C(D, 80);
    dvmh_distribute_C(D, 1, dvmh_distribution_block_C(1));
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, D, "D");
    dvmh_region_execute_on_targets_C(region, 0);
    dvmh_region_end_C(region);
    dvmh_forget_header_(D);
    CHECK_EQ_INT(D[0], 0);
    child_exit();
}

int main(void) {
    child_folder(true);
    static const char *const strategies[] = {"auto", "lexicographic", "jam", "front", "tile"};
    for (int i = 0; i < 5; i++) {
        setenv("DVMH_STRATEGY", strategies[i], 1);
        CHECK_EQ_INT(child_run(corners, NULL, NULL, NULL), 0);
    }
    unsetenv("DVMH_STRATEGY");
    CHECK_EQ_INT(child_run(exit_in_handler, NULL, "output", NULL), 7);
    CHECK_EQ_STR(child_text("output"), "before\n");
    CHECK_EQ_INT(child_run(memory_in_handlers, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(reductions_from_devices, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(declared_and_forgotten, NULL, NULL, NULL), 0);
    child_folder(false);
    return check_finish();
}
