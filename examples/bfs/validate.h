/* Graph500's checks of a search. */
#ifndef BFS_VALIDATE_H
#define BFS_VALIDATE_H

#include "examples/bfs/search.h"

/**
 * Check levels and parents of a search that finds parents. What is wrong is said on standard error, once for each check.
 * @param root  a place
 * @return the number of checks, out of 5, that failed
 */
int bfs_validate(const bfs_search_t *search, bfs_vertex_t root);

#endif
