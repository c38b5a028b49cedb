#include "examples/bfs/work.h"
#include "examples/bfs/support.h"

#include <string.h>

static void make_header(bfs_array_t *array, int64_t rows, int64_t columns, int64_t element_bytes) {
    array->rank = columns > 1 ? 2 : 1;
    array->bytes = rows * columns * element_bytes;
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_data_enter_C(array->memory, (DvmType)array->bytes);
    array->header = dvmh_variable_gen_header_C(array->memory, array->rank, (DvmType)element_bytes,
                                               (DvmType)rows, (DvmType)columns);
}

void bfs_array_create(bfs_array_t *array, const char *name, int64_t rows, int64_t columns,
                      int64_t element_bytes) {
    const int64_t room = rows > 0 ? rows : 1;

    array->name = name;
    array->memory = bfs_allocate(room * columns, (size_t)element_bytes, name);
    make_header(array, room, columns, element_bytes);
}

void bfs_array_adopt(bfs_array_t *array, const char *name, void *memory, int64_t count,
                     int64_t element_bytes) {
    array->name = name;
    array->memory = memory;
    make_header(array, count > 0 ? count : 1, 1, element_bytes);
}

void bfs_array_forget(bfs_array_t *array) {
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_data_exit_C(array->memory, 0);
    array->memory = NULL;
}

void bfs_array_destroy(bfs_array_t *array) {
    void *memory = array->memory;

    bfs_array_forget(array);
    bfs_release(memory);
}

/* Filled by pieces, so that a small array takes one thread. */
#define FILL_BYTES 4096

typedef struct filling {
    char *memory;
    int64_t bytes;
    int byte;
} filling_t;

static void fill_pieces(void *context, int64_t begin, int64_t end) {
    const filling_t *filling = context;
    const int64_t from = begin * FILL_BYTES, wanted = end * FILL_BYTES;
    const int64_t to = wanted < filling->bytes ? wanted : filling->bytes;

    memset(filling->memory + from, filling->byte, (size_t)(to - from));
}

void bfs_array_fill(bfs_array_t *array, int byte) {
    filling_t filling = {.memory = array->memory, .bytes = array->bytes, .byte = byte};

    bfs_for(bfs_blocks(array->bytes, FILL_BYTES), fill_pieces, &filling);
    bfs_array_put(array);
}

void *bfs_array_get(const bfs_array_t *array) {
    dvmh_get_actual_variable2_(array->memory);
    return array->memory;
}

void bfs_array_put(const bfs_array_t *array) {
    dvmh_actual_variable2_(array->memory);
}

/* Handlers go from a vertex to another by its number, through arrays as they are declared: without other orders, and without padding. */
static const dvmhx_layout_rule_t as_declared = {.size = sizeof as_declared,
                                                .forbidden = 1 << DVMHX_LAYOUT_PLAIN |
                                                             1 << DVMHX_LAYOUT_SKEW | 1 << DVMHX_LAYOUT_WRAP};

/* What the loop does with its arrays, for the record and for the region. */
static void tell_arrays(const bfs_work_t *work, DvmType loop) {
    for (int i = 0; i < work->use_count; i++) {
        const dvmhx_array_use_t use = {.size = sizeof use,
                                       .header = work->use[i].array->header,
                                       .rank = work->use[i].array->rank,
                                       .intent = work->use[i].intent};

        dvmhx_loop_array_C(loop, &use);
    }
}

void bfs_work_run(const bfs_work_t *work) {
    DvmType region, loop;

    dvmh_line_C(__LINE__, __FILE__);
    region = dvmh_region_create_C(0);
    for (int i = 0; i < work->use_count; i++)
        dvmh_region_register_array_C(region, work->use[i].intent, work->use[i].array->header,
                                     work->use[i].array->name);
    if (work->target != NULL)
        dvmh_region_register_array_C(region, INTENT_IN, work->target, "target");
    dvmh_region_execute_on_targets_C(region, work->gpu_handler != NULL ? DEVICE_TYPE_CUDA : DEVICE_TYPE_HOST);
    loop = dvmh_loop_create_C(region, 1, (DvmType)0, (DvmType)work->count - 1, (DvmType)1);
    if (work->target != NULL)
        dvmh_loop_map_C(loop, work->target, 1, dvmh_alignment_linear_C(1, 1, 0));
    if (work->consistent > 0) {
        const bfs_array_t *array = work->use[work->consistent - 1].array;

        dvmh_loop_consistent_C(loop, array->header, array->rank, dvmh_alignment_linear_C(1, 1, 0),
                               dvmh_alignment_linear_C(-1, 0, 0));
    }
    if (work->sum_count > 0)
        dvmh_loop_reduction_C(loop, work->reduction == 0 ? rf_SUM : work->reduction, work->sums, rt_LLONG,
                              (DvmType)work->sum_count, NULL, 0);
    tell_arrays(work, loop);
    dvmhx_loop_layout_C(loop, &as_declared);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(work->handler, 1, work->parameters));
    if (work->gpu_handler != NULL)
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, DVMHX_HANDLER_RECORD,
                                     dvmh_handler_func_C(work->gpu_handler, 1, work->parameters));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
}
