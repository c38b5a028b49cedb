/* Searches of the BFS example on a GPU: levels, figures and parents equal those of a plain sequential search on graphs of every shape, by
 * every algorithm. On an emulated GPU in several orders, with 1, 2 and 3 multiprocessors and 1, 2 and 8 resident blocks. It finds a barrier of
 * all blocks that waits for one that is not there, counters cleared too early, bits read while they are written, and a search that does not
 * go on after levels became wider. Skipped where there is no GPU. */
#include "tests/bfs/searches.h"

#include <sys/wait.h>
#include <unistd.h>

/* Environment of a run. With an argument the first one only. */
static const struct {
    const char *order, *processors, *resident;
    int rounds;
    bool is_large;
} setting[] = {{"late", "2", "8", 1, true},
               {"random:1", "1", "1", 4, false},
               {"random:2", "3", "2", 1, false}};
enum { SETTINGS = sizeof setting / sizeof setting[0], SKIPPED = 77 };

/* Searches on which no parents are wanted, and one from a vertex without edges. */
static void test_levels_only(void) {
    plain_t plain = {.name = "without parents", .vertices = 3000};
    bfs_graph_t graph;

    for (int64_t e = 0; e < 20000; e++)
        plain_add(&plain, check_random_range(0, 2990) * check_random_range(0, 2990) / 2990,
                  check_random_range(0, 2990));
    build(&plain, &graph);
    for (bfs_algorithm_t algorithm = BFS_SWEEP; algorithm <= BFS_HYBRID; algorithm++) {
        const bfs_method_t method = {.algorithm = algorithm, .is_blocked = true, .place = search_place};
        bfs_search_t search;

        bfs_search_open(&graph, &method, false, &search);
        for (int i = 0; i < 3; i++) {
            const int64_t root = i == 2 ? 2999 : check_random_range(0, 2990);
            bfs_figures_t figures;
            int64_t wrong = 0;

            plain_search(&plain, root);
            bfs_search_run(&search, graph.place_of[root], &figures);
            for (int64_t v = 0; v < plain.vertices; v++)
                wrong += bfs_search_level(&search, graph.place_of[v]) != plain.level[v];
            CHECK_EQ_INT(wrong, 0);
            CHECK_EQ_INT(figures.levels, plain.levels);
            CHECK_EQ_INT(figures.reached, plain.reached);
            CHECK_EQ_INT(figures.edges, plain.edges);
        }
        bfs_search_close(&search);
    }
    bfs_graph_free(&graph);
    plain_free(&plain);
}

static bool has_gpu(void) {
    const bfs_method_t method = {.algorithm = BFS_HYBRID, .place = BFS_ON_ANY};
    plain_t plain = {.name = "one edge", .vertices = 2};
    bfs_graph_t graph;
    bfs_search_t search;
    bool has_one;

    plain_add(&plain, 0, 1);
    build(&plain, &graph);
    bfs_search_open(&graph, &method, false, &search);
    has_one = search.gpu != NULL;
    bfs_search_close(&search);
    bfs_graph_free(&graph);
    plain_free(&plain);
    return has_one;
}

static int run_with(int i) {
    static char text[64];
    char name[] = "test_bfs_cuda", *arguments[] = {name, NULL}, **argv = arguments;
    int argc = 1;

    setenv("DVMH_NUM_THREADS", "1", 1);
    setenv("EMULATED_CUDA_ORDER", setting[i].order, 1);
    setenv("EMULATED_CUDA_PROCESSORS", setting[i].processors, 1);
    setenv("EMULATED_CUDA_RESIDENT", setting[i].resident, 1);
    snprintf(text, sizeof text, "order %s, %s multiprocessors, %s blocks: ", setting[i].order,
             setting[i].processors, setting[i].resident);
    check_who = text;
    check_random_start();
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    if (!has_gpu())
        return SKIPPED;
    search_place = BFS_ON_CUDA;
    test_small();
    test_random(setting[i].rounds);
    test_levels_only();
    /* A launch for each of many levels: few sweeps of larger and of deep graphs. */
    most_sweeps = setting[i].is_large ? 2 : 0;
    if (setting[i].is_large)
        test_generated(11);
    most_sweeps /= 2;
    test_paths(setting[i].is_large ? 700 : 256);
    most_sweeps = 0;
    if (setting[i].is_large)
        test_star(9000);
    return check_finish();
}

int main(int argc, char **argv) {
    const char *required = getenv("DVMH_REQUIRE_CUDA");
    int skipped = 0;

    (void)argv;
    for (int i = 0; i < (argc > 1 ? 1 : SETTINGS); i++) {
        const pid_t child = fork();
        int status = 0;

        if (child == 0)
            dvmh_exit_C(run_with(i));
        if (!CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)))
            continue;
        skipped += WEXITSTATUS(status) == SKIPPED;
        CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SKIPPED);
    }
    if (skipped > 0 && required != NULL && strcmp(required, "0") != 0)
        CHECK_EQ_INT(skipped, 0);
    if (skipped > 0)
        printf("skipped: no GPU\n");
    return check_finish() != 0 ? 1 : skipped > 0 ? SKIPPED : 0;
}
