/* bfs: breadth-first search on the runtime's arrays, regions and loops. The course of the program: a graph, roots, searches, figures. README.md beside
 * it is its manual. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/bfs/figures.h"
#include "examples/bfs/graph.h"
#include "examples/bfs/graph_read.h"
#include "examples/bfs/options.h"
#include "examples/bfs/search.h"
#include "examples/bfs/support.h"
#include "examples/bfs/validate.h"

/* Draws for each root wanted; a graph where that is not enough is searched from fewer roots. */
#define DRAWS_A_ROOT 256

/* ---- the graph ---- */

static void make_edges(bfs_options_t *options, bfs_edges_t *edges_p) {
    if (options->reading.path != NULL)
        bfs_read(&options->reading, options->is_directed, edges_p);
    else
        bfs_generate(options->scale, options->edges_per_vertex << options->scale, options->seed, edges_p);
}

static int64_t give_edges(const bfs_source_t *source, bfs_take_t take, void *context) {
    bfs_options_t *options = source->about;

    if (options->reading.path != NULL)
        return bfs_read_pieces(&options->reading, options->is_directed, take, context);
    bfs_generate_pieces(options->scale, options->edges_per_vertex << options->scale, options->seed, take,
                        context);
    return INT64_C(1) << options->scale;
}

/* One process keeps all edges that it has read or drawn; of several each one asks for them twice and keeps its own. */
static void make_graph(bfs_options_t *options, bfs_graph_t *graph_p, double *input_s_p) {
    const double begin = bfs_now();
    const bfs_source_t source = {.give = give_edges, .about = options};
    bfs_edges_t edges;

    if (options->reading.path == NULL)
        options->reading.base = 0;
    *input_s_p = 0;
    if (bfs_parts_are_wanted()) {
        bfs_graph_build_part(&source, options->is_directed, graph_p);
        return;
    }
    make_edges(options, &edges);
    *input_s_p = bfs_now() - begin;
    bfs_graph_build(&edges, options->is_directed, graph_p);
}

/* ---- roots ---- */

/* Different vertices that have edges, by the seed. */
static void draw_roots(bfs_series_t *series) {
    const bfs_graph_t *graph = series->graph;
    const int64_t n = graph->vertices, wanted = series->options->roots;
    uint8_t *drawn;

    series->root = bfs_allocate(wanted, sizeof series->root[0], "roots");
    if (n == 0)
        return;
    drawn = bfs_allocate(n, 1, "roots");
    memset(drawn, 0, (size_t)n);
    for (int64_t draw = 0; draw < DRAWS_A_ROOT * wanted && series->count < wanted; draw++) {
        const uint64_t label = bfs_random(~series->options->seed, (uint64_t)draw) % (uint64_t)n;
        const bfs_vertex_t place = graph->place_of[label];

        if (drawn[label])
            continue;
        drawn[label] = 1;
        if (!bfs_leads_out(graph, place))
            series->skipped++;
        else
            series->root[series->count++] = place;
    }
    bfs_release(drawn);
}

static void choose_roots(bfs_series_t *series) {
    const int64_t root = series->options->root, base = series->options->reading.base,
                  n = series->graph->vertices;

    if (root < 0) {
        draw_roots(series);
        return;
    }
    if (n == 0)
        bfs_refuse("--root: '%lld' given; allowed: none, the graph has no vertices", (long long)root);
    if (root < base || root - base >= n)
        bfs_refuse("--root: '%lld' given; allowed: a vertex %lld..%lld", (long long)root, (long long)base,
                   (long long)(n - 1 + base));
    series->root = bfs_allocate(1, sizeof series->root[0], "roots");
    series->root[0] = series->graph->place_of[root - base];
    series->count = 1;
}

/* ---- searches ---- */

static FILE *open_output(const char *path) {
    FILE *file = path != NULL ? dvmh_fopen(path, "w") : NULL;

    if (path != NULL && file == NULL)
        bfs_refuse("--output: '%s' given; allowed: a file that can be written", path);
    return file;
}

static void run_searches(bfs_series_t *series, bfs_search_t *search) {
    const bfs_options_t *options = series->options;
    FILE *output = open_output(options->output);

    series->figures = bfs_allocate(series->count, sizeof series->figures[0], "figures");
    bfs_print_graph(series);
    for (int64_t i = 0; i < series->count; i++) {
        bfs_search_run(search, series->root[i], &series->figures[i]);
        bfs_print_search(series, i);
        if (options->validate && bfs_validate(search, series->root[i]) > 0)
            series->failed++;
        if (output != NULL)
            bfs_write_search(series, i, output);
    }
    bfs_print_summary(series);
    if (output != NULL && dvmh_fclose(output) != 0)
        bfs_refuse("--output: '%s' given; allowed: a file that can be written to the end", options->output);
}

int main(int argc, char **argv) {
    bfs_options_t options;
    bfs_graph_t graph;
    bfs_search_t search;
    bfs_series_t series = {.options = &options, .graph = &graph, .search = &search};

    bfs_options_parse(argc, argv, &options);
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    make_graph(&options, &graph, &series.input_s);
    choose_roots(&series);
    bfs_search_open(&graph, &options.method, options.parents, &search);
    run_searches(&series, &search);
    bfs_search_close(&search);
    bfs_graph_free(&graph);
    bfs_release(series.root);
    bfs_release(series.figures);
    dvmh_exit_C(series.failed > 0 ? 1 : 0);
    return 0; /* never reached: dvmh_exit_C does not return */
}
