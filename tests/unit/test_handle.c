/* Handles: right object, wrong kind, stale, forged, many at once, no memory, reset, and threads. */
#include <config.h>

#include "rts/handle.h"

#include "rts/memory.h"
#include "tests/check.h"

#include <pthread.h>

static int objects[8];

static void test_one(void) {
    rts_handle_t handle = 0;
    CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_ARRAY, &objects[0], &handle), RTS_OK);
    CHECK(handle > 0);
    CHECK(rts_handle_object(handle, RTS_HANDLE_ARRAY) == &objects[0]);
    CHECK(rts_handle_object(handle, RTS_HANDLE_TEMPLATE) == NULL);
    CHECK(rts_handle_object(handle, RTS_HANDLE_NONE) == NULL);
    CHECK_EQ_INT(rts_handle_kind(handle), RTS_HANDLE_ARRAY);

    rts_handle_destroy(handle);
    CHECK(rts_handle_object(handle, RTS_HANDLE_ARRAY) == NULL);
    CHECK(rts_handle_object(handle, RTS_HANDLE_NONE) == NULL);
    CHECK_EQ_INT(rts_handle_kind(handle), RTS_HANDLE_NONE);
    rts_handle_destroy(handle);

    /* Twice destroyed must not mean twice free: the next two must differ. */
    rts_handle_t next[2] = {0, 0};
    CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_LOOP, &objects[1], &next[0]), RTS_OK);
    CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_LOOP, &objects[2], &next[1]), RTS_OK);
    CHECK(rts_handle_object(next[0], RTS_HANDLE_LOOP) == &objects[1]);
    CHECK(rts_handle_object(next[1], RTS_HANDLE_LOOP) == &objects[2]);
    CHECK(rts_handle_object(handle, RTS_HANDLE_LOOP) == NULL);
    rts_handle_destroy(handle); /* stale: the living stay */
    CHECK(rts_handle_object(next[0], RTS_HANDLE_LOOP) == &objects[1]);
    rts_handle_destroy(next[0]);
    rts_handle_destroy(next[1]);
}

static void test_forged(void) {
    rts_handle_t live[100];
    for (int i = 0; i < 100; i++)
        CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_REGION, &objects[i % 8], &live[i]), RTS_OK);
    double number = 3.25;
    rts_handle_t bits;
    memcpy(&bits, &number, sizeof bits);
    const rts_handle_t words[] = {0,
                                  -1,
                                  INT64_MIN,
                                  INT64_MAX,
                                  bits,
                                  (rts_handle_t)(intptr_t)&number,
                                  (rts_handle_t)(intptr_t)&objects[0],
                                  INT64_C(0x6161616161616161)};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        CHECK_EQ_INT(rts_handle_kind(words[i]), RTS_HANDLE_NONE);
    for (rts_handle_t word = -70000; word < 70000; word++)
        CHECK_EQ_INT(rts_handle_kind(word), RTS_HANDLE_NONE);
    /* Every single wrong bit is noticed, unless it makes another live handle. */
    for (int i = 0; i < 100; i++)
        for (int bit = 0; bit < 64; bit++) {
            const rts_handle_t wrong = (rts_handle_t)((uint64_t)live[i] ^ (uint64_t)1 << bit);
            bool other = false;
            for (int k = 0; k < 100; k++)
                other = other || live[k] == wrong;
            CHECK_EQ_INT(rts_handle_kind(wrong), other ? RTS_HANDLE_REGION : RTS_HANDLE_NONE);
        }
    for (int i = 0; i < 100000; i++)
        CHECK_EQ_INT(rts_handle_kind((rts_handle_t)check_random_u64()), RTS_HANDLE_NONE);
    for (int i = 0; i < 100; i++)
        rts_handle_destroy(live[i]);
}

#define MANY 5000

/* Random creation and destruction against a plain list of what should be alive. */
static void test_many(void) {
    static struct {
        rts_handle_t handle;
        rts_handle_kind_t kind;
        void *object;
    } live[MANY];
    static rts_handle_t dead[20000];
    int count = 0, dead_count = 0;
    for (int step = 0; step < 40000; step++) {
        if (count < MANY && (count == 0 || !check_random_once_in(3) || dead_count == 20000)) {
            live[count].kind = (rts_handle_kind_t)check_random_range(RTS_HANDLE_ARRAY, RTS_HANDLE_PORTION);
            live[count].object = &objects[check_random_range(0, 7)];
            CHECK_EQ_INT(rts_handle_create(live[count].kind, live[count].object, &live[count].handle),
                         RTS_OK);
            count++;
        } else {
            const int64_t k = check_random_range(0, count - 1);
            rts_handle_destroy(live[k].handle);
            if (dead_count < 20000)
                dead[dead_count++] = live[k].handle;
            live[k] = live[--count];
        }
    }
    for (int i = 0; i < count; i++) {
        CHECK(rts_handle_object(live[i].handle, live[i].kind) == live[i].object);
        CHECK_EQ_INT(rts_handle_kind(live[i].handle), live[i].kind);
        for (int kind = RTS_HANDLE_NONE; kind <= RTS_HANDLE_PORTION; kind++)
            if (kind != (int)live[i].kind)
                CHECK(rts_handle_object(live[i].handle, (rts_handle_kind_t)kind) == NULL);
    }
    for (int i = 0; i < dead_count; i++)
        CHECK_EQ_INT(rts_handle_kind(dead[i]), RTS_HANDLE_NONE);
    for (int i = 0; i < count; i++)
        rts_handle_destroy(live[i].handle);
}

static void test_no_memory_and_reset(void) {
    static rts_handle_t handles[1000];
    rts_handle_reset();
    const int64_t blocks = rts_memory_live();
    rts_handle_t handle = 42;
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_ARRAY, &objects[0], &handle), RTS_ERR_NO_MEMORY);
    CHECK_EQ_INT(handle, 42);
    int failures = 0;
    for (int i = 0; i < 1000; i++) {
        rts_memory_fail_at(1);
        if (rts_handle_create(RTS_HANDLE_ARRAY, &objects[i % 8], &handles[i]) != RTS_OK) {
            failures++;
            rts_memory_fail_at(0);
            CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_ARRAY, &objects[i % 8], &handles[i]), RTS_OK);
        }
    }
    CHECK(failures > 1); /* the table grew in between */
    for (int i = 0; i < 1000; i++)
        CHECK(rts_handle_object(handles[i], RTS_HANDLE_ARRAY) == &objects[i % 8]);
    rts_memory_fail_at(0);
    rts_handle_reset();
    CHECK_EQ_INT(rts_memory_live(), blocks);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ_INT(rts_handle_kind(handles[i]), RTS_HANDLE_NONE);
    /* Nor do they come back to life with the table. */
    static rts_handle_t later[1000];
    for (int i = 0; i < 1000; i++)
        CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_ARRAY, &objects[0], &later[i]), RTS_OK);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ_INT(rts_handle_kind(handles[i]), RTS_HANDLE_NONE);
    rts_handle_reset();
    CHECK_EQ_INT(rts_memory_live(), blocks);
}

#define THREADS 4
#define ROUNDS  3000

static _Atomic rts_handle_t shared_handle; /* of the latest object of any thread: readers race with its end */

static void *churn(void *own) {
    for (int i = 0; i < ROUNDS; i++) {
        rts_handle_t handles[5];
        for (int k = 0; k < 5; k++)
            CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_PORTION, own, &handles[k]), RTS_OK);
        atomic_store(&shared_handle, handles[0]);
        for (int k = 0; k < 5; k++)
            CHECK(rts_handle_object(handles[k], RTS_HANDLE_PORTION) == own);
        /* Somebody else's, alive or not: one of the objects or nothing, never anything else. */
        const rts_handle_t other = atomic_load(&shared_handle);
        const int *object = rts_handle_object(other, RTS_HANDLE_PORTION);
        CHECK(object == NULL || (object >= objects && object < objects + THREADS));
        CHECK(rts_handle_object(other, RTS_HANDLE_ARRAY) == NULL);
        for (int k = 0; k < 5; k++)
            rts_handle_destroy(handles[k]);
        for (int k = 0; k < 5; k++)
            CHECK(rts_handle_object(handles[k], RTS_HANDLE_PORTION) == NULL);
    }
    return NULL;
}

static void test_threads(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, churn, &objects[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    rts_handle_reset();
}

static void test_names(void) {
    CHECK_EQ_STR(rts_handle_kind_name(RTS_HANDLE_ARRAY), "array");
    for (int a = RTS_HANDLE_NONE; a <= RTS_HANDLE_PORTION; a++)
        for (int b = RTS_HANDLE_NONE; b < a; b++)
            CHECK(strcmp(rts_handle_kind_name((rts_handle_kind_t)a),
                         rts_handle_kind_name((rts_handle_kind_t)b)) != 0);
    CHECK(rts_handle_kind_name((rts_handle_kind_t)99) != NULL);
}

int main(void) {
    check_random_start();
    test_one();
    test_forged();
    test_many();
    test_no_memory_and_reset();
    test_threads();
    test_names();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
