/* Allocation: alignment, contents, overflow, the planned failure (also across threads), and the count of live
 * blocks. */
#include <config.h>

#include "rts/memory.h"

#include "tests/check.h"

#include <pthread.h>

static bool is_aligned(const void *block, size_t alignment) {
    return (uintptr_t)block % alignment == 0;
}

static void test_sizes(void) {
    static const size_t sizes[] = {0,      1,      127,           128,     129,
                                   4096,   100000, (2 << 20) - 1, 2 << 20, (2 << 20) + 1,
                                   5 << 20};
    const int64_t live = rts_memory_live();
    const int64_t calls = rts_memory_calls();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *block = rts_alloc(sizes[i]);
        if (!CHECK(block != NULL))
            continue;
        CHECK(is_aligned(block, sizes[i] >= 2 << 20 ? 2 << 20 : RTS_MEMORY_ALIGNMENT));
        memset(block, 0xa5, sizes[i]);
        CHECK_EQ_INT(rts_memory_live(), live + 1);
        CHECK_EQ_INT(rts_memory_calls(), calls + (int64_t)i + 1);
        rts_free(block);
        CHECK_EQ_INT(rts_memory_live(), live);
    }
    rts_free(NULL);
    CHECK_EQ_INT(rts_memory_live(), live);
}

static void test_zeroed(void) {
    const int64_t live = rts_memory_live();
    for (size_t count = 0; count < 300; count += 7) {
        unsigned char *dirty = rts_alloc(count * 12);
        if (CHECK(dirty != NULL))
            memset(dirty, 0xff, count * 12);
        rts_free(dirty);
        unsigned char *block = rts_alloc_zeroed(count, 12);
        CHECK(is_aligned(block, RTS_MEMORY_ALIGNMENT));
        for (size_t i = 0; block != NULL && i < count * 12; i++)
            if (!CHECK_EQ_INT(block[i], 0))
                break;
        rts_free(block);
    }
    CHECK(rts_alloc_zeroed(SIZE_MAX, 2) == NULL);
    CHECK(rts_alloc_zeroed(SIZE_MAX / 2 + 1, 2) == NULL);
    CHECK(rts_alloc_zeroed((size_t)1 << 33, (size_t)1 << 33) == NULL);
    CHECK(rts_alloc(SIZE_MAX) == NULL);
    CHECK(rts_alloc((size_t)PTRDIFF_MAX + 1) == NULL);
    CHECK_EQ_INT(rts_memory_live(), live);
}

static void test_realloc(void) {
    const int64_t live = rts_memory_live();
    unsigned char *block = rts_realloc(NULL, 0, 10);
    for (unsigned char i = 0; i < 10; i++)
        block[i] = i;
    block = rts_realloc(block, 10, 3 << 20);
    CHECK(is_aligned(block, 2 << 20));
    block = rts_realloc(block, 3 << 20, 5);
    for (unsigned char i = 0; i < 5; i++)
        CHECK_EQ_INT(block[i], i);
    rts_memory_fail_at(1);
    CHECK(rts_realloc(block, 5, 50) == NULL);
    for (unsigned char i = 0; i < 5; i++)
        CHECK_EQ_INT(block[i], i);
    CHECK(rts_realloc(block, 5, SIZE_MAX) == NULL);
    CHECK_EQ_INT(rts_memory_live(), live + 1);
    rts_free(block);

    char *copy = rts_strdup("text");
    CHECK_EQ_STR(copy, "text");
    rts_free(copy);
    rts_memory_fail_at(1);
    CHECK(rts_strdup("") == NULL);
    CHECK_EQ_INT(rts_memory_live(), live);
}

static void test_fail_at(void) {
    const int64_t live = rts_memory_live();
    for (int n = 0; n <= 10; n++) {
        void *blocks[10];
        rts_memory_fail_at(n);
        for (int i = 0; i < 10; i++) {
            blocks[i] = i % 2 == 0 ? rts_alloc(64) : rts_alloc_zeroed(8, 8);
            CHECK_EQ_INT(blocks[i] == NULL, i + 1 == n);
        }
        for (int i = 0; i < 10; i++)
            rts_free(blocks[i]);
        CHECK_EQ_INT(rts_memory_live(), live);
    }
    rts_memory_fail_at(1);
    rts_memory_fail_at(0);
    void *block = rts_alloc(1);
    CHECK(block != NULL);
    rts_free(block);
}

#define THREADS 4
#define ROUNDS  500

static atomic_int failures;

static void *worker(void *unused) {
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        void *block = rts_alloc(64);
        if (block == NULL)
            atomic_fetch_add(&failures, 1);
        rts_free(block);
    }
    return NULL;
}

static void test_threads(void) {
    const int64_t live = rts_memory_live();
    const int64_t calls = rts_memory_calls();
    pthread_t threads[THREADS];
    rts_memory_fail_at(THREADS * ROUNDS / 2);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, worker, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ_INT(failures, 1);
    CHECK_EQ_INT(rts_memory_live(), live);
    CHECK_EQ_INT(rts_memory_calls(), calls + THREADS * ROUNDS);
}

int main(void) {
    test_sizes();
    test_zeroed();
    test_realloc();
    test_fail_at();
    test_threads();
    return check_finish();
}
