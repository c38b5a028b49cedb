/* Costs of one run that are used by another: the same loops are known again, nothing is tried, and the schedule is the best one. */
#include "rts/memory.h"
#include "rts/stats.h"

#include "tests/unit/planner_program.h"

enum { MAX_COSTS = 1000, MAX_STEPS = 5 };

static rts_saved_cost_t cost[MAX_COSTS], before[MAX_COSTS];
static int cost_count;
static uint64_t key[PLAY_LOOPS];
static int ordinal[PLAY_LOOPS];
static int visited;
static char pattern[MAX_STEPS + 1];

/* Options with a time, by loop. */
static struct {
    int count;
    double seconds[RTS_MAX_OPTIONS];
    rts_layout_form_t form[RTS_MAX_OPTIONS][PLAY_USES];
} known[PLAY_LOOPS];

static void collect(void *context, const rts_site_summary_t *site) {
    (void)context;
    const int number = site->position.line;
    CHECK(site->facts->arrays != NULL && site->executions == play.loop[number].executions);
    key[visited] = rts_planner_loop_key(site);
    ordinal[visited++] = site->ordinal;
    known[number].count = 0;
    for (int i = 0; i < site->option_count; i++) {
        double fastest = INFINITY;
        for (int j = 0; j < site->plan_count[i]; j++) {
            const rts_plan_t *plan = &site->plan[i][j];
            if (plan->measured_s < 0 || !CHECK(cost_count < MAX_COSTS))
                continue;
            rts_saved_cost_t *one = &cost[cost_count++];
            one->loop = rts_planner_loop_key(site);
            one->seconds = plan->measured_s;
            one->is_kept = i == site->chosen && j == site->chosen_plan;
            rts_option_name(site->option[i], site->facts->array_count, one->forms, sizeof one->forms);
            rts_plan_name(plan, site->facts->rank, one->plan, sizeof one->plan);
            fastest = fmin(fastest, plan->measured_s);
        }
        if (site->option[i]->kind == RTS_OPTION_NATURAL)
            CHECK(site->natural_s < 0 ? isinf(fastest) : site->natural_s == fastest);
        if (isinf(fastest))
            continue;
        const int n = known[number].count++;
        known[number].seconds[n] = fastest;
        for (int j = 0; j < site->facts->array_count; j++)
            known[number].form[n][j] = site->option[i]->form[j];
    }
}

static void collect_all(void) {
    cost_count = visited = 0;
    memset(known, 0, sizeof known);
    rts_planner_visit(collect, NULL);
}

static int64_t known_changes; /* reorganisations of the round before */

static void random_program(void) {
    static const double typical[][LIES_COUNT] = {{10, 20, 5}, {10, 20, 12}, {20, 4, 24}, {4, 20, 20}};
    const int loops = (int)check_random_range(1, 4), arrays = (int)check_random_range(1, 3);
    play_start(1e-4 * (double)check_random_range(1, 60));
    for (int i = 0; i < loops; i++) {
        const int what = (int)check_random_range(SWEEP, STRAIGHT),
                  first = (int)check_random_range(0, arrays - 1);
        double seconds[LIES_COUNT];
        for (int j = 0; j < LIES_COUNT; j++)
            seconds[j] = 1e-3 * typical[what][j] * (1 + (double)check_random_range(-300, 300) / 1000);
        play_loop(what, arrays > 1 ? (int)check_random_range(1, 2) : 1, (int[]){first, (first + 1) % arrays},
                  seconds[0], seconds[1], seconds[2]);
    }
    const int length = (int)check_random_range(loops, MAX_STEPS);
    for (int i = 0; i < length; i++)
        pattern[i] = (char)('A' + (i < loops ? i : (int)check_random_range(0, loops - 1)));
    pattern[length] = '\0';
}

/* One round of options, after two others of the same. */
static double round_seconds(const int choice[]) {
    static play_t kept;
    double seconds = 0;
    kept = play;
    for (int round = 0; round < 3; round++) {
        seconds = 0;
        for (int step = 0; pattern[step] != '\0'; step++) {
            const int loop = pattern[step] - 'A';
            seconds += play_copies(&play.loop[loop], known[loop].form[choice[step]]);
            seconds += known[loop].seconds[choice[step]];
        }
    }
    play = kept;
    return seconds;
}

static double best_round(int step, int choice[]) {
    if (step == MAX_STEPS || pattern[step] == '\0')
        return round_seconds(choice);
    double best = INFINITY;
    for (choice[step] = 0; choice[step] < known[pattern[step] - 'A'].count; choice[step]++)
        best = fmin(best, best_round(step + 1, choice));
    return best;
}

static void restart(const play_t *program, double rate, int costs) {
    play = *program;
    rts_planner_open(RTS_PLANNER_REPLAY, 0, RTS_CHOICE_AUTO, false);
    CHECK_EQ_INT(rts_planner_import(cost, (size_t)costs, rate), RTS_OK);
}

static uint64_t play_forms(void) {
    uint64_t forms = 0;
    for (const char *c = pattern; *c != '\0'; c++) {
        play_run(*c - 'A');
        forms = forms * 31 + play.loop[*c - 'A'].last_forms;
    }
    return forms;
}

static void test_replay(void) {
    for (int trial = 0; trial < 200; trial++) {
        static play_t program;
        int choice[MAX_STEPS], changes = 0;
        uint64_t first_key[PLAY_LOOPS];
        random_program();
        program = play;
        rts_planner_open(RTS_PLANNER_COST, 0, RTS_CHOICE_AUTO, false);
        for (int i = 0; i < 120; i++)
            play_round(pattern);
        collect_all();
        memcpy(first_key, key, sizeof key);
        const int loops = visited;
        const double rate = rts_planner_reorganise_rate();
        rts_planner_close();

        restart(&program, rate, cost_count);
        const int64_t explorations = rts_stats_get(RTS_STAT_EXPLORATIONS);
        uint64_t forms = 0;
        for (int i = 0; i < 12; i++) {
            const uint64_t now = play_forms();
            changes += i > 3 && now != forms;
            forms = now;
        }
        const double last = play_round(pattern);
        const int costs = cost_count;
        collect_all(); /* what was met by chance in the first run may be unknown here */
        const double best = best_round(0, choice);
        if (!CHECK(last <= 1.03 * best + 1e-9 && last >= best - 1e-9))
            fprintf(stderr, "  trial %d, %s: a round takes %g, the best %g\n", trial, pattern, last, best);
        CHECK_EQ_INT(changes, 0);
        CHECK_EQ_INT(rts_stats_get(RTS_STAT_EXPLORATIONS), explorations);
        CHECK(rts_planner_reorganise_rate() == rate);
        CHECK(cost_count <= costs);
        const int costs_now = cost_count;
        for (int i = 0; i < play.loop_count; i++) /* the machine is faster today */
            for (int j = 0; j < LIES_COUNT; j++)
                play.loop[i].seconds[j] /= 2;
        play_round(pattern);
        memcpy(before, cost, sizeof before);
        collect_all();
        CHECK_EQ_INT(cost_count, costs_now); /* nothing was learnt */
        for (int i = 0; i < cost_count && i < costs_now; i++)
            CHECK(before[i].loop == cost[i].loop && before[i].seconds == cost[i].seconds);
        CHECK_EQ_INT(visited, loops);
        CHECK(memcmp(first_key, key, (size_t)loops * sizeof key[0]) == 0);
        rts_planner_close();
    }
}

/* Rounds of a replay before layouts stay as they are; and nothing changes them later. */
static int unsteady_rounds(const play_t *program, double rate) {
    uint64_t before_it = 0;
    int unsteady = 0;
    restart(program, rate, cost_count);
    for (int i = 0; i < 12; i++) {
        const int64_t reorganisations = play.reorganisations;
        const uint64_t forms = play_forms();
        if (i == 0 || forms != before_it || play.reorganisations - reorganisations != known_changes)
            unsteady = i;
        known_changes = play.reorganisations - reorganisations;
        before_it = forms;
    }
    rts_planner_close();
    return unsteady;
}

/* What the run before ended with is there from the second round on, long before a period is known. */
static void test_kept(void) {
    int late = 0, late_without = 0, tried = 0;
    for (int trial = 0; trial < 100; trial++) {
        static play_t program;
        random_program();
        if ((int)strlen(pattern) != play.loop_count)
            continue; /* a loop that stands twice in the period may end with two layouts */
        program = play;
        rts_planner_open(RTS_PLANNER_COST, 0, RTS_CHOICE_AUTO, false);
        for (int i = 0; i < 120; i++)
            play_round(pattern);
        collect_all();
        const double rate = rts_planner_reorganise_rate();
        rts_planner_close();
        tried++;
        late += unsteady_rounds(&program, rate) > 1;
        for (int i = 0; i < cost_count; i++)
            cost[i].is_kept = false;
        late_without += unsteady_rounds(&program, rate) > 1;
    }
    printf("unsteady after the second round: %d of %d, without what was kept %d\n", late, tried,
           late_without);
    CHECK(tried >= 10 && 10 * late <= tried && late_without > 2 * late + 2);
}

/* Loops that the file does not have stay at home, or run on what is there. */
static void test_unknown(void) {
    const int64_t live = rts_memory_live();
    for (int trial = 0; trial < 40; trial++) {
        random_program();
        static play_t program;
        program = play;
        restart(&program, 1e9, 0);
        for (int i = 0; i < 30; i++)
            play_round(pattern);
        CHECK_EQ_INT(play.reorganisations, 0);
        rts_planner_close();
    }
    CHECK_EQ_INT(rts_memory_live(), live);
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_planner_import(cost, 3, 1e9), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    rts_planner_close();
}

/* Loops of one line that differ in nothing else are told apart by their order; others by their keys. */
static void test_keys(void) {
    rts_array_facts_t arrays[PLAY_USES];
    rts_loop_facts_t facts;
    play_start(1e-3);
    for (int i = 0; i < 6; i++)
        play_loop(i < 3 ? SWEEP : REVERSED, 1, (int[]){0}, 1e-3, 1e-3, 1e-3);
    rts_planner_open(RTS_PLANNER_COST, 0, RTS_CHOICE_AUTO, false);
    for (int i = 0; i < 12; i++) {
        play_facts(&play.loop[i % 6], arrays, &facts);
        facts.position.line = 7;
        rts_planner_post(rts_planner_choose(&facts), 1e-3);
        play.loop[7].executions = 2;
    }
    collect_all();
    CHECK_EQ_INT(visited, 6);
    for (int i = 0; i < visited; i++) {
        CHECK_EQ_INT(ordinal[i], i % 3);
        for (int j = 0; j < i; j++)
            CHECK(key[i] != key[j]);
    }
    rts_planner_close();
}

/* The fastest time counts, in terms of the counts of the first execution. */
static void test_fastest(void) {
    rts_array_facts_t arrays[PLAY_USES];
    rts_loop_facts_t facts;
    play_start(1e-3);
    play_loop(UNKNOWN, 1, (int[]){0}, 1, 1, 1);
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_AUTO, false);
    for (int i = 0; i < 3; i++) {
        static const double seconds[] = {3, 1, 2};
        play_facts(&play.loop[0], arrays, &facts);
        if (i == 1)
            facts.count[0] /= 2; /* 255 of 510 */
        facts.count[0] += i == 1 ? 3 : 0;
        facts.thread_count = 1;
        rts_planner_post(rts_planner_choose(&facts), seconds[i] * (double)facts.count[0] / (EXTENT - 2));
        play.loop[0].executions++;
    }
    collect_all();
    CHECK_EQ_INT(visited, 1);
    CHECK(known[0].count == 1 && fabs(known[0].seconds[0] - 1) < 1e-12);
    rts_planner_close();
}

int main(void) {
    check_random_start();
    test_replay();
    test_kept();
    test_unknown();
    test_keys();
    test_fastest();
    return check_finish();
}
