/* Arrays of whole numbers in elements of several sizes with a model of what this process should hold, their newest values scattered over home, a work replica
 * in a random layout and the devices that there are. */
#ifndef ARRAY_EXAMPLE_H
#define ARRAY_EXAMPLE_H

#include <dvmhlib_const.h>

#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/memory.h"
#include "rts/replica.h"
#include "tests/cluster/cluster_check.h"
#include "tests/cluster/place_example.h"
#include "tests/cluster/sized_element.h"

enum { EXAMPLE_LARGEST = 4096 };

typedef struct array_example {
    rts_array_t *array;
    int number;
    int64_t model
        [EXAMPLE_LARGEST]; /* of all elements of the array's space, in C order; counts where they are held */
} array_example_t;

/** What an element is when array `number` has been given the values of `salt`: the same in every process. */
static inline int64_t example_value(int number, const rts_index_t index[], int64_t salt) {
    return number + 10 * (index[0] + 50) + 1000 * (index[1] + 50) + 100000 * (index[2] + 50) +
           10000000 * salt;
}

static inline size_t example_place(const array_example_t *example, const rts_index_t index[]) {
    const rts_box_t *space = &example->array->space;
    size_t place = 0;
    for (int axis = 0; axis < space->rank; axis++)
        place = place * (size_t)(space->hi[axis] - space->lo[axis]) + (size_t)(index[axis] - space->lo[axis]);
    return place;
}

static inline int64_t example_expected(const array_example_t *example, const rts_index_t index[]) {
    return example->model[example_place(example, index)];
}

/* In elements with less room numbers that are near to each other must differ still. */
static inline int64_t example_spread(size_t bytes, int64_t number) {
    return bytes >= sizeof number ? number : (int64_t)((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

/** Make an element of `bytes` bytes hold a number of the model. */
static inline void example_store(void *element, size_t bytes, int64_t number) {
    sized_store(element, bytes, example_spread(bytes, number));
}

/** Whether it holds that number; a failed check when not. */
static inline bool example_holds(const void *element, size_t bytes, int64_t number) {
    return CHECK_EQ_INT(sized_load(element, bytes), sized_value(bytes, example_spread(bytes, number)));
}

/** The first index of a box; axes beyond the rank are 0. */
static inline void example_first(const rts_box_t *box, rts_index_t index[RTS_MAX_RANK]) {
    memset(index, 0, RTS_MAX_RANK * sizeof index[0]);
    memcpy(index, box->lo, (size_t)box->rank * sizeof index[0]);
}

/** Values of `salt` in a box of the model. */
static inline void example_set(array_example_t *example, const rts_box_t *box, int64_t salt) {
    rts_index_t index[RTS_MAX_RANK];
    if (rts_box_is_empty(box))
        return;
    example_first(box, index);
    do
        example->model[example_place(example, index)] = example_value(example->number, index, salt);
    while (place_next(box, index));
}

/** An array placed as an example says, with elements of `bytes` bytes; nothing is filled. */
static inline void example_open_sized(array_example_t *example, int number, const place_example_t *place,
                                      const rts_index_t shadow_lo[], const rts_index_t shadow_hi[],
                                      size_t bytes) {
    rts_template_t *template;
    example->number = number;
    CLUSTER_TRY(rts_template_create(&place->distribution.space, &template));
    CLUSTER_TRY(rts_template_distribute(template, place->distribution.rule, &rts_runtime()->grid));
    CLUSTER_TRY(
        rts_array_create(&place->space, sized_type(bytes), shadow_lo, shadow_hi, true, &example->array));
    CLUSTER_TRY(rts_array_align(example->array, template, NULL, &place->alignment, &rts_runtime()->grid));
    rts_handle_destroy(template->handle); /* it lives as long as the array */
    template->handle = 0;
    rts_template_release(template);
}

/** The same with elements that are int64_t. */
static inline void example_open(array_example_t *example, int number, const place_example_t *place,
                                const rts_index_t shadow_lo[], const rts_index_t shadow_hi[]) {
    example_open_sized(example, number, place, shadow_lo, shadow_hi, sizeof(int64_t));
}

/** An array of random shape that every process has whole. */
static inline void example_open_whole(array_example_t *example, int number) {
    static place_example_t place;
    const rts_index_t width[RTS_MAX_RANK] = {0};
    do
        place_random(&place, &rts_runtime()->grid, 9);
    while (rts_box_size(&place.space) > EXAMPLE_LARGEST);
    for (int axis = 0; axis < place.distribution.space.rank; axis++)
        place.distribution.rule[axis].kind = RTS_AXIS_REPLICATED;
    example_open(example, number, &place, width, width);
}

static inline void example_close(array_example_t *example) {
    rts_coherence_release(example->array);
    rts_array_destroy(example->array);
}

/** Give the elements of a held box values at home; those of `salt`. */
static inline void example_fill_box(array_example_t *example, const rts_box_t *box, int64_t salt) {
    rts_array_t *array = example->array;
    rts_index_t index[RTS_MAX_RANK];
    example_set(example, box, salt);
    CLUSTER_TRY(rts_coherence_fetch(array, 0, box));
    CLUSTER_TRY(rts_coherence_written(array, 0, box));
    if (rts_box_is_empty(box))
        return;
    example_first(box, index);
    do
        example_store(rts_array_element(array, index), array->element.bytes,
                      example_expected(example, index));
    while (place_next(box, index));
}

/** The same for all that is held. */
static inline void example_fill(array_example_t *example, int64_t salt) {
    example_fill_box(example, &example->array->held, salt);
}

static inline rts_layout_form_t example_form(uint64_t *salt, int rank) {
    rts_layout_form_t form = rts_layout_form_home(rank);
    for (int axis = rank - 1; axis > 0; axis--) {
        const int other = (int)cluster_own_random(salt, 0, axis), kept = form.perm[axis];
        form.perm[axis] = form.perm[other];
        form.perm[other] = kept;
    }
    if (rank < 2)
        return form;
    form.kind = (rts_layout_kind_t)cluster_own_random(salt, RTS_LAYOUT_PLAIN, RTS_LAYOUT_WRAP);
    if (form.kind != RTS_LAYOUT_PLAIN) {
        form.a = 1;
        form.b = cluster_own_random(salt, 0, 1) == 0 ? 1 : -1;
    }
    return form;
}

/** Move newest values of random boxes to random places, differently in every process. */
static inline void example_scatter(array_example_t *example, uint64_t *salt) {
    rts_array_t *array = example->array;
    if (rts_box_is_empty(&array->held))
        return;
    for (int64_t moves = cluster_own_random(salt, 0, 3); moves > 0; moves--) {
        rts_replica_t *replica = &array->home;
        rts_box_t box = array->held;
        const int device = (int)cluster_own_random(salt, 0, rts_device_count() - 1);
        const rts_layout_form_t form = example_form(salt, array->space.rank);
        for (int axis = 0; axis < box.rank && moves > 1; axis++) {
            box.lo[axis] = cluster_own_random(salt, array->held.lo[axis], array->held.hi[axis] - 1);
            box.hi[axis] = cluster_own_random(salt, box.lo[axis] + 1, array->held.hi[axis]);
        }
        if (cluster_own_random(salt, 0, 3) > 0)
            CLUSTER_TRY(rts_coherence_place(array, device, &form, &replica));
        CLUSTER_TRY(rts_coherence_fetch_to(array, replica, &box));
        if (cluster_own_random(salt, 0, 2) > 0)
            CLUSTER_TRY(rts_coherence_written_at(array, replica, &box));
    }
}

/** All that is held is what the model says. */
static inline void example_check(array_example_t *example) {
    rts_array_t *array = example->array;
    rts_index_t index[RTS_MAX_RANK];
    CLUSTER_TRY(rts_coherence_fetch(array, 0, NULL));
    if (rts_box_is_empty(&array->held))
        return;
    example_first(&array->held, index);
    do {
        if (!example_holds(rts_array_element(array, index), array->element.bytes,
                           example_expected(example, index)))
            fprintf(stderr, "%sarray %d of %zu bytes, element [%lld][%lld][%lld]\n", check_who,
                    example->number, array->element.bytes, (long long)index[0], (long long)index[1],
                    (long long)index[2]);
    } while (place_next(&array->held, index));
}

#endif
