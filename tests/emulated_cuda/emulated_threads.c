/* What threads of kernels call, and what becomes of them where they do what they must not. */
#define _GNU_SOURCE
#include <config.h>

#include "tests/emulated_cuda/emulated_inside.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

void emulated_barrier(bool predicate, int *true_count, const char *file, int line);
const uint64_t *emulated_exchange(unsigned mask, uint64_t value, unsigned *present, const char *file,
                                  int line);
void emulated_no_lane(int lane, const char *file, int line);
void emulated_step(bool is_progress);
void *emulated_shared_memory(void);
void emulated_copy_async(void *target, const void *source, size_t bytes);
void emulated_wait_copies(void);
void emulated_trap(void);

/* To the scheduler; comes back when it is this thread's turn again. */
static void leave(emulated_lane_t *lane) {
    emulated_fiber_switch(&lane->fiber, &emulated_run.scheduler, false);
}

/* The same for ever. */
static void give_up(void) {
    emulated_fiber_switch(&emulated_run.running->fiber, &emulated_run.scheduler, true);
    abort();
}

/* ---- faults ---- */

void emulated_kernel_fault(int signal_number, const void *address) {
    emulated_lane_t *const lane = emulated_run.running;
    if (lane == NULL || !emulated_is_engine())
        return;
    const char *const what = emulated_memory_explain(address), *const at = address,
                      *const shared_end = emulated_run.slot->shared_map + EMULATED_SHARED_MAP;
    if (signal_number == SIGFPE || signal_number == SIGILL)
        EMULATED_FAIL(cudaErrorLaunchFailure, lane, "%s",
                      signal_number == SIGFPE ? "division by zero" : "trap");
    else if (at >= shared_end && at < shared_end + EMULATED_SHARED_GUARD)
        EMULATED_FAIL(cudaErrorIllegalAddress, lane, "behind the end of %zu bytes of shared memory",
                      emulated_run.grid->shared_bytes);
    else if (at >= lane->stack - EMULATED_STACK_GUARD && at < lane->stack)
        EMULATED_FAIL(cudaErrorLaunchFailure, lane, "more than %d bytes of stack", EMULATED_STACK_BYTES);
    else
        EMULATED_FAIL(cudaErrorIllegalAddress, lane, "illegal access at %p: %s", address,
                      what != NULL ? what : "no memory of the device");
    give_up();
}

void emulated_trap(void) {
    EMULATED_FAIL(cudaErrorLaunchFailure, emulated_run.running, "%s", "trap");
    give_up();
}

/* ---- waiting ---- */

/* Others run after each step that only waits, and now and then after one that does something. On the host nothing happens. */
void emulated_step(bool is_progress) {
    emulated_slot_t *const slot = emulated_run.slot;
    emulated_lane_t *const lane = emulated_run.running;
    if (lane == NULL || !emulated_is_engine())
        return;
    if (is_progress)
        emulated_note_progress(slot);
    else
        slot->idle_turns++;
    if (is_progress && emulated_random(&emulated_run.random) >> 61 != 0)
        return;
    emulated_make_ready(slot, lane);
    leave(lane);
}

/* ---- barriers ---- */

void emulated_barrier(bool predicate, int *true_count, const char *file, int line) {
    emulated_lane_t *const lane = emulated_run.running;
    lane->state = EMULATED_AT_BARRIER;
    lane->file = file;
    lane->line = line;
    lane->predicate = predicate;
    emulated_run.slot->arrived++;
    leave(lane);
    *true_count = lane->true_count;
}

static bool is_same_place(const emulated_lane_t *a, const emulated_lane_t *b) {
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

void emulated_open_barrier(emulated_slot_t *slot) {
    const int threads = emulated_run.thread_count;
    const emulated_lane_t *first = slot->lane;
    int count = 0;
    while (first->state != EMULATED_AT_BARRIER)
        first++;
    for (int i = 0; i < threads; i++) {
        const emulated_lane_t *const lane = &slot->lane[i];
        if (lane->state == EMULATED_ENDED) {
            EMULATED_FAIL(cudaErrorLaunchFailure, lane,
                          "has ended, while others wait at the barrier of %s:%d", first->file, first->line);
            return;
        }
        if (!is_same_place(lane, first)) {
            EMULATED_FAIL(cudaErrorLaunchFailure, lane,
                          "waits at the barrier of %s:%d, others at that of %s:%d", lane->file, lane->line,
                          first->file, first->line);
            return;
        }
        count += lane->predicate;
    }
    slot->arrived = 0;
    emulated_note_progress(slot);
    for (int i = 0; i < threads; i++) {
        slot->lane[i].true_count = count;
        emulated_make_ready(slot, &slot->lane[i]);
    }
}

void emulated_explain_waiting(emulated_slot_t *slot) {
    for (int i = 0; i < emulated_run.thread_count; i++) {
        const emulated_lane_t *const lane = &slot->lane[i];
        if (lane->state == EMULATED_AT_EXCHANGE) {
            EMULATED_FAIL(cudaErrorLaunchFailure, lane,
                          "waits at %s:%d for lanes of the mask %08x that are not there", lane->file,
                          lane->line, lane->mask);
            return;
        }
    }
    emulated_open_barrier(slot); /* which says why it cannot be opened */
}

/* ---- exchanges inside of a warp ---- */

/* When all lanes of the mask that have not ended are here with the same mask, at the same place. */
void emulated_try_exchange(emulated_slot_t *slot, const emulated_lane_t *caller) {
    const int first = caller->number / EMULATED_WARP * EMULATED_WARP, threads = emulated_run.thread_count;
    const int end = first + EMULATED_WARP < threads ? first + EMULATED_WARP : threads;
    unsigned present = 0;
    uint64_t words[EMULATED_WARP] = {0};
    for (int i = first; i < end; i++) {
        const emulated_lane_t *const lane = &slot->lane[i];
        if ((caller->mask >> (i - first) & 1) == 0 || lane->state == EMULATED_ENDED)
            continue;
        if (lane->state != EMULATED_AT_EXCHANGE || lane->mask != caller->mask || !is_same_place(lane, caller))
            return;
        present |= 1u << (i - first);
        words[i - first] = lane->word;
    }
    for (int i = first; i < end; i++)
        if ((present >> (i - first) & 1) != 0) {
            emulated_lane_t *const lane = &slot->lane[i];
            lane->present = present;
            memcpy(lane->words, words, sizeof words);
            emulated_make_ready(slot, lane);
        }
}

const uint64_t *emulated_exchange(unsigned mask, uint64_t value, unsigned *present, const char *file,
                                  int line) {
    emulated_lane_t *const lane = emulated_run.running;
    if ((mask >> lane->number % EMULATED_WARP & 1) == 0) {
        EMULATED_FAIL(cudaErrorLaunchFailure, lane, "is not in the mask %08x of its own call at %s:%d", mask,
                      file, line);
        give_up();
    }
    lane->state = EMULATED_AT_EXCHANGE;
    lane->mask = mask;
    lane->word = value;
    lane->file = file;
    lane->line = line;
    leave(lane);
    *present = lane->present;
    return lane->words;
}

void emulated_no_lane(int other, const char *file, int line) {
    EMULATED_FAIL(cudaErrorLaunchFailure, emulated_run.running,
                  "takes the value of lane %d, which does not take part, at %s:%d", other, file, line);
    give_up();
}

/* ---- shared memory of run-time size ---- */

void *emulated_shared_memory(void) {
    return emulated_run.slot->shared;
}

void emulated_wait_copies(void) {
    emulated_lane_t *const lane = emulated_run.running;
    for (int i = 0; i < lane->copy_count; i++)
        memcpy(lane->copy[i].target, lane->copy[i].source, lane->copy[i].bytes);
    lane->copy_count = 0;
}

void emulated_copy_async(void *target, const void *source, size_t bytes) {
    emulated_lane_t *const lane = emulated_run.running;
    if ((uintptr_t)target % bytes != 0 || (uintptr_t)source % bytes != 0) {
        EMULATED_FAIL(cudaErrorMisalignedAddress, lane, "an asynchronous copy of %zu bytes from %p to %p",
                      bytes, source, target);
        give_up();
    }
    if (lane->copy_count == EMULATED_COPIES_MAX) /* any of them may be done at any time */
        emulated_wait_copies();
    lane->copy[lane->copy_count++] = (emulated_async_copy_t){target, source, bytes};
}
