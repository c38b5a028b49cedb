/* Lists of neighbours from edges. */
#ifndef BFS_GRAPH_LISTS_H
#define BFS_GRAPH_LISTS_H

#include "examples/bfs/graph.h"

/**
 * Make `in` and `out` of a graph whose places and parts are there, and with several processes has_list and lists_before.
 * @param edges  labels; at least all edges into the own part; loops are left out
 */
void bfs_lists_make(bfs_graph_t *graph, const bfs_edges_t *edges);

#endif
