/* What is printed and written: the table or JSON lines, and files of levels. */
#ifndef BFS_FIGURES_H
#define BFS_FIGURES_H

#include "examples/bfs/options.h"
#include "examples/bfs/search.h"

/** Searches from all roots. */
typedef struct bfs_series {
    const bfs_options_t *options;
    const bfs_graph_t *graph;
    const bfs_search_t *search;
    double input_s;     /* generating or reading */
    int64_t count;      /* of searches */
    bfs_vertex_t *root; /* places */
    bfs_figures_t *figures;
    int64_t skipped; /* roots drawn that have no edges */
    int64_t failed;  /* searches that were found wrong */
} bfs_series_t;

/** Edges of a search by Graph500's rule, a second, in 10^9. @param parents_too  the time for parents counts */
double bfs_gteps(const bfs_figures_t *figures, bool parents_too);

/** Say what the graph is. */
void bfs_print_graph(const bfs_series_t *series);

/** One search, number `i`. */
void bfs_print_search(const bfs_series_t *series, int64_t i);

/** All of them. */
void bfs_print_summary(const bfs_series_t *series);

/** Append the vertices, in the order of their labels, with levels and parents; -1 where not reached. @param file  of dvmh_fopen */
void bfs_write_search(const bfs_series_t *series, int64_t i, FILE *file);

#endif
