/* Dependence vectors: see the header. Tiles are boxes of `tile` iterations; a vector v reaches, along each dim, floor(v/T) or
 * one tile more, so the tiles waited for are the products of these choices over the dims. */
#include <config.h>

#include "rts/dependence.h"

#include <string.h>

#define ENTRY_LIMIT ((rts_index_t)1 << 31)
#define LAG_LIMIT   64

void rts_dependences_init(rts_dependences_t *dependences, int rank) {
    dependences->rank = rank;
    dependences->count = 0;
}

/* First dim with a nonzero component; rank when there is none. */
static int leading_dim(const rts_index_t vector[], int rank) {
    int dim = 0;
    while (dim < rank && vector[dim] == 0)
        dim++;
    return dim;
}

rts_status_t rts_dependences_add(rts_dependences_t *dependences, const rts_index_t vector[]) {
    const int rank = dependences->rank;
    const size_t bytes = (size_t)rank * sizeof(rts_index_t);
    const int lead = leading_dim(vector, rank);
    if (lead == rank || vector[lead] < 0)
        return rts_fail(RTS_ERR_INVALID,
                        "dependence vector %s: its first nonzero component must be positive, since an "
                        "iteration cannot need "
                        "one that runs after it",
                        lead == rank ? "of zeros" : "that points backwards");
    for (int dim = 0; dim < rank; dim++)
        if (vector[dim] >= ENTRY_LIMIT || vector[dim] <= -ENTRY_LIMIT)
            return rts_fail(RTS_ERR_INVALID,
                            "dependence vector with component %lld; allowed: below 2^31 in magnitude",
                            (long long)vector[dim]);
    for (int i = 0; i < dependences->count; i++)
        if (memcmp(dependences->vector[i], vector, bytes) == 0)
            return RTS_OK;
    if (dependences->count == RTS_MAX_DEPENDENCES)
        return rts_fail(RTS_ERR_INVALID, "more than %d dependence vectors", RTS_MAX_DEPENDENCES);
    memcpy(dependences->vector[dependences->count++], vector, bytes);
    return RTS_OK;
}

void rts_dependences_clip(rts_dependences_t *dependences, const rts_index_t count[]) {
    int kept = 0;
    for (int i = 0; i < dependences->count; i++) {
        bool reaches = true;
        for (int dim = 0; dim < dependences->rank; dim++) {
            const rts_index_t v = dependences->vector[i][dim];
            reaches = reaches && v < count[dim] && -v < count[dim];
        }
        if (reaches && kept++ != i)
            memcpy(dependences->vector[kept - 1], dependences->vector[i], sizeof dependences->vector[i]);
    }
    dependences->count = kept;
}

bool rts_dependences_is_free(const rts_dependences_t *dependences, int dim) {
    for (int i = 0; i < dependences->count; i++)
        if (dependences->vector[i][dim] != 0)
            return false;
    return true;
}

unsigned rts_dependences_carried(const rts_dependences_t *dependences) {
    unsigned mask = 0;
    for (int i = 0; i < dependences->count; i++)
        mask |= 1u << (dependences->rank - 1 - leading_dim(dependences->vector[i], dependences->rank));
    return mask;
}

/* From the innermost dim outwards: what the inner entries leave open for vectors that start in this dim, this dim pays. The entry of
 * unit_dim is 1 at least; -1: no such dim. */
static bool find_time(const rts_dependences_t *dependences, int unit_dim, rts_index_t time[]) {
    const int rank = dependences->rank;
    for (int dim = rank - 1; dim >= 0; dim--) {
        time[dim] = dim == unit_dim ? 1 : 0;
        for (int i = 0; i < dependences->count; i++) {
            const rts_index_t *vector = dependences->vector[i];
            if (leading_dim(vector, rank) != dim)
                continue;
            rts_index_t inner = 0;
            for (int other = dim + 1; other < rank; other++)
                if (__builtin_add_overflow(inner, time[other] * vector[other], &inner))
                    return false;
            time[dim] = rts_max(time[dim], rts_div_up(1 - inner, vector[dim]));
        }
        if (time[dim] >= ENTRY_LIMIT)
            return false;
    }
    return true;
}

bool rts_dependences_time_vector(const rts_dependences_t *dependences, rts_index_t time[]) {
    return find_time(dependences, -1, time);
}

bool rts_dependences_time_vector_at(const rts_dependences_t *dependences, int unit_dim, rts_index_t time[]) {
    return find_time(dependences, unit_dim, time) && time[unit_dim] == 1;
}

bool rts_dependences_lag(const rts_dependences_t *dependences, rts_index_t *lag_p) {
    const int rank = dependences->rank;
    rts_index_t lag = 0;
    if (rank < 2)
        return false;
    for (int i = 0; i < dependences->count; i++) {
        const rts_index_t *vector = dependences->vector[i];
        if (leading_dim(vector, rank) != rank - 2)
            continue; /* an outer dim keeps the order, or it is along the row itself */
        lag = rts_max(lag, rts_div_up(1 - vector[rank - 1], vector[rank - 2]));
    }
    if (lag > LAG_LIMIT)
        return false;
    *lag_p = lag;
    return true;
}

/* From the innermost dim outwards: the limit of a dim depends on which dims inside it are cut, after their own limits. */
void rts_dependences_limit_tile(const rts_dependences_t *dependences, const rts_index_t count[],
                                rts_index_t tile[]) {
    for (int lead = dependences->rank - 1; lead >= 0; lead--)
        for (int i = 0; i < dependences->count; i++) {
            const rts_index_t *vector = dependences->vector[i];
            if (leading_dim(vector, dependences->rank) != lead)
                continue;
            for (int dim = lead + 1; dim < dependences->rank; dim++)
                if (vector[dim] < 0 && tile[dim] < count[dim])
                    tile[lead] = rts_min(tile[lead], vector[lead]);
        }
}

/* Add an offset unless it is there. @return false when there is no room */
static bool add_offset(int8_t predecessor[][RTS_MAX_RANK], int *count, int limit, const int8_t offset[]) {
    for (int i = 0; i < *count; i++)
        if (memcmp(predecessor[i], offset, RTS_MAX_RANK) == 0)
            return true;
    if (*count == limit)
        return false;
    memcpy(predecessor[(*count)++], offset, RTS_MAX_RANK);
    return true;
}

/* Tiles away along one dim: [*near, *far], at most one apart, with the sign of v; only 0 where the dim is not cut. */
static bool reach(rts_index_t v, rts_index_t tile, rts_index_t count, rts_index_t *near, rts_index_t *far) {
    const rts_index_t tiles = rts_div_up(count, tile), size = v < 0 ? -v : v;
    *near = rts_min(size / tile, tiles - 1);
    *far = rts_min(rts_div_up(size, tile), tiles - 1);
    if (*far > INT8_MAX)
        return false;
    if (v < 0) {
        *near = -*near;
        *far = -*far;
    }
    return true;
}

static bool add_vector(const rts_index_t vector[], int rank, const rts_index_t count[],
                       const rts_index_t tile[], int limit, int8_t predecessor[][RTS_MAX_RANK], int *found) {
    rts_index_t near[RTS_MAX_RANK], far[RTS_MAX_RANK];
    for (int dim = 0; dim < rank; dim++)
        if (!reach(vector[dim], tile[dim], count[dim], &near[dim], &far[dim]))
            return false;
    for (unsigned choice = 0; choice < 1u << rank; choice++) {
        int8_t offset[RTS_MAX_RANK] = {0};
        int lead = rank;
        for (int dim = rank - 1; dim >= 0; dim--) {
            offset[dim] = (int8_t)((choice >> dim & 1) != 0 ? far[dim] : near[dim]);
            lead = offset[dim] != 0 ? dim : lead;
        }
        if (lead == rank)
            continue; /* inside the tile itself */
        if (offset[lead] < 0 || !add_offset(predecessor, found, limit, offset))
            return false;
    }
    return true;
}

/* True when a = b + c for another offset c of the set, all along the same directions: then the tile at b, which lies between,
 * has waited for the tile at a. */
static bool is_implied(int8_t predecessor[][RTS_MAX_RANK], int count, int a, int rank) {
    for (int b = 0; b < count; b++) {
        int8_t rest[RTS_MAX_RANK] = {0};
        bool between = b != a;
        for (int dim = 0; dim < rank && between; dim++) {
            const int whole = predecessor[a][dim], part = predecessor[b][dim];
            rest[dim] = (int8_t)(whole - part);
            between = whole >= 0 ? part >= 0 && part <= whole : part <= 0 && part >= whole;
        }
        for (int c = 0; c < count && between; c++)
            if (c != a && memcmp(predecessor[c], rest, RTS_MAX_RANK) == 0)
                return true;
    }
    return false;
}

int rts_dependences_predecessors(const rts_dependences_t *dependences, const rts_index_t count[],
                                 const rts_index_t tile[], int limit, int8_t predecessor[][RTS_MAX_RANK]) {
    int found = 0;
    for (int i = 0; i < dependences->count; i++)
        if (!add_vector(dependences->vector[i], dependences->rank, count, tile, limit, predecessor, &found))
            return -1;
    /* What implies an offset is nearer than it, so that implications never go round in a circle and the order is free. */
    for (int i = found - 1; i >= 0; i--)
        if (is_implied(predecessor, found, i, dependences->rank)) {
            found--;
            memcpy(predecessor[i], predecessor[found], RTS_MAX_RANK);
        }
    return found;
}
