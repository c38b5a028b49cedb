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
#include "examples/bfs/device_expand.h"
#include "examples/bfs/device_pull.h"

namespace {

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
__global__ void __launch_bounds__(BLOCK, 1) search_kernel(const __grid_constant__ search_t search) {
    __shared__ block_t block;
    const bfs_course_t &course = block.course;
    const int64_t warps_of_block = blockDim.x / BFS_LANES, warps = gridDim.x * warps_of_block,
                  warp = blockIdx.x + threadIdx.x / BFS_LANES * (int64_t)gridDim.x;

    if (threadIdx.x == 0)
        begin(search, block);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *search.next_control = control_t();
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

template <typename Level, bool WITH_PARENTS>
void launch(const dvmhx_record_t *record, const search_t &given) {
    void (*const kernel)(const search_t) = search_kernel<Level, WITH_PARENTS>;
    const int64_t linked = given.given.linked;
    const int threads = linked < BLOCK ? (int)(linked + BFS_LANES - 1) / BFS_LANES * BFS_LANES : BLOCK;
    const int64_t most = (int64_t)dvmhx_resident_blocks(kernel, threads),
                  wanted = (linked + threads - 1) / threads;
    search_t search = given;
    void *arguments[] = {&search};

    (void)cudaLaunchCooperativeKernel(kernel, dim3((unsigned)(wanted < most ? wanted : most)),
                                      dim3((unsigned)threads), arguments, 0, (cudaStream_t)record->stream);
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
    search.control =
        (control_t *)((int64_t *)arrays[BFS_SEARCH_CONTROL].base + BFS_COURSE_WORDS) + given->turn;
    search.next_control = search.control + (given->turn == 0 ? 1 : -1);
    if (given->level_bytes == 1)
        launch<uint8_t>(record, search);
    else if (given->level_bytes == 2)
        launch<uint16_t>(record, search);
    else
        launch<uint32_t>(record, search);
}
