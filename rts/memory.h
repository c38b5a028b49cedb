/* Every allocation of the runtime's own goes through here: alignment, checked sizes, and a way for tests to make the n-th
 * one fail. Memory that the program asks for with dvmh_malloc_C does not. Device memory belongs to the backends. */
#ifndef RTS_MEMORY_H
#define RTS_MEMORY_H

#include "rts/types.h"

/** Alignment of every block in bytes: a cache line pair, enough for any vector. */
#define RTS_MEMORY_ALIGNMENT 128

/** Uninitialised memory, RTS_MEMORY_ALIGNMENT aligned; bytes 0 gives a valid block. Blocks of 2 MiB and more ask the
 * system for huge pages. @return NULL when there is none; records nothing. Threads: any. */
void *rts_alloc(size_t bytes);

/** Zeroed array of count elements; NULL also when count * size overflows. */
void *rts_alloc_zeroed(size_t count, size_t size);

/** Grow a block, keeping its first old_bytes; on failure the old block stays and NULL is returned. block may be NULL. */
void *rts_realloc(void *block, size_t old_bytes, size_t new_bytes);

/** Copy of a string. @return NULL when there is no memory */
char *rts_strdup(const char *text);

/** Give a block back; NULL is fine. */
void rts_free(void *block);

/** Tests: let the n-th allocation from now (1 = the next) fail, once; 0 turns that off. */
void rts_memory_fail_at(int64_t n);

/** Tests: number of allocations asked for since the start, and of blocks alive now. */
int64_t rts_memory_calls(void);
int64_t rts_memory_live(void);

#endif
