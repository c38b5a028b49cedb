/* Boxes and sets of boxes against a bitmap of a small space: every operation, ranks 0..4, and every
 * allocation failing in turn. The space is larger than the boxes' range, so that an operation that adds too
 * much is seen. */
#include <config.h>

#include "rts/box.h"

#include "rts/memory.h"
#include "tests/check.h"

#define SIDE       9 /* indices LOW .. LOW + SIDE - 1 */
#define LOW        -3
#define POINTS_MAX (SIDE * SIDE * SIDE * SIDE)

typedef struct model {
    int rank, points;
    bool in[POINTS_MAX];
} model_t;

static void model_init(model_t *model, int rank) {
    model->rank = rank;
    model->points = 1;
    for (int i = 0; i < rank; i++)
        model->points *= SIDE;
    memset(model->in, 0, sizeof model->in);
}

static void point_of(int number, rts_index_t index_p[]) {
    for (int i = 0; i < 4; i++, number /= SIDE)
        index_p[i] = LOW + number % SIDE;
}

static bool inside(const rts_box_t *box, const rts_index_t index[]) {
    bool in = true;
    for (int i = 0; i < box->rank; i++)
        in = in && box->lo[i] <= index[i] && index[i] < box->hi[i];
    return in;
}

static int points_of(const model_t *model, const rts_box_t *box) {
    rts_index_t index[4];
    int count = 0;
    for (int p = 0; p < model->points; p++) {
        point_of(p, index);
        count += inside(box, index);
    }
    return count;
}

static void model_put(model_t *model, const rts_box_t *box, bool value) {
    rts_index_t index[4];
    for (int p = 0; p < model->points; p++) {
        point_of(p, index);
        if (inside(box, index))
            model->in[p] = value;
    }
}

/* Sometimes empty, sometimes inverted; entries beyond the rank are garbage on purpose. */
static rts_box_t random_box(int rank) {
    rts_box_t box;
    memset(&box, 0x5a, sizeof box);
    box.rank = rank;
    for (int i = 0; i < rank; i++) {
        box.lo[i] = check_random_range(LOW + 1, LOW + SIDE - 2);
        box.hi[i] = box.lo[i] + check_random_range(check_random_once_in(20) ? -2 : 1, 5);
        if (box.hi[i] > LOW + SIDE - 1)
            box.hi[i] = LOW + SIDE - 1;
    }
    return box;
}

/* The set holds the model's points, each once, in boxes that are not empty. */
static bool same(const rts_boxset_t *set, const model_t *model) {
    rts_index_t index[4];
    int total = 0;
    bool good = CHECK_EQ_INT(set->rank, model->rank);
    for (int k = 0; k < set->count; k++)
        good = CHECK_EQ_INT(set->boxes[k].rank, set->rank) && CHECK(points_of(model, &set->boxes[k]) > 0) &&
               good;
    for (int p = 0; p < model->points; p++) {
        int times = 0;
        point_of(p, index);
        for (int k = 0; k < set->count; k++)
            times += inside(&set->boxes[k], index);
        good = CHECK_EQ_INT(times, model->in[p]) && good;
        good = CHECK_EQ_INT(rts_boxset_has_point(set, index), model->in[p]) && good;
        total += model->in[p];
    }
    return CHECK_EQ_INT(rts_boxset_size(set), total) && good;
}

static void test_boxes(int rank) {
    static model_t space;
    rts_index_t index[4];
    model_init(&space, rank);
    for (int round = 0; round < 200; round++) {
        const rts_box_t a = random_box(rank);
        rts_box_t b = check_random_once_in(5) ? a : random_box(rank);
        for (int i = 0; i < rank && check_random_once_in(3); i++)
            b.lo[i] = b.hi[i]; /* empty in another way */
        int in_a = 0, in_b = 0, in_both = 0;
        const rts_box_t both = rts_box_intersect(&a, &b);
        for (int p = 0; p < space.points; p++) {
            point_of(p, index);
            in_a += inside(&a, index);
            in_b += inside(&b, index);
            in_both += inside(&a, index) && inside(&b, index);
            CHECK_EQ_INT(rts_box_has_point(&a, index), inside(&a, index));
            CHECK_EQ_INT(inside(&both, index), inside(&a, index) && inside(&b, index));
        }
        CHECK_EQ_INT(rts_box_size(&a), in_a);
        CHECK_EQ_INT(rts_box_is_empty(&a), in_a == 0);
        CHECK_EQ_INT(rts_box_size(&both), in_both);
        CHECK_EQ_INT(rts_box_contains(&a, &b), in_both == in_b);
        CHECK_EQ_INT(rts_box_equal(&a, &b), in_both == in_a && in_both == in_b);
        rts_box_t alias = a;
        alias = rts_box_intersect(&alias, &b);
        CHECK(rts_box_equal(&alias, &both));
    }
    const rts_box_t empty = rts_box_empty(rank);
    CHECK_EQ_INT(empty.rank, rank);
    CHECK_EQ_INT(rts_box_is_empty(&empty), rank > 0);
}

static void test_large_boxes(void) {
    rts_box_t box = {.rank = 3, .lo = {-5, 0, 0}, .hi = {INT32_MAX, INT32_MAX, 1}};
    CHECK_EQ_INT(rts_box_size(&box), ((int64_t)INT32_MAX + 5) * INT32_MAX);
    box.hi[2] = 1000;
    CHECK_EQ_INT(rts_box_size(&box), INT64_MAX);
    box.hi[0] = -5;
    CHECK_EQ_INT(rts_box_size(&box), 0);
    const rts_box_t line = {.rank = 1, .lo = {INT64_MIN}, .hi = {INT64_MAX}};
    const rts_box_t part = {.rank = 1, .lo = {-7}, .hi = {INT64_MAX}};
    CHECK_EQ_INT(rts_box_size(&line), INT64_MAX);
    CHECK(rts_box_contains(&line, &part) && !rts_box_contains(&part, &line));
    const rts_box_t plane = {.rank = 2, .lo = {0, 0}, .hi = {3, 3}};
    CHECK(!rts_box_equal(&plane, &part));
}

/* Boxes that meet exactly at corners and edges of others come up often enough in so small a space. */
static void test_set_operations(int rank, int rounds) {
    static model_t model, other;
    rts_boxset_t set, missing, copy;
    rts_boxset_init(&set, rank);
    rts_boxset_init(&missing, rank);
    rts_boxset_init(&copy, rank);
    model_init(&model, rank);
    for (int round = 0; round < rounds; round++) {
        const rts_box_t box = random_box(rank);
        const bool add = !check_random_once_in(3);
        CHECK_EQ_INT(add ? rts_boxset_add(&set, &box) : rts_boxset_subtract(&set, &box), RTS_OK);
        model_put(&model, &box, add);
        if (!same(&set, &model))
            break;

        const rts_box_t asked = random_box(rank);
        CHECK_EQ_INT(rts_boxset_missing(&set, &asked, &missing), RTS_OK);
        model_init(&other, rank);
        model_put(&other, &asked, true);
        bool all = true;
        for (int p = 0; p < model.points; p++) {
            all = all && (!other.in[p] || model.in[p]);
            other.in[p] = other.in[p] && !model.in[p];
        }
        same(&missing, &other);
        CHECK_EQ_INT(rts_boxset_contains(&set, &asked), all);

        if (check_random_once_in(20)) {
            CHECK_EQ_INT(rts_boxset_copy(&copy, &set), RTS_OK);
            same(&copy, &model);
        }
        if (check_random_once_in(60)) {
            rts_boxset_clear(&set);
            model_init(&model, rank);
            same(&set, &model);
        }
    }
    rts_boxset_free(&set);
    CHECK_EQ_INT(rts_boxset_size(&set), 0);
    rts_boxset_free(&missing);
    rts_boxset_free(&copy);
}

/* An operation with its first, second, ... allocation failing: nothing may change until it succeeds. */
static void test_failures(int rank, int rounds) {
    static model_t model, after;
    int failures = 0;
    for (int round = 0; round < rounds; round++) {
        rts_boxset_t set, out;
        rts_boxset_init(&set, rank);
        rts_boxset_init(&out, rank);
        model_init(&model, rank);
        for (int64_t k = check_random_range(0, 6); k > 0; k--) {
            const rts_box_t box = random_box(rank);
            CHECK_EQ_INT(rts_boxset_add(&set, &box), RTS_OK);
            model_put(&model, &box, true);
        }
        /* No spare room, so that every growth is an allocation. */
        rts_boxset_t tight;
        rts_boxset_init(&tight, rank);
        CHECK_EQ_INT(rts_boxset_copy(&tight, &set), RTS_OK);
        const rts_box_t box = random_box(rank);
        const int kind = (int)check_random_range(0, 2);
        after = model;
        if (kind < 2)
            model_put(&after, &box, kind == 0);
        for (int n = 1; n < 50; n++) {
            rts_memory_fail_at(n);
            const rts_status_t status = kind == 0   ? rts_boxset_add(&tight, &box)
                                        : kind == 1 ? rts_boxset_subtract(&tight, &box)
                                                    : rts_boxset_missing(&tight, &box, &out);
            rts_memory_fail_at(0);
            same(&tight, status == RTS_OK ? &after : &model);
            if (status == RTS_OK)
                break;
            CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
            CHECK_EQ_INT(out.count, 0);
            failures++;
        }
        rts_boxset_free(&set);
        rts_boxset_free(&tight);
        rts_boxset_free(&out);
    }
    CHECK(failures > 0 || rank == 0);

    rts_boxset_t from, to;
    rts_boxset_init(&from, rank);
    rts_boxset_init(&to, rank);
    model_init(&model, rank);
    rts_box_t box = random_box(rank);
    for (int i = 0; i < rank; i++)
        box.hi[i] = box.lo[i] + 1;
    model_put(&model, &box, true);
    CHECK_EQ_INT(rts_boxset_add(&from, &box), RTS_OK);
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_boxset_copy(&to, &from), RTS_ERR_NO_MEMORY);
    CHECK_EQ_INT(to.count, 0);
    CHECK_EQ_INT(rts_boxset_copy(&to, &from), RTS_OK);
    same(&to, &model);
    rts_boxset_free(&from);
    rts_boxset_free(&to);
}

/* The tiles of a box, cut at random places and added in random order, end as that box. */
static void test_tiles(int rank) {
    for (int round = 0; round < 100; round++) {
        rts_box_t tiles[64];
        int count = 1;
        tiles[0] = (rts_box_t){.rank = rank};
        for (int i = 0; i < rank; i++) {
            tiles[0].lo[i] = LOW + 1;
            tiles[0].hi[i] = LOW + SIDE - 1;
        }
        const rts_box_t whole = tiles[0];
        for (int64_t cuts = check_random_range(0, 40); cuts > 0; cuts--) {
            const int64_t k = check_random_range(0, count - 1);
            const int64_t axis = check_random_range(0, rank - 1);
            if (tiles[k].hi[axis] - tiles[k].lo[axis] < 2)
                continue;
            tiles[count] = tiles[k];
            tiles[k].hi[axis] = check_random_range(tiles[k].lo[axis] + 1, tiles[k].hi[axis] - 1);
            tiles[count++].lo[axis] = tiles[k].hi[axis];
        }
        rts_boxset_t set;
        rts_boxset_init(&set, rank);
        while (count > 0) {
            const int64_t k = check_random_range(0, count - 1);
            CHECK(!rts_boxset_contains(&set, &whole));
            CHECK_EQ_INT(rts_boxset_add(&set, &tiles[k]), RTS_OK);
            tiles[k] = tiles[--count];
        }
        CHECK_EQ_INT(set.count, 1);
        CHECK(rts_box_equal(&set.boxes[0], &whole));
        rts_boxset_free(&set);
    }
}

/* What coherence does all the time allocates nothing. */
static void test_fast_paths(void) {
    rts_boxset_t set, out;
    rts_boxset_init(&set, 2);
    rts_boxset_init(&out, 2);
    const rts_box_t whole = {.rank = 2, .lo = {0, 0}, .hi = {10, 10}};
    const rts_box_t part = {.rank = 2, .lo = {2, 0}, .hi = {4, 10}};
    const rts_box_t outside = {.rank = 2, .lo = {20, 0}, .hi = {24, 10}};
    const rts_box_t hole = {.rank = 2, .lo = {5, 3}, .hi = {7, 4}};
    const rts_box_t nothing = rts_box_empty(2);
    int64_t calls = rts_memory_calls();
    CHECK_EQ_INT(rts_boxset_add(&set, &nothing), RTS_OK);
    CHECK_EQ_INT(rts_boxset_subtract(&set, &whole), RTS_OK);
    CHECK(rts_boxset_contains(&set, &nothing) && !rts_boxset_contains(&set, &part));
    CHECK_EQ_INT(rts_memory_calls(), calls);

    CHECK_EQ_INT(rts_boxset_add(&set, &whole), RTS_OK);
    calls = rts_memory_calls();
    CHECK_EQ_INT(rts_boxset_add(&set, &part), RTS_OK);
    CHECK_EQ_INT(rts_boxset_add(&set, &whole), RTS_OK);
    CHECK_EQ_INT(rts_boxset_add(&set, &set.boxes[0]), RTS_OK);
    CHECK_EQ_INT(rts_boxset_subtract(&set, &outside), RTS_OK);
    CHECK_EQ_INT(rts_boxset_missing(&set, &part, &out), RTS_OK);
    CHECK_EQ_INT(set.count, 1);
    CHECK_EQ_INT(out.count, 0);
    CHECK_EQ_INT(rts_memory_calls(), calls);

    CHECK_EQ_INT(rts_boxset_subtract(&set, &hole), RTS_OK);
    CHECK_EQ_INT(set.count, 4);
    calls = rts_memory_calls();
    CHECK_EQ_INT(rts_boxset_add(&set, &part), RTS_OK); /* covered, by more than one box or by one */
    CHECK(!rts_boxset_contains(&set, &whole));
    CHECK_EQ_INT(rts_memory_calls(), calls);
    CHECK_EQ_INT(rts_boxset_add(&set, &whole), RTS_OK); /* a covering box absorbs the pieces */
    CHECK_EQ_INT(set.count, 1);
    CHECK_EQ_INT(rts_boxset_subtract(&set, &set.boxes[0]), RTS_OK);
    CHECK_EQ_INT(set.count, 0);
    rts_boxset_free(&set);
    rts_boxset_free(&out);
}

/* The runs of a range of points are, one behind the other, these points and no others. */
static void test_runs(int rank) {
    rts_box_t box = {.rank = rank};
    for (int axis = 0; axis < rank; axis++) {
        box.lo[axis] = check_random_range(-3, 3);
        box.hi[axis] = box.lo[axis] + check_random_range(1, 4);
    }
    const rts_index_t size = rts_box_size(&box), first = check_random_range(0, size - 1),
                      end = check_random_range(first + 1, size);
    int runs = 0;
    for (rts_index_t at = first; at < end; runs++) {
        const rts_box_t run = rts_box_run(&box, at, end);
        const rts_index_t run_size = rts_box_size(&run);
        if (!CHECK(run_size > 0 && rts_box_contains(&box, &run)))
            return;
        for (rts_index_t place = 0; place < run_size; place++, at++) {
            rts_index_t in_run = place, in_box = at;
            for (int axis = rank - 1; axis >= 0; axis--) { /* the same point, counted in both */
                const rts_index_t extent = run.hi[axis] - run.lo[axis], whole = box.hi[axis] - box.lo[axis];
                CHECK_EQ_INT(run.lo[axis] + in_run % extent, box.lo[axis] + in_box % whole);
                in_run /= extent;
                in_box /= whole;
            }
        }
        CHECK(at <= end);
    }
    CHECK(runs <= rts_max(1, 2 * rank - 1));
}

int main(void) {
    check_random_start();
    for (int i = 0; i < 2000; i++)
        test_runs(i % 5);
    for (int rank = 0; rank <= 4; rank++) {
        test_boxes(rank);
        test_set_operations(rank, rank == 4 ? 150 : 600);
        test_failures(rank, rank == 4 ? 40 : 150);
        if (rank > 0)
            test_tiles(rank);
    }
    test_large_boxes();
    test_fast_paths();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
