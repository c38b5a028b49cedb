/* The cost store and the choice. Each loop of the program ("site") keeps its candidates; the best estimate runs first, at most
 * MAX_TRIED others are tried while their corrected estimate says that they might win, and the fastest stays. At most
 * MAX_SLOW executions may turn out slow. Loops whose bounds change, as in a factorisation, share what is learnt: counts that
 * agree in their powers of two are one site, with plans made anew for the counts at hand. Not safe for several threads: the
 * main thread runs loops. */
#include <config.h>

#include "rts/planner.h"

#include <string.h>

#include "rts/memory.h"
#include "rts/stats.h"

#define MAX_TRIED   3 /* candidates tried beside the first */
#define MAX_SLOW    2 /* executions slower than SLOW times the fastest */
#define SLOW        1.5
#define HOPE        1.5 /* tried when the corrected estimate is below HOPE times the fastest */
#define RUNS_FIRST  2 /* executions of the first candidate before others: the first one also warms memory up */
#define TABLE_START 64   /* a power of two */
#define MAX_SITES   2048 /* then all is forgotten: a program that comes so far has no loops that repeat */

typedef struct site {
    rts_loop_facts_t facts;
    int candidate_count, current, tried, slow;
    bool is_settled;
    rts_plan_t candidate[]; /* candidate_count */
} site_t;

static struct {
    rts_planner_mode_t mode;
    uint64_t state; /* of the random mode */
    rts_strategy_choice_t forced;
    bool dynamic;
    site_t **table; /* open addressing, capacity a power of two */
    size_t capacity, count;
    site_t *chosen;   /* of the last rts_planner_choose; NULL when nothing is to be learnt */
    double scale;     /* iterations of the chosen site's counts for one of the loop at hand */
    rts_plan_t loose; /* plan that belongs to no site */
} planner;

void rts_planner_open(rts_planner_mode_t mode, uint64_t seed, rts_strategy_choice_t forced, bool dynamic) {
    planner.mode = mode;
    planner.state = seed;
    planner.forced = forced;
    planner.dynamic = dynamic;
    planner.chosen = NULL;
}

static void forget_sites(void) {
    for (size_t i = 0; i < planner.capacity; i++) {
        rts_free(planner.table[i]);
        planner.table[i] = NULL;
    }
    planner.count = 0;
}

void rts_planner_close(void) {
    forget_sites();
    rts_free(planner.table);
    memset(&planner, 0, sizeof planner);
}

/* Number of the highest bit of a count >= 1. */
static int magnitude(rts_index_t count) {
    return 63 - __builtin_clzll((unsigned long long)count);
}

static bool same_counts(const rts_loop_facts_t *a, const rts_loop_facts_t *b) {
    return memcmp(a->count, b->count, (size_t)a->rank * sizeof a->count[0]) == 0;
}

/* Facts that decide which plans are legal and what they cost, up to the counts themselves. */
static bool same_facts(const rts_loop_facts_t *a, const rts_loop_facts_t *b) {
    if (a->site != b->site || a->device != b->device || a->body != b->body || a->rank != b->rank ||
        a->contiguous_dim != b->contiguous_dim || a->thread_count != b->thread_count ||
        a->element_bytes != b->element_bytes || a->array_count != b->array_count ||
        a->no_tiles != b->no_tiles || a->may_stream != b->may_stream ||
        a->dependences.count != b->dependences.count)
        return false;
    for (int i = 0; i < a->dependences.count; i++)
        if (memcmp(a->dependences.vector[i], b->dependences.vector[i],
                   (size_t)a->rank * sizeof(rts_index_t)) != 0)
            return false;
    for (int dim = 0; dim < a->rank; dim++)
        if (magnitude(a->count[dim]) != magnitude(b->count[dim]))
            return false;
    return true;
}

static uint64_t hash_facts(const rts_loop_facts_t *facts) {
    uint64_t hash = facts->site;
    for (int dim = 0; dim < facts->rank; dim++)
        hash = (hash ^ (uint64_t)magnitude(facts->count[dim])) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Slot of the site, or the empty slot where it belongs; the table is never full. */
static site_t **find_slot(const rts_loop_facts_t *facts) {
    for (uint64_t i = hash_facts(facts);; i++) {
        site_t **slot = &planner.table[i & (planner.capacity - 1)];
        if (*slot == NULL || same_facts(&(*slot)->facts, facts))
            return slot;
    }
}

/* Room for one site more. @return false when there is no memory: then the loop is not remembered */
static bool grow_table(void) {
    if (2 * (planner.count + 1) <= planner.capacity)
        return true;
    const size_t old_capacity = planner.capacity,
                 capacity = old_capacity == 0 ? TABLE_START : 2 * old_capacity;
    site_t **old = planner.table, **table = rts_alloc_zeroed(capacity, sizeof *table);
    if (table == NULL)
        return false;
    planner.table = table;
    planner.capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != NULL)
            *find_slot(&old[i]->facts) = old[i];
    rts_free(old);
    return true;
}

/* Keep the forced strategy's candidates where there are any. @return how many are left */
static int apply_forced(rts_plan_t candidate[], int count) {
    int kept = 0;
    for (int i = 0; i < count && planner.forced != RTS_CHOICE_AUTO; i++)
        if (candidate[i].strategy == planner.forced)
            candidate[kept++] = candidate[i];
    return kept > 0 ? kept : count;
}

static site_t *add_site(const rts_loop_facts_t *facts, const rts_plan_t candidate[], int count) {
    if (planner.count == MAX_SITES)
        forget_sites();
    if (!grow_table())
        return NULL;
    site_t *site = rts_alloc_zeroed(1, sizeof *site + (size_t)count * sizeof site->candidate[0]);
    if (site == NULL)
        return NULL;
    site->facts = *facts;
    site->candidate_count = count;
    site->is_settled = count == 1;
    memcpy(site->candidate, candidate, (size_t)count * sizeof candidate[0]);
    *find_slot(facts) = site;
    planner.count++;
    return site;
}

static double iterations(const rts_loop_facts_t *facts) {
    double n = 1;
    for (int dim = 0; dim < facts->rank; dim++)
        n *= (double)facts->count[dim];
    return n;
}

/* The plan of a site, made for other counts than the site's: the one of the same kind, or the first when there is none. */
static const rts_plan_t *adapt(const rts_loop_facts_t *facts, const rts_plan_t *wanted,
                               const rts_plan_t candidate[], int count) {
    int best = 0;
    for (int i = count - 1; i >= 0; i--)
        if (candidate[i].schedule == wanted->schedule && candidate[i].way == wanted->way)
            best = i;
    planner.loose = candidate[best];
    planner.scale = iterations(&planner.chosen->facts) / iterations(facts);
    return &planner.loose;
}

const rts_plan_t *rts_planner_choose(const rts_loop_facts_t *facts) {
    planner.chosen = NULL;
    planner.scale = 1;
    if (planner.mode == RTS_PLANNER_RANDOM && planner.forced == RTS_CHOICE_AUTO) {
        rts_candidates_random(facts, &planner.state, &planner.loose);
        return &planner.loose;
    }
    site_t *site = planner.capacity > 0 ? *find_slot(facts) : NULL;
    planner.chosen = site;
    if (site != NULL && same_counts(&site->facts, facts))
        return &site->candidate[site->current];
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    const int count = apply_forced(candidate, rts_candidates_make(facts, planner.dynamic, candidate));
    if (site != NULL)
        return adapt(facts, &site->candidate[site->current], candidate, count);
    planner.chosen = add_site(facts, candidate, count);
    planner.loose = candidate[0];
    return planner.chosen != NULL ? &planner.chosen->candidate[0] : &planner.loose;
}

int rts_planner_choose_device(int count) {
    uint64_t drawn = 0;
    if (planner.mode == RTS_PLANNER_RANDOM)
        drawn = rts_candidates_draw(&planner.state);
    return (int)(drawn % (uint64_t)count);
}

static int fastest(const site_t *site) {
    int best = 0;
    for (int i = 1; i < site->candidate_count; i++)
        if (site->candidate[i].measured_s >= 0 &&
            site->candidate[i].measured_s < site->candidate[best].measured_s)
            best = i;
    return best;
}

/* The untried candidate with the best estimate, corrected by how wrong the first one's was; -1 when none has a chance. */
static int next_to_try(const site_t *site, double best_s) {
    const rts_plan_t *first = &site->candidate[0];
    const double scale = first->work_s > 0 ? (first->measured_s - first->overhead_s) / first->work_s : 1;
    int next = -1;
    double next_s = HOPE * best_s;
    if (site->tried >= MAX_TRIED || site->slow >= MAX_SLOW)
        return -1;
    for (int i = 1; i < site->candidate_count; i++) {
        const double estimate =
            site->candidate[i].work_s * (scale > 0 ? scale : 1) + site->candidate[i].overhead_s;
        if (site->candidate[i].executions == 0 && estimate < next_s) {
            next = i;
            next_s = estimate;
        }
    }
    return next;
}

void rts_planner_post(const rts_plan_t *plan, double seconds) {
    site_t *site = planner.chosen;
    if (site == NULL || (plan != &site->candidate[site->current] && plan != &planner.loose))
        return;
    seconds *= planner.scale;
    rts_plan_t *current = &site->candidate[site->current];
    if (current->measured_s < 0 || seconds < current->measured_s)
        current->measured_s = seconds;
    current->executions++;
    if (site->is_settled)
        return;
    const int best = fastest(site);
    const double best_s = site->candidate[best].measured_s;
    if (site->current == 0 && current->executions < RUNS_FIRST)
        return;
    if (site->current != 0 && seconds > SLOW * best_s)
        site->slow++;
    else if (site->current != 0 && current->executions < RUNS_FIRST)
        return; /* close enough for a second run to decide */
    const int next = next_to_try(site, best_s);
    if (next >= 0) {
        site->tried++;
        site->current = next;
        rts_stats_add(RTS_STAT_EXPLORATIONS, 1);
        return;
    }
    site->current = best;
    site->is_settled = true;
}
