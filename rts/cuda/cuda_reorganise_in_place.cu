/* Kernels that reorganise planes of a buffer in themselves. Which planes is decided in cuda_reorganise_in_place.c. */
#include "rts/cuda/cuda_reorganise_kernels.h"

#include "rts/cuda/cuda_kernel.h"

#define THREADS 256
/** A tile of a square plane: elements on a side. */
#define TILE_WORDS 32

/** Where plane `number` begins. */
__device__ __forceinline__ int64_t plane_start(const rts_planes_t &planes, int64_t number) {
    int64_t start = 0;
    for (int i = planes.axis_count - 1; i >= 0; i--) {
        start += number % planes.extent[i] * planes.step[i];
        number /= planes.extent[i];
    }
    return start;
}

/** The element (row, column) of a plane. */
template <typename Word>
__device__ __forceinline__ Word *element_of(const rts_planes_t &planes, Word *plane, int64_t row,
                                            int64_t column) {
    return plane + row * planes.row_step + column * planes.parts;
}

/** Tile (i, j) and its mirror image, one word of all their elements after another: block x is a tile, y is a word. */
template <typename Word>
__global__ void __launch_bounds__(THREADS)
    exchange_tiles(const __grid_constant__ rts_planes_t planes, int64_t tiles, Word *buffer) {
    __shared__ Word upper[TILE_WORDS][TILE_WORDS + 1], lower[TILE_WORDS][TILE_WORDS + 1];
    const int64_t number = blockIdx.x % (tiles * tiles), i = number / tiles * TILE_WORDS,
                  j = number % tiles * TILE_WORDS;
    if (j < i)
        return;
    const int column = threadIdx.x % TILE_WORDS;
    for (int64_t part = blockIdx.y; part < planes.parts; part += gridDim.y) {
        Word *const plane = buffer + plane_start(planes, blockIdx.x / (tiles * tiles)) + part;
        for (int row = threadIdx.x / TILE_WORDS; row < TILE_WORDS; row += THREADS / TILE_WORDS) {
            if (i + row < planes.rows && j + column < planes.rows)
                upper[row][column] = *element_of(planes, plane, i + row, j + column);
            if (j + row < planes.rows && i + column < planes.rows)
                lower[row][column] = *element_of(planes, plane, j + row, i + column);
        }
        __syncthreads();
        for (int row = threadIdx.x / TILE_WORDS; row < TILE_WORDS; row += THREADS / TILE_WORDS) {
            if (i + row < planes.rows && j + column < planes.rows)
                *element_of(planes, plane, i + row, j + column) = lower[column][row];
            if (i != j && j + row < planes.rows && i + column < planes.rows)
                *element_of(planes, plane, j + row, i + column) = upper[column][row];
        }
        __syncthreads();
    }
}

/** The turn of a column, in [0, rows). */
__device__ __forceinline__ int64_t turn_of(const rts_planes_t &planes, int64_t column) {
    const int64_t turn = (planes.turn + planes.slope * column) % planes.rows;
    return turn < 0 ? turn + planes.rows : turn;
}

/** A column rotates when its first `turn` rows, the others, and then all rows are reversed. A thread exchanges two words: of the pieces,
 * or of all. */
template <typename Word, bool pieces>
__global__ void __launch_bounds__(THREADS)
    reverse_columns(const __grid_constant__ rts_planes_t planes, Word *buffer) {
    const int64_t width = planes.columns * planes.parts, half = planes.rows / 2,
                  count = planes.count * half * width;
    for (int64_t item = blockIdx.x * (int64_t)THREADS + threadIdx.x; item < count;
         item += gridDim.x * (int64_t)THREADS) {
        const int64_t word = item % width, pair = item / width % half;
        int64_t row = pair, other = planes.rows - 1 - pair;
        if (pieces) {
            const int64_t turn = turn_of(planes, word / planes.parts), in_first = turn / 2;
            row = pair < in_first ? pair : turn + (pair - in_first);
            other = pair < in_first ? turn - 1 - pair : planes.rows - 1 - (pair - in_first);
        }
        if (row >= other)
            continue;
        Word *const plane = buffer + plane_start(planes, item / width / half) + word;
        const Word saved = plane[row * planes.row_step];
        plane[row * planes.row_step] = plane[other * planes.row_step];
        plane[other * planes.row_step] = saved;
    }
}

/** Launches for one size of words. */
struct exchange_t {
    template <typename Word>
    static cudaError_t launch(const rts_planes_t *planes, void *buffer, cudaStream_t stream) {
        const int64_t tiles = (planes->rows + TILE_WORDS - 1) / TILE_WORDS,
                      blocks = tiles * tiles * planes->count;
        const unsigned parts = (unsigned)(planes->parts < 1024 ? planes->parts : 1024);
        return rts_launch(exchange_tiles<Word>, dim3((unsigned)blocks, parts), THREADS, 0, stream, *planes,
                          tiles, (Word *)buffer);
    }
};

struct rotate_t {
    template <typename Word>
    static cudaError_t launch(const rts_planes_t *planes, void *buffer, cudaStream_t stream) {
        const int64_t items = planes->count * (planes->rows / 2) * planes->columns * planes->parts;
        const int64_t blocks = (items + THREADS - 1) / THREADS;
        if (items == 0)
            return cudaSuccess;
        const unsigned grid = (unsigned)(blocks < (1 << 20) ? blocks : 1 << 20);
        const cudaError_t error =
            rts_launch(reverse_columns<Word, true>, grid, THREADS, 0, stream, *planes, (Word *)buffer);
        return error != cudaSuccess ? error
                                    : rts_launch(reverse_columns<Word, false>, grid, THREADS, 0, stream,
                                                 *planes, (Word *)buffer);
    }
};

/** The launch for the size of the planes' words. */
template <typename Kernel> static cudaError_t launch(const rts_planes_t *planes, void *buffer, void *stream) {
    cudaStream_t const queue = (cudaStream_t)stream;
    switch (planes->word_bytes) {
    case 1:
        return Kernel::template launch<unsigned char>(planes, buffer, queue);
    case 2:
        return Kernel::template launch<unsigned short>(planes, buffer, queue);
    case 4:
        return Kernel::template launch<unsigned>(planes, buffer, queue);
    case 8:
        return Kernel::template launch<unsigned long long>(planes, buffer, queue);
    default:
        return Kernel::template launch<uint4>(planes, buffer, queue);
    }
}

int rts_square_launch(const rts_planes_t *planes, void *buffer, void *stream) {
    return launch<exchange_t>(planes, buffer, stream);
}

int rts_rotate_launch(const rts_planes_t *planes, void *buffer, void *stream) {
    return launch<rotate_t>(planes, buffer, stream);
}
