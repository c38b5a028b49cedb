/* The counters of what the runtime did, and the clock. Numbers only: reports are made elsewhere. */
#include <config.h>

#include "rts/stats.h"

#include "rts/status.h"

#include <stdatomic.h>
#include <time.h>

static const char *const stat_names[RTS_STAT_COUNT] = {
#define NAME_ENTRY(id, name, unit) [RTS_STAT_##id] = name,
    RTS_STATS_LIST(NAME_ENTRY)
#undef NAME_ENTRY
};

static const char *const stat_units[RTS_STAT_COUNT] = {
#define UNIT_ENTRY(id, name, unit) [RTS_STAT_##id] = unit,
    RTS_STATS_LIST(UNIT_ENTRY)
#undef UNIT_ENTRY
};

static _Atomic int64_t counters[RTS_STAT_COUNT];

static bool is_known(rts_stat_t stat) {
    return (unsigned)stat < RTS_STAT_COUNT;
}

static void raise_to(_Atomic int64_t *counter, int64_t value) {
    int64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    while (value > now && !atomic_compare_exchange_weak_explicit(counter, &now, value, memory_order_relaxed,
                                                                 memory_order_relaxed)) {}
}

void rts_stats_add(rts_stat_t stat, int64_t amount) {
    RTS_ASSERT(is_known(stat));
    const int64_t before = atomic_fetch_add_explicit(&counters[stat], amount, memory_order_relaxed);
    if (stat == RTS_STAT_REPLICA_BYTES)
        raise_to(&counters[RTS_STAT_REPLICA_BYTES_MAX], before + amount);
}

int64_t rts_stats_get(rts_stat_t stat) {
    RTS_ASSERT(is_known(stat));
    return atomic_load_explicit(&counters[stat], memory_order_relaxed);
}

void rts_stats_reset(void) {
    for (int i = 0; i < RTS_STAT_COUNT; i++)
        atomic_store_explicit(&counters[i], 0, memory_order_relaxed);
}

const char *rts_stats_name(rts_stat_t stat) {
    return is_known(stat) ? stat_names[stat] : "unknown";
}

const char *rts_stats_unit(rts_stat_t stat) {
    return is_known(stat) ? stat_units[stat] : "unknown";
}

int64_t rts_clock_ns(void) {
    struct timespec now;
    /* Cannot fail: the clock exists on every system we build for and the pointer is good. */
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}
