/* From edges to lists: sorted, without loops and duplicates. The result does not depend on the order in which threads do this, nor on that of the
 * edges, since every list is sorted in the end. */
#include "examples/bfs/graph_lists.h"
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
    const bfs_graph_t *graph;
    bool by_source; /* lists of the vertices that edges come from, else of those that they lead to */
    int64_t rows;
    _Atomic int64_t *counter; /* for each row */
    bfs_lists_t raw;          /* with duplicates */
    int64_t *kept;            /* neighbours without duplicates */
    bfs_lists_t *lists;
    int64_t stride, longest;
} building_t;

/* The row and the entry of an edge; only edges into the own part have one. */
static inline bool find_row(const building_t *building, bfs_vertex_t from, bfs_vertex_t to, int64_t *row_p,
                            bfs_vertex_t *entry_p) {
    const bfs_parts_t *parts = &building->graph->parts;

    if (from == to || to < parts->first || to >= parts->last)
        return false;
    *row_p = building->by_source ? from : to - parts->first;
    *entry_p = building->by_source ? to : from;
    return true;
}

static void clear_counters(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;

    for (int64_t row = begin; row < end; row++)
        atomic_init(&building->counter[row], 0);
}

static void count_neighbour(const building_t *building, bfs_vertex_t from, bfs_vertex_t to) {
    bfs_vertex_t entry;
    int64_t row;

    if (find_row(building, from, to, &row, &entry))
        atomic_fetch_add_explicit(&building->counter[row], 1, memory_order_relaxed);
}

static void count_neighbours(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;
    const bfs_vertex_t *place_of = building->graph->place_of;

    for (int64_t e = begin; e < end; e++) {
        const bfs_vertex_t *edge = building->edges->end[e];

        count_neighbour(building, place_of[edge[0]], place_of[edge[1]]);
        if (!building->graph->is_directed)
            count_neighbour(building, place_of[edge[1]], place_of[edge[0]]);
    }
}

static void put_neighbour(const building_t *building, bfs_vertex_t from, bfs_vertex_t to) {
    bfs_vertex_t entry;
    int64_t row;

    if (find_row(building, from, to, &row, &entry))
        building->raw.target[atomic_fetch_add_explicit(&building->counter[row], 1, memory_order_relaxed)] =
            entry;
}

static void put_neighbours(void *context, int64_t begin, int64_t end) {
    const building_t *building = context;
    const bfs_vertex_t *place_of = building->graph->place_of;

    for (int64_t e = begin; e < end; e++) {
        const bfs_vertex_t *edge = building->edges->end[e];

        put_neighbour(building, place_of[edge[0]], place_of[edge[1]]);
        if (!building->graph->is_directed)
            put_neighbour(building, place_of[edge[1]], place_of[edge[0]]);
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
    const int64_t rows = building->rows, words = bfs_blocks(rows, BFS_WORD);
    const uint64_t last = (uint64_t)building->graph->vertices - 1;
    bfs_vertex_t *spare = bfs_allocate(building->longest, sizeof spare[0], "sorting of neighbours");

    for (int64_t i = begin; i < end; i++) {
        const int64_t word = bfs_mixed_word(i, words, building->stride);

        for (int64_t v = word * BFS_WORD; v < (word + 1) * BFS_WORD && v < rows; v++) {
            bfs_vertex_t *list = building->raw.target + building->raw.offset[v];
            const int64_t count = bfs_list_length(&building->raw, v);
            int64_t kept = 0;

            if (count <= INSERTION_MAX)
                sort_by_insertion(list, count);
            else
                sort_by_digits(list, spare, count, last);
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

    for (int64_t row = 0; row < building->rows; row++) {
        const int64_t count = atomic_load_explicit(&building->counter[row], memory_order_relaxed);

        building->raw.offset[row] = at;
        atomic_store_explicit(&building->counter[row], at, memory_order_relaxed);
        longest = count > longest ? count : longest;
        at += count;
    }
    building->raw.offset[building->rows] = at;
    return longest;
}

static void make_raw_lists(building_t *building) {
    const int64_t rows = building->rows;

    building->counter = bfs_allocate(rows, sizeof building->counter[0], "counters");
    bfs_for(rows, clear_counters, building);
    bfs_for(building->edges->count, count_neighbours, building);
    building->raw.offset = bfs_allocate(rows + 1, sizeof building->raw.offset[0], "offsets of lists");
    building->longest = set_raw_offsets(building);
    building->raw.target =
        bfs_allocate(building->raw.offset[rows], sizeof building->raw.target[0], "neighbours");
    bfs_for(building->edges->count, put_neighbours, building);
    bfs_release(building->counter);
}

static void make_lists(bfs_graph_t *graph, const bfs_edges_t *edges, bool by_source, bfs_lists_t *lists_p) {
    const int64_t rows = by_source ? graph->vertices : graph->parts.last - graph->parts.first;
    const int64_t blocks = bfs_blocks(bfs_blocks(rows, BFS_WORD), BFS_DEAL);
    building_t building = {.edges = edges,
                           .graph = graph,
                           .by_source = by_source,
                           .rows = rows,
                           .lists = lists_p};
    int64_t at = 0;

    make_raw_lists(&building);
    building.kept = bfs_allocate(rows, sizeof building.kept[0], "numbers of neighbours");
    building.stride = bfs_mixed_stride(blocks);
    bfs_for(blocks * BFS_DEAL, sort_lists, &building);
    lists_p->count = rows;
    lists_p->offset = bfs_allocate(rows + 1, sizeof lists_p->offset[0], "offsets of lists");
    for (int64_t row = 0; row < rows; row++) {
        lists_p->offset[row] = at;
        at += building.kept[row];
    }
    lists_p->offset[rows] = at;
    lists_p->target = bfs_allocate(at, sizeof lists_p->target[0], "neighbours");
    bfs_for(rows, copy_lists, &building);
    bfs_release(building.kept);
    bfs_release(building.raw.offset);
    bfs_release(building.raw.target);
}

/* Leave out empty lists: with many processes most vertices have no neighbour in the own part. */
static void leave_out_empty(bfs_graph_t *graph) {
    bfs_lists_t *lists = &graph->out;
    const int64_t words = graph->parts.words;
    int64_t *offset, count = 0;

    graph->has_list = bfs_allocate(words, sizeof graph->has_list[0], "which lists there are");
    graph->lists_before = bfs_allocate(words, sizeof graph->lists_before[0], "numbers of lists");
    for (int64_t word = 0; word < words; word++) {
        graph->has_list[word] = 0;
        graph->lists_before[word] = count;
        for (int64_t v = word * BFS_WORD; v < (word + 1) * BFS_WORD && v < graph->vertices; v++) {
            if (bfs_list_length(lists, v) == 0)
                continue;
            graph->has_list[word] |= UINT64_C(1) << v % BFS_WORD;
            lists->offset[count++] = lists->offset[v];
        }
    }
    offset = bfs_allocate(count + 1, sizeof offset[0], "offsets of lists");
    memcpy(offset, lists->offset, (size_t)count * sizeof offset[0]);
    offset[count] = lists->offset[lists->count];
    bfs_release(lists->offset);
    lists->offset = offset;
    lists->count = count;
}

void bfs_lists_make(bfs_graph_t *graph, const bfs_edges_t *edges) {
    make_lists(graph, edges, false, &graph->in);
    if (graph->is_directed || graph->parts.is_shared)
        make_lists(graph, edges, true, &graph->out);
    else
        graph->out = graph->in;
    if (graph->parts.is_shared)
        leave_out_empty(graph);
}
