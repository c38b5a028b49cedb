/* The course of a search in device_search.cu: what all of its kernel sees, which step follows which, and the barrier at which blocks meet.
 * For .cu files alone; all is local to one. */
#ifndef BFS_DEVICE_COURSE_H
#define BFS_DEVICE_COURSE_H

#include <dvmhx_run_cuda.h>

#include "examples/bfs/device.h"

namespace {

typedef unsigned long long word64;

/* Threads of a block, and vertices that a warp keeps before they go into the queue. */
enum { BLOCK = 1024, STAGE = 64, WARPS = BLOCK / BFS_LANES };

/* When to change direction, as in search_queue.c, with numbers that were best on an H200. LEAD: bottom up surely follows a frontier that has
 * more than 1 / LEAD of the edges not looked at. */
enum { ALPHA = 25, BETA = 100, LEAD = 300 };

/* Edges of a frontier that one block goes through alone, and entries of a list that are worth a warp. */
enum { ALONE = 4096, LONG_LIST = 128 };

/* Lanes that look at a shorter one. */
enum { GROUP = 8 };

const uint32_t NONE = 0xffffffffu;
const word64 EDGES_MASK = ((word64)1 << BFS_DEVICE_EDGE_BITS) - 1;

/* By which blocks agree. There are two, for searches in turn: a kernel clears the one that it does not use. The counter for arrivals has
 * a line of its own. */
struct control_t {
    int arrived, gap[31];
    word64 tail[3];  /* a queue's vertices << BFS_DEVICE_EDGE_BITS | edges in their lists */
    word64 found[3]; /* bottom up */
};
static_assert(2 * sizeof(control_t) <= BFS_CONTROL_WORDS * sizeof(int64_t) &&
                  sizeof(bfs_course_t) <= BFS_COURSE_WORDS * sizeof(int64_t),
              "room for both");

struct search_t {
    bfs_device_search_t given;
    const int64_t *out_offsets, *in_offsets;
    const uint32_t *out_targets, *in_targets;
    const uint4 *heads;
    void *level;
    uint32_t *parent; /* nullptr: not wanted */
    int64_t words;    /* of a set of bits, the last one for `pad` */
    uint32_t pad;
    uint32_t *bits[2], *queue[2];
    word64 *prefix[2];
    bfs_course_t *course;
    control_t *control, *next_control;
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
             (int)((unsigned)dvmhx_load_relaxed(arrived) - (unsigned)block.generation * gridDim.x) < 0;
             tries++)
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

} // namespace

#endif
