/* From a period of the sequence to a schedule, and on to the option of each step. A change is made like renting before buying: when the
 * rounds seen so far, had it been made before, would have saved what it costs once. So the loss from not having known the future
 * is bounded by that cost, however soon the period ends. */
#include <config.h>

#include "rts/period.h"

#include <math.h>
#include <string.h>

#include "rts/memory.h"

#define HYSTERESIS       .03 /* of a group's time in a period: less than an estimate saves is not worth a trial */
#define HYSTERESIS_KNOWN .01 /* the same between what has been measured: less saving than that is noise */
#define PESSIMISM        2   /* a first copy into new memory takes so many times longer than later ones */
#define HOPE                                                                                                 \
    1.5 /* estimates may be so wrong; after HOPE_ROUNDS a trial that shows it costs little of the whole */
#define HOPE_ROUNDS     50
#define HOPE_ROUNDS_GPU 20 /* the same at least on GPUs, where copies are cheap to a loop .. */
#define HOPE_SHARE      15 /* .. and the time so far so many times that of copies of all arrays there and back */

/* Forms of the arrays while a problem is made. */
static struct {
    rts_handle_t array[RTS_SCHEDULE_MAX_ARRAYS];
    int device[RTS_SCHEDULE_MAX_ARRAYS];
    rts_layout_form_t home[RTS_SCHEDULE_MAX_ARRAYS];
    int form_count[RTS_SCHEDULE_MAX_ARRAYS];
    const rts_layout_form_t *form[RTS_SCHEDULE_MAX_ARRAYS][RTS_SCHEDULE_MAX_FORMS];
} table;

void rts_period_reset(rts_period_t *period) {
    period->length = 0;
}

/* ---- taking a period from the sequence ---- */

static bool has_use(const rts_period_t *period, const rts_period_step_t *step, rts_handle_t handle) {
    for (int i = 0; i < step->use_count; i++)
        if (period->use[step->first_use + i].handle == handle)
            return true;
    return false;
}

static bool take_steps(rts_period_t *period, rts_sequence_t *sequence, int length) {
    period->use_count = 0;
    for (int i = 0; i < length; i++) {
        rts_period_step_t *step = &period->step[i];
        const rts_sequence_entry_t *entry = rts_sequence_back(sequence, length - 1 - i);
        if (entry == NULL || period->use_count + entry->array_count > RTS_PERIOD_MAX_USES)
            return false;
        *step = (rts_period_step_t){.site = entry->loop, .first_use = period->use_count};
        period->held[i] = entry->option;
        period->changed_at[i] = -1;
        for (int j = 0; j < entry->array_count; j++) {
            const rts_handle_t handle = rts_sequence_handle(sequence, entry, j);
            if (has_use(period, step, handle))
                continue;
            period->use[period->use_count++] = (rts_period_use_t){.handle = handle, .number = j};
            step->use_count++;
        }
    }
    return true;
}

/* Step of a use. */
static int step_of(const rts_period_t *period, int use) {
    int step = 0;
    while (use >= period->step[step].first_use + period->step[step].use_count)
        step++;
    return step;
}

/* For each use the one before it of the same array, around the circle. */
static void link_uses(rts_period_t *period) {
    for (int i = 0; i < period->use_count; i++) {
        int before = i;
        do
            before = (before + period->use_count - 1) % period->use_count;
        while (period->use[before].handle != period->use[i].handle);
        period->use[i].left = before;
        period->use[i].left_step = step_of(period, before);
    }
}

static bool is_home(const rts_layout_form_t *form) {
    const rts_layout_form_t home = rts_layout_form_home(form->rank);
    return rts_layout_form_equal(form, &home);
}

/* The form in which an option of a kind of another loop of the period leaves an array; NULL: none does, or home's. */
static const rts_layout_form_t *form_of_others(const rts_period_t *period, const rts_site_t *site,
                                               rts_handle_t handle, rts_option_kind_t kind) {
    for (int i = 0; i < period->length; i++) {
        const rts_period_step_t *step = &period->step[i];
        if (step->site == site || step->site->facts.device != site->facts.device)
            continue;
        for (int j = 0; j < step->use_count; j++) {
            const rts_period_use_t *use = &period->use[step->first_use + j];
            for (int o = 0; o < step->site->option_count && use->handle == handle; o++) {
                const rts_option_t *option = step->site->option[o]->option;
                if (option->kind == kind && !is_home(&option->form[use->number]))
                    return &option->form[use->number];
            }
        }
    }
    return NULL;
}

/* Give a step's loop the option of running on what the others would leave, so that a schedule can count with it before it happens. */
static void add_option_of_others(const rts_period_t *period, const rts_period_step_t *step,
                                 rts_option_kind_t kind, rts_array_facts_t arrays[], rts_option_t *option) {
    rts_loop_facts_t *facts = &step->site->facts;
    const rts_array_facts_t *own = facts->arrays;
    bool is_other = false;
    memcpy(arrays, own, (size_t)facts->array_count * sizeof *own);
    for (int i = 0; i < facts->array_count; i++) {
        arrays[i].present_count = 1;
        arrays[i].present[0] = rts_layout_form_home(arrays[i].rank);
    }
    for (int i = 0; i < step->use_count; i++) {
        const rts_period_use_t *use = &period->use[step->first_use + i];
        const rts_layout_form_t *form = form_of_others(period, step->site, use->handle, kind);
        if (form != NULL) {
            arrays[use->number].present[0] = *form;
            is_other = true;
        }
    }
    facts->arrays = arrays;
    if (is_other && rts_options_make(facts, RTS_OPTION_PRESENT, option)) {
        facts->arrays = own;
        (void)rts_site_add_option(step->site, option);
    }
    facts->arrays = own;
}

static bool add_options(rts_period_t *period) {
    static const rts_option_kind_t kind[] = {RTS_OPTION_PINNED, RTS_OPTION_DIAGONAL, RTS_OPTION_PERMUTED};
    const size_t array_bytes = RTS_SITE_MAX_ARRAYS * sizeof(rts_array_facts_t);
    rts_array_facts_t *arrays = rts_alloc(array_bytes + rts_option_bytes(RTS_SITE_MAX_ARRAYS));
    if (arrays == NULL)
        return false;
    for (int i = 0; i < period->length; i++)
        rts_site_add_kinds(period->step[i].site);
    for (int i = 0; i < period->length; i++)
        for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++)
            if (period->step[i].site->option[0]->option->kind != RTS_OPTION_PINNED)
                add_option_of_others(period, &period->step[i], kind[k], arrays,
                                     (rts_option_t *)((char *)arrays + array_bytes));
    rts_free(arrays);
    return true;
}

/* ---- the problem ---- */

/* Small number of an array. @return -1 when there are too many */
static int array_number(rts_schedule_problem_t *problem, const rts_period_use_t *use, int device, int rank) {
    for (int i = 0; i < problem->array_count; i++)
        if (table.array[i] == use->handle && table.device[i] == device)
            return i;
    const int number = problem->array_count;
    if (number == RTS_SCHEDULE_MAX_ARRAYS)
        return -1;
    problem->array_count++;
    problem->homeless |= device != 0 ? UINT64_C(1) << number : 0;
    table.array[number] = use->handle;
    table.device[number] = device;
    table.home[number] = rts_layout_form_home(rank);
    table.form[number][0] = &table.home[number];
    table.form_count[number] = 1;
    return number;
}

/* Small number of a form of an array. @return -1 when there are too many */
static int form_number(int array, const rts_layout_form_t *form) {
    for (int i = 0; i < table.form_count[array]; i++)
        if (rts_layout_form_equal(table.form[array][i], form))
            return i;
    if (table.form_count[array] == RTS_SCHEDULE_MAX_FORMS)
        return -1;
    table.form[array][table.form_count[array]] = form;
    return table.form_count[array]++;
}

static bool make_use(rts_period_t *period, const rts_site_t *site, int number,
                     const rts_period_terms_t *terms) {
    const rts_period_use_t *use = &period->use[number];
    rts_schedule_use_t *at = &period->problem_use[number];
    const rts_array_facts_t *facts = &site->facts.arrays[use->number];
    at->array = array_number(&period->problem, use, site->facts.device, facts->rank);
    if (at->array < 0)
        return false;
    at->writes = (facts->intent & 2) != 0;
    at->reorganise_s = rts_facts_bytes(facts) / terms->rate;
    at->visit_s = at->reorganise_s * use->visits / (use->chances + 1);
    for (int i = 0; i < site->option_count; i++) {
        at->form[i] = form_number(at->array, &site->option[i]->option->form[use->number]);
        if (at->form[i] < 0)
            return false;
    }
    return true;
}

static bool is_unknown(const rts_period_t *period, int step, int option) {
    const rts_site_t *site = period->step[step].site;
    return option != site->start && rts_site_measured(site, option) < 0;
}

/* Seconds of a step with an option, as far as is known. */
static double step_seconds(const rts_period_t *period, int step, int option,
                           const rts_period_terms_t *terms) {
    const rts_site_t *site = period->step[step].site;
    if (!rts_site_may_run(site, option))
        return INFINITY;
    const bool is_hoped =
        !terms->is_replay && period->matched >= period->hope_at && is_unknown(period, step, option);
    return rts_site_seconds(site, option) / (is_hoped ? HOPE : 1);
}

static bool make_problem(rts_period_t *period, const rts_period_terms_t *terms) {
    rts_schedule_problem_t *problem = &period->problem;
    problem->step_count = period->length;
    problem->array_count = 0;
    problem->homeless = 0;
    for (int i = 0; i < period->length; i++) {
        const rts_period_step_t *step = &period->step[i];
        rts_schedule_step_t *at = &problem->step[i];
        *at = (rts_schedule_step_t){.option_count = step->site->option_count,
                                    .use_count = step->use_count,
                                    .use = &period->problem_use[step->first_use]};
        for (int o = 0; o < at->option_count; o++)
            at->seconds[o] = step_seconds(period, i, o, terms);
        for (int j = 0; j < step->use_count; j++)
            if (!make_use(period, step->site, step->first_use + j, terms))
                return false;
    }
    return true;
}

/* ---- the schedule ---- */

/* A loop that stands in the period several times may try one layout, not several at once.
 * @return true when some had to be forbidden, so that another schedule is needed */
static bool forbid_second_trials(rts_period_t *period) {
    bool is_changed = false;
    for (int i = 0; i < period->length; i++)
        for (int j = i + 1; j < period->length && is_unknown(period, i, period->wanted[i]); j++) {
            const int option = period->wanted[j];
            if (period->step[j].site != period->step[i].site || option == period->wanted[i] ||
                !is_unknown(period, j, option))
                continue;
            for (int k = 0; k < period->length; k++)
                if (period->step[k].site == period->step[i].site)
                    period->problem.step[k].seconds[option] = INFINITY;
            is_changed = true;
        }
    return is_changed;
}

/* Where what is held cannot be run any more, start from what takes the least time. */
static void start_from_held(rts_period_t *period) {
    for (int i = 0; i < period->length; i++) {
        const rts_schedule_step_t *at = &period->problem.step[i];
        period->wanted[i] = period->held[i];
        for (int o = 0; o < at->option_count && isinf(at->seconds[period->held[i]]); o++)
            if (at->seconds[o] < at->seconds[period->wanted[i]])
                period->wanted[i] = o;
    }
}

/* What changing one group to the wanted options saves, and from when on that pays. */
static void weigh_group(rts_period_t *period, int group, const int comparable[],
                        const rts_period_terms_t *terms) {
    const double held_s = rts_schedule_cost(&period->problem, comparable);
    int mixed[RTS_SEQUENCE_MAX_PERIOD];
    rts_period_change_t *change = &period->change[group];
    double loops_s = 0;
    bool is_other = false, is_trial = false;
    for (int i = 0; i < period->length; i++) {
        const bool is_mine = period->group[i] == group;
        mixed[i] = is_mine ? period->wanted[i] : comparable[i];
        is_other = is_other || (is_mine && mixed[i] != period->held[i]);
        is_trial = is_trial || (is_mine && is_unknown(period, i, mixed[i]));
        loops_s += is_mine ? period->problem.step[i].seconds[period->held[i]] : 0;
    }
    period->pays_at[group] = INT64_MAX;
    if (!is_other)
        return;
    const bool is_forced = isinf(loops_s);
    const double saving_s = is_forced ? 0 : held_s - rts_schedule_cost(&period->problem, mixed),
                 once_s = PESSIMISM * rts_schedule_once(&period->problem, period->held, mixed);
    const double rounds = is_forced || terms->is_replay ? 0 : once_s / saving_s;
    if (!is_forced && !(saving_s > (is_trial ? HYSTERESIS : HYSTERESIS_KNOWN) * loops_s))
        return;
    *change = (rts_period_change_t){.saving_s = saving_s,
                                    .period_s = is_forced ? 0 : held_s,
                                    .once_s = once_s,
                                    .is_trial = is_trial};
    if (rounds < 1e9)
        period->pays_at[group] = (int64_t)ceil(rounds * period->length);
}

static void set_next_change(rts_period_t *period) {
    period->next_change = INT64_MAX;
    for (int i = 0; i < period->group_count; i++)
        if (period->pays_at[i] < period->next_change)
            period->next_change = period->pays_at[i];
}

/* Hope may come earlier on GPUs, but never at once. */
static void set_hope(rts_period_t *period, const int comparable[]) {
    double array_s[RTS_SCHEDULE_MAX_ARRAYS] = {0}, copies_s = 0;
    const double period_s = rts_schedule_cost(&period->problem, comparable);
    if (period->matched >= period->hope_at || !period->step[0].site->facts.is_gpu || !(period_s > 0))
        return;
    for (int i = 0; i < period->use_count; i++)
        array_s[period->problem_use[i].array] = period->problem_use[i].reorganise_s;
    for (int i = 0; i < period->problem.array_count; i++)
        copies_s += 2 * array_s[i];
    const double rounds = fmin(fmax(HOPE_SHARE * copies_s / period_s, HOPE_ROUNDS_GPU), HOPE_ROUNDS);
    period->hope_at = (int64_t)(rounds * period->length);
    if (period->hope_at <= period->matched)
        period->hope_at = period->matched + 1;
}

/* @return false when no schedule can be made: then what is held stays */
static bool make_schedule(rts_period_t *period, const rts_period_terms_t *terms) {
    period->next_change = INT64_MAX;
    period->revision = rts_sites_revision();
    if (!make_problem(period, terms))
        return false;
    do {
        start_from_held(period);
        if (rts_schedule_solve(&period->problem, period->wanted) != RTS_OK)
            return false;
    } while (forbid_second_trials(period));
    /* A step whose held option was refused has no cost to compare with; its group changes at once. */
    int comparable[RTS_SEQUENCE_MAX_PERIOD];
    for (int i = 0; i < period->length; i++)
        comparable[i] =
            isinf(period->problem.step[i].seconds[period->held[i]]) ? period->wanted[i] : period->held[i];
    period->group_count = rts_schedule_groups(&period->problem, period->group);
    for (int i = 0; i < period->group_count; i++)
        weigh_group(period, i, comparable, terms);
    set_next_change(period);
    set_hope(period, comparable);
    return true;
}

/* Go over to what is wanted in the groups where that pays by now. */
static void change_over(rts_period_t *period) {
    for (int i = 0; i < period->length; i++)
        if (period->pays_at[period->group[i]] <= period->matched && period->held[i] != period->wanted[i]) {
            period->held[i] = period->wanted[i];
            period->changed_at[i] = period->matched;
        }
    for (int i = 0; i < period->group_count; i++)
        if (period->pays_at[i] <= period->matched)
            period->pays_at[i] = INT64_MAX;
    set_next_change(period);
    period->in_order = 0;
}

bool rts_period_start(rts_period_t *period, rts_sequence_t *sequence, int length) {
    period->length = 0;
    if (length > RTS_SCHEDULE_MAX_STEPS || !take_steps(period, sequence, length))
        return false;
    period->length = length;
    period->at = length - 1;
    period->matched = sequence->right;
    period->in_order = 0;
    period->revision = -1;
    period->hope_at = HOPE_ROUNDS * (int64_t)length;
    link_uses(period);
    if (!add_options(period))
        period->length = 0;
    return period->length > 0;
}

/* ---- an execution ---- */

static bool is_step(const rts_period_t *period, int number, const rts_site_t *site,
                    const rts_loop_facts_t *facts) {
    const rts_period_step_t *step = &period->step[number];
    if (step->site != site)
        return false;
    for (int i = 0; i < step->use_count; i++) {
        const rts_period_use_t *use = &period->use[step->first_use + i];
        if (facts->arrays[use->number].array != use->handle)
            return false;
    }
    return true;
}

bool rts_period_find(const rts_period_t *period, const rts_site_t *site, const rts_loop_facts_t *facts,
                     int *step_p) {
    for (int i = 0, step = period->at; i < period->length; i++) {
        if (is_step(period, step, site, facts)) {
            *step_p = step;
            return true;
        }
        step = step + 1 < period->length ? step + 1 : 0;
    }
    return false;
}

/* Whether the arrays lie as the steps before left them; if not, somebody used them at home meanwhile, or elsewhere. */
static void watch_visits(rts_period_t *period, int number, const rts_loop_facts_t *facts) {
    const rts_period_step_t *step = &period->step[number];
    for (int i = 0; i < step->use_count; i++) {
        rts_period_use_t *use = &period->use[step->first_use + i];
        const rts_schedule_use_t *left = &period->problem_use[use->left];
        const int left_option = period->held[use->left_step];
        if (left->form[left_option] == 0 || facts->device != 0)
            continue; /* it was left at home, where visits cost nothing */
        const rts_site_t *left_site = period->step[use->left_step].site;
        const rts_layout_form_t *form =
            &left_site->option[left_option]->option->form[period->use[use->left].number];
        const rts_array_facts_t *array = &facts->arrays[use->number];
        int copies = 0;
        if (!rts_facts_is_present(array, form))
            copies = 2;
        else if (left->writes && array->present_count > 1)
            copies = 1;
        use->chances++;
        use->visits += copies;
        /* Seldom enough not to make schedules all the time, soon enough to notice a habit. */
        const int before = use->visits - copies;
        if (use->visits >= 4 && (use->visits ^ before) > before) /* past a power of two */
            rts_sites_touch();
    }
}

int rts_period_choose(rts_period_t *period, int step, const rts_loop_facts_t *facts,
                      const rts_period_terms_t *terms) {
    if (step != period->at)
        period->in_order = 0;
    else if (period->in_order++ >= period->length)
        watch_visits(period, step, facts);
    if (period->revision != rts_sites_revision() || period->matched == period->hope_at)
        (void)make_schedule(period, terms);
    period->matched++;
    if (period->matched >= period->next_change)
        change_over(period);
    period->at = step + 1 < period->length ? step + 1 : 0;
    return period->held[step];
}
