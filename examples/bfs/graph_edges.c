/* Edges on their way from a file or the generator: kept in an array that grows, or handed on in pieces. */
#include "examples/bfs/graph.h"
#include "examples/bfs/support.h"

#include <string.h>

/* Edges of a piece that goes somewhere. */
#define PIECE 65536

void bfs_edges_make_room(bfs_edges_t *edges, int64_t wanted) {
    bfs_vertex_t(*more)[2];
    int64_t room = edges->room < 512 ? 1024 : 2 * edges->room;

    if (wanted <= edges->room)
        return;
    room = room < wanted ? wanted : room;
    more = bfs_allocate(room, sizeof more[0], "edges");
    if (edges->count > 0)
        memcpy(more, edges->end, (size_t)edges->count * sizeof more[0]);
    bfs_release(edges->end);
    edges->end = more;
    edges->room = room;
}

static void hand_on(bfs_edges_t *edges) {
    edges->take(edges->context, edges->end, edges->count);
    edges->passed += edges->count;
    edges->count = 0;
}

void bfs_edges_add(bfs_edges_t *edges, bfs_vertex_t from, bfs_vertex_t to) {
    if (edges->take != NULL && edges->count == PIECE)
        hand_on(edges);
    if (edges->count == edges->room)
        bfs_edges_make_room(edges, edges->count + 1);
    edges->end[edges->count][0] = from;
    edges->end[edges->count][1] = to;
    edges->count++;
}

void bfs_edges_finish(bfs_edges_t *edges) {
    if (edges->take == NULL)
        return;
    if (edges->count > 0)
        hand_on(edges);
    bfs_release(edges->end);
    edges->end = NULL;
    edges->room = 0;
}
