/* How a program uses the interface by hand: one distributed array, an independent loop for start values, then sweeps with dependences.
 * Lists of arguments have entries for three axes; the runtime reads as many as the rank needs. */
#include "sor-bench/sor_record.h"

#include <dvmhx.h>

/* Reads of a sweep's body: 3^BENCH_MAX_RANK at most; its write. */
#define REFERENCES_MAX 28
#define VECTORS_MAX    13

/* What the functions below work on. */
typedef struct record_run {
    const sor_record_kernels_t *kernels;
    const bench_options_t *options;
    int rank;
    double weight;
    DvmType header[64];
} record_run_t;

/* Digits of `number` to the base 3, each less 1, the first of `rank` for the outermost. */
static void offsets_of(int number, int rank, DvmType offset[]) {
    for (int k = rank - 1; k >= 0; k--) {
        offset[k] = number % 3 - 1;
        number /= 3;
    }
}

static void describe_sweep(DvmType loop, const DvmType header[], int rank, bool is_reversed, bool is_box) {
    static const DvmType ones[BENCH_MAX_RANK] = {1, 1, 1};
    DvmType dim[BENCH_MAX_RANK] = {0}, add[REFERENCES_MAX][BENCH_MAX_RANK] = {{0}};
    DvmType vectors[VECTORS_MAX * BENCH_MAX_RANK] = {0};
    dvmhx_reference_t reference[REFERENCES_MAX];
    dvmhx_array_use_t use = {.size = sizeof use,
                             .header = header,
                             .rank = rank,
                             .intent = INTENT_INOUT,
                             .flags = DVMHX_BY_ROWS};
    int count = 0, cells = 1, vector_count = 0;

    for (int k = 0; k < rank; k++) {
        dim[k] = is_reversed ? rank - k : k + 1;
        cells *= 3;
    }
    for (int cell = 0; cell < cells; cell++) {
        int moved = 0;

        offsets_of(cell, rank, add[count]);
        for (int k = 0; k < rank; k++)
            moved += add[count][k] != 0;
        if (moved > 1 && !is_box)
            continue;
        reference[count] = (dvmhx_reference_t){.is_write = 0, .dim = dim, .mult = ones, .add = add[count]};
        count++;
        if (cell > cells / 2)
            offsets_of(cell, rank, vectors + rank * vector_count++);
    }
    for (int k = 0; k < rank; k++)
        add[count][k] = 0;
    reference[count] = (dvmhx_reference_t){.is_write = 1, .dim = dim, .mult = ones, .add = add[count]};
    use.reference_count = count + 1;
    use.references = reference;
    dvmhx_loop_array_C(loop, &use);
    if (is_box)
        dvmhx_loop_dependences_C(loop, vector_count, vectors);
}

static void describe_start(DvmType loop, const DvmType header[], int rank) {
    static const DvmType dim[BENCH_MAX_RANK] = {1, 2, 3}, mult[BENCH_MAX_RANK] = {1, 1, 1},
                         add[BENCH_MAX_RANK];
    const dvmhx_reference_t reference = {.is_write = 1, .dim = dim, .mult = mult, .add = add};
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = header,
                                   .rank = rank,
                                   .intent = INTENT_OUT,
                                   .reference_count = 1,
                                   .references = &reference,
                                   .flags = DVMHX_BY_ROWS};

    dvmhx_loop_array_C(loop, &use);
}

/* A region with one loop over the indices from `border` to n - 1 - border of every axis. */
static void run_loop(record_run_t *run, DvmType border, bool is_sweep) {
    const int rank = run->rank, last = rank - 1;
    const bool is_reversed = is_sweep && run->options->is_reversed;
    const long *n = run->options->n;
    DvmType axis_of[BENCH_MAX_RANK], end[BENCH_MAX_RANK] = {0}; /* by dim of the loop */
    const DvmHandlerFunc handler =
        is_sweep ? run->kernels->sweep[is_reversed][run->options->is_box] : run->kernels->start;
    DvmType region, loop;

    for (int k = 0; k < rank; k++) {
        axis_of[k] = is_reversed ? last - k : k;
        end[k] = (DvmType)n[axis_of[k]] - 1 - border;
    }
    dvmh_line_C(__LINE__, __FILE__);
    region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, is_sweep ? INTENT_INOUT : INTENT_OUT, run->header, "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);

    dvmh_line_C(__LINE__, __FILE__);
    loop = dvmh_loop_create_C(region, rank, border, end[0], (DvmType)1, border, end[1], (DvmType)1, border,
                              end[2], (DvmType)1);
    dvmh_loop_map_C(loop, run->header, rank, dvmh_alignment_linear_C(is_reversed ? rank : 1, 1, 0),
                    dvmh_alignment_linear_C(is_reversed ? rank - 1 : 2, 1, 0),
                    dvmh_alignment_linear_C(is_reversed ? 1 : 3, 1, 0));
    if (is_sweep) {
        dvmh_loop_across_C(loop, 0, run->header, rank, (DvmType)1, (DvmType)1, (DvmType)1, (DvmType)1,
                           (DvmType)1, (DvmType)1);
        describe_sweep(loop, run->header, rank, is_reversed, run->options->is_box);
    } else {
        describe_start(loop, run->header, rank);
    }
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(handler, 1, (void *)&run->weight));
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
}

/* All values in C order: every process gets one row or plane after the other from those that own it. */
static void take_values(sor_course_t *course, const record_run_t *run, bool is_float) {
    long n[BENCH_MAX_RANK] = {1, 1, 1};

    for (int k = 0; k < run->rank; k++)
        n[k] = run->options->n[k];
    for (long i = 0; i < n[0]; i++) {
        DvmType buffer[64];
        const void *values;

        dvmh_line_C(__LINE__, __FILE__);
        dvmh_remote_access_C(buffer, run->header, run->rank, dvmh_alignment_linear_C(0, 0, i),
                             dvmh_alignment_linear_C(-1, 0, 0), dvmh_alignment_linear_C(-1, 0, 0));
        values = dvmh_get_own_element_addr_C(buffer, run->rank - 1, (DvmType)0, (DvmType)0);
        for (long at = 0; at < n[1] * n[2]; at++)
            sor_take_value(course,
                           is_float ? (double)((const float *)values)[at] : ((const double *)values)[at]);
        dvmh_delete_object_(buffer);
    }
}

void sor_record_run(sor_course_t *course, const bench_options_t *options, int rank, bool is_float,
                    const sor_record_kernels_t *kernels) {
    record_run_t run = {.kernels = kernels, .options = options, .rank = rank, .weight = SOR_WEIGHT};
    const long *n = options->n;

    dvmh_line_C(__LINE__, __FILE__);
    dvmh_array_create_C(run.header, rank, is_float ? -rt_FLOAT : -rt_DOUBLE, (DvmType)n[0], (DvmType)1,
                        (DvmType)1, (DvmType)n[1], (DvmType)1, (DvmType)1, (DvmType)n[2], (DvmType)1,
                        (DvmType)1);
    dvmh_distribute_C(run.header, rank, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                      dvmh_distribution_block_C(3));
    run_loop(&run, 0, false);
    while (sor_next_sweep(course))
        run_loop(&run, 1, true);
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_get_actual_array2_(run.header);
    sor_begin_values(course);
    take_values(course, &run, is_float);
    dvmh_delete_object_(run.header);
}
