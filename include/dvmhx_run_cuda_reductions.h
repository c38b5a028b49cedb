/* Reductions in the kernels of dvmhx_run_cuda.h: a thread's partial results are combined over warp and block, and the block's into a
 * slot of the record, always in one order, so that sums are the same in every run. The operations are those of the library for the host:
 * a NaN never wins, and one that is there stays; of equal values the one of the lower slot, thread, or earlier iteration stays.
 *
 * A function object tells its reductions to a visitor, see dvmhx_run_cuda.h. Two visitors exist: one for before the first iteration,
 * which gives arrays the thread's slot, and one for after the last, which combines scalars. */
#ifndef DVMHX_RUN_CUDA_REDUCTIONS_H
#define DVMHX_RUN_CUDA_REDUCTIONS_H

#include <dvmhx_run_cuda_words.h>

#ifdef __CUDACC__

#include <dvmhlib_const.h>

#include <type_traits>

/** The slots of a record, as kernels take them. */
template <int COUNT> struct dvmhx_gpu_slots {
    struct {
        char *values, *locations;
        long long value_bytes, location_bytes;
    } of[COUNT];

    void set(const dvmhx_slots_t *slots) {
        for (int i = 0; i < COUNT; i++) {
            of[i].values = static_cast<char *>(slots[i].values);
            of[i].locations = static_cast<char *>(slots[i].locations);
            of[i].value_bytes = slots[i].value_bytes;
            of[i].location_bytes = slots[i].location_bytes;
        }
    }
};
template <> struct dvmhx_gpu_slots<0> {
    void set(const dvmhx_slots_t *) {}
};

/** Threads that reduce together: a block, or one warp of it. */
struct dvmhx_team {
    int thread; /* number among them */
    int lanes;  /* that the thread's warp has */
    int warps;  /* 1: no shared memory is used */
    int synced; /* whole warps that have barriers of their own; 0: the block's barrier is theirs */

    DVMHX_DEVICE int lane() const { return thread % DVMHX_WARP; }
    DVMHX_DEVICE int warp() const { return thread / DVMHX_WARP; }
    DVMHX_DEVICE unsigned mask() const { return DVMHX_ALL_LANES >> (DVMHX_WARP - lanes); }
    DVMHX_DEVICE void sync() const {
        if (synced > 0)
            dvmhx_sync_part(synced * DVMHX_WARP);
        else
            __syncthreads();
    }
};

/** The team of a whole block of any shape. */
DVMHX_DEVICE dvmhx_team dvmhx_block_team() {
    const int thread = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    const int count = (int)(blockDim.x * blockDim.y * blockDim.z);
    const int left = count - thread / DVMHX_WARP * DVMHX_WARP;
    return dvmhx_team{thread, left < DVMHX_WARP ? left : DVMHX_WARP, (count + DVMHX_WARP - 1) / DVMHX_WARP,
                      0};
}

DVMHX_DEVICE long long dvmhx_block_number() {
    return blockIdx.x + (long long)gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z);
}

/** a := a op b. Integers wrap around, as on the host. */
template <int OPERATION, typename T> DVMHX_DEVICE void dvmhx_combine(T &a, const T &b) {
    if constexpr (OPERATION == rf_SUM && std::is_integral<T>::value)
        a = (T)((unsigned long long)a + (unsigned long long)b);
    else if constexpr (OPERATION == rf_SUM)
        a = a + b;
    else if constexpr (OPERATION == rf_PROD && std::is_integral<T>::value)
        a = (T)((unsigned long long)a * (unsigned long long)b);
    else if constexpr (OPERATION == rf_PROD)
        a = a * b;
    else if constexpr (OPERATION == rf_MAX || OPERATION == rf_MAXLOC)
        a = b > a ? b : a;
    else if constexpr (OPERATION == rf_MIN || OPERATION == rf_MINLOC)
        a = b < a ? b : a;
    else if constexpr (OPERATION == rf_AND)
        a = (T)(a & b);
    else if constexpr (OPERATION == rf_OR)
        a = (T)(a | b);
    else if constexpr (OPERATION == rf_XOR)
        a = (T)(a ^ b);
    else if constexpr (OPERATION == rf_EQU || OPERATION == rf_EQ)
        a = (T)(a == b);
    else {
        static_assert(OPERATION == rf_NE, "a reduction that this header does not know");
        a = (T)(a != b);
    }
}

/* What travels between lanes: a value, alone or with its location. */
template <int OPERATION, typename T> struct dvmhx_found_value {
    T value;

    DVMHX_DEVICE void combine(const dvmhx_found_value &other) {
        dvmhx_combine<OPERATION>(value, other.value);
    }
};
template <int OPERATION, typename T, typename Place> struct dvmhx_found_place {
    T value;
    Place place;

    DVMHX_DEVICE void combine(const dvmhx_found_place &other) {
        if (OPERATION == rf_MAXLOC ? other.value > value : other.value < value)
            *this = other;
    }
};

/** What another lane has. */
template <typename Found> DVMHX_DEVICE Found dvmhx_from_lane(unsigned mask, const Found &found, int lane) {
    enum { WORDS = (sizeof(Found) + 3) / 4 };
    unsigned word[WORDS];
    Found other;
    word[WORDS - 1] = 0;
    memcpy(word, (const void *)&found, sizeof(Found));
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        word[i] = __shfl_sync(mask, word[i], lane);
    memcpy((void *)&other, word, sizeof(Found));
    return other;
}

/**
 * Combine over the team; what comes out counts in its thread 0. In a warp by halves that grow, then the warps one after the other,
 * so the lower thread is always on the left side of the operation.
 */
template <typename Found> DVMHX_DEVICE void dvmhx_over_team(const dvmhx_team &team, Found &found) {
    for (int delta = 1; delta < DVMHX_WARP; delta *= 2) {
        const int above = team.lane() + delta;
        const Found other = dvmhx_from_lane(team.mask(), found, above < team.lanes ? above : team.lane());
        if (above < team.lanes)
            found.combine(other);
    }
    if (team.warps == 1)
        return;
    __align__(16) __shared__ char shared[DVMHX_WARP * sizeof(Found)];
    Found *const of_warp = reinterpret_cast<Found *>(shared);
    if (team.lane() == 0)
        memcpy((void *)&of_warp[team.warp()], (const void *)&found, sizeof(Found));
    team.sync();
    if (team.thread == 0)
        for (int i = 1; i < team.warps; i++)
            found.combine(of_warp[i]);
    team.sync(); /* before another reduction uses the memory */
}

/** Before the first iteration: arrays get the slot of the thread. */
template <int COUNT> struct dvmhx_begin_visitor {
    const dvmhx_gpu_slots<COUNT> &slots;
    long long slot; /* of the thread */

    template <int OPERATION, typename T> DVMHX_DEVICE void value(int, T &) {}
    template <int OPERATION, typename T, typename Place> DVMHX_DEVICE void value_at(int, T &, Place &) {}
    template <typename T> DVMHX_DEVICE void array(int i, T *&array) {
        array = reinterpret_cast<T *>(slots.of[i].values + slot * slots.of[i].value_bytes);
    }
};

/** After the last iteration: scalars are combined into the slot of the team, which may hold something from before. */
template <int COUNT> struct dvmhx_end_visitor {
    const dvmhx_gpu_slots<COUNT> &slots;
    long long slot; /* of the team */
    const dvmhx_team &team;

    template <int OPERATION, typename T> DVMHX_DEVICE void value(int i, T &value) {
        dvmhx_found_value<OPERATION, T> found;
        found.value = value;
        dvmhx_over_team(team, found);
        if (team.thread == 0) {
            T *const kept = reinterpret_cast<T *>(slots.of[i].values + slot * slots.of[i].value_bytes);
            dvmhx_combine<OPERATION>(*kept, found.value);
        }
    }
    template <int OPERATION, typename T, typename Place>
    DVMHX_DEVICE void value_at(int i, T &value, Place &place) {
        dvmhx_found_place<OPERATION, T, Place> found;
        found.value = value;
        memcpy((void *)&found.place, (const void *)&place, sizeof(Place));
        dvmhx_over_team(team, found);
        if (team.thread == 0) {
            T *const kept = reinterpret_cast<T *>(slots.of[i].values + slot * slots.of[i].value_bytes);
            if (OPERATION == rf_MAXLOC ? found.value > *kept : found.value < *kept) {
                *kept = found.value;
                memcpy(slots.of[i].locations + slot * slots.of[i].location_bytes, (const void *)&found.place,
                       sizeof(Place));
            }
        }
    }
    template <typename T> DVMHX_DEVICE void array(int, T *&) {}
};

/** Give the arrays of a function object their slots. */
template <typename Loop>
DVMHX_DEVICE void dvmhx_begin_reductions(Loop &loop, const dvmhx_gpu_slots<Loop::REDUCTIONS> &slots,
                                         long long thread_slot) {
    if constexpr (Loop::REDUCTIONS > 0) {
        dvmhx_begin_visitor<Loop::REDUCTIONS> visitor = {slots, thread_slot};
        loop.reductions(visitor);
    }
}

/** Combine what the threads of a team have found. All of its threads come here. */
template <typename Loop>
DVMHX_DEVICE void dvmhx_end_reductions(Loop &loop, const dvmhx_gpu_slots<Loop::REDUCTIONS> &slots,
                                       long long team_slot, const dvmhx_team &team) {
    if constexpr (Loop::REDUCTIONS > 0) {
        dvmhx_end_visitor<Loop::REDUCTIONS> visitor = {slots, team_slot, team};
        loop.reductions(visitor);
    }
}

#endif

#endif
