/* Parts of processes: which vertices each one finds. A part is a run of words of 64 vertices, so that bits of vertices can be shared by words. */
#ifndef BFS_PARTS_H
#define BFS_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <dvmhlib2.h>

/** The parts, and the own one. */
typedef struct bfs_parts {
    bool is_shared;             /* there are several processes, and vertices */
    int64_t words;              /* of all vertices */
    int64_t own_begin, own_end; /* the own words */
    int64_t first, last;        /* the own vertices are first <= v < last */
    DvmType array[64];          /* when shared: an array with an element for each word, spread like them */
} bfs_parts_t;

/**
 * Cut vertices into parts of about equal weight. Collective. *parts must stay where it is until bfs_parts_close.
 * @param weight  of each word; the same in all processes. Not looked at when there is one process
 */
void bfs_parts_open(bfs_parts_t *parts, int64_t vertices, const int64_t weight[]);
void bfs_parts_close(bfs_parts_t *parts);

/** Whether there are several processes, so that each one keeps its part of a graph only. */
bool bfs_parts_are_wanted(void);

/**
 * Combine numbers of all processes; those of a process without vertices do not count. Collective; nothing to do for one process.
 * @param number  becomes the sums, or the greatest
 * @param count   1 .. BFS_COMBINED_MAX
 */
void bfs_parts_add(const bfs_parts_t *parts, int64_t number[], int count);
void bfs_parts_greatest(const bfs_parts_t *parts, int64_t number[], int count);

#define BFS_COMBINED_MAX 8

#endif
