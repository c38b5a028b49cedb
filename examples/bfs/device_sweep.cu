/* The loops of sweeps on a GPU; see search_sweep.c. A block takes a run of edges, which may reach over several tiles. Whether levels that
 * are only read go through the cache for such data (ld.global.nc) is what `restrict` decides; that edges of a tile find their levels in a
 * multiprocessor's first cache is what `cache` does. Here too: parents, for sweeps, and the table of all handlers. */
#include <dvmhx_run_cuda.h>

#include "examples/bfs/device.h"
#include "examples/bfs/find.h"

namespace {

/* Threads of a block, and edges that a thread takes of a run. */
enum { THREADS = 256, EDGES = 16, RUN = THREADS * EDGES };

const uint32_t NONE = 0xffffffffu;

struct sweep_t {
    bfs_sweep_parameters_t given;
    const int64_t *tiles;
    const uint32_t *from, *to; /* packed: both in `from` */
    const void *level;
    void *target;  /* of what is found: levels, or bytes when levels are only read */
    char *sums;    /* a slot for each block */
    int64_t bytes; /* of a slot */
};

/* @return 1 when the edge leads to a vertex not reached before */
template <typename Level, bool READ_ONLY>
DVMHX_DEVICE int look(const sweep_t &sweep, int64_t from, int64_t to) {
    const Level *level = (const Level *)sweep.level;
    const Level above = (Level)(sweep.given.depth - 1);

    if (READ_ONLY) {
        if (__ldg(level + from) != above || __ldg(level + to) != (Level)-1)
            return 0;
        ((uint8_t *)sweep.target)[to] = 1;
    } else {
        if (level[from] != above || level[to] != (Level)-1)
            return 0;
        ((Level *)sweep.target)[to] = (Level)sweep.given.depth;
    }
    return 1;
}

template <typename Level, bool READ_ONLY, bool PACKED>
__global__ void __launch_bounds__(THREADS) sweep_kernel(const __grid_constant__ sweep_t sweep) {
    __shared__ int all;
    int count = 0;

    for (int64_t run = blockIdx.x; run * RUN < sweep.given.edges; run += gridDim.x) {
        const int64_t wanted = (run + 1) * RUN, end = wanted < sweep.given.edges ? wanted : sweep.given.edges;
        int64_t begin = run * RUN;

        for (int64_t at = find_tile(sweep.tiles, sweep.given.tiles, begin); begin < end; at++) {
            const int64_t *tile = sweep.tiles + 3 * at;
            const int64_t stop = tile[3] < end ? tile[3] : end;

            for (int64_t e = begin + threadIdx.x; e < stop; e += THREADS) {
                const uint32_t u = __ldg(sweep.from + e);
                const uint32_t from = PACKED ? u & 0xffff : u, to = PACKED ? u >> 16 : __ldg(sweep.to + e);

                count += look<Level, READ_ONLY>(sweep, tile[1] + from, tile[2] + to);
            }
            begin = stop;
        }
    }
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    count = (int)__reduce_add_sync(DVMHX_ALL_LANES, (unsigned)count);
    if (threadIdx.x % BFS_LANES == 0 && count > 0)
        atomicAdd(&all, count);
    __syncthreads();
    if (threadIdx.x == 0)
        *(int64_t *)(sweep.sums + blockIdx.x * sweep.bytes) += all;
}

/* What a sweep has found becomes levels; four vertices a thread. */
template <typename Level>
__global__ void __launch_bounds__(THREADS)
    merge_kernel(uint32_t *found, Level *level, int64_t words, int64_t depth) {
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;

    if (i >= words || found[i] == 0)
        return;
    for (int k = 0; k < 4; k++)
        if ((found[i] >> 8 * k & 0xff) != 0)
            level[4 * i + k] = (Level)depth;
    found[i] = 0;
}

/* The first neighbour one level above; a warp looks for it. The first list is that of vertex `begin`. */
template <typename Level>
__global__ void __launch_bounds__(THREADS)
    parents_kernel(const int64_t *offsets, const uint32_t *targets, const Level *level, uint32_t *parent,
                   int64_t begin, int64_t count) {
    const int64_t warps = gridDim.x * (int64_t)(THREADS / BFS_LANES);
    const int lane = threadIdx.x % BFS_LANES;

    for (int64_t i = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / BFS_LANES; i < count; i += warps) {
        const int64_t v = begin + i, end = offsets[i + 1];
        const Level own = level[v];
        uint32_t u = 0;
        unsigned hits = 0;

        if (own == (Level)-1 || parent[v] != NONE)
            continue;
        if (own == 0) {
            if (lane == 0)
                parent[v] = (uint32_t)v;
            continue;
        }
        for (int64_t e = offsets[i]; e < end && hits == 0; e += BFS_LANES) {
            const bool exists = e + lane < end;

            u = exists ? targets[e + lane] : 0;
            hits = __ballot_sync(DVMHX_ALL_LANES, exists && level[u] == (Level)(own - 1));
        }
        if (hits != 0 && lane == __ffs((int)hits) - 1)
            parent[v] = u;
    }
}

/* 16 bytes a thread; who clears the root's element sets it. */
template <typename Element>
__global__ void __launch_bounds__(THREADS)
    clear_kernel(uint4 *memory, int64_t words, int64_t root, Element of_root) {
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;

    if (i >= words)
        return;
    memory[i] = make_uint4(NONE, NONE, NONE, NONE);
    if (root / (int64_t)(sizeof(uint4) / sizeof(Element)) == i)
        ((Element *)memory)[root] = of_root;
}

/* ---- handlers ---- */

unsigned blocks_for(int64_t count, int64_t most) {
    return (unsigned)(count < 1 ? 1 : count < most ? count : most);
}

template <typename Level, bool READ_ONLY, bool PACKED>
void launch_sweep(const dvmhx_record_t *record, const sweep_t &sweep) {
    const int64_t runs = (sweep.given.edges + RUN - 1) / RUN;
    const auto kernel = sweep_kernel<Level, READ_ONLY, PACKED>;

    dvmhx_start_kernel(kernel, dim3(blocks_for(runs, record->launch->block_limit)), dim3(THREADS),
                       record->stream, sweep);
}

template <typename Level> void start_sweep(const dvmhx_record_t *record, const sweep_t &sweep) {
    if (sweep.given.is_read_only && sweep.given.is_packed)
        launch_sweep<Level, true, true>(record, sweep);
    else if (sweep.given.is_read_only)
        launch_sweep<Level, true, false>(record, sweep);
    else if (sweep.given.is_packed)
        launch_sweep<Level, false, true>(record, sweep);
    else
        launch_sweep<Level, false, false>(record, sweep);
}

template <typename Level>
void start_merge(const dvmhx_record_t *record, const bfs_sweep_parameters_t *given) {
    const int64_t words = (given->linked + 3) / 4;

    dvmhx_start_kernel(merge_kernel<Level>, dim3(blocks_for((words + THREADS - 1) / THREADS, INT32_MAX)),
                       dim3(THREADS), record->stream, (uint32_t *)record->arrays[0].base,
                       (Level *)record->arrays[1].base, words, given->depth);
}

template <typename Level>
void start_parents(const dvmhx_record_t *record, const bfs_sweep_parameters_t *given) {
    const dvmhx_array_t *arrays = record->arrays;
    const int64_t warps = THREADS / BFS_LANES;

    dvmhx_start_kernel(parents_kernel<Level>,
                       dim3(blocks_for((record->count[0] + warps - 1) / warps, 1 << 16)), dim3(THREADS),
                       record->stream, (const int64_t *)arrays[0].base, (const uint32_t *)arrays[1].base,
                       (const Level *)arrays[2].base, (uint32_t *)arrays[3].base, given->begin,
                       (int64_t)record->count[0]);
}

template <typename Element>
void start_clear(const dvmhx_record_t *record, int number, const bfs_sweep_parameters_t *given,
                 Element of_root) {
    const int64_t words = given->level_count * (int64_t)sizeof(Element) / (int64_t)sizeof(uint4);

    dvmhx_start_kernel(clear_kernel<Element>, dim3(blocks_for((words + THREADS - 1) / THREADS, INT32_MAX)),
                       dim3(THREADS), record->stream, (uint4 *)record->arrays[number].base, words,
                       given->root, of_root);
}

void run_clear(const dvmhx_record_t *record, const bfs_sweep_parameters_t *given) {
    if (given->level_bytes == 1)
        start_clear<uint8_t>(record, 0, given, 0);
    else if (given->level_bytes == 2)
        start_clear<uint16_t>(record, 0, given, 0);
    else
        start_clear<uint32_t>(record, 0, given, 0);
    if (given->with_parents)
        start_clear<uint32_t>(record, 1, given, (uint32_t)given->root);
}

template <typename Parameters>
DvmHandlerFunc handler(void (*function)(const dvmhx_record_t *, const Parameters *)) {
    return (DvmHandlerFunc)(void (*)(void))function;
}

void run_nothing(const dvmhx_record_t *, const void *) {}

void run_sweep(const dvmhx_record_t *record, const bfs_sweep_parameters_t *given) {
    const dvmhx_array_t *arrays = record->arrays;
    const dvmhx_slots_t *slots = record->launch->slots;
    const int level = given->is_packed ? 2 : 3;
    sweep_t sweep = {*given,
                     (const int64_t *)arrays[0].base,
                     (const uint32_t *)arrays[1].base,
                     given->is_packed ? nullptr : (const uint32_t *)arrays[2].base,
                     arrays[level].base,
                     given->is_read_only ? arrays[level + 1].base : arrays[level].base,
                     (char *)slots[0].values,
                     slots[0].value_bytes};

    if (given->level_bytes == 1)
        start_sweep<uint8_t>(record, sweep);
    else if (given->level_bytes == 2)
        start_sweep<uint16_t>(record, sweep);
    else
        start_sweep<uint32_t>(record, sweep);
}

void run_merge(const dvmhx_record_t *record, const bfs_sweep_parameters_t *given) {
    if (given->level_bytes == 1)
        start_merge<uint8_t>(record, given);
    else if (given->level_bytes == 2)
        start_merge<uint16_t>(record, given);
    else
        start_merge<uint32_t>(record, given);
}

void run_parents(const dvmhx_record_t *record, const bfs_sweep_parameters_t *given) {
    if (given->level_bytes == 1)
        start_parents<uint8_t>(record, given);
    else if (given->level_bytes == 2)
        start_parents<uint16_t>(record, given);
    else
        start_parents<uint32_t>(record, given);
}

} // namespace

extern "C" void bfs_cuda_search(const dvmhx_record_t *record, const bfs_device_search_t *given);
extern "C" void bfs_cuda_expand(const dvmhx_record_t *record, const expand_t *given);
extern "C" void bfs_cuda_pull(const dvmhx_record_t *record, const pull_t *given);
extern "C" void bfs_cuda_set_bits(const dvmhx_record_t *record, const void *);
extern "C" void bfs_cuda_take_bits(const dvmhx_record_t *record, const pull_t *given);

extern "C" const bfs_device_kernels_t *bfs_device_kernels(void) {
    static const bfs_device_kernels_t kernels = {handler(run_nothing),       handler(bfs_cuda_search),
                                                 handler(bfs_cuda_expand),   handler(bfs_cuda_pull),
                                                 handler(bfs_cuda_set_bits), handler(bfs_cuda_take_bits),
                                                 handler(run_sweep),         handler(run_merge),
                                                 handler(run_parents),       handler(run_clear)};

    return &kernels;
}
