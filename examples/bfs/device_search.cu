/* Searches by frontiers on a GPU: one kernel, whose blocks are all resident, makes all levels of a search. It decides about directions; nobody
 * waits for the host. What it does not decide: how wide levels are. It stops where they must become wider, and goes on when it is
 * called again.
 *
 * Blocks meet at a barrier after each step. What comes next is found by one thread of each block, from counters that stay as they are until all
 * have read them. While a frontier is small one block makes level after level, and the others wait.
 *
 * Top down a warp takes as many edges as any other: it finds where its own begin in the running sums of the queue. Bottom up a lane looks for
 * a neighbour of its vertex among the first ones, which lie so that the lanes of a warp read whole lines; few vertices have to look further, and
 * groups of lanes do that. Bits of what was visited serve as the frontier, too: who has not been visited has no neighbour that was visited
 * earlier than in the last level, or it would have been found. So there are two sets of bits, one that is read and the next. */
#include <dvmhx_run_cuda.h>

#include "examples/bfs/device.h"

#ifndef BFS_BLOCKS
#define BFS_BLOCKS 1
#endif

namespace {

typedef unsigned long long word64;

/* Threads of a block, and vertices that a warp keeps before they go into the queue. */
enum { BLOCK = 1024, BLOCKS = BFS_BLOCKS, STAGE = 64, WARPS = BLOCK / BFS_LANES };

/* When to change direction; see search_queue.c. */
enum { ALPHA = 15, BETA = 18, LEAD = 150 };

/* Edges of a frontier that one block goes through alone, and entries of a list that are worth a warp. */
enum { ALONE = 4096, LONG_LIST = 128 };

/* Lanes that look at a shorter one. */
enum { GROUP = 8 };

const uint32_t NONE = 0xffffffffu;
const word64 EDGES_MASK = ((word64)1 << BFS_DEVICE_EDGE_BITS) - 1;

/* By which blocks agree; zero when a kernel begins. The counter for arrivals has a line of its own. */
struct control_t {
    int arrived, gap[31];
    word64 tail[3];  /* a queue's vertices << BFS_DEVICE_EDGE_BITS | edges in their lists */
    word64 found[3]; /* bottom up */
};
static_assert(sizeof(control_t) <= BFS_CONTROL_WORDS * sizeof(int64_t) &&
                  sizeof(bfs_course_t) <= BFS_COURSE_WORDS * sizeof(int64_t),
              "room for both");

struct search_t {
    bfs_device_search_t given;
    const int64_t *out_offsets, *in_offsets;
    const uint32_t *out_targets, *in_targets;
    const uint4 *heads;
    void *level;
    uint32_t *parent; /* nullptr: not wanted */
    int64_t words; /* of a set of bits, the last one for `pad` */
    uint32_t pad;
    uint32_t *bits[2], *queue[2];
    word64 *prefix[2];
    bfs_course_t *course;
    control_t *control;
};

/* What a block shares. */
struct block_t {
    bfs_course_t course;
    word64 tail; /* of the next queue, when the block is alone */
    int generation;
    uint32_t stage[WARPS][STAGE];
};

DVMHX_DEVICE int lane_number() {
    return (int)(threadIdx.x % BFS_LANES);
}

DVMHX_DEVICE bool has_bit(const uint32_t *bits, uint32_t v) {
    return (bits[v / BFS_LANES] >> v % BFS_LANES & 1) != 0;
}

/* ---- what comes next ---- */

/* After a step, when its counters are there. */
DVMHX_DEVICE void advance(bfs_course_t &course, word64 tail, word64 found) {
    course.last = course.next;
    if (course.last == BFS_STEP_PULL || course.last == BFS_STEP_LEAD) {
        course.before = course.count;
        course.count = (int64_t)found;
        course.edges = 0;
    } else if (course.last != BFS_STEP_NONE) {
        course.count = (int64_t)(tail >> BFS_DEVICE_EDGE_BITS);
        course.edges = (int64_t)(tail & EDGES_MASK);
        course.queue ^= 1;
    }
    if (course.last == BFS_STEP_PULL)
        course.bits ^= 1;
    if (course.last != BFS_STEP_COLLECT)
        course.depth++;
}

DVMHX_DEVICE void choose(const search_t &search, bfs_course_t &course) {
    const bool has_queue = course.last != BFS_STEP_PULL && course.last != BFS_STEP_LEAD;

    course.is_alone = 0;
    course.is_paused = 0;
    if (course.count == 0 || (has_queue && course.edges == 0)) {
        course.next = BFS_STEP_END;
    } else if (course.last == BFS_STEP_PULL && course.count < course.before &&
               course.count <= search.given.linked / BETA) {
        course.next = BFS_STEP_COLLECT;
    } else if (course.depth > search.given.deepest) {
        course.next = BFS_STEP_END;
        course.is_paused = 1;
    } else if (!has_queue || (search.given.may_pull && course.edges > course.rest / ALPHA)) {
        course.next = BFS_STEP_PULL;
    } else {
        course.rest -= course.edges;
        course.is_alone = course.edges <= ALONE;
        course.next = search.given.may_pull && !course.is_alone && course.edges > course.rest / LEAD
                          ? BFS_STEP_LEAD
                          : BFS_STEP_EXPAND;
    }
}

/* What is done when all have met: nothing, the step has ended, or one block has made steps for all. */
enum meeting_t { MEET_ONLY, MEET_ADVANCE, MEET_TAKE };

/* All threads of all blocks wait for each other. What was written before is seen by all after it. */
DVMHX_DEVICE void meet(const search_t &search, block_t &block, meeting_t meeting) {
    __syncthreads();
    if (threadIdx.x == 0) {
        int *const arrived = &search.control->arrived;
        bfs_course_t &course = block.course;

        block.generation++;
        __threadfence();
        atomicAdd(arrived, 1);
        /* The counter may run over: what counts is the difference. */
        for (int tries = 0;
             (int)((unsigned)dvmhx_load_relaxed(arrived) - (unsigned)block.generation * gridDim.x) < 0; tries++)
            dvmhx_pause(tries);
        (void)dvmhx_load_acquire(arrived);
        if (meeting == MEET_TAKE) {
            course = *search.course;
        } else if (meeting == MEET_ADVANCE) {
            const int tail = course.tail;

            advance(course, search.control->tail[tail], search.control->found[tail]);
            course.tail = (tail + 1) % 3;
            choose(search, course);
        }
    }
    __syncthreads();
}

/* Counters of the step after this one: all have read what they were for two steps ago. */
DVMHX_DEVICE void clear_counters(const search_t &search, const bfs_course_t &course) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const int next = (course.tail + 1) % 3;

        search.control->tail[next] = 0;
        search.control->found[next] = 0;
    }
}

/* ---- queues ---- */

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

/* An edge. @return whether v is new */
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
        atomicMin(search.parent + v, u);
    }
    if ((*word & bit) != 0 || (atomicOr(word, bit) & bit) != 0)
        return false;
    *level = (Level)course.depth;
    return true;
}

/* Edges lo <= slot < hi of the queue. */
template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE void expand_range(const search_t &search, const bfs_course_t &course, word64 lo, word64 hi,
                               found_t &found) {
    const int lane = lane_number();
    const uint32_t *queue = search.queue[course.queue];
    const word64 *prefix = search.prefix[course.queue];
    int64_t at = find_slot(prefix, course.count, lo);

    for (; lo < hi; at += BFS_LANES) {
        /* 32 entries of the queue, one a lane: where their edges begin, from `lo` on. */
        const bool exists = at + lane < course.count;
        const word64 begin = exists ? prefix[at + lane] : (word64)course.edges;
        const uint32_t u = exists ? queue[at + lane] : 0;
        const int64_t from = exists ? search.out_offsets[u] - (int64_t)begin : 0;
        const word64 all = at + BFS_LANES < course.count ? prefix[at + BFS_LANES] : (word64)course.edges;
        const word64 end = all < hi ? all : hi;
        const word64 apart = begin > lo ? begin - lo : 0;
        const unsigned relative = apart < 0x7fffffff ? (unsigned)apart : 0x7fffffff;

        for (word64 base = lo; base < end; base += BFS_LANES) {
            const unsigned first = (unsigned)(base - lo), slot = first + (unsigned)lane;
            const int high = __popc(__ballot_sync(DVMHX_ALL_LANES, relative < first + BFS_LANES));
            int low = __popc(__ballot_sync(DVMHX_ALL_LANES, relative <= first)) - 1;
            const bool is_one_list = high - low == 1;
            uint32_t v = 0;
            bool is_new = false;

            /* The last entry low <= i < high that begins at or before the slot. */
            for (int step = is_one_list ? 0 : BFS_LANES / 2; step > 0; step /= 2) {
                const int middle = low + step;
                const unsigned there = __shfl_sync(DVMHX_ALL_LANES, relative, middle % BFS_LANES);

                low = middle < high && there <= slot ? middle : low;
            }
            const uint32_t source = __shfl_sync(DVMHX_ALL_LANES, u, low);
            const int64_t list = __shfl_sync(DVMHX_ALL_LANES, from, low);

            if (base + (word64)lane < end) {
                v = search.out_targets[list + (int64_t)base + lane];
                is_new = follow<Level, WITH_PARENTS>(search, course, source, v);
            }
            add_found(search, found, is_new, v);
        }
        lo = end;
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

/* ---- bottom up ---- */

/* Vertices of a word that have not found a neighbour among the first ones look at the others, `width` lanes a vertex. No list is longer than
 * the first one's, since vertices are in the order of degrees. @return bits of those that have found one */
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

/* The vertices of a word that have not been visited. @return bits of those that have a neighbour that was */
template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE uint32_t pull_word(const search_t &search, const bfs_course_t &course, const uint32_t *bits,
                                uint32_t first, uint32_t unseen
#ifdef BFS_AHEAD
                                , uint4 head
#endif
                                ) {
    const uint32_t v = first + (uint32_t)lane_number(), pad = search.pad;
    const bool is_mine = (unseen >> lane_number() & 1) != 0;
    bool is_found = false, has_more = false;

    if (is_mine) {
#ifndef BFS_AHEAD
        const uint4 head = search.heads[v];
#endif
#ifdef BFS_EARLY
        const bool x = has_bit(bits, head.x), y = has_bit(bits, head.y);
        const bool z = !x && !y && has_bit(bits, head.z), w = !x && !y && !z && has_bit(bits, head.w);
#else
        const bool x = has_bit(bits, head.x), y = has_bit(bits, head.y), z = has_bit(bits, head.z),
                   w = has_bit(bits, head.w);
#endif

        is_found = x || y || z || w;
        has_more = !is_found && head.w != pad;
        if (WITH_PARENTS && is_found)
            search.parent[v] = x ? head.x : y ? head.y : z ? head.z : head.w;
    }
    const uint32_t missing = __ballot_sync(DVMHX_ALL_LANES, has_more);
    uint32_t found = __ballot_sync(DVMHX_ALL_LANES, is_found);

    if (missing != 0)
        found |= look_further<WITH_PARENTS>(search, bits, first, missing);
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

#ifdef BFS_AHEAD
        uint4 head = make_uint4(0, 0, 0, 0);
        uint32_t first = 0, todo = 0;
        int at = 0;
        if (busy != 0) {
            at = __ffs((int)busy) - 1;
            first = (uint32_t)((from + at * warps) * BFS_LANES);
            todo = __shfl_sync(DVMHX_ALL_LANES, unseen, at);
            if (todo >> lane & 1)
                head = search.heads[first + lane];
        }
        while (busy != 0) {
            const uint4 head_now = head;
            const uint32_t first_now = first, todo_now = todo;
            const int at_now = at;
            busy &= busy - 1;
            if (busy != 0) {
                at = __ffs((int)busy) - 1;
                first = (uint32_t)((from + at * warps) * BFS_LANES);
                todo = __shfl_sync(DVMHX_ALL_LANES, unseen, at);
                if (todo >> lane & 1)
                    head = search.heads[first + lane];
            }
            const uint32_t found = pull_word<Level, WITH_PARENTS>(search, course, bits, first_now, todo_now, head_now);
            mine = lane == at_now ? found : mine;
        }
#else
        for (; busy != 0; busy &= busy - 1) {
            const int at = __ffs((int)busy) - 1;
            const uint32_t found = pull_word<Level, WITH_PARENTS>(
                search, course, bits, (uint32_t)((from + at * warps) * BFS_LANES),
                __shfl_sync(DVMHX_ALL_LANES, unseen, at));

            mine = lane == at ? found : mine;
        }
#endif
        if (word < words)
            next[word] = old | mine;
        count += __popc(mine);
    }
    const unsigned sum = __reduce_add_sync(DVMHX_ALL_LANES, (unsigned)count);
    if (lane == 0 && sum > 0)
        atomicAdd(&search.control->found[course.tail], (word64)sum);
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
            add_found(search, found, left != 0, (uint32_t)(word * BFS_LANES) + (uint32_t)(__ffs((int)left) - 1));
            left &= left - 1;
        }
    }
    if (found.count > 0)
        flush_found(search, found);
}

/* ---- a search ---- */

/* Levels and parents: 16 bytes a thread; whoever clears the root's sets it. */
template <typename Level> DVMHX_DEVICE void clear(const search_t &search, int64_t thread, int64_t threads) {
    const bfs_device_search_t &given = search.given;
    const int64_t of_level = sizeof(uint4) / sizeof(Level), of_parent = sizeof(uint4) / sizeof(uint32_t);
    const int64_t words = search.words;
    const uint4 ones = make_uint4(NONE, NONE, NONE, NONE);

    for (int64_t i = thread; i < given.level_count / of_level; i += threads) {
        ((uint4 *)search.level)[i] = ones;
        if (given.root / of_level == i)
            ((Level *)search.level)[given.root] = 0;
    }
    for (int64_t i = thread; search.parent != nullptr && i < given.level_count / of_parent; i += threads) {
        ((uint4 *)search.parent)[i] = ones;
        if (given.root / of_parent == i)
            search.parent[given.root] = (uint32_t)given.root;
    }
    for (int64_t i = thread; i < words; i += threads) {
        search.bits[0][i] = given.root / BFS_LANES == i ? 1u << given.root % BFS_LANES : 0;
        if (i == words - 1)
            search.bits[1][i] = 0;
    }
    if (thread == 0) {
        search.queue[0][0] = (uint32_t)given.root;
        search.prefix[0][0] = 0;
    }
}

/* A thread of each block: the course at the beginning, or where it was paused. */
DVMHX_DEVICE void begin(const search_t &search, block_t &block) {
    bfs_course_t &course = block.course;

    block.tail = 0;
    block.generation = 0;
    if (search.given.goes_on) {
        course = *search.course;
        choose(search, course);
        return;
    }
    course = bfs_course_t();
    course.depth = 1;
    course.count = 1;
    course.edges = search.given.root_edges;
    course.rest = search.given.rest;
    choose(search, course);
}

/* One block, level after level as long as they are small. */
template <typename Level, bool WITH_PARENTS>
DVMHX_DEVICE void expand_alone(const search_t &search, block_t &block) {
    bfs_course_t &course = block.course;

    while (course.next == BFS_STEP_EXPAND && course.is_alone) {
        expand<Level, WITH_PARENTS>(search, block, threadIdx.x / BFS_LANES, blockDim.x / BFS_LANES,
                                    &block.tail);
        __syncthreads();
        if (threadIdx.x == 0) {
            advance(course, block.tail, 0);
            choose(search, course);
            block.tail = 0;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *search.course = course;
}

template <typename Level, bool WITH_PARENTS>
__global__ void __launch_bounds__(BLOCK, BLOCKS) search_kernel(const __grid_constant__ search_t search) {
    __shared__ block_t block;
    const bfs_course_t &course = block.course;
    const int64_t warps_of_block = blockDim.x / BFS_LANES, warps = gridDim.x * warps_of_block,
                  warp = blockIdx.x + threadIdx.x / BFS_LANES * (int64_t)gridDim.x;

    if (threadIdx.x == 0)
        begin(search, block);
    if (!search.given.goes_on)
        clear<Level>(search, blockIdx.x * (int64_t)blockDim.x + threadIdx.x, gridDim.x * (int64_t)blockDim.x);
    meet(search, block, MEET_ONLY);
    while (course.next != BFS_STEP_END) {
        if (course.is_alone) {
            if (blockIdx.x == 0)
                expand_alone<Level, WITH_PARENTS>(search, block);
            meet(search, block, MEET_TAKE);
            continue;
        }
        clear_counters(search, course);
        if (course.next == BFS_STEP_EXPAND)
            expand<Level, WITH_PARENTS>(search, block, warp, warps, &search.control->tail[course.tail]);
        else if (course.next == BFS_STEP_LEAD)
            expand<Level, WITH_PARENTS>(search, block, warp, warps, &search.control->found[course.tail]);
        else if (course.next == BFS_STEP_PULL)
            pull<Level, WITH_PARENTS>(search, course, warp, warps);
        else
            collect(search, block, warp, warps);
        meet(search, block, MEET_ADVANCE);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *search.course = course;
}

/* ---- handlers ---- */

template <typename Level, bool WITH_PARENTS> void launch(const dvmhx_record_t *record, const search_t &given) {
    void (*const kernel)(const search_t) = search_kernel<Level, WITH_PARENTS>;
    const int64_t linked = given.given.linked;
    const int threads = linked < BLOCK ? (int)(linked + BFS_LANES - 1) / BFS_LANES * BFS_LANES : BLOCK;
    const int64_t most = (int64_t)dvmhx_resident_blocks(kernel, threads),
                  wanted = (linked + threads - 1) / threads;
    search_t search = given;
    void *arguments[] = {&search};
    cudaStream_t stream = (cudaStream_t)record->stream;

    if (cudaMemsetAsync(search.control, 0, sizeof(control_t), stream) != cudaSuccess)
        return;
    (void)cudaLaunchCooperativeKernel(kernel, dim3((unsigned)(wanted < most ? wanted : most)),
                                      dim3((unsigned)threads), arguments, 0, stream);
}

template <typename Level> void launch(const dvmhx_record_t *record, const search_t &search) {
    if (search.given.with_parents)
        launch<Level, true>(record, search);
    else
        launch<Level, false>(record, search);
}

} // namespace

extern "C" void bfs_cuda_search(const dvmhx_record_t *record, const bfs_device_search_t *given) {
    const dvmhx_array_t *arrays = record->arrays;
    const int64_t words = bfs_bit_words(given->linked);
    int at = BFS_SEARCH_FIXED;
    search_t search = {};

    search.given = *given;
    search.words = words;
    search.pad = bfs_pad(given->linked);
    search.out_offsets = search.in_offsets = (const int64_t *)arrays[BFS_SEARCH_OUT_OFFSETS].base;
    search.out_targets = search.in_targets = (const uint32_t *)arrays[BFS_SEARCH_OUT_TARGETS].base;
    if (given->is_directed) {
        search.in_offsets = (const int64_t *)arrays[at++].base;
        search.in_targets = (const uint32_t *)arrays[at++].base;
    }
    search.parent = given->with_parents ? (uint32_t *)arrays[at].base : nullptr;
    search.heads = (const uint4 *)arrays[BFS_SEARCH_HEADS].base;
    search.level = arrays[BFS_SEARCH_LEVEL].base;
    for (int i = 0; i < 2; i++) {
        search.bits[i] = (uint32_t *)arrays[BFS_SEARCH_BITS].base + i * words;
        search.queue[i] = (uint32_t *)arrays[BFS_SEARCH_QUEUES].base + i * given->linked;
        search.prefix[i] = (word64 *)arrays[BFS_SEARCH_PREFIXES].base + i * given->linked;
    }
    search.course = (bfs_course_t *)arrays[BFS_SEARCH_CONTROL].base;
    search.control = (control_t *)((int64_t *)arrays[BFS_SEARCH_CONTROL].base + BFS_COURSE_WORDS);
    if (given->level_bytes == 1)
        launch<uint8_t>(record, search);
    else if (given->level_bytes == 2)
        launch<uint16_t>(record, search);
    else
        launch<uint32_t>(record, search);
}
