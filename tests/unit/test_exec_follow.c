/* What columns wait for in the sweep before, rts/exec_follow.h: for random loops and legal plans, every iteration that meets one of the next sweep
 * has run when that one may. The reference looks at all pairs of iterations; what is known of a column beyond the counters that are waited
 * for follows from what columns wait for within a sweep. And which loops sweeps of which are never run together. */
#include <config.h>

#include "rts/exec_follow.h"

#include "rts/launches.h"
#include "tests/check.h"

enum { MOST_COLUMNS = 4096 };

/* A loop that changes one array, axis k by dim k, with references at distances. */
static struct {
    rts_loop_t loop;
    rts_array_t array;
    rts_loop_facts_t facts;
    rts_plan_t plan;
    rts_follow_t follow;
} one;

static void draw_loop(int rank) {
    static const rts_index_t most[] = {0, 0, 17, 9, 5};
    memset(&one, 0, sizeof one);
    one.loop.rank = rank;
    one.loop.array_count = 1;
    one.loop.array[0] = (rts_loop_array_t){.array = &one.array, .intent = 3, .has_references = true};
    one.array.space.rank = rank;
    rts_dependences_init(&one.loop.found, rank);
    for (int dim = 0; dim < rank; dim++) {
        one.loop.array[0].dim[dim] = dim;
        one.loop.array[0].reach[dim] = (rts_loop_reach_t){.is_known = true, .mult = 1, .low = -3, .high = 3};
        one.loop.piece[dim] = one.loop.local.hi[dim] = check_random_range(2, most[rank]);
    }
    for (int64_t left = check_random_range(1, 4); left > 0; left--) {
        rts_index_t distance[RTS_MAX_RANK] = {0};
        for (int dim = 0; dim < rank; dim++)
            distance[dim] = check_random_once_in(2) ? 0 : check_random_range(-3, 3);
        CHECK_EQ_INT(rts_loop_add_distance(&one.loop, distance), RTS_OK);
    }
    /* Of the distances some may be no dependences, since other guards exclude them, or since others imply them. */
    rts_dependences_init(&one.facts.dependences, rank);
    for (int i = 0; i < one.loop.found.count; i++)
        if (!check_random_once_in(6))
            CHECK_EQ_INT(rts_dependences_add(&one.facts.dependences, one.loop.found.vector[i]), RTS_OK);
    one.facts.rank = rank;
    one.facts.is_gpu = true;
    one.facts.device = one.facts.thread_count = one.facts.array_count = 1;
    one.facts.element_bytes = 8;
    one.facts.contiguous_dim = rank - 1;
    memcpy(one.facts.count, one.loop.piece, sizeof one.facts.count);
    rts_dependences_clip(&one.facts.dependences, one.facts.count);
}

static bool draw_columns(void) {
    const rts_walk_t walk = {.form = NULL};
    uint64_t state = check_random_u64();
    for (int tries = 0; tries < 20; tries++) {
        rts_launches_random(&one.facts, &walk, &state, &one.plan);
        if (one.plan.launch.kind == RTS_LAUNCH_TILES)
            return true;
    }
    return false;
}

static bool next(rts_index_t n[], const rts_index_t count[]) {
    for (int dim = one.loop.rank - 1; dim >= 0; dim--) {
        if (++n[dim] < count[dim])
            return true;
        n[dim] = 0;
    }
    return false;
}

static rts_index_t front_of(const rts_index_t n[]) {
    rts_index_t front = 0;
    for (int dim = 0; dim < one.loop.rank; dim++)
        front += one.plan.time[dim] * n[dim];
    return front;
}

/* Columns: how many along each dim, numbers of neighbours, fronts. */
static struct {
    rts_index_t count[RTS_MAX_RANK];
    int all;
    rts_index_t first[MOST_COLUMNS], last[MOST_COLUMNS], done[MOST_COLUMNS];
} columns;

static int column_of(const rts_index_t n[], const int8_t before[]) {
    int number = 0;
    for (int dim = 0; dim < one.loop.rank; dim++) {
        const rts_index_t tile = dim == one.plan.launch.march_dim ? one.loop.piece[dim] : one.plan.tile[dim];
        const rts_index_t at = n[dim] / tile - (before != NULL ? before[dim] : 0);
        if (at < 0 || at >= columns.count[dim])
            return -1;
        number = number * (int)columns.count[dim] + (int)at;
    }
    return number;
}

/* @return false  too many */
static bool find_columns(void) {
    rts_index_t n[RTS_MAX_RANK] = {0};
    double all = 1;
    for (int dim = 0; dim < one.loop.rank; dim++) {
        columns.count[dim] = dim == one.plan.launch.march_dim
                                 ? 1
                                 : (one.loop.piece[dim] + one.plan.tile[dim] - 1) / one.plan.tile[dim];
        all *= (double)columns.count[dim];
    }
    if (all > MOST_COLUMNS)
        return false;
    columns.all = (int)all;
    for (int i = 0; i < columns.all; i++)
        columns.first[i] = columns.last[i] = -1;
    do {
        const int column = column_of(n, NULL);
        const rts_index_t front = front_of(n);
        if (columns.first[column] < 0 || front < columns.first[column])
            columns.first[column] = front;
        columns.last[column] = rts_max(columns.last[column], front);
    } while (next(n, one.loop.piece));
    return true;
}

/* A column that has finished a piece of its own has seen predecessors finish it. */
static void spread(void) {
    rts_index_t corner[RTS_MAX_RANK] = {0}, at[RTS_MAX_RANK];
    bool more = true;
    while (more) {
        more = false;
        do {
            for (int dim = 0; dim < one.loop.rank; dim++)
                at[dim] = dim == one.plan.launch.march_dim ? 0 : corner[dim] * one.plan.tile[dim];
            const int column = column_of(at, NULL);
            const rts_index_t piece = rts_min(columns.done[column], columns.last[column] / one.plan.chunk);
            for (int i = 0; i < one.plan.predecessor_count && piece >= columns.first[column] / one.plan.chunk;
                 i++) {
                const int earlier = column_of(at, one.plan.predecessor[i]);
                if (earlier >= 0 && columns.done[earlier] < piece) {
                    columns.done[earlier] = piece;
                    more = true;
                }
            }
        } while (next(corner, columns.count));
    }
}

/* What the sweep before has done, in pieces, when an iteration may run: pieces without a front of a column are nothing that it does. */
static void set_done(const rts_index_t n[]) {
    const rts_index_t needed =
        (front_of(n) / one.plan.chunk * one.plan.chunk + one.plan.chunk - 1 + one.follow.fronts) /
        one.plan.chunk;
    for (int i = 0; i < columns.all; i++)
        columns.done[i] = -1;
    for (int i = 0; i < one.follow.count; i++) {
        const int column = column_of(n, one.follow.offset[i]);
        if (column >= 0)
            columns.done[column] = needed;
    }
    spread();
}

static bool check_iteration(const rts_index_t n[]) {
    set_done(n);
    for (int i = -1; i < 2 * one.loop.found.count; i++) {
        rts_index_t met[RTS_MAX_RANK];
        bool exists = true;
        for (int dim = 0; dim < one.loop.rank; dim++) {
            const rts_index_t way = i < 0 ? 0 : one.loop.found.vector[i / 2][dim] * (i % 2 == 0 ? 1 : -1);
            met[dim] = n[dim] + way;
            exists = exists && met[dim] >= 0 && met[dim] < one.loop.piece[dim];
        }
        if (exists && !CHECK(columns.done[column_of(met, NULL)] >= front_of(met) / one.plan.chunk))
            return false;
    }
    return true;
}

static void print_case(void) {
    char name[128];
    fprintf(stderr, "  %s, %lld fronts behind, boxes",
            rts_plan_name(&one.plan, one.loop.rank, name, sizeof name), (long long)one.follow.fronts);
    for (int dim = 0; dim < one.loop.rank; dim++)
        fprintf(stderr, " %lld:%lld*%lld", (long long)one.loop.piece[dim], (long long)one.plan.tile[dim],
                (long long)one.plan.time[dim]);
    for (int i = 0; i < one.loop.found.count; i++) {
        fprintf(stderr, "; (");
        for (int dim = 0; dim < one.loop.rank; dim++)
            fprintf(stderr, " %lld", (long long)one.loop.found.vector[i][dim]);
        fprintf(stderr, " )");
    }
    fprintf(stderr, "\n");
}

/* @return whether the loop has columns that may follow each other, more than one of them */
static bool test_random(int rank) {
    rts_index_t n[RTS_MAX_RANK] = {0};
    bool good = true;
    draw_loop(rank);
    if (!draw_columns() || !find_columns() || !rts_follow_find(&one.loop, &one.plan, &one.follow))
        return false;
    CHECK(one.plan.predecessor_count + one.follow.count <= RTS_FOLLOW_MOST);
    do
        good = check_iteration(n);
    while (good && next(n, one.loop.piece));
    if (!good)
        print_case();
    return columns.all > 1;
}

/* A stencil of five points: itself and the column behind, by one front. */
static void test_star(void) {
    const rts_index_t down[] = {1, 0}, right[] = {0, 1};
    memset(&one, 0, sizeof one);
    draw_loop(2);
    rts_dependences_init(&one.loop.found, 2);
    CHECK_EQ_INT(rts_loop_add_distance(&one.loop, down), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_distance(&one.loop, right), RTS_OK);
    one.loop.piece[0] = 16;
    one.loop.piece[1] = 9;
    one.plan = (rts_plan_t){.launch = {.kind = RTS_LAUNCH_TILES, .march_dim = 1},
                            .tile = {4, 9},
                            .time = {1, 1},
                            .chunk = 2,
                            .predecessor_count = 1,
                            .predecessor = {{1, 0}}};
    CHECK(rts_follow_find(&one.loop, &one.plan, &one.follow));
    CHECK_EQ_INT(one.follow.count, 2);
    CHECK_EQ_INT(one.follow.fronts, 1);
    CHECK_EQ_INT(one.follow.offset[0][0], 0);
    CHECK_EQ_INT(one.follow.offset[1][0], -1);
}

/* Whatever the runtime does not know, or does itself between two sweeps. */
static void test_unknown(void) {
    test_star();
    const rts_loop_t good = one.loop;
#define REFUSES(change)                                                                                      \
    do {                                                                                                     \
        one.loop = good;                                                                                     \
        change;                                                                                              \
        CHECK(!rts_follow_find(&one.loop, &one.plan, &one.follow));                                          \
    } while (0)
    REFUSES(one.loop.is_uncertain = true);
    REFUSES(one.loop.reduction_count = 1);
    REFUSES(one.loop.remote_count = 1);
    REFUSES(one.loop.consistent_count = 1);
    REFUSES(one.loop.shadow.is_given = true);
    REFUSES(one.loop.array_count = 0);
    REFUSES(one.loop.array[0].has_references = false);
    REFUSES(one.loop.array[0].reach[1].is_known = false);
    REFUSES(one.loop.array[0].dim[1] = -1);
    REFUSES(one.loop.variable_count = 1; one.loop.variable[0].intent = 2);
#undef REFUSES
    one.loop = good;
    one.loop.array[0].intent = 1; /* what is only read may be read anyhow */
    one.loop.array[0].has_references = false;
    one.loop.variable_count = 1;
    one.loop.variable[0].intent = 1;
    CHECK(rts_follow_find(&one.loop, &one.plan, &one.follow));
}

int main(void) {
    int followed = 0;
    check_random_start();
    test_star();
    test_unknown();
    for (int trial = 0; trial < 12000 && atomic_load(&check_failures) == 0; trial++)
        followed += test_random((int)check_random_range(2, 4));
    CHECK(followed > 60);
    return check_finish();
}
