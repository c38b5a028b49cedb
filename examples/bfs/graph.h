/* Graphs: edges as they come, and adjacency lists as searches want them. */
#ifndef BFS_GRAPH_H
#define BFS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/bfs/parts.h"

/** A vertex, numbered from 0. */
typedef uint32_t bfs_vertex_t;

/** Greatest number of vertices: the largest number stays free for "none". */
#define BFS_VERTICES_MAX (INT64_C(0xffffffff))
#define BFS_NONE         ((bfs_vertex_t)0xffffffff)

/** Take a piece of the edges: ends from and to of each. Called from the main thread. */
typedef void (*bfs_take_t)(void *context, bfs_vertex_t (*end)[2], int64_t count);

/** Edges as a file or the generator gives them, all of them or the piece that is being filled. */
typedef struct bfs_edges {
    int64_t vertices;
    int64_t count, room;
    bfs_vertex_t (*end)[2]; /* from, to */
    /* When not NULL, edges go there in pieces, and are counted in `passed`, instead of being kept. */
    bfs_take_t take;
    void *context;
    int64_t passed;
} bfs_edges_t;

/** Where edges come from, as often as they are asked for, always the same. */
typedef struct bfs_source {
    /* Give all edges to take. @return the number of vertices */
    int64_t (*give)(const struct bfs_source *source, bfs_take_t take, void *context);
    void *about; /* what `give` needs to know */
} bfs_source_t;

/** Lists of neighbours: target[offset[i]] .. target[offset[i + 1] - 1] is list i, ascending, without the vertex itself and without duplicates. */
typedef struct bfs_lists {
    int64_t count; /* of lists */
    int64_t *offset;
    bfs_vertex_t *target;
} bfs_lists_t;

/**
 * A graph for searches. Its vertices are places: numbered anew, those of largest degree first, so that what searches look at most lies
 * together, neighbours that are found early are tried first, and vertices without edges are at the end.
 *
 * With several processes each has the edges into its own part only, once by the vertices that they lead to and once by those that they come
 * from; numbers of edges and the numbering are those of the whole graph.
 */
typedef struct bfs_graph {
    int64_t vertices;
    int64_t linked; /* the first so many places have edges */
    bool is_directed;
    bfs_parts_t parts;
    bfs_lists_t in; /* list v - parts.first: where edges into the own vertex v come from */
    bfs_lists_t
        out; /* where edges lead to, in the own part, from: vertex i, with one process; else see has_list. The lists of `in` when
                        those are the same */
    uint64_t *has_list;        /* several processes: bits of vertices that have a list in `out`, and .. */
    int64_t *lists_before;     /* .. how many of them there are before each word */
    uint64_t *leads_out;       /* directed: bits of vertices from which edges lead out */
    bfs_vertex_t *label_of;    /* what the file or the generator calls the vertex at a place */
    bfs_vertex_t *place_of;    /* the place of a label */
    int64_t edges;             /* undirected ones counted once */
    int64_t loops, duplicates; /* left out */
    int64_t kept;              /* entries of the lists, in the process that has most */
    double build_s;
} bfs_graph_t;

/** Make room for so many edges in all. */
void bfs_edges_make_room(bfs_edges_t *edges, int64_t wanted);

/** Make room for one more edge, and add it. */
void bfs_edges_add(bfs_edges_t *edges, bfs_vertex_t from, bfs_vertex_t to);

/** Hand the last piece on when edges go somewhere, and give its memory back. */
void bfs_edges_finish(bfs_edges_t *edges);

/**
 * R-MAT with the parameters of Graph500 (.57, .19, .19), ids scrambled. The graph depends on scale, edges and seed alone.
 * @param scale  0..31: log2 of the number of vertices
 * @param count  edges to draw, loops and duplicates included
 */
void bfs_generate(int scale, int64_t count, uint64_t seed, bfs_edges_t *edges_p);

/** The same edges in pieces. */
void bfs_generate_pieces(int scale, int64_t count, uint64_t seed, bfs_take_t take, void *context);

/** Make the lists, with one process. Takes the edges' memory. *graph_p must stay where it is. @param is_directed  edges can be followed from
 * `from` to `to` only */
void bfs_graph_build(bfs_edges_t *edges, bool is_directed, bfs_graph_t *graph_p);

/** The same with several processes: asks for all edges twice, and keeps those that concern the own part. Collective. */
void bfs_graph_build_part(const bfs_source_t *source, bool is_directed, bfs_graph_t *graph_p);

/** Give all memory back. */
void bfs_graph_free(bfs_graph_t *graph);

static inline int64_t bfs_list_length(const bfs_lists_t *lists, int64_t i) {
    return lists->offset[i + 1] - lists->offset[i];
}

/** Whether edges lead out of a place, in the whole graph. */
static inline bool bfs_leads_out(const bfs_graph_t *graph, int64_t place) {
    return graph->is_directed ? (graph->leads_out[place / 64] >> place % 64 & 1) != 0 : place < graph->linked;
}

#endif
