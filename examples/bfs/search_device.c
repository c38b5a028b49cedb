/* Searches by frontiers on a GPU, as the host sees them: arrays there, a loop that is a whole search, and what the search asks for while it
 * pauses. Which step follows which is decided by the kernel, device_search.cu. Whether there is a GPU the runtime knows: a loop with a
 * handler for either shows where it runs. */
#include "examples/bfs/device.h"
#include "examples/bfs/search.h"
#include "examples/bfs/support.h"

#include <string.h>

/* ---- is there a GPU ---- */

/* The handler of the host in the place of one that can only run on a GPU: `refused` is the place to note it. */
static void note_refusal(int *refused) {
    __atomic_store_n(refused, 1, __ATOMIC_RELAXED);
}

static void refuse_nothing(const dvmhx_record_t *record, int *refused) {
    (void)record;
    note_refusal(refused);
}

static bool has_gpu(const bfs_device_kernels_t *kernels) {
    int refused = 0;

    bfs_work_run(&(bfs_work_t){.handler = BFS_HANDLER(refuse_nothing),
                               .gpu_handler = kernels->nothing,
                               .parameters = &refused,
                               .count = 1});
    return refused == 0;
}

/* ---- open and close ---- */

/* The first neighbours of each vertex side by side. */
static void set_heads(void *context, int64_t begin, int64_t end) {
    const bfs_search_t *search = context;
    const bfs_lists_t *in = &search->graph->in;
    bfs_vertex_t *heads = search->on_gpu.heads.memory;

    for (int64_t v = begin; v < end; v++)
        for (int64_t i = 0; i < BFS_HEADS; i++)
            heads[v * BFS_HEADS + i] =
                i < bfs_list_length(in, v) ? in->target[in->offset[v] + i] : bfs_pad(search->graph->linked);
}

static void open_frontier(bfs_search_t *search) {
    bfs_on_gpu_t *on_gpu = &search->on_gpu;
    const int64_t linked = search->graph->linked;

    bfs_array_create(&on_gpu->heads, "heads", linked * BFS_HEADS, 1, sizeof(bfs_vertex_t));
    bfs_for(linked, set_heads, search);
    bfs_array_put(&on_gpu->heads);
    bfs_array_create(&on_gpu->bits, "bits", 2 * bfs_bit_words(linked), 1, sizeof(uint32_t));
    bfs_array_create(&on_gpu->queues, "queues", 2 * linked, 1, sizeof(bfs_vertex_t));
    bfs_array_create(&on_gpu->prefixes, "prefixes", 2 * linked, 1, sizeof(uint64_t));
    bfs_array_create(&on_gpu->control, "control", BFS_COURSE_WORDS + BFS_CONTROL_WORDS, 1, sizeof(int64_t));
    bfs_array_fill(&on_gpu->control, 0);
}

/* Whether every process has one. */
static bool all_have_gpus(const bfs_search_t *search) {
    int64_t lacks_one = !has_gpu(bfs_device_kernels());

    bfs_parts_greatest(search->parts, &lacks_one, 1);
    return lacks_one <= 0;
}

static bool is_too_large(const bfs_search_t *search) {
    const bfs_graph_t *graph = search->graph;
    int64_t entries = graph->out.offset[graph->out.count];

    bfs_parts_greatest(search->parts, &entries, 1);
    return graph->linked >= INT64_C(1) << BFS_DEVICE_VERTEX_BITS || entries >= INT64_C(1)
                                                                                   << BFS_DEVICE_EDGE_BITS;
}

/* Why a graph cannot be searched on GPUs, the same in all processes; NULL: it can. */
static const char *hindrance(const bfs_search_t *search) {
    if (bfs_device_kernels() == NULL)
        return "host, since this program was built without CUDA";
    if (is_too_large(search))
        return "host, since the graph is too large";
    if (!all_have_gpus(search))
        return "host, since there is no GPU to be used (DVMH_NUM_CUDAS=0 and DVMH_COMPARE_DEBUG=1 forbid it)";
    return NULL;
}

void bfs_device_open(bfs_search_t *search) {
    const char *why = search->method.place == BFS_ON_HOST ? "" : hindrance(search);

    if (why != NULL && search->method.place == BFS_ON_CUDA)
        bfs_refuse("--device: 'cuda' given; allowed: %s", why);
    if (why != NULL || search->graph->linked == 0)
        return;
    search->gpu = bfs_device_kernels();
    if (search->method.algorithm != BFS_SWEEP && !search->parts->is_shared)
        open_frontier(search);
}

void bfs_device_close(bfs_search_t *search) {
    bfs_on_gpu_t *on_gpu = &search->on_gpu;

    search->gpu = NULL;
    if (!bfs_is_one_kernel(search))
        return;
    bfs_array_destroy(&on_gpu->control);
    bfs_array_destroy(&on_gpu->prefixes);
    bfs_array_destroy(&on_gpu->queues);
    bfs_array_destroy(&on_gpu->bits);
    bfs_array_destroy(&on_gpu->heads);
}

/* ---- a search ---- */

static void refuse_search(const dvmhx_record_t *record, bfs_device_search_t *parameters) {
    (void)record;
    note_refusal(&parameters->is_refused);
}

/* From the root, or from where it was paused. */
static void run_search(bfs_search_t *search, bfs_device_search_t *parameters) {
    const DvmType intent = parameters->goes_on ? INTENT_INOUT : INTENT_OUT;
    bfs_work_t work = {.handler = BFS_HANDLER(refuse_search),
                       .gpu_handler = search->gpu->search,
                       .parameters = parameters,
                       .count = search->graph->linked,
                       .use_count = BFS_SEARCH_FIXED,
                       .use = {[BFS_SEARCH_OUT_OFFSETS] = {&search->out_offsets, INTENT_IN},
                               [BFS_SEARCH_OUT_TARGETS] = {&search->out_targets, INTENT_IN},
                               [BFS_SEARCH_HEADS] = {&search->on_gpu.heads, INTENT_IN},
                               [BFS_SEARCH_LEVEL] = {&search->level, intent},
                               [BFS_SEARCH_BITS] = {&search->on_gpu.bits, intent},
                               [BFS_SEARCH_QUEUES] = {&search->on_gpu.queues, intent},
                               [BFS_SEARCH_PREFIXES] = {&search->on_gpu.prefixes, intent},
                               [BFS_SEARCH_CONTROL] = {&search->on_gpu.control, INTENT_INOUT}}};

    if (parameters->is_directed) {
        work.use[work.use_count++] = (bfs_use_t){&search->in_offsets, INTENT_IN};
        work.use[work.use_count++] = (bfs_use_t){&search->in_targets, INTENT_IN};
    }
    if (parameters->with_parents)
        work.use[work.use_count++] = (bfs_use_t){&search->parent, intent};
    parameters->turn = search->on_gpu.turn;
    search->on_gpu.turn ^= 1;
    parameters->level_bytes = search->level_bytes;
    parameters->deepest = (INT64_C(1) << 8 * search->level_bytes) - 2;
    bfs_work_run(&work);
}

int64_t bfs_device_search_run(bfs_search_t *search, bfs_vertex_t root) {
    const bfs_graph_t *graph = search->graph;
    bfs_course_t course;
    bfs_device_search_t parameters = {.root = root,
                                      .root_edges = bfs_list_length(&graph->out, root),
                                      .linked = graph->linked,
                                      .level_count = search->parts->words * BFS_WORD,
                                      .rest = graph->out.offset[graph->out.count],
                                      .may_pull = search->method.algorithm == BFS_HYBRID,
                                      .with_parents = search->parent.memory != NULL,
                                      .is_directed = graph->in.offset != graph->out.offset};

    for (;;) {
        run_search(search, &parameters);
        if (parameters.is_refused) {
            bfs_device_close(search);
            bfs_frontier_open(search);
            return 0;
        }
        memcpy(&course, bfs_array_get(&search->on_gpu.control), sizeof course);
        if (!course.is_paused)
            break;
        bfs_fit_level(search, course.depth);
        parameters.goes_on = 1;
    }
    /* Vertices were found one level before the last one that was looked for, unless the frontier's edges ran out. */
    return course.count > 0 ? course.depth : course.depth - 1;
}

/* ---- sweeps ---- */

static void clear_on_host(const dvmhx_record_t *record, const bfs_sweep_parameters_t *parameters) {
    const int64_t bytes[] = {parameters->level_bytes, (int64_t)sizeof(bfs_vertex_t)};
    int64_t begin, end;

    bfs_portion(record, &begin, &end);
    for (int i = 0; i < (parameters->with_parents ? 2 : 1); i++)
        memset((char *)record->arrays[i].base + begin * bytes[i], 0xff, (size_t)((end - begin) * bytes[i]));
    if (parameters->root < begin || parameters->root >= end)
        return;
    memset((char *)record->arrays[0].base + parameters->root * bytes[0], 0, (size_t)bytes[0]);
    if (parameters->with_parents)
        ((bfs_vertex_t *)record->arrays[1].base)[parameters->root] = (bfs_vertex_t)parameters->root;
}

void bfs_device_clear(bfs_search_t *search, bfs_vertex_t root) {
    bfs_sweep_parameters_t parameters = {.root = root,
                                         .level_count = search->parts->words * BFS_WORD,
                                         .level_bytes = search->level_bytes,
                                         .with_parents = search->parent.memory != NULL};
    bfs_work_t work = {.handler = BFS_HANDLER(clear_on_host),
                       .gpu_handler = search->gpu->clear,
                       .parameters = &parameters,
                       .count = parameters.level_count,
                       .use_count = 1,
                       .use = {{&search->level, INTENT_OUT}}};

    if (parameters.with_parents)
        work.use[work.use_count++] = (bfs_use_t){&search->parent, INTENT_OUT};
    bfs_work_run(&work);
}
