/* Searches of the BFS example against a plain sequential search, on graphs of every shape; for tests on the host and on GPUs. */
#ifndef TESTS_BFS_SEARCHES_H
#define TESTS_BFS_SEARCHES_H

#include "examples/bfs/graph.h"
#include "examples/bfs/search.h"
#include "examples/bfs/support.h"
#include "examples/bfs/validate.h"
#include "tests/check.h"

/* Where searches run, and how many of the eight sweeps a graph is searched by at most. */
static bfs_place_t search_place = BFS_ON_HOST;
static int most_sweeps = 8;

/* A graph as a list of edges, and what the plain search finds. */
typedef struct plain {
    const char *name;
    int64_t vertices, count, room;
    bfs_vertex_t (*end)[2];
    bool is_directed;
    int64_t *level; /* -1: not reached */
    int64_t levels, reached, edges;
} plain_t;

static void plain_add(plain_t *plain, int64_t from, int64_t to) {
    if (plain->count == plain->room) {
        plain->room = 2 * plain->room + 16;
        plain->end = realloc(plain->end, (size_t)plain->room * sizeof plain->end[0]);
    }
    plain->end[plain->count][0] = (bfs_vertex_t)from;
    plain->end[plain->count][1] = (bfs_vertex_t)to;
    plain->count++;
}

static void plain_free(plain_t *plain) {
    free(plain->end);
    free(plain->level);
}

static int compare_edges(const void *a, const void *b) {
    const bfs_vertex_t *x = a, *y = b;

    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* All directed edges, sorted, without loops and duplicates. @return how many */
static int64_t arcs_of(const plain_t *plain, bfs_vertex_t (**arc_p)[2]) {
    bfs_vertex_t(*arc)[2] = malloc((size_t)(2 * plain->count + 1) * sizeof arc[0]);
    int64_t count = 0, kept = 0;

    for (int64_t e = 0; e < plain->count; e++)
        for (int way = 0; way < (plain->is_directed ? 1 : 2); way++)
            if (plain->end[e][0] != plain->end[e][1]) {
                arc[count][0] = plain->end[e][way];
                arc[count++][1] = plain->end[e][1 - way];
            }
    qsort(arc, (size_t)count, sizeof arc[0], compare_edges);
    for (int64_t e = 0; e < count; e++)
        if (kept == 0 || compare_edges(arc[e], arc[kept - 1]) != 0) {
            arc[kept][0] = arc[e][0];
            arc[kept++][1] = arc[e][1];
        }
    *arc_p = arc;
    return kept;
}

/* The plain search: a queue, and for each vertex of it the run of sorted edges that begins there. */
static void plain_search(plain_t *plain, int64_t root) {
    bfs_vertex_t(*arc)[2];
    const int64_t count = arcs_of(plain, &arc), n = plain->vertices;
    int64_t *first = calloc((size_t)n + 2, sizeof first[0]),
            *queue = malloc((size_t)(n + 1) * sizeof queue[0]);
    int64_t head = 0, tail = 0, arcs = 0;

    for (int64_t e = 0; e < count; e++)
        first[arc[e][0] + 1]++;
    for (int64_t v = 0; v < n; v++)
        first[v + 1] += first[v];
    free(plain->level);
    plain->level = malloc((size_t)(n + 1) * sizeof plain->level[0]);
    for (int64_t v = 0; v < n; v++)
        plain->level[v] = -1;
    plain->level[root] = 0;
    queue[tail++] = root;
    while (head < tail) {
        const int64_t v = queue[head++];

        plain->levels = plain->level[v] + 1;
        for (int64_t e = first[v]; e < first[v + 1]; e++, arcs++)
            if (plain->level[arc[e][1]] < 0) {
                plain->level[arc[e][1]] = plain->level[v] + 1;
                queue[tail++] = arc[e][1];
            }
    }
    plain->reached = tail;
    plain->edges = plain->is_directed ? arcs : arcs / 2;
    free(first);
    free(queue);
    free(arc);
}

static void build(const plain_t *plain, bfs_graph_t *graph_p) {
    bfs_edges_t edges = {.vertices = plain->vertices};
    bfs_vertex_t(*arc)[2];
    const int64_t arcs = arcs_of(plain, &arc), wanted = plain->is_directed ? arcs : arcs / 2;
    int64_t loops = 0;

    for (int64_t e = 0; e < plain->count; e++) {
        bfs_edges_add(&edges, plain->end[e][0], plain->end[e][1]);
        loops += plain->end[e][0] == plain->end[e][1];
    }
    bfs_graph_build(&edges, plain->is_directed, graph_p);
    CHECK_EQ_INT(graph_p->edges, wanted);
    CHECK_EQ_INT(graph_p->loops, loops);
    CHECK_EQ_INT(graph_p->duplicates, plain->count - loops - wanted);
    free(arc);
}

/* The parent of a vertex is its first neighbour one level above, whoever found it. @return how many are not */
static int64_t wrong_parents(const bfs_search_t *search) {
    const bfs_lists_t *in = &search->graph->in;
    int64_t wrong = 0;

    for (int64_t v = 0; v < search->graph->vertices; v++) {
        const int64_t level = bfs_search_level(search, v);
        int64_t e = in->offset[v];

        while (level > 0 && e < in->offset[v + 1] && bfs_search_level(search, in->target[e]) != level - 1)
            e++;
        if (level > 0)
            wrong += e == in->offset[v + 1] || bfs_search_parent(search, v) != (int64_t)in->target[e];
    }
    return wrong;
}

/* One search against the plain one. */
static void check_search(bfs_search_t *search, plain_t *plain, int64_t root) {
    const bfs_vertex_t place = search->graph->place_of[root];
    bfs_figures_t figures;
    int64_t wrong = 0;

    plain_search(plain, root);
    bfs_search_run(search, place, &figures);
    for (int64_t v = 0; v < plain->vertices; v++)
        wrong += bfs_search_level(search, search->graph->place_of[v]) != plain->level[v];
    if (!CHECK_EQ_INT(wrong, 0) || !CHECK_EQ_INT(figures.levels, plain->levels) ||
        !CHECK_EQ_INT(figures.reached, plain->reached) || !CHECK_EQ_INT(figures.edges, plain->edges) ||
        !CHECK_EQ_INT(wrong_parents(search), 0) || !CHECK_EQ_INT(bfs_validate(search, place), 0))
        fprintf(stderr, "  graph %s, %s, root %lld, algorithm %d, blocked %d, read only %d, packed %d\n",
                plain->name, plain->is_directed ? "directed" : "undirected", (long long)root,
                (int)search->method.algorithm, search->method.is_blocked, search->method.is_read_only,
                search->method.is_packed);
}

static void check_method(const bfs_graph_t *graph, plain_t *plain, const bfs_method_t *given,
                         const int64_t root[], int roots) {
    bfs_method_t method = *given;
    bfs_search_t search;

    method.place = search_place;
    bfs_search_open(graph, &method, true, &search);
    if (search_place == BFS_ON_CUDA)
        CHECK(search.gpu != NULL || graph->linked == 0);
    for (int i = 0; i < roots; i++)
        check_search(&search, plain, root[i]);
    bfs_search_close(&search);
}

/* Both directions of edges. @param sweeps  how many of the eight sweeps; deep graphs take them long */
static void check_graph(plain_t *plain, const int64_t root[], int roots, int sweeps) {
    for (int directed = 0; directed < 2; directed++) {
        bfs_graph_t graph;

        plain->is_directed = directed != 0;
        build(plain, &graph);
        check_method(&graph, plain, &(bfs_method_t){.algorithm = BFS_HYBRID}, root, roots);
        check_method(&graph, plain, &(bfs_method_t){.algorithm = BFS_QUEUE}, root, roots);
        for (int i = 0; i < sweeps && i < most_sweeps; i++) {
            const bfs_method_t method = {.algorithm = BFS_SWEEP,
                                         .is_blocked = (i & 1) != 0,
                                         .is_read_only = (i & 2) != 0,
                                         .is_packed = (i & 4) != 0};

            check_method(&graph, plain, &method, root, roots);
        }
        bfs_graph_free(&graph);
    }
    plain_free(plain);
}

/* ---- shapes ---- */

static void test_small(void) {
    const int64_t first[] = {0};
    bfs_graph_t graph;
    plain_t none = {.name = "no vertices"}, one = {.name = "one vertex", .vertices = 1};
    plain_t loop = {.name = "one vertex with a loop", .vertices = 1};
    plain_t apart = {.name = "no edges", .vertices = 130};

    build(&none, &graph);
    CHECK_EQ_INT(graph.linked, 0);
    for (bfs_algorithm_t algorithm = BFS_SWEEP; algorithm <= BFS_HYBRID; algorithm++)
        check_method(&graph, &none, &(bfs_method_t){.algorithm = algorithm, .is_blocked = true}, NULL, 0);
    bfs_graph_free(&graph);
    check_graph(&one, first, 1, 8);
    plain_add(&loop, 0, 0);
    check_graph(&loop, first, 1, 8);
    check_graph(&apart, first, 1, 8);
}

static void test_random(int rounds) {
    for (int round = 0; round < rounds; round++) {
        plain_t plain = {.name = "random", .vertices = check_random_range(2, round % 5 == 0 ? 3000 : 200)};
        const int64_t n = plain.vertices, part = check_random_range(1, n);
        const int64_t edges = check_random_range(0, n * (round % 3 == 0 ? 20 : 2));
        int64_t root[3];

        for (int64_t e = 0; e < edges; e++) {
            /* Few vertices often: duplicates, loops, and hubs; and two parts that no edge joins. */
            const int64_t from = check_random_once_in(3) ? check_random_range(0, n < 4 ? n - 1 : 3)
                                                         : check_random_range(0, n - 1);
            const int64_t low = from < part ? 0 : part, high = from < part ? part - 1 : n - 1;

            plain_add(&plain, from, check_random_range(low, high));
        }
        for (int i = 0; i < 3; i++)
            root[i] = check_random_range(0, n - 1);
        check_graph(&plain, root, 3, 8);
    }
}

/* Numbers of vertices along a path, mixed up. */
static int64_t mixed(int64_t i, int64_t n) {
    return i * 7919 % n;
}

/* @param longest  longer ones are left out: with several threads they would mostly wait for each other */
static void test_paths(int64_t longest) {
    static const struct {
        int64_t vertices;
        int sweeps;
    } path[] = {{254, 8}, {255, 8}, {256, 8}, {257, 8}, {700, 8}, {66001, 0}};

    for (size_t i = 0; i < sizeof path / sizeof path[0] && path[i].vertices <= longest; i++) {
        const int64_t n = path[i].vertices;
        const int64_t root[] = {mixed(0, n)};
        plain_t plain = {.name = "path", .vertices = n};

        for (int64_t v = 0; v + 1 < n; v++)
            plain_add(&plain, mixed(v, n), mixed(v + 1, n));
        check_graph(&plain, root, 1, path[i].sweeps);
    }
}

/* A hub and leaves in several blocks of a sweep, and a tail on a leaf: the direction changes there and back. */
static void test_star(int64_t n) {
    const int64_t root[] = {0, n - 1};
    plain_t plain = {.name = "star", .vertices = n};

    for (int64_t v = 1; v < n - 20; v++)
        plain_add(&plain, 0, v);
    for (int64_t v = n - 20; v < n; v++)
        plain_add(&plain, v - 1, v);
    check_graph(&plain, root, 2, 4);
}

/* An R-MAT graph, large enough for all changes of direction and several blocks. */
static void test_generated(int scale) {
    plain_t plain = {.name = "R-MAT", .vertices = INT64_C(1) << scale};
    bfs_edges_t edges;
    int64_t root[2];

    bfs_generate(scale, INT64_C(8) << scale, 3, &edges);
    for (int64_t e = 0; e < edges.count; e++)
        plain_add(&plain, edges.end[e][0], edges.end[e][1]);
    bfs_release(edges.end);
    for (int i = 0; i < 2; i++)
        root[i] = plain.end[check_random_range(0, plain.count - 1)][0];
    check_graph(&plain, root, 2, 8);
}

#endif
