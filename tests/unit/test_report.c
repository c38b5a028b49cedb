/* The report at the end of a run, word for word for known figures: order of loops, shares, what is considered and given, the sum of
 * many loops, gains and losses, and what is said when something is not known. The planner is played by this file. */
#include <config.h>

#include "rts/report.h"

#include "rts/memory.h"
#include "rts/planner.h"
#include "rts/stats.h"

#include "tests/check.h"

/* ---- the planner's part ---- */

#define SITES 30

static rts_site_summary_t site[SITES];
static rts_loop_facts_t facts[SITES];
static rts_array_facts_t array;
static rts_option_t *option[3]; /* natural, and two others */
static rts_plan_t plan[3][2];
static int site_count;

void rts_planner_visit(void (*visit)(void *context, const rts_site_summary_t *summary), void *context) {
    for (int i = 0; i < site_count; i++) {
        rts_site_summary_t passing = site[i]; /* gone when the call has returned */
        visit(context, &passing);
        memset(&passing, 0x55, sizeof passing);
    }
}

const char *rts_option_name(const rts_option_t *of, int array_count, char *text, size_t text_size) {
    snprintf(text, text_size, "%s of %d", of->kind == RTS_OPTION_NATURAL ? "plain" : "wrap(+)", array_count);
    return text;
}

const char *rts_plan_name(const rts_plan_t *of, int rank, char *text, size_t text_size) {
    snprintf(text, text_size, "plan %d of rank %d", of->split_dim, rank);
    return text;
}

/* ---- ---- */

static char text[20000];

static const char *report(void) {
    FILE *file = fmemopen(text, sizeof text, "w");
    if (file == NULL)
        check_skip("no memory streams");
    memset(text, 0, sizeof text);
    rts_report_print(file);
    fclose(file);
    return text;
}

/* A loop of 4x5 iterations in line 10 * (number + 1). */
static void set_site(int number, int executions, double seconds, double natural_s) {
    facts[number] = (rts_loop_facts_t){.rank = 2, .count = {4, 5}};
    site[number] = (rts_site_summary_t){.position = {"a.c", 10 * (number + 1)},
                                        .facts = &facts[number],
                                        .executions = executions,
                                        .seconds = seconds,
                                        .natural_s = natural_s};
}

static void set_options(int number, int count, int chosen) {
    facts[number].arrays = &array;
    facts[number].array_count = 1;
    site[number].option_count = count;
    site[number].chosen = chosen;
    for (int i = 0; i < count; i++) {
        option[i]->kind = i == 0 ? RTS_OPTION_NATURAL : RTS_OPTION_DIAGONAL;
        site[number].option[i] = option[i];
        site[number].plan[i] = plan[i];
        site[number].plan_count[i] = 2;
    }
}

static void set_plans(void) {
    array.rank = 2;
    for (int i = 0; i < 3; i++) {
        option[i] =
            option[i] != NULL ? option[i] : calloc(1, sizeof(rts_option_t) + sizeof(rts_layout_form_t));
        if (option[i] == NULL)
            check_skip("no memory");
        option[i]->form[0] = rts_layout_form_home(2);
        option[i]->form[0].kind = i == 0 ? RTS_LAYOUT_PLAIN : RTS_LAYOUT_WRAP;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            plan[i][k] = (rts_plan_t){.measured_s = -1, .split_dim = 10 * i + k};
    plan[0][0].measured_s = 0.050;
    plan[0][0].begun = 2;
    plan[0][1].measured_s = 0.040;
    plan[0][1].begun = 1;
    plan[1][1].measured_s = 12e-6;
    plan[1][1].begun = 17;
}

static void test_nothing(void) {
    rts_stats_reset();
    site_count = 0;
    CHECK_EQ_STR(report(), "== DVMH report: loops ran 0 times and took 0 ns\n"
                           "  no array was reorganised\n");
}

static void test_whole(void) {
    rts_stats_reset();
    rts_stats_add(RTS_STAT_LOOPS, 25);
    rts_stats_add(RTS_STAT_LOOP_TIME, 900000000);
    rts_stats_add(RTS_STAT_REORGANISATIONS, 3);
    rts_stats_add(RTS_STAT_REORGANISE_BYTES, 500000000);
    rts_stats_add(RTS_STAT_REORGANISE_TIME, 100000000);
    rts_stats_add(RTS_STAT_REPLICA_BYTES, 250000000);
    rts_stats_add(RTS_STAT_REPLICA_BYTES, -250000000);
    set_plans();
    site_count = 2;
    set_site(0, 5, 0.225, 0.05);
    set_site(1, 20, 0.675, 0.04);
    set_options(1, 3, 1);
    CHECK_EQ_STR(
        report(),
        "== DVMH report: loops ran 25 times and took 900 ms\n"
        "     675.000 ms   75.0%        20 x 33.8 ms    a.c:20, 4x5\n"
        "      given:      wrap(+) of 1, 12 us at best with plan 11 of rank 2, 17 times\n"
        "      considered: plain of 1, 40 ms at best with plan 1 of rank 2, 3 times\n"
        "      considered: wrap(+) of 1, never run\n"
        "     225.000 ms   25.0%         5 x 45 ms      a.c:10, 4x5\n"
        "  3 reorganisations of 500.0 MB in all took 100 ms, 5.0 GB/s; 10.0% of the time of loops and "
        "reorganisations\n"
        "  copies of arrays beside the program's own took 250.0 MB of memory at most\n"
        "  reorganisation gained about 580 ms: at their best 17 executions took 204 us, in the declared "
        "layouts 680 ms; and 100 ms of reorganisation\n");
}

static void test_gain(void) {
    site[0].natural_s = -1; /* it has no other layouts: nothing to be known */
    site[1].natural_s = 1e-5;
    CHECK_CONTAINS(report(),
                   "  reorganisation lost about 100 ms: at their best 17 executions took 204 us, in the "
                   "declared layouts 170 us; and 100 ms of reorganisation\n");
    CHECK(strstr(text, "not known") == NULL);
    site[1].natural_s = -1;
    CHECK_CONTAINS(report(),
                   "  17 executions were of loops that have never run in the declared layouts: what they "
                   "gained is not known\n");
    CHECK(strstr(text, "gained about") == NULL && strstr(text, "lost about") == NULL);
    set_site(0, 5, 0.225, 0.02); /* a second loop, in the third option at last, 12 ms at best */
    set_options(0, 3, 2);
    site[1].natural_s = 0.04;
    plan[2][0].measured_s = 0.012;
    plan[2][0].begun = 3;
    /* 20 * 40 + 20 * 20 ms against 34 * 12 us + 6 * 12 ms: the plans are those of both loops */
    CHECK_CONTAINS(report(),
                   "  reorganisation gained about 1.03 s: at their best 40 executions took 72.4 ms, in the "
                   "declared layouts 1.2 s; and 100 ms of reorganisation\n");
    CHECK_CONTAINS(text, "considered: wrap(+) of 1, 12 ms at best with plan 20 of rank 2, 3 times\n");
    option[2]->form[0].kind = RTS_LAYOUT_PLAIN; /* pinned as declared, say: not another layout */
    CHECK_CONTAINS(report(), "at their best 34 executions took 408 us, in the declared layouts 1.02 s;");
}

/* Twenty are shown, the rest is summed up; without memory for a list the totals stay. */
static void test_many(void) {
    rts_stats_reset();
    rts_stats_add(RTS_STAT_LOOP_TIME, (int64_t)SITES * (SITES + 1) / 2 * 1000000);
    site_count = SITES;
    for (int i = 0; i < SITES; i++)
        set_site(i, 1, 1e-3 * (1 + i * 7 % SITES), -1); /* 1..30 ms in another order */
    site[3].position.file = NULL;
    report();
    const char *place = text;
    for (int shown = 0; shown < 20; shown++) {
        char line[40];
        snprintf(line, sizeof line, "%d.000 ms", SITES - shown);
        place = strstr(place, line);
        if (!CHECK(place != NULL))
            return;
    }
    CHECK_CONTAINS(place, "      55.000 ms   11.8%  and 10 more\n");
    CHECK(strstr(text, "of 0") == NULL);
    CHECK_CONTAINS(text, " ?:40, 4x5\n");
    const int64_t live = rts_memory_live();
    for (int n = 1; n <= 2; n++) {
        rts_memory_fail_at(n);
        CHECK_CONTAINS(report(), "no memory for the list of all loops\n");
        rts_memory_fail_at(0);
        CHECK_CONTAINS(text, "== DVMH report: loops ran 0 times and took 465 ms\n");
        CHECK_EQ_INT(rts_memory_live(), live);
    }
}

int main(void) {
    test_nothing();
    test_whole();
    test_gain();
    test_many();
    for (int i = 0; i < 3; i++)
        free(option[i]);
    return check_finish();
}
