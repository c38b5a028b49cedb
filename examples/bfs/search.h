/* Searches from one root after the other on one graph. What all algorithms share stands in search.c: arrays, levels and their width, parts of
 * processes, figures. The algorithms are bfs_search_frontier (with and without switching of direction) and bfs_search_sweep. */
#ifndef BFS_SEARCH_H
#define BFS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/bfs/device.h"
#include "examples/bfs/graph.h"
#include "examples/bfs/work.h"

/** Where searches run; ANY: on a GPU where there is one and its kernels are part of the program. */
typedef enum bfs_place { BFS_ON_HOST, BFS_ON_CUDA, BFS_ON_ANY } bfs_place_t;

typedef enum bfs_algorithm { BFS_SWEEP, BFS_QUEUE, BFS_HYBRID } bfs_algorithm_t;

/** How to search. */
typedef struct bfs_method {
    bfs_algorithm_t algorithm;
    bool is_blocked;   /* sweep: edges sorted into blocks of vertices whose levels fit the cache */
    bool is_read_only; /* sweep: levels are only read while edges are swept, and changed afterwards */
    bool is_packed;    /* sweep: both ends of an edge in one word of 32 bits */
    bfs_place_t place;
} bfs_method_t;

/** What a search gave. */
typedef struct bfs_figures {
    int64_t levels;  /* the deepest one, plus 1 */
    int64_t reached; /* vertices, the root included */
    int64_t edges;   /* of what was reached: those of Graph500's rule */
    double search_s, parents_s;
} bfs_figures_t;

/** Kernels of one width of levels; search_kernels.h makes them. Entries of their records' arrays stand beside each. */
typedef struct bfs_kernels {
    DvmHandlerFunc expand; /* offsets, targets, queue, prefix, visited, level, next queue, next prefix, tail,
                              parent when it is wanted */
    DvmHandlerFunc pull;   /* offsets, targets, front, next, visited, level, parent when it is wanted */
    DvmHandlerFunc
        sweep[2][2];      /* [read only][packed]: tiles, edges (1 or 2 arrays), level, found when read only */
    DvmHandlerFunc merge; /* found, level */
    DvmHandlerFunc parents; /* offsets, targets, level, parent */
    DvmHandlerFunc summary; /* offsets, level; with several processes has_list, lists_before */
    DvmHandlerFunc widen;   /* level, wider level */
} bfs_kernels_t;

/** Edges for sweeps: tiles of edges between two blocks of vertices, one tile for all without blocks. */
typedef struct bfs_sweep {
    int64_t edges, tiles;
    bfs_array_t tile; /* three numbers each: first edge, first vertex of either block; one more at the end */
    bfs_array_t from, to; /* relative to the blocks; packed: from alone, to << 16 | from */
    bfs_array_t found;    /* read only: a byte for each vertex */
} bfs_sweep_t;

/** What searches by frontiers of one process need on a GPU; device.h says what each is. */
typedef struct bfs_on_gpu {
    bfs_array_t heads, bits, queues, prefixes, control;
    int turn; /* of the next kernel */
} bfs_on_gpu_t;

/** All that searches on a graph need. */
typedef struct bfs_search {
    const bfs_graph_t *graph;
    bfs_method_t method;
    double prepare_s;

    /* The graph and its parts, see graph.h; a process finds the vertices of its own part. */
    const bfs_parts_t *parts;
    bfs_array_t out_offsets, out_targets, in_offsets, in_targets;
    bfs_array_t has_list, lists_before; /* several processes */

    int level_bytes; /* 1, 2 or 4; all bits set: not reached */
    bfs_array_t level, parent;
    bfs_array_t visited, front, next; /* bits; visited is right for the own words */
    bfs_array_t queue, prefix; /* lists of `out` to go through; edges in the lists before each, and in all */
    bfs_array_t next_queue, next_prefix; /* vertices found, with one process these numbers are the same */
    bfs_array_t tail;                    /* see found_t */
    bfs_sweep_t sweep;
    const bfs_device_kernels_t *gpu; /* kernels that run the loops on a GPU; NULL: all runs on the host */
    bfs_on_gpu_t on_gpu;
} bfs_search_t;

/** Get ready for searches. *search is filled, and must stay where it is until bfs_search_close, like the graph: the
 * runtime knows arrays by the addresses of their headers. @param with_parents  bfs_search_run finds parents, too */
void bfs_search_open(const bfs_graph_t *graph, const bfs_method_t *method, bool with_parents,
                     bfs_search_t *search);
void bfs_search_close(bfs_search_t *search);

/** Search. Afterwards every process has the levels, and the parents, of all vertices. @param root  a place */
void bfs_search_run(bfs_search_t *search, bfs_vertex_t root, bfs_figures_t *figures_p);

/** Level and parent of a place; -1: not reached. After bfs_search_run. */
int64_t bfs_search_level(const bfs_search_t *search, int64_t place);
int64_t bfs_search_parent(const bfs_search_t *search, int64_t place);

/* ---- between the files of the search ---- */

/** The algorithms: from the root on. @return levels */
int64_t bfs_search_frontier(bfs_search_t *search, bfs_vertex_t root);
int64_t bfs_search_sweep(bfs_search_t *search);

/** Edges for sweeps, made once. */
void bfs_sweep_open(bfs_search_t *search);
void bfs_sweep_close(bfs_search_t *search);

/** Queues and bits of the searches by frontiers. */
void bfs_frontier_open(bfs_search_t *search);
void bfs_frontier_close(bfs_search_t *search);

/** Find kernels for the GPU that is to be used, and make arrays of searches by frontiers there; without, search->gpu stays NULL. */
void bfs_device_open(bfs_search_t *search);
void bfs_device_close(bfs_search_t *search);

/** The levels from a root that has edges, on the GPU, which clears them first, and the parents when they are wanted.
 * @return levels; 0: there was no memory there, and search->gpu has become NULL */
int64_t bfs_device_search_run(bfs_search_t *search, bfs_vertex_t root);

/** The same for sweeps and what belongs to them: clear levels and parents. */
void bfs_device_clear(bfs_search_t *search, bfs_vertex_t root);

/** Whether a search is one kernel of a GPU: by frontiers, with one process. */
static inline bool bfs_is_one_kernel(const bfs_search_t *search) {
    return search->on_gpu.control.memory != NULL;
}

/** Kernels for the present width of levels. */
const bfs_kernels_t *bfs_kernels(const bfs_search_t *search);

/** Make sure that `level` can be stored: levels become wider where they must. */
void bfs_fit_level(bfs_search_t *search, int64_t level);

/**
 * Give all processes the own words of an array, and add up a number over them. Nothing to do for one part.
 * @param array  with a row for each word
 * @return the sum of what the processes bring
 */
int64_t bfs_share(const bfs_search_t *search, const bfs_array_t *array, int64_t number);

#endif
