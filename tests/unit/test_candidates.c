/* Plans on forms of arrays: legal on any option, in the order of execution (plan_model.h) and in what the forms allow; whether the body
 * runs by rows and what may be streamed is seen by addresses. And the estimates of loops whose times are known. */
#include <config.h>

#include "rts/memory.h"

#include "tests/unit/plan_model.h"

static int by_rows_plans, front_plans, streamed, skewed_tiles, unskewed_tiles, by_front_tiles;

static rts_option_t *new_option(int array_count) {
    rts_option_t *option = rts_alloc_zeroed(1, rts_option_bytes(array_count));
    if (option == NULL)
        exit(99);
    return option;
}

static rts_layout_form_t form_in(const rts_loop_facts_t *facts, const rts_plan_t *plan, int i) {
    return plan->form != NULL ? plan->form[i] : rts_layout_form_home(facts->arrays[i].rank);
}

static void check_rows(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    CHECK(!plan->by_rows || body_by_rows(facts, plan->form, plan->lag) != DIFFERS);
    for (int i = 0; i < facts->array_count; i++) {
        const rts_layout_form_t form = form_in(facts, plan, i);
        CHECK(form.kind != RTS_LAYOUT_WRAP ||
              (plan->by_rows && facts->arrays[i].by_rows &&
               follows_rows(facts, &facts->arrays[i], &form, plan->lag) != DIFFERS));
    }
    if (plan->way != RTS_WAY_DIAGONAL)
        return;
    CHECK(plan->by_rows || facts->dependences.count > 0); /* bodies of independent loops know no fronts */
    CHECK(plan->by_rows || body_by_rows(facts, plan->form, plan->lag) != FOLLOWS);
    CHECK(plan->schedule == RTS_SCHEDULE_SERIAL || plan->schedule == RTS_SCHEDULE_TILES ||
          plan->split_dim < facts->rank - 1); /* never through the fronts */
    by_rows_plans += plan->by_rows;
    front_plans += !plan->by_rows;
    if (plan->schedule == RTS_SCHEDULE_TILES) {
        skewed_tiles += plan->skew > 0;
        unskewed_tiles += plan->skew == 0;
        by_front_tiles += facts->front_lag > 0;
    }
}

static void check_stream(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    const int last = facts->rank - 1;
    rts_index_t step[RTS_MAX_RANK] = {0}, far = 1;
    if (!plan->bypass_cache)
        return;
    streamed++;
    CHECK_EQ_INT(plan->way, RTS_WAY_PLAIN);
    step[last] = 1;
    for (int i = 0; i < facts->array_count; i++) {
        const rts_layout_form_t form = form_in(facts, plan, i);
        const bool reads = (facts->arrays[i].intent & 1) != 0;
        if (reads)
            continue;
        CHECK((facts->unit_steps >> last & 1) != 0);
        CHECK(steps_in_memory(facts, &facts->arrays[i], &form, step, &far) >= 0 && far == 1);
    }
}

static bool check_plan(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    check_rows(facts, plan);
    check_stream(facts, plan);
    return check_legal(facts, plan);
}

static void check_names(const rts_loop_facts_t *facts, const rts_plan_t candidate[], int count) {
    char name[RTS_MAX_CANDIDATES][64];
    for (int i = 0; i < count; i++)
        rts_plan_name(&candidate[i], facts->rank, name[i], sizeof name[i]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            CHECK(strcmp(name[i], name[k]) != 0);
}

/* Every option of a random loop, or home's forms. */
static bool draw_option(const rts_loop_facts_t *facts, uint64_t *state, rts_option_t *option) {
    const int kind = (int)check_random_range(0, RTS_OPTION_PINNED + 2);
    if (kind <= RTS_OPTION_PINNED)
        return rts_options_make(facts, (rts_option_kind_t)kind, option);
    rts_options_random(facts, state, option);
    return true;
}

static void test_on_options(void) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES + 1];
    uint64_t state = check_random_u64();
    for (int trial = 0; trial < 6000; trial++) {
        const rts_loop_facts_t facts = random_layout_facts();
        rts_option_t *option = new_option(facts.array_count);
        const bool use = draw_option(&facts, &state, option);
        candidate[RTS_MAX_CANDIDATES].chunk = -7;
        const int count =
            rts_candidates_make_on(&facts, use ? option : NULL, check_random_once_in(2), candidate);
        bool good = CHECK(count >= 1 && count <= RTS_MAX_CANDIDATES), has_rows = false;
        CHECK_EQ_INT(candidate[RTS_MAX_CANDIDATES].chunk, -7);
        for (int i = 0; i < count && good; i++) {
            good =
                CHECK(candidate[i].form == (use ? option->form : NULL)) && check_plan(&facts, &candidate[i]);
            CHECK(i == 0 || candidate[i - 1].work_s + candidate[i - 1].overhead_s <=
                                candidate[i].work_s + candidate[i].overhead_s);
            CHECK(!candidate[i].bypass_cache || facts.may_stream);
            has_rows = has_rows || candidate[i].by_rows;
        }
        check_names(&facts, candidate, count);
        for (rts_index_t lag = 0; lag <= 2 && facts.rank >= 2; lag++) /* offered wherever it is legal */
            CHECK(has_rows || (facts.front_lag > 0 && lag != facts.front_lag) ||
                  body_by_rows(&facts, use ? option->form : NULL, lag) != FOLLOWS);
        rts_free(option);
    }
    CHECK(by_rows_plans > 1000 && front_plans > 100 && streamed > 500 && skewed_tiles > 100 &&
          unskewed_tiles > 100 && by_front_tiles > 10);
    for (int i = 0; i < 5; i++)
        CHECK(seen.schedule[i] > 100);
    for (int i = 0; i < 4; i++)
        CHECK(seen.way[i] > 100);
}

static void test_random_on_options(void) {
    uint64_t state = check_random_u64();
    by_rows_plans = front_plans = streamed = skewed_tiles = unskewed_tiles = by_front_tiles = 0;
    for (int trial = 0; trial < 3000; trial++) {
        const rts_loop_facts_t facts = random_layout_facts();
        rts_option_t *option = new_option(facts.array_count);
        const bool use = draw_option(&facts, &state, option);
        for (int i = 0; i < 4; i++) {
            rts_plan_t plan, again;
            uint64_t before = state;
            rts_candidates_random_on(&facts, use ? option : NULL, &state, &plan);
            rts_candidates_random_on(&facts, use ? option : NULL, &before, &again);
            CHECK(memcmp(&plan, &again, sizeof plan) == 0 && before == state);
            if (!check_plan(&facts, &plan))
                return;
        }
        rts_free(option);
    }
    CHECK(by_rows_plans > 500 && front_plans > 200 && streamed > 200 && skewed_tiles > 100 &&
          unskewed_tiles > 100 && by_front_tiles > 10);
}

/* ---- estimates ---- */

static rts_array_facts_t grid;

/* A sweep of `points` points over a grid of doubles; reversed: the innermost dim walks the first axis. */
static rts_loop_facts_t sweep(int rank, rts_index_t points, bool reversed) {
    rts_loop_facts_t facts = {.rank = rank, .arrays = &grid, .array_count = 1, .thread_count = 2};
    grid = (rts_array_facts_t){.rank = rank, .element_bytes = 8, .intent = 3, .by_rows = true};
    facts.unit_steps = 7;
    facts.element_bytes = 8;
    facts.contiguous_dim = reversed ? 0 : rank - 1;
    rts_dependences_init(&facts.dependences, rank);
    for (int dim = 0; dim < rank; dim++) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        vector[dim] = 1;
        CHECK_EQ_INT(rts_dependences_add(&facts.dependences, vector), RTS_OK);
        facts.count[dim] = points - 2;
        grid.dim[dim] = reversed ? rank - 1 - dim : dim;
        grid.sign[dim] = 1;
        grid.extent[dim] = points;
    }
    return facts;
}

/* Milliseconds of the best plan on an option, and its name. */
static double best_ms(const rts_loop_facts_t *facts, rts_option_kind_t kind, char name[64]) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    rts_option_t *option = new_option(facts->array_count);
    CHECK(rts_options_make(facts, kind, option));
    rts_candidates_make_on(facts, option, false, candidate);
    rts_plan_name(&candidate[0], facts->rank, name, 64);
    const double ms = 1e3 * (candidate[0].work_s + candidate[0].overhead_s);
    rts_free(option);
    return ms;
}

/* As measured on one machine with two threads; an estimate is good when the order is right, and the figure roughly. */
static void test_estimates(void) {
    static const struct {
        int rank;
        rts_index_t points;
        bool reversed;
        rts_option_kind_t kind;
        double ms;
        const char *name;
    } known[] = {
        {3, 256, false, RTS_OPTION_NATURAL, 12, "tile(jam) "},
        {3, 256, false, RTS_OPTION_DIAGONAL, 7.5, "tile(diagonal) 8x254x32"},
        {3, 256, true, RTS_OPTION_NATURAL, 73, "tile(jam) "},
        {3, 256, true, RTS_OPTION_PERMUTED, 12, "tile(jam) "},
        {3, 256, true, RTS_OPTION_DIAGONAL, 7.5, "tile(diagonal) 8x254x32"},
        {2, 4096, false, RTS_OPTION_NATURAL, 8, "tile(jam) "},
        {2, 4096, false, RTS_OPTION_DIAGONAL, 6.2, "tile(diagonal) 512x64"},
        {2, 4096, true, RTS_OPTION_NATURAL, 78, "tile("},
        {2, 4096, true, RTS_OPTION_PERMUTED, 8, "tile(jam) "},
        {2, 4096, true, RTS_OPTION_DIAGONAL, 6.2, "tile(diagonal) 512x64"},
    };
    enum { KNOWN = sizeof known / sizeof known[0] };
    double ms[KNOWN];
    for (int i = 0; i < KNOWN; i++) {
        char name[64];
        const rts_loop_facts_t facts = sweep(known[i].rank, known[i].points, known[i].reversed);
        ms[i] = best_ms(&facts, known[i].kind, name);
        CHECK_CONTAINS(name, known[i].name);
        if (!CHECK(ms[i] > known[i].ms / 1.4 && ms[i] < known[i].ms * 1.4))
            fprintf(stderr, "  rank %d, option %d: %s, %.2f ms, measured %.2f\n", known[i].rank,
                    (int)known[i].kind, name, ms[i], known[i].ms);
    }
    for (int i = 0; i < KNOWN; i++)
        for (int k = 0; k < KNOWN; k++)
            CHECK(known[i].rank != known[k].rank || known[i].ms >= known[k].ms || ms[i] < ms[k]);
}

/* Tiles cost something: a small loop is not worth them. Vectors that point back along the rows limit tiles, and do not forbid them. */
static void test_tiles_offered(void) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    char name[64];
    rts_loop_facts_t facts = sweep(2, 14, false);
    best_ms(&facts, RTS_OPTION_NATURAL, name);
    CHECK(strstr(name, "tile") == NULL);
    facts = sweep(3, 256, false);
    CHECK_EQ_INT(rts_dependences_add(&facts.dependences, (rts_index_t[]){1, -1, 0}), RTS_OK);
    rts_option_t *option = new_option(1);
    CHECK(rts_options_make(&facts, RTS_OPTION_DIAGONAL, option));
    bool offered = false;
    for (int i = rts_candidates_make_on(&facts, option, false, candidate) - 1; i >= 0; i--)
        if (candidate[i].way == RTS_WAY_DIAGONAL && candidate[i].schedule == RTS_SCHEDULE_TILES) {
            offered = true;
            CHECK_EQ_INT(candidate[i].tile[0], 1);
        }
    CHECK(offered);
    rts_free(option);
}

/* A loop without dependences gains nothing from fronts, but does not suffer where its array lies so; and a loop against storage order
 * that the body can follow by rows needs no reorganisation at all. */
static void test_independent(void) {
    char name[64];
    rts_loop_facts_t facts = sweep(2, 4096, false);
    facts.dependences.count = 0;
    grid.intent = 2;
    const double natural = best_ms(&facts, RTS_OPTION_NATURAL, name);
    CHECK_EQ_STR(name, "lexicographic(static)");
    grid.present_count = 1;
    grid.present[0] = (rts_layout_form_t){RTS_LAYOUT_WRAP, 2, {1, 0}, 1, 1, 1};
    const double present = best_ms(&facts, RTS_OPTION_PRESENT, name);
    CHECK_CONTAINS(name, "diagonal");
    CHECK(present >= natural && present < 1.5 * natural);
    facts = sweep(2, 4096, true);
    facts.dependences.count = 0;
    CHECK(best_ms(&facts, RTS_OPTION_NATURAL, name) < 1.5 * best_ms(&facts, RTS_OPTION_PERMUTED, name));
    best_ms(&facts, RTS_OPTION_NATURAL, name);
    CHECK_CONTAINS(name, "diagonal");
    grid.by_rows = false;
    CHECK(best_ms(&facts, RTS_OPTION_NATURAL, name) > 1.5 * best_ms(&facts, RTS_OPTION_PERMUTED, name));
}

/* Tiles along fronts keep threads busy and fit the cache, whatever the loop. */
static void test_front_tiles(void) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    rts_option_t *option = new_option(1);
    for (int trial = 0; trial < 2000; trial++) {
        const int rank = (int)check_random_range(2, 3);
        rts_loop_facts_t facts = sweep(rank, 4, check_random_once_in(2));
        facts.thread_count = (int)check_random_range(1, 64);
        for (int dim = 0; dim < rank; dim++)
            facts.count[dim] = check_random_range(1, check_random_once_in(2) ? 50 : rank == 2 ? 5000 : 700);
        for (int axis = 0; axis < rank; axis++)
            grid.extent[axis] = facts.count[grid.dim[axis]] + 2;
        if (!rts_options_make(&facts, RTS_OPTION_DIAGONAL, option))
            continue;
        const int count = rts_candidates_make_on(&facts, option, false, candidate);
        const rts_plan_t *plan = NULL;
        for (int i = 0; i < count; i++)
            if (candidate[i].way == RTS_WAY_DIAGONAL && candidate[i].schedule == RTS_SCHEDULE_TILES)
                plan = &candidate[i];
        if (!CHECK(plan != NULL))
            continue;
        double bytes = 8;
        for (int dim = 0; dim < rank; dim++)
            bytes *= (double)plan->tile[dim];
        CHECK(bytes <= 512 * 1024);
        /* Two groups of rows or planes for each thread, where the loop has that many. */
        const rts_index_t wanted = 2 * facts.thread_count;
        const rts_index_t planes = rank == 3 ? facts.count[0] / plan->tile[0] : 1;
        const rts_index_t rows = facts.count[rank - 2] / plan->tile[rank - 2];
        CHECK(planes >= wanted || rows >= wanted ||
              (facts.count[0] < wanted && facts.count[rank - 2] < wanted));
    }
    rts_free(option);
}

int main(void) {
    check_random_start();
    test_on_options();
    test_random_on_options();
    test_estimates();
    test_tiles_offered();
    test_independent();
    test_front_tiles();
    return check_finish();
}
