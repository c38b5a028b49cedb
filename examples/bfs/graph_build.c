/* From edges to adjacency lists: vertices numbered anew by degree, lists sorted, loops and duplicates left out and counted. The result does not
 * depend on the order in which threads do this, since every list is sorted in the end. */
#include "examples/bfs/graph.h"
#include "examples/bfs/support.h"

#include <stdatomic.h>
#include <string.h>

/* Lists up to so long are sorted by insertion. */
#define INSERTION_MAX 32

/* Sorting by digits of 8 bits. */
#define DIGIT_BITS  8
#define DIGIT_COUNT 256

/* What the loops below work on. */
typedef struct building {
    const bfs_edges_t *edges;
    bfs_graph_t *graph;
    _Atomic int64_t *counter; /* for each vertex */
    bfs_lists_t raw;          /* with duplicates */
    int64_t *kept;            /* neighbours without duplicates */
    bfs_lists_t *lists;
    bool outwards, inwards; /* which ends of an edge get the other one into their list */
    int64_t stride, longest;
    _Atomic int64_t loops;
} building_t;

void bfs_edges_add(bfs_edges_t *edges, bfs_vertex_t from, bfs_vertex_t to) {
    if (edges->count == edges->room) {
        const int64_t room = edges->room < 512 ? 1024 : 2 * edges->room;
        bfs_vertex_t(*more)[2] = bfs_allocate(room, sizeof more[0], "edges");

        if (edges->count > 0)
            memcpy(more, edges->end, (size_t)edges->count * sizeof more[0]);
        bfs_release(edges->end);
        edges->end = more;
        edges->room = room;
    }
    edges->end[edges->count][0] = from;
    edges->end[edges->count][1] = to;
    edges->count++;
}

static void clear_counters(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;

    for (int64_t v = begin; v < end; v++)
        atomic_init(&building->counter[v], 0);
}

static void add_one(_Atomic int64_t *counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* ---- places ---- */

static void count_degrees(void *context, int64_t begin, int64_t end) {
    building_t *building = context;
    int64_t loops = 0;

    for (int64_t e = begin; e < end; e++) {
        const bfs_vertex_t *edge = building->edges->end[e];

        if (edge[0] == edge[1]) {
            loops++;
            continue;
        }
        add_one(&building->counter[edge[0]]);
        add_one(&building->counter[edge[1]]);
    }
    atomic_fetch_add_explicit(&building->loops, loops, memory_order_relaxed);
}

/* Degrees are counted with duplicates: they are there before the lists, and the order is for speed only. Degrees from `rough` on share
 * a place in the sorting, so that its table stays small. */
static void number_by_degree(building_t *building) {
    const int64_t n = building->graph->vertices, rough = INT64_C(1) << 16;
    int64_t *first = bfs_allocate(rough + 2, sizeof first[0], "degrees"), at = 0;

    memset(first, 0, (size_t)(rough + 2) * sizeof first[0]);
    for (int64_t v = 0; v < n; v++) {
        const int64_t degree = atomic_load_explicit(&building->counter[v], memory_order_relaxed);

        first[degree < rough ? degree : rough]++;
    }
    building->graph->linked = n - first[0];
    for (int64_t degree = rough; degree >= 0; degree--) {
        const int64_t count = first[degree];

        first[degree] = at;
        at += count;
    }
    for (int64_t v = 0; v < n; v++) {
        const int64_t degree = atomic_load_explicit(&building->counter[v], memory_order_relaxed);
        const int64_t place = first[degree < rough ? degree : rough]++;

        building->graph->place_of[v] = (bfs_vertex_t)place;
        building->graph->label_of[place] = (bfs_vertex_t)v;
    }
    bfs_release(first);
}

/* ---- lists ---- */

static void count_neighbours(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;
    const bfs_vertex_t *place_of = building->graph->place_of;

    for (int64_t e = begin; e < end; e++) {
        const bfs_vertex_t *edge = building->edges->end[e];

        if (edge[0] == edge[1])
            continue;
        if (building->outwards)
            add_one(&building->counter[place_of[edge[0]]]);
        if (building->inwards)
            add_one(&building->counter[place_of[edge[1]]]);
    }
}

static void put_neighbour(const building_t *building, bfs_vertex_t v, bfs_vertex_t neighbour) {
    building->raw.target[atomic_fetch_add_explicit(&building->counter[v], 1, memory_order_relaxed)] =
        neighbour;
}

static void put_neighbours(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;
    const bfs_vertex_t *place_of = building->graph->place_of;

    for (int64_t e = begin; e < end; e++) {
        const bfs_vertex_t *edge = building->edges->end[e];
        const bfs_vertex_t from = place_of[edge[0]], to = place_of[edge[1]];

        if (from == to)
            continue;
        if (building->outwards)
            put_neighbour(building, from, to);
        if (building->inwards)
            put_neighbour(building, to, from);
    }
}

static void sort_by_insertion(bfs_vertex_t list[], int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const bfs_vertex_t moved = list[i];
        int64_t at = i;

        for (; at > 0 && list[at - 1] > moved; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

/* @param spare  room for `count`. @param last  nothing is larger */
static void sort_by_digits(bfs_vertex_t list[], bfs_vertex_t spare[], int64_t count, uint64_t last) {
    bfs_vertex_t *from = list, *to = spare;

    for (int shift = 0; last >> shift != 0; shift += DIGIT_BITS) {
        int64_t first[DIGIT_COUNT] = {0}, at = 0;
        bfs_vertex_t *swapped = from;

        for (int64_t i = 0; i < count; i++)
            first[from[i] >> shift & (DIGIT_COUNT - 1)]++;
        for (int digit = 0; digit < DIGIT_COUNT; digit++) {
            const int64_t size = first[digit];

            first[digit] = at;
            at += size;
        }
        for (int64_t i = 0; i < count; i++)
            to[first[from[i] >> shift & (DIGIT_COUNT - 1)]++] = from[i];
        from = to;
        to = swapped;
    }
    if (from != list)
        memcpy(list, from, (size_t)count * sizeof list[0]);
}

static void sort_lists(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;
    const int64_t n = building->graph->vertices, words = bfs_blocks(n, BFS_WORD);
    bfs_vertex_t *spare = bfs_allocate(building->longest, sizeof spare[0], "sorting of neighbours");

    for (int64_t i = begin; i < end; i++) {
        const int64_t word = bfs_mixed_word(i, words, building->stride);

        for (int64_t v = word * BFS_WORD; v < (word + 1) * BFS_WORD && v < n; v++) {
            bfs_vertex_t *list = building->raw.target + building->raw.offset[v];
            const int64_t count = bfs_degree(&building->raw, v);
            int64_t kept = 0;

            if (count <= INSERTION_MAX)
                sort_by_insertion(list, count);
            else
                sort_by_digits(list, spare, count, (uint64_t)n - 1);
            for (int64_t k = 0; k < count; k++)
                if (kept == 0 || list[k] != list[kept - 1])
                    list[kept++] = list[k];
            building->kept[v] = kept;
        }
    }
    bfs_release(spare);
}

static void copy_lists(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;

    for (int64_t v = begin; v < end; v++)
        memcpy(building->lists->target + building->lists->offset[v],
               building->raw.target + building->raw.offset[v],
               (size_t)building->kept[v] * sizeof building->raw.target[0]);
}

/* Offsets from numbers of neighbours, and the counters where each list begins. @return the longest list */
static int64_t set_raw_offsets(building_t *building) {
    int64_t at = 0, longest = 1;

    for (int64_t v = 0; v < building->graph->vertices; v++) {
        const int64_t count = atomic_load_explicit(&building->counter[v], memory_order_relaxed);

        building->raw.offset[v] = at;
        atomic_store_explicit(&building->counter[v], at, memory_order_relaxed);
        longest = count > longest ? count : longest;
        at += count;
    }
    building->raw.offset[building->graph->vertices] = at;
    return longest;
}

static void make_lists(building_t *building, bool outwards, bool inwards, bfs_lists_t *lists_p) {
    const int64_t n = building->graph->vertices;
    const int64_t blocks = bfs_blocks(bfs_blocks(n, BFS_WORD), BFS_DEAL);
    int64_t at = 0;

    building->outwards = outwards;
    building->inwards = inwards;
    building->lists = lists_p;
    bfs_for(n, clear_counters, building);
    bfs_for(building->edges->count, count_neighbours, building);
    building->raw.offset = bfs_allocate(n + 1, sizeof building->raw.offset[0], "offsets of lists");
    building->longest = set_raw_offsets(building);
    building->raw.target =
        bfs_allocate(building->raw.offset[n], sizeof building->raw.target[0], "neighbours");
    bfs_for(building->edges->count, put_neighbours, building);
    building->kept = bfs_allocate(n, sizeof building->kept[0], "numbers of neighbours");
    building->stride = bfs_mixed_stride(blocks);
    bfs_for(blocks * BFS_DEAL, sort_lists, building);
    lists_p->offset = bfs_allocate(n + 1, sizeof lists_p->offset[0], "offsets of lists");
    for (int64_t v = 0; v < n; v++) {
        lists_p->offset[v] = at;
        at += building->kept[v];
    }
    lists_p->offset[n] = at;
    lists_p->target = bfs_allocate(at, sizeof lists_p->target[0], "neighbours");
    bfs_for(n, copy_lists, building);
    bfs_release(building->kept);
    bfs_release(building->raw.offset);
    bfs_release(building->raw.target);
}

void bfs_graph_build(bfs_edges_t *edges, bool is_directed, bfs_graph_t *graph_p) {
    const double begin = bfs_now();
    const int64_t n = edges->vertices;
    bfs_graph_t graph = {.vertices = n, .is_directed = is_directed};
    building_t building = {.edges = edges, .graph = &graph};

    building.counter = bfs_allocate(n, sizeof building.counter[0], "counters");
    graph.label_of = bfs_allocate(n, sizeof graph.label_of[0], "labels");
    graph.place_of = bfs_allocate(n, sizeof graph.place_of[0], "places");
    bfs_for(n, clear_counters, &building);
    bfs_for(edges->count, count_degrees, &building);
    graph.loops = atomic_load(&building.loops);
    number_by_degree(&building);
    make_lists(&building, true, !is_directed, &graph.out);
    if (is_directed)
        make_lists(&building, false, true, &graph.in);
    else
        graph.in = graph.out;
    graph.edges = is_directed ? graph.out.offset[n] : graph.out.offset[n] / 2;
    graph.duplicates = edges->count - graph.loops - graph.edges;
    bfs_release(building.counter);
    bfs_release(edges->end);
    *edges = (bfs_edges_t){0};
    graph.build_s = bfs_now() - begin;
    *graph_p = graph;
}

void bfs_graph_free(bfs_graph_t *graph) {
    bfs_release(graph->out.offset);
    bfs_release(graph->out.target);
    if (graph->is_directed) {
        bfs_release(graph->in.offset);
        bfs_release(graph->in.target);
    }
    bfs_release(graph->label_of);
    bfs_release(graph->place_of);
}
