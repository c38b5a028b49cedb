/* Random loops with dependences, and random legal launches of them, for the tests of dvmhx_run_cuda.h: boxes, vectors, time vectors,
 * columns with their predecessors, layouts. Written from what dvmhx_launch_t promises alone. */
#ifndef GPU_LAUNCHES_H
#define GPU_LAUNCHES_H

#include "tests/check.h"
#include "tests/device/gpu_loops.h"

enum { LAUNCH_MAX_COLUMNS = 4096, LAUNCH_MAX_PREDECESSORS = 1024 };

/** A loop and an array that it walks: axis k by dim k, elements of `components` words. */
typedef struct random_loop {
    int rank, components, vector_count;
    DvmType start[GPU_LOOPS_RANK], step[GPU_LOOPS_RANK], count[GPU_LOOPS_RANK];
    DvmType vector[GPU_LOOPS_VECTORS][GPU_LOOPS_RANK];
    DvmType stride[GPU_LOOPS_RANK], component_stride;
    DvmType base;  /* of the element with all indices 0, from the beginning of the storage; may be negative */
    DvmType words; /* of the storage */
} random_loop_t;

/** A launch with the memory that it points to. `record` is complete but for arrays, counters, order and slots, and where it is kept. */
typedef struct random_launch {
    dvmhx_record_t record;
    dvmhx_launch_t launch;
    DvmType time[GPU_LOOPS_RANK], tile[GPU_LOOPS_RANK], columns[GPU_LOOPS_RANK];
    DvmType predecessor[LAUNCH_MAX_PREDECESSORS * GPU_LOOPS_RANK];
    int order[LAUNCH_MAX_COLUMNS];
    int sweeps; /* TILES: that follow each other in one launch */
} random_launch_t;

static inline DvmType launch_floor(DvmType a, DvmType b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static inline bool launch_is_positive(const DvmType *vector, int rank) {
    for (int k = 0; k < rank; k++)
        if (vector[k] != 0)
            return vector[k] > 0;
    return false;
}

static inline DvmType launch_offset(const random_loop_t *loop, const DvmType *v) {
    DvmType offset = loop->base;
    for (int k = 0; k < loop->rank; k++)
        offset += loop->stride[k] * v[k];
    return offset;
}

/** Strides for a box of so many elements a side, whose first one is at `low`: any order of axes, rows padded, maybe diagonal. */
static inline void launch_draw_layout(random_loop_t *loop, const DvmType *low, const DvmType *extent) {
    int perm[GPU_LOOPS_RANK] = {0}; /* fastest first */
    DvmType unit = 1;
    for (int k = 0; k < loop->rank; k++) {
        const int other = (int)check_random_range(0, k);
        perm[k] = perm[other];
        perm[other] = k;
    }
    const bool components_first = check_random_once_in(2);
    if (components_first) {
        loop->component_stride = 1;
        unit = loop->components;
    }
    for (int i = 0; i < loop->rank; i++) {
        DvmType padded = extent[perm[i]] + check_random_range(0, 3);
        if (check_random_once_in(3)) /* rows begin where lines of memory do */
            padded = (padded + 31) / 32 * 32;
        loop->stride[perm[i]] = unit;
        if (i == 0 && loop->rank > 1 && check_random_once_in(2)) { /* rows of constant p + q, or p - q */
            const DvmType sign = check_random_once_in(2) ? 1 : -1;
            loop->stride[perm[1]] = padded * unit;
            loop->stride[perm[0]] = unit + sign * padded * unit;
            unit *= padded * (extent[perm[0]] + extent[perm[1]] - 1);
            i = 1;
        } else {
            unit *= padded;
        }
    }
    if (!components_first) {
        loop->component_stride = unit;
        unit *= loop->components;
    }
    loop->words = unit + loop->components;
    loop->base = 0;
    for (int k = 0; k < loop->rank; k++)
        loop->base -= loop->stride[k] * (loop->stride[k] < 0 ? low[k] + extent[k] - 1 : low[k]);
}

/** A loop of a rank. @param longest  iterations along a dim */
static inline void launch_draw_loop(random_loop_t *loop, int rank, DvmType longest) {
    DvmType low[GPU_LOOPS_RANK], extent[GPU_LOOPS_RANK];
    *loop = (random_loop_t){.rank = rank, .components = check_random_once_in(4) ? 5 : 1};
    loop->vector_count = (int)check_random_range(1, GPU_LOOPS_VECTORS);
    for (int i = 0; i < loop->vector_count; i++)
        do {
            for (int k = 0; k < rank; k++)
                loop->vector[i][k] =
                    check_random_once_in(2) ? 0 : check_random_range(-1, check_random_once_in(4) ? 2 : 1);
        } while (!launch_is_positive(loop->vector[i], rank));
    if (check_random_once_in(3)) /* as in lines: one dim alone */
        for (int i = 0; i < loop->vector_count; i++)
            for (int k = 0; k < rank; k++)
                loop->vector[i][k] = k == rank / 2 ? 1 + (i & 1) : 0;
    for (int k = 0; k < rank; k++) {
        DvmType reach = 0;
        for (int i = 0; i < loop->vector_count; i++)
            reach = loop->vector[i][k] > reach    ? loop->vector[i][k]
                    : -loop->vector[i][k] > reach ? -loop->vector[i][k]
                                                  : reach;
        loop->step[k] = check_random_range(1, 3) * (check_random_once_in(3) ? -1 : 1);
        loop->step[k] = check_random_once_in(2) ? 1 : loop->step[k];
        loop->count[k] = check_random_once_in(6) ? check_random_range(1, 2) : check_random_range(1, longest);
        loop->start[k] = check_random_range(-50, 50);
        const DvmType way = loop->step[k] < 0 ? -loop->step[k] : loop->step[k];
        const DvmType last = loop->start[k] + (loop->count[k] - 1) * loop->step[k];
        low[k] = (last < loop->start[k] ? last : loop->start[k]) - reach * way;
        extent[k] = (loop->count[k] - 1 + 2 * reach) * way + 1;
    }
    launch_draw_layout(loop, low, extent);
}

/** Make a loop of rank 3 one along rows that begin where lines of memory do, long enough for several blocks. */
static inline void launch_lay_rows(random_loop_t *loop) {
    enum { REACH = 2, LINE = 32 };
    DvmType words = 1;
    loop->base = 0;
    loop->components = 1;
    for (int k = 2; k >= 0; k--) {
        const bool is_down = check_random_once_in(3);
        loop->count[k] = k == 2 ? check_random_range(40, 90) : check_random_range(1, 3);
        loop->step[k] = is_down ? -1 : 1;
        loop->stride[k] = words;
        loop->base -= words * (loop->start[k] - (is_down ? loop->count[k] - 1 : 0) - REACH);
        words *= k == 2 ? (loop->count[k] + 2 * REACH + LINE - 1) / LINE * LINE : loop->count[k] + 2 * REACH;
    }
    loop->words = words;
}

/** A small time vector with time . vector >= 1 for all, and a dim of time 1. @return  whether one was found */
static inline bool launch_draw_time(const random_loop_t *loop, DvmType *time, int *march_p) {
    for (int trial = 0; trial < 300; trial++) {
        bool legal = true;
        for (int k = 0; k < loop->rank; k++)
            time[k] = check_random_range(0, check_random_once_in(2) ? 1 : 3);
        for (int i = 0; i < loop->vector_count && legal; i++) {
            DvmType sum = 0;
            for (int k = 0; k < loop->rank; k++)
                sum += time[k] * loop->vector[i][k];
            legal = sum >= 1;
        }
        const int march = (int)check_random_range(0, loop->rank - 1);
        if (legal && time[march] == 1) {
            *march_p = march;
            return true;
        }
    }
    return false;
}

/** Add a predecessor once. */
static inline bool launch_add_predecessor(random_launch_t *to, int rank, const DvmType *offset) {
    bool is_none = true;
    for (int k = 0; k < rank; k++)
        is_none = is_none && offset[k] == 0;
    for (DvmType i = 0; i < to->launch.predecessor_count; i++)
        if (memcmp(&to->predecessor[i * rank], offset, (size_t)rank * sizeof *offset) == 0)
            return true;
    if (is_none)
        return true;
    if (to->launch.predecessor_count == LAUNCH_MAX_PREDECESSORS)
        return false;
    memcpy(&to->predecessor[to->launch.predecessor_count++ * rank], offset, (size_t)rank * sizeof *offset);
    return true;
}

/** The columns that a vector reaches back to: along each dim as many as it covers, rounded down or up. */
static inline bool launch_find_predecessors(const random_loop_t *loop, random_launch_t *to, int march) {
    const int rank = loop->rank;
    to->launch.predecessor_count = 0;
    for (int i = 0; i < loop->vector_count; i++)
        for (int choice = 0; choice < 1 << rank; choice++) {
            DvmType offset[GPU_LOOPS_RANK];
            for (int k = 0; k < rank; k++) {
                const DvmType v = loop->vector[i][k], tile = to->tile[k];
                const DvmType down = launch_floor(v, tile), up = -launch_floor(-v, tile);
                offset[k] = k == march ? 0 : choice >> k & 1 ? up : down;
            }
            if (!launch_add_predecessor(to, rank, offset))
                return false;
        }
    return true;
}

/** Add a column of the sweep before once. @return  false: a warp has no lane for it */
static inline bool launch_add_follow(random_launch_t *to, int rank, const DvmType *offset) {
    dvmhx_launch_t *launch = &to->launch;
    DvmType *const first = &to->predecessor[launch->predecessor_count * rank];
    for (DvmType i = 0; i < launch->follow_count; i++)
        if (memcmp(&first[i * rank], offset, (size_t)rank * sizeof *offset) == 0)
            return true;
    if (launch->predecessor_count + launch->follow_count >= 32)
        return false;
    memcpy(&first[launch->follow_count++ * rank], offset, (size_t)rank * sizeof *offset);
    return true;
}

/** What a column waits for in the sweep before: wherever an iteration at the place `at` of its tile goes by a vector, forth or back. Where this is
 * more than a warp can wait for there is one sweep. */
static inline void launch_draw_sweeps(const random_loop_t *loop, random_launch_t *to, int march) {
    const int rank = loop->rank;
    dvmhx_launch_t *launch = &to->launch;
    bool fits = launch->predecessor_count < 32;
    to->sweeps = check_random_once_in(3) ? 1 : (int)check_random_range(2, 5);
    launch->follow_count = launch->follow_fronts = 0;
    for (int i = 0; i < 2 * loop->vector_count + 1 && fits && to->sweeps > 1; i++) {
        DvmType way[GPU_LOOPS_RANK], at[GPU_LOOPS_RANK] = {0}, fronts = 0;
        for (int k = 0; k < rank; k++) {
            way[k] = i == 2 * loop->vector_count ? 0 : loop->vector[i / 2][k] * (i % 2 == 0 ? 1 : -1);
            fronts += to->time[k] * way[k];
        }
        launch->follow_fronts = fronts > launch->follow_fronts ? fronts : launch->follow_fronts;
        for (bool more = true; more && fits;) {
            DvmType offset[GPU_LOOPS_RANK];
            for (int k = 0; k < rank; k++)
                offset[k] = k == march ? 0 : -launch_floor(at[k] + way[k], to->tile[k]);
            fits = launch_add_follow(to, rank, offset);
            more = false;
            for (int k = 0; k < rank && !more; k++) { /* the next place */
                at[k] = k != march && at[k] + 1 < to->tile[k] ? at[k] + 1 : 0;
                more = at[k] > 0;
            }
        }
    }
    if (!fits || to->sweeps == 1) {
        to->sweeps = 1;
        launch->follow_count = 0;
    }
}

/** Number of the column `offset` before column `number`; -1: none. */
static inline int launch_column_before(const random_launch_t *to, int rank, int number,
                                       const DvmType *offset) {
    DvmType place = 1, found = 0, rest = number;
    for (int k = rank - 1; k >= 0; k--) {
        const DvmType at = rest % to->columns[k] - offset[k];
        rest /= to->columns[k];
        if (at < 0 || at >= to->columns[k])
            return -1;
        found += at * place;
        place *= to->columns[k];
    }
    return (int)found;
}

/** A random order with predecessors first. @return  false: they wait for each other in a circle */
static inline bool launch_draw_order(random_launch_t *to, int rank) {
    static int missing[LAUNCH_MAX_COLUMNS], ready[LAUNCH_MAX_COLUMNS];
    const int count = (int)to->launch.column_count;
    int ready_count = 0, done = 0;
    const bool in_turn = check_random_once_in(2); /* a neighbour of the last one, as in a wavefront of one */
    for (int i = 0; i < count; i++) {
        missing[i] = 0;
        for (DvmType p = 0; p < to->launch.predecessor_count; p++)
            missing[i] += launch_column_before(to, rank, i, &to->predecessor[p * rank]) >= 0;
        if (missing[i] == 0)
            ready[ready_count++] = i;
    }
    while (ready_count > 0) {
        const int pick = in_turn ? ready_count - 1 : (int)check_random_range(0, ready_count - 1);
        const int column = ready[pick];
        ready[pick] = ready[--ready_count];
        to->order[done++] = column;
        for (int i = 0; i < count; i++)
            for (DvmType p = 0; p < to->launch.predecessor_count; p++)
                if (launch_column_before(to, rank, i, &to->predecessor[p * rank]) == column &&
                    --missing[i] == 0)
                    ready[ready_count++] = i;
    }
    return done == count;
}

/** Which dims x, y, z walk, of those allowed, and threads along them. */
static inline void launch_draw_block(random_launch_t *to, int rank, int allowed) {
    dvmhx_launch_t *launch = &to->launch;
    DvmType left = check_random_once_in(3) ? 256 : check_random_once_in(2) ? 32 : 96;
    for (int i = 0; i < 3; i++) {
        launch->dim[i] = -1;
        launch->block[i] = 1;
        if (allowed == 0 || (i > 0 && check_random_once_in(5)))
            continue;
        do {
            launch->dim[i] = check_random_range(0, rank - 1);
        } while ((allowed >> launch->dim[i] & 1) == 0);
        allowed &= ~(1 << launch->dim[i]);
        launch->block[i] = check_random_range(1, left < 40 ? left : 40);
        left /= launch->block[i];
    }
    if (launch->dim[1] < 0 && launch->dim[2] >= 0) { /* x first, then y */
        launch->dim[1] = launch->dim[2];
        launch->block[1] = launch->block[2];
        launch->dim[2] = -1;
        launch->block[2] = 1;
    }
}

/** Columns and all that belongs to them. @return  false: these tiles are not possible */
static inline bool launch_draw_columns(const random_loop_t *loop, random_launch_t *to) {
    dvmhx_launch_t *launch = &to->launch;
    const int march = (int)launch->march_dim;
    launch->column_count = 1;
    for (int k = 0; k < loop->rank; k++)
        to->tile[k] = to->columns[k] = 1;
    for (int i = 0; i < 3; i++)
        if (launch->dim[i] >= 0)
            to->tile[launch->dim[i]] =
                check_random_once_in(3) ? launch->block[i]
                                        : check_random_range(1, launch->block[i] + check_random_range(0, 4));
    for (int k = 0; k < loop->rank; k++) {
        if (k != march)
            to->columns[k] = (loop->count[k] + to->tile[k] - 1) / to->tile[k];
        launch->column_count *= to->columns[k];
    }
    for (int i = 0; i < 3; i++)
        if (launch->dim[i] >= 0 && launch->block[i] > to->tile[launch->dim[i]])
            launch->block[i] = to->tile[launch->dim[i]];
    launch->chunk = check_random_range(1, check_random_once_in(3) ? launch->front_count : 6);
    launch->piece_count = (launch->front_count + launch->chunk - 1) / launch->chunk;
    launch->served = check_random_once_in(3);
    if (launch->column_count > LAUNCH_MAX_COLUMNS || !launch_find_predecessors(loop, to, march) ||
        !launch_draw_order(to, loop->rank))
        return false;
    launch_draw_sweeps(loop, to, march);
    return true;
}

/** Let y of a grid walk the fronts of x and its own dim. */
static inline void launch_follow_fronts(const random_loop_t *loop, random_launch_t *to) {
    dvmhx_launch_t *launch = &to->launch;
    memset(to->time, 0, sizeof to->time);
    launch->march_dim = launch->dim[1];
    to->time[launch->march_dim] = 1;
    to->time[launch->dim[0]] = check_random_range(1, 3);
    launch->front_count =
        loop->count[launch->march_dim] + to->time[launch->dim[0]] * (loop->count[launch->dim[0]] - 1);
}

/**
 * A launch of a kind.
 * @return  whether the loop has one
 */
static inline bool launch_draw(const random_loop_t *loop, DvmType kind, random_launch_t *to) {
    const int rank = loop->rank, all = (1 << rank) - 1;
    dvmhx_launch_t *launch = &to->launch;
    int dependent = 0, march = -1;
    to->sweeps = 1;
    *launch = (dvmhx_launch_t){.size = sizeof *launch,
                               .kind = kind,
                               .narrow = check_random_once_in(2),
                               .tile = to->tile,
                               .columns = to->columns,
                               .predecessor = to->predecessor};
    for (int i = 0; i < loop->vector_count; i++)
        for (int k = 0; k < rank; k++)
            dependent |= loop->vector[i][k] != 0 ? 1 << k : 0;
    if (kind == DVMHX_LAUNCH_LINES && check_random_once_in(4))
        dependent = all; /* one thread */
    to->record = (dvmhx_record_t){.size = sizeof to->record,
                                  .device = 1,
                                  .thread_count = 1,
                                  .rank = rank,
                                  .start = loop->start,
                                  .step = loop->step,
                                  .count = loop->count,
                                  .time = to->time,
                                  .launch = launch};
    for (int k = 0; k < rank; k++)
        to->record.dependent |= (DvmType)(dependent >> k & 1) << (rank - 1 - k);
    launch->march_dim = -1;
    if (kind == DVMHX_LAUNCH_FRONTS || kind == DVMHX_LAUNCH_TILES) {
        if (!launch_draw_time(loop, to->time, &march))
            return false;
        launch->march_dim = march;
        launch->front_count = 1;
        for (int k = 0; k < rank; k++)
            launch->front_count += to->time[k] * (loop->count[k] - 1);
    }
    launch_draw_block(to, rank,
                      kind == DVMHX_LAUNCH_GRID    ? all
                      : kind == DVMHX_LAUNCH_LINES ? all & ~dependent
                                                   : all & ~(1 << march));
    if (kind == DVMHX_LAUNCH_GRID && launch->dim[1] >= 0 && check_random_once_in(2))
        launch_follow_fronts(loop, to);
    launch->block_limit = check_random_once_in(2) ? 0 : check_random_range(1, 9);
    launch->resident = check_random_once_in(2) ? 0 : check_random_range(1, 9);
    return kind != DVMHX_LAUNCH_TILES || launch_draw_columns(loop, to);
}

#endif
