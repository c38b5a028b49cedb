/* A Jacobi iteration in the form that existing C-DVMH compilers generate: query handlers that ask for bounds, headers and
 * slots, OpenMP inside, regions, a reduction. Checked bit for bit against a plain loop, and the reduction too. */
#include <dvmhlib2.h>
#include <math.h>
#include <omp.h>

#include "tests/check.h"

enum { ROWS = 61, COLUMNS = 47, ITERATIONS = 9 };

/* By way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

static DvmType A[64], B[64];
static double reference_a[ROWS][COLUMNS], reference_b[ROWS][COLUMNS];

#define Max(a, b) ((a) > (b) ? (a) : (b))

static double start_value(DvmType i, DvmType j) {
    return (double)((i * 7 + j * 13) % 17) / 17. + (double)i * .01;
}

static void init_handler(DvmType *loop_reference, DvmType a_header[], DvmType b_header[]) {
    const DvmType loop = *loop_reference;
    const DvmType device = dvmh_loop_get_device_num_C(loop);
    double(*a)[a_header[1]] = dvmh_get_natural_base_C(device, a_header);
    double(*b)[b_header[1]] = dvmh_get_natural_base_C(device, b_header);
    DvmType low[2], high[2], step[2];
    dvmh_loop_fill_bounds_C(loop, low, high, step);
    const DvmType slots = dvmh_loop_get_slot_count_C(loop);
#pragma omp parallel num_threads((int)slots)
    {
#pragma omp for schedule(runtime) nowait
        for (DvmType i = low[0]; i <= high[0]; i += step[0])
            for (DvmType j = low[1]; j <= high[1]; j += step[1])
                a[i][j] = b[i][j] = start_value(i, j);
    }
}

static void difference_handler(DvmType *loop_reference, DvmType a_header[], DvmType b_header[],
                               double *eps_address) {
    const DvmType loop = *loop_reference;
    const DvmType device = dvmh_loop_get_device_num_C(loop);
    double(*a)[a_header[1]] = dvmh_get_natural_base_C(device, a_header);
    double(*b)[b_header[1]] = dvmh_get_natural_base_C(device, b_header);
    DvmType low[2], high[2], step[2];
    dvmh_loop_fill_bounds_C(loop, low, high, step);
    const DvmType slots = dvmh_loop_get_slot_count_C(loop);
#pragma omp parallel num_threads((int)slots)
    {
        double eps = *eps_address;
        dvmh_loop_red_init_C(loop, 1, &eps, 0);
#pragma omp for schedule(runtime) nowait
        for (DvmType i = low[0]; i <= high[0]; i += step[0])
            for (DvmType j = low[1]; j <= high[1]; j += step[1]) {
                const double change = fabs(b[i][j] - a[i][j]);
                eps = Max(change, eps);
                a[i][j] = b[i][j];
            }
        dvmh_loop_red_post_C(loop, 1, &eps, 0);
    }
}

static void stencil_handler(DvmType *loop_reference, DvmType a_header[], DvmType b_header[],
                            const double *w_address) {
    const DvmType loop = *loop_reference;
    const DvmType device = dvmh_loop_get_device_num_C(loop);
    double(*a)[a_header[1]] = dvmh_get_natural_base_C(device, a_header);
    double(*b)[b_header[1]] = dvmh_get_natural_base_C(device, b_header);
    const double w = *(const double *)dvmh_get_device_addr_C(device, w_address);
    DvmType low[2], high[2], step[2];
    dvmh_loop_fill_bounds_C(loop, low, high, step);
    const DvmType slots = dvmh_loop_get_slot_count_C(loop);
#pragma omp parallel num_threads((int)slots)
    {
#pragma omp for schedule(runtime) nowait
        for (DvmType i = low[0]; i <= high[0]; i += step[0])
            for (DvmType j = low[1]; j <= high[1]; j += step[1])
                b[i][j] = w * (a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j]);
    }
}

static DvmType open_loop(DvmType region, DvmType first, DvmType last_row, DvmType last_column) {
    const DvmType loop =
        dvmh_loop_create_C(region, 2, first, last_row, (DvmType)1, first, last_column, (DvmType)1);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    return loop;
}

static void check_against_reference(double eps, double reference_eps, int iteration) {
    CHECK(eps == reference_eps);
    dvmh_get_actual_array2_(B);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            const double *element = dvmh_get_element_addr_C(B, 2, i, j);
            if (!CHECK(element != NULL && *element == reference_b[i][j])) {
                fprintf(stderr, "iteration %d, B[%ld][%ld]\n", iteration, (long)i, (long)j);
                return;
            }
        }
}

static double reference_step(double w) {
    double eps = 0;
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++) {
            eps = Max(fabs(reference_b[i][j] - reference_a[i][j]), eps);
            reference_a[i][j] = reference_b[i][j];
        }
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            reference_b[i][j] = w * (reference_a[i - 1][j] + reference_a[i][j - 1] + reference_a[i][j + 1] +
                                     reference_a[i + 1][j]);
    return eps;
}

static void iterate(int iteration, int handler_type) {
    double eps = 0, w = .25;
    DvmType loop;
    dvmh_data_enter_C(&w, sizeof w);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    dvmh_region_register_array_C(region, INTENT_INOUT, B, "B");
    dvmh_region_register_array_C(region, INTENT_IN, dvmh_variable_gen_header_C(&w, 0, -rt_DOUBLE), "w");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    dvmh_line_C(__LINE__, __FILE__);
    loop = open_loop(region, 1, ROWS - 2, COLUMNS - 2);
    dvmh_loop_reduction_C(loop, rf_MAX, &eps, rt_DOUBLE, 1, 0, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, handler_type,
                                 dvmh_handler_func_C(HANDLER(difference_handler), 3, (void *)A, (void *)B,
                                                     (void *)&eps));
    dvmh_loop_perform_C(loop);
    loop = open_loop(region, 1, ROWS - 2, COLUMNS - 2);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, handler_type,
                                 dvmh_handler_func_C(HANDLER(stencil_handler), 3, (void *)A, (void *)B,
                                                     (void *)&w));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    dvmh_data_exit_C(&w, 1);
    check_against_reference(eps, reference_step(w), iteration);
}

static void run(int handler_type) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            reference_a[i][j] = reference_b[i][j] = start_value(i, j);
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)ROWS, (DvmType)1, (DvmType)1, (DvmType)COLUMNS, (DvmType)1,
                        (DvmType)1);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(B, 2, -rt_DOUBLE, (DvmType)ROWS, (DvmType)1, (DvmType)1, (DvmType)COLUMNS, (DvmType)1,
                        (DvmType)1);
    dvmh_align_C(B, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));

    /* Outside regions, as for the first touch of data. */
    const DvmType loop = open_loop(0, 0, ROWS - 1, COLUMNS - 1);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, HANDLER_TYPE_MASTER,
                                 dvmh_handler_func_C(HANDLER(init_handler), 2, (void *)A, (void *)B));
    dvmh_loop_perform_C(loop);
    dvmh_actual_array2_(A);
    dvmh_actual_array2_(B);

    for (int iteration = 0; iteration < ITERATIONS; iteration++)
        iterate(iteration, handler_type);
    dvmh_delete_object_(B);
    dvmh_delete_object_(A);
    CHECK_EQ_INT(A[0], 0);
}

int main(int argc, char **argv) {
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    run(HANDLER_TYPE_MASTER | HANDLER_TYPE_PARALLEL); /* the handler has its own team */
    run(0);                                           /* called once a portion, from the runtime's threads */
    dvmh_exit_C(check_finish());
}
