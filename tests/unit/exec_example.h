/* Programs of random loops over arrays whose layouts the planner chooses, beside plain sequential loops that say what must come out:
 * for the tests of exec. Elements are whole numbers, so that results are the same in every order that dependences allow.
 *
 * The handler trusts nothing that the record says twice: where an array lies by rows and has strides, both must lead to one place,
 * and along fronts rows must be walked element by element. */
#ifndef EXEC_EXAMPLE_H
#define EXEC_EXAMPLE_H

#include "rts/coherence.h"
#include "rts/exec.h"
#include "rts/memory.h"
#include "rts/region.h"
#include "rts/runtime.h"
#include "rts/stats.h"
#include "tests/check.h"

#include <dvmhlib_const.h>
#include <dvmhx.h>
#include <limits.h>
#include <stdlib.h>

enum { EXAMPLE_ARRAYS = 4, EXAMPLE_USES = 3, EXAMPLE_SIZE = 4096, EXAMPLE_MODULUS = 1000003 };

/** An array of the program, and what it should hold. */
typedef struct example_array {
    rts_array_t *array;
    int64_t value[EXAMPLE_SIZE]; /* in C order */
    int64_t seen[EXAMPLE_SIZE];  /* home's memory when it was looked at last */
} example_array_t;

/** How a loop uses an array: index[axis] = sign * variable of dim + add. */
typedef struct example_use {
    int array;
    int intent;
    int dim[RTS_MAX_RANK], sign[RTS_MAX_RANK];
    rts_index_t add[RTS_MAX_RANK];
    bool by_rows;
} example_use_t;

/** A loop over the first array, which it writes; it reads neighbours of the first where it has dependences, the others as they are.
 * `corner`: a neighbour one row up, one column on. */
typedef struct example_loop {
    int rank, use_count;
    bool dependent, corner, is_query;
    rts_index_t start[RTS_MAX_RANK], step[RTS_MAX_RANK], count[RTS_MAX_RANK];
    example_use_t use[EXAMPLE_USES];
    int64_t salt;
} example_loop_t;

static example_array_t example_arrays[EXAMPLE_ARRAYS];
static const example_loop_t *example_running;
static rts_layout_rule_t example_rule; /* of the loops */
static rts_status_t (*example_execute)(rts_loop_t *loop) = rts_exec_loop;
static DvmHandlerFunc example_cuda_handler; /* beside those for the host; NULL: none */
static bool example_first_use_last;         /* tell the arrays in the opposite order */
static int64_t example_rows_seen, example_wraps_seen, example_skews_seen, example_reorganised_seen;

static inline rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

/* ---- what should come out ---- */

static inline rts_index_t example_number(const rts_array_t *array, const rts_index_t index[]) {
    rts_index_t number = 0;
    for (int axis = 0; axis < array->space.rank; axis++)
        number = number * (array->held.hi[axis] - array->held.lo[axis]) + index[axis] - array->held.lo[axis];
    return number;
}

/** Index of a use at loop variables, shifted by a number of iterations along each dim (NULL: none). */
static inline void example_index(const example_loop_t *loop, const example_use_t *use,
                                 const rts_index_t variable[], const int shift[], rts_index_t index[]) {
    const int rank = example_arrays[use->array].array->space.rank;
    for (int axis = 0; axis < rank; axis++) {
        const int dim = use->dim[axis];
        rts_index_t at = 0;
        if (dim >= 0)
            at = variable[dim] + (shift != NULL ? shift[dim] * loop->step[dim] : 0);
        index[axis] = use->sign[axis] * at + use->add[axis];
    }
}

/** Shifts of what a dependent loop reads of its own array, in iterations. @return how many */
static inline int example_shifts(const example_loop_t *loop, int shift[6][RTS_MAX_RANK]) {
    const int p = loop->rank - 2, q = loop->rank - 1;
    int count = 0;
    memset(shift, 0, 6 * sizeof shift[0]);
    if (!loop->dependent)
        return 0;
    shift[count++][p] = -1;
    shift[count++][q] = -1;
    shift[count++][p] = 1;
    shift[count++][q] = 1;
    if (loop->rank > 2)
        shift[count++][0] = -1;
    if (loop->corner) {
        shift[count][p] = -1;
        shift[count++][q] = 1;
    }
    return count;
}

static inline int64_t example_mix(int64_t sum, int64_t value) {
    return (sum * 31 + value) % EXAMPLE_MODULUS;
}

static inline bool example_next(int rank, const rts_index_t count[], rts_index_t n[]) {
    for (int dim = rank - 1; dim >= 0; dim--) {
        if (++n[dim] < count[dim])
            return true;
        n[dim] = 0;
    }
    return false;
}

/** The loop as it is written, on the model. */
static inline void example_model(const example_loop_t *loop) {
    rts_index_t n[RTS_MAX_RANK] = {0}, variable[RTS_MAX_RANK], index[RTS_MAX_RANK];
    int shift[6][RTS_MAX_RANK];
    const int shifts = example_shifts(loop, shift);
    do {
        int64_t sum = loop->salt;
        for (int dim = 0; dim < loop->rank; dim++)
            variable[dim] = loop->start[dim] + n[dim] * loop->step[dim];
        for (int u = loop->dependent ? 0 : 1; u < loop->use_count; u++) {
            example_index(loop, &loop->use[u], variable, NULL, index);
            const example_array_t *array = &example_arrays[loop->use[u].array];
            sum = example_mix(sum, array->value[example_number(array->array, index)]);
        }
        example_array_t *written = &example_arrays[loop->use[0].array];
        for (int s = 0; s < shifts; s++) {
            example_index(loop, &loop->use[0], variable, shift[s], index);
            sum = example_mix(sum, written->value[example_number(written->array, index)]);
        }
        example_index(loop, &loop->use[0], variable, NULL, index);
        written->value[example_number(written->array, index)] = sum;
    } while (example_next(loop->rank, loop->count, n));
}

/* ---- handlers ---- */

/** Address of an element by rows, as include/dvmhx.h says it. */
static inline int64_t *example_by_rows(const dvmhx_array_t *array, const rts_index_t index[]) {
    const DvmType d = array->a * index[array->p] + array->b * index[array->q] + array->c;
    DvmType offset = d % array->row_count * array->pitch + index[array->q];
    CHECK(d >= 0 && array->row_count > 0);
    for (DvmType axis = 0; axis < array->rank; axis++)
        if (axis != array->p && axis != array->q)
            offset += array->stride[axis] * index[axis];
    return (int64_t *)(uintptr_t)((uintptr_t)array->row_base + (uintptr_t)(offset * array->element_bytes));
}

static inline int64_t *example_by_strides(const dvmhx_array_t *array, const rts_index_t index[]) {
    DvmType offset = 0;
    for (DvmType axis = 0; axis < array->rank; axis++)
        offset += array->stride[axis] * index[axis];
    return (int64_t *)(uintptr_t)((uintptr_t)array->base + (uintptr_t)(offset * array->element_bytes));
}

/** Which use is told when, and the other way round. */
static inline int example_told(const example_loop_t *loop, int number) {
    return example_first_use_last ? loop->use_count - 1 - number : number;
}

static inline int64_t *example_element(const example_loop_t *loop, const dvmhx_record_t *record, int u,
                                       const rts_index_t index[]) {
    const dvmhx_array_t *array = &record->arrays[example_told(loop, u)];
    const bool affine = array->layout == DVMHX_LAYOUT_PLAIN || array->layout == DVMHX_LAYOUT_SKEW;
    if (array->rank < 2)
        return example_by_strides(array, index);
    int64_t *const place = example_by_rows(array, index);
    if (affine)
        CHECK(place == example_by_strides(array, index));
    else
        CHECK(array->layout == DVMHX_LAYOUT_WRAP && record->by_rows && loop->use[u].by_rows &&
              record->way == DVMHX_WAY_DIAGONAL);
    return place;
}

static inline void example_iteration(const example_loop_t *loop, const dvmhx_record_t *record,
                                     const rts_index_t n[]) {
    rts_index_t variable[RTS_MAX_RANK], index[RTS_MAX_RANK];
    int shift[6][RTS_MAX_RANK];
    const int shifts = example_shifts(loop, shift);
    int64_t sum = loop->salt;
    for (int dim = 0; dim < loop->rank; dim++)
        variable[dim] = record->start[dim] + n[dim] * record->step[dim];
    for (int u = loop->dependent ? 0 : 1; u < loop->use_count; u++) {
        example_index(loop, &loop->use[u], variable, NULL, index);
        sum = example_mix(sum, *example_element(loop, record, u, index));
    }
    for (int s = 0; s < shifts; s++) {
        example_index(loop, &loop->use[0], variable, shift[s], index);
        sum = example_mix(sum, *example_element(loop, record, 0, index));
    }
    example_index(loop, &loop->use[0], variable, NULL, index);
    *example_element(loop, record, 0, index) = sum;
}

/** The promise of by_rows: from (row, column) to (row + 1, column - lag) is one element up or down. */
static inline void example_check_rows(const dvmhx_record_t *record, const rts_index_t n[]) {
    const example_loop_t *loop = example_running;
    const int p = loop->rank - 2, q = loop->rank - 1;
    if (n[p] + 1 >= record->count[p] || n[q] < record->lag)
        return;
    for (int u = 0; u < loop->use_count; u++) {
        const example_use_t *use = &loop->use[u];
        const dvmhx_array_t *array = &record->arrays[example_told(loop, u)];
        rts_index_t here[RTS_MAX_RANK], there[RTS_MAX_RANK], variable[RTS_MAX_RANK];
        int shift[RTS_MAX_RANK] = {0}, up = 0, found = 0;
        for (int axis = 0; axis < array->rank; axis++) {
            found += use->dim[axis] == p || use->dim[axis] == q;
            if (use->dim[axis] == p)
                up = use->sign[axis] * (loop->step[p] > 0 ? 1 : -1);
        }
        if (!use->by_rows || found < 2)
            continue;
        for (int dim = 0; dim < loop->rank; dim++)
            variable[dim] = record->start[dim] + n[dim] * record->step[dim];
        shift[p] = 1;
        shift[q] = -(int)record->lag;
        example_index(loop, use, variable, NULL, here);
        example_index(loop, use, variable, shift, there);
        CHECK(example_by_rows(array, there) - example_by_rows(array, here) == up);
        __atomic_fetch_add(&example_rows_seen, 1, __ATOMIC_RELAXED);
        if (array->layout == DVMHX_LAYOUT_WRAP)
            __atomic_fetch_add(&example_wraps_seen, 1, __ATOMIC_RELAXED);
    }
}

/** Which group of iterations one belongs to, in the order that the way asks for; LLONG_MIN: none of this portion. */
static inline rts_index_t example_front(const dvmhx_record_t *record, const rts_index_t n[]) {
    const int p = (int)record->rank - 2, q = (int)record->rank - 1;
    rts_index_t front = 0;
    if (record->way == DVMHX_WAY_PLAIN)
        return 0;
    if (record->way == DVMHX_WAY_FRONT) {
        for (int dim = 0; dim < record->rank; dim++)
            front += record->time[dim] * n[dim];
        return front >= record->front_lo && front < record->front_hi ? front : LLONG_MIN;
    }
    front = record->lag * n[p] + n[q];
    if (record->front_lo < record->front_hi && (front < record->front_lo || front >= record->front_hi))
        return LLONG_MIN;
    return record->way == DVMHX_WAY_DIAGONAL ? front : 0;
}

/** All iterations with the first dims `outer` fixed: front after front, a front from its last iteration to its first. */
static inline void example_plane(const dvmhx_record_t *record, rts_index_t n[], int outer) {
    const int rest = (int)record->rank - outer;
    rts_index_t last = 0, count[RTS_MAX_RANK] = {0};
    for (int dim = 0; dim < rest; dim++)
        count[dim] = record->count[outer + dim];
    for (int dim = 0; dim < record->rank; dim++)
        last += (record->way == DVMHX_WAY_FRONT ? record->time[dim] : record->lag + 1) * record->count[dim];
    for (rts_index_t front = 0; front <= last; front++) {
        rts_index_t most = 1;
        for (int dim = 0; dim < rest; dim++)
            most *= count[dim];
        for (rts_index_t i = most - 1; i >= 0; i--) {
            rts_index_t number = i;
            for (int dim = rest - 1; dim >= 0; dim--) {
                n[outer + dim] = number % count[dim];
                number /= count[dim];
            }
            if (example_front(record, n) != front)
                continue;
            example_iteration(example_running, record, n);
            if (record->by_rows)
                example_check_rows(record, n);
        }
    }
}

static inline void example_record_handler(const dvmhx_record_t *record) {
    rts_index_t n[RTS_MAX_RANK] = {0};
    CHECK(record->size == sizeof *record && record->array_count == example_running->use_count);
    CHECK(!record->by_rows || record->way == DVMHX_WAY_DIAGONAL);
    for (int u = 0; u < record->array_count; u++)
        if (record->arrays[u].layout == DVMHX_LAYOUT_SKEW)
            __atomic_fetch_add(&example_skews_seen, 1, __ATOMIC_RELAXED);
    if (record->way == DVMHX_WAY_FRONT) {
        example_plane(record, n, 0);
        return;
    }
    if (record->way == DVMHX_WAY_DIAGONAL) {
        do {
            example_plane(record, n, (int)record->rank - 2);
        } while (example_next((int)record->rank - 2, record->count, n));
        return;
    }
    do {
        if (example_front(record, n) != LLONG_MIN)
            example_iteration(example_running, record, n);
    } while (example_next((int)record->rank, record->count, n));
}

/** Works on home, as code of the existing compilers does. Such loops have no dependences here. */
static inline void example_query_handler(const DvmType *reference) {
    const rts_exec_portion_t *portion = rts_exec_portion(*reference);
    const example_loop_t *loop = example_running;
    rts_index_t n[RTS_MAX_RANK] = {0}, count[RTS_MAX_RANK], variable[RTS_MAX_RANK], index[RTS_MAX_RANK];
    CHECK_EQ_INT(portion->device, 0);
    for (int dim = 0; dim < loop->rank; dim++)
        count[dim] = portion->hi[dim] - portion->lo[dim];
    do {
        int64_t sum = loop->salt;
        for (int dim = 0; dim < loop->rank; dim++)
            variable[dim] = loop->start[dim] + (portion->lo[dim] + n[dim]) * loop->step[dim];
        for (int u = 1; u < loop->use_count; u++) {
            example_index(loop, &loop->use[u], variable, NULL, index);
            sum = example_mix(sum,
                              *(int64_t *)rts_array_element(example_arrays[loop->use[u].array].array, index));
        }
        example_index(loop, &loop->use[0], variable, NULL, index);
        *(int64_t *)rts_array_element(example_arrays[loop->use[0].array].array, index) = sum;
    } while (example_next(loop->rank, count, n));
}

/* ---- the runtime's side ---- */

/** Perform a loop. The model is not touched. */
static inline rts_status_t example_perform(const example_loop_t *loop, rts_region_t *region) {
    rts_index_t end[RTS_MAX_RANK];
    rts_loop_t *object;
    int shift[6][RTS_MAX_RANK];
    for (int dim = 0; dim < loop->rank; dim++)
        end[dim] = loop->start[dim] + (loop->count[dim] - 1) * loop->step[dim];
    RTS_TRY(rts_loop_open(loop->rank, loop->start, end, loop->step, &object));
    object->region = region;
    rts_dependences_init(&object->vectors, loop->rank);
    object->has_vectors = loop->dependent;
    for (int s = example_shifts(loop, shift) - 1; s >= 0; s--) {
        rts_index_t vector[RTS_MAX_RANK];
        int lead = 0;
        while (shift[s][lead] == 0)
            lead++;
        for (int dim = 0; dim < loop->rank; dim++)
            vector[dim] = shift[s][lead] < 0 ? -shift[s][dim] : shift[s][dim];
        CHECK_EQ_INT(rts_dependences_add(&object->vectors, vector), RTS_OK);
    }
    object->layout_rule = example_rule;
    for (int told = 0; told < loop->use_count; told++) {
        const int u = example_told(loop, told);
        rts_loop_array_t use = {.array = example_arrays[loop->use[u].array].array,
                                .intent = loop->use[u].intent,
                                .by_rows = loop->use[u].by_rows};
        memcpy(use.dim, loop->use[u].dim, sizeof use.dim);
        memcpy(use.sign, loop->use[u].sign, sizeof use.sign);
        CHECK_EQ_INT(rts_loop_add_array(object, &use), RTS_OK);
    }
    rts_handler_t handler = {.device_type = DEVICE_TYPE_HOST,
                             .type = loop->is_query ? 0 : RTS_HANDLER_RECORD};
    handler.function = loop->is_query ? (DvmHandlerFunc)(void (*)(void))example_query_handler
                                      : (DvmHandlerFunc)(void (*)(void))example_record_handler;
    CHECK_EQ_INT(rts_loop_add_handler(object, &handler), RTS_OK);
    if (example_cuda_handler != NULL && !loop->is_query) {
        handler = (rts_handler_t){.device_type = DEVICE_TYPE_CUDA,
                                  .type = RTS_HANDLER_RECORD,
                                  .function = example_cuda_handler};
        CHECK_EQ_INT(rts_loop_add_handler(object, &handler), RTS_OK);
    }
    example_running = loop;
    const int64_t before = rts_stats_get(RTS_STAT_REORGANISATIONS);
    const rts_status_t status = example_execute(object);
    example_reorganised_seen += rts_stats_get(RTS_STAT_REORGANISATIONS) > before;
    return status;
}

/** An array of random extents from 4 up with random lower bounds, values from the model. */
static inline void example_open_array(example_array_t *subject, int rank, rts_index_t most) {
    rts_box_t space = {.rank = rank};
    const rts_index_t edges[RTS_MAX_RANK] = {0};
    rts_axis_rule_t rule[RTS_MAX_RANK];
    for (int axis = 0; axis < rank; axis++) {
        space.lo[axis] = pick(-2, 2);
        space.hi[axis] = space.lo[axis] + pick(4, most);
        rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = axis};
    }
    CHECK_EQ_INT(rts_array_create(&space, (rts_element_t){.code = rt_LLONG, .bytes = sizeof(int64_t)}, edges,
                                  edges, true, &subject->array),
                 RTS_OK);
    CHECK_EQ_INT(rts_array_distribute(subject->array, rule, &rts_runtime()->grid), RTS_OK);
    const rts_index_t size = rts_box_size(&subject->array->held);
    for (rts_index_t i = 0; i < size; i++)
        subject->seen[i] = subject->value[i] = ((int64_t *)subject->array->home.buffer)[i] = pick(0, 1000);
}

static inline void example_close_array(example_array_t *subject) {
    rts_coherence_release(subject->array);
    rts_array_destroy(subject->array);
    subject->array = NULL;
}

/** Where home has the newest values they must be the model's; where not, home must be as it was seen last. */
static inline bool example_check_home(example_array_t *subject) {
    const rts_array_t *array = subject->array;
    const int64_t *home = array->home.buffer;
    rts_index_t index[RTS_MAX_RANK], n[RTS_MAX_RANK] = {0}, count[RTS_MAX_RANK];
    bool good = true;
    for (int axis = 0; axis < array->space.rank; axis++)
        count[axis] = array->held.hi[axis] - array->held.lo[axis];
    do {
        for (int axis = 0; axis < array->space.rank; axis++)
            index[axis] = array->held.lo[axis] + n[axis];
        const rts_index_t i = example_number(array, index);
        if (rts_boxset_has_point(&array->home.current, index))
            subject->seen[i] = subject->value[i];
        good = CHECK_EQ_INT(home[i], subject->seen[i]) && good;
    } while (good && example_next(array->space.rank, count, n));
    return good;
}

/* ---- random loops and programs ---- */

/* Whether all of an array is written, so that its old values do not matter. */
typedef enum coverage { PART, WHOLE } coverage_t;

static inline rts_index_t extent_of(int array, int axis) {
    const rts_box_t *held = &example_arrays[array].array->held;
    return held->hi[axis] - held->lo[axis];
}

/* Dims of the axes of a use: all different; the written array has all dims of the loop. */
static inline void tie_axes(const example_loop_t *loop, example_use_t *use, bool is_written) {
    const int rank = example_arrays[use->array].array->space.rank;
    int dims[2 * RTS_MAX_RANK], count = 0;
    for (int dim = 0; dim < loop->rank; dim++)
        dims[count++] = dim;
    while (count < rank || (!is_written && count < loop->rank + 1))
        dims[count++] = -1; /* an index that does not move */
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)pick(0, i), dim = dims[i];
        dims[i] = dims[other];
        dims[other] = dim;
    }
    for (int axis = 0; axis < RTS_MAX_RANK; axis++) {
        use->dim[axis] = axis < rank ? dims[axis] : -1;
        use->sign[axis] = check_random_once_in(3) ? -1 : 1;
    }
}

/* Bounds of dim so that every use stays inside its array, neighbours included. */
static inline void choose_range(example_loop_t *loop, int dim, coverage_t coverage) {
    rts_index_t room = 64;
    for (int u = 0; u < loop->use_count; u++)
        for (int axis = 0; axis < RTS_MAX_RANK; axis++) {
            int *tied = &loop->use[u].dim[axis];
            if (*tied == dim && coverage == WHOLE && u > 0 && extent_of(loop->use[u].array, axis) < room)
                *tied = -1; /* what is read may be smaller: then its index stands still */
            else if (*tied == dim)
                room = rts_min(room, extent_of(loop->use[u].array, axis));
        }
    const rts_index_t length = coverage == WHOLE || room < 5 || !check_random_once_in(4) ? 1 : 2,
                      margin = loop->dependent ? length : 0;
    loop->step[dim] = length * (check_random_once_in(3) ? -1 : 1);
    const rts_index_t most = (room - 1 - 2 * margin) / length + 1;
    loop->count[dim] = coverage == WHOLE || !check_random_once_in(3) ? most : pick(1, most);
    loop->start[dim] = pick(-3, 3);
}

/* Constants of the indices of a use, so that it stays inside. */
static inline void place_use(const example_loop_t *loop, example_use_t *use) {
    const rts_array_t *array = example_arrays[use->array].array;
    for (int axis = 0; axis < array->space.rank; axis++) {
        const int dim = use->dim[axis];
        rts_index_t low = 0, high = 0, margin = 0;
        if (dim >= 0) {
            const rts_index_t step = loop->step[dim], start = loop->start[dim],
                              end = start + (loop->count[dim] - 1) * step;
            low = use->sign[axis] > 0 ? rts_min(start, end) : -rts_max(start, end);
            high = low + rts_max(start, end) - rts_min(start, end);
            margin = loop->dependent && use == &loop->use[0] ? (step < 0 ? -step : step) : 0;
        }
        use->add[axis] = pick(array->held.lo[axis] + margin - low, array->held.hi[axis] - 1 - margin - high);
    }
}

static inline void random_loop(example_loop_t *loop, int written, int read, bool dependent,
                               coverage_t coverage) {
    *loop = (example_loop_t){.dependent = dependent, .salt = pick(1, 1000)};
    const int rank = example_arrays[written].array->space.rank;
    loop->rank = coverage == WHOLE ? rank : (int)pick(2, rank);
    loop->corner = dependent && check_random_once_in(3);
    loop->use_count = (int)pick(1, EXAMPLE_USES);
    for (int u = 0; u < loop->use_count; u++) {
        example_use_t *use = &loop->use[u];
        use->array = u == 0 ? written : u == 1 ? read : check_random_once_in(3) ? read : 2;
        use->intent = u > 0 ? RTS_INTENT_IN : RTS_INTENT_OUT | (coverage == WHOLE ? 0 : RTS_INTENT_IN);
        use->by_rows = !check_random_once_in(4);
        tie_axes(loop, use, u == 0);
    }
    for (int dim = 0; dim < loop->rank; dim++)
        choose_range(loop, dim, coverage);
    for (int u = 0; u < loop->use_count; u++)
        place_use(loop, &loop->use[u]);
    loop->is_query = !dependent && check_random_once_in(6);
}

static inline void open_program(const char *planner, int devices) {
    char text[32];
    int argc = 1;
    static char name[] = "program";
    static char *arguments[] = {name, NULL};
    char **argv = arguments;
    setenv("DVMH_PLANNER", planner, 1);
    snprintf(text, sizeof text, "%d", devices);
    setenv("DVMH_FAKE_DEVICES", text, 1);
    snprintf(text, sizeof text, "%d", (int)pick(1, 3));
    setenv("DVMH_NUM_THREADS", text, 1);
    CHECK_EQ_INT(rts_runtime_open(true, &argc, &argv), RTS_OK);
    example_open_array(&example_arrays[0], (int)pick(2, 3), 11);
    example_open_array(&example_arrays[1], (int)pick(2, 3), 11);
    example_open_array(&example_arrays[2], 1, 30);
    example_open_array(&example_arrays[3], 2, 11);
}

static inline void close_program(void) {
    for (int i = 0; i < EXAMPLE_ARRAYS; i++)
        example_close_array(&example_arrays[i]);
    rts_runtime_close();
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REPLICA_BYTES), 0);
}

#endif
