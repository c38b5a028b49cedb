/* A site is one block of memory with its key, its arrays and its first option, since most loops never get another; further options
 * are blocks of their own. Each option keeps its candidates; the best estimate runs first, at most MAX_TRIED others are tried while
 * their corrected estimate says that they might win, and the fastest stays. Not safe for several threads: the main thread runs
 * loops. */
#include <config.h>

#include "rts/site.h"

#include <string.h>

#include "rts/interval.h"
#include "rts/median.h"
#include "rts/memory.h"
#include "rts/saved.h"
#include "rts/site_key.h"
#include "rts/stats.h"

#define MAX_TRIED      3   /* candidates tried beside the first, by option */
#define SLOW           1.5 /* an execution is slow beyond SLOW times the fastest */
#define HOPE           1.5 /* tried when the corrected estimate is below HOPE times the fastest */
#define RUNS_FIRST     2 /* executions of the first candidate before others: the first one also warms memory up */
#define MEASURED_EVERY 16   /* execution of what is well known */
#define TABLE_START    64   /* a power of two */
#define MAX_SITES      2048 /* then all is forgotten: a program that comes so far has no loops that repeat */

static struct {
    rts_strategy_choice_t forced;
    bool dynamic, is_replay;
    rts_site_t **table; /* open addressing, capacity a power of two */
    size_t capacity, count;
    rts_site_t *first, **end; /* in the order of first execution */
    int64_t generation, revision;
    rts_site_key_t key; /* of the loop looked up last */
} sites = {.end = &sites.first};

void rts_sites_open(rts_strategy_choice_t forced, bool dynamic, bool is_replay) {
    rts_sites_forget();
    sites.forced = forced;
    sites.dynamic = dynamic;
    sites.is_replay = is_replay;
}

static void forget_all(void) {
    for (rts_site_t *site = sites.first, *next; site != NULL; site = next) {
        next = site->next;
        for (int i = 1; i < site->option_count; i++)
            rts_free(site->option[i]);
        rts_free(site);
    }
    for (size_t i = 0; i < sites.capacity; i++)
        sites.table[i] = NULL;
    sites.first = NULL;
    sites.end = &sites.first;
    sites.count = 0;
    sites.generation++;
    sites.revision++;
}

void rts_sites_forget(void) {
    forget_all();
    rts_free(sites.table);
    sites.table = NULL;
    sites.capacity = 0;
}

rts_site_t *rts_sites_first(void) {
    return sites.first;
}

int64_t rts_sites_generation(void) {
    return sites.generation;
}

int64_t rts_sites_revision(void) {
    return sites.revision;
}

void rts_sites_touch(void) {
    sites.revision++;
}

/* ---- facts ---- */

double rts_facts_iterations(const rts_loop_facts_t *facts) {
    double n = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        n *= (double)facts->count[dim];
    return n;
}

double rts_facts_bytes(const rts_array_facts_t *array) {
    double bytes = (double)array->element_bytes;
    for (int axis = 0; axis < array->rank; axis++)
        bytes *= (double)array->extent[axis];
    return bytes;
}

bool rts_facts_is_present(const rts_array_facts_t *array, const rts_layout_form_t *form) {
    for (int i = 0; i < array->present_count; i++)
        if (rts_layout_form_equal(&array->present[i], form))
            return true;
    return array->present_count == 0; /* no values yet: any form will do */
}

/* ---- the table ---- */

static bool has_key(const rts_site_t *site, const rts_site_key_t *key) {
    return site->key_words == key->count &&
           memcmp(site->key, key->word, (size_t)key->count * sizeof key->word[0]) == 0;
}

/* Slot of the site, or the empty slot where it belongs; the table is never full. */
static rts_site_t **find_slot(uint64_t hash, const rts_site_key_t *key) {
    for (uint64_t i = hash;; i++) {
        rts_site_t **slot = &sites.table[i & (sites.capacity - 1)];
        if (*slot == NULL || (key != NULL && (*slot)->hash == hash && has_key(*slot, key)))
            return slot;
    }
}

/* Room for one site more. @return false when there is no memory: then the loop is not remembered */
static bool grow_table(void) {
    if (2 * (sites.count + 1) <= sites.capacity)
        return true;
    const size_t capacity = sites.capacity == 0 ? TABLE_START : 2 * sites.capacity;
    rts_site_t **table = rts_alloc_zeroed(capacity, sizeof *table);
    if (table == NULL)
        return false;
    rts_free(sites.table);
    sites.table = table;
    sites.capacity = capacity;
    for (rts_site_t *site = sites.first; site != NULL; site = site->next)
        *find_slot(site->hash, NULL) = site;
    return true;
}

rts_site_t *rts_sites_find(const rts_loop_facts_t *facts, rts_site_t *guess) {
    rts_site_key_make(facts, &sites.key);
    if (guess != NULL && has_key(guess, &sites.key))
        return guess;
    return sites.capacity > 0 ? *find_slot(rts_site_key_hash(&sites.key), &sites.key) : NULL;
}

/* ---- options ---- */

int rts_sites_candidates(const rts_loop_facts_t *facts, const rts_option_t *option,
                         rts_plan_t candidate[RTS_MAX_CANDIDATES]) {
    const int count = rts_candidates_make_on(facts, option, sites.dynamic, candidate);
    int kept = 0;
    for (int i = 0; i < count && sites.forced != RTS_CHOICE_AUTO; i++)
        if (candidate[i].strategy == sites.forced)
            candidate[kept++] = candidate[i];
    return kept > 0 ? kept : count;
}

static size_t option_bytes(const rts_loop_facts_t *facts, int plan_count) {
    return sizeof(rts_site_option_t) + (size_t)plan_count * sizeof(rts_plan_t) +
           rts_option_bytes(facts->arrays != NULL ? facts->array_count : 0);
}

/* Times of an earlier run, where there are any: the fastest plan stays. */
static void recall(const rts_site_t *site, rts_site_option_t *at) {
    rts_saved_cost_t name;
    const uint64_t loop = rts_site_file_key(site->file_hash, site->ordinal);
    const int array_count = site->facts.arrays != NULL ? site->facts.array_count : 0;
    rts_option_name(at->option, array_count, name.forms, sizeof name.forms);
    for (int i = 0; i < at->plan_count; i++) {
        rts_plan_name(&at->plan[i], site->facts.rank, name.plan, sizeof name.plan);
        at->plan[i].measured_s = rts_saved_seconds(loop, name.forms, name.plan, &at->is_kept);
        const rts_plan_t *best = &at->plan[at->current];
        if (at->plan[i].measured_s >= 0 &&
            (best->measured_s < 0 || at->plan[i].measured_s < best->measured_s))
            at->current = i;
    }
    at->is_settled = true;
}

/* Fill a zeroed block of option_bytes. Plans refer to the forms of the block. */
static rts_site_option_t *fill_option(const rts_site_t *site, void *block, const rts_option_t *option,
                                      const rts_plan_t plan[], int plan_count) {
    rts_site_option_t *at = block;
    at->option = (rts_option_t *)&at->plan[plan_count];
    if (option != NULL && site->facts.arrays != NULL)
        memcpy(at->option, option, rts_option_bytes(site->facts.array_count));
    at->plan_count = plan_count;
    at->typical_s = -1;
    at->is_settled = plan_count == 1;
    memcpy(at->plan, plan, (size_t)plan_count * sizeof plan[0]);
    for (int i = 0; i < plan_count; i++)
        at->plan[i].form = plan[i].form != NULL ? at->option->form : NULL;
    if (sites.is_replay)
        recall(site, at);
    return at;
}

static int count_ordinal(uint64_t file_hash) {
    int ordinal = 0;
    for (const rts_site_t *site = sites.first; site != NULL; site = site->next)
        ordinal += site->file_hash == file_hash;
    return ordinal;
}

rts_site_t *rts_sites_add(const rts_loop_facts_t *facts, const rts_option_t *option) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    const int count = rts_sites_candidates(facts, option, candidate);
    if (sites.count == MAX_SITES)
        forget_all();
    if (!grow_table())
        return NULL;
    const size_t key_bytes = (size_t)sites.key.count * sizeof sites.key.word[0],
                 array_bytes =
                     facts->arrays != NULL ? (size_t)facts->array_count * sizeof facts->arrays[0] : 0;
    rts_site_t *site =
        rts_alloc_zeroed(1, sizeof *site + key_bytes + array_bytes + option_bytes(facts, count));
    if (site == NULL)
        return NULL;
    char *room = (char *)(site + 1);
    site->facts = *facts;
    site->key = memcpy(room, sites.key.word, key_bytes);
    site->key_words = sites.key.count;
    site->hash = rts_site_key_hash(&sites.key);
    room += key_bytes;
    site->facts.arrays = facts->arrays != NULL ? memcpy(room, facts->arrays, array_bytes) : facts->arrays;
    room += array_bytes;
    site->file_hash = rts_site_file_hash(facts);
    site->ordinal = count_ordinal(site->file_hash);
    site->has_all_options = facts->arrays == NULL;
    site->option[site->option_count++] = fill_option(site, room, option, candidate, count);
    *find_slot(site->hash, NULL) = site;
    *sites.end = site;
    sites.end = &site->next;
    sites.count++;
    return site;
}

static bool same_forms(const rts_site_t *site, const rts_option_t *a, const rts_option_t *b) {
    for (int i = 0; i < site->facts.array_count; i++)
        if (!rts_layout_form_equal(&a->form[i], &b->form[i]))
            return false;
    return true;
}

int rts_site_find_option(const rts_site_t *site, const rts_option_t *option) {
    for (int i = 0; i < site->option_count; i++)
        if (same_forms(site, site->option[i]->option, option))
            return i;
    return -1;
}

int rts_site_add_option(rts_site_t *site, const rts_option_t *option) {
    const int found = rts_site_find_option(site, option);
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    if (found >= 0 || site->option_count == RTS_MAX_OPTIONS)
        return found;
    const int count = rts_sites_candidates(&site->facts, option, candidate);
    void *block = rts_alloc_zeroed(1, option_bytes(&site->facts, count));
    if (block == NULL)
        return -1;
    site->option[site->option_count] = fill_option(site, block, option, candidate, count);
    sites.revision++;
    return site->option_count++;
}

void rts_site_add_kinds(rts_site_t *site) {
    static const rts_option_kind_t kind[] = {RTS_OPTION_NATURAL, RTS_OPTION_PERMUTED, RTS_OPTION_DIAGONAL};
    if (site->has_all_options)
        return;
    site->has_all_options = true;
    rts_option_t *option = rts_alloc(rts_option_bytes(site->facts.array_count));
    for (size_t i = 0; i < sizeof kind / sizeof kind[0] && option != NULL; i++)
        if (rts_options_make(&site->facts, kind[i], option))
            (void)rts_site_add_option(site, option);
    rts_free(option);
}

/* ---- what is known ---- */

static int fastest(const rts_site_option_t *option) {
    int best = -1;
    for (int i = 0; i < option->plan_count; i++)
        if (option->plan[i].measured_s >= 0 &&
            (best < 0 || option->plan[i].measured_s < option->plan[best].measured_s))
            best = i;
    return best;
}

double rts_site_measured(const rts_site_t *site, int option) {
    const int best = fastest(site->option[option]);
    return best >= 0 ? site->option[option]->plan[best].measured_s : -1;
}

/* How many times longer a plan's work takes than estimated; 1 when nothing can be said. */
static double correction(const rts_plan_t *plan) {
    const double work = plan->measured_s - plan->overhead_s;
    return plan->measured_s >= 0 && plan->work_s > 0 && work > 0 ? work / plan->work_s : 1;
}

/* Of home's forms, or what else has been measured, with its fastest plan. */
static double site_correction(const rts_site_t *site) {
    const rts_plan_t *known = NULL;
    for (int i = site->option_count - 1; i >= 0; i--) {
        const int best = fastest(site->option[i]);
        if (best >= 0 &&
            (known == NULL || i == site->start || site->option[i]->option->kind == RTS_OPTION_NATURAL))
            known = &site->option[i]->plan[best];
    }
    return known != NULL ? correction(known) : 1;
}

static double estimate(const rts_site_option_t *at, double scale) {
    double best = at->plan[0].work_s * scale + at->plan[0].overhead_s;
    for (int i = 1; i < at->plan_count; i++) {
        const double seconds = at->plan[i].work_s * scale + at->plan[i].overhead_s;
        best = seconds < best ? seconds : best;
    }
    return best;
}

double rts_site_seconds(const rts_site_t *site, int option) {
    const rts_site_option_t *at = site->option[option];
    const double measured = rts_site_measured(site, option);
    if (at->typical_s >= 0)
        return at->typical_s;
    if (measured >= 0 && (at->is_settled || at->heard >= RUNS_FIRST))
        return measured;
    double best = estimate(at, sites.is_replay ? 1 : site_correction(site));
    /* Nothing is tried in REPLAY: what others leave is good for not having to go home, not for going there. */
    for (int i = 0; i < site->option_count && sites.is_replay; i++)
        if (site->option[i]->option->kind == RTS_OPTION_NATURAL) {
            const double natural = estimate(site->option[i], 1);
            best = best > natural ? best : natural;
        }
    /* After one execution both may be wrong: believe the better, so that it gets its second one. */
    return measured >= 0 && measured < best ? measured : best;
}

bool rts_site_may_visit(const rts_site_t *site, int option) {
    return !sites.is_replay && !site->option[option]->is_refused && site->slow < RTS_SITE_MAX_SLOW;
}

/* REPLAY: what was saved; of loops that were not, home's forms, and what others leave. */
static bool may_replay(const rts_site_t *site, int option) {
    for (int i = 0; i < site->option_count; i++)
        if (rts_site_measured(site, i) >= 0 && !site->option[i]->is_refused)
            return false;
    const rts_option_kind_t kind = site->option[option]->option->kind;
    return kind == RTS_OPTION_NATURAL || kind == RTS_OPTION_PRESENT || kind == RTS_OPTION_PINNED;
}

bool rts_site_may_run(const rts_site_t *site, int option) {
    const rts_site_option_t *at = site->option[option];
    if (at->is_refused)
        return false;
    if (rts_site_measured(site, option) >= 0)
        return true;
    if (sites.is_replay)
        return may_replay(site, option);
    if (option == site->start ||
        (at->option->kind == RTS_OPTION_NATURAL && site->option[site->start]->is_refused))
        return true;
    return rts_site_may_visit(site, option) && site->layouts_tried == 0 &&
           site->option[site->last]->is_settled;
}

/* ---- measuring ---- */

static double site_fastest(const rts_site_t *site) {
    double best_s = -1;
    for (int i = 0; i < site->option_count; i++) {
        const double seconds = rts_site_measured(site, i);
        best_s = seconds >= 0 && (best_s < 0 || seconds < best_s) ? seconds : best_s;
    }
    return best_s;
}

/* One slow execution is kept for the other layout that may be tried later. */
static int slow_limit(const rts_site_t *site, int option) {
    const bool keeps_one = option == site->start && site->option_count > 1 && site->layouts_tried == 0;
    return RTS_SITE_MAX_SLOW - (keeps_one ? 1 : 0);
}

/* The untried candidate with the best estimate, corrected by how wrong the first one's was; -1 when none has a chance. */
static int next_to_try(const rts_site_t *site, int option, double best_s) {
    const rts_site_option_t *at = site->option[option];
    const double scale = correction(&at->plan[0]);
    int next = -1;
    double next_s = HOPE * best_s;
    if (at->tried >= MAX_TRIED || site->slow >= slow_limit(site, option))
        return -1;
    for (int i = 1; i < at->plan_count; i++) {
        const double estimate = at->plan[i].work_s * scale + at->plan[i].overhead_s;
        if (at->plan[i].executions == 0 && estimate < next_s) {
            next = i;
            next_s = estimate;
        }
    }
    return next;
}

/* After an execution of the current plan of an option that is not settled. */
static void explore(rts_site_t *site, int option, double best_s, bool is_slow) {
    rts_site_option_t *at = site->option[option];
    if (!is_slow && at->plan[at->current].executions < RUNS_FIRST)
        return; /* close enough for a second run to decide */
    const int next = next_to_try(site, option, best_s);
    if (next >= 0) {
        at->tried++;
        at->current = next;
        rts_stats_add(RTS_STAT_EXPLORATIONS, 1);
        return;
    }
    at->current = fastest(at);
    at->is_settled = true;
    if (site->facts.arrays != NULL)
        sites.revision++;
}

/* The fastest of many executions beats the fastest of few, so what runs now would look better than what ran before. Medians of as many
 * do not, and those from right before and right after a change saw the same state of the machine. So the window of an option
 * that the site leaves is closed, and that of one tried later is closed when it is full. */
static void note_in_window(rts_site_t *site, int option, double seconds) {
    rts_site_option_t *at = site->option[option];
    const bool is_full = at->window_count >= RTS_SITE_WINDOW;
    if (!at->is_settled || site->facts.arrays == NULL ||
        (is_full && (option != site->start || site->has_left_start)))
        return;
    at->window[at->window_count++ % RTS_SITE_WINDOW] = seconds;
    if (at->window_count < RTS_SITE_WINDOW)
        return;
    at->typical_s = rts_median(at->window, RTS_SITE_WINDOW);
    sites.revision += !is_full;
}

/* What was not measured in an interval belongs to it, not to the one in which the next measured execution is begun. It took as long as is usual. */
static void leave_interval(rts_site_t *site) {
    for (int i = 0; i < site->option_count; i++) {
        const rts_site_option_t *at = site->option[i];
        for (int k = 0; k < at->plan_count; k++) {
            rts_plan_t *plan = &site->option[i]->plan[k];
            const double usual = at->typical_s >= 0 ? at->typical_s : plan->measured_s;
            if (plan->unmeasured == 0 || usual < 0)
                continue;
            const double seconds = usual * (double)plan->unmeasured;
            plan->unmeasured = 0;
            plan->seconds += seconds;
            site->seconds += seconds;
            rts_stats_add(RTS_STAT_LOOP_TIME, (int64_t)(seconds * 1e9));
            rts_interval_add_loops(site->interval, seconds);
        }
    }
}

int rts_site_begin(rts_site_t *site, int option, bool is_free) {
    rts_site_option_t *at = site->option[option];
    const bool is_first = site->executions == 0;
    if (site->interval != rts_interval_current())
        leave_interval(site);
    site->executions++;
    site->last = option;
    if (at->executions++ == 0 && is_first)
        site->start = option;
    else if (at->executions == 1 && option != site->start && at->plan[at->current].measured_s < 0) {
        site->layouts_tried += !is_free;
        rts_stats_add(RTS_STAT_EXPLORATIONS, 1);
    }
    at->plan[at->current].begun++;
    site->interval = rts_interval_current();
    return at->current;
}

bool rts_site_tries(const rts_site_t *site, int option) {
    const rts_site_option_t *at = site->option[option];
    return !sites.is_replay && (!at->is_settled || at->heard < RUNS_FIRST);
}

bool rts_site_wants_time(rts_site_t *site, int option) {
    rts_site_option_t *at = site->option[option];
    if (rts_site_tries(site, option))
        return true;
    if (at->wanted < RTS_SITE_WINDOW) {
        at->wanted++;
        return true;
    }
    return at->plan[at->current].unmeasured + 1 >= MEASURED_EVERY;
}

void rts_site_skip(rts_site_t *site, int option, int plan) {
    site->option[option]->plan[plan].unmeasured++;
}

int64_t rts_site_take_unmeasured(rts_site_t *site, int option, int plan) {
    rts_plan_t *of = &site->option[option]->plan[plan];
    const int64_t stands_for = of->unmeasured + 1;
    of->unmeasured = 0;
    return stands_for;
}

double rts_site_estimate_unmeasured(rts_site_t *site) {
    double sum = 0;
    for (int i = 0; i < site->option_count; i++)
        for (int k = 0; k < site->option[i]->plan_count; k++) {
            rts_plan_t *plan = &site->option[i]->plan[k];
            if (plan->unmeasured == 0 || plan->unmeasured == plan->begun)
                continue;
            const double seconds =
                plan->seconds / (double)(plan->begun - plan->unmeasured) * (double)plan->unmeasured;
            plan->unmeasured = 0;
            plan->seconds += seconds;
            sum += seconds;
        }
    site->seconds += sum;
    return sum;
}

void rts_site_time(rts_site_t *site, int option, int number, double seconds, int64_t stands_for) {
    rts_site_option_t *at = site->option[option];
    rts_plan_t *plan = &at->plan[number];
    site->seconds += seconds * (double)stands_for;
    plan->seconds += seconds * (double)stands_for;
    plan->executions++;
    at->heard++;
    if (sites.is_replay)
        return;
    if (plan->measured_s < 0 || seconds < plan->measured_s)
        plan->measured_s = seconds;
    site->has_left_start = site->has_left_start || option != site->start;
    if (number == at->current)
        note_in_window(site, option, seconds);
    /* Whether what has just been tried was slow; what the site started with was no trial. */
    const double best_s = !at->is_settled || plan->executions <= RUNS_FIRST ? site_fastest(site) : 0;
    const bool is_slow =
        plan->executions <= RUNS_FIRST && (number != 0 || option != site->start) && seconds > SLOW * best_s;
    site->slow += is_slow;
    if (!at->is_settled && number == at->current)
        explore(site, option, best_s, is_slow);
    if (at->heard == RUNS_FIRST && site->facts.arrays != NULL)
        sites.revision++;
}
