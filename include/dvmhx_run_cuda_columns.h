/* DVMHX_LAUNCH_TILES: the ways to run columns. What a column is stands in dvmhx_launch_t, how one front of it runs in dvmhx_run_cuda_tiles.h.
 *
 * BLOCKS   a block of several warps runs a column, with a barrier after each front. Its first warp waits for predecessors, a lane for each,
 *          its last warp tells how far it has come.
 * SERVED   the same with one warp more, which does nothing but wait and tell: those that compute never stand still for a trip to other
 *          multiprocessors, about half a microsecond each, and look at shared memory instead.
 * WARPS    a column for each warp: its fronts follow each other without barriers of the block. Warps of one block hear of each other through
 *          shared memory. For tiles of at most 32 points.
 *
 * No deadlock, however few blocks are resident and in whatever order they start. Claim: the column with the smallest unfinished ticket goes
 * on. Tickets are drawn one after the other, by a block (or warp) that runs, and a block draws its next one when it has begun the last
 * piece of its column. So every drawn ticket belongs to a block that is resident, and of the two tickets that a block may hold the smaller
 * one is its current one. Let t be the smallest unfinished ticket. If it has been drawn, its holder's current ticket is t, since a smaller
 * one would be unfinished, too. order[] puts predecessors first, so all predecessors of the column have smaller tickets, and are finished:
 * each has raised its counter to piece_count, once and for all, so that no wait of the holder lasts; fronts and barriers end by themselves,
 * because all threads of a block come to the same barriers: pieces and fronts are those of the column, and whether to wait is read from
 * shared memory behind a barrier. If t has not been drawn, then all drawn ones are finished; a block that has finished its column draws the
 * next, and a launch has at least one block. That a block begins a piece while it holds a drawn ticket for later changes nothing: nobody's
 * progress depends on who else could have had that ticket. With SERVED and WARPS, warps of a block wait for each other by polling; that
 * needs what GPUs since sm_70 promise: every warp of a resident block gets its turn.
 *
 * Registers. Launch bounds say one block a multiprocessor: not because that were enough, but because with them the compiler issues all
 * loads of a body one behind the other, which costs some registers; without, it saves registers by waiting for the first loads before it
 * issues the last, and a front would be two or three trips to memory long. Bodies that need many registers get them.
 *
 * Order. Who finishes a piece: its threads store; a barrier of theirs; one store of the counter that releases. Who begins it: a load of the
 * counter that acquires; a barrier, or shared memory by release and acquire; loads. Acquire empties L1, so after a
 * first look it comes only when polling without it has seen enough, and not at all for pieces that an earlier one has covered. */
#ifndef DVMHX_RUN_CUDA_COLUMNS_H
#define DVMHX_RUN_CUDA_COLUMNS_H

#include <dvmhx_run_cuda_tiles.h>

#ifdef __CUDACC__

#define DVMHX_EVERYTHING 0x7fffffff

/** What a lane knows of a predecessor. */
struct dvmhx_awaited {
    const int *counter; /* NULL: there is none */
    int known;          /* pieces that it has finished, and that may be relied on */
};

template <typename Index, int RANK>
DVMHX_DEVICE dvmhx_awaited dvmhx_await(const dvmhx_tiles<Index, RANK> &tiles,
                                       const dvmhx_column<RANK> &column, int lane) {
    const int number = dvmhx_find_predecessor(tiles, column, lane);
    return number < 0 ? dvmhx_awaited{0, DVMHX_EVERYTHING} : dvmhx_awaited{&tiles.counters[1 + number], 0};
}

/** The least of what the lanes of a warp know. */
DVMHX_DEVICE int dvmhx_least_known(int known) {
    for (unsigned delta = DVMHX_WARP / 2; delta > 0; delta /= 2) {
        const int other = __shfl_xor_sync(DVMHX_ALL_LANES, known, (int)delta);
        known = other < known ? other : known;
    }
    return known;
}

/** A warp waits until all predecessors have finished so many pieces. The first look acquires at once, since most often it has seen enough: one trip
 * instead of two. @return  how many they have, at least */
DVMHX_DEVICE int dvmhx_wait_for(dvmhx_awaited *awaited, int pieces) {
    for (int tries = 0; __any_sync(DVMHX_ALL_LANES, awaited->known < pieces); tries++) {
        if (tries > 0)
            dvmhx_pause(tries);
        if (awaited->known < pieces && (tries == 0 || dvmhx_load_relaxed(awaited->counter) >= pieces))
            awaited->known = dvmhx_load_acquire(awaited->counter);
    }
    return dvmhx_least_known(awaited->known);
}

/** Memory that the threads of a block share. */
struct dvmhx_column_shared {
    int column; /* that comes next */
    int ready;  /* pieces that all predecessors have finished */
    /* SERVED: the same, and pieces that the block has finished; count up within a column */
    long long served_ready, served_done;
};

/** The pieces of a column: the first, and behind the last. */
struct dvmhx_pieces {
    int first, end, all, chunk;
    int first_front, end_front; /* of the column */

    /** The first front that the column has in a piece; behind its last one for `end`. */
    DVMHX_DEVICE int begin(int piece) const {
        return piece == first ? first_front : piece == end ? end_front : piece * chunk;
    }
    /** What the column's counter says after a piece. */
    DVMHX_DEVICE int finished_after(int piece) const { return piece + 1 == end ? all : piece + 1; }
};

template <typename Index, int RANK>
DVMHX_DEVICE dvmhx_pieces dvmhx_pieces_of(const dvmhx_tiles<Index, RANK> &tiles,
                                          const dvmhx_column<RANK> &column) {
    return dvmhx_pieces{column.first / tiles.chunk,
                        column.last / tiles.chunk + 1,
                        tiles.piece_count,
                        tiles.chunk,
                        column.first,
                        column.last + 1};
}

/** The warp that serves a block, for one column: tells what has been done, and looks whether predecessors have come farther. */
DVMHX_DEVICE void dvmhx_serve_column(dvmhx_column_shared *shared, dvmhx_awaited awaited, dvmhx_pieces pieces,
                                     int *counter, int lane) {
    int told = pieces.first, ready = 0;
    for (int tries = 0; told < pieces.end; tries++) {
        int moved = 0;
        if (ready < pieces.end) {
            const int seen = awaited.known < pieces.end ? dvmhx_load_relaxed(awaited.counter) : awaited.known;
            if (dvmhx_least_known(seen) > ready) {
                if (awaited.known < pieces.end)
                    awaited.known = dvmhx_load_acquire(awaited.counter);
                ready = dvmhx_least_known(awaited.known);
                moved = 1;
                if (lane == 0)
                    dvmhx_store_release_shared(&shared->served_ready, ready);
            }
        }
        const int done = (int)dvmhx_load_acquire_shared(&shared->served_done);
        const int agreed =
            __shfl_sync(DVMHX_ALL_LANES, done, 0); /* lanes may have looked at different times */
        if (agreed > told) {
            if (lane == 0)
                dvmhx_store_release(counter, agreed == pieces.end ? pieces.all : agreed);
            told = agreed;
            moved = 1;
        }
        if (!moved)
            dvmhx_pause(tries);
    }
}

/** How the threads of a block go through a column. */
enum { DVMHX_ONE_POINT, DVMHX_ONE_POINT_SERVED, DVMHX_SEVERAL_POINTS };

/** The threads of a block that compute, for one column; `next` is the column after this one, known to thread 0. */
template <int HOW, typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_run_column(Loop &loop, const dvmhx_tiles<Index, RANK> &tiles,
                                   const dvmhx_column<RANK> &column, const dvmhx_team &team,
                                   dvmhx_column_shared *shared, dvmhx_awaited *awaited, int *counter,
                                   int *next) {
    const dvmhx_pieces pieces = dvmhx_pieces_of(tiles, column);
    int place[3], ready = 0;
    const bool exists = dvmhx_place_thread(tiles, team.thread, place);
    dvmhx_point<Index, RANK> point = dvmhx_find_point(tiles, column, place, exists, column.first);
    if constexpr (HOW != DVMHX_SEVERAL_POINTS)
        dvmhx_fetch_first_fronts(loop, tiles, point);
    for (int piece = pieces.first; piece < pieces.end; piece++) {
        if (team.thread == 0 && piece + 1 == pieces.end)
            *next = dvmhx_take_column(tiles);
        if constexpr (HOW == DVMHX_ONE_POINT_SERVED) {
            while ((ready = (int)dvmhx_load_acquire_shared(&shared->served_ready)) <= piece)
                dvmhx_pause(0);
        } else if (ready <= piece) {
            if (team.warp() == 0) {
                const int least = dvmhx_wait_for(awaited, piece + 1);
                if (team.thread == 0)
                    shared->ready = least;
            }
            team.sync();
            ready = shared->ready;
        }
        const int low = pieces.begin(piece), high = pieces.begin(piece + 1);
        if constexpr (HOW == DVMHX_SEVERAL_POINTS)
            dvmhx_run_wide_fronts(loop, tiles, column, place, exists, low, high, team);
        else
            dvmhx_run_fronts(loop, tiles, &point, low, high, team);
        if constexpr (HOW == DVMHX_ONE_POINT_SERVED) {
            if (team.thread == 0)
                dvmhx_store_release_shared(&shared->served_done, piece + 1);
        } else if (team.thread == (team.warps - 1) * DVMHX_WARP) {
            dvmhx_store_release(counter, pieces.finished_after(piece));
        }
    }
}

/** Threads of a block that have a point; SERVED adds a warp. */
#define DVMHX_BLOCK_THREADS 256

/** BLOCKS and SERVED. Blocks are whole warps in a row; dvmhx_place_thread gives them a shape. */
template <typename Loop, int HOW>
__global__ void __launch_bounds__(DVMHX_BLOCK_THREADS + DVMHX_WARP, 1)
    dvmhx_blocks_kernel(const __grid_constant__ Loop given,
                        const __grid_constant__ dvmhx_tiles<typename Loop::index_t, Loop::RANK> tiles,
                        const __grid_constant__ dvmhx_gpu_slots<Loop::REDUCTIONS> slots) {
    constexpr bool SERVED = HOW == DVMHX_ONE_POINT_SERVED;
    __shared__ dvmhx_column_shared shared;
    const int thread = (int)threadIdx.x, warps = (int)blockDim.x / DVMHX_WARP - (SERVED ? 1 : 0);
    const dvmhx_team team = {thread, DVMHX_WARP, warps, SERVED ? warps : 0};
    const bool computes = team.warp() < warps, waits = SERVED ? !computes : team.warp() == 0;
    const int threads = tiles.block[0] * tiles.block[1] * tiles.block[2];
    int next = 0;

    if (thread == 0) {
        dvmhx_sync_part_begin();
        next = dvmhx_take_column(tiles);
    }
    for (;;) {
        if (thread == 0) {
            shared.column = next;
            shared.served_ready = shared.served_done = 0;
        }
        __syncthreads();
        const int number = shared.column;
        if (number < 0)
            return;
        Loop loop = given;
        dvmhx_awaited awaited = {0, DVMHX_EVERYTHING};
        int *const counter = &tiles.counters[1 + number];
        const dvmhx_column<Loop::RANK> column = dvmhx_find_column(tiles, number);
        dvmhx_settle(loop, given, 0);
        dvmhx_begin_reductions(loop, slots, (long long)blockIdx.x * threads + thread);
        if (waits)
            awaited = dvmhx_await(tiles, column, team.lane());
        if (computes) {
            dvmhx_run_column<HOW>(loop, tiles, column, team, &shared, &awaited, counter, &next);
            dvmhx_end_reductions(loop, slots, number, team);
        } else {
            dvmhx_serve_column(&shared, awaited, dvmhx_pieces_of(tiles, column), counter, team.lane());
        }
        if (SERVED)
            __syncthreads(); /* nobody is in this column any more; without SERVED its last barrier says so */
    }
}

/** A warp that needs no other. */
struct dvmhx_lone_warp {
    DVMHX_DEVICE void sync() const { __syncwarp(); }
};

/** Warps of a block; more of them would only share what they have no use for. */
#define DVMHX_COLUMNS_A_BLOCK 4

/** WARPS: in shared memory, for each warp, the column that it runs, and pieces of it that are finished: both in one word, so that they
 * belong together. */
DVMHX_DEVICE long long dvmhx_told(int column, int pieces) {
    return (long long)((unsigned long long)(unsigned)column << 32 | (unsigned)pieces);
}

/** A lane waits until its predecessor has finished so many pieces; `neighbour` is the warp of this block that runs it, as long as it does. */
DVMHX_DEVICE void dvmhx_wait_beside(dvmhx_awaited *awaited, const volatile long long *told, int *neighbour,
                                    int column, int pieces) {
    for (int tries = 0; __any_sync(DVMHX_ALL_LANES, awaited->known < pieces); tries++) {
        if (tries > 0)
            dvmhx_pause(*neighbour >= 0 ? 0 : tries);
        if (awaited->known < pieces && *neighbour >= 0) {
            const long long beside = dvmhx_load_acquire_shared(&told[*neighbour]);
            if ((int)(beside >> 32) == column)
                awaited->known = (int)(beside & 0x7fffffff);
            else
                *neighbour = -1; /* it has finished the column and gone on */
        } else if (awaited->known < pieces &&
                   (tries == 0 || dvmhx_load_relaxed(awaited->counter) >= pieces)) {
            awaited->known = dvmhx_load_acquire(awaited->counter);
        }
    }
    __syncwarp();
}

template <typename Loop>
__global__ void __launch_bounds__(DVMHX_COLUMNS_A_BLOCK *DVMHX_WARP, 1)
    dvmhx_warps_kernel(const __grid_constant__ Loop given,
                       const __grid_constant__ dvmhx_tiles<typename Loop::index_t, Loop::RANK> tiles,
                       const __grid_constant__ dvmhx_gpu_slots<Loop::REDUCTIONS> slots) {
    __shared__ volatile long long told[DVMHX_COLUMNS_A_BLOCK];
    const int lane = (int)threadIdx.x % DVMHX_WARP, warp = (int)threadIdx.x / DVMHX_WARP,
              warps = (int)blockDim.x / DVMHX_WARP;
    const dvmhx_team team = {lane, DVMHX_WARP, 1, 0};
    const int threads = tiles.block[0] * tiles.block[1] * tiles.block[2];
    int place[3], next = 0;
    const bool exists = dvmhx_place_thread(tiles, lane, place);

    if (lane == 0) {
        told[warp] = dvmhx_told(-1, 0);
        next = dvmhx_take_column(tiles);
    }
    __syncthreads();
    for (;;) {
        const int number = __shfl_sync(DVMHX_ALL_LANES, next, 0);
        if (number < 0)
            return;
        Loop loop = given;
        const dvmhx_column<Loop::RANK> column = dvmhx_find_column(tiles, number);
        dvmhx_point<typename Loop::index_t, Loop::RANK> point =
            dvmhx_find_point(tiles, column, place, exists, column.first);
        dvmhx_settle(loop, given, 0);
        dvmhx_begin_reductions(loop, slots, ((long long)blockIdx.x * warps + warp) * threads + lane);
        const dvmhx_pieces pieces = dvmhx_pieces_of(tiles, column);
        const int awaited_column = dvmhx_find_predecessor(tiles, column, lane);
        dvmhx_awaited awaited = dvmhx_await(tiles, column, lane);
        int neighbour = -1;
        dvmhx_fetch_first_fronts(loop, tiles, point);
        for (int i = 0; i < warps; i++)
            if (awaited.counter != 0 && (int)(dvmhx_load_acquire_shared(&told[i]) >> 32) == awaited_column)
                neighbour = i;
        __syncwarp();
        if (lane == 0)
            dvmhx_store_release_shared(&told[warp], dvmhx_told(number, 0));
        for (int piece = pieces.first; piece < pieces.end; piece++) {
            if (lane == 0 && piece + 1 == pieces.end)
                next = dvmhx_take_column(tiles);
            dvmhx_wait_beside(&awaited, told, &neighbour, awaited_column, piece + 1);
            dvmhx_run_fronts(loop, tiles, &point, pieces.begin(piece), pieces.begin(piece + 1),
                             dvmhx_lone_warp());
            if (lane == 0) {
                dvmhx_store_release_shared(&told[warp], dvmhx_told(number, pieces.finished_after(piece)));
                dvmhx_store_release(&tiles.counters[1 + number], pieces.finished_after(piece));
            }
        }
        dvmhx_end_reductions(loop, slots, number, team);
        __syncwarp();
    }
}

/** Fill in the geometry of columns; `block` are the threads that a launch speaks of. */
template <typename Index, int RANK>
void dvmhx_set_tiles(const dvmhx_record_t *record, dim3 block, dvmhx_tiles<Index, RANK> *tiles) {
    const dvmhx_launch_t *launch = record->launch;
    const int sides[3] = {(int)block.x, (int)block.y, (int)block.z};
    tiles->space.set(record);
    tiles->march_dim = (int)launch->march_dim;
    tiles->march_count = tiles->space.count[tiles->march_dim];
    tiles->chunk = (int)launch->chunk;
    tiles->piece_count = (int)launch->piece_count;
    tiles->column_count = (int)launch->column_count;
    tiles->counters = launch->counters;
    tiles->order = launch->order;
    for (int k = 0; k < RANK; k++) {
        tiles->time[k] = (Index)record->time[k];
        tiles->tile[k] = (int)launch->tile[k];
        tiles->columns[k] = (int)launch->columns[k];
    }
    tiles->predecessor_count = (int)launch->predecessor_count;
    for (int i = 0; i < tiles->predecessor_count; i++)
        for (int k = 0; k < RANK; k++)
            tiles->predecessor[i][k] = (short)launch->predecessor[i * RANK + k];
    for (int k = 0; k < RANK; k++)
        tiles->march_step[k] = k == tiles->march_dim ? tiles->space.step[k] : 0;
    for (int i = 0; i < 3; i++)
        tiles->block[i] = sides[i];
}

/**
 * Blocks (columns at a time, for WARPS) of a launch: as many as are resident at once, since more would only wait for their turn; no more
 * than there are columns, or slots for their threads.
 */
template <typename Loop> long long dvmhx_columns_at_once(const dvmhx_record_t *record, long long resident) {
    const dvmhx_launch_t *launch = record->launch;
    long long count = launch->resident > 0 ? launch->resident : resident;
    count = count < launch->column_count ? count : launch->column_count;
    for (int i = 0; i < Loop::REDUCTIONS; i++)
        if (launch->slots[i].per_thread && launch->block_limit > 0 && launch->block_limit < count)
            count = launch->block_limit;
    return count;
}

template <typename Loop>
using dvmhx_blocks_kernel_t = void (*)(Loop, dvmhx_tiles<typename Loop::index_t, Loop::RANK>,
                                       dvmhx_gpu_slots<Loop::REDUCTIONS>);

template <typename Loop> void dvmhx_launch_columns(const dvmhx_record_t *record, const Loop &loop) {
    typedef typename Loop::index_t Index;
    enum { RANK = Loop::RANK };
    const dvmhx_launch_t *launch = record->launch;
    dvmhx_tiles<Index, RANK> tiles;
    dvmhx_gpu_slots<Loop::REDUCTIONS> slots;
    static_assert(sizeof(Loop) + sizeof tiles + sizeof slots <= DVMHX_PARAMETER_BYTES,
                  "the values that a loop uses do not fit the parameters of a kernel");
    DvmType side[3]; /* no more threads than a tile has points */
    bool several = false;

    slots.set(launch->slots);
    for (int i = 0; i < 3; i++) {
        const DvmType points = launch->dim[i] < 0 ? 1 : launch->tile[launch->dim[i]];
        side[i] = launch->block[i] < points ? launch->block[i] : points;
        several = several || side[i] < points;
    }
    if (side[0] * side[1] * side[2] <= DVMHX_WARP && !several) {
        const int all = dvmhx_resident_blocks(dvmhx_warps_kernel<Loop>, DVMHX_COLUMNS_A_BLOCK * DVMHX_WARP) *
                        DVMHX_COLUMNS_A_BLOCK;
        const long long columns = dvmhx_columns_at_once<Loop>(record, all);
        const unsigned warps = columns < DVMHX_COLUMNS_A_BLOCK ? (unsigned)columns : DVMHX_COLUMNS_A_BLOCK;
        dvmhx_set_tiles(record, dim3((unsigned)side[0], (unsigned)side[1], (unsigned)side[2]), &tiles);
        dvmhx_start_kernel(dvmhx_warps_kernel<Loop>, dim3((unsigned)(columns / warps)),
                           dim3(warps * DVMHX_WARP), record->stream, loop, tiles, slots);
        return;
    }
    dvmhx_blocks_kernel_t<Loop> kernel = dvmhx_blocks_kernel<Loop, DVMHX_ONE_POINT>;
    int extra = 0;
    if (several) {
        kernel = dvmhx_blocks_kernel<Loop, DVMHX_SEVERAL_POINTS>;
    } else if (launch->served) {
        kernel = dvmhx_blocks_kernel<Loop, DVMHX_ONE_POINT_SERVED>;
        extra = DVMHX_WARP;
    }
    dim3 block = dvmhx_fitting_block(kernel, side, extra);
    if (!several && (long long)block.x * block.y * block.z < side[0] * side[1] * side[2]) {
        kernel = dvmhx_blocks_kernel<Loop,
                                     DVMHX_SEVERAL_POINTS>; /* the tile is too large for one point a thread */
        extra = 0;
        block = dvmhx_fitting_block(kernel, side, extra);
    }
    const int threads = (int)(block.x * block.y * block.z + DVMHX_WARP - 1) / DVMHX_WARP * DVMHX_WARP + extra;
    dvmhx_set_tiles(record, block, &tiles);
    const long long blocks = dvmhx_columns_at_once<Loop>(record, dvmhx_resident_blocks(kernel, threads));
    dvmhx_start_kernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), record->stream, loop, tiles,
                       slots);
}

#endif

#endif
