/* pipeline-bench: sweeps with dependences along all axes over many processes, against the model of docs/scaling.md.
 *
 *   mpirun -n N pipeline-bench [OPTION]...    --help says which
 *
 * Work is played: a handler sleeps for as long as its iterations are said to take. So a machine with few cores shows what the pipeline does
 * with many processes, and nothing but the pipeline is measured: order, waiting, messages. First what a stage costs, from sweeps
 * without work; then times of sweeps with 1, 2, 4 .. stages and with the number that the runtime chooses, and what the model says. Process 0 also
 * prints what the model says for up to 10,000 processes with the latency and bandwidth of messages found here. */
#include <config.h>

#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <dvmhlib2.h>
#include <dvmhx.h>

#include "rts/comm.h"
#include "rts/runtime.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_processes.h"

enum { AXES = 3, LOCAL_EXTENT = 64, MEASUREMENTS = 5, AUTOMATIC = 0, HEADER_WORDS = 64 };

static struct {
    bool quick, json;
    int rank;
    double work_s; /* of the iterations of a process in one sweep */
    int sweeps;
    double point_s, stage_s, bytes_per_s; /* in predictions; 0: as measured */
} options = {.rank = 3, .work_s = 20e-3, .sweeps = 10, .point_s = 1.1e-9};

/* ---- processes ---- */

static void try(rts_status_t status) {
    bench_try("pipeline-bench", status);
}

static double largest(double number) {
    return bench_largest("pipeline-bench", number);
}

/* ---- the model ---- */

/** How the processes of a sweep wait for each other. */
typedef struct chain {
    double
        path; /* sum of processes less 1 along the axes along which processes wait, but for the one that is cut into stages */
    double row; /* processes along the axis that is cut into stages */
    int stage_axis;
} chain_t;

/** Stages, one after the other, from the beginning of the first sweep to the end of the last one: sweeps that follow each other overlap. */
static double stages_in_all(const chain_t *chain, double stages, double sweeps) {
    return (sweeps - 1) * stages + stages * chain->row + chain->path;
}

static double model(const chain_t *chain, double stages, double sweeps, double work, double stage_cost) {
    return stages_in_all(chain, stages, sweeps) * (work / stages + stage_cost);
}

/** The axis that is cut into stages is one with the fewest processes, the first of these. */
static chain_t find_chain(const rts_index_t parts[], int rank) {
    chain_t chain = {.stage_axis = 0};
    for (int axis = 0; axis < rank; axis++)
        if (parts[axis] < parts[chain.stage_axis])
            chain.stage_axis = axis;
    for (int axis = 0; axis < rank; axis++) {
        if (axis == chain.stage_axis) {
            chain.row = (double)parts[axis];
        } else if (parts[axis] > 1) {
            chain.path += (double)parts[axis] - 1;
        }
    }
    return chain;
}

/** The number that the runtime chooses: rts/pipeline_stages.c. */
static double chosen_stages(const chain_t *chain, double most, double work) {
    const double square = chain->path * work / 25e-6;
    double stages = 1;
    while (stages < most && (stages + 1) * (stages + 1) <= square)
        stages++;
    return stages;
}

/** Best number of stages up to a limit. */
static double best_stages(const chain_t *chain, double most, double sweeps, double work, double stage_cost) {
    double best = 1;
    for (double stages = 2; stages <= most; stages++)
        if (model(chain, stages, sweeps, work, stage_cost) < model(chain, best, sweeps, work, stage_cost))
            best = stages;
    return best;
}

/* ---- sweeps ---- */

static double iteration_s; /* that a handler plays; 0: none */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Sleep as long as the iterations take; what was slept too long is taken off the next time. */
static void play(const dvmhx_record_t *record) {
    static double debt;
    double iterations = 1;
    for (int dim = 0; dim < options.rank; dim++)
        iterations *= (double)record->count[dim];
    debt += iterations * iteration_s;
    if (debt < 20e-6)
        return;
    const double begin = now();
    const struct timespec length = {.tv_sec = (time_t)debt,
                                    .tv_nsec = (long)((debt - (double)(time_t)debt) * 1e9)};
    nanosleep(&length, NULL);
    debt -= now() - begin;
}

static DvmType header[HEADER_WORDS], last[AXES];

static void make_array(void) {
    DvmType n[AXES];
    for (int axis = 0; axis < AXES; axis++) {
        n[axis] = LOCAL_EXTENT * (DvmType)rts_grid_parts(&rts_runtime()->grid, axis);
        last[axis] = n[axis] - 1;
    }
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_array_create_C(header, (DvmType)options.rank, -rt_DOUBLE, n[0], (DvmType)1, (DvmType)1, n[1],
                        (DvmType)1, (DvmType)1, n[2], (DvmType)1, (DvmType)1);
    dvmh_distribute_C(header, (DvmType)options.rank, dvmh_distribution_block_C(1),
                      dvmh_distribution_block_C(2), dvmh_distribution_block_C(3));
}

static void sweep(int stages) {
    const DvmType rank = options.rank;
    DvmType vectors[AXES * AXES] = {0};
    for (int k = 0; k < options.rank; k++)
        vectors[k * options.rank + k] = 1;
    dvmh_line_C(__LINE__, __FILE__);
    const DvmType loop = dvmh_loop_create_C(0, rank, (DvmType)0, last[0], (DvmType)1, (DvmType)0, last[1],
                                            (DvmType)1, (DvmType)0, last[2], (DvmType)1);
    dvmh_loop_map_C(loop, header, rank, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0),
                    dvmh_alignment_linear_C(3, 1, 0));
    dvmh_loop_across_C(loop, 0, header, rank, (DvmType)1, (DvmType)1, (DvmType)1, (DvmType)1, (DvmType)1,
                       (DvmType)1);
    dvmhx_loop_dependences_C(loop, rank, vectors);
    dvmh_loop_set_stage_C(loop, stages);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(BENCH_HANDLER(play), 0));
    dvmh_loop_perform_C(loop);
}

/** Median time of so many sweeps that follow each other, from a common start to the end of the slowest process. */
static double measure(int stages, int sweeps, double work_s) {
    double seconds[MEASUREMENTS], iterations = 1;
    const int count = options.quick ? 1 : MEASUREMENTS;
    for (int axis = 0; axis < options.rank; axis++)
        iterations *= LOCAL_EXTENT;
    iteration_s = work_s / iterations;
    for (int i = 0; i < count; i++) {
        try(rts_comm_barrier());
        const double begin = now();
        for (int k = 0; k < sweeps; k++)
            sweep(stages);
        seconds[i] = largest(now() - begin);
    }
    return bench_median(seconds, count);
}

/* ---- messages ---- */

/** Seconds of a message between processes 0 and 1: half the time there and back. */
static double message_s(size_t bytes, int count) {
    rts_flight_t flight = {.count = 0};
    char *data = bench_allocate(bytes);
    memset(data, 1, bytes);
    try(rts_comm_barrier());
    const double begin = now();
    for (int i = 0; i < 2 * count && rts_comm_rank() < 2; i++) {
        if (i % 2 == rts_comm_rank())
            try(rts_comm_send(&flight, 1 - rts_comm_rank(), RTS_TAG_FILE, data, bytes));
        else
            try(rts_comm_receive(&flight, 1 - rts_comm_rank(), RTS_TAG_FILE, data, bytes));
        try(rts_comm_wait(&flight));
    }
    const double seconds = (now() - begin) / (2 * count);
    rts_flight_free(&flight);
    free(data);
    return largest(rts_comm_rank() < 2 ? seconds : 0);
}

/* ---- tables ---- */

/** What a stage costs beside its work: the slope of sweeps without any. */
static double stage_cost(const chain_t *chain) {
    const double few = measure(1, options.sweeps, 0), many = measure(LOCAL_EXTENT, options.sweeps, 0);
    const double stages =
        stages_in_all(chain, LOCAL_EXTENT, options.sweeps) - stages_in_all(chain, 1, options.sweeps);
    return many > few ? (many - few) / stages : 0;
}

static void print_measured(int stages, int sweeps, double seconds, double expected) {
    char number[16];
    if (!bench_is_first())
        return;
    snprintf(number, sizeof number, stages == AUTOMATIC ? "chosen" : "%d", stages);
    if (options.json) {
        printf("{\"processes\": %d, \"stages\": %d, \"sweeps\": %d, \"seconds\": %.6f", rts_comm_size(),
               stages, sweeps, seconds);
        if (stages != AUTOMATIC)
            printf(", \"model_s\": %.6f, \"ratio\": %.3f", expected, seconds / expected);
        printf("}\n");
    } else if (stages == AUTOMATIC) {
        printf("%6s %7d %11.3f %11s %7s %11.2f\n", number, sweeps, seconds * 1e3, "", "",
               sweeps * options.work_s / seconds);
    } else {
        printf("%6s %7d %11.3f %11.3f %7.2f %11.2f\n", number, sweeps, seconds * 1e3, expected * 1e3,
               seconds / expected, sweeps * options.work_s / seconds);
    }
    fflush(stdout);
}

static void run_measured(const chain_t *chain, double cost) {
    static const int stages[] = {1, 2, 4, 8, 16, 32, AUTOMATIC};
    if (bench_is_first() && !options.json)
        printf("%6s %7s %11s %11s %7s %11s\n", "stages", "sweeps", "ms", "model ms", "ratio", "efficiency");
    for (int many = 0; many < 2; many++)
        for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
            const int sweeps = many == 1 ? options.sweeps : 1;
            if (stages[i] == AUTOMATIC) /* it decides after some executions */
                (void)measure(AUTOMATIC, 3, options.work_s);
            const double seconds = measure(stages[i], sweeps, options.work_s);
            print_measured(stages[i], sweeps, seconds,
                           stages[i] == AUTOMATIC ? 0
                                                  : model(chain, stages[i], sweeps, options.work_s, cost));
        }
}

/** The machines of the predictions: processes along each axis. */
static const rts_index_t grids[][AXES] = {
    {10, 1, 1},  {5, 2, 1},    {100, 1, 1},   {10, 10, 1},   {5, 5, 4},    {1000, 1, 1},
    {40, 25, 1}, {10, 10, 10}, {10000, 1, 1}, {100, 100, 1}, {25, 20, 20},
};

typedef struct machine {
    double stage_s, bytes_per_s;
} machine_t;

/** A sweep over a cube in three dims: print efficiencies for a block of `extent` on each process. */
static void predict(const machine_t *machine, const rts_index_t parts[], const double extent[],
                    const char *kind) {
    const chain_t chain = find_chain(parts, AXES);
    const double points = extent[0] * extent[1] * extent[2], compute = points * options.point_s;
    double bytes = 0, efficiency[3], stages[2];
    for (int axis = 0; axis < AXES; axis++)
        if (parts[axis] > 1)
            bytes += points / extent[axis] * sizeof(double);
    const double work = compute + bytes / machine->bytes_per_s, most = extent[chain.stage_axis],
                 chosen = chosen_stages(&chain, most, work);
    for (int many = 0; many < 2; many++) {
        const double sweeps = many == 1 ? 100 : 1;
        stages[many] = best_stages(&chain, most, sweeps, work, machine->stage_s);
        efficiency[many] = sweeps * compute / model(&chain, stages[many], sweeps, work, machine->stage_s);
    }
    efficiency[2] = 100 * compute / model(&chain, chosen, 100, work, machine->stage_s);
    printf(options.json
               ? "{\"scaling\": \"%s\", \"grid\": [%lld, %lld, %lld], \"work_s\": %.3e, \"stages_1\": %.0f, "
                 "\"efficiency_1\": %.3f, \"stages_100\": %.0f, \"efficiency_100\": %.3f, "
                 "\"stages_chosen\": %.0f, \"efficiency_100_chosen\": %.3f}\n"
               : "%-6s %5lldx%3lldx%2lld %10.2e %7.0f %7.3f %9.0f %8.3f %9.0f %8.3f\n",
           kind, (long long)parts[0], (long long)parts[1], (long long)parts[2], work, stages[0],
           efficiency[0], stages[1], efficiency[1], chosen, efficiency[2]);
}

static void print_predictions(const machine_t *machine) {
    static const double weak_extent[AXES] = {200, 200, 200}, strong_extent = 2000;
    if (!options.json)
        printf("\nThe model: a stage costs %.2f us, %.2f GB/s, %.2f ns a point; weak: 200^3 points a "
               "process, strong: "
               "2000^3 in all\n%-6s %12s %10s %7s %7s %9s %8s %9s %8s\n",
               machine->stage_s * 1e6, machine->bytes_per_s * 1e-9, options.point_s * 1e9, "", "grid",
               "work s", "stages", "one", "stages", "of 100", "chosen", "of 100");
    for (int strong = 0; strong < 2; strong++)
        for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
            double extent[AXES];
            bool has_room = true;
            for (int axis = 0; axis < AXES; axis++) {
                extent[axis] = strong == 1 ? strong_extent / (double)grids[i][axis] : weak_extent[axis];
                has_room = has_room && extent[axis] >= 1;
            }
            if (has_room)
                predict(machine, grids[i], extent, strong == 1 ? "strong" : "weak");
        }
}

/* ---- the program ---- */

static const char help[] =
    "mpirun -n N pipeline-bench [OPTION]...\n"
    "Sweeps over many processes, against the model of docs/scaling.md. Work is played by sleeping.\n"
    "  --rank R      dims of the sweep, 1 to 3 (3)\n"
    "  --work MS     milliseconds of work of a process in a sweep (20)\n"
    "  --sweeps K    sweeps that follow each other (10)\n"
    "  --quick       little work, one measurement: only shows that it works\n"
    "  --json        a line of JSON for each figure\n"
    "for predictions:\n"
    "  --point T     hundredths of a nanosecond a point (110)\n"
    "  --stage T     hundredths of a microsecond that a stage costs (as measured here)\n"
    "  --speed B     MB/s of messages (as measured here)\n"
    "DVMH_PROC_GRID: the grid of processes.\n";

/** @return the program's exit code; -1: go on */
static int read_options(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(option, "--quick") == 0) {
            options.quick = true;
            options.work_s = 2e-3;
            options.sweeps = 3;
            continue;
        } else if (strcmp(option, "--json") == 0) {
            options.json = true;
            continue;
        } else if (strcmp(option, "--help") == 0) {
            fputs(help, stdout);
            return 0;
        } else if (strcmp(option, "--rank") == 0) {
            options.rank = (int)bench_number(option, value, 1, AXES);
        } else if (strcmp(option, "--work") == 0) {
            options.work_s = 1e-3 * (double)bench_number(option, value, 1, 10000);
        } else if (strcmp(option, "--sweeps") == 0) {
            options.sweeps = (int)bench_number(option, value, 2, 1000);
        } else if (strcmp(option, "--point") == 0) {
            options.point_s = 1e-11 * (double)bench_number(option, value, 1, 1000000);
        } else if (strcmp(option, "--stage") == 0) {
            options.stage_s = 1e-8 * (double)bench_number(option, value, 1, 1000000);
        } else if (strcmp(option, "--speed") == 0) {
            options.bytes_per_s = 1e6 * (double)bench_number(option, value, 1, 1000000);
        } else {
            fprintf(stderr,
                    "'%s' is no option; allowed: --rank R, --work MS, --sweeps K, --point T, --stage T, "
                    "--speed B, "
                    "--quick, --json, --help\n",
                    option);
            return 2;
        }
        i++;
    }
    return -1;
}

static void run(void) {
    rts_index_t parts[AXES];
    machine_t machine;
    for (int axis = 0; axis < AXES; axis++)
        parts[axis] = rts_grid_parts(&rts_runtime()->grid, axis);
    const chain_t chain = find_chain(parts, options.rank);
    make_array();
    (void)measure(1, 3, 0);
    const double cost = stage_cost(&chain);
    if (bench_is_first())
        printf(
            options.json
                ? "{\"processes\": %d, \"path\": %.0f, \"row\": %.0f, \"stage_s\": %.3e, \"work_s\": %.3e}\n"
                : "%d processes, path %.0f, %.0f along the axis of the stages; a stage costs %.2e s; work "
                  "%.2e s\n",
            rts_comm_size(), chain.path, chain.row, cost, options.work_s);
    run_measured(&chain, cost);
    if (rts_comm_size() > 1) {
        const size_t large = (size_t)4 << 20;
        const double bandwidth = (double)large / message_s(large, options.quick ? 2 : 50);
        const double bare = message_s(8, options.quick ? 10 : 2000);
        if (bench_is_first() && !options.json)
            printf("a message of 8 bytes takes %.2e s, of 4 MiB %.2e bytes/s\n", bare, bandwidth);
        machine.stage_s = options.stage_s > 0 ? options.stage_s : cost;
        machine.bytes_per_s = options.bytes_per_s > 0 ? options.bytes_per_s : bandwidth;
        if (bench_is_first())
            print_predictions(&machine);
    }
    dvmh_delete_object_(header);
}

int main(int argc, char **argv) {
    const int code = read_options(argc, argv);
    if (code >= 0)
        return code;
    /* One sleep a tile, so that sleeping is not measured. */
    if (setenv("DVMH_STRATEGY", "lexicographic", 1) != 0 || setenv("DVMH_PLANNER", "off", 1) != 0 ||
        setenv("DVMH_NUM_THREADS", "1", 1) != 0) {
        fprintf(stderr, "no memory for the environment\n");
        return 1;
    }
#ifdef __linux__
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    run();
    fflush(stdout);
    dvmh_exit_C(0);
}
