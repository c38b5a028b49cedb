/* The stack of open intervals, and sums by their numbers; see the header. */
#include <config.h>

#include "rts/interval.h"

#include "rts/memory.h"
#include "rts/stats.h"

typedef struct interval {
    rts_interval_kind_t kind;
    int64_t number;
    int sum; /* of this user interval, or of the one around */
    rts_position_t position;
} interval_t;

static struct {
    int count, capacity;
    interval_t *open;
} stack;

static struct {
    int count;
    rts_interval_sum_t sum[RTS_INTERVAL_MAX_SUMS];
} sums;

/* The sum of a number, made when it is new. @return -1  there are too many */
static int need_sum(int64_t number, rts_position_t position) {
    for (int i = 0; i < sums.count; i++)
        if (sums.sum[i].number == number)
            return i;
    if (sums.count == RTS_INTERVAL_MAX_SUMS)
        return -1;
    sums.sum[sums.count] = (rts_interval_sum_t){.number = number, .position = position};
    return sums.count++;
}

int rts_interval_current(void) {
    return stack.count > 0 ? stack.open[stack.count - 1].sum : -1;
}

void rts_interval_add_loops(int sum, double seconds) {
    if (sum >= 0)
        sums.sum[sum].loop_s += seconds;
}

void rts_interval_add_reorganised(int sum, int64_t bytes) {
    if (sum >= 0)
        sums.sum[sum].reorganised_bytes += bytes;
}

const rts_interval_sum_t *rts_interval_sums(int *count_p) {
    *count_p = sums.count;
    return sums.sum;
}

rts_status_t rts_interval_start(rts_interval_kind_t kind, int64_t number, rts_position_t position) {
    if (stack.count == stack.capacity) {
        const int capacity = stack.capacity == 0 ? 16 : 2 * stack.capacity;
        const size_t one = sizeof *stack.open;
        interval_t *open = rts_realloc(stack.open, (size_t)stack.capacity * one, (size_t)capacity * one);
        if (open == NULL)
            return rts_fail_memory("the open intervals", (size_t)capacity * one);
        stack.open = open;
        stack.capacity = capacity;
    }
    const int sum = kind == RTS_INTERVAL_USER ? need_sum(number, position) : rts_interval_current();
    stack.open[stack.count++] =
        (interval_t){.kind = kind, .number = number, .sum = sum, .position = position};
    if (kind == RTS_INTERVAL_USER && sum >= 0)
        sums.sum[sum].count++;
    rts_stats_add(RTS_STAT_INTERVALS, 1);
    return RTS_OK;
}

rts_status_t rts_interval_end(bool is_user) {
    if (stack.count == 0)
        return rts_fail(RTS_ERR_INVALID, "no interval is open; allowed: once for each start");
    const interval_t *last = &stack.open[stack.count - 1];
    const bool was_user = last->kind == RTS_INTERVAL_USER;
    if (was_user && !is_user)
        return rts_fail(
            RTS_ERR_INVALID,
            "the innermost open interval is number %lld of the program, of line %d; allowed: its end "
            "first",
            (long long)last->number, last->position.line);
    if (!was_user && is_user)
        return rts_fail(
            RTS_ERR_INVALID,
            "the innermost open interval is that of the %s loop of line %d; allowed: its end first",
            last->kind == RTS_INTERVAL_PARALLEL ? "parallel" : "sequential", last->position.line);
    stack.count--;
    return RTS_OK;
}

int rts_interval_depth(void) {
    return stack.count;
}

void rts_interval_reset(void) {
    rts_free(stack.open);
    stack.open = NULL;
    stack.count = stack.capacity = 0;
    sums.count = 0;
}
