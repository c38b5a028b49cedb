/* Placement of threads on synthetic machines, the number of threads a process gets, and binding on this
 * machine. */
#include <config.h>

#include "rts/host/host.h"
#include "rts/host/host_topology.h"
#include "tests/check.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 64

static void test_share(void) {
    CHECK_EQ_INT(rts_host_share_threads(16, 1, 1, 0.0), 16);
    CHECK_EQ_INT(rts_host_share_threads(5, 1, 1, 0.0), 5);  /* taskset or a batch system */
    CHECK_EQ_INT(rts_host_share_threads(16, 3, 3, 0.0), 5); /* unbound processes share, evenly */
    CHECK_EQ_INT(rts_host_share_threads(4, 1, 4, 0.0), 4);  /* the launcher gave each its own .. */
    CHECK_EQ_INT(rts_host_share_threads(2, 1, 3, 0.0), 2);  /* .. not the same number each */
    CHECK_EQ_INT(rts_host_share_threads(8, 2, 4, 0.0), 4);  /* two processes a socket */
    CHECK_EQ_INT(rts_host_share_threads(4, 4, 4, 0.0), 1);  /* all in the same part of the machine */
    CHECK_EQ_INT(rts_host_share_threads(2, 8, 8, 0.0), 1);
    CHECK_EQ_INT(rts_host_share_threads(16, 1, 1, 2.5), 3);
    CHECK_EQ_INT(rts_host_share_threads(16, 1, 1, 0.1), 1);
    CHECK_EQ_INT(rts_host_share_threads(16, 1, 1, 64.0), 16);
    CHECK_EQ_INT(rts_host_share_threads(16, 4, 4, 8.0), 2);
    CHECK_EQ_INT(rts_host_share_threads(4, 1, 4, 8.0),
                 2); /* a limit on time is common, whoever is bound where */
    CHECK_EQ_INT(rts_host_share_threads(16, 1, 1, 1e30), 16);
}

/** The number for a set of processors: that of the set, whoever asks. */
static void test_key(void) {
    cpu_set_t before, one;
    CHECK_EQ_INT(rts_host_processors_key() == rts_host_processors_key(), 1);
    if (sched_getaffinity(0, sizeof(before), &before) != 0 || CPU_COUNT(&before) < 2)
        return;
    const uint64_t whole = rts_host_processors_key();
    uint64_t key[2] = {0, 0};
    int found = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
        if (CPU_ISSET((size_t)cpu, &before)) {
            CPU_ZERO(&one);
            CPU_SET((size_t)cpu, &one);
            CHECK_EQ_INT(sched_setaffinity(0, sizeof(one), &one), 0);
            key[found++] = rts_host_processors_key();
        }
    CHECK_EQ_INT(sched_setaffinity(0, sizeof(before), &before), 0);
    CHECK(key[0] != key[1] && key[0] != whole && key[1] != whole);
    CHECK(rts_host_processors_key() == whole);
}

static void test_quota(void) {
    CHECK(rts_host_parse_quota("max 100000\n") == 0.0);
    CHECK(rts_host_parse_quota("150000 100000\n") == 1.5);
    CHECK(rts_host_parse_quota("400000 100000") == 4.0);
    CHECK(rts_host_parse_quota("") == 0.0);
    CHECK(rts_host_parse_quota("0 100000") == 0.0);
    CHECK(rts_host_parse_quota("100000 0") == 0.0);
    CHECK(rts_host_parse_quota("-1 100000") == 0.0);
    CHECK(rts_host_parse_quota("100000") == 0.0);
}

/** The user's variables, one at a time. */
static void test_user_binds(void) {
    static const char *const names[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
    static const struct {
        const char *value;
        bool binds;
    } cases[] = {{"true", true},   {"close,spread", true}, {"0-3", true},          {"{0,1},{2,3}", true},
                 {"cores", true},  {"FALSE", false},       {"none", false},        {"", false},
                 {"False", false}, {"disabled", false},    {"verbose,none", false}};
    for (int n = 0; n < 4; n++)
        unsetenv(names[n]);
    CHECK(!rts_host_user_binds());
    for (int n = 0; n < 4; n++) {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            setenv(names[n], cases[i].value, 1);
            CHECK_EQ_INT(rts_host_user_binds(), cases[i].binds);
        }
        unsetenv(names[n]);
    }
}

#ifdef HAVE_HWLOC

static hwloc_topology_t synthetic(const char *description) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_set_synthetic(topology, description) != 0 ||
        hwloc_topology_load(topology) != 0) {
        fprintf(stderr, "hwloc cannot make the machine %s\n", description);
        exit(1);
    }
    return topology;
}

/** Place threads; `expected` lists their processors, or is NULL when they should be left alone. */
static void check_place(hwloc_topology_t topology, const char *allowed, int sharer, int sharer_count,
                        int threads, const unsigned expected[]) {
    unsigned pus[MAX_THREADS];
    const hwloc_cpuset_t set = hwloc_bitmap_alloc();
    if (allowed == NULL)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(topology));
    else
        hwloc_bitmap_list_sscanf(set, allowed);
    const int placed = rts_host_place_threads(topology, set, sharer, sharer_count, threads, pus);
    CHECK_EQ_INT(placed, expected == NULL ? 0 : threads);
    for (int thread = 0; thread < placed && expected != NULL; thread++)
        CHECK_EQ_INT(pus[thread], expected[thread]);
    hwloc_bitmap_free(set);
}

#define PUS(...) ((const unsigned[]){__VA_ARGS__})

/** Two sockets of two cores of two processors, numbered 0 .. 7 in this order. */
static void test_small_machine(void) {
    const hwloc_topology_t topology = synthetic("pack:2 core:2 pu:2");
    check_place(topology, NULL, 0, 1, 1, PUS(0));
    check_place(topology, NULL, 0, 1, 2, PUS(0, 4)); /* a socket each */
    check_place(topology, NULL, 0, 1, 3, PUS(0, 2, 4));
    check_place(topology, NULL, 0, 1, 4, PUS(0, 2, 4, 6));
    check_place(topology, NULL, 0, 1, 5, PUS(0, 1, 2, 4, 6));
    check_place(topology, NULL, 0, 1, 8, PUS(0, 1, 2, 3, 4, 5, 6, 7));
    check_place(topology, NULL, 0, 1, 9, NULL);

    check_place(topology, "1,3-5", 0, 1, 3, PUS(1, 3, 4)); /* taskset */
    check_place(topology, "1,3-5", 0, 1, 4, PUS(1, 3, 4, 5));
    check_place(topology, "1,3-5", 0, 1, 5, NULL);
    check_place(topology, "", 0, 1, 1, NULL);

    check_place(topology, NULL, 0, 2, 2, PUS(0, 2)); /* unbound processes: a contiguous part each */
    check_place(topology, NULL, 1, 2, 2, PUS(4, 6));
    check_place(topology, NULL, 1, 2, 4, PUS(4, 5, 6, 7));
    check_place(topology, NULL, 1, 2, 5, NULL);
    check_place(topology, NULL, 3, 8, 1, PUS(3));
    check_place(topology, NULL, 0, 9, 1, NULL);

    check_place(topology, "4-7", 0, 1, 2,
                PUS(4, 6)); /* a launcher's binding: the whole of it, and nothing else */
    check_place(topology, "2-3", 0, 1, 2, PUS(2, 3));
    check_place(topology, "0-4", 0, 1, 3, PUS(0, 2, 4));
    check_place(topology, "0-3", 1, 2, 2, PUS(2, 3)); /* shared with another process */
    check_place(topology, "0-3", 1, 2, 3, NULL);
    check_place(topology, "0-4", 0, 2, 2, PUS(0, 1)); /* uneven: parts of 2 and 3 */
    check_place(topology, "0-4", 1, 2, 2, PUS(2, 4));
    hwloc_topology_destroy(topology);
}

/** Machines of many shapes: processors differ, are allowed, and processes keep out of each other's part. */
static void test_shapes(void) {
    static const char *const shapes[] = {"pu:7", "core:6 pu:1", "numa:2 core:8 pu:2", "pack:3 core:5 pu:1",
                                         "pack:2 numa:2 l3:1 core:3 pu:4"};
    for (size_t shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++) {
        const hwloc_topology_t topology = synthetic(shapes[shape]);
        const hwloc_const_cpuset_t all = hwloc_topology_get_allowed_cpuset(topology);
        const int machine = hwloc_bitmap_weight(all);
        const hwloc_cpuset_t used = hwloc_bitmap_alloc();
        for (int processes = 1; processes <= machine; processes++) {
            const int threads = rts_host_share_threads(machine, processes, processes, 0.0);
            hwloc_bitmap_zero(used);
            for (int rank = 0; rank < processes; rank++) {
                unsigned pus[MAX_THREADS];
                CHECK_EQ_INT(rts_host_place_threads(topology, all, rank, processes, threads, pus), threads);
                for (int thread = 0; thread < threads; thread++) {
                    CHECK(hwloc_bitmap_isset(all, pus[thread]));
                    hwloc_bitmap_set(used, pus[thread]);
                }
            }
            CHECK_EQ_INT(hwloc_bitmap_weight(used), threads * processes);
        }
        hwloc_bitmap_free(used);
        hwloc_topology_destroy(topology);
    }
}

static void count_processors(void *context, const rts_portion_t *portion) {
    cpu_set_t set;
    int *const counts = context;
    counts[portion->thread] = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

/** Threads are bound while the backend is open, those created later too, and free afterwards. */
static void test_binding(void) {
    const int allowed = rts_host_default_threads(1, 1);
    int counts[MAX_THREADS] = {0}, device_count;
    CHECK(allowed >= 1);
    if (allowed > MAX_THREADS)
        return;
    for (int affinity = 1; affinity >= -1; affinity--) {
        const rts_backend_options_t options = {.thread_count = allowed,
                                               .set_affinity = affinity,
                                               .local_count = 1,
                                               .sharer_count = 1};
        rts_loop_job_t job = {.rank = 1, .count = {allowed}, .schedule = RTS_SCHEDULE_STATIC};
        job.run = count_processors;
        job.context = counts;
        CHECK_EQ_INT(rts_host_ops.open(&options, &device_count), RTS_OK);
        CHECK_EQ_INT(rts_host_default_threads(1, 1), allowed); /* not what our own binding leaves */
        for (int repeat = 0; repeat < 3; repeat++) {
            /* A smaller team between: libgomp ends threads and creates them again. */
            job.thread_count = repeat == 1 ? 1 : allowed;
            CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_OK);
            for (int thread = 0; thread < job.thread_count; thread++)
                CHECK(affinity == 0 ? counts[thread] >= allowed : counts[thread] == 1);
        }
        rts_host_ops.close();
#pragma omp parallel num_threads(allowed)
        count_processors(counts, &(rts_portion_t){.thread = omp_get_thread_num()});
        for (int thread = 0; thread < allowed; thread++)
            CHECK(counts[thread] >= allowed);
    }
}
#endif

int main(void) {
    test_share();
    test_key();
    test_quota();
    test_user_binds();
#ifdef HAVE_HWLOC
    test_small_machine();
    test_shapes();
    test_binding();
    return check_finish();
#else
    if (check_finish() != 0)
        return 1;
    printf("SKIP: placement of threads needs hwloc\n");
    return 77;
#endif
}
