/* Intervals: random nests against a stack of this file, and what does not nest. */
#include <config.h>

#include "rts/interval.h"

#include "rts/memory.h"
#include "rts/stats.h"

#include "tests/check.h"

enum { DEEPEST = 100 };

static void test_random_nests(void) {
    bool is_user[DEEPEST];
    int depth = 0, refused = 0;
    int64_t started = 0;
    for (int step = 0; step < 20000; step++) {
        if (depth < DEEPEST && check_random_range(0, 2 * DEEPEST) > depth) {
            const rts_interval_kind_t kind = (rts_interval_kind_t)check_random_range(0, 2);
            CHECK_EQ_INT(rts_interval_start(kind, step, (rts_position_t){"f.c", step}), RTS_OK);
            is_user[depth++] = kind == RTS_INTERVAL_USER;
            started++;
        } else {
            const bool ends_user = check_random_once_in(2),
                       is_right = depth > 0 && is_user[depth - 1] == ends_user;
            CHECK_EQ_INT(rts_interval_end(ends_user), is_right ? RTS_OK : RTS_ERR_INVALID);
            depth -= is_right;
            refused += !is_right;
        }
        CHECK_EQ_INT(rts_interval_depth(), depth);
        CHECK_EQ_INT(rts_stats_get(RTS_STAT_INTERVALS), started);
    }
    CHECK(refused > 100);
    rts_interval_reset();
    CHECK_EQ_INT(rts_interval_depth(), 0);
}

static void test_refused(void) {
    CHECK_EQ_INT(rts_interval_end(true), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "no interval is open");
    CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_USER, -3, (rts_position_t){"f.c", 17}), RTS_OK);
    CHECK_EQ_INT(rts_interval_end(false), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "number -3 of the program, of line 17");
    CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_SEQUENTIAL, 0, (rts_position_t){"f.c", 18}), RTS_OK);
    CHECK_EQ_INT(rts_interval_end(true), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "sequential loop of line 18");
    rts_interval_reset();
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_USER, 1, (rts_position_t){"f.c", 1}), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    CHECK_EQ_INT(rts_interval_depth(), 0);
}

static const rts_interval_sum_t *sum_of(int64_t number) {
    int count;
    const rts_interval_sum_t *sum = rts_interval_sums(&count);
    for (int i = 0; i < count; i++)
        if (sum[i].number == number)
            return &sum[i];
    return NULL;
}

/* By number, for the innermost one of the program's own, also long after its end. */
static void test_sums(void) {
    const rts_position_t at = {"f.c", 5};
    CHECK_EQ_INT(rts_interval_current(), -1);
    rts_interval_add_loops(-1, 1);
    rts_interval_add_reorganised(-1, 1);
    int first = -1, second = -1;
    for (int round = 0; round < 3; round++) {
        CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_USER, -7, at), RTS_OK);
        first = rts_interval_current();
        CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_PARALLEL, 0, at), RTS_OK);
        CHECK_EQ_INT(rts_interval_current(), first);
        CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_USER, 40, at), RTS_OK);
        second = rts_interval_current();
        rts_interval_add_loops(second, .5);
        CHECK_EQ_INT(rts_interval_end(true), RTS_OK);
        CHECK_EQ_INT(rts_interval_current(), first);
        CHECK_EQ_INT(rts_interval_end(false), RTS_OK);
        CHECK_EQ_INT(rts_interval_end(true), RTS_OK);
        CHECK_EQ_INT(rts_interval_current(), -1);
    }
    rts_interval_add_loops(first, 2);
    rts_interval_add_reorganised(first, 100);
    CHECK(first != second && sum_of(-7)->loop_s == 2 && sum_of(40)->loop_s == 1.5);
    CHECK(sum_of(-7)->count == 3 && sum_of(40)->count == 3 && sum_of(-7)->position.line == 5);
    CHECK(sum_of(-7)->reorganised_bytes == 100 && sum_of(40)->reorganised_bytes == 0);
    for (int64_t number = 100; number < 200; number++) { /* some too many */
        CHECK_EQ_INT(rts_interval_start(RTS_INTERVAL_USER, number, at), RTS_OK);
        rts_interval_add_loops(rts_interval_current(), 1);
        CHECK(number < 110 ? sum_of(number) != NULL : number < 190 || rts_interval_current() == -1);
        CHECK_EQ_INT(rts_interval_end(true), RTS_OK);
    }
    CHECK(sum_of(-7)->loop_s == 2);
    rts_interval_reset();
    CHECK(sum_of(-7) == NULL);
}

int main(void) {
    check_random_start();
    test_random_nests();
    test_refused();
    test_sums();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
