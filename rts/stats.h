/* Counters that say what the runtime did: numbers only, no decisions, no printing. Written from any thread. */
#ifndef RTS_STATS_H
#define RTS_STATS_H

#include "rts/types.h"

/* Name, unit. X-macro so that the names printed by reports cannot drift from the counters. */
#define RTS_STATS_LIST(X)                                                                                    \
    X(LOOPS, "loops", "count")                                                                               \
    X(LOOP_TIME, "loop_time", "ns")                                                                          \
    X(PORTIONS, "portions", "count")                                                                         \
    X(REGIONS, "regions", "count")                                                                           \
    X(COPIES, "copies", "count")                                                                             \
    X(COPY_BYTES, "copy_bytes", "bytes")                                                                     \
    X(COPY_TIME, "copy_time", "ns")                                                                          \
    X(REORGANISATIONS, "reorganisations", "count")                                                           \
    X(REORGANISE_BYTES, "reorganise_bytes", "bytes")                                                         \
    X(REORGANISE_TIME, "reorganise_time", "ns")                                                              \
    X(REPLICA_BYTES, "replica_bytes", "bytes")                                                               \
    X(REPLICA_BYTES_MAX, "replica_bytes_max", "bytes")                                                       \
    X(EXPLORATIONS, "explorations", "count")                                                                 \
    X(WAITS, "waits", "count")                                                                               \
    X(INTERVALS, "intervals", "count")                                                                       \
    X(MESSAGES, "messages", "count")                                                                         \
    X(MESSAGE_BYTES, "message_bytes", "bytes")                                                               \
    X(HALO_TIME, "halo_time", "ns")                                                                          \
    X(OVERLAPS, "overlaps", "count")

typedef enum rts_stat {
#define RTS_STATS_ENUM(id, name, unit) RTS_STAT_##id,
    RTS_STATS_LIST(RTS_STATS_ENUM)
#undef RTS_STATS_ENUM
        RTS_STAT_COUNT
} rts_stat_t;

/** Add to a counter. REPLICA_BYTES_MAX follows REPLICA_BYTES by itself: it is the largest value that this had. Threads: any,
 * relaxed order. */
void rts_stats_add(rts_stat_t stat, int64_t amount);

/** Current value. */
int64_t rts_stats_get(rts_stat_t stat);

/** All counters to zero. */
void rts_stats_reset(void);

/** Names for reports; never NULL. */
const char *rts_stats_name(rts_stat_t stat);
const char *rts_stats_unit(rts_stat_t stat);

/** Monotonic clock in nanoseconds. */
int64_t rts_clock_ns(void);

#endif
