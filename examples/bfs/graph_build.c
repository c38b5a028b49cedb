/* Graphs from edges: vertices numbered anew by degree, parts of processes, and which edges a process keeps. graph_lists makes the lists. */
#include "examples/bfs/graph.h"
#include "examples/bfs/graph_lists.h"
#include "examples/bfs/support.h"

#include <stdatomic.h>
#include <string.h>

/* Edges kept by a portion of a loop are collected before they go to those of all. */
#define KEPT_ROOM 256

/* ---- degrees ---- */

/* What is counted of each label, and of all edges. Degrees have duplicates: they are there before the lists, and the order is for speed
 * only. */
typedef struct counting {
    const bfs_vertex_t (*end)[2];
    int64_t vertices;           /* counted so far */
    _Atomic int64_t *degree;    /* both ends */
    _Atomic uint8_t *leads_out; /* whether edges lead out */
    int64_t edges;
    _Atomic int64_t loops;
    _Atomic int64_t greatest; /* label of a piece */
} counting_t;

static void count_degrees(void *context, int64_t begin, int64_t end) {
    counting_t *counting = context;
    int64_t loops = 0;

    for (int64_t e = begin; e < end; e++) {
        const bfs_vertex_t *edge = counting->end[e];

        if (edge[0] == edge[1]) {
            loops++;
            continue;
        }
        atomic_fetch_add_explicit(&counting->degree[edge[0]], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&counting->degree[edge[1]], 1, memory_order_relaxed);
        atomic_store_explicit(&counting->leads_out[edge[0]], 1, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&counting->loops, loops, memory_order_relaxed);
}

/* So that counters up to a label are there, zero where new. */
static void count_up_to(counting_t *counting, int64_t vertices) {
    _Atomic int64_t *degree;
    _Atomic uint8_t *leads_out;

    if (vertices <= counting->vertices)
        return;
    degree = bfs_allocate(vertices, sizeof degree[0], "degrees");
    leads_out = bfs_allocate(vertices, 1, "degrees");
    for (int64_t v = 0; v < vertices; v++) {
        const bool is_old = v < counting->vertices;

        atomic_init(&degree[v], is_old ? atomic_load(&counting->degree[v]) : 0);
        atomic_init(&leads_out[v], is_old ? atomic_load(&counting->leads_out[v]) : 0);
    }
    bfs_release(counting->degree);
    bfs_release(counting->leads_out);
    counting->degree = degree;
    counting->leads_out = leads_out;
    counting->vertices = vertices;
}

static void count_piece(void *context, bfs_vertex_t (*end)[2], int64_t count) {
    counting_t *counting = context;
    int64_t greatest = -1;

    for (int64_t e = 0; e < count; e++) {
        greatest = end[e][0] > greatest ? end[e][0] : greatest;
        greatest = end[e][1] > greatest ? end[e][1] : greatest;
    }
    if (greatest >= counting->vertices)
        count_up_to(counting, greatest + 1 + counting->vertices / 2);
    counting->end = (const bfs_vertex_t(*)[2])end;
    counting->edges += count;
    bfs_for(count, count_degrees, counting);
}

/* ---- places ---- */

/* Degrees from `rough` on share a place in the sorting, so that its table stays small. */
static void number_by_degree(bfs_graph_t *graph, const counting_t *counting) {
    const int64_t n = graph->vertices, rough = INT64_C(1) << 16;
    int64_t *first = bfs_allocate(rough + 2, sizeof first[0], "degrees"), at = 0;

    graph->label_of = bfs_allocate(n, sizeof graph->label_of[0], "labels");
    graph->place_of = bfs_allocate(n, sizeof graph->place_of[0], "places");
    memset(first, 0, (size_t)(rough + 2) * sizeof first[0]);
    for (int64_t v = 0; v < n; v++) {
        const int64_t degree = atomic_load_explicit(&counting->degree[v], memory_order_relaxed);

        first[degree < rough ? degree : rough]++;
    }
    graph->linked = n - first[0];
    for (int64_t degree = rough; degree >= 0; degree--) {
        const int64_t count = first[degree];

        first[degree] = at;
        at += count;
    }
    for (int64_t v = 0; v < n; v++) {
        const int64_t degree = atomic_load_explicit(&counting->degree[v], memory_order_relaxed);
        const int64_t place = first[degree < rough ? degree : rough]++;

        graph->place_of[v] = (bfs_vertex_t)place;
        graph->label_of[place] = (bfs_vertex_t)v;
    }
    bfs_release(first);
}

/* Bits of places out of which edges lead. */
static void note_sources(bfs_graph_t *graph, const counting_t *counting) {
    const int64_t words = bfs_blocks(graph->vertices, BFS_WORD);

    if (!graph->is_directed)
        return;
    graph->leads_out = bfs_allocate(words, sizeof graph->leads_out[0], "vertices that edges lead out of");
    memset(graph->leads_out, 0, (size_t)words * sizeof graph->leads_out[0]);
    for (int64_t place = 0; place < graph->linked; place++)
        if (atomic_load_explicit(&counting->leads_out[graph->label_of[place]], memory_order_relaxed) != 0)
            graph->leads_out[place / BFS_WORD] |= UINT64_C(1) << place % BFS_WORD;
}

/* Parts have about equal numbers of edges; a vertex counts as one more. */
static void open_parts(bfs_graph_t *graph, const counting_t *counting) {
    const int64_t words = bfs_blocks(graph->vertices, BFS_WORD);
    int64_t *weight = bfs_allocate(words, sizeof weight[0], "weights of parts");

    memset(weight, 0, (size_t)words * sizeof weight[0]);
    for (int64_t place = 0; place < graph->vertices; place++)
        weight[place / BFS_WORD] += 1 + atomic_load(&counting->degree[graph->label_of[place]]);
    bfs_parts_open(&graph->parts, graph->vertices, weight);
    bfs_release(weight);
}

/* All that is known before the lists. Gives the counters back. */
static void number_vertices(bfs_graph_t *graph, counting_t *counting) {
    number_by_degree(graph, counting);
    note_sources(graph, counting);
    open_parts(graph, counting);
    bfs_release(counting->degree);
    bfs_release(counting->leads_out);
}

/* Lists, and numbers of edges from them. Takes the edges' memory. */
static void finish(bfs_graph_t *graph, const counting_t *counting, bfs_edges_t *edges) {
    bfs_lists_make(graph, edges);
    graph->edges = graph->in.offset[graph->in.count];
    bfs_parts_add(&graph->parts, &graph->edges, 1);
    if (!graph->is_directed)
        graph->edges /= 2;
    graph->kept = graph->in.offset[graph->in.count];
    if (graph->out.target != graph->in.target)
        graph->kept += graph->out.offset[graph->out.count];
    bfs_parts_greatest(&graph->parts, &graph->kept, 1);
    graph->loops = atomic_load(&counting->loops);
    graph->duplicates = counting->edges - graph->loops - graph->edges;
    bfs_release(edges->end);
    *edges = (bfs_edges_t){0};
}

void bfs_graph_build(bfs_edges_t *edges, bool is_directed, bfs_graph_t *graph_p) {
    const double begin = bfs_now();
    counting_t counting = {.end = (const bfs_vertex_t(*)[2])edges->end, .edges = edges->count};

    *graph_p = (bfs_graph_t){.vertices = edges->vertices, .is_directed = is_directed};
    count_up_to(&counting, edges->vertices);
    bfs_for(edges->count, count_degrees, &counting);
    number_vertices(graph_p, &counting);
    finish(graph_p, &counting, edges);
    graph_p->build_s = bfs_now() - begin;
}

/* ---- the own edges ---- */

typedef struct keeping {
    const bfs_graph_t *graph;
    const bfs_vertex_t (*end)[2]; /* of the piece */
    bfs_edges_t *edges;
    _Atomic int64_t count; /* of edges, while a piece is looked at */
} keeping_t;

static bool is_own(const bfs_graph_t *graph, bfs_vertex_t label) {
    return graph->place_of[label] >= graph->parts.first && graph->place_of[label] < graph->parts.last;
}

static void keep_edges(void *context, int64_t begin, int64_t end) {
    keeping_t *keeping = context;
    const bfs_graph_t *graph = keeping->graph;
    bfs_vertex_t kept[KEPT_ROOM][2];
    int64_t count = 0;

    for (int64_t e = begin; e < end; e++) {
        const bfs_vertex_t *edge = keeping->end[e];

        if (edge[0] != edge[1] && (is_own(graph, edge[1]) || (!graph->is_directed && is_own(graph, edge[0]))))
            memcpy(kept[count++], edge, sizeof kept[0]);
        if (count == KEPT_ROOM || (e + 1 == end && count > 0)) {
            memcpy(keeping->edges->end +
                       atomic_fetch_add_explicit(&keeping->count, count, memory_order_relaxed),
                   kept, (size_t)count * sizeof kept[0]);
            count = 0;
        }
    }
}

static void keep_piece(void *context, bfs_vertex_t (*end)[2], int64_t count) {
    keeping_t *keeping = context;
    bfs_edges_t *edges = keeping->edges;

    bfs_edges_make_room(edges, edges->count + count);
    keeping->end = (const bfs_vertex_t(*)[2])end;
    atomic_store(&keeping->count, edges->count);
    bfs_for(count, keep_edges, keeping);
    edges->count = atomic_load(&keeping->count);
}

void bfs_graph_build_part(const bfs_source_t *source, bool is_directed, bfs_graph_t *graph_p) {
    const double begin = bfs_now();
    counting_t counting = {0};
    bfs_edges_t edges = {0};
    keeping_t keeping = {.graph = graph_p, .edges = &edges};

    *graph_p = (bfs_graph_t){.is_directed = is_directed};
    graph_p->vertices = source->give(source, count_piece, &counting);
    count_up_to(&counting, graph_p->vertices);
    number_vertices(graph_p, &counting);
    (void)source->give(source, keep_piece, &keeping);
    finish(graph_p, &counting, &edges);
    graph_p->build_s = bfs_now() - begin;
}

void bfs_graph_free(bfs_graph_t *graph) {
    if (graph->out.offset != graph->in.offset) {
        bfs_release(graph->out.offset);
        bfs_release(graph->out.target);
    }
    bfs_release(graph->in.offset);
    bfs_release(graph->in.target);
    bfs_release(graph->has_list);
    bfs_release(graph->lists_before);
    bfs_release(graph->leads_out);
    bfs_release(graph->label_of);
    bfs_release(graph->place_of);
    bfs_parts_close(&graph->parts);
}
