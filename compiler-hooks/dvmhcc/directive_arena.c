/* Memory that is given back all at once. Blocks are filled from front to back; what does not fit gets a block of its own
 * size or of the usual one, whichever is larger. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_arena.h"
#include "rts/memory.h"

#include <stdint.h>
#include <string.h>

/* Some hundred directives fit into one. */
#define BLOCK_BYTES ((size_t)1 << 16)

typedef struct dvmhcc_arena_block {
    struct dvmhcc_arena_block *older;
    size_t used, size; /* bytes of content */
    max_align_t content[];
} block_t;

static block_t *add_block(dvmhcc_arena_t *arena, size_t bytes) {
    const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(block_t))
        return NULL;
    block_t *block = rts_alloc(sizeof(block_t) + size);
    if (block == NULL)
        return NULL;
    block->older = arena->blocks;
    block->used = 0;
    block->size = size;
    arena->blocks = block;
    return block;
}

void *dvmhcc_arena_take(dvmhcc_arena_t *arena, size_t bytes) {
    const size_t unit = sizeof(max_align_t);
    if (bytes > SIZE_MAX - unit)
        return NULL;
    const size_t rounded = (bytes + unit - 1) / unit * unit;
    block_t *block = arena->blocks;
    if (block == NULL || block->size - block->used < rounded)
        block = add_block(arena, rounded);
    if (block == NULL)
        return NULL;
    void *memory = (char *)block->content + block->used;
    block->used += rounded;
    return memset(memory, 0, rounded);
}

char *dvmhcc_arena_copy(dvmhcc_arena_t *arena, const char *text, size_t length) {
    char *copy = length < SIZE_MAX ? dvmhcc_arena_take(arena, length + 1) : NULL;
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

void dvmhcc_arena_free(dvmhcc_arena_t *arena) {
    while (arena->blocks != NULL) {
        block_t *block = arena->blocks;
        arena->blocks = block->older;
        rts_free(block);
    }
}
