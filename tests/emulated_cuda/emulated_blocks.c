/* Running a kernel: which of the resident blocks has its turn, and which of its threads. As many blocks as may be resident have a slot each,
 * taken in the order of the grid. The threads of a block are fibers, resumed in a random order until all have ended; a block's turn ends where
 * its threads wait without progress, now and then at barriers, and with the block.
 *
 * All fibers run on a thread of the operating system of their own, the engine, one at a time: nothing needs atomics, and the host's own
 * thread-local variables are not those of kernels. What goes wrong (faults, barriers that not all reach, deadlocks) gives up the whole
 * kernel: stacks are dropped as they are. */
#define _GNU_SOURCE
#include <config.h>

#include "tests/emulated_cuda/emulated_inside.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_SLOTS = 1024, SIGNAL_BYTES = 64 * 1024 };

emulated_run_t emulated_run;

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

static struct {
    pthread_t thread;
    bool is_started;
    sem_t begin, end;
    emulated_slot_t *slot[MAX_SLOTS];
    int slot_count;
    char **stack; /* free ones */
    size_t stack_count, stack_capacity;
    uint64_t block_count, next_block, launches;
    int resident, active_count;
    uint64_t idle_turns; /* of whole blocks, without progress of any */
    double progress_time;
} engine;

bool emulated_is_engine(void) {
    return engine.is_started && pthread_equal(engine.thread, pthread_self());
}

/* ---- stacks ---- */

static char *map(size_t bytes, size_t guard_at, size_t guard_bytes) {
    char *const memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + guard_at, guard_bytes, PROT_NONE) != 0) {
        perror("emulated GPU: mmap");
        abort();
    }
    return memory;
}

static void add_stacks(void) {
    const size_t count = 64;
    engine.stack_capacity += count;
    engine.stack = realloc(engine.stack, engine.stack_capacity * sizeof *engine.stack);
    if (engine.stack == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        engine.stack[engine.stack_count++] =
            map(EMULATED_STACK_GUARD + EMULATED_STACK_BYTES, 0, EMULATED_STACK_GUARD) + EMULATED_STACK_GUARD;
}

static char *take_stack(void) {
    if (engine.stack_count == 0)
        add_stacks();
    return engine.stack[--engine.stack_count];
}

static void give_stack(emulated_lane_t *lane) {
    if (lane->stack != NULL)
        engine.stack[engine.stack_count++] = lane->stack;
    lane->stack = NULL;
}

/* ---- slots and turns ---- */

static emulated_slot_t *add_slot(void) {
    emulated_slot_t *const slot = emulated_alloc(sizeof *slot);
    slot->lane = emulated_alloc(EMULATED_MAX_THREADS * sizeof *slot->lane);
    slot->ready = emulated_alloc(EMULATED_MAX_THREADS * sizeof *slot->ready);
    slot->shared_map =
        map(EMULATED_SHARED_MAP + EMULATED_SHARED_GUARD, EMULATED_SHARED_MAP, EMULATED_SHARED_GUARD);
    engine.slot[engine.slot_count++] = slot;
    return slot;
}

static uint64_t pick(uint64_t count) {
    return (emulated_random(&emulated_run.random) >> 33) % count;
}

static void start_block(emulated_slot_t *slot) {
    const dim3 threads = emulated_run.grid->threads, blocks = emulated_run.grid->blocks;
    const uint64_t number = engine.next_block++;
    const size_t shared_bytes = emulated_run.grid->shared_bytes;
    slot->block = (uint3){(unsigned)(number % blocks.x), (unsigned)(number / blocks.x % blocks.y),
                          (unsigned)(number / blocks.x / blocks.y)};
    slot->is_active = true;
    slot->alive = emulated_run.thread_count;
    slot->arrived = slot->idle_turns = slot->ready_count = 0;
    slot->store.dirty_count = 0;
    slot->shared = slot->shared_map + EMULATED_SHARED_MAP - (shared_bytes + 15) / 16 * 16;
    memset(slot->shared, EMULATED_POISON, shared_bytes);
    for (int i = 0; i < emulated_run.thread_count; i++) {
        emulated_lane_t *const lane = &slot->lane[i];
        const unsigned n = (unsigned)i;
        lane->index = (uint3){n % threads.x, n / threads.x % threads.y, n / threads.x / threads.y};
        lane->number = i;
        lane->copy_count = 0;
        emulated_make_ready(slot, lane);
    }
    engine.active_count++;
}

/* One of those with a block, or one for the next block, other than `last` where there are others. NULL: all has been done. */
static emulated_slot_t *pick_slot(const emulated_slot_t *last) {
    const bool may_start = engine.next_block < engine.block_count && engine.active_count < engine.resident;
    const int others = engine.active_count - (last != NULL && last->is_active);
    emulated_slot_t *idle = NULL;
    if (others == 0 && !may_start)
        return last != NULL && last->is_active ? (emulated_slot_t *)(uintptr_t)last : NULL;
    int number = (int)pick((uint64_t)(others + may_start));
    for (int i = 0; i < engine.slot_count; i++) {
        emulated_slot_t *const slot = engine.slot[i];
        if (!slot->is_active)
            idle = slot;
        else if (slot != last && number-- == 0)
            return slot;
    }
    if (idle == NULL)
        idle = add_slot();
    start_block(idle);
    return idle;
}

/* ---- threads of a block ---- */

static void run_lane(void *data) {
    emulated_lane_t *const lane = data;
    emulated_run.grid->kernel.call(emulated_run.grid->kernel.function, emulated_run.grid->parameters);
    lane->state = EMULATED_ENDED;
    emulated_fiber_switch(&lane->fiber, &emulated_run.scheduler, true);
    abort();
}

static void resume(emulated_lane_t *lane) {
    if (lane->stack == NULL) {
        lane->stack = take_stack();
        emulated_fiber_make(&lane->fiber, lane->stack, EMULATED_STACK_BYTES, run_lane, lane);
    }
    threadIdx = lane->index;
    emulated_run.running = lane;
    emulated_fiber_switch(&emulated_run.scheduler, &lane->fiber, false);
    emulated_run.running = NULL;
}

/* Waiting threads of all blocks, for long: nobody will ever come. */
static void check_deadlock(const emulated_lane_t *lane) {
    const double now = emulated_seconds();
    if (emulated_run.has_progress) {
        emulated_run.has_progress = false;
        engine.progress_time = now;
        engine.idle_turns = 0;
    } else if (++engine.idle_turns > 1000 && now - engine.progress_time > emulated_settings()->patience) {
        EMULATED_FAIL(cudaErrorLaunchTimeout, lane,
                      "deadlock: with %d blocks at a time, threads wait without progress for %.0f s",
                      engine.resident, now - engine.progress_time);
    }
}

/* @return whether the block's turn ends */
static bool after_turn(emulated_slot_t *slot, emulated_lane_t *lane) {
    switch (lane->state) {
    case EMULATED_ENDED:
        give_stack(lane);
        emulated_note_progress(slot);
        return --slot->alive == 0;
    case EMULATED_AT_EXCHANGE:
        emulated_try_exchange(slot, lane);
        return false;
    case EMULATED_AT_BARRIER:
        if (slot->arrived < emulated_run.thread_count)
            return false;
        emulated_open_barrier(slot);
        return pick(8) == 0;
    default:
        if (slot->idle_turns <= 2 * slot->ready_count + 2)
            return false;
        slot->idle_turns = 0; /* all have waited since one did something */
        check_deadlock(lane);
        return true;
    }
}

static void run_turn(emulated_slot_t *slot) {
    bool ends = false;
    emulated_run.slot = slot;
    blockIdx = slot->block;
    emulated_shared_enter(&slot->store);
    while (!ends && !emulated_run.has_failed) {
        if (slot->ready_count == 0) {
            emulated_explain_waiting(slot);
            continue;
        }
        const uint64_t at = pick((uint64_t)slot->ready_count);
        emulated_lane_t *const lane = &slot->lane[slot->ready[at]];
        slot->ready[at] = slot->ready[--slot->ready_count];
        resume(lane);
        if (!emulated_run.has_failed)
            ends = after_turn(slot, lane);
    }
    emulated_shared_leave(&slot->store, slot->alive > 0);
    if (slot->alive == 0) {
        slot->is_active = false;
        engine.active_count--;
    }
}

static void clear_slots(void) {
    for (int i = 0; i < engine.slot_count; i++) {
        for (int n = 0; n < emulated_run.thread_count; n++)
            give_stack(&engine.slot[i]->lane[n]);
        engine.slot[i]->is_active = false;
    }
    engine.active_count = 0;
}

static void run_kernel(void) {
    emulated_slot_t *slot = NULL;
    if (!emulated_shared_open(emulated_run.grid->kernel.function))
        engine.resident = 1; /* nothing keeps blocks apart */
    while (!emulated_run.has_failed && (slot = pick_slot(slot)) != NULL)
        run_turn(slot);
    clear_slots();
}

/* ---- the engine ---- */

static void *work(void *data) {
    static char signal_stack[SIGNAL_BYTES];
    const stack_t signals = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    (void)data;
    (void)sigaltstack(&signals, NULL);
    for (;;) {
        while (sem_wait(&engine.begin) != 0)
            continue;
        run_kernel();
        (void)sem_post(&engine.end);
    }
    return NULL;
}

static void start_engine(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    pthread_attr_t attributes;
    sigset_t all, before;
    (void)sem_init(&engine.begin, 0, 0);
    (void)sem_init(&engine.end, 0, 0);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        (void)sigdelset(&all, faults[i]);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's signals are for its own threads */
    if (pthread_create(&engine.thread, &attributes, work, NULL) != 0) {
        perror("emulated GPU: a thread for kernels");
        abort();
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    engine.is_started = true;
}

void emulated_run_grid(const emulated_grid_t *grid) {
    const uint64_t blocks = (uint64_t)grid->blocks.x * grid->blocks.y * grid->blocks.z;
    if (!engine.is_started)
        start_engine();
    engine.block_count = blocks;
    engine.next_block = 0;
    engine.resident = emulated_settings()->resident;
    if (grid->is_cooperative)
        engine.resident = blocks < MAX_SLOTS ? (int)blocks : MAX_SLOTS;
    engine.idle_turns = 0;
    emulated_run.grid = grid;
    emulated_run.thread_count = (int)(grid->threads.x * grid->threads.y * grid->threads.z);
    emulated_run.random = ((emulated_settings()->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) +
                           ++engine.launches * UINT64_C(0xbf58476d1ce4e5b9)) |
                          1;
    emulated_run.has_failed = false;
    emulated_run.has_progress = true;
    blockDim = grid->threads;
    gridDim = grid->blocks;
    (void)sem_post(&engine.begin);
    while (sem_wait(&engine.end) != 0)
        continue;
    emulated_run.grid = NULL;
}
