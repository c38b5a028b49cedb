/* DVMHX_LAUNCH_FRONTS: a launch for each front, one after the other in the stream, which may be captured into a graph.
 *
 * A front is walked along the dims other than march_dim, whose ordinal follows. Of these only the ordinals that the front has are
 * enumerated: y, z and the others in a range for the whole front, and x, row by row, from the first to the last that the front meets, so
 * that grids are as small as fronts are. On skewed layouts, where x walks the row dim, the points of a row lie one after the other in
 * memory.
 *
 * Speed. A launch costs two to three microseconds in a stream and about one in a graph, so this is for fronts with work for that long, and
 * for loops whose columns would be few. What a front reads has been written by the launch before: nothing is kept in L1 from launch to launch. */
#ifndef DVMHX_RUN_CUDA_FRONTS_H
#define DVMHX_RUN_CUDA_FRONTS_H

#include <dvmhx_run_cuda_object.h>
#include <dvmhx_run_cuda_reductions.h>

#ifdef __CUDACC__

template <typename Index, int RANK> struct dvmhx_front {
    dvmhx_space<Index, RANK> space;
    Index time[RANK], march_count;
    int march_dim;
    Index front;
    Index low[RANK], width[RANK]; /* ordinals of the dims other than march_dim that the front may have */
    long long layers_z, layers;   /* as in dvmhx_points */

    __host__ DVMHX_DEVICE Index low_along(int i) const { return space.dim[i] < 0 ? 0 : low[space.dim[i]]; }
    __host__ DVMHX_DEVICE Index width_along(int i) const {
        return space.dim[i] < 0 ? 1 : width[space.dim[i]];
    }
    __host__ DVMHX_DEVICE Index time_along(int i) const { return space.dim[i] < 0 ? 0 : time[space.dim[i]]; }
};

template <typename Index> DVMHX_DEVICE Index dvmhx_quotient(Index a, Index b) {
    return b == 1 ? a : a / b;
}

/** The points of one row, i.e. of all x for one y, z, ..; n has the ordinals of all dims but march_dim and that of x. */
template <typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_run_front_row(Loop &loop, const dvmhx_front<Index, RANK> &front, const Index *n) {
    typedef typename dvmhx_ordinal<Index>::type Ordinal;
    const dvmhx_space<Index, RANK> &space = front.space;
    const Index time_x = front.time_along(0);
    Index rest = front.front; /* of the front, for x and march_dim */
#pragma unroll
    for (int k = 0; k < RANK; k++)
        if (k != front.march_dim && k != space.dim[0])
            rest -= front.time[k] * n[k];
    Index low = front.low_along(0), high = low + front.width_along(0) - 1;
    if (rest < 0 || (time_x == 0 && rest >= front.march_count))
        return;
    if (time_x > 0) {
        const Index over = rest - (front.march_count - 1);
        const Index least = over > 0 ? dvmhx_quotient(over + time_x - 1, time_x) : 0,
                    most = dvmhx_quotient(rest, time_x);
        low = least > low ? least : low;
        high = most < high ? most : high;
    }
    if (high < low)
        return;
    const Ordinal width = (Ordinal)(high - low) + 1;
    for (Ordinal x = (Ordinal)blockIdx.x * blockDim.x + threadIdx.x; x < width;
         x += (Ordinal)gridDim.x * blockDim.x) {
        const Index of_x = low + (Index)x;
        Index v[RANK];
#pragma unroll
        for (int k = 0; k < RANK; k++)
            v[k] = space.start[k] + (k == front.march_dim ? rest - time_x * of_x
                                     : k == space.dim[0]  ? of_x
                                                          : n[k]) *
                                        space.step[k];
        dvmhx_iterate(loop, v, dvmhx_dims<RANK>());
    }
}

/* Bounds as in dvmhx_run_cuda_columns.h: a front is as long as its loads. */
template <typename Loop>
__global__ void __launch_bounds__(256, 1)
    dvmhx_front_kernel(const __grid_constant__ Loop given,
                       const __grid_constant__ dvmhx_front<typename Loop::index_t, Loop::RANK> front,
                       const __grid_constant__ dvmhx_gpu_slots<Loop::REDUCTIONS> slots) {
    typedef typename Loop::index_t Index;
    typedef typename dvmhx_ordinal<Index>::type Ordinal;
    enum { RANK = Loop::RANK };
    const dvmhx_space<Index, RANK> &space = front.space;
    const dvmhx_team team = dvmhx_block_team();
    const Ordinal width_y = (Ordinal)front.width_along(1), width_z = (Ordinal)front.width_along(2);
    Loop loop = given;

    dvmhx_settle(loop, given, 0);
    dvmhx_begin_reductions(loop, slots,
                           dvmhx_block_number() * (blockDim.x * blockDim.y * blockDim.z) + team.thread);
    for (long long layer = blockIdx.z; layer < front.layers; layer += gridDim.z) {
        Index n[RANK];
        long long rest = layer;
#pragma unroll
        for (int k = 0; k < RANK; k++)
            n[k] = front.low[k];
        if (front.layers != front.layers_z) {
            rest = layer / front.layers_z;
#pragma unroll
            for (int k = RANK - 1; k >= 0; k--)
                if (k != front.march_dim && !space.walks(k)) {
                    n[k] += (Index)(rest % front.width[k]);
                    rest /= front.width[k];
                }
            rest = layer % front.layers_z;
        }
        const Ordinal z = (Ordinal)rest * blockDim.z + threadIdx.z;
        if (z >= width_z)
            continue;
        for (Ordinal y = (Ordinal)blockIdx.y * blockDim.y + threadIdx.y; y < width_y;
             y += gridDim.y * blockDim.y) {
#pragma unroll
            for (int k = 0; k < RANK; k++)
                n[k] = k == space.dim[1]   ? front.low[k] + (Index)y
                       : k == space.dim[2] ? front.low[k] + (Index)z
                                           : n[k];
            dvmhx_run_front_row(loop, front, n);
        }
    }
    dvmhx_end_reductions(loop, slots, dvmhx_block_number(), team);
}

/**
 * Find what the front number front->front has of each dim.
 * @return  whether it has anything, as far as ranges tell
 */
template <typename Index, int RANK> bool dvmhx_narrow_front(dvmhx_front<Index, RANK> *front) {
    DvmType latest = front->march_count - 1; /* front of the last iteration */
    for (int k = 0; k < RANK; k++)
        if (k != front->march_dim)
            latest += (DvmType)front->time[k] * (front->space.count[k] - 1);
    for (int k = 0; k < RANK; k++) {
        const DvmType time = front->time[k], last = (DvmType)front->space.count[k] - 1;
        DvmType low = 0, high = last;
        if (k != front->march_dim && time > 0) {
            const DvmType others = latest - time * last, over = front->front - others;
            low = over > 0 ? (over + time - 1) / time : 0;
            high = front->front / time < last ? front->front / time : last;
        }
        front->low[k] = (Index)low;
        front->width[k] = (Index)(high - low + 1);
        if (high < low)
            return false;
    }
    return true;
}

/** FRONTS; and TILES where the launch has what columns cannot do. */
template <typename Loop> void dvmhx_launch_fronts(const dvmhx_record_t *record, const Loop &loop) {
    typedef typename Loop::index_t Index;
    enum { RANK = Loop::RANK };
    const dvmhx_launch_t *launch = record->launch;
    dvmhx_front<Index, RANK> front;
    dvmhx_gpu_slots<Loop::REDUCTIONS> slots;
    static_assert(sizeof(Loop) + sizeof front + sizeof slots <= DVMHX_PARAMETER_BYTES,
                  "the values that a loop uses do not fit the parameters of a kernel");

    front.space.set(record);
    slots.set(launch->slots);
    front.march_dim = (int)launch->march_dim;
    front.march_count = front.space.count[front.march_dim];
    for (int k = 0; k < RANK; k++)
        front.time[k] = (Index)record->time[k];
    const dim3 block = dvmhx_fitting_block(dvmhx_front_kernel<Loop>, launch->block, 0);
    const long long side[3] = {block.x, block.y, block.z};
    for (DvmType number = 0; number < launch->front_count; number++) {
        front.front = (Index)number;
        if (!dvmhx_narrow_front(&front))
            continue;
        long long blocks[3];
        for (int i = 0; i < 3; i++) {
            long long width = front.width_along(i);
            /* No row has more than march_dim can make up for. */
            if (i == 0 && front.time_along(0) > 0 &&
                (front.march_count - 1) / front.time_along(0) + 1 < width)
                width = (front.march_count - 1) / front.time_along(0) + 1;
            blocks[i] = (width + side[i] - 1) / side[i];
        }
        front.layers_z = front.layers = blocks[2];
        for (int k = 0; k < RANK; k++)
            if (k != front.march_dim && !front.space.walks(k))
                front.layers *= front.width[k];
        blocks[2] = front.layers;
        dvmhx_start_kernel(dvmhx_front_kernel<Loop>, dvmhx_grid(blocks, launch->block_limit), block,
                           record->stream, loop, front, slots);
    }
}

#endif

#endif
