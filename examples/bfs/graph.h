/* Graphs: edges as they come, and adjacency lists as searches want them. */
#ifndef BFS_GRAPH_H
#define BFS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/** A vertex, numbered from 0. */
typedef uint32_t bfs_vertex_t;

/** Greatest number of vertices: the largest number stays free for "none". */
#define BFS_VERTICES_MAX (INT64_C(0xffffffff))
#define BFS_NONE         ((bfs_vertex_t)0xffffffff)

/** Edges as a file or the generator gives them. */
typedef struct bfs_edges {
    int64_t vertices;
    int64_t count, room;
    bfs_vertex_t (*end)[2]; /* from, to */
} bfs_edges_t;

/** Neighbours of vertex v: target[offset[v]] .. target[offset[v + 1] - 1], ascending, without v itself and without duplicates. */
typedef struct bfs_lists {
    int64_t *offset;
    bfs_vertex_t *target;
} bfs_lists_t;

/**
 * A graph for searches. Its vertices are places: numbered anew, those of largest degree first, so that what searches look at most lies
 * together, neighbours that are found early are tried first, and vertices without edges are at the end.
 */
typedef struct bfs_graph {
    int64_t vertices;
    int64_t linked; /* the first so many places have edges */
    bool is_directed;
    bfs_lists_t out, in;       /* the same lists when undirected */
    bfs_vertex_t *label_of;    /* what the file or the generator calls the vertex at a place */
    bfs_vertex_t *place_of;    /* the place of a label */
    int64_t edges;             /* undirected ones counted once */
    int64_t loops, duplicates; /* left out */
    double build_s;
} bfs_graph_t;

/** Make room for one more edge, and add it. */
void bfs_edges_add(bfs_edges_t *edges, bfs_vertex_t from, bfs_vertex_t to);

/**
 * R-MAT with the parameters of Graph500 (.57, .19, .19), ids scrambled. The graph depends on scale, edges and seed alone.
 * @param scale  0..31: log2 of the number of vertices
 * @param count  edges to draw, loops and duplicates included
 */
void bfs_generate(int scale, int64_t count, uint64_t seed, bfs_edges_t *edges_p);

/** Make the lists. Takes the edges' memory. @param is_directed  edges can be followed from `from` to `to` only */
void bfs_graph_build(bfs_edges_t *edges, bool is_directed, bfs_graph_t *graph_p);

/** Give all memory back. */
void bfs_graph_free(bfs_graph_t *graph);

static inline int64_t bfs_degree(const bfs_lists_t *lists, int64_t v) {
    return lists->offset[v + 1] - lists->offset[v];
}

#endif
