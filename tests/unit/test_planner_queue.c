/* Programs that queue loops and never wait, as on a GPU, played to the planner: it must end where it would end if every time came at once,
 * by waits that are few, and none after it has settled; and what it tells of executions that nobody measured must be what they took. Would
 * catch a planner that explores nothing because it hears nothing, one that waits for what cannot come, and times that count twice or never. */
#include "tests/unit/planner_program.h"

enum { ROUNDS = 400 };

/* Any loops, of which some share arrays. The same from the same seed. */
static int make_loops(uint64_t seed, char pattern[8]) {
    static const double seconds[] = {2e-3, 4e-3, 7e-3, 10e-3, 15e-3};
    const int loops = 1 + (int)(rts_candidates_draw(&seed) % 4);
    play_start(1e-4 * (double)(1 + rts_candidates_draw(&seed) % 40));
    for (int i = 0; i < loops; i++) {
        const int what = (int)(rts_candidates_draw(&seed) % 4), array = (int)(rts_candidates_draw(&seed) % 3);
        double s[3];
        for (int k = 0; k < 3; k++)
            s[k] = seconds[rts_candidates_draw(&seed) % 5];
        play_loop(what, 1 + (int)(rts_candidates_draw(&seed) % 2), (int[]){array, 3 + i % 2}, s[0], s[1],
                  s[2]);
        pattern[i] = (char)('A' + i);
    }
    pattern[loops] = 0;
    return loops;
}

static double known_s;
static int64_t known_executions, unmeasured;

static void look(void *context, const rts_site_summary_t *site) {
    (void)context;
    known_s += site->seconds;
    known_executions += site->executions;
    for (int i = 0; i < site->option_count; i++)
        for (int k = 0; k < site->plan_count[i]; k++)
            unmeasured += site->plan[i][k].unmeasured;
}

static void ignore(int interval, double seconds) {
    (void)interval;
    CHECK(seconds >= 0);
}

/* @return seconds of the last round */
static double run_program(uint64_t seed, rts_planner_mode_t mode, bool queues) {
    char pattern[8];
    double last = 0;
    const int loops = make_loops(seed, pattern);
    int late_waits = 0, late_measured = 0;
    rts_planner_open(mode, 1, RTS_CHOICE_AUTO, false);
    rts_planner_import(NULL, 0, (double)EXTENT * EXTENT * 8 / play.reorganise_s);
    play.queues = queues;
    for (int round = 0; round < ROUNDS; round++) {
        last = play_round(pattern);
        late_waits -= round == ROUNDS / 2 ? play.waits : 0;
        late_measured -= round == ROUNDS / 2 ? play.measured : 0;
    }
    late_waits += play.waits;
    late_measured += play.measured;
    CHECK_EQ_INT(late_waits, 0);
    CHECK(late_measured <= loops * (ROUNDS / 2 / 16 + 1));
    CHECK(play.waits <= 24 * loops);
    CHECK(!queues || play.waits > 0);
    play_wait();
    rts_planner_estimate_unmeasured(ignore);
    known_s = 0;
    known_executions = unmeasured = 0;
    rts_planner_visit(look, NULL);
    double loops_s = play.total_s;
    loops_s -= play.reorganise_s * play.reorganisations;
    CHECK_EQ_INT(known_executions, (int64_t)loops * ROUNDS);
    CHECK_EQ_INT(unmeasured, 0);
    if (!CHECK(known_s > loops_s * .999999 && known_s < loops_s * 1.000001))
        fprintf(stderr, "  loops took %g s, the planner tells %g\n", loops_s, known_s);
    rts_planner_close();
    return last;
}

int main(void) {
    static const rts_planner_mode_t mode[] = {RTS_PLANNER_COST, RTS_PLANNER_OFF, RTS_PLANNER_GREEDY};
    int changed = 0;
    check_random_start();
    for (int trial = 0; trial < 300; trial++) {
        const uint64_t seed = check_random_u64();
        const rts_planner_mode_t its_mode = mode[trial % 5 < 3 ? 0 : trial % 5 - 2];
        const double at_once = run_program(seed, its_mode, false), queued = run_program(seed, its_mode, true);
        changed += play.reorganisations > 0;
        if (!CHECK(queued <= at_once * 1.03))
            fprintf(stderr, "  trial %d: a round takes %g s, with times at once %g\n", trial, queued,
                    at_once);
    }
    CHECK(changed > 50);
    return check_finish();
}
