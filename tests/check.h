/* Checks for test programs: no framework, one header. A check that fails prints where and what, is counted,
 * and the test goes on; `return check_finish();` ends main. Random numbers come from a printed seed, so that
 * a failure can be run again with CHECK_SEED=<seed>. Threads: checks from any thread, random numbers from
 * one. */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Failures printed before the rest is only counted. */
#define CHECK_PRINT_MAX 20

static atomic_int check_failures;
static const char *check_who = ""; /* begins every message; tests with several processes set it */
static uint64_t check_random_state = 1;

/** Count a failure. @return whether it should be printed */
static inline bool check_failed(void) {
    return atomic_fetch_add(&check_failures, 1) < CHECK_PRINT_MAX;
}

static inline bool check_true(bool good, const char *condition, const char *file, int line) {
    if (!good && check_failed())
        fprintf(stderr, "%s%s:%d: '%s' does not hold\n", check_who, file, line, condition);
    return good;
}

static inline bool check_eq_int(int64_t a, int64_t b, const char *a_text, const char *b_text,
                                const char *file, int line) {
    if (a != b && check_failed())
        fprintf(stderr, "%s%s:%d: %s is %" PRId64 ", %s is %" PRId64 "\n", check_who, file, line, a_text, a,
                b_text, b);
    return a == b;
}

static inline bool check_eq_str(const char *a, const char *b, const char *a_text, const char *b_text,
                                const char *file, int line) {
    const bool good = a != NULL && b != NULL && strcmp(a, b) == 0;
    if (!good && check_failed())
        fprintf(stderr, "%s%s:%d: %s is\n  \"%s\"\n%s is\n  \"%s\"\n", check_who, file, line, a_text,
                a != NULL ? a : "(null)", b_text, b != NULL ? b : "(null)");
    return good;
}

static inline bool check_contains(const char *text, const char *part, const char *file, int line) {
    const bool good = text != NULL && strstr(text, part) != NULL;
    if (!good && check_failed())
        fprintf(stderr, "%s%s:%d: \"%s\" is not in\n  \"%s\"\n", check_who, file, line, part,
                text != NULL ? text : "(null)");
    return good;
}

/* Each is true when the check held, so that a test can stop where going on makes no sense. Arguments are
 * evaluated once. */
#define CHECK(condition)           check_true((condition) ? true : false, #condition, __FILE__, __LINE__)
#define CHECK_EQ_INT(a, b)         check_eq_int((int64_t)(a), (int64_t)(b), #a, #b, __FILE__, __LINE__)
#define CHECK_EQ_STR(a, b)         check_eq_str(a, b, #a, #b, __FILE__, __LINE__)
#define CHECK_CONTAINS(text, part) check_contains(text, part, __FILE__, __LINE__)

/** Start the random numbers from CHECK_SEED, or from a fixed seed, and print it. */
static inline void check_random_start(void) {
    const char *text = getenv("CHECK_SEED");
    const uint64_t seed = text != NULL && *text != '\0' ? strtoull(text, NULL, 0) : 20240229;
    printf("CHECK_SEED=%" PRIu64 "\n", seed);
    fflush(stdout);
    /* Spread neighbouring seeds; the state must not be 0. */
    check_random_state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

/** Any 64-bit number (xorshift64*). */
static inline uint64_t check_random_u64(void) {
    check_random_state ^= check_random_state >> 12;
    check_random_state ^= check_random_state << 25;
    check_random_state ^= check_random_state >> 27;
    return check_random_state * UINT64_C(0x2545f4914f6cdd1d);
}

/** A number lo..hi, both included; hi - lo < 2^63. */
static inline int64_t check_random_range(int64_t lo, int64_t hi) {
    return lo + (int64_t)((check_random_u64() >> 1) % ((uint64_t)(hi - lo) + 1));
}

/** True once in n times. */
static inline bool check_random_once_in(int n) {
    return check_random_range(1, n) == 1;
}

/** Shuffle a list. */
static inline void check_random_shuffle(int count, int list[]) {
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)check_random_range(0, i), kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
}

/** A random order of 0 .. count - 1. */
static inline void check_random_order(int count, int order[]) {
    for (int i = 0; i < count; i++)
        order[i] = i;
    check_random_shuffle(count, order);
}

/** End the program as skipped, saying why. */
_Noreturn static inline void check_skip(const char *reason) {
    printf("skipped: %s\n", reason);
    exit(77);
}

/** Say how it went. @return exit status of the test: 0 or 1 */
static inline int check_finish(void) {
    const int failures = atomic_load(&check_failures);
    if (failures > 0)
        fprintf(stderr, "%s%d checks failed\n", check_who, failures);
    return failures > 0 ? 1 : 0;
}

#endif
