/* Kernels of reorganisations: tiles through shared memory, and words one by one. They run plans (cuda_reorganise_tile.h, _word.h) and
 * decide nothing. One block runs one tile: many blocks a multiprocessor keep enough bytes in flight. */
#include "rts/cuda/cuda_reorganise_kernels.h"

#include "rts/cuda/cuda_kernel.h"

/** Words of a thread that are read before the first is written, in the copy word by word; one, where there are so few that more threads
 * are faster. */
#define WORDS_A_THREAD 4
#define FEW_WORDS      (1 << 20)
#define WORD_THREADS   256
/** Threads of a block that runs a tile, at most, and such blocks on a multiprocessor. With 5 blocks threads have too few registers; what they
 * keep in memory then costs 1 to 3 %. */
#define TILE_THREADS 256
#define TILE_BLOCKS  4

/** Bring a word to shared memory. From 4 bytes on without waiting for it: the thread goes on to the next. */
template <typename Word> __device__ __forceinline__ void load_word(Word *stage, const Word *from) {
    if constexpr (sizeof(Word) >= 4)
        rts_load_async(stage, from);
    else
        *stage = *from;
}

/** A tile stands first in shared memory; not as a static variable, since a launch must ask for what is beyond 48 KiB of both together. */
#define TILE_BYTES ((sizeof(rts_tile_t) + 15) / 16 * 16)

/** How rows of the source come to shared memory. */
enum { BY_WORDS, IN_PACKS, IN_SHIFTED_PACKS };

/** A row as the loops want it, in shared memory: rows have few words, so that what is done for each must be little. */
struct __align__(16) load_row_t {
    unsigned long long from; /* address of the first word, or of its pack */
    int place;               /* of that word in shared memory */
    int count;               /* words from there on; negative: that are read one by one */
};

struct __align__(16) store_row_t {
    unsigned long long
        to;      /* address of the first pack; its low bits: words of that pack before the row's first */
    int place;   /* of the pack's first word in shared memory, though it may not be there */
    short first; /* number of that word in the row */
    short count; /* words from there on */
};

/** As many words as are stored at once. */
template <typename Word> struct __align__(sizeof(Word) < 2 ? 8 : 16) word_pack {
    static constexpr int words = RTS_TILE_STORE_BYTES / sizeof(Word) < RTS_TILE_STORES
                                     ? RTS_TILE_STORE_BYTES / sizeof(Word)
                                     : RTS_TILE_STORES;
    Word word[words];
};

/** What a thread does of rows: rows first, first + step, ..; in each, part `part` of as many as share the row, and word `lane` of it. */
struct share_t {
    int first, step, part, lane;
};

__device__ __forceinline__ share_t share_of(int lanes, int groups) {
    const int item = threadIdx.x >> lanes;
    return {item >> groups, (int)(blockDim.x >> lanes) >> groups, item & ((1 << groups) - 1),
            (int)threadIdx.x & ((1 << lanes) - 1)};
}

template <typename Word, int loads>
__device__ __forceinline__ void prepare_loads(const rts_tile_plan_t &plan, const rts_tile_t &tile,
                                              const Word *source, load_row_t *table, unsigned char *shifts) {
    constexpr int words = loads == BY_WORDS ? 1 : 16 / sizeof(Word);
    const int step = rts_tile_load_step(&plan);
    for (int i = threadIdx.x; i < plan.source_rows; i += blockDim.x) {
        rts_tile_row_t row = rts_tile_source_row(&plan, &tile, i);
        bool is_aligned = true;
        if constexpr (loads == IN_SHIFTED_PACKS) {
            const int shift = rts_tile_shift(&plan, &row);
            row.place += shift;
            shifts[i] = (unsigned char)shift;
            is_aligned = ((row.place - (int)row.base - (int)plan.source_phase) & (words - 1)) == 0;
        }
        const int first = is_aligned ? row.lo - ((row.place + row.lo) & (words - 1)) : row.lo;
        table[i] = {(unsigned long long)(source + row.base + first), row.place + first * step,
                    row.lo >= row.hi ? 0
                    : is_aligned     ? row.hi - first
                                     : first - row.hi};
    }
}

template <typename Word>
__device__ __forceinline__ void load_rows(const rts_tile_plan_t &plan, const load_row_t *table, Word *stage) {
    const share_t share = share_of(plan.load_lanes, plan.load_groups);
    const int step = rts_tile_load_step(&plan), lanes = 1 << plan.load_lanes,
              begin = share.part * lanes * RTS_TILE_LOADS + share.lane,
              jump = (lanes * RTS_TILE_LOADS) << plan.load_groups;
    for (int i = share.first; i < plan.source_rows; i += share.step) {
        const load_row_t row = table[i];
        const Word *from = (const Word *)row.from + begin;
        Word *to = stage + row.place + begin * step;
        for (int left = row.count - begin; left > 0; left -= jump, from += jump, to += jump * step) {
#pragma unroll
            for (int k = 0; k < RTS_TILE_LOADS; k++)
                if (k == 0 || left > k * lanes)
                    load_word(to + k * lanes * step, from + k * lanes);
        }
    }
}

/** The same in packs of 16 bytes: words of a row stand one after another in shared memory, too, aligned as in memory. A shifted row that is
 * not is read word by word. */
template <typename Word, int loads>
__device__ __forceinline__ void load_packed_rows(const rts_tile_plan_t &plan, const load_row_t *table,
                                                 Word *stage) {
    constexpr int words = 16 / sizeof(Word);
    const share_t share = share_of(plan.load_lanes, plan.load_groups);
    const int lanes = 1 << plan.load_lanes, begin = share.part * lanes + share.lane,
              jump = lanes << plan.load_groups;
    for (int i = share.first; i < plan.source_rows; i += share.step) {
        const load_row_t row = table[i];
        const Word *const from = (const Word *)row.from;
        if (loads == IN_SHIFTED_PACKS && row.count < 0)
            for (int c = begin; c < -row.count; c += jump)
                load_word(stage + row.place + c, from + c);
        for (int c = begin * words; c < row.count; c += jump * words)
            load_word(reinterpret_cast<uint4 *>(stage + row.place + c),
                      reinterpret_cast<const uint4 *>(from + c));
    }
}

template <typename Word, bool split>
__device__ __forceinline__ void prepare_stores(const rts_tile_plan_t &plan, const rts_tile_t &tile,
                                               Word *target, store_row_t *table) {
    constexpr int words = word_pack<Word>::words;
    const int step = rts_tile_store_step(&plan), phase = (int)plan.target_phase;
    for (int i = threadIdx.x; i < plan.target_rows; i += blockDim.x) {
        const rts_tile_row_t row = rts_tile_target_row(&plan, &tile, i);
        /* from the place on where packs begin in memory: before the first word of a row, maybe */
        const int ahead = ((int)row.base + phase + row.lo) & (words - 1), first = row.lo - ahead;
        table[i] = {(unsigned long long)(target + row.base + first) | (unsigned)ahead,
                    row.place + (split ? 0 : first * step), (short)first,
                    (short)(row.lo < row.hi ? row.hi - first : 0)};
    }
}

/** Place of word c of the rest of a row. split: parts are neighbours in the row, which begins with word `first`, and not in shared
 * memory. shifts: where source rows are shifted, of the source row with word c = 0. */
template <int loads, bool split>
__device__ __forceinline__ int store_place(const rts_tile_plan_t &plan, const unsigned char *shifts,
                                           int first, int c, int step) {
    if constexpr (split) {
        const int element = (int)rts_divide((uint32_t)(first + c), &plan.parts);
        return element * step + (first + c - element * (int)plan.parts.value) * plan.part_place;
    } else if constexpr (loads == IN_SHIFTED_PACKS) {
        return c * step + shifts[plan.slope * c];
    } else {
        return c * step;
    }
}

template <typename Word, int loads, bool split>
__device__ __forceinline__ void store_rows(const rts_tile_plan_t &plan, const store_row_t *table,
                                           const unsigned char *shifts, const Word *stage) {
    constexpr int words = word_pack<Word>::words;
    const share_t share = share_of(plan.store_lanes, plan.store_groups);
    const int step = rts_tile_store_step(&plan), lanes = 1 << plan.store_lanes,
              begin = (share.part * lanes + share.lane) * words, jump = (lanes * words) << plan.store_groups;
    for (int i = share.first; i < plan.target_rows; i += share.step) {
        const store_row_t row = table[i];
        const int ahead = (int)row.to & (words - 1);
        Word *const to = (Word *)(row.to & ~(unsigned long long)(words - 1));
        const Word *const from = stage + row.place;
        const unsigned char *const shift =
            loads == IN_SHIFTED_PACKS ? shifts + rts_tile_first_row(&plan, i) + plan.slope * row.first
                                      : nullptr;
        for (int c = begin; c < row.count; c += jump) {
            if (c >= ahead && c + words <= row.count) {
                word_pack<Word> pack;
#pragma unroll
                for (int k = 0; k < words; k++)
                    pack.word[k] = from[store_place<loads, split>(plan, shift, row.first, c + k, step)];
                *reinterpret_cast<word_pack<Word> *>(to + c) = pack;
            } else {
                for (int k = 0; k < words; k++)
                    if (c + k >= ahead && c + k < row.count)
                        to[c + k] = from[store_place<loads, split>(plan, shift, row.first, c + k, step)];
            }
        }
    }
}

template <typename Word, int loads, bool split>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS)
    copy_tiles(const __grid_constant__ rts_tile_plan_t plan, const Word *__restrict__ source,
               Word *__restrict__ target) {
    RTS_SHARED_MEMORY(memory);
    rts_tile_t &tile = *reinterpret_cast<rts_tile_t *>(memory);
    Word *const stage = reinterpret_cast<Word *>(memory + TILE_BYTES);
    load_row_t *const source_row = reinterpret_cast<load_row_t *>(
        memory + TILE_BYTES + ((size_t)plan.stage_words * sizeof(Word) + 15) / 16 * 16);
    store_row_t *const target_row = reinterpret_cast<store_row_t *>(source_row + plan.source_rows);
    unsigned char *const shifts = reinterpret_cast<unsigned char *>(target_row + plan.target_rows);
    if (threadIdx.x == 0) /* hundreds of instructions: were they each warp's, they would be half of all */
        tile = rts_tile_begin(&plan, blockIdx.x);
    __syncthreads();
    if (tile.v_hi <= tile.v_lo)
        return;
    prepare_loads<Word, loads>(plan, tile, source, source_row, shifts);
    __syncthreads();
    if constexpr (loads == BY_WORDS)
        load_rows(plan, source_row, stage);
    else
        load_packed_rows<Word, loads>(plan, source_row, stage);
    prepare_stores<Word, split>(plan, tile, target, target_row);
    rts_wait_for_loads();
    __syncthreads();
    store_rows<Word, loads, split>(plan, target_row, shifts, stage);
}

template <typename Word, int words>
__global__ void __launch_bounds__(WORD_THREADS)
    copy_words(const __grid_constant__ rts_word_plan_t plan, const Word *__restrict__ source,
               Word *__restrict__ target) {
    const int64_t block = (int64_t)WORD_THREADS * words;
    for (int64_t first = blockIdx.x * block + threadIdx.x; first < plan.count; first += gridDim.x * block) {
        Word word[words];
        int64_t to[words];
#pragma unroll
        for (int i = 0; i < words; i++) {
            const int64_t number = first + i * WORD_THREADS;
            if (number < plan.count) {
                int64_t from;
                rts_word_places(&plan, number, &from, &to[i]);
                word[i] = source[from];
            }
        }
#pragma unroll
        for (int i = 0; i < words; i++)
            if (first + i * WORD_THREADS < plan.count)
                target[to[i]] = word[i];
    }
}

/** Devices on which an instance may use more shared memory than it may without asking; a device beyond these is asked every time. */
#define KNOWN_DEVICES 64

template <typename Word, int loads, bool split>
static cudaError_t launch(const rts_tile_plan_t *plan, int device, const void *source, void *target,
                          cudaStream_t stream) {
    static int allowed[KNOWN_DEVICES];
    const size_t bytes = TILE_BYTES + ((size_t)plan->stage_words * sizeof(Word) + 15) / 16 * 16 +
                         (size_t)(plan->source_rows + plan->target_rows) * sizeof(store_row_t) +
                         (loads == IN_SHIFTED_PACKS ? (size_t)plan->source_rows : 0);
    const auto kernel = copy_tiles<Word, loads, split>;
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
        return launch<Word, BY_WORDS, true>(plan, device, source, target, stream);
    if constexpr (sizeof(Word) < 16) {
        if (plan->shifts)
            return launch<Word, IN_SHIFTED_PACKS, false>(plan, device, source, target, stream);
        if (plan->load_words > 1)
            return launch<Word, IN_PACKS, false>(plan, device, source, target, stream);
    }
    return launch<Word, BY_WORDS, false>(plan, device, source, target, stream);
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

template <typename Word, int words>
static cudaError_t launch_some_words(const rts_word_plan_t *plan, const void *source, void *target,
                                     cudaStream_t stream) {
    const int64_t block = (int64_t)WORD_THREADS * words, blocks = (plan->count + block - 1) / block;
    return rts_launch(copy_words<Word, words>, (unsigned)(blocks < (1 << 20) ? blocks : 1 << 20),
                      WORD_THREADS, 0, stream, *plan, (const Word *)source, (Word *)target);
}

template <typename Word>
static cudaError_t launch_words(const rts_word_plan_t *plan, const void *source, void *target,
                                cudaStream_t stream) {
    return plan->count <= FEW_WORDS ? launch_some_words<Word, 1>(plan, source, target, stream)
                                    : launch_some_words<Word, WORDS_A_THREAD>(plan, source, target, stream);
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
