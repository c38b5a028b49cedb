/* DVMHX_LAUNCH_GRID and DVMHX_LAUNCH_LINES: a thread for each point of the dims that become threads, or for a few along z; LINES runs all
 * iterations of the others inside it, in lexicographic order.
 *
 * Speed. Independent loops are bound by memory, and what keeps memory busy is the number of threads with loads on the way; but a warp's
 * instructions count, too: an iteration of 40 has time for about 100. So what a thread needs at its beginning is little: x, y, z are the grid's
 * own, loop variables are sums of them times constants, and only what a grid has no dimension for (more than three dims) is found by dividing.
 * Where there are blocks enough to fill the GPU many times over, a thread takes up to DVMHX_GRID_TURNS points, neighbours along z: one
 * addition for each dim from one to the next, and the planes of a stencil that one reads are in L1 for the next. Several of them at once were
 * slower on an H200: threads, not loads of one thread, keep the memory busy there, so a kernel of few values is held to 32 registers.
 *
 * Neighbouring threads walk dim[0], so a warp's request is whole sectors where that dim's axis is contiguous; and warps begin where lines of
 * memory do: threads in front of the first point have nothing to do. L2, which is the limit of stencils, handles a tenth less so.
 *
 * Where arrays are stored by fronts, y walks the fronts of x and the march dim: neighbours along x are then neighbours in memory. About half
 * of the threads find no iteration and end. */
#ifndef DVMHX_RUN_CUDA_POINTS_H
#define DVMHX_RUN_CUDA_POINTS_H

#include <dvmhx_run_cuda_object.h>
#include <dvmhx_run_cuda_reductions.h>

#ifdef __CUDACC__

/**
 * In the place of a pointer to elements of an array that a loop without dependences only reads, and that lies apart from all that it writes:
 * what is loaded through it may be loaded before stores that stand in front of it, and stays known after them. Only elements are to be had,
 * by value.
 */
template <typename T> struct dvmhx_reader {
    const T *elements;

    void operator=(const T *given) { elements = given; }
    template <typename Place> DVMHX_DEVICE T operator[](Place place) const { return __ldg(elements + place); }
};

/** That where it can be. Functions with indices of 64 bits do without, so that there is one for loops that read and write an array under
 * two names. */
template <typename T, typename Index>
using dvmhx_readable = std::conditional_t<std::is_arithmetic<T>::value && !std::is_same<T, bool>::value &&
                                              std::is_same<T, std::remove_cv_t<T>>::value && sizeof(T) <= 8 &&
                                              sizeof(Index) == 4,
                                          dvmhx_reader<T>, T *>;

/** Whether no array of the record that is written, by the bits of their numbers, comes in a second time. */
inline bool dvmhx_are_apart(const dvmhx_record_t *record, unsigned long long written) {
    for (int i = 0; i < record->array_count; i++)
        for (int j = 0; j < record->array_count; j++)
            if ((written >> i & 1) != 0 && i != j && record->arrays[i].base == record->arrays[j].base)
                return false;
    return true;
}

/** Points of a thread, at most, where nothing limits the number of blocks, with few values and with many, and how many times the GPU must be
 * full for that. */
#define DVMHX_GRID_TURNS       16
#define DVMHX_GRID_TURNS_HEAVY 4
#ifndef DVMHX_GRID_WAVES
#define DVMHX_GRID_WAVES 8.
#endif

/** Weight of an iteration whose values fit 32 registers. */
#define DVMHX_LIGHT 12

/** How many values an iteration of an independent loop works with, roughly, as the object says in WEIGHT; many, where it does not. */
template <typename Loop, typename = void> struct dvmhx_weight : std::integral_constant<int, 1000> {};
template <typename Loop>
struct dvmhx_weight<Loop, std::void_t<decltype(Loop::WEIGHT)>> : std::integral_constant<int, Loop::WEIGHT> {};

/** Bounds of an independent loop's kernel: 65536 registers for FULL * THREADS threads. A loop of few loads lives from the number of its threads, one
 * of many has loads enough on their way in each, but needs registers for what they bring. */
template <typename Loop> struct dvmhx_grid_bounds {
    static constexpr bool IS_LIGHT = dvmhx_weight<Loop>::value <= DVMHX_LIGHT;
    enum {
        THREADS = IS_LIGHT ? 1024 : 512,
        FULL = IS_LIGHT && Loop::REDUCTIONS == 0 && sizeof(typename Loop::index_t) == 4 ? 2 : 1
    };
};

template <typename Index, int RANK> struct dvmhx_points {
    dvmhx_space<Index, RANK> space;
    Index step_of[3][RANK];                          /* what a step along x, y, z is for each loop variable */
    typename dvmhx_ordinal<Index>::type count_of[3]; /* points along x, y, z */
    int turns[3]; /* points of a thread along x, y, z: of blocks that are neighbours */
    /* Inside a thread: iterations of the innermost serial dim, what its step is for each loop variable, and the other serial dims, as bits. */
    Index row_count, row_step[RANK];
    int rows;
    typename dvmhx_ordinal<Index>::type
        shift;  /* threads along x before the first point, so that warps begin where lines of memory do */
    int folded; /* bit k: dim k neither is walked nor runs inside a thread */
    int march;  /* y walks fronts: the ordinal of this dim is that of y less `lag` times that of x; -1 */
    typename dvmhx_ordinal<Index>::type lag, march_count;
    long long groups_z, groups; /* of turns[2] layers along z; the same for all points of folded dims */
};

/** Iterations ahead that a thread which runs a line asks for: a line is a chain of loads, each a trip to memory where nobody asks. */
#define DVMHX_LINE_AHEAD 4

/** The iterations of the innermost serial dim, whose variable in v is at its start and is so again at the end. */
template <typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_run_row(Loop &loop, const dvmhx_points<Index, RANK> &points, const Index *from) {
    Index v[RANK];
#pragma unroll
    for (int k = 0; k < RANK; k++)
        v[k] = from[k];
#pragma unroll 1
    for (Index left = points.row_count; left > 0; left--) {
        dvmhx_iterate(loop, v, dvmhx_dims<RANK>());
        if constexpr (dvmhx_has_prefetch<Loop>::value) {
            Index later[RANK];
#pragma unroll
            for (int k = 0; k < RANK; k++)
                later[k] = v[k] + DVMHX_LINE_AHEAD * points.row_step[k];
            if (left > DVMHX_LINE_AHEAD)
                dvmhx_prefetch(loop, later, dvmhx_dims<RANK>(), 0);
        }
#pragma unroll
        for (int k = 0; k < RANK; k++)
            v[k] += points.row_step[k];
    }
}

/** All iterations of the serial dims, whose variables in v are at their start and are so again at the end, lexicographically. */
template <typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_run_line(Loop &loop, const dvmhx_points<Index, RANK> &points, Index *v) {
    const dvmhx_space<Index, RANK> &space = points.space;
    Index n[RANK];
#pragma unroll
    for (int k = 0; k < RANK; k++)
        n[k] = 0;
    for (bool more = true; more;) {
        dvmhx_run_row(loop, points, v);
        /* The next row: the innermost dim of rows that has one goes on, those inside it begin anew. */
        more = false;
#pragma unroll
        for (int k = RANK - 1; k >= 0; k--)
            if ((points.rows >> k & 1) && !more) {
                more = n[k] + 1 < space.count[k];
                n[k] = more ? n[k] + 1 : 0;
                v[k] = more ? v[k] + space.step[k] : space.start[k];
            }
    }
}

/** The points of a thread along z, from the ordinal z on; `origin` are the loop variables where x, y, z are 0. */
template <typename Loop, typename Index, int RANK, typename Ordinal>
DVMHX_DEVICE void dvmhx_run_group(Loop &loop, const dvmhx_points<Index, RANK> &points, const Index *origin,
                                  Ordinal x, Ordinal y, Ordinal z) {
    const Ordinal beyond = z + (Ordinal)points.turns[2] * blockDim.z;
    const Ordinal end = beyond < points.count_of[2] ? beyond : points.count_of[2];
    Index v[RANK];
    if (!Loop::HAS_DEPENDENCES && points.march >= 0 && y - points.lag * x >= points.march_count)
        return; /* the front has no such iteration */
#pragma unroll
    for (int k = 0; k < RANK; k++)
        v[k] = (Index)((Ordinal)origin[k] + x * (Ordinal)points.step_of[0][k] +
                       y * (Ordinal)points.step_of[1][k] + z * (Ordinal)points.step_of[2][k]);
#pragma unroll 1
    for (; z < end; z += blockDim.z) {
        if constexpr (Loop::HAS_DEPENDENCES)
            dvmhx_run_line(loop, points, v);
        else
            dvmhx_iterate(loop, v, dvmhx_dims<RANK>());
#pragma unroll
        for (int k = 0; k < RANK; k++)
            v[k] = (Index)((Ordinal)v[k] + (Ordinal)blockDim.z * (Ordinal)points.step_of[2][k]);
    }
}

/** What both kernels do. */
template <typename Loop>
DVMHX_DEVICE void dvmhx_run_points(const Loop &given,
                                   const dvmhx_points<typename Loop::index_t, Loop::RANK> &points,
                                   const dvmhx_gpu_slots<Loop::REDUCTIONS> &slots) {
    typedef typename Loop::index_t Index;
    typedef typename dvmhx_ordinal<Index>::type Ordinal;
    enum { RANK = Loop::RANK };
    const dvmhx_team team = dvmhx_block_team();
    Loop loop = given;

    dvmhx_settle(loop, given, 0);
    dvmhx_begin_reductions(loop, slots,
                           dvmhx_block_number() * (blockDim.x * blockDim.y * blockDim.z) + team.thread);
    for (long long group = blockIdx.z; group < points.groups; group += gridDim.z) {
        Index origin[RANK];
        Ordinal group_z = (Ordinal)group;
#pragma unroll
        for (int k = 0; k < RANK; k++)
            origin[k] = points.space.start[k];
        if (points.folded != 0) {
            long long rest = group / points.groups_z;
            group_z = (Ordinal)(group - rest * points.groups_z);
#pragma unroll
            for (int k = RANK - 1; k >= 0; k--)
                if (points.folded >> k & 1) {
                    origin[k] += (Index)(rest % points.space.count[k]) * points.space.step[k];
                    rest /= points.space.count[k];
                }
        }
        const Ordinal z = group_z * (Ordinal)points.turns[2] * blockDim.z + threadIdx.z;
        Ordinal y = (Ordinal)blockIdx.y * (Ordinal)points.turns[1] * blockDim.y + threadIdx.y;
#pragma unroll 1
        for (int turn_y = 0; turn_y < points.turns[1] && y < points.count_of[1]; turn_y++) {
            /* Without reductions the grid has blocks for all of x. */
            const int turns_x = Loop::REDUCTIONS > 0 ? points.turns[0] : 1;
            Ordinal x = (Ordinal)blockIdx.x * (Ordinal)turns_x * blockDim.x + threadIdx.x - points.shift;
#pragma unroll 1
            for (int turn_x = 0; turn_x < turns_x; turn_x++) {
                if (x < points.count_of[0]) /* before the first point it is huge */
                    dvmhx_run_group(loop, points, origin, x, y, z);
                x += blockDim.x;
            }
            y += blockDim.y;
        }
    }
    dvmhx_end_reductions(loop, slots, dvmhx_block_number(), team);
}

template <typename Loop>
__global__ void __launch_bounds__(dvmhx_grid_bounds<Loop>::THREADS, dvmhx_grid_bounds<Loop>::FULL)
    dvmhx_grid_kernel(const __grid_constant__ Loop given,
                      const __grid_constant__ dvmhx_points<typename Loop::index_t, Loop::RANK> points,
                      const __grid_constant__ dvmhx_gpu_slots<Loop::REDUCTIONS> slots) {
    dvmhx_run_points(given, points, slots);
}

/* Bounds as in dvmhx_run_cuda_columns.h: few threads, each a chain of loads. */
template <typename Loop>
__global__ void __launch_bounds__(256, 1)
    dvmhx_lines_kernel(const __grid_constant__ Loop given,
                       const __grid_constant__ dvmhx_points<typename Loop::index_t, Loop::RANK> points,
                       const __grid_constant__ dvmhx_gpu_slots<Loop::REDUCTIONS> slots) {
    dvmhx_run_points(given, points, slots);
}

/** The one that a loop needs. */
template <typename Loop> constexpr auto dvmhx_points_kernel() {
    if constexpr (Loop::HAS_DEPENDENCES)
        return dvmhx_lines_kernel<Loop>;
    else
        return dvmhx_grid_kernel<Loop>;
}

/** The grid for so many blocks along x, y, z and so many points of folded dims: no more than `limit` blocks in all where that is > 0, else as many as
 * there is work for threads of `turns` points. Fills in how the work of a block is counted. */
template <typename Index, int RANK>
dim3 dvmhx_divide_points(dvmhx_points<Index, RANK> *points, const long long blocks[3], long long folds,
                         long long limit, long long turns) {
    const long long most[3] = {0x7fffffff, 65535, 65535};
    long long left = limit > 0 ? limit : most[0], grid[3];
    for (int i = 0; i < 3; i++) {
        const long long can = left < most[i] ? left : most[i];
        long long turn = (blocks[i] * (i == 2 ? folds : 1) + can - 1) / can; /* what the limit asks for */
        if (limit <= 0 && (i == 2 || (i == 1 && blocks[2] * folds == 1)) && turn < turns)
            turn = turns;
        turn = turn < blocks[i] ? turn : blocks[i];
        points->turns[i] = (int)turn;
        grid[i] = (blocks[i] + turn - 1) / turn;
        if (i < 2 && limit > 0)
            left /= grid[i];
    }
    points->groups_z = grid[2];
    points->groups = grid[2] * folds;
    const long long last = left < most[2] ? left : most[2];
    return dim3((unsigned)grid[0], (unsigned)grid[1],
                (unsigned)(points->groups < last ? points->groups : last));
}

/** y walks fronts of x and the march dim in place of the march dim alone: neighbours along x are then neighbours on a front. */
template <typename Index, int RANK>
void dvmhx_follow_fronts(dvmhx_points<Index, RANK> *points, const dvmhx_record_t *record, const int side[3],
                         long long blocks[3]) {
    typedef typename dvmhx_ordinal<Index>::type Ordinal;
    const dvmhx_launch_t *launch = record->launch;
    points->march = (int)launch->march_dim;
    points->lag = (Ordinal)record->time[launch->dim[0]];
    points->march_count = (Ordinal)record->count[points->march];
    points->count_of[1] = (Ordinal)launch->front_count;
    points->step_of[0][points->march] =
        (Index)-record->time[launch->dim[0]] * points->space.step[points->march];
    blocks[1] = (launch->front_count + side[1] - 1) / side[1];
}

/**
 * Elements from the beginning of a line of memory to the first one of a row: of the first array that has such lines, all others of whose
 * strides keep to them; the first one that a loop names is most often what it writes. Lines of 128 bytes where rows keep to those, else of
 * 64 or 32.
 * @param start, step  of the loop variable that is taken for the index along rows
 */
inline long long dvmhx_offset_in_line(const dvmhx_record_t *record, long long start, long long step) {
    for (int bytes = 128; bytes >= 32; bytes /= 2)
        for (int i = 0; i < record->array_count; i++) {
            const dvmhx_array_t *array = &record->arrays[i];
            const long long each = array->element_bytes, line = each > 0 ? bytes / each : 0;
            int rows = 0, others = 0;
            if (line < 2 || bytes % each != 0)
                continue;
            for (int axis = 0; axis < array->rank; axis++) {
                const long long rest = (array->stride[axis] % line + line) % line;
                rows += rest == 1;
                others += rest > 1;
            }
            if (rows != 1 || others > 0)
                continue;
            const long long place = (long long)(((size_t)array->base / (size_t)each) % (size_t)line) + start;
            const long long along = step > 0 ? place : line - 1 - place % line;
            return (along % line + line) % line;
        }
    return 0;
}

/** Threads of a row of blocks of `side` that come before its first point, where that costs next to nothing. */
inline long long dvmhx_shift_of_x(const dvmhx_record_t *record, int side) {
    const DvmType dim = record->launch->dim[0];
    if (dim < 0 || (record->step[dim] != 1 && record->step[dim] != -1))
        return 0;
    const long long count = record->count[dim];
    const long long shift = dvmhx_offset_in_line(record, record->start[dim], record->step[dim]);
    const long long blocks = (count + side - 1) / side, shifted = (count + shift + side - 1) / side;
    return shifted == blocks || blocks >= 8 ? shift : 0;
}

/** GRID and LINES. */
template <typename Loop> void dvmhx_launch_points(const dvmhx_record_t *record, const Loop &loop) {
    typedef typename Loop::index_t Index;
    enum { RANK = Loop::RANK };
    const dvmhx_launch_t *launch = record->launch;
    dvmhx_points<Index, RANK> points;
    dvmhx_gpu_slots<Loop::REDUCTIONS> slots;
    static_assert(sizeof(Loop) + sizeof points + sizeof slots <= DVMHX_PARAMETER_BYTES,
                  "the values that a loop uses do not fit the parameters of a kernel");
    const auto kernel = dvmhx_points_kernel<Loop>();
    const dim3 block = dvmhx_fitting_block(kernel, launch->block, 0);
    const int side[3] = {(int)block.x, (int)block.y, (int)block.z};
    long long blocks[3], folds = 1, turns = 1;

    points.space.set(record);
    slots.set(launch->slots);
    points.rows = points.folded = 0;
    points.row_count = 1;
    for (int k = 0; k < RANK; k++) {
        /* Independent dims that no thread number walks are folded, whatever the launch is called. */
        const bool runs_inside = Loop::HAS_DEPENDENCES && launch->kind == DVMHX_LAUNCH_LINES &&
                                 (record->dependent >> (RANK - 1 - k) & 1);
        points.row_step[k] = 0;
        points.rows |= runs_inside ? 1 << k : 0;
        points.folded |= !runs_inside && !points.space.walks(k) ? 1 << k : 0;
        folds *= points.folded >> k & 1 ? record->count[k] : 1;
    }
    /* A dim of one iteration is no row. */
    for (int k = RANK - 1; k >= 0 && points.row_count == 1; k--)
        if (points.rows >> k & 1) {
            points.rows &= ~(1 << k);
            points.row_count = points.space.count[k];
            points.row_step[k] = points.row_count > 1 ? points.space.step[k] : 0;
        }
    for (int i = 0; i < 3; i++) {
        const long long count = points.space.count_along(i);
        points.count_of[i] = (typename dvmhx_ordinal<Index>::type)count;
        blocks[i] = (count + side[i] - 1) / side[i];
        for (int k = 0; k < RANK; k++)
            points.step_of[i][k] = k == launch->dim[i] ? points.space.step[k] : 0;
    }
    points.march = -1;
    points.lag = points.march_count = 0;
    if (!Loop::HAS_DEPENDENCES && launch->kind == DVMHX_LAUNCH_GRID && launch->march_dim >= 0)
        dvmhx_follow_fronts(&points, record, side, blocks);
    points.shift = (typename dvmhx_ordinal<Index>::type)dvmhx_shift_of_x(record, side[0]);
    blocks[0] = ((long long)points.count_of[0] + points.shift + side[0] - 1) / side[0];
    if (!Loop::HAS_DEPENDENCES) {
        const double resident = dvmhx_resident_blocks(kernel, side[0] * side[1] * side[2]);
        const double waves = (double)(blocks[0] * blocks[1] * blocks[2]) * (double)folds / resident;
        const long long most = dvmhx_grid_bounds<Loop>::IS_LIGHT ? DVMHX_GRID_TURNS : DVMHX_GRID_TURNS_HEAVY;
        turns = waves < DVMHX_GRID_WAVES ? 1 : (long long)(waves / DVMHX_GRID_WAVES);
        turns = turns < most ? turns : most;
    }
    const dim3 grid =
        dvmhx_divide_points(&points, blocks, folds, Loop::REDUCTIONS > 0 ? launch->block_limit : 0, turns);
    dvmhx_start_kernel(kernel, grid, block, record->stream, loop, points, slots);
}

#endif

#endif
