#include "examples/bfs/figures.h"

#include <stdio.h>
#include <stdlib.h>

#include "examples/bfs/support.h"

static const char *algorithm_name(const bfs_method_t *method) {
    static const char *const sweeps[2][2][2] = {{{"sweep", "sweep(pack)"},
                                                 {"sweep(restrict)", "sweep(restrict,pack)"}},
                                                {{"sweep(cache)", "sweep(cache,pack)"},
                                                 {"sweep(cache,restrict)", "sweep(cache,restrict,pack)"}}};

    switch (method->algorithm) {
    case BFS_SWEEP:
        return sweeps[method->is_blocked][method->is_read_only][method->is_packed];
    case BFS_QUEUE:
        return "queue";
    case BFS_HYBRID:
        break;
    }
    return "hybrid";
}

double bfs_gteps(const bfs_figures_t *figures, bool parents_too) {
    const double time = figures->search_s + (parents_too ? figures->parents_s : 0);

    return time > 0 ? 1e-9 * (double)figures->edges / time : 0;
}

static dvmhx_report_t get_report(void) {
    dvmhx_report_t report = {.size = sizeof report};

    dvmhx_get_report_C(&report);
    return report;
}

void bfs_print_graph(const bfs_series_t *series) {
    const bfs_graph_t *graph = series->graph;
    const dvmhx_report_t report = get_report();

    if (series->options->json)
        return;
    dvmh_void_printf("graph: %lld vertices, %lld with edges; %lld %sedges; left out: %lld self-loops, %lld "
                     "duplicates\n",
                     (long long)graph->vertices, (long long)graph->linked, (long long)graph->edges,
                     graph->is_directed ? "directed " : "", (long long)graph->loops,
                     (long long)graph->duplicates);
    dvmh_void_printf("%s %.3f s, lists %.3f s, preparation of searches %.3f s\n",
                     series->options->reading.path != NULL ? "reading" : "generating", series->input_s,
                     graph->build_s, series->search->prepare_s);
    dvmh_void_printf("%s, %ld threads, %ld processes, which keep up to %lld neighbours\n\n",
                     algorithm_name(&series->options->method), (long)report.threads, (long)report.processes,
                     (long long)graph->kept);
    dvmh_void_printf("%12s %8s %12s %14s %12s %12s %8s\n", "root", "levels", "reached", "edges", "search, s",
                     "parents, s", "GTEPS");
}

static void print_json_text(const char *text) {
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            dvmh_void_printf("\\%c", c);
        else if (c < ' ')
            dvmh_void_printf("\\u%04x", c);
        else
            dvmh_void_printf("%c", c);
    }
}

/* What all lines begin with. */
static void print_json_begin(const bfs_series_t *series, const char *kind) {
    const bfs_options_t *options = series->options;
    const dvmhx_report_t report = get_report();

    dvmh_void_printf("{\"program\":\"bfs\",\"kind\":\"%s\",\"algorithm\":\"%s\",", kind,
                     algorithm_name(&options->method));
    if (options->reading.path != NULL) {
        dvmh_void_printf("\"graph\":\"");
        print_json_text(options->reading.path);
        dvmh_void_printf("\",");
    } else {
        dvmh_void_printf("\"graph\":\"rmat\",\"scale\":%d,\"edges_per_vertex\":%lld,\"seed\":%llu,",
                         options->scale, (long long)options->edges_per_vertex,
                         (unsigned long long)options->seed);
    }
    dvmh_void_printf("\"directed\":%s,\"device\":\"%s\",\"threads\":%ld,\"processes\":%ld",
                     options->is_directed ? "true" : "false", series->search->gpu != NULL ? "cuda" : "host",
                     (long)report.threads, (long)report.processes);
}

void bfs_print_search(const bfs_series_t *series, int64_t i) {
    const bfs_figures_t *figures = &series->figures[i];
    const unsigned long root = (unsigned long)series->graph->label_of[series->root[i]] +
                               (unsigned long)series->options->reading.base;

    if (!series->options->json) {
        dvmh_void_printf("%12lu %8lld %12lld %14lld %12.6f %12.6f %8.3f\n", root, (long long)figures->levels,
                         (long long)figures->reached, (long long)figures->edges, figures->search_s,
                         figures->parents_s, bfs_gteps(figures, false));
        return;
    }
    print_json_begin(series, "search");
    dvmh_void_printf(",\"root\":%lu,\"levels\":%lld,\"reached\":%lld,\"edges\":%lld,\"search_s\":%.9g,"
                     "\"parents_s\":%.9g,\"gteps\":%.6g}\n",
                     root, (long long)figures->levels, (long long)figures->reached, (long long)figures->edges,
                     figures->search_s, figures->parents_s, bfs_gteps(figures, false));
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of sorted numbers, between neighbours by where the quantile lies. */
static double quantile(const double number[], int64_t count, double share) {
    const double at = share * (double)(count - 1);
    const int64_t low = (int64_t)at;
    const int64_t high = low + 1 < count ? low + 1 : low;

    return number[low] + (at - (double)low) * (number[high] - number[low]);
}

/* Figures of the summary. */
typedef struct summary {
    double least, first_quartile, median, third_quartile, greatest, harmonic_mean;
} summary_t;

/* Searches that meet no edge have no rate and are left out. @return of how many searches */
static int64_t summarise(const bfs_series_t *series, bool parents_too, summary_t *summary_p) {
    double *rate = bfs_allocate(series->count + 1, sizeof rate[0], "figures"), inverse = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < series->count; i++)
        if (series->figures[i].edges > 0) {
            rate[count] = bfs_gteps(&series->figures[i], parents_too);
            inverse += 1 / rate[count++];
        }
    *summary_p = (summary_t){0};
    if (count > 0) {
        qsort(rate, (size_t)count, sizeof rate[0], compare);
        *summary_p = (summary_t){.least = rate[0],
                                 .first_quartile = quantile(rate, count, .25),
                                 .median = quantile(rate, count, .5),
                                 .third_quartile = quantile(rate, count, .75),
                                 .greatest = rate[count - 1],
                                 .harmonic_mean = (double)count / inverse};
    }
    bfs_release(rate);
    return count;
}

static void print_rates(const char *name, const summary_t *s) {
    dvmh_void_printf("%s: least %.3f, quartiles %.3f %.3f %.3f, greatest %.3f, harmonic mean %.3f\n", name,
                     s->least, s->first_quartile, s->median, s->third_quartile, s->greatest,
                     s->harmonic_mean);
}

static void print_json_rates(const char *end, const summary_t *s) {
    dvmh_void_printf(",\"gteps_min%s\":%.6g,\"gteps_q1%s\":%.6g,\"gteps_median%s\":%.6g,\"gteps_q3%s\":%.6g,"
                     "\"gteps_max%s\":%.6g,\"gteps_harmonic%s\":%.6g",
                     end, s->least, end, s->first_quartile, end, s->median, end, s->third_quartile, end,
                     s->greatest, end, s->harmonic_mean);
}

void bfs_print_summary(const bfs_series_t *series) {
    const bfs_graph_t *graph = series->graph;
    const bool has_parents = series->search->parent.memory != NULL;
    summary_t rates, with_parents;
    const int64_t rated = summarise(series, false, &rates);

    (void)summarise(series, true, &with_parents);
    if (!series->options->json) {
        dvmh_void_printf("\n%lld searches; %lld roots without edges skipped\n", (long long)series->count,
                         (long long)series->skipped);
        if (rated > 0)
            print_rates("GTEPS", &rates);
        if (rated > 0 && has_parents)
            print_rates("with parents", &with_parents);
        if (series->options->validate)
            dvmh_void_printf("validation: %lld searches of %lld wrong\n", (long long)series->failed,
                             (long long)series->count);
        return;
    }
    print_json_begin(series, "summary");
    dvmh_void_printf(
        ",\"vertices\":%lld,\"linked\":%lld,\"edges\":%lld,\"loops\":%lld,\"duplicates\":%lld,\"kept\":%lld",
        (long long)graph->vertices, (long long)graph->linked, (long long)graph->edges,
        (long long)graph->loops, (long long)graph->duplicates, (long long)graph->kept);
    dvmh_void_printf(
        ",\"input_s\":%.9g,\"build_s\":%.9g,\"prepare_s\":%.9g,\"searches\":%lld,\"skipped\":%lld",
        series->input_s, graph->build_s, series->search->prepare_s, (long long)series->count,
        (long long)series->skipped);
    if (rated > 0)
        print_json_rates("", &rates);
    if (rated > 0 && has_parents)
        print_json_rates("_with_parents", &with_parents);
    if (series->options->validate)
        dvmh_void_printf(",\"failed\":%lld", (long long)series->failed);
    dvmh_void_printf("}\n");
}

void bfs_write_search(const bfs_series_t *series, int64_t i, FILE *file) {
    const bfs_graph_t *graph = series->graph;
    const int64_t base = series->options->reading.base;

    dvmh_void_fprintf(file, "# root %lld: vertex level parent\n",
                      (long long)(graph->label_of[series->root[i]] + base));
    for (int64_t label = 0; label < graph->vertices; label++) {
        const int64_t place = graph->place_of[label];
        const int64_t parent = bfs_search_parent(series->search, place);

        dvmh_void_fprintf(file, "%lld %lld %lld\n", (long long)(label + base),
                          (long long)bfs_search_level(series->search, place),
                          (long long)(parent < 0 ? -1 : graph->label_of[parent] + base));
    }
}
