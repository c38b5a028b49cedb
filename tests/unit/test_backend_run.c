/* Conformance of a backend's loops: random jobs against a brute-force reference. Each iteration must run
 * exactly once, after all that it depends on, and see what those wrote; portions must keep to the job's
 * schedule. The iterations and tile predecessors that a job should have are computed here, from the
 * dependence vectors, point by point. */
#include <config.h>

#include "rts/host/host.h"
#include "rts/memory.h"
#include "rts/stats.h"
#include "tests/check.h"

#include <omp.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MAX_POINTS  4096
#define MAX_VECTORS 5
#define MAX_THREADS 4

extern char **environ;

typedef enum fault { FAULT_THREAD_NUMBER, FAULT_THREAD_BUSY, FAULT_SHAPE, FAULT_FRONTS, FAULT_KINDS } fault_t;

static const char *const fault_names[FAULT_KINDS] = {"thread number", "thread busy", "box", "fronts"};

typedef struct trial {
    rts_loop_job_t job;
    rts_index_t points;
    int vector_count;
    rts_index_t vectors[MAX_VECTORS][RTS_MAX_RANK];
    uint64_t expected[MAX_POINTS];
    uint64_t value[MAX_POINTS]; /* written without locks: a missing order shows here and to a race detector */
    int64_t started[MAX_POINTS], ended[MAX_POINTS];
    _Atomic int64_t runs[MAX_POINTS];
    _Atomic int64_t clock;
    _Atomic int64_t portions;
    _Atomic int busy[MAX_THREADS];
    _Atomic int64_t faults[FAULT_KINDS];
    uint64_t delay_seed; /* 0: no delays */
    rts_index_t range;   /* > 0: jobs of so many fronts one after the other */
} trial_t;

static trial_t trial;
static int ranges; /* trials with jobs of ranges of fronts */

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44du;
    return x ^ (x >> 33);
}

/* ---- points: n[] and their number in lexicographic order */

static void point_of(const trial_t *t, rts_index_t number, rts_index_t n[]) {
    for (int dim = t->job.rank - 1; dim >= 0; dim--) {
        n[dim] = number % t->job.count[dim];
        number /= t->job.count[dim];
    }
}

/** @return the number of n - vector, -1 when it lies outside the loop */
static rts_index_t number_before(const trial_t *t, const rts_index_t n[], const rts_index_t vector[]) {
    rts_index_t number = 0;
    for (int dim = 0; dim < t->job.rank; dim++) {
        const rts_index_t coordinate = n[dim] - (vector == NULL ? 0 : vector[dim]);
        if (coordinate < 0 || coordinate >= t->job.count[dim])
            return -1;
        number = number * t->job.count[dim] + coordinate;
    }
    return number;
}

static rts_index_t front_of(const trial_t *t, const rts_index_t n[]) {
    rts_index_t front = 0;
    for (int dim = 0; dim < t->job.rank; dim++)
        front += t->job.time[dim] * n[dim];
    return front;
}

/** Where tiles cut: the index, or what job->skew makes of the last one. */
static rts_index_t cut_place(const rts_loop_job_t *job, const rts_index_t n[], int dim) {
    return dim == job->rank - 1 && job->skew > 0 ? n[dim] + job->skew * n[dim - 1] : n[dim];
}

static rts_index_t cut_length(const rts_loop_job_t *job, int dim) {
    rts_index_t last[RTS_MAX_RANK];
    for (int i = 0; i < job->rank; i++)
        last[i] = job->count[i] - 1;
    return cut_place(job, last, dim) + 1;
}

/** What iteration n computes from the values of those before it. */
static uint64_t compute(const trial_t *t, const rts_index_t n[], const uint64_t value[]) {
    uint64_t result = (uint64_t)number_before(t, n, NULL) + 1;
    for (int v = 0; v < t->vector_count; v++) {
        const rts_index_t before = number_before(t, n, t->vectors[v]);
        if (before >= 0)
            result = mix(result + value[before] * (uint64_t)(2 * v + 3));
    }
    return result;
}

/* ---- the loop body */

/* Everything here is relaxed: an order that the backend forgets must not come from the test's own counters.
 */
static int64_t count_up(_Atomic int64_t *counter) {
    return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void run_point(trial_t *t, const rts_index_t n[]) {
    const rts_index_t number = number_before(t, n, NULL);
    t->started[number] = count_up(&t->clock);
    t->value[number] = compute(t, n, t->value);
    t->ended[number] = count_up(&t->clock);
    count_up(&t->runs[number]);
}

typedef enum window { WINDOW_NONE, WINDOW_FRONT, WINDOW_SKEW } window_t;

/** Points of the portion's box in lexicographic order; those outside a window of fronts or skewed coordinates
 * are left out. */
static void run_box(trial_t *t, const rts_portion_t *portion, window_t window, rts_index_t lo,
                    rts_index_t hi) {
    rts_index_t n[RTS_MAX_RANK];
    memcpy(n, portion->lo, sizeof(n));
    for (int dim = 0; dim >= 0;) {
        const rts_index_t place = window == WINDOW_FRONT  ? front_of(t, n)
                                  : window == WINDOW_SKEW ? cut_place(&t->job, n, t->job.rank - 1)
                                                          : lo;
        if (place >= lo && place < hi)
            run_point(t, n);
        for (dim = t->job.rank - 1; dim >= 0; dim--) {
            if (++n[dim] < portion->hi[dim])
                break;
            n[dim] = portion->lo[dim];
        }
    }
}

/** Whether the fronts of skew * ordinal[rank - 2] + ordinal[rank - 1] may run one after the other. */
static bool suits_fronts(const trial_t *t) {
    const int rank = t->job.rank;
    bool suits = true;
    for (int v = 0; v < t->vector_count; v++) {
        const rts_index_t *const vector = t->vectors[v];
        bool in_plane = true;
        for (int dim = 0; dim < rank - 2; dim++)
            in_plane = in_plane && vector[dim] == 0;
        suits = suits && (!in_plane || t->job.skew * vector[rank - 2] + vector[rank - 1] >= 1);
    }
    return suits;
}

/** RTS_WAY_DIAGONAL: plane after plane, front after front, a front against the order of its rows. */
static void run_planes(trial_t *t, const rts_portion_t *portion) {
    const int p = t->job.rank - 2, q = t->job.rank - 1;
    const bool limited = portion->front_lo < portion->front_hi;
    rts_index_t n[RTS_MAX_RANK];
    memcpy(n, portion->lo, sizeof(n));
    for (int dim = 0; dim >= 0;) {
        const rts_index_t lo = limited ? portion->front_lo : 0;
        const rts_index_t hi = limited ? portion->front_hi : cut_length(&t->job, q);
        for (rts_index_t front = lo; front < hi; front++) {
            for (n[p] = portion->hi[p] - 1; n[p] >= portion->lo[p]; n[p]--) {
                n[q] = front - t->job.skew * n[p];
                if (n[q] >= portion->lo[q] && n[q] < portion->hi[q])
                    run_point(t, n);
            }
        }
        for (dim = p - 1; dim >= 0; dim--) {
            if (++n[dim] < portion->hi[dim])
                break;
            n[dim] = portion->lo[dim];
        }
    }
}

static void add_fault(trial_t *t, bool fault, fault_t kind) {
    if (fault)
        count_up(&t->faults[kind]);
}

static void check_shape(trial_t *t, const rts_portion_t *portion) {
    static const rts_index_t one[RTS_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    const rts_loop_job_t *const job = &t->job;
    bool bad = portion->way != job->way;
    for (int dim = 0; dim < job->rank; dim++) {
        const rts_index_t extent = portion->hi[dim] - portion->lo[dim];
        rts_index_t expected = job->count[dim];
        bad |= portion->lo[dim] < 0 || extent < 1 || portion->hi[dim] > job->count[dim];
        if (job->schedule == RTS_SCHEDULE_TILES && (job->skew == 0 || dim < job->rank - 1)) {
            bad |= portion->lo[dim] % job->tile[dim] != 0;
            expected = rts_min(job->tile[dim], job->count[dim] - portion->lo[dim]);
        } else if (job->schedule != RTS_SCHEDULE_SERIAL && job->schedule != RTS_SCHEDULE_TILES &&
                   dim == job->split_dim) {
            continue; /* one thread may get more than its part when it is alone */
        }
        bad |= extent != expected;
    }
    add_fault(t, bad, FAULT_SHAPE);
    if (job->skew > 0) {
        const rts_index_t tile = job->tile[job->rank - 1], length = cut_length(job, job->rank - 1),
                          end = job->front_hi > 0 ? rts_min(job->front_hi, length) : length,
                          rest = end - portion->front_lo;
        add_fault(t, portion->front_lo < job->front_lo, FAULT_FRONTS);
        add_fault(t, (portion->front_lo - job->front_lo) % tile != 0, FAULT_FRONTS);
        add_fault(t, portion->front_hi - portion->front_lo != rts_min(tile, rest), FAULT_FRONTS);
    }
    if (job->way != RTS_WAY_FRONT)
        return;
    if (job->schedule == RTS_SCHEDULE_FRONTS && job->thread_count > 1 &&
        portion->front_hi - portion->front_lo == 1)
        return;
    add_fault(t, portion->front_lo != front_of(t, portion->lo), FAULT_FRONTS);
    add_fault(t, portion->front_hi != front_of(t, portion->hi) - front_of(t, one) + 1, FAULT_FRONTS);
}

static void run_portion(void *context, const rts_portion_t *portion) {
    trial_t *const t = context;
    const bool valid = portion->thread >= 0 && portion->thread < t->job.thread_count;
    count_up(&t->portions);
    check_shape(t, portion);
    add_fault(t, !valid, FAULT_THREAD_NUMBER);
    if (!valid)
        return;
    add_fault(t, atomic_exchange_explicit(&t->busy[portion->thread], 1, memory_order_relaxed) != 0,
              FAULT_THREAD_BUSY);
    /* Delays that differ from portion to portion make threads overtake each other. */
    uint64_t delay = t->delay_seed;
    for (int dim = 0; dim < t->job.rank; dim++)
        delay = mix(delay + (uint64_t)portion->lo[dim]);
    if (t->delay_seed != 0 && delay % 4 == 0)
        for (uint64_t i = 0; i < delay / 4 % 64; i++)
            sched_yield();
    if (portion->way == RTS_WAY_FRONT)
        for (rts_index_t front = portion->front_lo; front < portion->front_hi; front++)
            run_box(t, portion, WINDOW_FRONT, front, front + 1);
    else if (portion->way == RTS_WAY_DIAGONAL && t->job.rank >= 2 && suits_fronts(t))
        run_planes(t, portion);
    else if (portion->front_lo < portion->front_hi)
        run_box(t, portion, WINDOW_SKEW, portion->front_lo, portion->front_hi);
    else
        run_box(t, portion, WINDOW_NONE, 0, 1);
    atomic_store_explicit(&t->busy[portion->thread], 0, memory_order_relaxed);
}

/* ---- running a job and looking at what happened */

static void describe(const trial_t *t) {
    static const char *const schedules[] = {"serial", "static", "dynamic", "fronts", "tiles"};
    const rts_loop_job_t *const job = &t->job;
    fprintf(stderr, "  %s way %d threads %d split %d chunk %lld skew %lld; count/tile/time:",
            schedules[job->schedule], job->way, job->thread_count, job->split_dim, (long long)job->chunk,
            (long long)job->skew);
    for (int dim = 0; dim < job->rank; dim++)
        fprintf(stderr, " %lld/%lld/%lld", (long long)job->count[dim], (long long)job->tile[dim],
                (long long)job->time[dim]);
    for (int v = 0; v < t->vector_count; v++) {
        fprintf(stderr, " vector");
        for (int dim = 0; dim < job->rank; dim++)
            fprintf(stderr, " %lld", (long long)t->vectors[v][dim]);
    }
    fprintf(stderr, "\n");
}

/** Count iterations that did not run once, were too early, or computed the wrong value. */
static void check_points(const trial_t *t) {
    int64_t wrong_runs = 0, early = 0, wrong_values = 0;
    for (rts_index_t number = 0; number < t->points; number++) {
        rts_index_t n[RTS_MAX_RANK];
        point_of(t, number, n);
        wrong_runs += atomic_load(&t->runs[number]) != 1;
        wrong_values += t->value[number] != t->expected[number];
        for (int v = 0; v < t->vector_count; v++) {
            const rts_index_t before = number_before(t, n, t->vectors[v]);
            early += before >= 0 && t->started[number] < t->ended[before];
        }
    }
    CHECK_EQ_INT(wrong_runs, 0);
    CHECK_EQ_INT(early, 0);
    CHECK_EQ_INT(wrong_values, 0);
    if (wrong_runs + early + wrong_values > 0)
        describe(t);
}

/* The last range reaches beyond the last front, and after it there is one without any. */
static void run_job(trial_t *t) {
    if (t->range == 0)
        CHECK_EQ_INT(rts_host_ops.run(0, &t->job), RTS_OK);
    for (rts_index_t front = 0; t->range > 0 && front < cut_length(&t->job, t->job.rank - 1) + t->range;
         front += t->range) {
        t->job.front_lo = front;
        t->job.front_hi = front + t->range;
        CHECK_EQ_INT(rts_host_ops.run(0, &t->job), RTS_OK);
    }
}

static void run_trial(trial_t *t) {
    t->job.run = run_portion;
    t->job.context = t;
    t->points = 1;
    for (int dim = 0; dim < t->job.rank; dim++)
        t->points *= t->job.count[dim];
    for (rts_index_t number = 0; number < t->points; number++) {
        rts_index_t n[RTS_MAX_RANK];
        point_of(t, number, n);
        t->expected[number] = compute(t, n, t->expected);
        t->value[number] = 0;
        t->started[number] = t->ended[number] = -1;
        atomic_store(&t->runs[number], 0);
    }
    atomic_store(&t->clock, 0);
    atomic_store(&t->portions, 0);
    const int64_t portions_before = rts_stats_get(RTS_STAT_PORTIONS);
    run_job(t);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_PORTIONS) - portions_before, atomic_load(&t->portions));
    check_points(t);
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        const int64_t faults = atomic_exchange(&t->faults[kind], 0);
        CHECK_EQ_INT(faults, 0);
        if (faults != 0) {
            fprintf(stderr, "  fault: %s\n", fault_names[kind]);
            describe(t);
        }
    }
}

/* ---- random jobs */

static void pick_counts(rts_loop_job_t *job) {
    static const rts_index_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 31, 64, 97, 128, 257};
    rts_index_t room = 700;
    for (int dim = 0; dim < job->rank; dim++) {
        do
            job->count[dim] = sizes[check_random_range(0, 15)];
        while (job->count[dim] > room);
        room /= job->count[dim];
    }
}

/** Lexicographically positive vectors; without a component along `fixed` unless that is -1. */
static void pick_vectors(trial_t *t, int fixed) {
    t->vector_count = 0;
    for (int wanted = (int)check_random_range(0, MAX_VECTORS); wanted > 0; wanted--) {
        rts_index_t *const vector = t->vectors[t->vector_count];
        rts_index_t lead = 0;
        const rts_index_t reach = check_random_range(1, 3);
        for (int dim = 0; dim < t->job.rank; dim++) {
            vector[dim] = dim == fixed || check_random_once_in(2) ? 0 : check_random_range(-reach, reach);
            if (lead == 0)
                vector[dim] = vector[dim] < 0 ? -vector[dim] : vector[dim];
            lead = lead == 0 ? vector[dim] : lead;
        }
        t->vector_count += lead != 0;
    }
}

/** Find a legal time vector. @return false when none was found */
static bool pick_time(trial_t *t) {
    for (int attempt = 0; attempt < 100; attempt++) {
        for (int dim = 0; dim < t->job.rank; dim++)
            t->job.time[dim] = check_random_range(0, 4);
        bool legal = true;
        for (int v = 0; v < t->vector_count; v++) {
            rts_index_t product = 0;
            for (int dim = 0; dim < t->job.rank; dim++)
                product += t->job.time[dim] * t->vectors[v][dim];
            legal &= product >= 1;
        }
        if (legal)
            return true;
    }
    return false;
}

/** Add the tile offset between a point and one it depends on. @return false when the tiles do not suit the
 * dependences */
static bool add_predecessor(rts_loop_job_t *job, const rts_index_t n[], const rts_index_t vector[]) {
    int8_t offset[RTS_MAX_RANK] = {0};
    int sign = 0;
    rts_index_t before[RTS_MAX_RANK];
    for (int dim = 0; dim < job->rank && dim < RTS_MAX_RANK;
         dim++) { /* the limit is for the compiler to see */
        before[dim] = n[dim] - vector[dim];
        offset[dim] =
            (int8_t)(cut_place(job, n, dim) / job->tile[dim] - cut_place(job, before, dim) / job->tile[dim]);
        if (sign == 0)
            sign = offset[dim];
    }
    if (sign <= 0)
        return sign == 0;
    for (int p = 0; p < job->predecessor_count; p++)
        if (memcmp(job->predecessor[p], offset, (size_t)job->rank) == 0)
            return true;
    if (job->predecessor_count == RTS_MAX_PREDECESSORS)
        return false;
    memcpy(job->predecessor[job->predecessor_count++], offset, sizeof(offset));
    return true;
}

/** Every tile offset that occurs. */
static bool find_predecessors(trial_t *t) {
    t->job.predecessor_count = 0;
    for (rts_index_t number = 0; number < t->points; number++) {
        rts_index_t n[RTS_MAX_RANK];
        point_of(t, number, n);
        for (int v = 0; v < t->vector_count; v++)
            if (number_before(t, n, t->vectors[v]) >= 0 && !add_predecessor(&t->job, n, t->vectors[v]))
                return false;
    }
    return true;
}

static void pick_tiles(trial_t *t) {
    rts_loop_job_t *const job = &t->job;
    t->points = 1;
    for (int dim = 0; dim < job->rank; dim++)
        t->points *= job->count[dim];
    for (int attempt = 0; attempt < 20; attempt++) {
        for (int dim = 0; dim < job->rank; dim++)
            job->tile[dim] = check_random_once_in(4)
                                 ? cut_length(job, dim) + check_random_range(0, 2)
                                 : check_random_range(1, rts_min(cut_length(job, dim), 9));
        if (find_predecessors(t)) {
            if (job->rank > 0 && job->count[0] < 127 && job->predecessor_count < RTS_MAX_PREDECESSORS) {
                /* One that no tile has. */
                int8_t *const offset = job->predecessor[job->predecessor_count++];
                memset(offset, check_random_once_in(2) ? 100 : -100, RTS_MAX_RANK);
                offset[0] = 127;
            }
            return;
        }
    }
    for (int dim = 0; dim < job->rank; dim++)
        job->tile[dim] = cut_length(job, dim);
    CHECK(find_predecessors(t)); /* a single tile: none */
}

/** Ranges of fronts, where no dependence goes back to an earlier front. */
static void pick_range(trial_t *t) {
    const int rank = t->job.rank;
    bool may = t->job.skew > 0 && check_random_once_in(2);
    for (int v = 0; v < t->vector_count && may; v++)
        may = t->job.skew * t->vectors[v][rank - 2] + t->vectors[v][rank - 1] >= 0;
    t->range = may ? check_random_range(1, cut_length(&t->job, rank - 1)) : 0;
    ranges += may;
}

static void pick_job(trial_t *t) {
    static const rts_way_t ordinary[] = {RTS_WAY_PLAIN, RTS_WAY_JAM, RTS_WAY_DIAGONAL};
    rts_loop_job_t *const job = &t->job;
    memset(job, 0, sizeof(*job));
    job->rank = (int)check_random_range(0, 5);
    job->schedule = (rts_schedule_t)(check_random_once_in(3) ? RTS_SCHEDULE_TILES : check_random_range(0, 4));
    job->thread_count = (int)check_random_range(1, MAX_THREADS);
    job->split_dim = job->rank > 0 ? (int)check_random_range(0, job->rank - 1) : 0;
    job->chunk = check_random_range(1, 20);
    pick_counts(job);
    const bool unordered = job->schedule == RTS_SCHEDULE_STATIC || job->schedule == RTS_SCHEDULE_DYNAMIC;
    do
        pick_vectors(t, unordered ? job->split_dim : -1);
    while (job->schedule == RTS_SCHEDULE_FRONTS && !pick_time(t));
    if (job->schedule == RTS_SCHEDULE_FRONTS)
        job->way = RTS_WAY_FRONT;
    else
        job->way =
            check_random_once_in(3) && pick_time(t) ? RTS_WAY_FRONT : ordinary[check_random_range(0, 2)];
    if (job->schedule == RTS_SCHEDULE_TILES && job->rank >= 2 &&
        (job->way == RTS_WAY_JAM || job->way == RTS_WAY_DIAGONAL))
        job->skew = check_random_range(0, 3);
    if (job->schedule == RTS_SCHEDULE_TILES)
        pick_tiles(t);
    pick_range(t);
    t->delay_seed = check_random_once_in(2) ? 0 : (uint64_t)check_random_range(1, 1 << 30);
}

static void test_random(int trials) {
    for (; trials > 0; trials--) {
        pick_job(&trial);
        run_trial(&trial);
    }
    trial.range = 0;
    CHECK(ranges > 0);
}

/* ---- chosen jobs */

/** Many small tiles of a loop in which each iteration needs its neighbour before it along every dim. */
static void test_pipeline(int rank, rts_index_t count, rts_index_t tile, int repeat) {
    for (int i = 0; i < repeat; i++) {
        memset(&trial.job, 0, sizeof(trial.job));
        trial.job.rank = rank;
        trial.job.schedule = RTS_SCHEDULE_TILES;
        trial.job.thread_count = 2 + i % 3;
        trial.vector_count = rank;
        memset(trial.vectors, 0, sizeof(trial.vectors));
        for (int dim = 0; dim < rank; dim++) {
            trial.job.count[dim] = dim == rank - 1 ? count : rts_min(count, 23);
            trial.job.tile[dim] = tile;
            trial.vectors[dim][dim] = 1;
            trial.job.predecessor[dim][dim] = 1;
        }
        trial.job.predecessor_count = rank;
        trial.delay_seed = i % 2 == 0 ? 0 : (uint64_t)i;
        run_trial(&trial);
    }
}

/** A call from inside a parallel region gets a smaller team than it asks for, here of one thread. */
static void test_nested(void) {
    for (int i = 0; i < 50; i++) {
        pick_job(&trial);
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            run_trial(&trial);
    }
}

/** Run this program again, with fewer threads than its jobs ask for. @return its exit code */
static int run_limited(void) {
    char name[] = "test_backend_run", mark[] = "limited";
    char *arguments[] = {name, mark, NULL};
    pid_t child;
    int status = -1;
    setenv("OMP_THREAD_LIMIT", "3", 1);
    setenv("KMP_WARNINGS", "0", 1); /* LLVM's would print that it obeys */
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv) {
    (void)argv;
    const bool limited = argc > 1;
    const rts_backend_options_t options = {.thread_count = MAX_THREADS, .set_affinity = -1, .local_count = 1};
    int device_count = -1;
    CHECK_EQ_INT(rts_host_ops.open(&options, &device_count), RTS_OK);
    CHECK_EQ_INT(device_count, 0);
    check_random_start();
    if (!limited)
        test_nested();
    test_random(limited ? 300 : 1500);
    test_pipeline(1, 200, 3, 6);
    test_pipeline(2, 150, 2, 30);
    test_pipeline(3, 7, 1, 15);
    rts_host_ops.close();
    CHECK_EQ_INT(rts_memory_live(), 0);
    if (!limited)
        CHECK_EQ_INT(run_limited(), 0);
    return check_finish();
}
