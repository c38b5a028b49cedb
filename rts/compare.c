/* Two runs of a loop from the same values; see the header. Both runs find their values at home, where the program could see them, and leave
 * them there; so nothing here knows about layouts. */
#include <config.h>

#include "rts/compare.h"

#include <dvmhlib_const.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/exec_data.h"
#include "rts/halo.h"
#include "rts/memory.h"
#include "rts/region.h"
#include "rts/remote.h"
#include "rts/runtime.h"
#include "rts/variable.h"

/* Something that the loop may change: an array at home, or the memory of a reduction variable. */
typedef struct compared {
    rts_array_t *array; /* NULL: memory of the program alone */
    bool is_variable;   /* an ordinary array, which may have copies elsewhere */
    const char *name;
    void *memory; /* home's */
    size_t bytes;
    int code; /* type of elements */
    char *before, *of_host;
} compared_t;

typedef struct compared_list {
    int count, capacity;
    compared_t *item;
} compared_list_t;

/* Whether some process may run the loop beside the host; known alike to all. */
static bool has_device(const rts_loop_t *loop) {
    return rts_runtime()->environment.fake_devices > 0 ||
           (rts_runtime()->common_gpus && rts_loop_handler(loop, DEVICE_TYPE_CUDA) != NULL);
}

bool rts_compare_wants(const rts_loop_t *loop) {
    return loop->region != NULL && has_device(loop) &&
           (rts_runtime()->environment.compare_debug || (loop->region->flags & REGION_COMPARE_DEBUG) != 0) &&
           rts_exec_runs_on(loop, 0);
}

/* ---- what is compared ---- */

static rts_status_t add(compared_list_t *list, const compared_t *wanted) {
    RTS_ASSERT(list->count < list->capacity);
    compared_t *item = &list->item[list->count];
    *item = *wanted;
    item->before = rts_alloc(wanted->bytes);
    item->of_host = rts_alloc(wanted->bytes);
    list->count++;
    return item->before != NULL && item->of_host != NULL
               ? RTS_OK
               : rts_fail_memory("comparing what a loop does on the host and on its device", wanted->bytes);
}

static bool is_listed(const compared_list_t *list, const rts_array_t *array) {
    for (int i = 0; i < list->count; i++)
        if (list->item[i].array == array)
            return true;
    return false;
}

static rts_status_t add_arrays(const rts_region_t *region, compared_list_t *list) {
    for (int i = 0; i < region->part_count; i++) {
        const rts_region_part_t *part = &region->part[i];
        rts_array_t *array = rts_handle_object(part->array, RTS_HANDLE_ARRAY);
        if ((part->intent & (RTS_INTENT_OUT | RTS_INTENT_LOCAL)) == 0 || array == NULL ||
            array->home.buffer == NULL || is_listed(list, array))
            continue;
        RTS_TRY(add(list, &(compared_t){.array = array,
                                        .name = part->name[0] != '\0' ? part->name : "an array",
                                        .memory = array->home.buffer,
                                        .bytes = (size_t)array->home.layout.size * array->element.bytes,
                                        .code = array->element.code}));
    }
    return RTS_OK;
}

static rts_status_t add_reductions(const rts_loop_t *loop, compared_list_t *list) {
    for (int i = 0; i < loop->reduction_count; i++) {
        const rts_loop_reduction_t *entry = &loop->reduction[i];
        const size_t count = (size_t)entry->reduction.count;
        RTS_TRY(add(list, &(compared_t){.name = "a reduction variable",
                                        .memory = entry->values,
                                        .bytes = count * entry->reduction.element_bytes,
                                        .code = entry->reduction.type}));
        if (entry->locations != NULL)
            RTS_TRY(add(list, &(compared_t){.name = "the location of a reduction variable",
                                            .memory = entry->locations,
                                            .bytes = count * entry->reduction.location_bytes,
                                            .code = RTS_ELEMENT_UNTYPED}));
    }
    return RTS_OK;
}

/* Ordinary arrays of a loop: both runs begin with the same values. They are not compared, since their types were not told. */
static rts_status_t add_variables(const rts_loop_t *loop, compared_list_t *list) {
    for (int i = 0; i < loop->variable_count; i++)
        if ((loop->variable[i].intent & RTS_INTENT_OUT) != 0)
            RTS_TRY(add(list, &(compared_t){.memory = loop->variable[i].address,
                                            .bytes = loop->variable[i].bytes,
                                            .is_variable = true}));
    return RTS_OK;
}

static rts_status_t make_list(const rts_loop_t *loop, compared_list_t *list) {
    list->count = 0;
    list->capacity = loop->region->part_count + 2 * loop->reduction_count + loop->variable_count;
    list->item = rts_alloc_zeroed((size_t)list->capacity, sizeof *list->item);
    if (list->item == NULL && list->capacity > 0)
        return rts_fail_memory("comparing what a loop does on the host and on its device",
                               (size_t)list->capacity * sizeof *list->item);
    RTS_TRY(add_arrays(loop->region, list));
    RTS_TRY(add_variables(loop, list));
    return add_reductions(loop, list);
}

static void free_list(compared_list_t *list) {
    for (int i = 0; i < list->count; i++) {
        rts_free(list->item[i].before);
        rts_free(list->item[i].of_host);
    }
    rts_free(list->item);
}

/* ---- values ---- */

/* Newest values to home, and from there to a copy. */
static rts_status_t take(const compared_list_t *list, bool is_before) {
    for (int i = 0; i < list->count; i++) {
        const compared_t *item = &list->item[i];
        if (item->array != NULL)
            RTS_TRY(rts_coherence_fetch(item->array, 0, NULL));
        if (item->is_variable)
            RTS_TRY(rts_variable_bring_home(item->memory));
        memcpy(is_before ? item->before : item->of_host, item->memory, item->bytes);
    }
    return RTS_OK;
}

/* Home alone has values from now on, those from before; undefined ones, too, so that both runs begin alike. */
static rts_status_t put_back(const compared_list_t *list) {
    for (int i = 0; i < list->count; i++) {
        const compared_t *item = &list->item[i];
        memcpy(item->memory, item->before, item->bytes);
        if (item->array != NULL)
            RTS_TRY(rts_coherence_written(item->array, 0, NULL));
        if (item->is_variable)
            RTS_TRY(rts_variable_written_home(item->memory));
    }
    return RTS_OK;
}

/* ---- differences ---- */

/* Numbers in an element of a type, and their bytes; one of any size for what is no floating-point number. */
static int parts_of(int code, size_t element_bytes, size_t *bytes_p) {
    const bool is_complex = code == rt_FLOAT_COMPLEX || code == rt_DOUBLE_COMPLEX;
    *bytes_p = is_complex ? element_bytes / 2 : element_bytes;
    return is_complex ? 2 : 1;
}

static bool is_single(int code) {
    return code == rt_FLOAT || code == rt_FLOAT_COMPLEX;
}

static bool is_floating(int code) {
    return is_single(code) || code == rt_DOUBLE || code == rt_DOUBLE_COMPLEX;
}

static double number_at(int code, const char *place) {
    float single;
    double number;
    if (is_single(code)) {
        memcpy(&single, place, sizeof single);
        return (double)single;
    }
    memcpy(&number, place, sizeof number);
    return number;
}

static bool is_same(int code, const char *a, const char *b, size_t bytes) {
    if (memcmp(a, b, bytes) == 0)
        return true;
    if (!is_floating(code))
        return false;
    const double x = number_at(code, a), y = number_at(code, b);
    const double allowed = is_single(code) ? rts_runtime()->environment.compare_floats * (double)FLT_EPSILON
                                           : rts_runtime()->environment.compare_doubles * DBL_EPSILON;
    return (isnan(x) && isnan(y)) || x == y || fabs(x - y) <= allowed * fmax(fabs(x), fabs(y));
}

static void print_value(int code, const char *place, size_t bytes, char *text, size_t text_size) {
    int64_t number = 0;
    if (is_floating(code)) {
        snprintf(text, text_size, "%.*g", is_single(code) ? 9 : 17, number_at(code, place));
        return;
    }
    if (code != RTS_ELEMENT_UNTYPED && bytes <= sizeof number) {
        const bool is_signed = code == rt_CHAR || code == rt_SHORT || code == rt_INT || code == rt_LONG ||
                               code == rt_LLONG || code == rt_LOGICAL;
        memcpy(&number, place, bytes);
        if (is_signed && bytes < sizeof number) /* the processors that we run on begin with the low byte */
            number =
                (int64_t)((uint64_t)number << 8 * (sizeof number - bytes)) >> 8 * (sizeof number - bytes);
        snprintf(text, text_size, is_signed ? "%lld" : "%llu", (long long)number);
        return;
    }
    size_t used = (size_t)snprintf(text, text_size, "bytes");
    for (size_t i = 0; i < bytes && i < 8 && used + 4 < text_size; i++)
        used += (size_t)snprintf(text + used, text_size - used, " %02x", (unsigned char)place[i]);
}

static rts_status_t tell(const compared_t *item, const char *element, const char *of_host,
                         const char *of_device, size_t bytes, int device) {
    char host_text[64], device_text[64];
    print_value(item->code, of_host, bytes, host_text, sizeof host_text);
    print_value(item->code, of_device, bytes, device_text, sizeof device_text);
    return rts_fail(RTS_ERR_DEVICE,
                    "comparing the loop on the host and on device %d (%s): %s%s is %s there, and "
                    "%s on the host; it is the first difference",
                    device, rts_backend_of_device(device)->name, item->name, element, device_text, host_text);
}

/* Elements of the own part in lexicographic order. */
static rts_status_t compare_array(const compared_t *item, int device) {
    const rts_array_t *array = item->array;
    const rts_box_t *local = &array->local;
    rts_index_t index[RTS_MAX_RANK];
    size_t bytes;
    const int parts = parts_of(item->code, array->element.bytes, &bytes);
    if (rts_box_is_empty(local))
        return RTS_OK;
    memcpy(index, local->lo, sizeof index);
    for (int axis = 0; axis >= 0;) {
        const size_t at = (size_t)rts_layout_offset(&array->home.layout, index) * array->element.bytes;
        for (int part = 0; part < parts; part++) {
            const char *const of_host = item->of_host + at + (size_t)part * bytes,
                              *const of_device = (const char *)item->memory + at + (size_t)part * bytes;
            if (is_same(item->code, of_host, of_device, bytes))
                continue;
            char element[24 * RTS_MAX_RANK] = "";
            size_t used = 0;
            for (int k = 0; k < array->space.rank; k++)
                used +=
                    (size_t)snprintf(element + used, sizeof element - used, "[%lld]", (long long)index[k]);
            return tell(item, element, of_host, of_device, bytes, device);
        }
        for (axis = array->space.rank - 1; axis >= 0; axis--) {
            if (++index[axis] < local->hi[axis])
                break;
            index[axis] = local->lo[axis];
        }
    }
    return RTS_OK;
}

static rts_status_t compare_memory(const compared_t *item, int device) {
    size_t bytes = item->code == RTS_ELEMENT_UNTYPED ? item->bytes : rts_element_bytes(item->code);
    (void)parts_of(item->code, bytes, &bytes);
    for (size_t at = 0; at + bytes <= item->bytes && bytes > 0; at += bytes)
        if (!is_same(item->code, item->of_host + at, (const char *)item->memory + at, bytes))
            return tell(item, "", item->of_host + at, (const char *)item->memory + at, bytes, device);
    return RTS_OK;
}

static rts_status_t compare_all(const compared_list_t *list, int device) {
    for (int i = 0; i < list->count; i++) {
        const compared_t *item = &list->item[i];
        if (item->is_variable)
            continue;
        if (item->array != NULL)
            RTS_TRY(rts_coherence_fetch(item->array, 0, NULL));
        RTS_TRY(item->array != NULL ? compare_array(item, device) : compare_memory(item, device));
    }
    return RTS_OK;
}

/* ---- the two runs ---- */

static rts_status_t run_twice(rts_loop_t *loop, rts_status_t (*perform)(rts_loop_t *loop, bool on_host),
                              const compared_list_t *list) {
    rts_region_need_all(loop->region); /* both runs leave alone what the loop does not write */
    RTS_TRY(take(list, true));
    RTS_TRY(put_back(list));
    RTS_TRY(perform(loop, true));
    RTS_TRY(take(list, false));
    rts_remote_drop(loop); /* sections are read anew */
    RTS_TRY(put_back(list));
    RTS_TRY(perform(loop, false));
    return compare_all(list, loop->region->device);
}

rts_status_t rts_compare_loop(rts_loop_t *loop, rts_status_t (*perform)(rts_loop_t *loop, bool on_host)) {
    compared_list_t list;
    RTS_TRY(rts_halo_settle()); /* edges are part of what the loop begins with */
    rts_status_t status = make_list(loop, &list);
    if (status == RTS_OK)
        status = run_twice(loop, perform, &list);
    free_list(&list);
    return status;
}
