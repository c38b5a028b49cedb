/* What the kernels and those who start them agree on: parameters, which are plain numbers, and bodies that do not see levels. */
#ifndef BFS_SEARCH_INSIDE_H
#define BFS_SEARCH_INSIDE_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "examples/bfs/graph.h"
#include "examples/bfs/support.h"
#include "examples/bfs/work.h"

/** Parameters of expand. */
typedef struct expand_parameters {
    int64_t depth, queue_count;
    int range_step; /* numbers a vertex among the ranges: 1 or 2 */
} expand_t;

/** Parameters of pull, and of loops over vertices whose words, begin <= word < end, are dealt out. */
typedef struct pull_parameters {
    int64_t depth, begin, end, stride;
    int64_t linked; /* vertices that have edges */
} pull_t;

/** Parameters of sweeps and merge. */
typedef struct sweep_parameters {
    int64_t depth, tiles;
} sweep_t;

/** Parameters of parents: the vertex of iteration 0. */
typedef struct parents_parameters {
    int64_t begin;
} parents_t;

/** Vertices found are collected before they go into the queue that all threads share. */
#define FOUND_ROOM 512

typedef struct found {
    bfs_vertex_t *queue;
    _Atomic int64_t *tail;
    int count;
    bfs_vertex_t vertex[FOUND_ROOM];
} found_t;

static inline void flush_found(found_t *found) {
    if (found->count == 0)
        return;
    memcpy(found->queue + atomic_fetch_add_explicit(found->tail, found->count, memory_order_relaxed),
           found->vertex, (size_t)found->count * sizeof found->vertex[0]);
    found->count = 0;
}

static inline void add_found(found_t *found, bfs_vertex_t v) {
    found->vertex[found->count++] = v;
    if (found->count == FOUND_ROOM)
        flush_found(found);
}

/** The last entry of the queue whose edges begin at or before `slot`. */
static inline int64_t find_slot(const int64_t prefix[], int64_t count, int64_t slot) {
    int64_t low = 0, high = count; /* prefix[low] <= slot < prefix[high] */

    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (prefix[middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/** The same among tiles, whose first numbers are edges. */
static inline int64_t find_tile(const int64_t tiles[], int64_t count, int64_t edge) {
    int64_t low = 0, high = count;

    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (tiles[3 * middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/** A loop over the vertices of words, of whole words mostly: bits of word number `i`, in the order in which they are dealt out, whose vertices are
 * among the iterations begin .. end - 1. */
static inline uint64_t portion_bits(int64_t i, int64_t begin, int64_t end) {
    const int64_t first = begin - i * BFS_WORD, last = end - i * BFS_WORD;
    const uint64_t from = first > 0 ? UINT64_MAX << first : UINT64_MAX;

    return last < BFS_WORD ? from & ((UINT64_C(1) << last) - 1) : from;
}

/** Bits of a word's vertices that have edges. */
static inline uint64_t linked_bits(int64_t word, int64_t linked) {
    const int64_t left = linked - word * BFS_WORD;

    return left >= BFS_WORD ? UINT64_MAX : left <= 0 ? 0 : (UINT64_C(1) << left) - 1;
}

/** Number of the lowest bit of a word that is not 0. */
static inline int lowest_bit(uint64_t word) {
    return __builtin_ctzll(word);
}

#endif
