/* Tiles of across loops over several processes: every iteration is in one tile, and what it depends on in the same one or in one that comes
 * before, of a process that is known to be needed. Iteration by iteration, for random loops. */
#include <config.h>

#include "rts/distribution.h"
#include "rts/pipeline_cut.h"
#include "tests/check.h"

enum { RANKS = 3, LONGEST = 8, CASES = 1000, ROOM = LONGEST * LONGEST * LONGEST };

static struct {
    rts_cut_facts_t facts;
    rts_dependences_t dependences;
    rts_cut_t cut;
    /* of each iteration, in C order */
    bool is_found[ROOM];
    rts_box_t local[ROOM];
    rts_cut_tile_t tile[ROOM];
} example;

static int empty_tiles;

static int number_of(const rts_index_t index[]) {
    int number = 0;
    for (int dim = 0; dim < example.facts.rank; dim++)
        number = number * (int)example.facts.count[dim] + (int)index[dim];
    return number;
}

/* Go on to the next point of a box; false after the last. */
static bool next(const rts_box_t *box, rts_index_t index[]) {
    for (int dim = box->rank - 1; dim >= 0; dim--) {
        if (++index[dim] < box->hi[dim])
            return true;
        index[dim] = box->lo[dim];
    }
    return false;
}

static void draw(unsigned divisible) {
    rts_cut_facts_t *facts = &example.facts;
    *facts = (rts_cut_facts_t){.rank = (int)check_random_range(1, RANKS),
                               .divisible = divisible,
                               .has_fronts = true};
    facts->dependences = &example.dependences;
    rts_dependences_init(&example.dependences, facts->rank);
    for (int dim = 0; dim < facts->rank; dim++) {
        facts->count[dim] = check_random_range(1, LONGEST);
        facts->parts[dim] = check_random_once_in(2) ? 1 : check_random_range(2, 3);
    }
    const bool no_way_back = check_random_once_in(2), is_star = check_random_once_in(3);
    for (int dim = 0; dim < facts->rank && is_star; dim++) {
        const rts_index_t vector[RTS_MAX_RANK] = {dim == 0, dim == 1, dim == 2};
        CHECK_EQ_INT(rts_dependences_add(&example.dependences, vector), RTS_OK);
    }
    for (int64_t wanted = check_random_range(0, 5); wanted > 0; wanted--) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        int lead = facts->rank;
        for (int dim = facts->rank - 1; dim >= 0; dim--) {
            vector[dim] = check_random_range(no_way_back ? 0 : -3, 3);
            lead = vector[dim] != 0 ? dim : lead;
        }
        if (lead == facts->rank)
            continue;
        vector[lead] = vector[lead] < 0 ? -vector[lead] : vector[lead];
        CHECK_EQ_INT(rts_dependences_add(&example.dependences, vector), RTS_OK);
    }
    rts_dependences_clip(&example.dependences, facts->count);
}

/* By fronts a tile has iterations of these only. */
static bool is_inside(const rts_cut_tile_t *tile, const rts_index_t index[]) {
    const int rank = example.facts.rank;
    if (!example.cut.by_fronts)
        return tile->front_lo == tile->front_hi;
    const rts_index_t front = example.cut.lag * index[rank - 2] + index[rank - 1];
    return front >= tile->front_lo && front < tile->front_hi;
}

static void mark_tile(const rts_box_t *local, const rts_cut_tile_t *tile) {
    rts_index_t index[RTS_MAX_RANK];
    int count = 0;
    memcpy(index, tile->box.lo, sizeof index);
    do {
        const int place = number_of(index);
        if (!is_inside(tile, index))
            continue;
        CHECK(!example.is_found[place]);
        count++;
        example.is_found[place] = true;
        example.local[place] = *local;
        example.tile[place] = *tile;
    } while (next(&tile->box, index));
    CHECK(count == 0 || !rts_cut_tile_is_empty(&example.cut, tile));
    empty_tiles += rts_cut_tile_is_empty(&example.cut, tile);
}

static bool same_tile(const rts_cut_tile_t *a, const rts_cut_tile_t *b) {
    return a->front_lo == b->front_lo && a->front_hi == b->front_hi && rts_box_equal(&a->box, &b->box);
}

/* Mark the tiles of one process. */
static void mark(const rts_box_t *local) {
    const rts_index_t count = rts_cut_tile_count(&example.cut, local);
    rts_cut_tile_t last = {.front_lo = 0};
    CHECK(rts_box_is_empty(local) == (count == 0));
    for (rts_index_t number = 0; number < count; number++) {
        const rts_cut_tile_t tile = rts_cut_tile(&example.cut, local, number);
        CHECK(!rts_box_is_empty(&tile.box) && rts_box_contains(local, &tile.box));
        if (number > 0)
            CHECK(rts_cut_tile_before(&example.cut, &last, &tile) &&
                  !rts_cut_tile_before(&example.cut, &tile, &last));
        last = tile;
        mark_tile(local, &tile);
    }
}

static void mark_all(void) {
    const rts_cut_facts_t *facts = &example.facts;
    rts_box_t grid = {.rank = facts->rank};
    rts_index_t at[RTS_MAX_RANK] = {0};
    memset(example.is_found, 0, sizeof example.is_found);
    memcpy(grid.hi, facts->parts, sizeof grid.hi);
    do {
        rts_box_t local = {.rank = facts->rank};
        for (int dim = 0; dim < facts->rank; dim++)
            rts_block_bounds(facts->count[dim], facts->parts[dim], at[dim], &local.lo[dim], &local.hi[dim]);
        if (!rts_box_is_empty(&local))
            mark(&local);
    } while (next(&grid, at));
}

/* What iteration `index` depends on. */
static bool check_iteration(const rts_box_t *whole, const rts_index_t index[]) {
    const int to = number_of(index);
    bool good = CHECK(example.is_found[to]);
    for (int i = 0; i < example.dependences.count && good; i++) {
        rts_index_t source[RTS_MAX_RANK];
        for (int dim = 0; dim < whole->rank; dim++)
            source[dim] = index[dim] - example.dependences.vector[i][dim];
        if (!rts_box_has_point(whole, source))
            continue;
        const int from = number_of(source);
        if (same_tile(&example.tile[from], &example.tile[to]))
            continue;
        good = CHECK(rts_cut_tile_before(&example.cut, &example.tile[from], &example.tile[to]));
        if (!rts_box_equal(&example.local[from], &example.local[to]))
            good = CHECK(rts_cut_may_need(&example.cut, &example.local[from], &example.local[to])) && good;
    }
    return good;
}

static void test_random(void) {
    int staged = 0, mixed = 0, by_fronts = 0;
    for (int number = 0; number < CASES; number++) {
        rts_box_t whole;
        rts_index_t index[RTS_MAX_RANK] = {0};
        draw(~0u);
        if (!CHECK_EQ_INT(rts_cut_make(&example.facts, &example.cut), RTS_OK))
            return;
        example.cut.stages = check_random_range(1, 5);
        example.cut.by_fronts = example.cut.lag > 0 && (example.cut.stage_dim < 0 || check_random_once_in(2));
        by_fronts += example.cut.by_fronts;
        staged += example.cut.stage_dim >= 0;
        mixed += example.cut.is_mixed;
        mark_all();
        whole = (rts_box_t){.rank = example.facts.rank};
        memcpy(whole.hi, example.facts.count, sizeof whole.hi);
        do
            if (!check_iteration(&whole, index))
                return;
        while (next(&whole, index));
    }
    CHECK(staged > 0 && mixed > 0 && by_fronts > 0 && empty_tiles > 0);
}

/* Two-dimensional sweeps on grids of all shapes: neighbours along the longer axis start early. */
static void test_choice(void) {
    static const rts_index_t star[][RTS_MAX_RANK] = {{1, 0}, {0, 1}};
    static const struct {
        rts_index_t parts[2];
        int stage_dim;
        rts_index_t path;
    } expected[] = {{{4, 1}, 1, 3}, {{1, 4}, 0, 3}, {{4, 2}, 1, 3}, {{2, 4}, 0, 3}, {{1, 1}, -1, 0}};
    rts_cut_facts_t facts = {.rank = 2,
                             .count = {100, 100},
                             .divisible = 3,
                             .dependences = &example.dependences};
    rts_dependences_init(&example.dependences, 2);
    for (int i = 0; i < 2; i++)
        CHECK_EQ_INT(rts_dependences_add(&example.dependences, star[i]), RTS_OK);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        memcpy(facts.parts, expected[i].parts, sizeof expected[i].parts);
        CHECK_EQ_INT(rts_cut_make(&facts, &example.cut), RTS_OK);
        CHECK_EQ_INT(example.cut.stage_dim, expected[i].stage_dim);
        CHECK_EQ_INT(example.cut.path, expected[i].path);
    }
}

/* A dim that has to be cut, but of which it is not known what its iterations write. */
static void test_refusal(void) {
    static const rts_index_t corner[RTS_MAX_RANK] = {1, -1};
    rts_cut_facts_t facts = {.rank = 2,
                             .count = {9, 9},
                             .parts = {1, 2},
                             .divisible = 2,
                             .dependences = &example.dependences};
    rts_dependences_init(&example.dependences, 2);
    CHECK_EQ_INT(rts_dependences_add(&example.dependences, corner), RTS_OK);
    CHECK_EQ_INT(rts_cut_make(&facts, &example.cut), RTS_ERR_UNSUPPORTED);
    CHECK_CONTAINS(rts_error_text(), "loop axis 1");
    facts.divisible = 3;
    CHECK_EQ_INT(rts_cut_make(&facts, &example.cut), RTS_OK);
    CHECK_EQ_INT(example.cut.limit[0], 1);
}

int main(void) {
    check_random_start();
    test_random();
    test_choice();
    test_refusal();
    return check_finish();
}
