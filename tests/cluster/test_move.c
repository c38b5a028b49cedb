/* Arrays distributed and aligned anew on random grids, element by element: who owns what afterwards is what the definition says, and he has
 * the value that the old owner had, wherever that was newest. Chains move along, arrays of other templates stay. Without memory in one
 * process nothing changes in any. */
#include <config.h>

#include "rts/redistribute.h"

#include "tests/cluster/array_example.h"

enum { ROUNDS = 120, WORDS = RTS_MAX_RANK + 3, NARROW = 2, POISON = 90 };

/* An array with where it is by definition. */
typedef struct follower {
    array_example_t example;
    place_example_t place; /* its alignment is with the template */
    DvmType header[WORDS];
} follower_t;

typedef struct scene {
    rts_template_t *template;
    follower_t array, chained; /* chained: aligned with `array` */
} scene_t;

static scene_t scene;
static int kept, emptied, received, refused;

static rts_template_t *make_template(const place_example_t *place) {
    rts_template_t *template;
    CLUSTER_TRY(rts_template_create(&place->distribution.space, &template));
    CLUSTER_TRY(rts_template_distribute(template, place->distribution.rule, &rts_runtime()->grid));
    return template;
}

static void make_array(follower_t *follower, int number) {
    rts_index_t low[RTS_MAX_RANK] = {0}, high[RTS_MAX_RANK] = {0};
    for (int axis = 0; axis < follower->place.space.rank; axis++) {
        low[axis] = check_random_range(0, NARROW);
        high[axis] = check_random_range(0, NARROW);
    }
    follower->example.number = number;
    CLUSTER_TRY(rts_array_create(&follower->place.space, sized_type(sized_random()), low, high, true,
                                 &follower->example.array));
    CLUSTER_TRY(rts_array_attach_header(follower->example.array, follower->header));
}

/* An array along axes of another one, shorter, shifted or backwards; and where that puts it. */
static rts_alignment_t chain(const place_example_t *target, place_example_t *place) {
    rts_alignment_t with_target = {.rank = target->space.rank};
    *place = *target;
    place->space.rank = 0;
    for (int axis = 0; axis < target->space.rank; axis++) {
        const rts_index_t lo = target->space.lo[axis], hi = target->space.hi[axis];
        rts_align_rule_t *rule = &with_target.rule[axis];
        if (axis > 0 && check_random_once_in(4)) {
            *rule = (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT, .add = check_random_range(lo, hi - 1)};
            continue;
        }
        const int own = place->space.rank++;
        const rts_index_t extent = check_random_range(1, hi - lo),
                          shift = check_random_range(0, hi - lo - extent);
        place->space.lo[own] = 1;
        place->space.hi[own] = 1 + extent;
        *rule = check_random_once_in(2)
                    ? (rts_align_rule_t){.axis = own, .mult = 1, .add = lo + shift - 1}
                    : (rts_align_rule_t){.axis = own, .mult = -1, .add = lo + shift + extent};
    }
    for (int axis = 0; axis < place->alignment.rank; axis++) {
        rts_align_rule_t *rule = &place->alignment.rule[axis];
        if (rule->axis < 0)
            continue;
        const rts_align_rule_t *step = &with_target.rule[rule->axis];
        rule->add += rule->mult * step->add;
        rule->mult *= step->axis >= 0 ? step->mult : 0;
        rule->axis = step->axis;
    }
    return with_target;
}

/* The rules of a copied place point into the original. */
static void own_bounds(place_example_t *place) {
    for (int axis = 0; axis < place->distribution.space.rank; axis++)
        if (place->distribution.rule[axis].kind == RTS_AXIS_BOUNDS)
            place->distribution.rule[axis].bounds = place->bounds[axis];
}

static void open_scene(void) {
    do
        place_random(&scene.array.place, &rts_runtime()->grid, check_random_once_in(3) ? 4 : 12);
    while (rts_box_size(&scene.array.place.space) > EXAMPLE_LARGEST);
    scene.template = make_template(&scene.array.place);
    make_array(&scene.array, 0);
    CLUSTER_TRY(rts_realign(scene.array.example.array, scene.template, NULL, &scene.array.place.alignment,
                            check_random_once_in(2)));
    const rts_alignment_t with_array = chain(&scene.array.place, &scene.chained.place);
    own_bounds(&scene.chained.place);
    make_array(&scene.chained, 1);
    CLUSTER_TRY(rts_array_align(scene.chained.example.array, NULL, scene.array.example.array, &with_array,
                                &rts_runtime()->grid));
}

static void close_scene(void) {
    example_close(&scene.array.example);
    example_close(&scene.chained.example);
    CHECK_EQ_INT(scene.template->references, 1);
    rts_template_release(scene.template);
    CHECK(rts_array_first() == NULL);
}

/* Copies along free axes of the grid differ, so that it shows from which one a value came. */
static int64_t salt_of(const place_example_t *place, int64_t round) {
    unsigned decides = 0;
    int64_t copy = 0;
    (void)place_owns(place, 0, place->space.lo, &decides);
    for (int axis = 0; axis < place->grid.rank; axis++)
        if ((decides >> axis & 1) == 0)
            copy = copy * place->grid.size[axis] + rts_runtime()->grid.coordinate[axis];
    return 10 * copy + round;
}

static void fill(follower_t *follower, int64_t round, uint64_t *salt) {
    array_example_t *example = &follower->example;
    example_fill(example, POISON);
    example_fill_box(example, &example->array->local, salt_of(&follower->place, round));
    example_scatter(example, salt);
}

/* Who owns, the values of `salt` unless that is negative, and the header. */
static void check_follower(follower_t *follower, int64_t salt) {
    rts_array_t *array = follower->example.array;
    rts_index_t index[RTS_MAX_RANK];
    const DvmType *header = follower->header;
    CLUSTER_TRY(rts_coherence_fetch(array, 0, NULL));
    CHECK_EQ_INT(header[0], array->handle);
    example_first(&array->space, index);
    do {
        const bool owns = place_owns(&follower->place, rts_comm_rank(), index, NULL);
        if (!CHECK_EQ_INT(owns, rts_box_has_point(&array->local, index)) || !owns)
            continue;
        DvmType offset = header[array->space.rank + 1];
        for (int axis = 0; axis < array->space.rank; axis++)
            offset += header[axis + 1] * index[axis];
        const char *place = rts_array_element(array, index);
        if (!CHECK(place != NULL && place == (const char *)(intptr_t)header[array->space.rank + 2] +
                                                 offset * (DvmType)array->element.bytes))
            return;
        if (salt >= 0)
            (void)example_holds(place, array->element.bytes,
                                example_value(follower->example.number, index, salt));
    } while (place_next(&array->space, index));
}

/* The rules of a call may be gone after it. */
static void redistribute(rts_template_t *template, const place_example_t *place) {
    rts_index_t bounds[RTS_MAX_RANK][PLACE_BOUNDS];
    rts_axis_rule_t rule[RTS_MAX_RANK];
    memcpy(bounds, place->bounds, sizeof bounds);
    for (int axis = 0; axis < place->distribution.space.rank; axis++) {
        rule[axis] = place->distribution.rule[axis];
        rule[axis].bounds = bounds[axis];
    }
    CLUSTER_TRY(rts_redistribute_template(template, rule));
    memset(bounds, 0x5a, sizeof bounds);
}

static void count(const rts_box_t *before, const rts_box_t *after) {
    kept += rts_box_equal(before, after);
    emptied += rts_box_is_empty(after) && !rts_box_is_empty(before);
    received += !rts_box_contains(before, after);
}

static void test_redistribute(int64_t round, uint64_t *salt) {
    const int64_t of_array = salt_of(&scene.array.place, round),
                  of_chained = salt_of(&scene.chained.place, round);
    const rts_box_t before = scene.array.example.array->local;
    fill(&scene.array, round, salt);
    fill(&scene.chained, round, salt);
    if (!check_random_once_in(5)) /* else the same once more */
        place_random_rules(&scene.array.place);
    scene.chained.place.distribution = scene.array.place.distribution;
    memcpy(scene.chained.place.bounds, scene.array.place.bounds, sizeof scene.array.place.bounds);
    own_bounds(&scene.chained.place);
    redistribute(scene.template, &scene.array.place);
    count(&before, &scene.array.example.array->local);
    check_follower(&scene.array, of_array);
    check_follower(&scene.chained, of_chained);
}

static void test_realign(int64_t round, uint64_t *salt) {
    const int64_t of_array = salt_of(&scene.array.place, round),
                  of_chained = salt_of(&scene.chained.place, round);
    const rts_box_t before = scene.array.example.array->local;
    const bool keep_values = !check_random_once_in(5);
    rts_array_t *array = scene.array.example.array;
    fill(&scene.array, round, salt);
    fill(&scene.chained, round, salt);
    place_random_target(&scene.array.place);
    rts_template_t *target = make_template(&scene.array.place);
    CLUSTER_TRY(rts_realign(array, target, NULL, &scene.array.place.alignment, keep_values));
    count(&before, &array->local);
    check_follower(&scene.array, keep_values ? of_array : -1);
    check_follower(&scene.chained, of_chained); /* it stays */
    rts_template_release(target);
}

/* An array with a template of its own. */
static void test_own(uint64_t *salt) {
    static follower_t own;
    do
        place_random(&own.place, &rts_runtime()->grid, 9);
    while (rts_box_size(&own.place.space) > EXAMPLE_LARGEST);
    own.place.distribution.space = own.place.space;
    own.place.alignment = (rts_alignment_t){.rank = own.place.space.rank};
    for (int axis = 0; axis < own.place.space.rank; axis++)
        own.place.alignment.rule[axis] = (rts_align_rule_t){.axis = axis, .mult = 1};
    make_array(&own, 2);
    for (int64_t round = 0; round < 3; round++) {
        int64_t before = -1;
        if (round > 0) {
            before = salt_of(&own.place, round);
            fill(&own, round, salt);
        }
        place_random_rules(&own.place);
        CLUSTER_TRY(rts_redistribute_array(own.example.array, own.place.distribution.rule));
        check_follower(&own, before);
    }
    example_close(&own.example);
}

/* One process lacks memory, at every allocation once. */
static void test_no_memory(int64_t round, uint64_t *salt) {
    const int who = (int)check_random_range(0, rts_comm_size() - 1);
    const int64_t of_array = salt_of(&scene.array.place, round),
                  of_chained = salt_of(&scene.chained.place, round);
    place_example_t next;
    rts_status_t status;
    fill(&scene.array, round, salt);
    fill(&scene.chained, round, salt);
    next = scene.array.place;
    place_random_rules(&next);
    own_bounds(&next);
    for (int n = 1;; n++) {
        if (rts_comm_rank() == who)
            rts_memory_fail_at(n);
        status = rts_redistribute_template(scene.template, next.distribution.rule);
        rts_memory_fail_at(0);
        const rts_status_t verdict = rts_comm_agree(status);
        CHECK_EQ_INT(status == RTS_OK, verdict == RTS_OK); /* all or nothing */
        if (verdict == RTS_OK)
            break;
        CHECK_EQ_INT(status, rts_comm_rank() == who ? RTS_ERR_NO_MEMORY : RTS_ERR_COMM);
        check_follower(&scene.array, of_array);
        check_follower(&scene.chained, of_chained);
        refused++;
    }
    scene.array.place = next;
    own_bounds(&scene.array.place);
    scene.chained.place.distribution = next.distribution;
    memcpy(scene.chained.place.bounds, next.bounds, sizeof next.bounds);
    own_bounds(&scene.chained.place);
    check_follower(&scene.array, of_array);
    check_follower(&scene.chained, of_chained);
}

int main(int argc, char **argv) {
    uint64_t salt = 7;
    cluster_start(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        open_scene();
        for (int64_t round = 0; round < 3; round++)
            test_redistribute(round, &salt);
        if (i % 4 == 0)
            test_no_memory(3, &salt);
        test_realign(4, &salt);
        close_scene();
        test_own(&salt);
    }
    CHECK(kept > ROUNDS / 4 && refused > ROUNDS / 4);
    if (rts_comm_size() > 2)
        CHECK(received > ROUNDS / 4 && emptied > 0);
    return cluster_finish();
}
