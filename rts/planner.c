/* The planner's front: modes, the plan of the chosen option, and what comes back from executions. Loops are remembered by site.c;
 * options are chosen by choice.c in the modes that weigh costs, and here in the others. Loops whose bounds change, as in a
 * factorisation, share what is learnt: plans are made anew for the counts at hand. Not safe for several threads: the main thread
 * runs loops. */
#include <config.h>

#include "rts/planner.h"

#include <string.h>

#include "rts/choice.h"
#include "rts/memory.h"
#include "rts/saved.h"
#include "rts/site_key.h"

#define DEFAULT_RATE 8e9 /* bytes a second of a reorganisation, before the first */
#define DEFAULT_GPU_RATE                                                                                     \
    1.6e12            /* the same on a GPU: reads and writes at three quarters of what its memory does */
#define NEW_RATE 1.25 /* a rate so many times better makes schedules anew */
#define TICKETS  256  /* executions that may wait for their times */

/* Reorganisations on one kind of device. */
typedef struct rate {
    double bytes_per_s;   /* 0: the default */
    double largest_bytes; /* that it was seen for */
} rate_t;

/* An execution whose time is to come. */
typedef struct ticket {
    int64_t number; /* 0: none, or heard */
    int64_t generation;
    rts_site_t *site;
    int option, plan;
    int64_t stands_for; /* executions */
    bool is_awaited;    /* the site tries things */
    double scale;
} ticket_t;

static struct {
    rts_planner_mode_t mode;
    bool is_program; /* off until the program asks for more */
    uint64_t state;  /* of the random mode */
    rts_strategy_choice_t forced;
    rate_t rate[2];       /* of the host, of GPUs */
    bool is_on_gpu;       /* the loop chosen last */
    rts_site_t *chosen;   /* of the last rts_planner_choose; NULL when nothing is to be learnt */
    rts_site_t *previous; /* the site before, while it lives */
    int option;           /* chosen */
    bool is_free;         /* its first execution, and its arrays lie so already */
    int64_t generation;   /* of the sites that the pointers are of */
    double scale;         /* iterations of the chosen site's counts for one of the loop at hand */
    const rts_plan_t *plan;
    rts_plan_t loose; /* plan that belongs to no site */
    bool is_refused;  /* the last choice could not be had */
    bool is_home_refused;
    rts_option_t *option_room; /* for forms that no site keeps */
    int option_arrays;         /* arrays that it has room for */
    rts_reason_t reason;
    int64_t last_ticket;
    int awaited;              /* tickets whose times are awaited */
    ticket_t ticket[TICKETS]; /* number n at n % TICKETS */
} planner;

/* ---- settings ---- */

void rts_planner_open(rts_planner_mode_t mode, uint64_t seed, rts_strategy_choice_t forced, bool dynamic) {
    planner.is_program = mode == RTS_PLANNER_PROGRAM;
    planner.mode = planner.is_program ? RTS_PLANNER_OFF : mode;
    planner.state = seed;
    planner.forced = forced;
    planner.chosen = planner.previous = NULL;
    planner.is_refused = planner.is_home_refused = false;
    planner.reason.kind = RTS_REASON_NONE;
    planner.awaited = 0;
    memset(planner.ticket, 0, sizeof planner.ticket);
    rts_sites_open(forced, dynamic, mode == RTS_PLANNER_REPLAY);
    rts_choice_reset();
}

void rts_planner_close(void) {
    rts_sites_forget();
    rts_choice_reset();
    rts_saved_forget();
    rts_free(planner.option_room);
    memset(&planner, 0, sizeof planner);
}

void rts_planner_reorganise(void) {
    if (planner.is_program)
        planner.mode = RTS_PLANNER_COST;
}

rts_planner_mode_t rts_planner_mode(void) {
    return planner.mode;
}

rts_status_t rts_planner_import(const rts_saved_cost_t cost[], size_t count, double reorganise_rate) {
    if (reorganise_rate > 0) /* of the device that the run's loops were on */
        planner.rate[0].bytes_per_s = planner.rate[1].bytes_per_s = reorganise_rate;
    return rts_saved_import(cost, count);
}

static double rate_of(bool on_gpu) {
    const double known = planner.rate[on_gpu].bytes_per_s;
    return known > 0 ? known : on_gpu ? DEFAULT_GPU_RATE : DEFAULT_RATE;
}

double rts_planner_reorganise_rate(void) {
    return rate_of(planner.is_on_gpu);
}

void rts_planner_post_reorganised(bool on_gpu, size_t bytes, double seconds) {
    rate_t *rate = &planner.rate[on_gpu];
    const double before = rate_of(on_gpu);
    if (planner.mode == RTS_PLANNER_REPLAY || bytes == 0 || !(seconds > 0))
        return;
    /* Small arrays stay in the caches, which says nothing about large ones. */
    if ((double)bytes * 2 < rate->largest_bytes)
        return;
    const double seen = (double)bytes / seconds;
    if (rate->largest_bytes == 0 || (double)bytes > 2 * rate->largest_bytes || seen > rate->bytes_per_s)
        rate->bytes_per_s = seen;
    if ((double)bytes > rate->largest_bytes)
        rate->largest_bytes = (double)bytes;
    if (rate->bytes_per_s > before * NEW_RATE || rate->bytes_per_s * NEW_RATE < before)
        rts_sites_touch();
}

int rts_planner_choose_device(int count) {
    uint64_t drawn = 0;
    if (planner.mode == RTS_PLANNER_RANDOM)
        drawn = rts_candidates_draw(&planner.state);
    return (int)(drawn % (uint64_t)count);
}

/* ---- plans ---- */

static bool has_choice(const rts_loop_facts_t *facts) {
    return facts->arrays != NULL && facts->array_count <= RTS_SITE_MAX_ARRAYS;
}

/* Room for an option of a loop; NULL when there is no memory, or nothing to choose. */
static rts_option_t *room_for(const rts_loop_facts_t *facts) {
    if (!has_choice(facts))
        return NULL;
    if (facts->array_count > planner.option_arrays) {
        rts_free(planner.option_room);
        planner.option_room = rts_alloc(rts_option_bytes(facts->array_count));
        planner.option_arrays = planner.option_room != NULL ? facts->array_count : 0;
    }
    return planner.option_room;
}

/* Any legal plan on any legal forms. */
static const rts_plan_t *choose_random(const rts_loop_facts_t *facts) {
    rts_option_t *option = planner.is_refused ? NULL : room_for(facts);
    planner.is_refused = false;
    if (option != NULL)
        rts_options_random(facts, &planner.state, option);
    if (planner.forced == RTS_CHOICE_AUTO) {
        rts_candidates_random_on(facts, option, &planner.state, &planner.loose);
        return &planner.loose;
    }
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    const int count = rts_sites_candidates(facts, option, candidate);
    planner.loose = candidate[rts_candidates_draw(&planner.state) % (uint64_t)count];
    return &planner.loose;
}

static bool same_counts(const rts_loop_facts_t *a, const rts_loop_facts_t *b) {
    return memcmp(a->count, b->count, (size_t)a->rank * sizeof a->count[0]) == 0;
}

/* Whether two plans run a loop in the same way but for extents that follow from its counts. */
static bool is_alike(const rts_plan_t *a, const rts_plan_t *b) {
    if (!a->is_launch)
        return a->schedule == b->schedule && a->way == b->way;
    return a->launch.kind == b->launch.kind && a->launch.inside == b->launch.inside &&
           a->launch.march_dim == b->launch.march_dim && a->chunk == b->chunk &&
           memcmp(a->launch.dim, b->launch.dim, sizeof a->launch.dim) == 0;
}

/* The plan of a site, made for other counts than the site's: the one of the same kind, or the first when there is none. */
static const rts_plan_t *adapt(const rts_loop_facts_t *facts, const rts_site_option_t *at) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    const rts_plan_t *wanted = &at->plan[at->current];
    const int count = rts_sites_candidates(facts, facts->arrays != NULL ? at->option : NULL, candidate);
    int best = 0;
    for (int i = count - 1; i >= 0; i--)
        if (is_alike(&candidate[i], wanted))
            best = i;
    planner.loose = candidate[best];
    planner.scale = rts_facts_iterations(&planner.chosen->facts) / rts_facts_iterations(facts);
    return &planner.loose;
}

/* ---- options ---- */

/* The first option of a new loop: what is pinned, else what the mode starts with. NULL: home's forms. */
static const rts_option_t *first_option(const rts_loop_facts_t *facts) {
    rts_option_t *option = room_for(facts);
    if (option == NULL)
        return NULL;
    if (planner.mode != RTS_PLANNER_OFF) {
        if (rts_options_make(facts, RTS_OPTION_PINNED, option))
            return option;
        if (planner.mode == RTS_PLANNER_GREEDY && rts_options_make(facts, rts_options_classic(facts), option))
            return option;
    }
    return rts_options_make(facts, RTS_OPTION_NATURAL, option) ? option : NULL;
}

/* Whether costs decide between the options of a loop. */
static bool is_weighed(const rts_site_t *site) {
    return (planner.mode == RTS_PLANNER_COST || planner.mode == RTS_PLANNER_REPLAY) &&
           site->facts.arrays != NULL && site->option[0]->option->kind != RTS_OPTION_PINNED;
}

static int choose_option(rts_site_t *site, const rts_loop_facts_t *facts, bool again) {
    const rts_period_terms_t terms = {.rate = rts_planner_reorganise_rate(),
                                      .is_replay = planner.mode == RTS_PLANNER_REPLAY};
    if (planner.is_home_refused) {
        planner.is_home_refused = false;
        const int present = site->facts.arrays != NULL ? rts_choice_present(site, facts) : 0;
        return present >= 0 ? present : rts_choice_safe(site);
    }
    planner.reason.kind = RTS_REASON_MODE;
    if (is_weighed(site))
        return rts_choice_option(site, facts, again, &terms, &planner.reason);
    return site->option[0]->is_refused ? rts_choice_safe(site) : 0;
}

static bool is_all_present(const rts_loop_facts_t *facts, const rts_option_t *option) {
    for (int i = 0; i < facts->array_count && facts->arrays != NULL; i++)
        if (!rts_facts_is_present(&facts->arrays[i], &option->form[i]))
            return false;
    return true;
}

/* What there is to say about the choice. */
static void set_reason(rts_site_t *site, int option, const rts_plan_t *plan, bool again) {
    rts_reason_t *reason = &planner.reason;
    reason->site = site;
    reason->option = option;
    reason->plan = site->option[option]->current;
    reason->plan_s = plan->measured_s;
    reason->fastest_s = rts_site_measured(site, option);
    reason->is_unknown = reason->fastest_s < 0;
    if (site->executions > 0 && option == site->last)
        reason->kind = plan == site->last_plan ? RTS_REASON_NONE : RTS_REASON_PLAN;
    else if (again)
        reason->kind = RTS_REASON_REFUSED;
    else if (site->executions == 0 && reason->there_s == 0 && reason->kind != RTS_REASON_MODE &&
             site->option[option]->option->kind == RTS_OPTION_NATURAL)
        reason->kind = RTS_REASON_FIRST;
    site->last_plan = plan;
}

static rts_site_t *find_site(const rts_loop_facts_t *facts) {
    return rts_sites_find(facts, planner.previous != NULL ? planner.previous->follower : NULL);
}

/* The site of a loop, made when it is new. @return NULL when there is no memory */
static rts_site_t *need_site(const rts_loop_facts_t *facts) {
    rts_site_t *site = find_site(facts);
    if (site == NULL)
        site = rts_sites_add(facts, first_option(facts));
    if (planner.generation != rts_sites_generation())
        planner.previous = NULL;
    planner.generation = rts_sites_generation();
    if (planner.previous != NULL)
        planner.previous->follower = site;
    planner.previous = site;
    return site;
}

/* Of loops with more arrays than are looked at, those without. */
static const rts_loop_facts_t *look_at(const rts_loop_facts_t *facts, rts_loop_facts_t *without) {
    if (facts->arrays == NULL || has_choice(facts))
        return facts;
    *without = *facts;
    without->arrays = NULL;
    return without;
}

const rts_plan_t *rts_planner_choose(const rts_loop_facts_t *facts) {
    rts_loop_facts_t without;
    planner.chosen = NULL;
    planner.scale = 1;
    planner.is_on_gpu = facts->is_gpu;
    planner.reason = (rts_reason_t){.kind = RTS_REASON_NONE};
    facts = look_at(facts, &without);
    if (planner.mode == RTS_PLANNER_RANDOM)
        return choose_random(facts);
    const bool again = planner.is_refused;
    planner.is_refused = false;
    rts_site_t *site = need_site(facts);
    if (site == NULL) {
        rts_plan_t candidate[RTS_MAX_CANDIDATES];
        (void)rts_sites_candidates(facts, NULL, candidate);
        planner.loose = candidate[0];
        return &planner.loose;
    }
    planner.chosen = site;
    planner.option = choose_option(site, facts, again);
    const rts_site_option_t *at = site->option[planner.option];
    planner.plan = &at->plan[at->current];
    planner.is_free = at->executions == 0 && is_all_present(facts, at->option);
    set_reason(site, planner.option, planner.plan, again);
    if (!same_counts(&site->facts, facts))
        planner.plan = adapt(facts, at);
    return planner.plan;
}

void rts_planner_refuse(const rts_plan_t *plan) {
    rts_site_t *site = planner.chosen;
    if (planner.mode == RTS_PLANNER_RANDOM) {
        planner.is_refused = true;
        return;
    }
    if (site == NULL || plan != planner.plan)
        return;
    planner.is_refused = true;
    rts_site_option_t *at = site->option[planner.option];
    if (site->facts.arrays == NULL || at->option->kind == RTS_OPTION_NATURAL) {
        planner.is_home_refused = true; /* for once: there is nothing simpler */
        return;
    }
    at->is_refused = true;
    rts_sites_touch();
}

void rts_planner_post(const rts_plan_t *plan, double seconds) {
    if (planner.chosen == NULL || plan != planner.plan)
        return;
    const int number = rts_site_begin(planner.chosen, planner.option, planner.is_free);
    rts_site_time(planner.chosen, planner.option, number, seconds * planner.scale, 1);
    planner.chosen = NULL;
}

/* ---- times that come late ---- */

int64_t rts_planner_awaited(const rts_loop_facts_t *facts) {
    rts_loop_facts_t without;
    if (planner.awaited == 0) /* as in all of a program but its first steps */
        return 0;
    const rts_site_t *site = find_site(look_at(facts, &without));
    if (site == NULL)
        return 0;
    const ticket_t *ticket = &planner.ticket[site->ticket % TICKETS];
    return ticket->number == site->ticket && ticket->is_awaited && rts_site_tries(site, ticket->option)
               ? ticket->number
               : 0;
}

bool rts_planner_wants_time(const rts_plan_t *plan) {
    return planner.chosen == NULL || plan != planner.plan ||
           rts_site_wants_time(planner.chosen, planner.option);
}

/* The place of the next ticket; what waited there is not waited for any more. */
static ticket_t *free_ticket(void) {
    ticket_t *ticket = &planner.ticket[++planner.last_ticket % TICKETS];
    planner.awaited -= ticket->number != 0 && ticket->is_awaited;
    return ticket;
}

bool rts_planner_is_settled(const rts_plan_t *plan) {
    if (planner.chosen == NULL || plan != planner.plan)
        return true;
    const rts_site_option_t *at = planner.chosen->option[planner.option];
    return at->is_settled && at->typical_s >= 0;
}

int64_t rts_planner_ticket(const rts_plan_t *plan) {
    rts_site_t *site = planner.chosen;
    if (site == NULL || plan != planner.plan)
        return 0;
    const bool is_awaited = rts_site_tries(site, planner.option);
    const int number = rts_site_begin(site, planner.option, planner.is_free);
    ticket_t *ticket = free_ticket();
    *ticket = (ticket_t){.number = planner.last_ticket,
                         .generation = rts_sites_generation(),
                         .site = site,
                         .option = planner.option,
                         .plan = number,
                         .stands_for = rts_site_take_unmeasured(site, planner.option, number),
                         .is_awaited = is_awaited,
                         .scale = planner.scale};
    site->ticket = is_awaited ? ticket->number : site->ticket;
    planner.awaited += is_awaited;
    planner.chosen = NULL;
    return ticket->number;
}

bool rts_planner_skip(const rts_plan_t *plan) {
    if (planner.chosen == NULL || plan != planner.plan)
        return false;
    rts_site_skip(planner.chosen, planner.option,
                  rts_site_begin(planner.chosen, planner.option, planner.is_free));
    planner.chosen = NULL;
    return true;
}

int64_t rts_planner_post_late(int64_t number, double seconds) {
    ticket_t *ticket = &planner.ticket[number > 0 ? number % TICKETS : 0];
    if (number <= 0 || ticket->number != number)
        return 1;
    ticket->number = 0;
    planner.awaited -= ticket->is_awaited;
    if (ticket->generation == rts_sites_generation())
        rts_site_time(ticket->site, ticket->option, ticket->plan, seconds * ticket->scale,
                      ticket->stands_for);
    return ticket->stands_for;
}

void rts_planner_estimate_unmeasured(void (*add)(int interval, double seconds)) {
    for (rts_site_t *site = rts_sites_first(); site != NULL; site = site->next)
        add(site->interval, rts_site_estimate_unmeasured(site));
}

/* ---- what the planner tells ---- */

const char *rts_planner_reason(char *text, size_t text_size) {
    return rts_reason_text(&planner.reason, text, text_size);
}

static void summarise(const rts_site_t *site, rts_site_summary_t *summary) {
    *summary = (rts_site_summary_t){.position = site->facts.position,
                                    .ordinal = site->ordinal,
                                    .facts = &site->facts,
                                    .executions = site->executions,
                                    .seconds = site->seconds,
                                    .natural_s = -1,
                                    .option_count = site->option_count,
                                    .chosen = site->last,
                                    .chosen_plan = site->option[site->last]->current};
    for (int i = 0; i < site->option_count; i++) {
        const rts_site_option_t *at = site->option[i];
        summary->option[i] = at->option;
        summary->plan_count[i] = at->plan_count;
        summary->plan[i] = at->plan;
        if (at->option->kind == RTS_OPTION_NATURAL)
            summary->natural_s = rts_site_measured(site, i);
    }
}

void rts_planner_visit(void (*visit)(void *context, const rts_site_summary_t *site), void *context) {
    for (const rts_site_t *site = rts_sites_first(); site != NULL; site = site->next) {
        rts_site_summary_t summary;
        summarise(site, &summary);
        visit(context, &summary);
    }
}

uint64_t rts_planner_loop_key(const rts_site_summary_t *site) {
    return rts_site_file_key(rts_site_file_hash(site->facts), site->ordinal);
}
