/* A random program of loops with record handlers in regions, on whatever layouts a random planner chooses in every process and on fake
 * devices: neighbours are read where the shadow edges were renewed or computed, as far as they are right, and no further. Every process
 * runs the same statements on whole arrays as well. */
#include <dvmhlib2.h>
#include <dvmhx.h>

#include "tests/check.h"

enum { ROWS = 21, COLUMNS = 26, STEPS = 250, ARRAYS = 2 };

/* By way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

/** Widths of edges: low and high of each axis. */
typedef struct widths {
    DvmType low[2], high[2];
} widths_t;

static const widths_t declared[ARRAYS] = {{{2, 1}, {1, 2}}, {{2, 2}, {3, 2}}};

static DvmType headers[ARRAYS][64];
static int64_t model[ARRAYS][ROWS][COLUMNS];
static widths_t right[ARRAYS]; /* edges that have the newest values */
static bool has_corners[ARRAYS];

/** target = 3 * target + 5 * source at an offset + add. */
typedef struct statement {
    DvmType offset[2];
    int64_t add;
} statement_t;

static int64_t value_of(int64_t target, int64_t source, int64_t add) {
    return (3 * target + 5 * source + add) % 1000003;
}

static int64_t *place(const dvmhx_array_t *array, DvmType i, DvmType j) {
    return (int64_t *)array->base + i * array->stride[0] + j * array->stride[1];
}

static void run_statement(const dvmhx_record_t *record, const statement_t *s) {
    const dvmhx_array_t *const target = &record->arrays[0], *const source = &record->arrays[1];
    CHECK_EQ_INT(record->way, DVMHX_WAY_PLAIN);
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++) {
            const DvmType i = record->start[0] + n, j = record->start[1] + m;
            int64_t *const x = place(target, i, j);
            *x = value_of(*x, *place(source, i + s->offset[0], j + s->offset[1]), s->add);
        }
}

static void run_model(int target, int source, DvmType edge, const statement_t *s) {
    for (DvmType i = edge; i < ROWS - edge; i++)
        for (DvmType j = edge; j < COLUMNS - edge; j++)
            model[target][i][j] =
                value_of(model[target][i][j], model[source][i + s->offset[0]][j + s->offset[1]], s->add);
}

static void tell_array(DvmType loop, int array, DvmType intent) {
    const dvmhx_array_use_t use = {.size = sizeof use, .header = headers[array], .rank = 2, .intent = intent};
    dvmhx_loop_array_C(loop, &use);
}

/* One loop in a region; with `computed` its edges are computed. */
static void run_loop(int target, int source, DvmType edge, const statement_t *s, const widths_t *computed) {
    dvmh_line_C(__LINE__, __FILE__);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, headers[target], "target");
    dvmh_region_register_array_C(region, INTENT_IN, headers[source], "source");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);
    const DvmType loop =
        dvmh_loop_create_C(region, 2, edge, ROWS - 1 - edge, 1L, edge, COLUMNS - 1 - edge, 1L);
    dvmh_loop_map_C(loop, headers[target], 2, dvmh_alignment_linear_C(1, 1, 0),
                    dvmh_alignment_linear_C(2, 1, 0));
    if (computed != NULL) {
        dvmh_loop_shadow_compute_C(loop, headers[target], 2, computed->low[0], computed->high[0],
                                   computed->low[1], computed->high[1]);
        dvmh_loop_shadow_compute_array_C(loop, headers[target]);
    }
    tell_array(loop, target, INTENT_INOUT);
    tell_array(loop, source, INTENT_IN);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(run_statement), 1, (void *)(uintptr_t)s));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    run_model(target, source, edge, s);
}

/* ---- steps ---- */

static void step_renew(int array) {
    const bool corners = check_random_once_in(2);
    widths_t widths = declared[array];
    if (check_random_once_in(2)) {
        dvmh_shadow_renew_C(headers[array], corners, 0);
    } else {
        for (int axis = 0; axis < 2; axis++) {
            widths.low[axis] = check_random_range(0, declared[array].low[axis]);
            widths.high[axis] = check_random_range(0, declared[array].high[axis]);
        }
        dvmh_shadow_renew_C(headers[array], corners, 2, widths.low[0], widths.high[0], widths.low[1],
                            widths.high[1]);
    }
    right[array] = widths; /* wider ones that were right before are forgotten */
    has_corners[array] = corners;
}

static void step_loop(int target) {
    const int source = 1 - target;
    statement_t s = {.add = check_random_range(0, 1000)};
    for (int axis = 0; axis < 2; axis++)
        s.offset[axis] = check_random_range(-right[source].low[axis], right[source].high[axis]);
    if (!has_corners[source] && s.offset[0] != 0)
        s.offset[1] = 0;
    run_loop(target, source, 3, &s, NULL);
    right[target] = (widths_t){{0, 0}, {0, 0}};
}

/* Edges of the target as wide as both arrays have them, from edges of the source as wide as that. */
static void step_compute(int target) {
    const int source = 1 - target;
    const widths_t both = {{2, 1}, {1, 2}};
    const statement_t s = {.offset = {0, 0}, .add = check_random_range(0, 1000)};
    for (int i = 0; i < ARRAYS; i++)
        dvmh_shadow_renew_C(headers[i], 1, 0);
    run_loop(target, source, 0, &s, &both);
    right[source] = declared[source];
    right[target] = both;
    has_corners[source] = has_corners[target] = true;
}

/* What is owned, and of an array whose edges have just been renewed, all that is held. */
static void check_array(int array, bool with_edges) {
    dvmh_get_actual_array2_(headers[array]);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            const int64_t *element = with_edges ? dvmh_get_element_addr_C(headers[array], 2, i, j)
                                                : dvmh_get_own_element_addr_C(headers[array], 2, i, j);
            if (element != NULL)
                CHECK_EQ_INT(*element, model[array][i][j]);
        }
}

static void create_arrays(void) {
    for (int array = 0; array < ARRAYS; array++) {
        const widths_t *w = &declared[array];
        dvmh_line_C(__LINE__, __FILE__);
        dvmh_array_create_C(headers[array], 2, -rt_LLONG, (DvmType)ROWS, w->low[0], w->high[0],
                            (DvmType)COLUMNS, w->low[1], w->high[1]);
        if (array == 0)
            dvmh_distribute_C(headers[array], 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
        else
            dvmh_align_C(headers[array], headers[0], 2, dvmh_alignment_linear_C(1, 1, 0),
                         dvmh_alignment_linear_C(2, 1, 0));
        for (DvmType i = 0; i < ROWS; i++)
            for (DvmType j = 0; j < COLUMNS; j++) {
                model[array][i][j] = (array + 1) * (100 * i + j);
                int64_t *element = dvmh_get_own_element_addr_C(headers[array], 2, i, j);
                if (element != NULL)
                    *element = model[array][i][j];
            }
        dvmh_actual_array2_(headers[array]);
    }
}

int main(int argc, char **argv) {
    setenv("DVMH_PLANNER", "random:11", 0);
    check_random_start();
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    create_arrays();
    for (int step = 0; step < STEPS; step++) {
        const int array = (int)check_random_range(0, ARRAYS - 1);
        const int64_t kind = check_random_range(0, 9);
        if (kind < 4)
            step_renew(array);
        else if (kind < 8)
            step_loop(array);
        else if (kind < 9)
            step_compute(array);
        else
            check_array(array, false);
    }
    for (int array = 0; array < ARRAYS; array++) {
        dvmh_shadow_renew_C(headers[array], 1, 0);
        check_array(array, true);
    }
    dvmh_exit_C(check_finish());
}
