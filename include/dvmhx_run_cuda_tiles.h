/* DVMHX_LAUNCH_TILES, what all ways to run columns share: how a thread finds its points in a column, and how a piece of fronts is run.
 * dvmhx_launch_t says what columns, pieces and predecessors are.
 *
 * Speed. What counts is the time of one front, since a sweep is a chain of some thousand of them:
 *  - A thread has one point, found once a column; from front to front its variables and addresses grow by constants. Larger tiles than blocks
 *    (several points a thread, found anew in every front) save barriers, but a thread's points come one after the other, since the compiler
 *    may not move the loads of one over the stores of another.
 *  - What earlier fronts of the same column wrote is in L1, which stores update. What comes to memory first has been asked for
 *    DVMHX_FRONTS_AHEAD fronts before, if the function object has `prefetch`: longer than memory takes, short enough that L1 keeps it.
 *  - Between fronts there is one barrier, between pieces only what waiting needs. */
#ifndef DVMHX_RUN_CUDA_TILES_H
#define DVMHX_RUN_CUDA_TILES_H

#include <dvmhx_run_cuda_object.h>
#include <dvmhx_run_cuda_reductions.h>

#ifdef __CUDACC__

#ifndef DVMHX_FRONTS_AHEAD
#define DVMHX_FRONTS_AHEAD 8
#endif

/** A lane waits for each. */
#define DVMHX_PREDECESSORS DVMHX_WARP

template <typename Index, int RANK> struct dvmhx_tiles {
    dvmhx_space<Index, RANK> space;
    Index time[RANK], march_count;
    Index march_step[RANK]; /* from front to front: the step of march_dim, 0 of the others */
    int march_dim;
    int tile[RANK], columns[RANK];
    int block[3]; /* threads along x, y, z; fewer than the tile has points: then they stride */
    int chunk, piece_count, column_count;
    int sweeps;
    int predecessor_count, follow_count; /* columns to wait for: of the same sweep; then of the one before */
    int follow_fronts;
    short predecessor[DVMHX_PREDECESSORS][RANK];
    int *counters;
    const int *order;

    __host__ DVMHX_DEVICE int tile_along(int i) const { return space.dim[i] < 0 ? 1 : tile[space.dim[i]]; }
};

/** A column. */
template <int RANK> struct dvmhx_column {
    int corner[RANK]; /* coordinates */
    int first, last;  /* fronts */
};

/** A point of a column's cross-section in a front. */
template <typename Index, int RANK> struct dvmhx_point {
    Index v[RANK]; /* loop variables */
    typename dvmhx_ordinal<Index>::type
        of_march; /* ordinal of march_dim: an iteration if less than march_count */
};

/** Where thread number `thread` stands in the block that a launch speaks of: x, y, z. Threads behind that block have no points. */
template <typename Index, int RANK>
DVMHX_DEVICE bool dvmhx_place_thread(const dvmhx_tiles<Index, RANK> &tiles, int thread, int place[3]) {
    const int rows = thread / tiles.block[0];
    place[0] = thread - rows * tiles.block[0];
    place[2] = rows / tiles.block[1];
    place[1] = rows - place[2] * tiles.block[1];
    return place[2] < tiles.block[2];
}

/** The coordinates and fronts of a column, whatever the sweep. */
template <typename Index, int RANK>
DVMHX_DEVICE dvmhx_column<RANK> dvmhx_find_column(const dvmhx_tiles<Index, RANK> &tiles, int number) {
    dvmhx_column<RANK> column;
    number %= tiles.column_count;
    Index first = 0, last = tiles.march_count - 1;
#pragma unroll
    for (int k = RANK - 1; k >= 0; k--) {
        column.corner[k] = 0;
        if (k != tiles.march_dim) {
            column.corner[k] = number % tiles.columns[k];
            number /= tiles.columns[k];
            const Index low = (Index)column.corner[k] * tiles.tile[k];
            const Index left = tiles.space.count[k] - low;
            first += tiles.time[k] * low;
            last += tiles.time[k] * (low + (left < tiles.tile[k] ? left : tiles.tile[k]) - 1);
        }
    }
    column.first = (int)first;
    column.last = (int)last;
    return column;
}

/** The point at `place` in the tile, in a front. One outside of the tile or the box never becomes an iteration: it is put farther behind march_dim's
 * last ordinal than there are fronts. */
template <typename Index, int RANK>
DVMHX_DEVICE dvmhx_point<Index, RANK> dvmhx_find_point(const dvmhx_tiles<Index, RANK> &tiles,
                                                       const dvmhx_column<RANK> &column, const int place[3],
                                                       bool exists, int front) {
    typedef typename dvmhx_ordinal<Index>::type Ordinal;
    const dvmhx_space<Index, RANK> &space = tiles.space;
    dvmhx_point<Index, RANK> point;
    Ordinal n[RANK], of_march = (Ordinal)(Index)front;
#pragma unroll
    for (int k = 0; k < RANK; k++) {
        const int in_tile = k == space.dim[0]   ? place[0]
                            : k == space.dim[1] ? place[1]
                            : k == space.dim[2] ? place[2]
                                                : 0;
        n[k] = (Ordinal)column.corner[k] * (Ordinal)tiles.tile[k] + (Ordinal)in_tile;
        if (k != tiles.march_dim) {
            of_march -= (Ordinal)tiles.time[k] * n[k];
            exists = exists && n[k] < (Ordinal)space.count[k] && in_tile < tiles.tile[k];
        }
    }
#pragma unroll
    for (int k = 0; k < RANK; k++)
        point.v[k] =
            space.start[k] + (Index)((k == tiles.march_dim ? of_march : n[k]) * (Ordinal)space.step[k]);
    point.of_march = exists ? of_march : ~(Ordinal)0 / 2 + 1;
    return point;
}

/** The number of the column that lies as predecessor[which] says from a column; -1: there is none. */
template <typename Index, int RANK>
DVMHX_DEVICE int dvmhx_find_neighbour(const dvmhx_tiles<Index, RANK> &tiles, const dvmhx_column<RANK> &column,
                                      int which) {
    int number = 0;
    bool exists = true;
#pragma unroll
    for (int k = 0; k < RANK; k++)
        if (k != tiles.march_dim) {
            const int at = column.corner[k] - tiles.predecessor[which][k];
            exists = exists && at >= 0 && at < tiles.columns[k];
            number = number * tiles.columns[k] + at;
        }
    return exists ? number : -1;
}

/** Ask for what the iteration at a point some fronts later, if it is one, will need. */
template <typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_fetch_point(Loop &loop, const dvmhx_tiles<Index, RANK> &tiles,
                                    const dvmhx_point<Index, RANK> &point, int fronts) {
    typedef typename dvmhx_ordinal<Index>::type Ordinal;
    if constexpr (dvmhx_has_prefetch<Loop>::value) {
        Index later[RANK];
#pragma unroll
        for (int k = 0; k < RANK; k++)
            later[k] = point.v[k] + (Index)fronts * tiles.march_step[k];
        if (point.of_march + (Ordinal)fronts < (Ordinal)tiles.march_count)
            dvmhx_prefetch(loop, later, dvmhx_dims<RANK>(), 0);
    }
}

/** The same for the fronts that a column begins with: while a block waits for predecessors, its data come. All columns wait for one that
 * begins slowly. */
template <typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_fetch_first_fronts(Loop &loop, const dvmhx_tiles<Index, RANK> &tiles,
                                           const dvmhx_point<Index, RANK> &point) {
    if constexpr (dvmhx_has_prefetch<Loop>::value)
        for (int fronts = 0; fronts < DVMHX_FRONTS_AHEAD; fronts++)
            dvmhx_fetch_point(loop, tiles, point, fronts);
}

/** Run the iteration at a point, if it is one. */
template <typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_run_point(Loop &loop, const dvmhx_tiles<Index, RANK> &tiles,
                                  const dvmhx_point<Index, RANK> &point) {
    typedef typename dvmhx_ordinal<Index>::type Ordinal;
    if (point.of_march < (Ordinal)tiles.march_count)
        dvmhx_iterate(loop, point.v, dvmhx_dims<RANK>());
    dvmhx_fetch_point(loop, tiles, point, DVMHX_FRONTS_AHEAD);
}

/** Fronts low .. high - 1 with one point a thread, which is at `low` and stays where the next front begins. Loop variables change by
 * constants, so that addresses are sums of what does not change and need no selection after a barrier. */
template <typename Loop, typename Index, int RANK, typename Team>
DVMHX_DEVICE void dvmhx_run_fronts(Loop &loop, const dvmhx_tiles<Index, RANK> &tiles,
                                   dvmhx_point<Index, RANK> *point, int low, int high, const Team &team) {
    for (int front = low; front < high; front++) {
        dvmhx_run_point(loop, tiles, *point);
#pragma unroll
        for (int k = 0; k < RANK; k++)
            point->v[k] += tiles.march_step[k];
        point->of_march++;
        team.sync();
    }
}

/** The same with several points a thread: those at `place` and whole blocks farther. */
template <typename Loop, typename Index, int RANK, typename Team>
DVMHX_DEVICE void dvmhx_run_wide_fronts(Loop &loop, const dvmhx_tiles<Index, RANK> &tiles,
                                        const dvmhx_column<RANK> &column, const int place[3], bool exists,
                                        int low, int high, const Team &team) {
    for (int front = low; front < high; front++) {
        int at[3];
        for (at[2] = place[2]; at[2] < tiles.tile_along(2); at[2] += tiles.block[2])
            for (at[1] = place[1]; at[1] < tiles.tile_along(1); at[1] += tiles.block[1])
                for (at[0] = place[0]; at[0] < tiles.tile_along(0); at[0] += tiles.block[0])
                    dvmhx_run_point(loop, tiles, dvmhx_find_point(tiles, column, at, exists, front));
        team.sync();
    }
}

/** A ticket and the column that it stands for, sweep number * columns of a sweep + its number; -1: all are taken. */
template <typename Index, int RANK>
DVMHX_DEVICE int dvmhx_take_column(const dvmhx_tiles<Index, RANK> &tiles) {
    const int ticket = atomicAdd(&tiles.counters[0], 1), sweep = ticket / tiles.column_count;
    if (sweep >= tiles.sweeps)
        return -1;
    const int before = sweep * tiles.column_count;
    return before + tiles.order[ticket - before];
}

#endif

#endif
