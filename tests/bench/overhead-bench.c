/* overhead-bench: what dvmh_loop_perform_C costs beside the handler, for loops that need nothing: empty handlers of both kinds,
 * on one thread and with a team. Team times are compared with a bare `omp parallel` of the same size in the same run. The loops
 * claim so many iterations that the planner spreads them over all threads. */
#include "tests/bench/bench.h"

#include <sys/wait.h>
#include <unistd.h>

enum { REPETITIONS = 20001, WARM_UP = 200, N = 4096 };

static DvmType A[64];
static double times[REPETITIONS], bare[REPETITIONS];

static void record_handler(const dvmhx_record_t *record) {
    (void)record;
}

static void query_handler(DvmType *loop_reference) {
    (void)loop_reference;
}

static void team_handler(DvmType *loop_reference) {
    const int slots = (int)dvmh_loop_get_slot_count_C(*loop_reference);
#pragma omp parallel num_threads(slots)
    __asm__ volatile("" ::: "memory");
}

static double perform(DvmHandlerFunc function, DvmType type, DvmType n) {
    const DvmType loop =
        dvmh_loop_create_C(0, 2, (DvmType)0, n - 1, (DvmType)1, (DvmType)0, n - 1, (DvmType)1);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, type, dvmh_handler_func_C(function, 0));
    const double start = omp_get_wtime();
    dvmh_loop_perform_C(loop);
    return omp_get_wtime() - start;
}

static double bare_team(int threads) {
    const double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    __asm__ volatile("" ::: "memory");
    return omp_get_wtime() - start;
}

static void measure(const char *name, DvmHandlerFunc function, DvmType type, bool json) {
    dvmhx_report_t report = {.size = sizeof report};
    dvmhx_get_report_C(&report);
    for (int i = 0; i < WARM_UP; i++)
        perform(function, type, N);
    for (int i = 0; i < REPETITIONS; i++) {
        times[i] = perform(function, type, N);
        bare[i] = bare_team((int)report.threads);
    }
    const double median = bench_median(times, REPETITIONS), team = bench_median(bare, REPETITIONS);
    printf(
        json
            ? "{\"program\": \"overhead-bench\", \"handler\": \"%s\", \"threads\": %ld, \"median_us\": %.3f, "
              "\"min_us\": %.3f, \"bare_team_us\": %.3f}\n"
            : "%-24s %2ld threads: median %.3f us, least %.3f us; bare omp parallel %.3f us\n",
        name, (long)report.threads, median * 1e6, times[0] * 1e6, team * 1e6);
}

/* One process each, since the number of threads is settled at the start. */
static void run(int threads, bool json, int argc, char **argv) {
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    setenv("DVMH_NUM_THREADS", text, 1);
    dvmh_init_C(INITFLAG_OPENMP | INITFLAG_SEQUENTIAL, &argc, &argv);
    dvmh_array_create_C(A, 2, -rt_CHAR, (DvmType)N, (DvmType)0, (DvmType)0, (DvmType)N, (DvmType)0,
                        (DvmType)0);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    measure("record", BENCH_HANDLER(record_handler), DVMHX_HANDLER_RECORD, json);
    measure("query", BENCH_HANDLER(query_handler), 0, json);
    measure("query with its own team", BENCH_HANDLER(team_handler),
            HANDLER_TYPE_PARALLEL | HANDLER_TYPE_MASTER, json);
    fflush(stdout);
    dvmh_exit_C(0);
}

int main(int argc, char **argv) {
    const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 1 && !json) {
        fprintf(stderr, "'%s' is no option; allowed: --json\n", argv[1]);
        return 2;
    }
    const int threads[] = {1, omp_get_num_procs()};
    for (int i = 0; i < 2; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0)
            run(threads[i], json, argc, argv);
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    return 0;
}
