/* Loops that the period in force contains get the schedule's option. Others are weighed alone: what is there already against home, and
 * anything else only where one execution pays for the way there and back. The period in force outlives loops that come in between
 * once; it is replaced when the sequence shows another one. */
#include <config.h>

#include "rts/choice.h"

#include <math.h>

#include "rts/memory.h"

#define HYSTERESIS   .03
#define PATIENCE     8 /* after so many periods a new one must have been seen for one round more */
#define MAX_PATIENCE 8 /* rounds */

static struct {
    rts_sequence_t sequence;
    rts_period_t period;
    int64_t generation; /* of the sites */
    int started;        /* periods so far */
    int step;           /* of the last execution in the period; -1: it was outside */
} choice;

void rts_choice_reset(void) {
    rts_sequence_reset(&choice.sequence);
    rts_period_reset(&choice.period);
    choice.generation = rts_sites_generation();
    choice.started = 0;
    choice.step = -1;
}

int rts_choice_safe(rts_site_t *site) {
    if (site->option[0]->option->kind == RTS_OPTION_NATURAL || site->facts.arrays == NULL)
        return 0;
    for (int i = 0; i < site->option_count; i++)
        if (site->option[i]->option->kind == RTS_OPTION_NATURAL)
            return i;
    int found = -1;
    rts_option_t *option = rts_alloc(rts_option_bytes(site->facts.array_count));
    if (option != NULL && rts_options_make(&site->facts, RTS_OPTION_NATURAL, option))
        found = rts_site_add_option(site, option);
    rts_free(option);
    return found >= 0 ? found : 0;
}

int rts_choice_present(rts_site_t *site, const rts_loop_facts_t *facts) {
    for (int i = 0; i < site->option_count; i++) {
        bool is_present = !site->option[i]->is_refused;
        for (int j = 0; j < facts->array_count && is_present; j++)
            is_present = rts_facts_is_present(&facts->arrays[j], &site->option[i]->option->form[j]);
        if (is_present)
            return i;
    }
    int found = -1;
    rts_option_t *option = rts_alloc(rts_option_bytes(facts->array_count));
    if (option != NULL && site->option[0]->option->kind != RTS_OPTION_PINNED &&
        rts_options_make(facts, RTS_OPTION_PRESENT, option))
        found = rts_site_add_option(site, option);
    rts_free(option);
    return found >= 0 && !site->option[found]->is_refused ? found : -1;
}

/* Seconds of reorganisations before a loop may run on an option. */
static double seconds_there(const rts_site_t *site, int option, const rts_loop_facts_t *facts, double rate) {
    double seconds = 0;
    for (int i = 0; i < facts->array_count; i++)
        if (!rts_facts_is_present(&facts->arrays[i], &site->option[option]->option->form[i]))
            seconds += rts_facts_bytes(&facts->arrays[i]) / rate;
    return seconds;
}

/* What an option means to a loop that is weighed alone. */
typedef struct alone {
    bool may_run, is_trial; /* trial: it would be run to see what it takes */
    double there_s;         /* reorganisations before */
    double seconds;         /* in all, with those behind where something is left by them */
} alone_t;

/* What is there may have to be left in part, too: then it is no reason to run on what is not known, unless going home takes longer. */
static alone_t weigh(const rts_site_t *site, int option, int safe, int present, const rts_loop_facts_t *facts,
                     double rate) {
    const bool is_there = option == safe || option == present;
    alone_t alone = {.there_s = seconds_there(site, option, facts, rate)};
    const bool is_visit = option == present && rts_site_may_visit(site, option) &&
                          alone.there_s < seconds_there(site, safe, facts, rate);
    alone.may_run = rts_site_may_run(site, option) || is_visit || (site->executions == 0 && is_there);
    alone.is_trial = !is_there && rts_site_measured(site, option) < 0;
    alone.seconds = rts_site_seconds(site, option) + alone.there_s;
    if (!is_there) /* there and back, and worth the while */
        alone.seconds = (alone.seconds + alone.there_s) * (1 + HYSTERESIS);
    return alone;
}

/* REPLAY: what the run that saved costs ended with. Where it had a schedule, this one will have it, too, as soon as the period is known; so
 * arrays are not brought elsewhere meanwhile. @return -1: none, or it cannot be had */
static int find_kept(const rts_site_t *site) {
    for (int i = 0; i < site->option_count; i++)
        if (site->option[i]->is_kept && rts_site_may_run(site, i))
            return i;
    return -1;
}

/* By the loop's own cost. It may try one layout: of those that promise to pay for themselves at once, the one that is the fastest to stay on. */
static int choose_alone(rts_site_t *site, const rts_loop_facts_t *facts, const rts_period_terms_t *terms,
                        rts_reason_t *reason) {
    const double rate = terms->rate;
    const int safe = rts_choice_safe(site), present = rts_choice_present(site, facts);
    int best = -1, trial = -1;
    double best_s = INFINITY;
    if (site->executions > 1 || terms->is_replay)
        rts_site_add_kinds(site);
    for (int i = 0; i < site->option_count; i++) {
        const alone_t alone = weigh(site, i, safe, present, facts, rate);
        if (alone.may_run && !alone.is_trial && alone.seconds < best_s) {
            best_s = alone.seconds;
            best = i;
        }
    }
    for (int i = 0; i < site->option_count; i++) {
        const alone_t alone = weigh(site, i, safe, present, facts, rate);
        if (alone.may_run && alone.is_trial && alone.seconds < best_s &&
            (trial < 0 || rts_site_seconds(site, i) < rts_site_seconds(site, trial)))
            trial = i;
    }
    const int kept = find_kept(site);
    const int chosen = kept >= 0 ? kept : trial >= 0 ? trial : best >= 0 ? best : safe;
    reason->kind = RTS_REASON_ALONE;
    reason->there_s = seconds_there(site, chosen, facts, rate);
    reason->seconds = rts_site_seconds(site, chosen);
    reason->natural_s = rts_site_seconds(site, safe);
    reason->go_home_s = seconds_there(site, safe, facts, rate);
    return chosen;
}

static void note_execution(rts_site_t *site, const rts_loop_facts_t *facts) {
    rts_handle_t array[RTS_SITE_MAX_ARRAYS];
    for (int i = 0; i < facts->array_count; i++)
        array[i] = facts->arrays[i].array;
    rts_sequence_add(&choice.sequence, site, array, facts->array_count);
    rts_sequence_back(&choice.sequence, 0)->option = site->last;
}

/* Whether the sequence's hypothesis has proved itself. Where periods come and go, later ones have to for longer. */
static bool is_period_known(const rts_period_terms_t *terms) {
    const int64_t length = choice.sequence.period;
    int rounds = choice.started / PATIENCE;
    rounds = rounds < MAX_PATIENCE ? rounds : MAX_PATIENCE;
    return length > 0 && choice.sequence.right >= (terms->is_replay ? 1 : length) + rounds * length;
}

/* The step of the period in force that this execution is; -1: none. */
static int find_step(const rts_site_t *site, const rts_loop_facts_t *facts, const rts_period_terms_t *terms) {
    int step = -1;
    const bool is_in_period = rts_period_find(&choice.period, site, facts, &step);
    if (!is_period_known(terms) ||
        (is_in_period && step == choice.period.at && choice.sequence.period == choice.period.length))
        return step;
    if (!rts_period_start(&choice.period, &choice.sequence, (int)choice.sequence.period))
        return -1;
    choice.started++;
    return choice.period.at;
}

static void explain(const rts_site_t *site, int option, rts_reason_t *reason) {
    const rts_period_t *period = &choice.period;
    const int64_t changed_at = period->changed_at[choice.step];
    const rts_period_change_t *change = &period->change[period->group[choice.step]];
    reason->kind = RTS_REASON_PERIOD;
    reason->period = period->length;
    if (changed_at >= 0 && period->matched - changed_at < period->length && option != site->last) {
        reason->kind = change->period_s > 0 ? RTS_REASON_CHANGE : RTS_REASON_REFUSED;
        reason->is_trial = change->is_trial;
        reason->saving_s = change->saving_s;
        reason->period_s = change->period_s;
        reason->once_s = change->once_s;
    }
}

int rts_choice_option(rts_site_t *site, const rts_loop_facts_t *facts, bool again,
                      const rts_period_terms_t *terms, rts_reason_t *reason_p) {
    if (choice.generation != rts_sites_generation())
        rts_choice_reset();
    if (!again || choice.sequence.count == 0) {
        note_execution(site, facts);
        choice.step = find_step(site, facts, terms);
    }
    int option = -1;
    if (choice.step >= 0) {
        option = rts_period_choose(&choice.period, choice.step, facts, terms);
        explain(site, option, reason_p);
    }
    if (option < 0 || !rts_site_may_run(site, option))
        option = choose_alone(site, facts, terms, reason_p);
    rts_sequence_back(&choice.sequence, 0)->option = option;
    return option;
}
