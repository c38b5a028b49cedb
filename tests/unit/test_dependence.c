/* Dependence vectors against brute force: for small loops every pair of iterations is visited, and what the functions derive
 * from the vectors is compared with what the pairs say. */
#include <config.h>

#include "rts/dependence.h"

#include "tests/check.h"

enum { MAX_TEST_RANK = 4, MAX_OFFSETS = 4096, MAX_TILES = 1024 };

/* A loop of known counts, with dependences and tiles. */
typedef struct example {
    rts_dependences_t dependences;
    rts_index_t count[RTS_MAX_RANK], tile[RTS_MAX_RANK];
} example_t;

typedef struct offsets {
    int count;
    int8_t offset[MAX_OFFSETS][RTS_MAX_RANK];
} offsets_t;

static int leading(const rts_index_t vector[], int rank) {
    for (int dim = 0; dim < rank; dim++)
        if (vector[dim] != 0)
            return dim;
    return rank;
}

static void print_example(const example_t *example) {
    const int rank = example->dependences.rank;
    fprintf(stderr, "  rank %d, counts", rank);
    for (int dim = 0; dim < rank; dim++)
        fprintf(stderr, " %lld", (long long)example->count[dim]);
    fprintf(stderr, ", tiles");
    for (int dim = 0; dim < rank; dim++)
        fprintf(stderr, " %lld", (long long)example->tile[dim]);
    for (int i = 0; i < example->dependences.count; i++) {
        fprintf(stderr, "%s(", i == 0 ? ", vectors " : " ");
        for (int dim = 0; dim < rank; dim++)
            fprintf(stderr, "%s%lld", dim > 0 ? "," : "", (long long)example->dependences.vector[i][dim]);
        fprintf(stderr, ")");
    }
    fprintf(stderr, "\n");
}

/* Random vectors that point forwards, tiles and counts; `size` limits counts and components. */
static void make_example(example_t *example, int size) {
    const int rank = (int)check_random_range(1, MAX_TEST_RANK), wanted = (int)check_random_range(0, 8);
    rts_dependences_init(&example->dependences, rank);
    const rts_index_t longest = rank == 4 ? rts_min(size, 4) : size;
    for (int dim = 0; dim < rank; dim++) {
        example->count[dim] = check_random_range(check_random_once_in(6) ? 1 : longest / 2, longest);
        example->tile[dim] = check_random_range(1, check_random_once_in(4) ? example->count[dim] + 1 : 3);
    }
    for (int i = 0; i < wanted; i++) {
        rts_index_t vector[RTS_MAX_RANK];
        for (int dim = 0; dim < rank; dim++)
            vector[dim] =
                check_random_once_in(3) ? 0 : check_random_range(-2, check_random_once_in(4) ? 3 : 1);
        const int lead = leading(vector, rank);
        if (lead == rank)
            continue;
        if (vector[lead] < 0)
            vector[lead] = -vector[lead];
        CHECK_EQ_INT(rts_dependences_add(&example->dependences, vector), RTS_OK);
    }
}

/* Next point of a box from 0; @return false after the last. */
static bool next_point(rts_index_t point[], const rts_index_t count[], int rank) {
    for (int dim = rank - 1; dim >= 0; dim--) {
        if (++point[dim] < count[dim])
            return true;
        point[dim] = 0;
    }
    return false;
}

static bool is_inside(const rts_index_t point[], const rts_index_t count[], int rank) {
    for (int dim = 0; dim < rank; dim++)
        if (point[dim] < 0 || point[dim] >= count[dim])
            return false;
    return true;
}

/* ---- adding ---- */

static void test_add(void) {
    rts_dependences_t dependences;
    rts_dependences_init(&dependences, 3);
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){0, 0, 0}), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "of zeros");
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){0, -1, 5}), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "must be positive");
    const rts_index_t limit = (rts_index_t)1 << 31;
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){1, limit, 0}), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "2147483648; allowed: below 2^31");
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){1, 0, -limit}), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "-2147483648");
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){limit, 0, 0}), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){INT64_MIN, 0, 0}), RTS_ERR_INVALID);
    CHECK_EQ_INT(dependences.count, 0);
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){limit - 1, 1 - limit, 0}), RTS_OK);
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){limit - 1, 1 - limit, 0}), RTS_OK);
    CHECK_EQ_INT(dependences.count, 1);
    for (rts_index_t i = 1; i < RTS_MAX_DEPENDENCES; i++)
        CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){0, i, -i}), RTS_OK);
    CHECK_EQ_INT(dependences.count, RTS_MAX_DEPENDENCES);
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){0, 7, -7}), RTS_OK); /* there already */
    CHECK_EQ_INT(rts_dependences_add(&dependences, (rts_index_t[]){1, 1, 1}), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "more than 64");
    CHECK_EQ_INT(dependences.count, RTS_MAX_DEPENDENCES);
    rts_dependences_init(&dependences, 0);
    CHECK_EQ_INT(rts_dependences_carried(&dependences), 0);
}

/* ---- clip, is_free, carried: from pairs of iterations ---- */

/* Whether some pair of iterations lies a vector apart. */
static bool has_pair(const example_t *example, const rts_index_t vector[]) {
    const int rank = example->dependences.rank;
    rts_index_t point[RTS_MAX_RANK] = {0}, before[RTS_MAX_RANK];
    do {
        for (int dim = 0; dim < rank; dim++)
            before[dim] = point[dim] - vector[dim];
        if (is_inside(before, example->count, rank))
            return true;
    } while (next_point(point, example->count, rank));
    return false;
}

static void check_masks(const example_t *example) {
    const rts_dependences_t *dependences = &example->dependences;
    unsigned carried = 0;
    bool is_free[RTS_MAX_RANK];
    for (int dim = 0; dim < dependences->rank; dim++)
        is_free[dim] = true;
    for (int i = 0; i < dependences->count; i++) {
        carried |= 1u << (dependences->rank - 1 - leading(dependences->vector[i], dependences->rank));
        for (int dim = 0; dim < dependences->rank; dim++)
            is_free[dim] = is_free[dim] && dependences->vector[i][dim] == 0;
    }
    CHECK_EQ_INT(rts_dependences_carried(dependences), carried);
    for (int dim = 0; dim < dependences->rank; dim++)
        CHECK_EQ_INT(rts_dependences_is_free(dependences, dim), is_free[dim]);
}

static void test_clip(void) {
    for (int trial = 0; trial < 2000; trial++) {
        example_t example;
        make_example(&example, 5);
        const rts_dependences_t all = example.dependences;
        check_masks(&example);
        rts_dependences_clip(&example.dependences, example.count);
        int kept = 0;
        bool good = true;
        for (int i = 0; i < all.count; i++) {
            if (!has_pair(&example, all.vector[i]))
                continue;
            good = good && kept < example.dependences.count &&
                   memcmp(example.dependences.vector[kept], all.vector[i],
                          (size_t)all.rank * sizeof(rts_index_t)) == 0;
            kept++;
        }
        if (!CHECK(good) || !CHECK_EQ_INT(example.dependences.count, kept))
            print_example(&example);
        check_masks(&example);
    }
}

/* ---- time vectors ---- */

static bool is_legal_time(const rts_dependences_t *dependences, const rts_index_t time[]) {
    for (int i = 0; i < dependences->count; i++) {
        rts_index_t sum = 0;
        for (int dim = 0; dim < dependences->rank; dim++)
            sum += time[dim] * dependences->vector[i][dim];
        if (sum < 1)
            return false;
    }
    return true;
}

static void test_time(void) {
    rts_dependences_t dependences;
    rts_index_t time[RTS_MAX_RANK];
    for (int trial = 0; trial < 5000; trial++) {
        example_t example;
        make_example(&example, 5);
        dependences = example.dependences;
        bool good = CHECK(rts_dependences_time_vector(&dependences, time)) &&
                    CHECK(is_legal_time(&dependences, time));
        int innermost = -1;
        for (int dim = 0; dim < dependences.rank; dim++) {
            innermost = time[dim] != 0 ? dim : innermost;
            good = CHECK(time[dim] >= 0) && good;
            if (time[dim] == 0)
                continue;
            time[dim]--; /* smallest: no entry can be less */
            good = CHECK(!is_legal_time(&dependences, time)) && good;
            time[dim]++;
        }
        good =
            (dependences.count == 0 ? CHECK_EQ_INT(innermost, -1) : CHECK_EQ_INT(time[innermost], 1)) && good;
        if (!good)
            print_example(&example);
    }
    /* Entries that grow beyond 31 bits. */
    const rts_index_t far = ((rts_index_t)1 << 31) - 1;
    rts_dependences_init(&dependences, 3);
    rts_dependences_add(&dependences, (rts_index_t[]){0, 0, 1});
    rts_dependences_add(&dependences, (rts_index_t[]){0, 1, -far + 1});
    CHECK(rts_dependences_time_vector(&dependences, time));
    CHECK_EQ_INT(time[1], far);
    rts_dependences_add(&dependences, (rts_index_t[]){0, 1, -far});
    CHECK(!rts_dependences_time_vector(&dependences, time));
    dependences.count = 2;
    rts_dependences_add(&dependences, (rts_index_t[]){1, -far, -far});
    CHECK(!rts_dependences_time_vector(&dependences, time));
}

/* ---- lag ---- */

/* Whether rows that run `lag` behind each other keep the order of every pair of iterations. */
static bool is_legal_lag(const rts_dependences_t *dependences, rts_index_t lag) {
    const int p = dependences->rank - 2, q = dependences->rank - 1;
    for (int i = 0; i < dependences->count; i++) {
        const rts_index_t *vector = dependences->vector[i];
        if (leading(vector, dependences->rank) < p)
            continue; /* other planes */
        for (rts_index_t row = 0; row < 5; row++)
            for (rts_index_t column = -5; column < 5; column++) {
                const rts_index_t now = column + lag * row;
                const rts_index_t before = column - vector[q] + lag * (row - vector[p]);
                if (before >= now)
                    return false;
            }
    }
    return true;
}

static void test_lag(void) {
    rts_index_t lag = -1;
    for (int trial = 0; trial < 5000; trial++) {
        example_t example;
        make_example(&example, 5);
        lag = -1;
        const bool found = rts_dependences_lag(&example.dependences, &lag);
        if (!CHECK_EQ_INT(found, example.dependences.rank >= 2)) /* components of these are small */
            print_example(&example);
        rts_index_t least = 0;
        while (found && !is_legal_lag(&example.dependences, least))
            least++;
        if (found && !CHECK_EQ_INT(lag, least))
            print_example(&example);
    }
    rts_dependences_t dependences;
    rts_dependences_init(&dependences, 2);
    rts_dependences_add(&dependences, (rts_index_t[]){1, -63});
    CHECK(rts_dependences_lag(&dependences, &lag));
    CHECK_EQ_INT(lag, 64);
    lag = 5;
    rts_dependences_add(&dependences, (rts_index_t[]){1, -64});
    CHECK(!rts_dependences_lag(&dependences, &lag));
    CHECK_EQ_INT(lag, 5);
}

/* ---- tiles ---- */

static bool has_offset(const offsets_t *set, const int8_t offset[]) {
    for (int i = 0; i < set->count; i++)
        if (memcmp(set->offset[i], offset, RTS_MAX_RANK) == 0)
            return true;
    return false;
}

static bool is_forward(const int8_t offset[], int rank) {
    for (int dim = 0; dim < rank; dim++)
        if (offset[dim] != 0)
            return offset[dim] > 0;
    return false;
}

/* Offsets between the tiles of all pairs of iterations. @return whether all point forwards */
static bool find_offsets(const example_t *example, offsets_t *set) {
    const int rank = example->dependences.rank;
    bool forward = true;
    set->count = 0;
    for (int i = 0; i < example->dependences.count; i++) {
        rts_index_t point[RTS_MAX_RANK] = {0}, before[RTS_MAX_RANK];
        do {
            int8_t offset[RTS_MAX_RANK] = {0};
            for (int dim = 0; dim < rank; dim++)
                before[dim] = point[dim] - example->dependences.vector[i][dim];
            if (!is_inside(before, example->count, rank))
                continue;
            bool same = true;
            for (int dim = 0; dim < rank; dim++) {
                offset[dim] = (int8_t)(point[dim] / example->tile[dim] - before[dim] / example->tile[dim]);
                same = same && offset[dim] == 0;
            }
            if (same || has_offset(set, offset))
                continue;
            memcpy(set->offset[set->count++], offset, RTS_MAX_RANK);
            forward = is_forward(offset, rank) && forward;
        } while (next_point(point, example->count, rank));
    }
    return forward;
}

/* Number of the tile at an offset before `tile`, or -1 outside the grid. */
static int tile_before(const rts_index_t tile[], const int8_t offset[], const rts_index_t grid[], int rank) {
    rts_index_t number = 0;
    for (int dim = 0; dim < rank; dim++) {
        const rts_index_t at = tile[dim] - offset[dim];
        if (at < 0 || at >= grid[dim])
            return -1;
        number = number * grid[dim] + at;
    }
    return (int)number;
}

static void tile_of_number(rts_index_t number, const rts_index_t grid[], int rank, rts_index_t tile[]) {
    for (int dim = rank - 1; dim >= 0; dim--) {
        tile[dim] = number % grid[dim];
        number /= grid[dim];
    }
}

/* Whether the tile has waited, directly or by way of others, for every tile that it needs. */
static bool waits_for_all(const rts_index_t tile[], const rts_index_t grid[], int rank,
                          const offsets_t *needed, const offsets_t *given) {
    static bool waited[MAX_TILES];
    static int open[MAX_TILES];
    int count = 1;
    const int8_t here[RTS_MAX_RANK] = {0};
    memset(waited, 0, sizeof waited);
    open[0] = tile_before(tile, here, grid, rank);
    for (int i = 0; i < count; i++) {
        rts_index_t at[RTS_MAX_RANK];
        tile_of_number(open[i], grid, rank, at);
        for (int j = 0; j < given->count; j++) {
            const int before = tile_before(at, given->offset[j], grid, rank);
            if (before >= 0 && !waited[before]) {
                waited[before] = true;
                open[count++] = before;
            }
        }
    }
    for (int i = 0; i < needed->count; i++) {
        const int before = tile_before(tile, needed->offset[i], grid, rank);
        if (before >= 0 && !waited[before])
            return false;
    }
    return true;
}

static bool check_closure(const example_t *example, const offsets_t *needed, const offsets_t *given) {
    const int rank = example->dependences.rank;
    rts_index_t grid[RTS_MAX_RANK], tile[RTS_MAX_RANK] = {0};
    for (int i = 0; i < given->count; i++)
        if (!CHECK(has_offset(needed, given->offset[i])))
            return false;
    for (int dim = 0; dim < rank; dim++)
        grid[dim] = (example->count[dim] + example->tile[dim] - 1) / example->tile[dim];
    do {
        if (!CHECK(waits_for_all(tile, grid, rank, needed, given)))
            return false;
    } while (next_point(tile, grid, rank));
    return true;
}

static void check_predecessors(const example_t *example) {
    static offsets_t needed, given;
    const bool forward = find_offsets(example, &needed);
    given.count = rts_dependences_predecessors(&example->dependences, example->count, example->tile,
                                               MAX_OFFSETS, given.offset);
    if (!CHECK_EQ_INT(given.count >= 0, forward)) {
        print_example(example);
        return;
    }
    if (forward && !check_closure(example, &needed, &given))
        print_example(example);
    if (forward && needed.count > 1) { /* too little room is told, enough room is enough */
        int8_t room[MAX_OFFSETS][RTS_MAX_RANK];
        CHECK(rts_dependences_predecessors(&example->dependences, example->count, example->tile, needed.count,
                                           room) == given.count);
        CHECK(given.count <= 1 || rts_dependences_predecessors(&example->dependences, example->count,
                                                               example->tile, given.count - 1, room) == -1);
    }
}

static void test_predecessors(void) {
    int limited = 0;
    for (int trial = 0; trial < 6000; trial++) {
        example_t example;
        make_example(&example, 7);
        rts_dependences_clip(&example.dependences, example.count);
        check_predecessors(&example);
        /* Limited tiles: no larger than asked for, and never a circle. */
        example_t small = example;
        rts_dependences_limit_tile(&small.dependences, small.count, small.tile);
        for (int dim = 0; dim < small.dependences.rank; dim++) {
            CHECK(small.tile[dim] >= 1 && small.tile[dim] <= example.tile[dim]);
            limited += small.tile[dim] < example.tile[dim];
        }
        static offsets_t needed;
        if (!CHECK(find_offsets(&small, &needed)))
            print_example(&small);
        check_predecessors(&small);
    }
    CHECK(limited > 100);
}

/* What random examples do not reach. */
static void test_tile_limits(void) {
    rts_dependences_t dependences;
    int8_t predecessor[4][RTS_MAX_RANK];
    const rts_index_t count[] = {1000, 1000}, ones[] = {1, 1}, wide[] = {1, 1000};
    rts_dependences_init(&dependences, 2);
    rts_dependences_add(&dependences, (rts_index_t[]){127, 0});
    CHECK_EQ_INT(rts_dependences_predecessors(&dependences, count, ones, 4, predecessor), 1);
    CHECK_EQ_INT(predecessor[0][0], 127);
    dependences.count = 0;
    rts_dependences_add(&dependences, (rts_index_t[]){1, -128});
    CHECK_EQ_INT(rts_dependences_predecessors(&dependences, count, ones, 4, predecessor),
                 -1); /* farther than 127 */
    CHECK_EQ_INT(rts_dependences_predecessors(&dependences, count, wide, 4, predecessor), 1);
    CHECK_EQ_INT(predecessor[0][0], 1);
    CHECK_EQ_INT(predecessor[0][1], 0);
    dependences.count = 0; /* implied: (1,1) by (1,0) and (0,1) */
    rts_dependences_add(&dependences, (rts_index_t[]){1, 1});
    rts_dependences_add(&dependences, (rts_index_t[]){1, 0});
    rts_dependences_add(&dependences, (rts_index_t[]){0, 1});
    CHECK_EQ_INT(rts_dependences_predecessors(&dependences, count, ones, 4, predecessor), 2);
    /* One limit makes a dim cut that was whole before: the other vector's limit follows, in whatever order they come. */
    for (int order = 0; order < 2; order++) {
        const rts_index_t vector[2][3] = {{1, -1, 0}, {0, 1, -1}}, three[] = {8, 8, 8};
        rts_index_t tile[] = {8, 8, 2};
        rts_dependences_init(&dependences, 3);
        rts_dependences_add(&dependences, vector[order]);
        rts_dependences_add(&dependences, vector[1 - order]);
        rts_dependences_limit_tile(&dependences, three, tile);
        CHECK_EQ_INT(tile[0], 1);
        CHECK_EQ_INT(tile[1], 1);
        CHECK(rts_dependences_predecessors(&dependences, three, tile, 4, predecessor) > 0);
    }
}

int main(void) {
    check_random_start();
    test_add();
    test_clip();
    test_time();
    test_lag();
    test_predecessors();
    test_tile_limits();
    return check_finish();
}
