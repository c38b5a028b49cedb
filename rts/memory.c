/* Host memory of the runtime's own: alignment, huge pages, overflow checks, and the counters by which tests
 * find leaks and provoke failures. Decides nothing about what the memory is used for or which thread touches
 * it first. */
#include <config.h>

#include "rts/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static _Atomic int64_t call_count;
static _Atomic int64_t live_count;
static _Atomic int64_t failing_call; /* number of the call that is to fail; 0: none */

void *rts_alloc(size_t bytes) {
    /* Calls are numbered, so exactly one fails however many threads allocate. */
    const int64_t call = atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed) + 1;
    if (call == atomic_load_explicit(&failing_call, memory_order_relaxed))
        return NULL;
    if (bytes > PTRDIFF_MAX)
        return NULL;
    const bool huge = bytes >= HUGE_PAGE_BYTES;
    void *block = NULL;
    if (posix_memalign(&block, huge ? HUGE_PAGE_BYTES : RTS_MEMORY_ALIGNMENT, bytes > 0 ? bytes : 1) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (huge)
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* advice: without it the memory is only slower */
#endif
    atomic_fetch_add_explicit(&live_count, 1, memory_order_relaxed);
    return block;
}

void *rts_alloc_zeroed(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX; /* more than rts_alloc ever gives, and counted as a call like any other */
    void *block = rts_alloc(bytes);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void *rts_realloc(void *block, size_t old_bytes, size_t new_bytes) {
    void *grown = rts_alloc(new_bytes);
    if (grown == NULL)
        return NULL;
    if (block != NULL)
        memcpy(grown, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    rts_free(block);
    return grown;
}

char *rts_strdup(const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = rts_alloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

void rts_free(void *block) {
    if (block == NULL)
        return;
    atomic_fetch_sub_explicit(&live_count, 1, memory_order_relaxed);
    free(block);
}

void rts_memory_fail_at(int64_t n) {
    const int64_t now = atomic_load_explicit(&call_count, memory_order_relaxed);
    atomic_store_explicit(&failing_call, n > 0 ? now + n : 0, memory_order_relaxed);
}

int64_t rts_memory_calls(void) {
    return atomic_load_explicit(&call_count, memory_order_relaxed);
}

int64_t rts_memory_live(void) {
    return atomic_load_explicit(&live_count, memory_order_relaxed);
}
