/* Top down, for device_search.cu: queues of vertices with running sums of their edges, which many warps fill at a time, and a level from a queue. */
#ifndef BFS_DEVICE_EXPAND_H
#define BFS_DEVICE_EXPAND_H

#include "examples/bfs/device_course.h"

namespace {

/* Vertices that a warp has found, on their way into a queue. */
struct found_t {
    uint32_t *stage; /* in the block's memory; nullptr: they are counted only */
    int count;
    uint32_t *queue;
    word64 *prefix, *tail;
};

DVMHX_DEVICE word64 sum_up_to_lane(word64 value) {
    for (int step = 1; step < BFS_LANES; step *= 2) {
        const word64 before = __shfl_up_sync(DVMHX_ALL_LANES, value, step);

        value += lane_number() >= step ? before : 0;
    }
    return value;
}

DVMHX_DEVICE void flush_found(const search_t &search, found_t &found) {
    const int lane = lane_number();
    word64 length[STAGE / BFS_LANES], until[STAGE / BFS_LANES], all = 0, at = 0;

    if (found.stage == nullptr) {
        if (lane == 0)
            atomicAdd(found.tail, (word64)found.count);
        return;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < STAGE / BFS_LANES; i++) {
        const int entry = i * BFS_LANES + lane;

        length[i] = 0;
        if (entry < found.count) {
            const int64_t *offset = search.out_offsets + found.stage[entry];

            length[i] = (word64)(offset[1] - offset[0]);
        }
        until[i] = all + sum_up_to_lane(length[i]);
        all = __shfl_sync(DVMHX_ALL_LANES, until[i], BFS_LANES - 1);
    }
    if (lane == 0)
        at = atomicAdd(found.tail, (word64)found.count << BFS_DEVICE_EDGE_BITS | all);
    at = __shfl_sync(DVMHX_ALL_LANES, at, 0);
#pragma unroll
    for (int i = 0; i < STAGE / BFS_LANES; i++) {
        const int entry = i * BFS_LANES + lane;

        if (entry < found.count) {
            const word64 place = (at >> BFS_DEVICE_EDGE_BITS) + (word64)entry;

            found.queue[place] = found.stage[entry];
            found.prefix[place] = (at & EDGES_MASK) + until[i] - length[i];
        }
    }
    __syncwarp();
    found.count = 0;
}

/* A vertex of each lane, or none. All lanes together. */
DVMHX_DEVICE void add_found(const search_t &search, found_t &found, bool has_one, uint32_t v) {
    const unsigned mask = __ballot_sync(DVMHX_ALL_LANES, has_one), below = (1u << lane_number()) - 1;

    if (mask == 0)
        return;
    if (found.stage != nullptr && found.count + __popc(mask) > STAGE)
        flush_found(search, found);
    if (found.stage != nullptr && has_one)
        found.stage[found.count + __popc(mask & below)] = v;
    found.count += __popc(mask);
}

/* The last entry whose edges begin at or before `slot`; a warp looks at 32 places at a time. */
DVMHX_DEVICE int64_t find_slot(const word64 *prefix, int64_t count, word64 slot) {
    int64_t low = 0, high = count; /* prefix[low] <= slot < prefix[high] */

    while (high - low > 1) {
        const int64_t step = (high - low + BFS_LANES - 1) / BFS_LANES, place = low + step * lane_number();
        const bool is_before = place < high && prefix[place] <= slot;
        const int last = __popc(__ballot_sync(DVMHX_ALL_LANES, is_before)) - 1;

        low += step * last;
        high = low + step < high ? low + step : high;
    }
    return low;
}

/* ---- top down ---- */

/* An edge. @return whether v is new; of LEAD whether v was not known before this level, since several may say so, and nobody waits for an answer.
 * Bits of earlier levels are seen by all, so a vertex of an earlier level is never taken for new. */
template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE bool follow(const search_t &search, const bfs_course_t &course, uint32_t u, uint32_t v) {
    Level *const level = (Level *)search.level + v;
    uint32_t *const word = search.bits[course.bits] + v / BFS_LANES;
    const uint32_t bit = 1u << v % BFS_LANES;

    if (WITH_PARENTS) {
        /* The first of all neighbours in the frontier becomes the parent, whoever finds v. */
        const Level known = *level;

        if (known != (Level)-1 && known != (Level)course.depth)
            return false;
        if (search.parent[v] > u)
            atomicMin(search.parent + v, u);
        if (known != (Level)-1)
            return false;
    }
    if ((*word & bit) != 0)
        return false;
    if (course.next == BFS_STEP_LEAD)
        atomicOr(word, bit);
    else if ((atomicOr(word, bit) & bit) != 0)
        return false;
    *level = (Level)course.depth;
    return true;
}

/* 32 entries of a queue, one a lane. */
struct entries_t {
    uint32_t u;
    int64_t from;      /* what makes a slot the place of a target */
    unsigned relative; /* where its edges begin, from `lo` on; 0x7fffffff: that or more */
    word64 lo, end;    /* slots of all of them that are wanted */
};

DVMHX_DEVICE entries_t read_entries(const search_t &search, const bfs_course_t &course, int64_t at, word64 lo,
                                    word64 hi) {
    const uint32_t *queue = search.queue[course.queue];
    const word64 *prefix = search.prefix[course.queue];
    const bool exists = at + lane_number() < course.count;
    const word64 begin = exists ? prefix[at + lane_number()] : (word64)course.edges;
    const word64 all = at + BFS_LANES < course.count ? prefix[at + BFS_LANES] : (word64)course.edges;
    const word64 apart = begin > lo ? begin - lo : 0;
    entries_t entries;

    entries.u = exists ? queue[at + lane_number()] : 0;
    entries.from = exists ? search.out_offsets[entries.u] - (int64_t)begin : 0;
    entries.relative = apart < 0x7fffffff ? (unsigned)apart : 0x7fffffff;
    entries.lo = lo;
    entries.end = all < hi ? all : hi;
    return entries;
}

struct edge_t {
    uint32_t u, v;
    bool exists;
};

/* The edge of each lane at slot base + lane. */
DVMHX_DEVICE edge_t read_edge(const search_t &search, const entries_t &entries, word64 base) {
    const unsigned first = (unsigned)(base - entries.lo), slot = first + (unsigned)lane_number();
    const int high = __popc(__ballot_sync(DVMHX_ALL_LANES, entries.relative < first + BFS_LANES));
    int low = __popc(__ballot_sync(DVMHX_ALL_LANES, entries.relative <= first)) - 1;
    const bool is_one_list = high - low == 1;
    edge_t edge = {};

    /* The last entry low <= i < high that begins at or before the slot. */
    for (int step = is_one_list ? 0 : BFS_LANES / 2; step > 0; step /= 2) {
        const int middle = low + step;
        const unsigned there = __shfl_sync(DVMHX_ALL_LANES, entries.relative, middle % BFS_LANES);

        low = middle < high && there <= slot ? middle : low;
    }
    edge.u = __shfl_sync(DVMHX_ALL_LANES, entries.u, low);
    const int64_t from = __shfl_sync(DVMHX_ALL_LANES, entries.from, low);
    edge.exists = base + (word64)lane_number() < entries.end;
    if (edge.exists)
        edge.v = search.out_targets[from + (int64_t)base + lane_number()];
    return edge;
}

/* Edges lo <= slot < hi of the queue. Those that come next are on their way while one is followed. */
template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE void expand_range(const search_t &search, const bfs_course_t &course, word64 lo, word64 hi,
                               found_t &found) {
    int64_t at = find_slot(search.prefix[course.queue], course.count, lo);

    for (; lo < hi; at += BFS_LANES) {
        const entries_t entries = read_entries(search, course, at, lo, hi);
        edge_t next = {};

        if (lo < entries.end)
            next = read_edge(search, entries, lo);
        for (; lo < entries.end; lo += BFS_LANES) {
            const edge_t edge = next;

            if (lo + BFS_LANES < entries.end)
                next = read_edge(search, entries, lo + BFS_LANES);
            const bool is_new = edge.exists && follow<Level, WITH_PARENTS>(search, course, edge.u, edge.v);
            add_found(search, found, is_new, edge.v);
        }
        lo = entries.end;
    }
}

/* A level: the part of one warp. @param tail  of the next queue; of LEAD: where what is found is counted */
template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE void expand(const search_t &search, block_t &block, int64_t warp, int64_t warps, word64 *tail) {
    const bfs_course_t &course = block.course;
    const int next = course.queue ^ 1;
    const int64_t share = ((course.edges + warps - 1) / warps + BFS_LANES - 1) / BFS_LANES * BFS_LANES,
                  lo = warp * share, hi = lo + share < course.edges ? lo + share : course.edges;
    uint32_t *stage = course.next == BFS_STEP_LEAD ? nullptr : block.stage[threadIdx.x / BFS_LANES];
    found_t found = {stage, 0, search.queue[next], search.prefix[next], tail};

    if (lo >= hi)
        return;
    expand_range<Level, WITH_PARENTS>(search, course, (word64)lo, (word64)hi, found);
    if (found.count > 0)
        flush_found(search, found);
}

/* What was found bottom up becomes a queue. */
DVMHX_DEVICE void collect(const search_t &search, block_t &block, int64_t warp, int64_t warps) {
    const bfs_course_t &course = block.course;
    const uint32_t *now = search.bits[course.bits], *before = search.bits[course.bits ^ 1];
    const int64_t words = search.words - 1;
    const int next = course.queue ^ 1;
    found_t found = {block.stage[threadIdx.x / BFS_LANES], 0, search.queue[next], search.prefix[next],
                     &search.control->tail[course.tail]};

    for (int64_t from = warp * BFS_LANES; from < words; from += warps * BFS_LANES) {
        const int64_t word = from + lane_number();
        uint32_t left = word < words ? now[word] & ~before[word] : 0;

        while (__any_sync(DVMHX_ALL_LANES, left != 0)) {
            add_found(search, found, left != 0,
                      (uint32_t)(word * BFS_LANES) + (uint32_t)(__ffs((int)left) - 1));
            left &= left - 1;
        }
    }
    if (found.count > 0)
        flush_found(search, found);
}

} // namespace

#endif
