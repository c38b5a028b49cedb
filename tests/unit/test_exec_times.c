/* Times of what is queued on a GPU that the host plays (fake_cuda.h), which does not tell them before it is waited for: however much is
 * queued, none is lost without a word, and the statistics say what all of it took, though most is not measured. Would catch timers that are
 * used again before they are heard, executions and bytes that are counted twice or never, and waits where none are needed. */
#include "tests/unit/fake_cuda.h"

#include "rts/exec_times.h"
#include "rts/interval.h"

#include "tests/check.h"

enum { MANY = 5000 };

static rts_loop_facts_t facts_of(int number) {
    rts_loop_facts_t facts = {.site = 100 + (uint64_t)number,
                              .rank = 2,
                              .count = {3000, 3000},
                              .is_gpu = true,
                              .unit_steps = 3,
                              .body = RTS_BODY_RECORD,
                              .contiguous_dim = 1,
                              .element_bytes = 8,
                              .array_count = 1,
                              .thread_count = 1,
                              .device = 1};
    rts_dependences_init(&facts.dependences, 2);
    return facts;
}

/* As exec does it. @param parts  0: launches that are not to be measured */
static void run_loop(int number, int parts, double part_s) {
    const rts_loop_facts_t facts = facts_of(number);
    rts_times_hear();
    CHECK_EQ_INT(rts_times_wait(rts_planner_awaited(&facts)), RTS_OK);
    const rts_plan_t *plan = rts_planner_choose(&facts);
    rts_times_open_loop(plan, 1);
    fake.takes_s = part_s;
    for (int part = 0; part < parts; part++) {
        rts_times_start(1);
        rts_times_stop_launch(1);
    }
    rts_times_close_loop(plan);
}

static void open_times(rts_planner_mode_t mode) {
    rts_planner_open(mode, 1, RTS_CHOICE_AUTO, false);
    rts_times_reset();
    rts_stats_reset();
    memset(&fake, 0, sizeof fake);
    fake.is_endless = true;
}

static void close_times(void) {
    rts_planner_close();
    rts_times_reset();
}

static void check_stat(rts_stat_t stat, double expected_s, double tolerance) {
    const double seconds = (double)rts_stats_get(stat) * 1e-9;
    if (!CHECK(seconds > expected_s * (1 - tolerance) && seconds < expected_s * (1 + tolerance)))
        fprintf(stderr, "  %s: %g s, not %g s\n", rts_stats_name(stat), seconds, expected_s);
}

/* Two loops in turn, of one part and of three. */
static void test_loops(rts_planner_mode_t mode, double measured_share, double tolerance) {
    open_times(mode);
    int64_t ends = 0;
    for (int i = 0; i < MANY; i++) {
        run_loop(0, 1, 2e-3);
        run_loop(1, 3, 1e-3);
        ends = i == 100 ? fake.ends : ends;
    }
    CHECK_EQ_INT(fake.ends, ends); /* nothing waits once the planner has settled */
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_WAITS), ends);
    CHECK(ends <= 24 * 2);
    CHECK((double)fake.last_timer <= measured_share * 4 * MANY + 300);
    const int before = fake.ends;
    CHECK_EQ_INT(rts_times_settle(), RTS_OK);
    CHECK(fake.ends > before);
    check_stat(RTS_STAT_LOOP_TIME, MANY * 5e-3, tolerance);
    const int after = fake.ends;
    CHECK_EQ_INT(rts_times_settle(), RTS_OK); /* nothing is counted again, nor waited for */
    CHECK_EQ_INT(fake.ends, after);
    check_stat(RTS_STAT_LOOP_TIME, MANY * 5e-3, tolerance);
    close_times();
}

/* Times come while the program runs. */
static void test_heard(void) {
    open_times(RTS_PLANNER_OFF);
    fake.is_endless = false;
    fake.late = 3;
    for (int i = 0; i < MANY; i++)
        run_loop(i % 3, 1, 1e-3 * (1 + i % 3));
    while (rts_times_settle() != RTS_OK) {}
    check_stat(RTS_STAT_LOOP_TIME, 1e-3 * MANY * 2, .001);
    close_times();
}

/* Sizes in turn, each at the same rate; now and then something else is queued as well, which takes no account of itself. */
static void test_reorganisations(void) {
    double bytes = 0;
    open_times(RTS_PLANNER_OFF);
    for (int i = 0; i < MANY; i++) {
        const size_t its_bytes = (size_t)(1 + i % 7) << 20;
        fake.takes_s = i % 5 == 0 ? 1 : (double)its_bytes / 1e12;
        rts_times_start_reorganising(1);
        rts_times_stop_reorganised(1, its_bytes, i % 5 != 0);
        bytes += (double)its_bytes;
    }
    CHECK(fake.last_timer < MANY / 8);
    CHECK_EQ_INT(fake.ends, 0);
    CHECK_EQ_INT(rts_times_settle(), RTS_OK);
    check_stat(RTS_STAT_REORGANISE_TIME, bytes / 1e12, .0001);
    close_times();
}

/* The sums of intervals 0 .. count - 1, in which an execution took step_s times one more than the number, or just step_s. */
static void check_intervals(int count, double step_s, bool grows) {
    int found;
    const rts_interval_sum_t *sum = rts_interval_sums(&found);
    CHECK_EQ_INT(found, count);
    for (int i = 0; i < count && found == count; i++) {
        const double expected_s = (double)sum[i].count * step_s * (double)(grows ? 1 + sum[i].number : 1);
        if (!CHECK(sum[i].loop_s > .9999 * expected_s && sum[i].loop_s < 1.0001 * expected_s))
            fprintf(stderr, "  interval %d: %g s, not %g s\n", i, sum[i].loop_s, expected_s);
    }
    rts_interval_reset();
}

static void run_in_interval(int number, int loop, double seconds) {
    CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_USER, number, (rts_position_t){"f.c", 1}), RTS_OK);
    run_loop(loop, 1, seconds);
    CHECK_EQ_INT(rts_interval_end(true), RTS_OK);
}

/* Loops in intervals in turn: each has its own seconds, which come when the intervals are long closed. */
static void test_intervals(void) {
    open_times(RTS_PLANNER_OFF);
    for (int i = 0; i < MANY; i++)
        run_in_interval(i % 3, i % 3, 1e-3 * (1 + i % 3));
    CHECK_EQ_INT(rts_times_settle(), RTS_OK);
    check_intervals(3, 1e-3, true);
    close_times();
}

/* One loop in several intervals, of some executions each: what nobody measured is not another one's. */
static void test_shared_loop(void) {
    open_times(RTS_PLANNER_OFF);
    for (int i = 0; i < MANY; i++)
        run_in_interval(i / 7 % 5, 0, 1e-3);
    CHECK_EQ_INT(rts_times_settle(), RTS_OK);
    check_stat(RTS_STAT_LOOP_TIME, MANY * 1e-3, .0001);
    check_intervals(5, 1e-3, false);
    close_times();
}

/* Times are told when all is done, though none of it was measured. */
static void test_settled(void) {
    open_times(RTS_PLANNER_OFF);
    for (int i = 0; i < 40; i++) { /* until only some are measured; all are heard */
        run_loop(0, 1, 1e-3);
        CHECK_EQ_INT(rts_times_settle(), RTS_OK);
    }
    const int64_t timers = fake.last_timer;
    const int ends = fake.ends;
    for (int i = 0; i < 2; i++)
        run_loop(0, 1, 1e-3);
    CHECK_EQ_INT(fake.last_timer, timers);
    CHECK_EQ_INT(rts_times_settle(), RTS_OK);
    CHECK_EQ_INT(fake.ends, ends + 1);
    close_times();
}

/* Parts without a measurement make the whole loop one without. */
static void test_unmeasured(void) {
    open_times(RTS_PLANNER_OFF);
    for (int i = 0; i < 40; i++) {
        const rts_loop_facts_t facts = facts_of(0);
        const rts_plan_t *plan = rts_planner_choose(&facts);
        rts_times_open_loop(plan, 1);
        fake.takes_s = 1e-3;
        rts_times_start(1);
        rts_times_stop_launch(1);
        if (i % 2 == 0) {
            rts_times_forgo();
            rts_times_stop_launch(1);
            CHECK(!rts_times_measures());
        }
        rts_times_close_loop(plan);
        CHECK(rts_times_measures());
    }
    CHECK_EQ_INT(rts_times_settle(), RTS_OK);
    check_stat(RTS_STAT_LOOP_TIME, 40e-3, .0001);
    close_times();
}

int main(void) {
    test_loops(RTS_PLANNER_OFF, 1. / 16, .0001);
    test_loops(RTS_PLANNER_RANDOM, 1,
               .01); /* loops are not told apart: those not measured have the mean of all */
    test_heard();
    test_reorganisations();
    test_intervals();
    test_shared_loop();
    test_settled();
    test_unmeasured();
    return check_finish();
}
