/* The loops of test_overlap.c: an own element from elements around it, of arrays that lie to each other in random ways; the sequential
 * loop that says what must come out, and handlers that run any portion. */
#ifndef OVERLAP_EXAMPLE_H
#define OVERLAP_EXAMPLE_H

#include <dvmhlib2.h>
#include <dvmhx.h>

#include "rts/region.h"
#include "tests/cluster/cluster_check.h"
#include "tests/cluster/place_example.h"
#include "tests/cluster/sized_element.h"

enum {
    ARRAYS = 3,
    RANKS = 3,
    WIDEST = 3,
    SIZE = 2048,
    CASES = 160,
    ROUNDS = 4,
    READS = 8,
    MODULUS = 1000003
};

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

typedef enum telling {
    TELL_REFERENCES, /* a record handler with its references */
    TELL_ARRAYS,     /* a record handler that says only which arrays it uses */
    TELL_NOTHING,    /* a query handler */
    TELL_TEAM,       /* one with a team of its own */
    TELLINGS
} telling_t;

/* Index along axis k: sign * (index of the template along order[k]) + shift. */
typedef struct side {
    rts_array_t *array;
    DvmType header[64];
    rts_box_t space;
    size_t bytes; /* of an element */
    int order[RANKS];
    rts_index_t sign[RANKS], shift[RANKS];
    bool is_requested, corners;
    rts_index_t low[RANKS], high[RANKS]; /* of the request */
    int64_t model[SIZE];                 /* in C order of the template's indices */
} side_t;

typedef struct read {
    int side;
    rts_index_t offset[RANKS]; /* along the template's axes */
} read_t;

static struct {
    place_example_t place;
    rts_template_t *template;
    int rank;
    side_t side[ARRAYS];
    /* the loop: index of the template along an axis = mult * (variable of dim) + add */
    telling_t telling;
    rts_region_t *region;
    int dim[RANKS];
    rts_index_t mult[RANKS], add[RANKS];
    rts_index_t start[RANKS], step[RANKS], count[RANKS];
    int target, read_count;
    read_t read[READS];
    int64_t sum, largest;
} scene;

static inline rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

/* ---- elements ---- */

static inline size_t place_of(const rts_index_t index[]) {
    const rts_box_t *space = &scene.place.distribution.space;
    size_t place = 0;
    for (int axis = 0; axis < scene.rank; axis++)
        place = place * (size_t)(space->hi[axis] - space->lo[axis]) + (size_t)(index[axis] - space->lo[axis]);
    return place;
}

static inline void index_of_side(const side_t *side, const rts_index_t index[], rts_index_t of_side[]) {
    for (int k = 0; k < scene.rank; k++)
        of_side[k] = side->sign[k] * index[side->order[k]] + side->shift[k];
}

static inline void index_back(const side_t *side, const rts_index_t of_side[], rts_index_t index[]) {
    for (int k = 0; k < scene.rank; k++)
        index[side->order[k]] = side->sign[k] * (of_side[k] - side->shift[k]);
}

static inline void index_of_iteration(const rts_index_t variable[], rts_index_t index[]) {
    for (int axis = 0; axis < scene.rank; axis++)
        index[axis] = scene.mult[axis] * variable[scene.dim[axis]] + scene.add[axis];
}

static inline int64_t mix(int64_t sum, int64_t value) {
    return (sum * 31 + value) % MODULUS;
}

/* Finds an element; those of the model have 8 bytes, which hold what those of the array have room for. */
typedef void *(*find_fn_t)(const void *context, int side, const rts_index_t index[]);

static inline int64_t iterate(find_fn_t find, const void *context, const rts_index_t variable[]) {
    rts_index_t index[RTS_MAX_RANK], at[RTS_MAX_RANK];
    const bool is_model = context == NULL;
    const size_t bytes = scene.side[scene.target].bytes;
    index_of_iteration(variable, index);
    void *const own = find(context, scene.target, index);
    int64_t value = mix(3, sized_load(own, is_model ? 8 : bytes));
    for (int i = 0; i < scene.read_count; i++) {
        for (int axis = 0; axis < scene.rank; axis++)
            at[axis] = index[axis] + scene.read[i].offset[axis];
        const int side = scene.read[i].side;
        value = mix(value, sized_load(find(context, side, at), is_model ? 8 : scene.side[side].bytes));
    }
    value = sized_value(bytes, value);
    sized_store(own, is_model ? 8 : bytes, value);
    return value;
}

static inline bool next(const rts_index_t count[], rts_index_t n[]) {
    for (int dim = scene.rank - 1; dim >= 0; dim--) {
        if (++n[dim] < count[dim])
            return true;
        n[dim] = 0;
    }
    return false;
}

static inline void *find_model(const void *context, int side, const rts_index_t index[]) {
    (void)context;
    return &scene.side[side].model[place_of(index)];
}

static inline void run_model(void) {
    rts_index_t n[RTS_MAX_RANK] = {0}, variable[RTS_MAX_RANK];
    do {
        for (int dim = 0; dim < scene.rank; dim++)
            variable[dim] = scene.start[dim] + n[dim] * scene.step[dim];
        const int64_t value = iterate(find_model, NULL, variable);
        scene.sum += value;
        scene.largest = rts_max(scene.largest, value);
    } while (next(scene.count, n));
}

/* ---- handlers ---- */

static inline void *find_record(const void *context, int side, const rts_index_t index[]) {
    const dvmhx_array_t *array = &((const dvmhx_record_t *)context)->arrays[side];
    rts_index_t at[RTS_MAX_RANK];
    DvmType offset = 0;
    index_of_side(&scene.side[side], index, at);
    for (int axis = 0; axis < scene.rank; axis++)
        offset += array->stride[axis] * at[axis];
    return (void *)((uintptr_t)array->base + (uintptr_t)(offset * array->element_bytes));
}

static inline void record_handler(const dvmhx_record_t *record) {
    rts_index_t n[RTS_MAX_RANK] = {0}, variable[RTS_MAX_RANK];
    int64_t *const sum = record->reductions[0], *const largest = record->reductions[1];
    CHECK_EQ_INT(record->way, DVMHX_WAY_PLAIN);
    do {
        for (DvmType dim = 0; dim < record->rank; dim++)
            variable[dim] = record->start[dim] + n[dim] * record->step[dim];
        const int64_t value = iterate(find_record, record, variable);
        *sum += value;
        *largest = rts_max(*largest, value);
    } while (next(record->count, n));
}

static inline void *find_home(const void *context, int side, const rts_index_t index[]) {
    rts_index_t at[RTS_MAX_RANK];
    (void)context;
    index_of_side(&scene.side[side], index, at);
    return rts_array_element(scene.side[side].array, at);
}

static inline void query_handler(DvmType *loop) {
    rts_index_t low[RANKS], high[RANKS], step[RANKS], count[RANKS], n[RANKS] = {0}, variable[RTS_MAX_RANK];
    int64_t sum, largest;
    dvmh_loop_red_init_C(*loop, 1, &sum, NULL);
    dvmh_loop_red_init_C(*loop, 2, &largest, NULL);
    dvmh_loop_fill_bounds_C(*loop, low, high, step);
    for (int dim = 0; dim < scene.rank; dim++)
        count[dim] = (high[dim] - low[dim]) / step[dim] + 1;
    do {
        for (int dim = 0; dim < scene.rank; dim++)
            variable[dim] = low[dim] + n[dim] * step[dim];
        const int64_t value = iterate(find_home, loop, variable);
        sum += value;
        largest = rts_max(largest, value);
    } while (next(count, n));
    dvmh_loop_red_post_C(*loop, 1, &sum, NULL);
    dvmh_loop_red_post_C(*loop, 2, &largest, NULL);
}

#endif
