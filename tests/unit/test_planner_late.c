/* Times that come late: what the planner does with tickets. With no delay it must decide as when times are posted at once; with any delay it
 * must end with the fastest of the plans that it tried, count every execution once, and never hear a time twice, or one of a loop that it
 * has forgotten. The loop is one for a GPU, with plans whose times the test makes up. */
#include <config.h>

#include "rts/planner.h"

#include "tests/check.h"

enum { RUNS = 60, MOST_WAITING = 40, TICKETS = 256 };

static rts_array_facts_t array;
static rts_loop_facts_t facts;

static void make_facts(void) {
    array = (rts_array_facts_t){.rank = 2, .element_bytes = 8, .intent = 3, .sign = {1, 1}, .dim = {0, 1}};
    facts = (rts_loop_facts_t){.site = 7,
                               .rank = 2,
                               .is_gpu = true,
                               .arrays = &array,
                               .array_count = 1,
                               .unit_steps = 3,
                               .body = RTS_BODY_RECORD,
                               .contiguous_dim = 1,
                               .element_bytes = 8,
                               .thread_count = 1,
                               .device = 1};
    rts_dependences_init(&facts.dependences, 2);
    for (int dim = 0; dim < 2; dim++) {
        facts.count[dim] = array.extent[dim] = 3000;
        CHECK_EQ_INT(rts_dependences_add(&facts.dependences, dim == 0 ? (rts_index_t[RTS_MAX_RANK]){1}
                                                                      : (rts_index_t[RTS_MAX_RANK]){0, 1}),
                     RTS_OK);
    }
}

/* Any time around the estimate, the same for a plan whenever it runs. */
static double seconds_of(const rts_plan_t *plan, uint64_t salt) {
    char name[96];
    uint64_t hash = salt;
    for (const char *c = rts_plan_name(plan, 2, name, sizeof name); *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (plan->work_s + plan->overhead_s) * (.8 + (double)(hash >> 40 & 255) / 512);
}

static void open_planner(void) {
    rts_planner_open(RTS_PLANNER_OFF, 1, RTS_CHOICE_AUTO, false);
}

typedef struct outcome {
    int64_t executions, heard;
    double seconds, fastest_s; /* of all heard; of the plans that were tried */
    int tried;
} outcome_t;

static void look(void *context, const rts_site_summary_t *site) {
    outcome_t *outcome = context;
    outcome->executions = site->executions;
    outcome->seconds = site->seconds;
    for (int i = 0; i < site->plan_count[0]; i++) {
        const rts_plan_t *plan = &site->plan[0][i];
        outcome->heard += plan->executions;
        outcome->tried += plan->executions > 0;
        if (plan->measured_s >= 0 && (outcome->fastest_s < 0 || plan->measured_s < outcome->fastest_s))
            outcome->fastest_s = plan->measured_s;
    }
}

static outcome_t outcome_now(void) {
    outcome_t outcome = {.fastest_s = -1};
    rts_planner_visit(look, &outcome);
    return outcome;
}

/* The same decisions, whichever way a time comes at once. */
static void test_at_once(uint64_t salt) {
    char posted[RUNS][96], late[96];
    open_planner();
    for (int run = 0; run < RUNS; run++) {
        const rts_plan_t *plan = rts_planner_choose(&facts);
        rts_plan_name(plan, 2, posted[run], sizeof posted[run]);
        rts_planner_post(plan, seconds_of(plan, salt));
    }
    rts_planner_close();
    open_planner();
    for (int run = 0; run < RUNS; run++) {
        const rts_plan_t *plan = rts_planner_choose(&facts);
        const double seconds = seconds_of(plan, salt);
        CHECK_EQ_STR(rts_plan_name(plan, 2, late, sizeof late), posted[run]);
        rts_planner_post_late(rts_planner_ticket(plan), seconds);
    }
    rts_planner_close();
}

/* Times wait for a while, and come in any order. */
static void test_delayed(uint64_t salt) {
    struct {
        int64_t ticket;
        double seconds;
    } waiting[MOST_WAITING];
    const int delay = (int)check_random_range(1, MOST_WAITING);
    int count = 0, lost = 0;
    int64_t latest = 0;
    double all_s = 0;
    open_planner();
    for (int run = 0; run < 8 * RUNS; run++) {
        if (count == delay) {
            const int heard = (int)check_random_range(0, count - 1);
            const bool is_lost = waiting[heard].ticket + TICKETS <= latest;
            lost += is_lost;
            all_s -= is_lost ? waiting[heard].seconds : 0;
            rts_planner_post_late(waiting[heard].ticket, waiting[heard].seconds);
            if (check_random_once_in(4))
                rts_planner_post_late(waiting[heard].ticket, 1e-9); /* a second time: ignored */
            waiting[heard] = waiting[--count];
        }
        const rts_plan_t *plan = rts_planner_choose(&facts);
        latest = waiting[count].ticket = rts_planner_ticket(plan);
        waiting[count].seconds = seconds_of(plan, salt);
        all_s += waiting[count].seconds;
        CHECK(waiting[count++].ticket > 0);
    }
    while (count > 0) {
        count--;
        const bool is_lost = waiting[count].ticket + TICKETS <= latest;
        lost += is_lost;
        all_s -= is_lost ? waiting[count].seconds : 0;
        rts_planner_post_late(waiting[count].ticket, waiting[count].seconds);
    }
    const outcome_t outcome = outcome_now();
    CHECK_EQ_INT(outcome.executions, 8 * RUNS);
    CHECK_EQ_INT(outcome.heard, 8 * RUNS - lost);
    CHECK(outcome.seconds > .999999 * all_s && outcome.seconds < 1.000001 * all_s);
    CHECK(outcome.tried >= 1 && outcome.fastest_s > 0);
    const rts_plan_t *last = rts_planner_choose(&facts);
    CHECK(seconds_of(last, salt) <= outcome.fastest_s * 1.000001);
    rts_planner_close();
}

static void test_forgotten(void) {
    int64_t ticket[300];
    open_planner();
    const rts_plan_t *plan = rts_planner_choose(&facts);
    ticket[0] = rts_planner_ticket(plan);
    CHECK_EQ_INT(rts_planner_ticket(plan), 0); /* once an execution */
    open_planner();                            /* all loops are new */
    rts_planner_post_late(ticket[0], 1e-9);
    CHECK_EQ_INT(outcome_now().executions, 0);
    for (int i = 0; i < 300; i++)
        ticket[i] = rts_planner_ticket(rts_planner_choose(&facts));
    rts_planner_post_late(ticket[0], 1e-9); /* too many since */
    CHECK_EQ_INT(outcome_now().heard, 0);
    rts_planner_post_late(ticket[299], 1);
    CHECK_EQ_INT(outcome_now().heard, 1);
    rts_planner_post_late(0, 1);
    rts_planner_post_late(-5, 1);
    rts_planner_post_late(1000000, 1);
    CHECK_EQ_INT(outcome_now().heard, 1);
    CHECK_EQ_INT(outcome_now().executions, 300);
    rts_planner_close();
    rts_planner_open(RTS_PLANNER_RANDOM, 1, RTS_CHOICE_AUTO, false);
    CHECK_EQ_INT(rts_planner_ticket(rts_planner_choose(&facts)), 0); /* nothing is learnt */
    rts_planner_close();
}

/* Of the host and of GPUs, each its own; the loop at hand says whose is asked for. */
static void test_rates(void) {
    open_planner();
    rts_planner_post_reorganised(true, (size_t)1 << 30, 1e-3);
    rts_planner_post_reorganised(false, (size_t)1 << 30, 1e-1);
    facts.is_gpu = true;
    (void)rts_planner_choose(&facts);
    CHECK(rts_planner_reorganise_rate() > 1e12);
    facts.is_gpu = false;
    (void)rts_planner_choose(&facts);
    CHECK(rts_planner_reorganise_rate() < 1.1e10);
    facts.is_gpu = true;
    rts_planner_close();
}

int main(void) {
    check_random_start();
    make_facts();
    for (int trial = 0; trial < 40; trial++) {
        const uint64_t salt = check_random_u64();
        test_at_once(salt);
        test_delayed(salt);
    }
    test_forgotten();
    test_rates();
    return check_finish();
}
