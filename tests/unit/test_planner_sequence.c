/* The period of a sequence of loops, against a model that keeps the whole sequence. */
#include "rts/sequence.h"

#include "tests/check.h"

enum { LONGEST = 4000 };

static rts_sequence_t sequence;
static char site[64]; /* addresses that stand for loops */
static struct {
    int loop, arrays;
    rts_handle_t array[3];
} played[LONGEST];
static int count;
static int64_t period, right; /* the model's */

static bool is_same(int a, int b) {
    return played[a].loop == played[b].loop && played[a].arrays == played[b].arrays &&
           memcmp(played[a].array, played[b].array, sizeof played[a].array) == 0;
}

static void play(int loop, int arrays, rts_handle_t first) {
    played[count].loop = loop;
    played[count].arrays = arrays;
    memset(played[count].array, 0, sizeof played[count].array);
    for (int i = 0; i < arrays; i++)
        played[count].array[i] = first + i;
    const int newest = count++;
    if (period > 0 && is_same(newest, newest - (int)period)) {
        right++;
    } else {
        period = right = 0;
        for (int back = 1;
             back <= newest && back <= RTS_SEQUENCE_MAX_PERIOD && (period == 0 || right < period); back++) {
            int length = 0;
            while (length < 2 * RTS_SEQUENCE_MAX_PERIOD && newest - length - back >= 0 &&
                   is_same(newest - length, newest - length - back))
                length++;
            if (length > 0 && (period == 0 || (double)length / back > (double)right / (double)period)) {
                period = back;
                right = length;
            }
        }
    }
    rts_sequence_add(&sequence, &site[loop], played[newest].array, arrays);
    CHECK_EQ_INT(sequence.period, period);
    CHECK_EQ_INT(sequence.right, right);
}

static void restart(void) {
    rts_sequence_reset(&sequence);
    count = 0;
    period = right = 0;
}

/* Letters are loops; found from the second round on, and again after a loop that comes once. */
static void check_pattern(const char *pattern) {
    const int length = (int)strlen(pattern);
    restart();
    for (int i = 0; i < 3; i++)
        play(40 + i, 1, 1); /* before */
    for (int i = 0; i < 6 * length; i++)
        play(pattern[i % length] - 'A', 2, 10);
    CHECK_EQ_INT(sequence.period, length);
    CHECK(sequence.right >= 3 * length);
    play(50, 1, 1); /* between */
    CHECK_EQ_INT(sequence.period, 0);
    for (int i = 0; i < 6 * length; i++)
        play(pattern[i % length] - 'A', 2, 10);
    CHECK_EQ_INT(sequence.period, length);
    for (int i = 0; i < length; i++) {
        const rts_sequence_entry_t *entry = rts_sequence_back(&sequence, i);
        CHECK(entry != NULL && entry->loop == &site[pattern[length - 1 - i] - 'A'] &&
              entry->array_count == 2 && rts_sequence_handle(&sequence, entry, 1) == 11);
    }
}

static void test_patterns(void) {
    check_pattern("A");
    check_pattern("AB");
    check_pattern("ABC");
    check_pattern("ABAC");
    check_pattern("ABACABD");
    check_pattern("AAAAB");
    check_pattern("AABAAC");
    check_pattern("ABCABACC");
    check_pattern("AABABBAB");
}

static void test_random(void) {
    for (int trial = 0; trial < 60; trial++) {
        const int loops = (int)check_random_range(1, 30), arrays = (int)check_random_range(0, 3);
        restart();
        while (count < LONGEST - RTS_SEQUENCE_MAX_PERIOD - 10) {
            const int length = (int)check_random_range(1, RTS_SEQUENCE_MAX_PERIOD + 5);
            const int start = count, rounds = (int)check_random_range(1, 4);
            for (int i = 0; i < length && count < LONGEST; i++)
                play((int)check_random_range(0, loops - 1), arrays, check_random_range(1, 2));
            for (int i = 0; i < rounds * length && count < LONGEST; i++)
                play(played[start + i].loop, arrays, played[start + i].array[0]);
        }
    }
}

/* The same loop on other arrays is another entry; what left the ring is not found. */
static void test_identities(void) {
    restart();
    for (int i = 0; i < 20; i++)
        play(0, 2, i % 2 == 0 ? 5 : 7);
    CHECK_EQ_INT(sequence.period, 2);
    rts_sequence_reset(&sequence);
    static rts_handle_t many[RTS_SEQUENCE_HANDLES / 2];
    for (int i = 0; i < 10; i++)
        rts_sequence_add(&sequence, &site[i % 3], many, RTS_SEQUENCE_HANDLES / 2);
    CHECK_EQ_INT(sequence.period, 0);
    CHECK(rts_sequence_back(&sequence, 0) != NULL && rts_sequence_back(&sequence, 2) == NULL);
    CHECK(rts_sequence_back(&sequence, 100) == NULL);
}

int main(void) {
    check_random_start();
    test_patterns();
    test_random();
    test_identities();
    return check_finish();
}
