/* What the files that run kernels share: emulated_blocks.c chooses what runs, emulated_threads.c has what threads call, emulated_shared.c keeps
 * the shared memory of blocks apart. All of it runs on one thread of the operating system, the engine, one fiber at a time. */
#ifndef EMULATED_INSIDE_H
#define EMULATED_INSIDE_H

#include "tests/emulated_cuda/emulated.h"

enum { EMULATED_COPIES_MAX = 64, EMULATED_STACK_GUARD = 4096, EMULATED_SHARED_GUARD = 65536 };
enum { EMULATED_STACK_BYTES = EMULATED_ASAN ? 256 * 1024 : 64 * 1024 };
/** Bytes of a block's shared memory of run-time size, which ends where its guard begins. */
#define EMULATED_SHARED_MAP (EMULATED_SHARED_MOST + 1024)

typedef enum emulated_state {
    EMULATED_READY,
    EMULATED_AT_BARRIER,
    EMULATED_AT_EXCHANGE,
    EMULATED_ENDED
} emulated_state_t;

typedef struct emulated_async_copy {
    void *target;
    const void *source;
    size_t bytes;
} emulated_async_copy_t;

/** A thread of a block. */
typedef struct emulated_lane {
    emulated_fiber_t fiber;
    char *stack; /* NULL: has not begun, or has ended */
    uint3 index;
    int number;
    emulated_state_t state;
    const char *file; /* where it waits */
    int line;
    bool predicate;
    int true_count;
    unsigned mask, present;
    uint64_t word, words[EMULATED_WARP];
    int copy_count;
    emulated_async_copy_t copy[EMULATED_COPIES_MAX];
} emulated_lane_t;

/** A variable that is `__shared__`, or many of them: the engine's thread-local storage of a module while the block does not run. */
typedef struct emulated_store {
    char *saved;
    uint32_t *dirty; /* numbers of its chunks that hold something */
    size_t dirty_count;
} emulated_store_t;

/** Room for a resident block. */
typedef struct emulated_slot {
    bool is_active; /* has a block */
    emulated_lane_t *lane;
    int *ready, ready_count;
    int alive, arrived;
    int idle_turns; /* since a thread of it did something else than wait */
    uint3 block;
    char *shared, *shared_map;
    emulated_store_t store;
} emulated_slot_t;

/** The kernel that runs. */
typedef struct emulated_run {
    const emulated_grid_t *grid;
    int thread_count;
    uint64_t random;
    bool has_failed, has_progress;
    emulated_slot_t *slot;    /* whose turn it is */
    emulated_lane_t *running; /* NULL: none of its threads */
    emulated_fiber_t scheduler;
} emulated_run_t;

extern emulated_run_t emulated_run;

/** Where a slot's thread may run. */
static inline void emulated_make_ready(emulated_slot_t *slot, emulated_lane_t *lane) {
    lane->state = EMULATED_READY;
    slot->ready[slot->ready_count++] = lane->number;
}

static inline void emulated_note_progress(emulated_slot_t *slot) {
    emulated_run.has_progress = true;
    slot->idle_turns = 0;
}

/** Fail because of a thread of the slot whose turn it is. */
#define EMULATED_FAIL(error, lane, format, ...)                                                              \
    do {                                                                                                     \
        const uint3 block_ = emulated_run.slot->block, thread_ = (lane)->index;                              \
        emulated_break(error, "block (%u, %u, %u), thread (%u, %u, %u): " format, block_.x, block_.y,        \
                       block_.z, thread_.x, thread_.y, thread_.z, __VA_ARGS__);                              \
        emulated_run.has_failed = true;                                                                      \
    } while (0)

/** Let all go on where all wait at the same barrier; else say what is wrong. */
void emulated_open_barrier(emulated_slot_t *slot);
/** The same for the lanes of a warp; those who wait for others go on waiting. */
void emulated_try_exchange(emulated_slot_t *slot, const emulated_lane_t *caller);
/** None of a block's threads can run. */
void emulated_explain_waiting(emulated_slot_t *slot);
/** Whether this is the engine. */
bool emulated_is_engine(void);

/** Find the variables of the module of a kernel. @return whether blocks can be kept apart */
bool emulated_shared_open(const void *kernel);
/** Take what the block whose turn ends has in its variables; and poison them. keeps: false at a block's end */
void emulated_shared_leave(emulated_store_t *store, bool keeps);
void emulated_shared_enter(const emulated_store_t *store);

#endif
