/* What the command line says. */
#ifndef BFS_OPTIONS_H
#define BFS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/bfs/graph_read.h"
#include "examples/bfs/search.h"

typedef struct bfs_options {
    const char *program;
    int scale; /* of the generated graph, when there is no file */
    int64_t edges_per_vertex;
    bfs_reading_t reading; /* path NULL: generate */
    uint64_t seed;
    bool is_directed;
    int64_t roots; /* to be drawn */
    int64_t root;  /* the only one, as the file calls it (less --base); -1: draw */
    bfs_method_t method;
    bool parents; /* wanted by any option */
    bool validate, json;
    const char *output; /* file for levels and parents; NULL: none */
} bfs_options_t;

/** Read the command line. A mistake ends the program with exit code 2 and a message that has what was given and what is allowed; --help ends it,
 * too. Before the runtime starts. */
void bfs_options_parse(int argc, char **argv, bfs_options_t *options_p);

#endif
