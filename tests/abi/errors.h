/* Wrong calls, one short case each:
 *
 *     CASE(dvmh_array_create_C, "rank 9", "1..8") {
 *         begin();
 *         dvmh_array_create_C(NEW, 9, -rt_INT, ...);
 *     }
 *
 * is a child process that must end with exit code 1 and one line on standard error: it names the entry point,
 * shows the source position of child_init(), says what was given and what is allowed. The cases of a file
 * register themselves; run_cases() runs them. With -v it prints every message, to be read by a person. */
#ifndef TESTS_ABI_ERRORS_H
#define TESTS_ABI_ERRORS_H

#include <pthread.h>

#include <dvmhx.h>

#include "tests/abi/child.h"

/* Handlers have any parameters; by way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

/** A case that hangs is killed after so many seconds. */
#define CASE_SECONDS 60

#define CASE_MAX 256

typedef struct error_case {
    const char *entry_point, *given, *allowed;
    void (*body)(void);
    int line; /* of the test file */
    bool has_position;
} error_case_t;

static error_case_t cases[CASE_MAX];
static int case_count;
static const error_case_t *current_case;

static inline void case_add(error_case_t added) {
    if (case_count < CASE_MAX)
        cases[case_count] = added;
    case_count++;
}

#define CASE_PASTE_(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE_(a, b)
#define CASE_(entry, given, allowed, has_position)                                                           \
    static void CASE_PASTE(case_, __LINE__)(void);                                                           \
    __attribute__((constructor)) static void CASE_PASTE(add_, __LINE__)(void) {                              \
        case_add(                                                                                            \
            (error_case_t){#entry, given, allowed, CASE_PASTE(case_, __LINE__), __LINE__, has_position});    \
    }                                                                                                        \
    static void CASE_PASTE(case_, __LINE__)(void)

/** Head of a case; its body follows in braces. */
#define CASE(entry, given, allowed) CASE_(entry, given, allowed, true)
/** The same for calls before any source position was given. */
#define CASE_NO_POSITION(entry, given, allowed) CASE_(entry, given, allowed, false)

static inline void case_body(void) {
    alarm(CASE_SECONDS);
    current_case->body();
}

/** Run every case of the file in a folder of its own. */
static inline void run_cases(const char *file, bool is_verbose) {
    CHECK(case_count > 0 && case_count <= CASE_MAX);
    for (int i = 0; i < case_count && i < CASE_MAX; i++) {
        const int failures = atomic_load(&check_failures);
        current_case = &cases[i];
        child_expect_error(case_body, cases[i].entry_point, cases[i].given, cases[i].has_position);
        CHECK_CONTAINS(child_text("errors"), cases[i].allowed);
        if (atomic_load(&check_failures) != failures)
            fprintf(stderr, "  it is the case at %s:%d\n", file, cases[i].line);
        if (is_verbose)
            printf("%4d %s", cases[i].line, child_text("errors"));
    }
}

/* ---- what cases work on ---- */

static DvmType A[64];   /* [8][6] of double, distributed */
static DvmType B[64];   /* [10] of int, not distributed */
static DvmType D[64];   /* [?][4] of float, declared */
static DvmType NEW[64]; /* not created */
static DvmType T[1];    /* template [8][6], distributed */
static DvmType U[1];    /* template [10], not distributed */

/** Start the library and make the objects above. */
static inline void begin(void) {
    child_init();
    NEW[0] = 0;
    dvmh_array_create_C(A, 2, -rt_DOUBLE, 8L, 1L, 1L, 6L, 1L, 2L);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(B, 1, -rt_INT, 10L, 0L, 0L);
    dvmh_array_declare_C(D, 2, -rt_FLOAT, 0L, 0L, 0L, 4L, 0L, 0L);
    dvmh_template_create_C(T, 2, 8L, 6L);
    dvmh_distribute_C(T, 2, dvmh_distribution_block_C(1), dvmh_distribution_replicated_());
    dvmh_template_create_C(U, 1, 10L);
}

/** A region with A registered as INOUT, not executing yet. */
static inline DvmType begin_region(void) {
    begin();
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    return region;
}

/** A loop of rank 2 outside regions, mapped on A. */
static inline DvmType begin_loop(void) {
    begin();
    const DvmType loop = dvmh_loop_create_C(0, 2, 0L, 7L, 1L, 0L, 5L, 1L);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    return loop;
}

/** Call a function from the handler of a loop of one iteration, with the portion's handle in `portion`. */
static DvmType portion;
static void (*inside)(void);

static inline void call_inside(const DvmType *loop) {
    portion = *loop;
    inside();
}

static inline void in_handler(void (*function)(void)) {
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 0L, 1L);
    inside = function;
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(call_inside), 0));
    dvmh_loop_perform_C(loop);
}

static inline void *thread_body(void *unused) {
    (void)unused;
    inside();
    return NULL;
}

/** Call a function from another thread, and wait for that. */
static inline void in_thread(void (*function)(void)) {
    pthread_t thread;
    inside = function;
    if (pthread_create(&thread, NULL, thread_body, NULL) == 0)
        pthread_join(thread, NULL);
}

#endif
