/* Plans of loops without a choice of layouts, and the choice among them. Legality is checked by the model in plan_model.h, the choice
 * with times that are made up. Layouts: test_options.c. */
#include <config.h>

#include "rts/memory.h"
#include "rts/stats.h"

#include "tests/unit/plan_model.h"

enum { MAX_TRIED = 3, MAX_SLOW = 2 };

/* A Gauss-Seidel sweep in two dims: many ways to run it. */
static rts_loop_facts_t sweep_facts(uint64_t site) {
    rts_loop_facts_t facts = {.site = site, .rank = 2, .count = {500, 700}, .contiguous_dim = 1};
    facts.element_bytes = 8;
    facts.array_count = 1;
    facts.thread_count = 4;
    rts_dependences_init(&facts.dependences, 2);
    rts_dependences_add(&facts.dependences, (rts_index_t[]){1, 0});
    rts_dependences_add(&facts.dependences, (rts_index_t[]){0, 1});
    return facts;
}

static double estimate(const rts_plan_t *plan) {
    return plan->work_s + plan->overhead_s;
}

static void test_candidates(void) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    for (int trial = 0; trial < 3000; trial++) {
        const rts_loop_facts_t facts = random_facts();
        const int count = rts_candidates_make(&facts, check_random_once_in(2), candidate);
        bool has_serial = false, good = CHECK(count >= 1 && count <= RTS_MAX_CANDIDATES);
        for (int i = 0; i < count && good; i++) {
            good = check_legal(&facts, &candidate[i]);
            good = CHECK(i == 0 || estimate(&candidate[i - 1]) <= estimate(&candidate[i])) && good;
            has_serial = has_serial || (candidate[i].strategy == RTS_CHOICE_LEXICOGRAPHIC &&
                                        candidate[i].schedule == RTS_SCHEDULE_SERIAL);
        }
        CHECK(has_serial);
    }
    for (int i = 0; i < 5; i++) /* the model has seen everything */
        CHECK(seen.schedule[i] > 50 && (i == RTS_CHOICE_AUTO || seen.strategy[i] > 50));
    for (int i = 0; i < 3; i++)
        CHECK(seen.way[i] > 50);
}

static void test_random_plans(void) {
    uint64_t state = check_random_u64();
    int threads_fewer = 0, tiles_cut = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const rts_loop_facts_t facts = random_facts();
        for (int i = 0; i < 4; i++) {
            rts_plan_t plan, again;
            uint64_t before = state;
            rts_candidates_random(&facts, &state, &plan);
            rts_candidates_random(&facts, &before, &again);
            CHECK(memcmp(&plan, &again, sizeof plan) == 0 && before == state); /* the state says it all */
            if (!check_legal(&facts, &plan))
                return;
            threads_fewer += plan.schedule != RTS_SCHEDULE_SERIAL && plan.thread_count < facts.thread_count;
            tiles_cut += plan.schedule == RTS_SCHEDULE_TILES && plan.tile[0] < facts.count[0];
        }
    }
    CHECK(threads_fewer > 100 && tiles_cut > 100);
}

/* Loops too large for the model: values only. */
static void test_large_loops(void) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES], plan;
    uint64_t state = 1;
    for (int trial = 0; trial < 2000; trial++) {
        rts_loop_facts_t facts = random_facts();
        for (int dim = 0, bits = 62; dim < facts.rank; dim++) { /* 2^62 iterations at most */
            const int own = dim == facts.rank - 1 ? bits : (int)check_random_range(0, bits);
            facts.count[dim] = check_random_range(1, (rts_index_t)1 << own);
            bits -= own;
        }
        facts.thread_count = (int)check_random_range(1, 4096);
        facts.array_count = (int)check_random_range(1, 64);
        add_random_vectors(&facts);
        const int count = rts_candidates_make(&facts, false, candidate);
        for (int i = 0; i < count; i++)
            if (!CHECK(has_good_values(&facts, &candidate[i])))
                print_case(&facts, &candidate[i]);
        rts_candidates_random(&facts, &state, &plan);
        if (!CHECK(has_good_values(&facts, &plan)))
            print_case(&facts, &plan);
    }
}

static void test_names(void) {
    rts_loop_facts_t facts = sweep_facts(1);
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    char text[64];
    const int count = rts_candidates_make(&facts, false, candidate);
    CHECK(count >= 5);
    for (int i = 0; i < count; i++) {
        rts_plan_name(&candidate[i], facts.rank, text, sizeof text);
        if (candidate[i].schedule == RTS_SCHEDULE_TILES)
            CHECK_CONTAINS(text, candidate[i].way == RTS_WAY_JAM ? "tile(jam) " : "tile(plain) ");
        for (size_t size = 1; size < 20; size++) { /* cut, never beyond */
            char small[32];
            memset(small, '#', sizeof small);
            rts_plan_name(&candidate[i], facts.rank, small, size);
            CHECK(memchr(small, '\0', size) != NULL && small[size] == '#' &&
                  strncmp(small, text, strlen(small)) == 0);
        }
    }
    facts.dependences.count = 0;
    rts_candidates_make(&facts, true, candidate);
    CHECK_EQ_STR(rts_plan_name(&candidate[0], 2, text, sizeof text), "lexicographic(dynamic)");
}

/* ---- the choice ---- */

static void test_forced(void) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    int obeyed = 0;
    for (int trial = 0; trial < 1000; trial++) {
        const rts_loop_facts_t facts = random_facts();
        const rts_strategy_choice_t forced = (rts_strategy_choice_t)check_random_range(1, 4);
        bool possible = false;
        for (int i = rts_candidates_make(&facts, false, candidate) - 1; i >= 0; i--)
            possible = possible || candidate[i].strategy == forced;
        rts_planner_open(check_random_once_in(2) ? RTS_PLANNER_OFF : RTS_PLANNER_RANDOM, 1, forced, false);
        for (int i = 0; i < 12; i++) { /* also while others are tried */
            const rts_plan_t *plan = rts_planner_choose(&facts);
            CHECK(!possible || plan->strategy == forced);
            rts_planner_post(plan, 1e-6 * (double)check_random_range(1, 100));
        }
        rts_planner_close();
        obeyed += possible;
    }
    CHECK(obeyed > 300);
}

/* Run one loop many times; `seconds` by candidate, `noise` up to that factor. */
static void check_exploration(const rts_loop_facts_t *facts, const double seconds[], double noise) {
    const rts_plan_t *first = rts_planner_choose(facts);
    double measured[RTS_MAX_CANDIDATES] = {0}, fastest = 1e30;
    int tried = 0, slow = 0, last_change = 0, last = 0;
    const int64_t explorations = rts_stats_get(RTS_STAT_EXPLORATIONS);
    for (int run = 0; run < 60; run++) {
        const rts_plan_t *plan = rts_planner_choose(facts);
        const int i = (int)(plan - first);
        if (!CHECK(i >= 0 && i < RTS_MAX_CANDIDATES))
            return;
        const double spent = seconds[i] * (1 + noise * (double)check_random_range(0, 1000) / 1000);
        last_change = i != last ? run : last_change;
        last = i;
        if (run <= 20) { /* what the choice knew */
            tried += measured[i] == 0 && i != 0;
            measured[i] = measured[i] == 0 || spent < measured[i] ? spent : measured[i];
            fastest = spent < fastest ? spent : fastest;
            slow += i != 0 && spent > 1.5 * fastest;
        }
        rts_planner_post(plan, spent);
    }
    CHECK(tried <= MAX_TRIED);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_EXPLORATIONS) - explorations, tried);
    CHECK(noise > 0 || slow <= MAX_SLOW);
    CHECK(last_change <= 2 + 2 * MAX_TRIED);
    CHECK(noise > 0 || measured[last] <= fastest);
}

static void test_exploration(void) {
    double seconds[RTS_MAX_CANDIDATES];
    for (int trial = 0; trial < 2000; trial++) {
        const rts_loop_facts_t facts = trial % 2 == 0 ? sweep_facts(1) : random_facts();
        for (int i = 0; i < RTS_MAX_CANDIDATES; i++)
            seconds[i] = 1e-5 * (double)check_random_range(1, check_random_once_in(2) ? 10 : 1000);
        rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_AUTO, false);
        check_exploration(&facts, seconds, trial % 4 < 2 ? 0 : .4);
        rts_planner_close();
    }
    /* Estimates that are right: nothing hopeless is tried. */
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    const rts_loop_facts_t facts = sweep_facts(2);
    const int count = rts_candidates_make(&facts, false, candidate);
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_AUTO, false);
    const rts_plan_t *const first = rts_planner_choose(&facts);
    for (int run = 0; run < 40; run++) {
        const rts_plan_t *plan = rts_planner_choose(&facts);
        CHECK(plan - first < count && estimate(plan) <= 1.5 * estimate(first));
        CHECK(run < 20 || plan == first);
        rts_planner_post(plan, estimate(plan));
    }
    rts_planner_close();
}

/* ---- the store ---- */

static void test_many_sites(void) {
    enum { SITES = 2000 };
    static const rts_plan_t *chosen[SITES];
    const int64_t live = rts_memory_live();
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_AUTO, false);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < SITES; i++) {
            rts_loop_facts_t facts = sweep_facts((uint64_t)(i / 4));
            facts.count[0] = i % 2 == 0 ? 100 : 300; /* one loop of the program, bounds of two magnitudes */
            facts.device = i / 2 % 2;
            const rts_plan_t *plan = rts_planner_choose(&facts);
            CHECK_EQ_INT(plan->executions, round);
            CHECK(round == 0 || plan == chosen[i]);
            chosen[i] = plan;
            rts_planner_post(plan + 1, 1e-9); /* not the one that was chosen: teaches nothing */
            if (round < 1)
                rts_planner_post(plan, 1e-3);
            else if (plan->executions < 2)
                rts_planner_post(plan, 1e-9); /* so fast that no other is tried */
        }
    rts_planner_close();
    CHECK_EQ_INT(rts_memory_live(), live);
}

static void test_no_memory(void) {
    const int64_t live = rts_memory_live();
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_AUTO, false);
    for (int i = 0; i < 300; i++) {
        rts_loop_facts_t facts = random_facts();
        facts.site = (uint64_t)i; /* a loop that is not known yet */
        rts_memory_fail_at(1 + i % 3);
        for (int again = 0; again < 3; again++) {
            const rts_plan_t *plan = rts_planner_choose(&facts);
            if (!CHECK(plan != NULL) || (again == 0 && !check_legal(&facts, plan)))
                return;
            rts_planner_post(plan, 1e-3);
        }
        rts_memory_fail_at(0);
    }
    rts_planner_close();
    CHECK_EQ_INT(rts_memory_live(), live);
}

static uint64_t plans_of_seed(uint64_t seed) {
    uint64_t hash = 0;
    rts_planner_open(RTS_PLANNER_RANDOM, seed, RTS_CHOICE_AUTO, false);
    for (int i = 0; i < 40; i++) {
        const rts_loop_facts_t facts = sweep_facts((uint64_t)i);
        char text[64];
        const rts_plan_t *plan = rts_planner_choose(&facts);
        for (const char *c = rts_plan_name(plan, 2, text, sizeof text); *c != '\0'; c++)
            hash = hash * 31 + (uint64_t)*c;
        hash = hash * 31 + (uint64_t)plan->thread_count;
    }
    rts_planner_close();
    return hash;
}

int main(void) {
    check_random_start();
    test_candidates();
    test_random_plans();
    test_large_loops();
    test_names();
    test_forced();
    test_exploration();
    test_many_sites();
    test_no_memory();
    CHECK(plans_of_seed(5) == plans_of_seed(5));
    CHECK(plans_of_seed(5) != plans_of_seed(6));
    return check_finish();
}
