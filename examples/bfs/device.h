/* Searches on a GPU: what the kernels, which nvcc compiles, and those who start them agree on. Plain C for both. device_search.cu has the
 * searches by frontiers, device_levels.cu the single levels of those that several processes share, device_sweep.cu the loops of sweeps;
 * where there is no nvcc device_none.c says that there are no kernels. */
#ifndef BFS_DEVICE_H
#define BFS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <dvmhlib_types.h>
#include <dvmhx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Neighbours of a vertex, the first ones, that lie beside those of other vertices. */
#define BFS_HEADS 4

/** Vertices of a word of bits on a GPU: a lane of a warp each. */
#define BFS_LANES 32

/** A search counts vertices and edges of a frontier in one word of 64 bits, so that both grow in one step. */
#define BFS_DEVICE_EDGE_BITS   36
#define BFS_DEVICE_VERTEX_BITS (64 - BFS_DEVICE_EDGE_BITS)

/** What a search does next, or did last. */
enum {
    BFS_STEP_NONE,   /* it begins */
    BFS_STEP_EXPAND, /* top down: from a queue to the next one */
    BFS_STEP_LEAD, /* top down from a queue so large that bottom up follows, whatever is found: without a next queue */
    BFS_STEP_PULL,    /* bottom up: from bits of what was visited to the next ones */
    BFS_STEP_COLLECT, /* what was found bottom up becomes a queue */
    BFS_STEP_END
};

/** Where a search is: the same for all threads, and kept for the host when the kernel ends. */
typedef struct bfs_course {
    int64_t depth;             /* of the vertices to be found next */
    int64_t count;             /* vertices of the frontier */
    int64_t before;            /* of the frontier before it */
    int64_t edges;             /* in the lists of the queue */
    int64_t rest;              /* that have not been looked at, about */
    int32_t last, next;        /* steps */
    int32_t queue, bits, tail; /* which of the two or three are in use */
    int32_t is_alone;          /* the next step is small: one block makes it while the others wait */
    int32_t is_paused;         /* depth cannot be stored */
} bfs_course_t;

/** Words of 8 bytes of the array that has the course, which takes the first ones, and that by which blocks agree. */
#define BFS_COURSE_WORDS  16
#define BFS_CONTROL_WORDS 64

/** Parameters of a search. */
typedef struct bfs_device_search {
    int64_t root, root_edges; /* root: a vertex that has edges; edges in its list */
    int64_t linked;           /* vertices that have edges: numbers below it */
    int64_t level_count;      /* elements of `level`, a multiple of 64 */
    int64_t rest;             /* entries of all lists */
    int64_t deepest;          /* the greatest level that can be stored */
    int level_bytes;
    int may_pull;
    int with_parents;
    int is_directed; /* lists of `in` are other ones than those of `out` */
    int goes_on;     /* from where it was paused */
    int turn;        /* 0 and 1 in turns, from one kernel to the next */
    int is_refused;  /* becomes 1 when the loop runs on the host, which has no handler for it */
} bfs_device_search_t;

/** Arrays of a search, in the order of its record; those in brackets are left out when they are not wanted. */
enum {
    BFS_SEARCH_OUT_OFFSETS,
    BFS_SEARCH_OUT_TARGETS,
    BFS_SEARCH_HEADS, /* BFS_HEADS numbers a vertex; behind the last one `pad` */
    BFS_SEARCH_LEVEL,
    BFS_SEARCH_BITS,     /* twice bfs_bit_words() words of 32 bits */
    BFS_SEARCH_QUEUES,   /* twice `linked` */
    BFS_SEARCH_PREFIXES, /* the same */
    BFS_SEARCH_CONTROL,  /* BFS_COURSE_WORDS + BFS_CONTROL_WORDS, zero before the first search */
    BFS_SEARCH_FIXED     /* [in_offsets, in_targets when directed] [parent] */
};

/** Words of 32 bits of the vertices that have edges, and one whose bits are never set. */
static inline int64_t bfs_bit_words(int64_t linked) {
    return (linked + BFS_LANES - 1) / BFS_LANES + 1;
}

/** A number behind the last neighbour, whose bit is never set. */
static inline uint32_t bfs_pad(int64_t linked) {
    return (uint32_t)((bfs_bit_words(linked) - 1) * BFS_LANES);
}

/** Parameters of expand, for the host as well. */
typedef struct expand_parameters {
    int64_t depth, queue_count;
    int with_prefix;  /* what is found is the next queue, so its edges are added up */
    int with_parents; /* parents are noted, too; lists have the numbers of their vertices */
    int level_bytes;
} expand_t;

/** Parameters of pull, and of loops over vertices whose words, begin <= word < end, are dealt out. */
typedef struct pull_parameters {
    int64_t depth, begin, end, stride;
    int64_t linked;   /* vertices that have edges */
    int64_t first;    /* the vertex of the first list */
    int with_parents; /* parents are noted, too */
    int is_ranked;    /* take_bits: lists have numbers of their own */
    int level_bytes;
} pull_t;

/** Parameters of sweeps, and of the loops beside them, for the host as well. */
typedef struct bfs_sweep_parameters {
    int64_t depth, tiles, edges;
    int64_t linked;            /* vertices that have edges */
    int64_t begin;             /* parents: the vertex of iteration 0 */
    int64_t root, level_count; /* clear: as for a search */
    int level_bytes;
    int is_read_only, is_packed;
    int with_parents;
} bfs_sweep_parameters_t;

/** Handlers for CUDA. Each is given the record and a pointer to its parameters. */
typedef struct bfs_device_kernels {
    DvmHandlerFunc nothing; /* shows that a loop runs on a GPU */
    DvmHandlerFunc search;
    /* Loops of a search that several processes share; arrays and tail as on the host, which search_queue.c has. */
    DvmHandlerFunc expand, pull, set_bits, take_bits;
    DvmHandlerFunc sweep, merge, parents; /* arrays as those of the loops on the host */
    DvmHandlerFunc clear;                 /* level, parent when it is wanted */
} bfs_device_kernels_t;

/** @return NULL: this program has been compiled without CUDA */
const bfs_device_kernels_t *bfs_device_kernels(void);

#ifdef __cplusplus
}
#endif

#endif
