/* Memory that is given back all at once: the trees of directives and every text in them. Decides nothing about what lies in
 * it. Single-threaded. */
#ifndef DVMHCC_DIRECTIVE_ARENA_H
#define DVMHCC_DIRECTIVE_ARENA_H

#include <stddef.h>

/** All zero is an empty arena. */
typedef struct dvmhcc_arena {
    struct dvmhcc_arena_block *blocks; /* newest first */
} dvmhcc_arena_t;

/** Zeroed memory for any type of C, alive until dvmhcc_arena_free; bytes 0 gives a valid address. @return NULL when there is
 * no memory; records nothing */
void *dvmhcc_arena_take(dvmhcc_arena_t *arena, size_t bytes);

/** Copy of length characters, with a NUL behind them. @return NULL when there is no memory; records nothing */
char *dvmhcc_arena_copy(dvmhcc_arena_t *arena, const char *text, size_t length);

/** Give everything back; the arena is empty and usable again. */
void dvmhcc_arena_free(dvmhcc_arena_t *arena);

#endif
