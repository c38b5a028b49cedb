/* Bottom up, for device_search.cu: vertices that were not visited look for a neighbour that was. */
#ifndef BFS_DEVICE_PULL_H
#define BFS_DEVICE_PULL_H

#include "examples/bfs/device_course.h"

namespace {

/* Vertices of a word that have not found a neighbour among the first ones look at the others, `width` lanes a vertex. The first one's list
 * says how long lists are, since vertices are in the order of degrees; it is the longest where edges lead both ways.
 * @return bits of those that have found one */
template <bool WITH_PARENTS>
DVMHX_DEVICE uint32_t look_further(const search_t &search, const uint32_t *bits, uint32_t first,
                                   uint32_t missing) {
    const int lane = lane_number();
    const int64_t *longest = search.in_offsets + first + (__ffs((int)missing) - 1);
    const int width = longest[1] - longest[0] > LONG_LIST ? BFS_LANES : GROUP;
    const int group = lane / width, place = lane % width;
    const unsigned of_group = width == BFS_LANES ? DVMHX_ALL_LANES : ((1u << GROUP) - 1) << group * GROUP;
    uint32_t found = 0;

    while (missing != 0) {
        uint32_t mine = missing, hits = 0, u = 0;
        int64_t e = 0, end = 0;

        /* Vertex number `group` of those that are left. */
        for (int i = 0; i < group; i++)
            mine &= mine - 1;
        mine &= ~mine + 1;
        if (mine != 0) {
            const int64_t *list = search.in_offsets + first + (__ffs((int)mine) - 1);

            e = list[0] + BFS_HEADS + place;
            end = list[1];
        }
        for (;; e += width) {
            bool is_hit = false;

            if (hits == 0 && e < end) {
                u = search.in_targets[e];
                is_hit = has_bit(bits, u);
            }
            const unsigned now = __ballot_sync(DVMHX_ALL_LANES, is_hit) & of_group;
            hits = hits != 0 ? hits : now;
            if (__all_sync(DVMHX_ALL_LANES, hits != 0 || e - place + width >= end))
                break;
        }
        if (lane == __ffs((int)hits) - 1) {
            found |= mine;
            if (WITH_PARENTS)
                search.parent[first + (__ffs((int)mine) - 1)] = u;
        }
        for (int i = 0; i < BFS_LANES / width; i++)
            missing &= missing - 1;
    }
    return __reduce_or_sync(DVMHX_ALL_LANES, found);
}

/* A word whose vertices are about to be looked at: the lane that has it, its first vertex, those of them that were not visited, and the first
 * neighbours of the lane's own. */
struct ahead_t {
    int lane;
    uint32_t first, unseen;
    uint4 head;
};

/* The first of the words that `busy` names. */
DVMHX_DEVICE ahead_t look_ahead(const search_t &search, int64_t from, int64_t warps, uint32_t unseen,
                                unsigned busy) {
    ahead_t ahead = {};

    if (busy == 0)
        return ahead;
    ahead.lane = __ffs((int)busy) - 1;
    ahead.first = (uint32_t)((from + ahead.lane * warps) * BFS_LANES);
    ahead.unseen = __shfl_sync(DVMHX_ALL_LANES, unseen, ahead.lane);
    if ((ahead.unseen >> lane_number() & 1) != 0)
        ahead.head = search.heads[ahead.first + lane_number()];
    return ahead;
}

/* @return bits of those that have a neighbour that was visited */
template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE uint32_t pull_word(const search_t &search, const bfs_course_t &course, const uint32_t *bits,
                                const ahead_t &word) {
    const uint32_t v = word.first + (uint32_t)lane_number();
    bool is_found = false, has_more = false;

    if ((word.unseen >> lane_number() & 1) != 0) {
        const uint4 head = word.head;
        const bool x = has_bit(bits, head.x), y = has_bit(bits, head.y), z = has_bit(bits, head.z),
                   w = has_bit(bits, head.w);

        is_found = x || y || z || w;
        has_more = !is_found && head.w != search.pad;
        if (WITH_PARENTS && is_found)
            search.parent[v] = x ? head.x : y ? head.y : z ? head.z : head.w;
    }
    const uint32_t missing = __ballot_sync(DVMHX_ALL_LANES, has_more);
    uint32_t found = __ballot_sync(DVMHX_ALL_LANES, is_found);

    if (missing != 0)
        found |= look_further<WITH_PARENTS>(search, bits, word.first, missing);
    if ((found >> lane_number() & 1) != 0)
        ((Level *)search.level)[v] = (Level)course.depth;
    return found;
}

template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE void pull(const search_t &search, const bfs_course_t &course, int64_t warp, int64_t warps) {
    const int lane = lane_number();
    const uint32_t *bits = search.bits[course.bits];
    uint32_t *next = search.bits[course.bits ^ 1];
    const int64_t words = search.words - 1;
    int64_t count = 0;

    /* A lane has a word, 32 of them a warp; words next to each other go to different warps, so that all get vertices of all degrees. */
    for (int64_t from = warp; from < words; from += warps * BFS_LANES) {
        const int64_t word = from + lane * warps;
        const int64_t left = search.given.linked - word * BFS_LANES;
        const uint32_t linked = left >= BFS_LANES ? 0xffffffffu : left <= 0 ? 0 : (1u << left) - 1;
        const uint32_t old = word < words ? bits[word] : 0, unseen = ~old & linked;
        unsigned busy = __ballot_sync(DVMHX_ALL_LANES, unseen != 0);
        uint32_t mine = 0;

        /* Heads of the next word are on their way while this one's neighbours are looked at. */
        ahead_t ahead = look_ahead(search, from, warps, unseen, busy);
        while (busy != 0) {
            const ahead_t now = ahead;

            busy &= busy - 1;
            if (busy != 0)
                ahead = look_ahead(search, from, warps, unseen, busy);
            const uint32_t found = pull_word<Level, WITH_PARENTS>(search, course, bits, now);
            mine = lane == now.lane ? found : mine;
        }
        if (word < words)
            next[word] = old | mine;
        count += __popc(mine);
    }
    const unsigned sum = __reduce_add_sync(DVMHX_ALL_LANES, (unsigned)count);
    if (lane == 0 && sum > 0)
        atomicAdd(&search.control->found[course.tail], (word64)sum);
}

} // namespace

#endif
