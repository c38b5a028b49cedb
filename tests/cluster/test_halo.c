/* Shadow edges of random arrays on random grids after renewals, element by element: what should be renewed is exactly what its owner has,
 * everything else is as it was. Newest values lie in random layouts and devices, differently in every process. */
#include <config.h>

#include "rts/halo.h"

#include "rts/placement.h"
#include "rts/stats.h"
#include "tests/cluster/array_example.h"
#include "tests/cluster/cluster_check.h"

enum { ARRAYS = 3, WIDEST = 4, POISON = 90 };

/* An array, and what is asked for. */
typedef struct scene {
    array_example_t example;
    place_example_t place;
    unsigned free_axes;
    bool corners, declared; /* the declared widths */
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
} scene_t;

static scene_t scenes[ARRAYS];

/* Copies differ, so that it shows from which one a value came. */
static int64_t salt_of(const scene_t *scene, int64_t round) {
    const rts_grid_t *grid = &rts_runtime()->grid;
    int64_t copy = 0;
    for (int axis = 0; axis < grid->rank; axis++)
        if ((scene->free_axes >> axis & 1) != 0)
            copy = copy * grid->size[axis] + grid->coordinate[axis];
    return 10 * copy + round;
}

static void open_scene(scene_t *scene, int number) {
    rts_index_t low[RTS_MAX_RANK] = {0}, high[RTS_MAX_RANK] = {0};
    unsigned decides = 0;
    do
        place_random(&scene->place, &rts_runtime()->grid, check_random_once_in(3) ? 4 : 12);
    while (rts_box_size(&scene->place.space) > EXAMPLE_LARGEST);
    for (int axis = 0; axis < scene->place.space.rank; axis++) {
        low[axis] = check_random_range(0, WIDEST);
        high[axis] = check_random_range(0, WIDEST);
    }
    example_open_sized(&scene->example, number, &scene->place, low, high, sized_random());
    (void)place_owns(&scene->place, 0, scene->place.space.lo, &decides);
    scene->free_axes = ~decides & ((1u << scene->place.grid.rank) - 1);
}

static void choose_widths(scene_t *scene) {
    const rts_array_t *array = scene->example.array;
    scene->corners = check_random_once_in(2);
    scene->declared = check_random_once_in(2);
    for (int axis = 0; axis < array->space.rank; axis++) {
        scene->low[axis] =
            scene->declared ? array->shadow_lo[axis] : check_random_range(0, array->shadow_lo[axis]);
        scene->high[axis] =
            scene->declared ? array->shadow_hi[axis] : check_random_range(0, array->shadow_hi[axis]);
    }
}

static void fill(scene_t *scene, int64_t round, uint64_t *salt) {
    rts_array_t *array = scene->example.array;
    example_fill(&scene->example, POISON + rts_comm_rank());
    example_fill_box(&scene->example, &array->local, salt_of(scene, round));
    example_scatter(&scene->example, salt);
}

/* Whether an element is in the edges that were asked for. */
static bool is_renewed(const scene_t *scene, const rts_index_t index[]) {
    const rts_array_t *array = scene->example.array;
    int outside = 0;
    for (int axis = 0; axis < array->space.rank; axis++) {
        const rts_index_t before = array->local.lo[axis] - index[axis],
                          behind = index[axis] - array->local.hi[axis] + 1;
        if (before > scene->low[axis] || behind > scene->high[axis])
            return false;
        outside += before > 0 || behind > 0;
    }
    return outside > 0 && (outside == 1 || scene->corners);
}

static void expect(scene_t *scene, int64_t round) {
    const rts_array_t *array = scene->example.array;
    rts_index_t index[RTS_MAX_RANK];
    if (rts_box_is_empty(&array->held))
        return;
    example_first(&array->held, index);
    do
        if (is_renewed(scene, index))
            scene->example.model[example_place(&scene->example, index)] =
                example_value(scene->example.number, index, salt_of(scene, round));
    while (place_next(&array->held, index));
}

static void request(scene_t *scene) {
    CLUSTER_TRY(rts_halo_request(scene->example.array, scene->corners, scene->declared ? NULL : scene->low,
                                 scene->declared ? NULL : scene->high));
}

/* Several arrays at once, several times: the second time the boxes are known. */
static void test_group(void) {
    const int count = (int)check_random_range(1, ARRAYS);
    uint64_t salt = 1;
    for (int i = 0; i < count; i++) {
        open_scene(&scenes[i], i);
        choose_widths(&scenes[i]);
    }
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < count; i++)
            fill(&scenes[i], round, &salt);
        for (int i = 0; i < count; i++)
            request(&scenes[i]);
        request(&scenes[0]); /* the same again is nothing more */
        CHECK_EQ_INT(rts_halo_pending, rts_comm_size() > 1 ? count : 0);
        const int64_t messages = rts_stats_get(RTS_STAT_MESSAGES),
                      bytes = rts_stats_get(RTS_STAT_MESSAGE_BYTES);
        CLUSTER_TRY(rts_halo_settle());
        CHECK_EQ_INT(rts_halo_pending, 0);
        const int64_t sent = rts_stats_get(RTS_STAT_MESSAGES) - messages;
        CHECK(sent >= 0 && sent < rts_comm_size());
        CHECK_EQ_INT(sent > 0, rts_stats_get(RTS_STAT_MESSAGE_BYTES) > bytes);
        for (int i = 0; i < count; i++) {
            expect(&scenes[i], round);
            example_check(&scenes[i].example);
        }
        if (round == 2)
            choose_widths(&scenes[0]);
    }
    for (int i = 0; i < count; i++)
        example_close(&scenes[i].example);
}

/* The same array, the same widths, another place. */
static void test_move(void) {
    scene_t *scene = &scenes[0];
    uint64_t salt = 2;
    open_scene(scene, 5);
    choose_widths(scene);
    for (int round = 1; round <= 4; round++) {
        unsigned decides = 0;
        fill(scene, round, &salt);
        CLUSTER_TRY(rts_halo_renew(scene->example.array, scene->corners, scene->low, scene->high));
        expect(scene, round);
        example_check(&scene->example);
        CLUSTER_TRY(rts_coherence_settle(scene->example.array));
        place_random_rules(&scene->place);
        CLUSTER_TRY(rts_template_redistribute(scene->example.array->template, scene->place.distribution.rule,
                                              &rts_runtime()->grid));
        (void)place_owns(&scene->place, 0, scene->place.space.lo, &decides);
        scene->free_axes = ~decides & ((1u << scene->place.grid.rank) - 1);
    }
    example_close(&scene->example);
}

/* One side of one axis. */
static void test_side(void) {
    scene_t *scene = &scenes[0];
    rts_transfer_t transfer;
    uint64_t salt = 3;
    open_scene(scene, 6);
    const rts_array_t *array = scene->example.array;
    const int axis = (int)check_random_range(0, array->space.rank - 1), side = (int)check_random_range(0, 1);
    const rts_index_t width =
        check_random_range(0, side == 0 ? array->shadow_lo[axis] : array->shadow_hi[axis]);
    memset(scene->low, 0, sizeof scene->low);
    memset(scene->high, 0, sizeof scene->high);
    scene->corners = false;
    (side == 0 ? scene->low : scene->high)[axis] = width;
    fill(scene, 1, &salt);
    rts_transfer_init(&transfer, RTS_TAG_PIPELINE);
    CLUSTER_TRY(rts_halo_add_side(&transfer, scene->example.array, axis, side, width));
    CLUSTER_TRY(rts_transfer_run(&transfer));
    rts_transfer_free(&transfer);
    expect(scene, 1);
    example_check(&scene->example);
    example_close(&scene->example);
}

/* More groups than are kept, used in turn. */
static void test_many_groups(void) {
    uint64_t salt = 4;
    for (int i = 0; i < 2; i++)
        open_scene(&scenes[i], i);
    for (int round = 1; round <= 90; round++) {
        const int count = (int)check_random_range(1, 2);
        for (int i = 0; i < count; i++) {
            choose_widths(&scenes[i]);
            fill(&scenes[i], round, &salt);
            request(&scenes[i]);
        }
        CLUSTER_TRY(rts_halo_settle());
        for (int i = 0; i < count; i++) {
            expect(&scenes[i], round);
            example_check(&scenes[i].example);
        }
    }
    rts_halo_drop();
    CHECK_EQ_INT(rts_halo_pending, 0);
    for (int i = 0; i < 2; i++)
        example_close(&scenes[i].example);
}

int main(int argc, char **argv) {
    cluster_start(&argc, &argv);
    for (int i = 0; i < 100; i++)
        test_group();
    for (int i = 0; i < 40; i++)
        test_move();
    for (int i = 0; i < 60; i++)
        test_side();
    for (int i = 0; i < 4; i++)
        test_many_groups();
    return cluster_finish();
}
