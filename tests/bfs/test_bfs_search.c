/* Searches of the BFS example: levels, and figures, of every algorithm equal those of a plain sequential search on graphs of every shape, with 1, 2
 * and 3 threads; parents pass the checks of Graph500, and these see every kind of fault that is planted; the generator's graph depends on its seed alone. */
#include "tests/bfs/searches.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 3

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
    test_star(70000);
    test_generated(13);
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
