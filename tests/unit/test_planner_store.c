/* The planner's memory of loops whose bounds change: what was learnt for one size serves the sizes near it, with plans that are
 * legal for them, and the store stays small however many sizes come. */
#include "rts/memory.h"
#include "rts/planner.h"

#include "tests/check.h"

static rts_loop_facts_t facts_of(uint64_t site, rts_index_t rows, rts_index_t columns) {
    rts_loop_facts_t facts = {.site = site, .rank = 2, .count = {rows, columns}, .contiguous_dim = 1};
    facts.element_bytes = 8;
    facts.array_count = 1;
    facts.thread_count = 4;
    rts_dependences_init(&facts.dependences, 2);
    rts_dependences_add(&facts.dependences, (rts_index_t[]){1, 0});
    rts_dependences_add(&facts.dependences, (rts_index_t[]){0, 1});
    return facts;
}

/* A factorisation: 4000, 3999, .. 2100. One plan kind is made fast; it must be found, and kept for all sizes. */
static void test_shrinking(void) {
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_AUTO, false);
    int explored = 0, last_change = 0, n = 0;
    rts_schedule_t schedule = RTS_SCHEDULE_SERIAL;
    rts_way_t way = RTS_WAY_PLAIN;
    for (rts_index_t size = 4000; size > 2100; size--, n++) {
        const rts_loop_facts_t facts = facts_of(1, size, size);
        const rts_plan_t *plan = rts_planner_choose(&facts);
        for (int dim = 0; dim < 2 && plan->schedule == RTS_SCHEDULE_TILES; dim++)
            CHECK(plan->tile[dim] >= 1);
        if (n > 0 && (plan->schedule != schedule || plan->way != way)) {
            explored++;
            last_change = n;
        }
        schedule = plan->schedule;
        way = plan->way;
        const double area = (double)size * (double)size;
        rts_planner_post(plan, area * (schedule == RTS_SCHEDULE_TILES && way == RTS_WAY_JAM ? 1e-9 : 4e-9));
    }
    CHECK(schedule == RTS_SCHEDULE_TILES && way == RTS_WAY_JAM);
    CHECK(explored <= 2 * 3 + 2);
    CHECK(last_change < 20);
    rts_planner_close();
}

/* The plan handed out for another size must fit that size: predecessors and extents of its own. */
static void test_adapted_plans(void) {
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_TILE, false);
    for (int trial = 0; trial < 500; trial++) {
        const rts_loop_facts_t facts =
            facts_of(7, check_random_range(64, 127), check_random_range(1024, 2047));
        const rts_plan_t *plan = rts_planner_choose(&facts);
        rts_plan_t candidate[RTS_MAX_CANDIDATES];
        const int count = rts_candidates_make(&facts, false, candidate);
        bool found = false;
        for (int i = 0; i < count; i++)
            found = found || (candidate[i].schedule == plan->schedule && candidate[i].way == plan->way &&
                              memcmp(candidate[i].tile, plan->tile, sizeof plan->tile) == 0 &&
                              candidate[i].predecessor_count == plan->predecessor_count);
        CHECK(found);
        CHECK_EQ_INT(plan->strategy, RTS_CHOICE_TILE);
        rts_planner_post(plan, 1e-3);
    }
    rts_planner_close();
}

static void test_bounded(void) {
    const int64_t live = rts_memory_live();
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_AUTO, false);
    for (int i = 0; i < 20000; i++) {
        const rts_loop_facts_t facts = facts_of((uint64_t)i, 100, 100);
        rts_planner_post(rts_planner_choose(&facts), 1e-3);
        if (!CHECK(rts_memory_live() - live < 2100))
            break;
    }
    const int64_t before = rts_memory_live();
    for (rts_index_t size = 64; size < 128; size++) { /* one site more, not 64 */
        const rts_loop_facts_t facts = facts_of(99999999, size, size);
        rts_planner_post(rts_planner_choose(&facts), 1e-3);
    }
    CHECK(rts_memory_live() - before <= 2);
    rts_planner_close();
    CHECK_EQ_INT(rts_memory_live(), live);
}

int main(void) {
    check_random_start();
    test_shrinking();
    test_adapted_plans();
    test_bounded();
    return check_finish();
}
