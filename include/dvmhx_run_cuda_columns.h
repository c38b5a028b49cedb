/* DVMHX_LAUNCH_TILES: the ways to run columns. What a column is stands in dvmhx_launch_t, how one front of it runs in dvmhx_run_cuda_tiles.h.
 *
 * BLOCKS   a block of several warps runs a column, with a barrier after each front. Its first warp waits for predecessors, a lane for each,
 *          its last warp tells how far it has come.
 * SERVED   the same with one warp more, which does nothing but wait and tell: those that compute never stand still for a trip to other
 *          multiprocessors, about half a microsecond each, and look at shared memory instead.
 * WARPS    a column for each warp: its fronts follow each other without barriers of the block. Warps of one block hear of each other through
 *          shared memory. For tiles of at most 32 points.
 *
 * Sweeps. One kernel may run several sweeps of a loop, which follow each other: a column of sweep s + 1 begins a piece when its predecessors in
 * its own sweep have finished it, as in a single sweep, and when sweep s has come so far that it neither reads nor writes what the piece
 * overwrites, and has written what it reads. A sweep is a chain of fronts that leaves most of the GPU idle; several of them fill it.
 * What is right: let n be an iteration of sweep s + 1, and m one of sweep s that uses an element with n, of which one writes it. As both sweeps
 * are the same loop, m and n meet in a single sweep, too, so that m - n is one of the loop's distances, either way, or 0. The offsets
 * of columns to wait for cover all columns that have such an m, and follow_fronts is the largest number of fronts from n to m. So m is done,
 * unless its column is left out of the offsets because it is a predecessor, at one or more steps, of the column of n; then it has come as far as that one,
 * which is always among the offsets. Sweeps s - 1 and before are done where sweep s is, by the same rule for m and m.
 *
 * No deadlock, however few blocks are resident and in whatever order they start. Claim: the column with the smallest unfinished ticket goes
 * on. Tickets are drawn one after the other, by a block (or warp) that runs, and a block draws its next one when it has begun the last
 * piece of its column. So every drawn ticket belongs to a block that is resident, and of the two tickets that a block may hold the smaller
 * one is its current one. Let t be the smallest unfinished ticket. If it has been drawn, its holder's current ticket is t, since a smaller
 * one would be unfinished, too. order[] puts predecessors first, and the tickets of a sweep come behind those of the one before, so all
 * that the column waits for has smaller tickets, and is finished:
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

/** What a lane knows of a column that its own one waits for. */
struct dvmhx_awaited {
    int number;         /* of the column; -1: there is none */
    const int *counter; /* its counter */
    int ahead,
        all;   /* pieces by which it must be ahead, as one of the sweep before; pieces of a whole column */
    int known; /* pieces for which it has come far enough, and that may be relied on */

    /** For how many pieces it has come far enough when its counter says `finished`. */
    DVMHX_DEVICE int serves(int finished) const {
        return finished >= all ? DVMHX_EVERYTHING : finished - ahead;
    }
};

/** What a lane waits for before column `number`: those of the same sweep, then those of the sweep before. Pieces that come before the
 * first front of an awaited column need nothing of it. */
template <typename Index, int RANK>
DVMHX_DEVICE dvmhx_awaited dvmhx_await(const dvmhx_tiles<Index, RANK> &tiles,
                                       const dvmhx_column<RANK> &column, int number, int lane) {
    dvmhx_awaited awaited = {-1, 0, 0, tiles.piece_count, DVMHX_EVERYTHING};
    int before = number - number % tiles.column_count; /* counters of earlier sweeps */
    if (lane >= tiles.predecessor_count) {
        before -= tiles.column_count;
        if (lane >= tiles.predecessor_count + tiles.follow_count || before < 0)
            return awaited;
        awaited.ahead = (tiles.follow_fronts + tiles.chunk - 1) / tiles.chunk;
    }
    const int neighbour = dvmhx_find_neighbour(tiles, column, lane);
    if (neighbour < 0)
        return awaited;
    awaited.number = before + neighbour;
    awaited.counter = &tiles.counters[1 + awaited.number];
    awaited.known = dvmhx_find_column(tiles, neighbour).first / tiles.chunk - awaited.ahead;
    return awaited;
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
        if (awaited->known < pieces &&
            (tries == 0 || awaited->serves(dvmhx_load_relaxed(awaited->counter)) >= pieces))
            awaited->known = awaited->serves(dvmhx_load_acquire(awaited->counter));
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
            const int seen = awaited.known < pieces.end ? awaited.serves(dvmhx_load_relaxed(awaited.counter))
                                                        : awaited.known;
            if (dvmhx_least_known(seen) > ready) {
                if (awaited.known < pieces.end)
                    awaited.known = awaited.serves(dvmhx_load_acquire(awaited.counter));
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

/** They wait until a piece may begin. @return  pieces that may */
template <int HOW>
DVMHX_DEVICE int dvmhx_wait_ready(const dvmhx_team &team, dvmhx_column_shared *shared, dvmhx_awaited *awaited,
                                  int piece) {
    if constexpr (HOW == DVMHX_ONE_POINT_SERVED) {
        int ready;
        while ((ready = (int)dvmhx_load_acquire_shared(&shared->served_ready)) <= piece)
            dvmhx_pause(0);
        return ready;
    } else {
        if (team.warp() == 0) {
            const int least = dvmhx_wait_for(awaited, piece + 1);
            if (team.thread == 0)
                shared->ready = least;
        }
        team.sync();
        return shared->ready;
    }
}

/** The threads of a block that compute, for column `number`; `next` is the column after this one, known to thread 0. */
template <int HOW, typename Loop, typename Index, int RANK>
DVMHX_DEVICE void dvmhx_run_column(Loop &loop, const dvmhx_tiles<Index, RANK> &tiles, int number,
                                   const dvmhx_column<RANK> &column, const dvmhx_team &team,
                                   dvmhx_column_shared *shared, dvmhx_awaited *awaited, int *next) {
    const dvmhx_pieces pieces = dvmhx_pieces_of(tiles, column);
    int place[3], ready = 0;
    const bool exists = dvmhx_place_thread(tiles, team.thread, place);
    dvmhx_point<Index, RANK> point = dvmhx_find_point(tiles, column, place, exists, column.first);
    if constexpr (HOW != DVMHX_SEVERAL_POINTS)
        dvmhx_fetch_first_fronts(loop, tiles, point);
    for (int piece = pieces.first; piece < pieces.end; piece++) {
        if (team.thread == 0 && piece + 1 == pieces.end)
            *next = dvmhx_take_column(tiles);
        if (ready <= piece)
            ready = dvmhx_wait_ready<HOW>(team, shared, awaited, piece);
        const int low = pieces.begin(piece), high = pieces.begin(piece + 1);
        if constexpr (HOW == DVMHX_SEVERAL_POINTS)
            dvmhx_run_wide_fronts(loop, tiles, column, place, exists, low, high, team);
        else
            dvmhx_run_fronts(loop, tiles, &point, low, high, team);
        if constexpr (HOW == DVMHX_ONE_POINT_SERVED) {
            if (team.thread == 0)
                dvmhx_store_release_shared(&shared->served_done, piece + 1);
        } else if (team.thread == (team.warps - 1) * DVMHX_WARP) {
            dvmhx_store_release(&tiles.counters[1 + number], pieces.finished_after(piece));
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
        dvmhx_awaited awaited = {-1, 0, 0, 0, DVMHX_EVERYTHING};
        const dvmhx_column<Loop::RANK> column = dvmhx_find_column(tiles, number);
        dvmhx_settle(loop, given, 0);
        dvmhx_begin_reductions(loop, slots, (long long)blockIdx.x * threads + thread);
        if (waits)
            awaited = dvmhx_await(tiles, column, number, team.lane());
        if (computes) {
            dvmhx_run_column<HOW>(loop, tiles, number, column, team, &shared, &awaited, &next);
            dvmhx_end_reductions(loop, slots, number, team);
        } else {
            dvmhx_serve_column(&shared, awaited, dvmhx_pieces_of(tiles, column), &tiles.counters[1 + number],
                               team.lane());
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

/** A warp waits until all that it waits for has come far enough; `neighbour` is the warp of this block that runs what the lane waits for,
 * as long as it does. */
DVMHX_DEVICE void dvmhx_wait_beside(dvmhx_awaited *awaited, const volatile long long *told, int *neighbour,
                                    int pieces) {
    for (int tries = 0; __any_sync(DVMHX_ALL_LANES, awaited->known < pieces); tries++) {
        if (tries > 0)
            dvmhx_pause(*neighbour >= 0 ? 0 : tries);
        if (awaited->known < pieces && *neighbour >= 0) {
            const long long beside = dvmhx_load_acquire_shared(&told[*neighbour]);
            if ((int)(beside >> 32) == awaited->number)
                awaited->known = awaited->serves((int)(beside & 0x7fffffff));
            else
                *neighbour = -1; /* it has finished the column and gone on */
        } else if (awaited->known < pieces &&
                   (tries == 0 || awaited->serves(dvmhx_load_relaxed(awaited->counter)) >= pieces)) {
            awaited->known = awaited->serves(dvmhx_load_acquire(awaited->counter));
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
        dvmhx_awaited awaited = dvmhx_await(tiles, column, number, lane);
        int neighbour = -1;
        for (int i = 0; i < warps; i++)
            if (awaited.number >= 0 && (int)(dvmhx_load_acquire_shared(&told[i]) >> 32) == awaited.number)
                neighbour = i;
        __syncwarp();
        if (lane == 0)
            dvmhx_store_release_shared(&told[warp], dvmhx_told(number, 0));
        dvmhx_fetch_first_fronts(loop, tiles, point);
        for (int piece = pieces.first; piece < pieces.end; piece++) {
            if (lane == 0 && piece + 1 == pieces.end)
                next = dvmhx_take_column(tiles);
            dvmhx_wait_beside(&awaited, told, &neighbour, piece + 1);
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
    tiles->sweeps = 1;
    tiles->predecessor_count = (int)launch->predecessor_count;
    tiles->follow_count = (int)launch->follow_count;
    tiles->follow_fronts = (int)launch->follow_fronts;
    for (int i = 0; i < tiles->predecessor_count + tiles->follow_count; i++)
        for (int k = 0; k < RANK; k++)
            tiles->predecessor[i][k] = (short)launch->predecessor[i * RANK + k];
    for (int k = 0; k < RANK; k++)
        tiles->march_step[k] = k == tiles->march_dim ? tiles->space.step[k] : 0;
    for (int i = 0; i < 3; i++)
        tiles->block[i] = sides[i];
}

/**
 * Columns that a launch runs at once: as many as are resident, since more would only wait for their turn, and no more than there are slots for
 * their threads.
 */
template <typename Loop> long long dvmhx_columns_at_once(const dvmhx_record_t *record, long long resident) {
    const dvmhx_launch_t *launch = record->launch;
    long long count = launch->resident > 0 ? launch->resident : resident;
    for (int i = 0; i < Loop::REDUCTIONS; i++)
        if (launch->slots[i].per_thread && launch->block_limit > 0 && launch->block_limit < count)
            count = launch->block_limit;
    return count;
}

/** A launch of columns, ready to be started or to be kept: for the latter it is compared with others as bytes. */
template <typename Loop> struct dvmhx_column_launch {
    void (*kernel)(Loop, dvmhx_tiles<typename Loop::index_t, Loop::RANK>, dvmhx_gpu_slots<Loop::REDUCTIONS>);
    long long at_once; /* columns */
    int threads;       /* of a column; all of a block, unless is_warps */
    int is_warps;
    Loop loop;
    dvmhx_tiles<typename Loop::index_t, Loop::RANK> tiles;
    dvmhx_gpu_slots<Loop::REDUCTIONS> slots;

    void start(DvmType sweeps, void *stream) const {
        const long long all = tiles.column_count * sweeps, columns = at_once < all ? at_once : all;
        const long long of_block = !is_warps                         ? 1
                                   : columns < DVMHX_COLUMNS_A_BLOCK ? columns
                                                                     : DVMHX_COLUMNS_A_BLOCK;
        auto of_sweeps = tiles;
        of_sweeps.sweeps = (int)sweeps;
        dvmhx_start_kernel(kernel, dim3((unsigned)(columns / of_block)), dim3((unsigned)(of_block * threads)),
                           stream, loop, of_sweeps, slots);
    }
};

template <typename Loop> void dvmhx_start_kept(const void *bytes, DvmType sweeps, void *stream) {
    static_cast<const dvmhx_column_launch<Loop> *>(bytes)->start(sweeps, stream);
}

/** What lies between members says nothing, and must not tell two launches apart. */
template <typename T> void dvmhx_clear_padding(T *object) {
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(object);
#endif
#endif
    (void)object;
}

/** Keep a launch where it may be. @return  false: it is to be started */
template <typename Loop> bool dvmhx_keep(dvmhx_kept_t *kept, dvmhx_column_launch<Loop> *columns) {
    if (kept == 0 || (size_t)kept->room < sizeof *columns)
        return false;
    dvmhx_clear_padding(columns);
    memcpy(kept->bytes, static_cast<const void *>(columns), sizeof *columns);
    kept->used = (DvmType)sizeof *columns;
    kept->start = dvmhx_start_kept<Loop>;
    return true;
}

/** Which kernel runs columns, and its block; sides are threads for points, no more than a tile has. */
template <typename Loop>
void dvmhx_choose_columns(const dvmhx_record_t *record, const DvmType side[3], bool several,
                          dvmhx_column_launch<Loop> *columns) {
    const dvmhx_launch_t *launch = record->launch;
    int extra = 0;
    columns->is_warps = side[0] * side[1] * side[2] <= DVMHX_WARP && !several;
    if (columns->is_warps) {
        columns->kernel = dvmhx_warps_kernel<Loop>;
        columns->threads = DVMHX_WARP;
        const int all = dvmhx_resident_blocks(columns->kernel, DVMHX_COLUMNS_A_BLOCK * DVMHX_WARP) *
                        DVMHX_COLUMNS_A_BLOCK;
        columns->at_once = dvmhx_columns_at_once<Loop>(record, all);
        dvmhx_set_tiles(record, dim3((unsigned)side[0], (unsigned)side[1], (unsigned)side[2]),
                        &columns->tiles);
        return;
    }
    columns->kernel = dvmhx_blocks_kernel<Loop, DVMHX_ONE_POINT>;
    if (several) {
        columns->kernel = dvmhx_blocks_kernel<Loop, DVMHX_SEVERAL_POINTS>;
    } else if (launch->served) {
        columns->kernel = dvmhx_blocks_kernel<Loop, DVMHX_ONE_POINT_SERVED>;
        extra = DVMHX_WARP;
    }
    dim3 block = dvmhx_fitting_block(columns->kernel, side, extra);
    if (!several && (long long)block.x * block.y * block.z < side[0] * side[1] * side[2]) {
        /* the tile is too large for one point a thread */
        columns->kernel = dvmhx_blocks_kernel<Loop, DVMHX_SEVERAL_POINTS>;
        extra = 0;
        block = dvmhx_fitting_block(columns->kernel, side, extra);
    }
    columns->threads = (int)(block.x * block.y * block.z + DVMHX_WARP - 1) / DVMHX_WARP * DVMHX_WARP + extra;
    columns->at_once =
        dvmhx_columns_at_once<Loop>(record, dvmhx_resident_blocks(columns->kernel, columns->threads));
    dvmhx_set_tiles(record, block, &columns->tiles);
}

template <typename Loop> void dvmhx_launch_columns(const dvmhx_record_t *record, const Loop &loop) {
    const dvmhx_launch_t *launch = record->launch;
    dvmhx_column_launch<Loop> columns{0, 0, 0, 0, loop, {}, {}};
    static_assert(sizeof loop + sizeof columns.tiles + sizeof columns.slots <= DVMHX_PARAMETER_BYTES,
                  "the values that a loop uses do not fit the parameters of a kernel");
    DvmType side[3];
    bool several = false;

    columns.slots.set(launch->slots);
    for (int i = 0; i < 3; i++) {
        const DvmType points = launch->dim[i] < 0 ? 1 : launch->tile[launch->dim[i]];
        side[i] = launch->block[i] < points ? launch->block[i] : points;
        several = several || side[i] < points;
    }
    dvmhx_choose_columns(record, side, several, &columns);
    if (!dvmhx_keep(launch->kept, &columns))
        columns.start(1, record->stream);
}

#endif

#endif
