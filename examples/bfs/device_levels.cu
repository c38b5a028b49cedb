/* Loops of a search that several processes share, each with a GPU of its own: what one of them does between two exchanges of bits. The
 * same loops as on the host, see search_queue.c, which decides what follows what. A search of one process is one kernel, see
 * device_search.cu. */
#include <dvmhx_run_cuda.h>

#include "examples/bfs/device.h"
#include "examples/bfs/find.h"

namespace {

typedef unsigned long long word64;

enum { THREADS = 256 };

/* Numbers of the tail of a queue. */
enum { TAIL_COUNT, TAIL_EDGES, TAIL_BOTH };

const word64 EDGES_MASK = ((word64)1 << BFS_DEVICE_EDGE_BITS) - 1;

DVMHX_DEVICE int64_t thread_number() {
    return blockIdx.x * (int64_t)THREADS + threadIdx.x;
}

struct expanding_t {
    expand_t given;
    int64_t edges;
    const int64_t *offsets, *prefix;
    const uint32_t *targets, *queue;
    uint32_t *visited, *next_queue;
    void *level;
    word64 *tail;
};

/* Top down: an edge a thread. */
template <typename Level>
__global__ void __launch_bounds__(THREADS) expand_kernel(const __grid_constant__ expanding_t e) {
    const int64_t slot = thread_number();

    if (slot >= e.edges)
        return;
    const int64_t at = find_slot(e.prefix, e.given.queue_count, slot);
    const uint32_t v = e.targets[e.offsets[e.queue[at]] + (slot - e.prefix[at])];
    uint32_t *const word = e.visited + v / BFS_LANES;
    const uint32_t bit = 1u << v % BFS_LANES;

    if ((*word & bit) != 0 || (atomicOr(word, bit) & bit) != 0)
        return;
    ((Level *)e.level)[v] = (Level)e.given.depth;
    e.next_queue[atomicAdd(e.tail + TAIL_COUNT, 1ull)] = v;
}

struct pulling_t {
    pull_t given;
    const int64_t *offsets;
    const uint32_t *targets, *front;
    uint32_t *next, *visited, *parent; /* parent nullptr: not wanted */
    void *level;
    char *sums; /* a slot for each block */
    int64_t bytes;
};

/* Bottom up: a vertex a lane, a word of bits a warp. */
template <typename Level>
__global__ void __launch_bounds__(THREADS) pull_kernel(const __grid_constant__ pulling_t p) {
    __shared__ unsigned all;
    const int64_t warps = gridDim.x * (int64_t)(THREADS / BFS_LANES), end = 2 * p.given.end;
    const int lane = threadIdx.x % BFS_LANES;
    unsigned count = 0;

    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    for (int64_t word = 2 * p.given.begin + thread_number() / BFS_LANES; word < end; word += warps) {
        const int64_t v = word * BFS_LANES + lane, list = v - p.given.first;
        const uint32_t old = p.visited[word];
        bool is_found = false;

        if (v < p.given.linked && (old >> lane & 1) == 0) {
            const int64_t last = p.offsets[list + 1];

            for (int64_t e = p.offsets[list]; e < last && !is_found; e++) {
                const uint32_t u = p.targets[e];

                is_found = (p.front[u / BFS_LANES] >> u % BFS_LANES & 1) != 0;
                if (is_found && p.parent != nullptr)
                    p.parent[v] = u;
            }
            if (is_found)
                ((Level *)p.level)[v] = (Level)p.given.depth;
        }
        const uint32_t found = __ballot_sync(DVMHX_ALL_LANES, is_found);
        if (lane == 0 && found != 0) {
            p.next[word] |= found;
            p.visited[word] = old | found;
            count += (unsigned)__popc(found);
        }
    }
    if (count > 0)
        atomicAdd(&all, count);
    __syncthreads();
    if (threadIdx.x == 0)
        *(int64_t *)(p.sums + blockIdx.x * p.bytes) += all;
}

/* A queue becomes bits: an entry a thread. */
__global__ void __launch_bounds__(THREADS)
    set_bits_kernel(const uint32_t *queue, uint32_t *bits, int64_t count) {
    const int64_t i = thread_number();

    if (i < count)
        atomicOr(bits + queue[i] / BFS_LANES, 1u << queue[i] % BFS_LANES);
}

struct taking_t {
    pull_t given;
    const word64 *bits, *has_list; /* has_list nullptr: every vertex has a list of its own number */
    const int64_t *lists_before, *offsets;
    uint32_t *queue;
    int64_t *prefix;
    word64 *tail;
};

DVMHX_DEVICE int64_t list_number(const taking_t &t, int64_t word, int bit) {
    return t.has_list == nullptr
               ? word * 64 + bit
               : t.lists_before[word] + __popcll(t.has_list[word] & (((word64)1 << bit) - 1));
}

/* Bits become a queue: a word a thread, which takes room for all of its vertices at once. */
__global__ void __launch_bounds__(THREADS) take_bits_kernel(const __grid_constant__ taking_t t) {
    const int64_t word = t.given.begin + thread_number();

    if (word >= t.given.end)
        return;
    const word64 mask = t.bits[word] & (t.has_list != nullptr ? t.has_list[word] : ~(word64)0);
    word64 edges = 0;

    for (word64 left = mask; left != 0; left &= left - 1) {
        const int64_t list = list_number(t, word, __ffsll((long long)left) - 1);

        edges += (word64)(t.offsets[list + 1] - t.offsets[list]);
    }
    if (mask == 0)
        return;
    const word64 both = atomicAdd(t.tail + TAIL_BOTH, (word64)__popcll(mask) << BFS_DEVICE_EDGE_BITS | edges);
    int64_t place = (int64_t)(both >> BFS_DEVICE_EDGE_BITS), before = (int64_t)(both & EDGES_MASK);
    for (word64 left = mask; left != 0; left &= left - 1) {
        const int64_t list = list_number(t, word, __ffsll((long long)left) - 1);

        t.queue[place] = (uint32_t)list;
        t.prefix[place++] = before;
        before += t.offsets[list + 1] - t.offsets[list];
    }
}

/* The tail as the host reads it. */
__global__ void split_tail_kernel(word64 *tail) {
    tail[TAIL_COUNT] = tail[TAIL_BOTH] >> BFS_DEVICE_EDGE_BITS;
    tail[TAIL_EDGES] = tail[TAIL_BOTH] & EDGES_MASK;
    tail[TAIL_BOTH] = 0;
}

dim3 blocks_for(int64_t threads) {
    return dim3((unsigned)(threads < 1 ? 1 : (threads + THREADS - 1) / THREADS));
}

} // namespace

extern "C" void bfs_cuda_expand(const dvmhx_record_t *record, const expand_t *given) {
    const dvmhx_array_t *arrays = record->arrays;
    const expanding_t e = {*given,
                           record->count[0],
                           (const int64_t *)arrays[0].base,
                           (const int64_t *)arrays[3].base,
                           (const uint32_t *)arrays[1].base,
                           (const uint32_t *)arrays[2].base,
                           (uint32_t *)arrays[4].base,
                           (uint32_t *)arrays[6].base,
                           arrays[5].base,
                           (word64 *)arrays[8].base};
    const auto kernel = given->level_bytes == 1   ? expand_kernel<uint8_t>
                        : given->level_bytes == 2 ? expand_kernel<uint16_t>
                                                  : expand_kernel<uint32_t>;

    dvmhx_start_kernel(kernel, blocks_for(e.edges), dim3(THREADS), record->stream, e);
}

extern "C" void bfs_cuda_pull(const dvmhx_record_t *record, const pull_t *given) {
    const dvmhx_array_t *arrays = record->arrays;
    const dvmhx_slots_t *slots = record->launch->slots;
    const pulling_t p = {*given,
                         (const int64_t *)arrays[0].base,
                         (const uint32_t *)arrays[1].base,
                         (const uint32_t *)arrays[2].base,
                         (uint32_t *)arrays[3].base,
                         (uint32_t *)arrays[4].base,
                         given->with_parents ? (uint32_t *)arrays[6].base : nullptr,
                         arrays[5].base,
                         (char *)slots[0].values,
                         slots[0].value_bytes};
    const auto kernel = given->level_bytes == 1   ? pull_kernel<uint8_t>
                        : given->level_bytes == 2 ? pull_kernel<uint16_t>
                                                  : pull_kernel<uint32_t>;
    const int64_t wanted = blocks_for(2 * (given->end - given->begin) * BFS_LANES).x,
                  most = record->launch->block_limit;

    dvmhx_start_kernel(kernel, dim3((unsigned)(wanted < most ? wanted : most)), dim3(THREADS), record->stream,
                       p);
}

extern "C" void bfs_cuda_set_bits(const dvmhx_record_t *record, const void *) {
    dvmhx_start_kernel(set_bits_kernel, blocks_for(record->count[0]), dim3(THREADS), record->stream,
                       (const uint32_t *)record->arrays[0].base, (uint32_t *)record->arrays[1].base,
                       (int64_t)record->count[0]);
}

extern "C" void bfs_cuda_take_bits(const dvmhx_record_t *record, const pull_t *given) {
    const dvmhx_array_t *arrays = record->arrays;
    const taking_t t = {*given,
                        (const word64 *)arrays[0].base,
                        given->is_ranked ? (const word64 *)arrays[5].base : nullptr,
                        given->is_ranked ? (const int64_t *)arrays[6].base : nullptr,
                        (const int64_t *)arrays[4].base,
                        (uint32_t *)arrays[1].base,
                        (int64_t *)arrays[3].base,
                        (word64 *)arrays[2].base};

    dvmhx_start_kernel(take_bits_kernel, blocks_for(given->end - given->begin), dim3(THREADS), record->stream,
                       t);
    dvmhx_start_kernel(split_tail_kernel, dim3(1), dim3(1), record->stream, t.tail);
}
