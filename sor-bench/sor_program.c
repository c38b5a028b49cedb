/* How a program uses the interface: one distributed array, an independent loop for start values, then sweeps
 * with dependences. Lists of arguments have entries for three axes; the runtime reads as many as the rank needs. */
#include "sor-bench/sor_program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sor-bench/bench_common.h"

/* What the functions below work on. */
typedef struct sor_run {
    const sor_program_t *program;
    const sor_kernels_t *kernels;
    bench_options_t options;
    double weight;
    DvmType header[64];
} sor_run_t;

/* A region with one loop over the indices from `border` to n - 1 - border of every axis. */
static void run_loop(sor_run_t *run, DvmType border, bool is_sweep) {
    const int rank = run->program->rank, last = rank - 1;
    const bool is_reversed = is_sweep && run->options.is_reversed;
    const long *n = run->options.n;
    DvmType axis_of[BENCH_MAX_RANK], end[BENCH_MAX_RANK] = {0}; /* by dim of the loop */
    const DvmHandlerFunc handler =
        is_sweep ? run->kernels->sweep[is_reversed][run->options.is_box] : run->kernels->start;
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
        bench_describe_sweep(loop, run->header, rank, is_reversed, run->options.is_box);
    } else {
        bench_describe_start(loop, run->header, rank);
    }
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(handler, 1, (void *)&run->weight));
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
}

/* All sweeps, with their times. */
static void run_sweeps(sor_run_t *run, bench_result_t *result) {
    const size_t count = (size_t)run->options.iterations, half = (count + 1) / 2;
    double *time = bench_allocate(run->program->name,
                                  count < SIZE_MAX / sizeof *time ? count * sizeof *time : SIZE_MAX / 2);
    dvmhx_report_t before;

    bench_get_report(&before);
    result->time_s = 0;
    for (size_t i = 0; i < count; i++) {
        const double begin = bench_now();

        run_loop(run, 1, true);
        time[i] = bench_now() - begin;
        result->time_s += time[i];
        result->best_sweep_s = i == 0 || time[i] < result->best_sweep_s ? time[i] : result->best_sweep_s;
    }
    result->steady_sweep_s = bench_median(time + (count - half), half);
    free(time);
    bench_get_report(&result->report);
    result->loop_s = result->report.loop_s - before.loop_s;
    result->reorganise_s = result->report.reorganise_s - before.reorganise_s;
    result->reorganise_bytes = (long)(result->report.reorganise_bytes - before.reorganise_bytes);
    result->reorganisations = (long)(result->report.reorganisations - before.reorganisations);
    result->explorations = (long)(result->report.explorations - before.explorations);
}

/* The same with plain loops. @return the array */
static void *run_plain(const sor_run_t *run, size_t bytes, bench_result_t *result) {
    const bench_options_t *options = &run->options;
    void *a = bench_allocate(run->program->name, bytes);
    double begin;

    run->kernels->plain_start(a, options->n);
    begin = bench_now();
    for (long i = 0; i < options->iterations; i++)
        run->kernels->plain_sweep[options->is_reversed][options->is_box](a, options->n, run->weight);
    result->sequential_s = bench_now() - begin;
    return a;
}

void sor_program_run(int argc, char **argv, const sor_program_t *program) {
    static sor_run_t run;
    bench_result_t result = {.program = program->name, .rank = program->rank, .sequential_s = -1};
    size_t bytes;
    void *plain = NULL;
    const long *n = run.options.n;

    bench_options_parse(argc, argv, program->name, program->rank, program->default_n, &run.options);
    bench_set_planner(program->name, run.options.planner);
    run.program = program;
    run.kernels = run.options.is_float ? &program->of_float : &program->of_double;
    run.weight = SOR_WEIGHT;
    bytes = run.options.is_float ? sizeof(float) : sizeof(double);
    for (int k = 0; k < program->rank; k++)
        bytes *= (size_t)n[k];

    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    dvmhx_reorganise_C();
    if (dvmh_get_total_num_procs() != 1) {
        fprintf(stderr, "%s: %d processes given; allowed: 1\n", program->name, dvmh_get_total_num_procs());
        dvmh_exit_C(2);
    }
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_array_create_C(run.header, program->rank, run.options.is_float ? -rt_FLOAT : -rt_DOUBLE,
                        (DvmType)n[0], (DvmType)1, (DvmType)1, (DvmType)n[1], (DvmType)1, (DvmType)1,
                        (DvmType)n[2], (DvmType)1, (DvmType)1);
    dvmh_distribute_C(run.header, program->rank, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                      dvmh_distribution_block_C(3));

    run_loop(&run, 0, false);
    run_sweeps(&run, &result);
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_get_actual_array2_(run.header);

    result.memcpy_s = bench_memcpy_s(bytes, (int)result.report.threads);
    if (run.options.verify)
        plain = run_plain(&run, bytes, &result);
    bench_compare(run.header, &run.options, plain, &result);
    free(plain);
    const bool is_printed = bench_print(&run.options, &result);
    dvmh_delete_object_(run.header);
    dvmh_exit_C(!is_printed || (run.options.verify && !result.verified));
}
