#include "examples/bfs/search.h"
#include "examples/bfs/search_inside.h"

#include <string.h>

/* ---- parts of processes ---- */

/* Words of each part, so that parts have about equal numbers of edges; a vertex counts as one more. */
static void choose_parts(const bfs_search_t *search, int64_t count, DvmType size[]) {
    const int64_t *offset = search->graph->in.offset, n = search->graph->vertices;
    const double all = (double)(offset[n] + n);
    int64_t word = 0;

    for (int64_t part = 0; part < count; part++) {
        const double wanted = all * (double)(part + 1) / (double)count;
        const int64_t begin = word;

        while (word < search->words) {
            const int64_t v = (word + 1) * BFS_WORD < n ? (word + 1) * BFS_WORD : n;

            if (part < count - 1 && (double)(offset[v] + v) > wanted)
                break;
            word++;
        }
        size[part] = (DvmType)(word - begin);
    }
}

static void find_own_part(bfs_search_t *search) {
    const int64_t count = dvmh_get_num_procs(1);

    search->own_end = search->words;
    search->is_shared = dvmh_get_total_num_procs() > 1 && search->words > 0;
    if (search->is_shared) {
        DvmType *size = bfs_allocate(count, sizeof size[0], "sizes of parts");
        const char nothing = 0;
        int64_t begin = 0;

        choose_parts(search, count, size);
        dvmh_line_C(__LINE__, __FILE__);
        dvmh_array_create_C(search->parts, 1, -rt_CHAR, (DvmType)search->words, (DvmType)0, (DvmType)0);
        dvmh_distribute_C(search->parts, 1, dvmh_distribution_genblock_C(1, rt_LONG, size));
        dvmh_array_set_value_(search->parts, &nothing);
        search->own_end = 0;
        for (int64_t part = 0; part < count; begin += size[part++])
            if (size[part] > 0 && dvmh_has_element_C(search->parts, 1, (DvmType)begin)) {
                search->own_begin = begin;
                search->own_end = begin + size[part];
            }
        bfs_release(size);
    }
    search->stride = bfs_mixed_stride(bfs_blocks(search->own_end - search->own_begin, BFS_DEAL));
}

/* Ranges of neighbours in the own part, for all vertices. */
static void find_own_ranges(void *context, int64_t begin, int64_t end) {
    bfs_search_t *search = context;
    const bfs_lists_t *out = &search->graph->out;
    const int64_t own_begin = search->own_begin * BFS_WORD, own_end = search->own_end * BFS_WORD;
    int64_t *ranges = search->ranges.memory;

    for (int64_t v = begin; v < end; v++) {
        int64_t e = out->offset[v];

        while (e < out->offset[v + 1] && out->target[e] < own_begin)
            e++;
        ranges[2 * v] = e;
        while (e < out->offset[v + 1] && out->target[e] < own_end)
            e++;
        ranges[2 * v + 1] = e;
    }
}

static void open_graph(bfs_search_t *search) {
    const bfs_graph_t *graph = search->graph;
    const int64_t n = graph->vertices;

    search->range_step = 1;
    if (search->is_shared) {
        search->range_step = 2;
        bfs_array_create(&search->ranges, "ranges", 2 * n, 1, sizeof(int64_t));
        bfs_for(n, find_own_ranges, search);
        bfs_array_put(&search->ranges);
    } else {
        bfs_array_adopt(&search->ranges, "ranges", graph->out.offset, n + 1, sizeof(int64_t));
    }
    bfs_array_adopt(&search->out_targets, "targets", graph->out.target, graph->out.offset[n],
                    sizeof(bfs_vertex_t));
    if (search->is_shared || graph->is_directed)
        bfs_array_adopt(&search->in_offsets, "offsets", graph->in.offset, n + 1, sizeof(int64_t));
    else
        search->in_offsets = search->ranges;
    if (graph->is_directed)
        bfs_array_adopt(&search->in_targets, "sources", graph->in.target, graph->in.offset[n],
                        sizeof(bfs_vertex_t));
    else
        search->in_targets = search->out_targets;
}

static void close_graph(bfs_search_t *search) {
    if (search->graph->is_directed)
        bfs_array_forget(&search->in_targets);
    if (search->is_shared || search->graph->is_directed)
        bfs_array_forget(&search->in_offsets);
    bfs_array_forget(&search->out_targets);
    if (search->is_shared)
        bfs_array_destroy(&search->ranges);
    else
        bfs_array_forget(&search->ranges);
}

/* ---- open and close ---- */

void bfs_search_open(const bfs_graph_t *graph, const bfs_method_t *method, bool with_parents,
                     bfs_search_t *search) {
    const double begin = bfs_now();

    *search = (bfs_search_t){.graph = graph,
                             .method = *method,
                             .words = bfs_blocks(graph->vertices, BFS_WORD),
                             .level_bytes = 1};
    find_own_part(search);
    open_graph(search);
    bfs_array_create(&search->level, "level", search->words, BFS_WORD, search->level_bytes);
    if (with_parents)
        bfs_array_create(&search->parent, "parent", search->words, BFS_WORD, sizeof(bfs_vertex_t));
    if (method->algorithm == BFS_SWEEP) {
        bfs_sweep_open(search);
    } else {
        bfs_array_create(&search->visited, "visited", search->words, 1, sizeof(uint64_t));
        bfs_array_create(&search->front, "front", search->words, 1, sizeof(uint64_t));
        bfs_array_create(&search->next, "next", search->words, 1, sizeof(uint64_t));
        bfs_array_create(&search->queue, "queue", graph->vertices, 1, sizeof(bfs_vertex_t));
        bfs_array_create(&search->next_queue, "next_queue", graph->vertices, 1, sizeof(bfs_vertex_t));
        bfs_array_create(&search->prefix, "prefix", graph->vertices + 1, 1, sizeof(int64_t));
        bfs_array_create(&search->tail, "tail", 1, 1, sizeof(int64_t));
    }
    search->prepare_s = bfs_now() - begin;
}

void bfs_search_close(bfs_search_t *search) {
    if (search->method.algorithm == BFS_SWEEP) {
        bfs_sweep_close(search);
    } else {
        bfs_array_destroy(&search->visited);
        bfs_array_destroy(&search->front);
        bfs_array_destroy(&search->next);
        bfs_array_destroy(&search->queue);
        bfs_array_destroy(&search->next_queue);
        bfs_array_destroy(&search->prefix);
        bfs_array_destroy(&search->tail);
    }
    if (search->parent.memory != NULL)
        bfs_array_destroy(&search->parent);
    bfs_array_destroy(&search->level);
    close_graph(search);
    if (search->is_shared)
        dvmh_delete_object_(search->parts);
}

/* ---- levels ---- */

void bfs_fit_level(bfs_search_t *search, int64_t level) {
    while (search->level_bytes < 4 && level >= (INT64_C(1) << 8 * search->level_bytes) - 1) {
        bfs_array_t wider;

        bfs_array_create(&wider, "level", search->words, BFS_WORD, 2 * search->level_bytes);
        bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->widen,
                                   .count = search->words * BFS_WORD,
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
    sharing_t sharing = {.begin = search->own_begin, .number = number};
    int64_t sum = 0;

    if (!search->is_shared)
        return number;
    bfs_work_run(&(bfs_work_t){.handler = BFS_HANDLER(bring_number),
                               .parameters = &sharing,
                               .count = search->words,
                               .use_count = 1,
                               .use = {{array, INTENT_INOUT}},
                               .target = search->parts,
                               .consistent = 1,
                               .sums = &sum,
                               .sum_count = 1});
    return sum;
}

/* ---- a search ---- */

static void clear(bfs_search_t *search, bfs_vertex_t root) {
    bfs_array_fill(&search->level, 0xff);
    if (search->method.algorithm != BFS_SWEEP) {
        bfs_array_fill(&search->visited, 0);
        bfs_array_fill(&search->front, 0);
        bfs_array_fill(&search->next, 0);
    }
    if (search->level_bytes == 1)
        ((uint8_t *)search->level.memory)[root] = 0;
    else if (search->level_bytes == 2)
        ((uint16_t *)search->level.memory)[root] = 0;
    else
        ((uint32_t *)search->level.memory)[root] = 0;
    bfs_array_put(&search->level);
}

static void find_parents(bfs_search_t *search) {
    parents_t parameters = {.begin = search->own_begin * BFS_WORD};
    const int64_t own_end = search->own_end * BFS_WORD, n = search->graph->vertices;

    bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->parents,
                               .parameters = &parameters,
                               .count = (own_end < n ? own_end : n) - parameters.begin,
                               .use_count = 4,
                               .use = {{&search->in_offsets, INTENT_IN},
                                       {&search->in_targets, INTENT_IN},
                                       {&search->level, INTENT_IN},
                                       {&search->parent, INTENT_INOUT}}});
    (void)bfs_share(search, &search->parent, 0);
    (void)bfs_array_get(&search->parent);
}

/* With several processes the arrays are whole in each of them, and so is the loop. */
static void sum_up(bfs_search_t *search, bfs_figures_t *figures) {
    int64_t sums[2] = {0, 0};
    /* Where an edge leads out of a vertex counts; the own ranges do not have all of them. */
    const bool has_out = search->range_step == 1;
    bfs_array_t offsets = search->ranges;

    if (!has_out && search->graph->is_directed)
        bfs_array_adopt(&offsets, "out_offsets", search->graph->out.offset, search->graph->vertices + 1,
                        sizeof(int64_t));
    else if (!has_out)
        offsets = search->in_offsets;
    bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->summary,
                               .count = search->graph->vertices,
                               .use_count = 2,
                               .use = {{&offsets, INTENT_IN}, {&search->level, INTENT_IN}},
                               .sums = sums,
                               .sum_count = 2});
    if (!has_out && search->graph->is_directed)
        bfs_array_forget(&offsets);
    figures->reached = sums[0];
    figures->edges = search->graph->is_directed ? sums[1] : sums[1] / 2;
}

void bfs_search_run(bfs_search_t *search, bfs_vertex_t root, bfs_figures_t *figures_p) {
    bfs_figures_t figures = {0};
    double begin = bfs_now();

    clear(search, root);
    figures.levels =
        search->method.algorithm == BFS_SWEEP ? bfs_search_sweep(search) : bfs_search_queue(search, root);
    figures.search_s = bfs_now() - begin;
    (void)bfs_share(search, &search->level, 0);
    if (search->parent.memory != NULL) {
        begin = bfs_now();
        find_parents(search);
        figures.parents_s = bfs_now() - begin;
    }
    sum_up(search, &figures);
    (void)bfs_array_get(&search->level);
    *figures_p = figures;
}
