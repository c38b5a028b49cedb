#include "examples/bfs/parts.h"
#include "examples/bfs/support.h"
#include "examples/bfs/work.h"

#include <string.h>

/* Words of each part. */
static void choose_sizes(int64_t words, const int64_t weight[], int64_t count, DvmType size[]) {
    double all = 0, before = 0;
    int64_t word = 0;

    for (int64_t i = 0; i < words; i++)
        all += (double)weight[i];
    for (int64_t part = 0; part < count; part++) {
        const double wanted = all * (double)(part + 1) / (double)count;
        const int64_t begin = word;

        while (word < words && (part == count - 1 || before + (double)weight[word] <= wanted))
            before += (double)weight[word++];
        size[part] = (DvmType)(word - begin);
    }
}

static void spread(bfs_parts_t *parts, const int64_t weight[]) {
    const int64_t count = dvmh_get_num_procs(1);
    DvmType *size = bfs_allocate(count, sizeof size[0], "sizes of parts");
    const char nothing = 0;
    int64_t begin = 0;

    choose_sizes(parts->words, weight, count, size);
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_array_create_C(parts->array, 1, -rt_CHAR, (DvmType)parts->words, (DvmType)0, (DvmType)0);
    dvmh_distribute_C(parts->array, 1, dvmh_distribution_genblock_C(1, rt_LONG, size));
    dvmh_array_set_value_(parts->array, &nothing);
    parts->own_end = 0;
    for (int64_t part = 0; part < count; begin += size[part++])
        if (size[part] > 0 && dvmh_has_element_C(parts->array, 1, (DvmType)begin)) {
            parts->own_begin = begin;
            parts->own_end = begin + size[part];
        }
    bfs_release(size);
}

bool bfs_parts_are_wanted(void) {
    return dvmh_get_total_num_procs() > 1;
}

void bfs_parts_open(bfs_parts_t *parts, int64_t vertices, const int64_t weight[]) {
    *parts = (bfs_parts_t){.words = bfs_blocks(vertices, BFS_WORD)};
    parts->own_end = parts->words;
    parts->is_shared = bfs_parts_are_wanted() && parts->words > 0;
    if (parts->is_shared)
        spread(parts, weight);
    parts->first = parts->own_begin * BFS_WORD;
    parts->last = parts->own_end * BFS_WORD < vertices ? parts->own_end * BFS_WORD : vertices;
}

void bfs_parts_close(bfs_parts_t *parts) {
    if (parts->is_shared)
        dvmh_delete_object_(parts->array);
}

/* Parameters of the loop that combines: the first iteration of this process, and what it brings. */
typedef struct bringing {
    int64_t begin, count;
    const int64_t *number;
} bringing_t;

/* Who runs the first iteration of a process brings its numbers. */
static void bring_to_add(const dvmhx_record_t *record, const bringing_t *bringing) {
    if (record->start[0] == bringing->begin)
        for (int64_t i = 0; i < bringing->count; i++)
            ((int64_t *)record->reductions[0])[i] += bringing->number[i];
}

static void bring_to_compare(const dvmhx_record_t *record, const bringing_t *bringing) {
    int64_t *greatest = record->reductions[0];

    if (record->start[0] == bringing->begin)
        for (int64_t i = 0; i < bringing->count; i++)
            greatest[i] = bringing->number[i] > greatest[i] ? bringing->number[i] : greatest[i];
}

static void combine(const bfs_parts_t *parts, DvmType operation, int64_t number[], int count) {
    int64_t result[BFS_COMBINED_MAX];
    bringing_t bringing = {.begin = parts->own_begin, .count = count, .number = number};

    if (!parts->is_shared)
        return;
    for (int i = 0; i < count; i++)
        result[i] = operation == rf_SUM ? 0 : INT64_MIN;
    bfs_work_run(&(bfs_work_t){.handler = operation == rf_SUM ? BFS_HANDLER(bring_to_add)
                                                              : BFS_HANDLER(bring_to_compare),
                               .parameters = &bringing,
                               .count = parts->words,
                               .target = parts->array,
                               .reduction = operation,
                               .sums = result,
                               .sum_count = count});
    memcpy(number, result, (size_t)count * sizeof result[0]);
}

void bfs_parts_add(const bfs_parts_t *parts, int64_t number[], int count) {
    combine(parts, rf_SUM, number, count);
}

void bfs_parts_greatest(const bfs_parts_t *parts, int64_t number[], int count) {
    combine(parts, rf_MAX, number, count);
}
