/* Successive over-relaxation with query handlers as existing compilers generate them: a cube of floats swept along its axes and against
 * them, a plane with corners, against the sequential loops, bit by bit; with the largest change as a reduction. The handlers of sor-bench
 * do the same through records. */
#include <dvmhlib2.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "tests/check.h"

enum { N1 = 21, N2 = 34, N3 = 27 };
enum { PLANE1 = 61, PLANE2 = 45 };

/* By way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

static DvmType A[64], B[64];
static float cube[N1][N2][N3];
static double plane[PLANE1][PLANE2];

/* A new value from strides, so that one text serves all orders of loops. The reference has its own. */
static inline float relax(float *x, DvmType s1, DvmType s2, DvmType s3, float w) {
    return w / 6 * (x[-s1] + x[s1] + x[-s2] + x[s2] + x[-s3] + x[s3]) + (1 - w) * x[0];
}

static inline double max_of(double a, double b) {
    return a > b ? a : b;
}

/* The cube: loops [i][j][k], or [k][j][i] with `reversed`. All dims are dependent, so threads follow each other along the second one:
 * thread t may do its part of an outer iteration when thread t - 1 has done its own. */
static void sweep_cube(DvmType loop, DvmType header[], float w, bool reversed) {
    float *const base = dvmh_get_natural_base_C(dvmh_loop_get_device_num_C(loop), header);
    const DvmType s1 = header[reversed ? 3 : 1], s2 = header[2], s3 = header[reversed ? 1 : 3];
    DvmType low[3], high[3], step[3];
    atomic_long done[64];

    dvmh_loop_fill_bounds_C(loop, low, high, step);
    CHECK_EQ_INT(dvmh_loop_get_dependency_mask_C(loop), 7);
    const DvmType slots = dvmh_loop_get_slot_count_C(loop), columns = (high[1] - low[1]) / step[1] + 1;
    CHECK(slots >= 1 && slots < 64);
    for (int i = 0; i < 64; i++)
        atomic_init(&done[i], 0);
#pragma omp parallel num_threads((int)(slots < columns ? slots : columns))
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const DvmType first = columns * thread / threads, end = columns * (thread + 1) / threads;
        double change;
        long row = 0;

        dvmh_loop_red_init_C(loop, 1, &change, NULL);
#pragma omp barrier
        for (DvmType i = low[0]; step[0] > 0 ? i <= high[0] : i >= high[0]; i += step[0], row++) {
            while (thread > 0 && atomic_load(&done[thread - 1]) <= row)
                sched_yield();
            for (DvmType n = first; n < end; n++)
                for (DvmType k = low[2]; step[2] > 0 ? k <= high[2] : k >= high[2]; k += step[2]) {
                    float *const x = base + i * s1 + (low[1] + n * step[1]) * s2 + k * s3, old = *x;

                    *x = reversed ? relax(x, s3, s2, s1, w) : relax(x, s1, s2, s3, w);
                    change = max_of(change, *x > old ? *x - old : old - *x);
                }
            atomic_store(&done[thread], row + 1);
        }
        dvmh_loop_red_post_C(loop, 1, &change, NULL);
    }
}

static void cube_handler(DvmType *loop_reference, DvmType header[], float *w) {
    sweep_cube(*loop_reference, header, *w, false);
}

static void cube_reversed_handler(DvmType *loop_reference, DvmType header[], float *w) {
    sweep_cube(*loop_reference, header, *w, true);
}

/* The plane, in portions that the runtime orders: one thread each. */
static void plane_handler(DvmType *loop_reference, DvmType header[], double *w_reference) {
    const DvmType loop = *loop_reference;
    double *const base = dvmh_get_natural_base_C(dvmh_loop_get_device_num_C(loop), header);
    const DvmType s = header[1];
    const double w = *w_reference;
    DvmType low[2], high[2], step[2];
    double change;

    dvmh_loop_fill_bounds_C(loop, low, high, step);
    CHECK_EQ_INT(header[2], 1);
    dvmh_loop_red_init_C(loop, 1, &change, NULL);
    for (DvmType i = low[0]; step[0] > 0 ? i <= high[0] : i >= high[0]; i += step[0])
        for (DvmType j = low[1]; step[1] > 0 ? j <= high[1] : j >= high[1]; j += step[1]) {
            double *const x = base + i * s + j, old = *x;

            *x = w / 8 * (x[-s - 1] + x[-s] + x[-s + 1] + x[-1] + x[1] + x[s - 1] + x[s] + x[s + 1]) +
                 (1 - w) * old;
            change = max_of(change, *x > old ? *x - old : old - *x);
        }
    dvmh_loop_red_post_C(loop, 1, &change, NULL);
}

/* One sweep. `dims` are the loop's, by axis of the array, which are `rank`; `steps` their directions. @return the largest change */
static double sweep(DvmType header[], int rank, const DvmType extents[], bool reversed, int step,
                    int handler_type, DvmHandlerFunc handler, void *w) {
    DvmType first[3] = {0}, last[3] = {0};
    double change = 0;

    for (int dim = 0; dim < rank; dim++) {
        const DvmType extent = extents[reversed ? rank - 1 - dim : dim];

        first[dim] = step > 0 ? 1 : extent - 2;
        last[dim] = step > 0 ? extent - 2 : 1;
    }
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, header, "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    const DvmType loop = dvmh_loop_create_C(region, rank, first[0], last[0], (DvmType)step, first[1], last[1],
                                            (DvmType)step, first[2], last[2], (DvmType)step);
    dvmh_loop_map_C(loop, header, rank, dvmh_alignment_linear_C(reversed ? rank : 1, 1, 0),
                    dvmh_alignment_linear_C(reversed ? rank - 1 : 2, 1, 0),
                    dvmh_alignment_linear_C(reversed ? 1 : 3, 1, 0));
    dvmh_loop_across_C(loop, 0, header, rank, (DvmType)1, (DvmType)1, (DvmType)1, (DvmType)1, (DvmType)1,
                       (DvmType)1);
    dvmh_loop_reduction_C(loop, rf_MAX, &change, rt_DOUBLE, 1, NULL, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, handler_type,
                                 dvmh_handler_func_C(handler, 2, (void *)header, w));
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    dvmh_get_actual_array2_(header);
    return change;
}

/* ---- the same in sequence */

static double relax_cube(int i, int j, int k, float w) {
    const float old = cube[i][j][k];

    cube[i][j][k] = w / 6 *
                        (cube[i - 1][j][k] + cube[i + 1][j][k] + cube[i][j - 1][k] + cube[i][j + 1][k] +
                         cube[i][j][k - 1] + cube[i][j][k + 1]) +
                    (1 - w) * old;
    return cube[i][j][k] > old ? cube[i][j][k] - old : old - cube[i][j][k];
}

static double reference_cube(bool reversed, int step, float w) {
    double change = 0;

    for (int a = 1; a < (reversed ? N3 : N1) - 1; a++)
        for (int b = 1; b < N2 - 1; b++)
            for (int c = 1; c < (reversed ? N1 : N3) - 1; c++) {
                const int i = reversed ? c : a, k = reversed ? a : c;

                change = max_of(change, step > 0 ? relax_cube(i, b, k, w)
                                                 : relax_cube(N1 - 1 - i, N2 - 1 - b, N3 - 1 - k, w));
            }
    return change;
}

static double reference_plane(int step, double w) {
    double change = 0;

    for (int a = 1; a < PLANE1 - 1; a++)
        for (int b = 1; b < PLANE2 - 1; b++) {
            const int i = step > 0 ? a : PLANE1 - 1 - a, j = step > 0 ? b : PLANE2 - 1 - b;
            const double old = plane[i][j];

            plane[i][j] =
                w / 8 *
                    (plane[i - 1][j - 1] + plane[i - 1][j] + plane[i - 1][j + 1] + plane[i][j - 1] +
                     plane[i][j + 1] + plane[i + 1][j - 1] + plane[i + 1][j] + plane[i + 1][j + 1]) +
                (1 - w) * old;
            change = max_of(change, plane[i][j] > old ? plane[i][j] - old : old - plane[i][j]);
        }
    return change;
}

static void test_cube(void) {
    const DvmType extents[] = {N1, N2, N3};
    float w = 1.25f;

    dvmh_array_create_C(A, 3, -rt_FLOAT, (DvmType)N1, (DvmType)1, (DvmType)1, (DvmType)N2, (DvmType)1,
                        (DvmType)1, (DvmType)N3, (DvmType)1, (DvmType)1);
    dvmh_distribute_C(A, 3, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                      dvmh_distribution_block_C(3));
    for (DvmType i = 0; i < N1; i++)
        for (DvmType j = 0; j < N2; j++)
            for (DvmType k = 0; k < N3; k++)
                *(float *)dvmh_get_own_element_addr_C(A, 3, i, j, k) = cube[i][j][k] =
                    (float)((i * 131 + j * 37 + k * 17) % 101) / 101;
    for (int turn = 0; turn < 12; turn++) {
        const bool reversed = turn & 1;
        const int step = turn & 2 ? -1 : 1;
        const DvmHandlerFunc handler = reversed ? HANDLER(cube_reversed_handler) : HANDLER(cube_handler);
        const double change =
            sweep(A, 3, extents, reversed, step,
                  turn % 3 == 2 ? 0 : HANDLER_TYPE_MASTER | HANDLER_TYPE_PARALLEL, handler, &w);

        CHECK(change == reference_cube(reversed, step, w));
        CHECK(change > 0);
        CHECK(memcmp(dvmh_get_natural_base_C(0, A), cube, sizeof cube) == 0);
    }
    dvmh_delete_object_(A);
}

static void test_plane(void) {
    const DvmType extents[] = {PLANE1, PLANE2, 0};
    double w = 1.25;

    dvmh_array_create_C(B, 2, -rt_DOUBLE, (DvmType)PLANE1, (DvmType)1, (DvmType)1, (DvmType)PLANE2,
                        (DvmType)1, (DvmType)1);
    dvmh_distribute_C(B, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    for (DvmType i = 0; i < PLANE1; i++)
        for (DvmType j = 0; j < PLANE2; j++)
            *(double *)dvmh_get_own_element_addr_C(B, 2, i, j) = plane[i][j] =
                (double)((i * 131 + j * 37) % 101) / 101;
    for (int turn = 0; turn < 6; turn++) {
        const int step = turn & 1 ? -1 : 1;
        const double change = sweep(B, 2, extents, false, step, 0, HANDLER(plane_handler), &w);

        CHECK(change == reference_plane(step, w));
        CHECK(memcmp(dvmh_get_natural_base_C(0, B), plane, sizeof plane) == 0);
    }
    dvmh_delete_object_(B);
}

int main(int argc, char **argv) {
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    test_cube();
    test_plane();
    dvmh_exit_C(check_finish());
}
