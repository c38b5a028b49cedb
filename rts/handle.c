/* The table behind handles. Decides how a handle's bits are used and when a slot is used again; not what the
 * objects are.
 *
 * A handle is   0 | tag (9 bits) | generation (30 bits) | slot (24 bits).
 * The tag makes the number larger than any small integer or user-space address (57 bits), and its top byte is
 * no printable character, so words that are something else are refused before the table is looked at.
 *
 * Slots live in chunks that double in size and never move or go before the reset, so a lookup follows
 * pointers that stay good and needs no lock. Creating and destroying take the lock. A slot's state
 * (generation and kind) is written after its object and read before and after it, so a lookup that meets a
 * reuse of the slot sees that the state has changed. */
#include <config.h>

#include "rts/handle.h"

#include "rts/memory.h"

#include <pthread.h>
#include <stdatomic.h>

#define SLOT_BITS       24
#define GENERATION_BITS 30
#define SLOT_MAX        (1u << SLOT_BITS)
#define GENERATION_MASK ((1u << GENERATION_BITS) - 1)
#define TAG             ((uint64_t)0x3b) /* top byte 0x0e */
#define KIND_BITS       8

#define FIRST_CHUNK_BITS  6
#define FIRST_CHUNK_SLOTS (1u << FIRST_CHUNK_BITS)
#define CHUNK_COUNT       (SLOT_BITS - FIRST_CHUNK_BITS + 1)

typedef struct slot {
    _Atomic uint64_t state; /* generation << KIND_BITS | kind; kind 0: free */
    _Atomic(void *) object;
    uint32_t next_free; /* number of the next free slot + 1; 0 ends the list. Under the lock */
} slot_t;

/* Chunk c holds the slots from FIRST_CHUNK_SLOTS * (2^c - 1) on. */
static _Atomic(slot_t *) chunks[CHUNK_COUNT];

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t slot_count;       /* slots ever used since the reset */
static uint32_t first_free;       /* like next_free */
static uint32_t first_generation; /* of slots used for the first time: later than all before the last reset */
static uint32_t latest_generation; /* largest in use so far */

/* Where slot `number` is; NULL when its chunk does not exist. Its place within the chunk comes out in
 * offset_p. */
static slot_t *chunk_of(uint32_t number, int *chunk_p, uint32_t *offset_p) {
    const uint32_t shifted = number + FIRST_CHUNK_SLOTS;
    const int top = 31 - __builtin_clz(shifted);
    *chunk_p = top - FIRST_CHUNK_BITS;
    *offset_p = shifted - (1u << top);
    return atomic_load_explicit(&chunks[*chunk_p], memory_order_acquire);
}

static slot_t *slot_at(uint32_t number) {
    int chunk;
    uint32_t offset;
    slot_t *slots = chunk_of(number, &chunk, &offset);
    return slots != NULL ? &slots[offset] : NULL;
}

static rts_handle_t make_handle(uint32_t number, uint32_t generation) {
    return (rts_handle_t)(TAG << (SLOT_BITS + GENERATION_BITS) | (uint64_t)generation << SLOT_BITS | number);
}

/* The slot that a handle names, and its state when the generation is the handle's; NULL otherwise or when it
 * is free. */
static slot_t *live_slot(rts_handle_t handle, uint64_t *state_p) {
    const uint64_t bits = (uint64_t)handle;
    if (bits >> (SLOT_BITS + GENERATION_BITS) != TAG)
        return NULL;
    slot_t *slot = slot_at((uint32_t)(bits & (SLOT_MAX - 1)));
    if (slot == NULL)
        return NULL;
    const uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
    const uint64_t kind = state & ((1u << KIND_BITS) - 1);
    if (kind == RTS_HANDLE_NONE || state >> KIND_BITS != (bits >> SLOT_BITS & GENERATION_MASK))
        return NULL;
    *state_p = state;
    return slot;
}

/* A slot that was never used before; under the lock. */
static rts_status_t new_slot(uint32_t *number_p) {
    if (slot_count == SLOT_MAX)
        return rts_fail(RTS_ERR_NO_MEMORY, "more than %u objects (arrays, templates, regions, loops) at once",
                        SLOT_MAX);
    int chunk;
    uint32_t offset;
    if (chunk_of(slot_count, &chunk, &offset) == NULL) {
        const size_t length = (size_t)FIRST_CHUNK_SLOTS << chunk;
        slot_t *slots = rts_alloc_zeroed(length, sizeof *slots);
        if (slots == NULL)
            return rts_fail_memory("the table of handles", length * sizeof *slots);
        for (size_t i = 0; i < length; i++) {
            atomic_init(&slots[i].state, (uint64_t)first_generation << KIND_BITS);
            atomic_init(&slots[i].object, NULL);
        }
        atomic_store_explicit(&chunks[chunk], slots, memory_order_release);
    }
    *number_p = slot_count++;
    return RTS_OK;
}

static rts_status_t create_locked(rts_handle_kind_t kind, void *object, rts_handle_t *handle_p) {
    uint32_t number = 0;
    if (first_free != 0)
        number = first_free - 1;
    else
        RTS_TRY(new_slot(&number));
    slot_t *slot = slot_at(number);
    if (first_free != 0)
        first_free = slot->next_free;
    const uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    const uint32_t generation = (uint32_t)(state >> KIND_BITS);
    if (generation > latest_generation)
        latest_generation = generation;
    atomic_store_explicit(&slot->object, object, memory_order_release);
    atomic_store_explicit(&slot->state, state | (uint64_t)kind, memory_order_release);
    *handle_p = make_handle(number, generation);
    return RTS_OK;
}

rts_status_t rts_handle_create(rts_handle_kind_t kind, void *object, rts_handle_t *handle_p) {
    RTS_ASSERT(kind != RTS_HANDLE_NONE && object != NULL);
    pthread_mutex_lock(&table_lock);
    const rts_status_t status = create_locked(kind, object, handle_p);
    pthread_mutex_unlock(&table_lock);
    return status;
}

void *rts_handle_object(rts_handle_t handle, rts_handle_kind_t kind) {
    uint64_t state;
    slot_t *slot = live_slot(handle, &state);
    if (slot == NULL || (state & ((1u << KIND_BITS) - 1)) != (uint64_t)kind)
        return NULL;
    void *object = atomic_load_explicit(&slot->object, memory_order_acquire);
    return atomic_load_explicit(&slot->state, memory_order_relaxed) == state ? object : NULL;
}

rts_handle_kind_t rts_handle_kind(rts_handle_t handle) {
    uint64_t state;
    if (live_slot(handle, &state) == NULL)
        return RTS_HANDLE_NONE;
    return (rts_handle_kind_t)(state & ((1u << KIND_BITS) - 1));
}

void rts_handle_destroy(rts_handle_t handle) {
    pthread_mutex_lock(&table_lock);
    uint64_t state;
    slot_t *slot = live_slot(handle, &state);
    if (slot != NULL) {
        const uint64_t generation = ((state >> KIND_BITS) + 1) & GENERATION_MASK;
        atomic_store_explicit(&slot->state, generation << KIND_BITS, memory_order_release);
        slot->next_free = first_free;
        first_free = (uint32_t)((uint64_t)handle & (SLOT_MAX - 1)) + 1;
    }
    pthread_mutex_unlock(&table_lock);
}

const char *rts_handle_kind_name(rts_handle_kind_t kind) {
    switch (kind) {
    case RTS_HANDLE_NONE:
        return "nothing";
    case RTS_HANDLE_ARRAY:
        return "array";
    case RTS_HANDLE_TEMPLATE:
        return "template";
    case RTS_HANDLE_REGION:
        return "region";
    case RTS_HANDLE_LOOP:
        return "loop";
    case RTS_HANDLE_PORTION:
        return "portion";
    }
    return "unknown kind";
}

void rts_handle_reset(void) {
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < CHUNK_COUNT; i++)
        rts_free(atomic_exchange_explicit(&chunks[i], NULL, memory_order_acq_rel));
    if (slot_count != 0) /* handles from before the reset stay unknown when the table is used again */
        first_generation = (latest_generation + 1) & GENERATION_MASK;
    slot_count = 0;
    first_free = 0;
    pthread_mutex_unlock(&table_lock);
}
