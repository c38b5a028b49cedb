/* Who owns what, element by element: parts of all processes, free axes of the grid, and the owners of boxes as every process sees
 * them. */
#include <config.h>

#include "rts/placement.h"

#include "tests/check.h"
#include "tests/cluster/place_example.h"

static rts_grid_t random_grid(void) {
    rts_grid_t grid = {.rank = (int)check_random_range(0, 3)};
    for (int axis = 0; axis < grid.rank; axis++)
        grid.size[axis] = check_random_range(1, grid.rank == 1 ? 9 : 4);
    return grid;
}

static rts_placement_t placement_of(const place_example_t *place) {
    return (rts_placement_t){&place->space, &place->alignment, &place->distribution, &place->grid};
}

static void test_grid(const rts_grid_t *grid) {
    const int count = rts_grid_processes(grid);
    rts_index_t place[RTS_MAX_RANK] = {0};
    const rts_box_t all = {.rank = grid->rank};
    rts_box_t box = all;
    memcpy(box.hi, grid->size, sizeof box.hi);
    CHECK_EQ_INT(count, place_processes(grid));
    for (int process = 0; process < count; process++) {
        const rts_grid_t at = rts_grid_at(grid, process);
        CHECK_EQ_INT(rts_grid_process(&at), process);
        for (int axis = 0; axis < grid->rank; axis++)
            CHECK_EQ_INT(at.coordinate[axis], place[axis]);
        CHECK_EQ_INT(place_next(&box, place), process + 1 < count);
    }
}

static void test_parts(const place_example_t *place, unsigned free_axes) {
    const rts_placement_t placement = placement_of(place);
    for (int process = 0; process < place_processes(&place->grid); process++) {
        const rts_box_t local = rts_placement_local(&placement, process);
        const rts_grid_t at = rts_grid_at(&place->grid, process);
        rts_index_t index[RTS_MAX_RANK];
        bool is_first = true;
        memcpy(index, place->space.lo, sizeof index);
        do
            CHECK_EQ_INT(rts_box_has_point(&local, index), place_owns(place, process, index, NULL));
        while (place_next(&place->space, index));
        for (int axis = 0; axis < place->grid.rank; axis++)
            if ((free_axes >> axis & 1) != 0)
                is_first = is_first && at.coordinate[axis] == 0;
        CHECK_EQ_INT(rts_placement_is_first(&placement, process), is_first);
    }
}

/* What a walk has shown. */
static struct {
    const place_example_t *place;
    int last; /* process */
    int calls, fail_at;
    rts_box_t part[128];
    int owner[128];
} seen;

static rts_status_t see(void *context, int process, const rts_box_t *part) {
    CHECK(context == &seen);
    CHECK(process > seen.last && !rts_box_is_empty(part));
    seen.last = process;
    if (!CHECK(seen.calls < 128))
        return RTS_ERR_INTERNAL;
    seen.part[seen.calls] = *part;
    seen.owner[seen.calls++] = process;
    return seen.calls == seen.fail_at ? RTS_ERR_NO_MEMORY : RTS_OK;
}

static rts_box_t random_part(const rts_box_t *space) {
    rts_box_t box = {.rank = space->rank};
    for (int axis = 0; axis < space->rank; axis++) {
        box.lo[axis] = check_random_range(space->lo[axis] - 1, space->hi[axis]);
        box.hi[axis] = check_random_range(box.lo[axis], space->hi[axis] + 1);
    }
    return box;
}

/* The process that owns an element among those with the viewer's coordinates along free axes; -1: nobody. */
static int owner_seen_by(const place_example_t *place, unsigned free_axes, int viewer,
                         const rts_index_t index[]) {
    const rts_grid_t own = rts_grid_at(&place->grid, viewer);
    int owner = -1;
    for (int process = 0; process < place_processes(&place->grid); process++) {
        const rts_grid_t at = rts_grid_at(&place->grid, process);
        bool is_seen = place_owns(place, process, index, NULL);
        for (int axis = 0; axis < place->grid.rank; axis++)
            if ((free_axes >> axis & 1) != 0)
                is_seen = is_seen && at.coordinate[axis] == own.coordinate[axis];
        if (is_seen) {
            CHECK_EQ_INT(owner, -1);
            owner = process;
        }
    }
    return owner;
}

static void test_owners(const place_example_t *place, unsigned free_axes, int viewer) {
    const rts_placement_t placement = placement_of(place);
    const rts_box_t box = random_part(&place->space);
    rts_index_t index[RTS_MAX_RANK];
    seen.place = place;
    seen.last = -1;
    seen.calls = seen.fail_at = 0;
    CHECK_EQ_INT(rts_placement_owners(&placement, &box, viewer, see, &seen), RTS_OK);
    memcpy(index, place->space.lo, sizeof index);
    do {
        int owner = -1, parts = 0;
        for (int i = 0; i < seen.calls; i++)
            if (rts_box_has_point(&seen.part[i], index)) {
                owner = seen.owner[i];
                parts++;
            }
        CHECK(parts <= 1);
        CHECK_EQ_INT(owner,
                     rts_box_has_point(&box, index) ? owner_seen_by(place, free_axes, viewer, index) : -1);
    } while (place_next(&place->space, index));
    if (seen.calls < 2)
        return;
    seen.last = -1;
    seen.fail_at = seen.calls - 1;
    seen.calls = 0;
    CHECK_EQ_INT(rts_placement_owners(&placement, &box, viewer, see, &seen), RTS_ERR_NO_MEMORY);
    CHECK_EQ_INT(seen.calls, seen.fail_at);
}

static void test_place(void) {
    static place_example_t place;
    const rts_grid_t grid = random_grid();
    unsigned decides = 0;
    place_random(&place, &grid, check_random_once_in(3) ? 3 : 9);
    CHECK_EQ_INT(rts_distribution_check(&place.distribution), RTS_OK);
    CHECK_EQ_INT(rts_alignment_check(&place.alignment, &place.space, &place.distribution.space), RTS_OK);
    (void)place_owns(&place, 0, place.space.lo, &decides);
    const rts_placement_t placement = placement_of(&place);
    const unsigned free_axes = ~decides & ((1u << grid.rank) - 1);
    CHECK_EQ_INT(rts_placement_free_axes(&placement), free_axes);
    test_grid(&grid);
    test_parts(&place, free_axes);
    for (int viewer = 0; viewer < place_processes(&grid); viewer++)
        test_owners(&place, free_axes, viewer);
}

int main(void) {
    check_random_start();
    for (int i = 0; i < 600; i++)
        test_place();
    return check_finish();
}
