/* What all parts of the program need: ends with a message, memory, random numbers, loops of the runtime that only the host runs. */
#ifndef BFS_SUPPORT_H
#define BFS_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/** Loop bodies take their portion, begin <= i < end, and what the loop is about. Portions run at the same time. */
typedef void (*bfs_body_t)(void *context, int64_t begin, int64_t end);

/** Vertices whose bits share a word. */
#define BFS_WORD 64

/** Words dealt out together, see bfs_mixed_word. */
#define BFS_DEAL 8

/** Say on standard error, once for all processes, what is wrong, and end them: the program's mistakes of use have exit code 2. */
_Noreturn void bfs_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Memory for `count` elements, not filled, aligned to cache lines; bfs_release gives it back. Without memory the program ends with a message
 * that has `what`. @param count  0 and more */
void *bfs_allocate(int64_t count, size_t element_bytes, const char *what);

/** @param memory  of bfs_allocate, or NULL */
void bfs_release(void *memory);

/** Run a loop of independent iterations 0 .. count - 1 on the host's threads. Every process runs all of it. */
void bfs_for(int64_t count, bfs_body_t body, void *context);

/** Seconds of a clock that only moves forward. */
double bfs_now(void);

/** Number `index` of the random sequence `seed`: any 64-bit number. A function of both alone, so any thread can have any number. */
static inline uint64_t bfs_random(uint64_t seed, uint64_t index) {
    uint64_t x = (seed ^ UINT64_C(0x6a09e667f3bcc908)) * UINT64_C(0xd1342543de82ef95) + index;

    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 29)) * UINT64_C(0x9fb21c651e98df25);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 31);
}

/** Number of blocks of `size` that hold `count`. */
static inline int64_t bfs_blocks(int64_t count, int64_t size) {
    return (count + size - 1) / size;
}

/** A step that visits all of `blocks` blocks, about the golden ratio of them, so that any run of consecutive steps is spread evenly. */
int64_t bfs_mixed_stride(int64_t blocks);

/**
 * Word number `i` of `words` in the order in which they are dealt out to threads.
 *
 * Why: vertices are numbered by degree, so work lies at one end of the words; a thread's run of consecutive iterations gets words of all
 * degrees by this order, whatever the number of threads. Blocks of BFS_DEAL words stay together.
 * @param i       0 .. bfs_blocks(words, BFS_DEAL) * BFS_DEAL - 1
 * @param stride  bfs_mixed_stride(bfs_blocks(words, BFS_DEAL))
 * @return the word; `words` or more: none
 */
static inline int64_t bfs_mixed_word(int64_t i, int64_t words, int64_t stride) {
    const int64_t blocks = bfs_blocks(words, BFS_DEAL);

    return (int64_t)((uint64_t)(i / BFS_DEAL) * (uint64_t)stride % (uint64_t)blocks) * BFS_DEAL +
           i % BFS_DEAL;
}

#endif
