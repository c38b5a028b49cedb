/* What the kernels and those who start them agree on: parameters, which are plain numbers, and bodies that do not see levels. */
#ifndef BFS_SEARCH_INSIDE_H
#define BFS_SEARCH_INSIDE_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "examples/bfs/device.h"
#include "examples/bfs/find.h"
#include "examples/bfs/graph.h"
#include "examples/bfs/support.h"
#include "examples/bfs/work.h"

/** Parameters of sweeps, merge and parents. */
typedef bfs_sweep_parameters_t sweep_t;

/** Parameters of summary: vertices that count are first <= v < last. */
typedef struct summary_parameters {
    int64_t first, last;
    int is_ranked; /* lists have numbers of their own */
} summary_t;

/** Vertices found are collected before they go into the queue that all threads share. */
#define FOUND_ROOM 512

/** The tail of a queue: how long it is, how many edges its lists have, and a lock for both. */
enum { TAIL_COUNT, TAIL_EDGES, TAIL_LOCK, TAIL_WORDS };

typedef struct found {
    bfs_vertex_t *queue;
    _Atomic int64_t *tail;
    const int64_t *offsets; /* of the lists, when edges are added up, else NULL */
    int64_t *prefix;        /* for each entry of the queue the edges of those before it */
    int count;
    bfs_vertex_t vertex[FOUND_ROOM];
} found_t;

/** Length and edges grow together, so that an entry's prefix is where its edges begin, whoever else flushes. @return where the entries go */
static inline int64_t take_tail(found_t *found, int64_t edges, int64_t *before_p) {
    int64_t at;

    while (atomic_exchange_explicit(&found->tail[TAIL_LOCK], 1, memory_order_acquire) != 0)
        ;
    at = atomic_load_explicit(&found->tail[TAIL_COUNT], memory_order_relaxed);
    *before_p = atomic_load_explicit(&found->tail[TAIL_EDGES], memory_order_relaxed);
    atomic_store_explicit(&found->tail[TAIL_COUNT], at + found->count, memory_order_relaxed);
    atomic_store_explicit(&found->tail[TAIL_EDGES], *before_p + edges, memory_order_relaxed);
    atomic_store_explicit(&found->tail[TAIL_LOCK], 0, memory_order_release);
    return at;
}

static inline void flush_found(found_t *found) {
    int64_t length[FOUND_ROOM], edges = 0, at, before;

    if (found->count == 0)
        return;
    for (int i = 0; found->offsets != NULL && i < found->count; i++) {
        const int64_t *offset = found->offsets + found->vertex[i];

        length[i] = offset[1] - offset[0];
        edges += length[i];
    }
    at = take_tail(found, edges, &before);
    memcpy(found->queue + at, found->vertex, (size_t)found->count * sizeof found->vertex[0]);
    for (int i = 0; found->offsets != NULL && i < found->count; i++) {
        found->prefix[at + i] = before;
        before += length[i];
    }
    found->count = 0;
}

static inline void add_found(found_t *found, bfs_vertex_t v) {
    found->vertex[found->count++] = v;
    if (found->count == FOUND_ROOM)
        flush_found(found);
}

/** Of all parents that are noted the first one stays; none is the last number. */
static inline void note_parent(_Atomic bfs_vertex_t *parent, bfs_vertex_t noted) {
    bfs_vertex_t known = atomic_load_explicit(parent, memory_order_relaxed);

    while (noted < known &&
           !atomic_compare_exchange_weak_explicit(parent, &known, noted, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

/** The number of a vertex's list, which it has, where vertices without edges in the own part have none. */
static inline int64_t list_number(const uint64_t has_list[], const int64_t lists_before[], int64_t v) {
    const uint64_t below = (UINT64_C(1) << v % BFS_WORD) - 1;

    return lists_before[v / BFS_WORD] + __builtin_popcountll(has_list[v / BFS_WORD] & below);
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
