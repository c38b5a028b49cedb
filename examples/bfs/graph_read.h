/* Graph files. */
#ifndef BFS_GRAPH_READ_H
#define BFS_GRAPH_READ_H

#include "examples/bfs/graph.h"

/** What a file is written in. */
typedef enum bfs_format {
    BFS_FORMAT_GUESS, /* by the file's first line and the end of its name */
    BFS_FORMAT_EDGES,
    BFS_FORMAT_MATRIX_MARKET,
    BFS_FORMAT_METIS
} bfs_format_t;

/** How to read a file. */
typedef struct bfs_reading {
    const char *path;
    bfs_format_t format;
    int base;        /* number of the first vertex, 0 or 1; -1: that of the format, for edge lists 0 */
    bool has_counts; /* edge lists: the first line has the numbers of vertices and of edges */
} bfs_reading_t;

/**
 * Read a file. Whatever is wrong with it ends the program with file, line, what is there and what is allowed.
 * @param reading      its base becomes what it is for this file
 * @param is_directed  edges of symmetric formats are given in both directions
 * @param edges_p      receives all edges as they are in the file, otherwise those of METIS once
 */
void bfs_read(bfs_reading_t *reading, bool is_directed, bfs_edges_t *edges_p);

/** The same edges in pieces. @return the number of vertices */
int64_t bfs_read_pieces(bfs_reading_t *reading, bool is_directed, bfs_take_t take, void *context);

#endif
