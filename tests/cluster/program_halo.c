/* A program with shadow edges as compilers write it: loops with query handlers, in regions and outside, that read neighbours after
 * dvmh_shadow_renew_C, with corners and without, of several arrays at once and of single elements in serial code. Every process
 * computes everything by plain loops as well. */
#include <dvmhlib2.h>

#include "tests/check.h"

enum { ROWS = 23, COLUMNS = 19, STEPS = 6, WIDE = 2 };

/* By way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

static DvmType A[64], B[64], C[64];
static int64_t model_a[ROWS][COLUMNS], model_b[ROWS][COLUMNS], model_c[COLUMNS][ROWS];

static int64_t start_value(DvmType i, DvmType j) {
    return (i * 31 + j * 17) % 101;
}

static int64_t mix(int64_t value) {
    return value % 1000003;
}

typedef struct bounds {
    DvmType low[2], high[2], step[2];
} bounds_t;

static bounds_t bounds_of(DvmType loop) {
    bounds_t bounds;
    dvmh_loop_fill_bounds_C(loop, bounds.low, bounds.high, bounds.step);
    return bounds;
}

/* Not as an array of rows of constant length, as compilers write it: user indices go beyond that, and sanitizers say so. */
typedef struct view {
    int64_t *base;
    DvmType stride;
} view_t;

static view_t view_of(DvmType header[]) {
    return (view_t){dvmh_get_natural_base_C(0, header), header[1]};
}

static int64_t *at(const view_t *view, DvmType i, DvmType j) {
    return view->base + i * view->stride + j;
}

static void start_handler(DvmType *loop, DvmType a_header[], DvmType b_header[], DvmType c_header[]) {
    const view_t a = view_of(a_header);
    const view_t b = view_of(b_header);
    const view_t c = view_of(c_header);
    const bounds_t bounds = bounds_of(*loop);
    for (DvmType i = bounds.low[0]; i <= bounds.high[0]; i++)
        for (DvmType j = bounds.low[1]; j <= bounds.high[1]; j++) {
            *at(&a, i, j) = *at(&b, i, j) = start_value(i, j);
            *at(&c, COLUMNS - 1 - j, i) = 3 * start_value(i, j) + 1;
        }
}

static void first_handler(DvmType *loop, DvmType a_header[], DvmType b_header[], DvmType c_header[]) {
    const view_t a = view_of(a_header);
    const view_t b = view_of(b_header);
    const view_t c = view_of(c_header);
    const bounds_t bounds = bounds_of(*loop);
    for (DvmType i = bounds.low[0]; i <= bounds.high[0]; i++)
        for (DvmType j = bounds.low[1]; j <= bounds.high[1]; j++)
            *at(&c, COLUMNS - 1 - j, i) =
                mix(*at(&c, COLUMNS - 1 - j, i) + 5 * *at(&a, i, j - 1) + *at(&b, i + 2, j));
}

static void second_handler(DvmType *loop, DvmType a_header[], DvmType b_header[], DvmType c_header[]) {
    const view_t a = view_of(a_header);
    const view_t b = view_of(b_header);
    const view_t c = view_of(c_header);
    const bounds_t bounds = bounds_of(*loop);
    for (DvmType i = bounds.low[0]; i <= bounds.high[0]; i++)
        for (DvmType j = bounds.low[1]; j <= bounds.high[1]; j++)
            *at(&b, i, j) = mix(*at(&b, i, j) + *at(&c, COLUMNS - 1 - j, i - 1) + 2 * *at(&a, i - 1, j - 1) +
                                3 * *at(&a, i + 1, j + 1) + 5 * *at(&a, i - 1, j + 1));
}

static void third_handler(DvmType *loop, DvmType a_header[], DvmType b_header[]) {
    const view_t a = view_of(a_header);
    const view_t b = view_of(b_header);
    const bounds_t bounds = bounds_of(*loop);
    for (DvmType i = bounds.low[0]; i <= bounds.high[0]; i++)
        for (DvmType j = bounds.low[1]; j <= bounds.high[1]; j++)
            *at(&a, i, j) = mix(*at(&a, i, j) + 7 * *at(&b, i - 2, j) + 11 * *at(&b, i, j + 2));
}

static void recompute_handler(DvmType *loop, DvmType a_header[], DvmType b_header[]) {
    const view_t a = view_of(a_header);
    const view_t b = view_of(b_header);
    const bounds_t bounds = bounds_of(*loop);
    for (DvmType i = bounds.low[0]; i <= bounds.high[0]; i++)
        for (DvmType j = bounds.low[1]; j <= bounds.high[1]; j++) {
            *at(&a, i, j) = start_value(j, i);
            *at(&b, i, j) = start_value(i + 1, j);
        }
}

static void model_third(void) {
    for (int i = WIDE; i < ROWS - WIDE; i++)
        for (int j = WIDE; j < COLUMNS - WIDE; j++)
            model_a[i][j] = mix(model_a[i][j] + 7 * model_b[i - 2][j] + 11 * model_b[i][j + 2]);
}

static void model_step(void) {
    for (int i = WIDE; i < ROWS - WIDE; i++)
        for (int j = WIDE; j < COLUMNS - WIDE; j++)
            model_c[COLUMNS - 1 - j][i] =
                mix(model_c[COLUMNS - 1 - j][i] + 5 * model_a[i][j - 1] + model_b[i + 2][j]);
    for (int i = WIDE; i < ROWS - WIDE; i++)
        for (int j = WIDE; j < COLUMNS - WIDE; j++)
            model_b[i][j] = mix(model_b[i][j] + model_c[COLUMNS - 1 - j][i - 1] + 2 * model_a[i - 1][j - 1] +
                                3 * model_a[i + 1][j + 1] + 5 * model_a[i - 1][j + 1]);
    model_third();
}

static DvmType open_loop(DvmType region, DvmType edge) {
    dvmh_line_C(__LINE__, __FILE__);
    const DvmType loop = dvmh_loop_create_C(region, 2, edge, ROWS - 1 - edge, (DvmType)1, edge,
                                            COLUMNS - 1 - edge, (DvmType)1);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    return loop;
}

static void run(DvmType loop, DvmHandlerFunc handler, int arrays) {
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 arrays == 3
                                     ? dvmh_handler_func_C(handler, 3, (void *)A, (void *)B, (void *)C)
                                     : dvmh_handler_func_C(handler, 2, (void *)A, (void *)B));
    dvmh_loop_perform_C(loop);
}

/* With edges of whatever this process holds, by single elements in serial code. */
static void check_elements(const DvmType header[], DvmType rows, DvmType columns, const int64_t *model,
                           bool with_edges) {
    for (DvmType i = 0; i < rows; i++)
        for (DvmType j = 0; j < columns; j++) {
            const int64_t *element = with_edges ? dvmh_get_element_addr_C(header, 2, i, j)
                                                : dvmh_get_own_element_addr_C(header, 2, i, j);
            if (element != NULL)
                CHECK_EQ_INT(*element, model[i * columns + j]);
        }
}

static void check_all(bool with_edges) {
    check_elements(A, ROWS, COLUMNS, &model_a[0][0], with_edges);
    check_elements(B, ROWS, COLUMNS, &model_b[0][0], with_edges);
    check_elements(C, COLUMNS, ROWS, &model_c[0][0], with_edges);
}

static void step(bool in_region) {
    DvmType region = 0;
    if (in_region) {
        region = dvmh_region_create_C(0);
        dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
        dvmh_region_register_array_C(region, INTENT_INOUT, B, "B");
        dvmh_region_register_array_C(region, INTENT_INOUT, C, "C");
        dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    }
    dvmh_shadow_renew_C(A, 0, 2, (DvmType)0, (DvmType)0, (DvmType)1, (DvmType)0);
    dvmh_shadow_renew_C(B, 0, 2, (DvmType)0, (DvmType)2, (DvmType)0, (DvmType)0);
    run(open_loop(region, WIDE), HANDLER(first_handler), 3);
    dvmh_shadow_renew_C(A, 1, 0);
    dvmh_shadow_renew_C(C, 0, 0);
    run(open_loop(region, WIDE), HANDLER(second_handler), 3);
    dvmh_shadow_renew_C(B, 0, 0);
    run(open_loop(region, WIDE), HANDLER(third_handler), 2);
    if (in_region) {
        dvmh_region_end_C(region);
        dvmh_get_actual_array2_(A);
        dvmh_get_actual_array2_(B);
        dvmh_get_actual_array2_(C);
    }
    model_step();
    check_all(false);
}

/* Edges that every process computes by itself: narrower ones of B, so that those of both arrays fit. */
static void compute_edges(bool with_widths) {
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_OUT, A, "A");
    dvmh_region_register_array_C(region, INTENT_OUT, B, "B");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    const DvmType loop = open_loop(region, 0);
    if (with_widths)
        dvmh_loop_shadow_compute_C(loop, B, 2, (DvmType)2, (DvmType)1, (DvmType)1, (DvmType)2);
    else
        dvmh_loop_shadow_compute_C(loop, A, 0);
    dvmh_loop_shadow_compute_array_C(loop, A);
    dvmh_loop_shadow_compute_array_C(loop, B);
    run(loop, HANDLER(recompute_handler), 2);
    run(open_loop(region, WIDE), HANDLER(third_handler), 2);
    dvmh_region_end_C(region);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            model_a[i][j] = start_value(j, i);
            model_b[i][j] = start_value(i + 1, j);
        }
    model_third();
    dvmh_get_actual_array2_(A);
    dvmh_get_actual_array2_(B);
    check_all(false);
}

static void create_arrays(void) {
    const DvmType wide = WIDE, one = 1;
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_array_create_C(A, 2, -rt_LLONG, (DvmType)ROWS, wide, one, (DvmType)COLUMNS, one, wide);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(B, 2, -rt_LLONG, (DvmType)ROWS, wide, wide, (DvmType)COLUMNS, wide, wide);
    dvmh_align_C(B, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_array_create_C(C, 2, -rt_LLONG, (DvmType)COLUMNS, one, one, (DvmType)ROWS, one, one);
    dvmh_align_C(C, A, 2, dvmh_alignment_linear_C(2, 1, 0), dvmh_alignment_linear_C(1, -1, COLUMNS - 1));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            model_a[i][j] = model_b[i][j] = start_value(i, j);
            model_c[COLUMNS - 1 - j][i] = 3 * start_value(i, j) + 1;
        }
}

int main(int argc, char **argv) {
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    create_arrays();
    run(open_loop(0, 0), HANDLER(start_handler), 3);
    for (int i = 0; i < STEPS; i++)
        step(i % 2 == 1);
    compute_edges(true);
    step(true);
    compute_edges(false);
    dvmh_shadow_renew_C(A, 1, 0);
    dvmh_shadow_renew_C(B, 1, 0);
    dvmh_shadow_renew_C(C, 1, 0);
    check_all(true);
    dvmh_shadow_renew_C(B, 1, 0); /* what nobody looks at any more */
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_delete_object_(C);
    dvmh_delete_object_(B);
    dvmh_shadow_renew_C(A, 1, 0);
    dvmh_exit_C(check_finish());
}
