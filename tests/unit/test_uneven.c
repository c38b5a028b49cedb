/* Bounds of uneven parts, against searches over every place: parts of given sizes, and parts of about equal weight with whole numbers,
 * where everything is exact. */
#include <config.h>

#include "rts/uneven.h"

#include <math.h>

#include "rts/distribution.h"
#include "rts/memory.h"

#include "tests/check.h"

__extension__ typedef __int128 wide_t;

enum { MOST_PARTS = 9, MOST_PIECES = 40 };

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

static void test_sizes(void) {
    for (int round = 0; round < 2000; round++) {
        const rts_index_t parts = pick(1, MOST_PARTS);
        rts_index_t size[MOST_PARTS], bounds[MOST_PARTS + 1], sum = 0;
        for (rts_index_t k = 0; k < parts; k++)
            sum += size[k] = check_random_once_in(3) ? 0 : pick(0, 1000);
        CHECK_EQ_INT(rts_bounds_by_size(sum, size, parts, bounds), RTS_OK);
        CHECK_EQ_INT(bounds[0], 0);
        for (rts_index_t k = 0; k < parts; k++)
            CHECK_EQ_INT(bounds[k + 1] - bounds[k], size[k]);
    }
    rts_index_t bounds[4] = {7, 7, 7, 7};
    const rts_index_t size[] = {3, 0, 4}, negative[] = {9, -1, -1},
                      huge[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    CHECK_EQ_INT(rts_bounds_by_size(8, size, 3, bounds), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "the sizes of 3 parts make 7");
    CHECK_CONTAINS(rts_error_text(), "the axis's 8 elements");
    CHECK_EQ_INT(rts_bounds_by_size(6, size, 3, bounds), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_bounds_by_size(7, negative, 3, bounds), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "size of part 2 is -1");
    CHECK_EQ_INT(rts_bounds_by_size(INT64_MAX - 2, huge, 3, bounds),
                 RTS_ERR_INVALID); /* the sum wraps to that */
    CHECK(bounds[0] == 7 && bounds[3] == 7);
}

/* Weight of the first elements, times extent. */
static wide_t before(const double weight[], rts_index_t extent, rts_index_t count, rts_index_t elements) {
    wide_t sum = 0;
    for (rts_index_t piece = 0; piece < count; piece++) {
        /* An element has `count` units, a piece `extent`. */
        const rts_index_t covered = rts_min(rts_max(elements * count - piece * extent, 0), extent);
        sum += (wide_t)weight[piece] * covered;
    }
    return sum;
}

static rts_index_t search(const double weight[], rts_index_t extent, rts_index_t count, rts_index_t part,
                          rts_index_t parts) {
    const wide_t target = before(weight, extent, count, extent) * part;
    rts_index_t best = 0;
    wide_t best_value = 0, best_distance = target;
    for (rts_index_t place = 1; place <= extent; place++) {
        const wide_t value = before(weight, extent, count, place) * parts;
        const wide_t distance = value < target ? target - value : value - target;
        const bool is_same = value == best_value && value < target; /* nothing weighs what lies between */
        if (distance < best_distance || is_same) {
            best = place;
            best_value = value;
            best_distance = distance;
        }
    }
    return best;
}

static void test_weights(void) {
    int empty = 0;
    for (int round = 0; round < 3000; round++) {
        const rts_index_t extent = pick(1, 60),
                          count = check_random_once_in(3) ? extent : pick(1, MOST_PIECES),
                          parts = pick(1, MOST_PARTS);
        const int zeros = (int)pick(1, 4);
        double weight[64];
        rts_index_t bounds[MOST_PARTS + 1] = {0};
        for (rts_index_t piece = 0; piece < count; piece++)
            weight[piece] = check_random_once_in(zeros) && piece > 0 ? 0 : (double)pick(1, 100);
        CHECK_EQ_INT(rts_bounds_by_weight(extent, weight, count, parts, bounds), RTS_OK);
        CHECK_EQ_INT(bounds[0], 0);
        CHECK_EQ_INT(bounds[parts], extent);
        for (rts_index_t part = 1; part < parts; part++) {
            if (!CHECK_EQ_INT(bounds[part], search(weight, extent, count, part, parts)))
                fprintf(stderr, "  part %d of %d, %d elements, %d weights\n", (int)part, (int)parts,
                        (int)extent, (int)count);
            CHECK(bounds[part] >= bounds[part - 1]);
            empty += bounds[part] == bounds[part - 1];
        }
        rts_index_t scaled[MOST_PARTS + 1];
        const int shift = (int)pick(-1060, 1017);
        for (rts_index_t piece = 0; piece < count; piece++)
            weight[piece] = ldexp(weight[piece], shift);
        CHECK_EQ_INT(rts_bounds_by_weight(extent, weight, count, parts, scaled), RTS_OK);
        CHECK(memcmp(scaled, bounds, (size_t)(parts + 1) * sizeof bounds[0]) == 0);
    }
    CHECK(empty > 100);
}

static void test_known_weights(void) {
    rts_index_t bounds[5];
    const double heavy_end[] = {1, 1, 1, 100}, zeros[] = {0, 0, 0};
    CHECK_EQ_INT(rts_bounds_by_weight(4, heavy_end, 4, 2, bounds), RTS_OK);
    CHECK_EQ_INT(bounds[1], 3);
    CHECK_EQ_INT(rts_bounds_by_weight(8, heavy_end, 4, 2, bounds), RTS_OK); /* two elements a piece */
    CHECK_EQ_INT(bounds[1], 7);
    CHECK_EQ_INT(rts_bounds_by_weight(10, zeros, 3, 4, bounds), RTS_OK);
    for (int part = 0; part < 4; part++) {
        rts_index_t lo, hi;
        rts_block_bounds(10, 4, part, &lo, &hi);
        CHECK(bounds[part] == lo && bounds[part + 1] == hi);
    }
    const rts_index_t far = (rts_index_t)1 << 61; /* extents that a product with the count would not fit */
    const double even[] = {3, 3, 3};
    CHECK_EQ_INT(rts_bounds_by_weight(far, even, 3, 4, bounds), RTS_OK);
    for (int part = 1; part < 4; part++) /* sums are rounded to 53 bits */
        CHECK(bounds[part] >= far / 4 * part - 4096 && bounds[part] <= far / 4 * part + 4096);
}

static void test_refused(void) {
    rts_index_t bounds[4] = {7, 7, 7, 7};
    const double bad[][2] = {{1, -1}, {1, NAN}, {1, INFINITY}, {1, -INFINITY}};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ_INT(rts_bounds_by_weight(8, bad[i], 2, 3, bounds), RTS_ERR_INVALID);
        CHECK_CONTAINS(rts_error_text(), "weight 2 is");
    }
    CHECK_EQ_INT(rts_bounds_by_weight(8, bad[0], 0, 3, bounds), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "0 weights");
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_bounds_by_weight(8, bad[0], 1, 3, bounds), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    CHECK(bounds[0] == 7 && bounds[3] == 7);
}

int main(void) {
    check_random_start();
    test_sizes();
    test_weights();
    test_known_weights();
    test_refused();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
