/* Arrays and loops on the run-time system. */
#include "examples/gsai/gsai_array.h"

#include <string.h>

static void create(gsai_array_t *array_p, DvmType type_code, DvmType count) {
    memset(array_p, 0, sizeof *array_p);
    array_p->count = count > 0 ? count : 1;
    array_p->element = type_code == rt_INT || type_code == rt_FLOAT ? 4 : 8;
    array_p->exists = true;
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_array_create_C(array_p->header, 1, -type_code, array_p->count, (DvmType)0, (DvmType)0);
}

void gsai_array_create_whole(gsai_array_t *array_p, DvmType type_code, DvmType count) {
    create(array_p, type_code, count);
    dvmh_distribute_C(array_p->header, 1, dvmh_distribution_replicated_());
}

void gsai_array_create_cut(gsai_array_t *array_p, DvmType type_code, DvmType count, const DvmType sizes[]) {
    create(array_p, type_code, count);
    if (count > 0)
        dvmh_distribute_C(array_p->header, 1, dvmh_distribution_genblock_C(1, rt_LONG, sizes));
    else
        dvmh_distribute_C(array_p->header, 1, dvmh_distribution_block_C(1));
}

void gsai_array_delete(gsai_array_t *array) {
    if (array->exists)
        dvmh_delete_object_(array->header);
    array->exists = false;
}

const void *gsai_array_read(gsai_array_t *array) {
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_get_actual_array2_(array->header);
    return dvmh_get_element_addr_C(array->header, 1, (DvmType)0);
}

void *gsai_array_write(gsai_array_t *array) {
    dvmh_line_C(__LINE__, __FILE__);
    return dvmh_get_element_addr_C(array->header, 1, (DvmType)0);
}

void gsai_array_written(gsai_array_t *array) {
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_actual_array2_(array->header);
}

void gsai_array_set(gsai_array_t *array, const void *values) {
    memcpy(gsai_array_write(array), values, (size_t)array->count * array->element);
    gsai_array_written(array);
}

void gsai_array_gather(gsai_array_t *array, void *values) {
    DvmType buffer[64];

    if (dvmh_get_total_num_procs() == 1) { /* all of it is here */
        memcpy(values, gsai_array_read(array), (size_t)array->count * array->element);
        return;
    }
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_get_actual_array2_(array->header);
    dvmh_remote_access_C(buffer, array->header, 1, dvmh_alignment_linear_C(-1, 0, 0));
    memcpy(values, dvmh_get_element_addr_C(buffer, 1, (DvmType)0), (size_t)array->count * array->element);
    dvmh_delete_object_(buffer);
}

/* By way of a type that compilers do not warn about. */
static DvmHandlerFunc handler_of(gsai_body_t body) {
    return (DvmHandlerFunc)(void (*)(void))body;
}

/* Every array once, whatever its uses; the one that says which process runs what as well. */
static void register_arrays(DvmType region, gsai_array_t *map, int use_count, const gsai_use_t uses[]) {
    bool has_map = false;

    for (int k = 0; k < use_count; k++) {
        DvmType intent = uses[k].intent;
        bool is_first = true;

        for (int other = 0; other < use_count; other++)
            if (uses[other].array == uses[k].array) {
                intent |= uses[other].intent;
                is_first = is_first && other >= k;
            }
        if (is_first)
            dvmh_region_register_array_C(region, intent, uses[k].array->header, "array");
        has_map = has_map || uses[k].array == map;
    }
    if (!has_map)
        dvmh_region_register_array_C(region, INTENT_IN, map->header, "map");
}

static void register_handler(DvmType loop, DvmType device_type, gsai_body_t body, void *context) {
    dvmh_loop_register_handler_C(loop, device_type, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(handler_of(body), 1, context));
}

void gsai_loop(gsai_array_t *map, DvmType lo, DvmType hi, int use_count, const gsai_use_t uses[],
               gsai_body_t body, void *context) {
    gsai_loop_on(map, lo, hi, use_count, uses, (gsai_bodies_t){.host = body}, context);
}

void gsai_loop_on(gsai_array_t *map, DvmType lo, DvmType hi, int use_count, const gsai_use_t uses[],
                  gsai_bodies_t bodies, void *context) {
    if (lo >= hi)
        return;
    dvmh_line_C(__LINE__, __FILE__);
    const DvmType region = dvmh_region_create_C(0);
    register_arrays(region, map, use_count, uses);
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST | (bodies.gpu != NULL ? DEVICE_TYPE_CUDA : 0));
    const DvmType loop = dvmh_loop_create_C(region, 1, lo, hi - 1, (DvmType)1);
    dvmh_loop_map_C(loop, map->header, 1, dvmh_alignment_linear_C(1, 1, 0));
    for (int k = 0; k < use_count; k++) {
        const dvmhx_array_use_t use = {.size = sizeof use,
                                       .header = uses[k].array->header,
                                       .rank = 1,
                                       .intent = uses[k].intent};
        dvmhx_loop_array_C(loop, &use);
    }
    register_handler(loop, DEVICE_TYPE_HOST, bodies.host, context);
    if (bodies.gpu != NULL)
        register_handler(loop, DEVICE_TYPE_CUDA, bodies.gpu, context);
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
}
