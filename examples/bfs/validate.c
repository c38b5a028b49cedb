/* The five checks of Graph500: (1) parents form a tree without cycles below the root; (2) an edge of the tree joins levels that differ by one;
 * (3) an edge of the graph joins levels that differ by one at most (directed: it does not lead further down), or vertices not reached; (4) the
 * tree spans what can be reached and nothing else; (5) edges of the tree are edges of the graph. They look at nothing that the search itself used
 * but the graph, the levels and the parents. A process looks at its own vertices and at the edges into them. */
#include "examples/bfs/validate.h"
#include "examples/bfs/support.h"

#include <stdatomic.h>
#include <stdbool.h>

#define CHECKS 5

/* A vertex at fault, or -1, for each check. */
typedef struct validation {
    const bfs_search_t *search;
    int64_t root;
    _Atomic int64_t fault[CHECKS];
} validation_t;

static void found_fault(validation_t *validation, int check, int64_t v) {
    atomic_store_explicit(&validation->fault[check - 1], v, memory_order_relaxed);
}

/* Whether an edge leads from a vertex to an own one. */
static bool has_edge(const bfs_graph_t *graph, int64_t from, int64_t to) {
    const bfs_lists_t *lists = &graph->in;
    const int64_t list = to - graph->parts.first;
    int64_t low = lists->offset[list], high = lists->offset[list + 1];

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (lists->target[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lists->offset[list + 1] && lists->target[low] == from;
}

static void check_tree(validation_t *validation, int64_t v) {
    const bfs_search_t *search = validation->search;
    const int64_t level = bfs_search_level(search, v), parent = bfs_search_parent(search, v);

    if ((level >= 0) != (parent >= 0))
        found_fault(validation, 4, v);
    if (v == validation->root) {
        if (level != 0 || parent != v)
            found_fault(validation, 1, v);
        return;
    }
    if (level == 0)
        found_fault(validation, 1, v);
    if (parent < 0)
        return;
    /* A parent above its child, always: so no path of parents comes back to where it was, and all end at the one vertex of level 0. */
    if (parent == v || parent >= search->graph->vertices || bfs_search_level(search, parent) >= level) {
        found_fault(validation, 1, v);
        return;
    }
    if (bfs_search_level(search, parent) != level - 1)
        found_fault(validation, 2, v);
    if (!has_edge(search->graph, parent, v))
        found_fault(validation, 5, v);
}

/* Edges that lead to a vertex. */
static void check_edges(validation_t *validation, int64_t v) {
    const bfs_search_t *search = validation->search;
    const bfs_lists_t *in = &search->graph->in;
    const int64_t level = bfs_search_level(search, v), list = v - search->parts->first;

    for (int64_t e = in->offset[list]; e < in->offset[list + 1]; e++) {
        const int64_t other = bfs_search_level(search, in->target[e]);

        if (other < 0)
            continue;
        if (level < 0)
            found_fault(validation, 4, v);
        if (level > other + 1)
            found_fault(validation, 3, v);
    }
}

static void check_vertices(void *context, int64_t begin, int64_t end) {
    const validation_t *validation = context;

    for (int64_t i = begin; i < end; i++) {
        check_tree(context, validation->search->parts->first + i);
        check_edges(context, validation->search->parts->first + i);
    }
}

int bfs_validate(const bfs_search_t *search, bfs_vertex_t root) {
    static const char *const what[CHECKS] = {"the parents are no tree below the root",
                                             "a vertex is not one level below its parent",
                                             "an edge leads down by more than one level",
                                             "the tree does not span what can be reached",
                                             "the graph has no edge from a parent to its child"};
    validation_t validation = {.search = search, .root = root};
    int64_t fault[CHECKS];
    int failed = 0;

    for (int check = 0; check < CHECKS; check++)
        atomic_init(&validation.fault[check], -1);
    bfs_for(search->parts->last - search->parts->first, check_vertices, &validation);
    for (int check = 0; check < CHECKS; check++)
        fault[check] = atomic_load(&validation.fault[check]);
    bfs_parts_greatest(search->parts, fault, CHECKS);
    for (int check = 0; check < CHECKS; check++) {
        if (fault[check] < 0)
            continue;
        dvmh_void_fprintf(dvmh_stderr, "bfs: root %lu, check %d: %s: vertex %lu\n",
                          (unsigned long)search->graph->label_of[root], check + 1, what[check],
                          (unsigned long)search->graph->label_of[fault[check]]);
        failed++;
    }
    return failed;
}
