/* Whether a plan keeps the order of a loop, and what forms of arrays mean to it, for tests of plans and options. The model knows nothing of how plans are made: from a plan it derives
 * which iterations are sure to run before which others, whatever the threads do, and every dependence must be among them.
 * And random loops to ask it about. */
#ifndef TESTS_UNIT_PLAN_MODEL_H
#define TESTS_UNIT_PLAN_MODEL_H

#include "rts/planner.h"

#include "tests/check.h"

enum { MAX_TILES = 900 };

static struct { int schedule[5], way[4], strategy[5]; } seen;

/* ---- the model ---- */

/* Tiles that have surely run when a tile starts: itself excluded, by way of others included. */
typedef struct tile_order {
    rts_index_t grid[RTS_MAX_RANK];
    int count;
    bool before[MAX_TILES][MAX_TILES];
} tile_order_t;

static tile_order_t order;

static inline bool next_point(rts_index_t point[], const rts_index_t count[], int rank) {
    for (int dim = rank - 1; dim >= 0; dim--) {
        if (++point[dim] < count[dim])
            return true;
        point[dim] = 0;
    }
    return false;
}

static inline int number_of(const rts_index_t tile[], int rank) {
    rts_index_t number = 0;
    for (int dim = 0; dim < rank; dim++)
        number = number * order.grid[dim] + tile[dim];
    return (int)number;
}

/* Extent of the loop along a dim as tiles cut it: with skew the last one counts skew * row + column. */
static inline rts_index_t tiled_count(const rts_loop_facts_t *facts, const rts_plan_t *plan, int dim) {
    const bool skewed = plan->skew > 0 && dim == facts->rank - 1;
    return facts->count[dim] + (skewed ? plan->skew * (facts->count[dim - 1] - 1) : 0);
}

static inline int tile_of(const rts_loop_facts_t *facts, const rts_plan_t *plan, const rts_index_t point[]) {
    rts_index_t tile[RTS_MAX_RANK];
    for (int dim = 0; dim < facts->rank; dim++) {
        const bool skewed = plan->skew > 0 && dim == facts->rank - 1;
        tile[dim] = (point[dim] + (skewed ? plan->skew * point[dim - 1] : 0)) / plan->tile[dim];
    }
    return number_of(tile, facts->rank);
}

static inline bool make_order(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    rts_index_t tile[RTS_MAX_RANK] = {0}, at[RTS_MAX_RANK];
    order.count = 1;
    for (int dim = 0; dim < facts->rank; dim++) {
        order.grid[dim] = (tiled_count(facts, plan, dim) + plan->tile[dim] - 1) / plan->tile[dim];
        order.count *= (int)order.grid[dim];
    }
    if (!CHECK(order.count <= MAX_TILES))
        return false;
    memset(order.before, 0, sizeof order.before);
    do { /* ascending, so that the tiles waited for are complete */
        const int here = number_of(tile, facts->rank);
        for (int p = 0; p < plan->predecessor_count; p++) {
            bool inside = true;
            for (int dim = 0; dim < facts->rank; dim++) {
                at[dim] = tile[dim] - plan->predecessor[p][dim];
                inside = inside && at[dim] >= 0 && at[dim] < order.grid[dim];
            }
            const int there = inside ? number_of(at, facts->rank) : -1;
            if (inside && !CHECK(there < here))
                return false;
            for (int i = 0; inside && i < order.count; i++)
                order.before[here][i] = order.before[here][i] || i == there || order.before[there][i];
        }
    } while (next_point(tile, order.grid, facts->rank));
    return true;
}

static inline rts_index_t dot(const rts_index_t a[], const rts_index_t b[], int rank) {
    rts_index_t sum = 0;
    for (int dim = 0; dim < rank; dim++)
        sum += a[dim] * b[dim];
    return sum;
}

/* Whether `a` runs before `b` when both are in one portion. Jam: groups of rows may begin anywhere, so of two rows only the
 * earlier one's iterations are sure to come first, as far as the lag puts them. */
static inline bool is_before_in_portion(const rts_loop_facts_t *facts, const rts_plan_t *plan,
                                        const rts_index_t a[], const rts_index_t b[]) {
    const int rank = facts->rank, p = rank - 2, q = rank - 1;
    if (plan->way == RTS_WAY_FRONT)
        return dot(plan->time, a, rank) < dot(plan->time, b, rank);
    for (int dim = 0; dim < rank; dim++) {
        if (plan->way == RTS_WAY_JAM && dim == p && a[p] != b[p])
            return a[p] < b[p] && a[q] + plan->lag * a[p] < b[q] + plan->lag * b[p];
        if (plan->way == RTS_WAY_DIAGONAL && dim == p)
            return a[q] + plan->lag * a[p] < b[q] + plan->lag * b[p];
        if (a[dim] != b[dim])
            return a[dim] < b[dim];
    }
    return false;
}

static inline bool is_before(const rts_loop_facts_t *facts, const rts_plan_t *plan, const rts_index_t a[],
                             const rts_index_t b[]) {
    int number_a, number_b;
    switch (plan->schedule) {
    case RTS_SCHEDULE_SERIAL:
        break;
    case RTS_SCHEDULE_STATIC:
    case RTS_SCHEDULE_DYNAMIC:
        if (a[plan->split_dim] != b[plan->split_dim])
            return false; /* perhaps on another thread, at any time */
        break;
    case RTS_SCHEDULE_FRONTS:
        return dot(plan->time, a, facts->rank) < dot(plan->time, b, facts->rank);
    case RTS_SCHEDULE_TILES:
        number_a = tile_of(facts, plan, a);
        number_b = tile_of(facts, plan, b);
        if (number_a != number_b)
            return order.before[number_b][number_a];
        break;
    }
    return is_before_in_portion(facts, plan, a, b);
}

/* Every dependence of every iteration. */
static inline bool keeps_order(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    if (plan->schedule == RTS_SCHEDULE_TILES && !make_order(facts, plan))
        return false;
    for (int i = 0; i < facts->dependences.count; i++) {
        rts_index_t point[RTS_MAX_RANK] = {0}, needed[RTS_MAX_RANK];
        do {
            bool inside = true;
            for (int dim = 0; dim < facts->rank; dim++) {
                needed[dim] = point[dim] - facts->dependences.vector[i][dim];
                inside = inside && needed[dim] >= 0 && needed[dim] < facts->count[dim];
            }
            if (inside && !CHECK(is_before(facts, plan, needed, point)))
                return false;
        } while (next_point(point, facts->count, facts->rank));
    }
    return true;
}

static inline bool has_good_values(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    const bool splits = plan->schedule == RTS_SCHEDULE_STATIC || plan->schedule == RTS_SCHEDULE_DYNAMIC ||
                        plan->schedule == RTS_SCHEDULE_FRONTS;
    bool good = plan->strategy > RTS_CHOICE_AUTO && plan->strategy <= RTS_CHOICE_TILE;
    good = good && plan->thread_count >= 1 && plan->thread_count <= facts->thread_count && plan->chunk >= 1;
    good = good && (!splits || (plan->split_dim >= 0 && plan->split_dim < facts->rank));
    good = good && plan->lag >= 0 && plan->measured_s < 0 && plan->executions == 0;
    good = good && (plan->schedule != RTS_SCHEDULE_SERIAL || plan->thread_count == 1);
    good = good && (plan->schedule != RTS_SCHEDULE_FRONTS || plan->way == RTS_WAY_FRONT);
    good = good && (plan->strategy == RTS_CHOICE_TILE) == (plan->schedule == RTS_SCHEDULE_TILES);
    good = good && (plan->strategy == RTS_CHOICE_FRONT) ==
                       (plan->way == RTS_WAY_FRONT ||
                        (plan->way == RTS_WAY_DIAGONAL && plan->schedule != RTS_SCHEDULE_TILES));
    good = good && plan->predecessor_count >= 0 && plan->predecessor_count <= RTS_MAX_PREDECESSORS;
    good = good && ((plan->way != RTS_WAY_JAM && plan->way != RTS_WAY_DIAGONAL) || facts->rank >= 2);
    good = good && (plan->skew == 0 || (plan->skew == plan->lag && plan->schedule == RTS_SCHEDULE_TILES &&
                                        (plan->way == RTS_WAY_JAM || plan->way == RTS_WAY_DIAGONAL)));
    good = good && (facts->front_lag == 0 || plan->skew == facts->front_lag);
    good = good && (!plan->by_rows || (plan->way == RTS_WAY_DIAGONAL && facts->arrays != NULL));
    if (!good)
        return false;
    if (facts->body != RTS_BODY_RECORD) /* boxes in lexicographic order only */
        good = good && plan->way == RTS_WAY_PLAIN && plan->schedule != RTS_SCHEDULE_FRONTS;
    if (facts->body == RTS_BODY_OWN_TEAM || facts->rank == 0)
        good = good && plan->schedule == RTS_SCHEDULE_SERIAL;
    double tiles = 1;
    for (int dim = 0; dim < facts->rank; dim++) {
        good = good && plan->time[dim] >= 0;
        if (plan->schedule == RTS_SCHEDULE_TILES) {
            const rts_index_t extent = tiled_count(facts, plan, dim);
            good = good && plan->tile[dim] >= 1 && plan->tile[dim] <= extent;
            tiles *= (double)((extent + plan->tile[dim] - 1) / plan->tile[dim]);
        }
    }
    return good && tiles <= 1 << 20 && plan->work_s >= 0 && plan->overhead_s >= 0;
}

static inline void print_case(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    char name[128];
    fprintf(stderr, "  body %d, %d threads, counts", (int)facts->body, facts->thread_count);
    for (int dim = 0; dim < facts->rank; dim++)
        fprintf(stderr, " %lld", (long long)facts->count[dim]);
    for (int i = 0; i < facts->dependences.count; i++)
        for (int dim = 0; dim < facts->rank; dim++)
            fprintf(stderr, "%s%lld", dim == 0 ? ", " : ":", (long long)facts->dependences.vector[i][dim]);
    fprintf(stderr, "\n  plan %s, schedule %d, way %d, lag %lld, %d threads, split dim %d\n",
            rts_plan_name(plan, facts->rank, name, sizeof name), (int)plan->schedule, (int)plan->way,
            (long long)plan->lag, plan->thread_count, plan->split_dim);
    fprintf(stderr, "  launched by fronts of lag %lld\n", (long long)facts->front_lag);
}

static inline bool check_legal(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    seen.schedule[plan->schedule]++;
    seen.way[plan->way]++;
    seen.strategy[plan->strategy]++;
    if (CHECK(has_good_values(facts, plan)) && keeps_order(facts, plan))
        return true;
    print_case(facts, plan);
    return false;
}

/* ---- facts ---- */

static inline void add_random_vectors(rts_loop_facts_t *facts) {
    const int wanted = check_random_once_in(4) ? 0 : (int)check_random_range(1, 5);
    rts_dependences_init(&facts->dependences, facts->rank);
    for (int i = 0; i < wanted; i++) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        int lead = facts->rank;
        for (int dim = facts->rank - 1; dim >= 0; dim--) {
            vector[dim] = check_random_once_in(2) ? 0 : check_random_range(-2, 2);
            lead = vector[dim] != 0 ? dim : lead;
        }
        if (lead < facts->rank && vector[lead] < 0)
            vector[lead] = -vector[lead];
        if (lead < facts->rank)
            CHECK_EQ_INT(rts_dependences_add(&facts->dependences, vector), RTS_OK);
    }
    rts_dependences_clip(&facts->dependences, facts->count);
}

static inline rts_loop_facts_t random_facts(void) {
    static const rts_index_t longest[] = {1, 40, 15, 6, 4, 3};
    static const size_t bytes[] = {1, 8, 40, 1 << 16, 1 << 20};
    rts_loop_facts_t facts = {.site = (uint64_t)check_random_range(1, 1000),
                              .body =
                                  (rts_body_kind_t)(check_random_once_in(2) ? 0 : check_random_range(0, 2)),
                              .rank = (int)check_random_range(0, 5),
                              .element_bytes = bytes[check_random_range(0, 4)],
                              .array_count = (int)check_random_range(1, 3),
                              .thread_count = (int)check_random_range(1, 6)};
    for (int dim = 0; dim < facts.rank; dim++)
        facts.count[dim] = check_random_range(1, longest[facts.rank]);
    facts.contiguous_dim = (int)check_random_range(-1, facts.rank - 1);
    add_random_vectors(&facts);
    return facts;
}

/* ---- arrays ---- */

enum { MAX_ARRAYS = 3 };

static inline rts_layout_form_t random_array_form(int rank) {
    static const rts_index_t pad[] = {1, 1, 2, 3, 8};
    rts_layout_form_t form = rts_layout_form_home(rank);
    if (check_random_once_in(4))
        return form;
    check_random_shuffle(rank, form.perm);
    form.pitch_align = rank >= 2 ? pad[check_random_range(0, 4)] : 1;
    form.kind = (rts_layout_kind_t)(rank >= 2 ? check_random_range(RTS_LAYOUT_PLAIN, RTS_LAYOUT_WRAP) : 0);
    if (form.kind != RTS_LAYOUT_PLAIN) {
        form.a = (int)check_random_range(1, 2);
        form.b = (int)(check_random_once_in(2) ? check_random_range(1, 2) : check_random_range(-2, -1));
    }
    return form;
}

/* Axes in any order, some walked by no dim, at times one dim on two axes. `wild`: with rules of the program as well. */
static inline rts_array_facts_t random_array(const rts_loop_facts_t *facts, bool wild) {
    rts_array_facts_t array = {.rank = (int)check_random_range(1, 4), .element_bytes = 8};
    const bool whole = check_random_once_in(2); /* the loop's dims, no more and no less */
    int dim[RTS_MAX_RANK];
    for (int i = 0; i < RTS_MAX_RANK; i++)
        dim[i] = i < facts->rank ? i : -1;
    array.rank = whole ? facts->rank : array.rank;
    check_random_shuffle((int)rts_max(array.rank, facts->rank), dim);
    for (int axis = 0; axis < array.rank; axis++) {
        array.dim[axis] = dim[axis];
        if (!whole && check_random_once_in(8))
            array.dim[axis] = axis > 0 && check_random_once_in(3) ? array.dim[axis - 1] : -1;
        array.sign[axis] = check_random_once_in(3) ? -1 : 1;
        array.extent[axis] = array.dim[axis] < 0 ? check_random_range(1, 3)
                                                 : facts->count[array.dim[axis]] + check_random_range(0, 2);
    }
    array.intent = (int)check_random_range(1, 3);
    array.by_rows = !check_random_once_in(3);
    array.present_count = (int)check_random_range(0, 2);
    for (int i = 0; i < array.present_count; i++)
        array.present[i] = random_array_form(array.rank);
    if (wild && check_random_once_in(3))
        array.forbidden = (unsigned)check_random_range(0, 7);
    if (wild && check_random_once_in(5)) {
        array.is_pinned = true;
        array.pinned = random_array_form(array.rank);
    }
    return array;
}

/* The lag by whose fronts the loop may be cut, the smallest that keeps the order inside of planes; 0: none, or none is needed. */
static inline rts_index_t front_lag_of(const rts_loop_facts_t *facts) {
    const int row = facts->rank - 2, column = facts->rank - 1;
    rts_index_t least = 0;
    bool is_carried = false;
    for (int i = 0; i < facts->dependences.count && facts->rank >= 3; i++) {
        const rts_index_t *vector = facts->dependences.vector[i];
        int lead = 0;
        while (vector[lead] == 0)
            lead++;
        is_carried = is_carried || lead == column;
        while (lead == row && least * vector[row] + vector[column] < 1)
            least++;
    }
    for (int i = 0; i < facts->dependences.count && facts->rank >= 3; i++)
        if (least * facts->dependences.vector[i][row] + facts->dependences.vector[i][column] < 0)
            return 0;
    return is_carried ? least : 0;
}

/* A loop with a record handler and arrays to choose layouts for; they live until the next call. */
static inline rts_loop_facts_t random_layout_facts(void) {
    static rts_array_facts_t arrays[MAX_ARRAYS];
    rts_loop_facts_t facts;
    const bool wild = check_random_once_in(2);
    do
        facts = random_facts();
    while (facts.rank < 1 || facts.rank > 4);
    facts.body = RTS_BODY_RECORD;
    facts.front_lag = check_random_once_in(2) ? front_lag_of(&facts) : 0;
    facts.array_count = (int)check_random_range(1, MAX_ARRAYS);
    facts.arrays = arrays;
    facts.may_stream = check_random_once_in(2);
    facts.is_pinned_natural = wild && check_random_once_in(10);
    facts.unit_steps = check_random_once_in(4) ? (unsigned)check_random_range(0, 15) : 15;
    for (int i = 0; i < facts.array_count; i++)
        arrays[i] = random_array(&facts, wild);
    return facts;
}

/* ---- what forms mean, by addresses ---- */

enum { DIFFERS, MAYBE, FOLLOWS }; /* MAYBE: the array is too small to tell */

static inline rts_index_t offset_of(const rts_array_facts_t *array, const rts_layout_form_t *form,
                                    const rts_index_t index[]) {
    rts_layout_t layout;
    rts_box_t box = {.rank = array->rank};
    for (int axis = 0; axis < array->rank; axis++)
        box.hi[axis] = array->extent[axis];
    CHECK_EQ_INT(rts_layout_make(&box, form, &layout), RTS_OK);
    return rts_layout_offset(&layout, index);
}

/* Going from every element by `step`, in iterations by dim: how far memory moves. *far_p: the same everywhere.
 * @return how many such steps the array has room for; -1 when they are not the same */
static inline int steps_in_memory(const rts_loop_facts_t *facts, const rts_array_facts_t *array,
                                  const rts_layout_form_t *form, const rts_index_t step[],
                                  rts_index_t *far_p) {
    rts_index_t from[RTS_MAX_RANK] = {0}, to[RTS_MAX_RANK];
    int found = 0;
    (void)facts;
    do {
        bool inside = true;
        for (int axis = 0; axis < array->rank; axis++) {
            to[axis] = from[axis] + (array->dim[axis] < 0 ? 0 : array->sign[axis] * step[array->dim[axis]]);
            inside = inside && to[axis] >= 0 && to[axis] < array->extent[axis];
        }
        if (!inside)
            continue;
        const rts_index_t far = offset_of(array, form, to) - offset_of(array, form, from);
        if (found++ > 0 && far != *far_p)
            return -1;
        *far_p = far;
    } while (next_point(from, array->extent, array->rank));
    return found;
}

/* Whether fronts of a lag lie in ascending rows along the loop's row dim. */
static inline int follows_rows(const rts_loop_facts_t *facts, const rts_array_facts_t *array,
                               const rts_layout_form_t *form, rts_index_t lag) {
    const int row = facts->rank - 2, column = facts->rank - 1, rank = array->rank;
    rts_index_t step[RTS_MAX_RANK] = {0}, far = 0;
    const bool has_steps = (facts->unit_steps >> row & 1) != 0 && (facts->unit_steps >> column & 1) != 0;
    if (!has_steps || rank < 2 || array->dim[form->perm[rank - 1]] != row ||
        array->dim[form->perm[rank - 2]] != column || (form->kind == RTS_LAYOUT_PLAIN) != (lag == 0) ||
        form->a == 2)
        return DIFFERS;
    for (int axis = 0; axis < rank - 2; axis++)
        if (array->dim[form->perm[axis]] == row || array->dim[form->perm[axis]] == column)
            return DIFFERS;
    step[row] = 1;
    step[column] = -lag;
    const int found = steps_in_memory(facts, array, form, step, &far);
    return found == 0 ? MAYBE : found > 0 && far == array->sign[form->perm[rank - 1]] ? FOLLOWS : DIFFERS;
}

static inline bool walks_both(const rts_loop_facts_t *facts, const rts_array_facts_t *array) {
    bool row = false, column = false;
    for (int axis = 0; axis < array->rank; axis++) {
        row = row || array->dim[axis] == facts->rank - 2;
        column = column || array->dim[axis] == facts->rank - 1;
    }
    return facts->rank >= 2 && row && column;
}

/* Whether the body may run by rows along fronts of a lag. */
static inline int body_by_rows(const rts_loop_facts_t *facts, const rts_layout_form_t form[],
                               rts_index_t lag) {
    int answer = FOLLOWS, asked = 0;
    for (int i = 0; i < facts->dependences.count; i++) {
        const rts_index_t *vector = facts->dependences.vector[i];
        bool outer = false;
        for (int dim = 0; dim < facts->rank - 2; dim++)
            outer = outer || vector[dim] != 0;
        if (!outer && lag * vector[facts->rank - 2] + vector[facts->rank - 1] < 1)
            return DIFFERS;
    }
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        bool is_known = false;
        for (int axis = 0; axis < array->rank; axis++)
            is_known = is_known || array->dim[axis] >= 0;
        if (array->by_rows && !is_known) /* the body may expect its rows anywhere */
            return DIFFERS;
        if (!array->by_rows || !walks_both(facts, array))
            continue;
        const rts_layout_form_t home = rts_layout_form_home(array->rank);
        const int its = follows_rows(facts, array, form != NULL ? &form[i] : &home, lag);
        answer = its < answer ? its : answer;
        asked++;
    }
    return asked > 0 ? answer : DIFFERS;
}

#endif
