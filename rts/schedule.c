/* The cheapest closed path over steps x states. The state of one array is a byte: twice the number of its form other than home's
 * (0: none), plus 1 where home's form is at hand; homeless arrays have their form in the same place. The state of a group of steps
 * is those bytes of all arrays. Exact: the state where the fewest are possible is where the circle is cut; from each of them the
 * cheapest way round to itself is found, by keeping for every state that can be reached the cheapest way there. */
#include <config.h>

#include "rts/schedule.h"

#include <math.h>
#include <string.h>

#include "rts/memory.h"

#define MAX_NODES    8192    /* states of all steps of one round that are kept */
#define MAX_WORK     1000000 /* expansions in all that an exact search may take; beyond: the beam */
#define BEAM_WIDTH   24
#define BEAM_ROUNDS  3
#define SLOT_COUNT   1024 /* a power of two */
#define MAX_WIDTH    (SLOT_COUNT / 2)
#define MAX_IMPROVED 8 /* passes of the improvement of what the beam found */

typedef struct node {
    double cost;
    int parent;
    int option; /* that led here from the parent */
    uint8_t state[RTS_SCHEDULE_MAX_ARRAYS];
} node_t;

/* Search of one group. Nodes of a round lie step after step; begin[i] is the first node before step i. */
typedef struct search {
    const rts_schedule_problem_t *problem;
    int step_count, step[RTS_SCHEDULE_MAX_STEPS]; /* of the group, in order */
    int begin[RTS_SCHEDULE_MAX_STEPS + 2];
    int node_count;
    int slot[SLOT_COUNT];             /* states of the step being made: node number + 1 */
    int best[RTS_SCHEDULE_MAX_STEPS]; /* choices of the group's steps */
    double best_s;
    node_t node[MAX_NODES];
} search_t;

/* ---- what a choice costs ---- */

static void start_state(const rts_schedule_problem_t *problem, uint8_t state[]) {
    for (int i = 0; i < RTS_SCHEDULE_MAX_ARRAYS; i++)
        state[i] = i < problem->array_count && (problem->homeless >> i & 1) == 0;
}

/* Bring one array into the form of an option. @return seconds */
static double use_array(const rts_schedule_problem_t *problem, const rts_schedule_use_t *use, int option,
                        uint8_t *state) {
    const int form = use->form[option];
    int other = *state >> 1, home = *state & 1;
    if ((problem->homeless >> use->array & 1) != 0) {
        *state = (uint8_t)(form << 1);
        return other == form ? 0 : use->reorganise_s;
    }
    const bool at_hand = form == 0 ? home != 0 : other == form;
    if (form == 0) {
        home = 1;
        other = use->writes ? 0 : other;
    } else {
        home = use->writes ? 0 : home;
        other = form;
    }
    *state = (uint8_t)(other << 1 | home);
    return !at_hand ? use->reorganise_s : form != 0 ? use->visit_s : 0;
}

/* Reorganisations before a step. */
static double use_arrays(const rts_schedule_problem_t *problem, int step, int option, uint8_t state[]) {
    const rts_schedule_step_t *at = &problem->step[step];
    double seconds = 0;
    for (int i = 0; i < at->use_count; i++)
        seconds += use_array(problem, &at->use[i], option, &state[at->use[i].array]);
    return seconds;
}

static double round_copies(const rts_schedule_problem_t *problem, const int choice[], uint8_t state[]) {
    double seconds = 0;
    for (int step = 0; step < problem->step_count; step++)
        seconds += use_arrays(problem, step, choice[step], state);
    return seconds;
}

double rts_schedule_cost(const rts_schedule_problem_t *problem, const int choice[]) {
    uint8_t state[RTS_SCHEDULE_MAX_ARRAYS];
    start_state(problem, state);
    (void)round_copies(problem, choice, state); /* after one round the state is what it will be after each */
    double seconds = round_copies(problem, choice, state);
    for (int step = 0; step < problem->step_count; step++)
        seconds += problem->step[step].seconds[choice[step]];
    return seconds;
}

double rts_schedule_once(const rts_schedule_problem_t *problem, const int from[], const int to[]) {
    uint8_t state[RTS_SCHEDULE_MAX_ARRAYS];
    start_state(problem, state);
    (void)round_copies(problem, from, state);
    const double first = round_copies(problem, to, state), later = round_copies(problem, to, state);
    return first > later ? first - later : 0;
}

/* ---- groups ---- */

static int root_of(int parent[], int array) {
    while (parent[array] != array)
        array = parent[array] = parent[parent[array]];
    return array;
}

int rts_schedule_groups(const rts_schedule_problem_t *problem, int group[]) {
    int parent[RTS_SCHEDULE_MAX_ARRAYS], number[RTS_SCHEDULE_MAX_ARRAYS], count = 0;
    for (int i = 0; i < RTS_SCHEDULE_MAX_ARRAYS; i++) {
        parent[i] = i;
        number[i] = -1;
    }
    for (int step = 0; step < problem->step_count; step++)
        for (int i = 1; i < problem->step[step].use_count; i++)
            parent[root_of(parent, problem->step[step].use[i].array)] =
                root_of(parent, problem->step[step].use[0].array);
    for (int step = 0; step < problem->step_count; step++) {
        if (problem->step[step].use_count == 0) {
            group[step] = count++;
            continue;
        }
        const int root = root_of(parent, problem->step[step].use[0].array);
        if (number[root] < 0)
            number[root] = count++;
        group[step] = number[root];
    }
    return count;
}

/* ---- one round of a search ---- */

static unsigned hash_state(const uint8_t state[], int count) {
    uint64_t hash = 0;
    for (int i = 0; i < count; i++)
        hash = (hash ^ state[i]) * 0x9e3779b97f4a7c15u;
    return (unsigned)(hash >> 32);
}

/* Keep a state of the step being made, unless it is there already and no dearer.
 * @return false when there is no room */
static bool add_node(search_t *search, int first, const node_t *node) {
    const int bytes = search->problem->array_count;
    for (unsigned i = hash_state(node->state, bytes);; i++) {
        int *slot = &search->slot[i & (SLOT_COUNT - 1)];
        if (*slot == 0) {
            if (search->node_count == MAX_NODES || search->node_count - first >= MAX_WIDTH)
                return false;
            search->node[search->node_count++] = *node;
            *slot = search->node_count;
            return true;
        }
        node_t *known = &search->node[*slot - 1];
        if (memcmp(known->state, node->state, (size_t)bytes) == 0) {
            if (node->cost < known->cost)
                *known = *node;
            return true;
        }
    }
}

/* Leave the `width` cheapest of the nodes from `first` on, in any order: a partition by quick-select would save little here. */
static void keep_cheapest(search_t *search, int first, int width) {
    for (int i = first; i < first + width && i < search->node_count; i++) {
        int least = i;
        for (int j = i + 1; j < search->node_count; j++)
            if (search->node[j].cost < search->node[least].cost)
                least = j;
        if (least != i) {
            const node_t swapped = search->node[i];
            search->node[i] = search->node[least];
            search->node[least] = swapped;
        }
    }
    if (search->node_count > first + width)
        search->node_count = first + width;
}

/* The step at a place of a round that begins at step `cut` of the group. */
static int step_at(const search_t *search, int cut, int place) {
    return search->step[(cut + place) % search->step_count];
}

/* Go round once from the nodes 0..node_count-1. @param width  states kept a step; 0: all
 * @return false when there is no room for all */
static bool go_round(search_t *search, int cut, int width) {
    search->begin[0] = 0;
    for (int place = 0; place < search->step_count; place++) {
        const int step = step_at(search, cut, place), first = search->node_count, from = search->begin[place];
        const rts_schedule_step_t *at = &search->problem->step[step];
        memset(search->slot, 0, sizeof search->slot);
        for (int parent = from; parent < first; parent++)
            for (int option = 0; option < at->option_count; option++) {
                node_t node = search->node[parent];
                if (isinf(at->seconds[option]))
                    continue;
                node.cost += at->seconds[option] + use_arrays(search->problem, step, option, node.state);
                node.parent = parent;
                node.option = option;
                if (!add_node(search, first, &node) && width == 0)
                    return false;
            }
        search->begin[place + 1] = first;
        if (width > 0)
            keep_cheapest(search, first, width);
    }
    search->begin[search->step_count + 1] = search->node_count;
    return true;
}

/* The choices on the way to a node at the end of a round. */
static void trace(const search_t *search, int cut, int node, int choice[]) {
    for (int place = search->step_count - 1; place >= 0; place--) {
        choice[(cut + place) % search->step_count] = search->node[node].option;
        node = search->node[node].parent;
    }
}

static void start_at(search_t *search, const uint8_t state[]) {
    search->node[0] = (node_t){.parent = -1};
    memcpy(search->node[0].state, state, sizeof search->node[0].state);
    search->node_count = 1;
}

/* The states at the end of a round become the start of the next, at no cost. */
static void start_where_it_ended(search_t *search) {
    const int first = search->begin[search->step_count], count = search->node_count - first;
    memmove(&search->node[0], &search->node[first], (size_t)count * sizeof search->node[0]);
    search->node_count = count;
}

/* ---- exact search ---- */

/* Where to cut: after one round, and one more from all that it led to, the states at a step are those of repeated choices.
 * @return the place, with its states in node[0 .. node_count - 1]; -1 when the search would be too large */
static int find_cut(search_t *search) {
    uint8_t home[RTS_SCHEDULE_MAX_ARRAYS];
    int cut = 0;
    double work = 0;
    start_state(search->problem, home);
    start_at(search, home);
    if (!go_round(search, 0, 0))
        return -1;
    start_where_it_ended(search);
    if (!go_round(search, 0, 0))
        return -1;
    for (int place = 0; place < search->step_count; place++) {
        const int width = search->begin[place + 1] - search->begin[place];
        work += width * search->problem->step[search->step[place]].option_count;
        if (width < search->begin[cut + 1] - search->begin[cut])
            cut = place;
    }
    const int first = search->begin[cut], count = search->begin[cut + 1] - first;
    if (work * count > MAX_WORK)
        return -1;
    memmove(&search->node[0], &search->node[first], (size_t)count * sizeof search->node[0]);
    search->node_count = count;
    return cut;
}

/* @param start  scratch of MAX_WIDTH states
 * @return false when there are too many states */
static bool solve_exactly(search_t *search, uint8_t (*start)[RTS_SCHEDULE_MAX_ARRAYS]) {
    const int cut = find_cut(search), start_count = search->node_count;
    if (cut < 0)
        return false;
    for (int i = 0; i < start_count; i++)
        memcpy(start[i], search->node[i].state, sizeof start[i]);
    for (int i = 0; i < start_count; i++) {
        start_at(search, start[i]);
        if (!go_round(search, cut, 0))
            return false;
        for (int node = search->begin[search->step_count]; node < search->node_count; node++)
            if (search->node[node].cost < search->best_s &&
                memcmp(search->node[node].state, start[i], sizeof start[i]) == 0) {
                search->best_s = search->node[node].cost;
                trace(search, cut, node, search->best);
            }
    }
    return true;
}

/* ---- beam ---- */

/* Cost of one group alone. */
static double group_cost(const search_t *search, const int choice[]) {
    uint8_t state[RTS_SCHEDULE_MAX_ARRAYS];
    double seconds = 0;
    start_state(search->problem, state);
    for (int place = 0; place < search->step_count; place++)
        (void)use_arrays(search->problem, search->step[place], choice[place], state);
    for (int place = 0; place < search->step_count; place++)
        seconds += use_arrays(search->problem, search->step[place], choice[place], state) +
                   search->problem->step[search->step[place]].seconds[choice[place]];
    return seconds;
}

/* Take a choice when it is better. */
static bool offer(search_t *search, const int choice[]) {
    const double seconds = group_cost(search, choice);
    if (!(seconds < search->best_s))
        return false;
    search->best_s = seconds;
    memcpy(search->best, choice, (size_t)search->step_count * sizeof choice[0]);
    return true;
}

/* Let every step that uses an array, where it can, use it in one form. */
static bool offer_form(search_t *search, int array, int form) {
    int choice[RTS_SCHEDULE_MAX_STEPS];
    memcpy(choice, search->best, sizeof choice);
    for (int place = 0; place < search->step_count; place++) {
        const rts_schedule_step_t *at = &search->problem->step[search->step[place]];
        double least = INFINITY;
        for (int i = 0; i < at->use_count; i++)
            for (int option = 0; option < at->option_count && at->use[i].array == array; option++)
                if (at->use[i].form[option] == form && at->seconds[option] < least) {
                    least = at->seconds[option];
                    choice[place] = option;
                }
    }
    return offer(search, choice);
}

static bool offer_other_steps(search_t *search) {
    bool is_better = false;
    for (int place = 0; place < search->step_count; place++) {
        const rts_schedule_step_t *at = &search->problem->step[search->step[place]];
        for (int option = 0; option < at->option_count; option++) {
            int choice[RTS_SCHEDULE_MAX_STEPS];
            memcpy(choice, search->best, sizeof choice);
            choice[place] = option;
            is_better = offer(search, choice) || is_better;
            for (int i = 0; i < at->use_count; i++)
                is_better = offer_form(search, at->use[i].array, at->use[i].form[option]) || is_better;
        }
    }
    return is_better;
}

static void solve_by_beam(search_t *search) {
    uint8_t home[RTS_SCHEDULE_MAX_ARRAYS];
    int choice[RTS_SCHEDULE_MAX_STEPS];
    start_state(search->problem, home);
    start_at(search, home);
    for (int i = 0; i < BEAM_ROUNDS; i++) {
        if (i > 0)
            start_where_it_ended(search);
        (void)go_round(search, 0, BEAM_WIDTH);
    }
    for (int node = search->begin[search->step_count]; node < search->node_count; node++) {
        trace(search, 0, node, choice);
        (void)offer(search, choice);
    }
    for (int i = 0; i < MAX_IMPROVED && offer_other_steps(search); i++)
        continue;
}

rts_status_t rts_schedule_solve(const rts_schedule_problem_t *problem, int choice_p[]) {
    int group[RTS_SCHEDULE_MAX_STEPS];
    const size_t start_bytes = MAX_WIDTH * (size_t)RTS_SCHEDULE_MAX_ARRAYS;
    search_t *search = rts_alloc(sizeof *search + start_bytes);
    if (search == NULL)
        return rts_fail_memory("the search for the cheapest layouts", sizeof *search + start_bytes);
    uint8_t(*start)[RTS_SCHEDULE_MAX_ARRAYS] = (uint8_t(*)[RTS_SCHEDULE_MAX_ARRAYS])(search + 1);
    search->problem = problem;
    const int group_count = rts_schedule_groups(problem, group);
    for (int i = 0; i < group_count; i++) {
        search->step_count = 0;
        for (int step = 0; step < problem->step_count; step++)
            if (group[step] == i) {
                search->best[search->step_count] = choice_p[step];
                search->step[search->step_count++] = step;
            }
        search->best_s = group_cost(search, search->best);
        if (!solve_exactly(search, start))
            solve_by_beam(search);
        for (int place = 0; place < search->step_count; place++)
            choice_p[search->step[place]] = search->best[place];
    }
    rts_free(search);
    return RTS_OK;
}
