/* Costs of an earlier run, sorted by loop. */
#include <config.h>

#include "rts/saved.h"

#include <stdlib.h>
#include <string.h>

#include "rts/memory.h"

static struct {
    rts_saved_cost_t *cost; /* by loop */
    size_t count;
} saved;

static int compare(const void *a, const void *b) {
    const uint64_t one = ((const rts_saved_cost_t *)a)->loop, other = ((const rts_saved_cost_t *)b)->loop;
    return (one > other) - (one < other);
}

rts_status_t rts_saved_import(const rts_saved_cost_t cost[], size_t count) {
    rts_saved_forget();
    if (count == 0)
        return RTS_OK;
    saved.cost = rts_alloc_zeroed(count, sizeof *saved.cost);
    if (saved.cost == NULL)
        return rts_fail_memory("saved costs", count * sizeof *saved.cost);
    memcpy(saved.cost, cost, count * sizeof *cost);
    saved.count = count;
    qsort(saved.cost, count, sizeof *saved.cost, compare);
    return RTS_OK;
}

void rts_saved_forget(void) {
    rts_free(saved.cost);
    memset(&saved, 0, sizeof saved);
}

double rts_saved_seconds(uint64_t loop, const char *forms, const char *plan, bool *is_kept_p) {
    double seconds = -1;
    size_t low = 0, high = saved.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (saved.cost[middle].loop < loop)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < saved.count && saved.cost[low].loop == loop; low++) {
        if (strcmp(saved.cost[low].forms, forms) != 0 || strcmp(saved.cost[low].plan, plan) != 0)
            continue;
        if (seconds < 0 || saved.cost[low].seconds < seconds)
            seconds = saved.cost[low].seconds;
        *is_kept_p = *is_kept_p || saved.cost[low].is_kept;
    }
    return seconds;
}
