/* Counters: sums from several threads, independence, reset, names; and the clock. */
#include <config.h>

#include "rts/stats.h"

#include "tests/check.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define THREADS 4
#define ROUNDS  100000

static atomic_int ready; /* nobody starts before all are there */

static void *adder(void *unused) {
    (void)unused;
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < THREADS)
        sched_yield();
    for (int i = 0; i < ROUNDS; i++) {
        rts_stats_add(RTS_STAT_LOOPS, 1);
        rts_stats_add(RTS_STAT_COPY_BYTES, 3);
        rts_stats_add(RTS_STAT_REPLICA_BYTES, i % 2 == 0 ? 5 : -5);
    }
    return NULL;
}

static void test_counters(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < RTS_STAT_COUNT; i++)
        CHECK_EQ_INT(rts_stats_get((rts_stat_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, adder, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < RTS_STAT_COUNT; i++) {
        const int64_t expected = i == RTS_STAT_LOOPS        ? THREADS * ROUNDS
                                 : i == RTS_STAT_COPY_BYTES ? 3 * THREADS * ROUNDS
                                                            : 0;
        if (i != RTS_STAT_REPLICA_BYTES_MAX)
            CHECK_EQ_INT(rts_stats_get((rts_stat_t)i), expected);
    }
    CHECK(rts_stats_get(RTS_STAT_REPLICA_BYTES_MAX) >= 5);
    CHECK(rts_stats_get(RTS_STAT_REPLICA_BYTES_MAX) <= 5 * THREADS);
    for (int i = 0; i < RTS_STAT_COUNT; i++) {
        rts_stats_reset();
        rts_stats_add((rts_stat_t)i, ((int64_t)1 << 40) + i);
        for (int k = 0; k < RTS_STAT_COUNT; k++)
            CHECK_EQ_INT(rts_stats_get((rts_stat_t)k),
                         k == i || (i == RTS_STAT_REPLICA_BYTES && k == RTS_STAT_REPLICA_BYTES_MAX)
                             ? ((int64_t)1 << 40) + i
                             : 0);
    }
    rts_stats_reset();
    static const int64_t steps[] = {100, 250, -300, 200, -250, 260, -260}; /* largest sum: 350 */
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        rts_stats_add(RTS_STAT_REPLICA_BYTES, steps[i]);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REPLICA_BYTES), 0);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REPLICA_BYTES_MAX), 350);
    rts_stats_reset();
    for (int i = 0; i < RTS_STAT_COUNT; i++)
        CHECK_EQ_INT(rts_stats_get((rts_stat_t)i), 0);
}

static void test_names(void) {
    CHECK_EQ_STR(rts_stats_name(RTS_STAT_LOOPS), "loops");
    CHECK_EQ_STR(rts_stats_unit(RTS_STAT_LOOPS), "count");
    CHECK_EQ_STR(rts_stats_name(RTS_STAT_COPY_BYTES), "copy_bytes");
    CHECK_EQ_STR(rts_stats_unit(RTS_STAT_COPY_BYTES), "bytes");
    CHECK_EQ_STR(rts_stats_name(RTS_STAT_REORGANISE_TIME), "reorganise_time");
    CHECK_EQ_STR(rts_stats_unit(RTS_STAT_REORGANISE_TIME), "ns");
    for (int i = 0; i < RTS_STAT_COUNT; i++)
        for (int k = 0; k < i; k++)
            CHECK(strcmp(rts_stats_name((rts_stat_t)i), rts_stats_name((rts_stat_t)k)) != 0);
    CHECK(rts_stats_name(RTS_STAT_COUNT) != NULL && rts_stats_unit(RTS_STAT_COUNT) != NULL);
    CHECK(rts_stats_name((rts_stat_t)-1) != NULL);
}

static int64_t system_clock_ns(void) {
    struct timespec now;
    CHECK_EQ_INT(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}

static void test_clock(void) {
    for (int i = 0; i < 1000; i++) {
        const int64_t before = system_clock_ns();
        const int64_t now = rts_clock_ns();
        CHECK(before <= now);
        CHECK(now <= system_clock_ns());
    }
}

int main(void) {
    test_counters();
    test_names();
    test_clock();
    return check_finish();
}
