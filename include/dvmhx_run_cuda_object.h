/* What dvmhx_run_cuda.h knows of function objects: how an iteration is called, what a member that may be missing does, and the box of a
 * record as kernels take it. */
#ifndef DVMHX_RUN_CUDA_OBJECT_H
#define DVMHX_RUN_CUDA_OBJECT_H

#include <dvmhx_run_cuda_words.h>

#ifdef __CUDACC__

#include <type_traits>
#include <utility>

/** Bytes of parameters that a kernel may have on every GPU. */
#define DVMHX_PARAMETER_BYTES 4096

template <int RANK> using dvmhx_dims = std::make_integer_sequence<int, RANK>;

/** Run one iteration: loop variables v. */
template <typename Loop, typename Index, int... K>
DVMHX_DEVICE void dvmhx_iterate(Loop &loop, const Index *v, std::integer_sequence<int, K...>) {
    loop(v[K]...);
}

/* settle(given): lets a copy of the object point into the original, which lies in the constant memory of parameters. */
template <typename Loop>
DVMHX_DEVICE auto dvmhx_settle(Loop &loop, const Loop &given, int) -> decltype(loop.settle(&given), void()) {
    loop.settle(&given);
}
template <typename Loop> DVMHX_DEVICE void dvmhx_settle(Loop &, const Loop &, long) {}

/* prefetch(loop variables): asks for what an iteration will need. */
template <typename Loop, typename Index, int... K>
DVMHX_DEVICE auto dvmhx_prefetch(Loop &loop, const Index *v, std::integer_sequence<int, K...>, int)
    -> decltype(loop.prefetch(v[K]...), void()) {
    loop.prefetch(v[K]...);
}
template <typename Loop, typename Index, int... K>
DVMHX_DEVICE void dvmhx_prefetch(Loop &, const Index *, std::integer_sequence<int, K...>, long) {}

/** Whether an object has it. */
template <typename Loop, typename Index, int... K>
auto dvmhx_find_prefetch(std::integer_sequence<int, K...>, int)
    -> decltype(std::declval<Loop &>().prefetch(((void)K, std::declval<Index>())...), std::true_type());
template <typename Loop, typename Index, int... K>
std::false_type dvmhx_find_prefetch(std::integer_sequence<int, K...>, long);
template <typename Loop>
using dvmhx_has_prefetch =
    decltype(dvmhx_find_prefetch<Loop, typename Loop::index_t>(dvmhx_dims<Loop::RANK>(), 0));

/** An element of an array whose value an iteration also has beside it: assignments change both. */
template <typename T> struct dvmhx_place {
    T &element, &value;
    template <typename V> DVMHX_DEVICE T operator=(const V &right) const {
        value = (T)right;
        element = value;
        return value;
    }
#define DVMHX_CHANGE(OPERATOR)                                                                               \
    template <typename V> DVMHX_DEVICE T operator OPERATOR(const V &right) const {                           \
        value OPERATOR right;                                                                                \
        element = value;                                                                                     \
        return value;                                                                                        \
    }
    DVMHX_CHANGE(+=)
    DVMHX_CHANGE(-=)
    DVMHX_CHANGE(*=)
    DVMHX_CHANGE(/=)
    DVMHX_CHANGE(%=)
    DVMHX_CHANGE(&=)
    DVMHX_CHANGE(|=)
    DVMHX_CHANGE(^=)
    DVMHX_CHANGE(<<=)
    DVMHX_CHANGE(>>=)
#undef DVMHX_CHANGE
};

/** Ordinals of this type count up from 0 and may go beyond the last by as much as a grid has threads. */
template <typename Index> struct dvmhx_ordinal { typedef unsigned long type; };
template <> struct dvmhx_ordinal<int> { typedef unsigned type; };

/** The iterations of a record. */
template <typename Index, int RANK> struct dvmhx_space {
    Index start[RANK], step[RANK], count[RANK];
    int dim[3]; /* that x, y, z walk; -1: none */

    void set(const dvmhx_record_t *record) {
        for (int k = 0; k < RANK; k++) {
            start[k] = (Index)record->start[k];
            step[k] = (Index)record->step[k];
            count[k] = (Index)record->count[k];
        }
        for (int i = 0; i < 3; i++)
            dim[i] = (int)record->launch->dim[i];
    }
    __host__ DVMHX_DEVICE Index count_along(int i) const { return dim[i] < 0 ? 1 : count[dim[i]]; }
    __host__ DVMHX_DEVICE bool walks(int k) const { return k == dim[0] || k == dim[1] || k == dim[2]; }
};

/** Blocks along one dimension of a grid so that all have the same number of turns, as near as may be. */
inline unsigned dvmhx_even(long long needed, long long most) {
    const long long turns = (needed + most - 1) / most;
    return (unsigned)((needed + turns - 1) / turns);
}

/**
 * The grid for so many blocks along x, y, z: of at most `limit` blocks in all, 0: no limit. Kernels stride over what it leaves.
 * z gives way first, since strides along x and y are those that cost locality.
 */
inline dim3 dvmhx_grid(const long long needed[3], long long limit) {
    const long long all = limit > 0 ? limit : 0x7fffffff, most = 65535;
    dim3 grid;
    grid.x = dvmhx_even(needed[0], all < 0x7fffffff ? all : 0x7fffffff);
    const long long for_y = all / grid.x;
    grid.y = dvmhx_even(needed[1], for_y < most ? for_y : most);
    const long long for_z = for_y / grid.y;
    grid.z = dvmhx_even(needed[2], for_z < most ? for_z : most);
    return grid;
}

/** What a kernel can have on the current GPU. */
struct dvmhx_kernel_facts {
    const void *kernel;
    int device, threads; /* `blocks` is for blocks of so many threads */
    int most_threads, blocks;
};

/** Facts of one kernel, asked for once: kernels of one type are three at most, and change their shape rarely. Main thread only. */
template <typename Kernel> const dvmhx_kernel_facts *dvmhx_facts_of(Kernel kernel, int threads) {
    enum { FACTS = 8 };
    static dvmhx_kernel_facts known[FACTS];
    static int oldest;
    const void *const address = reinterpret_cast<const void *>(kernel);
    cudaFuncAttributes attributes;
    int device = 0, multiprocessors = 1;
    (void)cudaGetDevice(&device);
    for (int i = 0; i < FACTS; i++)
        if (known[i].kernel == address && known[i].device == device && known[i].threads == threads)
            return &known[i];
    dvmhx_kernel_facts *const facts = &known[oldest];
    oldest = (oldest + 1) % FACTS;
    *facts = dvmhx_kernel_facts{address, device, threads, 1024, 0};
    if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess)
        facts->most_threads = attributes.maxThreadsPerBlock;
    if (threads == 0)
        return facts;
    (void)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&facts->blocks, kernel, threads, 0) != cudaSuccess ||
        facts->blocks < 1)
        facts->blocks = 1;
    facts->blocks *= multiprocessors;
    return facts;
}

/** Blocks of a kernel that run at once. */
template <typename Kernel> int dvmhx_resident_blocks(Kernel kernel, int threads) {
    return dvmhx_facts_of(kernel, threads)->blocks;
}

/** Threads of a block as the launch wants them, but no more than the kernel can have, less `others`: the longest side is halved until
 * they fit. */
template <typename Kernel> dim3 dvmhx_fitting_block(Kernel kernel, const DvmType wanted[3], int others) {
    unsigned side[3] = {(unsigned)wanted[0], (unsigned)wanted[1], (unsigned)wanted[2]};
    const int most = dvmhx_facts_of(kernel, 0)->most_threads - others;
    if (side[2] > 64) /* what blocks may have along z */
        side[2] = 64;
    while ((long long)side[0] * side[1] * side[2] > most) {
        int longest = side[1] > side[0] ? 1 : 0;
        longest = side[2] > side[longest] ? 2 : longest;
        side[longest] = (side[longest] + 1) / 2;
    }
    return dim3(side[0], side[1], side[2]);
}

#endif

#endif
