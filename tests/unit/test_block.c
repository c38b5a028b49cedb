/* Blocks of query handlers' kernels: fixed cases by hand, and for random requests all that must hold of every answer. */
#include <config.h>

#include "rts/block.h"
#include "tests/check.h"

static const rts_device_limits_t limits = {.threads = 1024,
                                           .extent = {1024, 1024, 64},
                                           .registers = 65536,
                                           .registers_per_thread = 255,
                                           .shared_bytes = 49152};

static void check(const rts_block_request_t *request, int64_t x, int64_t y, int64_t z) {
    int64_t block[3] = {-1, -1, -1};
    CHECK_EQ_INT(rts_block_choose(request, &limits, block), RTS_OK);
    if (!CHECK(block[0] == x && block[1] == y && block[2] == z))
        fprintf(stderr, "  %lld %lld %lld, wanted %lld %lld %lld\n", (long long)block[0], (long long)block[1],
                (long long)block[2], (long long)x, (long long)y, (long long)z);
}

static void test_defaults(void) {
    check(&(rts_block_request_t){.rank = 0, .proposal = {7, 7, 7}}, 1, 1, 1);
    check(&(rts_block_request_t){.rank = 1}, 256, 1, 1);
    check(&(rts_block_request_t){.rank = 2}, 32, 8, 1);
    check(&(rts_block_request_t){.rank = 3}, 32, 4, 2);
    check(&(rts_block_request_t){.rank = 5}, 32, 4, 2);
    check(&(rts_block_request_t){.rank = 1, .has_dependences = true, .proposal = {256, 1, 1}}, 1, 1, 1);
    check(&(rts_block_request_t){.rank = 2, .has_dependences = true}, 256, 1, 1);
    check(&(rts_block_request_t){.rank = 3, .has_dependences = true}, 32, 8, 1);
}

static void test_precedence(void) {
    check(&(rts_block_request_t){.rank = 3, .proposal = {16, 8, 2}}, 16, 8, 2);
    check(&(rts_block_request_t){.rank = 3, .proposal = {16, 0, 2}}, 32, 4, 2);
    check(&(rts_block_request_t){.rank = 3, .proposal = {16, 8, 2}, .wish = {64, 3, 1}}, 64, 3, 1);
    check(&(rts_block_request_t){.rank = 3, .has_dependences = true, .proposal = {32, 5, 1}}, 32, 5, 1);
    check(&(rts_block_request_t){.rank = 1, .wish = {1000, 1, 1}}, 1000, 1, 1);
}

static void test_reductions(void) {
    /* powers of two where handlers halve, whole warps where they shuffle */
    check(&(rts_block_request_t){.rank = 3,
                                 .has_dependences = true,
                                 .has_reductions = true,
                                 .proposal = {32, 5, 1}},
          32, 4, 1);
    check(&(rts_block_request_t){.rank = 4,
                                 .has_dependences = true,
                                 .has_reductions = true,
                                 .proposal = {32, 5, 2}},
          32, 4, 2);
    check(&(rts_block_request_t){.rank = 2, .has_reductions = true, .wish = {10, 3, 1}}, 32, 3, 1);
    check(&(rts_block_request_t){.rank = 2, .has_reductions = true, .wish = {10, 8, 1}}, 12, 8, 1);
    check(&(rts_block_request_t){.rank = 1, .has_reductions = true, .wish = {1, 1, 1}}, 1, 1, 1);
    check(&(rts_block_request_t){.rank = 3,
                                 .has_dependences = true,
                                 .has_reductions = true,
                                 .wish = {24, 3, 1}},
          16, 2, 1);
}

static void test_demand(void) {
    check(&(rts_block_request_t){.rank = 1, .registers = 255, .proposal = {512, 1, 1}}, 256, 1, 1);
    check(&(rts_block_request_t){.rank = 1, .registers = 64, .proposal = {512, 1, 1}}, 512, 1, 1);
    check(&(rts_block_request_t){.rank = 1, .shared_per_thread = 1000}, 32, 1, 1);
    check(&(rts_block_request_t){.rank = 1, .shared_per_thread = 300}, 160, 1, 1);
    check(&(rts_block_request_t){.rank = 2,
                                 .has_dependences = true,
                                 .has_reductions = true,
                                 .shared_per_thread = 300},
          128, 1, 1);
    check(&(rts_block_request_t){.rank = 1, .shared_per_thread = 40000}, 1, 1, 1);
    check(&(rts_block_request_t){.rank = 1, .wish = {512, 1, 1}}, 512, 1, 1); /* registers not known */
}

static void check_refused(const rts_block_request_t *request, const char *text) {
    int64_t block[3] = {5, 6, 7};
    CHECK_EQ_INT(rts_block_choose(request, &limits, block), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), text);
    CHECK(block[0] == 5 && block[1] == 6 && block[2] == 7);
}

static void test_refused(void) {
    check_refused(&(rts_block_request_t){.rank = 2, .has_dependences = true, .wish = {8, 8, 1}},
                  "at most 1 sizes");
    check_refused(&(rts_block_request_t){.rank = 3, .wish = {1, 1, 65}},
                  "65 threads along axis 3; allowed: 1..64");
    check_refused(&(rts_block_request_t){.rank = 2, .wish = {64, 32, 1}}, "2048 threads; allowed: 1..1024");
    check_refused(&(rts_block_request_t){.rank = 1, .wish = {1024, 1, 1}, .registers = 65},
                  "65 registers each");
    check_refused(&(rts_block_request_t){.rank = 1, .wish = {1024, 1, 1}, .shared_per_thread = 49},
                  "49 bytes of shared memory each");
}

static bool is_power(int64_t number) {
    return (number & (number - 1)) == 0;
}

static void test_random(void) {
    for (int i = 0; i < 20000; i++) {
        rts_block_request_t r = {.rank = (int)check_random_range(0, 6),
                                 .has_dependences = check_random_once_in(2),
                                 .has_reductions = check_random_once_in(2),
                                 .shared_per_thread =
                                     check_random_once_in(2) ? 0 : check_random_range(1, 400),
                                 .registers = check_random_once_in(2) ? 0 : check_random_range(1, 255)};
        r.has_dependences = r.has_dependences && r.rank > 0;
        for (int axis = 0; axis < 3; axis++) {
            r.proposal[axis] = check_random_range(0, 20);
            r.wish[axis] = check_random_once_in(2) ? 0 : check_random_range(1, 40);
        }
        const bool wishes = r.wish[0] > 0 && r.wish[1] > 0 && r.wish[2] > 0;
        const int independent = r.rank - r.has_dependences;
        int64_t block[3];
        if (rts_block_choose(&r, &limits, block) != RTS_OK) {
            CHECK(wishes && independent > 0);
            continue;
        }
        const int64_t threads = block[0] * block[1] * block[2];
        bool good = block[0] >= 1 && block[1] >= 1 && block[2] >= 1 && threads <= 1024 && block[2] <= 64;
        for (int axis = 0; axis < 3; axis++)
            good = good && (axis < independent || block[axis] == 1);
        if (r.has_reductions && threads > 1)
            good = good && threads % 32 == 0 && (!r.has_dependences || is_power(threads));
        good = good && threads * r.shared_per_thread <= limits.shared_bytes;
        good = good && threads * r.registers <= limits.registers;
        if (!CHECK(good))
            fprintf(stderr, "  trial %d: %lld %lld %lld\n", i, (long long)block[0], (long long)block[1],
                    (long long)block[2]);
    }
}

int main(void) {
    check_random_start();
    test_defaults();
    test_precedence();
    test_reductions();
    test_demand();
    test_refused();
    test_random();
    return check_finish();
}
