/* Searches of the BFS example: levels, and figures, of every algorithm equal those of a plain sequential search on graphs of every shape, with 1, 2
 * and 3 threads; parents pass the checks of Graph500, and these see every kind of fault that is planted; the generator's graph depends on its seed alone. */
#include "examples/bfs/graph.h"
#include "examples/bfs/search.h"
#include "examples/bfs/support.h"
#include "examples/bfs/validate.h"
#include "tests/check.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 3

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

static void check_method(const bfs_graph_t *graph, plain_t *plain, const bfs_method_t *method,
                         const int64_t root[], int roots) {
    bfs_search_t search;

    bfs_search_open(graph, method, true, &search);
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
        for (int i = 0; i < sweeps; i++) {
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

/* More levels than 16 bits hold, for sweeps: a directed path, so that there are few edges. */
static void test_deep_sweep(void) {
    const int64_t n = 66001, root[] = {0};
    const bfs_method_t method = {.algorithm = BFS_SWEEP, .is_blocked = true};
    plain_t plain = {.name = "deep path", .vertices = n, .is_directed = true};
    bfs_graph_t graph;

    for (int64_t v = 0; v + 1 < n; v++)
        plain_add(&plain, v, v + 1);
    build(&plain, &graph);
    check_method(&graph, &plain, &method, root, 1);
    bfs_graph_free(&graph);
    plain_free(&plain);
}

/* A hub and leaves in several blocks of a sweep, and a tail on a leaf: the direction changes there and back. */
static void test_star(void) {
    const int64_t n = 70000;
    const int64_t root[] = {0, n - 1};
    plain_t plain = {.name = "star", .vertices = n};

    for (int64_t v = 1; v < n - 20; v++)
        plain_add(&plain, 0, v);
    for (int64_t v = n - 20; v < n; v++)
        plain_add(&plain, v - 1, v);
    check_graph(&plain, root, 2, 4);
}

/* ---- the generator ---- */

/* All edges as one number. */
static uint64_t hash_of(int scale, int64_t count, uint64_t seed) {
    bfs_edges_t edges;
    uint64_t hash = 0;

    bfs_generate(scale, count, seed, &edges);
    CHECK_EQ_INT(edges.vertices, INT64_C(1) << scale);
    CHECK_EQ_INT(edges.count, count);
    for (int64_t e = 0; e < count; e++)
        hash = bfs_random(hash, (uint64_t)edges.end[e][0] << 32 | edges.end[e][1]);
    bfs_release(edges.end);
    return hash;
}

/* ---- edges in pieces ---- */

typedef struct pieces {
    uint64_t hash;
    int64_t count;
} pieces_t;

static void hash_piece(void *context, bfs_vertex_t (*end)[2], int64_t count) {
    pieces_t *pieces = context;

    for (int64_t e = 0; e < count; e++)
        pieces->hash = bfs_random(pieces->hash, (uint64_t)end[e][0] << 32 | end[e][1]);
    pieces->count += count;
}

/* More than one piece of the generator, and its last one not whole. */
static void test_pieces(void) {
    const int64_t count = (1 << 20) + 12345;
    pieces_t pieces = {0};

    bfs_generate_pieces(12, count, 9, hash_piece, &pieces);
    CHECK_EQ_INT(pieces.count, count);
    CHECK(pieces.hash == hash_of(12, count, 9));
}

/* Edges of a plain graph, in pieces of any size; the number of vertices is known at the end only. */
static int64_t give_plain(const bfs_source_t *source, bfs_take_t take, void *context) {
    const plain_t *plain = source->about;
    bfs_edges_t edges = {.take = take, .context = context};

    for (int64_t e = 0; e < plain->count; e++)
        bfs_edges_add(&edges, plain->end[e][0], plain->end[e][1]);
    bfs_edges_finish(&edges);
    CHECK_EQ_INT(edges.passed, plain->count);
    return plain->vertices;
}

static void check_same_lists(const bfs_lists_t *a, const bfs_lists_t *b) {
    if (!CHECK_EQ_INT(a->count, b->count) ||
        !CHECK(memcmp(a->offset, b->offset, (size_t)(a->count + 1) * sizeof a->offset[0]) == 0))
        return;
    CHECK(memcmp(a->target, b->target, (size_t)a->offset[a->count] * sizeof a->target[0]) == 0);
}

/* A part that is the whole graph, as edges are asked for twice: the same as from edges that are kept. */
static void test_part(void) {
    for (int round = 0; round < 6; round++) {
        plain_t plain = {.name = "in pieces", .vertices = round < 4 ? check_random_range(1, 500) : 30000};
        const int64_t n = plain.vertices;
        const bfs_source_t source = {.give = give_plain, .about = &plain};
        bfs_graph_t graph, part;

        plain.is_directed = round % 2 != 0;
        for (int64_t e = round < 4 ? check_random_range(0, 3 * n) : 5 * n; e > 0; e--)
            plain_add(&plain, check_random_range(0, n - 1), check_random_range(0, n - 1) / 3);
        build(&plain, &graph);
        bfs_graph_build_part(&source, plain.is_directed, &part);
        CHECK_EQ_INT(part.vertices, graph.vertices);
        CHECK_EQ_INT(part.linked, graph.linked);
        CHECK_EQ_INT(part.edges, graph.edges);
        CHECK_EQ_INT(part.loops, graph.loops);
        CHECK_EQ_INT(part.duplicates, graph.duplicates);
        CHECK(memcmp(part.place_of, graph.place_of, (size_t)n * sizeof part.place_of[0]) == 0);
        for (int64_t v = 0; v < n; v++)
            CHECK(bfs_leads_out(&part, v) == (bfs_list_length(&graph.out, v) > 0));
        check_same_lists(&part.in, &graph.in);
        check_same_lists(&part.out, &graph.out);
        bfs_graph_free(&graph);
        bfs_graph_free(&part);
        plain_free(&plain);
    }
}

static int descending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* Shares of the cells of the matrix are products of Graph500's, whatever the scrambling did to the order of the cells. */
static void test_shares(void) {
    static const double share[] = {.57, .19, .19, .05};
    const int64_t count = 400000;
    bfs_edges_t edges;
    int64_t cell[16] = {0}, wanted[16];

    bfs_generate(2, count, 5, &edges);
    for (int64_t e = 0; e < count; e++)
        cell[edges.end[e][0] * 4 + edges.end[e][1]]++;
    for (int i = 0; i < 16; i++)
        wanted[i] = (int64_t)((double)count * share[i / 4] * share[i % 4]);
    qsort(cell, 16, sizeof cell[0], descending);
    qsort(wanted, 16, sizeof wanted[0], descending);
    for (int i = 0; i < 16; i++)
        CHECK(llabs(cell[i] - wanted[i]) < count / 200);
    bfs_release(edges.end);
}

/* An R-MAT graph, large enough for all changes of direction and several blocks. */
static void test_generated(void) {
    plain_t plain = {.name = "R-MAT", .vertices = 1 << 13};
    bfs_edges_t edges;
    int64_t root[2];

    bfs_generate(13, 1 << 16, 3, &edges);
    for (int64_t e = 0; e < edges.count; e++)
        plain_add(&plain, edges.end[e][0], edges.end[e][1]);
    bfs_release(edges.end);
    for (int i = 0; i < 2; i++)
        root[i] = plain.end[check_random_range(0, plain.count - 1)][0];
    check_graph(&plain, root, 2, 8);
}

/* ---- the checks ---- */

static void test_validation(void) {
    plain_t plain = {.name = "for faults", .vertices = 70};
    bfs_graph_t graph;
    bfs_search_t search;
    bfs_figures_t figures;
    uint8_t *level;
    bfs_vertex_t *parent, root, far, near;

    for (int64_t v = 0; v + 1 < 60; v++)
        plain_add(&plain, v, v + 1);
    build(&plain, &graph);
    root = graph.place_of[0];
    far = graph.place_of[30];
    near = graph.place_of[28];
    bfs_search_open(&graph, &(bfs_method_t){.algorithm = BFS_HYBRID}, true, &search);
    bfs_search_run(&search, root, &figures);
    CHECK_EQ_INT(bfs_validate(&search, root), 0);
    level = search.level.memory;
    parent = search.parent.memory;
    parent[root] = far; /* the root has a parent */
    CHECK(bfs_validate(&search, root) > 0);
    parent[root] = root;
    parent[far] = near; /* no edge, two levels above */
    CHECK(bfs_validate(&search, root) > 0);
    parent[far] = graph.place_of[31]; /* a child as parent: a circle */
    CHECK(bfs_validate(&search, root) > 0);
    parent[far] = BFS_NONE;
    CHECK(bfs_validate(&search, root) > 0);
    parent[far] = graph.place_of[29];
    for (int64_t v = 30; v < 60;
         v++) /* all levels behind one more: the tree skips a level, and an edge does */
        level[graph.place_of[v]]++;
    CHECK_EQ_INT(bfs_validate(&search, root), 2);
    for (int64_t v = 30; v < 60; v++)
        level[graph.place_of[v]]--;
    level[graph.place_of[59]] = UINT8_MAX; /* the end of the path is missing, with its parent */
    parent[graph.place_of[59]] = BFS_NONE;
    CHECK_EQ_INT(bfs_validate(&search, root), 1);
    bfs_search_close(&search);
    bfs_graph_free(&graph);
    plain_free(&plain);
}

/* ---- with so many threads ---- */

static int run_with(int threads, uint64_t *hash_p) {
    static char text[32];
    char name[] = "test_bfs_search", *arguments[] = {name, NULL}, **argv = arguments;
    int argc = 1;

    snprintf(text, sizeof text, "%d", threads);
    setenv("DVMH_NUM_THREADS", text, 1);
    snprintf(text, sizeof text, "%d threads: ", threads);
    check_who = text;
    check_random_start();
    dvmh_init_C(INITFLAG_OPENMP | INITFLAG_SEQUENTIAL, &argc, &argv);
    *hash_p = hash_of(14, 100000, 17);
    test_small();
    test_random(threads == 1 ? 25 : 10);
    test_paths(threads == 1 ? INT64_MAX : 1000);
    test_star();
    test_generated();
    test_pieces();
    test_part();
    test_validation();
    test_shares();
    /* Its 66001 loops would mostly wait for threads on a machine that others use, too. */
    if (threads == 1)
        test_deep_sweep();
    return check_finish();
}

int main(void) {
    uint64_t *hash =
        mmap(NULL, THREADS_MAX * sizeof hash[0], PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (!CHECK(hash != MAP_FAILED))
        return check_finish();
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        const pid_t child = fork();
        int status = 0;

        if (child == 0)
            dvmh_exit_C(run_with(threads, &hash[threads - 1]));
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0);
    }
    CHECK(hash[0] != 0 && hash[0] == hash[1] && hash[0] == hash[2]);
    return check_finish();
}
