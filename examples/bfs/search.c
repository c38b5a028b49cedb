#include "examples/bfs/search.h"
#include "examples/bfs/search_inside.h"

#include <string.h>

/* ---- the graph ---- */

static void adopt_lists(const char *offsets_name, const char *targets_name, const bfs_lists_t *lists,
                        bfs_array_t *offsets_p, bfs_array_t *targets_p) {
    bfs_array_adopt(offsets_p, offsets_name, lists->offset, lists->count + 1, sizeof(int64_t));
    bfs_array_adopt(targets_p, targets_name, lists->target, lists->offset[lists->count],
                    sizeof(bfs_vertex_t));
}

static bool has_same_lists(const bfs_graph_t *graph) {
    return graph->out.offset == graph->in.offset;
}

static void open_graph(bfs_search_t *search) {
    const bfs_graph_t *graph = search->graph;

    adopt_lists("offsets", "targets", &graph->out, &search->out_offsets, &search->out_targets);
    if (has_same_lists(graph)) {
        search->in_offsets = search->out_offsets;
        search->in_targets = search->out_targets;
    } else {
        adopt_lists("in_offsets", "sources", &graph->in, &search->in_offsets, &search->in_targets);
    }
    if (!search->parts->is_shared)
        return;
    bfs_array_adopt(&search->has_list, "has_list", graph->has_list, search->parts->words, sizeof(uint64_t));
    bfs_array_adopt(&search->lists_before, "lists_before", graph->lists_before, search->parts->words,
                    sizeof(int64_t));
}

static void close_graph(bfs_search_t *search) {
    if (search->parts->is_shared) {
        bfs_array_forget(&search->lists_before);
        bfs_array_forget(&search->has_list);
    }
    if (!has_same_lists(search->graph)) {
        bfs_array_forget(&search->in_targets);
        bfs_array_forget(&search->in_offsets);
    }
    bfs_array_forget(&search->out_targets);
    bfs_array_forget(&search->out_offsets);
}

/* ---- open and close ---- */

void bfs_search_open(const bfs_graph_t *graph, const bfs_method_t *method, bool with_parents,
                     bfs_search_t *search) {
    const double begin = bfs_now();

    *search = (bfs_search_t){.graph = graph, .method = *method, .parts = &graph->parts, .level_bytes = 1};
    open_graph(search);
    bfs_array_create(&search->level, "level", search->parts->words, BFS_WORD, search->level_bytes);
    bfs_array_fill(&search->level, 0xff);
    if (with_parents) {
        bfs_array_create(&search->parent, "parent", search->parts->words, BFS_WORD, sizeof(bfs_vertex_t));
        bfs_array_fill(&search->parent, 0xff);
    }
    bfs_device_open(search);
    if (method->algorithm == BFS_SWEEP)
        bfs_sweep_open(search);
    else if (!bfs_is_one_kernel(search))
        bfs_frontier_open(search);
    if (search->gpu != NULL) {
        /* Brings the graph to the GPU: what searches find there is no part of one. Place 0 has edges. */
        bfs_figures_t figures;

        bfs_search_run(search, 0, &figures);
    }
    search->prepare_s = bfs_now() - begin;
}

void bfs_search_close(bfs_search_t *search) {
    if (search->method.algorithm == BFS_SWEEP)
        bfs_sweep_close(search);
    else if (!bfs_is_one_kernel(search))
        bfs_frontier_close(search);
    bfs_device_close(search);
    if (search->parent.memory != NULL)
        bfs_array_destroy(&search->parent);
    bfs_array_destroy(&search->level);
    close_graph(search);
}

/* ---- levels ---- */

void bfs_fit_level(bfs_search_t *search, int64_t level) {
    while (search->level_bytes < 4 && level >= (INT64_C(1) << 8 * search->level_bytes) - 1) {
        bfs_array_t wider;

        bfs_array_create(&wider, "level", search->parts->words, BFS_WORD, 2 * search->level_bytes);
        bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->widen,
                                   .count = search->parts->words * BFS_WORD,
                                   .use_count = 2,
                                   .use = {{&search->level, INTENT_IN}, {&wider, INTENT_OUT}}});
        bfs_array_destroy(&search->level);
        search->level = wider;
        search->level_bytes *= 2;
    }
}

/* The level of a place; all bits set, as wide as levels are: not reached. */
static uint32_t raw_level(const bfs_search_t *search, int64_t place) {
    switch (search->level_bytes) {
    case 1:
        return ((const uint8_t *)search->level.memory)[place];
    case 2:
        return ((const uint16_t *)search->level.memory)[place];
    default:
        return ((const uint32_t *)search->level.memory)[place];
    }
}

int64_t bfs_search_level(const bfs_search_t *search, int64_t place) {
    const uint32_t unreached = search->level_bytes == 1   ? UINT8_MAX
                               : search->level_bytes == 2 ? UINT16_MAX
                                                          : UINT32_MAX;
    const uint32_t level = raw_level(search, place);

    return level == unreached ? -1 : (int64_t)level;
}

int64_t bfs_search_parent(const bfs_search_t *search, int64_t place) {
    const bfs_vertex_t parent = ((const bfs_vertex_t *)search->parent.memory)[place];

    return parent == BFS_NONE ? -1 : (int64_t)parent;
}

/* ---- sharing ---- */

/* Parameters of the loop that shares: the first iteration of this process, and what it adds. */
typedef struct sharing {
    int64_t begin, number;
} sharing_t;

/* The rows are there already; who runs the first iteration of a process brings its number. */
static void bring_number(const dvmhx_record_t *record, const sharing_t *sharing) {
    if (record->start[0] == sharing->begin)
        *(int64_t *)record->reductions[0] += sharing->number;
}

int64_t bfs_share(const bfs_search_t *search, const bfs_array_t *array, int64_t number) {
    sharing_t sharing = {.begin = search->parts->own_begin, .number = number};
    int64_t sum = 0;

    if (!search->parts->is_shared)
        return number;
    bfs_work_run(&(bfs_work_t){.handler = BFS_HANDLER(bring_number),
                               .parameters = &sharing,
                               .count = search->parts->words,
                               .use_count = 1,
                               .use = {{array, INTENT_INOUT}},
                               .target = search->parts->array,
                               .consistent = 1,
                               .sums = &sum,
                               .sum_count = 1});
    return sum;
}

/* ---- a search ---- */

static void clear(bfs_search_t *search, bfs_vertex_t root) {
    if (search->gpu != NULL && search->method.algorithm == BFS_SWEEP) {
        bfs_device_clear(search, root);
        return;
    }
    bfs_array_fill(&search->level, 0xff);
    if (search->parent.memory != NULL) {
        bfs_array_fill(&search->parent, 0xff);
        ((bfs_vertex_t *)search->parent.memory)[root] = root;
        bfs_array_put(&search->parent);
    }
    if (search->level_bytes == 1)
        ((uint8_t *)search->level.memory)[root] = 0;
    else if (search->level_bytes == 2)
        ((uint16_t *)search->level.memory)[root] = 0;
    else
        ((uint32_t *)search->level.memory)[root] = 0;
    bfs_array_put(&search->level);
}

/* Those that the search itself has not found. What is reduced makes the program wait until a GPU has done it. */
static void find_parents(bfs_search_t *search) {
    int64_t nothing = 0;
    sweep_t parameters = {.begin = search->parts->first,
                          .linked = search->graph->linked,
                          .level_bytes = search->level_bytes};

    bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->parents,
                               .gpu_handler = search->gpu != NULL ? search->gpu->parents : NULL,
                               .parameters = &parameters,
                               .count = search->parts->last - search->parts->first,
                               .use_count = 4,
                               .use = {{&search->in_offsets, INTENT_IN},
                                       {&search->in_targets, INTENT_IN},
                                       {&search->level, INTENT_IN},
                                       {&search->parent, INTENT_INOUT}},
                               .sums = &nothing,
                               .sum_count = 1});
    (void)bfs_share(search, &search->parent, 0);
}

static void sum_up(bfs_search_t *search, bfs_figures_t *figures) {
    int64_t sums[2] = {0, 0};
    summary_t parameters = {.first = search->parts->first,
                            .last = search->parts->last,
                            .is_ranked = search->parts->is_shared};
    bfs_work_t work = {.handler = bfs_kernels(search)->summary,
                       .parameters = &parameters,
                       .count = search->graph->vertices,
                       .use_count = 2,
                       .use = {{&search->out_offsets, INTENT_IN}, {&search->level, INTENT_IN}},
                       .sums = sums,
                       .sum_count = 2};

    if (search->parts->is_shared) {
        work.use[work.use_count++] = (bfs_use_t){&search->has_list, INTENT_IN};
        work.use[work.use_count++] = (bfs_use_t){&search->lists_before, INTENT_IN};
    }
    bfs_work_run(&work);
    bfs_parts_add(search->parts, sums, 2);
    figures->reached = sums[0];
    figures->edges = search->graph->is_directed ? sums[1] : sums[1] / 2;
}

/* Levels, and the parents that are found with them. */
static int64_t find_levels(bfs_search_t *search, bfs_vertex_t root) {
    int64_t levels = 0;

    if (bfs_is_one_kernel(search) && root < search->graph->linked)
        levels = bfs_device_search_run(search, root);
    if (levels > 0)
        return levels;
    clear(search, root);
    if (search->method.algorithm == BFS_SWEEP)
        return bfs_search_sweep(search);
    return bfs_is_one_kernel(search) ? 1 : bfs_search_frontier(search, root);
}

void bfs_search_run(bfs_search_t *search, bfs_vertex_t root, bfs_figures_t *figures_p) {
    bfs_figures_t figures = {0};
    double begin = bfs_now();

    figures.levels = find_levels(search, root);
    figures.search_s = bfs_now() - begin;
    (void)bfs_share(search, &search->level, 0);
    if (search->parent.memory != NULL) {
        begin = bfs_now();
        if (!bfs_is_one_kernel(search))
            find_parents(search);
        figures.parents_s = bfs_now() - begin;
        (void)bfs_array_get(&search->parent);
    }
    sum_up(search, &figures);
    (void)bfs_array_get(&search->level);
    *figures_p = figures;
}
