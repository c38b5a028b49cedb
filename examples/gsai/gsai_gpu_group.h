/* Groups of threads that work on one column: part of a warp, a warp, or a block. What they have in common: barriers, sums that give the same
 * bits to every thread and in every run, places for what each wants to keep, sorting. For .cu files alone; decides nothing of what a
 * group works on. */
#ifndef EXAMPLES_GSAI_GSAI_GPU_GROUP_H
#define EXAMPLES_GSAI_GSAI_GPU_GROUP_H

#include <stdint.h>

#define GSAI_DEVICE __device__ __forceinline__

/** Shared memory whose size the launch says, aligned to 16 bytes. */
#ifdef EMULATED_CUDA
#define GSAI_SHARED_MEMORY(name)                                                                             \
    unsigned char *const name = static_cast<unsigned char *>(emulated_shared_memory())
#else
#define GSAI_SHARED_MEMORY(name) extern __shared__ __align__(16) unsigned char name[]
#endif

enum { GSAI_WARP = 32, GSAI_BOARD_VALUES = 4, GSAI_BLOCK_MAX = 256 };

/** What the warps of a block tell each other; two halves in turns, so that one barrier a message is enough. */
struct gsai_board {
    double value[2][GSAI_BOARD_VALUES][GSAI_BLOCK_MAX / GSAI_WARP];
    int count[2][GSAI_BLOCK_MAX / GSAI_WARP];
};

/** SIZE threads: a power of two up to a warp, or the whole block of that many. All of them make every call together. */
template <int SIZE> struct gsai_group {
    static_assert(SIZE <= GSAI_BLOCK_MAX && (SIZE & (SIZE - 1)) == 0, "a power of two");
    static constexpr bool IS_BLOCK = SIZE > GSAI_WARP;
    int lane;
    unsigned mask;
    gsai_board *board; /* of a block */
    int turn;

    GSAI_DEVICE explicit gsai_group(gsai_board *of_block)
        : lane((int)threadIdx.x % SIZE), mask(0xffffffffu), board(of_block), turn(0) {
        if (SIZE < GSAI_WARP)
            mask = ((1u << SIZE % GSAI_WARP) - 1) << ((int)threadIdx.x % GSAI_WARP / SIZE * SIZE);
    }

    /** Until all have come, and see what the others have written. */
    GSAI_DEVICE void sync() const {
        if (IS_BLOCK)
            __syncthreads();
        else
            __syncwarp(mask);
    }

    /** Each value becomes its sum over the group. Of two threads that exchange values each goes on with half of them, as long as there are
     * several: so COUNT values take little more exchanges than one. */
    template <int COUNT> GSAI_DEVICE void sum(double (&value)[COUNT]) {
        constexpr int WIDTH = IS_BLOCK ? GSAI_WARP : SIZE, APART = WIDTH / COUNT;
        static_assert(COUNT <= GSAI_BOARD_VALUES && (COUNT & (COUNT - 1)) == 0,
                      "what the board has room for");
#pragma unroll
        for (int bits = WIDTH / 2; bits > 0; bits /= 2) {
            const int half = COUNT * bits / WIDTH;
            const bool is_upper = (lane & bits) != 0;

            if (half == 0)
                value[0] += __shfl_xor_sync(mask, value[0], bits);
#pragma unroll
            for (int k = 0; k < half; k++) {
                const double given = is_upper ? value[k] : value[k + half];

                value[k] = (is_upper ? value[k + half] : value[k]) + __shfl_xor_sync(mask, given, bits);
            }
        }
        if (!IS_BLOCK) {
            const double own = value[0]; /* the sum number lane / APART */
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                value[k] = __shfl_sync(mask, own, k * APART, WIDTH);
            return;
        }
        turn ^= 1;
        if (lane % APART == 0)
            board->value[turn][lane % GSAI_WARP / APART][lane / GSAI_WARP] = value[0];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            value[k] = 0;
            for (int warp = 0; warp < SIZE / GSAI_WARP; warp++)
                value[k] += board->value[turn][k][warp];
        }
    }

    GSAI_DEVICE double sum(double value) {
        double one[1] = {value};
        sum(one);
        return one[0];
    }

    /** The value of one thread. */
    GSAI_DEVICE double pick(double value, int owner) {
        if (!IS_BLOCK)
            return __shfl_sync(mask, value, owner, SIZE < GSAI_WARP ? SIZE : GSAI_WARP);
        turn ^= 1;
        if (lane == owner)
            board->value[turn][0][0] = value;
        __syncthreads();
        return board->value[turn][0][0];
    }

    /** @return how many threads before this one keep something. total_p: how many of all */
    GSAI_DEVICE int place(bool keeps, int *total_p) {
        const unsigned all = __ballot_sync(mask, keeps);
        const int of_warp = (int)threadIdx.x % GSAI_WARP;
        int before = __popc(all & mask & ((1u << of_warp) - 1));
        int total = __popc(all & mask);

        if (IS_BLOCK) {
            turn ^= 1;
            if (of_warp == 0)
                board->count[turn][lane / GSAI_WARP] = total;
            __syncthreads();
            total = 0;
            for (int warp = 0; warp < SIZE / GSAI_WARP; warp++) {
                before += warp < lane / GSAI_WARP ? board->count[turn][warp] : 0;
                total += board->count[turn][warp];
            }
        }
        *total_p = total;
        return before;
    }
};

/**
 * Sort in place, ascending: pairs are compared so that the smaller one goes down, so that any count will do.
 * @param is_before  whether what stands at one place belongs before what stands at another one
 * @param exchange   exchange what stands at two places
 * Before it the group has to see what is to be sorted; after it all see the result.
 */
template <int SIZE, typename Before, typename Exchange>
GSAI_DEVICE void gsai_group_sort(const gsai_group<SIZE> &group, unsigned count, Before is_before,
                                 Exchange exchange) {
    unsigned pairs = 1;

    while (2 * pairs < count)
        pairs *= 2;
    for (unsigned half = 1; half <= pairs && count > 1; half *= 2) {
        for (unsigned step = half; step > 0; step /= 2) {
            for (unsigned pair = (unsigned)group.lane; pair < pairs; pair += SIZE) {
                const unsigned rest = pair & (step - 1), low = ((pair - rest) << 1) + rest;
                const unsigned high = step == half ? low + 2 * (step - rest) - 1 : low + step;

                if (high < count && is_before(high, low))
                    exchange(low, high);
            }
            group.sync();
        }
    }
}

/** @return where `wanted` stands in ascending numbers, or -1 */
GSAI_DEVICE int gsai_find(const int32_t *number, int count, int32_t wanted) {
    int low = 0, high = count;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (number[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && number[low] == wanted ? low : -1;
}

#endif
