/* Bodies of the loops that read or write levels. This header is a template: search_kernels.c includes it for each width, with LEVEL, the type of a
 * level, and KERNEL(name), the name of a function. All parallel accesses to memory that another iteration writes are atomic and relaxed:
 * iterations of one loop need no order, and the end of a loop publishes what it wrote. */

#define UNREACHED ((LEVEL)-1)

/* Edges of one list. The parent of a vertex is the first of all that reach it in this step, whoever finds it: those look at it that do not know its
 * level from an earlier step. */
static inline void KERNEL(expand_list)(const dvmhx_record_t *record, const bfs_vertex_t target[],
                                       int64_t count, LEVEL depth, bfs_vertex_t u, bool with_parents,
                                       found_t *found) {
    _Atomic uint64_t *visited = record->arrays[4].base;
    _Atomic LEVEL *level = record->arrays[5].base;
    _Atomic bfs_vertex_t *parent = with_parents ? record->arrays[9].base : NULL;

    for (int64_t e = 0; e < count; e++) {
        const bfs_vertex_t v = target[e];
        _Atomic uint64_t *word = &visited[v / BFS_WORD];
        const uint64_t bit = UINT64_C(1) << v % BFS_WORD;

        if (with_parents) {
            const LEVEL known = atomic_load_explicit(&level[v], memory_order_relaxed);

            if (known != UNREACHED && known != depth)
                continue;
            note_parent(&parent[v], u);
        }
        if ((atomic_load_explicit(word, memory_order_relaxed) & bit) != 0 ||
            (atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit) != 0)
            continue;
        atomic_store_explicit(&level[v], depth, memory_order_relaxed);
        add_found(found, v);
    }
}

/* Top down: iterations are the edges of the lists in the queue, so that threads get edges in equal numbers, whatever the degrees. */
static void KERNEL(expand)(const dvmhx_record_t *record, const expand_t *parameters) {
    const int64_t *offsets = record->arrays[0].base, *prefix = record->arrays[3].base;
    const bfs_vertex_t *targets = record->arrays[1].base, *queue = record->arrays[2].base;
    const LEVEL depth = (LEVEL)parameters->depth;
    int64_t slot, end, at;
    found_t found = {.queue = record->arrays[6].base,
                     .tail = record->arrays[8].base,
                     .offsets = parameters->with_prefix ? offsets : NULL,
                     .prefix = record->arrays[7].base};

    bfs_portion(record, &slot, &end);
    at = find_slot(prefix, parameters->queue_count, slot);
    for (; slot < end; at++) {
        const bfs_vertex_t *target = targets + offsets[queue[at]] + (slot - prefix[at]);
        const int64_t left = prefix[at + 1] - slot, wanted = end - slot,
                      count = left < wanted ? left : wanted;

        if (parameters->with_parents)
            KERNEL(expand_list)(record, target, count, depth, queue[at], true, &found);
        else
            KERNEL(expand_list)(record, target, count, depth, queue[at], false, &found);
        slot += count;
    }
    flush_found(&found);
}

/* Bottom up: unvisited vertices look for a neighbour in the frontier. Iterations are the vertices of the own part, words dealt out evenly. */
static void KERNEL(pull)(const dvmhx_record_t *record, const pull_t *parameters) {
    const int64_t *offsets = record->arrays[0].base;
    const bfs_vertex_t *targets = record->arrays[1].base;
    const uint64_t *front = record->arrays[2].base;
    _Atomic uint64_t *next = record->arrays[3].base, *visited = record->arrays[4].base;
    LEVEL *level = record->arrays[5].base;
    bfs_vertex_t *parent = parameters->with_parents ? record->arrays[6].base : NULL;
    int64_t begin, end, count = 0;

    bfs_portion(record, &begin, &end);
    for (int64_t i = begin / BFS_WORD; i * BFS_WORD < end; i++) {
        const int64_t word =
            parameters->begin + bfs_mixed_word(i, parameters->end - parameters->begin, parameters->stride);
        uint64_t unseen, new_bits = 0;

        if (word >= parameters->end)
            continue;
        unseen = ~atomic_load_explicit(&visited[word], memory_order_relaxed) & portion_bits(i, begin, end) &
                 linked_bits(word, parameters->linked);
        while (unseen != 0) {
            const int bit = lowest_bit(unseen);
            const int64_t v = word * BFS_WORD + bit, list = v - parameters->first;

            unseen &= unseen - 1;
            for (int64_t e = offsets[list]; e < offsets[list + 1]; e++) {
                const bfs_vertex_t u = targets[e];

                if ((front[u / BFS_WORD] >> u % BFS_WORD & 1) == 0)
                    continue;
                new_bits |= UINT64_C(1) << bit;
                level[v] = (LEVEL)parameters->depth;
                if (parent != NULL)
                    parent[v] = u;
                count++;
                break;
            }
        }
        if (new_bits != 0) {
            atomic_fetch_or_explicit(&next[word], new_bits, memory_order_relaxed);
            atomic_fetch_or_explicit(&visited[word], new_bits, memory_order_relaxed);
        }
    }
    *(int64_t *)record->reductions[0] += count;
}

/* One tile of a sweep in place: whoever sees an edge out of the present level sets the level behind it. Several may, to the same value. */
static inline int64_t KERNEL(sweep_tile)(const dvmhx_record_t *record, bool is_packed, const int64_t tile[],
                                         int64_t begin, int64_t end, LEVEL depth) {
    const uint32_t *from = record->arrays[1].base, *to = is_packed ? NULL : record->arrays[2].base;
    _Atomic LEVEL *level = record->arrays[is_packed ? 2 : 3].base;
    _Atomic LEVEL *level_from = level + tile[1], *level_to = level + tile[2];
    int64_t count = 0;

    for (int64_t e = begin; e < end; e++) {
        const uint32_t u = is_packed ? from[e] & 0xffff : from[e], v = is_packed ? from[e] >> 16 : to[e];

        if (atomic_load_explicit(&level_from[u], memory_order_relaxed) != (LEVEL)(depth - 1) ||
            atomic_load_explicit(&level_to[v], memory_order_relaxed) != UNREACHED)
            continue;
        atomic_store_explicit(&level_to[v], depth, memory_order_relaxed);
        count++;
    }
    return count;
}

/* The same with levels that do not change meanwhile: what is found is noted apart. */
static inline int64_t KERNEL(sweep_tile_read_only)(const dvmhx_record_t *record, bool is_packed,
                                                   const int64_t tile[], int64_t begin, int64_t end,
                                                   LEVEL depth) {
    const uint32_t *restrict from = record->arrays[1].base;
    const uint32_t *restrict to = is_packed ? NULL : record->arrays[2].base;
    const LEVEL *restrict level = record->arrays[is_packed ? 2 : 3].base;
    _Atomic uint8_t *found = record->arrays[is_packed ? 3 : 4].base;
    const LEVEL *restrict level_from = level + tile[1];
    const LEVEL *restrict level_to = level + tile[2];
    int64_t count = 0;

    for (int64_t e = begin; e < end; e++) {
        const uint32_t u = is_packed ? from[e] & 0xffff : from[e], v = is_packed ? from[e] >> 16 : to[e];

        if (level_from[u] != (LEVEL)(depth - 1) || level_to[v] != UNREACHED)
            continue;
        atomic_store_explicit(&found[tile[2] + v], 1, memory_order_relaxed);
        count++;
    }
    return count;
}

/* Iterations are edges. */
static inline void KERNEL(sweep)(const dvmhx_record_t *record, const sweep_t *parameters, bool is_read_only,
                                 bool is_packed) {
    const int64_t *tiles = record->arrays[0].base;
    const LEVEL depth = (LEVEL)parameters->depth;
    int64_t edge, end, at, count = 0;

    bfs_portion(record, &edge, &end);
    at = find_tile(tiles, parameters->tiles, edge);
    for (; edge < end; at++) {
        const int64_t *tile = tiles + 3 * at;
        const int64_t stop = tile[3] < end ? tile[3] : end;

        count += is_read_only ? KERNEL(sweep_tile_read_only)(record, is_packed, tile, edge, stop, depth)
                              : KERNEL(sweep_tile)(record, is_packed, tile, edge, stop, depth);
        edge = stop;
    }
    *(int64_t *)record->reductions[0] += count;
}

static void KERNEL(sweep_in_place)(const dvmhx_record_t *record, const sweep_t *parameters) {
    KERNEL(sweep)(record, parameters, false, false);
}

static void KERNEL(sweep_in_place_packed)(const dvmhx_record_t *record, const sweep_t *parameters) {
    KERNEL(sweep)(record, parameters, false, true);
}

static void KERNEL(sweep_read_only)(const dvmhx_record_t *record, const sweep_t *parameters) {
    KERNEL(sweep)(record, parameters, true, false);
}

static void KERNEL(sweep_read_only_packed)(const dvmhx_record_t *record, const sweep_t *parameters) {
    KERNEL(sweep)(record, parameters, true, true);
}

/* What a sweep has found becomes levels. Iterations are vertices. */
static void KERNEL(merge)(const dvmhx_record_t *record, const sweep_t *parameters) {
    uint8_t *found = record->arrays[0].base;
    LEVEL *level = record->arrays[1].base;
    int64_t begin, end;

    bfs_portion(record, &begin, &end);
    for (int64_t v = begin; v < end; v++) {
        if (found[v] != 0)
            level[v] = (LEVEL)parameters->depth;
        found[v] = 0;
    }
}

/* The parent of a vertex is its first neighbour one level above, so it does not depend on who found the vertex. Those that the search has noted are
 * there already. Iterations are vertices of the own part. */
static void KERNEL(parents)(const dvmhx_record_t *record, const sweep_t *parameters) {
    const int64_t *offsets = record->arrays[0].base;
    const bfs_vertex_t *targets = record->arrays[1].base;
    const LEVEL *level = record->arrays[2].base;
    bfs_vertex_t *parent = record->arrays[3].base;
    int64_t begin, end;

    bfs_portion(record, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t v = parameters->begin + i;
        int64_t e = offsets[i];

        if (level[v] == UNREACHED || parent[v] != BFS_NONE)
            continue;
        if (level[v] == 0) {
            parent[v] = (bfs_vertex_t)v;
            continue;
        }
        while (e < offsets[i + 1] && level[targets[e]] != (LEVEL)(level[v] - 1))
            e++;
        if (e < offsets[i + 1])
            parent[v] = targets[e];
    }
}

/* Vertices reached that count, and edges out of any vertex reached. Iterations are all vertices. */
static void KERNEL(summary)(const dvmhx_record_t *record, const summary_t *parameters) {
    const int64_t *offsets = record->arrays[0].base;
    const LEVEL *level = record->arrays[1].base;
    const uint64_t *has_list = parameters->is_ranked ? record->arrays[2].base : NULL;
    const int64_t *lists_before = parameters->is_ranked ? record->arrays[3].base : NULL;
    int64_t *sums = record->reductions[0], reached = 0, edges = 0, begin, end;

    bfs_portion(record, &begin, &end);
    for (int64_t v = begin; v < end; v++) {
        int64_t list = v;

        if (level[v] == UNREACHED)
            continue;
        reached += v >= parameters->first && v < parameters->last;
        if (has_list != NULL && (has_list[v / BFS_WORD] >> v % BFS_WORD & 1) == 0)
            continue;
        if (has_list != NULL)
            list = list_number(has_list, lists_before, v);
        edges += offsets[list + 1] - offsets[list];
    }
    sums[0] += reached;
    sums[1] += edges;
}

#ifdef WIDER
/* To the next width. Iterations are vertices. */
static void KERNEL(widen)(const dvmhx_record_t *record, const void *parameters) {
    const LEVEL *level = record->arrays[0].base;
    WIDER *wider = record->arrays[1].base;
    int64_t begin, end;

    (void)parameters;
    bfs_portion(record, &begin, &end);
    for (int64_t v = begin; v < end; v++)
        wider[v] = level[v] == UNREACHED ? (WIDER)-1 : level[v];
}
#define WIDEN BFS_HANDLER(KERNEL(widen))
#else
#define WIDEN NULL
#endif

static const bfs_kernels_t KERNEL(table) = {
    .expand = BFS_HANDLER(KERNEL(expand)),
    .pull = BFS_HANDLER(KERNEL(pull)),
    .sweep = {{BFS_HANDLER(KERNEL(sweep_in_place)), BFS_HANDLER(KERNEL(sweep_in_place_packed))},
              {BFS_HANDLER(KERNEL(sweep_read_only)), BFS_HANDLER(KERNEL(sweep_read_only_packed))}},
    .merge = BFS_HANDLER(KERNEL(merge)),
    .parents = BFS_HANDLER(KERNEL(parents)),
    .summary = BFS_HANDLER(KERNEL(summary)),
    .widen = WIDEN,
};

#undef WIDEN
#undef UNREACHED
#undef WIDER
#undef KERNEL
#undef LEVEL
