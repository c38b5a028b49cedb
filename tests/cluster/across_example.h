/* Random loops with across clauses over two arrays, for test_across.c: how they are drawn, the sequential loop that says what must come
 * out, and handlers that run any portion of them. Elements are whole numbers modulo a prime, mixed so that every order of
 * execution that a dependence forbids shows. Every process draws the same loop and knows all elements of the model. */
#ifndef ACROSS_EXAMPLE_H
#define ACROSS_EXAMPLE_H

#include <dvmhlib_const.h>
#include <dvmhx.h>
#include <limits.h>

#include "rts/exec.h"
#include "tests/cluster/cluster_check.h"

enum {
    ACROSS_ARRAYS = 2,
    ACROSS_RANKS = 4,
    ACROSS_OFFSETS = 8,
    ACROSS_SIZE = 8192,
    ACROSS_MODULUS = 1000003
};

/** How the program tells what the loop depends on. */
typedef enum across_telling {
    ACROSS_STAR,    /* widths: offsets along single axes and towards what ran before along all */
    ACROSS_VECTORS, /* exact vectors: any offsets */
    ACROSS_UNKNOWN, /* a record handler that says nothing of its references: any offsets within the widths */
    ACROSS_QUERY    /* a query handler: the same, but for stages that are asked for */
} across_telling_t;

/** An array of the loop: axis k of the second is axis `axis[k]` of the first, with index = sign * index there + shift. */
typedef struct across_side {
    rts_array_t *array;
    rts_box_t space;
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    int axis[RTS_MAX_RANK], sign[RTS_MAX_RANK];
    rts_index_t shift[RTS_MAX_RANK];
    int offset_count;
    rts_index_t offset[ACROSS_OFFSETS][RTS_MAX_RANK]; /* of what is read, in axes of the first array */
    int64_t model[ACROSS_SIZE];                       /* in C order of the first array's indices */
} across_side_t;

typedef struct across_case {
    int rank, loop_rank;
    across_telling_t telling;
    bool in_region;
    bool
        is_sweep; /* three dims or more, of which the two innermost lie whole on each process and carry dependences both ways */
    rts_index_t stage; /* asked for; a query handler reads no corners that lead back then */
    bool
        is_apart; /* the second array is distributed by itself, in the same way: nobody knows how they lie to each other */
    int dim[RTS_MAX_RANK]; /* of each axis of the first array; -1: `constant` */
    rts_index_t constant[RTS_MAX_RANK];
    rts_index_t mult[RTS_MAX_RANK], add[RTS_MAX_RANK]; /* by axis */
    rts_index_t start[RTS_MAX_RANK], step[RTS_MAX_RANK], count[RTS_MAX_RANK];
    across_side_t side[ACROSS_ARRAYS];
    bool
        is_out; /* the loop also writes the first array at `beyond`; then all offsets are along one axis .. */
    bool along_all; /* .. or those of reads lead back along all, and `beyond` ahead */
    int only_axis;
    rts_index_t beyond[RTS_MAX_RANK];
    int64_t sum; /* of all that is written */
} across_case_t;

static across_case_t across; /* the running case */

static inline bool across_next(int rank, const rts_index_t count[], rts_index_t n[]) {
    for (int dim = rank - 1; dim >= 0; dim--) {
        if (++n[dim] < count[dim])
            return true;
        n[dim] = 0;
    }
    return false;
}

static inline int64_t across_mix(int64_t sum, int64_t value) {
    return (sum * 31 + value) % ACROSS_MODULUS;
}

static inline size_t across_place(const rts_index_t index[]) {
    const rts_box_t *space = &across.side[0].space;
    size_t place = 0;
    for (int axis = 0; axis < across.rank; axis++)
        place = place * (size_t)(space->hi[axis] - space->lo[axis]) + (size_t)(index[axis] - space->lo[axis]);
    return place;
}

/** Index in the first array of an iteration. */
static inline void across_index(const rts_index_t variable[], rts_index_t index[]) {
    for (int axis = 0; axis < across.rank; axis++)
        index[axis] = across.dim[axis] < 0
                          ? across.constant[axis]
                          : across.mult[axis] * variable[across.dim[axis]] + across.add[axis];
}

/** An index of the first array in another one. */
static inline void across_index_of(const across_side_t *side, const rts_index_t index[],
                                   rts_index_t of_side[]) {
    for (int axis = 0; axis < across.rank; axis++)
        of_side[axis] = side->sign[axis] * index[side->axis[axis]] + side->shift[axis];
}

/** One iteration, on elements that `find` finds. @return what it adds to the sum */
static inline int64_t across_iteration(int64_t *(*find)(const void *context, int side,
                                                        const rts_index_t index[]),
                                       const void *context, const rts_index_t variable[]) {
    rts_index_t index[RTS_MAX_RANK], read[RTS_MAX_RANK];
    int64_t value = 7;
    across_index(variable, index);
    for (int s = 0; s < ACROSS_ARRAYS; s++) {
        const across_side_t *side = &across.side[s];
        value = across_mix(value, *find(context, s, index));
        for (int k = 0; k < side->offset_count; k++) {
            for (int axis = 0; axis < across.rank; axis++)
                read[axis] = index[axis] + side->offset[k][axis];
            value = across_mix(value, *find(context, s, read));
        }
    }
    *find(context, 0, index) = value;
    *find(context, 1, index) = across_mix(value, 5);
    if (across.is_out && value % 3 != 0) {
        for (int axis = 0; axis < across.rank; axis++)
            read[axis] = index[axis] + across.beyond[axis];
        *find(context, 0, read) = across_mix(*find(context, 0, read), value);
    }
    return value;
}

static inline int64_t *across_find_model(const void *context, int side, const rts_index_t index[]) {
    (void)context;
    return &across.side[side].model[across_place(index)];
}

static inline void across_run_model(void) {
    rts_index_t n[RTS_MAX_RANK] = {0}, variable[RTS_MAX_RANK];
    do {
        for (int dim = 0; dim < across.loop_rank; dim++)
            variable[dim] = across.start[dim] + n[dim] * across.step[dim];
        across.sum += across_iteration(across_find_model, NULL, variable);
    } while (across_next(across.loop_rank, across.count, n));
}

/* ---- handlers ---- */

/** By rows, which is right for any layout of two axes and more. */
static inline int64_t *across_find_record(const void *context, int side, const rts_index_t index[]) {
    const dvmhx_record_t *record = context;
    const dvmhx_array_t *array = &record->arrays[side];
    rts_index_t at[RTS_MAX_RANK];
    DvmType offset = 0;
    across_index_of(&across.side[side], index, at);
    for (DvmType axis = 0; axis < array->rank; axis++)
        if (array->rank < 2 || (axis != array->p && axis != array->q))
            offset += array->stride[axis] * at[axis];
    if (array->rank < 2)
        return (int64_t *)((uintptr_t)array->base + (uintptr_t)(offset * array->element_bytes));
    offset +=
        (array->a * at[array->p] + array->b * at[array->q] + array->c) % array->row_count * array->pitch +
        at[array->q];
    return (int64_t *)((uintptr_t)array->row_base + (uintptr_t)(offset * array->element_bytes));
}

/* Whether the portion has an iteration: those of a range of fronts may be run in any order that is right for the loop. */
static inline bool across_has(const dvmhx_record_t *record, const rts_index_t n[]) {
    DvmType front = 0;
    if (record->way == DVMHX_WAY_PLAIN ||
        (record->way != DVMHX_WAY_FRONT && record->front_lo >= record->front_hi))
        return true;
    if (record->way == DVMHX_WAY_FRONT)
        for (DvmType dim = 0; dim < record->rank; dim++)
            front += record->time[dim] * n[dim];
    else
        front = record->lag * n[record->rank - 2] + n[record->rank - 1];
    return front >= record->front_lo && front < record->front_hi;
}

static inline void across_record_handler(const dvmhx_record_t *record) {
    rts_index_t n[RTS_MAX_RANK] = {0}, variable[RTS_MAX_RANK];
    int64_t sum = 0;
    do {
        if (!across_has(record, n))
            continue;
        for (DvmType dim = 0; dim < record->rank; dim++)
            variable[dim] = record->start[dim] + n[dim] * record->step[dim];
        sum += across_iteration(across_find_record, record, variable);
    } while (across_next((int)record->rank, record->count, n));
    *(int64_t *)record->reductions[0] += sum;
}

static inline int64_t *across_find_home(const void *context, int side, const rts_index_t index[]) {
    rts_index_t at[RTS_MAX_RANK];
    (void)context;
    across_index_of(&across.side[side], index, at);
    return rts_array_element(across.side[side].array, at);
}

static inline void across_query_handler(const DvmType *reference) {
    const rts_exec_portion_t *portion = rts_exec_portion(*reference);
    rts_index_t n[RTS_MAX_RANK] = {0}, variable[RTS_MAX_RANK], count[RTS_MAX_RANK];
    int64_t sum;
    CLUSTER_TRY(rts_exec_reduction_start(portion, 0, &sum, NULL));
    for (int dim = 0; dim < across.loop_rank; dim++)
        count[dim] = portion->hi[dim] - portion->lo[dim];
    do {
        for (int dim = 0; dim < across.loop_rank; dim++)
            variable[dim] = across.start[dim] + (portion->lo[dim] + n[dim]) * across.step[dim];
        sum += across_iteration(across_find_home, NULL, variable);
    } while (across_next(across.loop_rank, count, n));
    CLUSTER_TRY(rts_exec_reduction_post(portion, 0, &sum, NULL));
}

/* ---- drawing ---- */

static inline rts_index_t across_pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

static inline void across_shuffle(int list[], int count) {
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)across_pick(0, i), kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
}

static inline void across_draw_dims(void) {
    static const rts_index_t most[] = {60, 24, 11, 7};
    int dims[RTS_MAX_RANK];
    across.rank = (int)across_pick(across.is_sweep ? 3 : 1, ACROSS_RANKS);
    across.loop_rank =
        !across.is_sweep && across.rank > 1 && check_random_once_in(5) ? across.rank - 1 : across.rank;
    for (int axis = 0; axis < across.rank; axis++)
        dims[axis] = axis < across.loop_rank ? axis : -1;
    across_shuffle(dims, across.rank);
    across.side[0].space.rank = across.side[1].space.rank = across.rank;
    for (int axis = 0; axis < across.rank; axis++) {
        const int dim = across.dim[axis] = dims[axis];
        rts_box_t *space = &across.side[0].space;
        space->lo[axis] = across_pick(-3, 3);
        space->hi[axis] = space->lo[axis] + across_pick(1, most[across.rank - 1]);
        across.constant[axis] = across_pick(space->lo[axis], space->hi[axis] - 1);
        across.mult[axis] = check_random_once_in(4) ? -1 : 1;
        across.add[axis] = across_pick(-3, 3);
        if (dim >= 0)
            across.step[dim] = (check_random_once_in(3) ? -1 : 1) * (check_random_once_in(5) ? 2 : 1);
    }
}

/* Sides of a width that a telling allows: STAR knows of no corners that lead back along an axis. */
static inline void across_draw_offset(across_side_t *side) {
    rts_index_t *offset = side->offset[side->offset_count];
    const bool is_star = across.telling == ACROSS_STAR || across.is_out ||
                         (across.telling == ACROSS_QUERY && across.stage > 0);
    const bool all_before = is_star && (across.is_out ? across.along_all : check_random_once_in(3));
    const int only = across.is_out ? across.only_axis : (int)across_pick(0, across.rank - 1);
    bool any = false;
    for (int axis = 0; axis < across.rank; axis++) {
        offset[axis] = 0;
        if (across.dim[axis] < 0 || (is_star && !all_before && axis != only))
            continue;
        offset[axis] = across_pick(-side->low[axis], side->high[axis]);
        const bool is_ahead = (offset[axis] > 0) == (across.mult[axis] * across.step[across.dim[axis]] > 0);
        if (all_before && offset[axis] != 0 && is_ahead)
            offset[axis] = 0;
        any = any || offset[axis] != 0;
    }
    side->offset_count += any;
}

/* The neighbours of a star in the plane of the two innermost dims. */
static inline void across_draw_plane(across_side_t *side) {
    for (int axis = 0; axis < across.rank; axis++) {
        if (across.dim[axis] < across.loop_rank - 2)
            continue;
        side->low[axis] = rts_max(1, side->low[axis]);
        side->high[axis] = rts_max(1, side->high[axis]);
        side->offset[side->offset_count++][axis] = 1;
        side->offset[side->offset_count++][axis] = -1;
    }
}

static inline void across_draw_sides(void) {
    for (int s = 0; s < ACROSS_ARRAYS; s++) {
        across_side_t *side = &across.side[s];
        int axes[RTS_MAX_RANK];
        for (int axis = 0; axis < across.rank; axis++) {
            axes[axis] = axis;
            side->low[axis] = check_random_once_in(3) ? 0 : across_pick(0, 2);
            side->high[axis] = check_random_once_in(3) ? 0 : across_pick(0, 2);
            if (across.dim[axis] < 0)
                side->low[axis] = side->high[axis] = 0;
        }
        if (s > 0)
            across_shuffle(axes, across.rank);
        for (int axis = 0; axis < across.rank; axis++) {
            side->axis[axis] = axes[axis];
            side->sign[axis] = s > 0 && !across.is_apart && check_random_once_in(4) ? -1 : 1;
            side->shift[axis] = s > 0 ? across_pick(-3, 3) : 0;
        }
        for (int axis = 0; axis < across.rank && across.is_out; axis++)
            if (axis != across.only_axis && !across.along_all)
                side->low[axis] = side->high[axis] = 0;
        side->offset_count = 0;
        if (across.is_sweep)
            across_draw_plane(side);
        for (int i = (int)across_pick(0, ACROSS_OFFSETS - 2 - side->offset_count); i >= 0; i--)
            across_draw_offset(side);
    }
}

/* An array that is also written beyond the own elements. */
static inline void across_draw_beyond(void) {
    const across_side_t *side = &across.side[0];
    for (int axis = 0; axis < across.rank && across.is_out; axis++) {
        if (across.dim[axis] < 0 || (axis != across.only_axis && !across.along_all))
            continue;
        const bool is_up = across.mult[axis] * across.step[across.dim[axis]] > 0;
        across.beyond[axis] = across_pick(across.along_all && is_up ? 0 : -side->low[axis],
                                          across.along_all && !is_up ? 0 : side->high[axis]);
    }
}

/* Iterations so that all that is read lies in the arrays. @return false when there are none */
static inline bool across_draw_range(void) {
    for (int axis = 0; axis < across.rank; axis++) {
        const int dim = across.dim[axis];
        rts_index_t lo = across.side[0].space.lo[axis], hi = across.side[0].space.hi[axis] - 1;
        if (dim < 0)
            continue;
        lo += rts_max(across.side[0].low[axis], across.side[1].low[axis]);
        hi -= rts_max(across.side[0].high[axis], across.side[1].high[axis]);
        if (check_random_once_in(4))
            lo += across_pick(0, 3);
        if (lo > hi)
            return false;
        const rts_index_t step = across.mult[axis] * across.step[dim], length = step < 0 ? -step : step;
        across.count[dim] = (hi - lo) / length + 1;
        across.start[dim] = across.mult[axis] * ((step > 0 ? lo : hi) - across.add[axis]);
    }
    return true;
}

/** Draw a case; arrays are not opened. */
static inline void across_draw(void) {
    static const rts_index_t stages[] = {0, 0, 1, 2, 5};
    do {
        memset(&across, 0, sizeof across);
        across.stage = stages[across_pick(0, 4)];
        across.is_sweep = check_random_once_in(3);
        across.telling = across.is_sweep && check_random_once_in(2)
                             ? ACROSS_STAR
                             : (across_telling_t)across_pick(0, across.is_sweep ? 1 : 3);
        across.in_region = !check_random_once_in(4);
        across.is_apart = across.telling == ACROSS_STAR && check_random_once_in(4);
        across_draw_dims();
        across.is_out = !across.is_sweep && check_random_once_in(4);
        across.along_all = across.is_out && across.telling <= ACROSS_VECTORS && check_random_once_in(2);
        across.only_axis = (int)across_pick(0, across.rank - 1);
        across_draw_sides();
        across_draw_beyond();
    } while (!across_draw_range());
}

#endif
