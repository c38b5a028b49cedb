/* Agreement of processes; see the header.
 *
 * Checks of calls compare two numbers made of name and place, and exchange the texts only when these differ. Failing processes of a node
 * find the one that tells by a flag in memory that they share: it needs no MPI, which may be what has failed, and remains when the one
 * that has told is gone already. */
#include <config.h>

#include "rts/agreement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "rts/comm.h"
#include "rts/farewell.h"
#include "rts/log.h"
#include "rts/memory.h"
#include "rts/stats.h"

/* Characters of a name or file in a message. */
#define TEXT_SIZE 60

/* Of the node's processes, whether one has told of a failure; NULL: there is no shared memory, every process tells. */
static atomic_int *told;

/* One page that all processes of the node see. The name is gone before anything can fail; what remains lives as long as they do. */
static void map_page(const char *name, int flags) {
    const int descriptor = shm_open(name, flags | O_RDWR, 0600);
    if (descriptor < 0)
        return;
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    if (ftruncate(descriptor, (off_t)bytes) == 0) {
        void *const page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        told = page != MAP_FAILED ? page : NULL;
    }
    close(descriptor);
}

rts_status_t rts_agreement_open(void) {
    if (rts_comm_size() == 1)
        return RTS_OK;
    rts_farewell_open();
    char name[48];
    uint64_t key = (uint64_t)rts_clock_ns() ^ (uint64_t)getpid() << 40;
    RTS_TRY(rts_comm_broadcast(&key, sizeof key, 0));
    snprintf(name, sizeof name, "/dvmh-rts-%016llx", (unsigned long long)key);
    const bool is_maker = rts_comm_local_rank() == 0;
    if (is_maker)
        map_page(name, O_CREAT | O_EXCL);
    rts_status_t status = rts_comm_barrier();
    if (status == RTS_OK && !is_maker)
        map_page(name, 0);
    if (status == RTS_OK)
        status = rts_comm_barrier();
    if (is_maker)
        (void)shm_unlink(name);
    return status;
}

/* ---- the same calls ---- */

/* What one process calls. */
typedef struct call {
    char what[TEXT_SIZE];
    char file[TEXT_SIZE]; /* "": unknown; the end of a long name */
    int line;
    bool is_placed; /* the place is part of the call; else only for a message */
} call_t;

/* FNV-1a over the bytes of a call that must be the same. */
static uint64_t fold(const call_t *call) {
    const unsigned char *const byte = (const unsigned char *)call;
    const size_t size = call->is_placed ? sizeof *call : offsetof(call_t, file);
    uint64_t number = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        number = (number ^ byte[i]) * UINT64_C(0x100000001b3);
    return number;
}

static void copy_end(char to[TEXT_SIZE], const char *from) {
    const size_t length = strlen(from);
    snprintf(to, TEXT_SIZE, "%s", length < TEXT_SIZE ? from : from + length - (TEXT_SIZE - 1));
}

/* What this process calls; zeroed first, so that equal calls have equal bytes. */
static call_t describe(const char *what, bool with_place) {
    call_t call;
    const rts_position_t position = rts_position_get();
    memset(&call, 0, sizeof call);
    copy_end(call.what, what);
    call.is_placed = with_place;
    if (position.file != NULL) {
        copy_end(call.file, position.file);
        call.line = position.line;
    }
    return call;
}

/* "dvmh_barrier (a.c:12)" */
static void print_call(const call_t *call, char *text, size_t size) {
    if (call->line > 0)
        snprintf(text, size, "%s (%s:%d)", call->what, call->file, call->line);
    else
        snprintf(text, size, "%s", call->what);
}

/* The calls of all differ: the message names process 0's and the first other one. */
static rts_status_t tell_difference(const call_t *mine) {
    const int size = rts_comm_size();
    call_t *const all = rts_alloc_zeroed((size_t)size, sizeof *all);
    if (all == NULL)
        return rts_fail_memory("the calls of all processes", (size_t)size * sizeof *all);
    rts_status_t status = rts_comm_gather_all(mine, all, sizeof *mine);
    if (status == RTS_OK) {
        char first[2 * TEXT_SIZE + 16], other[2 * TEXT_SIZE + 16];
        int process = 1;
        while (process < size - 1 && fold(&all[0]) == fold(&all[process]))
            process++;
        print_call(&all[0], first, sizeof first);
        print_call(&all[process], other, sizeof other);
        status = rts_fail(
            RTS_ERR_INVALID,
            "process 0 is in %s, process %d in %s; all processes must make the same calls in the same order",
            first, process, other);
    }
    rts_free(all);
    return status;
}

static rts_status_t compare(const call_t *mine) {
    const int size = rts_comm_size();
    const uint64_t number = fold(mine);
    uint64_t *const all = rts_alloc_zeroed((size_t)size, sizeof *all);
    if (all == NULL)
        return rts_fail_memory("the calls of all processes", (size_t)size * sizeof *all);
    const rts_status_t status = rts_comm_gather_all(&number, all, sizeof number);
    bool same = true;
    for (int process = 0; process < size && status == RTS_OK; process++)
        same = same && all[process] == all[0];
    rts_free(all);
    return status != RTS_OK || same ? status : tell_difference(mine);
}

static rts_status_t expect(const char *what, bool with_place) {
    if (RTS_ASSERT_LEVEL < 1 || rts_comm_size() == 1)
        return RTS_OK;
    const int error = errno;
    const call_t mine = describe(what, with_place);
    const rts_status_t status = compare(&mine);
    errno = error;
    return status;
}

rts_status_t rts_comm_expect(const char *what) {
    rts_farewell_count();
    return expect(what, true);
}

rts_status_t rts_comm_expect_anywhere(const char *what) {
    rts_farewell_count();
    return expect(what, false);
}

rts_status_t rts_comm_expect_end(const char *what) {
    return expect(what, false);
}

/* ---- the end ---- */

static void sleep_ms(long ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Wait for a flight; no longer than until `*code` has been other than 0 for RTS_END_SECONDS since `start`. */
static rts_status_t wait_for_end(rts_flight_t *flight, int code, int64_t start) {
    bool done = false;
    for (int round = 0; !done; round++) {
        RTS_TRY(rts_comm_test(flight, &done));
        if (!done)
            RTS_TRY(rts_farewell_pass_on());
        if (!done && code != 0 && rts_clock_ns() - start > (int64_t)RTS_END_SECONDS * 1000000000)
            return rts_fail(
                RTS_ERR_COMM,
                "the program ends with code %d here, and %d seconds later not yet in all processes", code,
                RTS_END_SECONDS);
        if (!done && round > 1000)
            sleep_ms(1);
    }
    return RTS_OK;
}

/* Codes go up a tree to process 0 and the answer comes down: process r hears r + 1, r + 2, r + 4 .. below the lowest bit of r. */
static rts_status_t exchange_codes(int *code, rts_flight_t *flight) {
    const int rank = rts_comm_rank(), size = rts_comm_size();
    const int64_t start = rts_clock_ns();
    static int heard,
        answer; /* not on the stack: they may arrive after a failure, while the job is being ended */
    int distance = 1;
    for (; rank % (2 * distance) == 0 && distance < size; distance *= 2) {
        if (rank + distance >= size)
            continue;
        RTS_TRY(rts_comm_receive(flight, rank + distance, RTS_TAG_END, &heard, sizeof heard));
        RTS_TRY(wait_for_end(flight, *code, start));
        if (*code == 0)
            *code = heard;
    }
    if (rank > 0) {
        RTS_TRY(rts_comm_send(flight, rank - distance, RTS_TAG_END, code, sizeof *code));
        RTS_TRY(rts_comm_receive(flight, rank - distance, RTS_TAG_END, &answer, sizeof answer));
        RTS_TRY(wait_for_end(flight, *code, start));
        *code = answer;
    }
    for (distance /= 2; distance > 0; distance /= 2)
        if (rank + distance < size)
            RTS_TRY(rts_comm_send(flight, rank + distance, RTS_TAG_END, code, sizeof *code));
    return rts_comm_wait(flight);
}

rts_status_t rts_agreement_end(int code, int *agreed_p) {
    *agreed_p = code;
    if (rts_comm_size() == 1)
        return RTS_OK;
    rts_flight_t flight = {0};
    RTS_TRY(rts_farewell_say(code));
    RTS_TRY(exchange_codes(agreed_p, &flight)); /* else messages are under way, and the job is at its end */
    rts_flight_free(&flight);
    return rts_farewell_finish();
}

/* ---- who tells ---- */

/* Process 0 tells at once, others of a job on several nodes one after the other: launchers take a second or two to end processes on other
 * nodes, and until then these must not tell the same again. */
static void wait_for_others(void) {
    const int rank = rts_comm_rank();
    if (rank == 0 || rts_comm_local_size() == rts_comm_size())
        return;
    long ms = 2000;
    for (int rest = rank; rest > 0; rest /= 2)
        ms += 100;
    sleep_ms(ms);
}

bool rts_agreement_tells(void) {
    if (rts_comm_size() == 1)
        return true;
    wait_for_others();
    return told == NULL || atomic_exchange(told, 1) == 0; /* a second message is better than none */
}
