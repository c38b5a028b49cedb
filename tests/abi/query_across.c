/* Across loops in the form that existing C-DVMH compilers generate: the handler tests the dependency mask, takes the first
 * independent axis for its `omp for`, and pipelines threads along the second axis when there is none. */
#include <dvmhlib2.h>
#include <omp.h>
#include <stdatomic.h>
#include <sched.h>

#include "tests/check.h"

enum { N = 53, M = 38 };

/* By way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

static DvmType A[64];
static double reference[N][M];

static double start_value(DvmType i, DvmType j) {
    return (double)((i * 31 + j * 17) % 23) / 23.;
}

#define RELAX(a, i, j, di, dj)                                                                               \
    (.2 * (a[(i) - (di)][j] + a[(i) + (di)][j] + a[i][(j) - (dj)] + a[i][(j) + (dj)]) + .21 * a[i][j])

/* All axes dependent: thread t may do its part of row i when thread t - 1 has done its own; the first axis is run by all. */
static void pipeline(double *base, DvmType pitch, const DvmType low[], const DvmType high[],
                     const DvmType step[], DvmType slots) {
    double(*a)[pitch] = (void *)base;
    atomic_long done[64];
    const DvmType columns = (high[1] - low[1]) / step[1] + 1;
    const DvmType workers = slots < columns ? slots : columns;
    for (int i = 0; i < 64; i++)
        atomic_init(&done[i], 0);
#pragma omp parallel num_threads((int)workers)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const DvmType first = columns * thread / threads, end = columns * (thread + 1) / threads;
        long row = 0;
#pragma omp barrier
        for (DvmType i = low[0]; step[0] > 0 ? i <= high[0] : i >= high[0]; i += step[0], row++) {
            while (thread > 0 && atomic_load(&done[thread - 1]) <= row)
                sched_yield();
            for (DvmType n = first; n < end; n++) {
                const DvmType j = low[1] + n * step[1];
                a[i][j] = RELAX(a, i, j, 1, 1);
            }
            atomic_store(&done[thread], row + 1);
        }
    }
}

static void sweep_handler(DvmType *loop_reference, DvmType header[]) {
    const DvmType loop = *loop_reference;
    double *base = dvmh_get_natural_base_C(dvmh_loop_get_device_num_C(loop), header);
    double(*a)[header[1]] = (void *)base;
    DvmType low[2], high[2], step[2];
    dvmh_loop_fill_bounds_C(loop, low, high, step);
    const DvmType slots = dvmh_loop_get_slot_count_C(loop), mask = dvmh_loop_get_dependency_mask_C(loop);
    CHECK(slots >= 1 && slots < 64);
    if ((mask & 2) == 0) {
#pragma omp parallel for num_threads((int)slots) schedule(runtime)
        for (DvmType i = low[0]; i <= high[0]; i++)
            for (DvmType j = low[1]; step[1] > 0 ? j <= high[1] : j >= high[1]; j += step[1])
                a[i][j] = RELAX(a, i, j, 0, 1);
    } else if ((mask & 1) == 0) {
        for (DvmType i = low[0]; step[0] > 0 ? i <= high[0] : i >= high[0]; i += step[0]) {
#pragma omp parallel for num_threads((int)slots) schedule(runtime)
            for (DvmType j = low[1]; j <= high[1]; j++)
                a[i][j] = RELAX(a, i, j, 1, 0);
        }
    } else {
        pipeline(base, header[1], low, high, step, slots);
    }
}

/* One axis, all of it dependent: every thread of a team would repeat the whole loop, so the slot count must be 1. */
static void line_handler(DvmType *loop_reference, DvmType header[]) {
    const DvmType loop = *loop_reference;
    double(*a)[header[1]] = dvmh_get_natural_base_C(0, header);
    DvmType low[1], high[1], step[1];
    dvmh_loop_fill_bounds_C(loop, low, high, step);
    CHECK_EQ_INT(dvmh_loop_get_dependency_mask_C(loop), 1);
    const DvmType slots = dvmh_loop_get_slot_count_C(loop);
    CHECK_EQ_INT(slots, 1);
#pragma omp parallel num_threads((int)slots)
    for (DvmType i = low[0]; i <= high[0]; i += step[0])
        a[i][5] = .5 * (a[i - 1][5] + a[i][5]);
}

static void reference_sweep(int start_i, int end_i, int step_i, int start_j, int end_j, int step_j, int di,
                            int dj) {
    for (int i = start_i; step_i > 0 ? i <= end_i : i >= end_i; i += step_i)
        for (int j = start_j; step_j > 0 ? j <= end_j : j >= end_j; j += step_j)
            reference[i][j] = RELAX(reference, i, j, di, dj);
}

/* The elements that this process has: with one process all. */
static void check_all(const char *what) {
    long owned = 0;
    dvmh_get_actual_array2_(A);
    for (DvmType i = 0; i < N; i++)
        for (DvmType j = 0; j < M; j++) {
            const double *element = dvmh_get_own_element_addr_C(A, 2, i, j);
            owned += element != NULL;
            if (!CHECK(element == NULL || *element == reference[i][j])) {
                fprintf(stderr, "%s: A[%ld][%ld]\n", what, (long)i, (long)j);
                return;
            }
        }
    CHECK(owned > 0 && (dvmh_get_total_num_procs() > 1 || owned == (long)N * M));
}

/* Widths of axis 1 and 2 (0: no dependence along it), directions, and how the handler is called. */
static void sweep(DvmType di, DvmType dj, int step_i, int step_j, int handler_type) {
    const DvmType start_i = step_i > 0 ? 1 : N - 2, end_i = step_i > 0 ? N - 2 : 1;
    const DvmType start_j = step_j > 0 ? 1 : M - 2, end_j = step_j > 0 ? M - 2 : 1;
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    const DvmType loop =
        dvmh_loop_create_C(region, 2, start_i, end_i, (DvmType)step_i, start_j, end_j, (DvmType)step_j);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_loop_across_C(loop, 0, A, 2, di, di, dj, dj);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, handler_type,
                                 dvmh_handler_func_C(HANDLER(sweep_handler), 1, (void *)A));
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    reference_sweep((int)start_i, (int)end_i, step_i, (int)start_j, (int)end_j, step_j, (int)di, (int)dj);
    check_all("sweep");
}

static void line(void) {
    const DvmType loop = dvmh_loop_create_C(0, 1, (DvmType)1, (DvmType)N - 1, (DvmType)1);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(0, 0, 5));
    dvmh_loop_across_C(loop, 0, A, 2, (DvmType)1, (DvmType)0, (DvmType)0, (DvmType)0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, HANDLER_TYPE_MASTER | HANDLER_TYPE_PARALLEL,
                                 dvmh_handler_func_C(HANDLER(line_handler), 1, (void *)A));
    dvmh_loop_perform_C(loop);
    dvmh_actual_array2_(A);
    for (int i = 1; i < N; i++)
        reference[i][5] = .5 * (reference[i - 1][5] + reference[i][5]);
    check_all("line");
}

static void start_element(DvmType i, DvmType j) {
    double *element = dvmh_get_own_element_addr_C(A, 2, i, j);
    reference[i][j] = start_value(i, j);
    if (element != NULL)
        *element = reference[i][j];
}

int main(int argc, char **argv) {
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)N, (DvmType)1, (DvmType)1, (DvmType)M, (DvmType)1,
                        (DvmType)1);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_replicated_());
    for (DvmType i = 0; i < N; i++)
        for (DvmType j = 0; j < M; j++)
            start_element(i, j);
    const int parallel = HANDLER_TYPE_MASTER | HANDLER_TYPE_PARALLEL;
    for (int round = 0; round < 2; round++)
        for (int direction = 0; direction < 4; direction++) {
            const int step_i = direction & 1 ? -1 : 1, step_j = direction & 2 ? -1 : 1;
            sweep(1, 1, step_i, step_j, parallel);
            sweep(1, 1, step_i, step_j, 0); /* portions from the runtime: tiles that wait for each other */
            sweep(1, 0, step_i, 1, parallel);
            sweep(0, 1, 1, step_j, parallel);
            sweep(1, 0, step_i, 1, 0);
            sweep(0, 1, 1, step_j, 0);
        }
    line();
    dvmh_delete_object_(A);
    dvmh_exit_C(check_finish());
}
