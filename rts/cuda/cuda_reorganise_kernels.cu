/* Kernels of reorganisations: tiles through shared memory, and words one by one. They run plans (cuda_reorganise_tile.h, _word.h) and
 * decide nothing. One block runs one tile: many blocks a multiprocessor keep enough bytes in flight. */
#include "rts/cuda/cuda_reorganise_kernels.h"

#include "rts/cuda/cuda_kernel.h"

/** Words of a thread that are read before the first is written, in the copy word by word. */
#define WORDS_A_THREAD 4
#define WORD_THREADS   256
/** Threads of a block that runs a tile, at most, and such blocks on a multiprocessor: more registers a thread were slower, and so were
 * fewer, which had to be kept in memory. */
#define TILE_THREADS 256
#define TILE_BLOCKS  5

/** Bring a word to shared memory. From 4 bytes on without waiting for it: the thread goes on to the next. */
template <typename Word> __device__ __forceinline__ void load_word(Word *stage, const Word *from) {
    if constexpr (sizeof(Word) >= 4)
        rts_load_async(stage, from);
    else
        *stage = *from;
}

/** Place of word c of a row, counted from the row's place. */
template <bool split>
__device__ __forceinline__ int stage_place(const rts_tile_plan_t &plan, int c, int step) {
    if constexpr (split) {
        const int element = (int)rts_divide((uint32_t)c, &plan.parts);
        return element * step + (c - element * (int)plan.parts.value) * plan.part_place;
    } else {
        return c * step;
    }
}

template <typename Word>
__device__ __forceinline__ void load_rows(const rts_tile_plan_t &plan, const rts_tile_row_t *table,
                                          const Word *__restrict__ source, Word *stage) {
    const int step = rts_tile_load_step(&plan), lanes = 1 << plan.load_lanes,
              lane = threadIdx.x & (lanes - 1);
    const int items = plan.source_rows << plan.load_groups;
    for (int item = threadIdx.x >> plan.load_lanes; item < items; item += blockDim.x >> plan.load_lanes) {
        const rts_tile_row_t row = table[item >> plan.load_groups];
        const int group = item & ((1 << plan.load_groups) - 1);
        const Word *const from = source + row.base;
        for (int c = row.lo + group * lanes * RTS_TILE_LOADS + lane; c < row.hi;
             c += (lanes * RTS_TILE_LOADS) << plan.load_groups) {
#pragma unroll
            for (int i = 0; i < RTS_TILE_LOADS; i++)
                if (i == 0 || c + i * lanes < row.hi)
                    load_word(stage + row.place + (c + i * lanes) * step, from + c + i * lanes);
        }
    }
}

/** The same in packs of 16 bytes: words of a row stand one after another in shared memory, too, aligned as in memory. */
template <typename Word>
__device__ __forceinline__ void load_packed_rows(const rts_tile_plan_t &plan, const rts_tile_row_t *table,
                                                 const Word *__restrict__ source, Word *stage) {
    constexpr int words = 16 / sizeof(Word);
    const int lanes = 1 << plan.load_lanes, lane = threadIdx.x & (lanes - 1);
    const int items = plan.source_rows << plan.load_groups;
    for (int item = threadIdx.x >> plan.load_lanes; item < items; item += blockDim.x >> plan.load_lanes) {
        const rts_tile_row_t row = table[item >> plan.load_groups];
        const int group = item & ((1 << plan.load_groups) - 1);
        const int first = row.lo - ((row.place + row.lo) & (words - 1));
        for (int c = first + (group * lanes + lane) * words; c < row.hi;
             c += (lanes * words) << plan.load_groups)
            load_word(reinterpret_cast<uint4 *>(stage + row.place + c),
                      reinterpret_cast<const uint4 *>(source + row.base + c));
    }
}

/** As many words as are stored at once. */
template <typename Word> struct __align__(sizeof(Word) < 2 ? 8 : 16) word_pack {
    static constexpr int words = RTS_TILE_STORE_BYTES / sizeof(Word) < RTS_TILE_STORES
                                     ? RTS_TILE_STORE_BYTES / sizeof(Word)
                                     : RTS_TILE_STORES;
    Word word[words];
};

template <typename Word, bool split>
__device__ __forceinline__ void store_rows(const rts_tile_plan_t &plan, const rts_tile_row_t *table,
                                           const Word *stage, Word *__restrict__ target) {
    constexpr int words = word_pack<Word>::words;
    const int step = rts_tile_store_step(&plan), lanes = 1 << plan.store_lanes,
              lane = threadIdx.x & (lanes - 1);
    const int items = plan.target_rows << plan.store_groups, phase = (int)plan.target_phase;
    for (int item = threadIdx.x >> plan.store_lanes; item < items; item += blockDim.x >> plan.store_lanes) {
        const rts_tile_row_t row = table[item >> plan.store_groups];
        const int group = item & ((1 << plan.store_groups) - 1);
        /* from the place on where packs begin in memory: before the first word of a row, maybe */
        const int first = row.lo - (((int)row.base + phase + row.lo) & (words - 1));
        for (int c = first + (group * lanes + lane) * words; c < row.hi;
             c += (lanes * words) << plan.store_groups) {
            const Word *const from = stage + row.place;
            Word *const to = target + row.base + c;
            if (c >= row.lo && c + words <= row.hi) {
                word_pack<Word> pack;
#pragma unroll
                for (int i = 0; i < words; i++)
                    pack.word[i] = from[stage_place<split>(plan, c + i, step)];
                *reinterpret_cast<word_pack<Word> *>(to) = pack;
            } else {
                for (int i = 0; i < words; i++)
                    if (c + i >= row.lo && c + i < row.hi)
                        to[i] = from[stage_place<split>(plan, c + i, step)];
            }
        }
    }
}

template <typename Word, bool packs, bool split>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS)
    copy_tiles(const __grid_constant__ rts_tile_plan_t plan, const Word *__restrict__ source,
               Word *__restrict__ target) {
    RTS_SHARED_MEMORY(memory);
    Word *const stage = reinterpret_cast<Word *>(memory);
    rts_tile_row_t *const source_row = reinterpret_cast<rts_tile_row_t *>(
                              memory + ((size_t)plan.stage_words * sizeof(Word) + 15) / 16 * 16),
                          *const target_row = source_row + plan.source_rows;
    const rts_tile_t tile = rts_tile_begin(&plan, blockIdx.x);
    if (tile.v_hi <= tile.v_lo)
        return;
    for (int i = threadIdx.x; i < plan.source_rows; i += blockDim.x)
        source_row[i] = rts_tile_source_row(&plan, &tile, i);
    __syncthreads();
    if constexpr (packs)
        load_packed_rows(plan, source_row, source, stage);
    else
        load_rows(plan, source_row, source, stage);
    for (int i = threadIdx.x; i < plan.target_rows; i += blockDim.x)
        target_row[i] = rts_tile_target_row(&plan, &tile, i);
    rts_wait_for_loads();
    __syncthreads();
    store_rows<Word, split>(plan, target_row, stage, target);
}

template <typename Word>
__global__ void __launch_bounds__(WORD_THREADS)
    copy_words(const __grid_constant__ rts_word_plan_t plan, const Word *__restrict__ source,
               Word *__restrict__ target) {
    const int64_t block = (int64_t)WORD_THREADS * WORDS_A_THREAD;
    for (int64_t first = blockIdx.x * block + threadIdx.x; first < plan.count; first += gridDim.x * block) {
        Word word[WORDS_A_THREAD];
        int64_t to[WORDS_A_THREAD];
#pragma unroll
        for (int i = 0; i < WORDS_A_THREAD; i++) {
            const int64_t number = first + i * WORD_THREADS;
            if (number < plan.count) {
                int64_t from;
                rts_word_places(&plan, number, &from, &to[i]);
                word[i] = source[from];
            }
        }
#pragma unroll
        for (int i = 0; i < WORDS_A_THREAD; i++)
            if (first + i * WORD_THREADS < plan.count)
                target[to[i]] = word[i];
    }
}

/** Devices on which an instance may use more shared memory than it may without asking; a device beyond these is asked every time. */
#define KNOWN_DEVICES 64

template <typename Word, bool packs, bool split>
static cudaError_t launch(const rts_tile_plan_t *plan, int device, const void *source, void *target,
                          cudaStream_t stream) {
    static int allowed[KNOWN_DEVICES];
    const size_t bytes = ((size_t)plan->stage_words * sizeof(Word) + 15) / 16 * 16 +
                         (size_t)(plan->source_rows + plan->target_rows) * sizeof(rts_tile_row_t);
    const auto kernel = copy_tiles<Word, packs, split>;
    if (bytes > 48 * 1024 && (device >= KNOWN_DEVICES || (int)bytes > allowed[device])) {
        const cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        if (error != cudaSuccess)
            return error;
        if (device < KNOWN_DEVICES)
            allowed[device] = (int)bytes;
    }
    return rts_launch(kernel, plan->tile_count, (unsigned)plan->threads, bytes, stream, *plan,
                      (const Word *)source, (Word *)target);
}

template <typename Word>
static cudaError_t launch_tiles(const rts_tile_plan_t *plan, int device, const void *source, void *target,
                                cudaStream_t stream) {
    if (plan->parts.value > 1 && plan->target.is_interleaved)
        return launch<Word, false, true>(plan, device, source, target, stream);
    if constexpr (sizeof(Word) < 16)
        if (plan->load_words > 1)
            return launch<Word, true, false>(plan, device, source, target, stream);
    return launch<Word, false, false>(plan, device, source, target, stream);
}

int rts_tile_launch(const rts_tile_plan_t *plan, int device, const void *source, void *target, void *stream) {
    cudaStream_t const queue = (cudaStream_t)stream;
    switch (plan->word_bytes) {
    case 1:
        return launch_tiles<unsigned char>(plan, device, source, target, queue);
    case 2:
        return launch_tiles<unsigned short>(plan, device, source, target, queue);
    case 4:
        return launch_tiles<unsigned>(plan, device, source, target, queue);
    case 8:
        return launch_tiles<unsigned long long>(plan, device, source, target, queue);
    default:
        return launch_tiles<uint4>(plan, device, source, target, queue);
    }
}

template <typename Word>
static cudaError_t launch_words(const rts_word_plan_t *plan, const void *source, void *target,
                                cudaStream_t stream) {
    const int64_t block = (int64_t)WORD_THREADS * WORDS_A_THREAD, blocks = (plan->count + block - 1) / block;
    return rts_launch(copy_words<Word>, (unsigned)(blocks < (1 << 20) ? blocks : 1 << 20), WORD_THREADS, 0,
                      stream, *plan, (const Word *)source, (Word *)target);
}

int rts_word_launch(const rts_word_plan_t *plan, const void *source, void *target, void *stream) {
    cudaStream_t const queue = (cudaStream_t)stream;
    switch (plan->word_bytes) {
    case 1:
        return launch_words<unsigned char>(plan, source, target, queue);
    case 2:
        return launch_words<unsigned short>(plan, source, target, queue);
    case 4:
        return launch_words<unsigned>(plan, source, target, queue);
    case 8:
        return launch_words<unsigned long long>(plan, source, target, queue);
    default:
        return launch_words<uint4>(plan, source, target, queue);
    }
}
