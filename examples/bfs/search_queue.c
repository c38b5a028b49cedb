/* Searches by frontiers: top down from a queue of vertices, and, for the hybrid, bottom up with bits where the frontier is large.
 *
 * Each process finds the vertices of its own part, but needs the whole frontier: with several processes the bits of what was found are
 * shared after every level, and the queue is made of those bits whose vertices have neighbours in the own part. Then loops may run on a GPU of the
 * process; with one process a whole search does, in search_device.c, and nothing of this is used. */
#include "examples/bfs/search.h"
#include "examples/bfs/search_inside.h"

/* When to change direction: Beamer, Asanovic and Patterson, Direction-optimizing breadth-first search (2012). Bottom up while the frontier's edges
 * are more than 1 / ALPHA of those not looked at; top down again when the frontier has less than 1 / BETA of the vertices. */
#define ALPHA 15
#define BETA  18

/* Where a search is. */
typedef struct course {
    bfs_search_t *search;
    int64_t depth;       /* of the vertices to be found next */
    int64_t queue_count; /* the frontier, when it is a queue: lists to go through */
    int64_t own_edges;   /* in these lists */
    int64_t awake;       /* vertices of the frontier */
    int64_t edges;       /* that lead out of it, when it is a queue, in all parts */
    int64_t rest;        /* edges that have not been looked at */
} course_t;

/* ---- arrays ---- */

/* Filled, so that the first search does not wait for pages. */
static void create_filled(bfs_array_t *array, const char *name, int64_t count, int64_t element_bytes) {
    bfs_array_create(array, name, count, 1, element_bytes);
    bfs_array_fill(array, 0);
}

void bfs_frontier_open(bfs_search_t *search) {
    const int64_t words = search->parts->words, lists = search->graph->out.count;
    const int64_t own = search->parts->last - search->parts->first;

    create_filled(&search->visited, "visited", words, sizeof(uint64_t));
    create_filled(&search->front, "front", words, sizeof(uint64_t));
    create_filled(&search->next, "next", words, sizeof(uint64_t));
    create_filled(&search->queue, "queue", lists, sizeof(bfs_vertex_t));
    create_filled(&search->prefix, "prefix", lists + 1, sizeof(int64_t));
    create_filled(&search->next_queue, "next_queue", own, sizeof(bfs_vertex_t));
    create_filled(&search->next_prefix, "next_prefix", search->parts->is_shared ? 1 : own + 1,
                  sizeof(int64_t));
    create_filled(&search->tail, "tail", TAIL_WORDS, sizeof(int64_t));
}

void bfs_frontier_close(bfs_search_t *search) {
    bfs_array_destroy(&search->visited);
    bfs_array_destroy(&search->front);
    bfs_array_destroy(&search->next);
    bfs_array_destroy(&search->queue);
    bfs_array_destroy(&search->prefix);
    bfs_array_destroy(&search->next_queue);
    bfs_array_destroy(&search->next_prefix);
    bfs_array_destroy(&search->tail);
}

/* ---- queue to bits and back ---- */

static void set_bits(const dvmhx_record_t *record, const void *parameters) {
    const bfs_vertex_t *queue = record->arrays[0].base;
    _Atomic uint64_t *bits = record->arrays[1].base;
    int64_t begin, end;

    (void)parameters;
    bfs_portion(record, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_or_explicit(&bits[queue[i] / BFS_WORD], UINT64_C(1) << queue[i] % BFS_WORD,
                                 memory_order_relaxed);
}

static void take_bits(const dvmhx_record_t *record, const pull_t *parameters) {
    const uint64_t *bits = record->arrays[0].base;
    const uint64_t *has_list = parameters->is_ranked ? record->arrays[5].base : NULL;
    const int64_t *lists_before = parameters->is_ranked ? record->arrays[6].base : NULL;
    found_t found = {.queue = record->arrays[1].base,
                     .tail = record->arrays[2].base,
                     .prefix = record->arrays[3].base,
                     .offsets = record->arrays[4].base};
    int64_t begin, end;

    bfs_portion(record, &begin, &end);
    for (int64_t i = begin / BFS_WORD; i * BFS_WORD < end; i++) {
        const int64_t word =
            parameters->begin + bfs_mixed_word(i, parameters->end - parameters->begin, parameters->stride);
        uint64_t left;

        if (word >= parameters->end)
            continue;
        left = bits[word] & portion_bits(i, begin, end);
        for (left &= has_list != NULL ? has_list[word] : UINT64_MAX; left != 0; left &= left - 1) {
            const int64_t v = word * BFS_WORD + lowest_bit(left);

            add_found(&found, (bfs_vertex_t)(has_list != NULL ? list_number(has_list, lists_before, v) : v));
        }
    }
    flush_found(&found);
}

static void queue_to_bits(const bfs_search_t *search, const bfs_array_t *queue, int64_t count,
                          bfs_array_t *bits) {
    bfs_array_fill(bits, 0);
    bfs_work_run(&(bfs_work_t){.handler = BFS_HANDLER(set_bits),
                               .gpu_handler = search->gpu != NULL ? search->gpu->set_bits : NULL,
                               .count = count,
                               .use_count = 2,
                               .use = {{queue, INTENT_IN}, {bits, INTENT_INOUT}}});
}

static void clear_tail(bfs_search_t *search) {
    memset(search->tail.memory, 0, TAIL_WORDS * sizeof(int64_t));
    bfs_array_put(&search->tail);
}

/* The queue is there: how long it is, how many edges its lists have, here and in all parts. */
static void note_queue(course_t *course) {
    const bfs_search_t *search = course->search;
    const int64_t *tail = bfs_array_get(&search->tail);

    course->queue_count = tail[TAIL_COUNT];
    course->own_edges = course->edges = tail[TAIL_EDGES];
    ((int64_t *)bfs_array_get(&search->prefix))[course->queue_count] = course->own_edges;
    bfs_array_put(&search->prefix);
    bfs_parts_add(search->parts, &course->edges, 1);
}

static void swap(bfs_array_t *a, bfs_array_t *b) {
    const bfs_array_t kept = *a;

    *a = *b;
    *b = kept;
}

/* The frontier as a queue, from the bits of the whole graph. */
static void bits_to_queue(course_t *course, const bfs_array_t *bits) {
    bfs_search_t *search = course->search;
    const int64_t words = search->parts->words, blocks = bfs_blocks(words, BFS_DEAL);
    pull_t parameters = {.end = words,
                         .stride = bfs_mixed_stride(blocks),
                         .is_ranked = search->parts->is_shared};
    bfs_work_t work = {.handler = BFS_HANDLER(take_bits),
                       .gpu_handler = search->gpu != NULL ? search->gpu->take_bits : NULL,
                       .parameters = &parameters,
                       .count = blocks * BFS_DEAL * BFS_WORD,
                       .use_count = 5,
                       .use = {{bits, INTENT_IN},
                               {&search->queue, INTENT_INOUT},
                               {&search->tail, INTENT_INOUT},
                               {&search->prefix, INTENT_INOUT},
                               {&search->out_offsets, INTENT_IN}}};

    if (search->parts->is_shared) {
        work.use[work.use_count++] = (bfs_use_t){&search->has_list, INTENT_IN};
        work.use[work.use_count++] = (bfs_use_t){&search->lists_before, INTENT_IN};
    }
    clear_tail(search);
    bfs_work_run(&work);
    note_queue(course);
}

/* ---- a level ---- */

static void expand(course_t *course) {
    bfs_search_t *search = course->search;
    const bool is_shared = search->parts->is_shared;
    expand_t parameters = {.depth = course->depth,
                           .queue_count = course->queue_count,
                           .with_prefix = !is_shared,
                           .with_parents = !is_shared && search->parent.memory != NULL,
                           .level_bytes = search->level_bytes};
    bfs_work_t work = {.handler = bfs_kernels(search)->expand,
                       .gpu_handler = search->gpu != NULL ? search->gpu->expand : NULL,
                       .parameters = &parameters,
                       .count = course->own_edges,
                       .use_count = 9,
                       .use = {{&search->out_offsets, INTENT_IN},
                               {&search->out_targets, INTENT_IN},
                               {&search->queue, INTENT_IN},
                               {&search->prefix, INTENT_IN},
                               {&search->visited, INTENT_INOUT},
                               {&search->level, INTENT_INOUT},
                               {&search->next_queue, INTENT_INOUT},
                               {&search->next_prefix, INTENT_INOUT},
                               {&search->tail, INTENT_INOUT}}};

    if (parameters.with_parents)
        work.use[work.use_count++] = (bfs_use_t){&search->parent, INTENT_INOUT};
    clear_tail(search);
    bfs_work_run(&work);
    course->awake = ((const int64_t *)bfs_array_get(&search->tail))[TAIL_COUNT];
    if (is_shared) {
        queue_to_bits(search, &search->next_queue, course->awake, &search->next);
        course->awake = bfs_share(search, &search->next, course->awake);
        swap(&search->front, &search->next);
        bits_to_queue(course, &search->front);
    } else {
        swap(&search->queue, &search->next_queue);
        swap(&search->prefix, &search->next_prefix);
        note_queue(course);
    }
    course->depth++;
}

static void pull(course_t *course) {
    bfs_search_t *search = course->search;
    const bfs_parts_t *parts = search->parts;
    const int64_t linked_words = bfs_blocks(search->graph->linked, BFS_WORD);
    pull_t parameters = {.depth = course->depth,
                         .begin = parts->own_begin,
                         .end = parts->own_end < linked_words ? parts->own_end : linked_words,
                         .linked = search->graph->linked,
                         .first = parts->first,
                         .with_parents = search->parent.memory != NULL,
                         .level_bytes = search->level_bytes};
    int64_t found = 0, blocks;
    bfs_work_t work = {.handler = bfs_kernels(search)->pull,
                       .gpu_handler = search->gpu != NULL ? search->gpu->pull : NULL,
                       .parameters = &parameters,
                       .use_count = 6,
                       .use = {{&search->in_offsets, INTENT_IN},
                               {&search->in_targets, INTENT_IN},
                               {&search->front, INTENT_IN},
                               {&search->next, INTENT_INOUT},
                               {&search->visited, INTENT_INOUT},
                               {&search->level, INTENT_INOUT}},
                       .sums = &found,
                       .sum_count = 1};

    bfs_array_fill(&search->next, 0);
    blocks = parameters.end > parameters.begin ? bfs_blocks(parameters.end - parameters.begin, BFS_DEAL) : 0;
    parameters.stride = bfs_mixed_stride(blocks);
    work.count = blocks * BFS_DEAL * BFS_WORD;
    if (parameters.with_parents)
        work.use[work.use_count++] = (bfs_use_t){&search->parent, INTENT_INOUT};
    bfs_work_run(&work);
    course->awake = bfs_share(search, &search->next, found);
    swap(&search->front, &search->next);
    course->depth++;
}

/* Bottom up until the frontier is small and becomes smaller. With several processes its bits are in front always. */
static void pull_levels(course_t *course) {
    bfs_search_t *search = course->search;
    int64_t before;

    if (!search->parts->is_shared)
        queue_to_bits(search, &search->queue, course->queue_count, &search->front);
    do {
        before = course->awake;
        bfs_fit_level(search, course->depth);
        pull(course);
    } while (course->awake > 0 && (course->awake >= before || course->awake > search->graph->linked / BETA));
    if (course->awake > 0)
        bits_to_queue(course, &search->front);
}

static void start(course_t *course, bfs_vertex_t root) {
    bfs_search_t *search = course->search;
    const bfs_graph_t *graph = search->graph;

    bfs_array_fill(&search->visited, 0);
    ((uint64_t *)search->visited.memory)[root / BFS_WORD] = UINT64_C(1) << root % BFS_WORD;
    bfs_array_put(&search->visited);
    course->awake = 1;
    course->rest = graph->is_directed ? graph->edges : 2 * graph->edges;
    if (search->parts->is_shared) {
        bfs_array_fill(&search->front, 0);
        ((uint64_t *)search->front.memory)[root / BFS_WORD] = UINT64_C(1) << root % BFS_WORD;
        bfs_array_put(&search->front);
        bits_to_queue(course, &search->front);
        return;
    }
    clear_tail(search);
    ((int64_t *)search->tail.memory)[TAIL_COUNT] = 1;
    ((int64_t *)search->tail.memory)[TAIL_EDGES] = bfs_list_length(&graph->out, root);
    *(bfs_vertex_t *)search->queue.memory = root;
    *(int64_t *)search->prefix.memory = 0;
    bfs_array_put(&search->queue);
    note_queue(course);
}

int64_t bfs_search_frontier(bfs_search_t *search, bfs_vertex_t root) {
    const bool may_pull = search->method.algorithm == BFS_HYBRID;
    course_t course = {.search = search, .depth = 1};

    start(&course, root);
    while (course.awake > 0 && course.edges > 0) {
        bfs_fit_level(search, course.depth);
        if (may_pull && course.edges > course.rest / ALPHA) {
            pull_levels(&course);
            continue;
        }
        course.rest -= course.edges;
        expand(&course);
    }
    /* Vertices were found one level before the last one that was looked for, unless the frontier's edges ran out. */
    return course.awake > 0 ? course.depth : course.depth - 1;
}
