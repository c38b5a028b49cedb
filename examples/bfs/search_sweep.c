/* Searches that sweep over all edges, once a level. What the sweeps of the article differ in is how the edges lie and whether levels are written
 * while they are read; the edges are put in order once, before all searches. */
#include "examples/bfs/search.h"
#include "examples/bfs/search_inside.h"

#include <string.h>

/* Vertices of a block: their levels fit a first-level cache, and their numbers 16 bits. */
#define BLOCK_BITS 15
#define PACKED_MAX (INT64_C(1) << 16)

/* Tiles along one side at most, whatever the graph; blocks grow instead. */
#define SIDE_MAX 1024

/* While the edges are put in order. */
typedef struct ordering {
    const bfs_search_t *search;
    bfs_sweep_t *sweep;
    int block_bits;
    int64_t side;
    int64_t *place; /* of the next edge of each tile */
    bfs_array_t
        order; /* for each place of an edge in the order of tiles, its place in the order of the lists */
} ordering_t;

static int64_t tile_of(const ordering_t *ordering, bfs_vertex_t from, bfs_vertex_t to) {
    return ((int64_t)to >> ordering->block_bits) * ordering->side + ((int64_t)from >> ordering->block_bits);
}

/* Where a visit of edges is. */
typedef struct visit {
    const ordering_t *ordering;
    int64_t edge; /* its number in the order of the lists */
    int64_t tile;
    uint32_t from, to; /* relative to their blocks */
} visit_t;

typedef void (*visit_fn_t)(const visit_t *visit);

/* Call for all edges into the own part, in the order of the lists. */
static void visit_edges(const ordering_t *ordering, visit_fn_t look) {
    const bfs_graph_t *graph = ordering->search->graph;
    const bfs_lists_t *out = &graph->out;
    const int64_t mask = (INT64_C(1) << ordering->block_bits) - 1;
    visit_t visit = {.ordering = ordering};
    int64_t list = 0;

    for (int64_t u = 0; u < graph->linked; u++) {
        if (graph->has_list != NULL && (graph->has_list[u / BFS_WORD] >> u % BFS_WORD & 1) == 0)
            continue;
        for (; visit.edge < out->offset[list + 1]; visit.edge++) {
            const bfs_vertex_t v = out->target[visit.edge];

            visit.tile = tile_of(ordering, (bfs_vertex_t)u, v);
            visit.from = (uint32_t)(u & mask);
            visit.to = (uint32_t)(v & mask);
            look(&visit);
        }
        list++;
    }
}

static void count_edge(const visit_t *visit) {
    visit->ordering->place[visit->tile]++;
}

/* The edge itself goes where it is, its number to where it shall be. */
static void note_edge(const visit_t *visit) {
    const bfs_sweep_t *sweep = visit->ordering->sweep;
    int64_t *order = visit->ordering->order.memory;
    uint32_t *from = sweep->from.memory;

    order[visit->ordering->place[visit->tile]++] = visit->edge;
    if (visit->ordering->search->method.is_packed) {
        from[visit->edge] = visit->to << 16 | visit->from;
    } else {
        from[visit->edge] = visit->from;
        ((uint32_t *)sweep->to.memory)[visit->edge] = visit->to;
    }
}

/* The edges, by tiles: the runtime permutes them. */
static void sort_edges(ordering_t *ordering) {
    bfs_sweep_t *sweep = ordering->sweep;
    const bool is_packed = ordering->search->method.is_packed;

    bfs_array_create(&sweep->from, "from", sweep->edges, 1, sizeof(uint32_t));
    if (!is_packed)
        bfs_array_create(&sweep->to, "to", sweep->edges, 1, sizeof(uint32_t));
    bfs_array_create(&ordering->order, "order", sweep->edges, 1, sizeof(int64_t));
    *(int64_t *)ordering->order.memory =
        0; /* all processes permute, those without edges an array of one element */
    visit_edges(ordering, note_edge);
    bfs_array_put(&ordering->order);
    bfs_array_put(&sweep->from);
    dvmh_line_C(__LINE__, __FILE__);
    dvmhx_permute_C(sweep->from.header, ordering->order.header);
    if (!is_packed) {
        bfs_array_put(&sweep->to);
        dvmhx_permute_C(sweep->to.header, ordering->order.header);
    }
    bfs_array_destroy(&ordering->order);
}

/* Tiles from the numbers of their edges; empty ones are left out. place becomes where each one begins. */
static void make_tiles(ordering_t *ordering) {
    bfs_sweep_t *sweep = ordering->sweep;
    const int64_t count = ordering->side * ordering->side;
    int64_t *tile, at = 0;

    sweep->tiles = 0;
    for (int64_t i = 0; i < count; i++)
        sweep->tiles += ordering->place[i] > 0;
    bfs_array_create(&sweep->tile, "tiles", 3 * (sweep->tiles + 1), 1, sizeof(int64_t));
    tile = sweep->tile.memory;
    for (int64_t i = 0; i < count; i++) {
        const int64_t edges = ordering->place[i];

        ordering->place[i] = at;
        if (edges == 0)
            continue;
        tile[0] = at;
        tile[1] = i % ordering->side << ordering->block_bits;
        tile[2] = i / ordering->side << ordering->block_bits;
        tile += 3;
        at += edges;
    }
    tile[0] = at;
    tile[1] = tile[2] = 0;
    sweep->edges = at;
}

void bfs_sweep_open(bfs_search_t *search) {
    const int64_t linked = search->graph->linked;
    ordering_t ordering = {.search = search, .sweep = &search->sweep, .block_bits = BLOCK_BITS};

    if (!search->method.is_blocked)
        ordering.block_bits = 32;
    while (search->method.is_blocked && bfs_blocks(linked, INT64_C(1) << ordering.block_bits) > SIDE_MAX)
        ordering.block_bits++;
    if (search->method.is_packed && linked > PACKED_MAX && ordering.block_bits > 16)
        bfs_refuse("--sweep-options: pack given for %lld vertices with edges; allowed: %lld without cache, "
                   "%lld with it",
                   (long long)linked, (long long)PACKED_MAX, (long long)(SIDE_MAX * PACKED_MAX));
    ordering.side = bfs_blocks(linked, INT64_C(1) << ordering.block_bits);
    ordering.place = bfs_allocate(ordering.side * ordering.side + 1, sizeof ordering.place[0], "tiles");
    memset(ordering.place, 0, (size_t)(ordering.side * ordering.side + 1) * sizeof ordering.place[0]);
    visit_edges(&ordering, count_edge);
    make_tiles(&ordering);
    sort_edges(&ordering);
    if (search->method.is_read_only) {
        bfs_array_create(&search->sweep.found, "found", search->parts->words * BFS_WORD, 1, 1);
        bfs_array_fill(&search->sweep.found, 0);
    }
    bfs_release(ordering.place);
    bfs_array_put(&search->sweep.tile);
}

void bfs_sweep_close(bfs_search_t *search) {
    bfs_array_destroy(&search->sweep.tile);
    bfs_array_destroy(&search->sweep.from);
    if (!search->method.is_packed)
        bfs_array_destroy(&search->sweep.to);
    if (search->method.is_read_only)
        bfs_array_destroy(&search->sweep.found);
}

/* @return how often an edge led to a vertex not reached before; a vertex may count twice */
static int64_t sweep_once(bfs_search_t *search, int64_t depth) {
    const bfs_method_t *method = &search->method;
    bfs_sweep_t *sweep = &search->sweep;
    const bfs_device_kernels_t *gpu = search->gpu;
    sweep_t parameters = {.depth = depth,
                          .tiles = sweep->tiles,
                          .edges = sweep->edges,
                          .linked = search->graph->linked,
                          .level_bytes = search->level_bytes,
                          .is_read_only = method->is_read_only,
                          .is_packed = method->is_packed};
    int64_t count = 0;
    bfs_work_t work = {.handler = bfs_kernels(search)->sweep[method->is_read_only][method->is_packed],
                       .gpu_handler = gpu != NULL ? gpu->sweep : NULL,
                       .parameters = &parameters,
                       .count = sweep->edges,
                       .sums = &count,
                       .sum_count = 1};

    work.use[work.use_count++] = (bfs_use_t){&sweep->tile, INTENT_IN};
    work.use[work.use_count++] = (bfs_use_t){&sweep->from, INTENT_IN};
    if (!method->is_packed)
        work.use[work.use_count++] = (bfs_use_t){&sweep->to, INTENT_IN};
    work.use[work.use_count++] = (bfs_use_t){&search->level, method->is_read_only ? INTENT_IN : INTENT_INOUT};
    if (method->is_read_only)
        work.use[work.use_count++] = (bfs_use_t){&sweep->found, INTENT_INOUT};
    bfs_work_run(&work);
    if (method->is_read_only)
        bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->merge,
                                   .gpu_handler = gpu != NULL ? gpu->merge : NULL,
                                   .parameters = &parameters,
                                   .count = search->graph->linked,
                                   .use_count = 2,
                                   .use = {{&sweep->found, INTENT_INOUT}, {&search->level, INTENT_INOUT}}});
    return count;
}

int64_t bfs_search_sweep(bfs_search_t *search) {
    for (int64_t depth = 1;; depth++) {
        bfs_fit_level(search, depth);
        if (bfs_share(search, &search->level, sweep_once(search, depth)) == 0)
            return depth;
    }
}
