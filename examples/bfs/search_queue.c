/* Searches by frontiers: top down from a queue of vertices, and, for the hybrid, bottom up with bits where the frontier is large.
 *
 * Each process finds the vertices of its own part, but needs the whole frontier: with several processes the bits of what was found are
 * shared after every level, and the queue is made of them. */
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
    int64_t queue_count; /* the frontier, when it is a queue */
    int64_t awake;       /* vertices of the frontier */
    int64_t edges;       /* that lead out of it, when it is a queue */
    int64_t rest;        /* edges that have not been looked at */
} course_t;

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
    found_t found = {.queue = record->arrays[1].base, .tail = record->arrays[2].base};
    int64_t begin, end;

    bfs_portion(record, &begin, &end);
    for (int64_t i = begin / BFS_WORD; i * BFS_WORD < end; i++) {
        const int64_t word =
            parameters->begin + bfs_mixed_word(i, parameters->end - parameters->begin, parameters->stride);
        uint64_t left;

        if (word >= parameters->end)
            continue;
        for (left = bits[word] & portion_bits(i, begin, end); left != 0; left &= left - 1)
            add_found(&found, (bfs_vertex_t)(word * BFS_WORD + lowest_bit(left)));
    }
    flush_found(&found);
}

static void queue_to_bits(const course_t *course, const bfs_array_t *queue, int64_t count,
                          bfs_array_t *bits) {
    bfs_array_fill(bits, 0);
    bfs_work_run(&(bfs_work_t){.handler = BFS_HANDLER(set_bits),
                               .count = count,
                               .use_count = 2,
                               .use = {{queue, INTENT_IN}, {bits, INTENT_INOUT}}});
    (void)course;
}

static void set_tail(bfs_search_t *search) {
    *(int64_t *)search->tail.memory = 0;
    bfs_array_put(&search->tail);
}

static int64_t get_tail(const bfs_search_t *search) {
    return *(const int64_t *)bfs_array_get(&search->tail);
}

static void swap(bfs_array_t *a, bfs_array_t *b) {
    const bfs_array_t kept = *a;

    *a = *b;
    *b = kept;
}

/* The frontier as a queue, from the bits of the whole graph. */
static void bits_to_queue(course_t *course, const bfs_array_t *bits) {
    bfs_search_t *search = course->search;
    const int64_t blocks = bfs_blocks(search->words, BFS_DEAL);
    pull_t parameters = {.end = search->words, .stride = bfs_mixed_stride(blocks)};

    set_tail(search);
    bfs_work_run(&(bfs_work_t){.handler = BFS_HANDLER(take_bits),
                               .parameters = &parameters,
                               .count = blocks * BFS_DEAL * BFS_WORD,
                               .use_count = 3,
                               .use = {{bits, INTENT_IN},
                                       {&search->queue, INTENT_INOUT},
                                       {&search->tail, INTENT_INOUT}}});
    course->queue_count = get_tail(search);
}

/* Edges of the queue before each of its vertices, in the own part; and how many there are in all parts. */
static void count_edges(course_t *course) {
    bfs_search_t *search = course->search;
    const bfs_vertex_t *queue = bfs_array_get(&search->queue);
    const int64_t *ranges = bfs_array_get(&search->ranges), *offsets = search->graph->out.offset;
    const int step = search->range_step;
    int64_t *prefix = search->prefix.memory, own = 0, all = 0;

    for (int64_t i = 0; i < course->queue_count; i++) {
        const int64_t v = queue[i];

        prefix[i] = own;
        own += ranges[v * step + 1] - ranges[v * step];
        if (search->is_shared)
            all += offsets[v + 1] - offsets[v];
    }
    prefix[course->queue_count] = own;
    bfs_array_put(&search->prefix);
    course->edges = search->is_shared ? all : own;
}

/* ---- a level ---- */

static void expand(course_t *course) {
    bfs_search_t *search = course->search;
    const int64_t *prefix = search->prefix.memory;
    expand_t parameters = {.depth = course->depth,
                           .queue_count = course->queue_count,
                           .range_step = search->range_step};

    set_tail(search);
    bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->expand,
                               .parameters = &parameters,
                               .count = prefix[course->queue_count],
                               .use_count = 8,
                               .use = {{&search->ranges, INTENT_IN},
                                       {&search->out_targets, INTENT_IN},
                                       {&search->queue, INTENT_IN},
                                       {&search->prefix, INTENT_IN},
                                       {&search->visited, INTENT_INOUT},
                                       {&search->level, INTENT_INOUT},
                                       {&search->next_queue, INTENT_INOUT},
                                       {&search->tail, INTENT_INOUT}}});
    course->awake = get_tail(search);
    if (search->is_shared) {
        queue_to_bits(course, &search->next_queue, course->awake, &search->next);
        course->awake = bfs_share(search, &search->next, course->awake);
        if (course->awake > 0)
            bits_to_queue(course, &search->next);
        else
            course->queue_count = 0;
    } else {
        swap(&search->queue, &search->next_queue);
        course->queue_count = course->awake;
    }
    course->depth++;
}

static void pull(course_t *course) {
    bfs_search_t *search = course->search;
    const int64_t linked_words = bfs_blocks(search->graph->linked, BFS_WORD);
    pull_t parameters = {.depth = course->depth,
                         .begin = search->own_begin,
                         .end = search->own_end < linked_words ? search->own_end : linked_words,
                         .linked = search->graph->linked};
    int64_t found = 0, blocks;

    bfs_array_fill(&search->next, 0);
    blocks = parameters.end > parameters.begin ? bfs_blocks(parameters.end - parameters.begin, BFS_DEAL) : 0;
    parameters.stride = bfs_mixed_stride(blocks);
    bfs_work_run(&(bfs_work_t){.handler = bfs_kernels(search)->pull,
                               .parameters = &parameters,
                               .count = blocks * BFS_DEAL * BFS_WORD,
                               .use_count = 6,
                               .use = {{&search->in_offsets, INTENT_IN},
                                       {&search->in_targets, INTENT_IN},
                                       {&search->front, INTENT_IN},
                                       {&search->next, INTENT_INOUT},
                                       {&search->visited, INTENT_INOUT},
                                       {&search->level, INTENT_INOUT}},
                               .sums = &found,
                               .sum_count = 1});
    course->awake = bfs_share(search, &search->next, found);
    swap(&search->front, &search->next);
    course->depth++;
}

/* Bottom up until the frontier is small and becomes smaller. */
static void pull_levels(course_t *course) {
    bfs_search_t *search = course->search;
    int64_t before;

    queue_to_bits(course, &search->queue, course->queue_count, &search->front);
    do {
        before = course->awake;
        bfs_fit_level(search, course->depth);
        pull(course);
    } while (course->awake > 0 && (course->awake >= before || course->awake > search->graph->linked / BETA));
    if (course->awake > 0) {
        bits_to_queue(course, &search->front);
        count_edges(course);
    }
}

static void start(course_t *course, bfs_vertex_t root) {
    bfs_search_t *search = course->search;

    *(bfs_vertex_t *)search->queue.memory = root;
    bfs_array_put(&search->queue);
    ((uint64_t *)search->visited.memory)[root / BFS_WORD] = UINT64_C(1) << root % BFS_WORD;
    bfs_array_put(&search->visited);
    course->awake = course->queue_count = 1;
    course->rest = search->graph->out.offset[search->graph->vertices];
    count_edges(course);
}

int64_t bfs_search_queue(bfs_search_t *search, bfs_vertex_t root) {
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
        count_edges(&course);
    }
    /* Vertices were found one level before the last one that was looked for, unless the frontier's edges ran out. */
    return course.awake > 0 ? course.depth : course.depth - 1;
}
